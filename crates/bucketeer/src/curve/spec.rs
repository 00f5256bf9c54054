//! A curve as data for the plan and the backends, read from its arkworks configuration.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use ark_ec::{AffineRepr, CurveConfig};
use ark_ff::{Field, PrimeField};
use num_bigint::BigUint;

use super::words::from_le_words;
use super::{Curve, Endomorphism, endomorphism, is_montgomery};

/// A curve's equation in arkworks' model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model<F> {
    /// `y² = x³ + a·x + b`
    ShortWeierstrass {
        /// Coefficient of `x`.
        a: F,
        /// Constant term.
        b: F,
    },
    /// `a·x² + y² = 1 + d·x²·y²`
    TwistedEdwards {
        /// Coefficient of `x²`.
        a: F,
        /// Coefficient of `x²·y²`.
        d: F,
    },
}

/// The form of the curve that points are added in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// `y² = x³ + a·x + b`
    Weierstrass,
    /// `−x² + y² = 1 + d·x²·y²`, whose additions are the cheapest and need no case distinctions.
    Edwards,
}

/// The form −x² + y² = 1 + d·x²·y² of a curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdwardsForm {
    /// The coefficient d.
    pub d: BigUint,
    /// Whether its addition law is complete: right for every point of the curve, in the subgroup or
    /// not.
    pub complete: bool,
    /// From the affine coordinates of a twisted Edwards curve: x is multiplied by this. From those
    /// of a short Weierstrass curve, with u of [`montgomery`](Self::montgomery): x ↦ scale·u/y, y ↦
    /// (u − 1)/(u + 1).
    pub scale: BigUint,
    /// On short Weierstrass curves the coefficients B and A/3 of the Montgomery model, u = B·x −
    /// A/3.
    pub montgomery: Option<[BigUint; 2]>,
}

/// A curve as data: everything that specialises a plan or a kernel.
///
/// Field elements are canonical integers, one per component of the extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurveSpec {
    /// The equation as arkworks has it.
    pub model: Model<Vec<BigUint>>,
    /// `a` and `b` of the short Weierstrass form the backends compute on.
    pub weierstrass: [Vec<BigUint>; 2],
    /// Characteristic `p` of the base field.
    pub modulus: BigUint,
    /// 64-bit words of one prime-field element.
    pub limbs: usize,
    /// Degree of the base field over its prime field: 1 or 2 for the named curves.
    pub degree: usize,
    /// For degree 2, the square of the extension's generator.
    pub non_residue: Option<BigUint>,
    /// Prime order `r` of the subgroup the scalars belong to.
    pub order: BigUint,
    /// Index of that subgroup in the curve.
    pub cofactor: BigUint,
    /// The GLV endomorphism of curves with `a = 0`, if there is one.
    pub endomorphism: Option<Endomorphism>,
    /// The form −x² + y² = 1 + d·x²·y², if the curve has one.
    pub edwards: Option<EdwardsForm>,
    /// Whether field elements in memory are their Montgomery words.
    pub montgomery: bool,
    /// Whether scalar-field elements in memory are their Montgomery words.
    pub montgomery_scalars: bool,
}

static SPECS: LazyLock<Mutex<HashMap<TypeId, Arc<CurveSpec>>>> = LazyLock::new(Mutex::default);

impl CurveSpec {
    /// The description of `C`, computed once per process.
    pub fn of<C: Curve>() -> Arc<Self> {
        let key = TypeId::of::<C>();
        let lock = || SPECS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(spec) = lock().get(&key) {
            return spec.clone();
        }
        let spec = Arc::new(Self::read::<C>());
        lock().insert(key, spec.clone());
        spec
    }

    fn read<C: Curve>() -> Self {
        let model = match C::model() {
            Model::ShortWeierstrass { a, b } => {
                Model::ShortWeierstrass { a: integers(&a), b: integers(&b) }
            }
            Model::TwistedEdwards { a, d } => {
                Model::TwistedEdwards { a: integers(&a), d: integers(&d) }
            }
        };
        type Config<C> = <C as AffineRepr>::Config;
        Self {
            model,
            weierstrass: C::weierstrass_coefficients().map(|c| integers(&c)),
            modulus: <C::BaseField as Field>::BasePrimeField::MODULUS.into(),
            limbs: C::BaseField::characteristic().len(),
            degree: C::BaseField::extension_degree() as usize,
            non_residue: non_residue::<C::BaseField>(),
            order: C::ScalarField::MODULUS.into(),
            cofactor: from_le_words(Config::<C>::COFACTOR),
            endomorphism: endomorphism::find::<C>(),
            edwards: C::edwards().and_then(|map| map.form(prime)),
            montgomery: is_montgomery::<C::BaseField>(),
            montgomery_scalars: is_montgomery::<C::ScalarField>(),
        }
    }

    /// Bits of the group order.
    pub fn scalar_bits(&self) -> u32 {
        self.order.bits() as u32
    }

    /// For twisted Edwards curves over prime fields: 1/B = (a − d)/4 and A/3B = (a + d)/6 of the
    /// map to the short Weierstrass form (`edwards.rs`).
    pub(crate) fn edwards_to_weierstrass(&self) -> Option<[BigUint; 2]> {
        let Model::TwistedEdwards { a, d } = &self.model else { return None };
        let ([a], [d]) = (a.as_slice(), d.as_slice()) else { return None };
        let p = &self.modulus;
        // Every unit modulo 12 is its own inverse, so this multiple of p is −1 there.
        let multiple = p * (12u32 - p % 12u32);
        let twelfth = (multiple + 1u32) / 12u32;
        Some([(p + a - d) * 3u32 * &twelfth % p, (a + d) * 2u32 * twelfth % p])
    }

    /// Whether the map from the curve's own coordinates to this form takes an inversion.
    #[cfg(any(feature = "cuda", feature = "webgpu"))]
    pub(crate) fn to_edwards_by_inversion(&self, form: Form) -> bool {
        let map = self.edwards.as_ref().filter(|_| form == Form::Edwards);
        map.is_some_and(|map| map.montgomery.is_some())
    }

    /// Bytes of one affine point, both coordinates packed.
    pub fn point_bytes(&self) -> u64 {
        2 * 8 * (self.limbs * self.degree) as u64
    }
}

/// An element of a prime field.
fn prime<F: Field>(element: &F) -> Option<BigUint> {
    integers(element).into_iter().next()
}

fn integers<F: Field>(element: &F) -> Vec<BigUint> {
    element.to_base_prime_field_elements().map(Into::into).collect()
}

fn non_residue<F: Field>() -> Option<BigUint> {
    if F::extension_degree() != 2 {
        return None;
    }
    let parts = [0u64, 1].map(F::BasePrimeField::from);
    let generator = F::from_base_prime_field_elems(parts)?;
    integers(&generator.square()).into_iter().next()
}
