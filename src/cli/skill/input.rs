//! The input of a skill: a file or a pipe, text, and `key=value` words.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use nix::poll::{PollFd, PollFlags, poll};

use super::super::args::SkillCall;
use super::result::usage;
use super::runnable::Skill;
use crate::error::{Error, Result};
use crate::skill::generator::skill::Pipe;
use crate::skill::input::LARGEST;
use crate::skill::input::coerce::with_newlines;
use crate::skill::input::definition::Request;
use crate::skill::input::forms::is_dotenv;
use crate::skill::input::given::Given;
use crate::skill::input::recognise::decode;
use crate::skill::output::Fault;
use crate::skill::runtime::files;

/// How long a skill that can do without waits for data in a pipe, in milliseconds.
const PIPE_WAIT_MS: u16 = 1_000;
/// How long a pipe that is not read may take to get data, which a note says, in milliseconds: longer than the program before
/// it in a pipe takes to begin. A caller that holds standard input open waits so long.
const NOTE_WAIT_MS: u16 = 300;

/// Everything that the user provided: a file, a pipe or text as content, and `key=value` words.
struct Provided {
    request: Request,
    /// The file that is read.
    file: Option<PathBuf>,
    /// Whether standard input is a pipe that may have data and was not read.
    is_unread: bool,
}

impl Provided {
    fn read(skill: &Skill, call: &SkillCall, words: &[String]) -> Result<Self> {
        let (pairs, plain): (Vec<_>, Vec<_>) =
            words.iter().partition(|word| field(skill, word).is_some());
        let mut request = Request { kind: call.kind, ..Request::default() };
        for (name, text) in pairs.iter().filter_map(|word| field(skill, word)) {
            let is_file = is_path(text) && Path::new(text).is_file();
            if is_file && skill.takes_variables(name) {
                let variables = content(Path::new(text))?;
                if !is_dotenv(&variables) {
                    return Err(Error::Usage(super::text::no_variables(text)));
                }
                request.contents.push(variables.into_bytes());
                continue;
            }
            let is_file = is_file && skill.takes_file(name);
            let text = if is_file { content(Path::new(text))? } else { text.to_owned() };
            request.pairs.push((name.to_owned(), text));
        }
        if let Some(id) = &call.from_story {
            request.pairs.push(("from_story".to_owned(), id.clone()));
        }
        let mut file = call.input.clone().filter(|path| path != Path::new("-"));
        if let Some(path) = &call.input {
            request.contents.push(filled(path)?);
        }
        let only = plain.first().filter(|_| plain.len() == 1).map(|word| word.as_str());
        if let Some((field, word)) = only.and_then(|word| Some((skill.option(word)?, word))) {
            request.pairs.push((field, word.to_owned()));
        } else if let Some(path) = only.filter(|word| call.input.is_none() && is_path(word)) {
            request.contents.push(filled(Path::new(path))?);
            file = Some(PathBuf::from(path));
        } else if let Some(path) =
            only.filter(|word| !skill.has_field("scan") && is_other_file(word))
        {
            return Err(Error::Usage(format!(
                "{path} is a file that no skill reads in place of a text; --input {path} reads it as one"
            )));
        } else if !plain.is_empty() {
            let text = plain.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ");
            request.contents.push(with_newlines(&text).into_owned().into_bytes());
        }
        let mut is_unread = false;
        if call.input.as_deref() != Some(Path::new("-")) && !is_terminal() {
            let is_read = match skill.pipe(&request) {
                Pipe::Awaited => true,
                Pipe::Tried => {
                    let piped = Piped::within(PIPE_WAIT_MS);
                    is_unread = matches!(piped, Piped::Late);
                    matches!(piped, Piped::Data | Piped::DataOrEnd)
                }
                Pipe::Unread => {
                    is_unread = matches!(Piped::within(NOTE_WAIT_MS), Piped::Data);
                    false
                }
            };
            if is_read {
                request.contents.push(filled(Path::new("-"))?);
            }
        }
        Ok(Self { request, file, is_unread })
    }
}

/// The extensions of files that skills read.
const EXTENSIONS: [&str; 12] = [
    "md", "markdown", "json", "yaml", "yml", "sql", "txt", "feature", "env", "jsonl", "diff", "mmd",
];

