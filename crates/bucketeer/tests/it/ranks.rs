//! MSMs over ranks, which are threads here: shares, errors of one rank, the conformance table,
//! files and checkpoints.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use ark_bls12_377::{Fr, G1Affine, G1Projective};
use bucketeer::conformance::{Filter, run};
use bucketeer::curves::NamedCurve;
use bucketeer::io::{
    self, BasesFile, Encoding, ReadOptions, ScalarVec, ScalarsFile, StreamReport, Streamed,
};
use bucketeer::plan::Settings;
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::ranks::{Ranks, on_threads};
use bucketeer::{Bases, Builder, Device, Error, Hook, Rates};
use tempfile::TempDir;

const N: usize = 900;

fn device(ranks: Arc<dyn Ranks>) -> Result<Device, Error> {
    Ok(Device::over_ranks(ranks, Device::cpu_with_threads(1)?))
}

/// The error of rank `rank` on all ranks.
#[track_caller]
fn all_have<T>(outcomes: Vec<Result<T, Error>>, rank: usize, error: &Error) {
    assert!(outcomes.len() > 1);
    for outcome in outcomes {
        let expected = Error::Rank { rank, source: Box::new(error.clone()) };
        assert_eq!(outcome.err().as_ref(), Some(&expected));
    }
}

/// Each row of the table, carried out by three ranks together.
#[test]
fn the_table_passes_over_ranks() {
    for name in ["bn254", "bandersnatch", "ed-on-bls12-377"] {
        let curve = NamedCurve::named(name).ok();
        let filter = Filter { curve, quick: true, ..Filter::default() };
        let outcomes = on_threads(3, |ranks| {
            let mut failed = Vec::new();
            let summary =
                run(&device(ranks)?, &filter, &mut |row| failed.extend(row.failed.clone()));
            Ok((summary.passed, failed))
        });
        for outcome in outcomes {
            let (passed, failed) = outcome.unwrap();
            assert!(passed > 100 && failed.is_empty(), "{passed} passed\n{}", failed.join("\n"));
        }
    }
}

/// A rank whose additions take four times as long gets a quarter of the bases of another one.
#[test]
fn shares_are_as_long_as_ranks_are_fast() {
    let known = KnownBases::<G1Affine>::new(N, 1);
    let scalars: Vec<Fr> = Distribution::Uniform.scalars(N, 1);
    let outcomes = on_threads(3, |ranks| {
        let slow = ranks.rank() == 1;
        let mut device = device(ranks)?;
        if slow {
            // Every rate that is a time; the unit follows as a comment.
            let slower = |line: &str| match line.split_once(" = ").zip(line.split_once("  # ")) {
                Some(((name, _), (start, unit))) if unit.starts_with("ns") => {
                    let value = start.split(" = ").nth(1).and_then(|text| text.parse::<f64>().ok());
                    format!("{name} = {}\n", 4.0 * value.expect("a number"))
                }
                _ => format!("{line}\n"),
            };
            let text: String = Rates::built_in().to_string().lines().map(slower).collect();
            device = device.with_rates(&Rates::parse(&text).expect("rates"));
        }
        let bases = Bases::load(&device, &known.points)?;
        assert_eq!(bases.msm(&scalars)?, known.expected(&scalars));
        let own = bases.msm_of_shares(&scalars[bases.share()])?;
        assert_eq!(own, known.expected(&scalars));
        Ok(bases.share().len())
    });
    let lengths: Vec<usize> = outcomes.into_iter().map(Result::unwrap).collect();
    assert_eq!(lengths.iter().sum::<usize>(), N);
    assert_eq!(lengths[0], lengths[2]);
    let ratio = lengths[0] as f64 / lengths[1] as f64;
    assert!((3.0..=5.0).contains(&ratio), "{lengths:?}");
}

