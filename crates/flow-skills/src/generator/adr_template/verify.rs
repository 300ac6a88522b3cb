//! Verifies a decision record, for `flow skill verify adr-template`.

use super::Decision;
use super::input::{Day, Input, Status};
use super::options::Options;
use crate::generator::live;
use crate::generator::skill::Finding;
use crate::input::labels;
use crate::input::notation::{headings, outside_fences};
use crate::input::typed;
use crate::output::{Fault, Result};
use crate::text::{heading, item, unescape};

/// The required sections, each by its names in Nygard's form and in MADR's.
const SECTIONS: [(&str, &[&str]); 2] = [
    ("Context", &["context", "context and problem statement"]),
    ("Decision", &["decision", "decision outcome"]),
];

/// Checks a record: title, sections, status, date, and that the chosen option is one of the options.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    if headings(text).next().is_none_or(|(_, level, _)| level != 1) {
        found.push(Finding::new(1, "the record has no title: begin with `# Title`"));
    }
    for (name, names) in SECTIONS {
        let is_it = |heading: &str| names.contains(&heading.to_lowercase().as_str());
        match headings(text).find(|(.., heading)| is_it(heading)) {
            None => found
                .push(Finding::new(1, format!("the section {name} is missing: add `## {name}`"))),
            Some((line, ..)) if is_empty(text, line) => {
                found.push(Finding::new(line, format!("the section {name} is empty")));
            }
            Some(_) => {}
        }
    }
    let open = Finding::left_open(text);
    // What a question repeats of the record is checked where the record has it.
    let end = open.as_ref().map_or(usize::MAX, |open| open.line);
    found.extend(open);
    for (number, line) in outside_fences(text).take_while(|(number, _)| *number < end) {
        found.extend(faults(line).into_iter().map(|what| Finding { line: number, what }));
    }
    if found.is_empty() {
        found.extend(unreadable(text));
    }
    found.sort_by_key(|finding| finding.line);
    found
}

/// What is wrong with a line: a placeholder, a date or a status.
fn faults(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let text = heading(line.trim()).map_or(line, |(_, name)| name);
    found.extend(
        placeholder(text).map(|what| format!("{what} is a placeholder: replace it, or remove it")),
    );
    let bare = line.trim().trim_start_matches(['-', '*', ' ']);
    let labelled = |label: &str| {
        let value = bare.strip_prefix(label);
        value.or_else(|| bare.strip_prefix(&label.to_lowercase())).map(str::to_owned)
    };
    if let Some(value) = labelled("Date: ") {
        let value = unescape(value.trim_matches('"'));
        let wanted = "is ambiguous or not filled in: write 2026-01-31";
        match Day::try_from(value.clone()) {
            Ok(Day::Known(_)) => {}
            Ok(Day::Open(_)) => found.push(format!("the date {value:?} {wanted}")),
            Err(wanted) => found.push(format!("the date is {value:?}, but must be {wanted}")),
        }
    }
    if let Some(value) = labelled("Status: ")
        && let Err(wanted) = Status::try_from(value.clone())
    {
        found.push(format!("the status is {value:?}, but must be {wanted}"));
    }
    found
}

/// A placeholder of MADR's template such as `{title of option 1}`, or a word such as TODO.
fn placeholder(text: &str) -> Option<String> {
    let bare = item(text).unwrap_or(text).trim();
    let is_braced = bare.len() > 2 && bare.starts_with('{') && bare.ends_with('}');
    if is_braced { Some(format!("{bare:?}")) } else { live::placeholder(text) }
}

/// Whether there is no text between a heading and the next.
fn is_empty(text: &str, line: usize) -> bool {
    let mut below = text.lines().skip(line).map(str::trim).filter(|line| !line.is_empty());
    below.next().is_none_or(|line| heading(line).is_some_and(|(level, _)| level <= 2))
}

/// The fault that the parser of records reports.
fn unreadable(text: &str) -> Option<Finding> {
    let schema = typed::schema_of::<Input>();
    let read = || -> Result<Option<Fault>> {
        let input: Input = typed::read(&labels::read(&unescape(text), &schema)?.fields)?;
        Ok(Decision::read(&input, &Options::read(&input)?)?.misnamed)
    };
    let fault = read().unwrap_or_else(Some)?;
    Some(Finding::of_fault(text, &fault))
}
