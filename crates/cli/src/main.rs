//! The `gauntlet` binary.

/// Peers allocate on many threads what a journal keeps for long; the usual allocators spend a fifth of the time on it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    gauntlet_cli::main()
}
