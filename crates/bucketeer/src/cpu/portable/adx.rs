//! Sums of products modulo p of 4, 6 and 12 words in assembly: with MULX, ADCX and ADOX the two
//! carry chains of a row are independent, which compilers do not generate. [`prime`](super::prime)
//! has the same rows in plain Rust.

use core::arch::asm;

use super::prime::Modulus;
use super::residues::{Words, plus};

/// Adds rdx times the words at a pointer to registers, lowest first. `$last` ends the row: it adds
/// the last carry to the top register, which does not overflow.
macro_rules! row {
    ($pointer:literal $offset:literal, [$($at:literal $low:literal $high:literal)*] $top:literal,
     $last:expr) => {
        concat!(
            "xor {lo:e}, {lo:e}\n",
            $(
                "mulx {hi}, {lo}, [{", $pointer, "} + ", $offset, " + ", $at, "]\n",
                "adcx {", $low, "}, {lo}\n",
                "adox {", $high, "}, {hi}\n",
            )*
            $last,
        )
    };
}

/// Adds the products with one word of every b to t and divides by 2^64 modulo p. The lowest
/// register becomes zero and is the top one of the next round.
macro_rules! round {
    // For a p that fills its words: t has one more.
    (carried of 4 words, $at:tt:
     $t0:literal $t1:literal $t2:literal $t3:literal $t4:literal $top:literal) => {
        concat!(
            "mov rdx, [{b} + ", $at, "]\n",
            row!("a" 0, [0 $t0 $t1 8 $t1 $t2 16 $t2 $t3 24 $t3 $t4] $top, round!(@carry $t4 $top)),
            "mov rdx, {", $t0, "}\n",
            "imul rdx, [{p} + 32]\n",
            row!("p" 0, [0 $t0 $t1 8 $t1 $t2 16 $t2 $t3 24 $t3 $t4] $top, round!(@carry $t4 $top)),
        )
    };
    (@carry $last:literal $top:literal) => {
        concat!(
            "mov {lo:e}, 0\n",
            "adcx {", $last, "}, {lo}\n",
            "adcx {", $top, "}, {lo}\n",
            "adox {", $top, "}, {lo}\n",
        )
    };
    ($products:tt of 4 words, $at:tt:
     $t0:literal $t1:literal $t2:literal $t3:literal $top:literal) => {
        round!($products 32 $at $t0 $top [0 $t0 $t1 8 $t1 $t2 16 $t2 $t3 24 $t3 $top])
    };
    ($products:tt of 6 words, $at:tt:
     $t0:literal $t1:literal $t2:literal $t3:literal $t4:literal $t5:literal $top:literal) => {
        round!($products 48 $at $t0 $top
            [0 $t0 $t1 8 $t1 $t2 16 $t2 $t3 24 $t3 $t4 32 $t4 $t5 40 $t5 $top])
    };
    // The first round starts from zero.
    (1 $bytes:literal 0 $t0:literal $top:literal $words:tt) => {
        concat!(round!(@first $top $words), round!(@reduce $bytes $t0 $top $words))
    };
    (2 $bytes:literal 0 $t0:literal $top:literal $words:tt) => {
        concat!(
            round!(@first $top $words),
            round!(@times $bytes 0 $top $words),
            round!(@reduce $bytes $t0 $top $words),
        )
    };
    (1 $bytes:literal $at:literal $t0:literal $top:literal $words:tt) => {
        concat!(round!(@times 0 $at $top $words), round!(@reduce $bytes $t0 $top $words))
    };
    (2 $bytes:literal $at:literal $t0:literal $top:literal $words:tt) => {
        concat!(
            round!(@times 0 $at $top $words),
            round!(@times $bytes $at $top $words),
            round!(@reduce $bytes $t0 $top $words),
        )
    };
    // A row of a full product: its lowest word is final.
    (product $bytes:literal $at:literal $t0:literal $top:literal $words:tt) => {
        concat!(
            round!(@times 0 $at $top $words),
            "mov [{low} + ", $at, "], {", $t0, "}\n",
            "xor {", $t0, ":e}, {", $t0, ":e}\n",
        )
    };
    // A row of a division by p: the factor is stored.
    (division $bytes:literal $at:literal $t0:literal $top:literal $words:tt) => {
        concat!(
            "mov rdx, {", $t0, "}\n",
            "imul rdx, {inverse}\n",
            "mov [{m} + ", $at, "], rdx\n",
            row!("p" 0, $words $top, concat!("adcx {", $top, "}, {", $t0, "}\n")),
        )
    };
    (@first $top:literal
     [0 $t0:literal $t1:literal 8 $u1:literal $t2:literal
      $($at:literal $low:literal $high:literal)*]) => {
        concat!(
            "mov rdx, [{b}]\n",
            "mulx {", $t1, "}, {", $t0, "}, [{a}]\n",
            "mulx {", $t2, "}, {lo}, [{a} + 8]\n",
            "add {", $u1, "}, {lo}\n",
            $(
                "mulx {", $high, "}, {lo}, [{a} + ", $at, "]\n",
                "adc {", $low, "}, {lo}\n",
            )*
            "adc {", $top, "}, 0\n",
        )
    };
    (@times $element:literal $at:literal $top:literal $words:tt) => {
        concat!(
            "mov rdx, [{b} + ", $element, " + ", $at, "]\n",
            row!("a" $element, $words $top, concat!("mov {lo:e}, 0\nadcx {", $top, "}, {lo}\n")),
        )
    };
    (@reduce $bytes:literal $t0:literal $top:literal $words:tt) => {
        concat!(
            "mov rdx, {", $t0, "}\n",
            "imul rdx, [{p} + ", $bytes, "]\n",
            row!("p" 0, $words $top, concat!("adcx {", $top, "}, {", $t0, "}\n")),
        )
    };
}

