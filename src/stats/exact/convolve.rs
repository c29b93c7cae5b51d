//! The n-fold convolution of a small distribution, by a power in Fourier space.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

/// Distinct values (0, 1, ...) with their shares, ascending.
pub(super) type Histogram = Vec<(usize, f64)>;

/// Distinct values with their shares, from sorted values.
pub(super) fn histogram(sorted: &[usize]) -> Histogram {
    let share = |run: &[usize]| (run[0], run.len() as f64 / sorted.len() as f64);
    sorted.chunk_by(|a, b| a == b).map(share).collect()
}

/// The sums from `low` to `high`, outside of which nothing that counts is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    pub low: usize,
    pub high: usize,
}

impl Window {
    pub fn width(self) -> usize {
        self.high - self.low + 1
    }
}

/// F at each sum of the window, from 0 to 1 and never falling.
///
/// Negative probabilities are rounding. They are dropped where F would fall, not one by one:
/// keeping only the positive half of the rounding of a million points would add up.
pub(super) fn cumulative(histogram: &[(usize, f64)], n: usize, window: Window) -> Vec<f64> {
    let size = fast_size(window.width());
    let mut pmf = vec![0.0; size];
    histogram.iter().for_each(|(value, share)| pmf[value % size] += share);
    let power = cyclic_power(&pmf, n);
    let (mut sum, mut highest) = (0.0, 0f64);
    let mut cdf: Vec<f64> = (window.low..=window.high)
        .map(|s| {
            sum += power[s % size];
            highest = highest.max(sum);
            highest
        })
        .collect();
    cdf.iter_mut().for_each(|f| *f /= highest);
    cdf
}

/// The part of 0..=top that holds all but about 1e-15 of the sum's distribution on either side.
pub(super) fn window(histogram: &[(usize, f64)], n: usize) -> Window {
    let top = n * histogram.last().map_or(0, |h| h.0);
    if top < 4096 {
        return Window { low: 0, high: top };
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
    Window { low, high }
}

/// -ln 1e-15.
const LN_TAIL: f64 = 34.539;

/// The smallest even size of at least `width` that is 2^a or 3 2^a.
pub(super) fn fast_size(width: usize) -> usize {
    let two = width.max(8).next_power_of_two();
    let three = two / 4 * 3;
    if three >= width { three } else { two }
}

/// The n-fold cyclic convolution of a real sequence of even length.
///
/// The transform of `size` reals is one of size/2 complex numbers (even terms real, odd terms
/// imaginary), taken apart by symmetry: X_k = E_k + w^k O_k.
fn cyclic_power(values: &[f64], n: usize) -> Vec<f64> {
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

pub(super) fn power(base: Complex<f64>, n: usize) -> Complex<f64> {
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
