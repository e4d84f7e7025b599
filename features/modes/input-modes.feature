Feature: Input modes of card and skills
  A skill's own modes stand in for the card's defaults, for that skill and for no other.

  @rule:mode-declared
  Scenario Outline: A type that is declared nowhere is not sent over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" takes "text/plain" by default
    And the work is of type "application/vnd.custom+json"
    When work is delegated to "vendor-a"
    Then the delegation is refused before dispatch as mode-unsupported

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:mode-skill-overrides
  Scenario Outline: A type that only another skill takes is not sent over <binding>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" has the skill "summarise"
    And "vendor-c" has the defect skill-only-input-mode
    And the work is of type "application/vnd.custom+json"
    And the work asks for the skill "summarise"
    When work is delegated to "vendor-c"
    Then the delegation is refused before dispatch as mode-unsupported

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:mode-skill-overrides @control:skill-only-mode-used-with-its-skill
  Scenario Outline: A type that only this skill takes is sent to it over <binding>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" has the defect skill-only-input-mode
    And the work is of type "application/vnd.custom+json"
    And the work asks for the skill "classify"
    When work is delegated to "vendor-c"
    Then the delegation ends as completed
    And "vendor-c" receives the work once over <binding>

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:skill-unknown-refused
  Scenario: A skill that the card does not list
    Given a peer "vendor-a" serving JSONRPC
    And "vendor-a" has the skill "classify"
    And the work asks for the skill "translate"
    When work is delegated to "vendor-a"
    Then the delegation is refused before dispatch as skill-unknown

  @rule:mode-ambiguous-refused
  Scenario Outline: A type of the defaults that the skill leaves out is not sent to it over <binding>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" has the defect skill-mode-contradicts-default
    And the work is of type "text/plain"
    And the work asks for the skill "classify"
    When work is delegated to "vendor-c"
    Then the delegation is refused before dispatch as mode-ambiguous
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:mode-error-typed
  Scenario Outline: The peer refuses the media type that its card declares over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" has the defect operation-refused where error is "ContentTypeNotSupported"
    When work is delegated to "vendor-a"
    Then the caller is told of a failure
    And the reason is mode-unsupported

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
