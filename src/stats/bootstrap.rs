//! The paired bootstrap by resampling, for deltas that are on no lattice.
//!
//! Cases are drawn (or clusters), each with all its attempts on both sides; attempts are not drawn
//! again inside a case, which would count their noise twice. All metrics of the same cases share
//! one draw, so that their intervals belong to the same resampled suites.

use std::num::NonZero;

use super::rng::{Purpose, Stream};

pub const RESAMPLES: usize = 10_000;

/// The ends of a 95 % percentile interval with their Monte Carlo standard errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percentile {
    pub low: f64,
    pub high: f64,
    /// How far another seed would typically move each end.
    pub low_error: f64,
    pub high_error: f64,
}

/// Columns resampled side by side: as many as fill two registers of most processors.
const LANES: usize = 4;

/// Resamples that share a walk over many rows.
const TOGETHER: usize = 4;

/// From this many units on the rows drawn are counted instead of looked up.
const COUNTED_FROM: usize = 4_096;

/// One percentile interval a column, from `resamples` draws of units.
///
/// Every column holds one number a unit. With `sizes` (clusters of unequal size) the statistic is
/// the sum over the sum of sizes, else the sum over `cases_per_unit` times the number of units.
/// `None` for fewer than two units or fewer than 40 resamples (2.5 % must be at least one).
pub fn percentiles(
    columns: &[Vec<f64>],
    sizes: Option<&[f64]>,
    cases_per_unit: f64,
    resamples: usize,
    seed: u64,
) -> Option<Vec<Percentile>> {
    let units = columns.first()?.len();
    if units < 2 || resamples < 40 || u32::try_from(units).is_err() {
        return None;
    }
    let mut all: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    all.extend(sizes);
    let blocks = interleave(&all);
    let mut sums = vec![0.0; resamples * blocks.len() * LANES];
    draw_all(&blocks, units, seed, &mut sums);
    let width = blocks.len() * LANES;
    let size_at = all.len() - 1;
    let total = cases_per_unit * units as f64;
    let interval = |column: usize| {
        let mean = |row: &[f64]| match sizes {
            Some(_) => row[column] / row[size_at],
            None => row[column] / total,
        };
        percentile(sums.chunks_exact(width).map(mean).collect())
    };
    Some(per_column(columns.len(), &interval))
}

/// One interval a column, spread over threads when there are several.
fn per_column(columns: usize, interval: &(impl Fn(usize) -> Percentile + Sync)) -> Vec<Percentile> {
    let threads = thread_count().min(columns / 2).max(1);
    let mut found: Vec<Option<Percentile>> = vec![None; columns];
    let share = columns.div_ceil(threads);
    let fill = |first: usize, part: &mut [Option<Percentile>]| {
        part.iter_mut().enumerate().for_each(|(i, out)| *out = Some(interval(first + i)));
    };
    std::thread::scope(|scope| {
        let mut parts = found.chunks_mut(share).enumerate();
        let mine = parts.next();
        for (i, part) in parts {
            scope.spawn(move || fill(i * share, part));
        }
        // This thread takes the first part rather than wait.
        mine.into_iter().for_each(|(_, part)| fill(0, part));
    });
    found.into_iter().flatten().collect()
}

/// Rows of [`LANES`] columns each, the last block filled up with zeros.
fn interleave(columns: &[&[f64]]) -> Vec<Vec<[f64; LANES]>> {
    let block = |columns: &[&[f64]]| {
        let row = |unit: usize| std::array::from_fn(|lane| columns.get(lane).map_or(0.0, |c| c[unit]));
        (0..columns[0].len()).map(row).collect()
    };
    columns.chunks(LANES).map(block).collect()
}

