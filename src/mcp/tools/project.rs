//! The tools about the project: its counts, what needs attention, its agents, recent changes, and the source of a
//! record.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::records::query;
use super::tool::{Call, Tool};
use crate::derived;
use crate::derived::agents::Agent;
use crate::explain;
use crate::files::Files;
use crate::mcp::answer::{self, Answer, Refusal};
use crate::mcp::limits::{DEFAULT_RECORDS, LARGEST_SUMMARY, MOST_RECORDS};
use crate::model::caveats::Caveats;
use crate::project::Source;
use crate::skill::input::typed::schema_of;
use crate::skill::input::values::{Int, Line};
use crate::store::snapshot::State;

pub(super) const STATUS: Tool = Tool {
    name: "get_project_status",
    title: "Project status",
    description: "Counts of the project: stories by status and owner, tasks by state and agent, epics, \
                  sessions and messages, the number of items that need attention, and whether the project's files could be \
                  read. `caveats` says which file cannot be read and how many records may not be read as meant: counts \
                  and lists may be incomplete then. Call it first.",
    input: schema_of::<Nothing>,
    run: status,
};

pub(super) const ATTENTION: Tool = Tool {
    name: "list_attention",
    title: "What needs attention",
    description: "Items that need attention, and since when: failed and blocked tasks, blocked stories and their blockers, \
                  unanswered questions, silent or dead sessions, open work or criteria that were taken back, completed work with open parts, reopened work, what two worktrees took each by itself, invalid files, and dependency \
                  cycles. If there are `caveats`, items may be missing.",
    input: schema_of::<ListAttention>,
    run: attention,
};

pub(super) const AGENTS: Tool = Tool {
    name: "list_agents",
    title: "Agents",
    description: "What each agent is doing: its state, its current task or story and since when, the number of other pieces of \
                  work, what of it needs somebody, when it was last seen, its last message, and the numbers of open questions to \
                  and from it. With `agent`, everything about that one.",
    input: schema_of::<ListAgents>,
    run: agents,
};

pub(super) const ACTIVITY: Tool = Tool {
    name: "what_changed",
    title: "What changed",
    description: "Changes of stories, epics, tasks and sessions, newest first: which record was added, changed, removed, moved or \
                  archived, the field, its old and new value, the file and line. `effect` weakened is what took a promise back. Changes from before \
                  this MCP server's start (started_at) are those that a server of the project kept, and those of the files since then; for messages use list_records.",
    input: schema_of::<WhatChanged>,
    run: activity,
};

pub(super) const EXPLAIN: Tool = Tool {
    name: "explain_record",
    title: "Source of a record",
    description: "The source of a story, epic, task, session or message: its file and line, the member that each field \
                  was read from, and what was skipped, repaired or suspicious in or near it. Use it when a record looks wrong or is \
                  missing.",
    input: schema_of::<ExplainRecord>,
    run: explain,
};

/// Largest number of characters of a title or message in a list of agents.
const MOST_OF_TEXT: usize = 120;
/// What is said where there is nothing to read.
const NO_PROJECT: &str = "none of the project's files exists here, so this is not a project's folder or nothing is planned yet; \
                          for another folder, start flow mcp with --project DIR";

/// No arguments.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListAttention {
    /// Only items of these kinds, separated by commas: `task_failed`, `task_blocked`, `story_blocked`,
    /// `question_unanswered`, `session_silent`, `session_gone`, `plan_weakened`, `plan_contradiction`, `reopened`, `overlap`, `source_degraded`, `dependency_cycle`.
    #[allow(dead_code, reason = "it is passed on unchanged")]
    kind: Option<Line>,
    /// Seconds without activity after which an active session counts as silent; default 1800.
    #[allow(dead_code, reason = "it is passed on unchanged")]
    silent_after: Option<Int<0, 31_622_400>>,
    /// Maximum number of items, default 50; `left_out` counts the others.
    limit: Option<Int<1, MOST_RECORDS>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListAgents {
    /// Only this agent, with the ids of its sessions, tasks and stories, and its open questions.
    agent: Option<Line>,
    /// Maximum number of agents, default 50; `left_out` counts the others.
    limit: Option<Int<1, MOST_RECORDS>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "it validates the arguments, which are passed on unchanged")]
