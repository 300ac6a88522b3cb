//! `agent-brief`: what an agent needs to know before it begins: goal, scope, acceptance criteria, dependencies, work of
//! others, and recent messages. What is neither given nor recorded becomes an open question.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report;
use super::report::{Board, Kind, Log, NO_REASON, Page, Reason, Scope, Section, rows};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::values::{Block, Line};
use crate::output::{Output, Result, bad_text};
use crate::page::{Form, Section as Part};
use crate::project_state::say::joined;
use crate::project_state::span::Span;
use crate::project_state::state::State;
use crate::project_state::{
    Context, Message, Session, Snapshot, Story, Task, id_prefix, message, recorded, say, text,
};
use crate::text::{bare, heading, item, line, slug, title};

const NAME: &str = "agent-brief";
/// Number of newest messages in the brief.
const SHOWN: usize = 10;
/// Number of reasons in the summary.
const REASONS: usize = 4;

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Text, "task"), takes(ContentKind::Markdown, "task")],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify(text, context, &FORM, None)),
};

const SECTIONS: &[Part] = &[Part::named("Goal", &[]), Part::named("Acceptance criteria", &[])];
const FORM: Form = Form::new("# Title", SECTIONS);

/// The task and its agent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What is to be done: the ids of stories or tasks, with a brief for each; text that names one, or text that names
    /// none.
    #[schemars(extend("x-labels" = ["Story", "From story"]))]
    task: Block,
    /// The agent that the brief is for; its own session and tasks are not listed as those of others.
    agent: Option<Line>,
    /// Acceptance criteria, in addition to the records.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["Acceptance criteria"]))]
    criteria: Vec<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Snapshot::read(&context.state)?.with_records()?;
    let log = Log::talk(context)?;
    let scope = Scope::of(Vec::new(), &project, Span::read(None, None, &context.now)?);
    let board = Board::new(&project, &scope, &log);
    let targets = Target::all(&input.task, &project)?;
    let mut all = Output::default();
    let mut briefs = Vec::new();
    for target in &targets {
        let around = Around { board: &board, target, agent: input.agent.as_deref() };
        let output = brief(input, &around, &context.state)?;
        if targets.len() == 1 {
            return Ok(output);
        }
        let id = target.id().unwrap_or_default();
        all.open.extend(output.open.iter().map(|question| format!("{id}: {question}")));
        all.notes = output.notes;
        all.artifacts.extend(output.artifacts);
        briefs.push(output.data);
    }
    Ok(Output { data: json!({ "briefs": briefs }), ..all })
}

/// The brief about one target.
fn brief(input: &Input, around: &Around<'_>, state: &State) -> Result<Output> {
    let Around { board, target, .. } = around;
    let questions = around.questions();
    let lately = lately(state, target)?;
    let criteria = target.criteria(&input.criteria);
    let goal = target.goal(board.snapshot);
    let mut summary =
        vec![format!("Blocked: {}.", around.blocked()), around.waiting(), around.others_on_it()];
    if let Some(last) = lately.last() {
        let cite = last.cite();
        let cite = cite.trim_start_matches("message ");
        summary.push(format!("Last message: {cite}{}", last.quoted()));
    }
    let add = match target.story {
        Some(_) => "acceptance_criteria to its record",
        None => "## Acceptance criteria to this page, what must be true for it to be accepted",
    };
    let asked = criteria.is_empty().then(|| format!("criteria: not recorded (add {add})"));
    let tasks = "task=id, what=description, state, agent, error";
    let needs = "id, what=title, state=status, owner";
    let page = Page {
        skill: NAME,
        file: format!("brief-{}.md", slug(target.id().unwrap_or(&input.task), "task")),
        title: target.heading(),
        summary,
        remarks: input.agent.iter().map(|agent| format!("For {agent}.")).collect(),
        sections: vec![
            rows::list("goal", "Goal", &goal),
            rows::list("scope", "Scope", &target.scope(board.snapshot)),
            rows::list("criteria", "Acceptance criteria", &criteria),
            rows::tasks("tasks", "Tasks", tasks, &around.tasks()),
            Section::table("needs", "What comes before", needs, &around.needs(), Value::clone),
            rows::sessions("What others hold", &around.others()),
            Section::list("messages", "Latest messages", &lately, rows::message),
            rows::unanswered(&questions),
        ],
        snapshot: board.snapshot,
        open: asked.into_iter().collect(),
    };
    page.output(json!({"task": input.task, "agent": input.agent, "about": target.id()}))
}

