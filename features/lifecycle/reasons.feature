Feature: Why a task did not succeed
  The words of a failure are no answer, wherever they stand, and they are not lost either.

  @rule:task-failure-not-answer @rule:task-truth-agrees
  Scenario Outline: Words of a failed task are no answer where they are streamed, over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" fails saying "label: damaged"
    When work that prefers streaming is delegated to "vendor-a"
    Then the delegation ends as failed
    And "label: damaged" is not given as an answer

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-failure-not-answer @rule:task-truth-agrees
  Scenario Outline: What was made before the failure is no answer over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" behaves as follows:
      """
      - working
      - artifact: { text: "label: damaged" }
      - fail: the label could not be printed
      """
    When work is delegated to "vendor-a"
    Then the delegation ends as failed
    And "label: damaged" is not given as an answer

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-failure-not-answer @rule:task-truth-agrees
  Scenario Outline: A media type that is not understood shows as a failed task over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" has the defect mode-error-as-task-failure
    When work is delegated to "vendor-a"
    Then the caller is told of a failure
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-states-distinct
  Scenario Outline: What the peer does not implement shows as a rejected task over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" has the defect mismatch-as-rejected
    When work is delegated to "vendor-a"
    Then the caller is told of a failure
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:history-kept
  Scenario Outline: The reason of a failure stands in the history alone over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" has the defect history-only-reason
    When work is delegated to "vendor-b"
    Then the delegation ends as failed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-truth-agrees @control:completed-without-artifact
  Scenario Outline: A task completes without an artifact over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" has the defect completed-without-artifact
    When work is delegated to "vendor-a"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
