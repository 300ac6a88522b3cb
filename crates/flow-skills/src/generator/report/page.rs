//! A report as a document: a title, a summary, the time of the state, sections, and open questions.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::output::{Artifact, Output, Result};
use crate::project_state::{Snapshot, say};
use crate::runtime::engine;
use crate::text::line;

/// Rows under a heading: a table, or a list if it has no columns. A section without rows is not shown.
#[derive(Debug, Serialize)]
pub(crate) struct Listing {
    /// Its name in the data for the next skill; empty if it has none.
    key: &'static str,
    heading: String,
    /// The heading of each column, and the member of the rows that it shows.
    columns: Vec<(&'static str, String)>,
    /// The rows as [`say::limit_rows`] limits them. Those of a list have `said`, `cite` and the rows `below` each.
    list: Value,
}

impl Listing {
    /// A table. `columns` has the headings with commas between them; a column shows the member of that name, with `_` for
    /// spaces, or the one behind `=`: `story=id, title, holds up`.
    pub(crate) fn table<T>(
        key: &'static str,
        heading: impl Into<String>,
        columns: &'static str,
        all: &[T],
        row: impl Fn(&T) -> Value,
    ) -> Self {
        let column = |text: &'static str| match text.split_once('=') {
            Some((heading, member)) => (heading, member.to_owned()),
            None => (text, text.replace(' ', "_")),
        };
        let columns = columns.split(", ").map(column).collect();
        Self { columns, ..Self::list(key, heading, all, row) }
    }

    pub(crate) fn list<T>(
        key: &'static str,
        heading: impl Into<String>,
        all: &[T],
        row: impl Fn(&T) -> Value,
    ) -> Self {
        let list = say::limit_rows(all, row);
        let heading = heading.into();
        Self { key, heading, columns: Vec::new(), list }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list["count"] == 0
    }
}

/// A report before it is written.
pub(crate) struct Report<'a> {
    /// The skill that the template belongs to.
    pub(crate) skill: &'static str,
    pub(crate) file: String,
    pub(crate) title: String,
    /// The summary, one sentence for each line.
    pub(crate) summary: Vec<String>,
    /// Sentences behind the time of the state: what is left out, and by which rule.
    pub(crate) remarks: Vec<String>,
    pub(crate) sections: Vec<Listing>,
    pub(crate) snapshot: &'a Snapshot,
    /// What is not recorded, worded as what to add.
    pub(crate) open: Vec<String>,
}

impl<'a> Report<'a> {
    /// An empty report.
    pub(crate) fn of(
        skill: &'static str,
        file: impl Into<String>,
        title: impl Into<String>,
        snapshot: &'a Snapshot,
    ) -> Self {
        let (file, title) = (file.into(), title.into());
        let (summary, remarks, sections, open) = Default::default();
        Self { skill, file, title, summary, remarks, sections, snapshot, open }
    }

    /// Writes the page. Its data are the rows of its sections by their keys, and the members of `more`.
    pub(crate) fn output(self, more: Value) -> Result<Output> {
        let gaps = &self.snapshot.gaps;
        let mut data = Map::new();
        data.insert("time".to_owned(), json!(self.snapshot.time));
        for section in self.sections.iter().filter(|section| !section.key.is_empty()) {
            data.insert(section.key.to_owned(), section.list.clone());
        }
        if let Value::Object(more) = more {
            data.extend(more);
        }
        let open: Vec<String> = gaps.questions().chain(self.open).collect();
        let sections: Vec<&Listing> =
            self.sections.iter().filter(|section| !section.is_empty()).collect();
        let state: Vec<String> =
            std::iter::once(say::state_of(self.snapshot)).chain(self.remarks).collect();
        let view = json!({
            "title": line(&self.title), "summary": self.summary, "sections": sections,
            "state": state.join(" "), "open_questions": open,
        });
        let text =
            engine::render_page(self.skill, "assets/template.md.tera", &say::escaped(&view))?;
        let artifacts = vec![Artifact::new(self.file, "markdown", text)];
        Ok(Output { data: data.into(), artifacts, open, notes: gaps.missing.clone() })
    }
}