/// A text of one line for each of its sections, with the heading before it.
fn split_at_headings(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    for raw in text.lines() {
        let name = heading(raw.trim()).map(|(_, name)| format!("{name}:"));
        if name.is_some() {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut() {
            last.push_str(name.as_deref().unwrap_or_else(|| item(raw).unwrap_or(raw)));
            last.push(' ');
        }
    }
    parts.iter().map(|part| line(part)).filter(|part| !part.is_empty()).collect()
}

/// The newest messages about the story, or about the task if it has no story.
fn lately(state: &State, target: &Target<'_>) -> Result<Vec<Message>> {
    if let Some(id) = target.story_id() {
        let parameters = format!("story_id={}", State::encoded(id));
        return Message::newest(state, &parameters, SHOWN as u64);
    }
    let Some(task) = target.task else { return Ok(Vec::new()) };
    let mut all = Message::newest(state, "", message::SEARCHED)?;
    all.retain(|message| message.task.as_ref() == Some(&task.id));
    Ok(all.split_off(all.len().saturating_sub(SHOWN)))
}

/// What surrounds a target: dependencies, and work of others.
struct Around<'a> {
    board: &'a Board<'a>,
    target: &'a Target<'a>,
    /// The agent that the brief is for.
    agent: Option<&'a str>,
}

impl<'a> Around<'a> {
    /// Whether a record belongs to its story; none does if it has no story.
    fn is_of_story(&self, story: Option<&str>) -> bool {
        story.is_some() && story == self.target.story_id()
    }

    /// The questions without an answer about the story, and those to the agent.
    fn questions(&self) -> Vec<&'a Message> {
        let mut asked = self.board.unanswered.clone();
        asked.retain(|message| {
            let is_to_agent = self.agent.is_some() && message.to.as_deref() == self.agent;
            is_to_agent || self.is_of_story(message.story.as_deref())
        });
        asked
    }

    /// The tasks of the story, or the task alone.
    fn tasks(&self) -> Vec<&'a Task> {
        let tasks = self.board.snapshot.tasks.iter();
        let is_it = |task: &Task| self.target.task.is_some_and(|target| target.id == task.id);
        tasks.filter(|task| self.is_of_story(task.story.as_deref()) || is_it(task)).collect()
    }

    /// All dependencies, stories and tasks.
    fn needs(&self) -> Vec<Value> {
        let snapshot = self.board.snapshot;
        let missing = |id: &str| json!({"id": id, "title": null, "status": "not in the project", "owner": null});
        let of_task = |task: &Task| {
            json!({
                "id": task.id, "title": line(&task.description), "status": task.state,
                "owner": task.agent, "cite": rows::cite_task(task),
            })
        };
        let stories = self.target.story.into_iter().flat_map(|story| &story.needs);
        let stories = stories.map(|id| snapshot.story(id).map_or_else(|| missing(id), rows::story));
        let tasks = self.target.task.into_iter().flat_map(|task| &task.needs);
        let tasks = tasks.map(|id| snapshot.task(id).map_or_else(|| missing(id), of_task));
        stories.chain(tasks).collect()
    }

    /// Why it cannot begin: the tasks that its task needs, and the reasons of its story.
    fn blocked(&self) -> String {
        let mut reasons = Vec::new();
        let needs = self.target.task.map(|task| say::ids(self.board.open_needs(task)));
        reasons.extend(needs.filter(|ids| !ids.is_empty()).map(|ids| format!("needs {ids}")));
        if let Some(task) = self.target.task.filter(|task| task.state == "blocked") {
            reasons.push(task.error.as_deref().map_or_else(|| NO_REASON.to_owned(), line));
        }
        if let Some(story) = self.target.story {
            if !story.is_open() {
                return format!("nothing; its status is already {}", line(&story.status));
            }
            let Some(at) = self.board.open.graph.place(&story.id) else {
                return format!("on hold ({})", line(&story.status));
            };
            // What tasks and messages say is below; here it counts where the record has no reason.
            let mut all = self.board.reasons(at);
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

    /// The sentence on the open stories that need it.
    fn waiting(&self) -> String {
        let needs_it = |story: &Story| story.needs.iter().any(|id| self.is_of_story(Some(id)));
        let open = self.board.stories(|story| story.is_open() && needs_it(story));
        let names = say::ids(open.iter().map(|story| story.id.as_str()));
        match open.len() {
            0 => "Waiting: no open story needs it.".to_owned(),
            1 => format!("Waiting: {names} needs it."),
            _ => format!("Waiting: {names} need it."),
        }
    }

    /// The active sessions of others: not that of the agent's name, nor one on a story that the agent owns.
    fn others(&self) -> Vec<&'a Session> {
        let owner = |session: &Session| {
            let story = self.board.snapshot.story(session.story.as_deref()?)?;
            story.owner.as_deref()
        };
        let mut sessions = self.board.sessions();
        sessions.retain(|session| {
            let names = [Some(session.name.as_str()), Some(&session.id), owner(session)];
            self.agent.is_none() || !names.contains(&self.agent)
        });
        sessions
    }

    /// The sentence on the sessions of others that work on its story.
    fn others_on_it(&self) -> String {
        let mut others = self.others();
        others.retain(|session| self.is_of_story(session.story.as_deref()));
        if others.is_empty() {
            return "Others: no other session is active on it.".to_owned();
        }
        let names = say::ids(others.iter().map(|session| session.name.as_str()));
        format!("Others: held by the session {names}.")
    }
}

