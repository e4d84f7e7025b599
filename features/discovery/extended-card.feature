Feature: The extended card
  What a peer says to callers that show who they are takes the place of what it says to everybody.

  @rule:card-extended-authenticated @rule:card-extended-replaces @needs:extended-card @must
  Scenario Outline: Only the extended card lists the skill, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" asks for a bearer token
    And the caller holds the token "secret-for-b" for "vendor-b"
    And "vendor-b" has the skill "appraise" in its extended card alone
    And the work asks for the skill "appraise"
    When work is delegated to "vendor-b"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:card-extended-replaces @needs:extended-card
  Scenario: The extended card counts for the rest of the session
    Given a peer "vendor-b" serving JSONRPC
    And "vendor-b" asks for a bearer token
    And the caller holds the token "secret-for-b" for "vendor-b"
    And "vendor-b" has the skill "appraise" in its extended card alone
    And the work asks for the skill "appraise"
    When work is delegated to "vendor-b"
    And work is delegated to "vendor-b"
    Then the delegation ends as completed
