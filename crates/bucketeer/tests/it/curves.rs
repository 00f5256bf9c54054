//! Curves defined here and not by an arkworks crate: what a user with a curve of their own would
//! write.

use ark_ec::models::CurveConfig;
use ark_ec::short_weierstrass::{self, SWCurveConfig};
use ark_ff::{
    AdditiveGroup, BigInt, Fp, Fp192, Fp256, MontBackend, MontConfig, MontFp, QuadExtConfig,
    QuadExtField, SmallFp, SmallFpConfig,
};

use crate::small_order::{group, prime, weierstrass};

/// SEC 2's secp192k1: y² = x³ + 3 over a prime of three words, prime order, with an endomorphism.
pub mod secp192k1 {
    use super::*;

    #[derive(MontConfig)]
    #[modulus = "6277101735386680763835789423207666416102355444459739541047"]
    #[generator = "3"]
    pub struct FqConfig;
    pub type Fq = Fp192<MontBackend<FqConfig, 3>>;

    #[derive(MontConfig)]
    #[modulus = "6277101735386680763835789423061264271957123915200845512077"]
    #[generator = "2"]
    pub struct FrConfig;
    pub type Fr = Fp192<MontBackend<FrConfig, 3>>;

    #[derive(Clone)]
    pub struct Config;
    pub type Affine = short_weierstrass::Affine<Config>;

    impl CurveConfig for Config {
        type BaseField = Fq;
        type ScalarField = Fr;
        const COFACTOR: &'static [u64] = &[1];
        const COFACTOR_INV: Fr = MontFp!("1");
    }

    impl SWCurveConfig for Config {
        const COEFF_A: Fq = Fq::ZERO;
        const COEFF_B: Fq = MontFp!("3");
        const GENERATOR: Affine = Affine::new_unchecked(
            MontFp!("5377521262291226325198505011805525673063229037935769709693"),
            MontFp!("3805108391982600717572440947423858335415441070543209377693"),
        );
        type ZeroFlag = bool;
    }
}

// A field so small that buckets meet equal and opposite sums all the time.
prime! { TinyFqConfig: TinyFq, 1 words, generator = "7", modulus = "65497" }

/// y² = x³ + 7x + 37 over 65497: 65644 = 4·16411 points, one of them of order 2.
pub mod tiny {
    use super::*;

    prime! { FrConfig: Fr, 1 words, generator = "3", modulus = "16411" }
    // 4·4103 = 16412
    group! { TinyFq, inverse = "4103", cofactor = [4] }
    weierstrass! {
        TinyFq, a = MontFp!("7"), b = MontFp!("37"), x = MontFp!("19989"), y = MontFp!("47818")
    }
}

/// y² = x³ + 3 over 65497: 66009 = 3·22003 points, with an endomorphism.
pub mod tiny_glv {
    use super::*;

    prime! { FrConfig: Fr, 1 words, generator = "2", modulus = "22003" }
    // 3·14669 = 2·22003 + 1
    group! { TinyFq, inverse = "14669", cofactor = [3] }
    weierstrass! {
        TinyFq, a = TinyFq::ZERO, b = MontFp!("3"), x = MontFp!("52795"), y = MontFp!("36088")
    }
}

/// y² = x³ + 2 over 67: 73 points, with an endomorphism; both fields with four words where one
/// would do.
pub mod wide {
    use super::*;

    pub struct FqConfig;
    pub type Fq = Fp256<MontBackend<FqConfig, 4>>;
    impl MontConfig<4> for FqConfig {
        const MODULUS: BigInt<4> = BigInt::new([67, 0, 0, 0]);
        const GENERATOR: Fq = MontFp!("2");
        const TWO_ADIC_ROOT_OF_UNITY: Fq = MontFp!("66");
    }

    pub struct FrConfig;
    pub type Fr = Fp256<MontBackend<FrConfig, 4>>;
    impl MontConfig<4> for FrConfig {
        const MODULUS: BigInt<4> = BigInt::new([73, 0, 0, 0]);
        const GENERATOR: Fr = MontFp!("5");
        const TWO_ADIC_ROOT_OF_UNITY: Fr = MontFp!("10");
    }

    #[derive(Clone)]
    pub struct Config;
    pub type Affine = short_weierstrass::Affine<Config>;

    impl CurveConfig for Config {
        type BaseField = Fq;
        type ScalarField = Fr;
        const COFACTOR: &'static [u64] = &[1];
        const COFACTOR_INV: Fr = MontFp!("1");
    }

    impl SWCurveConfig for Config {
        const COEFF_A: Fq = Fq::ZERO;
        const COEFF_B: Fq = MontFp!("2");
        const GENERATOR: Affine = Affine::new_unchecked(MontFp!("2"), MontFp!("12"));
        type ZeroFlag = bool;
    }
}

/// The curve of [`tiny`] over the quadratic extension of a field whose elements are smaller than a
/// word.
pub mod small {
    use super::*;

    #[derive(SmallFpConfig)]
    #[modulus = "65497"]
    #[generator = "7"]
    pub struct FqConfig;
    pub type Fq = SmallFp<FqConfig>;

    #[derive(SmallFpConfig)]
    #[modulus = "16411"]
    #[generator = "3"]
    pub struct FrConfig;
    pub type Fr = SmallFp<FrConfig>;

    pub struct Fq2Config;
    pub type Fq2 = QuadExtField<Fq2Config>;
    impl QuadExtConfig for Fq2Config {
        type BasePrimeField = Fq;
        type BaseField = Fq;
        type FrobCoeff = Fq;
        const DEGREE_OVER_BASE_PRIME_FIELD: usize = 2;
        // No square: 7 generates the multiplicative group.
        const NONRESIDUE: Fq = FqConfig::from_u128(7);
        const FROBENIUS_COEFF_C1: &'static [Fq] =
            &[FqConfig::from_u128(1), FqConfig::from_u128(65496)];

        fn mul_base_field_by_frob_coeff(element: &mut Fq, power: usize) {
            *element *= Self::FROBENIUS_COEFF_C1[power % 2];
        }
    }

    const fn element(value: u128) -> Fq2 {
        Fq2 { c0: FqConfig::from_u128(value), c1: FqConfig::from_u128(0) }
    }

    #[derive(Clone)]
    pub struct Config;
    pub type Affine = short_weierstrass::Affine<Config>;

    impl CurveConfig for Config {
        type BaseField = Fq2;
        type ScalarField = Fr;
        const COFACTOR: &'static [u64] = &[4];
        const COFACTOR_INV: Fr = FrConfig::from_u128(4103);
    }

    impl SWCurveConfig for Config {
        const COEFF_A: Fq2 = element(7);
        const COEFF_B: Fq2 = element(37);
        const GENERATOR: Affine = Affine::new_unchecked(element(19989), element(47818));
        type ZeroFlag = bool;
    }
}
