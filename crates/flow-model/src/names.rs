//! The one table of members: their documented names, other spellings, what each is for, and which names writers use that
//! are not read. Records, problems, docs, JSON Schemas, OpenAPI and the skills read it.

use std::borrow::Cow;

use super::kind::Kind;
use super::name::{Name, Planned, Value, planned, reported, row};

const TITLE: Name =
    planned(Value::Text, &["title", "name"], "shown in place of the id", "\"Search by author\"");
const DESCRIPTION: Name = planned(
    Value::Text,
    &["description"],
    "its text; the parameter `q` searches it",
    "\"Readers look for an author's books\"",
);
const DEPENDS_ON: Name = reported(
    planned(
        Value::Ids,
        &["depends_on", "deps", "dependencies", "dependsOn", "blocked_by", "blockedBy"],
        "what must be done first: ids, objects with an `id`, or one text with several ids; any other text is a reason",
        "[\"US-0001\"]",
    ),
    &[
        "requires",
        "needs",
        "prerequisites",
        "depends",
        "dependency",
        "waiting_on",
        "waitingOn",
        "waiting_for",
        "waitingFor",
        "blocked_on",
        "blockedOn",
        "waits_on",
        "waitsOn",
        "dependent_on",
        "dependentOn",
        "depends_upon",
        "dependsUpon",
        "after",
        "predecessor",
        "predecessors",
        "blocker",
        "blockers",
    ],
);
const CRITERIA: Name = planned(
    Value::Texts,
    &["acceptance_criteria", "ac", "acceptanceCriteria", "criteria"],
    "acceptance criteria, for skills and `flow diff`",
    "[\"Given an author, when I search, then all books are listed\"]",
);
const ESTIMATE: Name = planned(
    Value::Amount,
    &["estimate", "points", "story_points", "storyPoints", "effort", "size"],
    "its size, for plans: points, or a duration such as `2d`",
    "\"2d\"",
);
const PRIORITY: Name =
    planned(Value::Amount, &["priority", "prio"], "for plans: `P0` first, or a word", "\"P1\"");
const CREATED_AT: Name = reported(
    row(
        Value::Time,
        &["created_at", "createdAt", "created"],
        "when it was created",
        "\"2026-03-01T09:00:00Z\"",
    ),
    &[],
);
const UPDATED_AT: Name = reported(
    row(
        Value::Time,
        &["updated_at", "updatedAt", "last_updated", "lastUpdated", "updated"],
        "when it was last changed; since when it is blocked, if nothing else says that",
        "\"2026-03-02T10:30:00Z\"",
    ),
    &[],
);
const BLOCKED_AT: Name = row(
    Value::Time,
    &["blocked_at", "blockedAt"],
    "since when it is blocked",
    "\"2026-03-02T11:00:00Z\"",
);
const REASON: Name = row(
    Value::Any,
    &[
        "blocked_reason",
        "blockedReason",
        "error",
        "reason",
        "failure",
        "failure_reason",
        "message",
        "result",
    ],
    "why it is blocked or has failed: the first of these with a value",
    "\"the sandbox has no key\"",
);
const STARTED_AT: Name = reported(
    row(
        Value::Time,
        &["started_at", "startedAt", "started"],
        "when work began",
        "\"2026-03-02T09:00:00Z\"",
    ),
    &[],
);
const COMPLETED_AT: Name = reported(
    row(
        Value::Time,
        &["completed_at", "completedAt", "completed", "done_at", "doneAt"],
        "when it was done",
        "\"2026-03-03T16:00:00Z\"",
    ),
    &[],
);

