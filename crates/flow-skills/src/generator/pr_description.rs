//! `pr-description`: what a pull request says of itself, from a story, its commits and the evidence that is given.
//!
//! Each commit and each criterion stands there once. A box is ticked only where the input has the evidence.

mod told;

use serde::Serialize;
use serde_json::{Value, json};

use super::conventional::{self, Message};
use super::prose::{one_line, prose};
use crate::fields::{self, bad, bad_text, missing};
use crate::input::Input;
use crate::output::{self, Artifact, Output, Result};
use crate::project_state::Context;
use crate::project_state::recorded;
use crate::project_state::text;
use crate::runtime::engine;
use crate::runtime::git;

/// The skill's name.
pub(super) const NAME: &str = "pr-description";
/// The headings under which commits stand.
const KINDS: [(&str, &[&str]); 5] = [
    ("Features", &["feat"]),
    ("Fixes", &["fix"]),
    ("Documentation", &["docs"]),
    ("Tests", &["test"]),
    ("Other changes", &[]),
];

struct Commit {
    id: Option<String>,
    subject: String,
    message: Option<Message>,
}

#[derive(Serialize)]
struct Criterion {
    text: String,
    evidence: Option<String>,
}

#[derive(Serialize)]
struct Test {
    command: String,
    passed: Option<bool>,
    result: Option<String>,
}

#[derive(Default)]
struct Story {
    id: Option<String>,
    title: Option<String>,
    summary: Option<String>,
    criteria: Vec<Criterion>,
}

/// Makes the description.
///
/// # Errors
/// When there is neither a story nor a commit nor a summary, or a part cannot be used.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let mut story = story(input, context)?;
    story.criteria.extend(criteria("criteria", input.fields.get("criteria"))?);
    evidence(input, &mut story.criteria)?;
    let mut commits = commits(input, context)?;
    commits.extend(told::changes(input));
    let tests = tests(input)?;
    let subjects = told::subjects(input.text("summary").unwrap_or_default());
    commits.extend(subjects.into_iter().map(|subject| commit(None, subject)));
    let summary = told::summary(input).map(|text| fields::lines("summary", text)).transpose()?;
    let summary = summary.or(story.summary.take());
    if commits.is_empty() && summary.is_none() && story.title.is_none() {
        let description = "the commits of the pull request, or a range, a story or a summary";
        return Err(missing("commits", "a list of messages", description));
    }
    let title = title(input, &story, &commits, summary.as_deref())?;
    let mut open = Vec::new();
    if let Some(range) = input.text("range").filter(|_| commits.is_empty()) {
        open.push(format!("Which commits are meant? The range {} has none.", one_line(range)));
    }
    if tests.is_empty() {
        open.push("How was it tested? The input names no test.".to_owned());
    }
    let unproven = story.criteria.iter().filter(|criterion| criterion.evidence.is_none());
    open.extend(unproven.map(|c| {
        format!("What shows that this holds: {}?", one_line(&c.text).trim_end_matches('.'))
    }));
    let issues = issues(input, &story, &commits)?;
    let model = json!({
        "title": title,
        "summary": paragraphs(summary.as_deref(), &commits),
        "changes": changes(&commits),
        "tests": output::value(&tests)?,
        "criteria": output::value(&story.criteria)?,
        "checklist": checklist(&commits, &tests),
        "issues": issues,
        "open": open,
    });
    let text = engine::render_own(NAME, "assets/template.md.tera", &shown(&model))?;
    let mut data = model;
    data["story"] = json!(story.id);
    let artifact = Artifact::new("pull-request.md", "markdown", text);
    Ok(Output { data, artifacts: vec![artifact], open, notes: Vec::new() })
}

/// The model with every text as Markdown.
fn shown(model: &Value) -> Value {
    match model {
        Value::String(text) => Value::from(prose(text)),
        Value::Array(items) => items.iter().map(shown).collect(),
        Value::Object(members) => {
            let pairs = members.iter().map(|(name, value)| (name.clone(), shown(value)));
            Value::Object(pairs.collect())
        }
        other => other.clone(),
    }
}

/// The story: from the project, or from the skill before.
fn story(input: &Input, context: &Context) -> Result<Story> {
    if let Some((_, data)) = &input.upstream {
        let text = |name: &str| data.get(name).and_then(Value::as_str).map(str::to_owned);
        let from = data.get("acceptance_criteria").or_else(|| data.get("criteria"));
        let criteria =
            from.map_or(Ok(Vec::new()), |from| criteria("upstream.criteria", Some(from)))?;
        let summary = text("description");
        return Ok(Story { id: text("id"), title: text("title"), summary, criteria });
    }
    let Some(record) = recorded::record(input, context)? else { return Ok(Story::default()) };
    // The record's own list may say what shows that each holds.
    let written = record.record.get("acceptance_criteria").filter(|list| list.is_array());
    let criteria = match written {
        Some(list) => criteria("acceptance_criteria", Some(list))?,
        None => criteria("acceptance_criteria", Some(&json!(record.criteria)))?,
    };
    Ok(Story {
        summary: text(&record.record, &["description", "summary", "goal"]),
        criteria,
        id: Some(record.id),
        title: Some(record.title),
    })
}

