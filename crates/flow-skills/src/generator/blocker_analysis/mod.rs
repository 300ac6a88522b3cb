//! `blocker-analysis`: what is blocked in a project, what each blocker holds up, the critical path, and what is ready.
//!
//! It evaluates the records and proposes no remedy.

mod blockers;

use std::cmp::Reverse;
use std::collections::HashSet;

use indexmap::{IndexMap, IndexSet};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report::{self, Board, Expected, Fields, Kind as Name, Log, Open, Page, Project};
use super::report::{Questions, Scope, Section, rows};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::effort::Unit;
use crate::input::values::Line;
use crate::output::{Output, Result};
use crate::project_state::graph::Graph;
use crate::project_state::say::{self, counted, first_ids, ids, name};
use crate::project_state::{Context, Snapshot, Story, Task};
use crate::reach::reached;
use crate::text::line;
use blockers::Blockers;

pub(super) const NAME: &str = "blocker-analysis";
/// Replaces the tables if there is nothing to list.
const NOTHING: &str = "No story is open.";
/// Largest number of ids in a line of the summary.
const NAMED: usize = 5;

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition { takes: &[takes(ContentKind::Text, "story")], ..Definition::of::<Input>() },
    needs: Needs::Nothing,
    gives: Gives::Graph,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify(text, context, &EXPECTED)),
};

const EXPECTED: Expected = Expected {
    sections: &[&["Blocked or waiting", "Ready, the most useful first", "On hold"]],
    unless: Some(NOTHING),
    questions: Questions::OfRecords,
};

/// The stories that are analysed. Default: all.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Ids of stories or epics, or names of owners: only these, what they need, and what needs them.
    story: Option<Line>,
    /// Ids of epics: only their stories, what they need, and what needs them.
    epic: Option<Line>,
    /// Owners: only their stories, what they need, and what needs them.
    owner: Option<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Project::with_stories(context)?;
    let fields = Fields {
        about: input.story.as_deref().map(|text| ("story", text)),
        named: vec![(Name::Epic, &input.epic), (Name::Owner, &input.owner)],
        ..Fields::default()
    };
    let named = project.scope(&fields, context)?;
    let all = Open::of(&project.snapshot, |_| true);
    let scope = around(&named, &all);
    let log = Log::talk(context)?;
    let mut board = Board::new(&project, &scope, &log);
    board.open = Open::of(&project.snapshot, |story| scope.has_story(story));
    let blockers = Blockers::of(&board.open);
    let tasks = tasks(&board);
    let cycles = cycles(&board.open, &tasks);
    let path = Path::of(&board.open);
    let ready = ready(&board.open, &blockers);
    let mut remarks = vec![how_many(&board)];
    if !named.is_all() {
        let phrase = named.phrase();
        remarks.push(format!("Scope: the {phrase}, what comes before, and what comes after."));
    }
    let page = Page {
        skill: NAME,
        file: "blockers.md".to_owned(),
        title: "Blocker analysis".to_owned(),
        summary: summary(&board, &blockers, &path, &ready),
        remarks,
        sections: sections(&board, &blockers, &path, &ready, &tasks, &cycles),
        snapshot: Some(&project.snapshot),
        open: questions(&board, &cycles),
    };
    let (graph, not_drawn) = blockers.graph(&board.open);
    let unknown: Vec<(&str, &str)> = (0..board.open.stories.len())
        .flat_map(|at| board.open.unknown(at).map(move |id| (at, id)))
        .map(|(at, id)| (board.open.graph.id(at), id))
        .collect();
    let mut output = page.output(json!({
        "stories": project.snapshot.stories.len(),
        "open": board.open.stories.len(),
        "critical_path": path.data(&board.open),
        "unknown": say::limit_rows(&unknown, |(id, needs)| json!({"id": id, "needs": needs})),
        "nodes": graph.nodes,
        "edges": graph.edges,
        "not_drawn": not_drawn,
    }))?;
    output.notes.extend(closed(&named, &project.snapshot));
    if not_drawn > 0 {
        output.notes.push(format!(
            "A diagram of this leaves out {not_drawn} nodes and edges; it would be too large."
        ));
    }
    Ok(output)
}

