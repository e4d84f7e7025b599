Feature: Healthy peers
  A peer that keeps to the specification is used, over every binding, by every way of following its work.

  @rule:wire-contacted @rule:wire-request-valid @rule:version-header-sent @rule:task-truth-agrees @rule:artifact-equals-peer @control:healthy @must
  Scenario Outline: A healthy peer completes work over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" answers "label: damaged"
    When work is delegated to "vendor-a"
    Then the delegation ends as completed
    And the answer is "label: damaged"
    And "vendor-a" receives the work once over <binding>

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:artifact-equals-peer @control:healthy-stream
  Scenario Outline: A healthy peer streams over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" answers "label: damaged in transit" in 4 chunks
    When work that requires streaming is delegated to "vendor-a"
    Then the delegation ends as completed
    And the answer is "label: damaged in transit"
    And "vendor-a" receives the work once over <binding>

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:tenant-echoed @must
  Scenario Outline: The tenant of the interface is sent over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" serves <binding> under the tenant "acme"
    When work is delegated to "vendor-a"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-message-id-unique @rule:task-dispatched-once @must
  Scenario Outline: Two delegations over <binding> are two messages
    Given a peer "vendor-a" serving <binding>
    When work is delegated to "vendor-a"
    And work is delegated to "vendor-a"
    Then the delegation ends as completed
    And "vendor-a" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
