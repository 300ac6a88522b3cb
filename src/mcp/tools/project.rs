//! The tools about the project: its counts, what needs attention, its agents, recent changes, and the source of a
//! record.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::records::query;
use super::tool::{Call, Tool};
use crate::explain;
use crate::files::Files;
use crate::mcp::answer::{self, Answer, Refusal};
use crate::mcp::limits::{DEFAULT_RECORDS, MOST_RECORDS};
use crate::model::caveats::Caveats;
use crate::routes::Resource;
use crate::skill::input::typed::schema_of;
use crate::skill::input::values::{Int, Line};
use crate::web::openapi::outline;

pub(super) const STATUS: Tool = Tool {
    name: "get_project_status",
    title: "Project status",
    description: "Counts of the project: stories by status and owner, tasks by state and agent, epics, \
                  sessions and messages, the number of items that need attention, and whether the project's files could be \
                  read. `caveats` says which file cannot be read and how many records may not be read as meant: counts \
                  and lists may be incomplete then. Call it first.",
    input: schema_of::<Nothing>,
    output: || {
        with_caveats(json!({
            "type": "object",
            "required": ["health", "metrics", "attention"],
            "properties": {
                "health": outline(Resource::Health),
                "metrics": outline(Resource::Metrics),
                "attention": outline(Resource::Attention)["properties"]["counts"],
            },
            "additionalProperties": false,
        }))
    },
    run: status,
};

pub(super) const ATTENTION: Tool = Tool {
    name: "list_attention",
    title: "What needs attention",
    description: "Items that need attention, and since when: failed and blocked tasks, blocked stories and their blockers, \
                  unanswered questions, silent or dead sessions, records that vanished, invalid files, and dependency \
                  cycles. If there are `caveats`, items may be missing.",
    input: schema_of::<ListAttention>,
    output: || with_caveats(with_left_out(outline(Resource::Attention))),
    run: attention,
};

pub(super) const AGENTS: Tool = Tool {
    name: "list_agents",
    title: "Agents",
    description: "The current work of each agent: its sessions, running, waiting, blocked and failed tasks, stories \
                  in progress, last message, when it was last seen, and open questions to and from it.",
    input: schema_of::<ListAgents>,
    output: || with_left_out(outline(Resource::Agents)),
    run: agents,
};

pub(super) const ACTIVITY: Tool = Tool {
    name: "list_activity",
    title: "Recent changes",
    description: "Changes of stories, epics, tasks and sessions while this MCP server was running, newest first: \
                  which record was added, changed or removed, the field, its old and new value. Nothing is recorded from \
                  before its start (started_at); for messages use list_records.",
    input: schema_of::<ListActivity>,
    output: || outline(Resource::Activity),
    run: activity,
};

pub(super) const EXPLAIN: Tool = Tool {
    name: "explain_record",
    title: "Source of a record",
    description: "The source of a story, epic, task, session or message: its file and line, the member that each field \
                  was read from, and what was skipped, repaired or suspicious in or near it. Use it when a record looks wrong or is \
                  missing.",
    input: schema_of::<ExplainRecord>,
    output: || {
        let list = json!({"type": "array", "items": {"type": "object"}});
        json!({
            "type": "object",
            "required": ["id", "origins", "problems", "nearby", "messages"],
            "properties": {
                "id": {"type": "string"},
                "origins": list,
                "problems": list,
                "nearby": list,
                "messages": {"type": ["object", "null"]},
            },
            "additionalProperties": false,
        })
    },
    run: explain,
};

/// No arguments.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListAttention {
    /// Only items of these kinds, separated by commas: `task_failed`, `task_blocked`, `story_blocked`,
    /// `question_unanswered`, `session_silent`, `session_gone`, `record_vanished`, `source_degraded`, `dependency_cycle`.
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
    /// Maximum number of agents, default 50; `left_out` counts the others.
    limit: Option<Int<1, MOST_RECORDS>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "it validates the arguments, which are passed on unchanged")]
struct ListActivity {
    /// Only changes seen at or after this time: RFC 3339 or a date.
    since: Option<Line>,
    /// Only changes of these records, by id, separated by commas.
    id: Option<Line>,
    /// Only changes of these collections, separated by commas: stories, epics, tasks, sessions.
    collection: Option<Line>,
    /// Only these changes, separated by commas: added, changed, removed.
    change: Option<Line>,
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
    let most = rows(call.read::<ListAgents>()?.limit);
    Answer::whole(&call.files, "/api/agents")?.cut("agents", most)
}

fn activity(call: &Call<'_>) -> answer::Result {
    call.read::<ListActivity>()?;
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
    let sentences: Vec<String> = of_files.chain(caveats.of_records().map(see)).collect();
    if sentences.is_empty() {
        return Ok(answer);
    }
    answer.value["caveats"] = sentences.into();
    Answer::of(answer.value)
}

/// The schema of an answer to which [`add_caveats`] may add.
fn with_caveats(mut schema: Value) -> Value {
    schema["properties"]["caveats"] =
        json!({"type": "array", "items": {"type": "string"}, "minItems": 1});
    schema
}

/// The schema of a list that may be cut.
fn with_left_out(mut schema: Value) -> Value {
    schema["properties"]["left_out"] = json!({"type": "integer", "minimum": 1});
    schema
}
