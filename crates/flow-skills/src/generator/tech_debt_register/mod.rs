//! `tech-debt-register`: a scored list of debts, including the project's stories about debt and TODO comments.
//!
//! The score is impact times urgency, divided by effort. Missing figures become open questions.

mod input;
mod item;
mod line;
mod place;
mod scan;
mod verify;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use input::Debts;
use item::Item;
use scan::Scan;

use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::notation::Notation;
use crate::input::values::Line;
use crate::output::{Artifact, Output, Result};
use crate::project_state::Context;
use crate::project_state::say::{self, LISTED, name};
use crate::project_state::{Snapshot, Story};
use crate::runtime::engine;
use crate::runtime::files::Folder;

const NAME: &str = "tech-debt-register";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Notation(Notation::List), "items"),
            takes(ContentKind::Text, "items"),
        ],
        instead: &["scan"],
        ..Definition::of::<Input>()
    },
    needs: Needs::Optional,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(verify::verify),
};

/// Debts, and where to search for more. Without any, the stories of the project that are marked as debt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The debts: objects, or lines such as `design: src/pay.rs:40 retries are copied; impact 4 urgency 3 effort 2`.
    items: Option<Debts>,
    /// Files and folders below the current folder whose comments are scanned.
    #[serde(default)]
    #[schemars(extend("x-commas" = true))]
    scan: Vec<Line>,
}

/// Members of a story's record that may mark it as debt.
const MARKS: [&str; 6] = ["category", "kind", "labels", "tag", "tags", "type"];
/// The values that mark a story as debt.
const DEBT: [&str; 5] = ["debt", "refactor", "refactoring", "tech-debt", "technical-debt"];

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let folder = Folder::project(context)?;
    let mut items = input::read(input.items.as_ref(), &folder)?;
    let scan = Scan::read(&input.scan, context, &folder)?;
    let needs_state =
        items.iter().any(|item| item.story.is_some()) || (items.is_empty() && !scan.is_asked);
    let is_read = context.state.is_there() || needs_state;
    let snapshot = is_read.then(|| Snapshot::read(&context.state)).transpose()?;
    for item in &items {
        if let (Some(snapshot), Some(id)) = (&snapshot, &item.story) {
            snapshot.named_story(&format!("{}.story", item.field), id)?;
        }
    }
    // A stable sort: items with the same score keep their order, and those without one come last.
    items.sort_by(|a, b| b.score().partial_cmp(&a.score()).unwrap_or(std::cmp::Ordering::Equal));
    let stories = snapshot.iter().flat_map(|snapshot| &snapshot.stories);
    let stories: Vec<&Story> =
        stories.filter(|story| !story.is_completed() && mark(story).is_some()).collect();
    let gaps = snapshot.iter().flat_map(|snapshot| snapshot.gaps.questions());
    let asked: Vec<String> = gaps.chain(questions(&items, &scan)).collect();
    let data = data(&items, &stories, &scan, snapshot.as_ref());
    let mut view = say::escaped(&data);
    view["has_types"] = items.iter().any(|item| item.kind.is_some()).into();
    view["state"] = snapshot.as_ref().map(|snapshot| say::escape(&say::state_of(snapshot))).into();
    view["open_questions"] = asked.iter().map(|question| say::escape(question)).collect();
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let artifacts = vec![Artifact::new("debt.md", "markdown", text)];
    let no_project = || vec!["no project here; no stories of debt are listed".to_owned()];
    let mut notes = snapshot.map_or_else(no_project, |snapshot| snapshot.gaps.missing);
    notes.extend(items.iter().filter_map(|item| item.note.clone()).take(LISTED));
    notes.extend(scan.notes.iter().cloned());
    Ok(Output { data, artifacts, open: asked, notes })
}

/// What marks a story as debt: its id, or a word in one of several members.
fn mark(story: &Story) -> Option<&'static str> {
    if story.id.to_ascii_uppercase().starts_with("TECH-") {
        return Some("id");
    }
    let is_debt = |value: &Value| {
        let text = value.as_str().unwrap_or_default().trim().to_lowercase();
        DEBT.contains(&text.replace(['_', ' '], "-").as_str())
    };
    let marks = |value: &Value| match value {
        Value::Array(all) => all.iter().any(is_debt),
        one => is_debt(one),
    };
    MARKS.into_iter().find(|member| story.record.get(*member).is_some_and(marks))
}

fn data(items: &[Item], stories: &[&Story], scan: &Scan, snapshot: Option<&Snapshot>) -> Value {
    let (scored, rest): (Vec<&Item>, Vec<&Item>) =
        items.iter().partition(|item| item.score().is_some());
    json!({
        "time": snapshot.and_then(|snapshot| snapshot.time.as_deref()),
        "scored": say::limit_rows(&scored, |item| item.row()),
        "unscored": say::limit_rows(&rest, |item| item.row()),
        "stories": say::limit_rows(stories, |story| json!({
            "id": story.id,
            "title": name(story),
            "status": story.status,
            "owner": story.owner,
            "size": story.effort.map(|size| size.to_string()),
            "marked_by": mark(story),
        })),
        "scanned": scan.is_asked.then_some(scan.files),
        "comments": say::limit_rows(&scan.comments, |comments| json!({
            "place": comments.place, "mark": comments.mark, "text": comments.text,
        })),
    })
}

/// Missing figures and places, worded as what to add.
fn questions(items: &[Item], scan: &Scan) -> Vec<String> {
    let mut asked: Vec<String> = Vec::new();
    for item in items.iter().filter(|item| item.score().is_none()).take(LISTED) {
        let missing = item.missing();
        let form = missing.iter().map(|name| format!("{name} 1 to 5")).collect::<Vec<_>>();
        let (names, form) = (missing.join(", "), form.join(", "));
        asked.push(format!("{names} of {:?}: not given (add to the item: {form})", item.title));
    }
    let lost = items.iter().filter(|item| item.place.is_none() && item.story.is_none());
    let place =
        |item: &Item| format!("place of {:?}: not given (add to the item: PATH:LINE)", item.title);
    asked.extend(lost.take(LISTED).map(place));
    if !scan.comments.is_empty() {
        let count = say::counted(scan.comments.len(), "comment", "comments");
        asked.push(format!(
            "{count} in the code: not scored (add those that are debt to items, with impact, urgency and effort)"
        ));
    }
    asked
}
