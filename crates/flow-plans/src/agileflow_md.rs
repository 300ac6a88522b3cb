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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::join::join;

    #[test]
    fn epics_and_stories_are_as_their_front_matter_says() {
        let files = [
            (
                "docs/05-epics/EP-0001-access.md",
                "---\nepic_id: EP-0001\ntitle: Access\nstatus: active\n---\n# Access\n",
            ),
            ("docs/05-epics/README.md", "# Epics\n"),
            (
                "docs/06-stories/EP-0001/US-0001-sign-in.md",
                "---\nstory_id: US-0001\nepic: EP-0001\nowner: AG-API\nstatus: ready\nestimate: 2d\ndependencies: [US-0002]\n---\n",
            ),
            ("docs/06-stories/US-0002.md", "---\nepic: EP-0001\n---\n"),
            ("docs/06-stories/US-0003-a.md", "---\nstatus: [\n---\n"),
            ("docs/06-stories/notes.md", "---\ntitle: Notes\n---\n"),
        ];
        let read: Vec<_> = files.iter().map(|(path, text)| AgileFlowMd.read(path, text)).collect();
        assert_eq!(read[4].fault.as_ref().map(|issue| issue.line), Some(2));
        let plan = join(&AgileFlowMd, read.iter());
        let ids: Vec<_> = plan.stories.iter().map(|story| story.id.as_str()).collect();
        assert_eq!((ids.as_slice(), plan.foreign), (["US-0001", "US-0002"].as_slice(), 2));
        let story = json!({"epic": "EP-0001", "owner": "AG-API", "status": "ready",
            "estimate": "2d", "dependencies": ["US-0002"]});
        assert_eq!(Value::from(plan.stories[0].members.clone()), story);
        assert_eq!((plan.epics.len(), plan.epics[0].id.as_str()), (1, "EP-0001"));
    }

    #[test]
    fn its_files() {
        for path in ["docs/05-epics/a/b.md", "docs/06-stories/a/b/c.md", "docs/06-stories/.md"] {
            assert!(!AgileFlowMd.owns(path), "{path}");
        }
        assert_eq!(id_in_name(Kind::Story, "US-0012a"), None);
        assert_eq!(id_in_name(Kind::Story, "US-0012-a"), Some("US-0012"));
    }
}
