//! The one check of documents: the title, sections that are missing or empty, blanks, placeholders and open questions. A
//! skill adds what only its document has.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::read::Document;
use super::section::{LEVEL, Section};
use crate::output::Fault;
use crate::text::{blank, is_blank, item, plain, table};

/// A fault in an artifact, or what its verification leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether it says what is not checked, and is no fault.
    pub is_note: bool,
    /// The line, from 1.
    pub line: usize,
    /// The fault, and what to do about it.
    pub what: String,
}

/// What a document must have.
#[derive(Debug)]
pub(crate) struct Form {
    /// An example of its title.
    pub(crate) title: &'static str,
    pub(crate) sections: &'static [Section],
    /// The sentence of a document that has nothing to list, and therefore no sections.
    pub(crate) unless: Option<&'static str>,
    /// Whether a section of open questions may stay.
    pub(crate) questions: Questions,
}

/// Who answers the open questions of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Questions {
    /// They are about the records, and stay until the records are completed.
    OfRecords,
    /// They are answered and removed by whoever finishes the document.
    ToAnswer,
}

/// Placeholders for text that has to be filled in.
const PLACEHOLDERS: [&str; 6] = ["TODO", "TBD", "FIXME", "XXX", "???", "[ ]"];
const OPEN_QUESTIONS: &str = "Open questions";

impl Form {
    /// The form of a document that its author finishes.
    pub(crate) const fn new(title: &'static str, sections: &'static [Section]) -> Self {
        Self { title, sections, unless: None, questions: Questions::ToAnswer }
    }
}

/// The faults of a document, by line; `more` adds those that only this kind of document can have.
pub(crate) fn check(
    text: &str,
    form: &Form,
    more: impl FnOnce(&Document<'_>, &mut Vec<Finding>),
) -> Vec<Finding> {
    let document = Document::read(text);
    let mut findings = Vec::new();
    let is_begun = document.parts.first().is_some_and(|before| !before.is_empty());
    if is_begun || document.parts.get(1).is_none_or(|part| part.level != 1) {
        let what = format!("the title is missing: begin with `{}`", form.title);
        findings.push(Finding::new(1, what));
    }
    sections(&document, form, &mut findings);
    findings.extend(blanks(&document));
    findings.extend(document.texts().filter_map(|(number, text)| {
        let what = placeholder(text)?;
        Some(Finding::new(number, format!("{what} is a placeholder: replace it, or remove it")))
    }));
    more(&document, &mut findings);
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// Finds sections that are missing or empty, and open questions that must be answered.
fn sections(document: &Document<'_>, form: &Form, findings: &mut Vec<Finding>) {
    let parts = &document.parts;
    let is_exempt =
        form.unless.is_some_and(|unless| document.lines().any(|line| line.text.contains(unless)));
    for section in form.sections.iter().filter(|section| section.required && !is_exempt) {
        if !parts.iter().any(|part| part.level == LEVEL && section.is_named(part.name)) {
            let heading = section.heading;
            let what = format!("the section {heading} is missing: add `## {heading}`");
            findings.push(Finding::new(1, what));
        }
    }
    for (at, part) in parts.iter().enumerate() {
        let is_parent = parts.get(at + 1).is_some_and(|next| next.level > part.level);
        let what = if part.level >= LEVEL && part.is_empty() && !is_parent {
            let mut known = form.sections.iter().filter(|section| section.is_named(part.name));
            let is_required = known.any(|section| section.required);
            let end = if is_required { "" } else { ", or remove it" };
            format!("the section {} is empty: fill it{end}", part.name)
        } else if part.name.eq_ignore_ascii_case(OPEN_QUESTIONS)
            && form.questions == Questions::ToAnswer
        {
            "open questions are left: answer them and remove the section".to_owned()
        } else {
            continue;
        };
        findings.push(Finding::new(part.number, what));
    }
}

/// A finding for each line with a blank, which names the first; in code, a blank is a whole line. The column of a table of
/// examples is none.
pub(crate) fn blanks(document: &Document<'_>) -> Vec<Finding> {
    let lines = || document.parts.iter().flat_map(|part| &part.lines);
    let rows = lines().filter(|line| table::is_row(line.text.trim()));
    let columns: HashSet<String> = rows.flat_map(|line| table::cells(line.text)).collect();
    let mut findings = Vec::new();
    for line in lines().filter(|line| !line.is_code || is_blank(line.text.trim())) {
        let text = plain(line.text);
        let Some(blank) = blank(&text) else { continue };
        if !columns.contains(blank.trim_matches(['<', '>'])) {
            let what = format!("{blank} is a blank: fill it in, or remove it");
            findings.push(Finding::new(line.number, what));
        }
    }
    findings
}

/// The findings for items of lists that are in their section twice.
pub(crate) fn doubled(document: &Document<'_>) -> Vec<Finding> {
    let items = document.parts.iter().flat_map(|part| {
        part.items().map(|(line, text)| (line.number, (part.number, plain(text))))
    });
    let items = items.filter(|(_, (_, text))| !text.is_empty());
    Finding::repeated(items, |_, first| format!("this entry is already on line {first}"))
}

/// A placeholder: a word that is, or that begins, a line, a cell or a labelled text.
fn placeholder(line: &str) -> Option<String> {
    let text = item(line).unwrap_or(line);
    if line.trim_start().starts_with("- [ ]") {
        return None;
    }
    for part in text.split('|').flat_map(|cell| cell.split(": ")).map(str::trim) {
        for word in PLACEHOLDERS {
            let rest = part.strip_prefix(word);
            if rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)) {
                return Some(format!("{word:?}"));
            }
        }
    }
    None
}

impl Finding {
    pub(crate) fn new(line: usize, what: impl Into<String>) -> Self {
        Self { is_note: false, line, what: what.into() }
    }

    /// A note that something is not checked.
    pub(crate) fn note(line: usize, what: impl Into<String>) -> Self {
        Self { is_note: true, line, what: what.into() }
    }

    pub(crate) fn of_fault(fault: &Fault) -> Self {
        Self::new(fault.line().unwrap_or(1), fault.to_string())
    }

    /// A finding for each key that an earlier line has too; `what` words it from the key and that line.
    pub(crate) fn repeated<K: Eq + Hash>(
        keys: impl Iterator<Item = (usize, K)>,
        what: impl Fn(&K, usize) -> String,
    ) -> Vec<Self> {
        let mut seen: HashMap<K, usize> = HashMap::new();
        let mut findings = Vec::new();
        for (line, key) in keys {
            match seen.get(&key) {
                Some(first) => findings.push(Self::new(line, what(&key, *first))),
                None => drop(seen.insert(key, line)),
            }
        }
        findings
    }
}
