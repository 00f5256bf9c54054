//! Subgroups of 5 to 31 points on curves over large fields: every kernel of 2 to 12 words meets
//! equal, opposite and infinite sums all the time.
//!
//! Of every curve the order is known without counting points. It is p + 1 for y² = x³ + a·x with p
//! ≡ 3 (mod 4) and for y² = x³ + b with p ≡ 2 (mod 3); over p² it is p² + 1 for the first, where a
//! is no square there. For y² = x³ + b with p ≡ 1 (mod 3) it is one of q + 1 − t for the six t with
//! t² + 3f² = 4q, where q is p or p². So p was searched next to the size that was wanted, with L² +
//! 3f² = 4p in the last case, such that r divides the order once; b was tried from 1 upwards until
//! random points had the order; and G is the cofactor times a random point. `custom_curve` checks
//! all of it but that p is prime.

// `MontConfig` asks for a feature of arkworks' in the crate that uses it.
#![allow(unexpected_cfgs)]

use ark_ec::models::CurveConfig;
use ark_ec::short_weierstrass::{self, SWCurveConfig};
use ark_ec::twisted_edwards::{self, MontCurveConfig, TECurveConfig};
use ark_ff::{AdditiveGroup, Field, Fp, Fp2, Fp2Config, MontBackend, MontConfig, MontFp};

/// A prime field of some words.
macro_rules! prime {
    ($config:ident: $field:ident, $words:literal words, generator = $g:tt, modulus = $p:tt) => {
        #[derive(MontConfig)]
        #[modulus = $p]
        #[generator = $g]
        pub struct $config;
        pub type $field = Fp<MontBackend<$config, $words>, $words>;
    };
}

/// `Fq` of some words and `Fr` of one. The generator given for `Fq` is its least non-square: enough
/// for square roots, all that these tests need one for.
macro_rules! fields {
    ($words:literal words, non_square = $g:tt, r = $r:tt, generator = $h:tt, p = $p:tt) => {
        prime! { FqConfig: Fq, $words words, generator = $g, modulus = $p }
        prime! { FrConfig: Fr, 1 words, generator = $h, modulus = $r }
    };
}

/// `Fq2`, by a square root.
macro_rules! quadratic {
    ($square:literal) => {
        pub struct Fq2Config;
        pub type Fq2 = Fp2<Fq2Config>;

        impl Fp2Config for Fq2Config {
            type Fp = Fq;
            const NONRESIDUE: Fq = MontFp!($square);
            const FROBENIUS_COEFF_FP2_C1: &'static [Fq] = &[Fq::ONE, MontFp!("-1")];
        }
    };
}

/// The group, by its field and its order divided by r.
macro_rules! group {
    ($field:ty, inverse = $inverse:literal, cofactor = $cofactor:expr) => {
        #[derive(Clone)]
        pub struct Config;

        impl CurveConfig for Config {
            type BaseField = $field;
            type ScalarField = Fr;
            const COFACTOR: &'static [u64] = &$cofactor;
            const COFACTOR_INV: Fr = MontFp!($inverse);
        }
    };
}

/// y² = x³ + a·x + b and a point of order r.
macro_rules! weierstrass {
    ($field:ty, a = $a:expr, b = $b:expr, x = $x:expr, y = $y:expr) => {
        pub type Affine = short_weierstrass::Affine<Config>;

        impl SWCurveConfig for Config {
            const COEFF_A: $field = $a;
            const COEFF_B: $field = $b;
            const GENERATOR: Affine = Affine::new_unchecked($x, $y);
            type ZeroFlag = bool;
        }
    };
}

/// a·x² + y² = 1 + d·x²·y², its Montgomery form B·v² = u³ + A·u² + u by A and B, and a point of
/// order r.
macro_rules! edwards {
    (
        $field:ty, a = $a:expr, d = $d:expr, montgomery = [$big_a:expr, $big_b:expr],
        x = $x:expr, y = $y:expr
    ) => {
        pub type Affine = twisted_edwards::Affine<Config>;

        impl TECurveConfig for Config {
            const COEFF_A: $field = $a;
            const COEFF_D: $field = $d;
            const GENERATOR: Affine = Affine::new_unchecked($x, $y);
            type MontCurveConfig = Self;
        }

        impl MontCurveConfig for Config {
            const COEFF_A: $field = $big_a;
            const COEFF_B: $field = $big_b;
            type TECurveConfig = Self;
        }
    };
}