/// Spreads the resamples over threads. Each resample has a stream of its own, so that the number
/// of threads cannot change a digit.
fn draw_all(blocks: &[Vec<[f64; LANES]>], units: usize, seed: u64, sums: &mut [f64]) {
    let width = blocks.len() * LANES;
    let resamples = sums.len() / width;
    let work = resamples * units * blocks.len();
    let threads = if work < 200_000 { 1 } else { thread_count().min(resamples) };
    let share = resamples.div_ceil(threads);
    let run = |first: usize, part: &mut [f64]| {
        let draws = Draws { seed, units, first };
        if units < COUNTED_FROM { draws.gather_all(blocks, part) } else { draws.count_all(blocks, part) }
    };
    if threads == 1 {
        run(0, sums);
        return;
    }
    std::thread::scope(|scope| {
        let mut parts = sums.chunks_mut(share * width).enumerate();
        let mine = parts.next();
        for (i, part) in parts {
            scope.spawn(move || run(i * share, part));
        }
        mine.into_iter().for_each(|(_, part)| run(0, part));
    });
}

/// The draws of the resamples from number `first` on.
struct Draws {
    seed: u64,
    units: usize,
    first: usize,
}

impl Draws {
    fn stream(&self, resample: usize) -> Stream {
        Stream::new(self.seed, Purpose::Resample, (self.first + resample) as u64)
    }

    /// One resample after the other: the rows drawn are looked up, which pays while they fit the cache.
    fn gather_all(&self, blocks: &[Vec<[f64; LANES]>], sums: &mut [f64]) {
        let mut indices = vec![0u32; self.units];
        for (i, row) in sums.chunks_exact_mut(blocks.len() * LANES).enumerate() {
            self.stream(i).indices(self.units as u32, &mut indices);
            for (block, out) in blocks.iter().zip(row.chunks_exact_mut(LANES)) {
                out.copy_from_slice(&gather(block, &indices));
            }
        }
    }

    /// Several resamples at once: how often each row was drawn, then one walk over all rows in order.
    fn count_all(&self, blocks: &[Vec<[f64; LANES]>], sums: &mut [f64]) {
        let width = blocks.len() * LANES;
        let mut counts: [Vec<u8>; TOGETHER] = std::array::from_fn(|_| vec![0; self.units]);
        for (batch, rows) in sums.chunks_mut(width * TOGETHER).enumerate() {
            for (i, counts) in counts.iter_mut().take(rows.len() / width).enumerate() {
                self.stream(batch * TOGETHER + i).counts(counts);
            }
            for (at, block) in blocks.iter().enumerate() {
                for (row, sums) in rows.chunks_exact_mut(width).zip(weighted_sums(block, &counts)) {
                    row[at * LANES..][..LANES].copy_from_slice(&sums);
                }
            }
        }
    }
}

/// The sum of all rows, each as often as it was drawn, for each of the resamples.
fn weighted_sums(block: &[[f64; LANES]], counts: &[Vec<u8>; TOGETHER]) -> [[f64; LANES]; TOGETHER] {
    let mut sums = [[0.0; LANES]; TOGETHER];
    let [a, b, c, d] = counts;
    for ((((row, a), b), c), d) in block.iter().zip(a).zip(b).zip(c).zip(d) {
        for (sums, count) in sums.iter_mut().zip([a, b, c, d]) {
            let count = f64::from(*count);
            for lane in 0..LANES {
                sums[lane] += count * row[lane];
            }
        }
    }
    sums
}

fn thread_count() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// The sum of the drawn rows, in two interleaved partial sums (a fixed order of addition).
fn gather(block: &[[f64; LANES]], indices: &[u32]) -> [f64; LANES] {
    let (mut even, mut odd) = ([0.0; LANES], [0.0; LANES]);
    let mut pairs = indices.chunks_exact(2);
    for pair in &mut pairs {
        let (a, b) = (&block[pair[0] as usize], &block[pair[1] as usize]);
        for lane in 0..LANES {
            even[lane] += a[lane];
            odd[lane] += b[lane];
        }
    }
    for index in pairs.remainder() {
        for lane in 0..LANES {
            even[lane] += block[*index as usize][lane];
        }
    }
    std::array::from_fn(|lane| even[lane] + odd[lane])
}

/// The 2.5 % and 97.5 % quantiles of the resampled means, by linear interpolation.
fn percentile(mut means: Vec<f64>) -> Percentile {
    let (low, low_error) = quantile(&mut means, 0.025);
    let (high, high_error) = quantile(&mut means, 0.975);
    Percentile { low, high, low_error, high_error }
}