fn criteria(field: &str, given: Option<&Value>) -> Result<Vec<Criterion>> {
    let one = |(at, value): (usize, &Value)| {
        let path = format!("{field}[{at}]");
        if let Value::String(text) = value {
            return Ok(Criterion { text: text.clone(), evidence: None });
        }
        let text = ["text", "title", "name"]
            .iter()
            .find_map(|name| fields::member(value, &path, name).ok()?);
        let text = text.ok_or_else(|| missing(&format!("{path}.text"), "text", "the criterion"))?;
        let evidence = fields::member(value, &path, "evidence")?.map(str::to_owned);
        Ok(Criterion { text: text.to_owned(), evidence })
    };
    match given {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![Criterion { text: text.clone(), evidence: None }]),
        Some(Value::Array(items)) => items.iter().enumerate().map(one).collect(),
        Some(other) => Err(bad(field, other, "a list of texts, or of {text, evidence}")),
    }
}

/// What shows that a criterion holds: by its number, from 1, or by its text.
fn evidence(input: &Input, criteria: &mut [Criterion]) -> Result<()> {
    for (at, value) in input.list("evidence").iter().enumerate() {
        let path = format!("evidence[{at}]");
        let wanted = value.get("criterion").unwrap_or(&Value::Null);
        let count = criteria.len();
        let is_meant = |place: usize, criterion: &Criterion| match wanted {
            Value::Number(number) => number.as_u64() == Some(place as u64 + 1),
            Value::String(text) => {
                text.trim().parse() == Ok(place + 1) || one_line(text) == one_line(&criterion.text)
            }
            _ => false,
        };
        let found =
            criteria.iter_mut().enumerate().find(|(place, criterion)| is_meant(*place, criterion));
        let allowed = format!("the text of a criterion, or its number, 1 to {count}");
        let (_, criterion) =
            found.ok_or_else(|| bad(&format!("{path}.criterion"), wanted, &allowed))?;
        let text = fields::member(value, &path, "evidence")?.ok_or_else(|| {
            missing(&format!("{path}.evidence"), "text", "what shows that it holds")
        })?;
        criterion.evidence = Some(text.to_owned());
    }
    Ok(())
}

fn commits(input: &Input, context: &Context) -> Result<Vec<Commit>> {
    let mut commits: Vec<Commit> = Vec::new();
    for (at, value) in input.list("commits").iter().enumerate() {
        let path = format!("commits[{at}]");
        let (id, message) = if let Value::String(message) = value {
            (None, message.as_str())
        } else {
            let message = fields::member(value, &path, "message")?.ok_or_else(|| {
                missing(&format!("{path}.message"), "text", "the commit's message")
            })?;
            (fields::member(value, &path, "id")?, message)
        };
        if message.trim().is_empty() {
            return Err(bad_text(&path, message, "a message"));
        }
        commits.push(commit(id, message));
    }
    if let Some(range) = fields::line(input, "range")? {
        let found = git::commits(&context.folder, "range", range)?;
        commits.extend(found.iter().map(|found| commit(Some(&found.id), &found.message)));
    }
    let mut seen = std::collections::HashSet::new();
    commits.retain(|commit| commit.id.as_ref().is_none_or(|id| seen.insert(id.clone())));
    Ok(commits)
}

fn commit(id: Option<&str>, message: &str) -> Commit {
    let message = message.trim();
    let subject = one_line(message.lines().next().unwrap_or_default());
    let id =
        id.map(|id| one_line(id).chars().filter(char::is_ascii_alphanumeric).take(10).collect());
    Commit { id, subject, message: conventional::parse(message) }
}

fn tests(input: &Input) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for (at, value) in input.list("tests").iter().enumerate() {
        let path = format!("tests[{at}]");
        if let Value::String(command) = value {
            tests.push(Test { command: command.clone(), passed: None, result: None });
            continue;
        }
        let command = fields::member(value, &path, "command")?
            .ok_or_else(|| missing(&format!("{path}.command"), "text", "what was run or tried"))?;
        let passed = match value.get("passed") {
            None | Some(Value::Null) => None,
            Some(Value::Bool(passed)) => Some(*passed),
            Some(other) => return Err(bad(&format!("{path}.passed"), other, "true or false")),
        };
        let result = fields::member(value, &path, "result")?.map(str::to_owned);
        tests.push(Test { command: command.to_owned(), passed, result });
    }
    Ok(tests)
}

