//! `pr-description`: describes a pull request from the commits of a branch, a story and the given evidence.
//!
//! Each commit and each criterion occurs once. A box is ticked only if the input contains the evidence.

mod commits;
mod input;
mod mentions;
mod story;
mod title;
mod verify;

use serde_json::{Value, json};

use super::changes::Release;
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, Upstream, takes};
use crate::input::notation::Notation;
use crate::input::values::TextOr;
use crate::output::{self, Artifact, Fault, Output, Result};
use crate::page::headings;
use crate::project_state::Context;
use crate::runtime::engine;
use crate::runtime::git::Branch;
use crate::text::block::block;
use crate::text::prose::{inline, prose};
use commits::{Commit, Source};
use input::{Criterion, Input, Test};
use story::Story;

const NAME: &str = "pr-description";
/// The box that tests tick.
const ALL_PASS: &str = "All tests pass";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Notation(Notation::List), "commits"),
            takes(ContentKind::Range, "range"),
            takes(ContentKind::Text, "summary"),
            takes(ContentKind::Markdown, "summary"),
        ],
        instead: &["from_story"],
        accepts: &[Kind::Changes, Kind::Commit, Kind::Criteria, Kind::Cases, Kind::Story],
        ..Definition::of::<Input>()
    },
    needs: Needs::Optional,
    gives: Kind::PullRequest,
    run: |given, context| generate(given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| verify::verify(text)),
};

fn generate(mut input: Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let mut open = Vec::new();
    let summary = input.summary.as_deref().unwrap_or_default();
    if headings(summary).any(|(_, level, name)| level == 2 && name == "Changes") {
        let why = "the text is a description with its changes; complete it by hand, or give the range or the commits";
        return Err(Fault::Refused(why.to_owned()));
    }
    let release = upstream.map(Upstream::read::<Release>).transpose()?.flatten();
    let Source { commits, branch } = commits::all(&mut input, upstream, release.as_ref(), context)?;
    let found = mentions::read(&commits, input.summary.as_deref());
    if let Some(range) = input.range.as_ref().filter(|_| commits.is_empty()) {
        open.push(format!("commits: the range {range} has none (add range=BASE..HEAD)"));
    }
    let named = story::ids(&commits, branch.as_ref().and_then(|branch| branch.name.as_deref()));
    let story = story::story(&input, upstream, &named, context, &mut open)?;
    let mut criteria = story.criteria.clone();
    criteria.extend(input.criteria.iter().map(|given| given.0.clone()));
    let summary = input.summary.as_deref().and_then(mentions::without_mentions);
    let summary = summary.or_else(|| story.summary.clone());
    if commits.is_empty() && summary.is_none() && story.title.is_none() {
        return Err(nothing(&input, branch.as_ref()));
    }
    let version = release.and_then(|release| release.version);
    let titled = title::title(&input, &story, version.as_deref(), &commits, summary.as_deref());
    let mut tests: Vec<Test> = input.tests.iter().map(|test| test.0.clone()).collect();
    tests.extend(found.tests);
    open.extend(titled.open);
    let said = titled.summary.as_ref().or(summary.as_ref());
    open.extend(questions(said.map(String::as_str), &tests, &criteria));
    let issues = issues(&input, &story, &found.issues);
    let groups = if titled.is_commit { Vec::new() } else { commits::grouped(&commits) };
    let model = json!({
        "title": titled.title,
        "summary": titled.summary,
        "changes": groups,
        "tests": tests,
        "criteria": criteria,
        "checklist": checklist(&commits, &tests, &input.checklist),
        "issues": issues,
        "story": story.id,
        "open": open,
    });
    let mut view = shown(&model);
    view["summary"] = titled.summary.as_deref().map(block).into();
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let artifact = Artifact::new("pull-request.md", "markdown", text);
    Ok(Output { data: model, artifacts: vec![artifact], open, ..Output::default() })
}

