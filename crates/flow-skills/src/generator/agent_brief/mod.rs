//! `agent-brief`: what an agent needs to know before it begins: goal, scope, acceptance criteria, dependencies, work of
//! others, and recent messages. What is neither given nor recorded becomes an open question.

mod around;
mod target;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::live::{self, Expected, Page, Questions};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::{Block, Line};
use crate::output::{Output, Result};
use crate::project_state::exchange::{Blocks, unanswered};
use crate::project_state::state::State;
use crate::project_state::{Context, Kind, Message, Snapshot, Story, Task, message, rows, say};
use crate::text::{line, slug, title};
use around::Around;
use target::Target;

const NAME: &str = "agent-brief";
/// Number of newest messages in the brief.
const SHOWN: usize = 10;

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Text, "task"),
            takes(ContentKind::Markdown, "task"),
            takes(ContentKind::Story, "task"),
        ],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| live::verify(text, context, &EXPECTED)),
};

const EXPECTED: Expected = Expected {
    sections: &[&["Goal"], &["Acceptance criteria"]],
    unless: None,
    questions: Questions::ToAnswer,
};

/// The task, its agent, and what is not recorded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What is to be done: the id of a story or a task, text that names one, or text that names none.
    #[schemars(extend("x-title" = true, "x-labels" = ["Story"]))]
    task: Block,
    /// The agent that the brief is for; its own session and tasks are not listed as those of others.
    agent: Option<Line>,
    /// The goal, in addition to the records.
    #[schemars(extend("x-rest" = true, "x-labels" = ["Why", "Context"]))]
    goal: Option<Block>,
    /// What is in scope, in addition to the records.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["In scope"]))]
    scope: Vec<Line>,
    /// What is out of scope.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["Not in scope", "Non-goals"]))]
    out_of_scope: Vec<Line>,
    /// Acceptance criteria, in addition to the records.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["Acceptance criteria"]))]
    criteria: Vec<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let state = &context.state;
    let (snapshot, metrics) = Snapshot::with_metrics(state)?;
    live::refuse_empty(&snapshot, &metrics)?;
    let target = Target::find(&input.task, &snapshot)?;
    let agent = input.agent.as_deref();
    let around = Around { snapshot: &snapshot, target: &target, agent };
    let talk = [Kind::Question, Kind::Answer, Kind::Blocked, Kind::Unblocked];
    let talk = Message::newest_of(state, &talk, message::SEARCHED)?;
    let mut waiting = unanswered(&talk);
    waiting.retain(|message| {
        let is_to_agent = agent.is_some() && message.to.as_deref() == agent;
        is_to_agent || (message.story.is_some() && message.story.as_deref() == target.story_id())
    });
    let lately = lately(state, &target)?;
    let criteria = target.criteria(&input.criteria);
    let goal = target.goal(input, &snapshot);
    let data = json!({
        "time": snapshot.time,
        "task": input.task,
        "agent": input.agent,
        "about": target.about(),
        "goal": say::limit_rows(&goal, Value::clone),
        "scope": say::limit_rows(&target.scope(input, &snapshot), Value::clone),
        "out_of_scope": input.out_of_scope,
        "criteria": say::limit_rows(&criteria, |text| text.as_str().into()),
        "tasks": around.own_tasks(),
        "needs": around.needs(),
        "sessions": around.sessions(),
        "running": around.running(),
        "messages": say::limit_rows(&lately, said),
        "files": around.files(),
        "questions": say::limit_rows(&waiting, |message| said(message)),
    });
    let name = target.about().map_or_else(|| slug(&input.task, "task"), |id| slug(id, "task"));
    let page = Page {
        skill: NAME,
        file: format!("brief-{name}.md"),
        title: heading(&target),
        summary: lines(&around, &Blocks::standing(&talk), lately.last(), waiting.len()),
        snapshot: &snapshot,
        open: questions(input, &target, goal.len(), criteria.len()),
    };
    let view = json!({
        "out_of_scope": say::limit_rows(&input.out_of_scope, |text| rows::quote(text, "")),
        "criteria": say::limit_rows(&criteria, |text| rows::quote(text, "")),
    });
    page.output(data, &view)
}