/// Rows with aliases that are filled in come first, in the order in which they are added to a record.
const STORY: &[Name] = &[
    reported(
        planned(
            Value::Id,
            &["epic_id", "epic", "epicId"],
            "the epic that it belongs to",
            "\"EP-0001\"",
        ),
        &["parent_epic", "parentEpic", "epic_key", "epicKey"],
    ),
    reported(
        planned(
            Value::Status,
            &["status", "state"],
            "ready, in-progress, blocked, in-review, done or any other word",
            "\"in-progress\"",
        ),
        &["stage", "status_text", "story_status", "storyStatus", "current_status", "currentStatus"],
    ),
    reported(
        planned(
            Value::Names,
            &["owner", "assignee", "assigned_to", "assignedTo"],
            "who works on it; of a list under another name, the first text",
            "\"api\"",
        ),
        &["assignees", "assigned", "responsible", "agent", "owned_by", "ownedBy"],
    ),
    reported(TITLE, &["subject", "headline", "summary_title"]),
    DEPENDS_ON,
    reported(CRITERIA, &[]),
    reported(ESTIMATE, &[]),
    reported(PRIORITY, &[]),
    COMPLETED_AT,
    STARTED_AT,
    UPDATED_AT,
    CREATED_AT,
    BLOCKED_AT,
    REASON,
    DESCRIPTION,
];
const EPIC: &[Name] = &[
    reported(
        planned(
            Value::Status,
            &["status", "state"],
            "any word; `done` once it is completed",
            "\"in-progress\"",
        ),
        &["stage"],
    ),
    reported(TITLE, &["subject", "headline"]),
    reported(
        planned(
            Value::Names,
            &["owner", "assignee", "assigned_to", "assignedTo"],
            "who is responsible",
            "\"api\"",
        ),
        &[],
    ),
    reported(
        planned(
            Value::Text,
            &["goal", "goals"],
            "its purpose, for reports",
            "\"Readers find books\"",
        ),
        &[],
    ),
    COMPLETED_AT,
    STARTED_AT,
    UPDATED_AT,
    CREATED_AT,
    DESCRIPTION,
    row(
        Value::Any,
        &["stories"],
        "ids of stories, or the stories themselves: a map by id or an array of objects",
        "[\"US-0001\"]",
    ),
];
const TASK: &[Name] = &[
    reported(
        planned(
            Value::Id,
            &["story_id", "story", "storyId"],
            "the story that it belongs to",
            "\"US-0001\"",
        ),
        &["story_key", "storyKey", "user_story", "userStory"],
    ),
    reported(
        planned(
            Value::Text,
            &["subagent_type", "agent_type", "agent"],
            "the agent that works on it",
            "\"api\"",
        ),
        &[
            "assignee",
            "owner",
            "assigned_to",
            "assignedTo",
            "agent_name",
            "agentName",
            "subagent",
            "assigned_agent",
            "assignedAgent",
        ],
    ),
    reported(
        planned(
            Value::Status,
            &["state", "status"],
            "queued, running, completed, failed, blocked, cancelled or any other word",
            "\"running\"",
        ),
        &[
            "stage",
            "task_state",
            "taskState",
            "task_status",
            "taskStatus",
            "current_state",
            "currentState",
        ],
    ),
    TITLE,
    reported(
        planned(
            Value::Text,
            &["description", "desc", "details"],
            "what is to be done; shown in place of the id",
            "\"Add the search endpoint\"",
        ),
        &[],
    ),
    CRITERIA,
    ESTIMATE,
    PRIORITY,
    reported(
        planned(Value::Id, &["parent"], "the task that it is a part of", "\"task-0001\""),
        &["parent_id", "parentId", "parent_task", "parentTask"],
    ),
    DEPENDS_ON,
    COMPLETED_AT,
    STARTED_AT,
    UPDATED_AT,
    CREATED_AT,
    row(Value::Time, &["failed_at", "failedAt"], "when it failed", "\"2026-03-02T11:00:00Z\""),
    BLOCKED_AT,
    REASON,
    row(Value::Any, &["result"], "its result, for reports", "{\"ok\": true}"),
    row(Value::Any, &["error"], "why it failed", "\"the tests do not compile\""),
];
const SESSION: &[Name] = &[
    reported(
        row(
            Value::Status,
            &["status"],
            "ended, closed, inactive, completed, stopped or terminated ends it; any other word does not",
            "\"active\"",
        ),
        &[],
    ),
    row(Value::Text, &["nickname", "name"], "shown in place of the id", "\"alpha\""),
    row(Value::Text, &["agent"], "the agent that works in it", "\"api\""),
    reported(
        row(Value::Text, &["branch"], "the git branch that it works on", "\"feature/search\""),
        &[],
    ),
    row(Value::Text, &["path"], "the folder that it works in", "\"/srv/app\""),
    reported(
        row(
            Value::Id,
            &["story_id", "story", "storyId"],
            "the story that it works on",
            "\"US-0001\"",
        ),
        &[],
    ),
    reported(
        row(
            Value::Time,
            &["last_active", "lastActive", "last_seen", "lastSeen"],
            "its last activity; a session without any for a while is listed as silent",
            "\"2026-03-02T10:30:00Z\"",
        ),
        &["last_activity", "lastActivity"],
    ),
    reported(
        row(Value::Time, &["ended_at"], "when it ended: any text or number ends it", "null"),
        &["endedAt"],
    ),
    reported(row(Value::Time, &["closed_at"], "as `ended_at`", "null"), &["closedAt"]),
    row(
        Value::Time,
        &["started_at", "startedAt", "started"],
        "when it began",
        "\"2026-03-02T09:00:00Z\"",
    ),
    row(
        Value::Time,
        &["updated_at", "updatedAt", "updated", "timestamp"],
        "counts as activity",
        "\"2026-03-02T10:30:00Z\"",
    ),
    row(
        Value::Time,
        &["created_at", "createdAt", "created"],
        "counts as activity",
        "\"2026-03-02T09:00:00Z\"",
    ),
];
const MESSAGE: &[Name] = &[
    reported(
        row(
            Value::Id,
            &["story_id", "story", "storyId"],
            "the story that it is about",
            "\"US-0001\"",
        ),
        &["story_key", "storyKey"],
    ),
    reported(
        row(Value::Text, &["from", "agent", "sender", "author"], "who wrote it", "\"api\""),
        &["by", "source_agent"],
    ),
    reported(
        row(
            Value::Time,
            &["timestamp", "ts", "at", "time", "created_at"],
            "when it was written",
            "\"2026-03-02T10:30:00Z\"",
        ),
        &["date", "datetime", "when", "createdAt"],
    ),
    reported(row(Value::Text, &["to", "recipient"], "whom it is for", "\"ui\""), &["target_agent"]),
    reported(
        row(
            Value::Text,
            &["type", "kind"],
            "question, answer, blocked, unblocked, task_completed or any other word",
            "\"question\"",
        ),
        &["event_type", "eventType", "message_type", "messageType"],
    ),
    row(
        Value::Text,
        MESSAGE_TEXT,
        "its text: the first of these that is a text",
        "\"Which port?\"",
    ),
];

