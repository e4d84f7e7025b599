//! What `--out` keeps.

use crate::support::{folder, gauntlet_in, reports};

#[test]
fn each_scenario_has_its_evidence() {
    let folder = folder(&[]);
    let out = folder.path().join("out");
    gauntlet_in(folder.path(), &["run", "--tags", "@control", "--out", "out"]).ends_with(0);
    assert!(!reports(&out).is_empty());
}