/// Whether a word is the path of a file that skills read, also if it does not exist, which its reader says. Of code no skill
/// reads a file in place of a text.
fn is_path(word: &str) -> bool {
    let path = Path::new(word);
    let extension = path.extension().and_then(|extension| extension.to_str());
    if word.contains(char::is_whitespace) {
        return false;
    }
    let name = path.file_name().and_then(|name| name.to_str());
    let is_settings = name.is_some_and(|name| name == ".env" || name.starts_with(".env."));
    is_settings || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

/// Whether a word is the path of a file that skills do not read, such as one of code, which a scan reads.
fn is_other_file(word: &str) -> bool {
    let path = Path::new(word);
    path.extension().is_some() && path.is_file()
}

/// The input of a skill.
pub(super) fn collect_input(skill: &Skill, call: &SkillCall, words: &[String]) -> Result<Given> {
    let Provided { request, file, is_unread } = Provided::read(skill, call, words)?;
    let given =
        skill.place(&request).map_err(|fault| match (&fault, &file, &request.contents[..]) {
            // It can only be this file.
            (Fault::Unreadable(why), Some(file), [_]) => {
                Error::Usage(format!("{}: {why}", file.display()))
            }
            _ => usage(&fault),
        });
    given.map(|mut given| {
        if is_unread {
            given.notes.push("standard input was not read (add --input - to read it)".to_owned());
        }
        given
    })
}

/// What standard input has.
enum Piped {
    Nothing,
    /// A pipe is open, and had no data in the time.
    Late,
    Data,
    /// A socket, which tells the two apart only to its reader.
    DataOrEnd,
}

impl Piped {
    /// Waits for data, or for the end. A file has data up to its end; other devices have none.
    fn within(milliseconds: u16) -> Self {
        let stdin = std::io::stdin();
        let Ok(mut file) = stdin.as_fd().try_clone_to_owned().map(File::from) else {
            return Self::Nothing;
        };
        let Ok(about) = file.metadata() else { return Self::Nothing };
        if about.is_file() {
            let is_left = file.stream_position().is_ok_and(|at| at < about.len());
            return if is_left { Self::Data } else { Self::Nothing };
        }
        let is_fifo = about.file_type().is_fifo();
        let mut asked = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        // Some programs give a socket in place of a pipe, and never close it.
        if !(is_fifo || about.file_type().is_socket()) || poll(&mut asked, milliseconds).is_err() {
            return Self::Nothing;
        }
        match asked[0].revents() {
            Some(events) if events.contains(PollFlags::POLLIN) && is_fifo => Self::Data,
            Some(events) if events.contains(PollFlags::POLLIN) => Self::DataOrEnd,
            Some(events) if events.is_empty() && is_fifo => Self::Late,
            _ => Self::Nothing,
        }
    }
}

fn is_terminal() -> bool {
    std::io::IsTerminal::is_terminal(&std::io::stdin())
}

/// Splits `key=value` if the key is a name; a sentence with an equals sign is not.
pub(super) fn pair(word: &str) -> Option<(&str, &str)> {
    let (key, value) = word.split_once('=')?;
    let is_name = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    is_name.then_some((key, value))
}

/// A field and its value; a label of several words is its name too: `health check=…`.
fn field<'a>(skill: &Skill, word: &'a str) -> Option<(&'a str, &'a str)> {
    let is_label = |key: &str| key.trim() == key && skill.has_field(key);
    pair(word).or_else(|| word.split_once('=').filter(|(key, _)| is_label(key)))
}

/// The bytes of a file that is not empty, or of standard input, unless that has the error of the command before.
fn filled(path: &Path) -> Result<Vec<u8>> {
    let bytes = bytes(path)?;
    if path != Path::new("-") {
        let is_blank = bytes.trim_ascii().is_empty();
        let empty = || Error::Usage(format!("{} is empty", path.display()));
        return if is_blank { Err(empty()) } else { Ok(bytes) };
    }
    match serde_json::from_slice::<Failure>(&bytes) {
        Ok(Failure { error, code }) if CODES.contains(&&*code) => {
            Err(Error::Usage(format!("the command before this one failed: {error}")))
        }
        _ => Ok(bytes),
    }
}

/// The codes in what `flow --json` prints of an error.
const CODES: [&str; 4] = ["usage", "config", "io", "refused"];

/// What `flow --json` prints of an error.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Failure {
    error: String,
    code: String,
}

/// The text of a file.
fn content(path: &Path) -> Result<String> {
    let bytes = bytes(path)?;
    decode(&bytes).map(str::to_owned).map_err(|fault| usage(&fault))
}

/// Reads the file in `--input`. The user's path may lead anywhere, including a shell's `<(command)`; any other FIFO or
/// device is refused, since it might never have a writer.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>> {
    let unreadable =
        |error: std::io::Error| Error::Usage(format!("could not read {}: {error}", path.display()));
    let limit = LARGEST as u64;
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    } else if path.starts_with("/dev/fd") || path == Path::new("/dev/stdin") {
        let opened = File::open(path);
        opened.and_then(|file| file.take(limit + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    } else {
        bytes = files::read_named(path, limit)
            .map_err(|error| Error::Usage(format!("could not read the input: {error}")))?
            .bytes;
    }
    Ok(bytes)
}
