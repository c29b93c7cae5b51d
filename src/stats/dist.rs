//! Distribution functions, to the accuracy that the reference values ask for (1e-9 relative).

use statrs::distribution::{Continuous, ContinuousCDF, Normal, StudentsT};
use statrs::function::gamma::gamma_ur;

/// Two-sided 95 % point of the standard normal distribution.
pub const Z_975: f64 = 1.959_963_984_540_054;
/// One-sided 95 % point of the standard normal distribution.
pub const Z_95: f64 = 1.644_853_626_951_472_2;
/// 90 % point of the standard normal distribution.
pub const Z_90: f64 = 1.281_551_565_544_600_4;
/// 80 % point of the standard normal distribution.
pub const Z_80: f64 = 0.841_621_233_572_914_3;

/// The `p` quantile of Student's t with `df` degrees of freedom; `None` unless 0 < p < 1 and df >= 1.
pub fn t_quantile(p: f64, df: usize) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) || df == 0 {
        return None;
    }
    let t = StudentsT::new(0.0, 1.0, df as f64).ok()?;
    let upper = p.max(1.0 - p);
    let mut x = t.inverse_cdf(upper);
    // The library's inverse is good to about 1e-8; Newton steps on its distribution function,
    // which is far better than that, give the rest.
    for _ in 0..3 {
        let step = (t.sf(x) - (1.0 - upper)) / t.pdf(x);
        if !step.is_finite() {
            break;
        }
        x += step;
    }
    Some(if p < 0.5 { -x } else { x })
}

/// P(T >= t) for Student's t with `df` degrees of freedom.
pub fn t_upper_tail(t: f64, df: usize) -> Option<f64> {
    let dist = StudentsT::new(0.0, 1.0, df as f64).ok()?;
    (!t.is_nan()).then(|| if t >= 0.0 { dist.sf(t) } else { 1.0 - dist.sf(-t) })
}

/// Two-sided p of a t statistic.
pub fn t_two_sided(t: f64, df: usize) -> Option<f64> {
    Some((2.0 * t_upper_tail(t.abs(), df)?).min(1.0))
}

/// P(Z >= z) for the standard normal distribution.
pub fn normal_upper_tail(z: f64) -> f64 {
    Normal::standard().sf(z)
}

/// P(Z <= z) for the standard normal distribution.
pub fn normal_cdf(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

/// The `p` quantile of the standard normal distribution, for 0 < p < 1; infinite at the ends.
pub fn normal_quantile(p: f64) -> f64 {
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p >= 1.0 {
        return f64::INFINITY;
    }
    Normal::standard().inverse_cdf(p)
}

/// P(X >= x) for chi squared with `df` degrees of freedom.
pub fn chi2_upper_tail(x: f64, df: usize) -> Option<f64> {
    if df == 0 || x.is_nan() {
        return None;
    }
    Some(if x <= 0.0 { 1.0 } else { gamma_ur(df as f64 / 2.0, x / 2.0) })
}

/// P(X >= k) for a Poisson count with the given mean.
pub fn poisson_upper_tail(mean: f64, k: u64) -> f64 {
    if k == 0 {
        return 1.0;
    }
    if mean <= 0.0 {
        return 0.0;
    }
    // Summed upwards from k, so that a small tail keeps its digits.
    let ln_first = k as f64 * mean.ln() - mean - ln_factorial(k);
    let mut term = ln_first.exp();
    let mut sum = 0.0;
    let mut i = k as f64;
    while term > sum * 1e-17 || i < mean {
        sum += term;
        i += 1.0;
        term *= mean / i;
        if term == 0.0 {
            break;
        }
    }
    sum.min(1.0)
}

/// P(X = k) for a binomial count of n trials with success probability p.
pub fn binomial_pmf(n: u64, p: f64, k: u64) -> f64 {
    if k > n {
        return 0.0;
    }
    if p <= 0.0 {
        return if k == 0 { 1.0 } else { 0.0 };
    }
    if p >= 1.0 {
        return if k == n { 1.0 } else { 0.0 };
    }
    let ln_choose = ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    (ln_choose + k as f64 * p.ln() + (n - k) as f64 * (-p).ln_1p()).exp()
}

fn ln_factorial(k: u64) -> f64 {
    statrs::function::factorial::ln_factorial(k)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, want: f64, tolerance: f64) {
        assert!((got - want).abs() <= tolerance * want.abs(), "got {got}, want {want}");
    }

    // Values of scipy 1.17: t.ppf, t.sf, norm.ppf, chi2.sf, poisson.sf, binom.pmf.
    #[test]
    fn quantiles_and_tails_have_their_digits() {
        close(t_quantile(0.975, 1).unwrap(), 12.706204736174694, 1e-11);
        close(t_quantile(0.975, 2).unwrap(), 4.302652729749462, 1e-11);
        close(t_quantile(0.975, 82).unwrap(), 1.989318557136572, 1e-11);
        close(t_quantile(0.05, 82).unwrap(), -1.6636491840290775, 1e-11);
        close(normal_quantile(0.975), Z_975, 1e-14);
        close(normal_quantile(0.95), Z_95, 1e-14);
        close(normal_quantile(0.9), Z_90, 1e-14);
        close(normal_quantile(0.8), Z_80, 1e-14);
        close(poisson_upper_tail(0.26, 2), 1.0 - (-0.26f64).exp() * 1.26, 1e-12);
        close(poisson_upper_tail(50.0, 30), 0.999083171138544, 1e-10);
        close(chi2_upper_tail(5.991464547107979, 2).unwrap(), 0.05, 1e-12);
        close(binomial_pmf(4, 0.8, 4), 0.4096, 1e-13);
        assert_eq!(t_quantile(0.975, 0), None);
        assert_eq!(binomial_pmf(4, 1.0, 4), 1.0);
        assert_eq!(poisson_upper_tail(0.0, 1), 0.0);
    }
}
