//! Reads a debt from a line: `design: src/pay.rs:40 retries are copied; impact 4 urgency 3 effort 2 story US-0006`.

use super::item::{FIGURES, Item, figure};
use super::place;
use crate::input::notation::{Misfit, list};
use crate::output::{Fault, Result};
use crate::runtime::files::Folder;
use crate::text::{is_id, line, title};

const EXAMPLE: &str = "design: src/pay.rs:40 retries are copied; impact 4 urgency 3 effort 2";

/// Reads a line: its type, a place at the beginning of the text, figures and a story anywhere, and the rest as the
/// title.
pub(super) fn read(item: &list::Item, field: &str, folder: &Folder) -> Result<Item> {
    let text = line(&item.text);
    if let Some(why) = other_form(item) {
        return Err(misfit(item, why));
    }
    let mut debt = Item { field: field.to_owned(), kind: kind(item), ..Item::default() };
    let mut rest: Vec<&str> = Vec::new();
    let mut words = text.split(' ').peekable();
    if let Some(word) = words.next_if(|word| place::is_like(folder, word)) {
        debt.place = Some(place::bare(word).to_owned());
    }
    while let Some(word) = words.next() {
        let (name, value) = split(word);
        let value = value.or_else(|| words.peek().copied()).map(bare);
        let at = FIGURES.iter().position(|figure| name.eq_ignore_ascii_case(figure));
        let number = value.and_then(|value| value.parse::<i64>().ok());
        let is_story = name.eq_ignore_ascii_case("story") && value.is_some_and(is_id);
        if let (Some(at), Some(number)) = (at, number) {
            debt.figures[at] = Some(figure(&format!("{field}.{}", FIGURES[at]), number)?);
        } else if is_story {
            debt.story = value.map(str::to_owned);
        } else {
            rest.push(word);
            continue;
        }
        if split(word).1.is_none() {
            words.next();
        }
    }
    debt.title = title(rest.join(" ").trim_end_matches([';', ',', ' ', '-', '–', '—']));
    if !debt.title.is_empty() {
        return Ok(debt);
    }
    let place = debt.place.filter(|_| debt.figures == [None; 3]);
    let scan = place.map(|place| format!(" (to list the marks in files, give scan={place})"));
    let why = format!("does not say in words what is in debt{}", scan.unwrap_or_default());
    Err(misfit(item, &why))
}

/// Why a line is no debt although it has words: it is a figure of a debt, or a row of a table.
fn other_form(item: &list::Item) -> Option<&'static str> {
    let is_figure = |kind: &String| FIGURES.iter().any(|name| name.eq_ignore_ascii_case(kind));
    if item.kind.as_ref().is_some_and(is_figure) {
        return Some("is a figure without a debt: write it behind the words of its debt");
    }
    let why = "is a row of a table: write each debt on a line, or as an object";
    item.text.starts_with('|').then_some(why)
}

fn misfit(item: &list::Item, why: &str) -> Fault {
    let misfit = Misfit {
        line: item.line,
        part: item.to_string().trim_start_matches("- ").to_owned(),
        why: why.to_owned(),
        example: EXAMPLE.to_owned(),
    };
    misfit.fault("items")
}

/// The type of a line, with its scope.
fn kind(item: &list::Item) -> Option<String> {
    let kind = item.kind.as_ref()?;
    Some(item.scope.as_ref().map_or_else(|| kind.clone(), |scope| format!("{kind} ({scope})")))
}

/// Splits `impact=4` or `impact:4`; a name alone has its value in the next word.
fn split(word: &str) -> (&str, Option<&str>) {
    let (name, value) = word.split_once(['=', ':']).unwrap_or((word, ""));
    (name.trim_start_matches('('), Some(value).filter(|value| !value.is_empty()))
}

/// A value without punctuation at its end.
fn bare(value: &str) -> &str {
    value.trim_end_matches([',', ';', '.', ')'])
}
