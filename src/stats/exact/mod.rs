//! The paired bootstrap without resampling, for deltas on a lattice.
//!
//! When every d_i L is an integer, the bootstrap distribution of the mean is the n-fold convolution
//! of the empirical distribution, and its percentiles can be written down: no seed, no Monte Carlo
//! error. The convolution is a power in Fourier space. It is done modulo a window outside of which
//! Chernoff's bound leaves less than 1e-15 on either side, so that large suites stay fast.

mod convolve;
mod fourier;

use convolve::{Window, cumulative, histogram, window};
use fourier::Fourier;

use super::dist::{Z_975, normal_cdf, normal_quantile};
use super::sample::{Sample, gcd};

/// Largest n (max d - min d) L for which the exact methods are used.
pub const SIZE_LIMIT: f64 = 4_000_000.0;

/// Ties of F(x) with a quantile are decided with this tolerance, so that rounding in the last bits
/// (other processors, other FFT kernels) can never move an end.
const F_TOLERANCE: f64 = 1e-12;

/// True when the deltas are on a lattice of a size for the exact methods.
pub fn is_within_limit(sample: &Sample) -> bool {
    let Some(lattice) = sample.lattice else { return false };
    let low = sample.deltas().fold(f64::INFINITY, f64::min);
    let high = sample.deltas().fold(f64::NEG_INFINITY, f64::max);
    sample.n() as f64 * (high - low) * lattice as f64 <= SIZE_LIMIT
}

/// True when a sample's mean has an exact distribution; see [`MeanDistribution::of`].
pub fn applies(sample: &Sample) -> bool {
    let equal_sizes = sample.units.windows(2).all(|u| u[0].cases == u[1].cases);
    sample.units.len() >= 2 && !sample.all_equal() && equal_sizes && is_within_limit(sample)
}

/// Windows up to this many points are written out as a table.
const TABLE_LIMIT: usize = 16_384;

/// F at the points of a window.
#[derive(Debug, Clone)]
enum Cdf {
    Table(Vec<f64>),
    Fourier(Fourier),
}

impl Cdf {
    fn of(histogram: &[(usize, f64)], n: usize, window: Window) -> Self {
        let few = match window.width() > TABLE_LIMIT {
            true => Fourier::of(histogram, n, window),
            false => None,
        };
        few.map_or_else(|| Cdf::Table(cumulative(histogram, n, window)), Cdf::Fourier)
    }

    fn at(&self, index: usize) -> f64 {
        match self {
            Cdf::Table(table) => table[index],
            Cdf::Fourier(fourier) => fourier.at(index),
        }
    }
}

/// The exact bootstrap distribution of a sample's mean delta.
#[derive(Debug, Clone)]
pub struct MeanDistribution {
    cdf: Cdf,
    /// Lattice points of the window.
    points: usize,
    /// A sum of deltas times L is `first + step * index`.
    first: i64,
    step: i64,
    /// Cases times L.
    denominator: f64,
}

impl MeanDistribution {
    /// `None` when the deltas are not on a lattice within the size limit, are all equal, or come in
    /// clusters of unequal size (whose mean is a ratio).
    pub fn of(sample: &Sample) -> Option<Self> {
        if !applies(sample) {
            return None;
        }
        let lattice = sample.lattice?;
        let sums: Vec<i64> = sample.units.iter().map(|u| (u.delta * lattice as f64).round() as i64).collect();
        let low = *sums.iter().min()?;
        let step = sums.iter().fold(0, |g, s| gcd(g, (s - low) as u64)) as i64;
        if step == 0 {
            return None;
        }
        let units = sums.len();
        let mut values: Vec<usize> = sums.iter().map(|s| ((s - low) / step) as usize).collect();
        values.sort_unstable();
        let histogram = histogram(&values);
        let window = window(&histogram, units);
        Some(MeanDistribution {
            cdf: Cdf::of(&histogram, units, window),
            points: window.width(),
            first: low * units as i64 + step * window.low as i64,
            step,
            denominator: sample.n() as f64 * lattice as f64,
        })
    }

