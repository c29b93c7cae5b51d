//! One metric over all attempts, kept small.

/// Values in row order, each possibly absent. Nearly all are counts that fit 32 bits; a column
/// that holds another number becomes wide and loses nothing.
#[derive(Debug, Clone)]
pub struct Column(Values);

#[derive(Debug, Clone)]
enum Values {
    /// [`ABSENT`] where there is none.
    Narrow(Vec<u32>),
    /// NaN where there is none.
    Wide(Vec<f64>),
}

const ABSENT: u32 = u32::MAX;

impl Default for Column {
    fn default() -> Self {
        Self(Values::Narrow(Vec::new()))
    }
}

impl Column {
    /// An empty column with room for `rows` values.
    pub fn with_capacity(rows: usize) -> Self {
        Self(Values::Narrow(Vec::with_capacity(rows)))
    }

    /// Appends a row's value; one that is not finite is absent.
    pub fn push(&mut self, value: Option<f64>) {
        let value = value.filter(|value| value.is_finite());
        match (&mut self.0, value) {
            (Values::Narrow(values), None) => values.push(ABSENT),
            (Values::Narrow(values), Some(value)) if fits(value) => values.push(value as u32),
            (Values::Narrow(values), Some(value)) => {
                let mut wide: Vec<f64> = values.iter().map(|v| widen(*v)).collect();
                wide.push(value);
                self.0 = Values::Wide(wide);
            }
            (Values::Wide(values), value) => values.push(value.unwrap_or(f64::NAN)),
        }
    }

    pub fn get(&self, row: usize) -> Option<f64> {
        let value = match &self.0 {
            Values::Narrow(values) => widen(*values.get(row)?),
            Values::Wide(values) => *values.get(row)?,
        };
        (!value.is_nan()).then_some(value)
    }

    pub fn len(&self) -> usize {
        match &self.0 {
            Values::Narrow(values) => values.len(),
            Values::Wide(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether no row has a value.
    pub fn is_blank(&self) -> bool {
        (0..self.len()).all(|row| self.get(row).is_none())
    }

    /// All values, as the statistics take them.
    pub fn values(&self) -> Vec<Option<f64>> {
        (0..self.len()).map(|row| self.get(row)).collect()
    }
}

fn fits(value: f64) -> bool {
    value >= 0.0 && value < f64::from(ABSENT) && value.fract() == 0.0 && value.is_sign_positive()
}

fn widen(value: u32) -> f64 {
    if value == ABSENT { f64::NAN } else { f64::from(value) }
}

#[cfg(test)]
mod tests {
    use super::Column;

    #[test]
    fn keeps_every_value_when_it_becomes_wide() {
        let values =
            [Some(0.0), None, Some(7.0), Some(4294967294.0), Some(4294967295.0), None, Some(0.5), Some(-1.0)];
        let mut column = Column::default();
        values.iter().for_each(|value| column.push(*value));
        assert_eq!(column.values(), values);
        column.push(Some(f64::INFINITY));
        assert_eq!(column.get(8), None);
        assert_eq!(column.get(9), None);
    }
}
