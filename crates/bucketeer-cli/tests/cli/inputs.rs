//! Inputs that are not files, claim what they do not hold, or change while they are read: for every
//! command, exit code 2, a message that names the file, and nothing written.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use crate::limits::limited;
use crate::support::{bucketeer, finished};

/// A folder with a good file of every kind.
pub struct Place {
    folder: tempfile::TempDir,
}

/// A command that reads a file.
pub struct Reader {
    pub line: &'static str,
    /// What stands for its `{}`; `None` is the file in question.
    others: Vec<Option<PathBuf>>,
    /// A good file for it.
    pub good: PathBuf,
}

impl Reader {
    /// The paths of the command with `path` as the file to read.
    pub fn paths<'a>(&'a self, path: &'a Path) -> Vec<&'a Path> {
        self.others.iter().map(|other| other.as_deref().unwrap_or(path)).collect()
    }
}

impl Place {
    pub fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().expect("a directory") };
        let [bases, scalars, json, table, rates] =
            ["bases", "scalars", "both.json", "table", "rates"].map(|name| place.path(name));
        let line = "generate --curve bn254 -n 40 --seed 5 --bases {} --scalars {}";
        bucketeer(line, &[&bases, &scalars]).ok();
        bucketeer("generate --curve bn254 -n 4 --output {}", &[&json]).ok();
        let line = "precompute --device cpu --curve bn254 --bases {} --output {}";
        bucketeer(line, &[&bases, &table]).ok();
        fs::write(rates, "ifma.4.addition = 35.5\n").expect("a file");
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bucketeer-groth16/examples/data");
        for name in ["multiplier.zkey", "multiplier.wtns"] {
            fs::copy(data.join(name), place.path(name)).expect("a copy");
        }
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The names of all that is there.
    pub fn names(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(self.folder.path()).expect("the folder");
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    pub fn fifo(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        path
    }

    /// Every command that reads a file, once for each file that it reads.
    pub fn readers(&self) -> Vec<Reader> {
        let reader = |line, others: &[Option<&str>], good: &str| Reader {
            line,
            others: others.iter().map(|name| name.map(|name| self.path(name))).collect(),
            good: self.path(good),
        };
        let (key, witness) = (Some("multiplier.zkey"), Some("multiplier.wtns"));
        let (proof, public, output) = (Some("proof.json"), Some("public.json"), Some("output"));
        let prove = "prove --device cpu {} {} {} {}";
        let msm = "msm --device cpu --curve bn254 --bases {} --scalars {}";
        vec![
            reader("msm --device cpu --input {}", &[None], "both.json"),
            reader("msm --device cpu --curve bn254 --bases {}", &[None], "bases"),
            reader(msm, &[None, Some("scalars")], "bases"),
            reader(msm, &[Some("bases"), None], "scalars"),
            reader("msm --device cpu --table {}", &[None], "table"),
            reader("convert --curve bn254 {} {}", &[None, output], "bases"),
            reader(
                "precompute --device cpu --curve bn254 --bases {} --output {}",
                &[None, output],
                "bases",
            ),
            reader("inspect {}", &[None], "bases"),
            reader(prove, &[None, witness, proof, public], "multiplier.zkey"),
            reader(prove, &[key, None, proof, public], "multiplier.wtns"),
            reader("plan --device cpu --curve bn254 -n 9 --rates {}", &[None], "rates"),
        ]
    }

    /// Runs every reader on a file; expects exit code 2, the file's name and an unchanged folder.
    fn all_refuse(&self, path: &Path) {
        let name = path.file_name().expect("a name").to_string_lossy();
        let before = self.names();
        for reader in self.readers() {
            bucketeer(reader.line, &reader.paths(path)).fails(2, &[&name]);
            assert_eq!(self.names(), before, "{}", reader.line);
        }
    }
}

#[test]
fn good_files_are_read() {
    let place = Place::new();
    for reader in place.readers() {
        bucketeer(reader.line, &reader.paths(&reader.good)).ok();
    }
}

