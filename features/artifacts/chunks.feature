Feature: Chunks that come as they should not
  Streams tell of artifacts in pieces, and vendors differ in how. What the peer holds in the end is what counts.

  @rule:artifact-equals-peer
  Scenario Outline: Chunks over <binding>: <defect>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" answers "one two three" in 3 chunks
    And "vendor-a" has the defect <defect>
    When work that prefers streaming is delegated to "vendor-a"
    Then the delegation ends as completed
    And the outcome is one that the facts permit

    Examples:
      | defect               | binding   |
      | last-chunk-omitted   | JSONRPC   |
      | last-chunk-omitted   | GRPC      |
      | last-chunk-omitted   | HTTP+JSON |
      | chunk-after-last     | JSONRPC   |
      | chunk-after-last     | GRPC      |
      | chunk-after-last     | HTTP+JSON |
      | append-before-create | JSONRPC   |
      | append-before-create | GRPC      |
      | append-before-create | HTTP+JSON |
      | chunks-out-of-order  | JSONRPC   |
      | chunks-out-of-order  | GRPC      |
      | chunks-out-of-order  | HTTP+JSON |
      | chunk-duplicated     | JSONRPC   |
      | chunk-duplicated     | GRPC      |
      | chunk-duplicated     | HTTP+JSON |

  @rule:task-dispatched-once
  Scenario Outline: The peer shows something else than it has streamed, over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" answers "one two three" in 3 chunks
    And "vendor-a" has the defect snapshot-differs-from-stream
    When work that prefers streaming is delegated to "vendor-a"
    Then the delegation ends as completed
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
