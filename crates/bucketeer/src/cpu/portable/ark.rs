//! Any field, by arkworks' own arithmetic.

use std::marker::PhantomData;
use std::ops::Deref;

use super::arithmetic::Arithmetic;
use crate::WordField;
use crate::cpu::formulas::{read, write};

/// A field of arkworks.
pub(super) struct Ark<F>(pub PhantomData<F>);

/// An element that was stored.
#[derive(Clone, Copy)]
pub(super) struct Copied<F>(F);

impl<F> Deref for Copied<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.0
    }
}

impl<F: WordField> Arithmetic for Ark<F> {
    type Element = F;
    type Base = F::BasePrimeField;
    type Stored<'a> = Copied<F>;

    // What arkworks compiles for depends on the crate's target.
    const ADX: bool = false;
    const PAIRED: bool = false;

    fn zero(&self) -> F {
        F::ZERO
    }

    fn one(&self) -> F {
        F::ONE
    }

    #[inline(always)]
    fn add(&self, a: &F, b: &F) -> F {
        *a + b
    }

    #[inline(always)]
    fn sub(&self, a: &F, b: &F) -> F {
        *a - b
    }

    #[inline(always)]
    fn negate_if(&self, negative: bool, a: &F) -> F {
        if negative { -*a } else { *a }
    }

    #[inline(always)]
    fn mul(&self, a: &F, b: &F) -> F {
        *a * b
    }

    #[inline(always)]
    fn square(&self, a: &F) -> F {
        a.square()
    }

    fn scale(&self, a: &F, k: &F::BasePrimeField) -> F {
        a.mul_by_base_prime_field(k)
    }

    fn invert(&self, a: &F) -> F {
        a.inverse().unwrap_or(F::ZERO)
    }

    #[inline(always)]
    fn read(&self, half: &[u64]) -> Copied<F> {
        Copied(read(half))
    }

    #[inline(always)]
    fn write(&self, a: &F, half: &mut [u64]) {
        write(a, half);
    }
}
