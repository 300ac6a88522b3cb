//! The known changes of the plan: what a server recorded, and what git's commits before did.

use serde_json::Value;

use super::span::Span;
use super::state::State;
use crate::output::Result;
use crate::text::line;

const MOST: usize = 1_000;

#[derive(Debug)]
pub(crate) struct Change {
    /// When it was made or seen, RFC 3339 in UTC.
    pub(crate) at: String,
    pub(crate) id: String,
    /// The story, if it is one or belongs to one.
    pub(crate) story: Option<String>,
    /// Who the record is assigned to.
    pub(crate) owner: Option<String>,
    /// What happened, in a sentence.
    pub(crate) summary: String,
    /// The file and the line of the record.
    pub(crate) place: Option<String>,
}

impl Change {
    /// What was taken back from the plan or reopened in a span, and what was completed with open parts, oldest first.
    pub(crate) fn taken_back(state: &State, span: &Span) -> Result<Vec<Self>> {
        let since = span.since.as_deref().map(|since| format!("&since={}", State::encoded(since)));
        let target = format!(
            "/api/activity?effect=weakened,reopened,contradiction&limit={MOST}{}",
            since.unwrap_or_default()
        );
        let answer = state.get(&target)?;
        let read = |row: &Value| {
            let text = |name: &str| row[name].as_str().map(line);
            let at_line = row["line"].as_u64().map(|at| format!(":{at}")).unwrap_or_default();
            let story = match row["collection"].as_str() {
                Some("stories") => "id",
                _ => "parent",
            };
            Some(Self {
                at: text("at")?,
                id: text("id")?,
                story: text(story),
                owner: text("owner"),
                summary: text("summary")?,
                place: text("file").map(|file| file + &at_line),
            })
        };
        let rows = answer["activity"].as_array().into_iter().flatten().rev();
        Ok(rows.filter_map(read).filter(|change| span.holds(&change.at)).collect())
    }
}
