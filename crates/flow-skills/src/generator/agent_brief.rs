//! `agent-brief`: what an agent needs to know before it begins: goal, scope, acceptance criteria, dependencies, work of
//! others, and recent messages. What is neither given nor recorded becomes an open question.

use std::collections::HashSet;

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report;
use super::report::{Board, Listing, Log, NO_REASON, Report, Scope, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values::{Block, Line};
use crate::output::{Output, Result, bad_text};
use crate::page::{Form, Section};
use crate::project_state::names::{Name, Named};
use crate::project_state::say::joined;
use crate::project_state::span::Span;
use crate::project_state::state::State;
use crate::project_state::{
    Context, Message, Session, Snapshot, Story, Task, id_prefix, message, recorded, say, text,
};
use crate::text::{bare, heading, item, line, slug, title};

const NAME: &str = "agent-brief";
const SHOWN: usize = 10;
const REASONS: usize = 2;
/// What a brief can be about.
const RECORDS: &[Named] = &[Named::Story, Named::Task];

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Text, "task"), takes(ContentKind::Markdown, "task")],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify(text, context, &FORM, None)),
};

const SECTIONS: &[Section] =
    &[Section::named("Goal", &[]), Section::named("Acceptance criteria", &[])];
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
        let output = target.brief(input, &board, &context.state)?;
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
        let listed = project.names("task", RECORDS, &line(given), "").unwrap_or_default();
        let listed: IndexSet<Name> = listed.into_iter().collect();
        if !listed.is_empty() {
            return Ok(listed.iter().map(|name| Self::of(name, project)).collect());
        }
        let stories = project.stories.iter().map(|story| story.id.as_str());
        let ids = stories.chain(project.tasks.iter().map(|task| task.id.as_str()));
        let prefixes: HashSet<&str> = ids.filter_map(id_prefix).collect();
        let is_one_word = words(given).count() == 1;
        let mut named: IndexSet<Name> = IndexSet::new();
        // Each search goes through all records.
        for word in words(given).collect::<IndexSet<&str>>() {
            if let Some(name) = project.find(RECORDS, word) {
                named.insert(name);
                continue;
            }
            // A single word with a digit is meant as an id; one of a text, if it has the form of the project's.
            let is_id = id_prefix(word).is_some_and(|prefix| prefixes.contains(prefix))
                || is_one_word && word.contains(|c: char| c.is_ascii_digit());
            if is_id {
                return Err(project.unknown("task", RECORDS, word, ""));
            }
        }
        if named.len() > 1 {
            let ids: Vec<&str> = named.iter().map(|name| name.id.as_str()).collect();
            let ids = ids.join(" ");
            let allowed =
                format!("a text that names one of them, or their ids alone: agent-brief {ids}");
            return Err(bad_text("task", given, &allowed));
        }
        let record = named.first().map(|name| Self::of(name, project));
        Ok(vec![Self { text: Some(given), ..record.unwrap_or_default() }])
    }

    fn of(name: &Name, project: &'a Snapshot) -> Self {
        let task = project.task(&name.id).filter(|_| name.kind == Named::Task);
        let story = task.map_or(Some(name.id.as_str()), |task| task.story.as_deref());
        Self { task, story: story.and_then(|id| project.story(id)), text: None }
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

    fn brief(&self, input: &Input, board: &Board<'a>, state: &State) -> Result<Output> {
        let kinds = [Named::Agent, Named::Session];
        let known = input.agent.as_deref().and_then(|name| board.snapshot.find(&kinds, name));
        let agent = known.as_ref().map(|name| name.id.as_str()).or(input.agent.as_deref());
        let criteria = self.criteria(&input.criteria);
        let add = match self.story {
            Some(_) => "acceptance_criteria to its record",
            None => "## Acceptance criteria to this page, what must be true for it to be accepted",
        };
        let asked = criteria.is_empty().then(|| format!("criteria: not recorded (add {add})"));
        let scope = "story=id, status, owner, priority, size, epic";
        let tasks = "task=id, what=description, state, agent, error";
        let columns = "id, what=title, state=status, owner";
        let needs = self.needs(board);
        let file = format!("brief-{}.md", slug(self.id().unwrap_or(&input.task), "task"));
        let report = Report {
            summary: vec![format!("Blocked: {}.", self.blocked(board)), self.waiting(board)],
            remarks: agent.iter().map(|agent| format!("For {agent}.")).collect(),
            sections: vec![
                rows::list("goal", "Goal", &self.goal(board.snapshot)),
                rows::stories("scope", "Scope", scope, &self.story.into_iter().collect::<Vec<_>>()),
                rows::list("criteria", "Acceptance criteria", &criteria),
                rows::tasks("tasks", "Tasks", tasks, &self.tasks(board)),
                Listing::table("needs", "What comes before", columns, &needs, Value::clone),
                rows::sessions("What others hold", &others(board, agent)),
                Listing::list("messages", "Latest messages", &self.lately(state)?, rows::message),
                rows::unanswered(&self.questions(board, agent)),
            ],
            open: asked.into_iter().collect(),
            ..Report::of(NAME, file, self.heading(), board.snapshot)
        };
        let mut output = report.output(json!({"about": self.id()}))?;
        if let Some(agent) = agent.filter(|_| known.is_none()) {
            let why = "so nothing that others hold is left out as its own";
            output.notes.push(format!("{agent} is no agent or session of the project, {why}"));
        }
        Ok(output)
    }

    /// The newest messages about the story, or about the task if it has no story.
    fn lately(&self, state: &State) -> Result<Vec<Message>> {
        if let Some(id) = self.story_id() {
            let parameters = format!("story_id={}", State::encoded(id));
            return Message::newest(state, &parameters, SHOWN as u64);
        }
        let Some(task) = self.task else { return Ok(Vec::new()) };
        let mut all = Message::newest(state, "", message::SEARCHED)?;
        all.retain(|message| message.task.as_ref() == Some(&task.id));
        Ok(all.split_off(all.len().saturating_sub(SHOWN)))
    }

    /// Whether a record belongs to its story; none does if it has no story.
    fn is_of_story(&self, story: Option<&str>) -> bool {
        story.is_some() && story == self.story_id()
    }

    /// The questions without an answer about the story, and those to the agent.
    fn questions(&self, board: &Board<'a>, agent: Option<&str>) -> Vec<&'a Message> {
        let mut asked = board.unanswered.clone();
        asked.retain(|message| {
            let is_to_agent = agent.is_some() && message.to.as_deref() == agent;
            is_to_agent || self.is_of_story(message.story.as_deref())
        });
        asked
    }

    /// The tasks of the story, or the task alone.
    fn tasks(&self, board: &Board<'a>) -> Vec<&'a Task> {
        let tasks = board.snapshot.tasks.iter();
        let is_it = |task: &Task| self.task.is_some_and(|target| target.id == task.id);
        tasks.filter(|task| self.is_of_story(task.story.as_deref()) || is_it(task)).collect()
    }

    /// All dependencies, stories and tasks.
    fn needs(&self, board: &Board<'a>) -> Vec<Value> {
        let snapshot = board.snapshot;
        let missing = |id: &str| json!({"id": id, "title": null, "status": "not in the project", "owner": null});
        let of_task = |task: &Task| {
            json!({
                "id": task.id, "title": line(&task.description), "status": task.state,
                "owner": task.agent, "cite": rows::cite_task(task),
            })
        };
        let stories = self.story.into_iter().flat_map(|story| &story.needs);
        let stories = stories.map(|id| snapshot.story(id).map_or_else(|| missing(id), rows::story));
        let tasks = self.task.into_iter().flat_map(|task| &task.needs);
        let tasks = tasks.map(|id| snapshot.task(id).map_or_else(|| missing(id), of_task));
        stories.chain(tasks).collect()
    }

    /// Why it cannot begin: the tasks that its task needs, and the reasons of its story.
    fn blocked(&self, board: &Board<'a>) -> String {
        let mut reasons = Vec::new();
        let needs = self.task.map(|task| say::ids(board.open_needs(task)));
        reasons.extend(needs.filter(|ids| !ids.is_empty()).map(|ids| format!("needs {ids}")));
        if let Some(task) = self.task.filter(|task| task.state == "blocked") {
            reasons.push(task.error.as_deref().map_or_else(|| NO_REASON.to_owned(), line));
        }
        if let Some(story) = self.story {
            if !story.is_open() {
                return format!("nothing; its status is already {}", line(&story.status));
            }
            let Some(at) = board.open.graph.place(&story.id) else {
                return format!("on hold ({})", line(&story.status));
            };
            reasons.extend(board.reasons(at).iter().map(|reason| bare(&reason.text())));
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
    fn waiting(&self, board: &Board<'a>) -> String {
        let needs_it = |story: &Story| story.needs.iter().any(|id| self.is_of_story(Some(id)));
        let open = board.stories(|story| story.is_open() && needs_it(story));
        let names = say::ids(open.iter().map(|story| story.id.as_str()));
        match open.len() {
            0 => "Waiting: no open story needs it.".to_owned(),
            1 => format!("Waiting: {names} needs it."),
            _ => format!("Waiting: {names} need it."),
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
        all.filter(|one| !one.is_empty()).map(|one| rows::cited(&one, "")).collect()
    }

    /// The lines of a text, and the descriptions in the records.
    fn goal(&self, snapshot: &Snapshot) -> Vec<Value> {
        let text_of = |record: &Value, name| text(record, &[name]).map(|text| line(&text));
        let mut goal = Vec::new();
        for raw in self.text.unwrap_or_default().lines() {
            let words = heading(raw.trim()).map_or(item(raw).unwrap_or(raw), |(_, name)| name);
            let words = line(words);
            if !words.is_empty() {
                goal.push(rows::cited(&words, "as given"));
            }
        }
        if let Some(task) = self.task {
            let texts = [Some(line(&task.description)), text_of(&task.record, "prompt")];
            let cite = rows::cite_task(task);
            goal.extend(texts.iter().flatten().map(|words| rows::cited(words, &cite)));
        }
        if let Some(story) = self.story {
            let description = recorded::description(&story.record);
            let texts = [Some(say::name(story)), description, text_of(&story.record, "details")];
            let cite = rows::cite_story(story);
            goal.extend(texts.iter().flatten().map(|words| rows::cited(words, &cite)));
            let epic = story.epic.as_deref().and_then(|id| snapshot.epic(id));
            if let Some((epic, words)) = epic.and_then(|epic| Some((epic, epic.goal.as_ref()?))) {
                goal.push(rows::cited(&line(words), &format!("epic {}", line(&epic.id))));
            }
        }
        goal
    }
}

/// The active sessions of others: not that of the agent's name, nor one on a story that the agent owns.
fn others<'a>(board: &Board<'a>, agent: Option<&str>) -> Vec<&'a Session> {
    let owner = |session: &Session| {
        let story = board.snapshot.story(session.story.as_deref()?)?;
        story.owner.as_deref()
    };
    let mut sessions = board.sessions();
    sessions.retain(|session| {
        let names = [Some(session.name.as_str()), Some(&session.id), owner(session)];
        agent.is_none() || !names.contains(&agent)
    });
    sessions
}

/// The words of a text without surrounding punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty())
}
