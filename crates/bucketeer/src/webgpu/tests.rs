//! Shaders without an engine: every combination is valid WGSL, and their arithmetic is arkworks'.

use std::sync::Arc;

use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::prelude::Limbs;
use super::program::Source;
use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::plan::Form;
use crate::{Curve, CurveSpec};

fn specs() -> Vec<Arc<CurveSpec>> {
    struct Spec;
    impl Visitor for Spec {
        type Output = Arc<CurveSpec>;
        fn visit<C: Curve>(self, _: &'static NamedCurve) -> Arc<CurveSpec> {
            CurveSpec::of::<C>()
        }
    }
    let mut specs: Vec<_> = CURVES.iter().map(|curve| curve.visit(Spec)).collect();
    // a ≠ 0
    specs.push(CurveSpec::of::<ark_secp256r1::Affine>());
    specs
}

#[test]
fn every_shader_of_every_curve_is_valid() {
    for curve in specs() {
        for form in [Form::Weierstrass, Form::Edwards] {
            if form == Form::Edwards && curve.edwards.is_none() {
                continue;
            }
            for (wide, source) in
                [false, true].into_iter().flat_map(|wide| Source::ALL.map(|source| (wide, source)))
            {
                let text = source.assemble(&curve, form, wide);
                let module = naga::front::wgsl::parse_str(&text)
                    .unwrap_or_else(|e| panic!("{source:?}: {}", e.emit_to_string(&text)));
                let capabilities = match wide {
                    true => Capabilities::SHADER_INT64,
                    false => Capabilities::empty(),
                };
                let mut validator = Validator::new(ValidationFlags::all(), capabilities);
                validator.validate(&module).unwrap_or_else(|e| {
                    panic!("{source:?}, {form:?}: {}", e.emit_to_string(&text))
                });
                let found: Vec<_> = module.entry_points.iter().map(|e| e.name.as_str()).collect();
                assert_eq!(found, source.kernels());
            }
        }
    }
}

#[test]
fn products_of_limbs_add_up_without_carries() {
    for curve in specs() {
        for (wide, word) in [(false, 32), (true, 64)] {
            for modulus in [&curve.modulus, &curve.order] {
                let Limbs { bits, count, .. } = Limbs::of(modulus, wide);
                assert!(u64::from(bits * count) >= modulus.bits() + 2);
                let limb = (1u128 << bits) - 1;
                assert!(2 * u128::from(count) * limb * limb + (1 << (word - bits)) < 1 << word);
            }
        }
    }
}
