//! `blocker-analysis`: what is blocked in a project, what each blocker holds up, the critical path, and what is ready.
//!
//! It evaluates the records and proposes no remedy.

mod blockers;
mod path;
mod picture;
mod scope;

use std::collections::HashSet;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::live::{self, Expected, Page, Questions};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::Line;
use crate::output::{Output, Result};
use crate::project_state::exchange::{Blocks, unanswered};
use crate::project_state::graph::Graph;
use crate::project_state::open::{Blocker, Open};
use crate::project_state::say::{self, first_ids, ids, name};
use crate::project_state::{Context, Kind, Message, Snapshot, Task, message, rows, summary};
use crate::text::line;
use blockers::Blockers;
use flow_model::dependency;
use flow_model::record::Kind as Record;
use scope::Scope;

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
    verify: Some(|text, context| live::verify(text, context, &EXPECTED)),
};

const EXPECTED: Expected = Expected {
    sections: &[&["Blocked or waiting", "Ready, the most useful first", "Stories on hold"]],
    unless: Some(NOTHING),
    questions: Questions::OfRecords,
};

/// The stories that are analysed. Default: all.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The id of a story: only it, what it needs, and what needs it; or the id of an epic.
    story: Option<Line>,
    /// The id of an epic: only its stories, what they need, and what needs them.
    epic: Option<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let state = &context.state;
    let snapshot = Snapshot::read(state)?;
    live::refuse_without_stories(&snapshot)?;
    let scope = Scope::read(input, &snapshot)?;
    let open = scope.open(&snapshot);
    let talk = [Kind::Blocked, Kind::Unblocked, Kind::Question, Kind::Answer];
    let talk = Message::newest_of(state, &talk, message::SEARCHED)?;
    let blocks = Blocks::standing(&talk);
    let blockers = Blockers::of(&open);
    let cycles = cycles(&open, &scoped_tasks(&snapshot, &open, &scope));
    let found = Found { blockers: &blockers, blocks: &blocks, cycles: &cycles };
    let data = data(&snapshot, &scope, &open, &found);
    let page = Page {
        skill: NAME,
        file: "blockers.md".to_owned(),
        title: "Blocker analysis".to_owned(),
        summary: lines(&data, &open, &blocks, &talk),
        snapshot: &snapshot,
        open: questions(&open, &blocks, &cycles),
    };
    let view = json!({ "scope": scope.phrase(), "how_many": how_many(&snapshot, &scope, &open) });
    let mut output = page.output(data, &view)?;
    output.notes.extend(scope.note());
    if let Some(rest @ 1..) = output.data["not_drawn"].as_u64() {
        output.notes.push(format!(
            "A diagram of this leaves out {rest} nodes and edges; it would be too large."
        ));
    }
    Ok(output)
}

/// The number of open stories, and of those that are analysed.
fn how_many(snapshot: &Snapshot, scope: &Scope<'_>, open: &Open<'_>) -> String {
    let (here, all) = (open.stories.len() + open.on_hold.len(), snapshot.stories.len());
    let all_open = snapshot.stories.iter().filter(|story| story.is_open()).count();
    match here {
        0 => NOTHING.to_owned(),
        _ if scope.is_all() => format!("{all_open} of {all} stories are open."),
        _ => format!("{all_open} of {all} stories are open, {here} of them here."),
    }
}

struct Found<'a> {
    blockers: &'a Blockers<'a>,
    blocks: &'a Blocks<'a>,
    cycles: &'a [Vec<String>],
}

