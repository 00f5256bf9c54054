//! Curves defined here and not by an arkworks crate: what a user with a curve of their own would write.

use ark_ec::models::CurveConfig;
use ark_ec::short_weierstrass::{self, SWCurveConfig};
use ark_ff::{AdditiveGroup, Fp64, Fp192, MontBackend, MontConfig, MontFp};

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

/// A field so small that buckets meet equal and opposite sums all the time.
#[derive(MontConfig)]
#[modulus = "65497"]
#[generator = "7"]
pub struct TinyFqConfig;
pub type TinyFq = Fp64<MontBackend<TinyFqConfig, 1>>;

/// y² = x³ + 7x + 37 over 65497: 65644 = 4·16411 points, one of them of order 2.
pub mod tiny {
    use super::*;

    #[derive(MontConfig)]
    #[modulus = "16411"]
    #[generator = "3"]
    pub struct FrConfig;
    pub type Fr = Fp64<MontBackend<FrConfig, 1>>;

    #[derive(Clone)]
    pub struct Config;
    pub type Affine = short_weierstrass::Affine<Config>;

    impl CurveConfig for Config {
        type BaseField = TinyFq;
        type ScalarField = Fr;
        const COFACTOR: &'static [u64] = &[4];
        // 4·4103 = 16412
        const COFACTOR_INV: Fr = MontFp!("4103");
    }

    impl SWCurveConfig for Config {
        const COEFF_A: TinyFq = MontFp!("7");
        const COEFF_B: TinyFq = MontFp!("37");
        const GENERATOR: Affine = Affine::new_unchecked(MontFp!("19989"), MontFp!("47818"));
        type ZeroFlag = bool;
    }
}

/// y² = x³ + 3 over 65497: 66009 = 3·22003 points, with an endomorphism.
pub mod tiny_glv {
    use super::*;

    #[derive(MontConfig)]
    #[modulus = "22003"]
    #[generator = "2"]
    pub struct FrConfig;
    pub type Fr = Fp64<MontBackend<FrConfig, 1>>;

    #[derive(Clone)]
    pub struct Config;
    pub type Affine = short_weierstrass::Affine<Config>;

    impl CurveConfig for Config {
        type BaseField = TinyFq;
        type ScalarField = Fr;
        const COFACTOR: &'static [u64] = &[3];
        // 3·14669 = 2·22003 + 1
        const COFACTOR_INV: Fr = MontFp!("14669");
    }

    impl SWCurveConfig for Config {
        const COEFF_A: TinyFq = TinyFq::ZERO;
        const COEFF_B: TinyFq = MontFp!("3");
        const GENERATOR: Affine = Affine::new_unchecked(MontFp!("52795"), MontFp!("36088"));
        type ZeroFlag = bool;
    }
}
