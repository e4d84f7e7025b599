//! Any choices, as a valid card: it must be found valid.

#![no_main]

use gauntlet_card::{Draw, Edition, Options, generate_card, validate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|choices: Vec<u32>| {
    for edition in [Edition::V1_0, Edition::V0_3] {
        let card = generate_card(edition, &mut Draw::given(&choices)).to_string();
        let report = validate(card.as_bytes(), &Options::default());
        assert!(report.is_valid(), "{:?}\n{card}", report.findings);
    }
});
