//! Numbers as the tables write them: one function, so that equal numbers are equal bytes.

/// A number with at most six decimals, no exponent, no `-0`; empty when it is not finite.
pub fn decimal(number: f64) -> String {
    if !number.is_finite() {
        return String::new();
    }
    let text = format!("{number:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_most_six_decimals_and_never_an_exponent() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (-0.0000001, "0"),
            (1.0, "1"),
            (1e20, "100000000000000000000"),
            (-13.25, "-13.25"),
            (1.0 / 3.0, "0.333333"),
            (2.0 / 3.0, "0.666667"),
            (1e-6, "0.000001"),
            (100.0, "100"),
            (f64::NAN, ""),
            (f64::NEG_INFINITY, ""),
        ] {
            assert_eq!(decimal(number), text);
        }
    }
}
