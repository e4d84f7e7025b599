//! Documents that mean no good: whatever they are, they are judged in bounded time, with places that exist.

use gauntlet_card::strategies;
use gauntlet_card::{Draw, Edition, Layer, Options, Purpose, Report, Severity, validate};
use proptest::prelude::*;
use serde_json::Value;

/// What must hold of every report on every document.
fn sound(bytes: &[u8], options: &Options) -> Result<Report, TestCaseError> {
    let report = validate(bytes, options);
    prop_assert!(report.findings.len() <= 2 * options.max_findings);
    for finding in &report.findings {
        prop_assert!(finding.span.start <= finding.span.end && finding.span.end <= bytes.len().max(1), "{finding:?}");
        prop_assert!(finding.pointer.is_empty() || finding.pointer.starts_with('/'), "{finding:?}");
        prop_assert!(!finding.message.is_empty() && !finding.help.is_empty(), "{finding:?}");
        if let Ok(text) = std::str::from_utf8(bytes) {
            prop_assert!(
                text.is_char_boundary(finding.span.start) && text.is_char_boundary(finding.span.end),
                "{finding:?}"
            );
        }
    }
    let sorted = report.findings.is_sorted_by_key(|finding| finding.layer);
    prop_assert!(sorted);
    prop_assert_eq!(report.parsed, report.passes(Layer::Schema) || report.parsed);
    // As JSON it can be written, too.
    prop_assert!(report.to_json("x").is_object());
    Ok(report)
}

fn everywhere(bytes: &[u8]) -> Result<(), TestCaseError> {
    for purpose in [Purpose::Publish, Purpose::Consume] {
        for kind in ["AgentCard", "Task", "StreamResponse"] {
            sound(bytes, &Options { kind: kind.into(), ..Options::new(purpose) })?;
        }
        sound(bytes, &Options { edition: Some(Edition::V0_3), max_findings: 3, ..Options::new(purpose) })?;
    }
    _ = gauntlet_card::migrate(bytes, &Options::default());
    _ = gauntlet_card::Card::parse(bytes);
    Ok(())
}

proptest! {
    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        everywhere(&bytes)?;
    }

    #[test]
    fn cards_with_bytes_changed(
        choices in prop::collection::vec(any::<u32>(), 0..200),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6),
    ) {
        let mut bytes = gauntlet_card::generate_card(Edition::V1_0, &mut Draw::given(&choices)).to_string().into_bytes();
        for (at, byte, how) in edits {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => _ = bytes.remove(at),
            }
        }
        everywhere(&bytes)?;
    }

    /// Any value in any place.
    #[test]
    fn cards_with_values_swapped(card in strategies::card(), from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>()) {
        let mut places = Vec::new();
        pointers(&card, String::new(), &mut places);
        let (from, to): (&String, &String) = (from.get(&places), to.get(&places));
        let value = card.pointer(from).cloned().unwrap_or_default();
        let mut card = card;
        if let Some(slot) = card.pointer_mut(to) {
            *slot = value;
        }
        everywhere(card.to_string().as_bytes())?;
    }

    #[test]
    fn valid_cards_are_valid_for_both(card in strategies::card()) {
        for purpose in [Purpose::Publish, Purpose::Consume] {
            let report = sound(card.to_string().as_bytes(), &Options::new(purpose))?;
            prop_assert!(report.findings.iter().all(|finding| finding.severity == Severity::Note), "{:?}", report.findings);
        }
        // And what a caller reads of them is what they say.
        let read = gauntlet_card::Card::parse(card.to_string().as_bytes());
        let read = read.map_err(|problem| TestCaseError::fail(problem.to_string()))?;
        prop_assert_eq!(read.interfaces.len(), card["supportedInterfaces"].as_array().map_or(0, Vec::len));
    }

    #[test]
    fn broken_cards_shrink_to_what_is_wrong(broken in strategies::broken_card()) {
        let report = sound(&broken.bytes, &Options::default())?;
        let told = report.findings.iter().any(|finding| {
            (finding.rule, &finding.pointer) == (broken.expected.rule, &broken.expected.pointer)
        });
        prop_assert!(told, "{}: {:?}", broken.mutation, report.findings);
    }
}

fn pointers(value: &Value, at: String, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            pointers(member, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), into);
        }),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| pointers(item, format!("{at}/{index}"), into));
        }
        _ => {}
    }
    into.push(at);
}

/// Documents of a size that is legal, made to be slow.
#[test]
fn large_documents_end_soon() {
    let many = |what: &str, count: usize| vec![what; count].join(",");
    let keys: String = (0..60_000).map(|index| format!("\"k{index}\":1,")).collect();
    for document in [
        format!("{{\"skills\":[{}]}}", many("{}", 200_000)),
        format!("{{\"skills\":[{}]}}", many("{\"id\":\"a\",\"tags\":[\"x\",\"x\"]}", 30_000)),
        format!("{{{keys}\"name\":\"a\",\"version\":\"1\"}}"),
        format!("{{\"supportedInterfaces\":[{}]}}", many("{\"url\":\"https://a\",\"protocolBinding\":\"x\"}", 20_000)),
        format!("{{\"skills\":{}{}}}", "[".repeat(127), "]".repeat(127)),
        format!("{{\"name\":\"{}\",\"skills\":[]}}", "\\u00e9".repeat(150_000)),
    ] {
        assert!(document.len() <= 1 << 20, "{}", document.len());
        let begin = std::time::Instant::now();
        let report = validate(document.as_bytes(), &Options::default());
        assert!(report.parsed && !report.is_valid());
        assert!(begin.elapsed().as_secs() < 20, "{:?} for {}", begin.elapsed(), &document[..40]);
    }
}
