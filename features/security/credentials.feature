Feature: Credentials stay with the peer they were given for

  @rule:auth-token-not-leaked @needs:multi-peer
  Scenario: A token for the first peer does not reach the second
    Given a peer "vendor-b" serving JSONRPC
    And "vendor-b" asks for a bearer token
    And "vendor-b" has the defect interface-refused
    And a peer "vendor-a" serving JSONRPC
    And the caller holds the token "secret-for-b" for "vendor-b"
    When work is delegated to "vendor-b" or else "vendor-a"
    Then the delegation ends as completed
    And "vendor-a" receives the work once

  @control:bearer
  Scenario Outline: A token is used where it belongs, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" asks for a bearer token
    And the caller holds the token "secret-for-b" for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