/// What a brief is about; all are `None` for a text that names no record.
#[derive(Debug, Default)]
struct Target<'a> {
    task: Option<&'a Task>,
    /// The story, or that of the task.
    story: Option<&'a Story>,
    /// The text of the input, if it says more than an id.
    text: Option<&'a str>,
}

impl<'a> Target<'a> {
    /// The stories and tasks that a text lists by their ids; else the one that it names; else the text.
    fn all(given: &'a str, project: &'a Snapshot) -> Result<Vec<Self>> {
        let given = given.trim();
        let mut targets: Vec<Self> = Self::one(given, project).into_iter().collect();
        let mut is_list = !targets.is_empty();
        if targets.is_empty() {
            let known = [Kind::Story, Kind::Task].into_iter().flat_map(|kind| project.known(kind));
            let prefixes: HashSet<&str> = known.clone().filter_map(id_prefix).collect();
            let words: Vec<&str> =
                words(given).filter(|word| !matches!(*word, "" | "and")).collect();
            is_list = !words.is_empty();
            for word in &words {
                let one = Self::one(word, project);
                // A single word with a digit is meant as an id; one of a text, if it has the form of the project's.
                let is_id = match words.len() {
                    1 => word.contains(|c: char| c.is_ascii_digit()),
                    _ => id_prefix(word).is_some_and(|prefix| prefixes.contains(prefix)),
                };
                if one.is_none() && is_id {
                    return Err(project.absent("task", word, "a story or a task", known));
                }
                is_list &= one.is_some();
                targets.extend(one);
            }
        }
        let mut ids = HashSet::new();
        targets.retain(|target: &Self| ids.insert(target.id()));
        match targets.len() {
            _ if is_list => Ok(targets),
            0 | 1 => Ok(vec![Self { text: Some(given), ..targets.pop().unwrap_or_default() }]),
            _ => {
                let ids: Vec<&str> = targets.iter().filter_map(Self::id).collect();
                let ids = ids.join(" ");
                let allowed =
                    format!("a text that names one of them, or their ids alone: agent-brief {ids}");
                Err(bad_text("task", given, &allowed))
            }
        }
    }