/// A scope, and what its open stories need, and what needs them.
fn around<'a>(named: &Scope<'a>, all: &Open<'a>) -> Scope<'a> {
    let mut scope = Scope::everything(named.span.clone());
    if named.is_all() {
        return scope;
    }
    let is_named = |at: &usize| named.has_story(all.stories[*at]);
    let starts: Vec<usize> = (0..all.stories.len()).filter(is_named).collect();
    let below = reached(all.graph.all_needs(), &starts);
    let above = reached(&all.graph.needed_by(), &starts);
    let on_hold = all.on_hold.iter().filter(|story| named.has_story(story));
    scope.limit_to(
        below
            .iter()
            .chain(&above)
            .map(|at| all.graph.id(*at))
            .chain(on_hold.map(|one| one.id.as_str())),
    );
    scope
}

/// A note for each named story that cannot be blocked.
fn closed(named: &Scope<'_>, snapshot: &Snapshot) -> Vec<String> {
    let stories = named.names.iter().filter_map(|(_, id)| snapshot.story(id));
    let closed = stories.filter(|story| !story.is_open());
    let note = |story: &Story| {
        format!("{} is not open (its status is {}).", line(&story.id), line(&story.status))
    };
    closed.map(note).collect()
}

/// The number of open stories, and of those that are analysed.
fn how_many(board: &Board<'_>) -> String {
    let (open, stories) = (&board.open, &board.snapshot.stories);
    let (here, all) = (open.stories.len() + open.on_hold.len(), stories.len());
    let all_open = stories.iter().filter(|story| story.is_open()).count();
    match here {
        0 => NOTHING.to_owned(),
        _ if board.scope.is_all() => format!("{all_open} of {all} stories are open."),
        _ => format!("{all_open} of {all} stories are open, {here} of them here."),
    }
}

/// The tasks of the analysed open stories; without a scope all tasks, except those of closed stories.
fn tasks<'a>(board: &Board<'a>) -> Vec<&'a Task> {
    let analysed: HashSet<&str> =
        board.open.stories.iter().map(|story| story.id.as_str()).collect();
    let known: HashSet<&str> =
        board.snapshot.stories.iter().map(|story| story.id.as_str()).collect();
    let is_listed = |task: &&Task| {
        let story = task.story.as_deref();
        let is_loose = board.scope.is_all() && story.is_none_or(|id| !known.contains(id));
        is_loose || story.is_some_and(|id| analysed.contains(id))
    };
    board.snapshot.tasks.iter().filter(is_listed).collect()
}

/// The stories that nothing blocks: those that hold up most first, then in the order of the file.
fn ready(open: &Open<'_>, blockers: &Blockers<'_>) -> Vec<usize> {
    let mut ready: Vec<usize> = (0..open.stories.len()).filter(|at| open.is_ready(*at)).collect();
    ready.sort_by_key(|at| (Reverse(blockers.counts[*at]), *at));
    ready
}