#[test]
fn jobs_of_all_ranks_are_added() {
    let known = KnownBases::<G1Affine>::new(N, 2);
    let scalars: Vec<Fr> = Distribution::Uniform.scalars(N, 2);
    let outcomes = on_threads(3, |ranks| {
        let bases = Bases::load(&device(ranks)?, &known.points)?;
        let jobs = [bases.submit(scalars.clone())?, bases.submit(vec![1u8; 7])?];
        let [first, second] = jobs.map(|job| job.wait());
        let batch = bases.slice(5..).msm_batch(&[&scalars[5..], &scalars[5..9]])?;
        Ok((first?, second?, batch))
    });
    for outcome in outcomes {
        let (first, second, batch) = outcome.unwrap();
        assert_eq!(first, known.expected(&scalars));
        assert_eq!(second, known.expected(&[Fr::from(1); 7]));
        let zeros = |range: std::ops::Range<usize>| -> Vec<Fr> {
            (0..N).map(|i| if range.contains(&i) { scalars[i] } else { Fr::from(0) }).collect()
        };
        // A slice pairs base 5 with the first scalar.
        let expected = [zeros(5..N), zeros(5..9)].map(|scalars| known.expected(&scalars));
        assert_eq!(batch, expected);
    }
}

#[test]
fn an_error_of_one_rank_is_that_of_all() {
    let known = KnownBases::<G1Affine>::new(N, 3);
    let mut integers = vec![0u64; N];
    integers[650] = 1 << 20;
    // The rank that has this scalar names its place in the whole input.
    let outcomes = on_threads(3, |ranks| {
        let bases = Bases::load(&device(ranks)?, &known.points)?;
        bases.msm(bucketeer::Scalars::from(&integers).with_bits(20))
    });
    let bound = "2^20".into();
    all_have(outcomes, 2, &Error::ScalarTooLarge { index: 650, bound });
    // One rank's hook cancels.
    let outcomes = on_threads(3, |ranks| {
        let rank = ranks.rank();
        let hook: Hook = Arc::new(move |_| match rank {
            1 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        let builder = Bases::builder().on_progress(hook);
        builder.msm(&device(ranks)?, &known.points, &[Fr::from(5); N])
    });
    all_have(outcomes, 1, &Error::Cancelled);
    // One rank has other scalars than the others.
    let outcomes = on_threads(3, |ranks| {
        let n = if ranks.rank() == 2 { N - 1 } else { N };
        Bases::load(&device(ranks)?, &known.points)?.msm(&vec![1u8; n])
    });
    for outcome in outcomes {
        let text = outcome.unwrap_err().to_string();
        assert!(text.contains("rank 2") && text.contains("an MSM of 899 scalars"), "{text}");
    }
    // One rank has too little memory.
    let outcomes = on_threads(2, |ranks| {
        let builder: Builder<G1Affine> = match ranks.rank() {
            1 => Bases::builder().memory_limit(10),
            _ => Bases::builder(),
        };
        builder.msm(&device(ranks)?, &known.points, &[Fr::from(5); N])
    });
    for outcome in outcomes {
        let Err(Error::Rank { rank: 1, source }) = outcome else { panic!("{outcome:?}") };
        assert!(matches!(*source, Error::OutOfMemory { available: 10, .. }));
    }
}

/// Parts of the sums of different calls of equal length used to be added.
#[test]
fn calls_of_equal_length_are_told_apart() {
    /// What ranks do first and second, which one of them turns around.
    fn order<T>(ranks: &dyn Ranks, mut calls: [T; 2]) -> [T; 2] {
        if ranks.rank() == 1 {
            calls.reverse();
        }
        calls
    }
    let known = [1, 2].map(|seed| KnownBases::<G1Affine>::new(N, seed));
    let outcomes = on_threads(3, |ranks| {
        let device = device(ranks.clone())?;
        let load = |own: &KnownBases<G1Affine>| Bases::load(&device, &own.points);
        let bases = [load(&known[0])?, load(&known[1])?];
        let jobs = [bases[0].submit(vec![1u8; 9])?, bases[0].submit(vec![2u8; 9])?];
        let jobs = order(&*ranks, jobs).map(|job| job.wait());
        let loaded = order(&*ranks, [&bases[0], &bases[1]]).map(|bases| bases.msm(&[1u8; 9]));
        let ranges = order(&*ranks, [bases[0].slice(..9), bases[0].slice(9..18)]);
        let ranges = ranges.map(|slice| slice.msm(&[1u8; 9]));
        let batches = order(&*ranks, [vec![1u8; 9], vec![1u8; 8]]).map(|last| {
            let sums = bases[0].msm_batch(&[&vec![1u8; 9], &last]);
            sums.map(|sums| sums[1])
        });
        // Calls that agree are right, whatever was before.
        assert_eq!(bases[1].msm(&[1u8; 9])?, known[1].expected(&[Fr::from(1); 9]));
        Ok([jobs, loaded, ranges, batches].concat())
    });
    for outcome in outcomes.into_iter().map(Result::unwrap) {
        assert_eq!(outcome.len(), 8);
        for sum in outcome {
            let Err(Error::Rank { rank: 1, source }) = sum else { panic!("{sum:?}") };
            assert!(source.to_string().contains("calls are collective"), "{source}");
        }
    }
}

/// Scalars whose `as_scalars` panics.
struct Panicking;

impl bucketeer::AsScalars<Fr> for Panicking {
    fn as_scalars(&self) -> bucketeer::Scalars<'_, Fr> {
        static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        match CALLS.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            // The first call, when they are handed over.
            0 => bucketeer::Scalars::from(&[1u8; 9]),
            _ => panic!("gone"),
        }
    }
}

