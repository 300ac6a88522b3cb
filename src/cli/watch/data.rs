//! The data of the screen, from answers of the API.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::cli::counts::Counts;
use crate::model::caveats::Caveats;
use crate::model::time::{self, Edge};
use crate::skill::project_state::graph::Graph;

/// The request for changes: more than any screen shows.
const CHANGES: &str = "/api/activity?limit=50";
/// The request for the open stories of a plan: more than any screen shows.
const OPEN: &str = "/api/stories?status!=done,archived,cancelled&limit=200";
/// The requests for what waits for what, more than a screen shows: the open stories, and the open tasks.
const WAITING: [&str; 2] = [
    "/api/stories?status!=done,archived,cancelled&fields=id,title,status,owner,waits_for&limit=2000",
    "/api/tasks?state!=completed,cancelled,failed&fields=id,title,description,state,subagent_type,waits_for&limit=2000",
];
/// The request for the number of messages of each hour and sender; the time that they are counted from follows.
const HOURS: &str = "/api/bus/messages?limit=0&buckets=1h&by=from&since=";
/// How many hours are shown, until now.
pub(super) const SHOWN_HOURS: usize = 8;
const HEALTH: &str = "/api/health";
const PROBLEMS: &str = "/api/problems";
/// Nanoseconds of an hour.
const HOUR: i64 = 3_600_000_000_000;

/// The state of a project at one moment.
#[derive(Debug)]
pub(super) struct Moment {
    pub(super) health: Health,
    pub(super) caveats: Caveats,
    pub(super) counts: Counts,
    pub(super) attention: Attention,
    pub(super) agents: Agents,
    /// The open stories, if a plan of another tool is read and no agent is named.
    pub(super) plan: Option<Stories>,
    /// `None` if no server has recorded changes: the files contain none.
    pub(super) activity: Option<Activity>,
    /// The longest chain of open stories of which each waits for the next, else of tasks; empty if none was asked for.
    pub(super) chain: Vec<Waiting>,
    /// How many messages each sender wrote in each of the last [`SHOWN_HOURS`], oldest first; those who wrote most first.
    pub(super) hours: Vec<(String, [u64; SHOWN_HOURS])>,
}

/// The messages of an hour.
#[derive(Debug, Deserialize)]
struct Hour {
    from: String,
    by: BTreeMap<String, u64>,
}

#[derive(Debug, Deserialize)]
struct Hours {
    buckets: Vec<Hour>,
}

/// An open record that may wait for others.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Waiting {
    pub(super) id: String,
    pub(super) title: Option<String>,
    description: Option<String>,
    #[serde(alias = "state")]
    pub(super) status: Option<String>,
    #[serde(alias = "subagent_type")]
    pub(super) owner: Option<String>,
    #[serde(default)]
    waits_for: Vec<String>,
}

impl Waiting {
    /// Its title, else its description.
    pub(super) fn title(&self) -> &str {
        self.title.as_deref().or(self.description.as_deref()).unwrap_or_default()
    }
}

