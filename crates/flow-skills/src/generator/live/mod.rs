//! What the skills on the project's state share: the page that they write, and the check of such a page.

mod verify;

use serde_json::{Value, json};

use crate::output::{Artifact, Fault, Output, Result};
use crate::project_state::{Snapshot, say};
use crate::runtime::engine;
use crate::text::line;

pub(super) use verify::{Expected, Questions, verify};

/// A page: a title, three to five lines that say what matters, tables, and what is not recorded.
pub(super) struct Page<'a> {
    /// The skill, whose template it is.
    pub(super) skill: &'static str,
    /// The file that it is written to.
    pub(super) file: String,
    /// Its title.
    pub(super) title: String,
    /// What matters, a sentence for each line.
    pub(super) summary: Vec<String>,
    /// The state that it is of.
    pub(super) snapshot: &'a Snapshot,
    /// What is not recorded, as what to add.
    pub(super) open: Vec<String>,
}

impl Page<'_> {
    /// Renders the page. The template sees `data`, and the members of `view` over it.
    ///
    /// # Errors
    /// When the template is wrong.
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
        let seen = say::escaped(&seen);
        let text = engine::render_page(self.skill, "assets/template.md.tera", &seen)?;
        let artifacts = vec![Artifact::new(self.file, "markdown", text)];
        Ok(Output { data, artifacts, open, notes: self.snapshot.gaps.missing.clone() })
    }
}

/// Refuses a project that has no stories, with what to do.
pub(super) fn refuse_without_stories(snapshot: &Snapshot) -> Result<()> {
    if snapshot.stories.is_empty() {
        Err(empty(snapshot, "stories", "its status file"))
    } else {
        Ok(())
    }
}

/// Refuses a project that has neither a record nor a message, with what to do.
pub(super) fn refuse_empty(snapshot: &Snapshot, metrics: &Value) -> Result<()> {
    let has_any = !snapshot.is_empty() || metrics["bus"]["total"] != 0;
    if has_any {
        return Ok(());
    }
    Err(empty(snapshot, "stories, tasks, sessions or messages", "its files"))
}

fn empty(snapshot: &Snapshot, what: &str, file: &str) -> Fault {
    let unread = snapshot.gaps.unread.join(", ");
    let why = if unread.is_empty() {
        format!("add them to {file}, or name another project by --project DIR")
    } else {
        format!("repair the files that could not be read: {unread}")
    };
    Fault::Refused(format!("the project has no {what}; {why}"))
}
