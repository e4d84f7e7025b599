//! Features are embedded; cargo does not see new files in folders by itself.

fn main() {
    println!("cargo:rerun-if-changed=features");
    println!("cargo:rerun-if-changed=build.rs");
}
