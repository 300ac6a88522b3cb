//! The one setting that is read from another program's manifest: the name of the documents folder.
//!
//! Not a YAML parser: it accepts one line at the top level with a scalar, and anything else under that key is an error.
//! A parser of the whole language would be much code over a file that a stranger may have written.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::source::{PATHS, inside};
use crate::error::{Error, Result};
use flow_files::small_file::{self, Links};

/// Folders that may hold the manifest, in order of precedence.
const FOLDERS: [&str; 3] = [".agileflow", "agileflow", ".aflow"];
/// Its path in such a folder.
const MANIFEST: &str = "_cfg/manifest.yaml";
/// Largest manifest that is read, in bytes.
const MOST_BYTES: u64 = 64 * 1024;
const KEY: &str = "docs_folder";

/// The folder that replaces `docs`, if a manifest names one.
pub(super) fn documents(root: &Path) -> Result<Option<PathBuf>> {
    for folder in FOLDERS {
        let path = root.join(folder).join(MANIFEST);
        let wrong = |reason| Error::Config { path: path.clone(), reason };
        match small_file::read(&path, MOST_BYTES, Links::Followed) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_| wrong("not UTF-8".to_owned()))?;
                return read(&text).map_err(wrong);
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err(Error::path("read", &path, error)),
        }
    }
    Ok(None)
}

fn read(text: &str) -> Result<Option<PathBuf>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().zip(1..);
    let mut given = lines.filter_map(|(text, line)| Some((value_of_key(text)?, line)));
    let Some((raw, line)) = given.next() else { return Ok(None) };
    if let Some((_, other)) = given.next() {
        return Err(format!("{KEY} is given twice (lines {line} and {other}); remove one of them"));
    }
    let name = scalar(raw).ok_or_else(|| {
        format!("{KEY} must be a folder's name on one line (line {line}); write for example {KEY}: notes")
    })?;
    if matches!(name, "" | "~" | "null") {
        return Ok(None);
    }
    inside(KEY, name).map(Some).map_err(|what| format!("{what} (line {line}); {PATHS}"))
}

/// The text after the key, of a line that begins with the key.
fn value_of_key(line: &str) -> Option<&str> {
    let quoted = |quote| line.strip_prefix(quote)?.strip_prefix(KEY)?.strip_prefix(quote);
    let rest = line.strip_prefix(KEY).or_else(|| quoted('"')).or_else(|| quoted('\''))?;
    let rest = rest.trim_start().strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(rest)
}

/// A plain or quoted scalar without escapes, and without a comment after it.
fn scalar(raw: &str) -> Option<&str> {
    let raw = raw.trim();
    for quote in ['"', '\''] {
        if let Some(rest) = raw.strip_prefix(quote) {
            let (name, after) = rest.split_once(quote)?;
            let is_end = after.trim().is_empty()
                || after.starts_with([' ', '\t']) && after.trim().starts_with('#');
            return Some(name).filter(|name| is_end && !name.contains('\\'));
        }
    }
    let plain =
        if raw.starts_with('#') { "" } else { raw.split(" #").next().unwrap_or(raw).trim() };
    let is_plain = !plain.starts_with(|c| "[]{}&*!|>%@`,?".contains(c)) && !plain.contains(": ");
    Some(plain).filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_with_a_scalar_is_understood() {
        for (text, expected) in [
            ("docs_folder: work", Some("work")),
            ("a: 1\r\ndocs_folder:   work/notes  # where\r\nb:\n  - 2\n", Some("work/notes")),
            ("\u{feff}docs_folder: \"a b\" # c", Some("a b")),
            ("'docs_folder' : 'x#y'", Some("x#y")),
            ("docs_folder: a#b", Some("a#b")),
            ("docs_folder: ./notes/", Some("notes")),
            ("docs_folder:\n", None),
            ("docs_folder: ~\n", None),
            ("docs_folder: # none\n", None),
            ("  docs_folder: nested", None),
            ("docs_folders: other", None),
            ("docs_folder:no", None),
            ("# docs_folder: x", None),
            ("", None),
        ] {
            assert_eq!(read(text), Ok(expected.map(PathBuf::from)), "{text:?}");
        }
    }

    #[test]
    fn anything_else_under_the_key_is_refused() {
        for text in [
            "docs_folder: [a]",
            "docs_folder: {a: b}",
            "docs_folder: &x a",
            "docs_folder: *x",
            "docs_folder: |",
            "docs_folder: a: b",
            "docs_folder: \"a",
            "docs_folder: \"a\" b",
            "docs_folder: \"a\\n\"",
            "docs_folder: a\ndocs_folder: b",
            "docs_folder: ..",
            "docs_folder: a/../../b",
            "docs_folder: /etc",
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }
}
