//! What the fuzz targets share: what `tests/tiny` of the library has,
//! and curves small enough that a run takes microseconds.

#[path = "../../crates/bucketeer/tests/tiny/case.rs"]
pub mod case;
#[path = "../../crates/bucketeer/tests/tiny/input.rs"]
mod input;
#[path = "../../crates/bucketeer/tests/tiny/points.rs"]
mod points;
#[path = "../../crates/bucketeer/tests/tiny/settings.rs"]
mod settings;

pub use input::{DEVICES, Form, Input, Run, Term, count_of_sums};
pub use points::{Combination, Combinations};
pub use settings::{AnyBuilder, AnySettings};

use bucketeer::Curve;

#[path = "../../crates/bucketeer/tests/it/curves.rs"]
pub mod curves;
#[path = "../../crates/bucketeer/tests/it/small_order.rs"]
pub mod small_order;
#[path = "../../crates/bucketeer/tests/it/tiny_curves.rs"]
pub mod tiny_curves;

/// Checks a case, with a function that is generic over the curve, on one of some curves.
#[macro_export]
macro_rules! on_one_of {
    ($check:ident, $case:expr, $($curve:ident)*) => {{
        const CHECKS: &[fn(&Case)] = &[$(|case| {
            static POINTS: std::sync::LazyLock<$crate::Combinations<$curve::Affine>> =
                std::sync::LazyLock::new($crate::Combinations::new);
            $check(&POINTS, case);
        }),*];
        CHECKS[usize::from($case.curve) % CHECKS.len()]($case);
    }};
}

/// Hands a function and a case to [`on_one_of`], with the curves of small groups: all of them, or
/// one for each kernel shape and form, since every curve takes a while to compile.
#[cfg(feature = "every-curve")]
#[macro_export]
macro_rules! on_small_groups {
    ($check:ident, $case:expr) => {
        $crate::on_one_of!(
            $check, $case,
            tiny tiny_glv two three four_full four_one_spare four_glv four_edwards four_quadratic
            five six_full six_glv six_quadratic twelve_glv
            eight_prime eight twelve_bits_glv twenty_four forty_glv sixty_four sixty_four_glv
            two_glv five_full thirteen thirteen_full eight_edwards ten_edwards sixty_edwards
            two_edwards thirteen_edwards eight_quadratic twenty_quadratic_glv sixty_quadratic
            two_quadratic five_quadratic
        )
    };
}
#[cfg(not(feature = "every-curve"))]
#[macro_export]
macro_rules! on_small_groups {
    ($check:ident, $case:expr) => {
        $crate::on_one_of!(
            $check, $case,
            tiny four_full four_glv four_edwards four_quadratic six_glv six_quadratic twelve_glv
            eight sixty_four_glv ten_edwards thirteen twenty_quadratic_glv
        )
    };
}

/// Holds what a reader accepted to its promise.
pub fn assert_valid<C: Curve>(points: &[C]) {
    assert!(points.iter().all(|point| point.on_curve() && point.in_subgroup()));
}

/// A snarkjs container with these sections.
pub fn container(magic: &str, version: u32, sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = magic.as_bytes().to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend((sections.len() as u32).to_le_bytes());
    for (kind, data) in sections {
        bytes.extend(kind.to_le_bytes());
        bytes.extend((data.len() as u64).to_le_bytes());
        bytes.extend(data);
    }
    bytes
}
