//! The members that are read, per kind of record, and the names and words that are known besides.

/// A documented member.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Aliases and other spellings that are read, separated by white space.
    pub(crate) others: &'static str,
    /// Names for the same that are not read, separated by white space.
    pub(crate) synonyms: &'static str,
    /// Whether a name that resembles it may stand for it.
    pub(crate) is_resembled: bool,
}

const fn target(name: &'static str, others: &'static str) -> Target {
    Target { name, others, synonyms: "", is_resembled: true }
}

impl Target {
    const fn synonyms(self, synonyms: &'static str) -> Self {
        Self { synonyms, ..self }
    }

    const fn only_known(self) -> Self {
        Self { is_resembled: false, ..self }
    }
}

const CREATED: Target = target("created_at", "createdAt created");
const UPDATED: Target = target("updated_at", "updatedAt last_updated lastUpdated updated");
const STARTED: Target = target("started_at", "startedAt started");
const COMPLETED: Target = target("completed_at", "completedAt completed done_at doneAt");
const DESCRIPTION: Target = target("description", "desc details");
const WAITS_FOR: &str = "
    requires needs prerequisites depends dependency waiting_on waitingOn waiting_for waitingFor blocked_on
    blockedOn waits_on waitsOn dependent_on dependentOn depends_upon dependsUpon after predecessor
    predecessors blocker blockers";
const AGENTS: &str = "
    assignee owner assigned_to assignedTo agent_name agentName subagent assigned_agent assignedAgent";
const DEPENDS_ON: Target =
    target("depends_on", "deps dependencies dependsOn blocked_by blockedBy").synonyms(WAITS_FOR);

pub(crate) const STORY: &[Target] = &[
    target("title", "name").synonyms("subject headline summary_title"),
    target("status", "state")
        .synonyms("stage status_text story_status storyStatus current_status currentStatus"),
    target("epic_id", "epic epicId").synonyms("parent_epic parentEpic epic_key epicKey"),
    target("owner", "assignee assigned_to assignedTo")
        .synonyms("assignees assigned responsible agent owned_by ownedBy"),
    DEPENDS_ON,
    target("acceptance_criteria", "ac acceptanceCriteria criteria"),
    target("estimate", "points story_points storyPoints effort size"),
    target("priority", "prio"),
    DESCRIPTION.only_known(),
    CREATED,
    UPDATED,
    STARTED,
    COMPLETED,
];

pub(crate) const EPIC: &[Target] = &[
    target("title", "name").synonyms("subject headline"),
    target("status", "state").synonyms("stage"),
    target("owner", "assignee assigned_to assignedTo"),
    DESCRIPTION.only_known(),
    target("goal", "goals"),
    CREATED,
    UPDATED,
    STARTED,
    COMPLETED,
];

pub(crate) const TASK: &[Target] = &[
    target("title", "name").only_known(),
    DESCRIPTION,
    target("state", "status")
        .synonyms("stage task_state taskState task_status taskStatus current_state currentState"),
    target("story_id", "story storyId").synonyms("story_key storyKey user_story userStory"),
    target("parent", "").synonyms("parent_id parentId parent_task parentTask"),
    target("subagent_type", "agent_type agent").synonyms(AGENTS),
    DEPENDS_ON,
    target("result", "").only_known(),
    target("error", "").only_known(),
    CREATED,
    UPDATED,
    STARTED,
    COMPLETED,
];

pub(crate) const SESSION: &[Target] = &[
    target("nickname", "name title path agent").only_known(),
    target("status", ""),
    target("branch", ""),
    target("story_id", "story storyId"),
    target("last_active", "lastActive last_seen lastSeen").synonyms("last_activity lastActivity"),
    CREATED.only_known(),
    UPDATED.only_known(),
    STARTED.only_known(),
    COMPLETED.only_known(),
    target("ended_at", "").synonyms("endedAt"),
    target("closed_at", "").synonyms("closedAt"),
];

