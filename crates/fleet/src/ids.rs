//! Ids that servers make: opaque to clients, and the same again under the same seed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes the ids of one peer. Peers of different names never make the same one.
#[derive(Debug)]
pub(crate) struct Ids {
    peer: u64,
    made: AtomicU64,
}

impl Ids {
    pub(crate) fn new(seed: u64, peer: &str) -> Self {
        // `DefaultHasher::new` has fixed keys, so the result depends on seed and name alone.
        let mut hasher = DefaultHasher::new();
        (seed, peer).hash(&mut hasher);
        Self { peer: hasher.finish(), made: AtomicU64::new(0) }
    }

    /// A new id that says what it names, such as `task-5f0c93d21ab4`.
    pub(crate) fn next(&self, what: &str) -> String {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        format!("{what}-{:012x}", mix(self.peer ^ mix(number)) >> 16)
    }
}

/// One round of SplitMix64: spreads neighbouring numbers over the whole range.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_repeat_under_a_seed_and_differ_otherwise() {
        let first = |seed, peer| Ids::new(seed, peer).next("task");
        assert_eq!(first(1, "a"), first(1, "a"));
        assert_ne!(first(1, "a"), first(2, "a"));
        assert_ne!(first(1, "a"), first(1, "b"));
        let ids = Ids::new(7, "a");
        let made: HashSet<_> = (0..10_000).map(|_| ids.next("task")).collect();
        assert_eq!(made.len(), 10_000);
    }
}
