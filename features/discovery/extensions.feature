Feature: Extensions of the protocol
  Whoever does not know an extension that a card requires must not call; what a card only offers may be left alone.

  @rule:extensions-required-honoured @must
  Scenario Outline: A peer insists on an extension that its card requires, over <binding>
    Given a peer "vendor-a" serving <binding>
    And the card of "vendor-a" says:
      """
      { "capabilities": { "extensions": [{ "uri": "https://example.com/extensions/traced", "required": true }] } }
      """
    When work is delegated to "vendor-a"
    Then the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:extensions-required-honoured @must
  Scenario Outline: A card requires an extension, and calls without it are taken all the same, over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" has the defect extension-required-unenforced
    When work is delegated to "vendor-a"
    Then the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @control:extension-offered
  Scenario Outline: An extension is offered and not required, over <binding>
    Given a peer "vendor-a" serving <binding>
    And the card of "vendor-a" says:
      """
      { "capabilities": { "extensions": [{ "uri": "https://example.com/extensions/traced" }] } }
      """
    When work is delegated to "vendor-a"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