struct WhatChanged {
    /// Only changes seen at or after this time: RFC 3339 or a date.
    since: Option<Line>,
    /// Only changes of these records, by id, separated by commas.
    id: Option<Line>,
    /// Only changes of these collections, separated by commas: stories, epics, tasks, sessions.
    collection: Option<Line>,
    /// Only these changes, separated by commas: added, changed, removed, moved, archived, ticked, unticked, reworded.
    change: Option<Line>,
    /// Only changes with these effects, separated by commas: weakened, reopened, contradiction.
    effect: Option<Line>,
    /// Maximum number of changes, default 50.
    limit: Option<Int<1, MOST_RECORDS>>,
    /// The `next_cursor` of the previous answer.
    cursor: Option<Line>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExplainRecord {
    /// The id of a story, epic, task, session or message; or a line of the message log, as `bus:17`.
    id: String,
}

fn status(call: &Call<'_>) -> answer::Result {
    call.read::<Nothing>()?;
    let get = |path: &str| Answer::of_api(&call.files, path).map(|answer| answer.value);
    let mut attention = get("/api/attention")?;
    let status = Answer::of(json!({
        "health": get("/api/health")?,
        "metrics": get("/api/metrics")?,
        "attention": attention["counts"].take(),
    }))?;
    add_caveats(status, &call.files)
}

fn attention(call: &Call<'_>) -> answer::Result {
    let most = rows(call.read::<ListAttention>()?.limit);
    let mut given = call.given();
    given.shift_remove("limit");
    let answer = Answer::whole(&call.files, &format!("/api/attention{}", query(&given)))?;
    add_caveats(answer.cut("items", most)?, &call.files)
}

fn agents(call: &Call<'_>) -> answer::Result {
    let ListAgents { agent, limit } = call.read()?;
    let (agents, total) = derived::agents::agents(&call.files.snapshot());
    if let Some(name) = agent {
        let found = agents.iter().find(|agent| agent.id == *name);
        let known = || agents.iter().take(20).map(|agent| agent.id.as_str()).collect::<Vec<_>>();
        let found = found.ok_or_else(|| {
            Refusal::NotFound(format!(
                "no agent is called {:?}; some are: {}",
                &*name,
                known().join(", ")
            ))
        })?;
        return Answer::of(json!({"agents": [found], "count": 1, "total": total}));
    }
    // The members around the list take less.
    let mut left = LARGEST_SUMMARY - 256;
    let mut listed: Vec<Value> = agents.iter().take(rows(limit)).map(summary).collect();
    let fits = |agent: &&Value| {
        left = left.saturating_sub(agent.to_string().len());
        left > 0
    };
    listed.truncate(listed.iter().take_while(fits).count());
    let mut answer = json!({"agents": listed, "count": listed.len(), "total": total});
    if listed.len() < total {
        answer["left_out"] = (total - listed.len()).into();
    }
    Answer::of(answer)
}

/// What an agent does, in short.
fn summary(agent: &Agent) -> Value {
    let text = |text: &Option<String>| {
        text.as_deref().map(|text| text.chars().take(MOST_OF_TEXT).collect::<String>())
    };
    let doing = agent.doing.as_ref().map(|doing| {
        json!({"kind": doing.kind, "id": doing.id, "title": text(&doing.title), "since": doing.since})
    });
    let last_message = agent.last_message.as_ref().map(
        |said| json!({"timestamp": said.timestamp, "type": said.kind, "text": text(&said.text)}),
    );
    json!({
        "id": agent.id,
        "state": agent.state,
        "doing": doing,
        "more": agent.more,
        "needs_you": agent.needs_you,
        "last_seen_at": agent.last_seen_at,
        "last_message": last_message,
        "questions": {"to": agent.questions.to.len(), "from": agent.questions.from.len()},
    })
}

fn activity(call: &Call<'_>) -> answer::Result {
    call.read::<WhatChanged>()?;
    let mut given = call.given();
    given.entry("limit").or_insert_with(|| DEFAULT_RECORDS.into());
    Answer::of_api(&call.files, &format!("/api/activity{}", query(&given)))
}

fn explain(call: &Call<'_>) -> answer::Result {
    let arguments: ExplainRecord = call.read()?;
    let found = explain::explain(call.state.project(), &call.files.snapshot(), &arguments.id)
        .map_err(|error| Refusal::Other(error.to_string()))?;
    Answer::of(json!(found))
}

fn rows(limit: Option<Int<1, MOST_RECORDS>>) -> usize {
    usize::try_from(limit.map_or(DEFAULT_RECORDS, Int::get)).unwrap_or(usize::MAX)
}

/// Adds what may not be read as meant, a sentence each; nothing if everything is.
fn add_caveats(mut answer: Answer, files: &Files) -> answer::Result {
    let text = |path: &str| Answer::whole(files, path).map(|answer| answer.text);
    let caveats = Caveats::read(&text("/api/health")?, &text("/api/problems")?)
        .map_err(|error| Refusal::Other(format!("the problems could not be read: {error}")))?;
    let of_files = caveats.unread.iter().map(|one| one.sentence(one.loaded_at.as_deref()));
    let see = |sentence: String| format!("{sentence}; the resource flow://problems says which");
    let snapshot = files.snapshot();
    let none =
        Source::ALL.iter().all(|source| snapshot.health[source.index()].state == State::Missing);
    let no_project = none.then(|| NO_PROJECT.to_owned());
    let sentences: Vec<String> =
        no_project.into_iter().chain(of_files).chain(caveats.of_records().map(see)).collect();
    if sentences.is_empty() {
        return Ok(answer);
    }
    answer.value["caveats"] = sentences.into();
    Answer::of(answer.value)
}
