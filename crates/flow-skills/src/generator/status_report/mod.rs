//! `status-report`: the status of a project. The counts are those of `/api/metrics`, the rest comes from records and
//! messages.

mod lists;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::live::{self, Expected, Page, Questions};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::Line;
use crate::output::{Output, Result};
use crate::project_state::changes::Changes;
use crate::project_state::exchange::{Blocks, unanswered};
use crate::project_state::open::Open;
use crate::project_state::span::Span;
use crate::project_state::{
    Context, Epic, Kind, Message, Snapshot, Story, id_prefix, message, rows, say, summary,
};
use crate::text::{line, title};
use lists::Lists;

const NAME: &str = "status-report";
/// Default beginning of the reported changes.
const LATELY: &str = "1 week";
/// The kinds of messages that describe the current state.
const STANDING: [Kind; 5] =
    [Kind::Blocked, Kind::Unblocked, Kind::Failed, Kind::Question, Kind::Answer];

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "since")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| live::verify(text, context, &EXPECTED)),
};

const EXPECTED: Expected = Expected {
    sections: &[&["Counts"], &["Stories by status", "Tasks by state"]],
    unless: None,
    questions: Questions::OfRecords,
};

/// The scope of the report. Default: the whole project, with the changes of the last week.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The beginning of the reported changes: a time, a date, or yesterday, monday, last week, 2 weeks; also `A until
    /// B`. Default: one week ago. The id of an epic alone is taken for `epic`.
    #[schemars(extend("x-labels" = ["From"]))]
    since: Option<Line>,
    /// Their end, in the same forms; a date includes its whole day.
    until: Option<Line>,
    /// The id of an epic: only its stories and what concerns them are listed. The tables of counts are those of the
    /// whole project.
    epic: Option<Line>,
    /// The report's title.
    title: Option<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let state = &context.state;
    let (snapshot, metrics) = Snapshot::with_metrics(state)?;
    live::refuse_empty(&snapshot, &metrics)?;
    // An id alone is that of an epic.
    let is_id = |text: &&str| snapshot.epic(text).is_some() || id_prefix(text).is_some();
    let (since, epic) = match (input.since.as_deref(), input.epic.as_deref()) {
        (Some(id), None) if is_id(&id) => (None, Some(id)),
        given => given,
    };
    let epic = epic.map(|id| snapshot.named_epic("epic", id)).transpose()?;
    let until = input.until.as_deref();
    let since = since.or(until.is_none().then_some(LATELY));
    let span = Span::read(since, until, &context.now)?;
    let span = span.until_now(&context.now, snapshot.time.as_deref());
    let messages = Message::all(state, &span.parameters())?;
    let standing = Message::newest_of(state, &STANDING, message::SEARCHED)?;
    let open = Open::of(&snapshot, |_| true);
    let lists = Lists {
        snapshot: &snapshot,
        open: &open,
        span: &span,
        messages: &messages,
        standing: &standing,
        blocks: Blocks::standing(&standing),
        ours: epic.map(|epic| lists::stories_of(&snapshot, epic)),
    };
    let problems = state.get("/api/problems")?;
    let epics = state.list("epics", "")?.records;
    let data = data(&lists, &metrics, epic, &epics, &problems);
    let mut view = json!({
        "of": epic.map(|epic| format!("{} ({})", epic.title, epic.id)),
        "counts": counts(&metrics, &problems["count"]),
        "status_columns": columns("status", "stories", epic),
        "state_columns": columns("state", "tasks", epic),
        "count_members": if epic.is_some() { json!(["name", "count", "here"]) } else { json!(["name", "count"]) },
    });
    if epic.is_none() {
        view["epics"] = unfinished(&data["epics"]);
    }
    let page = Page {
        skill: NAME,
        file: "status-report.md".to_owned(),
        title: title(input.title.as_deref().unwrap_or("Status report")),
        summary: lines(&lists),
        snapshot: &snapshot,
        open: lists.questions(),
    };
    page.output(data, &view)
}

/// The content of the report, for the template and the next skill.
fn data(
    lists: &Lists<'_>,
    metrics: &Value,
    epic: Option<&Epic>,
    epics: &[Value],
    problems: &Value,
) -> Value {
    json!({
        "time": lists.snapshot.time,
        "span": {"since": lists.span.since, "until": lists.span.until},
        "epic": epic.map(|epic| &epic.id),
        "metrics": metrics,
        "statuses": counted(&metrics["stories"]["by_status"], |status| lists.stories(|story| story.status == status).len()),
        "states": counted(&metrics["tasks"]["by_state"], |state| lists.tasks(state).len()),
        "epics": epic_rows(epics, epic),
        "in_progress": say::limit_rows(&lists.stories(Story::is_begun), |story| rows::story(story)),
        "running": say::limit_rows(&lists.tasks("running"), |task| rows::task(task)),
        "blocked": lists.blocked(),
        "blocked_tasks": lists.blocked_tasks(),
        "completed": lists.completed(),
        "completed_tasks": lists.completed_tasks(),
        "failed": lists.failed(),
        "sessions": lists.sessions(),
        "problems": {"count": problems["count"], "list": listed_problems(problems)},
    })
}