/// Subtracts p once if the value is not below it, through other registers; `$borrow` subtracts the
/// borrow from a word above.
macro_rules! trim {
    ([0 $word:literal $less:literal $($at:literal $words:literal $lesses:literal)*],
     $borrow:literal) => {
        concat!(
            "mov ", $less, ", ", $word, "\nsub ", $less, ", [{p}]\n",
            $("mov ", $lesses, ", ", $words, "\nsbb ", $lesses, ", [{p} + ", $at, "]\n",)*
            $borrow,
            "cmovnc ", $word, ", ", $less, "\n",
            $("cmovnc ", $words, ", ", $lesses, "\n",)*
        )
    };
}

/// The rounds of 4 words; the result is in t4, t0, t1, t2.
macro_rules! rounds4 {
    ($kind:tt) => {
        concat!(
            round!($kind of 4 words, 0: "t0" "t1" "t2" "t3" "t4"),
            round!($kind of 4 words, 8: "t1" "t2" "t3" "t4" "t0"),
            round!($kind of 4 words, 16: "t2" "t3" "t4" "t0" "t1"),
            round!($kind of 4 words, 24: "t3" "t4" "t0" "t1" "t2"),
        )
    };
}

/// The rounds of 6 words; the result is in t6, t0, t1, t2, t3, t4.
macro_rules! rounds6 {
    ($kind:tt) => {
        concat!(
            round!($kind of 6 words, 0: "t0" "t1" "t2" "t3" "t4" "t5" "t6"),
            round!($kind of 6 words, 8: "t1" "t2" "t3" "t4" "t5" "t6" "t0"),
            round!($kind of 6 words, 16: "t2" "t3" "t4" "t5" "t6" "t0" "t1"),
            round!($kind of 6 words, 24: "t3" "t4" "t5" "t6" "t0" "t1" "t2"),
            round!($kind of 6 words, 32: "t4" "t5" "t6" "t0" "t1" "t2" "t3"),
            round!($kind of 6 words, 40: "t5" "t6" "t0" "t1" "t2" "t3" "t4"),
        )
    };
}

