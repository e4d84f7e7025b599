Feature: Peers that are busy
  A peer that says when to come back is asked then, with the same message.

  @rule:task-retry-after @rule:task-dispatched-once
  Scenario Outline: The peer is busy for a second over <binding>, and answers <code>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" has the defect retry-after with:
      """
      { seconds: 1, times: 1, code: <code> }
      """
    When work is delegated to "vendor-a"
    Then the delegation ends as completed
    And "vendor-a" receives the work once

    Examples:
      | code | binding   |
      | 503  | JSONRPC   |
      | 503  | GRPC      |
      | 429  | GRPC      |
      | 429  | HTTP+JSON |
