//! `blocker-analysis`: what is blocked in a project, what each blocker holds up, the critical path, and what is ready.
//!
//! It evaluates the records and proposes no remedy.

use std::cmp::Reverse;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report;
use super::report::{Board, Fields, Listing, Log, Open, Report, Scope, contradictions, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values::Names;
use crate::output::{Output, Result};
use crate::page::{Form, Questions, Section};
use crate::project_state::graph::Graph;
use crate::project_state::names::{Name, Named};
use crate::project_state::say::{counted, ids, joined};
use crate::project_state::{Context, Snapshot, Story, Task, say};
use crate::reach::{counts, reached};
use crate::text::line;

pub(super) const NAME: &str = "blocker-analysis";
/// Replaces the tables if there is nothing to list.
const NOTHING: &str = "No story is open";
/// Heads the stories of which it is unknown whether they are ready.
const UNORDERED: &str = "Open, without dependencies in its format";
const NAMED: usize = 5;

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "story")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify_again(text, context, &FORM, &[], generate)),
};

const SECTIONS: &[Section] = &[Section::named(
    "Blocked or waiting",
    &["Ready, the most useful first", UNORDERED, "On hold"],
)];
const FORM: Form = Form {
    unless: Some(NOTHING),
    questions: Questions::OfRecords,
    ..Form::new("# Title", SECTIONS)
};

/// The stories that are analysed. Default: all.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Ids of stories or epics, or names of owners: only these, what they need, and what needs them.
    story: Option<Names>,
    /// Ids of epics: only their stories, what they need, and what needs them.
    epic: Option<Names>,
    /// Owners: only their stories, what they need, and what needs them.
    owner: Option<Names>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Snapshot::read(&context.state)?.with_stories()?;
    let mut fields = Fields::of(input.epic.as_ref(), input.owner.as_ref());
    fields.named.push(("story", &Named::ALL, input.story.as_ref()));
    let named = Scope::read(&fields, &project, context)?;
    let scope = around(&named, &project);
    let log = Log::talk(context)?;
    let mut board = Board::new(&project, &scope, &log);
    board.open = Open::of(&project, |story| scope.has_story(story));
    let analysis = Analysis::of(&board);
    let mut remarks = vec![how_many(&board)];
    if !named.is_all() {
        let phrase = named.phrase();
        remarks.push(format!("Scope: the {phrase}, what comes before, and what comes after."));
        remarks.extend(contradictions(&named.names, &project));
    }
    let report = Report {
        summary: analysis.summary(),
        remarks,
        sections: analysis.sections(),
        ..Report::of(NAME, "blockers.md", "Blocker analysis", &project)
    };
    report.output(json!({
        "open": board.open.stories.len(),
        "critical_path": {
            "length": analysis.length,
            "stories": say::limit_rows(&analysis.path, |story| rows::story(story)),
        },
    }))
}

/// A scope, and what its open stories need, and what needs them.
fn around(named: &Scope, snapshot: &Snapshot) -> Scope {
    let is_task = |name: &&Name| name.kind == Named::Task;
    let tasks = named.names.iter().filter(is_task).cloned().collect();
    let mut scope = Scope::of(tasks, snapshot, named.span.clone());
    if named.is_all() {
        return scope;
    }
    let all = Open::of(snapshot, |_| true);
    let is_named = |at: &usize| named.has_story(all.stories[*at]);
    let starts: Vec<usize> = (0..all.stories.len()).filter(is_named).collect();
    let below = reached(all.graph.all_needs(), &starts);
    let above = reached(&all.graph.needed_by(), &starts);
    let on_hold = all.on_hold.iter().filter(|story| named.has_story(story));
    let near = below.iter().chain(&above).map(|at| all.graph.id(*at));
    scope.limit_to(near.chain(on_hold.map(|story| story.id.as_str())));
    scope
}

/// The number of open stories, and of those that are analysed.
fn how_many(board: &Board<'_>) -> String {
    let (open, stories) = (&board.open, &board.snapshot.stories);
    let here = open.stories.len() + open.on_hold.len();
    let all_open = stories.iter().filter(|story| story.is_open()).count();
    let of = format!("{all_open} of {} stories are", stories.len());
    match (here, board.scope.is_all()) {
        (0, true) => format!("{NOTHING}."),
        (0, false) => format!("{NOTHING} here; {of}."),
        (_, true) => format!("{of} open."),
        (_, false) => format!("{of} open, {here} of them here."),
    }
}

