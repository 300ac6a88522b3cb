//! `tech-debt-register`: a scored list of debts, and the TODO comments of the code.
//!
//! The score is impact times urgency, divided by effort. Missing figures become open questions.

mod comments;
mod given;
mod item;
mod place;
mod register;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::report::{Listing, Report, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values::{Line, Word};
use crate::output::{Output, Result, bad_text, missing};
use crate::project_state::say::{self, LISTED, counted};
use crate::project_state::{Context, Snapshot};
use crate::runtime::files::Folder;
use crate::text::title;
use comments::Scan;
use given::Debts;
use item::Item;

const NAME: &str = "tech-debt-register";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::List, "items"), takes(ContentKind::Text, "items")],
        instead: &["scan"],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(register::verify),
};

/// Debts, and where to search for more.
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

fn generate(input: &Input, context: &Context) -> Result<Output> {
    if input.items.is_none() && input.scan.is_empty() {
        let what = "the debts; or search the comments of files with scan=PATH";
        return Err(missing("items", "text or a list", what));
    }
    let folder = Folder::project(context)?;
    let mut items = given::items(input.items.as_ref(), &folder)?;
    let scan = Scan::read(&input.scan, context, &folder)?;
    let state = context.state.is_there().then(|| Snapshot::read(&context.state)).transpose()?;
    // A folder without files of a project is none.
    let state = state.filter(|snapshot| snapshot.time.is_some());
    let has_project = state.is_some();
    let snapshot = state.unwrap_or_default();
    let stories =
        items.iter_mut().filter_map(|Item { field, debt }| Some((field, debt.story.as_mut()?)));
    let mut unchecked = Vec::new();
    for (field, id) in stories {
        if !has_project {
            unchecked.push(id.to_string());
            continue;
        }
        let known = &snapshot.named_story(&format!("{field}.story"), id)?.id;
        *id = Word::new(known).map_err(|why| bad_text(field, known, why))?;
    }
    // A stable sort: items with the same score keep their order, and those without one come last.
    items.sort_by(|a, b| b.score().partial_cmp(&a.score()).unwrap_or(std::cmp::Ordering::Equal));
    let report = Report {
        summary: summary(&items, &scan),
        remarks: vec!["The score is impact x urgency / effort.".to_owned()],
        sections: sections(&items, &scan),
        open: questions(&items),
        ..Report::of(NAME, "debt.md", "Technical debt", &snapshot)
    };
    let is_asked = !input.scan.is_empty();
    let mut output = report.output(json!({"scanned": is_asked.then_some(scan.files)}))?;
    if !unchecked.is_empty() {
        let ids = say::ids(unchecked.iter().map(String::as_str));
        output.notes.push(format!("no project found; these stories were not examined: {ids}"));
    }
    output.notes.extend(scan.notes);
    Ok(output)
}

fn summary(items: &[Item], scan: &Scan) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some((item, score)) = items.first().and_then(|item| Some((item, item.score()?))) {
        let place = item.debt.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        lines.push(format!("Highest score: {score:?}, {}{place}", title(&item.debt.title)));
    }
    if !items.is_empty() {
        let scored = items.iter().filter(|item| item.score().is_some()).count();
        lines.push(format!("Scored: {scored} of {}", counted(items.len(), "item", "items")));
    }
    if scan.files > 0 {
        let (files, count) = (counted(scan.files, "file", "files"), scan.comments.len());
        lines.push(format!("Comments found in {files}: {count}"));
    }
    lines
}

fn sections(items: &[Item], scan: &Scan) -> Vec<Listing> {
    let (scored, rest): (Vec<&Item>, Vec<&Item>) =
        items.iter().partition(|item| item.score().is_some());
    let scored: Vec<(usize, &Item)> = (1..).zip(scored).collect();
    let of_scored = "no.=number, what=title, type, place, impact, urgency, effort, score, story";
    let of_rest = "what=title, type, place, impact, urgency, effort, missing, story";
    let of_comments = "place, mark=shown, what it says=text";
    vec![
        Listing::table("scored", "Register", of_scored, &scored, |(number, item)| {
            rows::with(item.row(), "number", *number)
        }),
        Listing::table("unscored", "Not scored", of_rest, &rest, |item| item.row()),
        Listing::table("comments", "Comments in the code", of_comments, &scan.comments, |one| {
            let shown = format!("`{}`", one.mark);
            json!({"place": one.place, "mark": one.mark, "shown": shown, "text": one.text})
        }),
    ]
}

/// Missing figures, worded as what to add.
fn questions(items: &[Item]) -> Vec<String> {
    let unscored: Vec<&Item> = items.iter().filter(|item| item.score().is_none()).collect();
    let question = |item: &&Item| {
        let (names, title) = (item.missing().join(", "), title(&item.debt.title));
        format!("{names} of {title:?}: not given (add to the item, each from 1 to 5)")
    };
    let mut asked: Vec<String> = unscored.iter().take(LISTED).map(question).collect();
    if unscored.len() > LISTED {
        asked.push(format!("figures of {} more items: not given", unscored.len() - LISTED));
    }
    asked
}
