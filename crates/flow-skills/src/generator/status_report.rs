//! `status-report`: the status of a project or a part of it, from records and messages; of a time that is over, what
//! happened in it.

use std::collections::{BTreeMap, HashMap};

use serde_json::json;

use super::report;
use super::report::{Board, Listing, Log, Report, Times, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::output::{Output, Result};
use crate::page::{Form, Questions, Section};
use crate::project_state::{Context, Epic, Message, Snapshot, Story};
use crate::story::effort::Unit;
use crate::text::title;

const NAME: &str = "status-report";
/// Default beginning of the reported changes of the whole project.
const LATELY: &str = "1 week";
/// What a report on a time that is over leaves out.
const OVER: &str = "The time is over: what is open, blocked or in progress now is left out.";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "since")], ..Definition::of::<Times>() },
    needs: Needs::Nothing,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify_again(text, context, &FORM, &[], generate)),
};

const SECTIONS: &[Section] = &[Section::named("Counts", &[])];
const FORM: Form =
    Form { unless: Some(OVER), questions: Questions::OfRecords, ..Form::new("# Title", SECTIONS) };

fn generate(input: &Times, context: &Context) -> Result<Output> {
    let project = Snapshot::read(&context.state)?.with_records()?;
    let scope = input.scope(Some(LATELY), &project, context)?;
    let log = Log::of_span(context, &scope)?;
    let board = Board::new(&project, &scope, &log);
    // What is recorded of now is no answer to what was then.
    let is_over = scope.span.is_over(&context.now);
    let (mut summary, mut sections) = (Vec::new(), Vec::new());
    if is_over {
        sections.extend([
            rows::list("failed", "Tasks that failed", &board.ended("failed")),
            board.taken_back_section(),
        ]);
    } else {
        summary = vec![progress(&board), board.blocked_line(), board.waiting_line()];
        sections = vec![counts(&board), epic_section(&board)];
        sections.extend(if scope.is_all() {
            board.work_sections()
        } else {
            board.work(&Message::newest(&context.state, "")?, &[]).0
        });
    }
    let of_completed = "story=id, title, owner, completed=completed_at";
    sections.extend([
        rows::stories("completed", "Completed stories", of_completed, &board.completed()),
        rows::list("completed_tasks", "Completed tasks", &board.ended("completed")),
        rows::latest(&board.past),
    ]);
    let mut remarks = scope.remarks(&project);
    if is_over {
        remarks.push(OVER.to_owned());
    } else {
        sections.push(rows::sessions("Active sessions", &board.sessions()));
    }
    summary.push(board.changed_line());
    let report = Report {
        summary,
        remarks,
        sections,
        ..Report::of(NAME, "status-report.md", "Status report", &project)
    };
    report.output(json!({"metrics": project.metrics}))
}

/// How many stories and tasks the scope has, in all and by status, and active sessions.
fn counts(board: &Board<'_>) -> Listing {
    let (stories, snapshot) = (board.stories(|_| true), board.snapshot);
    let tasks = snapshot.tasks.iter().filter(|task| board.scope.has_task(task));
    let tasks = tasks.map(|task| ("tasks", &task.state));
    let mut counts = BTreeMap::from([("sessions active".to_owned(), board.sessions().len())]);
    for (kind, status) in stories.iter().map(|story| ("stories", &story.status)).chain(tasks) {
        *counts.entry(kind.to_owned()).or_default() += 1;
        *counts.entry(format!("{kind} {status}")).or_default() += 1;
    }
    let counts: Vec<(String, usize)> = counts.into_iter().collect();
    Listing::table(
        "counts",
        "Counts",
        "what=name, count",
        &counts,
        |(name, count)| json!({"name": name, "count": count}),
    )
}

/// The progress of the stories of the scope, counted as in `/api/metrics`, in stories and, if each has a size in points, in points.
fn progress(board: &Board<'_>) -> String {
    let count = |is_counted: fn(&Story) -> bool| board.stories(is_counted).len();
    let (done, all) = (count(Story::is_completed), count(|_| true));
    if all == 0 && !board.snapshot.gaps.unread.is_empty() {
        return "Progress: not known, no story could be read.".to_owned();
    }
    let thousandths = (2000 * done + all).checked_div(2 * all).unwrap_or_default();
    let points = |stories: Vec<&Story>| {
        let sizes =
            stories.iter().map(|story| story.effort.filter(|size| size.unit == Unit::Points));
        let sum: Option<u64> = sizes.map(|size| Some(u64::from(size?.most))).sum();
        sum.map(|sum| Unit::Points.show(sum))
    };
    let points = points(board.stories(|_| true)).zip(points(board.stories(Story::is_completed)));
    let points = points
        .filter(|_| all > 0)
        .map(|(all, done)| format!("; {done} of {all}"))
        .unwrap_or_default();
    let archived = match count(|story| story.is_completed() && !story.is_done()) {
        0 => String::new(),
        archived => format!("; {archived} of the completed archived without a time of completion"),
    };
    format!(
        "Progress: {done} of {all} stories completed ({}.{} %{points}), {} in progress, {} in review{archived}.",
        thousandths / 10,
        thousandths % 10,
        count(|story| story.status == "in-progress"),
        count(|story| story.status == "in-review"),
    )
}

/// The epics of the scope, with the progress of their stories in it.
fn epic_section(board: &Board<'_>) -> Listing {
    let mut progress: HashMap<&str, [usize; 3]> = HashMap::new();
    for story in board.stories(|_| true) {
        let epic = story.epic.as_deref().unwrap_or_default();
        let [done, archived, all] = progress.entry(epic).or_default();
        *done += usize::from(story.is_completed());
        *archived += usize::from(story.is_completed() && !story.is_done());
        *all += 1;
    }
    let is_meant = |epic: &&Epic| board.scope.is_all() || progress.contains_key(epic.id.as_str());
    let shown: Vec<&Epic> = board.snapshot.epics.iter().filter(is_meant).collect();
    Listing::table("epics", "Epics", "epic=id, title, status, owner, completed", &shown, |epic| {
        let [done, archived, all] = progress.get(epic.id.as_str()).copied().unwrap_or_default();
        let archived = if archived > 0 {
            format!(", {archived} of them archived without a time")
        } else {
            String::new()
        };
        json!({
            "id": epic.id, "title": title(&epic.title), "status": epic.status, "owner": epic.owner,
            "completed": format!("{done} of {all}{archived}"),
        })
    })
}
