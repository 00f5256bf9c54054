//! Drivers of NVIDIA GPUs that are not what their name says.

use std::path::Path;
use std::process::Command;

use crate::support::{Ran, bucketeer_with, finished};

/// A folder with a driver made of this C source.
fn driver(source: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("driver.c");
    std::fs::write(&text, source).expect("a source");
    // Whichever name is tried first.
    for name in ["libcuda.so", "libcuda.so.1"] {
        let library = folder.path().join(name);
        let mut command = Command::new("cc");
        command.args(["-shared", "-fPIC", "-o"]).args([&library, &text]);
        assert!(command.status().expect("a C compiler").success());
    }
    folder
}

/// Runs the tool with a driver in this folder.
fn with(line: &str, folder: &Path) -> Ran {
    bucketeer_with(line, &[], &[("LD_LIBRARY_PATH", folder)])
}

/// With `--device cuda` the tool names the missing function; with `auto` it takes the CPU.
fn lacks(source: &str, function: &str) {
    let folder = driver(source);
    let text = with("devices", folder.path()).ok();
    let line = text.lines().find(|line| line.starts_with("cuda")).unwrap_or_default();
    assert!(line.contains("not available") && line.contains(function), "{text}");
    let msm = "msm --curve bls12-377 -n 10";
    let words = ["NVIDIA driver", function, "--device cpu"];
    with(&format!("{msm} --device cuda"), folder.path()).fails(3, &words);
    with(&format!("{msm} --device cuda:0,1"), folder.path()).fails(3, &words);
    let object = with(&format!("{msm} --device auto --json"), folder.path()).json();
    assert!(object["device"].as_str().is_some_and(|device| device.starts_with("cpu")), "{object}");
    assert_eq!(object["checked"], true);
}

#[test]
fn a_driver_without_cuinit_panicked() {
    lacks("int something(void) { return 0; }", "cuInit");
}

#[test]
fn a_driver_that_only_starts_panicked() {
    lacks("int cuInit(unsigned flags) { return 0; }", "cuDriverGetVersion");
    // Its error has no text either.
    lacks("int cuInit(unsigned flags) { return 100; }", "cuDriverGetVersion");
}

/// An empty or relative entry of the loader's variable is the current folder, which may be
/// anybody's, as a folder is that all users can write to.
#[test]
fn a_driver_in_the_current_folder_was_loaded() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let folder = driver(
        "#include <stdio.h>\n\
         __attribute__((constructor)) static void run(void) { fclose(fopen(\"loaded\", \"w\")); }\n\
         int cuInit(unsigned flags) { return 100; }",
    );
    let ran = |path: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_bucketeer"))
            .args("msm --curve bn254 -n 4 --device cuda".split(' '))
            .env("LD_LIBRARY_PATH", path)
            .current_dir(folder.path())
            .output();
        finished(output.expect("the tool starts"))
    };
    let own = folder.path().display().to_string();
    for path in [":", ":/nowhere", "/nowhere:", "/nowhere::/none", ".", "./"] {
        ran(path).fails(3, &["LD_LIBRARY_PATH", "current folder"]);
        assert!(!folder.path().join("loaded").exists(), "{path}");
    }
    set_permissions(folder.path(), Permissions::from_mode(0o777)).expect("permissions");
    ran(&own).fails(3, &["libcuda.so", "every user can change it"]);
    assert!(!folder.path().join("loaded").exists());
    // The test is one: a folder of this user's own is searched.
    set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("permissions");
    ran(&own).fails(3, &["lacks the function"]);
    assert!(folder.path().join("loaded").exists());
}
