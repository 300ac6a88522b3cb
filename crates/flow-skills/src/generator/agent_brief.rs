//! `agent-brief`: what an agent needs to know before it begins a story or a task, or goes on with all its work. What is
//! neither given nor recorded becomes an open question.

use std::collections::HashSet;

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report;
use super::report::{Board, Listing, Log, Report, Scope, contradictions, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values::{Block, Line};
use crate::output::{Output, Result, bad_text, missing};
use crate::page::{Form, Section};
use crate::project_state::names::{MAX_NAMES, Name, Named};
use crate::project_state::span::Span;
use crate::project_state::{
    Context, Message, Session, Snapshot, Story, Task, id_prefix, recorded, say, text,
};
use crate::text::{heading, item, line, slug, title};

const NAME: &str = "agent-brief";
/// What a brief can be about.
const SUBJECTS: &[Named] = &[Named::Story, Named::Task, Named::Agent, Named::Session];
const RECORDS: &[Named] = &[Named::Story, Named::Task];
const WORKERS: &[Named] = &[Named::Agent, Named::Session];

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Text, "task"), takes(ContentKind::Markdown, "task")],
        ..Definition::of::<Input>()
    },
    needs: Needs::Optional,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, context| report::verify(text, context, &FORM, None)),
};

const SECTIONS: &[Section] =
    &[Section::named("Goal", &[]), Section::named("Acceptance criteria", &[])];
const FORM: Form = Form { unless: Some(ALL_WORK), ..Form::new("# Title", SECTIONS) };
/// What a brief on an agent says, which has its own sections.
const ALL_WORK: &str = "All work that is recorded of it is listed.";
const CRITERIA: &str = "criteria: not recorded (add acceptance_criteria to the record, or ## Acceptance criteria to this page)";
/// The summary of a brief on a text.
const OF_TEXT: &str =
    "No record of the project is named: the brief has what is given, and what others hold.";

/// The work and its agent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What is to be done: the ids of stories or tasks; text that names some, or none; or the name of an agent, for all its
    /// work.
    #[schemars(extend("x-labels" = ["Story", "From story"]))]
    task: Option<Block>,
    /// The agent that the brief is for; its own session and tasks are not listed as those of others. Without a task: whose
    /// work it is on.
    agent: Option<Line>,
    /// Acceptance criteria, in addition to the records.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["Acceptance criteria"]))]
    criteria: Vec<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Snapshot::read(&context.state)?.with_records()?;
    let (names, text) = match (&input.task, &input.agent) {
        (Some(task), None) => subjects(task, SUBJECTS, &project)?,
        (Some(task), Some(_)) => subjects(task, RECORDS, &project)?,
        (None, Some(agent)) => (project.names("agent", WORKERS, agent, "")?, ""),
        (None, None) => {
            let what = "what is to be done, as agent-brief US-0009, or whose work it is on, as agent-brief agent=NAME";
            return Err(missing("task", "text", what));
        }
    };
    let is_of_work = !names.is_empty() && names.iter().all(|name| WORKERS.contains(&name.kind));
    let scope = Scope::of(names, &project, Span::read(None, None, &context.now)?);
    let log = Log::talk(context)?;
    let brief = Brief {
        input,
        text,
        agent: input.agent.as_deref().map(|name| project.agent_or_session(name)),
        newest: Message::newest(&context.state, "")?,
        board: Board::new(&project, &scope, &log),
    };
    if is_of_work { brief.of_work() } else { brief.of_records() }
}

/// The names that a text lists; else the records that it names by their ids, and the text.
fn subjects<'a>(
    given: &'a str,
    kinds: &[Named],
    project: &Snapshot,
) -> Result<(Vec<Name>, &'a str)> {
    if let Ok(listed) = project.names("task", kinds, &line(given), "") {
        return Ok((listed, ""));
    }
    let ids = project.stories.iter().map(|story| story.id.as_str());
    let ids = ids.chain(project.tasks.iter().map(|task| task.id.as_str()));
    let prefixes: HashSet<&str> = ids.filter_map(id_prefix).collect();
    // Each search goes through all records.
    let words: IndexSet<&str> = words(given).collect();
    let mut named: IndexSet<Name> = IndexSet::new();
    for word in &words {
        let is_id = id_prefix(word).is_some_and(|prefix| prefixes.contains(prefix));
        match project.find(RECORDS, word) {
            Some(name) => _ = named.insert(name),
            None if is_id => return Err(project.unknown("task", RECORDS, word, "")),
            None => {}
        }
    }
    if named.len() > MAX_NAMES {
        return Err(bad_text("task", given, &format!("at most {MAX_NAMES} names")));
    }
    match words.first() {
        // A single word is meant as a name, and one with a digit as an id.
        Some(word) if words.len() == 1 && named.is_empty() => {
            let is_id = kinds == RECORDS || word.contains(|c: char| c.is_ascii_digit());
            let kinds = if is_id { RECORDS } else { &[Named::Agent] };
            let end = "; or the id of a story or a task, or a text of several words";
            Err(project.unknown("task", kinds, word, if is_id { "" } else { end }))
        }
        _ => Ok((named.into_iter().collect(), given)),
    }
}

