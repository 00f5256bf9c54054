//! Groups of a few points to a few million, over fields of 8 to 64 bits and of one, two, five and
//! thirteen words: the widths that [`small_order`](crate::small_order) leaves out, and curves so
//! tiny that doublings, cancellations and points of order two occur in every run.
//!
//! The orders of those over 128 bits and less were counted with PARI; those of longer ones are
//! known, as in `small_order`. `custom_curve` checks all of it but that p is prime.

// `MontConfig` asks for a feature of arkworks' in the crate that uses it.
#![allow(unexpected_cfgs)]

use ark_ec::models::CurveConfig;
use ark_ec::short_weierstrass::{self, SWCurveConfig};
use ark_ec::twisted_edwards::{self, MontCurveConfig, TECurveConfig};
use ark_ff::{AdditiveGroup, Field, Fp, Fp2, Fp2Config, MontBackend, MontConfig, MontFp};

use crate::small_order::{edwards, fields, group, prime, quadratic, weierstrass};

/// Hands the names of all curves below to a macro.
#[allow(unused_macros)]
macro_rules! with_tiny {
    ($then:ident) => {
        $then! {
            eight_prime eight twelve_bits_glv twenty_four forty_glv sixty_four sixty_four_glv
            two_glv five_full thirteen thirteen_full eight_edwards ten_edwards sixty_edwards
            two_edwards thirteen_edwards eight_quadratic twenty_quadratic_glv sixty_quadratic
            two_quadratic five_quadratic
        }
    };
}
#[allow(unused_imports)]
pub(crate) use with_tiny;

/// y² = x³ + 47x + 179 over the field of 191 elements: 181 points, a prime.
pub mod eight_prime {
    use super::*;

    fields! {
        1 words, non_square = "7", r = "181", generator = "2",
        p = "191"
    }
    group! {
        Fq, inverse = "1", cofactor = [1]
    }
    weierstrass! {
        Fq, a = MontFp!("47"), b = MontFp!("179"),
        x = MontFp!("147"),
        y = MontFp!("65")
    }
}

/// y² = x³ + 127x + 16 over 157: 168 = 24·7 points, all of order 2 among them.
pub mod eight {
    use super::*;

    fields! {
        1 words, non_square = "2", r = "7", generator = "3",
        p = "157"
    }
    group! {
        Fq, inverse = "5", cofactor = [24]
    }
    weierstrass! {
        Fq, a = MontFp!("127"), b = MontFp!("16"),
        x = MontFp!("41"),
        y = MontFp!("36")
    }
}

/// y² = x³ + 1 over 2467 with an endomorphism: 2388 = 12·199 points, one of order 2.
pub mod twelve_bits_glv {
    use super::*;

    fields! {
        1 words, non_square = "2", r = "199", generator = "3",
        p = "2467"
    }
    group! {
        Fq, inverse = "83", cofactor = [12]
    }
    weierstrass! {
        Fq, a = Fq::ZERO, b = MontFp!("1"),
        x = MontFp!("573"),
        y = MontFp!("1359")
    }
}

/// y² = x³ + 13877102x + 15396805 over 15445579: 3090108·5 points.
pub mod twenty_four {
    use super::*;

    fields! {
        1 words, non_square = "2", r = "5", generator = "2",
        p = "15445579"
    }
    group! {
        Fq, inverse = "2", cofactor = [3090108]
    }
    weierstrass! {
        Fq, a = MontFp!("13877102"), b = MontFp!("15396805"),
        x = MontFp!("13747724"),
        y = MontFp!("4748234")
    }
}

/// y² = x³ + 455855521301 over 40 bits, with an endomorphism, r = 13.
pub mod forty_glv {
    use super::*;

    fields! {
        1 words, non_square = "5", r = "13", generator = "2",
        p = "1042989857233"
    }
    group! {
        Fq, inverse = "2", cofactor = [80229842544]
    }
    weierstrass! {
        Fq, a = Fq::ZERO, b = MontFp!("455855521301"),
        x = MontFp!("423884232815"),
        y = MontFp!("466029229339")
    }
}

/// A curve over a full word, a ≠ 0, r = 7, a point of order 2.
pub mod sixty_four {
    use super::*;

    fields! {
        1 words, non_square = "3", r = "7", generator = "3",
        p = "18446744073709549817"
    }
    group! {
        Fq, inverse = "4", cofactor = [2635249152384177338]
    }
    weierstrass! {
        Fq, a = MontFp!("17570599894180597409"), b = MontFp!("7346542548054743797"),
        x = MontFp!("14505469302750784044"),
        y = MontFp!("3540639937141287521")
    }
}

