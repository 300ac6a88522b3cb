//! The entries of a changelog: given changes and commits, each below the heading of its type.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::conventional::{
    Commit, Group, History, KNOWN_TYPES, LEFT_OUT, Message, TYPE_NAMES, is_log, marked,
};
use super::Input;
use crate::input::values::TextOrList;
use crate::notation::{Misfit, list};
use crate::output::{self, Fault, Result};
use crate::project_state::Context;
use crate::text::prose::{prose, quoted};
use crate::text::{bare, capital, first};

/// An entry below its heading.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Entry {
    #[serde(rename = "type")]
    pub(super) group: Group,
    /// It in Markdown, on one line.
    pub(super) text: String,
    /// Whether it breaks what users rely on.
    pub(super) breaking: bool,
}

/// Largest number of commits without a type that are named.
const ASKED: usize = 20;

/// The entries, and the changes that are not listed.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) entries: Vec<Entry>,
    /// Number of changes that do not concern users, by type.
    left_out: BTreeMap<&'static str, usize>,
    pub(super) open: Vec<String>,
}

impl Collected {
    /// The changes from the fields and the range.
    pub(super) fn read(input: &Input, context: &Context) -> Result<Self> {
        let mut collected = Self::default();
        match &input.changes {
            Some(TextOrList::Text(text)) => collected.list(text, "changes")?,
            Some(TextOrList::Value(items)) => {
                for (at, item) in items.iter().enumerate() {
                    collected.list(item, &format!("changes[{at}]"))?;
                }
            }
            None => {}
        }
        if let Some(range) = &input.range {
            collected.history(&History::of(&context.folder, range)?);
        }
        Ok(collected)
    }

    /// Reads a list of changes, or of commits with their ids.
    fn list(&mut self, text: &str, field: &str) -> Result<()> {
        if is_log(text.trim()) {
            let commits = text.trim().lines().map(Commit::given).collect();
            self.history(&History { commits, ..History::default() });
            return Ok(());
        }
        for item in list::read(text).map_err(|misfit| misfit.fault(field))? {
            let misfit = |why: String| {
                let example = format!("Changed: {}", bare(&item.text));
                Misfit { line: item.line, part: item.text.clone(), why, example }.fault(field)
            };
            let Some(kind) = &item.kind else { return Err(misfit("has no type".to_owned())) };
            let scope = item.scope.as_deref();
            self.add(kind, scope, item.is_breaking, &item.text, prose).ok_or_else(|| {
                misfit(format!("has the type {kind}, but must have one of {}", Group::names()))
            })?;
        }
        Ok(())
    }

    /// Adds a change below the heading of its type, or counts it; `None` if its type is unknown. A breaking change is
    /// always listed. `escape` makes Markdown of its texts.
    fn add(
        &mut self,
        kind: &str,
        scope: Option<&str>,
        breaking: bool,
        text: &str,
        escape: fn(&str) -> String,
    ) -> Option<()> {
        let known = KNOWN_TYPES.iter().find(|known| known.name.eq_ignore_ascii_case(kind));
        let group = match (Group::named(kind), known.map(|known| known.group)) {
            (None, Some(Some(Group::Fixed))) if scope == Some("security") => Group::Security,
            // A breaking feature changes what there was.
            (None, Some(Some(Group::Added) | None)) if breaking => Group::Changed,
            (Some(group), _) | (None, Some(Some(group))) => group,
            (None, Some(None)) => {
                *self.left_out.entry(known?.name).or_default() += 1;
                return Some(());
            }
            (None, None) => return None,
        };
        let text = match kind {
            _ if kind.eq_ignore_ascii_case("revert") => format!("Revert {text}"),
            _ if TYPE_NAMES.contains(&kind) => capital(text),
            _ => text.to_owned(),
        };
        // Under the heading Security the scope of that name is redundant.
        let is_heading = |scope: &str| Group::named(scope) == Some(Group::Security);
        let scope = scope.filter(|scope| group != Group::Security || !is_heading(scope));
        let scope = scope.map(escape);
        let text = marked(scope.as_deref(), breaking, &escape(&text));
        self.entries.push(Entry { group, text, breaking });
        Some(())
    }

    /// Adds each commit whose type determines its heading; the others become an open question.
    fn history(&mut self, history: &History) {
        let mut others = Vec::new();
        for commit in &history.commits {
            let Message { kind, scope, breaking, description, .. } = &commit.message;
            let text = commit.message.with_breaking(description) + &commit.message.closed();
            if self.add(kind, scope.as_deref(), *breaking, &text, quoted).is_none() {
                others.push(commit);
            }
        }
        if history.left_out > 0 {
            self.left_out.insert(LEFT_OUT, history.left_out);
        }
        let named = |commit: &&Commit| {
            format!("{} ({})", commit.id.as_deref().unwrap_or_default(), commit.subject())
        };
        if !others.is_empty() {
            let named = first(others.iter().map(named), ASKED, " and ");
            let form = "add changes=\"Changed: what users see\"";
            self.open.push(format!("type: not given for {named} ({form})"));
        }
    }

    /// The counts as text: `2 docs, 1 test`; `None` if there are none.
    pub(super) fn counted(&self) -> Option<String> {
        let counts = self.left_out.iter().map(|(kind, count)| format!("{count} {kind}"));
        Some(counts.collect::<Vec<_>>().join(", ")).filter(|counts| !counts.is_empty())
    }

    /// The fault if there is nothing to add.
    pub(super) fn nothing(&self, input: &Input) -> Fault {
        let unseen = |counts| format!("users do not see changes of these types: {counts}");
        let why: Vec<String> =
            self.open.iter().cloned().chain(self.counted().map(unseen)).collect();
        match &input.range {
            _ if !why.is_empty() => {
                let next = "enter one as changes=\"Changed: …\"";
                Fault::Refused(format!("there is nothing to enter: {}; {next}", why.join("; ")))
            }
            Some(range) => Fault::Refused(format!("the range {range} has no commits")),
            None => {
                let expects =
                    "lines such as `Added: search by author`, or a range such as v1.2.0..HEAD";
                output::missing("changes", expects, "what changed")
            }
        }
    }
}
