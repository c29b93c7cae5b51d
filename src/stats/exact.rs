//! The paired bootstrap without resampling, for deltas on a lattice.
//!
//! When every d_i L is an integer, the bootstrap distribution of the mean is the n-fold convolution
//! of the empirical distribution, and its percentiles can be written down: no seed, no Monte Carlo
//! error. The convolution is a power in Fourier space. It is done modulo a window outside of which
//! Chernoff's bound leaves less than 1e-15 on either side, so that large suites stay fast.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

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

/// The exact bootstrap distribution of a sample's mean delta.
#[derive(Debug, Clone)]
pub struct MeanDistribution {
    /// Cumulative probabilities of the lattice points of the window.
    cdf: Vec<f64>,
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
        let equal_sizes = sample.units.windows(2).all(|u| u[0].cases == u[1].cases);
        if sample.units.len() < 2 || sample.all_equal() || !equal_sizes || !is_within_limit(sample) {
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
        let (offset, pmf) = convolve(&histogram(&values), units);
        Some(MeanDistribution {
            cdf: cumulate(pmf),
            first: low * units as i64 + step * offset as i64,
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
        let index = self.cdf.partition_point(|f| f + F_TOLERANCE < q);
        self.point(index.min(self.cdf.len() - 1))
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
            i => self.cdf[(i as usize).min(self.cdf.len() - 1)],
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

fn cumulate(mut pmf: Vec<f64>) -> Vec<f64> {
    let total: f64 = pmf.iter().sum();
    let mut sum = 0.0;
    for p in &mut pmf {
        sum += *p;
        *p = sum / total;
    }
    pmf
}

/// Distinct values with their shares, from sorted values.
fn histogram(sorted: &[usize]) -> Vec<(usize, f64)> {
    let share = |run: &[usize]| (run[0], run.len() as f64 / sorted.len() as f64);
    sorted.chunk_by(|a, b| a == b).map(share).collect()
}

/// The n-fold convolution of a distribution on 0, 1, ...: where its window begins, and the
/// probabilities from there.
fn convolve(histogram: &[(usize, f64)], n: usize) -> (usize, Vec<f64>) {
    let largest = histogram.last().map_or(0, |h| h.0);
    let (low, high) = window(histogram, n, n * largest);
    let width = high - low + 1;
    let size = fast_size(width);
    let mut pmf = vec![0.0; size];
    histogram.iter().for_each(|(value, share)| pmf[value % size] += share);
    let power = cyclic_power(&mut pmf, n);
    let out = (low..=high).map(|s| power[s % size].max(0.0)).collect();
    (low, out)
}

/// The part of 0..=top that holds all but about 1e-15 of the sum's distribution on either side.
fn window(histogram: &[(usize, f64)], n: usize, top: usize) -> (usize, usize) {
    if top < 4096 {
        return (0, top);
    }
    let mean: f64 = histogram.iter().map(|(v, p)| *v as f64 * p).sum();
    let variance: f64 = histogram.iter().map(|(v, p)| (*v as f64 - mean).powi(2) * p).sum();
    let centre = mean * n as f64;
    let reach = |sign: f64| {
        // P(sum - centre >= t) <= exp(n K(theta) - theta t) for any theta; the best of a few.
        let gaussian = (2.0 * LN_TAIL / (n as f64 * variance)).sqrt();
        let bound = |step: i32| {
            let theta = gaussian * 2f64.powf(f64::from(step) / 4.0);
            let terms = histogram.iter().map(|(v, p)| p * (sign * theta * (*v as f64 - mean)).exp());
            (n as f64 * terms.sum::<f64>().ln() + LN_TAIL) / theta
        };
        (-16..=4).map(bound).filter(|t| t.is_finite()).fold(top as f64, f64::min)
    };
    let low = (centre - reach(-1.0)).floor().max(0.0) as usize;
    let high = (centre + reach(1.0)).ceil().min(top as f64) as usize;
    (low, high)
}

/// -ln 1e-15.
const LN_TAIL: f64 = 34.539;

/// The smallest even size of at least `width` that is 2^a or 3 2^a.
fn fast_size(width: usize) -> usize {
    let two = width.max(8).next_power_of_two();
    let three = two / 4 * 3;
    if three >= width { three } else { two }
}

/// The n-fold cyclic convolution of a real sequence of even length.
///
/// The transform of `size` reals is one of size/2 complex numbers (even terms real, odd terms
/// imaginary), taken apart by symmetry: X_k = E_k + w^k O_k.
fn cyclic_power(values: &mut [f64], n: usize) -> Vec<f64> {
    let half = values.len() / 2;
    let mut planner = FftPlanner::<f64>::new();
    let mut z: Vec<Complex<f64>> = values.chunks_exact(2).map(|p| Complex::new(p[0], p[1])).collect();
    planner.plan_fft_forward(half).process(&mut z);
    let angle = -std::f64::consts::PI / half as f64;
    for k in 0..=half / 2 {
        let mirror = (half - k) % half;
        let twiddle = Complex::from_polar(1.0, angle * k as f64);
        let (a, b) = (z[k], z[mirror].conj());
        let even = (a + b) * 0.5;
        let odd = (a - b) * Complex::new(0.0, -0.5) * twiddle;
        // X_k and X_(half - k) conjugated; for k = 0 the second is the term of the middle.
        let (x, y) = (power(even + odd, n), power(even - odd, n));
        let even = (x + y) * 0.5;
        let odd = (x - y) * 0.5 * twiddle.conj() * Complex::new(0.0, 1.0);
        z[k] = even + odd;
        if mirror != k {
            z[mirror] = (even - odd).conj();
        }
    }
    planner.plan_fft_inverse(half).process(&mut z);
    let scale = 1.0 / half as f64;
    z.iter().flat_map(|c| [c.re * scale, c.im * scale]).collect()
}

fn power(base: Complex<f64>, n: usize) -> Complex<f64> {
    // What is below 1e-40 after the power cannot be seen in the sum.
    if base.norm_sqr().ln() * (n as f64) < -184.0 {
        return Complex::new(0.0, 0.0);
    }
    let (mut result, mut square, mut left) = (Complex::new(1.0, 0.0), base, n);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
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
                let index = k as i64 - got.first;
                let at = match index {
                    i if i < 0 => 0.0,
                    i => got.cdf.get(i as usize).copied().unwrap_or(1.0),
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
        assert!(got.cdf.len() < 64 * 300 * 2 / 3, "the window is {} wide", got.cdf.len());
        let mut direct = vec![1.0];
        for _ in 0..64 {
            let mut next = vec![0.0; direct.len() + 300];
            for d in &deltas {
                let shift = (*d + 150.0) as usize;
                direct.iter().enumerate().for_each(|(i, p)| next[i + shift] += p / 64.0);
            }
            direct = next;
        }
        let cdf = cumulate(direct);
        for q in [0.001, 0.025, 0.5, 0.975, 0.999] {
            let sum = cdf.partition_point(|f| *f < q) as f64 - 64.0 * 150.0;
            assert_eq!(got.quantile(q), sum / 64.0, "q = {q}");
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
