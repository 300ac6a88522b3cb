//! `status-report`: the status of a project. The counts are those of `/api/metrics`, the rest comes from records and
//! messages.

use std::collections::{HashMap, HashSet};

use indexmap::IndexSet;
use serde_json::{Value, json};

use super::report;
use super::report::{Board, Completion, Listing, Log, Report, Times, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::output::{Output, Result};
use crate::page::{Form, Questions, Section};
use crate::project_state::names::{Name, Named};
use crate::project_state::say::joined;
use crate::project_state::{Context, Epic, Snapshot, Story};
use crate::text::title;

const NAME: &str = "status-report";
/// Default beginning of the reported changes.
const LATELY: &str = "1 week";
/// Number of statuses that the progress names.
const NAMED: usize = 5;

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "since")], ..Definition::of::<Times>() },
    needs: Needs::Nothing,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify_again(text, context, &FORM, &[], generate)),
};

const SECTIONS: &[Section] =
    &[Section::named("Counts", &[]), Section::named("Stories by status", &["Tasks by state"])];
const FORM: Form = Form { questions: Questions::OfRecords, ..Form::new("# Title", SECTIONS) };

fn generate(input: &Times, context: &Context) -> Result<Output> {
    let project = Snapshot::read(&context.state)?.with_records()?;
    let scope = input.scope(Some(LATELY), &project, context)?;
    let log = Log::of_span(context, &scope)?;
    let board = Board::new(&project, &scope, &log);
    let problems = context.state.get("/api/problems")?["count"].clone();
    let mut remarks = Vec::new();
    if !scope.is_all() {
        let phrase = scope.phrase();
        remarks.push(format!("All but the tables Counts and Epics is about the {phrase} alone."));
    }
    let report = Report {
        summary: vec![
            progress(&board),
            board.blocked_line(),
            board.waiting_line(),
            board.changed_line(),
        ],
        remarks,
        sections: sections(&board, &problems),
        ..Report::of(NAME, "status-report.md", "Status report", &project)
    };
    report.output(json!({"metrics": project.metrics}))
}

fn sections(board: &Board<'_>, problems: &Value) -> Vec<Listing> {
    let metrics = &board.snapshot.metrics;
    let of_completed = "story=id, title, owner, completed=completed_at";
    let stories = board.stories(|_| true);
    let statuses = stories.iter().map(|story| story.status.as_str());
    let statuses = tally(&metrics["stories"]["by_status"], statuses);
    let tasks = board.snapshot.tasks.iter().filter(|task| board.scope.has_task(task));
    let states = tally(&metrics["tasks"]["by_state"], tasks.map(|task| task.state.as_str()));
    let row = |(name, count): &(&str, usize)| json!({"name": name, "count": count});
    let counts = counts(metrics, problems);
    let of_status = "status=name, stories=count";
    let mut all = vec![
        Listing::table("counts", "Counts", "what=name, count", &counts, Value::clone),
        Listing::table("statuses", "Stories by status", of_status, &statuses, row),
        Listing::table("states", "Tasks by state", "state=name, tasks=count", &states, row),
        epic_section(board),
    ];
    all.extend(board.work_sections());
    all.extend([
        rows::stories("completed", "Completed stories", of_completed, &board.completed()),
        Listing::list("completed_tasks", "Completed tasks", &board.completions(), Completion::row),
        rows::sessions("Active sessions", &board.sessions()),
    ]);
    all
}

/// How often each name that `/api/metrics` counts is among those of the scope, in its order, without zeros.
fn tally<'a>(metrics: &'a Value, names: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let names = metrics.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    names.filter_map(|name| Some((name, *counts.get(name)?))).collect()
}

/// The progress of the listed stories, with the percentage rounded to one decimal as in `/api/metrics`.
fn progress(board: &Board<'_>) -> String {
    let count = |is_counted: fn(&Story) -> bool| board.stories(is_counted).len();
    let (done, all) = (count(Story::is_completed), count(|_| true));
    if all == 0 && !board.snapshot.gaps.unread.is_empty() {
        return "Progress: not known, no story could be read.".to_owned();
    }
    let thousandths = (2000 * done + all).checked_div(2 * all).unwrap_or_default();
    let archived = match count(|story| story.is_completed() && !story.is_done()) {
        0 => String::new(),
        archived => format!("; {archived} of them archived without a time of completion"),
    };
    let others = board.stories(Story::has_other_status);
    let words: IndexSet<&str> = others.iter().map(|story| story.status.as_str()).collect();
    let others = match others.len() {
        0 => String::new(),
        count => format!(", {count} with another status ({})", joined(&words, NAMED, ", ")),
    };
    format!(
        "Progress: {done} of {all} stories completed ({}.{} %{archived}), {} in progress, {} in review{others}.",
        thousandths / 10,
        thousandths % 10,
        count(|story| story.status == "in-progress"),
        count(|story| story.status == "in-review"),
    )
}

fn counts(metrics: &Value, problems: &Value) -> [Value; 9] {
    let counts = [
        ("stories", &metrics["stories_total"]),
        ("stories completed", &metrics["stories_completed"]),
        ("completed, percent", &metrics["completion_percent"]),
        ("epics", &metrics["epics"]["total"]),
        ("tasks", &metrics["tasks"]["total"]),
        ("sessions", &metrics["sessions"]["total"]),
        ("sessions active", &metrics["sessions"]["active"]),
        ("messages", &metrics["bus"]["total"]),
        ("problems in the files", problems),
    ];
    counts.map(|(name, count)| json!({"name": name, "count": count}))
}

/// The epics of the scope with their progress as in `/api/epics`.
fn epic_section(board: &Board<'_>) -> Listing {
    let scope = board.scope;
    let stories = board.stories(|_| true);
    let of_stories: HashSet<&str> = stories.iter().filter_map(|one| one.epic.as_deref()).collect();
    let is_meant = |epic: &&Epic| {
        let name = Name { kind: Named::Epic, id: epic.id.clone() };
        scope.is_all() || of_stories.contains(epic.id.as_str()) || scope.names.contains(&name)
    };
    let shown: Vec<&Epic> = board.snapshot.epics.iter().filter(is_meant).collect();
    Listing::table("epics", "Epics", "epic=id, title, status, owner, completed", &shown, |epic| {
        json!({
            "id": epic.id, "title": title(&epic.title), "status": epic.status, "owner": epic.owner,
            "completed": format!("{} of {}", epic.completed, epic.stories),
        })
    })
}