/// What is computed from the open stories within a scope, and from their tasks.
struct Analysis<'a> {
    board: &'a Board<'a>,
    blockers: Blockers<'a>,
    /// The critical path, and its length in words.
    path: Vec<&'a Story>,
    length: String,
    /// The stories that nothing blocks, as indexes: those that hold up most first, then in the order of the file.
    ready: Vec<usize>,
    /// Those of which it is unknown, since their format states no dependencies.
    unordered: Vec<&'a Story>,
    tasks: Vec<&'a Task>,
}

impl<'a> Analysis<'a> {
    fn of(board: &'a Board<'a>) -> Self {
        let open = &board.open;
        let blockers = Blockers::of(open);
        let known = board.snapshot.ready.as_ref();
        let is_known = |at: &usize| known.is_none_or(|ready| ready.contains(open.graph.id(*at)));
        let (mut ready, unordered): (Vec<usize>, Vec<usize>) =
            (0..open.stories.len()).filter(|at| open.is_ready(*at)).partition(is_known);
        let unordered = unordered.into_iter().map(|at| open.stories[at]).collect();
        ready.sort_by_key(|at| (Reverse(blockers.counts[*at]), *at));
        let is_of_closed = |task: &Task| {
            let story = task.story.as_deref().and_then(|id| open.known(id));
            story.is_some_and(|story| !story.is_work())
        };
        let tasks = board.snapshot.tasks.iter().filter(|task| board.scope.has_task(task));
        let tasks = tasks.filter(|task| !is_of_closed(task)).collect();
        let (path, length) = critical_path(open);
        Self { board, blockers, path, length, ready, unordered, tasks }
    }

    fn sections(&self) -> Vec<Listing> {
        let Self { board, blockers, path, tasks, .. } = self;
        let open = &board.open;
        let waiting: Vec<usize> =
            (0..open.stories.len()).filter(|at| !open.is_ready(*at)).collect();
        let mut halted = tasks.clone();
        halted.retain(|task| matches!(task.state.as_str(), "blocked" | "failed"));
        let open_tasks = tasks.iter().filter(|task| task.is_open());
        let needs = Graph::new(open_tasks.map(|task| (task.id.as_str(), task.needs.as_slice())));
        let cycles = [open.graph.cycles(), needs.cycles()].concat();
        // A path is one of two stories at least.
        let steps = if path.len() > 1 { path.as_slice() } else { &[] };
        let holders = "blocker=id, what it is=title, status, owner, holds up, which";
        let reasons = "story=id, title, status, why";
        let of_tasks = "task=id, what=description, state, story, needs, error";
        let of_path = "story=id, title, size, status, owner";
        let of_ready = "story=id, title, status, size, owner, holds up";
        vec![
            Listing::table("blockers", "What holds up most", holders, &blockers.list, |at| {
                blockers.row(*at)
            }),
            Listing::table("blocked", "Blocked or waiting", reasons, &waiting, |at| {
                rows::with(rows::story(open.stories[*at]), "why", board.reasons_text(*at))
            }),
            Listing::table("tasks", "Blocked and failed tasks", of_tasks, &halted, |task| {
                rows::with(rows::task(task), "needs", ids(board.open_needs(task)))
            }),
            rows::stories("", "Critical path", of_path, steps),
            Listing::table("ready", "Ready, the most useful first", of_ready, &self.ready, |at| {
                rows::with(rows::story(open.stories[*at]), "holds_up", blockers.counts[*at])
            }),
            rows::stories("unordered", UNORDERED, rows::STORY, &self.unordered),
            rows::stories("on_hold", "On hold", rows::STORY, &open.on_hold),
            rows::cycles(&cycles),
        ]
    }

