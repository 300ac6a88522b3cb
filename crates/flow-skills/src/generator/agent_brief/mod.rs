//! `agent-brief`: what an agent needs to know before it begins: goal, scope, acceptance criteria, dependencies, work of
//! others, and recent messages. What is neither given nor recorded becomes an open question.

mod target;

use std::collections::HashSet;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report::{self, Board, Expected, Log, NO_REASON, Page, Project, Questions, Reason};
use super::report::{Scope, Section, rows};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::{Block, Line};
use crate::output::{Output, Result};
use crate::project_state::exchange::unanswered;
use crate::project_state::say::{self, joined};
use crate::project_state::span::Span;
use crate::project_state::state::State;
use crate::project_state::{Activity, Context, Message, Session, Story, Task, message};
use crate::text::{bare, line, slug};
use target::Target;

const NAME: &str = "agent-brief";
/// Number of newest messages in the brief.
const SHOWN: usize = 10;
/// Number of reasons in the summary.
const REASONS: usize = 4;

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
    verify: Some(|text, context| report::verify(text, context, &EXPECTED)),
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
    /// What is to be done: the ids of stories or tasks, with a brief for each; text that names one, or text that names
    /// none.
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
    let project = Project::read(context)?;
    let log = Log::talk(context)?;
    let targets = Target::all(&input.task, &project.names())?;
    let mut outputs = Vec::new();
    for target in &targets {
        outputs.push(brief(input, target, &project, &log, context)?);
    }
    if outputs.len() == 1 {
        return Ok(outputs.remove(0));
    }
    let mut all = Output::default();
    let mut briefs = Vec::new();
    for (output, target) in outputs.into_iter().zip(&targets) {
        let about = target.about().unwrap_or_default();
        all.open.extend(output.open.iter().map(|question| format!("{about}: {question}")));
        all.notes = output.notes;
        all.artifacts.extend(output.artifacts);
        briefs.push(output.data);
    }
    Ok(Output { data: json!({ "briefs": briefs }), ..all })
}

/// The brief about one target.
fn brief(
    input: &Input,
    target: &Target<'_>,
    project: &Project,
    log: &Log,
    context: &Context,
) -> Result<Output> {
    let everything = Scope::everything(Span::read(None, None, &context.now)?);
    let board = Board::new(project, &everything, log);
    let around = Around { board: &board, target, agent: input.agent.as_deref() };
    let asked = around.questions();
    let lately = lately(&context.state, target)?;
    let criteria = target.criteria(&input.criteria);
    let goal = target.goal(input, &project.snapshot);
    let mut summary = vec![
        format!("Blocked: {}.", around.blocked()),
        around.waiting(asked.len()),
        around.others_on_it(),
    ];
    if let Some(last) = lately.last() {
        let cite = last.cite();
        let cite = cite.trim_start_matches("message ");
        summary.push(format!("Last message: {cite}{}", last.quoted()));
    }
    let is_bare = goal.len() < 2 && input.goal.is_none() && target.about().is_some();
    let mut open = Vec::new();
    if is_bare {
        let goal = "goal: not recorded beyond the title (add goal=TEXT, what it is for)";
        open.push(goal.to_owned());
    }
    if criteria.is_empty() {
        let none =
            "criteria: not given (add criteria=A;B, what must be true for it to be accepted)";
        open.push(none.to_owned());
    }
    let words = |text: &String| rows::quote(text, "");
    let tasks = "task=id, what=description, state, agent, error";
    let held = "session=name, story, branch, path";
    let page = Page {
        skill: NAME,
        file: format!("brief-{}.md", slug(target.about().unwrap_or(&input.task), "task")),
        title: target.heading(),
        summary,
        remarks: input.agent.iter().map(|agent| format!("For {agent}.")).collect(),
        sections: vec![
            rows::list("goal", "Goal", &goal),
            rows::list("scope", "Scope", &target.scope(input, &project.snapshot)),
            Section::list("out_of_scope", "Out of scope", &input.out_of_scope, |text| {
                rows::quote(text, "")
            }),
            Section::list("criteria", "Acceptance criteria", &criteria, words),
            Section::table("tasks", "Tasks", tasks, &around.tasks(), |task| rows::task(task)),
            Section::table(
                "needs",
                "What comes before",
                "id, what=title, state=status, owner",
                &around.needs(),
                |(row, _)| row.clone(),
            ),
            Section::table("sessions", "What others hold", held, &around.others(), |session| {
                rows::session(session)
            }),
            rows::tasks("running", "Running tasks of others nearby", &around.running()),
            Section::list("messages", "Latest messages", &lately, rows::message),
            Section::list("files", "Files changed so far", &around.files(), |(name, tasks)| {
                rows::quote(name, &format!("task {}", say::ids(tasks.iter().copied())))
            }),
            Section::list("questions", "Unanswered questions", &asked, |asked| {
                rows::message(asked)
            }),
        ],
        snapshot: Some(&project.snapshot),
        open,
    };
    page.output(json!({"task": input.task, "agent": input.agent, "about": target.about()}))
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

/// What surrounds a target: dependencies, work of others, and files touched.
struct Around<'a> {
    board: &'a Board<'a>,
    target: &'a Target<'a>,
    /// The agent that the brief is for.
    agent: Option<&'a str>,
}

