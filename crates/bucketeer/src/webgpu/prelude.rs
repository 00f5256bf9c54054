//! The constants that specialise the shaders, generated from a curve.

use std::fmt::Write;

use num_bigint::BigUint;

use crate::CurveSpec;
use crate::gpu::negated_inverse;
use crate::plan::Form;

/// Largest k for which multiplication by −k is k subtractions.
const SMALL: u32 = 8;

/// How elements of a prime field are cut into limbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limbs {
    pub bits: u32,
    pub count: u32,
    /// Whether products of limbs are 64-bit integers.
    pub wide: bool,
}

impl Limbs {
    /// The fewest limbs that leave two bits above the modulus and whose products add up without
    /// carries: 2·count products fit in a word. With 32-bit words these are limbs of 13 bits, the
    /// fastest of 12 to 16 in published measurements too, and of 12 beyond 400 bits; with 64-bit
    /// words of 29.
    pub(crate) fn of(modulus: &BigUint, wide: bool) -> Self {
        let candidates: &[u32] = if wide { &[29, 28] } else { &[13, 12] };
        let word = if wide { 64 } else { 32 };
        let with = |&bits: &u32| {
            let count = (modulus.bits() as u32 + 2).div_ceil(bits);
            Self { bits, count, wide }
        };
        let fits = |limbs: &Self| {
            let limb = (1u128 << limbs.bits) - 1;
            // The carry out of the limb below comes on top.
            2 * u128::from(limbs.count) * limb * limb + (1 << (word - limbs.bits)) < 1 << word
        };
        // Fields of more than 768 bits are refused before this.
        candidates.iter().map(with).find(fits).unwrap_or(with(&candidates[1]))
    }

    /// Bits of all limbs together: an element x is held as x·2^total.
    fn total(&self) -> u32 {
        self.bits * self.count
    }
}

/// 2^exponent mod an odd modulus.
fn power_of_two(exponent: i64, modulus: &BigUint) -> BigUint {
    let base = if exponent < 0 { (modulus + 1u32) >> 1u32 } else { BigUint::from(2u32) };
    base.modpow(&BigUint::from(exponent.unsigned_abs()), modulus)
}

/// Constants of one prime field in shaders.
pub(crate) struct Field<'a> {
    modulus: &'a BigUint,
    pub limbs: Limbs,
    /// 32-bit words of an element in arkworks' memory.
    pub words: u32,
}

impl<'a> Field<'a> {
    /// The base field of a curve.
    pub(crate) fn base(curve: &'a CurveSpec, wide: bool) -> Self {
        let (modulus, words) = (&curve.modulus, 2 * curve.limbs as u32);
        Self { modulus, limbs: Limbs::of(modulus, wide), words }
    }

    /// The scalar field of a curve.
    pub(crate) fn scalar(curve: &'a CurveSpec, wide: bool) -> Self {
        let words = 2 * curve.order.bits().div_ceil(64) as u32;
        Self { modulus: &curve.order, limbs: Limbs::of(&curve.order, wide), words }
    }

    /// Bits by which our Montgomery factor is longer than arkworks'.
    pub(crate) fn excess(&self) -> i64 {
        i64::from(self.limbs.total()) - 32 * i64::from(self.words)
    }

    fn montgomery(&self, x: &BigUint) -> BigUint {
        (x << self.limbs.total()) % self.modulus
    }

