//! Resampled sums of many units: how often each was drawn, times its number.

use super::bootstrap::Draws;
use super::multinomial::{BLOCK, Dealt};

/// Resamples that share a walk over the columns.
const TOGETHER: usize = 16;

/// Units whose columns stay in the fastest cache while all resamples of a batch pass over them.
const TILE: usize = 256;

/// Fills `sums`, one row of a number a column for each resample.
pub(super) fn draw(columns: &[&[f64]], draws: &Draws, sums: &mut [f64]) {
    let (units, width) = (columns[0].len(), columns.len());
    let mut counts = vec![[0u8; BLOCK]; TOGETHER];
    for (batch, rows) in sums.chunks_mut(width * TOGETHER).enumerate() {
        rows.fill(0.0);
        let first = batch * TOGETHER;
        let dealt = (first..first + rows.len() / width).map(|i| Dealt::new(draws.stream(i), units));
        let mut dealt: Vec<Dealt> = dealt.collect();
        for block in 0..units.div_ceil(BLOCK) {
            dealt.iter_mut().zip(&mut counts).for_each(|(dealt, counts)| dealt.counts(block, counts));
            add_block(columns, block * BLOCK, &counts, rows);
        }
    }
}

/// Adds the block of units from `first` on, tile by tile.
fn add_block(columns: &[&[f64]], first: usize, counts: &[[u8; BLOCK]], rows: &mut [f64]) {
    let mut weights = [0.0; TILE];
    let end = columns[0].len().min(first + BLOCK);
    for from in (first..end).step_by(TILE) {
        let to = end.min(from + TILE);
        for (row, counts) in rows.chunks_exact_mut(columns.len()).zip(counts) {
            let weights = &mut weights[..to - from];
            let counts = &counts[from - first..];
            weights.iter_mut().zip(counts).for_each(|(weight, count)| *weight = f64::from(*count));
            for (sum, column) in row.iter_mut().zip(columns) {
                *sum += dot(weights, &column[from..to]);
            }
        }
    }
}

/// The inner product, in four partial sums (a fixed order of addition).
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (quads, rest) = (a.chunks_exact(4).zip(b.chunks_exact(4)), a.len() / 4 * 4);
    for (a, b) in quads {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    for (a, b) in a[rest..].iter().zip(&b[rest..]) {
        sums[0] += a * b;
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_summed_as_often_as_they_were_drawn() {
        let units = BLOCK + 2 * TILE + 13;
        let column = |c: usize| (0..units).map(|i| (i * (c + 3) % 101) as f64 - 40.0).collect();
        let columns: Vec<Vec<f64>> = (0..6).map(column).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let draws = Draws { seed: 3, first: 11 };
        // One batch and three resamples. Integers add up without rounding.
        let mut sums = vec![1.0; (TOGETHER + 3) * columns.len()];
        draw(&columns, &draws, &mut sums);
        for (i, row) in sums.chunks_exact(columns.len()).enumerate() {
            let mut dealt = Dealt::new(draws.stream(i), units);
            let mut counts = [[0; BLOCK]; 2];
            counts.iter_mut().enumerate().for_each(|(block, counts)| dealt.counts(block, counts));
            let counts = counts.as_flattened();
            for (column, sum) in columns.iter().zip(row) {
                let wanted: f64 = column.iter().zip(counts).map(|(v, n)| v * f64::from(*n)).sum();
                assert_eq!(*sum, wanted);
            }
        }
    }
}
