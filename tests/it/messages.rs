//! Checks that `tests/cases/messages` shows every message of the sources: the first text of each error constructor is printed
//! there, or named in `messages_elsewhere.txt` with the reason.

use std::fs;
use std::path::{Path, PathBuf};

/// Where errors are worded.
const FOLDERS: [&str; 8] = [
    "src/explain",
    "src/cli",
    "src/git",
    "crates/flow-daemon/src/control",
    "crates/flow-daemon/src/daemon",
    "crates/flow-daemon/src/project",
    "crates/flow-skills/src/input",
    "crates/flow-skills/src/runtime",
];
/// The constructors of errors.
const CONSTRUCTORS: [&str; 11] = [
    "Error::Usage(",
    "Error::Refused(",
    "Error::path(",
    "Error::io(",
    "Fault::Refused(",
    "Fault::Unreadable(",
    "#[error(",
    "Misfit::new(",
    "must_be(",
    "Err(format!(",
    "refused(",
];
/// Largest distance of a text from its constructor, in bytes.
const REACH: usize = 260;
/// Length of the shortest piece that identifies a text, in bytes.
const SHORTEST: usize = 8;

/// A part of each text that no case shows, and the reason, one in a line.
fn elsewhere() -> impl Iterator<Item = &'static str> {
    include_str!("messages_elsewhere.txt").lines().map(|line| line.split_once(" => ").unwrap().0)
}

/// The texts after constructors, by file.
fn texts() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            // What does not fit a notation is docs/notation.md's.
            if path.is_dir() && !path.ends_with("notation") {
                folders.push(path.clone());
            }
            if path.is_dir() {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let product = text.split("\n#[cfg(test)]").next().unwrap();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            for constructor in CONSTRUCTORS {
                let behind = product
                    .match_indices(constructor)
                    .map(|(at, found)| &product[at + found.len()..]);
                found.extend(behind.filter_map(literal).map(|text| (name.clone(), text)));
            }
        }
    }
    found
}

/// The longest fixed piece of the first literal after a constructor.
fn literal(behind: &str) -> Option<String> {
    let begin = behind.find('"').filter(|begin| *begin < REACH)? + 1;
    let mut escaped = false;
    let end = behind[begin..].find(|c: char| {
        let is_end = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        is_end
    })?;
    let text = behind[begin..begin + end]
        .replace("\\\"", "\"")
        .replace("{{", "\u{1}")
        .replace("}}", "\u{2}");
    // A literal that continues on the next line.
    let text = text.split("\\\n").map(str::trim_start).collect::<String>();
    let pieces = text.split('{').filter_map(|piece| piece.rsplit('}').next());
    let longest = pieces.max_by_key(|piece| piece.len())?.trim();
    Some(longest.replace('\u{1}', "{").replace('\u{2}', "}"))
}

/// What the cases print as errors, warnings and notes.
fn shown() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/messages");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let printed = files.filter(|path| path.extension().is_some_and(|end| end == "out"));
    let printed: String = printed.map(|path| fs::read_to_string(path).unwrap()).collect();
    let is_message = |line: &&str| line.starts_with("! ") || line.contains("\"error\":");
    printed.lines().filter(is_message).flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn every_error_of_the_sources_is_shown_or_named_with_a_reason() {
    let (shown, texts) = (shown(), texts());
    assert!(texts.len() > 100, "only {} texts were found", texts.len());
    let is_told = |text: &str| {
        // A word alone is the code of an error, and not its text.
        text.len() < SHORTEST || !text.contains(' ') || shown.contains(text)
    };
    let is_elsewhere = |text: &str| elsewhere().any(|part| text.starts_with(part));
    let left_out: Vec<_> =
        texts.iter().filter(|(_, text)| !is_told(text) && !is_elsewhere(text)).collect();
    assert!(left_out.is_empty(), "{left_out:#?}");
    let is_said = |part: &str| texts.iter().any(|(_, text)| text.starts_with(part));
    let needless: Vec<_> =
        elsewhere().filter(|part| !is_said(part) || shown.contains(part)).collect();
    assert!(needless.is_empty(), "{needless:#?}");
}
