//! Outputs that cannot be written, or not to their end: for every command, exit code 2, a message
//! that names the file, and the old file or none in its place.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::inputs::Place;
use crate::limits::limited;
use crate::support::{bucketeer, finished};

/// Every command that writes a file, as words; `OUT` stands for the file.
fn writers(place: &Place) -> Vec<Vec<String>> {
    let folder = place.folder().display();
    let lines = [
        "generate --curve bn254 -n 3000 --output OUT".to_owned(),
        "generate --curve bn254 -n 3000 --bases OUT".into(),
        "generate --curve bn254 -n 3000 --scalars OUT".into(),
        format!("convert --curve bn254 {folder}/many OUT"),
        format!("convert --curve bn254 --to json {folder}/many OUT"),
        format!("precompute --device cpu --curve bn254 --bases {folder}/many --output OUT"),
        "bench --device cpu --curve bn254 -n 2^2..2^8 --repeat 1 --plot OUT".into(),
        format!(
            "prove --device cpu {folder}/multiplier.zkey {folder}/multiplier.wtns OUT {folder}/other"
        ),
        format!(
            "prove --device cpu {folder}/multiplier.zkey {folder}/multiplier.wtns {folder}/other OUT"
        ),
    ];
    lines.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

fn with_output(words: &[String], path: &Path) -> String {
    let word = |word: &String| match word.as_str() {
        "OUT" => path.display().to_string(),
        other => other.to_owned(),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn place() -> Place {
    let place = Place::new();
    let many = place.path("many");
    bucketeer("generate --curve bn254 -n 3000 --bases {}", &[&many]).ok();
    place
}

/// Runs every writer on a path, under a limit of the shell; expects exit code 2, these words and
/// the files that were there before.
fn all_fail(place: &Place, limit: &str, path: &Path, words: &[&str]) {
    let before = place.names();
    // A device has no end.
    let content = || path.is_file().then(|| fs::read(path).expect("the old file"));
    let old = content();
    for writer in writers(place) {
        let line = with_output(&writer, path);
        let ran = if limit.is_empty() { bucketeer(&line, &[]) } else { limited(limit, &line) };
        ran.fails(2, words);
        assert_eq!(place.names(), before, "{line}");
        assert_eq!(content(), old, "{line}");
    }
}

#[test]
fn outputs_that_are_written() {
    let place = place();
    for writer in writers(&place) {
        let path = place.path("output");
        bucketeer(&with_output(&writer, &path), &[]).ok();
        assert!(fs::metadata(&path).expect("an output").len() > 0);
        fs::remove_file(path).expect("removed");
    }
}

#[test]
fn what_is_no_file_or_has_no_folder() {
    let place = place();
    let directory = place.path("directory");
    fs::create_dir(&directory).expect("a directory");
    all_fail(&place, "", &directory, &["directory"]);
    all_fail(&place, "", &place.path("missing").join("file"), &["missing"]);
    all_fail(&place, "", &place.path("bases").join("file"), &["bases", "Not a directory"]);
}

#[test]
fn a_full_disk() {
    let place = place();
    all_fail(&place, "", Path::new("/dev/full"), &["/dev/full", "No space left on device"]);
}

/// A file beyond `ulimit -f` used to end the tool with SIGXFSZ, and its temporary file stayed.
#[test]
fn a_disk_that_is_full_before_the_end() {
    let place = place();
    fs::set_permissions(place.folder(), fs::Permissions::from_mode(0o777)).expect("permissions");
    let path = place.path("old");
    fs::write(&path, "old").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("permissions");
    // No byte at all, then limits in units of 1024 bytes that only some outputs exceed.
    all_fail(&place, "ulimit -f 0", &path, &["File too large"]);
    let before = place.names();
    for writer in writers(&place).iter().filter(|words| words[0] != "prove" && words[0] != "bench")
    {
        let line = with_output(writer, &path);
        limited("ulimit -f 32", &line).fails(2, &["old: File too large"]);
        assert_eq!((place.names(), fs::read(&path).expect("old")), (before.clone(), b"old".into()));
    }
}

#[test]
fn a_folder_that_cannot_be_written() {
    let place = place();
    let folder = place.path("folder");
    fs::create_dir(&folder).expect("a folder");
    fs::set_permissions(place.folder(), fs::Permissions::from_mode(0o755)).expect("permissions");
    // As another user than root, to whom permissions do not apply.
    all_fail(&place, "true", &folder.join("file"), &["Permission denied"]);
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
    // A file that is there cannot be replaced either.
    let path = folder.join("file");
    fs::write(&path, "old").expect("a file");
    all_fail(&place, "true", &path, &["Permission denied"]);
}

/// A reader that goes away: what it reads from is named, as a file is.
#[test]
fn pipes_whose_reader_goes_away() {
    let place = place();
    let fifo = place.fifo("fifo");
    // More than a pipe holds.
    for line in [
        "generate --curve bls12-381-g2 -n 2000 --uncompressed --bases {}",
        "generate --curve bls12-381-g2 -n 2000 --output {}",
    ] {
        let path = fifo.clone();
        let reading = std::thread::spawn(move || drop(fs::File::open(path)));
        bucketeer(line, &[&fifo]).fails(2, &["fifo: Broken pipe"]);
        reading.join().expect("no panic");
    }
}

/// Every command, as words.
fn commands(place: &Place) -> Vec<Vec<String>> {
    let folder = place.folder().display();
    let mut lines: Vec<Vec<String>> = ["presets", "devices", "devices --json", "--help"]
        .into_iter()
        .chain(["plan --device cpu --curve bn254 -n 9", "msm --device cpu --curve bn254 -n 9"])
        .chain(["bench --device cpu --curve bn254 -n 9 --repeat 1 --json"])
        .map(|line| line.split(' ').map(str::to_owned).collect())
        .collect();
    lines.push(vec!["inspect".into(), format!("{folder}/many")]);
    lines.extend(writers(place));
    lines
}

fn run(line: &str, stdout: impl Into<Stdio>) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bucketeer"));
    command.args(line.split(' ')).env("CUDA_VISIBLE_DEVICES", "").stdout(stdout);
    command.stderr(Stdio::piped()).output().expect("the tool starts")
}

/// A reader that stops has what it wanted; files are still written.
#[test]
fn a_closed_stdout_is_no_fault_of_any_command() {
    let place = place();
    for words in commands(&place) {
        let path: PathBuf = place.path("output");
        let line = with_output(&words, &path);
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ran = finished(run(&line, writer));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line}");
        assert_eq!(path.exists(), words.iter().any(|word| word == "OUT"), "{line}");
        let _ = fs::remove_file(path);
        // Not even open.
        let command = format!("\"$0\" {line} >&-");
        let status = Command::new("bash")
            .args(["-c", &command, env!("CARGO_BIN_EXE_bucketeer")])
            .env("CUDA_VISIBLE_DEVICES", "")
            .status();
        assert_eq!(status.expect("bash").code(), Some(0), "{line}");
        let _ = fs::remove_file(place.path("output"));
    }
}

#[test]
fn a_full_stdout_is_a_fault_of_every_command() {
    let place = place();
    // clap prints help itself, and says nothing of it.
    for words in commands(&place).iter().filter(|words| words[0] != "--help") {
        let path = place.path("output");
        let full = fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let line = with_output(words, &path);
        finished(run(&line, full)).fails(2, &["cannot write to stdout: No space left on device"]);
        // What was written before is whole.
        assert_eq!(path.exists(), words.iter().any(|word| word == "OUT"), "{line}");
        let _ = fs::remove_file(path);
    }
}

/// Folders of sums that cannot be used, and what lies in them that no run has left there.
#[test]
fn checkpoints() {
    let place = place();
    let scalars = place.path("many-scalars");
    bucketeer("generate --curve bn254 -n 3000 --scalars {}", &[&scalars]).ok();
    let many = place.path("many");
    let line = |sums: &Path| {
        let paths = [&many, &scalars, sums].map(|path| path.display().to_string());
        let [bases, scalars, sums] = paths;
        format!(
            "msm --device cpu --curve bn254 --memory-limit 2MiB --bases {bases} \
             --scalars {scalars} --checkpoint {sums}"
        )
    };
    fs::set_permissions(place.folder(), fs::Permissions::from_mode(0o755)).expect("permissions");
    let sums = place.path("sums");
    limited("true", &line(&sums)).fails(2, &["sums: Permission denied"]);
    assert!(!sums.exists());
    fs::create_dir(&sums).expect("a folder");
    limited("true", &line(&sums)).fails(2, &["sums", "Permission denied"]);
    bucketeer(&line(&many.join("sums")), &[]).fails(2, &["many/sums: Not a directory"]);
    bucketeer(&line(Path::new("/dev/full")), &[]).fails(2, &["/dev/full"]);
    fs::set_permissions(&sums, fs::Permissions::from_mode(0o777)).expect("permissions");
    limited("ulimit -f 0", &line(&sums)).fails(2, &["sums", "File too large"]);
    assert_eq!(fs::read_dir(&sums).expect("the folder").count(), 0);
    let chunk = sums.join("chunk");
    for text in ["", "0", "-1", "many", "99999999999999999999999999", "\u{0}\u{1}"] {
        fs::write(&chunk, text).expect("a file");
        bucketeer(&line(&sums), &[]).fails(2, &["sums/chunk: expected"]);
        assert_eq!(fs::read_to_string(&chunk).expect("still there"), text);
    }
    // A pipe used to be waited for, and a file without end to be read.
    fs::remove_file(&chunk).expect("removed");
    place.fifo("sums/chunk");
    bucketeer(&line(&sums), &[]).fails(2, &["sums/chunk: not a regular file"]);
    fs::remove_file(&chunk).expect("removed");
    std::os::unix::fs::symlink("/dev/zero", &chunk).expect("a link");
    bucketeer(&line(&sums), &[]).fails(2, &["sums/chunk: not a regular file"]);
    fs::remove_file(&chunk).expect("removed");
    assert!(bucketeer(&line(&sums), &[]).ok().contains("checked: ok"));
}
