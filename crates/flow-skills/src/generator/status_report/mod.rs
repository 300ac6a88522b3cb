//! `status-report`: the status of a project. The counts are those of `/api/metrics`, the rest comes from records and
//! messages.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report::{
    self, Board, Completion, Expected, Fields, Kind as Name, Log, Page, Project, Questions,
};
use super::report::{Section, rows};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::Line;
use crate::output::{Output, Result};
use crate::project_state::{Context, Epic, Kind, Message, Story, Task, say};
use crate::text::{line, title};
use flow_model::time::{self, Edge};

const NAME: &str = "status-report";
/// Default beginning of the reported changes.
const LATELY: &str = "1 week";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "since")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify(text, context, &EXPECTED)),
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
    /// B`. Default: one week ago. Ids and names before it limit the lists: `EP-0001 api since monday`.
    #[schemars(extend("x-labels" = ["From"]))]
    since: Option<Line>,
    /// Their end, in the same forms; a date includes its whole day.
    until: Option<Line>,
    /// Ids of epics: only their stories and what concerns them are listed. The tables of counts are those of the
    /// whole project.
    epic: Option<Line>,
    /// Owners of stories: only theirs and what concerns them are listed.
    owner: Option<Line>,
    /// The report's title.
    title: Option<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Project::read(context)?;
    let fields = Fields {
        about: input.since.as_deref().map(|text| ("since", text)),
        named: vec![(Name::Epic, &input.epic), (Name::Owner, &input.owner)],
        until: input.until.as_deref(),
        lately: Some(LATELY),
        ..Fields::default()
    };
    let scope = project.scope(&fields, context)?;
    let log = Log::of_span(context, &scope)?;
    let board = Board::new(&project, &scope, &log);
    let problems = context.state.get("/api/problems")?;
    let epics = context.state.list("epics", "")?.records;
    let lists = (!scope.is_all()).then(|| format!("Lists are of the {} alone.", scope.phrase()));
    let page = Page {
        skill: NAME,
        file: "status-report.md".to_owned(),
        title: title(input.title.as_deref().unwrap_or("Status report")),
        summary: vec![
            progress(&board),
            board.blocked_line(),
            board.waiting_line(),
            board.changed_line(),
        ],
        remarks: lists.into_iter().collect(),
        sections: sections(&board, &project.metrics, &epics, &problems),
        snapshot: Some(&project.snapshot),
        open: questions(&board),
    };
    let span = &scope.span;
    page.output(json!({
        "span": {"since": span.since, "until": span.until},
        "about": scope.names.iter().map(|(_, name)| name).collect::<Vec<_>>(),
        "metrics": project.metrics,
    }))
}

fn sections(board: &Board<'_>, metrics: &Value, epics: &[Value], problems: &Value) -> Vec<Section> {
    let (by_status, by_state) = if board.scope.is_all() {
        ("status=name, stories=count", "state=name, tasks=count")
    } else {
        ("status=name, stories=count, listed=here", "state=name, tasks=count, listed=here")
    };
    let counted = |name: &str, count: &Value, here: usize| json!({"name": rows::counted_name(name), "count": count, "here": here});
    let statuses = non_zero(&metrics["stories"]["by_status"]);
    let states = non_zero(&metrics["tasks"]["by_state"]);
    let place = "session=name, id, story, branch, path, last active";
    let all_problems = problems["problems"].as_array().map_or(&[][..], Vec::as_slice);
    vec![
        Section::table(
            "counts",
            "Counts",
            "what=name, count",
            &counts(metrics, &problems["count"]),
            |(name, count)| json!({"name": name, "count": count}),
        ),
        Section::table("statuses", "Stories by status", by_status, &statuses, |(status, count)| {
            counted(status, count, board.stories(|story| story.status == **status).len())
        }),
        Section::table("states", "Tasks by state", by_state, &states, |(state, count)| {
            counted(state, count, board.tasks(state).len())
        }),
        epic_section(board, epics),
        rows::stories("in_progress", "In progress", &board.stories(Story::is_begun)),
        rows::tasks("running", "Running tasks", &board.tasks("running")),
        board.blocked_section(),
        Section::list(
            "blocked_tasks",
            "Blocked tasks of other stories",
            &blocked_tasks(board),
            |task| rows::halted(task),
        ),
        rows::stories("on_hold", "On hold", &board.on_hold()),
        Section::table(
            "completed",
            "Completed stories",
            "story=id, title, owner, completed=completed_at",
            &board.completed(),
            |story| rows::story(story),
        ),
        Section::list("completed_tasks", "Completed tasks", &board.completions(), Completion::row),
        Section::list("failed", "Failed tasks", &board.tasks("failed"), |task| failed(board, task)),
        Section::table("sessions", "Active sessions", place, &board.sessions(), |session| {
            rows::session(session)
        }),
        Section::list("problems", "Problems in the files", all_problems, problem),
    ]
}

/// The progress of the listed stories, with the percentage rounded to one decimal as in `/api/metrics`.
fn progress(board: &Board<'_>) -> String {
    let count = |is_counted: fn(&Story) -> bool| board.stories(is_counted).len();
    let (done, all) = (count(Story::is_completed), count(|_| true));
    let thousandths = (2000 * done + all).checked_div(2 * all).unwrap_or_default();
    let archived = match count(|story| story.is_completed() && !story.is_done()) {
        0 => String::new(),
        archived => format!("; {archived} of them archived without a time of completion"),
    };
    format!(
        "Progress: {done} of {all} stories completed ({}.{} %{archived}), {} in progress, {} in review.",
        thousandths / 10,
        thousandths % 10,
        count(|story| story.status == "in-progress"),
        count(|story| story.status == "in-review"),
    )
}