/// y² = x³ + 7960172422413524674 over a full word, with an endomorphism, r = 7.
pub mod sixty_four_glv {
    use super::*;

    fields! {
        1 words, non_square = "2", r = "7", generator = "3",
        p = "18446744073709550293"
    }
    group! {
        Fq, inverse = "3", cofactor = [2635249154578151893]
    }
    weierstrass! {
        Fq, a = Fq::ZERO, b = MontFp!("7960172422413524674"),
        x = MontFp!("10206256496690549148"),
        y = MontFp!("7050756695526853185")
    }
}

/// y² = x³ + 110016416234049791143276057062988367301 over two full words, with an endomorphism,
/// r = 7.
pub mod two_glv {
    use super::*;

    fields! {
        2 words, non_square = "2", r = "7", generator = "3",
        p = "340282366920938463463374607431768207019"
    }
    group! {
        Fq, inverse = "4", cofactor = [
            0x8cd6cee31724afe4, 0x2492492492492492
        ]
    }
    weierstrass! {
        Fq, a = Fq::ZERO, b = MontFp!("110016416234049791143276057062988367301"),
        x = MontFp!("51638938715873488291987379418138676655"),
        y = MontFp!("40365750041731785983931001214737995687")
    }
}

/// y² = x³ − 3x over five full words, r = 13, a point of order 2.
pub mod five_full {
    use super::*;

    fields! {
        5 words, non_square = "3", r = "13", generator = "2",
        p = "2135987035920910082395021706169552114602704522356652769947041607822219725780640550022962086918327"
    }
    group! {
        Fq, inverse = "2", cofactor = [
            0x3b13b13b13b13598, 0x13b13b13b13b13b1, 0xb13b13b13b13b13b, 0x3b13b13b13b13b13,
            0x13b13b13b13b13b1
        ]
    }
    weierstrass! {
        Fq, a = MontFp!("-3"), b = Fq::ZERO,
        x = MontFp!("981102876946356628643409115391578057661314853185762591943611346981089060924588197275972725485770"),
        y = MontFp!("1986235066358714753475153360450551082358534980837063712775219957973533945121169760341667799023147")
    }
}

/// y² = x³ + 5 over thirteen full words, p ≡ 2 (mod 3), r = 7.
pub mod thirteen {
    use super::*;

    fields! {
        13 words, non_square = "3", r = "7", generator = "3",
        p = "28638903918474961204418783933674838490721739172170652529441449702311064005352904159345284265824628375429359509218999720074396860757073376700445026041564579620512874307979212102266801261478978776245040008231745247475930553606737583615358787106474295153"
    }
    group! {
        Fq, inverse = "4", cofactor = [
            0x249249249249247e, 0x9249249249249249, 0x4924924924924924, 0x2492492492492492,
            0x9249249249249249, 0x4924924924924924, 0x2492492492492492, 0x9249249249249249,
            0x4924924924924924, 0x2492492492492492, 0x9249249249249249, 0x4924924924924924,
            0x2492492492492492
        ]
    }
    weierstrass! {
        Fq, a = Fq::ZERO, b = MontFp!("5"),
        x = MontFp!("11177910978156769125941978301512085913778962695622087445718805092241547561614840220041451849872799003750755298129972967345296287531764486744032079141294888766674191706445137644729967795888488090074011437398729648811904992915945111666330812895862984802"),
        y = MontFp!("740282924032034353341404376550004281435986369530806903521114164997486335229641246440362911754269935235049796769352223518662770223693736632088702516110104731525690468763367715548861218971748238032933318112890375202267513701857209999433926915557871228")
    }
}

/// y² = x³ − 3x over thirteen full words, r = 11, a point of order 2.
pub mod thirteen_full {
    use super::*;

