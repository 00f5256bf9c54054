//! What the portable kernel asks of a field.

/// A field's operations, on elements whose form is the field's own affair.
pub(super) trait Arithmetic: Send + Sync {
    /// An element, reduced: equal values are equal.
    type Element: Copy + PartialEq + Send + Sync + 'static;
    /// An element of the prime field.
    type Base: Copy + Send + Sync;

    /// Whether the processor has BMI2 and ADX, for which kernels are then compiled.
    const ADX: bool;

    fn zero(&self) -> Self::Element;
    fn one(&self) -> Self::Element;
    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    fn sub(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;

    /// −a where asked. Not reduced: it may be p where a is zero, which sums, differences and products take.
    fn negate_if(&self, negative: bool, a: &Self::Element) -> Self::Element;

    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    fn square(&self, a: &Self::Element) -> Self::Element;

    /// Product with an element of the prime field.
    fn scale(&self, a: &Self::Element, k: &Self::Base) -> Self::Element;

    /// 1/a, for a ≠ 0.
    fn invert(&self, a: &Self::Element) -> Self::Element;

    /// The element in the first words of half a point.
    fn read(&self, half: &[u64]) -> Self::Element;

    /// Writes an element into half a point.
    fn write(&self, a: &Self::Element, half: &mut [u64]);
}
