//! Shaders without an engine: every combination is valid WGSL, and their arithmetic is arkworks'.

use std::sync::Arc;

use ark_std::rand::SeedableRng;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::prelude::{Field, Limbs};
use super::program::{Source, arithmetic_for_tests};
use super::recorder::{Recorder, Tape, read};
use super::workspace::{readable, storage};
use super::{Gpu, to_arkworks};
use crate::curve::to_words;
use crate::curves::{CURVES, NamedCurve, Visitor};
use crate::gpu::Stage;
use crate::plan::{BufferKind, Form};
use crate::random::{Distribution, KnownBases};
use crate::wait::wait;
use crate::{Bases, Curve, CurveSpec, Device, Error};

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
                let info = validator.validate(&module).unwrap_or_else(|e| {
                    panic!("{source:?}, {form:?}: {}", e.emit_to_string(&text))
                });
                check_interface(source, &module, &info);
            }
        }
    }
}

/// Parameters lie where the host puts them, and every kernel binds the buffers that it is given.
fn check_interface(source: Source, module: &naga::Module, info: &naga::valid::ModuleInfo) {
    let interface = source.interface();
    let params = module.types.iter().find(|(_, own)| own.name.as_deref() == Some("Params"));
    let Some((_, naga::Type { inner: naga::TypeInner::Struct { members, .. }, .. })) = params
    else {
        panic!("{source:?} has no parameters");
    };
    let found: Vec<_> =
        members.iter().map(|m| (m.name.clone().expect("a name"), m.offset as usize)).collect();
    let fields = (interface.fields)();
    let declared: Vec<_> = fields.iter().map(|f| (f.name.to_owned(), 4 * f.place)).collect();
    assert_eq!(found, declared, "{source:?}");
    let found: Vec<_> = module.entry_points.iter().map(|e| e.name.as_str()).collect();
    let declared: Vec<_> = interface.kernels.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, declared);
    for (index, (kernel, buffers)) in interface.kernels.iter().enumerate() {
        let used = &info.get_entry_point(index);
        let used = module.global_variables.iter().filter(|(own, _)| !used[*own].is_empty());
        let bound = used.filter_map(|(_, v)| Some((v.binding.as_ref()?.binding, v.name.clone()?)));
        let bound: Vec<_> = bound.filter(|(binding, _)| *binding > 0).collect();
        let declared: Vec<_> = buffers
            .iter()
            .map(|name| (interface.binding(name).expect("a binding"), (*name).to_owned()))
            .collect();
        assert_eq!(bound, declared, "{kernel}");
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

/// What the shader of `arithmetic` computes of a and b.
const RESULTS: usize = 6;

fn expected<F: ark_ff::Field>(a: F, b: F) -> [F; RESULTS] {
    [a + b, a - b, a * b, -a, a.square(), a.inverse().unwrap_or(F::ZERO)]
}

const ARITHMETIC: &str = "
struct Params { count: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> raw: array<u32>;
@group(0) @binding(2) var<storage, read_write> table: array<u32>;

@compute @workgroup_size(64)
fn arithmetic(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.count) { return; }
    let a = fq_import(raw_fq(id.x * 2u * FQ_WORDS));
    let b = fq_import(raw_fq((id.x * 2u + 1u) * FQ_WORDS));
    let at = id.x * 6u * FQ_WORDS;
    table_set_fq(at, fq_add(a, b));
    table_set_fq(at + FQ_WORDS, fq_sub(a, b));
    table_set_fq(at + 2u * FQ_WORDS, fq_mul(a, b));
    table_set_fq(at + 3u * FQ_WORDS, fq_neg(a));
    table_set_fq(at + 4u * FQ_WORDS, fq_sqr(a));
    table_set_fq(at + 5u * FQ_WORDS, fq_inverse(a));
}
";

/// Elements at the borders: 0, ±1, ±2, halves, limbs that are all ones, and random ones.
fn elements<F: ark_ff::Field>(limb_bits: u32) -> Vec<F> {
    let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(0xf1e1d);
    let mut elements = vec![F::ZERO, F::ONE, -F::ONE, F::ONE.double(), -F::ONE.double()];
    elements.extend(F::ONE.double().inverse());
    let power = F::from(2u64).pow([u64::from(limb_bits)]);
    elements.extend([power - F::ONE, power.square() - F::ONE, -power]);
    elements.extend((0..5).map(|_| F::rand(&mut rng)));
    elements
}

/// The field's arithmetic on a device against arkworks', for all pairs of border elements.
async fn check_arithmetic<C: Curve>(gpu: &Gpu) -> Result<(), Error> {
    let curve = CurveSpec::of::<C>();
    let field = Field::base(&curve, gpu.wide);
    let elements = elements::<C::BaseField>(field.limbs.bits);
    let pairs: Vec<_> = elements.iter().flat_map(|a| elements.iter().map(|b| (*a, *b))).collect();
    let words =
        |x: &C::BaseField| to_words(x).iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>();
    let bytes: Vec<u8> = pairs.iter().flat_map(|(a, b)| [words(a), words(b)].concat()).collect();
    let element = 8 * curve.limbs * curve.degree;
    let length = (pairs.len() * RESULTS * element) as u64;
    let raw = storage(gpu, BufferKind::Loading, bytes.len() as u64).await?;
    let out = storage(gpu, BufferKind::Bases, length).await?;
    let read_back = readable(gpu, length).await?;
    gpu.queue.write_buffer(&raw, 0, &bytes);
    let kernel = arithmetic_for_tests(gpu, &curve, ARITHMETIC).await?;
    let tape = Tape::new(gpu);
    let mut recorder = Recorder::new(gpu, &tape);
    let groups = (pairs.len().div_ceil(64) as u64, 1);
    let (count, bound) = (pairs.len() as u32, [(1, &raw), (2, &out)]);
    recorder.dispatch(Stage::Load, kernel, &[count], &bound, groups).await?;
    recorder.copy(&out, 0, &read_back, length);
    recorder.finish().await?;
    let mut found = read(gpu, &read_back, length).await?;
    to_arkworks::<C::BaseField>(&curve, gpu.wide, &mut found)?;
    for ((a, b), found) in pairs.iter().zip(found.chunks(RESULTS * element / 8)) {
        let right: Vec<u64> = expected(*a, *b).iter().flat_map(to_words).collect();
        assert_eq!(found, right, "{gpu}: {a} and {b}");
    }
    Ok(())
}

/// Coordinates in the quadratic extension, whose additions are written in another way. The
/// conformance table of such curves takes long on a software adapter, so this is the part of it
/// that tests additions.
#[test]
fn sums_in_the_quadratic_extension() {
    let device = match Device::webgpu(0) {
        Ok(device) => device,
        Err(error) => {
            eprintln!("NOT RUN, shaders were only validated: {error}");
            return;
        }
    };
    let known = KnownBases::<ark_bn254::G2Affine>::new(20, 3);
    let scalars: Vec<ark_bn254::Fr> = Distribution::Skewed.scalars(20, 4);
    let mut bases = known.points.clone();
    let mut expected = known.expected(&scalars);
    // Infinity, an equal point and an opposite one in one bucket.
    let (last, k) = (bases[19], scalars[19]);
    bases.extend([ark_bn254::G2Affine::identity(), last, -last, last]);
    let scalars = [scalars, vec![k; 4]].concat();
    expected += last * k;
    let sum = Bases::builder().window_bits(4).msm(&device, &bases, &scalars).expect("a sum");
    assert_eq!(sum, expected);
}

#[test]
fn field_arithmetic_is_arkworks() {
    for portable in [false, true] {
        let gpu = match wait(Gpu::open(0, portable)) {
            Ok(gpu) => gpu,
            Err(error) => {
                eprintln!("NOT RUN, shaders were only validated: {error}");
                return;
            }
        };
        wait(check_arithmetic::<ark_bls12_377::G1Affine>(&gpu)).expect("BLS12-377");
        wait(check_arithmetic::<ark_bn254::G1Affine>(&gpu)).expect("BN254");
        wait(check_arithmetic::<ark_bn254::G2Affine>(&gpu)).expect("BN254 G2");
        wait(check_arithmetic::<ark_secp256k1::Affine>(&gpu)).expect("secp256k1");
        wait(check_arithmetic::<ark_bw6_761::G1Affine>(&gpu)).expect("BW6-761");
    }
}
