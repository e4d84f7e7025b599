//! What shrinks keeps what was asked of it, gets no larger, and comes to an end.

use std::collections::BTreeSet;

use gauntlet_card::{Generator, Options, Severity, Shrinker, Versions, validate};
use proptest::prelude::*;
use serde_json::Value;

/// Shrinks as long as this holds; also how many candidates were looked at.
fn shrunk(document: &[u8], mut holds: impl FnMut(&[u8]) -> bool) -> (Vec<u8>, usize) {
    let mut shrinker = Shrinker::new(document);
    let mut looked = 0;
    while let Some(candidate) = shrinker.candidate() {
        looked += 1;
        if holds(candidate) {
            shrinker.keep();
        }
    }
    (shrinker.best().to_vec(), looked)
}

/// The rules that a document breaks, notes aside, and whether it is valid.
fn verdict(bytes: &[u8]) -> (bool, BTreeSet<&'static str>) {
    let report = validate(bytes, &Options::default());
    let told = report.findings.iter().filter(|finding| finding.severity != Severity::Note);
    (report.is_valid(), told.map(|finding| finding.rule).collect())
}

#[test]
fn broken_cards_keep_what_is_wrong_with_them_and_lose_the_rest() {
    let generator = Generator::new(5, Versions::Mixed, 100, &[]).unwrap();
    for index in 0..40 {
        let case = generator.case(index);
        let before = verdict(&case.bytes);
        let (least, looked) = shrunk(&case.bytes, |bytes| verdict(bytes) == before);
        assert_eq!(verdict(&least), before, "{:?}", case.mutation);
        assert!(looked < 40_000, "{:?}: {looked}", case.mutation);
        let again = shrunk(&case.bytes, |bytes| verdict(bytes) == before).0;
        assert_eq!(least, again, "{:?}", case.mutation);
        // A card that is right otherwise has its required members.
        // Cards that are too large stay so.
        let large = before.1.contains("json-size");
        assert!(large || least.len() < 700, "{:?}: {}", case.mutation, String::from_utf8_lossy(&least));
    }
}

#[test]
fn the_least_card_that_shows_something_shows_nothing_else() {
    let generator = Generator::new(1, Versions::Current, 0, &[]).unwrap();
    let grpc = |bytes: &[u8]| verdict(bytes).0 && String::from_utf8_lossy(bytes).contains("GRPC");
    let case = (0..).map(|index| generator.case(index)).find(|case| grpc(&case.bytes) && case.bytes.len() > 2000);
    let (least, _) = shrunk(&case.expect("one in thousands").bytes, grpc);
    insta::assert_snapshot!(String::from_utf8_lossy(&least));
}

#[test]
fn what_is_hardly_json_shrinks_too() {
    for (document, needle, least) in [
        (r#"{"name":"a","skills":[{"id":"b"}],"name":"a"}"#, r#""name":"a"#, r#"{"name":"a"}"#),
        ("// the card\n{\"a\":1}", "//", "// the card\n{"),
        (r#"{"a":[1,2,3"#, "[", r#""a":["#),
    ] {
        let found = shrunk(document.as_bytes(), |bytes| String::from_utf8_lossy(bytes).contains(needle)).0;
        assert_eq!(String::from_utf8_lossy(&found), least);
    }
    // The same key twice is still there twice.
    let twice = br#"{"name":"a","skills":[{"id":"b"}],"name":"a"}"#;
    let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).matches("name").count() == 2 && is_json(bytes);
    assert_eq!(String::from_utf8_lossy(&shrunk(twice, holds).0), r#"{"name":"","name":""}"#);
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Value>(bytes).is_ok()
}

proptest! {
    #[test]
    fn any_document_shrinks_to_what_holds_still(bytes in prop::collection::vec(any::<u8>(), 0..60), wanted: u8) {
        let mut document = bytes;
        document.push(wanted);
        let (least, _) = shrunk(&document, |bytes| bytes.contains(&wanted));
        prop_assert!(least.contains(&wanted) && least.len() <= document.len());
    }

    #[test]
    fn json_stays_json(seed: u64, length in 40_usize..200) {
        let card = Generator::new(seed, Versions::Current, 0, &[]).unwrap().case(0).bytes;
        let (least, _) = shrunk(&card, |bytes| is_json(bytes) && bytes.len() >= length);
        prop_assert!(is_json(&least) && least.len() >= length && least.len() <= card.len());
        // Nothing that can be tried is left that would do.
        let (again, _) = shrunk(&least, |bytes| is_json(bytes) && bytes.len() >= length);
        prop_assert_eq!(least, again);
    }
}