#[test]
fn what_is_no_file() {
    let place = Place::new();
    place.all_refuse(&place.path("missing"));
    let directory = place.path("directory");
    fs::create_dir(&directory).expect("a directory");
    place.all_refuse(&directory);
    // A file in the place of a folder, and a name that no system takes.
    place.all_refuse(&place.path("bases").join("below"));
    place.all_refuse(&place.path(&"long".repeat(100)));
    let circle = place.path("circle");
    std::os::unix::fs::symlink(&circle, &circle).expect("a link");
    place.all_refuse(&circle);
    place.all_refuse(Path::new("/dev/zero"));
}

/// A pipe whose writer goes away without a byte, and one with the beginning of a file.
#[test]
fn pipes_that_end_early() {
    let place = Place::new();
    let fifo = place.fifo("fifo");
    for reader in place.readers().iter().filter(|reader| !reader.line.contains("--rates")) {
        let bytes = fs::read(&reader.good).expect("a good file");
        // JSON ends with a line feed, without which it is whole.
        for length in [0, 3, bytes.len() / 2, bytes.len() - 2] {
            let (path, start) = (fifo.clone(), bytes[..length].to_vec());
            let writing = std::thread::spawn(move || fs::write(path, start));
            bucketeer(reader.line, &reader.paths(&fifo)).fails(2, &["fifo"]);
            // The reader may have gone before everything was written.
            let _ = writing.join().expect("no panic");
        }
    }
}

#[test]
fn files_that_claim_what_they_do_not_hold() {
    let place = Place::new();
    let path = place.path("claims");
    let huge = 1u64 << 40;
    // arkworks' vectors, and elements with nothing after them.
    let vector = [&huge.to_le_bytes()[..], &[7; 4096]].concat();
    fs::write(&path, vector).expect("a file");
    place.all_refuse(&path);
    // The first section of snarkjs' files, after 12 bytes and 4 of its number.
    for kind in ["multiplier.zkey", "multiplier.wtns"] {
        let mut bytes = fs::read(place.path(kind)).expect("a file");
        for claim in [huge, u64::MAX, i64::MAX as u64, bytes.len() as u64] {
            bytes[16..24].copy_from_slice(&claim.to_le_bytes());
            fs::write(&path, &bytes).expect("a file");
            place.all_refuse(&path);
        }
    }
    // The bases of a table, and every number of its header.
    let table = fs::read(place.path("table")).expect("a file");
    for at in (16..64).step_by(4) {
        let mut bytes = table.clone();
        bytes[at..at + 4].fill(0xff);
        fs::write(&path, bytes).expect("a file");
        bucketeer("msm --device cpu --table {}", &[&path]).fails(2, &["claims"]);
    }
}

/// Prefixes of several lengths, and bytes past the end.
#[test]
fn files_that_were_cut_or_extended() {
    let place = Place::new();
    let path = place.path("damaged");
    let whole = ["--rates", "inspect"];
    for reader in place.readers() {
        if whole.iter().any(|word| reader.line.contains(word)) {
            continue;
        }
        let bytes = fs::read(&reader.good).expect("a good file");
        let lengths = [1, 7, 8, 9, 40, bytes.len() / 3, bytes.len() - 2];
        for length in lengths.into_iter().filter(|length| *length < bytes.len()) {
            fs::write(&path, &bytes[..length]).expect("a file");
            bucketeer(reader.line, &reader.paths(&path)).fails(2, &["damaged"]);
        }
        fs::write(&path, [&bytes[..], b"more"].concat()).expect("a file");
        bucketeer(reader.line, &reader.paths(&path)).fails(2, &["damaged"]);
    }
}

#[test]
fn nesting_without_end() {
    let place = Place::new();
    let path = place.path("nested.json");
    let deep = 1 << 20;
    let texts = [
        "[".repeat(deep),
        "{\"bases\":".repeat(deep),
        format!("{{\"curve\":\"bn254\",\"scalars\":[],\"bases\":{}", "[".repeat(deep)),
        format!("{{\"curve\":\"bn254\",\"more\":{}", "[{\"a\":".repeat(deep)),
        format!("{{\"curve\":{}{}}}", "[".repeat(deep), "]".repeat(deep)),
    ];
    for text in texts {
        fs::write(&path, text).expect("a file");
        place.all_refuse(&path);
    }
}

