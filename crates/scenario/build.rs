//! Embedded files are read at compile time behind the compiler's back, so new and changed ones are announced here.

use std::path::Path;

fn main() {
    watch(Path::new("scenarios"));
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
    if let Ok(entries) = std::fs::read_dir(path) {
        for entry in entries.flatten() {
            watch(&entry.path());
        }
    }
}
