Feature: Chunks that do not say whether they append
  Two vendors fill the gap differently. Only the peer's own snapshot tells what the artifact is.

  @rule:artifact-append-explicit
  Scenario Outline: Chunks that say they append are joined over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" answers "one two three" in 3 chunks
    When work that prefers streaming is delegated to "vendor-a"
    Then the delegation ends as completed
    And the answer is "one two three"

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:artifact-equals-peer
  Scenario Outline: The peer appends by default over <binding>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" answers "one two three" in 3 chunks
    And "vendor-c" has the defect append-defaults-true
    When work that prefers streaming is delegated to "vendor-c"
    Then the delegation ends as completed
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:artifact-equals-peer
  Scenario Outline: The peer replaces by default over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" answers "one two three" in 3 chunks
    And "vendor-a" has the defect append-defaults-false
    When work that prefers streaming is delegated to "vendor-a"
    Then the delegation ends as completed
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