pub(crate) const MESSAGE: &[Target] = &[
    target("story_id", "story storyId").synonyms("story_key storyKey"),
    target("from", "agent sender author").synonyms("by source_agent"),
    target("timestamp", "ts at time created_at").synonyms("date datetime when createdAt"),
    target("to", "recipient").synonyms("target_agent"),
    target("type", "kind").synonyms("event_type eventType message_type messageType"),
];

/// Members whose value is a time, in every record but a message, separated by white space.
pub(crate) const TIMES: &str = "
    created_at updated_at started_at completed_at failed_at blocked_at ended_at closed_at last_active last_seen
    createdAt updatedAt startedAt completedAt failedAt blockedAt lastActive lastSeen";

/// Texts that stand for a time that is not known.
pub(crate) const PLACEHOLDERS: &[&str] =
    &["-", "–", "n/a", "na", "none", "null", "tbd", "tba", "never", "unknown", "pending", "?"];

/// Names that every kind of record may have, separated by white space.
pub(crate) const EXTRAS: &str = "
    id uuid key type kind tags tag label labels notes note comment comments summary research adr phase phases sprint
    milestone branch path file files url link links version category component team metadata meta history log progress
    percent stories story_ids tasks subtasks children parent parent_id blocks related related_to blocked_reason
    blockedReason blocker blockers reason error failure failure_reason result results message text body content severity
    risk value rank order created_by createdBy updated_by updatedBy started_by completed_by completedBy closed_by
    closed_at ended_at archived_at due due_at due_date deadline start_date end_date test_status ideation_source created
    updated started completed active declared ready waits_for epics epic_name epicName story_title owner_id owner_name
    state_reason status_reason status_note status_history statusHistory reviewer review reviewers date time prompt model
    join_strategy on_failure run_in_background is_main thread_type pid channel trace_id span_id session_id task_id seq
    event data payload format start starts end ends update updates complete stats states static statue stages tile tiles
    titled owned assigner assigned_by assignedBy assigned_at assignedAt assigned_on blocked_at blockedAt failed_at
    failedAt startedBy stated_at starred_at store_id storeId epic_ids estimated estimator estate criterion descriptor
    branches brand batch bench breach bunch last_scan last_sent last_send last_sync typo types typed";

/// Statuses that a misspelling may stand for.
pub(crate) const WORDS: &str = "
    ready in-progress blocked in-review done completed complete archived queued running failed cancelled canceled todo
    to-do open doing review deferred on-hold paused dropped rejected planned pending draft backlog";

/// The same for sessions.
pub(crate) const OF_SESSIONS: &str =
    "ended closed inactive completed complete stopped terminated active running";

/// Other statuses that are known.
pub(crate) const OTHER_WORDS: &str = "
    waiting new active started starting wip testing tested test qa verified verifying verify approved accepted merged
    closed resolved reopened reopen unblocked unstarted not-started wont-do wontfix duplicate invalid obsolete superseded
    scheduled assigned unassigned idea proposed refined refining grooming groomed triage triaged shipped released
    deployed live staged staging stalled stale skipped success succeeded passed passing failing error errored timeout
    timed-out stopped stopping stop inactive ended idle initialized created icebox next later now someday in-development
    in-dev in-test in-testing in-qa ready-for-review ready-for-qa ready-for-dev needs-review needs-info changes-requested
    partial partially-done almost-done undone none unknown locked unlocked read parked packed queue run marked booked
    blocking block backlogged doing-review done-done dev design in-design spec finished finish implemented implementing
    reviewing reviewed planning plan prioritized in-process in-preview parsed computed filed drift drafted dosing
    planted";

/// Statuses of a story that its completed task does not contradict, separated by white space.
pub(crate) const IN_REVIEW: &str = "
    in-review review reviewing ready-for-review needs-review testing in-test in-testing in-qa qa ready-for-qa
    verifying staging staged";

/// Whether a list of names or words has this one.
pub(crate) fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|other| other == word)
}
