Feature: Questions and answers
  A task that asks waits for its answer. Whoever answers elsewhere leaves it waiting.

  @rule:task-resume-same-id @rule:task-context-kept @control:input-required-resumable @needs:multi-turn @must
  Scenario Outline: What was made before the question is kept over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" behaves as follows:
      """
      - working
      - artifact: { name: draft, text: "a first draft" }
      - ask: Which order?
      - artifact: { name: final, text: "and the rest" }
      - complete
      """
    When work is delegated to "vendor-b"
    And the question is answered with "4411"
    Then the delegation ends as completed
    And the answer is "a first draft"
    And the answer is "and the rest"

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-interrupted-not-terminal @control:stream-closes-at-input-required @must
  Scenario Outline: A stream ends with a question over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" asks "Which order?" before it completes
    When work that prefers streaming is delegated to "vendor-b"
    Then the delegation ends as input-required

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-resume-same-id @control:stream-closes-at-input-required @needs:multi-turn @must
  Scenario Outline: A stream ends with a question over <binding>, and its answer is streamed
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" asks "Which order?" before it completes
    When work that prefers streaming is delegated to "vendor-b"
    And the question is answered with "4411"
    Then the delegation ends as completed
    And the answer is "done after all"

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-resume-same-id @needs:multi-turn @must
  Scenario Outline: The peer asks again and again, whatever it is told, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" asks "Which order?" before it completes
    And "vendor-b" has the defect input-required-forever
    When work is delegated to "vendor-b"
    And the question is answered with "4411"
    And the question is answered with "4411, as I said"
    Then the delegation ends as input-required
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-resume-fallback @needs:multi-turn
  Scenario Outline: The peer has forgotten the task that asked, over <binding>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" behaves as follows:
      """
      - when: { text: blue }
        do: [working, { artifact: { text: "a blue one" } }, complete]
      - do: [working, { ask: "Which colour?" }, complete]
      """
    And "vendor-c" has the defect input-required-drops-task
    When work is delegated to "vendor-c"
    And the question is answered with "blue"
    Then the delegation ends as completed
    And the answer is "a blue one"
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-resume-same-id @rule:task-no-orphans @needs:multi-turn @needs:deadline|cancel
  Scenario Outline: The answer begins a new task over <binding>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" behaves as follows:
      """
      - when: { text: blue }
        do: [working, { artifact: { text: "a blue one" } }, complete]
      - do: [working, { ask: "Which colour?" }, complete]
      """
    And "vendor-c" has the defect input-required-new-task
    When work is delegated to "vendor-c"
    And the question is answered with "blue"
    Then the delegation ends as completed
    And the answer is "a blue one"

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-context-kept @needs:multi-turn @must
  Scenario Outline: The context of a task changes from one answer to the next over <binding>
    Given a peer "vendor-c" serving <binding>
    And "vendor-c" asks "Which order?" before it completes
    And "vendor-c" has the defect context-id-changes
    When work is delegated to "vendor-c"
    And the question is answered with "4411"
    Then the delegation ends as completed

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
