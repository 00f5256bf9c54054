//! MSMs over curves whose groups are tiny, where equal, opposite and infinite sums are common,
//! against sums known by their coefficients: every setting, on every device, in every kind of run.
#![no_main]

use bucketeer_fuzz::case::{Case, check};
use bucketeer_fuzz::curves::tiny;
#[cfg(feature = "every-curve")]
use bucketeer_fuzz::curves::tiny_glv;
use bucketeer_fuzz::on_small_groups;
use bucketeer_fuzz::small_order::*;
use bucketeer_fuzz::tiny_curves::*;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|case: Case| {
    on_small_groups!(check, &case);
});