fn title(
    input: &Input,
    story: &Story,
    commits: &[Commit],
    summary: Option<&str>,
) -> Result<String> {
    if let Some(title) = fields::line(input, "title")? {
        return Ok(title.to_owned());
    }
    let first = summary.and_then(|text| text.lines().next()).map(|line| {
        line.split_once(". ")
            .map_or(line, |(sentence, _)| sentence)
            .trim_end_matches('.')
            .to_owned()
    });
    let only = match commits {
        [commit] => Some(commit.subject.clone()),
        _ => None,
    };
    let newest = || commits.last().map(|commit| commit.subject.clone());
    let named = story.title.clone().map(|title| match &story.id {
        Some(id) => format!("{title} ({id})"),
        None => title,
    });
    let title =
        named.or(told::release(input)).or(only).or(first).or_else(newest).unwrap_or_default();
    Ok(one_line(&title))
}

/// The summary's paragraphs; without one, what the commits count.
fn paragraphs(summary: Option<&str>, commits: &[Commit]) -> Vec<String> {
    if let Some(summary) = summary {
        return summary
            .split("\n\n")
            .map(str::to_owned)
            .filter(|part| !part.trim().is_empty())
            .collect();
    }
    let plural =
        |count: usize| if count == 1 { "1 commit".to_owned() } else { format!("{count} commits") };
    if commits.is_empty() {
        return vec!["No commits are given.".to_owned()];
    }
    let parts: Vec<String> = grouped(commits)
        .into_iter()
        .map(|(heading, commits)| format!("{} under {heading}", commits.len()))
        .collect();
    vec![format!("{}: {}.", plural(commits.len()), parts.join(", "))]
}

fn grouped(commits: &[Commit]) -> Vec<(&'static str, Vec<&Commit>)> {
    let heading = |commit: &Commit| {
        let kind = commit.message.as_ref().map_or("", |message| message.kind.as_str());
        KINDS
            .iter()
            .find(|(_, kinds)| kinds.contains(&kind))
            .map_or("Other changes", |(heading, _)| heading)
    };
    let of = |wanted: &'static str| {
        (wanted, commits.iter().filter(|commit| heading(commit) == wanted).collect::<Vec<_>>())
    };
    KINDS
        .iter()
        .map(|(heading, _)| of(heading))
        .filter(|(_, commits)| !commits.is_empty())
        .collect()
}

fn changes(commits: &[Commit]) -> Value {
    let one = |commit: &&Commit| {
        let breaks = commit.message.as_ref().filter(|message| message.breaking);
        json!({
            "id": commit.id,
            "subject": commit.subject,
            "breaking": breaks.is_some(),
            "what_breaks": breaks.and_then(Message::what_breaks),
        })
    };
    grouped(commits)
        .into_iter()
        .map(|(heading, commits)| json!({"heading": heading, "commits": commits.iter().map(one).collect::<Vec<_>>()}))
        .collect()
}

/// The boxes, each with what ticks it.
fn checklist(commits: &[Commit], tests: &[Test]) -> Value {
    let of = |kind: &str| {
        let found =
            commits.iter().filter(|c| c.message.as_ref().is_some_and(|m| m.kind == kind)).count();
        (found > 0).then(|| format!("{found} of the commits"))
    };
    let all_pass = !tests.is_empty() && tests.iter().all(|test| test.passed == Some(true));
    let breaking: Vec<&Message> = commits
        .iter()
        .filter_map(|commit| commit.message.as_ref())
        .filter(|m| m.breaking)
        .collect();
    let is_told =
        !breaking.is_empty() && breaking.iter().all(|message| message.what_breaks().is_some());
    let mut boxes = vec![
        json!({"text": "All tests pass", "evidence": all_pass.then_some("see Testing")}),
        json!({"text": "Tests cover the change", "evidence": of("test")}),
        json!({"text": "The documentation is up to date", "evidence": of("docs")}),
    ];
    if !breaking.is_empty() {
        boxes.push(json!({
            "text": "What breaks is described, with what to do about it",
            "evidence": is_told.then_some("see Changes"),
        }));
    }
    Value::from(boxes)
}

/// The story and the issues that the commits name, each once.
fn issues(input: &Input, story: &Story, commits: &[Commit]) -> Result<Vec<String>> {
    let mut found: Vec<String> = story.id.iter().map(|id| format!("Story {id}")).collect();
    let stated = fields::texts("issues", input.fields.get("issues"))?;
    let footers = commits
        .iter()
        .filter_map(|commit| commit.message.as_ref())
        .flat_map(|message| &message.footers);
    let named = footers.filter(|footer| footer.value.contains('#') && !footer.is_breaking());
    let named = named.map(|footer| format!("{} {}", footer.token, footer.value));
    for issue in stated.into_iter().chain(named) {
        let issue = one_line(&issue);
        if !issue.is_empty() && !found.contains(&issue) {
            found.push(issue);
        }
    }
    Ok(found)
}