// Not every crate that includes this file has other curves.
#[allow(unused_imports)]
pub(crate) use {edwards, fields, group, prime, quadratic, weierstrass};

/// Hands the names of all curves below to a macro.
#[allow(unused_macros)]
macro_rules! with_all {
    ($then:ident) => {
        $then! {
            two three four_full four_one_spare four_glv four_edwards four_quadratic five six_full
            six_glv six_quadratic twelve_glv
        }
    };
}
#[allow(unused_imports)]
pub(crate) use with_all;

/// y² = x³ − 3x over two full words, r = 5.
pub mod two {
    use super::*;

    fields! {
        2 words, non_square = "2", r = "5", generator = "2",
        p = "340282366920938463463374607431768211219"
    }
    group! {
        Fq, inverse = "4", cofactor = [
            0x3333333333333304, 0x3333333333333333
        ]
    }
    weierstrass! {
        Fq, a = MontFp!("-3"), b = Fq::ZERO,
        x = MontFp!("2183422280439655274030399841489795676"),
        y = MontFp!("164947073859911314740214232344320568681")
    }
}

/// y² = x³ + 5 over three words with two bits unused, p ≡ 2 (mod 3), r = 7.
pub mod three {
    use super::*;

    fields! {
        3 words, non_square = "5", r = "7", generator = "3",
        p = "1569275433846670190958947355801916604025588861116008623503"
    }
    group! {
        Fq, inverse = "3", cofactor = [
            0x24924924924921f0, 0x9249249249249249, 0x0924924924924924
        ]
    }
    weierstrass! {
        Fq, a = Fq::ZERO, b = MontFp!("5"),
        x = MontFp!("471236480709122289468512291494627851041217308701204859146"),
        y = MontFp!("248580616694973342364178452116595312477945655470295903066")
    }
}

/// y² = x³ − 3x over four full words, r = 13: as close to what 52-bit limbs hold as p can be.
pub mod four_full {
    use super::*;

    fields! {
        4 words, non_square = "2", r = "13", generator = "2",
        p = "115792089237316195423570985008687907853269984665640564039457584007913129632379"
    }
    group! {
        Fq, inverse = "12", cofactor = [
            0x13b13b13b13b116c, 0xb13b13b13b13b13b, 0x3b13b13b13b13b13, 0x13b13b13b13b13b1
        ]
    }
    weierstrass! {
        Fq, a = MontFp!("-3"), b = Fq::ZERO,
        x = MontFp!("22426966742557903896089823533830424672301569339163795487057361770101993893317"),
        y = MontFp!("71168438188491922336002559776210330167522991087068415266818227573552869792697")
    }
}

/// y² = x³ + 19 over four words with one bit unused, with an endomorphism, r = 7; a point of order
/// 3.
pub mod four_one_spare {
    use super::*;

    fields! {
        4 words, non_square = "2", r = "7", generator = "3",
        p = "57896044618658097711785492504343953925279413054222812118021113901598438635683"
    }
    group! {
        Fq, inverse = "4", cofactor = [
            0xb0082548180954a7, 0x903f0723c23376b1, 0x2492492492492491, 0x1249249249249249
        ]
    }
    weierstrass! {
        Fq, a = Fq::ZERO, b = MontFp!("19"),
        x = MontFp!("32541243157181923565260635951130232518056061156703608446790103404058651687537"),
        y = MontFp!("10673636019897759651934352665167985983382014385330359691476614754701273594132")
    }
}

/// y² = x³ + 3 with p a little above 2^254, the most that loose products of four words take, with
/// an endomorphism, r = 13; a point of order 2.
pub mod four_glv {
    use super::*;

