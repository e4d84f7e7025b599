//! The `gauntlet` binary.

fn main() -> std::process::ExitCode {
    gauntlet_cli::main()
}