#[derive(Debug, Deserialize)]
struct Open {
    #[serde(alias = "stories", alias = "tasks")]
    records: Vec<Waiting>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Health {
    pub(super) status: String,
    pub(super) project: String,
    pub(super) sources: BTreeMap<String, Source>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Source {
    pub(super) path: String,
    /// Number of files of a plan of another tool.
    files: Option<u64>,
    /// When a plan that is an export was exported.
    pub(super) exported_at: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Stories {
    pub(super) stories: Vec<Story>,
    pub(super) total: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Story {
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) status: Option<String>,
    pub(super) tasks_total: Option<u64>,
    #[serde(default)]
    pub(super) tasks_completed: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Attention {
    pub(super) items: Vec<Item>,
    pub(super) counts: Total,
}

#[derive(Debug, Deserialize)]
pub(super) struct Total {
    pub(super) total: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Item {
    pub(super) kind: String,
    pub(super) label: String,
    pub(super) id: Option<String>,
    pub(super) title: Option<String>,
    pub(super) reason: String,
    pub(super) since: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) story_id: Option<String>,
}

impl Item {
    /// The id of the record, or of the story that a message is about.
    pub(super) fn id(&self) -> &str {
        self.id.as_deref().or(self.story_id.as_deref()).unwrap_or_default()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Agents {
    pub(super) agents: Vec<Agent>,
    pub(super) total: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Agent {
    pub(super) id: String,
    pub(super) state: String,
    pub(super) doing: Option<Doing>,
    pub(super) more: usize,
    pub(super) last_seen_at: Option<String>,
    pub(super) tasks: Tasks,
    pub(super) last_message: Option<Said>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Doing {
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) since: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Tasks {
    pub(super) waiting: Vec<String>,
    pub(super) blocked: Vec<String>,
    pub(super) failed: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Said {
    pub(super) text: Option<String>,
    pub(super) story_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Activity {
    pub(super) activity: Vec<Change>,
    pub(super) total: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Change {
    pub(super) at: String,
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) summary: String,
}

/// Whether changes are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum History {
    /// A server is running and has observed them.
    Known,
    /// Only the files are read.
    Unknown,
}

impl Moment {
    /// Requests all data; the chain and the hours before `now`, in nanoseconds since 1970, only for a screen that shows them.
    ///
    /// # Errors
    /// The request that failed, as a sentence.
    pub(super) fn ask(
        get: impl Fn(&str) -> Result<String, String>,
        history: History,
        wide: Option<i64>,
    ) -> Result<Self, String> {
        let health_text = get(HEALTH)?;
        let health: Health = parse(HEALTH, &health_text)?;
        let agents: Agents = read(&get, "/api/agents")?;
        let reads_plan = health.sources.values().any(|source| source.files.is_some());
        let plan = (reads_plan && agents.total == 0).then(|| read(&get, OPEN)).transpose()?;
        Ok(Self {
            health,
            plan: plan.map(Stories::current_first),
            caveats: Caveats::read(&health_text, &get(PROBLEMS)?)
                .map_err(|error| unreadable(PROBLEMS, &error))?,
            counts: Counts::ask(|path| get(path).ok()).ok_or("the counts could not be read")?,
            attention: read(&get, "/api/attention")?,
            agents,
            activity: match history {
                History::Known => Some(read(&get, CHANGES)?),
                History::Unknown => None,
            },
            chain: if wide.is_some() { chain(&get)? } else { Vec::new() },
            hours: wide.map_or(Ok(Vec::new()), |now| hours(&get, now))?,
        })
    }
}

/// How many messages were written in each hour: the last one is that of `now`.
fn hours(
    get: impl Fn(&str) -> Result<String, String>,
    now: i64,
) -> Result<Vec<(String, [u64; SHOWN_HOURS])>, String> {
    let first = now.div_euclid(HOUR) + 1 - i64::try_from(SHOWN_HOURS).unwrap_or_default();
    let since = time::format_nanoseconds(first * HOUR).unwrap_or_default();
    let read: Hours = read(&get, &format!("{HOURS}{since}"))?;
    let mut counts: BTreeMap<String, [u64; SHOWN_HOURS]> = BTreeMap::new();
    for Hour { from, by } in read.buckets {
        let hour = time::parse(&from, Edge::Start).map(|at| at.div_euclid(HOUR) - first);
        let Some(at) = hour.and_then(|hour| usize::try_from(hour).ok()) else { continue };
        for (sender, count) in by {
            let of_sender = counts.entry(sender).or_default();
            // A message of the future is in no hour that is shown.
            if let Some(shown) = of_sender.get_mut(at) {
                *shown = count;
            }
        }
    }
    counts.retain(|_, hours| hours.iter().any(|count| *count > 0));
    let mut counts: Vec<(String, [u64; SHOWN_HOURS])> = counts.into_iter().collect();
    counts.sort_by_cached_key(|(_, hours)| Reverse(hours.iter().sum::<u64>()));
    Ok(counts)
}

/// The longest chain, beginning with what waits.
fn chain(get: impl Fn(&str) -> Result<String, String>) -> Result<Vec<Waiting>, String> {
    for path in WAITING {
        let Open { records } = read(&get, path)?;
        let needs = records.iter().map(|one| (one.id.as_str(), one.waits_for.as_slice()));
        let mut chain = Graph::new(needs).longest(|_| 1);
        if chain.len() > 1 {
            chain.reverse();
            return Ok(chain.into_iter().map(|at| records[at].clone()).collect());
        }
    }
    Ok(Vec::new())
}

impl Stories {
    /// With those in progress first.
    fn current_first(mut self) -> Self {
        self.stories.sort_by_key(|story| story.status.as_deref() != Some("in-progress"));
        self
    }
}

fn read<T: DeserializeOwned>(
    get: impl Fn(&str) -> Result<String, String>,
    path: &str,
) -> Result<T, String> {
    parse(path, &get(path)?)
}

fn parse<T: DeserializeOwned>(path: &str, body: &str) -> Result<T, String> {
    serde_json::from_str(body).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &str, error: &serde_json::Error) -> String {
    format!("{path} could not be read: {error}")
}