    fields! {
        4 words, non_square = "3", r = "13", generator = "2",
        p = "28948022309329048855892746252171976965254696065319355492781944633308463132663"
    }
    group! {
        Fq, inverse = "10", cofactor = [
            0x9e174a62ac96a45c, 0x4b33f99e8c8101da, 0x4ec4ec4ec4ec4ec5, 0x04ec4ec4ec4ec4ec
        ]
    }
    weierstrass! {
        Fq, a = Fq::ZERO, b = MontFp!("3"),
        x = MontFp!("20612385442637032403261883314134846873419851621067544812324119337433545722185"),
        y = MontFp!("13010934356555470631890642380029266135903193416472639678555645296625632197866")
    }
}

/// 2x² + y² = 1 − 2x²y² with p a little below 2^254, r = 11. Not complete: 2 is not a square.
pub mod four_edwards {
    use super::*;

    fields! {
        4 words, non_square = "2", r = "11", generator = "2",
        p = "28948022309329048855892746252171976963317496166410141009864396001978282409043"
    }
    group! {
        Fq, inverse = "6", cofactor = [
            0x1745d1745d17457c, 0xd1745d1745d1745d, 0x5d1745d1745d1745, 0x05d1745d1745d174
        ]
    }
    // y² = x³ + x
    edwards! {
        Fq, a = MontFp!("2"), d = MontFp!("-2"), montgomery = [Fq::ZERO, Fq::ONE],
        x = MontFp!("23629094121046193050128382647119247220745509907381457733638763894279787397980"),
        y = MontFp!("2332815135323449038949477322212545365540833661085522843371132398567639995541")
    }
}

/// y² = x³ + 1 + √−2 over a quadratic extension of four words, with an endomorphism, r = 19; a
/// point of order 3.
pub mod four_quadratic {
    use super::*;

    fields! {
        4 words, non_square = "2", r = "19", generator = "2",
        p = "28948022309329048855892746252171976963020348744115070243600709407170211132013"
    }
    quadratic!("-2");
    group! {
        Fq2, inverse = "5", cofactor = [
            0x8a93131cd46a6239, 0xf76640bb56f70611, 0x64917f28197f9537, 0x19b43305ec9d5a8c,
            0x45130f31f8d63a97, 0x3d7c4d64d3b8e634, 0x5e50d79435e50d79, 0x00d79435e50d7943
        ]
    }
    weierstrass! {
        Fq2, a = Fq2::ZERO, b = Fq2::new(MontFp!("1"), MontFp!("1")),
        x = Fq2::new(
            MontFp!("20746993560521116229697640087663493038559541474697692007945184464632757371469"),
            MontFp!("27890617738869011558588039846169179599807303557118287512447716009259177874445")
        ),
        y = Fq2::new(
            MontFp!("16637599536365755269285494785585175981473642685764495790993773926217597220294"),
            MontFp!("3547209941146837096070750045054434326948740513250529506406495823747183250370")
        )
    }
}

/// y² = x³ + 5 over five full words, p ≡ 2 (mod 3), r = 31.
pub mod five {
    use super::*;

    fields! {
        5 words, non_square = "3", r = "31", generator = "3",
        p = "2135987035920910082395021706169552114602704522356652769947041607822219725780640550022962086924577"
    }
    group! {
        Fq, inverse = "19", cofactor = [
            0x108421084210829e, 0x2108421084210842, 0x4210842108421084, 0x8421084210842108,
            0x0842108421084210
        ]
    }
    weierstrass! {
        Fq, a = Fq::ZERO, b = MontFp!("5"),
        x = MontFp!("1963525982949120298548476291111416733548435252796502892886353290940813396396062579049872772424688"),
        y = MontFp!("1690418669709551518625404339096318575679830590607187075141899587894733690621012823989048395988522")
    }
}

/// y² = x³ − 3x over six full words, r = 5.
pub mod six_full {
    use super::*;

    fields! {
        6 words, non_square = "2", r = "5", generator = "2",
        p = "39402006196394479212279040100143613805079739270465446667948293404245721771497210611414266254884915640806627990305379"
    }
    group! {
        Fq, inverse = "1", cofactor = [
            0x3333333333333214, 0x3333333333333333, 0x3333333333333333, 0x3333333333333333,
            0x3333333333333333, 0x3333333333333333
        ]
    }
    weierstrass! {
        Fq, a = MontFp!("-3"), b = Fq::ZERO,
        x = MontFp!("4086464628697190980062717681584831319746394013094142850501975876049101043707365842181550955578817330195816086560775"),
        y = MontFp!("30495593736628378756703831493021846989263094449524179123051283489291424440044790975941811692550091150572882170548445")
    }
}

