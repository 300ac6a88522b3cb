//! The settings: the project's `.flow/config.json`, and the user's own, which alone may raise limits.

use std::fmt::Display;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::small_file::{self, Links};
use super::source::{Limits, Source, inside};
use crate::error::{Error, Result};
use crate::model::fault::Fault;

/// Largest settings file that is read, in bytes.
const MOST_BYTES: u64 = 64 * 1024;
/// The largest limit that may be set, in bytes: offsets into a document are 32 bits wide.
const LARGEST_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// The largest number of records that may be allowed in a document.
const LARGEST_RECORDS: u64 = 100_000_000;
/// How similar a word must be to a known key to be suggested as its correction, from 0 to 1.
const ALIKE: f64 = 0.5;

/// The keys of a project's settings, and of the user's.
const PROJECT_KEYS: &[&str] = &["port", "files", "limits"];
const USER_KEYS: &[&str] = &["limits"];
const LIMIT_KEYS: &[&str] = &["json_bytes", "bus_bytes", "records"];

/// The settings of a project.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) port: Option<u16>,
    /// The path of each source, in the order of [`Source::ALL`], if the settings name it.
    pub(super) files: [Option<PathBuf>; 4],
    pub(super) limits: Limits,
}

/// The limits for all projects of a user: those of the user's settings, else the defaults.
pub(super) fn of_user(path: Option<&Path>) -> Result<Limits> {
    let Some(path) = path else { return Ok(Limits::default()) };
    let wrong = |reason| Error::Config { path: path.to_path_buf(), reason };
    // Under `sudo -u` the home folder may still be that of the previous user, whose settings must not apply.
    let is_foreign =
        fs::metadata(path).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
    if is_foreign {
        return Ok(Limits::default());
    }
    let Some(given) = read(path, USER_KEYS)? else { return Ok(Limits::default()) };
    limits(&given, &Limits::default(), Raising::Allowed).map_err(wrong)
}

/// The settings of a project, within the user's limits.
pub(super) fn of_project(root: &Path, ceiling: &Limits, user: Option<&Path>) -> Result<Settings> {
    let path = root.join(".flow/config.json");
    let given = read(&path, PROJECT_KEYS)?.unwrap_or_default();
    let wrong = |reason| Error::Config { path, reason };
    Settings::read(&given, ceiling, user).map_err(wrong)
}

/// Checks the text of a project's settings under the default limits.
///
/// # Errors
/// Why a project with these settings is refused.
pub fn check(text: &[u8]) -> Result<(), String> {
    Settings::read(&object(text, PROJECT_KEYS)?, &Limits::default(), None).map(drop)
}

impl Settings {
    fn read(
        given: &Map<String, Value>,
        ceiling: &Limits,
        user: Option<&Path>,
    ) -> Result<Self, String> {
        Ok(Self {
            port: port(given)?,
            files: files(given)?,
            limits: limits(given, ceiling, Raising::Refused { user })?,
        })
    }
}

/// Whether a limit may be raised.
#[derive(Clone, Copy)]
enum Raising<'a> {
    Allowed,
    /// Only in the user's own settings, at this path.
    Refused {
        user: Option<&'a Path>,
    },
}

/// The object in a file; `None` if there is no file.
fn read(path: &Path, known: &[&str]) -> Result<Option<Map<String, Value>>> {
    let wrong = |reason| Error::Config { path: path.to_path_buf(), reason };
    let bytes = match small_file::read(path, MOST_BYTES, Links::Followed) {
        Ok(bytes) => bytes,
        Err(error) => {
            return match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
                ErrorKind::InvalidInput | ErrorKind::FileTooLarge => Err(wrong(error.to_string())),
                _ => Err(Error::path("read", path, error)),
            };
        }
    };
    object(&bytes, known).map(Some).map_err(wrong)
}

/// Parses a text as an object that has known keys only.
fn object(bytes: &[u8], known: &[&str]) -> Result<Map<String, Value>, String> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value =
        serde_json::from_slice(text).map_err(|error| Fault::from(error).of_document())?;
    let Value::Object(given) = value else {
        return Err(format!("must be a JSON object, not {}", kind(&value)));
    };
    check_keys(&given, "", known)?;
    Ok(given)
}

