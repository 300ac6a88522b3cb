//! The debts of the input, read from fields or lines.

use schemars::JsonSchema;
use serde::Deserialize;

use super::item::Item;
use super::{line, place};
use crate::input::notation::list;
use crate::input::values::{Int, Line, LineOr, TextOr, TextOrList, Word};
use crate::output::{Result, bad_text};
use crate::runtime::files::Folder;
use crate::text::title;

/// Largest number of items.
const MOST: usize = 1_000;

/// A debt.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Debt {
    /// A description of the debt.
    title: Line,
    /// The kind of debt, such as design, test or security.
    #[serde(rename = "type")]
    kind: Option<Line>,
    /// A path below the current folder, optionally with a line, such as src/pay.rs:40.
    place: Option<Line>,
    /// The impact, 1 to 5.
    impact: Option<Int<1, 5>>,
    /// The urgency, 1 to 5.
    urgency: Option<Int<1, 5>>,
    /// The effort of the repair, 1 to 5.
    effort: Option<Int<1, 5>>,
    /// The id of the project's story about it.
    story: Option<Word>,
}

/// A list of debts.
pub(super) type Debts = TextOrList<TextOr<LineOr<Debt>>>;

/// The items, in the order given; places are checked, stories are not.
pub(super) fn read(given: Option<&Debts>, folder: &Folder) -> Result<Vec<Item>> {
    let mut items = match given {
        None => Vec::new(),
        Some(TextOrList::Text(text)) => {
            let lines = list::read(text).map_err(|misfit| misfit.fault("items"))?;
            let item =
                |item: &list::Item| line::read(item, &format!("items, line {}", item.line), folder);
            lines.iter().map(item).collect::<Result<Vec<_>>>()?
        }
        Some(TextOrList::Items(given)) => {
            let item = |(at, given): (usize, &TextOr<LineOr<Debt>>)| {
                let field = format!("items[{at}]");
                match &given.0 {
                    LineOr::Line(text) => one_line(text, &field, folder),
                    LineOr::Fields(debt) => Ok(object(debt, field)),
                }
            };
            given.iter().enumerate().map(item).collect::<Result<Vec<_>>>()?
        }
    };
    if items.len() > MOST {
        return Err(bad_text("items", &items.len().to_string(), &format!("at most {MOST} items")));
    }
    for item in &mut items {
        if let Some(given) = &item.place {
            item.note = place::check(folder, &format!("{}.place", item.field), given)?;
        }
    }
    Ok(items)
}

fn one_line(text: &str, field: &str, folder: &Folder) -> Result<Item> {
    let all = list::read(text).map_err(|misfit| misfit.fault(field))?;
    let [item] = all.as_slice() else {
        return Err(bad_text(field, text, "one debt on a line"));
    };
    line::read(item, field, folder)
}

fn object(fields: &Debt, field: String) -> Item {
    let figure = |figure: Option<Int<1, 5>>| u8::try_from(figure?.get()).ok();
    let text = |line: &Option<Line>| line.as_ref().map(ToString::to_string);
    Item {
        title: title(&fields.title),
        kind: text(&fields.kind),
        place: text(&fields.place),
        story: fields.story.as_ref().map(ToString::to_string),
        figures: [figure(fields.impact), figure(fields.urgency), figure(fields.effort)],
        field,
        note: None,
    }
}
