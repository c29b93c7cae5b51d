//! An observed share of a few trials, with an interval that holds its level at any size.

use statrs::function::beta::beta_reg;

/// The Clopper-Pearson interval of `hits` in `trials`, at the two-sided `level` (such as 0.95).
///
/// The ends are quantiles of Beta(x, n - x + 1) and Beta(x + 1, n - x) (Clopper and Pearson 1934);
/// `None` without trials or with more hits than trials.
pub fn clopper_pearson(hits: u64, trials: u64, level: f64) -> Option<(f64, f64)> {
    if trials == 0 || hits > trials || !(level > 0.0 && level < 1.0) {
        return None;
    }
    let tail = (1.0 - level) / 2.0;
    let (x, n) = (hits as f64, trials as f64);
    let low = if hits == 0 { 0.0 } else { beta_quantile(x, n - x + 1.0, tail) };
    let high = if hits == trials { 1.0 } else { beta_quantile(x + 1.0, n - x, 1.0 - tail) };
    Some((low, high))
}

/// By bisection: the regularised incomplete beta function rises with its argument.
fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if beta_reg(a, b, middle) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::clopper_pearson;

    #[test]
    fn agrees_with_the_binomial_tails() {
        // At the ends the binomial tail has a closed form; inside, bisection of the exact binomial tail gives these.
        for (hits, trials, low, high) in [
            (0, 3, 0.0, 1.0 - 0.025f64.powf(1.0 / 3.0)),
            (3, 3, 0.025f64.powf(1.0 / 3.0), 1.0),
            (0, 83, 0.0, 1.0 - 0.025f64.powf(1.0 / 83.0)),
            (1, 10, 0.0025285785444618125, 0.4450161170281953),
            (5, 100, 0.01643187918205219, 0.11283491110546279),
        ] {
            let (got_low, got_high) = clopper_pearson(hits, trials, 0.95).unwrap();
            assert!(
                (got_low - low).abs() < 1e-9 && (got_high - high).abs() < 1e-9,
                "{hits}/{trials}: {got_low} {got_high}"
            );
        }
        assert_eq!(clopper_pearson(0, 0, 0.95), None);
        assert_eq!(clopper_pearson(2, 1, 0.95), None);
    }
}
