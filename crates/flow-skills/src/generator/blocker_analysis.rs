//! `blocker-analysis`: what of the board is blocked, what each blocker holds up, the critical path and the ready order.
//!
//! It computes over what the records say and proposes no way out: that is asked.

mod blockers;
mod path;
mod picture;
mod scope;

use std::collections::HashSet;

use serde_json::{Value, json};

use blockers::Blockers;
use scope::Scope;

use crate::input::Input;
use crate::output::{Artifact, Output, Result};
use crate::project_state::Context;
use crate::project_state::open::{Blocker, Open};
use crate::project_state::say::{self, ids, name};
use crate::project_state::{Board, Task};
use crate::runtime::engine;
use crate::text::line;

pub(super) const NAME: &str = "blocker-analysis";

/// Makes the analysis.
///
/// # Errors
/// When there is no project, or it has no such epic or story.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let board = Board::read(&context.state)?;
    let scope = Scope::read(input, &board)?;
    let open = scope.open(&board);
    let blockers = Blockers::of(&open);
    let cycles = cycles(&open);
    let mut asked: Vec<String> = board.gaps.questions().collect();
    asked.extend(questions(&open, &blockers, &cycles));
    let data = data(&board, &scope, &open, (&blockers, &cycles));
    let mut view = say::escaped(&data);
    view["state"] = say::escape(&say::state_of(&board)).into();
    view["scope"] = scope.said().map(|said| say::escape(&said)).into();
    view["open_questions"] = asked.iter().map(|question| say::escape(question)).collect();
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let artifacts = vec![Artifact::new("blockers.md", "markdown", text)];
    let mut notes = board.gaps.missing.clone();
    notes.extend(scope.note());
    if let Some(rest @ 1..) = data["not_drawn"].as_u64() {
        notes.push(format!(
            "A diagram of this leaves out {rest} nodes and edges; it would be too large."
        ));
    }
    Ok(Output { data, artifacts, open: asked, notes })
}

/// All that was found; what the template shows and what the next skill reads.
fn data(
    board: &Board,
    scope: &Scope<'_>,
    open: &Open<'_>,
    (blockers, cycles): (&Blockers<'_>, &[Vec<String>]),
) -> Value {
    let count = open.stories.len();
    let blocked: Vec<usize> = (0..count).filter(|at| !open.is_ready(*at)).collect();
    let picture = picture::of(open, blockers);
    json!({
        "time": board.time,
        "stories": board.stories.len(),
        "open": count,
        "blocked": say::limit_rows(&blocked, |at| blocked_row(open, *at)),
        "blockers": say::limit_rows(&blockers.list, |at| blockers.row(open, *at)),
        "tasks": say::limit_rows(&tasks(board, open, scope), |task| task_row(board, task)),
        "critical_path": path::critical(open),
        "ready": say::limit_rows(&blockers.ready(open), |(at, holds)| ready_row(open, *at, *holds)),
        "cycles": say::limit_rows(cycles, |ids| json!(ids)),
        "unknown": say::limit_rows(&unknown(open), |(id, needs)| json!({"id": id, "needs": needs})),
        "nodes": picture.nodes,
        "edges": picture.edges,
        "not_drawn": picture.not_drawn,
    })
}

/// A story that cannot begin or go on, and what it waits for.
fn blocked_row(open: &Open<'_>, at: usize) -> Value {
    let story = open.stories[at];
    let needs: Vec<&str> = open.graph.needs(at).iter().map(|need| open.graph.id(*need)).collect();
    let mut waits = Vec::new();
    if !needs.is_empty() {
        waits.push(ids(needs.iter().copied()));
    }
    waits.extend(open.unknown(at).iter().map(|id| format!("{} (unknown)", line(id))));
    waits.extend(story.waits_for.as_deref().map(line));
    match open.hindrance(at) {
        Some(Blocker::Circle) => waits.push("a circle, see below".to_owned()),
        Some(Blocker::OnHold(status)) => waits.push(format!("its status is {}", line(status))),
        Some(Blocker::Unsaid) => waits.push("nothing that is said".to_owned()),
        _ => {}
    }
    json!({
        "id": story.id,
        "title": name(story),
        "status": story.status,
        "owner": story.owner,
        "needs": needs.iter().take(say::LISTED).collect::<Vec<_>>(),
        "waits_for": story.waits_for,
        "waits": waits.join("; "),
    })
}

fn ready_row(open: &Open<'_>, at: usize, holds: usize) -> Value {
    let story = open.stories[at];
    json!({
        "id": story.id,
        "title": name(story),
        "status": story.status,
        "owner": story.owner,
        "size": story.effort.map(|effort| effort.to_string()),
        "holds_up": holds,
    })
}

/// The tasks that are blocked or failed, of the stories that are looked at.
fn tasks<'b>(board: &'b Board, open: &Open<'_>, scope: &Scope<'_>) -> Vec<&'b Task> {
    let looked_at: HashSet<&str> = open.stories.iter().map(|story| story.id.as_str()).collect();
    let is_meant = |task: &&Task| {
        let is_looked_at = |id: &String| looked_at.contains(id.as_str());
        matches!(task.state.as_str(), "blocked" | "failed")
            && (scope.is_all() || task.story.as_ref().is_some_and(is_looked_at))
    };
    board.tasks.iter().filter(is_meant).collect()
}

