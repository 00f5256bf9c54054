//! Differences modulo p of 4 and 6 words in assembly: compilers break the chain of borrows up and
//! then branch on the last one, which is unpredictable. [`prime`](super::prime) has the same in
//! plain Rust.

use core::arch::asm;

use super::residues::Words;

macro_rules! words {
    ($subtract:ident, $loose_subtract:ident, $negate_if:ident, $n:literal,
     [$($word:ident $at:literal)*]) => {
        /// a − b, and p more if that is negative.
        ///
        /// # Safety
        /// ADX.
        #[inline(always)]
        pub(super) unsafe fn $subtract(a: &Words<$n>, b: &Words<$n>, p: &Words<$n>) -> Words<$n> {
            let [$(mut $word),*] = *a;
            // SAFETY: the processor has ADX, and only the operands are read.
            unsafe {
                asm!(
                    "xor {zero:e}, {zero:e}",
                    $(concat!("sbb {", stringify!($word), "}, [{b} + ", $at, "]"),)*
                    // ZF: no borrow. ADCX does not change it.
                    "sbb {term}, {term}",
                    "test {term}, {term}",
                    $(
                        concat!("mov {term}, [{p} + ", $at, "]"),
                        "cmovz {term}, {zero}",
                        concat!("adcx {", stringify!($word), "}, {term}"),
                    )*
                    $($word = inout(reg) $word,)*
                    b = in(reg) b, p = in(reg) p, zero = out(reg) _, term = out(reg) _,
                    options(pure, readonly, nostack),
                );
            }
            [$($word),*]
        }

        /// a − b + p, which must fit the words.
        #[inline(always)]
        pub(super) fn $loose_subtract(a: &Words<$n>, b: &Words<$n>, p: &Words<$n>) -> Words<$n> {
            let [$(mut $word),*] = *a;
            // SAFETY: only the operands are read.
            unsafe {
                asm!(
                    "xor {zero:e}, {zero:e}",
                    $(concat!("adc {", stringify!($word), "}, [{p} + ", $at, "]"),)*
                    "xor {zero:e}, {zero:e}",
                    $(concat!("sbb {", stringify!($word), "}, [{b} + ", $at, "]"),)*
                    $($word = inout(reg) $word,)*
                    b = in(reg) b, p = in(reg) p, zero = out(reg) _,
                    options(pure, readonly, nostack),
                );
            }
            [$($word),*]
        }

        /// p − a if `negative`, otherwise a.
        #[inline(always)]
        pub(super) fn $negate_if(negative: bool, a: &Words<$n>, p: &Words<$n>) -> Words<$n> {
            let [$(mut $word),*] = *p;
            // SAFETY: only the operands are read.
            unsafe {
                asm!(
                    "xor {zero:e}, {zero:e}",
                    $(concat!("sbb {", stringify!($word), "}, [{a} + ", $at, "]"),)*
                    "test {negative:e}, {negative:e}",
                    $(concat!("cmovz {", stringify!($word), "}, [{a} + ", $at, "]"),)*
                    $($word = inout(reg) $word,)*
                    a = in(reg) a, negative = in(reg) u32::from(negative), zero = out(reg) _,
                    options(pure, readonly, nostack),
                );
            }
            [$($word),*]
        }
    };
}

words!(subtract4, loose_subtract4, negate_if4, 4, [w0 0 w1 8 w2 16 w3 24]);
words!(subtract6, loose_subtract6, negate_if6, 6, [w0 0 w1 8 w2 16 w3 24 w4 32 w5 40]);
