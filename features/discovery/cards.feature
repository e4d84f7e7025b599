Feature: Cards that look odd and are right
  Whoever reads cards must not trip over what the specification leaves open.

  @rule:card-unknown-fields-tolerated @control:unknown-fields @should
  Scenario Outline: Unknown members in card and answers over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" answers "label: damaged"
    And "vendor-a" has the defect unknown-fields
    When work is delegated to "vendor-a"
    Then the delegation ends as completed
    And the answer is "label: damaged"

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:card-well-known-path @control:healthy
  Scenario: The card is looked for where the specification puts it
    Given a peer "vendor-a" serving JSONRPC
    When work is delegated to "vendor-a"
    Then the delegation ends as completed

  @rule:version-patch-ignored @control:interface-version-patch @must
  Scenario Outline: A patch number in the protocol version over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" speaks protocol version "1.0.7"
    When work is delegated to "vendor-a"
    Then the delegation ends as completed
    And "vendor-a" receives the work once over <binding>

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
