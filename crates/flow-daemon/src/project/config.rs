//! The settings: the project's `.flow/config.json`, and the user's own, which alone may raise limits.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::formats::FormatList;
use super::history::History;
use super::misfit::Misfit;
use super::read_from::{MOST_PORTS, ReadFrom};
use super::source::{Limits, PATHS, Source, inside};
use crate::error::{Error, Result};
use crate::model::fault::Fault;
use flow_files::small_file::{self, Links};

/// The file of a project's settings, below its root.
pub const CONFIG: &str = ".flow/config.json";
/// Largest file of settings that is read, in bytes.
const MOST_BYTES: u64 = 64 * 1024;
/// The largest limit that may be set, in bytes: offsets into a document are 32 bits wide.
const LARGEST_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// The largest number of records that may be allowed in a document.
const LARGEST_RECORDS: u64 = 100_000_000;
/// How similar a word must be to a known key to be suggested as its correction, from 0 to 1.
const ALIKE: f64 = 0.6;

/// The keys of a project's settings, and of the user's.
const PROJECT_KEYS: &[&str] = &["port", "files", "limits", READ_FROM, FORMATS_KEY, CHECKLISTS];
const USER_KEYS: &[&str] = &["limits", READ_FROM, FORMATS_KEY, HISTORY];
const HISTORY: &str = "history";
const READ_FROM: &str = "read_from_ports";
const FORMATS_KEY: &str = "formats";
const CHECKLISTS: &str = "checklists";
/// Largest number of checklists that are named.
const MOST_CHECKLISTS: usize = 100;
const LIMIT_KEYS: &[&str] = &["json_bytes", "bus_bytes", "records"];

/// The settings of a project.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) port: Option<u16>,
    /// The path of each source, in the order of [`Source::ALL`], if the settings name it.
    pub(super) files: [Option<PathBuf>; 4],
    pub(super) limits: Limits,
    pub(super) read_from: ReadFrom,
    pub(super) formats: Option<FormatList>,
    /// The paths of Markdown checklists.
    pub(super) checklists: Vec<String>,
}

/// A user's own settings, for all projects.
#[derive(Debug, Default)]
pub(super) struct UserSettings {
    /// The limits, which a project can only lower.
    limits: Limits,
    /// A project can only allow fewer ports.
    read_from: ReadFrom,
    /// Which formats are read.
    pub(super) formats: Option<FormatList>,
    /// Whether changes are kept beyond a run. A project cannot turn that off.
    pub(super) history: History,
}

/// The settings of a user; those that are not given are the defaults.
pub(super) fn of_user(path: Option<&Path>) -> Result<UserSettings> {
    let Some(path) = path else { return Ok(UserSettings::default()) };
    let wrong = |reason| Error::Config { path: path.to_path_buf(), reason };
    // Under `sudo -u` the home folder may still be that of the previous user, whose settings must not apply.
    let is_foreign =
        fs::metadata(path).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
    if is_foreign {
        return Ok(UserSettings::default());
    }
    let Some(text) = read(path)? else { return Ok(UserSettings::default()) };
    let settings = |given: &Map<String, Value>| {
        Ok(UserSettings {
            limits: limits(given, &Limits::default(), Raising::Allowed)?,
            read_from: read_from(given)?,
            formats: formats(given)?,
            history: history(given)?,
        })
    };
    object(&text, USER_KEYS, settings).map_err(wrong)
}

/// The settings of a project, within those of the user, whose file is named in errors.
pub(super) fn of_project(
    root: &Path,
    ceiling: &UserSettings,
    user: Option<&Path>,
) -> Result<Settings> {
    let path = root.join(CONFIG);
    let wrong = |reason| Error::Config { path: path.clone(), reason };
    // What the settings contain is shown where they are wrong, so a checkout must not make another file of the user them.
    if leads_out(root, &path) {
        let reason =
            "is a link out of the project; put the settings into the file itself".to_owned();
        return Err(wrong(reason));
    }
    let text = read(&path)?.unwrap_or_else(|| b"{}".to_vec());
    object(&text, PROJECT_KEYS, |given| Settings::read(given, ceiling, user)).map_err(wrong)
}

/// Whether a path below a folder is, by links, one outside of it.
fn leads_out(root: &Path, path: &Path) -> bool {
    match (root.canonicalize(), path.canonicalize()) {
        (Ok(root), Ok(path)) => !path.starts_with(root),
        // There is no such file, or it cannot be read, which reading it reports.
        _ => false,
    }
}

/// Checks the text of a project's settings under the default limits.
///
/// # Errors
/// Why a project with these settings is refused.
pub fn check(text: &[u8]) -> Result<(), String> {
    let ceiling = UserSettings::default();
    object(text, PROJECT_KEYS, |given| Settings::read(given, &ceiling, None)).map(drop)
}

