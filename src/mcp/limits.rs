//! What a client may make this process hold or do at once. docs/limits.md lists them.

use std::time::Duration;

/// Longest message of a client, in bytes: the largest input of a skill, of which each byte may be escaped in JSON.
pub(super) const LONGEST_LINE: usize = 32 << 20;
/// Most requests that have been read and not yet answered. No further one is read until then.
pub(super) const MOST_REQUESTS: usize = 64;
/// Most of them that are worked on at the same time.
pub(super) const MOST_WORKING: usize = 4;
/// Most `subscriptions/listen` requests that are open at the same time.
pub(super) const MOST_LISTENING: usize = 16;
/// Most resources of one such request, and of all of a client's `resources/subscribe` together.
pub(super) const MOST_WATCHED: usize = 64;
/// Largest answer of a tool, resource or prompt, in bytes.
pub(super) const LARGEST_ANSWER: usize = 1 << 20;
/// Records of a list where a tool's call does not say.
pub(super) const DEFAULT_RECORDS: i64 = 50;
/// Most records of a list that a tool's call may ask for.
pub(super) const MOST_RECORDS: i64 = 500;
/// Records of a list that is read as a resource.
pub(super) const RESOURCE_RECORDS: usize = 100;
/// The shortest time between two rounds of update notifications; what changes in between is told in the later one.
pub(super) const PACE: Duration = Duration::from_millis(100);
/// How long an answer waits for a file that is just being written.
pub(super) const SYNC_WAIT: Duration = Duration::from_secs(2);
/// How long a client may keep lists of tools, prompts and resources, in milliseconds: they change with the program only.
pub(super) const LISTS_LAST_MS: u64 = 60 * 60 * 1000;
