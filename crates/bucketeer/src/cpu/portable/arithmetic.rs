//! What the portable kernel asks of a field.

use std::ops::Deref;

/// A field's operations, on elements whose form is the field's own affair.
pub(super) trait Arithmetic: Send + Sync {
    /// An element, reduced unless said otherwise: equal values are equal.
    type Element: Copy + PartialEq + Send + Sync + 'static;
    /// One that is stored in a point.
    type Stored<'a>: Copy + Deref<Target = Self::Element>;
    /// An element of the prime field.
    type Base: Copy + Send + Sync;

    /// Whether the processor has BMI2 and ADX, for which kernels are then compiled.
    const ADX: bool;

    /// Whether sums are made two at a time: in each of them one product waits for another, and a processor sees no further
    /// than a few products ahead.
    const PAIRED: bool;

    fn zero(&self) -> Self::Element;
    fn one(&self) -> Self::Element;
    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    fn sub(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;

    /// −a where asked. Not reduced: it may be p where a is zero, which sums, differences and products take.
    fn negate_if(&self, negative: bool, a: &Self::Element) -> Self::Element;

    /// a·b; one factor may be a loose product and the other a loose difference.
    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// a², which may be a loose product.
    fn square(&self, a: &Self::Element) -> Self::Element;

    /// a·b, not reduced: a factor of further products. Of its own factors one may be such a product and the other such a
    /// product or difference.
    fn loose_mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.mul(a, b)
    }

    /// a − b, not reduced: a factor of further products.
    fn loose_sub(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.sub(a, b)
    }

    /// Product with an element of the prime field.
    fn scale(&self, a: &Self::Element, k: &Self::Base) -> Self::Element;

    /// 1/a, for a ≠ 0, which may be a loose product.
    fn invert(&self, a: &Self::Element) -> Self::Element;

    /// The element in the first words of half a point.
    fn read<'a>(&self, half: &'a [u64]) -> Self::Stored<'a>;

    /// Writes an element into half a point.
    fn write(&self, a: &Self::Element, half: &mut [u64]);
}
