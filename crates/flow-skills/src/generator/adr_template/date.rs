//! The day of a decision: the one that is given, else the one that the record has already, else today.

use crate::fields;
use crate::input::Input;
use crate::output::Result;
use crate::project_state::Context;

/// The date as `2026-01-31`; `known` is the record's text, where it is written already.
///
/// # Errors
/// When the field is no date.
pub(super) fn date(input: &Input, context: &Context, known: Option<String>) -> Result<String> {
    if let Some(text) = fields::one(input, "date")? {
        let allowed = "a date such as 2026-01-31";
        return parsed(&text).ok_or_else(|| fields::bad_text("date", &text, allowed));
    }
    let today = || context.today().to_owned();
    Ok(known.and_then(|text| written(&text)).unwrap_or_else(today))
}

fn parsed(text: &str) -> Option<String> {
    let is_date = text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok();
    is_date.then(|| text.to_owned())
}

/// The date of a record, so that writing it again on another day changes nothing.
fn written(text: &str) -> Option<String> {
    text.lines().find_map(|line| parsed(line.strip_prefix("Date: ")?.trim()))
}
