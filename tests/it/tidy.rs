//! Rules that the source must keep: layers, circles between modules, dependencies between crates, crates that one file
//! alone may use, tuple parameters, the opening and the length of files. Each finding names its place.

mod layers;
mod modules;
mod parameters;

use std::fs;
use std::path::{Path, PathBuf};

/// Folders of Rust sources.
const ROOTS: [&str; 6] = [
    "src",
    "crates/flow-model",
    "crates/flow-files",
    "crates/flow-plans",
    "crates/flow-daemon",
    "crates/flow-skills",
];
/// Crates that one file alone may use, or one folder.
const CONFINED: [(&str, &str); 5] = [
    ("notify::", "crates/flow-daemon/src/store/watch.rs"),
    ("arc_swap::", "crates/flow-daemon/src/store/"),
    ("daemonize::", "crates/flow-daemon/src/daemon/start.rs"),
    ("clap::", "src/cli/args"),
    ("rmcp::", "src/mcp/"),
];
/// The one place that knows systems, and another that only starts a browser.
const SEAM: [&str; 2] = ["crates/flow-files/src/system/", "src/cli/demo/browser.rs"];
/// What only code for one system says.
const OF_ONE_SYSTEM: [&str; 5] = ["target_os", "target_vendor", "os::linux", "\"/proc", "O_PATH"];
/// Longest file, in lines; the tests at the end of a file of the product are left out.
const LONGEST: usize = 800;

struct Source {
    name: String,
    text: String,
}

fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join(folder)];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            if path.is_dir() {
                folders.push(path);
            } else if is_rust {
                files.push(path);
            }
        }
    }
    files.sort();
    let read = |path: PathBuf| Source {
        name: path.strip_prefix(root).unwrap().display().to_string(),
        text: fs::read_to_string(&path).unwrap(),
    };
    files.into_iter().map(read).collect()
}

/// The text of a file without the tests at its end.
fn product(text: &str) -> &str {
    text.split("\n#[cfg(test)]").next().unwrap_or_default()
}

/// Whether code names a crate, which may be the end of another one's name.
fn names(code: &str, crate_name: &str) -> bool {
    code.match_indices(crate_name).any(|(at, _)| {
        code[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_')
    })
}

#[test]
fn each_confined_crate_is_used_in_one_file() {
    let mut found = Vec::new();
    for source in ROOTS.into_iter().flat_map(sources) {
        for (crate_name, file) in CONFINED {
            let used = |line: &str| names(line.split("//").next().unwrap_or_default(), crate_name);
            let lines = source.text.lines().enumerate().filter(|(_, line)| used(line));
            let elsewhere = lines.filter(|_| !source.name.starts_with(file));
            found.extend(elsewhere.map(|(at, _)| {
                format!("{}:{}: {crate_name} belongs in {file}", source.name, at + 1)
            }));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_only_one_system_has_is_behind_the_seam() {
    let mut found = Vec::new();
    let is_outside = |source: &Source| !SEAM.iter().any(|place| source.name.starts_with(place));
    for source in ROOTS.into_iter().flat_map(sources).filter(is_outside) {
        let code = product(&source.text).lines().map(|line| line.split("//").next().unwrap());
        let lines = code.enumerate();
        let of_one = lines.filter(|(_, line)| OF_ONE_SYSTEM.iter().any(|word| line.contains(word)));
        found.extend(
            of_one.map(|(at, line)| format!("{}:{}: {}", source.name, at + 1, line.trim())),
        );
    }
    assert!(found.is_empty(), "{} alone may have:\n{}", SEAM[0], found.join("\n"));
}

#[test]
fn every_file_says_what_it_is_and_is_short() {
    let mut found = Vec::new();
    for source in ROOTS.into_iter().chain(["tests", "benches"]).flat_map(sources) {
        if !source.text.starts_with("//! ") {
            found.push(format!("{}:1: does not open with //!", source.name));
        }
        let code = product(&source.text);
        if code.lines().count() > LONGEST {
            found.push(format!(
                "{}: {} lines, more than {LONGEST}",
                source.name,
                code.lines().count()
            ));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What opens, lists or changes files by a path.
const FILE_ACCESS: [&str; 5] = ["std::fs", "fs::", "File::open", "OpenOptions", ".canonicalize()"];

/// The one place of the skills that uses the file system.
fn may_access_files(name: &str) -> bool {
    !name.starts_with("crates/flow-skills/src/")
        || name.starts_with("crates/flow-skills/src/runtime/files")
}

fn accesses_files(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    FILE_ACCESS.iter().any(|word| code.contains(word))
}

#[test]
fn skills_reach_files_through_one_layer() {
    let mut found = Vec::new();
    for source in sources("crates/flow-skills").into_iter().filter(|s| !may_access_files(&s.name)) {
        let code = product(&source.text);
        let lines = code.lines().enumerate().filter(|(_, line)| accesses_files(line));
        found.extend(
            lines.map(|(at, _)| {
                format!("{}:{}: files belong in runtime::files", source.name, at + 1)
            }),
        );
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(accesses_files("    let text = fs::read(path)?;") && !accesses_files("// std::fs"));
}