/// y² = x³ + 1 with p a little above 2^382, the most for six words, with an endomorphism, r = 7;
/// points of order 2 and 3.
pub mod six_glv {
    use super::*;

    fields! {
        6 words, non_square = "7", r = "7", generator = "3",
        p = "9850501549098619803069760025035903451269934817616361667038181146894688315875981136955532890244551457708805940688329"
    }
    group! {
        Fq, inverse = "4", cofactor = [
            0x85583c513345aa8c, 0x17c38871c84ea268, 0x91d06817c311299e, 0x2492492492492493,
            0x9249249249249249, 0x0924924924924924
        ]
    }
    weierstrass! {
        Fq, a = Fq::ZERO, b = MontFp!("1"),
        x = MontFp!("6636360350246958742829205746102193962095644037303164904345519109761568843684785101084376014087322993471957344402442"),
        y = MontFp!("8928421719106389755973002954265472117106871982424927898577199216602958673266674745807265387129679847320721559319475")
    }
}

/// y² = x³ + (1 + i)·x over a quadratic extension of six words, p ≡ 3 (mod 4), r = 13; p² + 1
/// points.
pub mod six_quadratic {
    use super::*;

    fields! {
        6 words, non_square = "2", r = "13", generator = "2",
        p = "9850501549098619803069760025035903451269934817616361666987073351061430442874302652853566563721228910201656997574619"
    }
    quadratic!("-1");
    group! {
        Fq2, inverse = "11", cofactor = [
            0x0000000000051a42, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
            0x0000000000000000, 0x8000000000000000, 0x3b13b13b13b13ac3, 0x13b13b13b13b13b1,
            0xb13b13b13b13b13b, 0x3b13b13b13b13b13, 0x13b13b13b13b13b1, 0x013b13b13b13b13b
        ]
    }
    weierstrass! {
        Fq2, a = Fq2::new(MontFp!("1"), MontFp!("1")), b = Fq2::ZERO,
        x = Fq2::new(
            MontFp!("2589265464260887597195958088869364836758884964596864112280809795758867740597847642195954115985242708451311693327023"),
            MontFp!("1208752018458088799329564540310501715042459088650766791501853312052022518526304330817240886399844118524944712395941")
        ),
        y = Fq2::new(
            MontFp!("3503392239127090619593891326280612339748906047347968216390472794741845312720488516246456279982184358464842215665629"),
            MontFp!("2962702634359202125384908901268090857589744832821547334267358291843778592611559722685154346636080850332102629579666")
        )
    }
}

/// y² = x³ + 5 with p a little above 2^766, with an endomorphism, r = 31.
pub mod twelve_glv {
    use super::*;

    fields! {
        12 words, non_square = "5", r = "31", generator = "3",
        p = "388129523075177233787244872115625638814221504279174152784763009506512738171594221582719602207161619487621932674282999491790491559583009394138105931198779751119908049941614498834645403681696597691567887196031913474802570083705201377"
    }
    group! {
        Fq, inverse = "9", cofactor = [
            0xae2fde45c011af0f, 0x746b7ffa6d91d197, 0x4049b457735b4cb3, 0xf317529c9cd45bc9,
            0x3804cc7f8d217c72, 0x5367659eadb08161, 0x4210842108421084, 0x8421084210842108,
            0x0842108421084210, 0x1084210842108421, 0x2108421084210842, 0x0210842108421084
        ]
    }
    weierstrass! {
        Fq, a = Fq::ZERO, b = MontFp!("5"),
        x = MontFp!("364887723848581343166551632800040873238908200813716022682816427970095108816738500204901217438954329577636407102979405410517703157500499557577089977994624985683452346078968523713433256011298436023777815010762013223649697593698108847"),
        y = MontFp!("203313567442604387535586931904978974026674732998407730988918757610252375943091597740879088516190123760606985428879586965310148325012670352939855727711029205923691775764144463376793659038404896407421154947573655892906972842366793377")
    }
}