impl Settings {
    fn read(
        given: &Map<String, Value>,
        ceiling: &UserSettings,
        user: Option<&Path>,
    ) -> Result<Self, Misfit> {
        Ok(Self {
            port: port(given)?,
            files: files(given)?,
            limits: limits(given, &ceiling.limits, Raising::Refused { user })?,
            read_from: read_from(given)?.and(&ceiling.read_from),
            formats: formats(given)?,
            checklists: checklists(given)?,
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

/// The bytes of a file; `None` if there is no file.
fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    let wrong = |reason| Error::Config { path: path.to_path_buf(), reason };
    match small_file::read(path, MOST_BYTES, Links::Followed) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
            ErrorKind::InvalidInput | ErrorKind::FileTooLarge => Err(wrong(error.to_string())),
            ErrorKind::PermissionDenied => Err(Error::Refused(format!(
                "could not read {}: {error}; grant this user read permission",
                path.display()
            ))),
            _ => Err(Error::path("read", path, error)),
        },
    }
}

/// Parses a text as an object that has known keys only, and reads it.
fn object<T>(
    bytes: &[u8],
    known: &[&str],
    read: impl FnOnce(&Map<String, Value>) -> Result<T, Misfit>,
) -> Result<T, String> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(text).map_err(|error| {
        Fault::from(error).explained(&String::from_utf8_lossy(text)).of_document()
    })?;
    let Value::Object(given) = value else {
        return Err(format!("must be a JSON object, not {}; {}", kind(&value), example("port")));
    };
    let made = check_keys(&given, None, known).and_then(|()| read(&given));
    made.map_err(|misfit| misfit.within(&String::from_utf8_lossy(text)))
}

/// Refuses an unknown key, which is most likely misspelt.
fn check_keys(
    given: &Map<String, Value>,
    section: Option<&str>,
    known: &[&str],
) -> Result<(), Misfit> {
    let Some(unknown) = given.keys().find(|key| !known.contains(&key.as_str())) else {
        return Ok(());
    };
    if section.is_none() && unknown == HISTORY {
        let what = "may only be set in your own settings, not by a project".to_owned();
        return Err(Misfit::new(None, HISTORY, what));
    }
    let likeness = |word: &&&str| strsim::normalized_damerau_levenshtein(unknown, word);
    let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let hint = nearest
        .filter(|word| likeness(word) >= ALIKE)
        .map(|word| format!("; did you mean {}?", whole(section, word)))
        .unwrap_or_default();
    let what = format!("unknown key {:?}", whole(section, unknown));
    let next = format!("known keys: {}{hint}", known.join(", "));
    Err(Misfit::new(section, unknown, what).next(next))
}

/// The name of a key with its section.
fn whole(section: Option<&str>, key: &str) -> String {
    section.map_or_else(|| key.to_owned(), |section| format!("{section}.{key}"))
}

/// An object of the settings; `None` if it is not given.
fn section<'a>(
    given: &'a Map<String, Value>,
    name: &str,
    known: &[&str],
) -> Result<Option<&'a Map<String, Value>>, Misfit> {
    match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(object)) => {
            check_keys(object, Some(name), known)?;
            Ok(Some(object))
        }
        Some(other) => Err(must_be(None, name, "an object", other).next(example(name))),
    }
}

fn port(given: &Map<String, Value>) -> Result<Option<u16>, Misfit> {
    match given.get("port") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let misfit = || must_be(None, "port", "a number from 0 to 65535", value);
            port_number(value).map(Some).ok_or_else(|| misfit().next(example("port")))
        }
    }
}

fn port_number(value: &Value) -> Option<u16> {
    u16::try_from(value.as_u64()?).ok()
}

fn read_from(given: &Map<String, Value>) -> Result<ReadFrom, Misfit> {
    let Some(value) = given.get(READ_FROM).filter(|value| !value.is_null()) else {
        return Ok(ReadFrom::Any);
    };
    let ports = value.as_array().filter(|ports| ports.len() <= MOST_PORTS);
    let ports = ports.and_then(|ports| ports.iter().map(port_number).collect());
    let misfit = || {
        let what = format!("a list of at most {MOST_PORTS} numbers from 0 to 65535");
        must_be(None, READ_FROM, &what, value).next(example(READ_FROM))
    };
    ports.map(ReadFrom::Ports).ok_or_else(misfit)
}

