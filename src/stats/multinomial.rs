//! How often each unit is drawn in a resample, without drawing one unit after the other.
//!
//! The units are cut into blocks of [`BLOCK`], the leaves of a binary tree that is filled up to a
//! power of two. How many of n draws go to the left half of a node is a sum of n fair bits, so 64
//! draws are split by one random word. Inside a block the draws are made one by one, in counters
//! that fit the fastest cache. Draws that fall on the fill are made again. The counts are
//! multinomial exactly.

use super::rng::Stream;

/// Bits of an index in a block.
const BITS: u64 = 12;
pub const BLOCK: usize = 1 << BITS;
/// Indices that are cut from one word.
const A_WORD: u64 = 64 / BITS;

/// As many draws as there are units, dealt out to the blocks. They are made block after block.
pub struct Dealt {
    stream: Stream,
    /// Draws of each whole block.
    whole: Vec<u64>,
    /// Counts of the units behind the last whole block, which are drawn at once: only then is it
    /// known how many draws fell on the fill.
    tail: Vec<u8>,
}

impl Dealt {
    pub fn new(stream: Stream, units: usize) -> Self {
        let mut dealt = Dealt { stream, whole: vec![0; units / BLOCK], tail: vec![0; units % BLOCK] };
        let blocks = units.div_ceil(BLOCK).next_power_of_two();
        let mut again = units as u64;
        while again > 0 {
            again = dealt.deal(0, blocks, again);
        }
        dealt
    }

    /// Deals `draws` out to a node of the tree, and says how many fell on the fill.
    fn deal(&mut self, first: usize, blocks: usize, draws: u64) -> u64 {
        if first * BLOCK >= self.units() || draws == 0 {
            return draws;
        }
        if blocks > 1 {
            let (half, to_left) = (blocks / 2, fair_bits(&mut self.stream, draws));
            return self.deal(first, half, to_left) + self.deal(first + half, half, draws - to_left);
        }
        match self.whole.get_mut(first) {
            Some(block) => {
                *block += draws;
                0
            }
            None => self.draw_tail(draws),
        }
    }

    fn units(&self) -> usize {
        self.whole.len() * BLOCK + self.tail.len()
    }

    fn draw_tail(&mut self, draws: u64) -> u64 {
        let (tail, mut fell) = (&mut self.tail, 0);
        each_index(&mut self.stream, draws, |index| match tail.get_mut(index % BLOCK) {
            Some(unit) => *unit += 1,
            None => fell += 1,
        });
        fell
    }

    /// How often each unit of a block was drawn. Blocks are asked for in order, each once.
    ///
    /// A counter of one byte is enough: that one of thousands of units comes up 256 times in as
    /// many draws has a probability below 1e-500.
    pub fn counts(&mut self, block: usize, counts: &mut [u8; BLOCK]) {
        counts.fill(0);
        match self.whole.get(block) {
            Some(draws) => each_index(&mut self.stream, *draws, |index| counts[index % BLOCK] += 1),
            None => counts[..self.tail.len()].copy_from_slice(&self.tail),
        }
    }
}

/// A sum of `draws` fair bits: binomial with a probability of one half.
fn fair_bits(stream: &mut Stream, draws: u64) -> u64 {
    let mut sum = 0;
    stream.words(draws / 64, |word| sum += u64::from(word.count_ones()));
    match draws % 64 {
        0 => sum,
        rest => sum + u64::from((stream.next_u64() >> (64 - rest)).count_ones()),
    }
}

/// Hands out `draws` indices, to be taken modulo [`BLOCK`].
fn each_index(stream: &mut Stream, draws: u64, mut take: impl FnMut(usize)) {
    stream.words(draws / A_WORD, |word| (0..A_WORD).for_each(|i| take((word >> (i * BITS)) as usize)));
    if !draws.is_multiple_of(A_WORD) {
        let word = stream.next_u64();
        (0..draws % A_WORD).for_each(|i| take((word >> (i * BITS)) as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::rng::Purpose;

    fn drawn(units: usize, resample: u64) -> Vec<u8> {
        let mut dealt = Dealt::new(Stream::new(5, Purpose::Resample, resample), units);
        let (mut found, mut block) = (Vec::new(), [7; BLOCK]);
        for i in 0..units.div_ceil(BLOCK) {
            dealt.counts(i, &mut block);
            found.extend_from_slice(&block[..BLOCK.min(units - i * BLOCK)]);
        }
        found
    }

    #[test]
    fn as_many_draws_as_units_whatever_the_fill() {
        for units in [1, 2, 1_000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 4 * BLOCK, 4 * BLOCK + 1, 100_000]
        {
            let total: u64 = drawn(units, 3).iter().map(|drawn| u64::from(*drawn)).sum();
            assert_eq!(total, units as u64, "{units}");
        }
    }

    /// Counts over many resamples against the multinomial: mean 1 a unit, variance 1 - 1/n, and
    /// between two units a correlation of -1 / (n - 1), seen in the variance of a sum over half of them.
    #[test]
    fn counts_are_multinomial() {
        let (units, resamples) = (BLOCK + 1_500, 2_000);
        let (mut sums, mut squares, mut halves) = (vec![0.0; units], 0.0, 0.0);
        for resample in 0..resamples {
            let found = drawn(units, resample);
            for (sum, drawn) in sums.iter_mut().zip(&found) {
                *sum += f64::from(*drawn);
                squares += (f64::from(*drawn) - 1.0).powi(2);
            }
            let half: f64 = found[..units / 2].iter().map(|drawn| f64::from(*drawn)).sum();
            halves += (half - (units / 2) as f64).powi(2);
        }
        let (n, times) = (units as f64, resamples as f64);
        // Chi squared with n - 1 degrees of freedom: within five standard deviations.
        let chi: f64 = sums.iter().map(|sum| (sum - times).powi(2) / times).sum();
        assert!((chi - n).abs() < 5.0 * (2.0 * n).sqrt(), "{chi} of {n}");
        let variance = squares / (n * times);
        assert!((variance - 1.0).abs() < 0.005, "{variance}");
        // n draws with probability one half: n / 4, known to 1 / sqrt(1000).
        let ratio = halves / times / (n / 4.0);
        assert!((ratio - 1.0).abs() < 5.0 / (times / 2.0).sqrt(), "{ratio}");
    }

    #[test]
    fn blocks_at_both_ends_are_drawn_evenly() {
        let units = 3 * BLOCK + 10;
        let (mut first, mut last) = (0u64, 0u64);
        for resample in 0..4_000 {
            let found = drawn(units, resample);
            first += found[..10].iter().map(|drawn| u64::from(*drawn)).sum::<u64>();
            last += found[3 * BLOCK..].iter().map(|drawn| u64::from(*drawn)).sum::<u64>();
        }
        // 40,000 expected of each, standard deviation 200.
        assert!(first.abs_diff(40_000) < 1_000 && last.abs_diff(40_000) < 1_000, "{first} {last}");
    }
}