/// A brief before it is written.
struct Brief<'a> {
    input: &'a Input,
    /// The text of the input, if it says more than names.
    text: &'a str,
    /// Whom it is for.
    agent: Option<Name>,
    newest: Vec<Message>,
    /// Of what it is about; of the whole project if that is a text.
    board: Board<'a>,
}

impl Brief<'_> {
    /// The brief on stories and tasks, or on a text that names none.
    fn of_records(&self) -> Result<Output> {
        let Self { board, text, .. } = self;
        let (project, names) = (board.snapshot, &board.scope.names);
        let is_text = names.is_empty();
        let of = |kind| names.iter().filter(move |name| name.kind == kind);
        let stories: Vec<&Story> =
            of(Named::Story).filter_map(|name| project.story(&name.id)).collect();
        let tasks: Vec<&Task> = of(Named::Task).filter_map(|name| project.task(&name.id)).collect();
        let criteria = [board.criteria(), self.given_criteria()].concat();
        let of_story = "story=id, status, owner, priority, size, epic";
        let of_tasks = "task=id, what=description, state, agent, error";
        let columns = "id, what=title, state=status, owner";
        let all_tasks = project.tasks.iter().filter(|one| !is_text && board.scope.has_task(one));
        let before = before(project, &stories, &tasks);
        let mut sections = vec![
            rows::list("goal", "Goal", &self.goal(&stories, &tasks)),
            rows::stories("scope", "Scope", of_story, &stories),
            rows::list("criteria", "Acceptance criteria", &criteria),
            rows::tasks("tasks", "Tasks", of_tasks, &all_tasks.collect::<Vec<_>>()),
            Listing::table("needs", "What comes before", columns, &before, Value::clone),
            self.sessions(self.agent.as_ref()),
        ];
        if !is_text {
            sections.push(rows::list("next", "Next", &board.next(&self.newest)));
            sections.extend(self.talk());
        }
        let of_tasks = say::ids(tasks.iter().flat_map(|task| board.open_needs(task)));
        let mut first = vec![board.needs_of(&stories), of_tasks];
        first.retain(|ids| !ids.is_empty());
        let first = if first.is_empty() { "nothing".to_owned() } else { first.join(", ") };
        let summary = if is_text {
            vec![OF_TEXT.to_owned()]
        } else {
            vec![board.blocked_line(), format!("Needs first: {first}."), board.waiting_line()]
        };
        let asked = criteria.is_empty().then(|| CRITERIA.to_owned());
        let said: Vec<Name> = names.iter().cloned().chain(self.agent.clone()).collect();
        let closed = stories.iter().filter(|story| !story.is_open());
        let closed = closed.map(|story| format!("{} is already {}.", story.id, story.status));
        let remarks = self.receiver().into_iter().chain(closed);
        let remarks = remarks.chain(contradictions(&said, project));
        let ids = say::ids(names.iter().map(|name| name.id.as_str()));
        let first_line = text.lines().next().unwrap_or_default().trim_start_matches('#');
        let title = match (tasks.as_slice(), stories.as_slice()) {
            _ if is_text => title(first_line),
            ([task], [] | [_]) => format!("{}: {}", task.id, title(&task.description)),
            ([], [story]) => format!("{}: {}", story.id, say::name(story)),
            _ => format!("Brief on {ids}"),
        };
        let file = format!("brief-{}.md", slug(if is_text { text } else { &ids }, "task"));
        let report = Report {
            summary,
            remarks: remarks.collect(),
            sections,
            open: asked.into_iter().collect(),
            ..Report::of(NAME, file, title, project)
        };
        let mut output = report.output(json!({"about": ids}))?;
        if is_text
            && self.agent.is_none()
            && let Some(Name { kind, id }) =
                words(text).find_map(|word| project.find(WORKERS, word))
        {
            let kind = kind.word();
            let note = format!("the project has the {kind} {id}; for its work: agent-brief {id}");
            output.notes.push(note);
        }
        Ok(output)
    }

    /// The brief on all work of an agent or a session.
    fn of_work(&self) -> Result<Output> {
        let board = &self.board;
        let (mut sections, next) = board.work(&self.newest, &self.given_criteria());
        sections.push(self.sessions(board.scope.names.first()));
        sections.extend(self.talk());
        let phrase = board.scope.phrase();
        let file = format!("brief-{}.md", slug(&phrase, "agent"));
        let title = format!("Work of the {phrase}");
        let report = Report {
            summary: vec![board.blocked_line(), board.waiting_line(), next],
            remarks: vec![ALL_WORK.to_owned()],
            sections,
            ..Report::of(NAME, file, title, board.snapshot)
        };
        report.output(json!({"about": phrase}))
    }

    fn given_criteria(&self) -> Vec<Value> {
        self.input.criteria.iter().map(|one| rows::cited(&line(one), "as given")).collect()
    }

    /// The sections with what was said last.
    fn talk(&self) -> [Listing; 2] {
        let latest = self.newest.iter().filter(|message| self.board.scope.has_message(message));
        let latest: Vec<&Message> = latest.collect();
        rows::talk(&latest, &self.board.unanswered)
    }

    /// The active sessions of others: not that of the agent's name, nor one on a story that the agent owns.
    fn sessions(&self, agent: Option<&Name>) -> Listing {
        let project = self.board.snapshot;
        let agent = agent.map(|name| name.id.as_str());
        let owner = |session: &Session| {
            let story = project.story(session.story.as_deref()?)?;
            story.owner.as_deref()
        };
        let is_of_others = |session: &&Session| {
            let names = [Some(session.name.as_str()), Some(&session.id), owner(session)];
            session.is_active && (agent.is_none() || !names.contains(&agent))
        };
        let sessions: Vec<&Session> = project.sessions.iter().filter(is_of_others).collect();
        rows::sessions("What others hold", &sessions)
    }

    /// The sentence on whom the brief is for.
    fn receiver(&self) -> Option<String> {
        let agent = &self.agent.as_ref()?.id;
        let is_known = self.board.snapshot.find(WORKERS, agent).is_some();
        let end = if is_known { "" } else { ", which is no agent or session of the project" };
        Some(format!("For {agent}{end}."))
    }

    /// The lines of the text, and the descriptions in the records.
    fn goal(&self, stories: &[&Story], tasks: &[&Task]) -> Vec<Value> {
        let text_of = |record: &Value, name| text(record, &[name]).map(|text| line(&text));
        let mut goal = Vec::new();
        for raw in self.text.lines() {
            let words = heading(raw.trim()).map_or(item(raw).unwrap_or(raw), |(_, name)| name);
            let words = line(words);
            if !words.is_empty() {
                goal.push(rows::cited(&words, "as given"));
            }
        }
        for task in tasks {
            let texts = [Some(line(&task.description)), text_of(&task.record, "prompt")];
            let cite = rows::cite_task(task);
            goal.extend(texts.iter().flatten().map(|words| rows::cited(words, &cite)));
        }
        for story in stories {
            let description = recorded::description(&story.record);
            let texts = [Some(say::name(story)), description, text_of(&story.record, "details")];
            let cite = rows::cite_story(story);
            goal.extend(texts.iter().flatten().map(|words| rows::cited(words, &cite)));
            let epic = story.epic.as_deref().and_then(|id| self.board.snapshot.epic(id));
            if let Some((epic, words)) = epic.and_then(|epic| Some((epic, epic.goal.as_ref()?))) {
                goal.push(rows::cited(&line(words), &format!("epic {}", line(&epic.id))));
            }
        }
        goal
    }
}

/// All dependencies, stories and tasks.
fn before(project: &Snapshot, stories: &[&Story], tasks: &[&Task]) -> Vec<Value> {
    let missing =
        |id: &str| json!({"id": id, "title": null, "status": "not in the project", "owner": null});
    let of_task = |task: &Task| {
        json!({
            "id": task.id, "title": line(&task.description), "status": task.state,
            "owner": task.agent, "cite": rows::cite_task(task),
        })
    };
    let of_stories: IndexSet<&String> = stories.iter().flat_map(|story| &story.needs).collect();
    let of_tasks: IndexSet<&String> = tasks.iter().flat_map(|task| &task.needs).collect();
    let of_stories =
        of_stories.iter().map(|id| project.story(id).map_or_else(|| missing(id), rows::story));
    let of_tasks = of_tasks.iter().map(|id| project.task(id).map_or_else(|| missing(id), of_task));
    of_stories.chain(of_tasks).collect()
}

/// The words of a text without surrounding punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty())
}
