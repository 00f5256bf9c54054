//! Names the shared library, so that programs find the version they were linked with.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        let part = |name: &str| std::env::var(name).unwrap_or_default();
        let (major, minor) = (part("CARGO_PKG_VERSION_MAJOR"), part("CARGO_PKG_VERSION_MINOR"));
        // Before version 1 a minor version may change the interface. `install` does the same.
        let interface = if major == "0" { format!("0.{minor}") } else { major };
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libbucketeer.so.{interface}");
    }
}