impl<'a> Around<'a> {
    /// The questions without an answer about the story, and those to the agent.
    fn questions(&self) -> Vec<&'a Message> {
        let mut asked = unanswered(self.board.talk);
        asked.retain(|message| {
            let is_to_agent = self.agent.is_some() && message.to.as_deref() == self.agent;
            let story = message.story.as_deref();
            is_to_agent || (story.is_some() && story == self.target.story_id())
        });
        asked
    }

    /// The tasks of the story, or the task alone.
    fn tasks(&self) -> Vec<&'a Task> {
        let story = self.target.story_id();
        let is_listed = |task: &&Task| {
            let is_of_story = story.is_some() && task.story.as_deref() == story;
            is_of_story || self.target.about() == Some(task.id.as_str())
        };
        self.board.snapshot.tasks.iter().filter(is_listed).collect()
    }

    /// All dependencies, stories and tasks, each with whether it is done.
    fn needs(&self) -> Vec<(Value, bool)> {
        let missing = |id: &str| {
            let row =
                json!({"id": id, "title": null, "status": "not in the project", "owner": null});
            (row, false)
        };
        let snapshot = self.board.snapshot;
        let mut needs = Vec::new();
        for id in self.target.story().map_or(&[][..], |story| &story.needs) {
            let story = snapshot.story(id);
            needs.push(
                story.map_or_else(
                    || missing(id),
                    |story| (rows::story(story), story.is_completed()),
                ),
            );
        }
        let Target::Task(task, _) = self.target else { return needs };
        for id in &task.needs {
            let task = snapshot.tasks.iter().find(|other| other.id == *id);
            let row = |task: &Task| {
                let row = json!({
                    "id": task.id, "title": line(&task.description), "status": task.state,
                    "owner": task.agent, "cite": rows::cite_task(task),
                });
                (row, task.state == "completed")
            };
            needs.push(task.map_or_else(|| missing(id), row));
        }
        needs
    }

    /// Why it cannot begin: by the records, else by the tasks of the story and the last message about it.
    fn blocked(&self) -> String {
        let mut reasons = self.open_tasks();
        if let Some(story) = self.target.story() {
            if !story.is_open() {
                return format!("nothing; its status is already {}", line(&story.status));
            }
            if story.is_on_hold() {
                return format!("on hold ({})", line(&story.status));
            }
            let at = self.board.open.graph.place(&story.id);
            let mut all: Vec<Reason> =
                at.into_iter().flat_map(|at| self.board.reasons(at)).collect();
            if all.iter().any(Reason::is_recorded) {
                all.retain(Reason::is_recorded);
            }
            reasons.extend(all.iter().map(|reason| bare(&reason.text())));
            if reasons.is_empty() && story.status == "blocked" {
                return format!("by its status {NO_REASON}");
            }
        }
        if reasons.is_empty() {
            return "nothing recorded".to_owned();
        }
        joined(reasons, REASONS, "; ")
    }

    /// The tasks that a task needs and that are not completed, each with its state.
    fn open_tasks(&self) -> Vec<String> {
        let Target::Task(task, _) = self.target else { return Vec::new() };
        let tasks = &self.board.snapshot.tasks;
        let state = |id: &str| {
            tasks.iter().find(|task| task.id == id).map_or("not in the project", |task| &task.state)
        };
        let open = task.needs.iter().filter(|id| state(id) != "completed");
        open.map(|id| format!("needs {} ({})", line(id), line(state(id)))).collect()
    }

    /// The sentence on the open stories that need it, and on unanswered questions.
    fn waiting(&self, asked: usize) -> String {
        let dependants: Vec<&str> = self.near(Side::After).collect();
        let names = say::ids(dependants.iter().copied());
        let waiting = match dependants.len() {
            0 => "no open story needs it".to_owned(),
            1 => format!("{names} needs it"),
            _ => format!("{names} need it"),
        };
        let asked = match asked {
            0 => String::new(),
            _ => {
                format!("; {}", say::counted(asked, "unanswered question", "unanswered questions"))
            }
        };
        format!("Waiting: {waiting}{asked}.")
    }

    /// The stories before or after its story.
    fn near(&self, side: Side) -> impl Iterator<Item = &'a str> {
        let id = self.target.story_id();
        let needs = self.target.story().map_or(&[][..], |story| story.needs.as_slice());
        let is_near = move |story: &&Story| match side {
            Side::Before => needs.contains(&story.id),
            Side::After => {
                story.is_open() && story.needs.iter().any(|need| Some(need.as_str()) == id)
            }
        };
        self.board.snapshot.stories.iter().filter(is_near).map(|story| story.id.as_str())
    }

    /// The active sessions of others.
    fn others(&self) -> Vec<&'a Session> {
        let is_other = |session: &&Session| {
            let is_its =
                [session.name.as_str(), session.id.as_str()].map(Some).contains(&self.agent);
            session.activity == Activity::Active && !is_its
        };
        self.board.snapshot.sessions.iter().filter(is_other).collect()
    }

    /// The sentence on the sessions of others that work on its story.
    fn others_on_it(&self) -> String {
        let story = self.target.story_id();
        let mut others = self.others();
        others.retain(|session| story.is_some() && session.story.as_deref() == story);
        if others.is_empty() {
            return "Others: no other session is active on it.".to_owned();
        }
        let names = say::ids(others.iter().map(|session| session.name.as_str()));
        format!("Others: held by the session {names}.")
    }

    /// The running tasks of others on the story's dependencies and its dependents; all running tasks if the brief is
    /// not about a story.
    fn running(&self) -> Vec<&'a Task> {
        let near: HashSet<&str> = self.near(Side::Before).chain(self.near(Side::After)).collect();
        let is_listed = |task: &&Task| {
            let is_its = (task.agent.is_some() && task.agent.as_deref() == self.agent)
                || self.target.about() == Some(task.id.as_str());
            let is_near = self.target.story_id().is_none()
                || task.story.as_deref().is_some_and(|story| near.contains(story));
            task.state == "running" && !is_its && is_near
        };
        self.board.snapshot.tasks.iter().filter(is_listed).collect()
    }

    /// The files that the story's tasks report as changed, each with its tasks.
    fn files(&self) -> Vec<(String, Vec<&'a str>)> {
        let mut files: IndexMap<String, Vec<&str>> = IndexMap::new();
        for task in self.tasks() {
            let lists = ["metadata", "result"].map(|member| &task.record[member]["files_modified"]);
            let names = lists.into_iter().filter_map(Value::as_array).flatten();
            for name in names.filter_map(Value::as_str).map(line).filter(|name| !name.is_empty()) {
                let tasks = files.entry(name).or_default();
                if tasks.last() != Some(&task.id.as_str()) {
                    tasks.push(&task.id);
                }
            }
        }
        files.into_iter().collect()
    }
}

/// A direction from a story along dependencies.
#[derive(Clone, Copy)]
enum Side {
    /// What it needs.
    Before,
    /// What needs it and is open.
    After,
}