#[test]
fn files_of_others() {
    let place = Place::new();
    fs::set_permissions(place.folder(), fs::Permissions::from_mode(0o777)).expect("permissions");
    let path = place.path("secret");
    fs::write(&path, "secret").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("permissions");
    let before = place.names();
    for reader in place.readers() {
        let mut paths = reader.paths(&path).into_iter();
        let word = |word: &str| match word {
            "{}" => paths.next().expect("a path").display().to_string(),
            other => other.to_owned(),
        };
        let words: Vec<String> = reader.line.split_whitespace().map(word).collect();
        limited("true", &words.join(" ")).fails(2, &["secret", "Permission denied"]);
        assert_eq!(place.names(), before, "{}", reader.line);
    }
}

/// Another program changes the file all the time: a run ends well or says so.
#[test]
fn files_under_fire() {
    let place = Place::new();
    let path = place.path("moving");
    for reader in place.readers() {
        let bytes = fs::read(&reader.good).expect("a good file");
        fs::write(&path, &bytes).expect("a file");
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut file = fs::File::options().write(true).open(&path).expect("a file");
                for length in (0..=bytes.len() as u64).rev().step_by(7).cycle() {
                    if stop.load(SeqCst) {
                        break;
                    }
                    file.set_len(length).expect("a shorter file");
                    std::thread::sleep(Duration::from_micros(length % 500));
                    std::io::Seek::rewind(&mut file).expect("a file");
                    file.write_all(&bytes).expect("written");
                    std::thread::sleep(Duration::from_micros(length % 700));
                }
            });
            for _ in 0..6 {
                let ran = bucketeer(reader.line, &reader.paths(&path));
                match ran.code {
                    0 => assert_eq!(ran.stderr, "", "{}", reader.line),
                    _ => ran.fails(2, &["moving"]),
                }
                for name in ["output", "proof.json", "public.json"] {
                    let _ = fs::remove_file(place.path(name));
                }
            }
            stop.store(true, SeqCst);
        });
    }
}

/// The bytes of a file that was changed between two reads used to be taken as one file's.
#[test]
fn files_that_are_rewritten_while_they_are_read() {
    let place = Place::new();
    let [bases, output] = ["many", "output"].map(|name| place.path(name));
    bucketeer("generate --curve bls12-381 -n 2^14 --bases {}", &[&bases]).ok();
    let before = place.names();
    for line in [
        "convert --curve bls12-381 BASES OUTPUT",
        "precompute --device cpu --curve bls12-381 --bases BASES --output OUTPUT",
        "msm --device cpu --curve bls12-381 --bases BASES",
    ] {
        let started = Instant::now();
        let child = Command::new(env!("CARGO_BIN_EXE_bucketeer"))
            .args(line.split(' ').map(|word| match word {
                "BASES" => bases.as_os_str(),
                "OUTPUT" => output.as_os_str(),
                other => other.as_ref(),
            }))
            // A square root for each point: one thread reads for half a second or more.
            .env("RAYON_NUM_THREADS", "1")
            .env("CUDA_VISIBLE_DEVICES", "")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the tool starts");
        let open = || {
            let files = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten();
            files.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|to| to == bases))
        };
        while !open() {
            assert!(started.elapsed() < Duration::from_secs(60), "never opened");
        }
        // The same bytes: only the time tells.
        let mut file = fs::File::options().write(true).open(&bases).expect("a file");
        file.write_all(&(1u64 << 14).to_le_bytes()).expect("written");
        let ran = finished(child.wait_with_output().expect("it ends"));
        ran.fails(2, &["many: the file was changed while it was read"]);
        assert_eq!(place.names(), before, "{line}");
    }
}