/// The summary: progress, what is blocked, who waits for whom, and what changed.
fn lines(lists: &Lists<'_>) -> Vec<String> {
    let is_within = |story: &Story| lists.is_within(Some(&story.id));
    let questions: Vec<&Message> = unanswered(lists.standing)
        .into_iter()
        .filter(|question| lists.is_within(question.story.as_deref()))
        .collect();
    let within = |story: Option<&str>| lists.is_within(story);
    let changes = Changes::of(lists.snapshot, lists.span, lists.messages, within);
    vec![
        progress(lists),
        summary::blocked(lists.open, &lists.blocks, is_within),
        summary::waiting(lists.open, &questions, is_within),
        format!("{}: {}.", lists.span.qualify("Changed"), changes.phrase()),
    ]
}

/// The progress of the listed stories, with the percentage rounded to one decimal as in `/api/metrics`.
fn progress(lists: &Lists<'_>) -> String {
    let count = |is_counted: fn(&Story) -> bool| lists.stories(is_counted).len();
    let (done, all) = (count(Story::is_completed), count(|_| true));
    let thousandths = (2000 * done + all).checked_div(2 * all).unwrap_or_default();
    format!(
        "Progress: {done} of {all} stories completed ({}.{} %), {} in progress, {} in review.",
        thousandths / 10,
        thousandths % 10,
        count(|story| story.status == "in-progress"),
        count(|story| story.status == "in-review"),
    )
}

fn counts(metrics: &Value, problems: &Value) -> Value {
    let all = [
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
    say::limit_rows(&all, |(name, count)| json!({"name": name, "count": count}))
}

fn columns(name: &str, what: &str, epic: Option<&Epic>) -> Vec<String> {
    let mut columns = vec![name.to_owned(), what.to_owned()];
    columns.extend(epic.map(|_| "in the epic".to_owned()));
    columns
}

/// Counts by name as in `/api/metrics`, and the number of each within the epic, without zero counts.
fn counted(counts: &Value, here: impl Fn(&str) -> usize) -> Value {
    let counts = counts.as_object().into_iter().flatten();
    let counts: Vec<(&String, &Value)> = counts.filter(|(_, count)| **count != json!(0)).collect();
    say::limit_rows(&counts, |(name, count)| {
        let shown = if line(name).is_empty() { "(blank)" } else { name };
        json!({"name": shown, "count": count, "here": here(name)})
    })
}

/// The epics with their progress as in `/api/epics`.
fn epic_rows(epics: &[Value], epic: Option<&Epic>) -> Value {
    let rows: Vec<(Epic, &Value)> =
        epics.iter().map(|record| (Epic::read(record), &record["progress"])).collect();
    let meant = |(found, _): &&(Epic, &Value)| epic.is_none_or(|epic| epic.id == found.id);
    let mut rows: Vec<&(Epic, &Value)> = rows.iter().filter(meant).collect();
    // Those with something to do come first, each part in the order of the file.
    rows.sort_by_key(|(_, progress)| progress["stories_completed"] == progress["stories_total"]);
    say::limit_rows(&rows, |(epic, progress)| {
        let (done, total) = (&progress["stories_completed"], &progress["stories_total"]);
        json!({
            "id": epic.id, "title": title(&epic.title), "status": epic.status, "owner": epic.owner,
            "completed": done, "total": total, "progress": format!("{done} of {total}"),
        })
    })
}

/// The epics of [`epic_rows`] without those whose stories are all completed, which are counted.
fn unfinished(epics: &Value) -> Value {
    let rows = epics["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let is_left = |row: &&Value| row["completed"] != row["total"] || row["total"] == 0;
    let left: Vec<&Value> = rows.iter().filter(is_left).collect();
    json!({"rows": left, "rest": epics["rest"], "finished": rows.len() - left.len()})
}

fn listed_problems(problems: &Value) -> Value {
    let all = problems["problems"].as_array().map_or(&[][..], Vec::as_slice);
    say::limit_rows(all, |problem| {
        let place = match &problem["id"] {
            Value::String(id) => line(id),
            _ => format!("line {}", problem["line"]),
        };
        let cite = format!("{} {place}", problem["source"].as_str().unwrap_or_default());
        rows::quote(problem["reason"].as_str().unwrap_or_default(), &cite)
    })
}
