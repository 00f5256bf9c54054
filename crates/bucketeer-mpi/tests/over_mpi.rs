//! What a program does over MPI, on BN254: run by `crates/bucketeer-mpi/test` with several numbers
//! of ranks. Every rank checks what it gets; a rank that finds a fault ends all.
//!
//! By itself it is one rank, so that `cargo test` runs it too.

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use ark_bn254::{Fr, G1Affine};
use bucketeer::curves::NamedCurve;
use bucketeer::io::{self, BasesFile, Encoding, ReadOptions, ScalarVec, ScalarsFile, Streamed};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::ranks::{Ranks, agree, fail};
use bucketeer::{Builder, Device, Error};
use bucketeer_mpi::{Bases, Mpi, Source, device};
use mpi::Threading;
use mpi::topology::{Communicator, SimpleCommunicator};

const N: usize = 3000;

struct Input {
    known: KnownBases<G1Affine>,
    scalars: Vec<Fr>,
    bases: PathBuf,
    scalars_file: PathBuf,
}

/// Checks something on the rank that it is called on, of all that call it.
type Test = fn(&SimpleCommunicator, &Mpi, &Input);

fn main() {
    let (universe, _) = mpi::initialize_with_threading(Threading::Serialized).expect("MPI");
    let world = universe.world();
    let ranks = Mpi::new(&world);
    // One folder for all ranks, which rank 0 makes.
    let folder = std::env::temp_dir().join(format!("bucketeer-mpi-{}", parent()));
    let input = Input {
        known: KnownBases::new(N, 5),
        scalars: Distribution::Uniform.scalars(N, 5),
        bases: folder.join("bases"),
        scalars_file: folder.join("scalars"),
    };
    agree(&*ranks, if ranks.rank() == 0 { input.write(&folder) } else { Ok(()) }).expect("files");
    let tests: [(&str, Test); 7] = [
        ("bases in memory", in_memory),
        ("a part of the ranks", on_another_communicator),
        ("a file of which each rank reads its share", from_a_file),
        ("streamed files", streamed),
        ("an error of one rank", an_error_of_one),
        ("a panic of one rank", a_panic_of_one),
        ("a file that is truncated during the run", a_truncated_file),
    ];
    for (name, test) in tests {
        if catch_unwind(|| test(&world, &ranks, &input)).is_err() {
            // The others may wait for this rank.
            world.abort(1);
        }
        agree(&*ranks, Ok(())).expect(name);
        if ranks.rank() == 0 {
            println!("{} ranks: {name}: ok", ranks.size());
        }
    }
    if ranks.rank() == 0 {
        std::fs::remove_dir_all(&folder).expect("the folder of this test");
    }
}

/// The process that started this one, the same for all ranks of a machine.
fn parent() -> u32 {
    std::os::unix::process::parent_id()
}

impl Input {
    fn write(&self, folder: &Path) -> Result<(), Error> {
        std::fs::create_dir_all(folder).expect("a folder");
        io::write_bases(&self.bases, &self.known.points, Encoding::Uncompressed)?;
        io::write_scalars(&self.scalars_file, &ScalarVec::Residues(self.scalars.clone()))
    }

    fn expected(&self) -> ark_bn254::G1Projective {
        self.known.expected(&self.scalars)
    }

    fn open(&self) -> BasesFile<G1Affine> {
        BasesFile::open(&self.bases, curve(), None, &ReadOptions::default()).expect("bases")
    }

    fn stream(&self) -> Streamed<G1Affine> {
        let scalars = ScalarsFile::open(&self.scalars_file, curve(), &ReadOptions::default());
        Streamed::new(self.open(), scalars.expect("scalars")).expect("as many")
    }
}

fn curve() -> &'static NamedCurve {
    NamedCurve::named("bn254").expect("a named curve")
}

fn cpu() -> Device {
    Device::cpu_with_threads(1).expect("a thread")
}

fn in_memory(world: &SimpleCommunicator, ranks: &Mpi, input: &Input) {
    let bases = Bases::load(world, cpu(), Source::Slice(&input.known.points)).expect("bases");
    let (size, own) = (ranks.size(), bases.share());
    assert!(own.len() == N / size || own.len() == N / size + 1, "{own:?}");
    assert_eq!(bases.msm(&input.scalars).expect("a sum"), input.expected());
    let at_last = bases.msm_at(size - 1, &input.scalars).expect("a sum");
    assert_eq!(at_last.is_some(), ranks.rank() == size - 1);
    let of_shares = bases.msm_of_shares(&input.scalars[own]).expect("a sum");
    assert_eq!(of_shares, input.expected());
    let batch = bases.msm_batch(&[&input.scalars[..], &input.scalars[..7]]).expect("sums");
    assert_eq!(batch[0], input.expected());
    assert_eq!(batch[1], input.known.expected(&input.scalars[..7]));
    let jobs = [input.scalars.clone(), vec![Fr::from(1u64); N]];
    let jobs = jobs.map(|scalars| bases.submit(scalars).expect("a job"));
    let [first, second] = jobs.map(|job| job.wait().expect("a sum"));
    assert_eq!(first, input.expected());
    assert_eq!(second, input.known.expected(&vec![Fr::from(1u64); N]));
}

