//! Any choices, as a valid card: it must be found valid.

#![no_main]

use gauntlet_card::{Draw, Edition, Options, generate_card, validate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|choices: Vec<u32>| {
    let card = generate_card(Edition::V1_0, &mut Draw::given(&choices));
    let report = validate(card.to_string().as_bytes(), &Options::default());
    assert!(report.is_valid(), "{:?}\n{card:#}", report.findings);
});