#[test]
fn a_panic_in_a_job_of_one_rank_is_an_error_on_all() {
    let known = KnownBases::<G1Affine>::new(9, 3);
    let outcomes = on_threads(3, |ranks| {
        let rank = ranks.rank();
        let bases = Bases::load(&device(ranks)?, &known.points)?;
        let job = match rank {
            1 => bases.submit(Panicking)?,
            _ => bases.submit(vec![1u8; 9])?,
        };
        job.wait()
    });
    all_have(outcomes, 1, &Error::Internal("a job panicked: gone".into()));
}

/// Files of bases and scalars, and a folder for sums.
struct Files {
    folder: TempDir,
    known: KnownBases<G1Affine>,
    scalars: Vec<Fr>,
}

impl Files {
    fn new() -> Self {
        let (folder, known) = (TempDir::new().unwrap(), KnownBases::new(N, 8));
        let files = Self { folder, known, scalars: Distribution::Uniform.scalars(N, 8) };
        let points = &files.known.points;
        io::write_bases(&files.path("bases"), points, Encoding::Uncompressed).unwrap();
        let scalars = ScalarVec::Residues(files.scalars.clone());
        io::write_scalars(&files.path("scalars"), &scalars).unwrap();
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn expected(&self) -> G1Projective {
        self.known.expected(&self.scalars)
    }

    fn open(&self) -> Result<Streamed<G1Affine>, Error> {
        let (curve, options) = (NamedCurve::named("bls12-377")?, ReadOptions::default());
        let bases = BasesFile::open(&self.path("bases"), curve, None, &options)?;
        Streamed::new(bases, ScalarsFile::open(&self.path("scalars"), curve, &options)?)
    }

    /// The reports of a run over ranks, whose chunks have at most `chunk` bases.
    fn run(
        &self,
        ranks: usize,
        chunk: Option<usize>,
    ) -> Vec<Result<StreamReport<G1Affine>, Error>> {
        on_threads(ranks, |ranks| {
            let mut settings = Settings::default();
            settings.chunk = chunk;
            let builder = Bases::builder().settings(settings);
            let streamed = self.open()?.with_checkpoint(&self.path("sums"))?;
            streamed.msm_with_report(&device(ranks)?, &builder)
        })
    }

    fn sums(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("sums")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|own| own == "sum")).collect()
    }
}

#[test]
fn files_are_streamed_by_all_ranks() {
    let files = Files::new();
    for ranks in [1, 2, 3, 5] {
        let reports = on_threads(ranks, |ranks| {
            files.open()?.msm_with_report(&device(ranks)?, &Bases::builder())
        });
        for report in reports {
            let report = report.unwrap();
            assert_eq!(report.result, files.expected());
            assert_eq!(report.plan.chunks(), ranks);
        }
    }
}

