Feature: Versions of the protocol
  The version that counts is that of the interface, and the peer has the last word on it.

  @rule:version-unsupported-refused
  Scenario Outline: The only interface speaks a version that is yet to come: <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" has the defect interface-version-unsupported
    When work is delegated to "vendor-a"
    Then the delegation is refused before dispatch as version-unsupported
    And "vendor-a" is not called
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:interface-first-supported @control:interface-of-a-later-version-first @must
  Scenario Outline: An interface of a later version is listed first: <first> before <second>
    Given a peer "vendor-a" serving <first> and <second>
    And "vendor-a" has the defect interface-version-unsupported
    When work is delegated to "vendor-a"
    Then the delegation ends as completed
    And "vendor-a" receives the work once over <second>

    Examples:
      | first     | second    |
      | JSONRPC   | GRPC      |
      | GRPC      | HTTP+JSON |
      | HTTP+JSON | JSONRPC   |

  @control:agent-version @must
  Scenario Outline: The version of the agent is none of the protocol over <binding>
    Given a peer "vendor-a" serving <binding>
    And the card of "vendor-a" says:
      """
      { "version": "2.0.0" }
      """
    When work is delegated to "vendor-a"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:version-error-handled
  Scenario Outline: An interface does not speak the version that the card says over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" has the defect version-rejected
    When work is delegated to "vendor-b"
    Then the caller is told of a failure

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:version-error-handled @rule:interface-fallback @should
  Scenario Outline: The first interface does not speak the version: <first> before <second>
    Given a peer "vendor-b" serving <first> and <second>
    And "vendor-b" has the defect version-rejected on <first>
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once over <second>

    Examples:
      | first     | second    |
      | JSONRPC   | HTTP+JSON |
      | GRPC      | JSONRPC   |
      | HTTP+JSON | GRPC      |
