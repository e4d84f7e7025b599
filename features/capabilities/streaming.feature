Feature: Streaming, declared and served
  A capability on the card is a claim about every binding. Where the binding does not keep it, work that depends on it
  must not be handed over; work that does not must not be held up.

  @rule:capability-closed-under-binding @rule:capability-mismatch-typed @rule:capability-probe-is-synthetic @needs:probe
  Scenario Outline: Streaming is declared, <binding> does not implement it
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares streaming
    And "vendor-b" has the defect method-unimplemented
    When work that requires streaming is delegated to "vendor-b"
    Then the delegation is refused before dispatch as capability-mismatch
    And the refusal names streaming and <binding>
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-mismatch-terminal
  Scenario Outline: The mismatch is final over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares streaming
    And "vendor-b" has the defect streaming-declared-absent
    When work that requires streaming is delegated to "vendor-b"
    Then the caller is told of a failure

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-mismatch-typed
  Scenario Outline: Streaming is declared and refused as unsupported over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares streaming
    And "vendor-b" has the defect operation-refused where operation is "SendStreamingMessage"
    When work that requires streaming is delegated to "vendor-b"
    Then the caller is told of a failure
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-false-is-legal @rule:capability-flag-respected @control:streaming-false
  Scenario Outline: A peer without streaming is used over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" declares no streaming
    When work is delegated to "vendor-a"
    Then the delegation ends as completed
    And "vendor-a" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-false-is-legal @rule:capability-flag-respected @control:streaming-false
  Scenario Outline: Streaming preferred but not offered over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" declares no streaming
    When work that prefers streaming is delegated to "vendor-a"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-false-is-legal @control:capabilities-all-false
  Scenario Outline: A peer with no capability at all is used over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" declares no capability at all
    When work is delegated to "vendor-a"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-unexercised-ignored @control:capability-lie-unused
  Scenario Outline: A lie about streaming over <binding> does not matter to work without it
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares streaming
    And "vendor-b" has the defect method-unimplemented
    When work is delegated to "vendor-b"
    Then the delegation ends as completed
    And "vendor-b" receives the work once over <binding>

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-flag-respected
  Scenario Outline: Streaming works over <binding> although the card says it does not
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" has the defect stream-undeclared
    When work that prefers streaming is delegated to "vendor-b"
    Then the delegation ends as completed
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-discrepancy-warned
  Scenario: Streaming that the card denies is found by trying and is worth a warning
    Given a peer "vendor-b" serving JSONRPC
    And "vendor-b" has the defect stream-undeclared
    When work that requires streaming is delegated to "vendor-b"
    Then the outcome is one that the facts permit

  @rule:capability-breaker-unharmed
  Scenario Outline: What was found out over <binding> is remembered, and nothing more
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares streaming
    And "vendor-b" has the defect method-unimplemented
    When work that requires streaming is delegated to "vendor-b"
    And work is delegated to "vendor-b"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-effective-remembered
  Scenario: A peer that failed the probe is not tried again for the same
    Given a peer "vendor-b" serving GRPC
    And "vendor-b" declares streaming
    And "vendor-b" has the defect method-unimplemented
    When work that requires streaming is delegated to "vendor-b"
    And work that requires streaming is delegated to "vendor-b"
    Then the caller is told of a failure

  @rule:capability-mismatch-terminal @rule:capability-mismatch-typed
  Scenario: The address of the stream is there and takes no POST
    Given a peer "vendor-b" serving HTTP+JSON
    And "vendor-b" declares streaming
    And "vendor-b" has the defect endpoint-405
    When work that requires streaming is delegated to "vendor-b"
    Then the caller is told of a failure
    And the outcome is one that the facts permit

  @rule:capability-absent-is-unknown @control:capability-omitted
  Scenario Outline: The card says nothing of streaming over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" has the defect capability-omitted
    When work that prefers streaming is delegated to "vendor-a"
    Then the delegation ends as completed
    And "vendor-a" receives the work once over <binding>

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