/// Odd and even ranks compute by themselves, at the same time.
fn on_another_communicator(world: &SimpleCommunicator, ranks: &Mpi, input: &Input) {
    let colour = mpi::topology::Color::with_value((ranks.rank() % 2) as i32);
    let part = world.split_by_color(colour).expect("a part of the ranks");
    let n = N - ranks.rank() % 2;
    let points = &input.known.points[..n];
    let bases = Bases::load(&part, cpu(), Source::Slice(points)).expect("bases");
    let sum = bases.msm(&input.scalars[..n]).expect("a sum");
    assert_eq!(sum, input.known.expected(&input.scalars[..n]));
}

fn from_a_file(world: &SimpleCommunicator, _: &Mpi, input: &Input) {
    let file = input.open();
    let bases = Bases::load(world, cpu(), Source::File(&file)).expect("bases");
    assert_eq!(bases.msm(&input.scalars).expect("a sum"), input.expected());
}

fn streamed(world: &SimpleCommunicator, _: &Mpi, input: &Input) {
    let device = device(world, cpu());
    let builder = bucketeer::Bases::builder().memory_limit(2 << 20);
    let report = input.stream().msm_with_report(&device, &builder).expect("a sum");
    assert_eq!(report.result, input.expected());
    assert!(report.plan.bytes() <= 2 << 20);
}

/// The error of rank 0 on all ranks; of the others none has a fault.
#[track_caller]
fn assert_of_rank_0<T: std::fmt::Debug>(outcome: Result<T, Error>, found: fn(&Error) -> bool) {
    match outcome {
        Err(Error::Rank { rank: 0, source }) if found(&source) => {}
        other => panic!("{other:?}"),
    }
}

fn an_error_of_one(world: &SimpleCommunicator, ranks: &Mpi, input: &Input) {
    let bases = Bases::load(world, cpu(), Source::Slice(&input.known.points)).expect("bases");
    let mut integers = vec![0u64; N];
    integers[3] = 1 << 40;
    let scalars = bucketeer::Scalars::from(&integers).with_bits(40);
    assert_of_rank_0(bases.msm(scalars), |error| {
        matches!(error, Error::ScalarTooLarge { index: 3, .. })
    });
    // Memory for nothing, on one rank.
    let builder: Builder<G1Affine> = match ranks.rank() {
        0 => bucketeer::Bases::builder().memory_limit(10),
        _ => bucketeer::Bases::builder(),
    };
    let outcome = builder.msm(&device(world, cpu()), &input.known.points, &input.scalars);
    assert_of_rank_0(outcome, |error| matches!(error, Error::OutOfMemory { available: 10, .. }));
    // A failure of the program's own, while others are in a collective call.
    let own = Mpi::new(world);
    if own.rank() == 0 && own.size() > 1 {
        fail(&*own, &Error::Internal("no configuration".into()));
    } else if own.size() > 1 {
        assert_of_rank_0(agree(&*own, Ok(())), |error| matches!(error, Error::Internal(_)));
    }
}

fn a_panic_of_one(world: &SimpleCommunicator, ranks: &Mpi, input: &Input) {
    let rank = ranks.rank();
    let hook: bucketeer::Hook = std::sync::Arc::new(move |_| {
        assert_ne!(rank, 0, "a panic for the test");
        std::ops::ControlFlow::Continue(())
    });
    let builder = bucketeer::Bases::builder().on_progress(hook);
    let outcome = builder.msm(&device(world, cpu()), &input.known.points, &input.scalars);
    assert_of_rank_0(outcome, |error| matches!(error, Error::HookPanicked { .. }));
}

fn a_truncated_file(world: &SimpleCommunicator, ranks: &Mpi, input: &Input) {
    let streamed = input.stream();
    let whole = std::fs::read(&input.bases).expect("bases");
    agree(ranks, Ok(())).expect("all have opened it");
    if ranks.rank() == 0 {
        std::fs::write(&input.bases, &whole[..whole.len() - 1]).expect("bases");
    }
    agree(ranks, Ok(())).expect("it is truncated");
    let outcome = streamed.msm(&device(world, cpu()), &bucketeer::Bases::builder());
    let Err(Error::Rank { source, .. }) = outcome else { panic!("{outcome:?}") };
    assert!(matches!(&*source, Error::File { path, .. } if *path == input.bases), "{source:?}");
    agree(ranks, Ok(())).expect("all have seen it");
    if ranks.rank() == 0 {
        std::fs::write(&input.bases, whole).expect("bases");
    }
}
