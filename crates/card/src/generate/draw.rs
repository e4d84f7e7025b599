//! Where generated cards get their choices from. A choice is a number below a bound, and 0 is always the simplest one: so
//! the same builders serve seeded generation, which draws, and shrinking strategies, which are given the choices.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::Rng;

/// A source of choices. The same source gives the same choices on every machine.
#[derive(Debug, Clone)]
pub struct Draw<'a> {
    source: Source<'a>,
}

#[derive(Debug, Clone)]
enum Source<'a> {
    Seeded(Pcg32),
    Given(std::slice::Iter<'a, u32>),
}

impl<'a> Draw<'a> {
    /// Choices of a seed; `index` tells apart what is generated under one seed.
    pub fn seeded(seed: u64, index: u64) -> Self {
        // Each index has a stream of its own, and begins elsewhere in it.
        let state = seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut generator = Pcg32::new(state, index);
        // Seeds that differ in few bits begin alike.
        for _ in 0..4 {
            generator.next_u32();
        }
        Self { source: Source::Seeded(generator) }
    }

    /// Choices that are given; once they are used up, every choice is the simplest.
    pub fn given(choices: &'a [u32]) -> Self {
        Self { source: Source::Given(choices.iter()) }
    }

    /// A number below a bound, which is at least 1.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        match &mut self.source {
            // All of the range is reached, and evenly enough.
            Source::Seeded(generator) => ((u64::from(generator.next_u32()) * u64::from(bound)) >> 32) as u32,
            Source::Given(choices) => choices.next().map_or(0, |choice| choice % bound.max(1)),
        }
    }

    /// An index of something of this length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.below(u32::try_from(length).unwrap_or(u32::MAX).max(1)) as usize
    }

    /// A number between two, both included.
    pub(crate) fn between(&mut self, least: u32, most: u32) -> u32 {
        least + self.below(most - least + 1)
    }

    /// Yes in so many of a hundred cases; no is the simplest.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) >= 100 - percent
    }

    /// One of several, of which there is at least one.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.index(of.len())]
    }
}