/// All results, for the template and the next skill.
fn data(snapshot: &Snapshot, scope: &Scope<'_>, open: &Open<'_>, found: &Found<'_>) -> Value {
    let count = open.stories.len();
    let Found { blockers, blocks, cycles } = *found;
    let waiting: Vec<usize> = (0..count).filter(|at| !open.is_ready(*at)).collect();
    let mut halted = scoped_tasks(snapshot, open, scope);
    halted.retain(|task| matches!(task.state.as_str(), "blocked" | "failed"));
    let picture = picture::of(open, blockers);
    let completed = snapshot.tasks.iter().filter(|task| task.state == "completed");
    let completed: HashSet<&str> = completed.map(|task| task.id.as_str()).collect();
    json!({
        "time": snapshot.time,
        "stories": snapshot.stories.len(),
        "open": count,
        "blocked": say::limit_rows(&waiting, |at| blocked_row(open, *at, blocks)),
        "blockers": say::limit_rows(&blockers.list, |at| blockers.row(open, *at)),
        "tasks": say::limit_rows(&halted, |task| task_row(&completed, task)),
        "critical_path": path::critical(open),
        "ready": say::limit_rows(&blockers.ready(open), |(at, holds)| ready_row(open, *at, *holds)),
        "on_hold": say::limit_rows(&open.on_hold, |story| rows::story(story)),
        "cycles": say::limit_rows(cycles, |ids| cycle_row(ids)),
        "unknown": say::limit_rows(&unknown(open), |(id, needs)| json!({"id": id, "needs": needs})),
        "nodes": picture.nodes,
        "edges": picture.edges,
        "not_drawn": picture.not_drawn,
    })
}

/// The summary: what is blocked, what holds up most, who waits for whom, the critical path, and what is ready.
fn lines(data: &Value, open: &Open<'_>, blocks: &Blocks<'_>, talk: &[Message]) -> Vec<String> {
    let looked_at: HashSet<&str> = open.stories.iter().map(|story| story.id.as_str()).collect();
    let mut asked = unanswered(talk);
    asked.retain(|question| question.story.as_deref().is_some_and(|id| looked_at.contains(id)));
    let mut lines =
        vec![summary::blocked(open, blocks, |_| true), summary::waiting(open, &asked, |_| true)];
    let first = &data["blockers"]["rows"][0];
    if let Some(dependents) = first["holds_up"].as_u64() {
        let what = first["id"].as_str().or(first["title"].as_str()).unwrap_or_default();
        let dependents = usize::try_from(dependents).unwrap_or(usize::MAX);
        let dependents = say::counted(dependents, "story", "stories");
        lines.push(format!("Holds up most: {} ({dependents}).", ids([what])));
    }
    let ids_of = |list: &Value| -> String {
        let rows = list["rows"].as_array().into_iter().flatten();
        let ids = rows.filter_map(|row| row["id"].as_str());
        let rest = usize::try_from(list["rest"].as_u64().unwrap_or(0)).unwrap_or(0);
        first_ids(ids.chain(std::iter::repeat_n("", rest)), NAMED)
    };
    let path = &data["critical_path"];
    if path["stories"]["count"].as_u64().is_some_and(|count| count > 1) {
        let length = path["length"].as_str().unwrap_or_default();
        lines.push(format!("Critical path: {length} ({}).", ids_of(&path["stories"])));
    }
    let ready = ids_of(&data["ready"]);
    lines.push(format!("Ready: {}.", if ready.is_empty() { "nothing" } else { &ready }));
    lines
}

/// A blocked story and what it waits for.
fn blocked_row(open: &Open<'_>, at: usize, blocks: &Blocks<'_>) -> Value {
    let story = open.stories[at];
    let needs: Vec<&str> = open.needs(at).collect();
    let mut waits = vec![ids(needs.iter().copied())];
    waits.retain(|needs| !needs.is_empty());
    waits.extend(open.unknown(at).iter().map(|id| format!("{} (not in the project)", line(id))));
    let shelved = open.shelved(at).iter();
    waits.extend(shelved.map(|need| format!("{} ({})", line(&need.id), line(&need.status))));
    waits.extend(story.reasons.iter().map(|words| line(words)));
    if !story.is_workable() && story.status != "blocked" {
        waits.push(format!("a status that is ready (it is {})", line(&story.status)));
    }
    match open.blocker(at) {
        Some(Blocker::Cycle) => waits.push("a dependency cycle".to_owned()),
        Some(Blocker::NoReason) => {
            let words = blocks.of(&story.id).and_then(Message::excerpt);
            waits.push(words.unwrap_or_else(|| "(reason not recorded)".to_owned()));
        }
        _ => {}
    }
    json!({
        "id": story.id, "title": name(story), "status": story.status, "owner": story.owner,
        "needs": needs.iter().take(say::LISTED).collect::<Vec<_>>(), "reasons": story.reasons,
        "waits": waits.join("; "),
    })
}

