//! The day of a decision: the one that is given, else the one that the record has already, else today.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::fields;
use crate::input::Input;
use crate::output::Result;
use crate::project_state::Context;

/// How much of a record is read for its date, in bytes.
const HEAD: u64 = 64 << 10;

/// The date as `2026-01-31`; `known` is the record, where it is written already.
///
/// # Errors
/// When the field is no date.
pub(super) fn date(input: &Input, context: &Context, known: Option<PathBuf>) -> Result<String> {
    if let Some(text) = fields::one(input, "date")? {
        let allowed = "a date such as 2026-01-31";
        return parsed(&text).ok_or_else(|| fields::bad_text("date", &text, allowed));
    }
    let today = || context.today().to_owned();
    Ok(known.and_then(|path| written(&path)).unwrap_or_else(today))
}

fn parsed(text: &str) -> Option<String> {
    let is_date = text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok();
    is_date.then(|| text.to_owned())
}

/// The date of a record, so that writing it again on another day changes nothing.
fn written(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    head.lines().find_map(|line| parsed(line.strip_prefix("Date: ")?.trim()))
}
