//! Resident bases are found by address, in their scope only.

use bucketeer_halo2::{Device, Error, Resident, msm, msm_best, with_device};
use halo2curves::bn256::{Fr, G1, G1Affine};
use halo2curves::group::Curve;
use halo2curves::msm::msm_best as own;

fn input() -> (Vec<Fr>, Vec<G1Affine>) {
    let next = |k: &Fr| Some(k.square() + Fr::from(5));
    let scalars: Vec<_> = std::iter::successors(Some(-Fr::from(3)), next).take(200).collect();
    let points = scalars.iter().map(|k| (G1::generator() * k).to_affine()).collect();
    (scalars, points)
}

#[test]
fn ranges_of_resident_slices() {
    let (scalars, points) = input();
    let (first, second) = points.split_at(120);
    let plain = Resident::of(&Device::cpu(), &[first, second]).unwrap();
    let builder = bucketeer::Bases::builder().precompute(4);
    let tables = Resident::load_with(&builder, &Device::cpu(), &[first, second]).unwrap();
    for resident in [&plain, &tables] {
        resident.scope(|| {
            for range in [0..120, 0..1, 7..70, 119..120, 120..200, 130..131, 5..5, 100..140] {
                let (scalars, points) = (&scalars[range.clone()], &points[range]);
                assert_eq!(msm_best(scalars, points), own(scalars, points));
                assert_eq!(msm(scalars, points).unwrap(), own(scalars, points));
                // Elsewhere in memory.
                let points = points.to_vec();
                assert_eq!(msm_best(scalars, &points), own(scalars, &points));
            }
            std::thread::scope(|scope| {
                let sum = scope.spawn(|| msm_best(&scalars, &points)).join().unwrap();
                assert_eq!(sum, own(&scalars, &points));
            });
        });
    }
    // Scopes of both at once.
    let sum = plain.scope(|| tables.scope(|| msm_best(&scalars[..120], first)));
    assert_eq!(sum, own(&scalars[..120], first));
}

/// A resident slice is what an MSM runs over, not the memory behind it: without the table the
/// device of the scope would be asked.
#[test]
fn resident_bases_are_used() {
    let (scalars, points) = input();
    let device = Device::cpu_with_threads(1).unwrap();
    let resident = Resident::of(&device, &[&points]).unwrap();
    let events = Events::default();
    let sum = tracing::subscriber::with_default(events.clone(), || {
        resident.scope(|| msm_best(&scalars[3..90], &points[3..90]))
    });
    assert_eq!(sum, own(&scalars[3..90], &points[3..90]));
    assert!(events.seen("msm over resident bases"));

    let events = Events::default();
    let sum = tracing::subscriber::with_default(events.clone(), || {
        with_device(&device, || msm_best(&scalars[3..90], &points[3..90]))
    });
    assert_eq!(sum, own(&scalars[3..90], &points[3..90]));
    assert!(!events.seen("msm over resident bases"));
}

#[test]
fn bad_points_are_not_loaded() {
    let (_, mut points) = input();
    points[7].y = points[7].y.double();
    let error = Resident::of(&Device::cpu(), &[&points]).err();
    assert!(matches!(error, Some(Error::InvalidBase { index: 7, .. })), "{error:?}");
    let builder = bucketeer::Bases::builder().memory_limit(1);
    let error = Resident::load_with(&builder, &Device::cpu(), &[&points[..7]]).err();
    assert!(matches!(error, Some(Error::OutOfMemory { .. })), "{error:?}");
}

/// The messages of events on this thread.
#[derive(Clone, Default)]
struct Events(std::sync::Arc<std::sync::Mutex<Vec<String>>>);

impl Events {
    fn seen(&self, text: &str) -> bool {
        self.0.lock().unwrap().iter().any(|message| message.contains(text))
    }
}

impl tracing::Subscriber for Events {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        struct Text(String);
        impl tracing::field::Visit for Text {
            fn record_debug(&mut self, _: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.0 += &format!("{value:?} ");
            }
        }
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}
