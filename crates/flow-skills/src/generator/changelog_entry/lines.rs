//! Changes as lines: `Added: …`, `fix(api)!: …`; a line without a type is refused.

use super::super::changes::{Entry, Group, Placement};
use super::super::conventional::{self, Message};
use super::{Change, Collected};
use crate::input::notation::Misfit;
use crate::input::notation::list::{self, Item};
use crate::input::values::Line;
use crate::output::Result;
use crate::text::bare;
use crate::text::prose::prose;

/// Reads a list of changes.
pub(super) fn read(text: &str, collected: &mut Collected) -> Result<()> {
    let items = list::read(text).map_err(|misfit| misfit.fault("changes"))?;
    let is_typed =
        |item: &Item| item.kind.as_deref().is_some_and(|kind| Placement::of(kind).is_some());
    // A message of several paragraphs is one change, and its footers describe what breaks.
    let is_long = text.trim().lines().nth(1).is_some_and(|line| line.trim().is_empty());
    if let Some(message) = conventional::parse(text.trim())
        && is_long
        && !items.iter().all(is_typed)
    {
        collected.commit(&message);
        return Ok(());
    }
    for item in items {
        match change(&item) {
            Ok(Known::Commit(message)) => collected.commit(&message),
            Ok(Known::Stated(change)) => add(&change, collected),
            Err(why) => {
                let example = format!("Changed: {}", bare(&item.text));
                let misfit = Misfit { line: item.line, part: item.text, why, example };
                return Err(misfit.fault("changes"));
            }
        }
    }
    Ok(())
}

/// Adds a change, or counts it.
pub(super) fn add(change: &Change, collected: &mut Collected) {
    let place = match change.place {
        Placement::LeftOut(_) if change.breaking => Placement::Under(Group::Changed),
        place => place,
    };
    collected.add(place, |group| Entry {
        group,
        scope: change.scope.as_deref().map(prose),
        text: prose(&change.text),
        breaking: change.breaking,
    });
}

/// The meaning of a line.
enum Known {
    Commit(Message),
    Stated(Change),
}

fn change(item: &Item) -> Result<Known, String> {
    let unknown =
        |kind: &str| format!("has the type {kind}, but must have one of {}", Group::names());
    let place = match &item.kind {
        None => return Err("has no type".to_owned()),
        Some(kind) if conventional::TYPES.contains(&kind.as_str()) => {
            return Ok(Known::Commit(Message {
                kind: kind.clone(),
                scope: item.scope.clone().filter(|scope| !scope.is_empty()),
                breaking: item.is_breaking,
                description: item.text.clone(),
                ..Message::default()
            }));
        }
        Some(kind) => Placement::of(kind).ok_or_else(|| unknown(kind))?,
    };
    let scope = item.scope.as_deref().and_then(|scope| Line::new(scope).ok());
    Ok(Known::Stated(Change {
        place,
        text: Line::new(&item.text)?,
        scope,
        breaking: item.is_breaking,
    }))
}

impl TryFrom<Line> for Change {
    type Error = &'static str;

    fn try_from(line: Line) -> Result<Self, &'static str> {
        const FORM: &str = "a change that begins with its type, such as \"Fixed: a crash\"";
        let items = list::read(&line).map_err(|_| FORM)?;
        let [item] = items.as_slice() else { return Err(FORM) };
        match change(item).map_err(|_| FORM)? {
            Known::Stated(change) => Ok(change),
            Known::Commit(message) => Ok(Self {
                place: Placement::of_commit(&message),
                text: Line::new(&crate::text::capital(&message.description))?,
                scope: message.scope.as_deref().and_then(|scope| Line::new(scope).ok()),
                breaking: message.breaking,
            }),
        }
    }
}
