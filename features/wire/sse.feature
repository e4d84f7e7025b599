Feature: Framing of events
  Server-sent events leave the sender many liberties. Whoever reads streams takes all of them alike.

  @rule:stream-sse-parsed @control:sse-framing @must
  Scenario Outline: Events framed otherwise say the same over <binding>: <defect>
    Given a peer "vendor-a" serving <binding>
    And "vendor-a" answers "Etikett: beschädigt – zurück an Händler №7" in 3 chunks
    And "vendor-a" has the defect <defect>
    When work that prefers streaming is delegated to "vendor-a"
    Then the delegation ends as completed
    And the answer is "Etikett: beschädigt – zurück an Händler №7"
    And "vendor-a" receives the work once over <binding>

    Examples:
      | defect             | binding   |
      | sse-crlf           | JSONRPC   |
      | sse-crlf           | HTTP+JSON |
      | sse-cr             | JSONRPC   |
      | sse-cr             | HTTP+JSON |
      | sse-comments       | JSONRPC   |
      | sse-comments       | HTTP+JSON |
      | sse-multiline-data | JSONRPC   |
      | sse-multiline-data | HTTP+JSON |
      | sse-no-space       | JSONRPC   |
      | sse-no-space       | HTTP+JSON |
      | sse-split-utf8     | JSONRPC   |
      | sse-split-utf8     | HTTP+JSON |
      | sse-bom            | JSONRPC   |
      | sse-bom            | HTTP+JSON |
      | sse-event-names    | JSONRPC   |
      | sse-event-names    | HTTP+JSON |

  @rule:task-truth-agrees
  Scenario Outline: The last event lacks its blank line over <binding>
    Given a peer "vendor-b" serving <binding>
    And "vendor-b" answers "label: damaged" in 2 chunks
    And "vendor-b" has the defect sse-no-final-blank-line
    When work that prefers streaming is delegated to "vendor-b"
    Then the outcome is one that the facts permit

    Examples:
      | binding   |
      | JSONRPC   |
      | HTTP+JSON |
