Feature: Streams that end before the task does
  The end of a stream says nothing about the task. Whoever needs to know has to ask.

  @rule:task-stream-close-resolved @rule:task-truth-agrees
  Scenario Outline: The stream closes early over <binding> while the task completes
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" answers "label: damaged"
    And "vendor-b" has the defect stream-closes-early
    When work that prefers streaming is delegated to "vendor-b"
    Then the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-stream-close-resolved
  Scenario Outline: The stream closes early over <binding> and the task fails
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" fails saying "scanner broken"
    And "vendor-b" has the defect stream-closes-early
    When work that prefers streaming is delegated to "vendor-b"
    Then the caller is told of a failure

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-stream-close-resolved @rule:task-truth-agrees
  Scenario Outline: The connection is reset in the middle of the stream over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" answers "label: damaged"
    And "vendor-b" has the defect connection-reset
    When work that prefers streaming is delegated to "vendor-b"
    Then the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