    fn one(id: &str, project: &'a Snapshot) -> Option<Self> {
        let snapshot = &project;
        if let Some((_, id)) = project.find(Some(Kind::Story), id) {
            return Some(Self { story: snapshot.story(&id), ..Self::default() });
        }
        let (_, id) = project.find(Some(Kind::Task), id)?;
        let task = snapshot.task(&id);
        let story = task.and_then(|task| snapshot.story(task.story.as_deref()?));
        Some(Self { task, story, text: None })
    }

    fn id(&self) -> Option<&'a str> {
        let story = self.story.map(|story| story.id.as_str());
        self.task.map(|task| task.id.as_str()).or(story)
    }

    /// The id of its story, whether or not the project has it.
    fn story_id(&self) -> Option<&'a str> {
        match self.task {
            Some(task) => task.story.as_deref(),
            None => self.story.map(|story| story.id.as_str()),
        }
    }

    fn heading(&self) -> String {
        match (self.task, self.story) {
            (Some(task), _) => format!("{}: {}", task.id, title(&task.description)),
            (None, Some(story)) => format!("{}: {}", story.id, say::name(story)),
            (None, None) => {
                let first = self.text.and_then(|text| text.lines().next()).unwrap_or_default();
                title(first.trim_start_matches('#'))
            }
        }
    }

    /// The acceptance criteria of its story, and those of the input.
    fn criteria(&self, given: &[Line]) -> Vec<Value> {
        let recorded = self.story.into_iter().flat_map(|story| &story.criteria);
        // Where task-master keeps how a task is checked.
        let strategy = self.story.and_then(|story| text(&story.record, &["testStrategy"]));
        let recorded = recorded.map(String::as_str).chain(strategy.as_deref());
        let all = recorded.chain(given.iter().map(|one| &**one)).map(line);
        all.filter(|one| !one.is_empty()).map(|one| rows::quote(&one, "")).collect()
    }

    fn goal(&self, snapshot: &Snapshot) -> Vec<Value> {
        let mut goal = Vec::new();
        let mut add = |words: Option<String>, cite: &str| {
            goal.extend(words.map(|words| rows::quote(&words, cite)));
        };
        for words in self.text.into_iter().flat_map(split_at_headings) {
            add(Some(words), "as given");
        }
        if let Some(task) = self.task {
            let cite = rows::cite_task(task);
            add(Some(line(&task.description)), &cite);
            add(text(&task.record, &["prompt"]).map(|text| line(&text)), &cite);
        }
        if let Some(story) = self.story {
            let cite = rows::cite_story(story);
            add(Some(say::name(story)), &cite);
            add(recorded::description(&story.record), &cite);
            add(text(&story.record, &["details"]).map(|text| line(&text)), &cite);
            if let Some(epic) = story.epic.as_deref().and_then(|id| snapshot.epic(id)) {
                add(epic.goal.as_deref().map(line), &format!("epic {}", line(&epic.id)));
            }
        }
        goal
    }

    fn scope(&self, snapshot: &Snapshot) -> Vec<Value> {
        let mut scope = Vec::new();
        if let Some(task) = self.task {
            let agent = task.agent.as_ref().map(|agent| format!(", agent {agent}"));
            let words = format!("task {}: {}{}", task.id, task.state, agent.unwrap_or_default());
            scope.push(rows::quote(&words, &rows::cite_task(task)));
        }
        if let Some(story) = self.story {
            let mut facts = vec![story.status.clone()];
            facts.extend(story.owner.as_ref().map(|owner| format!("owner {owner}")));
            facts.extend(story.priority.as_ref().map(|priority| format!("priority {priority}")));
            facts.extend(story.effort.map(|effort| effort.to_string()));
            if let Some(id) = &story.epic {
                let name = snapshot.epic(id).map(|epic| title(&epic.title)).unwrap_or_default();
                let name = if name.eq_ignore_ascii_case(id) { String::new() } else { name };
                facts.push(format!("part of {id} {name}").trim_end().to_owned());
            }
            scope.push(rows::quote(&facts.join(", "), &rows::cite_story(story)));
        }
        scope
    }
}

/// The words of a text without surrounding punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
}
