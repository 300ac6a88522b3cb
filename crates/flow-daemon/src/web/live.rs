//! The change stream: which resources changed since a client looked last, as server-sent events and as a long poll.
//!
//! An event carries no data, only what to fetch again. How far a client is, is one number (a generation); what changed
//! since follows from the history in the newest snapshot. So nothing is kept for a client, and changes that it does not
//! take in time become one.
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

/// How often a stream without events shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// The shortest time between two events of a stream; what changes in between is told in the later one.
const PACE: Duration = Duration::from_millis(100);
/// When a browser opens a lost stream again, in milliseconds.
const RETRY: &str = "retry: 2000\n";
const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// An answer that is sent as it happens.
#[derive(Debug, Clone)]
pub struct Live {
    reader: Reader,
    form: Form,
    seen: Seen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Events without end.
    Events,
    /// One answer, after so long at most.
    Poll(Duration),
}

/// What a client has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// Nothing yet.
    Nothing,
    /// This generation of this run of the server.
    Generation(u64),
    /// Something that this server cannot tell.
    Unknown,
}

/// What a client is told.
#[derive(Debug)]
struct Event {
    name: &'static str,
    instance: u64,
    generation: u64,
    resources: Vec<&'static str>,
}

impl Live {
    /// What `/api/events` or `/api/changes` answers to a client that has seen the id `since`.
    pub(super) fn new(reader: Reader, resource: Resource, since: Option<&str>, wait: u64) -> Self {
        let form = match resource {
            Resource::Changes => Form::Poll(Duration::from_secs(wait)),
            _ => Form::Events,
        };
        let seen = since.map_or(Seen::Nothing, |since| Seen::read(since, &reader.snapshot()));
        Self { reader, form, seen }
    }

    /// The type of the body.
    pub(super) fn content_type(&self) -> &'static str {
        match self.form {
            Form::Events => "text/event-stream; charset=utf-8",
            Form::Poll(_) => "application/json; charset=utf-8",
        }
    }

    /// The answer of a poll that has something to tell, or may not wait.
    pub(super) fn at_once(&mut self) -> Option<Bytes> {
        let Form::Poll(wait) = self.form else { return None };
        let wants_state = wait.is_zero() || self.seen == Seen::Nothing;
        self.event(wants_state).map(|event| event.json())
    }

    /// The body for a caller that does not wait; `None` where it is a stream.
    pub(super) fn without_waiting(mut self) -> Option<Bytes> {
        match self.form {
            Form::Poll(_) => self.event(true).map(|event| event.json()),
            Form::Events => None,
        }
    }

    /// The body as it happens, until `stop` says true. It holds `permit` as long as it lives.
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

    /// What there is to tell; where nothing has changed, the present state if that is wanted.
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

/// A body on its way.
struct Flow {
    live: Live,
    stop: watch::Receiver<bool>,
    phase: Phase,
    /// When something was sent last.
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

/// Why waiting ended.
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

    /// Waits for the end of the time or of the server, and for a new snapshot where that is wanted.
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

    /// The event as a stream has it.
    fn text(&self) -> Vec<u8> {
        let mut data = Map::from_iter([("generation".to_owned(), Value::from(self.generation))]);
        if self.name == "change" {
            data.insert("resources".to_owned(), self.resources.clone().into());
        }
        format!("id: {}\nevent: {}\ndata: {}\n\n", self.id(), self.name, Value::Object(data)).into()
    }

    /// The event as a poll has it.
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

/// The resources that may have changed after a generation, in the order of the route table.
fn changed_since(snapshot: &Snapshot, seen: u64) -> Vec<&'static str> {
    let history = &snapshot.history;
    let is_new = |generation: u64| generation > seen;
    let has_new_content = |source: &Source| is_new(history.content[source.index()]);
    let any = |generations: [u64; 4]| generations.into_iter().any(is_new);
    let is_changed = |route: &&Route| match route.resource {
        // It names the generation itself.
        Resource::Health => true,
        Resource::Attention => any(history.content) || any(history.health) || is_new(history.locks),
        Resource::Activity => is_new(history.noted),
        // What `/api/status` says of a file that was never good is the state of the file.
        Resource::Status => {
            has_new_content(&Source::Status) || is_new(history.health[Source::Status.index()])
        }
        _ => route.sources.iter().any(has_new_content),
    };
    paths(is_changed)
}

/// The resources that may ever change.
fn all_resources() -> Vec<&'static str> {
    paths(|route| !matches!(route.resource, Resource::Index | Resource::OpenApi | Resource::Scrape))
}

fn paths(is_meant: impl Fn(&&Route) -> bool) -> Vec<&'static str> {
    let is_list = |route: &&Route| {
        !route.path.ends_with("/:id")
            && !matches!(route.resource, Resource::Events | Resource::Changes)
    };
    ROUTES.iter().filter(is_list).filter(is_meant).map(|route| route.path).collect()
}
