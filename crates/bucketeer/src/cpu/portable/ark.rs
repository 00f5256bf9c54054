//! Any field, by arkworks' own arithmetic.

use std::marker::PhantomData;
use std::ops::Deref;

use super::arithmetic::Arithmetic;
use crate::WordField;
use crate::curve::{read_element as read, write_element as write};

/// A field of arkworks.
pub(super) struct Ark<F>(pub PhantomData<F>);

/// An element read from a point, by value.
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
    type Loose<const B: u32> = F;
    type Base = F::BasePrimeField;
    type Stored<'a> = Copied<F>;

    // arkworks chooses its instructions by the target of the crate.
    const ADX: bool = false;
    const PAIRED: bool = false;

    fn zero(&self) -> F {
        F::ZERO
    }

    fn one(&self) -> F {
        F::ONE
    }

    #[inline(always)]
    fn loose(a: &F) -> &F {
        a
    }

    #[inline(always)]
    fn widen<const A: u32, const B: u32>(a: &F) -> &F {
        a
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
    fn mul<const A: u32, const B: u32>(&self, a: &F, b: &F) -> F {
        *a * b
    }

    #[inline(always)]
    fn square<const A: u32>(&self, a: &F) -> F {
        a.square()
    }

    #[inline(always)]
    fn loose_mul<const A: u32, const B: u32, const OUT: u32>(&self, a: &F, b: &F) -> F {
        *a * b
    }

    #[inline(always)]
    fn loose_sub(&self, a: &F, b: &F) -> F {
        *a - b
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
