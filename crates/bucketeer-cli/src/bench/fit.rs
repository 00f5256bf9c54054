//! Least squares for rates.
//!
//! A measured time is a sum over rates of count × value. Each row is divided by its time, so that
//! short and long runs weigh the same, and every unknown by its starting value, so that all are
//! near 1. A weak pull towards the starting values decides what the rows leave open.

/// Weight of the starting values against one row.
const PULL: f64 = 1e-3;

/// Share in the time of some row from which an unknown counts as measured.
const LEAST_SHARE: f64 = 1e-3;

/// Smallest plausible ratio of a rate to its starting value.
const LEAST_RATIO: f64 = 0.1;

/// One equation: counts of the unknowns, and the time they take together.
pub struct Row {
    pub counts: Vec<f64>,
    pub nanoseconds: f64,
}

/// The values that fit the rows best; `None` for those that no row contains or that are not
/// plausible. Those keep their starting values, and the others are fitted to that.
pub fn solve(start: &[f64], rows: &[Row]) -> Vec<Option<f64>> {
    let share = |row: &Row, i: usize| row.counts[i] * start[i] / row.nanoseconds;
    let usable: Vec<&Row> = rows.iter().filter(|row| row.nanoseconds > 0.0).collect();
    let seen = |i: &usize| usable.iter().any(|row| share(row, *i) > LEAST_SHARE);
    let mut free: Vec<usize> = (0..start.len()).filter(seen).collect();
    loop {
        let ratios = ratios(&usable, &free, start.len(), share);
        let worst = (0..free.len()).min_by(|a, b| ratios[*a].total_cmp(&ratios[*b]));
        match worst.filter(|i| ratios[*i] < LEAST_RATIO) {
            Some(i) => free.remove(i),
            None => {
                let value = |i: usize| free.iter().position(|own| *own == i).map(|k| ratios[k]);
                let values = start.iter().enumerate();
                return values.map(|(i, start)| value(i).map(|ratio| ratio * start)).collect();
            }
        };
    }
}

/// The free unknowns over their starting values, where all others keep theirs.
fn ratios(
    rows: &[&Row],
    free: &[usize],
    all: usize,
    share: impl Fn(&Row, usize) -> f64,
) -> Vec<f64> {
    let count = free.len();
    let mut matrix = vec![vec![0.0; count + 1]; count];
    for row in rows {
        let fixed = (0..all).filter(|i| !free.contains(i)).map(|i| share(row, i)).sum::<f64>();
        let shares: Vec<f64> = free.iter().map(|i| share(row, *i)).collect();
        for (line, own) in matrix.iter_mut().zip(&shares) {
            for (value, other) in line.iter_mut().zip(&shares) {
                *value += own * other;
            }
            line[count] += own * (1.0 - fixed);
        }
    }
    for (i, line) in matrix.iter_mut().enumerate() {
        line[i] += PULL;
        line[count] += PULL;
    }
    eliminate(matrix)
}

/// Gaussian elimination. The matrix is symmetric and positive definite: no pivots are needed.
fn eliminate(mut matrix: Vec<Vec<f64>>) -> Vec<f64> {
    let count = matrix.len();
    for i in 0..count {
        let pivot = matrix[i].clone();
        for (_, line) in matrix.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let factor = line[i] / pivot[i];
            line.iter_mut().zip(&pivot).for_each(|(value, own)| *value -= factor * own);
        }
    }
    (0..count).map(|i| matrix[i][count] / matrix[i][i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_rows_give_the_rates_back() {
        let rates = [40.0, 70.0, 1000.0];
        let counts = [[1000.0, 10.0, 3.0], [100.0, 200.0, 5.0], [10.0, 10.0, 60.0]];
        let rows = counts.map(|counts| Row {
            nanoseconds: counts.iter().zip(rates).map(|(count, rate)| count * rate).sum(),
            counts: counts.to_vec(),
        });
        let found = solve(&[50.0, 50.0, 800.0], &rows);
        for (value, rate) in found.into_iter().zip(rates) {
            let ratio = value.expect("a value") / rate;
            assert!((0.99..1.01).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn what_no_row_contains_is_left_alone() {
        let rows = [Row { counts: vec![10.0, 0.0], nanoseconds: 100.0 }];
        let found = solve(&[20.0, 3.0], &rows);
        assert!((found[0].expect("a value") - 10.0).abs() < 0.1);
        assert_eq!(found[1], None);
    }

    #[test]
    fn negative_values_are_not_rates() {
        let rows = [
            Row { counts: vec![10.0, 1.0], nanoseconds: 100.0 },
            Row { counts: vec![10.0, 9.0], nanoseconds: 50.0 },
        ];
        let found = solve(&[10.0, 2.0], &rows);
        assert_eq!(found[1], None);
        // The other one explains what is left when this keeps its starting value.
        assert!((3.0..10.0).contains(&found[0].expect("a value")), "{found:?}");
    }
}
