//! Numbers as the tables write them: one function, so that equal numbers are equal bytes.

use std::fmt::Write;

/// A number with at most six decimals, no exponent, no `-0`; empty when it is not finite.
pub fn decimal(number: f64) -> String {
    if !number.is_finite() {
        return String::new();
    }
    quickly(number).unwrap_or_else(|| exactly(number))
}

/// In millionths as an integer, where rounding the product is sure to give the same digits: a table of
/// a million cells is written in half the time.
fn quickly(number: f64) -> Option<String> {
    let scaled = number.abs() * 1e6;
    // The product is off by at most half a unit in its last place, 2^-53 of it.
    let off = scaled * 2.0 * f64::EPSILON;
    if scaled >= 1e15 || (scaled.fract() - 0.5).abs() <= off {
        return None;
    }
    let millionths = scaled.round() as u64;
    let sign = if number < 0.0 && millionths > 0 { "-" } else { "" };
    let (whole, rest) = (millionths / 1_000_000, millionths % 1_000_000);
    let mut text = format!("{sign}{whole}");
    if rest > 0 {
        let _ = write!(text, ".{rest:06}");
        text.truncate(text.trim_end_matches('0').len());
    }
    Some(text)
}

fn exactly(number: f64) -> String {
    let text = format!("{number:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_way_gives_the_exact_digits() {
        let mut state = 1u64;
        let mut quick = 0;
        for i in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let spread = (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            // Values of all sizes, and those that stand at a tie or next to one.
            let number = match i % 4 {
                0 => spread * 10f64.powi(i % 23 - 9),
                1 => (spread * 1e7).round() / 2e6,
                2 => ((spread * 1e7).round() + 0.5) / 1e6,
                _ => (((spread * 1e7).round() + 0.5) / 1e6).next_up(),
            };
            if let Some(text) = quickly(number) {
                quick += 1;
                assert_eq!(text, exactly(number), "{number:e}");
            }
        }
        assert!(quick > 50_000, "{quick}");
    }

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