/// Assembly on six accumulators, from those of `t`, and a seventh.
macro_rules! asm6 {
    ($t:expr, $rounds:expr, $($operands:tt)*) => {{
        let [mut t0, mut t1, mut t2, mut t3, mut t4, t5]: Words<6> = $t;
        let mut t6 = 0u64;
        asm!(
            $rounds,
            t0 = inout(reg) t0, t1 = inout(reg) t1, t2 = inout(reg) t2, t3 = inout(reg) t3,
            t4 = inout(reg) t4, t5 = inout(reg) t5 => _, t6 = inout(reg) t6,
            lo = out(reg) _, hi = out(reg) _, out("rdx") _,
            $($operands)*
        );
        [t6, t0, t1, t2, t3, t4]
    }};
}

macro_rules! dot4 {
    ($name:ident, $products:tt, $end:expr) => {
        /// Σ aᵢ·bᵢ/R, below p + Σ aᵢ·bᵢ/R; with `trim` at the end, less p if that is not negative.
        ///
        /// # Safety
        /// BMI2 and ADX.
        #[inline(always)]
        pub(super) unsafe fn $name(
            a: &[Words<4>; $products],
            b: &[Words<4>; $products],
            p: &Modulus<4>,
        ) -> Words<4> {
            let (t0, t1, t2, t4);
            // SAFETY: the processor has the instructions, and only the operands are read.
            unsafe {
                asm!(
                    rounds4!($products),
                    $end,
                    a = in(reg) a, b = in(reg) b, p = in(reg) p,
                    t0 = out(reg) t0, t1 = out(reg) t1, t2 = out(reg) t2, t3 = out(reg) _,
                    t4 = out(reg) t4,
                    lo = out(reg) _, hi = out(reg) _, out("rdx") _,
                    options(pure, readonly, nostack),
                );
            }
            [t4, t0, t1, t2]
        }
    };
}

macro_rules! dot6 {
    ($name:ident, $products:tt, $end:expr) => {
        /// Σ aᵢ·bᵢ/R, below p + Σ aᵢ·bᵢ/R; with `trim` at the end, less p if that is not negative.
        ///
        /// # Safety
        /// BMI2 and ADX.
        #[inline(always)]
        pub(super) unsafe fn $name(
            a: &[Words<6>; $products],
            b: &[Words<6>; $products],
            p: &Modulus<6>,
        ) -> Words<6> {
            let (t0, t1, t2, t3, t4, t6);
            // SAFETY: the processor has the instructions, and only the operands are read.
            unsafe {
                asm!(
                    rounds6!($products),
                    $end,
                    a = inout(reg) a => _, b = inout(reg) b => _, p = in(reg) p,
                    t0 = out(reg) t0, t1 = out(reg) t1, t2 = out(reg) t2, t3 = out(reg) t3,
                    t4 = out(reg) t4, t5 = out(reg) _, t6 = out(reg) t6,
                    lo = out(reg) _, hi = out(reg) _, out("rdx") _,
                    options(pure, readonly, nostack),
                );
            }
            [t6, t0, t1, t2, t3, t4]
        }
    };
}

/// [`trim`] after the rounds of 4 words.
macro_rules! trim4 {
    () => {
        trim!([0 "{t4}" "{t3}" 8 "{t0}" "{lo}" 16 "{t1}" "{hi}" 24 "{t2}" "rdx"], "")
    };
}

/// [`trim`] after the rounds of 6 words.
macro_rules! trim6 {
    () => {
        trim!(
            [0 "{t6}" "{t5}" 8 "{t0}" "{lo}" 16 "{t1}" "{hi}" 24 "{t2}" "rdx" 32 "{t3}" "{a}"
             40 "{t4}" "{b}"],
            ""
        )
    };
}

dot4!(product4, 1, trim4!());
dot4!(loose_product4, 1, "");
dot4!(two_products4, 2, trim4!());
dot6!(product6, 1, trim6!());
dot6!(loose_product6, 1, "");
dot6!(two_products6, 2, trim6!());

