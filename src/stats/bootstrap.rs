//! The paired bootstrap by resampling, for deltas that are on no lattice.
//!
//! Cases are drawn (or clusters), each with all its attempts on both sides; attempts are not drawn
//! again inside a case, which would count their noise twice. All metrics of the same cases share
//! one draw, so that their intervals belong to the same resampled suites.

use std::num::NonZero;

use super::counted;
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
    let (sums, width) = draw_all(&all, resamples, seed);
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

/// The sums of all columns in every resample, one row a resample, and the length of a row.
fn draw_all(columns: &[&[f64]], resamples: usize, seed: u64) -> (Vec<f64>, usize) {
    let units = columns[0].len();
    if units >= COUNTED_FROM {
        let width = columns.len();
        let draw = |first, part: &mut [f64]| counted::draw(columns, &Draws { seed, first }, part);
        return (over_threads(resamples, width, units * width, &draw), width);
    }
    let blocks = interleave(columns);
    let width = blocks.len() * LANES;
    let draw = |first, part: &mut [f64]| Draws { seed, first }.gather_all(&blocks, part);
    (over_threads(resamples, width, units * blocks.len(), &draw), width)
}

/// Rows of numbers, a part of them a thread. Each resample has a stream of its own, so that the
/// number of threads cannot change a digit. `draw` takes the number of its first row.
fn over_threads(
    resamples: usize,
    width: usize,
    work_a_row: usize,
    draw: &(impl Fn(usize, &mut [f64]) + Sync),
) -> Vec<f64> {
    let mut sums = vec![0.0; resamples * width];
    let threads = if resamples * work_a_row < 200_000 { 1 } else { thread_count().min(resamples) };
    if threads == 1 {
        draw(0, &mut sums);
        return sums;
    }
    let share = resamples.div_ceil(threads);
    std::thread::scope(|scope| {
        let mut parts = sums.chunks_mut(share * width).enumerate();
        let mine = parts.next();
        for (i, part) in parts {
            scope.spawn(move || draw(i * share, part));
        }
        // This thread takes the first part rather than wait.
        mine.into_iter().for_each(|(_, part)| draw(0, part));
    });
    sums
}

/// The draws of the resamples from number `first` on.
pub(super) struct Draws {
    pub seed: u64,
    pub first: usize,
}

impl Draws {
    pub fn stream(&self, resample: usize) -> Stream {
        Stream::new(self.seed, Purpose::Resample, (self.first + resample) as u64)
    }

    /// One resample after the other: the rows drawn are looked up, which pays while they fit the cache.
    fn gather_all(&self, blocks: &[Vec<[f64; LANES]>], sums: &mut [f64]) {
        let units = blocks[0].len();
        let mut indices = vec![0u32; units];
        for (i, row) in sums.chunks_exact_mut(blocks.len() * LANES).enumerate() {
            self.stream(i).indices(units as u32, &mut indices);
            for (block, out) in blocks.iter().zip(row.chunks_exact_mut(LANES)) {
                out.copy_from_slice(&gather(block, &indices));
            }
        }
    }
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
        let mut many = vec![0.0; 8_000 * LANES];
        let (one, _) = draw_all(&[&column], 8_000, 7);
        for (i, row) in many.chunks_exact_mut(LANES).enumerate() {
            let mut indices = vec![0; 50];
            Stream::new(7, Purpose::Resample, i as u64).indices(50, &mut indices);
            row.copy_from_slice(&gather(&blocks[0], &indices));
        }
        assert_eq!(one, many);
    }

    #[test]
    fn counting_and_looking_up_give_one_interval() {
        let units = COUNTED_FROM as u32 - 1;
        let column: Vec<f64> = (0..units).map(|i| f64::from(i * i % 1_009)).collect();
        let draws = Draws { seed: 9, first: 0 };
        let (mut looked_up, mut counts) = (vec![0.0; 4_000 * LANES], vec![0.0; 4_000]);
        draws.gather_all(&interleave(&[&column]), &mut looked_up);
        counted::draw(&[&column], &draws, &mut counts);
        let first: Vec<f64> = looked_up.chunks_exact(LANES).map(|row| row[0]).collect();
        let (a, b) = (percentile(first), percentile(counts));
        assert!((a.low - b.low).abs() < 5.0 * a.low_error, "{a:?} {b:?}");
        assert!((a.high - b.high).abs() < 5.0 * a.high_error, "{a:?} {b:?}");
        assert_ne!(a, b);
    }

    #[test]
    fn clusters_of_unequal_size_give_a_ratio() {
        // Every case changed by exactly 3, so every resampled mean is 3 whatever the sizes drawn.
        let sums = vec![3.0, 6.0, 9.0];
        let got = percentiles(&[sums], Some(&[1.0, 2.0, 3.0]), 1.0, 500, 1).unwrap();
        assert_eq!((got[0].low, got[0].high), (3.0, 3.0));
    }
}
