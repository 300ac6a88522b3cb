//! The debts as they are given: objects, lines, or a register.

use serde_json::{Map, Value};

use super::item::{Debt, FIGURES, Item};
use super::{place, register};
use crate::input::values::{TextOr, TextOrList};
use crate::notation::{Misfit, list};
use crate::output::{Result, bad_text};
use crate::page::Document;
use crate::runtime::files::Folder;
use crate::text::{is_id, line};

const MOST: usize = 1_000;
const EXAMPLE: &str = "design: src/pay.rs:40 retries are copied; impact 4 urgency 3 effort 2";

pub(super) type Debts = TextOrList<TextOr<Debt>>;

/// The items, in the order given; places are checked, stories are not.
pub(super) fn items(given: Option<&Debts>, folder: &Folder) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    match given {
        None => {}
        Some(TextOrList::Text(text)) => items = of_text(text, folder)?,
        Some(TextOrList::Value(given)) => {
            for (at, given) in given.iter().enumerate() {
                let field = format!("items[{at}]");
                match given {
                    TextOr::Text(text) => items.extend(of_lines(text, &field, folder)?),
                    TextOr::Value(debt) => items.push(Item { field, debt: debt.clone() }),
                }
            }
        }
    }
    if items.len() > MOST {
        return Err(bad_text("items", &items.len().to_string(), &format!("at most {MOST} items")));
    }
    for item in &items {
        if let Some(place) = &item.debt.place {
            place::check(folder, &format!("{}.place", item.field), place)?;
        }
    }
    Ok(items)
}

/// The debts of a register, else of a list.
fn of_text(text: &str, folder: &Folder) -> Result<Vec<Item>> {
    let rows = register::rows(&Document::read(text));
    if rows.is_empty() {
        return of_lines(text, "items", folder);
    }
    rows.iter().map(|row| row.item(format!("items, line {}", row.line))).collect()
}

fn of_lines(text: &str, field: &str, folder: &Folder) -> Result<Vec<Item>> {
    let items = list::read(text).map_err(|misfit| misfit.fault(field))?;
    items.iter().map(|item| of_line(item, field, folder)).collect()
}

/// Reads a line: its type, a place at the beginning of the text, figures and a story anywhere, and the rest as the
/// title.
fn of_line(item: &list::Item, field: &str, folder: &Folder) -> Result<Item> {
    let text = line(&item.text);
    let misfit = |part: &str, why: &str| Misfit::new(item.line, part, why, EXAMPLE).fault(field);
    let mut members = Map::new();
    if let Some(kind) = &item.kind {
        let scope = item.scope.as_ref().map(|scope| format!(" ({scope})")).unwrap_or_default();
        members.insert("type".to_owned(), format!("{kind}{scope}").into());
    }
    let first = text.split(' ').next().unwrap_or_default();
    let place = place::of_word(folder, first);
    if let Some(place) = place {
        members.insert("place".to_owned(), place.into());
    }
    let words = text.split(' ').skip(usize::from(place.is_some()));
    let title = without_figures(words, &mut members).map_err(|why| misfit(&text, &why))?;
    if let Some(why) = no_debt(item, &title) {
        return Err(misfit(item.to_string().trim_start_matches("- "), why));
    }
    members.insert("title".to_owned(), title.into());
    Item::of(format!("{field}, line {}", item.line), members)
}

/// Moves figures and a story into the members: `impact=4`, `impact: 4`, `(impact 4)`. Returns the other words, or what is
/// wrong.
fn without_figures<'t>(
    words: impl Iterator<Item = &'t str>,
    members: &mut Map<String, Value>,
) -> std::result::Result<String, String> {
    let mut words = words.peekable();
    let mut rest: Vec<&str> = Vec::new();
    while let Some(word) = words.next() {
        let (name, value) = word.split_once(['=', ':']).unwrap_or((word, ""));
        let name = name.trim_start_matches('(').to_lowercase();
        let is_next = value.is_empty();
        let value = if is_next { words.peek().copied().unwrap_or_default() } else { value };
        let value = value.trim_end_matches([',', ';', '.', ')']);
        let number = value.parse::<i64>().ok().filter(|_| is_figure(&name)).map(Value::from);
        let id = value.to_uppercase();
        let story = || (name == "story" && is_id(&id)).then(|| Value::from(id));
        let Some(value) = number.or_else(story) else {
            rest.push(word);
            continue;
        };
        if members.contains_key(&name) {
            return Err(format!("has two values of {name}"));
        }
        members.insert(name, value);
        if is_next {
            words.next();
        }
    }
    Ok(rest.join(" ").trim_end_matches([';', ',', ' ', '-', '–', '—']).to_owned())
}

fn is_figure(word: &str) -> bool {
    FIGURES.iter().any(|figure| word.eq_ignore_ascii_case(figure))
}

/// Why a line is no debt.
fn no_debt(item: &list::Item, title: &str) -> Option<&'static str> {
    let is_head = item.text.split(',').filter(|cell| is_figure(cell.trim())).count() > 1;
    if item.kind.as_deref().is_some_and(is_figure) {
        Some("is a figure without a debt: write it behind the words of its debt")
    } else if is_head || item.text.starts_with('|') {
        Some("is a row of a table: write each debt on a line, or as an object")
    } else if title.is_empty() {
        Some("does not say in words what is in debt (scan=PATH lists the marks in files)")
    } else {
        None
    }
}
