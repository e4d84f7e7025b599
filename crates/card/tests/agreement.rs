//! The validator and the generator know the same rules: what the one breaks, the other finds, there and nowhere else.
//!
//! `GAUNTLET_CARDS` sets how many cards each seed gives (1000 without it).

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_card::{Case, Edition, Finding, Generator, Mutation, Options, Rule, Severity, Versions, validate};

fn count() -> u64 {
    std::env::var("GAUNTLET_CARDS").map_or(1000, |count| count.parse().expect("GAUNTLET_CARDS is a number"))
}

/// Notes of other rules do not count: they hold of valid cards too.
fn telling<'f>(findings: &'f [Finding], rule: Option<&str>) -> Vec<&'f Finding> {
    let counts = |finding: &&Finding| finding.severity != Severity::Note || Some(finding.rule) == rule;
    findings.iter().filter(counts).collect()
}

/// What is wrong with the verdict on a case; nothing where it is as expected.
fn disagreement(case: &Case) -> Option<String> {
    let report = validate(&case.bytes, &Options::default());
    let rule = case.expected.as_ref().map(|expected| expected.rule);
    let found = telling(&report.findings, rule);
    let agree = match (&case.expected, found.as_slice()) {
        (None, []) => true,
        (Some(expected), [finding, rest @ ..]) => {
            // A note may be true of other places of the card as well.
            let alone = rest.is_empty() || expected.severity == Severity::Note;
            let fits = |finding: &&Finding| {
                (finding.layer, finding.rule, &finding.pointer, finding.severity)
                    == (expected.layer, expected.rule, &expected.pointer, expected.severity)
            };
            alone && (fits(finding) || (expected.severity == Severity::Note && found.iter().any(fits)))
        }
        _ => false,
    };
    let edition = match case.edition {
        // What cannot be read has no edition, and residue makes a hybrid.
        Edition::V1_0 => report.edition.is_none_or(Edition::is_current),
        other => report.edition.is_none_or(|edition| edition == other),
    };
    (!agree || !edition).then(|| {
        let document: String = String::from_utf8_lossy(&case.bytes).chars().take(3000).collect();
        format!(
            "card {} of seed {} ({:?}): expected {:?}, found {found:#?} as {:?}\n{document}",
            case.index, case.seed, case.mutation, case.expected, report.edition
        )
    })
}

#[test]
fn generated_cards_get_the_verdict_they_were_made_for() {
    for (seed, invalid) in [(1, 50), (7, 80), (20_261_110, 20)] {
        let generator = Generator::new(seed, Versions::Mixed, invalid, &[]).unwrap();
        let wrong: Vec<String> = (0..count()).filter_map(|index| disagreement(&generator.case(index))).collect();
        assert!(wrong.is_empty(), "{} of {} disagree, the first: {}", wrong.len(), count(), wrong[0]);
    }
}

/// Every mutation, on several cards.
#[test]
fn every_mutation_breaks_its_rule_and_no_other() {
    let mut wrong: BTreeMap<String, String> = BTreeMap::new();
    for rule in Rule::all().filter(|rule| Mutation::all().any(|mutation| mutation.rule.id == rule.id)) {
        let generator = Generator::new(3, Versions::Mixed, 100, &[rule.id.to_owned()]).unwrap();
        for index in 0..20 {
            let case = generator.case(index);
            if let Some(disagreement) = disagreement(&case) {
                wrong.insert(case.mutation.unwrap_or_default(), disagreement);
            }
        }
    }
    let names: Vec<&String> = wrong.keys().collect();
    assert!(wrong.is_empty(), "{names:?}\n{}", wrong.values().cloned().collect::<Vec<_>>().join("\n\n"));
}

/// Those that no single card can break: what they need is said beside them.
const NOT_BY_A_CARD: [&str; 10] = [
    "schema-bytes",
    "schema-time",
    "required",
    "schema-file",
    "signature-verifies",
    "capability-allows",
    "fleet-skill-id",
    "fleet-agent-name",
    "fleet-version-drift",
    "fleet-scheme-meaning",
];