fn task_row(board: &Board, task: &Task) -> Value {
    let is_open = |id: &&String| {
        board.tasks.iter().any(|other| other.id == **id && other.state != "completed")
    };
    let needs: Vec<&str> =
        task.needs.iter().filter(is_open).map(String::as_str).take(say::LISTED).collect();
    json!({
        "id": task.id,
        "description": line(&task.description),
        "state": task.state,
        "story": task.story,
        "needs": needs,
        "waits": ids(needs.iter().copied()),
        "error": task.error.as_deref().map(line),
    })
}

/// The cycles by their ids.
fn cycles(open: &Open<'_>) -> Vec<Vec<String>> {
    let named = |cycle: Vec<usize>| cycle.iter().map(|at| open.graph.id(*at).to_owned()).collect();
    open.graph.cycles().into_iter().map(named).collect()
}

/// What is needed and the project does not have: the story that needs it, and the id.
fn unknown<'a>(open: &Open<'a>) -> Vec<(&'a str, &'a str)> {
    let of = |at: usize| open.unknown(at).iter().map(move |id| (open.graph.id(at), *id));
    (0..open.stories.len()).flat_map(of).collect()
}

/// What the records do not say and somebody has to.
fn questions(open: &Open<'_>, blockers: &Blockers<'_>, cycles: &[Vec<String>]) -> Vec<String> {
    let mut asked = Vec::new();
    for cycle in cycles.iter().take(say::LISTED) {
        let members = ids(cycle.iter().map(String::as_str));
        asked.push(if cycle.len() == 1 {
            format!("{members} needs itself: what does it really need?")
        } else {
            format!("{members} wait for each other in a circle: which one goes first?")
        });
    }
    for (words, holds) in blockers.outside().take(say::LISTED) {
        let stories = say::counted(holds, "story", "stories");
        asked.push(format!(
            "Who sees to this, and by when: {}? It holds up {stories}.",
            line(words)
        ));
    }
    let unsaid = |at: &usize| open.hindrance(*at) == Some(Blocker::Unsaid);
    let unsaid = (0..open.stories.len()).filter(unsaid).take(say::LISTED);
    asked.extend(unsaid.map(|at| {
        format!(
            "What does {} wait for? Its status is blocked, and it does not say.",
            line(open.graph.id(at))
        )
    }));
    let unknown = unknown(open);
    asked.extend(unknown.iter().take(say::LISTED).map(|(id, need)| {
        format!("What is {}, which {} needs? The project does not have it.", line(need), line(id))
    }));
    let bare = open.stories.iter().filter(|story| story.effort.is_none());
    asked.extend(say::unsized_question(bare.map(|story| story.id.as_str())));
    asked
}
