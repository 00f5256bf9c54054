//! The layers of the library: a module uses modules of lower layers only. The table is in
//! docs/design.md, under "Layers"; this test reads it, and the `use` lines of the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every module with the number of its layer, from the table of docs/design.md.
fn layers() -> BTreeMap<String, usize> {
    let design = fs::read_to_string(root().join("../../docs/design.md")).expect("docs/design.md");
    let section = design.split("\n## Layers\n").nth(1).expect("a section \"Layers\"");
    let section = section.split("\n## ").next().expect("a section");
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    let mut layers = BTreeMap::new();
    for (number, row) in rows.enumerate() {
        let cell = row.split('|').nth(1).expect("a first cell");
        for name in cell.split('`').skip(1).step_by(2) {
            assert!(layers.insert(name.into(), number).is_none(), "{name} is in two layers");
        }
    }
    layers
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files of a folder, without what builds and package managers put there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().to_string_lossy().into_owned();
            let made =
                name.starts_with('.') || ["target", "node_modules", "pkg"].contains(&name.as_str());
            match entry.path() {
                path if path.is_dir() && !made => folders.push(path),
                path if path.is_file() => found.push(path),
                _ => {}
            }
        }
    }
    found
}

/// The sources of the library without tests, each with its module.
fn sources() -> Vec<(String, PathBuf, String)> {
    let mut found = Vec::new();
    for path in files(&root().join("src")) {
        let test = path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests"));
        if path.extension().is_some_and(|own| own == "rs") && !test {
            let text = fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned();
            found.push((module(&path), path, code));
        }
    }
    found
}

/// The top-level module that a file belongs to.
fn module(path: &Path) -> String {
    let inside = path.strip_prefix(root().join("src")).expect("a source");
    let first = inside.components().next().expect("a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The paths that a `use` tree names, relative to the crate: two names of each.
fn leaves(tree: &str) -> Vec<String> {
    let Some(inner) = tree.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
        return vec![tree.split("::").next().unwrap_or_default().trim().to_owned()];
    };
    let mut depth = 0;
    let parts = inner.split(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let parts = parts.map(str::trim).filter(|part| !part.is_empty());
    parts.flat_map(leaves).collect()
}

/// The names that a source takes from the crate's root.
fn used(code: &str) -> BTreeSet<String> {
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line.trim(), " "])
        .collect();
    let uses = code.split("use crate::").skip(1).filter_map(|rest| rest.split(';').next());
    let mut names: BTreeSet<String> = uses.flat_map(|tree| leaves(tree.trim())).collect();
    // Paths in the code itself.
    for rest in code.split("crate::").skip(1) {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if rest[end..].starts_with("::") {
            names.insert(rest[..end].to_owned());
        }
    }
    names
}

/// The module behind every name that lib.rs exports.
fn exports() -> BTreeMap<String, String> {
    let text = fs::read_to_string(root().join("src/lib.rs")).expect("lib.rs");
    let mut exports = BTreeMap::new();
    for line in text.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let (module, names) = line.split_once("::").expect("a module");
        for name in names.trim_matches(['{', '}']).split(',').map(str::trim) {
            let name = name.split(" as ").last().unwrap_or(name);
            exports.insert(name.to_owned(), module.to_owned());
        }
    }
    exports
}

#[test]
fn modules_use_lower_layers_only() {
    let (layers, exports) = (layers(), exports());
    let layer = |module: &str| {
        *layers.get(module).unwrap_or_else(|| panic!("{module} has no layer in docs/design.md"))
    };
    let mut upward = Vec::new();
    let mut seen = BTreeSet::new();
    for (module, path, code) in sources() {
        if module == "lib" {
            continue;
        }
        for name in used(&code) {
            let other = exports.get(&name).unwrap_or(&name);
            seen.insert(module.clone());
            if *other != module && layer(other) >= layer(&module) {
                upward.push(format!("{}: {module} uses {other} ({name})", path.display()));
            }
        }
    }
    assert!(upward.is_empty(), "\n{}", upward.join("\n"));
    assert!(seen.len() > 15, "the sources were read: {seen:?}");
}

#[test]
fn use_trees_are_read() {
    assert_eq!(leaves("{Curve, Error, plan::{Plan, Table}, parallel}").len(), 4);
    assert_eq!(leaves("plan::{Plan, Table}"), ["plan"]);
    let code = "use crate::{A,\n    b::C};\n// use crate::d;\nfn f() { crate::e::g() }\n";
    assert_eq!(used(code).into_iter().collect::<Vec<_>>(), ["A", "b", "e"]);
}

/// The files of all crates and pages of the repository; of a packaged crate, its own sources.
fn texts() -> Vec<PathBuf> {
    let repository = root().join("../..");
    if !repository.join("crates/bucketeer/Cargo.toml").is_file() {
        return files(&root().join("src"));
    }
    let top = fs::read_dir(&repository).expect("the repository");
    let top = top.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
    let folders = ["crates", "docs"].map(|folder| files(&repository.join(folder)));
    top.chain(folders.concat()).collect()
}

/// The lines of a file that its author wraps: comments of sources, and the prose of pages without
/// code blocks. Tables, and what has no space to break at, are left out.
fn prose(path: &Path) -> Vec<String> {
    let inside = path.strip_prefix(root().join("../..")).unwrap_or(path);
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let page = extension == "md";
    let source = ["rs", "cu", "cuh", "wgsl"].contains(&&*extension)
        && inside.components().any(|folder| folder.as_os_str() == "src");
    if !page && !source {
        return Vec::new();
    }
    let mut fenced = false;
    let wrapped = |line: &&str| {
        let start = line.trim_start();
        fenced ^= page && start.starts_with("```");
        let words = start.trim_start_matches(['/', '!', '-', '#', ' ']);
        let own = if page { !fenced } else { start.starts_with("//") };
        own && !words.starts_with('|') && words.contains(' ')
    };
    let text = fs::read_to_string(path).expect("a text");
    text.lines().filter(wrapped).map(str::to_owned).collect()
}

/// Code is formatted by rustfmt; comments and prose are not.
#[test]
fn comments_fit_in_100_columns() {
    let mut long = Vec::new();
    for path in texts() {
        for line in prose(&path).iter().filter(|line| line.chars().count() > 100) {
            long.push(format!("{}: {line}", path.display()));
        }
    }
    assert!(long.is_empty(), "\n{}", long.join("\n"));
}