    fields! {
        13 words, non_square = "2", r = "11", generator = "2",
        p = "28638903918474961204418783933674838490721739172170652529441449702311064005352904159345284265824628375429359509218999720074396860757073376700445026041564579620512874307979212102266801261478978776245040008231745247475930553606737583615358787106474288867"
    }
    group! {
        Fq, inverse = "5", cofactor = [
            0x45d1745d1745cf2c, 0x745d1745d1745d17, 0x1745d1745d1745d1, 0xd1745d1745d1745d,
            0x5d1745d1745d1745, 0x45d1745d1745d174, 0x745d1745d1745d17, 0x1745d1745d1745d1,
            0xd1745d1745d1745d, 0x5d1745d1745d1745, 0x45d1745d1745d174, 0x745d1745d1745d17,
            0x1745d1745d1745d1
        ]
    }
    weierstrass! {
        Fq, a = MontFp!("-3"), b = Fq::ZERO,
        x = MontFp!("20997423416949904028597268009037513093119977501241244622827255493601170984080639936423671816784608092290356229137283097980484954812902687400992259993571632417485538669811746846300534752444190307750087004589514494711067076827230209552918687139761295604"),
        y = MontFp!("14095246153400894600278945422327752140535355244131037678738835308505037234395883750356451483590656777514132184722499566992936041624869584468633347390578544279170545109326085069471238883906001436523982982237043744021359910216040488672056779333844057912")
    }
}

/// x² + y² = 1 + 156x²y² over 173, complete: 4·41 points.
pub mod eight_edwards {
    use super::*;

    fields! {
        1 words, non_square = "2", r = "41", generator = "6",
        p = "173"
    }
    group! {
        Fq, inverse = "31", cofactor = [4]
    }
    edwards! {
        Fq, a = MontFp!("1"), d = MontFp!("156"), montgomery = [MontFp!("152"), MontFp!("154")],
        x = MontFp!("84"),
        y = MontFp!("51")
    }
}

/// 337x² + y² = 1 + 420x²y² over 523, not complete: 12·47 points.
pub mod ten_edwards {
    use super::*;

    fields! {
        1 words, non_square = "2", r = "47", generator = "5",
        p = "523"
    }
    group! {
        Fq, inverse = "4", cofactor = [12]
    }
    edwards! {
        Fq, a = MontFp!("337"), d = MontFp!("420"), montgomery = [MontFp!("196"), MontFp!("252")],
        x = MontFp!("134"),
        y = MontFp!("203")
    }
}

/// −x² + y² = 1 + d·x²y² over 60 bits, complete, r = 11.
pub mod sixty_edwards {
    use super::*;

    fields! {
        1 words, non_square = "2", r = "11", generator = "2",
        p = "621862162342339309"
    }
    group! {
        Fq, inverse = "9", cofactor = [56532923822781576]
    }
    edwards! {
        Fq, a = MontFp!("-1"), d = MontFp!("514746815641750195"), montgomery = [MontFp!("199417865793674992"), MontFp!("422444296548664315")],
        x = MontFp!("67694273644586195"),
        y = MontFp!("340290718118338954")
    }
}

/// x² + y² = 1 − x²y² over two full words, complete, r = 7.
pub mod two_edwards {
    use super::*;

    fields! {
        2 words, non_square = "2", r = "7", generator = "3",
        p = "340282366920938463463374607431768211283"
    }
    group! {
        Fq, inverse = "2", cofactor = [
            0x492492492492490c, 0x2492492492492492
        ]
    }
    edwards! {
        Fq, a = MontFp!("1"), d = MontFp!("-1"), montgomery = [Fq::ZERO, MontFp!("2")],
        x = MontFp!("221800022942753943815252545868253813658"),
        y = MontFp!("153776084321364825304746508719742648006")
    }
}

/// 2x² + y² = 1 − 2x²y² over thirteen full words, not complete, r = 5.
pub mod thirteen_edwards {
    use super::*;

    fields! {
        13 words, non_square = "2", r = "5", generator = "2",
        p = "28638903918474961204418783933674838490721739172170652529441449702311064005352904159345284265824628375429359509218999720074396860757073376700445026041564579620512874307979212102266801261478978776245040008231745247475930553606737583615358787106474289779"
    }
    group! {
        Fq, inverse = "1", cofactor = [
            0x3333333333332ee4, 0x3333333333333333, 0x3333333333333333, 0x3333333333333333,
            0x3333333333333333, 0x3333333333333333, 0x3333333333333333, 0x3333333333333333,
            0x3333333333333333, 0x3333333333333333, 0x3333333333333333, 0x3333333333333333,
            0x3333333333333333
        ]
    }
    edwards! {
        Fq, a = MontFp!("2"), d = MontFp!("-2"), montgomery = [Fq::ZERO, MontFp!("1")],
        x = MontFp!("14310199414130096028475197093465320057453599119935635389817723478379394722253810049315362898760637080115918376467572686296380593309309494759279191846645884185580353234737839843094102771474179014970347235003704933871599329898028741791760856238790562703"),
        y = MontFp!("26665621746990816537116588898027767053217732432371261033543967162752670407691034851885449597565112810548731556950868864984030212174786896559476632956915071937309975517607134777903672692339442094743039267283634931566196970735280751232315399638676089145")
    }
}