/// Sums that some ranks have kept are found by others, however many there are.
#[test]
fn a_checkpoint_serves_any_number_of_ranks() {
    let files = Files::new();
    let kept = |ranks: usize, chunk| {
        let reports: Vec<_> = files.run(ranks, chunk).into_iter().map(Result::unwrap).collect();
        assert_eq!(reports.len(), ranks);
        assert!(reports.iter().all(|report| report.result == files.expected()));
        assert!(reports.iter().all(|report| report.kept == reports[0].kept));
        reports[0].kept
    };
    assert_eq!(kept(3, Some(100)), 0);
    assert_eq!(files.sums().len(), 9);
    for ranks in [1, 2, 3, 4, 7] {
        let sums = files.sums();
        sums.iter().take(ranks).for_each(|sum| fs::remove_file(sum).unwrap());
        // The length of a chunk is in the folder.
        assert_eq!(kept(ranks, None), 9 - ranks);
        assert_eq!(files.sums().len(), 9);
    }
}

#[test]
fn a_file_that_changes_is_an_error_on_all_ranks() {
    let files = Files::new();
    let path = files.path("bases");
    let whole = fs::read(&path).unwrap();
    for change in ["truncated", "changed"] {
        fs::write(&path, &whole).unwrap();
        let outcomes = on_threads(3, |ranks| {
            let streamed = files.open()?;
            // All have opened it before one changes it.
            bucketeer::ranks::agree(&*ranks, Ok(()))?;
            if ranks.rank() == 0 {
                match change {
                    "truncated" => fs::write(&path, &whole[..whole.len() / 2]).unwrap(),
                    _ => fs::write(&path, [&whole[..], b"more"].concat()).unwrap(),
                }
            }
            bucketeer::ranks::agree(&*ranks, Ok(()))?;
            streamed.msm(&device(ranks)?, &Bases::builder())
        });
        for outcome in outcomes {
            let Err(Error::Rank { source, .. }) = outcome else { panic!("{outcome:?}") };
            let Error::File { path: named, reason } = *source else { panic!("{source:?}") };
            assert_eq!(named, path);
            assert!(reason.contains("changed") || reason.contains("ends"), "{reason}");
        }
    }
}

/// A rank without its file must not leave the others waiting.
#[test]
fn a_rank_that_fails_by_itself_says_so() {
    let files = Files::new();
    let outcomes = on_threads(3, |ranks| {
        let run = || match ranks.rank() {
            2 => Err(Error::Internal("not mounted".into())),
            _ => files.open()?.msm(&device(ranks.clone())?, &Bases::builder()),
        };
        run().inspect_err(|error| bucketeer::ranks::fail(&*ranks, error))
    });
    let source = Error::Internal("not mounted".into());
    assert_eq!(outcomes[2].as_ref().err(), Some(&source));
    let all = Error::Rank { rank: 2, source: Box::new(source) };
    assert_eq!(outcomes[0].as_ref().err(), Some(&all));
    assert_eq!(outcomes[1].as_ref().err(), Some(&all));
}

/// Ranks that named a GPU by its number planned for more of its memory than there was.
/// `software-cuda/test` runs it with four GPUs.
#[cfg(feature = "cuda")]
#[test]
#[ignore = "needs an NVIDIA GPU, or software CUDA"]
fn ranks_with_the_same_gpu_divide_its_memory_on_cuda() {
    let files = Files::new();
    let whole = Device::cuda(0).unwrap().facts().memory;
    let outcomes = on_threads(4, |ranks| {
        let device = Device::over_ranks(ranks, Device::cuda(0)?);
        let mut settings = Settings::default();
        settings.chunk = Some(200);
        let streamed = files.open()?.msm(&device, &Bases::builder().settings(settings))?;
        let bases = Bases::load(&device, &files.known.points)?;
        assert!(device.facts().memory <= whole / 4);
        Ok([streamed, bases.msm(&files.scalars)?])
    });
    for outcome in outcomes {
        assert_eq!(outcome.unwrap(), [files.expected(); 2]);
    }
}