fn sections(
    board: &Board<'_>,
    blockers: &Blockers<'_>,
    path: &Path,
    ready: &[usize],
    tasks: &[&Task],
    cycles: &[Vec<String>],
) -> Vec<Section> {
    let open = &board.open;
    let waiting: Vec<usize> = (0..open.stories.len()).filter(|at| !open.is_ready(*at)).collect();
    let mut halted = tasks.to_vec();
    halted.retain(|task| matches!(task.state.as_str(), "blocked" | "failed"));
    let completed = board.snapshot.tasks.iter().filter(|task| task.state == "completed");
    let completed: HashSet<&str> = completed.map(|task| task.id.as_str()).collect();
    let holders = "blocker=id, what it is=title, status, owner, holds up, which=named";
    let steps = if path.stories.len() > 1 { path.stories.as_slice() } else { &[] };
    vec![
        Section::table("blockers", "What holds up most", holders, &blockers.list, |at| {
            blockers.row(open, *at)
        }),
        Section::table(
            "blocked",
            "Blocked or waiting",
            "story=id, title, status, why",
            &waiting,
            |at| {
                let mut row = rows::story(open.stories[*at]);
                let needs = open.needs(*at).map(|need| need.id.as_str());
                row["needs"] = needs.take(say::LISTED).collect();
                row["reasons"] = json!(open.stories[*at].reasons);
                row["why"] = board.reasons_text(*at).into();
                row
            },
        ),
        Section::table(
            "tasks",
            "Blocked and failed tasks",
            "task=id, what=description, state, story, needs, error",
            &halted,
            |task| {
                let needs = task.needs.iter().map(String::as_str);
                let mut row = rows::task(task);
                row["needs"] = ids(needs.filter(|id| !completed.contains(id))).into();
                row
            },
        ),
        Section::list("path", "Critical path", steps, |at| step(open.stories[*at]))
            .numbered()
            .with_intro(path.intro()),
        Section::table(
            "ready",
            "Ready, the most useful first",
            "story=id, title, status, size, owner, holds up",
            ready,
            |at| {
                let mut row = rows::story(open.stories[*at]);
                row["holds_up"] = blockers.counts[*at].into();
                row
            },
        ),
        rows::stories("on_hold", "On hold", &open.on_hold),
        Section::list(
            "cycles",
            "Dependency cycles",
            cycles,
            |cycle| json!({"ids": cycle_row(cycle), "said": arrows(cycle)}),
        ),
    ]
}

/// What is blocked, who waits for whom, what holds up most, the critical path, and what is ready.
fn summary(
    board: &Board<'_>,
    blockers: &Blockers<'_>,
    path: &Path,
    ready: &[usize],
) -> Vec<String> {
    let open = &board.open;
    let mut lines = vec![board.blocked_line(), board.waiting_line()];
    if let Some(first) = blockers.list.first() {
        let row = blockers.row(open, *first);
        let what = row["id"].as_str().or(row["title"].as_str()).unwrap_or_default();
        let dependents = counted(blockers.counts[*first], "story", "stories");
        lines.push(format!("Holds up most: {} ({dependents}).", ids([what])));
    }
    let named = |places: &[usize]| first_ids(places.iter().map(|at| open.graph.id(*at)), NAMED);
    if path.stories.len() > 1 {
        lines.push(format!("Critical path: {} ({}).", path.length, named(&path.stories)));
    }
    let ready = if ready.is_empty() { "nothing".to_owned() } else { named(ready) };
    lines.push(format!("Ready: {ready}."));
    lines
}

/// The critical path: the longest dependency path through open stories.
struct Path {
    stories: Vec<usize>,
    /// The unit of `sum`.
    unit: &'static str,
    sum: u64,
    length: String,
    /// Why stories are counted in place of sizes.
    why: Option<String>,
}

impl Path {
    /// Sizes are added up only if every story has one and all have the same unit; else stories are counted.
    fn of(open: &Open<'_>) -> Self {
        let count = |unit: Option<Unit>| {
            open.stories.iter().filter(|story| story.effort.map(|size| size.unit) == unit).count()
        };
        let parts = [
            (count(Some(Unit::Points)), "in points"),
            (count(Some(Unit::Time)), "in working time"),
            (count(None), "without a size"),
        ];
        let unit = match parts.map(|(count, _)| count) {
            [_, 0, 0] if !open.stories.is_empty() => Some((Unit::Points, "hundredths of a point")),
            [0, _, 0] if !open.stories.is_empty() => Some((Unit::Time, "minutes")),
            _ => None,
        };
        let weight = |at: usize| -> u64 {
            let size = unit.and(open.stories[at].effort);
            size.map_or(1, |size| size.most.into())
        };
        let stories = open.graph.longest(weight);
        let sum = stories.iter().map(|at| weight(*at)).sum();
        let count = counted(stories.len(), "story", "stories");
        if let Some((unit, name)) = unit {
            let length = format!("{} in {count}", unit.show(sum));
            return Self { stories, unit: name, sum, length, why: None };
        }
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts.map(|(count, what)| format!("{count} {what}")).collect();
        let why = (!parts.is_empty()).then(|| {
            format!("Counted in stories, not in sizes: of the open stories, {}.", parts.join(", "))
        });
        Self { stories, unit: "stories", sum, length: count, why }
    }