/// The fault if there is nothing to describe.
fn nothing(input: &Input, branch: Option<&Branch>) -> Fault {
    if let Some(range) = &input.range {
        return Fault::Refused(format!("the range {range} has no commits"));
    }
    let description = match branch.and_then(Branch::range) {
        Some(range) => format!("this branch has no commits of its own ({range})"),
        None => "what the pull request is of".to_owned(),
    };
    let expects = "messages, a range such as main..HEAD, a story or a summary";
    output::missing("commits", expects, &description)
}

/// What the template writes in parentheses.
const IN_PARENTHESES: [&str; 3] = ["evidence", "id", "result"];

/// Every text as Markdown.
fn shown(model: &Value) -> Value {
    // A number behind a hash is a link on the forge, and no heading.
    let is_number =
        |text: &&str| text.strip_prefix('#').is_some_and(|rest| rest.parse::<u64>().is_ok());
    let issue =
        |item: &Value| item.as_str().filter(is_number).map_or_else(|| shown(item), Value::from);
    let member = |name: &str, value: &Value| match value {
        Value::String(text) if IN_PARENTHESES.contains(&name) => Value::from(inline(text)),
        Value::Array(items) if name == "issues" => items.iter().map(issue).collect(),
        other => shown(other),
    };
    match model {
        Value::String(text) => Value::from(prose(text)),
        Value::Array(items) => items.iter().map(shown).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), member(name, value))).collect()
        }
        other => other.clone(),
    }
}

/// What is not given, worded as what to add.
fn questions(summary: Option<&str>, tests: &[Test], criteria: &[Criterion]) -> Vec<String> {
    let mut open = Vec::new();
    if summary.is_none() {
        open.push("summary: not given (add summary=TEXT, why the change is made)".to_owned());
    }
    if tests.is_empty() {
        open.push("tests: not given (add tests=\"npm test: passed\")".to_owned());
    }
    let unmet = criteria.iter().filter(|own| own.evidence.is_none()).count();
    if unmet > 0 {
        open.push(format!(
            "evidence: not given for {unmet} criteria (tick each with what shows it)"
        ));
    }
    open
}

/// The boxes, each with the evidence that ticks it.
fn checklist(commits: &[Commit], tests: &[Test], given: &[TextOr<Criterion>]) -> Value {
    let all_pass = !tests.is_empty() && tests.iter().all(|test| test.passed == Some(true));
    let mut boxes = vec![
        json!({"text": ALL_PASS, "evidence": all_pass.then_some("see Testing")}),
        json!({"text": "Tests cover the change", "evidence": null}),
        json!({"text": "The documentation is up to date", "evidence": null}),
    ];
    let breaking: Vec<&Commit> = commits.iter().filter(|commit| commit.message.breaking).collect();
    if !breaking.is_empty() {
        let is_told = breaking.iter().all(|commit| commit.message.what_breaks().is_some());
        boxes.push(json!({
            "text": "What breaks is described, with what to do about it",
            "evidence": is_told.then_some("see Changes"),
        }));
    }
    for TextOr(Criterion { text, evidence }) in given {
        match boxes.iter_mut().find(|known| known["text"] == **text) {
            Some(known) if known["evidence"].is_null() => known["evidence"] = json!(evidence),
            Some(_) => {}
            None => boxes.push(json!({"text": text, "evidence": evidence})),
        }
    }
    Value::from(boxes)
}

/// The story, the given issues, and those that commits and the summary mention, each once.
fn issues(input: &Input, story: &Story, named: &[String]) -> Vec<String> {
    let mut found: Vec<String> = story.id.iter().map(|id| format!("Story {id}")).collect();
    let number =
        |issue: &str| issue.split_whitespace().find(|word| word.contains('#')).map(str::to_owned);
    for issue in input.issues.iter().map(|issue| &**issue).chain(named.iter().map(String::as_str)) {
        let own = number(issue);
        let is_there = |known: &String| known == issue || own.is_some() && number(known) == own;
        if !found.iter().any(is_there) {
            found.push(issue.to_owned());
        }
    }
    found
}
