//! Reads a debt from a line: `src/pay.rs:40 retries are copied; impact 4 urgency 3 effort 2 story US-0006`.

use serde_json::Value;

use super::item::{FIGURES, Item, figure};
use super::place;
use crate::fields;
use crate::output::Result;
use crate::runtime::files::Folder;
use crate::story::read::is_id;
use crate::text::{item, line, title};

/// Reads it: a place where the line begins with one, figures and a story wherever they stand, and the rest is the title.
pub(super) fn read(text: &str, field: &str, folder: &Folder) -> Result<Item> {
    let text = line(item(text).unwrap_or(text));
    let mut found = Item { field: field.to_owned(), ..Item::default() };
    let mut rest: Vec<&str> = Vec::new();
    let mut words = text.split(' ').peekable();
    if let Some(word) = words.next_if(|word| place::is_like(folder, word)) {
        found.place = Some(place::bare(word).to_owned());
    }
    while let Some(word) = words.next() {
        let (name, value) = split(word);
        let value = value.or_else(|| words.peek().copied()).map(bare);
        let at = FIGURES.iter().position(|figure| name.eq_ignore_ascii_case(figure));
        let number = value.and_then(|value| value.parse::<i64>().ok());
        let is_story = name.eq_ignore_ascii_case("story") && value.is_some_and(is_id);
        match (at, number) {
            (Some(at), Some(number)) => {
                found.figures[at] =
                    Some(figure(&format!("{field}.{}", FIGURES[at]), &Value::from(number))?);
            }
            _ if is_story => found.story = value.map(str::to_owned),
            _ => {
                rest.push(word);
                continue;
            }
        }
        if split(word).1.is_none() {
            words.next();
        }
    }
    found.title = title(rest.join(" ").trim_end_matches([';', ',', ' ']));
    if found.title.is_empty() {
        return Err(fields::missing_text(&format!("{field}.title"), "what is in debt, in words"));
    }
    Ok(found)
}

/// `impact=4` or `impact:4`; a name alone has its value in the next word.
fn split(word: &str) -> (&str, Option<&str>) {
    let (name, value) = word.split_once(['=', ':']).unwrap_or((word, ""));
    (name.trim_start_matches('('), Some(value).filter(|value| !value.is_empty()))
}

/// A value without what ends a sentence.
fn bare(value: &str) -> &str {
    value.trim_end_matches([',', ';', '.', ')'])
}