/// What is neither given nor recorded, as questions.
fn questions(input: &Input, target: &Target<'_>, goals: usize, criteria: usize) -> Vec<String> {
    let is_bare = goals < 2 && input.goal.is_none() && target.about().is_some();
    let goal = "goal: not recorded beyond the title (add goal=TEXT, what it is for)";
    let none = "criteria: not given (add criteria=A;B, what must be true for it to be accepted)";
    let open = [is_bare.then_some(goal), (criteria == 0).then_some(none)];
    open.into_iter().flatten().map(str::to_owned).collect()
}

fn heading(target: &Target<'_>) -> String {
    match target {
        Target::Text(text) => title(text.lines().next().unwrap_or_default()),
        Target::Story(story) => format!("{}: {}", story.id, say::name(story)),
        Target::Task(task, _) => format!("{}: {}", task.id, title(&task.description)),
    }
}

/// What blocks it, who waits for whom, who works on it, and the last message.
fn lines(
    around: &Around<'_>,
    blocks: &Blocks<'_>,
    last: Option<&Message>,
    waiting: usize,
) -> Vec<String> {
    let target = around.target;
    let mut blocked: Vec<String> = Vec::new();
    let on_hold = target.story().filter(|story| story.is_on_hold());
    blocked.extend(on_hold.map(|story| format!("on hold ({})", line(&story.status))));
    blocked.extend(around.open_needs());
    let reasons = target.story().map_or(&[][..], |story| &story.reasons);
    blocked.extend(reasons.iter().map(|words| format!("waits for: {}", line(words))));
    if let Some(story) = target.story().filter(|story| story.status == "blocked")
        && blocked.is_empty()
    {
        let words = blocks.of(&story.id).and_then(Message::excerpt);
        blocked.push(words.unwrap_or_else(|| "by its status (reason not recorded)".to_owned()));
    }
    let closed = target.story().filter(|story| !story.is_open());
    let blocked = match (closed, blocked.is_empty()) {
        (Some(story), _) => format!("nothing; its status is already {}", line(&story.status)),
        (None, true) => "nothing recorded".to_owned(),
        (None, false) => blocked.join("; "),
    };
    let held = match say::ids(around.on_the_same().map(|session| session.name.as_str())) {
        none if none.is_empty() => "no other session is active on it".to_owned(),
        names => format!("held by the session {names}"),
    };
    let dependants = around.dependants();
    let needed_by = say::ids(dependants.iter().copied());
    let waits = match dependants.len() {
        0 => "no open story needs it".to_owned(),
        1 => format!("{needed_by} needs it"),
        _ => format!("{needed_by} need it"),
    };
    let asked = say::counted(waiting, "unanswered question", "unanswered questions");
    let asked = if waiting == 0 { String::new() } else { format!("; {asked}") };
    let mut lines = vec![
        format!("Blocked: {blocked}."),
        format!("Waiting: {waits}{asked}."),
        format!("Others: {held}."),
    ];
    lines.extend(last.map(|message| {
        let cite = message.cite();
        format!("Last message: {}{}", cite.trim_start_matches("message "), message.quoted())
    }));
    lines
}

fn said(message: &Message) -> Value {
    let to = message.to.as_deref().map(|to| format!(" to {}", line(to))).unwrap_or_default();
    let from = message.from.as_deref().map_or_else(|| "somebody".to_owned(), line);
    let mut row = message.row();
    row["said"] = format!("{from}{to}{}", message.quoted()).into();
    row
}

/// The newest messages about the story, or about the task if it has no story.
fn lately(state: &State, target: &Target<'_>) -> Result<Vec<Message>> {
    if let Some(id) = target.story_id() {
        let parameters = format!("story_id={}", State::encoded(id));
        return Message::newest(state, &parameters, SHOWN as u64);
    }
    let Target::Task(task, _) = target else { return Ok(Vec::new()) };
    let mut all = Message::newest(state, "", message::SEARCHED)?;
    all.retain(|message| message.task.as_ref() == Some(&task.id));
    Ok(all.split_off(all.len().saturating_sub(SHOWN)))
}
