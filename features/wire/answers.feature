Feature: Answers that are none
  What does not tell of a task, or tells of another one, answers nothing.

  @rule:response-invalid-typed @should
  Scenario Outline: A message is answered with what is no answer over <binding>: <defect>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" has the defect <defect>
    When work is delegated to "vendor-c"
    Then the caller is told of a failure

    Examples:
      | defect          | binding   |
      | task-without-id | JSONRPC   |
      | task-without-id | GRPC      |
      | task-without-id | HTTP+JSON |
      | empty-result    | JSONRPC   |
      | empty-result    | GRPC      |
      | empty-result    | HTTP+JSON |

  @rule:response-invalid-typed @should
  Scenario Outline: A stream begins with what is no answer over <binding>: <defect>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" has the defect <defect>
    When work that prefers streaming is delegated to "vendor-c"
    Then the caller is told of a failure

    Examples:
      | defect          | binding   |
      | task-without-id | JSONRPC   |
      | empty-result    | GRPC      |
      | empty-result    | HTTP+JSON |

  @rule:task-truth-agrees
  Scenario Outline: A task is shown in another context over <binding>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" answers "label: damaged"
    And "vendor-c" has the defect context-id-changes
    When work is delegated to "vendor-c"
    Then the delegation ends as completed
    And the answer is "label: damaged"

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-dispatched-once
  Scenario Outline: A task is asked for and another one comes over <binding>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" declares no streaming
    And "vendor-c" has the defect blocking-ignored
    And "vendor-c" has the defect task-id-changes
    When work is delegated to "vendor-c"
    Then the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