    fn data(&self, open: &Open<'_>) -> Value {
        let Self { stories, unit, sum, length, why } = self;
        let stories = say::limit_rows(stories, |at| step(open.stories[*at]));
        json!({"unit": unit, "sum": sum, "length": length, "why": why, "stories": stories})
    }

    /// The sentence above its steps; `None` if there is nothing to show.
    fn intro(&self) -> Option<String> {
        let why = self.why.as_ref().map(|why| format!(" {why}")).unwrap_or_default();
        let intro = format!("{}, each needing the one before.{why}", self.length);
        (self.stories.len() > 1).then_some(intro)
    }
}

/// A story of the critical path.
fn step(story: &Story) -> Value {
    let size = story.effort.map(|size| format!("{size}, ")).unwrap_or_default();
    let said = format!("{}: {} ({size}{})", line(&story.id), name(story), line(&story.status));
    json!({
        "id": story.id, "title": name(story), "status": story.status,
        "size": story.effort.map(|size| size.to_string()), "said": said,
    })
}

/// The ids of a cycle. What a long one leaves out is a text in place of the last.
fn cycle_row(ids: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = ids.iter().take(say::LISTED).cloned().collect();
    if ids.len() > say::LISTED {
        shown.push(format!("({} more)", ids.len() - say::LISTED));
    }
    shown
}

/// A cycle as text: `US-1 -> US-2 -> US-1`.
fn arrows(cycle: &[String]) -> String {
    ids(cycle.iter().chain(cycle.first()).map(String::as_str)).replace(", ", " -> ")
}

/// The cycles of stories and of open tasks, as ids.
fn cycles(open: &Open<'_>, tasks: &[&Task]) -> Vec<Vec<String>> {
    let tasks = tasks.iter().filter(|task| task.is_open());
    let tasks = Graph::new(tasks.map(|task| (task.id.as_str(), task.needs.as_slice())));
    let of = |graph: &Graph<'_>| -> Vec<Vec<String>> {
        let named = |cycle: Vec<usize>| cycle.iter().map(|at| graph.id(*at).to_owned()).collect();
        graph.cycles().into_iter().map(named).collect()
    };
    [of(&open.graph), of(&tasks)].concat()
}

/// Gaps and contradictions in the records, worded as what to do.
fn questions(board: &Board<'_>, cycles: &[Vec<String>]) -> Vec<String> {
    let open = &board.open;
    let asked = cycles.iter().take(say::LISTED).map(|cycle| {
        let cycle = arrows(cycle);
        format!("depends_on: {cycle} depend on each other (remove one of the dependencies)")
    });
    let mut asked: Vec<String> = asked.collect();
    let mut missing: IndexMap<&str, IndexSet<&str>> = IndexMap::new();
    for at in 0..open.stories.len() {
        for need in open.unknown(at) {
            missing.entry(need).or_default().insert(open.graph.id(at));
        }
    }
    asked.extend(missing.iter().take(say::LISTED).map(|(need, of)| {
        let verb = if of.len() == 1 { "needs" } else { "need" };
        let (of, need) = (ids(of.iter().copied()), ids([*need]));
        format!("depends_on: {of} {verb} {need}, which is not in the project (add the story, or remove the dependency)")
    }));
    let is_bare = |at: &usize| open.is_blocked(*at) && board.reasons(*at).is_empty();
    let bare = (0..open.stories.len()).filter(is_bare).map(|at| open.graph.id(at));
    asked.extend(say::not_recorded("blocked_by", bare));
    let no_size = open.stories.iter().filter(|story| story.effort.is_none()).copied();
    asked.extend(say::missing_sizes(&no_size.collect::<Vec<_>>()));
    asked
}