fn ready_row(open: &Open<'_>, at: usize, holds: usize) -> Value {
    let story = open.stories[at];
    json!({
        "id": story.id, "title": name(story), "status": story.status, "owner": story.owner,
        "size": story.effort.map(|effort| effort.to_string()), "holds_up": holds,
    })
}

/// The tasks of the analysed open stories; without a scope all tasks, except those of completed stories.
fn scoped_tasks<'b>(snapshot: &'b Snapshot, open: &Open<'_>, scope: &Scope<'_>) -> Vec<&'b Task> {
    let looked_at: HashSet<&str> = open.stories.iter().map(|story| story.id.as_str()).collect();
    let known: HashSet<&str> = snapshot.stories.iter().map(|story| story.id.as_str()).collect();
    let is_selected = |task: &&Task| {
        let story = task.story.as_deref();
        let is_loose = scope.is_all() && story.is_none_or(|id| !known.contains(id));
        is_loose || story.is_some_and(|id| looked_at.contains(id))
    };
    snapshot.tasks.iter().filter(is_selected).collect()
}

fn task_row(completed: &HashSet<&str>, task: &Task) -> Value {
    let needs = task.needs.iter().map(String::as_str).filter(|id| !completed.contains(id));
    let needs: Vec<&str> = needs.take(say::LISTED).collect();
    json!({
        "id": task.id, "description": line(&task.description), "state": task.state, "story": task.story,
        "needs": needs, "waits": ids(needs.iter().copied()), "error": task.error.as_deref().map(line),
    })
}

/// The ids of a cycle. What a long one leaves out is a text in place of the last.
fn cycle_row(ids: &[String]) -> Value {
    let rest = ids.len().saturating_sub(say::LISTED);
    let more = (rest > 0).then(|| format!("({rest} more)"));
    json!(ids.iter().take(say::LISTED).chain(&more).collect::<Vec<_>>())
}

/// The cycles of stories and of open tasks, as ids.
fn cycles(open: &Open<'_>, tasks: &[&Task]) -> Vec<Vec<String>> {
    let tasks = tasks.iter().filter(|task| dependency::is_open(Record::Task, Some(&task.state)));
    let tasks = Graph::new(tasks.map(|task| (task.id.as_str(), task.needs.as_slice())));
    let of = |graph: &Graph<'_>| -> Vec<Vec<String>> {
        let named = |cycle: Vec<usize>| cycle.iter().map(|at| graph.id(*at).to_owned()).collect();
        graph.cycles().into_iter().map(named).collect()
    };
    [of(&open.graph), of(&tasks)].concat()
}

/// Dependencies on ids that the project does not have: the dependent story, and the id.
fn unknown<'a>(open: &Open<'a>) -> Vec<(&'a str, &'a str)> {
    let of = |at: usize| open.unknown(at).iter().map(move |id| (open.graph.id(at), *id));
    (0..open.stories.len()).flat_map(of).collect()
}

/// Gaps and contradictions in the records, worded as what to do.
fn questions(open: &Open<'_>, blocks: &Blocks<'_>, cycles: &[Vec<String>]) -> Vec<String> {
    let mut asked = Vec::new();
    for cycle in cycles.iter().take(say::LISTED) {
        let members = cycle.iter().chain(cycle.first()).map(String::as_str);
        asked.push(format!(
            "depends_on: {} depend on each other (remove one of the dependencies)",
            ids(members).replace(", ", " -> ")
        ));
    }
    let mut missing: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for (id, need) in unknown(open) {
        missing.entry(need).or_default().push(id);
    }
    asked.extend(missing.iter().take(say::LISTED).map(|(need, of)| {
        let verb = if of.len() == 1 { "needs" } else { "need" };
        let (of, need) = (ids(of.iter().copied()), ids([*need]));
        format!("depends_on: {of} {verb} {need}, which is not in the project (add the story, or remove the dependency)")
    }));
    let places = 0..open.stories.len();
    let bare = places.filter(|at| open.blocker(*at) == Some(Blocker::NoReason));
    let bare = bare.map(|at| open.graph.id(at)).filter(|id| blocks.of(id).is_none());
    asked.extend(say::not_recorded("blocked_by", bare));
    let no_size = open.stories.iter().filter(|story| story.effort.is_none()).copied();
    asked.extend(say::missing_sizes(&no_size.collect::<Vec<_>>()));
    asked
}
