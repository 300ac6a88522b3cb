//! What a client may make this process hold or do at once. docs/limits.md lists them.

use std::time::Duration;

/// Largest message of a client, in bytes: the largest input of a skill, each byte of which may be escaped in JSON.
pub(super) const LONGEST_LINE: usize = 32 << 20;
/// Largest number of requests that were read and are not answered yet. At the limit, no further one is read.
pub(super) const MOST_REQUESTS: usize = 64;
/// Largest number of requests that are processed concurrently.
pub(super) const MOST_WORKING: usize = 4;
/// Largest number of skills that run concurrently. They have places of their own, so that slow ones hold up no other request.
pub(super) const MOST_SKILLS: usize = 2;
/// Largest number of concurrent `subscriptions/listen` requests.
pub(super) const MOST_LISTENING: usize = 16;
/// Largest number of resources of one such request, and of all `resources/subscribe` requests of a client together.
pub(super) const MOST_WATCHED: usize = 64;
/// Largest answer of a tool, resource or prompt, in bytes.
pub(super) const LARGEST_ANSWER: usize = 1 << 20;
/// Largest list of agents in short, in bytes: a model pays for each.
pub(super) const LARGEST_SUMMARY: usize = 8 << 10;
/// Number of records of a list if a tool call gives none.
pub(super) const DEFAULT_RECORDS: i64 = 50;
/// Largest number of records of a list that a tool call may request.
pub(super) const MOST_RECORDS: i64 = 500;
/// Number of records of a list that is read as a resource.
pub(super) const RESOURCE_RECORDS: usize = 100;
/// Shortest time between two rounds of update notifications; changes in between are reported in the later one.
pub(super) const PACE: Duration = Duration::from_millis(100);
/// How long an answer waits for a file that is being written.
pub(super) const SYNC_WAIT: Duration = Duration::from_secs(2);
/// Largest memory of a skill's run, in bytes.
pub(super) const SKILL_MEMORY: u64 = 1 << 30;
/// Longest processor time of a skill's run.
pub(super) const SKILL_PROCESSOR_TIME: Duration = Duration::from_secs(10);
/// Longest time of a skill's run.
pub(super) const LONGEST_SKILL_RUN: Duration = Duration::from_secs(20);
/// Largest output of a skill's run, in bytes.
pub(super) const LARGEST_SKILL_OUTPUT: u64 = 8 << 20;
/// How often is checked whether anybody reads the answers, after the client's last message.
pub(super) const READER_CHECK: Duration = Duration::from_millis(20);
/// How long a client may cache lists of tools, prompts and resources, in milliseconds: they change only with the program.
pub(super) const LISTS_LAST_MS: u64 = 60 * 60 * 1000;