/// Refuses an unknown key, which is most likely misspelt.
fn check_keys(given: &Map<String, Value>, prefix: &str, known: &[&str]) -> Result<(), String> {
    let Some(unknown) = given.keys().find(|key| !known.contains(&key.as_str())) else {
        return Ok(());
    };
    let likeness = |word: &&&str| strsim::normalized_damerau_levenshtein(unknown, word);
    let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let hint = nearest
        .filter(|word| likeness(word) >= ALIKE)
        .map(|word| format!("; did you mean {prefix}{word}?"))
        .unwrap_or_default();
    Err(format!(
        "unknown key {:?}; known are {}{hint}",
        format!("{prefix}{unknown}"),
        known.join(", ")
    ))
}

/// An object of the settings; empty if it is not given.
fn section<'a>(
    given: &'a Map<String, Value>,
    name: &str,
    known: &[&str],
) -> Result<Option<&'a Map<String, Value>>, String> {
    match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(section)) => {
            check_keys(section, &format!("{name}."), known)?;
            Ok(Some(section))
        }
        Some(other) => Err(must_be(name, "an object", other)),
    }
}

fn port(given: &Map<String, Value>) -> Result<Option<u16>, String> {
    match given.get("port") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let port = value.as_u64().and_then(|port| u16::try_from(port).ok());
            port.map(Some).ok_or_else(|| must_be("port", "a number from 0 to 65535", value))
        }
    }
}

fn files(given: &Map<String, Value>) -> Result<[Option<PathBuf>; 4], String> {
    let names = Source::ALL.map(Source::name);
    let mut files = [const { None }; 4];
    let Some(section) = section(given, "files", &names)? else { return Ok(files) };
    for source in Source::ALL {
        let name = format!("files.{}", source.name());
        files[source.index()] = match section.get(source.name()) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(inside(&name, text)?),
            Some(other) => return Err(must_be(&name, "a path inside the project", other)),
        };
    }
    Ok(files)
}

fn limits(
    given: &Map<String, Value>,
    ceiling: &Limits,
    raising: Raising<'_>,
) -> Result<Limits, String> {
    let Some(section) = section(given, "limits", LIMIT_KEYS)? else { return Ok(*ceiling) };
    let limit = |key: &str, ceiling: u64, largest: u64| {
        let name = format!("limits.{key}");
        let value = match section.get(key) {
            None | Some(Value::Null) => return Ok(ceiling),
            Some(value) => value,
        };
        let number = value.as_u64().filter(|number| (1..=largest).contains(number));
        let number = number
            .ok_or_else(|| must_be(&name, &format!("a whole number from 1 to {largest}"), value))?;
        match raising {
            Raising::Refused { user } if number > ceiling => {
                Err(raised(&name, number, ceiling, user))
            }
            Raising::Allowed | Raising::Refused { .. } => Ok(number),
        }
    };
    Ok(Limits {
        json_bytes: limit("json_bytes", ceiling.json_bytes, LARGEST_BYTES)?,
        bus_bytes: limit("bus_bytes", ceiling.bus_bytes, LARGEST_BYTES)?,
        records: limit("records", ceiling.records, LARGEST_RECORDS)?,
    })
}

/// Refuses a raised limit: a project may come from a stranger, who must not decide how much memory is used.
fn raised(name: &str, number: u64, ceiling: u64, user: Option<&Path>) -> String {
    let place: &dyn Display = match user {
        Some(path) => &path.display(),
        None => &"your own settings",
    };
    format!(
        "{name} is {number}; a project may only lower it, from {ceiling}: to raise it, set it in {place}"
    )
}

fn must_be(name: &str, what: &str, found: &Value) -> String {
    format!("{name} must be {what}, not {}", kind(found))
}

/// The type of a value, for errors.
fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => crate::model::problem::quote(text),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