    fn point(&self, index: usize) -> f64 {
        (self.first + self.step * index as i64) as f64 / self.denominator
    }

    /// Distance of two neighbouring possible means.
    pub fn lattice_step(&self) -> f64 {
        self.step as f64 / self.denominator
    }

    /// The smallest mean x with F(x) >= q.
    pub fn quantile(&self, q: f64) -> f64 {
        let (mut low, mut high) = (0, self.points - 1);
        while low < high {
            let middle = (low + high) / 2;
            if self.cdf.at(middle) + F_TOLERANCE < q { low = middle + 1 } else { high = middle }
        }
        self.point(low)
    }

    /// The 95 % percentile interval.
    pub fn percentile(&self) -> (f64, f64) {
        (self.quantile(0.025), self.quantile(0.975))
    }

    /// F just below and at the sample's own mean.
    fn around(&self, sample: &Sample) -> (f64, f64) {
        let sum = (sample.mean(|c| c.delta) * self.denominator).round() as i64;
        let index = (sum - self.first).div_euclid(self.step);
        let at = |i: i64| match i {
            i if i < 0 => 0.0,
            i => self.cdf.at((i as usize).min(self.points - 1)),
        };
        let on_lattice = (sum - self.first).rem_euclid(self.step) == 0;
        (at(if on_lattice { index - 1 } else { index }), at(index))
    }

