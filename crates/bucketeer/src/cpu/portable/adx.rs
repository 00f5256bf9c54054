//! Sums of products modulo p of 4 and 6 words in assembly: with MULX, ADCX and ADOX the two carry chains of
//! a row run side by side, which compilers do not write. A third fewer instructions than
//! [`prime`](super::prime) takes for the same rows.

use core::arch::asm;

use super::prime::{Modulus, Words};

/// Adds rdx times the words at a pointer to registers, lowest first. `zero` is a register that is or becomes
/// zero; the carry into the last register does not overflow.
macro_rules! row {
    ($pointer:literal $offset:literal, [$($at:literal $low:literal $high:literal)*] $top:literal, $zero:expr) => {
        concat!(
            "xor {lo:e}, {lo:e}\n",
            $(
                "mulx {hi}, {lo}, [{", $pointer, "} + ", $offset, " + ", $at, "]\n",
                "adcx {", $low, "}, {lo}\n",
                "adox {", $high, "}, {hi}\n",
            )*
            $zero,
        )
    };
}

/// Adds the products with one word of every b to t and divides by 2^64 modulo p. That leaves the lowest
/// register zero: the top one of the next round.
macro_rules! round {
    ($products:tt of 4 words, $at:literal:
     $t0:literal $t1:literal $t2:literal $t3:literal $top:literal) => {
        round!($products 32 $at $t0 $top [0 $t0 $t1 8 $t1 $t2 16 $t2 $t3 24 $t3 $top])
    };
    ($products:tt of 6 words, $at:literal:
     $t0:literal $t1:literal $t2:literal $t3:literal $t4:literal $t5:literal $top:literal) => {
        round!($products 48 $at $t0 $top
            [0 $t0 $t1 8 $t1 $t2 16 $t2 $t3 24 $t3 $t4 32 $t4 $t5 40 $t5 $top])
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

macro_rules! dot4 {
    ($name:ident, $products:tt) => {
        /// Σ aᵢ·bᵢ/R, below p + Σ aᵢ·bᵢ/R.
        ///
        /// # Safety
        /// BMI2 and ADX.
        #[inline(always)]
        pub(super) unsafe fn $name(
            a: &[Words<4>; $products],
            b: &[Words<4>; $products],
            p: &Modulus<4>,
        ) -> Words<4> {
            let (mut t0, mut t1, mut t2, mut t4) = (0, 0, 0, 0);
            // SAFETY: the instructions are there and read nothing but the operands.
            unsafe {
                asm!(
                    round!($products of 4 words, 0: "t0" "t1" "t2" "t3" "t4"),
                    round!($products of 4 words, 8: "t1" "t2" "t3" "t4" "t0"),
                    round!($products of 4 words, 16: "t2" "t3" "t4" "t0" "t1"),
                    round!($products of 4 words, 24: "t3" "t4" "t0" "t1" "t2"),
                    a = in(reg) a, b = in(reg) b, p = in(reg) p,
                    t0 = inout(reg) t0, t1 = inout(reg) t1, t2 = inout(reg) t2,
                    t3 = inout(reg) 0u64 => _, t4 = inout(reg) t4,
                    lo = out(reg) _, hi = out(reg) _, out("rdx") _,
                    options(pure, readonly, nostack),
                );
            }
            [t4, t0, t1, t2]
        }
    };
}

macro_rules! dot6 {
    ($name:ident, $products:tt) => {
        /// Σ aᵢ·bᵢ/R, below p + Σ aᵢ·bᵢ/R.
        ///
        /// # Safety
        /// BMI2 and ADX.
        #[inline(always)]
        pub(super) unsafe fn $name(
            a: &[Words<6>; $products],
            b: &[Words<6>; $products],
            p: &Modulus<6>,
        ) -> Words<6> {
            let (mut t0, mut t1, mut t2, mut t3, mut t4, mut t6) = (0, 0, 0, 0, 0, 0);
            // SAFETY: the instructions are there and read nothing but the operands.
            unsafe {
                asm!(
                    round!($products of 6 words, 0: "t0" "t1" "t2" "t3" "t4" "t5" "t6"),
                    round!($products of 6 words, 8: "t1" "t2" "t3" "t4" "t5" "t6" "t0"),
                    round!($products of 6 words, 16: "t2" "t3" "t4" "t5" "t6" "t0" "t1"),
                    round!($products of 6 words, 24: "t3" "t4" "t5" "t6" "t0" "t1" "t2"),
                    round!($products of 6 words, 32: "t4" "t5" "t6" "t0" "t1" "t2" "t3"),
                    round!($products of 6 words, 40: "t5" "t6" "t0" "t1" "t2" "t3" "t4"),
                    a = in(reg) a, b = in(reg) b, p = in(reg) p,
                    t0 = inout(reg) t0, t1 = inout(reg) t1, t2 = inout(reg) t2,
                    t3 = inout(reg) t3, t4 = inout(reg) t4, t5 = inout(reg) 0u64 => _,
                    t6 = inout(reg) t6,
                    lo = out(reg) _, hi = out(reg) _, out("rdx") _,
                    options(pure, readonly, nostack),
                );
            }
            [t6, t0, t1, t2, t3, t4]
        }
    };
}

dot4!(product4, 1);
dot4!(two_products4, 2);
dot6!(product6, 1);
dot6!(two_products6, 2);
