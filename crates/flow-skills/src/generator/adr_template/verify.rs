//! Verifies a decision record, for `flow skill verify adr-template`.

use super::input::{Input, Status};
use super::{LEVEL, SECTIONS};
use crate::generator::report;
use crate::generator::skill::Finding;
use crate::input::notation::{headings, outside_fences};
use crate::input::values::Date;
use crate::input::{labels, typed};
use crate::text::{heading, unescape};

/// Checks a record: title, sections, blanks, status and date.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let mut found: Vec<Finding> = Finding::blanks(text).collect();
    if headings(text).next().is_none_or(|(_, level, _)| level != 1) {
        found.push(Finding::new(1, "the record has no title: begin with `# Title`"));
    }
    let schema = typed::schema_of::<Input>();
    for name in std::iter::once("Status").chain(SECTIONS.map(|(name, _)| name)) {
        let is_it = |(.., heading): &(usize, usize, &str)| labels::is_same(&schema, heading, name);
        match headings(text).find(is_it) {
            None => found
                .push(Finding::new(1, format!("the section {name} is missing: add `## {name}`"))),
            Some((line, ..)) if is_empty(text, line) => {
                found.push(Finding::new(line, format!("the section {name} is empty")));
            }
            Some(_) => {}
        }
    }
    for (number, line) in outside_fences(text) {
        let bare = heading(line.trim()).map_or(line, |(_, name)| name);
        found.extend(report::placeholder(bare).map(|what| {
            Finding::new(number, format!("{what} is a placeholder: replace it, or remove it"))
        }));
        found.extend(fault(line).map(|what| Finding::new(number, what)));
    }
    if found.is_empty() {
        let read = labels::read(&unescape(text), &schema);
        let read = read.and_then(|read| typed::read::<Input>(&read.fields));
        found.extend(read.err().map(|fault| Finding::of_fault(text, &fault)));
    }
    found.sort_by_key(|finding| finding.line);
    found
}

/// What is wrong with the date or the status of a line.
fn fault(line: &str) -> Option<String> {
    let bare = line.trim();
    if let Some(value) = bare.strip_prefix("Date: ") {
        let wanted = Date::new(value).err()?;
        return Some(format!("the date is {value:?}, but must be {wanted}"));
    }
    let value = bare.strip_prefix("Status: ")?;
    let wanted = Status::try_from(value.to_owned()).err()?;
    Some(format!("the status is {value:?}, but must be {wanted}"))
}

/// Whether there is no text between a heading and the next.
fn is_empty(text: &str, line: usize) -> bool {
    let mut below = text.lines().skip(line).map(str::trim).filter(|line| !line.is_empty());
    below.next().is_none_or(|line| heading(line).is_some_and(|(level, _)| level <= LEVEL))
}