/// A quantile, and its Monte Carlo standard error: half the distance of the order statistics one
/// binomial standard deviation (sqrt(B q (1 - q)) ranks) to either side.
fn quantile(values: &mut [f64], q: f64) -> (f64, f64) {
    let last = values.len() - 1;
    let position = q * last as f64;
    let spread = (values.len() as f64 * q * (1.0 - q)).sqrt().ceil();
    let from = (position - spread).floor().max(0.0) as usize;
    let to = ((position + spread).ceil() as usize).min(last);
    let part = sorted_ranks(values, from, to);
    let at = position.floor() as usize - from;
    let next = (at + 1).min(part.len() - 1);
    let value = part[at] + (part[next] - part[at]) * position.fract();
    (value, (part[part.len() - 1] - part[0]) / 2.0)
}

/// The order statistics of ranks `from..=to`, sorted, without sorting the rest.
fn sorted_ranks(values: &mut [f64], from: usize, to: usize) -> &[f64] {
    values.select_nth_unstable_by(to, f64::total_cmp);
    let left = &mut values[..=to];
    left.select_nth_unstable_by(from, f64::total_cmp);
    let part = &mut left[from..];
    part.sort_unstable_by(f64::total_cmp);
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_like_numpy() {
        let mut values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(quantile(&mut values, 0.025).0, 2.5);
        assert_eq!(quantile(&mut values, 0.975).0, 97.5);
        // sqrt(101 * .025 * .975) is 1.57, so two ranks on either side of 2.5: from 0 to 5.
        assert_eq!(quantile(&mut values, 0.025).1, 2.5);
    }

    #[test]
    fn shared_draws_make_equal_columns_equal_and_threads_change_nothing() {
        let column: Vec<f64> = (0..50).map(|i| f64::from(i * i % 17)).collect();
        let twice: Vec<f64> = column.iter().map(|v| v * 2.0).collect();
        let got = percentiles(&[column.clone(), twice], None, 1.0, 2_000, 7).unwrap();
        assert_eq!(got[0].low * 2.0, got[1].low);
        let blocks = interleave(&[&column]);
        let (mut one, mut many) = (vec![0.0; 400 * LANES], vec![0.0; 400 * LANES]);
        draw_all(&blocks, 50, 7, &mut one);
        for (i, row) in many.chunks_exact_mut(LANES).enumerate() {
            let mut indices = vec![0; 50];
            Stream::new(7, Purpose::Resample, i as u64).indices(50, &mut indices);
            row.copy_from_slice(&gather(&blocks[0], &indices));
        }
        assert_eq!(one, many);
    }

    #[test]
    fn counted_rows_give_the_sums_of_rows_looked_up() {
        let units = 501;
        let columns: Vec<Vec<f64>> =
            (0..6u32).map(|c| (0..units).map(|i| f64::from(i * (c + 3) % 101) - 40.0).collect()).collect();
        let blocks = interleave(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let draws = Draws { seed: 3, units: units as usize, first: 11 };
        // Integers add up without rounding; 10 resamples are two batches and a half.
        let (mut looked_up, mut counted) = (vec![0.0; 10 * 2 * LANES], vec![0.0; 10 * 2 * LANES]);
        draws.gather_all(&blocks, &mut looked_up);
        draws.count_all(&blocks, &mut counted);
        assert_eq!(looked_up, counted);
        assert!(looked_up[0] != 0.0 && looked_up[2 * LANES] != looked_up[0]);
    }

    #[test]
    fn clusters_of_unequal_size_give_a_ratio() {
        // Every case changed by exactly 3, so every resampled mean is 3 whatever the sizes drawn.
        let sums = vec![3.0, 6.0, 9.0];
        let got = percentiles(&[sums], Some(&[1.0, 2.0, 3.0]), 1.0, 500, 1).unwrap();
        assert_eq!((got[0].low, got[0].high), (3.0, 3.0));
    }
}
