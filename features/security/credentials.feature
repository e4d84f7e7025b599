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

  @rule:auth-sent-every-request @control:api-key @must
  Scenario Outline: An API key goes into the header that the card names, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" asks for an API key in the header "X-Vendor-Key"
    And the caller holds the API key "key-of-vendor-b" for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-sent-every-request @control:basic @must
  Scenario Outline: A name and a password go into the Authorization header, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" asks for a name and a password
    And the caller holds the name "ann" and the password "secret-of-ann" for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-sent-every-request @control:one-of-two @must
  Scenario: The second of two ways in is taken where the caller holds nothing for the first
    Given a peer "vendor-b" serving JSONRPC
    And the card of "vendor-b" says:
      """
      {
        "securitySchemes": {
          "key": { "apiKeySecurityScheme": { "location": "header", "name": "X-Vendor-Key" } },
          "token": { "httpAuthSecurityScheme": { "scheme": "Bearer" } }
        },
        "securityRequirements": [{ "schemes": { "key": { "list": [] } } }, { "schemes": { "token": { "list": [] } } }]
      }
      """
    And the caller holds the token "secret-for-b" for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation ends as completed

  @rule:auth-sent-every-request @control:both-at-once @must
  Scenario: All that one requirement names is shown at once
    Given a peer "vendor-b" serving JSONRPC
    And the card of "vendor-b" says:
      """
      {
        "securitySchemes": {
          "key": { "apiKeySecurityScheme": { "location": "header", "name": "X-Vendor-Key" } },
          "token": { "httpAuthSecurityScheme": { "scheme": "Bearer" } }
        },
        "securityRequirements": [{ "schemes": { "key": { "list": [] }, "token": { "list": [] } } }]
      }
      """
    And the caller holds the token "secret-for-b" for "vendor-b"
    And the caller holds the API key "key-of-vendor-b" for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation ends as completed

  @rule:interface-no-fallback-on-auth
  Scenario Outline: Who is not let in does not walk on to the next interface: <first> before <second>
    Given a peer "vendor-b" serving <first> and <second>
    And "vendor-b" asks for a bearer token
    And "vendor-b" has the defect auth-unauthenticated on <first>
    And the caller holds the token "secret-for-b" for "vendor-b"
    When work is delegated to "vendor-b"
    Then the delegation ends as auth-required

    Examples:
      | first     | second    |
      | JSONRPC   | GRPC      |
      | GRPC      | HTTP+JSON |
      | HTTP+JSON | JSONRPC   |

  @rule:auth-403-midtask @needs:multi-turn
  Scenario Outline: Nobody may follow the task, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" asks "which order?" before it completes
    And "vendor-b" has the defect auth-403-follow-up
    When work is delegated to "vendor-b"
    And the question is answered with "order 4411"
    Then the delegation ends as auth-required

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:auth-in-task @should @needs:multi-turn
  Scenario Outline: A task asks for credentials on its way, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" asks for credentials saying "sign in at the desk" before it completes
    When work is delegated to "vendor-b"
    And the question is answered with "signed in as ann"
    And work is delegated to "vendor-b"
    Then the delegation ends as auth-required

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:card-origin-respected @needs:cross-origin @multi-origin
  Scenario Outline: The card points to an origin that the credentials are not meant for, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" serves <binding> at another origin
    And "vendor-b" asks for a bearer token
    And the caller holds the token "secret-for-b" for "vendor-b"
    And the credentials for "vendor-b" are meant for the origin of its card alone
    When work is delegated to "vendor-b"
    Then the delegation is refused before dispatch as auth-unsatisfied

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-unexercised-ignored @control:extended-card-unused
  Scenario Outline: An extended card that was never set up is not missed, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" has the defect extended-card-unconfigured
    When work is delegated to "vendor-b"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
