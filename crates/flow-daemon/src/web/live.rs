//! The change stream: which resources changed since a client's last request, as server-sent events or by long polling.
//!
//! An event contains no data, only the resources to fetch again. A client's position is one number (a generation); what
//! changed since follows from the history in the newest snapshot. The server therefore keeps nothing per client, and
//! changes that a client does not receive in time are merged into one event.
//!
//! Format: <https://html.spec.whatwg.org/multipage/server-sent-events.html>

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use serde_json::{Map, Value, json};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::project::Source;
use crate::routes::{ROUTES, Resource, Route};
use crate::store::{Reader, Snapshot};

/// Time between two comments of a stream without events, which show that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// The shortest time between two events of a stream; changes in between are part of the later one.
const PACE: Duration = Duration::from_millis(100);
/// When a browser reconnects after a lost stream, in milliseconds.
const RETRY: &str = "retry: 2000\n";
const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// A streamed answer.
#[derive(Debug, Clone)]
pub struct Live {
    reader: Reader,
    form: Form,
    seen: Seen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// An endless stream of events.
    Events,
    /// One answer, after at most this time.
    Poll(Duration),
}

/// The position of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// Nothing yet.
    Nothing,
    /// This generation of this run of the server.
    Generation(u64),
    /// An id that this server does not know.
    Unknown,
}

/// The content of an event.
#[derive(Debug)]
struct Event {
    name: &'static str,
    instance: u64,
    generation: u64,
    resources: Vec<&'static str>,
}

impl Live {
    /// The answer of `/api/events` or `/api/changes` to a client at the id `since`.
    pub(super) fn new(reader: Reader, resource: Resource, since: Option<&str>, wait: u64) -> Self {
        let form = match resource {
            Resource::Changes => Form::Poll(Duration::from_secs(wait)),
            _ => Form::Events,
        };
        let seen = since.map_or(Seen::Nothing, |since| Seen::read(since, &reader.snapshot()));
        Self { reader, form, seen }
    }

    /// Value of `Content-Type`.
    pub(super) fn content_type(&self) -> &'static str {
        match self.form {
            Form::Events => "text/event-stream; charset=utf-8",
            Form::Poll(_) => "application/json; charset=utf-8",
        }
    }

    /// The answer to a poll that need not or may not wait.
    pub(super) fn at_once(&mut self) -> Option<Bytes> {
        let Form::Poll(wait) = self.form else { return None };
        let wants_state = wait.is_zero() || self.seen == Seen::Nothing;
        self.event(wants_state).map(|event| event.json())
    }

    /// The body for a caller that does not wait; `None` for a stream.
    pub(super) fn without_waiting(mut self) -> Option<Bytes> {
        match self.form {
            Form::Poll(_) => self.event(true).map(|event| event.json()),
            Form::Events => None,
        }
    }

    /// The streamed body, until `stop` becomes true. It holds `permit` for its lifetime.
    pub(super) fn stream(
        self,
        stop: watch::Receiver<bool>,
        permit: OwnedSemaphorePermit,
    ) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + Sync + 'static {
        let phase = match self.form {
            Form::Events => Phase::First,
            Form::Poll(wait) => Phase::Poll(Instant::now() + wait),
        };
        let flow = Flow { live: self, stop, phase, sent: Instant::now(), _permit: permit };
        unfold(flow, |mut flow| async { Some((Ok(flow.next().await?), flow)) })
    }

    /// The next event; if nothing has changed, the current state if `wants_state`.
    fn event(&mut self, wants_state: bool) -> Option<Event> {
        let snapshot = self.reader.snapshot();
        let (name, resources) = match self.seen {
            Seen::Generation(seen) if seen != snapshot.generation => {
                ("change", changed_since(&snapshot, seen))
            }
            Seen::Unknown => ("resync", all_resources()),
            _ if wants_state => ("state", Vec::new()),
            _ => return None,
        };
        let generation = snapshot.generation;
        self.seen = Seen::Generation(generation);
        Some(Event { name, instance: snapshot.history.instance, generation, resources })
    }
}

impl Seen {
    fn read(id: &str, snapshot: &Snapshot) -> Self {
        let parts = id
            .split_once('-')
            .filter(|(instance, _)| *instance == format!("{:016x}", snapshot.history.instance));
        let generation = parts.and_then(|(_, generation)| generation.parse().ok());
        match generation {
            Some(generation) if generation <= snapshot.generation => Self::Generation(generation),
            _ => Self::Unknown,
        }
    }
}

/// A body that is being sent.
struct Flow {
    live: Live,
    stop: watch::Receiver<bool>,
    phase: Phase,
    /// When something was last sent.
    sent: Instant,
    _permit: OwnedSemaphorePermit,
}

enum Phase {
    /// Nothing was sent yet.
    First,
    /// Events follow.
    Following,
    /// One answer, by this time.
    Poll(Instant),
    /// Everything was sent.
    Done,
}

