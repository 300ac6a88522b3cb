//! `pr-description`: describes a pull request from the commits of a branch, a story and the given evidence.
//!
//! Each commit and each criterion occurs once. A box is ticked only if the input contains the evidence.

mod commits;
mod input;
mod mentions;
mod story;
mod title;
mod verify;

use serde_json::json;

use super::changes::Release;
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, Upstream, takes};
use crate::input::notation::Notation;
use crate::input::values::{Line, TextOr};
use crate::output::{self, Artifact, Fault, Output, Result};
use crate::page::{Page, Section, bullets, headings};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::runtime::git::Branch;
use crate::text::prose::prose;
use commits::{Commit, Source};
use input::{Criterion, Input, Test};
use story::Story;

const NAME: &str = "pr-description";
#[rustfmt::skip]
const SECTIONS: &[Section; 6] = &[
    Section::new("summary", "Summary", &["Description", "Why", "Motivation"], r"\<why the change is made>"),
    Section::optional("", "Changes", &[]),
    Section::new("tests", "Testing",
        &["Tested", "Tested with", "Test plan", "How it was tested", "How has this been tested?"],
        r"- \<what was run, and whether it passed>"),
    Section::optional("criteria", "Acceptance criteria", &[]),
    Section::new("checklist", "Checklist", &["Before the merge"], ""),
    Section::new("issues", "Related issues", &["Related", "Linked issues"],
        r"- \<which issue this closes, or none>"),
];
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
    let mentions = mentions::read(&commits, input.summary.as_deref());
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
    tests.extend(mentions.tests);
    open.extend(titled.open);
    let unmet = criteria.iter().filter(|criterion| criterion.evidence.is_none()).count();
    if unmet > 0 {
        let what = "tick each with what shows it";
        open.push(format!("evidence: not given for {unmet} criteria ({what})"));
    }
    let issues = issues(&input, &story, &mentions.issues);
    let groups = if titled.is_commit { Vec::new() } else { commits::grouped(&commits) };
    let checklist = checklist(&commits, &tests, &input.checklist);
    let page = Page {
        title: prose(&titled.title),
        front: Vec::new(),
        sections: vec![
            SECTIONS[0].with(titled.summary.as_deref()),
            SECTIONS[1].written(commits::written(&groups)),
            SECTIONS[2].written(bullets(tests.iter().map(Test::line))),
            SECTIONS[3].written(bullets(criteria.iter().map(Criterion::line))),
            SECTIONS[4].written(bullets(checklist.iter().map(Criterion::line))),
            SECTIONS[5].written(bullets(issues.iter().map(|issue| linked(issue)))),
        ],
    };
    open.extend(page.open());
    let model = json!({
        "title": titled.title,
        "summary": titled.summary,
        "changes": groups,
        "tests": tests,
        "criteria": criteria,
        "checklist": checklist,
        "issues": issues,
        "story": story.id,
        "open": open,
    });
    let text = engine::render_page(NAME, "assets/template.md.tera", &page)?;
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

/// An issue as Markdown: a number behind a hash is a link on the forge, and no heading.
fn linked(issue: &str) -> String {
    let number = issue.strip_prefix('#').and_then(|rest| rest.parse::<u64>().ok());
    number.map_or_else(|| prose(issue), |_| issue.to_owned())
}

/// The boxes, each with the evidence that ticks it.
fn checklist(commits: &[Commit], tests: &[Test], given: &[TextOr<Criterion>]) -> Vec<Criterion> {
    let known = |text: &str, evidence: Option<&str>| {
        let evidence = evidence.and_then(|evidence| Line::new(evidence).ok());
        Some(Criterion { text: Line::new(text).ok()?, evidence })
    };
    let all_pass = !tests.is_empty() && tests.iter().all(|test| test.passed == Some(true));
    let mut breaking = commits.iter().filter(|commit| commit.message.breaking).peekable();
    let is_breaking = breaking.peek().is_some();
    let is_told = breaking.all(|commit| commit.message.what_breaks().is_some());
    let what_breaks = || {
        let text = "What breaks is described, with what to do about it";
        known(text, is_told.then_some("see Changes"))
    };
    let boxes = [
        known(ALL_PASS, all_pass.then_some("see Testing")),
        known("Tests cover the change", None),
        known("The documentation is up to date", None),
        is_breaking.then(what_breaks).flatten(),
    ];
    let mut boxes: Vec<Criterion> = boxes.into_iter().flatten().collect();
    for TextOr(more) in given {
        match boxes.iter_mut().find(|known| known.text == more.text) {
            Some(known) => known.evidence = known.evidence.take().or_else(|| more.evidence.clone()),
            None => boxes.push(more.clone()),
        }
    }
    boxes
}

/// The story, the given issues, and those that commits and the summary mention, each once.
fn issues(input: &Input, story: &Story, named: &[String]) -> Vec<String> {
    let mut issues: Vec<String> = story.id.iter().map(|id| format!("Story {id}")).collect();
    let number =
        |issue: &str| issue.split_whitespace().find(|word| word.contains('#')).map(str::to_owned);
    for issue in input.issues.iter().map(|issue| &**issue).chain(named.iter().map(String::as_str)) {
        let wanted = number(issue);
        let is_there =
            |known: &String| known == issue || wanted.is_some() && number(known) == wanted;
        if !issues.iter().any(is_there) {
            issues.push(issue.to_owned());
        }
    }
    issues
}
