//! The texts that are generated: the header that kernels share with the host, and the constants of
//! a curve that specialise them.

use std::fmt::Write;
use std::sync::LazyLock;

use num_bigint::BigUint;

use super::{accumulate, affine, decompose, group, reduce, table, tasks};
use crate::CurveSpec;
use crate::gpu::{interface, negated_inverse};
use crate::plan::{Form, accumulate_blocks, affine_blocks};

/// Largest k for which multiplication by −k is k subtractions.
const SMALL: u32 = 8;

/// The header `interface.cuh`: what kernels share with the host.
pub(super) fn interface() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let constants = [
            group::CONSTANTS,
            tasks::CONSTANTS,
            accumulate::CONSTANTS,
            affine::CONSTANTS,
            reduce::CONSTANTS,
            table::CONSTANTS,
        ];
        let text = [
            "#pragma once\n#include \"words.cuh\"\n".into(),
            interface::cuda(),
            interface::cuda_constants(&constants.concat()),
            group::structures(),
            tasks::structures(),
            affine::structures(),
            reduce::structures(),
            decompose::prototypes(),
            group::prototypes(),
            tasks::prototypes(),
            accumulate::prototypes(),
            affine::prototypes(),
            reduce::prototypes(),
            table::prototypes(),
        ];
        text.concat()
    });
    &TEXT
}

/// The text that goes before every source that does field or curve arithmetic.
pub(crate) fn curve(curve: &CurveSpec, form: Form) -> String {
    let words = 2 * curve.limbs;
    let p = &curve.modulus;
    let radix = BigUint::from(1u32) << (32 * words);
    let montgomery = |x: &BigUint| x * &radix % p;
    let mut out = String::from("typedef unsigned int u32;\n");
    let mut define = |name: &str, value: u64| {
        let _ = writeln!(out, "#define {name} {value}u");
    };
    define("N", words as u64);
    define("SPARE", 32 * words as u64 - p.bits());
    // ⌊R/p⌋: how many times p fits below R.
    let multiples = (&radix / p).iter_u64_digits().next().unwrap_or(0).min(u32::MAX.into());
    define("MULTIPLES", multiples);
    define("P_INV", negated_inverse(p));
    define("P_LOW_IS_ONE", u64::from(p.iter_u32_digits().next() == Some(1)));
    define("DEGREE", curve.degree as u64);
    define("EDWARDS", u64::from(form == Form::Edwards));
    define("FROM_WEIERSTRASS", u64::from(curve.to_edwards_by_inversion(form)));
    let zero = |element: &[BigUint]| element.iter().all(|part| part.bits() == 0);
    let a = &curve.weierstrass[0];
    define("A_IS_ZERO", u64::from(zero(a)));
    define("ACCUMULATE_BLOCKS", accumulate_blocks(curve, form).into());
    define("AFFINE_BLOCKS", affine_blocks(curve).into());
    if let Some(non_residue) = &curve.non_residue {
        let negated = (1..=SMALL).find(|k| non_residue + k == *p).unwrap_or(0);
        define("NEGATED_NON_RESIDUE", negated.into());
        out += &constant("NON_RESIDUE", &[montgomery(non_residue)], words);
    }
    out += &constant("P", std::slice::from_ref(p), words);
    out += &constant("ONE", &[montgomery(&BigUint::from(1u32))], words);
    out += &inversion(p, &radix);
    let a: Vec<_> = a.iter().map(montgomery).collect();
    out += &constant("A", &a, words);
    if let (Form::Edwards, Some(edwards)) = (form, &curve.edwards) {
        out += &constant("D2", &[montgomery(&(&edwards.d * 2u32))], words);
        out += &constant("SCALE", &[montgomery(&edwards.scale)], words);
        if let Some([b, third_of_a]) = &edwards.montgomery {
            out += &constant("MONTGOMERY_B", &[montgomery(b)], words);
            out += &constant("THIRD_OF_A", &[montgomery(third_of_a)], words);
        }
    }
    out
}

/// The constants of `inverse.cuh` for odd p.
fn inversion(p: &BigUint, radix: &BigUint) -> String {
    // STEPS there.
    const LIMB_BITS: u64 = 30;
    // Divsteps that suffice for numbers of this length: ⌊(45907·bits + 26313)/19929⌋, Wuille,
    // "Bounds on divsteps iterations in safegcd" (github.com/sipa/safegcd-bounds).
    let divsteps = (45907 * p.bits() + 26313) / 19929;
    // The lowest two limbs make a word. The last has its sign and a bit beyond p, for −2p.
    let limbs = p.bits().div_ceil(LIMB_BITS).max(2);
    let limbs_of = |value: &BigUint| -> Vec<BigUint> {
        let mask = (BigUint::from(1u32) << LIMB_BITS) - 1u32;
        (0..limbs).map(|i| (value >> (LIMB_BITS * i)) & &mask).collect()
    };
    let mut out = format!("#define INVERSE_LIMBS {limbs}\n");
    let _ = writeln!(out, "#define INVERSE_BATCHES {}", divsteps.div_ceil(LIMB_BITS));
    out += &constant("P_LIMBS", &limbs_of(p), 1);
    out += &constant("START", &limbs_of(&(radix * radix % p)), 1);
    out
}

/// The text that goes before the source of the decompose stage.
pub(crate) fn scalars(curve: &CurveSpec) -> String {
    let words = 2 * curve.order.bits().div_ceil(64) as usize;
    let mut out = String::from("typedef unsigned int u32;\n");
    let _ = writeln!(out, "#define SCALAR_WORDS {words}");
    let _ = writeln!(out, "#define ORDER_INV {}u", negated_inverse(&curve.order));
    out += &constant("ORDER", std::slice::from_ref(&curve.order), words);
    out += &constant("HALF_ORDER", &[&curve.order >> 1u32], words);
    out
}

/// Values of `words` words each, one after the other.
fn constant(name: &str, values: &[BigUint], words: usize) -> String {
    let digits = values.iter().flat_map(|value| {
        let mut digits = value.to_u32_digits();
        digits.resize(words, 0);
        digits
    });
    let digits: Vec<_> = digits.map(|digit| format!("{digit:#x}u")).collect();
    let length = digits.len();
    format!("__device__ constexpr u32 {name}[{length}] = {{{}}};\n", digits.join(", "))
}