#[test]
fn every_rule_is_whole_and_has_a_mutation() {
    let mut ids = BTreeSet::new();
    for rule in Rule::all() {
        assert!(ids.insert(rule.id), "{} is there twice", rule.id);
        for words in [rule.statement, rule.why, rule.fix, rule.source] {
            assert!(!words.is_empty(), "{} is not told in full", rule.id);
        }
        let broken = Mutation::all().any(|mutation| mutation.rule.id == rule.id);
        assert_eq!(broken, !NOT_BY_A_CARD.contains(&rule.id), "{}", rule.id);
    }
    let names: BTreeSet<String> = Mutation::all().map(|mutation| mutation.name()).collect();
    assert_eq!(names.len(), Mutation::all().count(), "mutations have names of their own");
}

#[test]
fn every_place_of_a_series_is_another_card() {
    let generator = Generator::new(1, Versions::Current, 0, &[]).unwrap();
    let cards: BTreeSet<Vec<u8>> = (0..200).map(|index| generator.case(index).bytes).collect();
    // The smallest ones may come twice.
    assert!(cards.len() > 190, "{}", cards.len());
}

#[test]
fn every_broken_card_has_a_valid_twin() {
    let generator = Generator::new(1, Versions::Mixed, 50, &[]).unwrap();
    for index in 0..100 {
        let (case, twin) = (generator.case(index), generator.twin(index));
        assert_eq!((twin.is_valid(), disagreement(&twin), twin.edition), (true, None, case.edition));
        assert_eq!(case == twin, case.expected.is_none(), "{:?}", case.mutation);
    }
}

#[test]
fn same_seed_same_bytes() {
    // FNV-1a over a series: the number is the same on every machine, and changes only when the generator does.
    let generator = Generator::new(42, Versions::Mixed, 30, &[]).unwrap();
    let again = generator.clone();
    let hash = |generator: &Generator| {
        (0..50)
            .flat_map(|index| generator.case(index).bytes)
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    };
    assert_eq!(hash(&generator), hash(&again));
    insta::assert_snapshot!(format!("{:016x}", hash(&generator)));
}

#[test]
fn valid_cards_reach_every_member_and_every_oneof() {
    let mut pointers = BTreeSet::new();
    for index in 0..2000 {
        let mut draw = gauntlet_card::Draw::seeded(5, index);
        collect(&gauntlet_card::generate_card(Edition::V1_0, &mut draw), &mut pointers);
    }
    let bundle = gauntlet_card::bundle();
    let mut wanted = BTreeSet::new();
    let mut shapes = vec!["AgentCard".to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(shape) = shapes.pop() {
        let properties = bundle["$defs"][&shape]["properties"].as_object().expect("a shape");
        for (name, schema) in properties {
            wanted.insert(name.clone());
            let text = schema.to_string();
            let referred =
                text.split("#/$defs/").skip(1).map(|rest| rest.split('"').next().expect("a name").to_owned());
            shapes.extend(referred.filter(|shape| seen.insert(shape.clone())));
        }
    }
    let missed: Vec<&String> = wanted.difference(&pointers).collect();
    assert!(missed.is_empty(), "no card has {missed:?}");
}

fn collect(value: &serde_json::Value, into: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(members) => members.iter().for_each(|(key, value)| {
            into.insert(key.clone());
            collect(value, into);
        }),
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        _ => {}
    }
}

/// The layer and the bundle that is printed are one and the same.
#[test]
fn layer_schema_says_what_the_printed_bundle_says() {
    let bundle = gauntlet_card::bundle();
    let schema = serde_json::json!({ "$ref": "#/$defs/AgentCard", "$defs": bundle["$defs"] });
    let validator = jsonschema::validator_for(&schema).expect("the bundle is a schema");
    let generator = Generator::new(11, Versions::Current, 60, &[]).unwrap();
    for index in 0..count() {
        let case = generator.case(index);
        let report = validate(&case.bytes, &Options::default());
        let Ok(document) = serde_json::from_slice(&case.bytes) else { continue };
        let other = report.findings.iter().any(|finding| finding.rule == "document-kind");
        if report.parsed && !other {
            let ours = report.passes(gauntlet_card::Layer::Schema);
            assert_eq!(ours, validator.is_valid(&document), "{:?} {document:#}", case.mutation);
        }
    }
    assert!(
        !jsonschema::validator_for(&bundle).expect("a schema").is_valid(&serde_json::json!({})),
        "the root passes nothing"
    );
}
