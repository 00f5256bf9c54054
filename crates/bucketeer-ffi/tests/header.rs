//! The header is what cbindgen makes of the sources. `BLESS=1 cargo test -p bucketeer-ffi --test
//! header` writes it anew.

use std::path::Path;

#[test]
fn header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("include/bucketeer.h");
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let mut sources: Vec<_> = std::fs::read_dir(root.join("src"))
        .expect("src")
        .map(|entry| entry.expect("an entry").path())
        // Parsed through it, the other files would be parsed twice.
        .filter(|path| !path.ends_with("lib.rs"))
        .collect();
    sources.sort();
    let builder = sources.iter().fold(cbindgen::Builder::new(), |all, one| all.with_src(one));
    let mut made = Vec::new();
    builder.with_config(config).generate().expect("a header").write(&mut made);
    // A heading of Rust's documentation.
    let made = String::from_utf8(made).expect("UTF-8").replace("// # Safety\n//\n", "");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &made).expect("a writable header");
    }
    let found = std::fs::read_to_string(&path).expect("include/bucketeer.h");
    assert!(found == made, "include/bucketeer.h is not what the sources say: run with BLESS=1");
}
