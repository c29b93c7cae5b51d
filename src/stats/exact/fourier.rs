//! F of a long convolution from the few frequencies that matter.
//!
//! The n-th power of a characteristic function is negligible nearly everywhere when n is not
//! small. A short transform shows where: its points lie so close that between two of them the
//! function can rise by no more than its Lipschitz constant allows. Only near the points that stay
//! above the threshold are the frequencies of the long transform evaluated, one by one.

use std::f64::consts::PI;

use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

use super::convolve::{Window, fast_size, power};

/// Terms below this after the power are left out; all of them together change F by less than 1e-13.
const LN_NEGLIGIBLE: f64 = -34.539;

/// One frequency in this many may matter; with more of them the long transform is cheaper.
const SPARSE: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct Fourier {
    size: f64,
    /// Frequency, and its weight in the sum of [`Fourier::at`].
    terms: Vec<(f64, Complex<f64>)>,
}

impl Fourier {
    /// `None` when too many frequencies matter.
    pub fn of(histogram: &[(usize, f64)], n: usize, window: Window) -> Option<Self> {
        let size = fast_size(window.width());
        let mean: f64 = histogram.iter().map(|(v, p)| *v as f64 * p).sum();
        let kept = frequencies(histogram, n, size, mean)?;
        let centre = mean.round() as i64;
        // The window's first sum, counted from n times the centre, modulo the size.
        let offset = (window.low as i64 - n as i64 * centre).rem_euclid(size as i64);
        let angle = |turns: i64| 2.0 * PI * turns.rem_euclid(size as i64) as f64 / size as f64;
        let term = |k: usize| {
            let at = |v: i64| Complex::from_polar(1.0, angle(k as i64 * v));
            let phi: Complex<f64> = histogram.iter().map(|(v, p)| at(*v as i64 - centre) * *p).sum();
            let twice = if 2 * k == size { 1.0 } else { 2.0 };
            // 1 / (1 - e^(-i omega)) = e^(i omega / 2) / (2 i sin(omega / 2)), without cancellation.
            let half = PI * k as f64 / size as f64;
            let inverse = Complex::from_polar(0.5 / half.sin(), half - PI / 2.0);
            let weight = power(phi, n) * at(-offset) * inverse * twice;
            (phi.norm_sqr().ln() * n as f64 / 2.0 >= LN_NEGLIGIBLE).then(|| (angle(k as i64), weight))
        };
        let terms = kept.into_iter().filter_map(term).collect();
        Some(Fourier { size: size as f64, terms })
    }

    /// F at the window's point `index`:
    /// (N + sum_k Re(w_k (1 - e^(-i omega_k N)))) / size, with N = index + 1.
    pub fn at(&self, index: usize) -> f64 {
        let n = (index + 1) as f64;
        let term = |(omega, weight): &(f64, Complex<f64>)| {
            (weight * (Complex::new(1.0, 0.0) - Complex::from_polar(1.0, -omega * n))).re
        };
        (n + self.terms.iter().map(term).sum::<f64>()) / self.size
    }
}

/// The frequencies 1..=size/2 at which |phi|^n may be more than negligible.
fn frequencies(histogram: &[(usize, f64)], n: usize, size: usize, mean: f64) -> Option<Vec<usize>> {
    let spread: f64 = histogram.iter().map(|(v, p)| (*v as f64 - mean).abs() * p).sum();
    let mut short = size;
    while short.is_multiple_of(4) && short as f64 >= 40.0 * spread {
        short /= 2;
    }
    let ratio = size / short;
    let mut phi = vec![Complex::new(0.0, 0.0); short];
    histogram.iter().for_each(|(v, p)| phi[v % short].re += p);
    FftPlanner::new().plan_fft_forward(short).process(&mut phi);
    // |phi| changes by at most `spread` a unit of frequency.
    let threshold = (LN_NEGLIGIBLE / n as f64).exp() - spread * PI / short as f64;
    let mut kept: Vec<usize> = Vec::new();
    for (j, _) in phi.iter().enumerate().take(short / 2 + 1).filter(|(_, p)| p.norm() >= threshold) {
        let from = (j * ratio).saturating_sub(ratio / 2).max(1);
        let from = kept.last().map_or(from, |last| from.max(last + 1));
        kept.extend(from..=(j * ratio + ratio / 2).min(size / 2));
        if kept.len() > size / SPARSE {
            return None;
        }
    }
    Some(kept)
}
