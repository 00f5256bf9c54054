//! The field operations of the portable kernel.
//!
//! Factors of products need not be reduced. A [`Loose`](Arithmetic::Loose) value has the bound on
//! it in its type, as a number of 36ths of p: then all bounds of an addition are whole numbers.
//! With R ≥ 4p, a product of A/36·p and B/36·p is below p + a·b/R, that is (36 + A·B/144)/36·p:
//!
//! | value | bound |
//! | --- | --- |
//! | product of denominators before this one, times a reduced one | 36 + 48·36/144 = [`CHAIN`] |
//! | inverse of one denominator: two such products | 36 + 48·48/144 = [`INVERSE`] |
//! | difference a − b + p | 36 + 36 = [`TWICE`] |
//! | slope: a difference times an inverse | 36 + 72·52/144 = [`SLOPE`] |
//! | slope times a difference, before its reduction | 36 + 72·62/144 = 67 |
//!
//! All are below 2p, so that one conditional subtraction reduces them. The remaining 5/36·p cover
//! moduli that exceed R/4 by less than 2^−62 of it, as those of Pallas and Vesta do. Fields with a
//! larger modulus reduce every result and use the same types.

use std::ops::Deref;

/// p itself.
pub(super) const P: u32 = 36;
/// Products of denominators, and their inverses.
pub(super) const CHAIN: u32 = 48;
/// The inverse of one denominator.
pub(super) const INVERSE: u32 = 52;
/// Slopes of lines through two points.
pub(super) const SLOPE: u32 = 62;
/// Differences.
pub(super) const TWICE: u32 = 72;

/// The bound on a product of factors with these bounds.
pub(super) const fn product(a: u32, b: u32) -> u32 {
    P + (a * b).div_ceil(4 * P)
}

/// A field's operations, on elements in the field's own representation.
pub(super) trait Arithmetic: Send + Sync {
    /// A reduced element: equal values are equal.
    type Element: Copy + PartialEq + Send + Sync + 'static;
    /// A value of at most `BOUND`/36·p.
    type Loose<const BOUND: u32>: Copy + Send + Sync + 'static;
    /// An element stored in a point.
    type Stored<'a>: Copy + Deref<Target = Self::Element>;
    /// An element of the prime field.
    type Base: Copy + Send + Sync;

    /// Whether the processor has BMI2 and ADX, for which kernels are then compiled.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    const ADX: bool;

    /// Whether two additions are computed at a time: the products of one depend on each other, and
    /// a reorder buffer holds only a few products.
    const PAIRED: bool;

    fn zero(&self) -> Self::Element;
    fn one(&self) -> Self::Element;

    /// The element as a loose value.
    fn loose(a: &Self::Element) -> &Self::Loose<P>;
    /// The same value under a weaker bound.
    fn widen<const A: u32, const B: u32>(a: &Self::Loose<A>) -> &Self::Loose<B>;

    fn add(&self, a: &Self::Element, b: &Self::Loose<P>) -> Self::Element;
    fn sub(&self, a: &Self::Element, b: &Self::Loose<P>) -> Self::Element;

    /// −a if `negative`, otherwise a. Not reduced: −0 is p.
    fn negate_if(&self, negative: bool, a: &Self::Element) -> Self::Loose<P>;

    /// a·b
    fn mul<const A: u32, const B: u32>(
        &self,
        a: &Self::Loose<A>,
        b: &Self::Loose<B>,
    ) -> Self::Element;
    /// a²
    fn square<const A: u32>(&self, a: &Self::Loose<A>) -> Self::Element;

    /// a·b, not reduced.
    fn loose_mul<const A: u32, const B: u32, const OUT: u32>(
        &self,
        a: &Self::Loose<A>,
        b: &Self::Loose<B>,
    ) -> Self::Loose<OUT>;

    /// a − b, not reduced.
    fn loose_sub(&self, a: &Self::Loose<P>, b: &Self::Loose<P>) -> Self::Loose<TWICE>;

    /// Product with an element of the prime field.
    fn scale(&self, a: &Self::Element, k: &Self::Base) -> Self::Element;

    /// 1/a for a ≠ 0.
    fn invert(&self, a: &Self::Loose<CHAIN>) -> Self::Element;

    /// The element in the first words of half a point.
    fn read<'a>(&self, half: &'a [u64]) -> Self::Stored<'a>;

    /// Writes an element into half a point.
    fn write(&self, a: &Self::Element, half: &mut [u64]);
}
