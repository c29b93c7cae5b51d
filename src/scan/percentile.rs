//! Percentiles of sizes.

/// The smallest value that at least `percent` of 100 values are not above (nearest rank); `None` of no values.
/// `sorted` ascends.
pub(super) fn percentile(sorted: &[u64], percent: u64) -> Option<u64> {
    let rank = (sorted.len() as u64 * percent).div_ceil(100).max(1) as usize;
    sorted.get(rank.min(sorted.len()).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn ranks_are_the_nearest() {
        let values: Vec<u64> = (1..=10).collect();
        for (percent, expected) in [(0, 1), (50, 5), (51, 6), (90, 9), (99, 10), (100, 10)] {
            assert_eq!(percentile(&values, percent), Some(expected), "{percent}");
        }
        assert_eq!(percentile(&[], 50), None);
        assert_eq!(percentile(&[7], 50), Some(7));
    }
}
