//! Opens and reads the file of a source, complete and in one state, or says why that is not possible. It keeps no
//! state.

use std::io;
use std::path::Path;

use bytes::Bytes;
use nix::libc;

use super::disk::{Disk, Open, Stat, read_exact_at};
use super::locate;
use super::source_state::State;
use super::tail::{Extent, Reading, Tail};

/// The reason for which a file or a folder behind a link is not read.
pub const OUTSIDE: &str = "a symlink that points outside the project";

/// Why a file could not be read.
#[derive(Debug)]
pub struct ReadError {
    /// The state of the source that results. `Changing` means that the next reading may succeed.
    pub state: State,
    /// One sentence, without a path.
    pub reason: String,
    /// The line of the file, from 1, if it is known.
    pub line: Option<usize>,
}

impl ReadError {
    fn new(state: State, reason: impl Into<String>) -> Self {
        Self { state, reason: reason.into(), line: None }
    }

    /// An I/O error while a file that exists is looked up, opened or read.
    pub fn of(error: &io::Error) -> Self {
        if locate::is_absent(error) {
            return Self::new(State::Changing, "being replaced");
        }
        if error.kind() == io::ErrorKind::UnexpectedEof {
            return Self::torn();
        }
        Self::new(State::Unreadable, reason(error))
    }

    fn torn() -> Self {
        Self::new(State::Changing, "being written")
    }

    fn no_file() -> Self {
        Self::new(State::Refused, "not a regular file")
    }
}

/// The system's reason, without a path.
pub fn reason(error: &io::Error) -> String {
    error
        .raw_os_error()
        .map_or_else(|| error.to_string(), |code| io::Error::from_raw_os_error(code).to_string())
}

/// Opens a file by its real path, which is `None` if a link leads out of the project.
///
/// # Errors
/// When it is not a regular file, or the system denies access.
pub fn open(disk: &dyn Disk, stat: &Stat, real: Option<&Path>) -> Result<Box<dyn Open>, ReadError> {
    if !stat.is_file() {
        return Err(ReadError::no_file());
    }
    let Some(real) = real else {
        return Err(ReadError::new(State::Refused, OUTSIDE));
    };
    disk.open(real).map_err(|error| match error.raw_os_error() {
        // There was no link on this path a moment ago.
        Some(libc::ELOOP) => ReadError::new(State::Changing, "being replaced"),
        _ => ReadError::of(&error),
    })
}

fn stat_of(file: &dyn Open) -> Result<Stat, ReadError> {
    let stat = file.stat().map_err(|error| ReadError::of(&error))?;
    if stat.is_file() { Ok(stat) } else { Err(ReadError::no_file()) }
}

/// Reads a log whose stat is given.
///
/// # Errors
/// When it changes during the reading, or the system denies access.
pub fn log(
    file: &dyn Open,
    tail: &mut Tail,
    found: &Stat,
    extent: Extent,
) -> Result<(Reading, Stat), ReadError> {
    let stat = stat_of(file)?;
    // It shrank after the stat, so its size has not stayed the same for long enough.
    if stat.identity == found.identity && stat.size < found.size {
        return Err(ReadError::torn());
    }
    let reading = tail.read(file, &stat, extent).map_err(|error| ReadError::of(&error))?;
    Ok((reading, stat))
}

/// Reads a document, byte order mark removed.
///
/// # Errors
/// When it changes during the reading, exceeds `limit` bytes, or the system denies access.
pub fn document(file: &dyn Open, limit: u64) -> Result<(Bytes, Stat), ReadError> {
    let stat = stat_of(file)?;
    if stat.size > limit {
        let reason = format!("too large: {} bytes, over the limit of {limit}", stat.size);
        return Err(ReadError::new(State::TooLarge, reason));
    }
    let mut bytes = vec![0; usize::try_from(stat.size).unwrap_or(usize::MAX)];
    read_exact_at(file, &mut bytes, 0).map_err(|error| ReadError::of(&error))?;
    if stat_of(file)? != stat {
        return Err(ReadError::torn());
    }
    let bytes = Bytes::from(bytes);
    Ok((if bytes.starts_with(b"\xef\xbb\xbf") { bytes.slice(3..) } else { bytes }, stat))
}
