//! The sign-flip permutation test over cases: under "no change" each case's delta could as well
//! have had the other sign.

use super::exact::is_within_limit;
use super::rng::{Purpose, Stream};
use super::sample::{Sample, gcd};

/// Random flips. Two hundred thousand leave an error as large as that of the reference values, so
/// that one in a few hundred figures would be outside of their tolerance by luck alone.
pub const FLIPS: usize = 1_000_000;

/// Above this many cases the random flips cost more than they tell; the p of t stands.
pub const CASE_LIMIT: usize = 2_000;

/// Two-sided p of the mean delta; `None` without two cases, when all deltas are equal, or above
/// [`CASE_LIMIT`] cases off the lattice.
pub fn p_value(sample: &Sample, seed: u64) -> Option<f64> {
    if sample.units.len() < 2 || sample.all_equal() {
        return None;
    }
    if let Some(p) = exact(sample) {
        return Some(p);
    }
    (sample.units.len() <= CASE_LIMIT).then(|| {
        // In an order of their own: the same cases in another order have the same p.
        let mut deltas: Vec<f64> = sample.units.iter().map(|u| u.delta).collect();
        deltas.sort_unstable_by(f64::total_cmp);
        flipped(&deltas, seed)
    })
}

/// Additions beyond which random flips take over: about a second.
const WORK_LIMIT: f64 = 2e9;

/// Exact p on a lattice: the product of two-point distributions.
///
/// A sum of signed |d_i| is 2 A - D, with D the sum of all |d_i| and A that of a random half of
/// them, so P(|sum| >= |observed|) = 2 P(A <= h) with h the smaller of the positive and the negative
/// part. Only sums up to h are followed, and only additions of positive numbers happen, so a small p
/// keeps its digits.
fn exact(sample: &Sample) -> Option<f64> {
    if !is_within_limit(sample) {
        return None;
    }
    let lattice = sample.lattice? as f64;
    let sums: Vec<i64> = sample.units.iter().map(|u| (u.delta * lattice).round() as i64).collect();
    let (mut positive, mut negative, mut step) = (0u64, 0u64, 0u64);
    for sum in &sums {
        if *sum > 0 {
            positive += *sum as u64
        } else {
            negative += sum.unsigned_abs()
        }
        step = gcd(step, sum.unsigned_abs());
    }
    if positive == negative {
        return Some(1.0);
    }
    let h = (positive.min(negative) / step) as usize;
    let mut sizes: Vec<usize> =
        sums.iter().filter(|s| **s != 0).map(|s| (s.unsigned_abs() / step) as usize).collect();
    if sizes.len() as f64 * h as f64 > WORK_LIMIT {
        return None;
    }
    sizes.sort_unstable();
    Some((2.0 * lower_tail(&sizes, h)).min(1.0))
}

/// P(A <= h) for A the sum of a random half of `sizes`.
fn lower_tail(sizes: &[usize], h: usize) -> f64 {
    // Probabilities below this are followed no further: all of them together stay far below any
    // p that a person could read.
    const NEGLIGIBLE: f64 = 1e-60;
    let (mut now, mut next) = (vec![0.0; h + 1], vec![0.0; h + 1]);
    now[0] = 1.0;
    // Both arrays are zero outside low..=high, the part that holds anything.
    let (mut low, mut high) = (0, 0);
    for &size in sizes {
        let top = (high + size).min(h);
        next[low..=top].copy_from_slice(&now[low..=top]);
        if low + size <= top {
            let shifted = &now[low..=top - size];
            next[low + size..=top].iter_mut().zip(shifted).for_each(|(a, b)| *a += b);
        }
        next[low..=top].iter_mut().for_each(|p| *p *= 0.5);
        now[low..=top].fill(0.0);
        std::mem::swap(&mut now, &mut next);
        high = top;
        while low < high && now[low] < NEGLIGIBLE {
            now[low] = 0.0;
            low += 1;
        }
        while high > low && now[high] < NEGLIGIBLE {
            now[high] = 0.0;
            high -= 1;
        }
    }
    now[low..=high].iter().sum()
}

/// Random flips: (c + 1) / (B + 1) with c the flips that reach the observed sum.
fn flipped(deltas: &[f64], seed: u64) -> f64 {
    // Flips of one stream: 64 of its words hold the signs of 64 cases for a flip each.
    const BLOCK: usize = 1_000;
    let observed = deltas.iter().sum::<f64>().abs() * (1.0 - 1e-12);
    let tables: Vec<[f64; 256]> = deltas.chunks(8).map(signed_sums).collect();
    let mut reached = 0usize;
    for block in 0..FLIPS / BLOCK {
        let mut stream = Stream::new(seed, Purpose::SignFlip, block as u64);
        for _ in 0..BLOCK {
            let mut sum = 0.0;
            for eight in tables.chunks(8) {
                let signs = stream.next_u64().to_le_bytes();
                sum += eight.iter().zip(signs).map(|(table, byte)| table[byte as usize]).sum::<f64>();
            }
            reached += usize::from(sum.abs() >= observed);
        }
    }
    (reached + 1) as f64 / (FLIPS + 1) as f64
}

/// The sums of up to eight deltas under each of their sign patterns.
fn signed_sums(deltas: &[f64]) -> [f64; 256] {
    std::array::from_fn(|bits| {
        deltas.iter().enumerate().map(|(i, d)| if bits >> i & 1 == 1 { *d } else { -d }).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enumerated(deltas: &[f64]) -> f64 {
        let observed = deltas.iter().sum::<f64>().abs();
        let n = deltas.len();
        let reach = |bits: &u32| {
            let sum: f64 =
                deltas.iter().enumerate().map(|(i, d)| if bits >> i & 1 == 1 { *d } else { -d }).sum();
            sum.abs() >= observed - 1e-9
        };
        (0..1u32 << n).filter(reach).count() as f64 / f64::from(1u32 << n)
    }

    #[test]
    fn exact_and_random_flips_agree_with_enumeration() {
        let tables: [&[f64]; 5] = [
            &[1.0, 2.0, 3.0, -1.0, 0.0, 5.0],
            &[1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 0.0],
            &[10.0, -10.0, 4.0, 6.0, -2.0, 8.0, 8.0, -6.0],
            &[3.0, -3.0, 1.0],
            &[7.0, 9.0, -1.0, 30.0, -12.0, 5.0, 5.0, 5.0, -9.0, 2.0, 41.0],
        ];
        for deltas in tables {
            let want = enumerated(deltas);
            let exact = p_value(&Sample::of_deltas(deltas, Some(1)), 7).unwrap();
            assert!((exact - want).abs() < 1e-14, "{deltas:?}: {exact} for {want}");
            let random = p_value(&Sample::of_deltas(deltas, None), 7).unwrap();
            assert!((random - want).abs() < 0.005, "{deltas:?}: {random} for {want}");
        }
    }

    #[test]
    fn no_p_where_nothing_can_be_said() {
        assert_eq!(p_value(&Sample::of_deltas(&[1.0], Some(1)), 7), None);
        assert_eq!(p_value(&Sample::of_deltas(&[0.0; 20], Some(1)), 7), None);
        let many: Vec<f64> = (0..2_001).map(|i| f64::from(i).sqrt()).collect();
        assert_eq!(p_value(&Sample::of_deltas(&many, None), 7), None);
    }
}
