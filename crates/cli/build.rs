//! What the binary knows of the repository it was built from: the heads of rules, which `explain` shows, and the names of
//! golden journals, which `list defects` tells. Cargo does not see new files in folders by itself.

use std::path::{Path, PathBuf};
use std::{env, fs};

const GOLDENS: &str = "../../tests/golden";

fn main() {
    for path in ["../verdict/src/rules", GOLDENS, "build.rs"] {
        println!("cargo:rerun-if-changed={path}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder")).join("goldens.rs");
    fs::write(out, format!("{:?}", goldens())).expect("the folder can be written to");
}

/// The names of the files, without their ending, in order; none where the tests are not at hand.
fn goldens() -> Vec<String> {
    let files = fs::read_dir(Path::new(GOLDENS)).into_iter().flatten().flatten();
    let name = |file: fs::DirEntry| Some(file.file_name().to_str()?.strip_suffix(".snap")?.to_owned());
    let mut names: Vec<String> = files.filter_map(name).collect();
    names.sort();
    names
}
