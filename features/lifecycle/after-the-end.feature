Feature: What a stream says beside the life of its task
  The first end that is told is the end, and the business of others is theirs.

  @rule:stream-status-once
  Scenario Outline: A stream goes on after the end over <binding>: <defect>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" answers "label: damaged"
    And "vendor-b" has the defect <defect>
    When work that prefers streaming is delegated to "vendor-b"
    Then the delegation ends as completed
    And the answer is "label: damaged"
    And the outcome is one that the facts permit

    Examples:
      | defect                | binding   |
      | event-after-terminal  | JSONRPC   |
      | event-after-terminal  | GRPC      |
      | event-after-terminal  | HTTP+JSON |
      | terminal-then-working | JSONRPC   |
      | terminal-then-working | GRPC      |
      | terminal-then-working | HTTP+JSON |
      | two-terminals         | JSONRPC   |
      | two-terminals         | GRPC      |
      | two-terminals         | HTTP+JSON |

  @rule:stream-foreign-events-dropped
  Scenario Outline: Events of another task come in between over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" answers "label: damaged"
    And "vendor-b" has the defect event-foreign-task
    When work that prefers streaming is delegated to "vendor-b"
    Then the delegation ends as completed
    And the answer is "label: damaged"
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