/// The members that may contain the text of a message; the first that does counts.
pub const MESSAGE_TEXT: &[&str] = &[
    "message",
    "text",
    "finding",
    "summary",
    "content",
    "body",
    "note",
    "question",
    "answer",
    "reason",
    "description",
    "error",
    "details",
    "event",
    "gate",
];

/// Members of writers, known in every kind of record: they are kept and served, and never reported.
const COMMON: &[&str] = &[
    "id",
    "uuid",
    "key",
    "type",
    "kind",
    "tags",
    "tag",
    "label",
    "labels",
    "notes",
    "note",
    "desc",
    "details",
    "comment",
    "comments",
    "summary",
    "research",
    "adr",
    "phase",
    "phases",
    "sprint",
    "milestone",
    "branch",
    "path",
    "file",
    "files",
    "url",
    "link",
    "links",
    "version",
    "category",
    "component",
    "team",
    "metadata",
    "meta",
    "history",
    "log",
    "progress",
    "percent",
    "stories",
    "story_ids",
    "tasks",
    "subtasks",
    "children",
    "parent",
    "parent_id",
    "blocks",
    "related",
    "related_to",
    "blocked_reason",
    "blockedReason",
    "blocker",
    "blockers",
    "reason",
    "error",
    "failure",
    "failure_reason",
    "result",
    "results",
    "message",
    "text",
    "body",
    "content",
    "severity",
    "risk",
    "value",
    "rank",
    "order",
    "created_by",
    "createdBy",
    "updated_by",
    "updatedBy",
    "started_by",
    "completed_by",
    "completedBy",
    "closed_by",
    "closed_at",
    "ended_at",
    "archived_at",
    "due",
    "due_at",
    "due_date",
    "deadline",
    "start_date",
    "end_date",
    "test_status",
    "ideation_source",
    "created",
    "updated",
    "started",
    "completed",
    "active",
    "declared",
    "ready",
    "waits_for",
    "epics",
    "epic_name",
    "epicName",
    "story_title",
    "owner_id",
    "owner_name",
    "state_reason",
    "status_reason",
    "status_note",
    "status_history",
    "statusHistory",
    "reviewer",
    "review",
    "reviewers",
    "date",
    "time",
    "prompt",
    "model",
    "join_strategy",
    "on_failure",
    "run_in_background",
    "is_main",
    "thread_type",
    "pid",
    "channel",
    "trace_id",
    "span_id",
    "session_id",
    "task_id",
    "seq",
    "event",
    "data",
    "payload",
    "format",
    "start",
    "starts",
    "end",
    "ends",
    "update",
    "updates",
    "complete",
    "stats",
    "states",
    "static",
    "statue",
    "stages",
    "tile",
    "tiles",
    "titled",
    "owned",
    "assigner",
    "assigned_by",
    "assignedBy",
    "assigned_at",
    "assignedAt",
    "assigned_on",
    "blocked_at",
    "blockedAt",
    "failed_at",
    "failedAt",
    "startedBy",
    "stated_at",
    "starred_at",
    "store_id",
    "storeId",
    "epic_ids",
    "estimated",
    "estimator",
    "estate",
    "criterion",
    "descriptor",
    "branches",
    "brand",
    "batch",
    "bench",
    "breach",
    "bunch",
    "last_scan",
    "last_sent",
    "last_send",
    "last_sync",
    "typo",
    "types",
    "typed",
];

