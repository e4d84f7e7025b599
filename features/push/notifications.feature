Feature: What comes to a webhook
  Notifications are lost, come late, twice and in disorder, and anybody who knows the address can send one. What a
  notification says is a reason to ask, not the answer.

  @rule:push-acknowledged @rule:push-token-unique @must @control:push
  Scenario Outline: A webhook is told of the task over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" answers "label: damaged"
    When work that requires push is delegated to "vendor-b"
    And work that prefers push is delegated to "vendor-b"
    Then the delegation ends as completed
    And the answer is "label: damaged"
    And "vendor-b" receives the work once over <binding>

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:push-idempotent @rule:artifact-equals-peer @should
  Scenario Outline: Every notification comes twice over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" answers "label: damaged" in 3 chunks
    And "vendor-b" has the defect push-duplicated
    When work that prefers push is delegated to "vendor-b"
    Then the delegation ends as completed
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:push-acknowledged @rule:task-truth-agrees
  Scenario Outline: The first notification comes last over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" answers "label: damaged"
    And "vendor-b" has the defect push-reordered
    When work that prefers push is delegated to "vendor-b"
    Then the delegation ends as completed
    And the answer is "label: damaged"
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:push-lost-recovered
  Scenario Outline: A webhook is registered and never told of anything over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" answers "label: damaged"
    And "vendor-b" has the defect push-accepted-never-sent
    When work that prefers push is delegated to "vendor-b"
    Then the delegation ends as completed
    And the answer is "label: damaged"

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:push-source-checked @rule:push-lost-recovered @must
  Scenario Outline: Notifications show a token that nobody agreed on, over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" answers "label: damaged"
    And "vendor-b" has the defect push-wrong-token
    When work that prefers push is delegated to "vendor-b"
    Then the delegation ends as completed
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:push-task-checked @rule:push-lost-recovered @must
  Scenario Outline: Notifications are about another task over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" answers "label: damaged"
    And "vendor-b" has the defect push-foreign-task
    When work that prefers push is delegated to "vendor-b"
    Then the delegation ends as completed
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-truth-agrees @needs:push
  Scenario Outline: Notifications come late over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" answers "label: damaged"
    And "vendor-b" has the defect push-late
    When work that prefers push is delegated to "vendor-b"
    Then the delegation ends as completed
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-truth-agrees @needs:push
  Scenario Outline: Notifications are those of A2A 0.3 over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" answers "label: damaged"
    And "vendor-b" has the defect push-legacy-payload
    When work that prefers push is delegated to "vendor-b"
    Then the delegation ends as completed
    And the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |

  @rule:task-failure-not-answer @needs:push
  Scenario Outline: A task fails whose webhook is never told over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" declares push notifications
    And "vendor-b" fails saying "scanner broken"
    And "vendor-b" has the defect push-accepted-never-sent
    When work that prefers push is delegated to "vendor-b"
    Then the caller is told of a failure

    Examples:
      | binding   |
      | JSONRPC   |
      | GRPC      |
      | HTTP+JSON |