/// A curve over a quadratic extension of 149, a ≠ 0: 1688·13 points.
pub mod eight_quadratic {
    use super::*;

    fields! {
        1 words, non_square = "2", r = "13", generator = "2",
        p = "149"
    }
    quadratic!("2");
    group! {
        Fq2, inverse = "6", cofactor = [1688]
    }
    weierstrass! {
        Fq2, a = Fq2::new(MontFp!("75"), MontFp!("142")), b = Fq2::new(MontFp!("127"), MontFp!("117")),
        x = Fq2::new(MontFp!("112"), MontFp!("81")),
        y = Fq2::new(MontFp!("108"), MontFp!("12"))
    }
}

/// y² = x³ + b over a quadratic extension of 20 bits, r = 19.
pub mod twenty_quadratic_glv {
    use super::*;

    fields! {
        1 words, non_square = "3", r = "19", generator = "2",
        p = "696281"
    }
    quadratic!("3");
    group! {
        Fq2, inverse = "5", cofactor = [25516206697]
    }
    weierstrass! {
        Fq2, a = Fq2::ZERO, b = Fq2::new(MontFp!("500131"), MontFp!("404475")),
        x = Fq2::new(MontFp!("55130"), MontFp!("76096")),
        y = Fq2::new(MontFp!("388191"), MontFp!("520649"))
    }
}

/// A curve over a quadratic extension of 62 bits, a ≠ 0, r = 13.
pub mod sixty_quadratic {
    use super::*;

    fields! {
        1 words, non_square = "7", r = "13", generator = "2",
        p = "2444532807294391609"
    }
    quadratic!("7");
    group! {
        Fq2, inverse = "8", cofactor = [
            0x474c691f276cfcb0, 0x00588798d4c7318a
        ]
    }
    weierstrass! {
        Fq2, a = Fq2::new(MontFp!("444895746512830574"), MontFp!("899670457683189992")), b = Fq2::new(MontFp!("81568473820192782"), MontFp!("2411502599712065359")),
        x = Fq2::new(MontFp!("1432634060084856335"), MontFp!("739986219722280098")),
        y = Fq2::new(MontFp!("1332292642950570004"), MontFp!("1352829001612355275"))
    }
}

/// y² = x³ + (1 + i)x over a quadratic extension of two full words, r = 13, a point of order 2.
pub mod two_quadratic {
    use super::*;

    fields! {
        2 words, non_square = "2", r = "13", generator = "2",
        p = "340282366920938463463374607431768211283"
    }
    quadratic!("-1");
    group! {
        Fq2, inverse = "11", cofactor = [
            0x3b13b13b13b14412, 0x13b13b13b13b13b1, 0x3b13b13b13b13af9, 0x13b13b13b13b13b1
        ]
    }
    weierstrass! {
        Fq2, a = Fq2::new(MontFp!("1"), MontFp!("1")), b = Fq2::ZERO,
        x = Fq2::new(
            MontFp!("310269954436032192145234121381445616790"),
            MontFp!("303931635061917896795713163399805043920")
        ),
        y = Fq2::new(
            MontFp!("276068177755639622328039603124208523158"),
            MontFp!("271936712687627069745662561858792490712")
        )
    }
}

/// y² = x³ + (2 + i)x over a quadratic extension of five full words, r = 5.
pub mod five_quadratic {
    use super::*;

    fields! {
        5 words, non_square = "3", r = "5", generator = "2",
        p = "2135987035920910082395021706169552114602704522356652769947041607822219725780640550022962086935703"
    }
    quadratic!("-1");
    group! {
        Fq2, inverse = "3", cofactor = [
            0x000000000002536a, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
            0x0000000000000000, 0x33333333333331d6, 0x3333333333333333, 0x3333333333333333,
            0x3333333333333333, 0x3333333333333333
        ]
    }
    weierstrass! {
        Fq2, a = Fq2::new(MontFp!("2"), MontFp!("1")), b = Fq2::ZERO,
        x = Fq2::new(
            MontFp!("2100025098621506085322197673574899392539676366867972761918004445251883622246119879455104797082907"),
            MontFp!("35961937299403997072824032594652722063028155488680008029037162570336103534520670567857289852796")
        ),
        y = Fq2::new(
            MontFp!("921449232168899306075682759192172454281681351461987009052529616868710907375446719745280597401150"),
            MontFp!("1623321618730938153620951327044905712919126596492942940208042650057784822673289323364069243408685")
        )
    }
}