impl Kind {
    /// All kinds, messages last.
    pub const ALL: [Self; 5] = [Self::Story, Self::Epic, Self::Session, Self::Task, Self::Message];

    /// The name of the collection, which is its member in its document. The log is a collection without a member.
    pub const fn collection(self) -> &'static str {
        match self {
            Self::Story => "stories",
            Self::Epic => "epics",
            Self::Session => "sessions",
            Self::Task => "tasks",
            Self::Message => "messages",
        }
    }

    /// The beginnings of keys at the top level of its document that are ids of records too.
    pub const fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::Story => &["US-", "TECH-", "BUG-"],
            Self::Epic => &["EP-"],
            Self::Session | Self::Task | Self::Message => &[],
        }
    }

    /// Names that stand for the collection by mistake, without case and separators.
    pub const fn misnamed_collections(self) -> &'static [&'static str] {
        match self {
            Self::Story => {
                &["userstories", "userstory", "story", "storys", "storylist", "storieslist"]
            }
            Self::Epic => &["epic", "epicslist"],
            Self::Session => &["session", "agents", "workers"],
            Self::Task => &["task", "todo", "todos", "items", "jobs"],
            Self::Message => &[],
        }
    }

    /// Names that do so only where the document has no records of this kind; elsewhere they are the writer's own.
    pub const fn general_collections(self) -> &'static [&'static str] {
        match self {
            Self::Story => &[
                "tickets",
                "ticket",
                "issues",
                "issue",
                "items",
                "workitems",
                "backlog",
                "backlogitems",
                "features",
                "tasks",
                "todos",
                "cards",
                "bugs",
            ],
            Self::Epic | Self::Session | Self::Task | Self::Message => &[],
        }
    }

    /// The members that are read. Those whose other spellings are filled in come first.
    pub const fn names(self) -> &'static [Name] {
        match self {
            Self::Story => STORY,
            Self::Epic => EPIC,
            Self::Session => SESSION,
            Self::Task => TASK,
            Self::Message => MESSAGE,
        }
    }

    /// The members whose other spellings are aliases: their value is served under the documented name too.
    pub const fn filled(self) -> &'static [Name] {
        let count = match self {
            Self::Story | Self::Task => 4,
            Self::Epic => 2,
            Self::Session => 0,
            Self::Message => 5,
        };
        self.names().split_at(count).0
    }

    /// The members that are a part of the plan.
    pub fn planned(self) -> impl Iterator<Item = &'static Name> {
        self.names().iter().filter(|name| name.planned == Planned::Yes)
    }

    /// The row of a documented name.
    pub fn name(self, documented: &str) -> Option<&'static Name> {
        self.names().iter().find(|name| name.documented() == documented)
    }

    /// The spellings of a documented name, itself first; empty for any other name.
    pub fn spellings(self, documented: &str) -> &'static [&'static str] {
        self.name(documented).map_or(&[], |name| name.read)
    }

    /// Whether a member is known: read, reported where it stands for another, or usual among writers.
    pub fn is_known_name(self, name: &str) -> bool {
        let is_read = |row: &Name| row.read.contains(&name);
        self.names().iter().any(is_read) || COMMON.contains(&name)
    }

    /// The members by which lists can always be sorted and selected; others only if a record has them.
    pub fn documented(self) -> impl Iterator<Item = &'static str> {
        let title = match self {
            Self::Story | Self::Epic | Self::Task => &["id", "name"][..],
            Self::Session => &["id", "name", "title"],
            Self::Message => &["id", "text", "title"],
        };
        let computed = self.computed().iter().chain(self.computed_of_dependencies());
        let names = self.names().iter().map(Name::documented);
        title.iter().copied().chain(names).chain(computed.copied())
    }

    /// The members in which `q` searches for words.
    pub const fn searched(self) -> &'static [&'static str] {
        match self {
            Self::Story | Self::Epic | Self::Task => {
                &["id", "title", "name", "description", "text"]
            }
            Self::Session => &["id", "nickname", "title", "name", "description", "text"],
            Self::Message => &["id", "title", "message", "text", "description"],
        }
    }
}

/// A name without case and without `_`, `-` and spaces.
pub fn plain(name: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !c.is_uppercase() && !matches!(c, '_' | '-' | ' ');
    if name.chars().all(is_plain) {
        return Cow::Borrowed(name);
    }
    let kept = |c: &char| !matches!(c, '_' | '-' | ' ');
    Cow::Owned(name.chars().filter(kept).flat_map(char::to_lowercase).collect())
}
