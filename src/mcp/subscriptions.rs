//! Update notifications: which of the resources that a client watches changed since it was last notified.
//!
//! As in the change stream, a change is a number that the store publishes; nothing is queued. Changes that a client does not
//! take in time become one notification for each resource.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::SubscriptionSink;
use rmcp::{ErrorData, Peer, RoleServer};
use tokio::sync::watch;
use tokio::time::sleep;

use super::answer::Refusal;
use super::limits::{MOST_WATCHED, PACE};
use super::resources::{self, Named};
use super::state::State;
use crate::files::Files;
use crate::web::live::changed_since;

/// A watched resource, with the last content that the client was notified of.
#[derive(Debug, Clone)]
struct Watched {
    named: Named,
    generation: u64,
    fingerprint: u64,
}

impl Watched {
    fn new(named: Named, files: &Files) -> Self {
        let fingerprint = named.fingerprint(files);
        Self { named, generation: files.snapshot().generation, fingerprint }
    }

    /// Updates it to a later snapshot; returns whether the content changed.
    fn is_changed(&mut self, files: &Files) -> bool {
        let snapshot = files.snapshot();
        if snapshot.generation == self.generation {
            return false;
        }
        let streams = changed_since(&snapshot, self.generation);
        self.generation = snapshot.generation;
        if !streams.contains(&self.named.stream) {
            return false;
        }
        let before = std::mem::replace(&mut self.fingerprint, self.named.fingerprint(files));
        !self.named.is_record || before != self.fingerprint
    }
}

type All = BTreeMap<String, Watched>;

/// The receiver of notifications.
#[derive(Debug)]
pub(super) enum Sink {
    /// To a `subscriptions/listen` request.
    Request(SubscriptionSink),
    /// To a client that used `resources/subscribe`.
    Client(Peer<RoleServer>),
}

impl Sink {
    /// Notifies the client; `false` if it has disconnected. It returns when the message is written, so that a slow
    /// client receives fewer of them.
    async fn send(&self, uri: &str) -> bool {
        match self {
            Self::Request(sink) => sink.notify_resource_updated(uri).await.is_ok(),
            Self::Client(peer) => {
                let updated = ResourceUpdatedNotificationParam::new(uri);
                peer.notify_resource_updated(updated).await.is_ok()
            }
        }
    }
}

/// The resources of a `subscriptions/listen` request that exist or may come to exist, at most [`MOST_WATCHED`].
pub(super) fn accepted(uris: &[String]) -> Vec<String> {
    uris.iter().filter(|uri| resources::find(uri).is_ok()).take(MOST_WATCHED).cloned().collect()
}

/// Reports changes of these resources since a snapshot, until `closing` is set or the client disconnects.
pub(super) async fn follow(
    state: &State,
    uris: &[String],
    since: &Files,
    sink: Sink,
    closing: watch::Receiver<bool>,
) {
    let watched = uris
        .iter()
        .filter_map(|uri| Some((uri.clone(), Watched::new(resources::find(uri).ok()?, since))));
    let (_kept, all) = watch::channel(watched.collect());
    Follower { state, sink }.run(all, closing).await;
}

/// The resources that a client of an earlier revision watches.
#[derive(Debug, Default)]
pub(super) struct Subscribed {
    all: watch::Sender<All>,
    is_followed: AtomicBool,
}

impl Subscribed {
    /// Adds a watched resource.
    pub(super) fn add(
        &self,
        uri: String,
        state: &Arc<State>,
        peer: Peer<RoleServer>,
        closing: watch::Receiver<bool>,
    ) -> Result<(), ErrorData> {
        let unknown = |refusal: Refusal| ErrorData::resource_not_found(refusal.sentence(), None);
        let named = resources::find(&uri).map_err(unknown)?;
        let watched = Watched::new(named, &state.now());
        let mut is_full = false;
        self.all.send_if_modified(|all| {
            is_full = all.len() >= MOST_WATCHED && !all.contains_key(&uri);
            if !is_full {
                all.insert(uri, watched);
            }
            !is_full
        });
        if is_full {
            let sentence = format!(
                "the limit of {MOST_WATCHED} watched resources is reached; unsubscribe from one first"
            );
            return Err(ErrorData::invalid_params(sentence, None));
        }
        if !self.is_followed.swap(true, Ordering::AcqRel) {
            let (all, state) = (self.all.subscribe(), Arc::clone(state));
            tokio::spawn(async move {
                let follower = Follower { state: &state, sink: Sink::Client(peer) };
                follower.run(all, closing).await;
            });
        }
        Ok(())
    }

    /// Removes a watched resource.
    pub(super) fn remove(&self, uri: &str) {
        self.all.send_if_modified(|all| all.remove(uri).is_some());
    }
}

/// Notifies one client of changes.
struct Follower<'a> {
    state: &'a State,
    sink: Sink,
}

impl Follower<'_> {
    async fn run(self, mut all: watch::Receiver<All>, mut closing: watch::Receiver<bool>) {
        let mut published = self.state.reader();
        let mut watched = all.borrow_and_update().clone();
        loop {
            // No later state is told to a client that was answered that it no longer watches.
            let mut files = self.state.now();
            while all.has_changed().unwrap_or(false) {
                renew(&mut watched, &all.borrow_and_update());
                files = self.state.now();
            }
            if !self.tell(&files, &mut watched).await {
                return;
            }
            tokio::select! {
                is_there = published.published() => if !is_there { return },
                changed = all.changed() => match changed {
                    Ok(()) => renew(&mut watched, &all.borrow_and_update()),
                    Err(_) => return,
                },
                _ = closing.wait_for(|is_closing| *is_closing) => return,
            }
        }
    }

    /// Reports the changes; `false` if the client has disconnected.
    async fn tell(&self, files: &Files, watched: &mut All) -> bool {
        let changed =
            watched.iter_mut().filter_map(|(uri, one)| one.is_changed(files).then_some(uri));
        let changed: Vec<&String> = changed.collect();
        for uri in &changed {
            if !self.sink.send(uri).await {
                return false;
            }
        }
        if !changed.is_empty() {
            sleep(PACE).await;
        }
        true
    }
}

/// Applies a new set of watched resources and keeps the state of those that remain.
fn renew(watched: &mut All, now: &All) {
    watched.retain(|uri, _| now.contains_key(uri));
    for (uri, one) in now {
        watched.entry(uri.clone()).or_insert_with(|| one.clone());
    }
}