/// Why a wait ended.
enum Woken {
    Published,
    Stopped,
    TimeOver,
}

impl Flow {
    async fn next(&mut self) -> Option<Bytes> {
        match self.phase {
            Phase::First => {
                self.phase = Phase::Following;
                let event = self.live.event(true)?;
                Some(Bytes::from([RETRY.as_bytes(), &event.text()].concat()))
            }
            Phase::Following => self.follow().await,
            Phase::Poll(until) => {
                let event = self.poll(until).await;
                self.phase = Phase::Done;
                event.map(|event| event.json())
            }
            Phase::Done => None,
        }
    }

    async fn follow(&mut self) -> Option<Bytes> {
        let paced = self.sent + PACE;
        let quiet = self.sent + HEARTBEAT;
        if let Woken::Stopped = self.wait(paced, false).await {
            return None;
        }
        let text = loop {
            match self.wait(quiet, true).await {
                Woken::Stopped => return None,
                Woken::TimeOver => break COMMENT,
                Woken::Published => {
                    if let Some(event) = self.live.event(false) {
                        break Bytes::from(event.text());
                    }
                }
            }
        };
        self.sent = Instant::now();
        Some(text)
    }

    async fn poll(&mut self, until: Instant) -> Option<Event> {
        loop {
            if let Some(event) = self.live.event(false) {
                return Some(event);
            }
            match self.wait(until, true).await {
                Woken::Published => {}
                Woken::Stopped | Woken::TimeOver => return self.live.event(true),
            }
        }
    }

    /// Waits for a time, the server's stop, or a new snapshot if `for_snapshot`.
    async fn wait(&mut self, until: Instant, for_snapshot: bool) -> Woken {
        let stopped = self.stop.wait_for(|stop| *stop);
        let woken = async {
            if !for_snapshot {
                sleep_until(until).await;
                return Woken::TimeOver;
            }
            match timeout_at(until, self.live.reader.published()).await {
                Ok(true) => Woken::Published,
                Ok(false) => Woken::Stopped,
                Err(_) => Woken::TimeOver,
            }
        };
        tokio::select! {
            biased;
            _ = stopped => Woken::Stopped,
            woken = woken => woken,
        }
    }
}

impl Event {
    fn id(&self) -> String {
        format!("{:016x}-{}", self.instance, self.generation)
    }

    /// The event in the format of a stream.
    fn text(&self) -> Vec<u8> {
        let mut data = Map::from_iter([("generation".to_owned(), Value::from(self.generation))]);
        if self.name == "change" {
            data.insert("resources".to_owned(), self.resources.clone().into());
        }
        format!("id: {}\nevent: {}\ndata: {}\n\n", self.id(), self.name, Value::Object(data)).into()
    }

    /// The event in the format of a poll.
    fn json(&self) -> Bytes {
        let body = json!({
            "id": self.id(),
            "event": self.name,
            "generation": self.generation,
            "resources": self.resources,
        });
        body.to_string().into()
    }
}

/// The resources that may have changed since a generation, in the order of the route table.
pub fn changed_since(snapshot: &Snapshot, seen: u64) -> Vec<&'static str> {
    let history = &snapshot.history;
    let is_new = |generation: u64| generation > seen;
    let has_new_content = |source: &Source| is_new(history.content[source.index()]);
    let any = |generations: [u64; 4]| generations.into_iter().any(is_new);
    let is_changed = |route: &&Route| match route.resource {
        // It contains the generation itself.
        Resource::Health => true,
        Resource::Attention => {
            any(history.content)
                || any(history.health)
                || is_new(history.plans)
                || is_new(history.locks)
                || is_new(history.worktrees)
        }
        Resource::Worktrees => is_new(history.worktrees),
        // A file that cannot be read is a problem.
        Resource::Problems => any(history.content) || any(history.health) || is_new(history.plans),
        Resource::Activity | Resource::History => is_new(history.noted),
        // The answer of `/api/status` for a file that was never valid depends on the file's state.
        Resource::Status => {
            has_new_content(&Source::Status) || is_new(history.health[Source::Status.index()])
        }
        _ => route.sources.iter().any(has_new_content),
    };
    paths(is_changed)
}

/// The resources that can change at all.
fn all_resources() -> Vec<&'static str> {
    paths(|route| {
        !matches!(
            route.resource,
            Resource::Index | Resource::OpenApi | Resource::Projects | Resource::Scrape
        )
    })
}

fn paths(is_meant: impl Fn(&&Route) -> bool) -> Vec<&'static str> {
    let is_list = |route: &&Route| {
        !route.path.contains(":id")
            && !matches!(route.resource, Resource::Events | Resource::Changes)
    };
    ROUTES.iter().filter(is_list).filter(is_meant).map(|route| route.path).collect()
}
