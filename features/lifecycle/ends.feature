Feature: How tasks end
  What the caller is told agrees with what the peer holds, and nothing is left behind.

  @rule:task-failure-not-answer @rule:task-truth-agrees
  Scenario Outline: Words of a failed task are no answer over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" fails saying "label: damaged"
    When work is delegated to "vendor-a"
    Then the delegation ends as failed
    And "label: damaged" is not given as an answer

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-states-distinct @control:rejected-by-peer
  Scenario Outline: A rejected task is reported as rejected over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" rejects work saying "not our product"
    When work is delegated to "vendor-a"
    Then the delegation ends as rejected

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-message-reply @control:message-reply @must
  Scenario Outline: A message is a whole answer over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" replies "label: damaged" without a task
    When work is delegated to "vendor-a"
    Then the delegation ends as completed
    And the answer is "label: damaged"

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-interrupted-not-terminal @control:input-required @must
  Scenario Outline: A question is neither success nor failure over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" asks "Which order?" before it completes
    When work is delegated to "vendor-a"
    Then the delegation ends as input-required

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-ids-server-made @rule:task-context-kept @needs:multi-turn @must
  Scenario Outline: An answer goes on with the task that asked, over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" asks "Which order?" before it completes
    When work is delegated to "vendor-a"
    And the question is answered with "4411"
    Then the delegation ends as completed
    And the answer is "done after all"

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-deadline-cancels @rule:task-no-orphans @needs:deadline|cancel
  Scenario Outline: A task that never ends is cancelled at the deadline over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" never finishes
    When work is delegated to "vendor-a"
    Then the delegation ends as timed-out
    And "vendor-a" is asked to cancel

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:capability-probe-is-synthetic @needs:probe
  Scenario Outline: A probe leaves no task open over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" never finishes
    When work that requires streaming is delegated to "vendor-a"
    Then the delegation ends as timed-out

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @must
  Scenario: A context stays with the peer that gave it
    Given a peer "vendor-a" serving JSONRPC
    And a peer "vendor-c" serving JSONRPC
    When work is delegated to "vendor-a"
    And work is delegated to "vendor-c"
    Then the delegation ends as completed

  @rule:task-truth-agrees
  Scenario Outline: A send is answered while the task is at work, over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" answers "label: damaged"
    And "vendor-a" declares no streaming
    And "vendor-a" has the defect blocking-ignored
    When work is delegated to "vendor-a"
    Then the delegation ends as completed
    And the answer is "label: damaged"
    And "vendor-a" receives the work once

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-truth-agrees @control:immediate-answer-late
  Scenario Outline: A send is answered when the task is over, whatever it asked for, over <binding>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" answers "label: damaged"
    And "vendor-a" has the defect return-immediately-ignored
    When work is delegated to "vendor-a"
    Then the delegation ends as completed
    And the answer is "label: damaged"

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
