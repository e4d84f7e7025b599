//! The fleet's clock, injected so that seeded runs can be compared byte by byte.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use prost_types::Timestamp;

/// Where a stepping clock starts: 2026-01-01T00:00:00Z.
const STEPPING_EPOCH_SECONDS: u64 = 1_767_225_600;
/// How far a stepping clock moves each time it is read.
const STEP_US: u64 = 1_000;

/// Tells the time. Clones share it.
#[derive(Clone)]
pub struct Clock(Arc<Kind>);

enum Kind {
    Real { started: Instant, epoch: Duration },
    Stepping { now_us: AtomicU64 },
}

impl Clock {
    /// The machine's clock, counting from now.
    pub fn real() -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(Arc::new(Kind::Real { started: Instant::now(), epoch }))
    }

    /// A clock of its own: starts at 2026-01-01T00:00:00Z, moves a millisecond with every reading, and jumps over
    /// every wait. The same readings in the same order give the same times.
    pub fn stepping() -> Self {
        Self(Arc::new(Kind::Stepping { now_us: AtomicU64::new(0) }))
    }

    /// Microseconds since the clock began.
    pub fn now_us(&self) -> u64 {
        match &*self.0 {
            Kind::Real { started, .. } => u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            Kind::Stepping { now_us } => now_us.fetch_add(STEP_US, Ordering::Relaxed),
        }
    }

    /// The time of day, to the millisecond.
    pub fn timestamp(&self) -> Timestamp {
        let since = self.since_epoch(self.now_us());
        Timestamp {
            seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            nanos: i32::try_from(since.subsec_millis() * 1_000_000).unwrap_or_default(),
        }
    }

    /// The time of day at which the clock began.
    pub fn began(&self) -> SystemTime {
        UNIX_EPOCH + self.since_epoch(0)
    }

    /// Lets time pass at once where the clock can do so; otherwise says how long to wait for it.
    pub(crate) fn skip(&self, milliseconds: u64) -> Option<Duration> {
        match &*self.0 {
            Kind::Real { .. } => Some(Duration::from_millis(milliseconds)),
            Kind::Stepping { now_us } => {
                now_us.fetch_add(milliseconds.saturating_mul(1_000), Ordering::Relaxed);
                None
            }
        }
    }

    fn since_epoch(&self, now_us: u64) -> Duration {
        let epoch = match &*self.0 {
            Kind::Real { epoch, .. } => *epoch,
            Kind::Stepping { .. } => Duration::from_secs(STEPPING_EPOCH_SECONDS),
        };
        epoch + Duration::from_micros(now_us)
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::real()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &*self.0 {
            Kind::Real { .. } => "Clock::real",
            Kind::Stepping { .. } => "Clock::stepping",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stepping_clock_tells_the_same_times_again_and_jumps_over_waits() {
        let times = || {
            let clock = Clock::stepping();
            let first = clock.timestamp();
            assert_eq!(clock.skip(5_000), None);
            (first, clock.timestamp())
        };
        assert_eq!(times(), times());
        let (first, second) = times();
        assert_eq!(first.to_string(), "2026-01-01T00:00:00Z");
        assert_eq!(second.to_string(), "2026-01-01T00:00:05.001Z");
    }
}
