//! What the field `state` asks to see of the project: its stories, epics, tasks, sessions or messages, laid out as the fields
//! that any diagram is drawn from.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::fields;
use crate::input::Input;
use crate::output::{Fault, Result};
use crate::project_state::Context;
use crate::project_state::say::{LISTED, name, state_of};
use crate::project_state::{Activity, Board, Story};
use crate::text::{line, title};

/// What can be seen.
const PARTS: [&str; 5] = ["stories", "epics", "tasks", "sessions", "messages"];
/// Most edges; Mermaid draws no more than 500 where nobody changes its settings.
const EDGES: usize = 500;
/// How many of the newest messages make a sequence.
const MESSAGES: usize = 100;

/// A picture of the project: the input to draw, and what is to be said beside it.
pub(super) struct Picture {
    pub(super) input: Input,
    /// Which time the state is of.
    pub(super) state: String,
    pub(super) notes: Vec<String>,
    /// What of the state could not be read, as questions.
    pub(super) open: Vec<String>,
}

/// Nodes and edges before their limits.
#[derive(Default)]
struct Parts {
    nodes: Vec<Value>,
    edges: Vec<(String, String, String)>,
}

/// The picture that the field `state` asks for.
///
/// # Errors
/// When there is no project, it has nothing of that kind, or the field is none of its words.
pub(super) fn laid(input: &Input, context: &Context) -> Result<Option<Picture>> {
    let Some(part) = fields::one(input, "state")? else { return Ok(None) };
    let part = fields::choice(input, "state", &PARTS).map(|_| part)?;
    let board = Board::read(&context.state)?;
    let epic = fields::one(input, "epic")?;
    if let Some(epic) = &epic {
        board.named_epic("epic", epic)?;
    }
    let mut input = input.clone();
    let mut notes = board.gaps.missing.clone();
    if part == "messages" {
        input.fields.insert("messages".into(), messages(context)?.into());
    } else {
        let parts = match part.as_str() {
            "stories" => stories(&board, epic.as_deref()),
            "epics" => epics(&board),
            "tasks" => tasks(&board),
            _ => sessions(&board),
        };
        notes.extend(parts.lay(&mut input));
    }
    let is_empty = ["nodes", "messages"].iter().all(|field| input.list(field).is_empty());
    if is_empty {
        return Err(Fault::Refused(format!("the project has no {part} to draw")));
    }
    let open = board.gaps.questions().collect();
    Ok(Some(Picture { input, state: state_of(&board), notes, open }))
}

impl Parts {
    fn node(&mut self, id: &str, label: &str, group: Option<&str>) {
        self.nodes.push(json!({"id": id, "label": label, "group": group}));
    }

    /// Puts them into the fields; what does not fit is said.
    fn lay(self, input: &mut Input) -> Option<String> {
        let nodes: Vec<Value> = self.nodes.iter().take(LISTED).cloned().collect();
        let is_drawn = |id: &str| nodes.iter().any(|node| node["id"] == id);
        let edges: Vec<Value> = self
            .edges
            .iter()
            .filter(|(from, to, _)| is_drawn(from) && is_drawn(to))
            .take(EDGES)
            .map(|(from, to, label)| json!({"from": from, "to": to, "label": label}))
            .collect();
        let rest = self.nodes.len() - nodes.len() + self.edges.len() - edges.len();
        input.fields.insert("nodes".into(), nodes.into());
        input.fields.insert("edges".into(), edges.into());
        (rest > 0).then(|| format!("{rest} boxes and arrows did not fit and are left out."))
    }
}

/// Open stories under their epics, each after what it needs; all stories of an epic where one is named.
fn stories(board: &Board, epic: Option<&str>) -> Parts {
    let is_meant = |story: &Story| match epic {
        Some(epic) => story.epic.as_deref() == Some(epic),
        None => !story.is_completed(),
    };
    let mut parts = Parts::default();
    for story in board.stories.iter().filter(|story| is_meant(story)) {
        let epic = story.epic.as_ref().map(|id| match board.epic(id) {
            Some(epic) if epic.title != *id => format!("{}: {}", line(id), title(&epic.title)),
            _ => line(id),
        });
        let label = format!("{}: {} ({})", line(&story.id), name(story), line(&story.status));
        parts.node(&story.id, &label, epic.as_deref());
    }
    let needs = board.stories.iter().filter(|story| is_meant(story)).flat_map(|story| {
        let known =
            story.needs.iter().filter_map(|id| board.story(id)).filter(|need| is_meant(need));
        known.map(|need| (need.id.clone(), story.id.clone(), String::new()))
    });
    parts.edges = needs.collect();
    parts
}

/// Epics with their progress, each after those whose stories its own need.
fn epics(board: &Board) -> Parts {
    let mut parts = Parts::default();
    for epic in &board.epics {
        let own = || board.stories.iter().filter(|story| story.epic.as_ref() == Some(&epic.id));
        let done = own().filter(|story| story.is_completed()).count();
        let label =
            format!("{}: {} ({done} of {})", line(&epic.id), title(&epic.title), own().count());
        parts.node(&epic.id, &label, None);
    }
    let mut between: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for story in &board.stories {
        for need in story.needs.iter().filter_map(|id| board.story(id)) {
            if let (Some(from), Some(to)) = (&need.epic, &story.epic)
                && from != to
            {
                *between.entry((from, to)).or_default() += 1;
            }
        }
    }
    let edge = |((from, to), count): ((&str, &str), usize)| {
        (from.to_owned(), to.to_owned(), format!("{count} needed"))
    };
    parts.edges = between.into_iter().map(edge).collect();
    parts
}

/// Tasks under their stories, each after what it needs.
fn tasks(board: &Board) -> Parts {
    let mut parts = Parts::default();
    for task in &board.tasks {
        let label =
            format!("{}: {} ({})", line(&task.id), title(&task.description), line(&task.state));
        parts.node(&task.id, &label, task.story.as_deref().map(line).as_deref());
        let needs = task.needs.iter().map(|need| (need.clone(), task.id.clone(), String::new()));
        parts.edges.extend(needs);
    }
    parts
}

/// Sessions that are active, and the stories that they work on.
fn sessions(board: &Board) -> Parts {
    let mut parts = Parts::default();
    for session in board.sessions.iter().filter(|session| session.activity == Activity::Active) {
        let id = format!("session {}", session.id);
        parts.node(&id, &line(&session.name), Some("sessions"));
        let Some(story) = &session.story else { continue };
        if !parts.nodes.iter().any(|node| node["id"] == *story) {
            let known = board.story(story).map(|story| format!(": {}", name(story)));
            parts.node(story, &format!("{}{}", line(story), known.unwrap_or_default()), None);
        }
        let branch = session.branch.as_deref().map(line).unwrap_or_default();
        parts.edges.push((id, story.clone(), branch));
    }
    parts
}

/// The newest messages that have a sender and a receiver, oldest first.
fn messages(context: &Context) -> Result<Vec<Value>> {
    let page = context.state.get(&format!("/api/bus/messages?order=desc&limit={MESSAGES}"))?;
    let newest = page["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let one = |message: &Value| {
        let text = |field: &str| message[field].as_str().map(line).filter(|text| !text.is_empty());
        let what = [text("type"), text("story_id")].into_iter().flatten().collect::<Vec<_>>();
        Some(json!({"from": text("from")?, "to": text("to")?, "text": what.join(" ")}))
    };
    Ok(newest.iter().rev().filter_map(one).collect())
}
