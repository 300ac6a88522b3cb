//! What a pull request is told beside commits: a changelog that the skill before made, or a text of commit subjects.

use serde_json::Value;

use super::Commit;
use crate::generator::conventional::{self, Message};
use crate::input::Input;
use crate::text::plain;

const CHANGELOG: &str = "changelog-entry";

/// The changes of a changelog, as commits without an id.
pub(super) fn changes(input: &Input) -> Vec<Commit> {
    let Some((skill, data)) = &input.upstream else { return Vec::new() };
    let changes = data["changes"].as_array().filter(|_| skill == CHANGELOG);
    changes.into_iter().flatten().filter_map(change).collect()
}

fn change(own: &Value) -> Option<Commit> {
    let text = own["text"].as_str()?;
    let breaking = own["breaking"].as_bool().unwrap_or(false);
    let subject = text.strip_prefix("**Breaking:** ").filter(|_| breaking).unwrap_or(text);
    // The changelog has it as Markdown, and so will the description.
    let subject = &plain(subject);
    let kind = match own["type"].as_str().unwrap_or_default() {
        "Added" => "feat",
        "Fixed" => "fix",
        _ => "",
    };
    let message = Message {
        kind: kind.to_owned(),
        breaking,
        description: subject.clone(),
        ..Message::default()
    };
    Some(Commit { id: None, subject: super::one_line(subject), message: Some(message) })
}

/// The version that the changelog is of.
pub(super) fn release(input: &Input) -> Option<String> {
    let (_, data) = input.upstream.as_ref().filter(|(skill, _)| skill == CHANGELOG)?;
    data["version"].as_str().map(|version| format!("Release {version}"))
}

/// A summary in the user's words. An envelope's text stands in the field too, and is none; nor are lines that are
/// commits each.
pub(super) fn summary(input: &Input) -> Option<&str> {
    let text = input.text("summary").filter(|text| !text.trim().is_empty())?;
    let is_artifact = input.upstream.is_some() && text.starts_with('#');
    (!is_artifact && subjects(text).is_empty()).then_some(text)
}

/// The commits that a summary consists of, one on each line or between semicolons.
pub(super) fn subjects(text: &str) -> Vec<&str> {
    let parts = text
        .lines()
        .flat_map(|line| line.split("; "))
        .map(|line| line.trim().trim_start_matches(['-', '*']).trim());
    let parts: Vec<&str> = parts.filter(|line| !line.is_empty()).collect();
    if parts.iter().all(|line| conventional::parse(line).is_some()) { parts } else { Vec::new() }
}
