//! spec-kit: a folder below `specs/` for each feature, with its boxes in `tasks.md` and its title and status in `spec.md`.

use flow_model::kind::Kind;
use serde_json::{Map, Value};

use crate::checklist::{self, Dialect};
use crate::format::{FileRecords, Format, Part};
use crate::plan::Plan;

/// Most dependencies of a task.
const MOST_DEPENDENCIES: usize = 100;
/// Most tasks of a range such as `T012-T015`.
const MOST_OF_RANGE: u64 = 100;

/// spec-kit.
#[derive(Debug)]
pub struct SpecKit;

impl Format for SpecKit {
    fn name(&self) -> &'static str {
        "spec-kit"
    }

    fn places(&self) -> &'static [&'static str] {
        &["specs"]
    }

    fn enters(&self, folder: &str) -> bool {
        folder.strip_prefix("specs/").is_some_and(|feature| !feature.contains('/'))
    }

    fn marks(&self) -> &'static [&'static str] {
        &[".specify"]
    }

    fn owns(&self, path: &str) -> bool {
        feature(path).is_some()
    }

    fn is_present(&self, files: &[&str], exists: &dyn Fn(&str) -> bool) -> bool {
        let is_feature = |path: &&str| {
            let tasks = feature(path).filter(|(_, name)| *name == "tasks.md");
            tasks.is_some_and(|(feature, _)| exists(&format!("specs/{feature}/spec.md")))
        };
        exists(".specify") || files.iter().any(is_feature)
    }

    fn read(&self, path: &str, text: &str) -> FileRecords {
        match feature(path) {
            Some((feature, "tasks.md")) => tasks(feature, text),
            Some((feature, _)) => specification(feature, text),
            None => FileRecords::default(),
        }
    }

    fn complete(&self, plan: &mut Plan) {
        plan.complete_from_boxes();
        for story in &mut plan.stories {
            // Boxes are newer than the line that the template begins with.
            if let (None, Some(word)) =
                (story.members.get("status"), story.members.get("spec_status"))
            {
                let word = word.clone();
                story.members.insert("status".to_owned(), word);
                story.members.insert("status_source".to_owned(), "spec.md".into());
            }
        }
    }
}

/// The feature of a path, and the name of its file.
fn feature(path: &str) -> Option<(&str, &str)> {
    let (feature, name) = path.strip_prefix("specs/")?.split_once('/')?;
    matches!(name, "tasks.md" | "spec.md").then_some((feature, name))
}

fn tasks(feature: &str, text: &str) -> FileRecords {
    checklist::file_with(feature, text, Dialect::Markdown, |checkbox| {
        let ids = depends_on(&checkbox.title);
        let ids: Vec<Value> = ids.into_iter().map(|id| format!("{feature}/{id}").into()).collect();
        (!ids.is_empty()).then(|| ("depends_on".to_owned(), ids.into()))
    })
}

/// The title and the status line of a specification.
fn specification(feature: &str, text: &str) -> FileRecords {
    let mut title = None;
    let mut status = None;
    let mut members = Map::new();
    for line in checklist::without_mark(text).lines() {
        match checklist::heading(line) {
            Some((1, heading)) if title.is_none() => {
                let name = heading.strip_prefix("Feature Specification:").unwrap_or(heading).trim();
                title = Some(name).filter(|name| !name.is_empty());
            }
            Some((2.., _)) => break,
            _ => status = status.or_else(|| status_line(line)),
        }
    }
    for (name, value) in [("title", title), ("spec_status", status)] {
        if let Some(value) = value {
            members.insert(name.to_owned(), value.into());
        }
    }
    let story =
        Part { kind: Kind::Story, id: feature.to_owned(), line: 1, members: members.into() };
    FileRecords::one(story)
}

/// The word of `**Status**: Draft`.
fn status_line(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['-', '*', ' ']);
    let word =
        line.strip_prefix("Status")?.trim_start_matches('*').trim_start().strip_prefix(':')?;
    let word = word.trim_start_matches('*').trim();
    (!word.is_empty()).then_some(word)
}

/// The ids after `depends on` in a text.
fn depends_on(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let mut ids: Vec<String> = Vec::new();
    for (at, phrase) in lower.match_indices("depends on") {
        let mut rest = &text[at + phrase.len()..];
        while let Some((id, after)) = next_id(rest) {
            for id in range(id) {
                if ids.len() == MOST_DEPENDENCIES {
                    return ids;
                }
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            rest = after;
        }
    }
    ids
}

/// The next id of a list such as `T012, T013 and T014`, and the text after it.
fn next_id(text: &str) -> Option<(&str, &str)> {
    let mut rest = text.trim_start_matches([' ', ',', '&', ':', '+', '*', '`']);
    for word in ["and ", "both ", "tasks ", "task "] {
        rest = rest.strip_prefix(word).unwrap_or(rest).trim_start();
    }
    let is_id = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let end = rest.find(|c| !is_id(c)).unwrap_or(rest.len());
    let id = rest[..end].trim_end_matches(['.', '-']);
    let digits = id.strip_prefix('T')?;
    digits.starts_with(|c: char| c.is_ascii_digit()).then(|| (id, &rest[end..]))
}

/// The ids of a range `T012-T015`, or the id.
fn range(id: &str) -> Vec<String> {
    let number = |id: &str| id.strip_prefix('T').and_then(|digits| digits.parse::<u64>().ok());
    let ends = id.split_once('-').and_then(|(from, to)| Some((from, number(from)?, number(to)?)));
    match ends {
        Some((from, first, last)) if first < last && last - first < MOST_OF_RANGE => {
            let width = from.len() - 1;
            (first..=last).map(|number| format!("T{number:0width$}")).collect()
        }
        _ => vec![id.to_owned()],
    }
}
