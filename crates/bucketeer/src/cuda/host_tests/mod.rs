//! The kernels' field, curve and digit arithmetic, compiled for the host by the system's C++
//! compiler and compared with arkworks. Only the functions of `words.cuh` differ on the device.

mod curves;
mod digits;
mod import;

use std::path::Path;
use std::process::Command;

use libloading::Library;

use super::prelude;

const SHIMS: &str = include_str!("../kernels/host.cpp");

/// Compiles texts of C++ into a library and loads it.
fn build(name: &str, texts: &[&str]) -> (tempfile::TempDir, Library) {
    let folder = tempfile::tempdir().expect("a folder");
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cuda/kernels");
    // Taken instead of the device's curve.cuh, which ends with shuffles.
    let curve =
        "#if EDWARDS\n#include \"edwards.cuh\"\n#else\n#include \"weierstrass.cuh\"\n#endif\n";
    for (header, text) in [("curve.cuh", curve), ("interface.cuh", prelude::interface())] {
        std::fs::write(folder.path().join(header), text).expect("a header");
    }
    let (source, library) = (folder.path().join("host.cpp"), folder.path().join("host.so"));
    std::fs::write(&source, [&[SHIMS], texts].concat().concat()).expect("a source");
    let output = Command::new("c++")
        .args(["-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .arg("-I")
        .arg(kernels)
        .arg("-I")
        .arg(folder.path())
        .output()
        .expect("a C++ compiler");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    // SAFETY: the library was built from the source above and has no initialisers.
    let library = unsafe { Library::new(&library) }.expect("the library");
    (folder, library)
}
