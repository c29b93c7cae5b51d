//! Corrections for looking at several p-values at once.

/// Holm's step-down adjustment (1979). Absent p-values stay absent and do not count.
pub fn holm(p: &[Option<f64>]) -> Vec<Option<f64>> {
    let order = ascending(p);
    let mut adjusted = vec![None; p.len()];
    let mut running: f64 = 0.0;
    for (rank, &(index, p)) in order.iter().enumerate() {
        running = running.max((p * (order.len() - rank) as f64).min(1.0));
        adjusted[index] = Some(running);
    }
    adjusted
}

/// Benjamini and Hochberg's step-up adjustment (1995), for exploring rather than judging.
pub fn benjamini_hochberg(p: &[Option<f64>]) -> Vec<Option<f64>> {
    let order = ascending(p);
    let mut adjusted = vec![None; p.len()];
    let mut running: f64 = 1.0;
    for (rank, &(index, p)) in order.iter().enumerate().rev() {
        running = running.min(p * order.len() as f64 / (rank + 1) as f64);
        adjusted[index] = Some(running);
    }
    adjusted
}

fn ascending(p: &[Option<f64>]) -> Vec<(usize, f64)> {
    let mut order: Vec<(usize, f64)> = p.iter().enumerate().filter_map(|(i, p)| p.map(|p| (i, p))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    order
}
