Feature: Tokens are obtained for the peer, the scopes and the audience that they are needed for
  Each of these peers has a token server. An orchestrator that does not obtain tokens is given one.

  @rule:auth-sent-every-request @rule:auth-scheme-semantics @control:oauth2 @must
  Scenario Outline: A token opens the door, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" issues its own tokens
    And the caller may obtain tokens for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-scheme-semantics @rule:auth-token-not-leaked @control:oauth2-name-shared
  Scenario Outline: Two peers call it oauth2: one wants a scope, the other looks at the audience alone, over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" issues its own tokens
    And the caller may obtain tokens for "vendor-a"
    And a peer "vendor-c" serving <binding>
    And "vendor-c" issues its own tokens with:
      """
      scopes: []
      """
    And "vendor-c" has the defect auth-audience-only where audience is "shop-c"
    And the caller may obtain tokens for "vendor-c" with the audience "shop-c"
    When work is delegated to "vendor-a"
    And work is delegated to "vendor-c"
    Then the delegation ends as completed
    And "vendor-c" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-scheme-semantics
  Scenario Outline: What the card calls oauth2 is an API key, over <binding>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" has the defect oauth2-name-collision
    And the caller holds the API key "key-of-vendor-c" for "vendor-c"
    When work is delegated to "vendor-c"
    Then the delegation ends as completed
    And "vendor-c" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-ambiguous-refused
  Scenario Outline: OAuth 2.0 without a flow is not guessed at, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" issues its own tokens
    And "vendor-b" has the defect oauth2-without-flow
    And the caller may obtain tokens for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation is refused before dispatch as auth-ambiguous

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-ambiguous-refused
  Scenario Outline: A scheme that the card does not describe is not guessed at, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" has the defect scheme-undeclared
    And the caller holds the token "secret-for-b" for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation is refused before dispatch as auth-ambiguous

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-scheme-semantics
  Scenario Outline: The challenge names a scope that the card leaves out, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" issues its own tokens with:
      """
      offers: [admin]
      """
    And "vendor-b" has the defect auth-scope-required
    And the caller may obtain tokens for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-scheme-semantics
  Scenario Outline: The caller may not have the scope that the challenge names, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" issues its own tokens with:
      """
      offers: [admin]
      """
    And "vendor-b" has the defect auth-scope-required
    And the caller may obtain tokens for "vendor-b" with the scopes "work"
    When work is delegated to "vendor-b"
    Then the delegation ends as auth-required
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-refresh-keeps-scopes @needs:oauth2
  Scenario Outline: Tokens do not live as long as the work, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" issues its own tokens with:
      """
      scopes: [report, work]
      refresh: true
      """
    And "vendor-b" has the defect auth-token-short-lived
    And the caller may obtain tokens for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-403-midtask @needs:oauth2
  Scenario Outline: The token that a refresh gives may not follow the task, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" issues its own tokens with:
      """
      refresh: true
      """
    And "vendor-b" has the defect auth-403-after-refresh
    And the caller may obtain tokens for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation ends as auth-required

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-sent-every-request @needs:oauth2
  Scenario Outline: Who is turned away is not told how to come in, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" issues its own tokens
    And "vendor-b" has the defect auth-challenge-missing
    And the caller may obtain tokens for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-skill-requirements
  Scenario Outline: A skill demands a scope of its own, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" issues its own tokens
    And "vendor-b" has the skill "export" asking for the scope "export"
    And the caller may obtain tokens for "vendor-b"
    And the work asks for the skill "export"
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