fn counts<'a>(metrics: &'a Value, problems: &'a Value) -> [(&'static str, &'a Value); 9] {
    [
        ("stories", &metrics["stories_total"]),
        ("stories completed", &metrics["stories_completed"]),
        ("completed, percent", &metrics["completion_percent"]),
        ("epics", &metrics["epics"]["total"]),
        ("tasks", &metrics["tasks"]["total"]),
        ("sessions", &metrics["sessions"]["total"]),
        ("sessions active", &metrics["sessions"]["active"]),
        ("messages", &metrics["bus"]["total"]),
        ("problems in the files", problems),
    ]
}

/// Counts by name as in `/api/metrics`, without those that are zero.
fn non_zero(counts: &Value) -> Vec<(&String, &Value)> {
    counts.as_object().into_iter().flatten().filter(|(_, count)| **count != json!(0)).collect()
}

/// The epics of the scope with their progress as in `/api/epics`; those with something to do come first. Of the whole
/// project, epics without anything to do are only counted.
fn epic_section(board: &Board<'_>, epics: &[Value]) -> Section {
    let scope = board.scope;
    let is_meant = |epic: &Epic| {
        let is_named = scope.names.contains(&(Name::Epic, epic.id.as_str()));
        let is_of_story =
            || !board.stories(|story| story.epic.as_ref() == Some(&epic.id)).is_empty();
        scope.is_all() || is_named || is_of_story()
    };
    let is_finished = |progress: &Value| {
        progress["stories_completed"] == progress["stories_total"] && progress["stories_total"] != 0
    };
    let all = epics.iter().map(|record| (Epic::read(record), &record["progress"]));
    let meant: Vec<(Epic, &Value)> = all.filter(|(epic, _)| is_meant(epic)).collect();
    let (finished, open): (Vec<_>, Vec<_>) =
        meant.iter().partition(|(_, progress)| is_finished(progress));
    let shown = if scope.is_all() { open } else { [open, finished.clone()].concat() };
    let count = say::counted(finished.len(), "more epic", "more epics");
    let intro = (scope.is_all() && !finished.is_empty())
        .then(|| format!("All stories of {count} are completed."));
    let columns = "epic=id, title, status, owner, completed=progress";
    let section = Section::table("epics", "Epics", columns, &shown, |(epic, progress)| {
        let (done, total) = (&progress["stories_completed"], &progress["stories_total"]);
        json!({
            "id": epic.id, "title": title(&epic.title), "status": epic.status, "owner": epic.owner,
            "completed": done, "total": total, "progress": format!("{done} of {total}"),
        })
    });
    section.with_intro(intro)
}

/// The blocked tasks of stories that are not blocked themselves.
fn blocked_tasks<'a>(board: &Board<'a>) -> Vec<&'a Task> {
    let blocked: HashSet<&str> =
        board.blocked().into_iter().map(|at| board.open.graph.id(at)).collect();
    let mut tasks = board.tasks("blocked");
    tasks.retain(|task| !task.story.as_deref().is_some_and(|story| blocked.contains(story)));
    tasks
}

/// A failed task, with the last message about the failure.
fn failed(board: &Board<'_>, task: &Task) -> Value {
    let is_about = |message: &&Message| {
        message.kind == Kind::Failed && message.task.as_ref() == Some(&task.id)
    };
    let message = board.talk.iter().rfind(is_about);
    let words = message.and_then(Message::excerpt);
    let mut said = vec![format!("{}: {}", line(&task.id), line(&task.description))];
    said.extend(task.error.as_deref().map(line));
    said.extend(words.clone().filter(|words| !said.contains(words)));
    let mut cites = vec![rows::cite_task(task)];
    cites.extend(message.filter(|_| words.is_some()).map(Message::cite));
    let mut row = rows::task(task);
    row["said"] = said.join("; ").into();
    row["cite"] = cites.join("; ").into();
    row
}

fn problem(problem: &Value) -> Value {
    let place = match &problem["id"] {
        Value::String(id) => line(id),
        _ => format!("line {}", problem["line"]),
    };
    let cite = format!("{} {place}", problem["source"].as_str().unwrap_or_default());
    rows::quote(problem["reason"].as_str().unwrap_or_default(), &cite)
}

/// What a report needs and is not recorded, worded as what to add.
fn questions(board: &Board<'_>) -> Vec<String> {
    let bare = board.blocked().into_iter().filter(|at| board.reasons(*at).is_empty());
    let bare = bare.map(|at| board.open.graph.id(at));
    let ownerless = board.stories(|story| story.is_begun() && story.owner.is_none());
    let mut open: Vec<String> = say::not_recorded("blocked_by", bare).into_iter().collect();
    open.extend(say::not_recorded("owner", ownerless.iter().map(|story| story.id.as_str())));
    if board.scope.span.is_all() {
        return open;
    }
    let completed = board.stories(Story::is_completed);
    let timeless = completed.iter().filter(|story| story.completed_at.is_none());
    open.extend(say::not_recorded("completed_at", timeless.map(|story| story.id.as_str())));
    let unread = completed.iter().filter_map(|story| {
        let at = story.completed_at.as_deref()?;
        let is_unread = time::parse(at, Edge::Start).is_none();
        is_unread.then(|| (story.id.as_str(), format!("{at:?}")))
    });
    let form = "2026-01-31 or 2026-01-31T12:00:00Z";
    open.extend(say::not_readable("completed_at: not a time", unread, form));
    open
}
