//! The limits within which a driver is held.

use std::time::Duration;

/// How long is waited for a driver, and how much is taken from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StdioOptions {
    /// Seed of the run, told to the driver.
    pub seed: u64,
    /// How long a hello is waited for. A command that says none within it is remembered as one that never does.
    /// Default 10 s: interpreters start slowly.
    pub hello_timeout: Duration,
    /// What the first delegation of a process has on top of its deadline when the command says no hello, since nobody
    /// sees when it is ready. Default 2 s.
    pub start_allowance: Duration,
    /// How long an outcome is waited for after the deadline, when the delegation has been cancelled. Default 2 s.
    pub grace: Duration,
    /// How long a second outcome is listened for after the first. One that comes later is told by the next call.
    /// Default 20 ms.
    pub linger: Duration,
    /// How long `reset-done` is waited for. Default 5 s.
    pub reset_timeout: Duration,
    /// How long a process may take to exit by itself once it has closed its stdout. Default 2 s.
    pub exit_wait: Duration,
    /// Time between SIGTERM and SIGKILL. Default 500 ms.
    pub terminate_wait: Duration,
    /// Longest line taken, in bytes. Default 4 MiB.
    pub max_line: usize,
    /// Most output taken between two outcomes, in bytes. Default 16 MiB.
    pub max_output: usize,
    /// Most of stderr and chatter kept between two calls of `take_log`, in bytes. Default 64 KiB.
    pub max_log: usize,
}

impl Default for StdioOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            hello_timeout: Duration::from_secs(10),
            start_allowance: Duration::from_secs(2),
            grace: Duration::from_secs(2),
            linger: Duration::from_millis(20),
            reset_timeout: Duration::from_secs(5),
            exit_wait: Duration::from_secs(2),
            terminate_wait: Duration::from_millis(500),
            max_line: 4 << 20,
            max_output: 16 << 20,
            max_log: 64 << 10,
        }
    }
}
