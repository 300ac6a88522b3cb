//! Embeds the folders under `skills/`, and the demo project's state, in the binary: tables of paths and texts. Both are
//! links to top-level folders, so that the published crate contains them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    embed("skills", &[""]);
    // Not the whole folder: a running server keeps its files in it, so each start would cause a new build.
    embed("examples/demo", &[".agileflow", "docs"]);
}

/// Writes the table for some parts of a folder, named after the folder's last component.
fn embed(folder: &str, parts: &[&str]) {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join(folder);
    let mut files = Vec::new();
    for part in parts {
        println!("cargo:rerun-if-changed={}", root.join(part).display());
        collect(&root.join(part), &mut files);
    }
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
        let _ = writeln!(table, "    ({name:?}, include_str!({:?})),", file.display().to_string());
    }
    table.push_str("]\n");
    let name = root.file_name().unwrap_or_default();
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let out = out.join(name).with_extension("rs");
    if let Err(error) = fs::write(&out, table) {
        println!("cargo:error=could not write {}: {error}", out.display());
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
