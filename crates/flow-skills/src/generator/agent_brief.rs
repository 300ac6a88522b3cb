//! `agent-brief`: what an agent needs to know before it begins: the goal, the scope, what is accepted, what comes before,
//! what the others hold, and what the bus said. What the records do not say is asked.

mod around;
mod target;

use serde_json::json;

use around::Around;
use target::Target;

use crate::fields;
use crate::input::Input;
use crate::output::{Artifact, Output, Result};
use crate::project_state::Context;
use crate::project_state::exchange::exchanges;
use crate::project_state::state::State;
use crate::project_state::{Board, Kind, Message, Story, Task, message, rows, say};
use crate::runtime::engine;
use crate::text::{line, slug, title};

pub(super) const NAME: &str = "agent-brief";
/// Newest messages that are shown.
const SHOWN: usize = 10;

/// Makes the brief.
///
/// # Errors
/// When there is no task, or no project.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let task = fields::one(input, "task")?;
    let task =
        task.ok_or_else(|| fields::missing_text("task", "what is to be done: an id, or text"))?;
    let agent = fields::one(input, "agent")?;
    let state = &context.state;
    let (board, _) = Board::with_metrics(state)?;
    let target = Target::find(&task, &board);
    let around = Around { board: &board, target: &target, agent: agent.as_deref() };
    let said = Message::newest_of(state, &[Kind::Question, Kind::Answer], message::SEARCHED)?;
    let is_asked = |message: &Message| {
        let to_agent = agent.is_some() && message.to == agent;
        to_agent || (message.story.is_some() && message.story.as_deref() == target.story_id())
    };
    let waiting = exchanges(&said).into_iter().filter(|found| found.answer.is_none());
    let waiting = waiting.map(|found| found.question).filter(|message| is_asked(message));
    let waiting: Vec<&Message> = waiting.collect();
    let data = json!({
        "time": board.time,
        "task": task,
        "agent": agent,
        "about": target.about(),
        "goal": target.goal(&board),
        "scope": target.scope(&board),
        "criteria": say::limit_rows(&target.criteria(), |text| text.as_str().into()),
        "tasks": around.own_tasks(),
        "needs": around.needs(),
        "sessions": around.sessions(),
        "running": around.running(),
        "messages": say::limit_rows(&lately(state, &target)?, Message::row),
        "files": around.files(),
        "questions": say::limit_rows(&waiting, |message| message.row()),
    });
    let mut open: Vec<String> = board.gaps.questions().collect();
    open.extend(questions(&target, &around));
    let mut view = say::escaped(&data);
    view["title"] = say::escape(&heading(&target, &task)).into();
    view["state"] = say::escape(&say::state_of(&board)).into();
    view["open"] = open.iter().map(|question| say::escape(question)).collect();
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let name = target.about().map_or_else(|| slug(&task, "task"), |id| slug(id, "task"));
    let artifacts = vec![Artifact::new(format!("brief-{name}.md"), "markdown", text)];
    Ok(Output { data, artifacts, open, notes: board.gaps.missing })
}

fn heading(target: &Target<'_>, task: &str) -> String {
    match target {
        Target::Text(_) => title(task),
        Target::Story(story) => format!("{}: {}", story.id, say::name(story)),
        Target::Task(task, _) => format!("{}: {}", task.id, title(&task.description)),
    }
}

/// The newest messages about the story, or about the task where it has no story.
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

/// What the records do not say and whoever begins should know.
fn questions(target: &Target<'_>, around: &Around<'_>) -> Vec<String> {
    let mut asked = Vec::new();
    let mut ask = |is_open: bool, question: String| asked.extend(is_open.then_some(question));
    let story = target.story();
    let unknown = target.unknown();
    ask(
        !unknown.is_empty(),
        format!("What is {}? The project does not have it.", say::ids(unknown)),
    );
    let is_text = matches!(target, Target::Text(_));
    ask(is_text, "What is in scope? Only the text is known, and it names no story or task.".into());
    let no_goal = !is_text && target.goal(around.board).len() < 2;
    ask(no_goal, "What is it for? The record has a title and no description.".into());
    ask(true, "What is out of scope? No record says.".into());
    let bare = target.criteria().is_empty();
    ask(bare, "What must be true for this to be accepted? No criterion is recorded.".into());
    ask(
        story.is_some_and(Story::is_completed),
        "Is there still work to do? The record says that it is completed.".into(),
    );
    for session in around.on_the_same().take(say::LISTED) {
        ask(
            true,
            format!("Who goes on with it? The session {} holds it already.", line(&session.name)),
        );
    }
    let open = around.open_needs();
    ask(
        !open.is_empty(),
        format!("May it begin before this is done: {}?", say::ids(open.iter().map(String::as_str))),
    );
    let waits = story.and_then(|story| story.waits_for.as_deref());
    ask(waits.is_some(), format!("Is this there by now: {}?", line(waits.unwrap_or_default())));
    asked
}
