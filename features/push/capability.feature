Feature: Push notifications, declared and served
  A webhook that is registered after the work was handed over may turn out not to be there. What the work depends on has
  to be known before; what it merely prefers must not hold it up.

  @rule:capability-closed-under-binding @rule:capability-mismatch-typed @rule:capability-push-proven-first @needs:probe
  Scenario Outline: Push is declared, <binding> refuses every webhook
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" has the defect push-declared-absent
    When work that requires push is delegated to "vendor-b"
    Then the delegation is refused before dispatch as capability-mismatch
    And the refusal names push and <binding>
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-mismatch-terminal @needs:push
  Scenario Outline: Work that prefers push is done where <binding> refuses every webhook
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" has the defect push-declared-absent
    When work that prefers push is delegated to "vendor-b"
    Then the delegation ends as completed
    And the outcome is one that the facts permit
    And "vendor-b" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-push-proven-first @rule:capability-closed-under-binding
  Scenario Outline: Whoever registers a webhook over <binding> is hung up on
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" has the defect push-endpoint-dead
    When work that requires push is delegated to "vendor-b"
    Then the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-unexercised-ignored @control:capability-lie-unused
  Scenario Outline: A lie about push over <binding> does not matter to work without it
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" has the defect push-declared-absent
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once over <binding>

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-false-is-legal @rule:capability-flag-respected @control:push-false @needs:push
  Scenario Outline: Push preferred but not offered over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares no push notifications
    When work that prefers push is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-mismatch-typed @needs:push
  Scenario Outline: Push required and not offered over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares no push notifications
    When work that requires push is delegated to "vendor-b"
    Then the delegation is refused before dispatch as capability-mismatch
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-push-proven-first @rule:capability-mismatch-typed
  Scenario Outline: The address where webhooks are registered answers <code>
    Given a peer "vendor-b" serving HTTP+JSON
    And "vendor-b" declares push notifications
    And "vendor-b" has the defect push-endpoint-405 with:
      """
      { code: <code> }
      """
    When work that requires push is delegated to "vendor-b"
    Then the caller is told of a failure
    And the outcome is one that the facts permit

    Examples:
      | code |
      | 405  |
      | 501  |

  @rule:capability-effective-remembered
  Scenario: An interface that refused webhooks is not asked again
    Given a peer "vendor-b" serving JSONRPC
    And "vendor-b" declares push notifications
    And "vendor-b" has the defect push-declared-absent
    When work that requires push is delegated to "vendor-b"
    And work that requires push is delegated to "vendor-b"
    Then the caller is told of a failure
