Feature: Choosing an interface
  The card orders its interfaces; the first that both sides speak is the one to use, and the next one when it is dead.

  @rule:interface-first-supported @control:interface-order-grpc-first @must
  Scenario Outline: The first interface both sides speak is used: <first> before <second>
    Given a peer "vendor-a" serving <first> and <second>
    When work is delegated to "vendor-a"
    Then the delegation ends as completed
    And "vendor-a" receives the work once over <first>

    Examples:
      | first     | second    |
      | JSONRPC   | GRPC      |
      | GRPC      | JSONRPC   |
      | HTTP+JSON | JSONRPC   |
      | JSONRPC   | HTTP+JSON |

  @rule:interface-fallback @should
  Scenario Outline: Nothing listens at the first interface: <first> before <second>
    Given a peer "vendor-b" serving <first> and <second>
    And "vendor-b" has the defect interface-refused on <first>
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once over <second>

    Examples:
      | first     | second    |
      | JSONRPC   | GRPC      |
      | GRPC      | JSONRPC   |
      | HTTP+JSON | GRPC      |
      | JSONRPC   | HTTP+JSON |
      | GRPC      | HTTP+JSON |
      | HTTP+JSON | JSONRPC   |

  @rule:interface-fallback @should
  Scenario Outline: Another server answers 415 at the first interface: <first> before <second>
    Given a peer "vendor-b" serving <first> and <second>
    And "vendor-b" has the defect http-status with:
      """
      { code: 415, when: { binding: <first> } }
      """
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once over <second>

    Examples:
      | first     | second    |
      | JSONRPC   | GRPC      |
      | JSONRPC   | HTTP+JSON |
      | GRPC      | HTTP+JSON |
      | HTTP+JSON | GRPC      |
      | HTTP+JSON | JSONRPC   |

  @rule:interface-first-supported @control:custom-binding-listed-first @must
  Scenario Outline: A binding that nobody speaks is listed before <first> and <second>
    Given a peer "vendor-a" serving <first> and <second>
    And "vendor-a" has the defect custom-binding-listed-first
    When work is delegated to "vendor-a"
    Then the delegation ends as completed
    And "vendor-a" receives the work once over <first>

    Examples:
      | first     | second    |
      | JSONRPC   | GRPC      |
      | GRPC      | HTTP+JSON |
      | HTTP+JSON | JSONRPC   |

  @rule:interface-fallback @should
  Scenario Outline: gRPC answers UNIMPLEMENTED to everything, <second> works
    Given a peer "vendor-b" serving GRPC and <second>
    And "vendor-b" has the defect service-unregistered
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once over <second>

    Examples:
      | second    |
      | JSONRPC   |
      | HTTP+JSON |

  @rule:interface-fallback @should
  Scenario Outline: <first> implements nothing at all, <second> works
    Given a peer "vendor-b" serving <first> and <second>
    And "vendor-b" has the defect nothing-implemented on <first>
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once over <second>

    Examples:
      | first     | second    |
      | JSONRPC   | GRPC      |
      | JSONRPC   | HTTP+JSON |
      | HTTP+JSON | GRPC      |
      | HTTP+JSON | JSONRPC   |

  @rule:interface-fallback @should
  Scenario Outline: Of two interfaces over <binding> the first is out of service
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" also serves <binding> below "/second"
    And "vendor-b" has the defect first-interface-dead
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once over <binding>

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:interface-choice-remembered
  Scenario: A dead interface is not tried first again
    Given a peer "vendor-b" serving GRPC and JSONRPC
    And "vendor-b" has the defect service-unregistered
    When work is delegated to "vendor-b"
    And work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once over JSONRPC

  @rule:interface-mismatch-typed
  Scenario: A service that is not registered is an interface mismatch
    Given a peer "vendor-b" serving GRPC
    And "vendor-b" has the defect service-unregistered
    When work is delegated to "vendor-b"
    Then the caller is told of a failure
    And the reason is interface-mismatch

  @rule:interface-mismatch-typed
  Scenario Outline: An interface that implements nothing is an interface mismatch, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" has the defect nothing-implemented
    When work is delegated to "vendor-b"
    Then the caller is told of a failure
    And the reason is interface-mismatch

    Examples:
      | binding   |
      | JSONRPC   |
      | HTTP+JSON |

  @rule:interface-fallback @should
  Scenario: Streaming is missing on gRPC and works on JSONRPC
    Given a peer "vendor-b" serving GRPC and JSONRPC
    And "vendor-b" declares streaming
    And "vendor-b" has the defect method-unimplemented on GRPC
    When work that requires streaming is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once over JSONRPC

  @rule:interface-none-shared
  Scenario Outline: No interface is shared where <binding> goes by another name
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" has the defect binding-unknown
    When work is delegated to "vendor-a"
    Then the delegation is refused before dispatch as no-shared-interface
    And "vendor-a" is not called

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:interface-pinned-absent
  Scenario Outline: The only binding allowed is <allowed>, the card lists <served>
    Given a peer "vendor-a" serving <served>
    And the work may only go over <allowed>
    When work is delegated to "vendor-a"
    Then the delegation is refused before dispatch as no-shared-interface
    And "vendor-a" is not called

    Examples:
      | served  | allowed   |
      | JSONRPC | GRPC      |
      | GRPC    | HTTP+JSON |

  @needs:multi-peer
  Scenario: The second peer takes the work when the first is not there
    Given a peer "vendor-b" serving JSONRPC
    And a peer "vendor-a" serving JSONRPC
    And "vendor-b" has the defect interface-refused
    When work is delegated to "vendor-b" or else "vendor-a"
    Then the delegation ends as completed
    And "vendor-a" receives the work once

  @rule:interface-fallback @should
  Scenario: What is listed for gRPC is a JSON-RPC server
    Given a peer "vendor-b" serving GRPC and JSONRPC
    And "vendor-b" has the defect grpc-on-jsonrpc-port
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once over JSONRPC

  @rule:interface-mismatch-typed
  Scenario: A JSON-RPC server where gRPC should be is an interface mismatch
    Given a peer "vendor-b" serving GRPC
    And "vendor-b" has the defect grpc-on-jsonrpc-port
    When work is delegated to "vendor-b"
    Then the caller is told of a failure
    And the reason is interface-mismatch

  @rule:version-header-sent
  Scenario Outline: A gateway answers every call over <binding> with 503
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" has the defect http-status
    When work is delegated to "vendor-b"
    Then the caller is told of a failure
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
