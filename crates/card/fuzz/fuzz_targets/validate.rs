//! Any bytes, as a card and as a payload. Seeds: `scenarios/cards`.

#![no_main]

use gauntlet_card::{Card, Options, Purpose, migrate, validate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for purpose in [Purpose::Publish, Purpose::Consume] {
        for kind in ["AgentCard", "Task"] {
            let report = validate(bytes, &Options { kind: kind.into(), ..Options::new(purpose) });
            for finding in &report.findings {
                assert!(finding.span.end <= bytes.len().max(1));
            }
        }
    }
    _ = migrate(bytes, &Options::default());
    _ = Card::parse(bytes);
});