    /// Efron's bias-corrected and accelerated interval (1987). Offered for comparison: on sparse
    /// counts it excludes zero in 15 % of unchanged suites, so nothing here judges by it.
    pub fn bca(&self, sample: &Sample) -> Bca {
        let (below, at) = self.around(sample);
        let z0 = normal_quantile((below + at) / 2.0);
        let a = acceleration(sample);
        let end = |z: f64| {
            let shifted = z0 + z;
            self.quantile(normal_cdf(z0 + shifted / (1.0 - a * shifted)))
        };
        Bca { z0, a, low: end(-Z_975), high: end(Z_975) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bca {
    pub z0: f64,
    pub a: f64,
    pub low: f64,
    pub high: f64,
}

/// A sixth of the skewness of the jackknife values of the mean.
fn acceleration(sample: &Sample) -> f64 {
    let mean = sample.mean(|c| c.delta);
    let (mut squares, mut cubes) = (0.0, 0.0);
    for delta in sample.deltas() {
        let deviation = delta - mean;
        squares += deviation * deviation;
        cubes += deviation * deviation * deviation;
    }
    cubes / (6.0 * squares.powf(1.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(deltas: &[f64]) -> MeanDistribution {
        MeanDistribution::of(&Sample::of_deltas(deltas, Some(1))).unwrap()
    }

    /// Binomial probabilities by recurrence from the mode, where nothing is lost.
    fn binomial(n: usize, ones: usize) -> Vec<f64> {
        let odds = ones as f64 / (n - ones) as f64;
        let mut pmf = vec![0.0; n + 1];
        pmf[ones] = 1.0;
        (ones..n).for_each(|k| pmf[k + 1] = pmf[k] * odds * (n - k) as f64 / (k + 1) as f64);
        (0..ones).rev().for_each(|k| pmf[k] = pmf[k + 1] / odds * (k + 1) as f64 / (n - k) as f64);
        let total: f64 = pmf.iter().sum();
        pmf.iter().map(|p| p / total).collect()
    }

    /// Two-point deltas have a binomial bootstrap distribution, known in closed form.
    #[test]
    fn f_is_right_to_1e_12() {
        for (n, ones) in [(10, 3), (83, 20), (1_000, 10), (10_000, 2_500)] {
            let deltas: Vec<f64> = (0..n).map(|i| if i < ones { 1.0 } else { 0.0 }).collect();
            let got = distribution(&deltas);
            let (mut f, mut worst) = (0.0, 0f64);
            for (k, p) in binomial(n, ones).into_iter().enumerate() {
                f += p;
                let at = match k as i64 - got.first {
                    i if i < 0 => 0.0,
                    i if i as usize >= got.points => 1.0,
                    i => got.cdf.at(i as usize),
                };
                worst = worst.max((at - f).abs());
            }
            assert!(worst < 1e-12, "n = {n}: F is off by {worst:e}");
        }
    }

    /// A window far smaller than the whole range gives the percentiles of the whole range.
    #[test]
    fn the_window_changes_nothing() {
        let deltas: Vec<f64> = (0..64).map(|i| f64::from((i * 7919) % 301 - 150)).collect();
        let got = distribution(&deltas);
        assert!(got.points < 64 * 300 * 2 / 3, "the window is {} wide", got.points);
        let mut direct = vec![1.0];
        for _ in 0..64 {
            let mut next = vec![0.0; direct.len() + 300];
            for d in &deltas {
                let shift = (*d + 150.0) as usize;
                direct.iter().enumerate().for_each(|(i, p)| next[i + shift] += p / 64.0);
            }
            direct = next;
        }
        let cdf: Vec<f64> = direct
            .iter()
            .scan(0.0, |sum, p| {
                *sum += p;
                Some(*sum)
            })
            .collect();
        for q in [0.001, 0.025, 0.5, 0.975, 0.999] {
            let sum = cdf.partition_point(|f| *f < q) as f64 - 64.0 * 150.0;
            assert_eq!(got.quantile(q), sum / 64.0, "q = {q}");
        }
    }

    /// The short sum over frequencies and the full transform give the same F.
    #[test]
    fn few_frequencies_are_enough_or_are_not_used() {
        let spread = |n: usize, range: usize| -> Vec<usize> {
            let mut values: Vec<usize> = (0..n).map(|i| (i * i * 7919 + i * 31) % range).collect();
            values.sort_unstable();
            values
        };
        for (n, range, few) in [(83, 6_000, true), (400, 2_500, true), (2_000, 900, true), (20, 9_000, false)]
        {
            let histogram = histogram(&spread(n, range));
            let window = window(&histogram, n);
            assert!(window.width() > TABLE_LIMIT);
            let fourier = Fourier::of(&histogram, n, window);
            assert_eq!(fourier.is_some(), few, "n = {n}");
            let Some(fourier) = fourier else { continue };
            let table = cumulative(&histogram, n, window);
            let step = (window.width() / 100).max(1);
            let off = |i: usize| (fourier.at(i) - table[i]).abs();
            let worst = (0..window.width()).step_by(step).map(off).fold(0f64, f64::max);
            assert!(worst < 1e-12, "n = {n}: off by {worst:e}");
        }
        // Nearly on a coarser lattice: the characteristic function comes back far from zero.
        let comb: Vec<usize> = (0..83).map(|i| if i == 80 { 1 } else { i * 60 }).collect();
        let mut comb = comb;
        comb.sort_unstable();
        let histogram = histogram(&comb);
        let window = window(&histogram, 83);
        let table = cumulative(&histogram, 83, window);
        if let Some(fourier) = Fourier::of(&histogram, 83, window) {
            let off = |i: usize| (fourier.at(i) - table[i]).abs();
            let worst = (0..window.width()).step_by(997).map(off).fold(0f64, f64::max);
            assert!(worst < 1e-12, "comb: off by {worst:e}");
        }
    }

    #[test]
    fn nothing_exact_without_a_lattice_or_beyond_the_limit() {
        let spread = [0.0, 1.0, 5_000_000.0];
        assert!(MeanDistribution::of(&Sample::of_deltas(&spread, Some(1))).is_none());
        assert!(MeanDistribution::of(&Sample::of_deltas(&[0.1, 0.7, 0.3], None)).is_none());
        assert!(MeanDistribution::of(&Sample::of_deltas(&[2.0, 2.0, 2.0], Some(1))).is_none());
        assert!(MeanDistribution::of(&Sample::of_deltas(&[2.0], Some(1))).is_none());
    }
}
