//! Circuits with a witness.

use ark_ff::PrimeField;

/// Columns and values of a row.
pub type Row<F> = Vec<(u32, F)>;

/// A constraint system `A·w ∘ B·w = C·w` and a witness that satisfies it.
pub struct Circuit<F> {
    /// Public signals, without the constant 1; they come after it.
    pub public: usize,
    /// The rows of A, B and C.
    pub constraints: Vec<[Row<F>; 3]>,
    /// The values of all signals, 1 first.
    pub witness: Vec<F>,
}

/// A chain of `length` products. Every constraint multiplies sums of earlier signals and has a
/// signal of its own for the product.
pub fn chain<F: PrimeField>(length: usize, public: usize) -> Circuit<F> {
    let seeds = (1..=public as u64 + 1).map(|i| F::from(1000 + i));
    let mut witness: Vec<F> = std::iter::once(F::ONE).chain(seeds).collect();
    let mut constraints = Vec::new();
    for i in 0..length {
        let last = witness.len() - 1;
        let input = i % (public + 1) + 1;
        let a = vec![(last as u32, F::ONE), (0, F::from(i as u64 + 2))];
        let b = vec![(input as u32, -F::from(3u64)), (last as u32, F::ONE)];
        let value = |row: &Row<F>| -> F { row.iter().map(|(s, v)| witness[*s as usize] * v).sum() };
        let product = value(&a) * value(&b);
        witness.push(product);
        constraints.push([a, b, vec![(last as u32 + 1, F::ONE)]]);
    }
    Circuit { public, constraints, witness }
}

/// One constraint without private signals: `x·x = y` with both public.
pub fn all_public<F: PrimeField>() -> Circuit<F> {
    let one = |signal| vec![(signal, F::ONE)];
    let witness = vec![F::ONE, F::from(5u64), F::from(25u64)];
    Circuit { public: 2, constraints: vec![[one(1), one(1), one(2)]], witness }
}