/// a·b/R modulo p for a p that fills its words.
///
/// # Safety
/// BMI2 and ADX.
#[inline(always)]
pub(super) unsafe fn full_product4(a: &Words<4>, b: &Words<4>, p: &Modulus<4>) -> Words<4> {
    let (mut t0, mut t1, mut t4, mut t5) = (0, 0, 0, 0);
    // SAFETY: the processor has the instructions, and only the operands are read.
    unsafe {
        asm!(
            round!(carried of 4 words, 0: "t0" "t1" "t2" "t3" "t4" "t5"),
            round!(carried of 4 words, 8: "t1" "t2" "t3" "t4" "t5" "t0"),
            round!(carried of 4 words, 16: "t2" "t3" "t4" "t5" "t0" "t1"),
            round!(carried of 4 words, 24: "t3" "t4" "t5" "t0" "t1" "t2"),
            trim!(
                [0 "{t4}" "{t3}" 8 "{t5}" "{lo}" 16 "{t0}" "{hi}" 24 "{t1}" "rdx"],
                "sbb {t2}, 0\n"
            ),
            a = in(reg) a, b = in(reg) b, p = in(reg) p,
            t0 = inout(reg) t0, t1 = inout(reg) t1, t2 = inout(reg) 0u64 => _,
            t3 = inout(reg) 0u64 => _, t4 = inout(reg) t4, t5 = inout(reg) t5,
            lo = out(reg) _, hi = out(reg) _, out("rdx") _,
            options(pure, readonly, nostack),
        );
    }
    [t4, t5, t0, t1]
}

/// t + a·b, as lower and upper half.
///
/// # Safety
/// BMI2 and ADX.
#[inline(always)]
unsafe fn multiply_add(t: &Words<6>, a: &Words<6>, b: &Words<6>) -> [Words<6>; 2] {
    let mut low = [0; 6];
    // SAFETY: the processor has the instructions; only the operands are read, only `low` is
    // written.
    let high = unsafe {
        asm6!(
            *t, rounds6!(product),
            a = in(reg) a, b = in(reg) b, low = in(reg) &mut low, options(nostack),
        )
    };
    [low, high]
}

/// m with t + m·p divisible by 2^384, and the quotient.
///
/// # Safety
/// BMI2 and ADX.
#[inline(always)]
unsafe fn divide(t: &Words<6>, p: &Words<6>, negative_inverse: u64) -> [Words<6>; 2] {
    let mut m = [0; 6];
    // SAFETY: the processor has the instructions; only the operands are read, only `m` is written.
    let quotient = unsafe {
        asm6!(
            *t, rounds6!(division),
            p = in(reg) p, inverse = in(reg) negative_inverse, m = in(reg) &mut m,
            options(nostack),
        )
    };
    [m, quotient]
}

/// t + a·b + c, as lower and upper half.
///
/// # Safety
/// BMI2 and ADX.
#[inline(always)]
unsafe fn multiply_add_two(
    t: &Words<6>,
    a: &Words<6>,
    b: &Words<6>,
    c: &Words<6>,
) -> [Words<6>; 2] {
    // SAFETY: values only; the caller runs with BMI2 and ADX.
    let [low, high] = unsafe { multiply_add(t, a, b) };
    let (low, carry) = plus(&low, c, false);
    [low, plus(&high, &[0; 6], carry).0]
}

/// a·b/R of 12 words, below p + a·b/R: rounds like those above with digits of six words. Not
/// inlined, since several copies would not fit in the L1 instruction cache.
///
/// # Safety
/// BMI2 and ADX.
#[inline(never)]
pub(super) unsafe fn product12(
    a: &[Words<6>; 2],
    b: &[Words<6>; 2],
    p: &[Words<6>; 2],
    negative_inverse: u64,
) -> [Words<6>; 2] {
    let mut t = [[0; 6]; 2];
    for digit in b {
        // SAFETY: values only; the caller runs with BMI2 and ADX.
        unsafe {
            let [low, carry] = multiply_add(&t[0], &a[0], digit);
            let [middle, high] = multiply_add_two(&t[1], &a[1], digit, &carry);
            let [m, carry] = divide(&low, &p[0], negative_inverse);
            let [low, carry] = multiply_add_two(&middle, &m, &p[1], &carry);
            t = [low, plus(&high, &carry, false).0];
        }
    }
    t
}