    /// Numbers that loops may be unrolled to.
    pub(crate) fn constants(&self) -> [(&'static str, u32); 2] {
        [("LIMBS", self.limbs.count), ("WORDS", self.words)]
    }

    /// The constants of `field.wgsl`.
    fn prelude(&self) -> String {
        let Limbs { bits, count, wide } = self.limbs;
        let mut out = String::new();
        let mut define = |name: &str, value: u64| {
            let _ = writeln!(out, "const {name} = {value}u;");
        };
        define("LIMBS", count.into());
        define("LIMB_BITS", bits.into());
        define("MASK", (1 << bits) - 1);
        define("WORDS", self.words.into());
        define("PACKED", u64::from(self.words) + 2);
        define("P_INV", negated_inverse(self.modulus) & ((1 << bits) - 1));
        let _ = writeln!(out, "alias Wide = {};", if wide { "u64" } else { "u32" });
        out += &self.constant("P", self.modulus);
        out += &self.constant("ONE", &self.montgomery(&BigUint::from(1u32)));
        let mut words = (self.modulus - 2u32).to_u32_digits();
        words.resize(self.words as usize, 0);
        out += &array("P_MINUS_2", &words);
        out
    }

    /// A value in limbs.
    fn constant(&self, name: &str, value: &BigUint) -> String {
        array(name, &self.split(value))
    }

    fn split(&self, value: &BigUint) -> Vec<u32> {
        let Limbs { bits, count, .. } = self.limbs;
        let mask = (BigUint::from(1u32) << bits) - 1u32;
        let limb = |k: u32| (value >> (k * bits)) & &mask;
        (0..count).map(|k| limb(k).iter_u32_digits().next().unwrap_or(0)).collect()
    }

    /// An expression for a coordinate in Montgomery form.
    fn element(&self, parts: &[BigUint]) -> String {
        let limbs = |part: &BigUint| list(&self.split(&self.montgomery(part)));
        match parts {
            [part] => limbs(part),
            parts => format!("Fq({})", parts.iter().map(limbs).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// The text that goes before the shaders that do curve arithmetic.
pub(crate) fn curve(curve: &CurveSpec, form: Form, field: &Field<'_>) -> String {
    let mut out = field.prelude();
    let coordinate = field.words * curve.degree as u32;
    let bases = if form == Form::Edwards { 3 } else { 2 };
    let _ = writeln!(out, "const FQ_WORDS = {coordinate}u;");
    let _ = writeln!(out, "const SUM_WORDS = {}u;", 4 * coordinate);
    let _ = writeln!(out, "const BASE_WORDS = {}u;", bases * coordinate);
    // mont(x·2^(32·words), IMPORT) = x·2^total
    let import = power_of_two(i64::from(field.limbs.total()) + field.excess(), field.modulus);
    out += &field.constant("IMPORT", &import);
    if let Some(non_residue) = &curve.non_residue {
        let negated = (1..=SMALL).find(|k| non_residue + k == *field.modulus).unwrap_or(0);
        let _ = writeln!(out, "const NEGATED_NON_RESIDUE = {negated}u;");
        out += &field.constant("NON_RESIDUE", &field.montgomery(non_residue));
    }
    match (form, &curve.edwards) {
        (Form::Edwards, Some(edwards)) => {
            out += &field.constant("D2", &field.montgomery(&(&edwards.d * 2u32)));
            out += &field.constant("SCALE", &field.montgomery(&edwards.scale));
            out += "fn scaled(x: Fq) -> Fq { return fq_mul(x, SCALE); }\n";
            if let Some([b, third_of_a]) = &edwards.montgomery {
                out += &field.constant("MONTGOMERY_B", &field.montgomery(b));
                out += &field.constant("THIRD_OF_A", &field.montgomery(third_of_a));
            }
        }
        _ => {
            let a = &curve.weierstrass[0];
            let zero = a.iter().all(|part| part.bits() == 0);
            let _ = writeln!(out, "const A_IS_ZERO = {zero};");
            let _ = writeln!(out, "fn curve_a() -> Fq {{ return {}; }}", field.element(a));
            out += "fn scaled(x: Fq) -> Fq { return x; }\n";
        }
    }
    out
}

/// The text that goes before the shader of the decompose stage.
pub(crate) fn scalars(field: &Field<'_>) -> String {
    let mut out = field.prelude();
    // mont(k·2^(32·words), FROM_MONTGOMERY) = k
    out += &field.constant("FROM_MONTGOMERY", &power_of_two(field.excess(), field.modulus));
    out += &field.constant("HALF_ORDER", &(field.modulus >> 1u32));
    out
}

fn list(values: &[u32]) -> String {
    let values: Vec<_> = values.iter().map(|value| format!("{value}u")).collect();
    format!("array<u32, {}>({})", values.len(), values.join(", "))
}

fn array(name: &str, values: &[u32]) -> String {
    format!("const {name} = {};\n", list(values))
}
