//! The Markdown of `AgileFlow`: a file for each epic in `docs/05-epics/`, and one for each story in `docs/06-stories/` or in a
//! folder there. The ids are those of the project's own status.json, which also has most of these records.

use flow_model::kind::Kind;
use serde_json::Map;

use crate::format::{FileRecords, Format, Part};
use crate::front_matter;

const EPICS: &str = "docs/05-epics";
const STORIES: &str = "docs/06-stories";

/// The format of these files.
#[derive(Debug)]
pub struct AgileFlowMd;

impl Format for AgileFlowMd {
    fn name(&self) -> &'static str {
        "agileflow-md"
    }

    fn places(&self) -> &[&str] {
        &[EPICS, STORIES]
    }

    fn enters(&self, folder: &str) -> bool {
        below(folder, STORIES).is_some_and(|epic| !epic.contains('/'))
    }

    fn owns(&self, path: &str) -> bool {
        own_file(path).is_some()
    }

    /// It is read only where a setting names it: the project's status.json has the same records.
    fn is_present(&self, _: &[&str], _: &dyn Fn(&str) -> bool) -> bool {
        false
    }

    fn needs_setting(&self) -> bool {
        true
    }

    fn is_one_file_a_record(&self) -> bool {
        true
    }

    fn shares_ids_with_files(&self) -> bool {
        true
    }

    fn states_dependencies(&self, kind: Kind) -> bool {
        kind == Kind::Story
    }

    fn read(&self, path: &str, text: &str) -> FileRecords {
        let Some((kind, stem)) = own_file(path) else { return FileRecords::default() };
        let entries = match front_matter::document(text) {
            Ok(None) => return FileRecords::foreign(),
            Ok(Some(document)) => document.entries,
            Err(issue) => return FileRecords::broken(issue),
        };
        let id_member = if kind == Kind::Epic { "epic_id" } else { "story_id" };
        let stated = front_matter::find(&entries, id_member).and_then(|entry| entry.value.text());
        let Some(id) = stated.or_else(|| id_in_name(kind, stem)) else {
            return FileRecords::foreign();
        };
        let members: Map<_, _> = entries
            .iter()
            .filter(|entry| !["id", id_member].contains(&entry.name.as_str()))
            .map(|entry| (entry.name.clone(), entry.value.json()))
            .collect();
        FileRecords::one(Part { kind, id: id.to_owned(), line: 1, members: members.into() })
    }
}

/// The kind of record that a file has, and its name without `.md`.
fn own_file(path: &str) -> Option<(Kind, &str)> {
    let (kind, inner) = match below(path, EPICS) {
        Some(inner) => (Kind::Epic, inner),
        None => (Kind::Story, below(path, STORIES)?),
    };
    let (folder, name) = inner.rsplit_once('/').unwrap_or(("", inner));
    let is_deep = folder.contains('/') || kind == Kind::Epic && !folder.is_empty();
    let stem = name.strip_suffix(".md").filter(|stem| !stem.is_empty() && !is_deep)?;
    Some((kind, stem))
}

fn below<'a>(path: &'a str, place: &str) -> Option<&'a str> {
    path.strip_prefix(place)?.strip_prefix('/')
}

/// The id at the beginning of a name: `US-0012` of `US-0012-sign-in`.
fn id_in_name(kind: Kind, stem: &str) -> Option<&str> {
    let prefix = if kind == Kind::Epic { "EP-" } else { "US-" };
    let digits = stem.strip_prefix(prefix)?;
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let is_end = matches!(digits.as_bytes().get(length), None | Some(b'-' | b'_' | b'.' | b' '));
    stem.get(..prefix.len() + length).filter(|_| length > 0 && is_end)
}
