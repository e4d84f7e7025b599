//! The `gauntlet` binary once more, so that cargo builds it for the tests of this package.

fn main() -> std::process::ExitCode {
    gauntlet_cli::main()
}