    /// What is blocked, who waits for whom, what holds up most, the critical path, and what is ready.
    fn summary(&self) -> Vec<String> {
        let mut lines = vec![self.board.blocked_line(), self.board.waiting_line()];
        if let Some(first) = self.blockers.list.first() {
            let row = self.blockers.row(*first);
            let what = row["id"].as_str().or(row["title"].as_str()).unwrap_or_default();
            let dependents = counted(self.blockers.counts[*first], "story", "stories");
            lines.push(format!("Holds up most: {} ({dependents}).", ids([what])));
        }
        if self.path.len() > 1 {
            let path = joined(self.path.iter().map(|story| story.id.as_str()), NAMED, ", ");
            lines.push(format!("Critical path: {} ({path}).", self.length));
        }
        let ready = joined(self.ready.iter().map(|at| self.board.open.graph.id(*at)), NAMED, ", ");
        let ready = if ready.is_empty() { "nothing" } else { &ready };
        lines.push(format!("Ready: {ready}."));
        if !self.unordered.is_empty() {
            let stories = counted(self.unordered.len(), "open story", "open stories");
            lines.push(format!(
                "Not known to be ready: {stories}, whose format states no dependencies."
            ));
        }
        lines
    }
}

/// The critical path, which is the longest dependency path through open stories, and its length. Sizes are added up only
/// if every story has one and all have the same unit; else stories are counted.
fn critical_path<'a>(open: &Open<'a>) -> (Vec<&'a Story>, String) {
    let unit_of = |story: &Story| story.effort.map(|size| size.unit);
    let unit = open.stories.first().and_then(|first| unit_of(first));
    let unit = unit.filter(|unit| open.stories.iter().all(|one| unit_of(one) == Some(*unit)));
    let weight = |at: usize| -> u64 {
        let size = unit.and(open.stories[at].effort);
        size.map_or(1, |size| size.most.into())
    };
    let path = open.graph.longest(weight);
    let number = counted(path.len(), "story", "stories");
    let sum = path.iter().map(|at| weight(*at)).sum();
    let length = unit.map_or(number.clone(), |unit| format!("{} in {number}", unit.show(sum)));
    (path.iter().map(|at| open.stories[*at]).collect(), length)
}

/// Everything that can hold up a story: first the open stories by index, then what is not an open story.
#[derive(Debug)]
struct Blockers<'a> {
    open: &'a Open<'a>,
    /// The stories that each holds up directly.
    dependents: Vec<Vec<usize>>,
    /// Number of stories that each holds up, directly or through others.
    counts: Vec<usize>,
    /// The blockers that are not open stories: ids that the project does not have, or else texts of records.
    others: Vec<(Option<&'a str>, &'a str)>,
    /// The indexes of those that hold up any story, in descending order of their number.
    list: Vec<usize>,
}

impl<'a> Blockers<'a> {
    fn of(open: &'a Open<'a>) -> Self {
        let mut stories: IndexMap<(Option<&str>, &str), Vec<usize>> = IndexMap::new();
        for (at, story) in open.stories.iter().enumerate() {
            for words in &story.reasons {
                stories.entry((None, words)).or_default().push(at);
            }
        }
        for at in 0..open.stories.len() {
            for id in open.unknown(at) {
                stories.entry((Some(id), "(not in the project)")).or_default().push(at);
            }
        }
        let (others, of_others): (Vec<_>, Vec<Vec<usize>>) = stories.into_iter().unzip();
        let dependents = [open.graph.needed_by(), of_others].concat();
        let counts = counts(&dependents);
        let mut list: Vec<usize> = (0..dependents.len()).filter(|at| counts[*at] > 0).collect();
        list.sort_by_key(|at| (Reverse(counts[*at]), *at));
        Self { open, dependents, counts, others, list }
    }

    /// A blocker and everything that it holds up, in the order of the file.
    fn row(&self, at: usize) -> Value {
        let holds = reached(&self.dependents, &[at]).into_iter().filter(|story| *story != at);
        let holds = ids(holds.map(|story| self.open.graph.id(story)));
        let row = if let Some(story) = self.open.stories.get(at) {
            rows::story(story)
        } else {
            let (id, title) = self.others[at - self.open.stories.len()];
            let status = if id.is_some() { "unknown" } else { "not a story" };
            json!({"id": id, "title": line(title), "status": status, "owner": null})
        };
        rows::with(rows::with(row, "holds_up", self.counts[at]), "which", holds)
    }
}
