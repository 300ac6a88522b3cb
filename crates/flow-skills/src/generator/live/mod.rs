//! Shared by the skills on the project's state: the page that they generate, and its verification.

mod verify;

use serde_json::{Value, json};

use crate::output::{Artifact, Fault, Output, Result};
use crate::project_state::{Snapshot, say};
use crate::runtime::engine;
use crate::text::line;

pub(super) use verify::{Expected, Questions, unknown_ids, verify, word as placeholder};

/// A page: a title, a summary of three to five lines, tables, and open questions.
pub(super) struct Page<'a> {
    /// The skill that the template belongs to.
    pub(super) skill: &'static str,
    pub(super) file: String,
    pub(super) title: String,
    /// The summary, one sentence per line.
    pub(super) summary: Vec<String>,
    /// The state that it shows.
    pub(super) snapshot: &'a Snapshot,
    /// What is not recorded, worded as what to add.
    pub(super) open: Vec<String>,
}

impl Page<'_> {
    /// Renders the page. The template has `data`, and the members of `view`, which override it.
    pub(super) fn output(self, data: Value, view: &Value) -> Result<Output> {
        let mut open: Vec<String> = self.snapshot.gaps.questions().collect();
        open.extend(self.open);
        let mut seen = data.clone();
        if let (Value::Object(seen), Value::Object(view)) = (&mut seen, view) {
            seen.extend(view.clone());
        }
        seen["title"] = line(&self.title).into();
        seen["summary"] = json!(self.summary);
        seen["state"] = say::state_of(self.snapshot).into();
        seen["open_questions"] = json!(open);
        show_blank(&mut seen);
        let seen = say::escaped(&seen);
        let text = engine::render_page(self.skill, "assets/template.md.tera", &seen)?;
        let artifacts = vec![Artifact::new(self.file, "markdown", text)];
        Ok(Output { data, artifacts, open, notes: self.snapshot.gaps.missing.clone() })
    }
}

/// Shows ids of white space, and those in lists, as sentences show them.
fn show_blank(data: &mut Value) {
    let is_blank = |value: &Value| value.as_str().is_some_and(|text| text.trim().is_empty());
    match data {
        Value::Array(items) => {
            items
                .iter_mut()
                .filter(|item| is_blank(item))
                .for_each(|item| *item = say::BLANK.into());
            items.iter_mut().for_each(show_blank);
        }
        Value::Object(members) => {
            if let Some(id) = members.get_mut("id").filter(|id| is_blank(id)) {
                *id = say::BLANK.into();
            }
            members.values_mut().for_each(show_blank);
        }
        _ => {}
    }
}

/// Refuses a project without stories, with a remedy.
pub(super) fn refuse_without_stories(snapshot: &Snapshot) -> Result<()> {
    if !snapshot.stories.is_empty() {
        return Ok(());
    }
    Err(empty(snapshot, "stories", "its status file"))
}

/// Refuses a project without records and messages, with a remedy.
pub(super) fn refuse_empty(snapshot: &Snapshot, metrics: &Value) -> Result<()> {
    if !snapshot.is_empty() || metrics["bus"]["total"] != 0 {
        return Ok(());
    }
    Err(empty(snapshot, "stories, tasks, sessions or messages", "its files"))
}

fn empty(snapshot: &Snapshot, what: &str, file: &str) -> Fault {
    let gaps = &snapshot.gaps;
    let why = match &gaps.doubtful {
        _ if !gaps.unread.is_empty() => {
            format!("repair the files that could not be read: {}", gaps.unread.join(", "))
        }
        Some(doubtful) => doubtful.trim_end_matches('.').to_owned(),
        None => format!("add them to {file}, or name another project by --project DIR"),
    };
    Fault::Refused(format!("the project has no {what}; {why}"))
}