fn formats(given: &Map<String, Value>) -> Result<Option<FormatList>, Misfit> {
    let known = || flow_plans::FORMATS.iter().map(|format| format.name());
    let misfit = |value: &Value| {
        let names: Vec<&str> = known().collect();
        let what = format!("\"all\" or a list of formats ({})", names.join(", "));
        must_be(None, FORMATS_KEY, &what, value).next(example(FORMATS_KEY))
    };
    match given.get(FORMATS_KEY) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(all)) if all.eq_ignore_ascii_case("all") => Ok(Some(FormatList::All)),
        Some(Value::Array(names)) => {
            let name = |value: &Value| {
                let format = value
                    .as_str()
                    .and_then(|text| known().find(|known| known.eq_ignore_ascii_case(text.trim())));
                format.map(str::to_owned).ok_or_else(|| misfit(value))
            };
            names.iter().map(name).collect::<Result<_, _>>().map(FormatList::Named).map(Some)
        }
        Some(other) => Err(misfit(other)),
    }
}

fn history(given: &Map<String, Value>) -> Result<History, Misfit> {
    match given.get(HISTORY) {
        None | Some(Value::Null | Value::Bool(true)) => Ok(History::Kept),
        Some(Value::Bool(false)) => Ok(History::Off),
        Some(other) => Err(must_be(None, HISTORY, "true or false", other).next(example(HISTORY))),
    }
}

fn checklists(given: &Map<String, Value>) -> Result<Vec<String>, Misfit> {
    let Some(value) = given.get(CHECKLISTS).filter(|value| !value.is_null()) else {
        return Ok(Vec::new());
    };
    let misfit = || {
        let what = format!("a list of at most {MOST_CHECKLISTS} paths of Markdown files");
        must_be(None, CHECKLISTS, &what, value).next(example(CHECKLISTS))
    };
    let listed = value.as_array().filter(|paths| paths.len() <= MOST_CHECKLISTS);
    let path = |value: &Value| {
        let text = value.as_str().ok_or_else(misfit)?;
        let path = inside(CHECKLISTS, text)
            .map_err(|what| Misfit::new(None, CHECKLISTS, what).next(PATHS.to_owned()))?;
        path.into_os_string().into_string().map_err(|_| misfit())
    };
    listed.ok_or_else(misfit)?.iter().map(path).collect()
}

fn files(given: &Map<String, Value>) -> Result<[Option<PathBuf>; 4], Misfit> {
    const SECTION: &str = "files";
    let names = Source::ALL.map(Source::name);
    let mut files = [const { None }; 4];
    let Some(section) = section(given, SECTION, &names)? else { return Ok(files) };
    for source in Source::ALL {
        let key = source.name();
        files[source.index()] = match section.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => {
                let path = inside(&whole(Some(SECTION), key), text);
                let misfit = |what| Misfit::new(Some(SECTION), key, what).next(PATHS.to_owned());
                Some(path.map_err(misfit)?)
            }
            Some(other) => {
                let misfit = must_be(Some(SECTION), key, "a path inside the project", other);
                return Err(misfit.next(example(SECTION)));
            }
        };
    }
    Ok(files)
}

fn limits(
    given: &Map<String, Value>,
    ceiling: &Limits,
    raising: Raising<'_>,
) -> Result<Limits, Misfit> {
    const SECTION: &str = "limits";
    let Some(section) = section(given, SECTION, LIMIT_KEYS)? else { return Ok(*ceiling) };
    let limit = |key: &str, ceiling: u64, largest: u64| {
        let value = match section.get(key) {
            None | Some(Value::Null) => return Ok(ceiling),
            Some(value) => value,
        };
        let number = value.as_u64().filter(|number| (1..=largest).contains(number));
        let range = format!("a whole number from 1 to {largest}");
        let number = number.ok_or_else(|| must_be(Some(SECTION), key, &range, value))?;
        match raising {
            Raising::Refused { user } if number > ceiling => {
                let name = whole(Some(SECTION), key);
                let what = format!(
                    "{name} is {number}, over the limit of {ceiling}, which a project can only lower"
                );
                Err(Misfit::new(Some(SECTION), key, what).next(raised(user)))
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

/// Where a limit can be raised. A project may come from a stranger, who must not decide how much memory is used.
fn raised(user: Option<&Path>) -> String {
    let place =
        user.map_or_else(|| "your own settings".to_owned(), |path| path.display().to_string());
    format!("to raise it, set it in {place}")
}

fn must_be(section: Option<&str>, key: &str, what: &str, found: &Value) -> Misfit {
    let name = whole(section, key);
    Misfit::new(section, key, format!("{name} must be {what}, not {}", kind(found)))
}

/// A key as it may be written.
fn example(key: &str) -> String {
    let example = match key {
        "files" => r#"{"files": {"bus": "docs/09-agents/bus/log.jsonl"}}"#,
        "limits" => r#"{"limits": {"records": 100000}}"#,
        CHECKLISTS => r#"{"checklists": ["TODO.md"]}"#,
        FORMATS_KEY => r#"{"formats": ["openspec"]}"#,
        READ_FROM => r#"{"read_from_ports": [3000, 5173]}"#,
        HISTORY => r#"{"history": false}"#,
        _ => r#"{"port": 3456}"#,
    };
    format!("write for example {example}")
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
