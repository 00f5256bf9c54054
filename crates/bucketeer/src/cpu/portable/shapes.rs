//! The choice of a portable kernel for a curve's field.

use std::marker::PhantomData;

use num_bigint::BigUint;

use super::Portable;
use super::ark::Ark;
use super::edwards::Edwards;
use super::prime::Prime;
use super::quadratic::Quadratic;
use super::residues::Reduced;
use crate::cpu::kernel::{AnyKernel, Formulas, Kernel};
use crate::curve::xyzz::Xyzz;
use crate::{CurveSpec, Error, WordField};

/// A kernel on points of W words.
type Boxed<const W: usize> = Box<dyn Kernel<W>>;

/// The portable kernel of a curve, at the narrowest width that holds two elements of `F`. The width
/// depends on the field alone, so each field is compiled for one width.
pub(crate) fn kernel<F: WordField>(curve: &CurveSpec, a: F) -> Result<AnyKernel, Error> {
    if const { F::WORDS > 24 } {
        return Err(Error::InvalidSetting {
            setting: "base field",
            value: std::any::type_name::<F>().into(),
            reason: "elements must have at most 24 words of 64 bits".into(),
        });
    }
    Ok(if const { F::WORDS <= 4 } {
        AnyKernel::W8(choose(curve, a, four_words::<F>).into())
    } else if const { F::WORDS <= 6 } {
        AnyKernel::W12(choose(curve, a, six_words::<F>).into())
    } else if const { F::WORDS <= 8 } {
        AnyKernel::W16(choose(curve, a, eight_words::<F>).into())
    } else if const { F::WORDS <= 12 } {
        AnyKernel::W24(choose(curve, a, twelve_words::<F>).into())
    } else {
        AnyKernel::W48(choose(curve, a, |_, formulas| Err(formulas)).into())
    })
}

/// The kernel on words if `own` has one for the field, and on arkworks' field otherwise.
fn choose<F: WordField, const W: usize>(
    curve: &CurveSpec,
    a: F,
    own: impl FnOnce(&CurveSpec, Box<dyn Formulas<W>>) -> Own<W>,
) -> Boxed<W> {
    let formulas: Box<dyn Formulas<W>> = Box::new(Xyzz { a });
    let exact = curve.montgomery && 2 * curve.degree * curve.limbs == W;
    let made = if exact { own(curve, formulas) } else { Err(formulas) };
    made.unwrap_or_else(|formulas| {
        let beta = curve.endomorphism.as_ref().map(|e| e.beta.clone().into());
        Box::new(Portable { field: Ark(PhantomData::<F>), a, beta, edwards: None, formulas })
    })
}

/// The result of the functions below: a kernel, or the formulas back if there is none.
type Own<const W: usize> = Result<Boxed<W>, Box<dyn Formulas<W>>>;

// The branches below are constant, so each field is compiled for one kernel.

fn four_words<F: WordField>(curve: &CurveSpec, formulas: Box<dyn Formulas<8>>) -> Own<8> {
    if const { F::PRIME_WORDS != 4 } {
        Err(formulas)
    } else if const { spare(F::TOP_WORD) == 2 } {
        Ok(prime::<4, 2, 8>(curve, formulas))
    } else if const { spare(F::TOP_WORD) == 1 } {
        Ok(prime::<4, 1, 8>(curve, formulas))
    } else {
        Ok(prime::<4, 0, 8>(curve, formulas))
    }
}

fn six_words<F: WordField>(curve: &CurveSpec, formulas: Box<dyn Formulas<12>>) -> Own<12> {
    if const { F::PRIME_WORDS == 6 && spare(F::TOP_WORD) == 2 } {
        Ok(prime::<6, 2, 12>(curve, formulas))
    } else {
        Err(formulas)
    }
}

fn eight_words<F: WordField>(curve: &CurveSpec, formulas: Box<dyn Formulas<16>>) -> Own<16> {
    if const { F::WORDS == 8 && F::PRIME_WORDS == 4 } {
        quadratic::<4, 16>(curve, formulas)
    } else {
        Err(formulas)
    }
}

fn twelve_words<F: WordField>(curve: &CurveSpec, formulas: Box<dyn Formulas<24>>) -> Own<24> {
    if const { F::PRIME_WORDS == 12 && spare(F::TOP_WORD) == 2 } {
        Ok(prime::<12, 2, 24>(curve, formulas))
    } else if const { F::WORDS == 12 && F::PRIME_WORDS == 6 } {
        quadratic::<6, 24>(curve, formulas)
    } else {
        Err(formulas)
    }
}

fn prime<const N: usize, const SPARE: u32, const W: usize>(
    curve: &CurveSpec,
    formulas: Box<dyn Formulas<W>>,
) -> Boxed<W> {
    let (a, beta) = (element(curve, &curve.weierstrass[0][0]), beta(curve));
    let edwards = curve.edwards_to_weierstrass().map(|[factor, offset]| Edwards {
        factor: element(curve, &factor),
        offset: element(curve, &offset),
    });
    if has_adx() {
        let field = Prime::<N, SPARE, true>::new(&curve.modulus);
        Box::new(Portable { field, a, beta, edwards, formulas })
    } else {
        let field = Prime::<N, SPARE, false>::new(&curve.modulus);
        Box::new(Portable { field, a, beta, edwards, formulas })
    }
}

fn quadratic<const N: usize, const W: usize>(
    curve: &CurveSpec,
    formulas: Box<dyn Formulas<W>>,
) -> Own<W> {
    let Some(k) = small_square(curve) else { return Err(formulas) };
    let a = std::array::from_fn(|i| element(curve, &curve.weierstrass[0][i]));
    let beta = beta(curve);
    Ok(if has_adx() {
        let field = Quadratic::<N, true>::new(&curve.modulus, k);
        Box::new(Portable { field, a, beta, edwards: None, formulas })
    } else {
        let field = Quadratic::<N, false>::new(&curve.modulus, k);
        Box::new(Portable { field, a, beta, edwards: None, formulas })
    })
}

/// Bits of its words that a p with this highest word leaves unused, as [`Prime`] counts them: two
/// also for a p that exceeds R/4 by less than 2^−62 of it.
pub(super) const fn spare(top: u64) -> u32 {
    if top <= 1 << 62 { 2 } else { top.leading_zeros() }
}

/// k if the quadratic extension adjoins a square root of −k for a small k, and p leaves two bits of
/// its words unused.
pub(super) fn small_square(curve: &CurveSpec) -> Option<u64> {
    let k = u64::try_from(&curve.modulus - curve.non_residue.as_ref()?).ok()?;
    (k < 8 && curve.modulus.bits() as usize + 2 <= 64 * curve.limbs).then_some(k)
}

#[cfg(target_arch = "x86_64")]
pub(super) fn has_adx() -> bool {
    is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("adx")
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn has_adx() -> bool {
    false
}

/// The Montgomery form of an integer modulo p.
fn element<const N: usize>(curve: &CurveSpec, value: &BigUint) -> Reduced<N> {
    Reduced::shifted(value, 1, &curve.modulus)
}

fn beta<const N: usize>(curve: &CurveSpec) -> Option<Reduced<N>> {
    curve.endomorphism.as_ref().map(|e| element(curve, &e.beta))
}
