//! The state of the conversation in the newest messages: open questions, blocked stories, and each agent's last
//! message.
//!
//! Only messages of these types and the last one of each sender are read, found by the indexes of the log.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use crate::model::bus::FIELDS;
use crate::model::exchange::{self, Part, Turn};
use crate::model::record::{Kind, Record};
use crate::store::chunk::Chunk;
use crate::store::postings::{Postings, count_u32};
use crate::store::snapshot::{Bus, Snapshot};

use super::excerpt;

/// Number of messages that are searched, the newest of the log.
pub const SEARCHED: usize = 10_000;

/// A message, parsed.
#[derive(Debug)]
pub struct Message {
    /// Its type as written.
    pub kind: Option<String>,
    /// Its sender.
    pub from: Option<String>,
    /// Its receiver; `None` if it is for everybody.
    pub to: Option<String>,
    /// The story that it is about.
    pub story: Option<String>,
    /// Its time as written.
    pub written: Option<String>,
    /// Its time in nanoseconds since 1970.
    pub at: Option<i64>,
    /// Its text on one line, truncated.
    pub text: Option<String>,
}

/// The state of the conversation in the newest messages.
#[derive(Debug, Default)]
pub struct Conversation {
    /// Questions without an answer, in the order of the log; each has a sender.
    pub open: Vec<Message>,
    /// The last message about each story that reports it blocked, unless a later one lifts the block.
    pub blocked: HashMap<String, Message>,
    /// The last message of each sender, in the order of the log.
    pub last: IndexMap<String, Message>,
    /// Every receiver of a message, in the order of the last message to each.
    pub receivers: IndexSet<String>,
}

impl Conversation {
    /// The conversation of a snapshot, computed at most once for each state of the log.
    pub fn of(snapshot: &Snapshot) -> Arc<Self> {
        let bus = &snapshot.bus;
        bus.memo.get_or_compute(|| Self::read(bus))
    }

    fn read(bus: &Bus) -> Self {
        let mut parts: Vec<(Part, Message)> = Vec::new();
        let mut found = Self::default();
        for part in newest(bus) {
            parts.extend(part.of_parts());
            for message in part.last_of_each_sender() {
                let Some(from) = message.from.clone() else { continue };
                // A later chunk may contain a later message of the same sender.
                found.last.shift_remove(&from);
                found.last.insert(from, message);
            }
            for name in part.receivers() {
                found.receivers.shift_remove(&name);
                found.receivers.insert(name);
            }
        }
        let is_one = |name: &String| exchange::receiver(Some(name)).is_some();
        found.receivers.retain(is_one);
        found.resolve(parts);
        found
    }

    /// Adds the questions and blocks that are still open after these messages, which are in the order of the log.
    fn resolve(&mut self, parts: Vec<(Part, Message)>) {
        let (questions, blocks) = {
            let turns: Vec<Turn<'_>> =
                parts.iter().map(|(part, message)| message.turn(*part)).collect();
            (exchange::answers(&turns), exchange::standing_blocks(&turns))
        };
        let open: IndexSet<usize> =
            questions.iter().filter(|(_, answer)| answer.is_none()).map(|(at, _)| *at).collect();
        for (at, (part, message)) in parts.into_iter().enumerate() {
            match (part, &message.story) {
                (Part::Question, _) if open.contains(&at) && message.from.is_some() => {
                    self.open.push(message);
                }
                (Part::Blocked, Some(story)) if blocks.binary_search(&at).is_ok() => {
                    self.blocked.insert(story.clone(), message);
                }
                _ => {}
            }
        }
    }
}

impl Message {
    fn turn(&self, part: Part) -> Turn<'_> {
        Turn {
            part,
            story: self.story.as_deref(),
            from: self.from.as_deref(),
            to: self.to.as_deref(),
        }
    }

    fn read(text: &str) -> Option<Self> {
        let record = Record::read(Kind::Message, text).ok()?;
        let word = |name: &str| {
            record.word(name).map(std::borrow::Cow::into_owned).filter(|word| !word.is_empty())
        };
        let to = word("to");
        Some(Self {
            kind: word("type"),
            from: word("from"),
            to: exchange::receiver(to.as_deref()).map(str::to_owned),
            story: word("story_id"),
            at: record.time("timestamp"),
            written: word("timestamp"),
            text: record.title().as_deref().and_then(excerpt),
        })
    }
}

/// The end of a chunk of messages.
struct Tail<'a> {
    chunk: &'a Chunk,
    /// The first position that counts.
    from: u32,
}

/// The newest messages of a log, oldest first.
fn newest(bus: &Bus) -> Vec<Tail<'_>> {
    let mut left = SEARCHED;
    let mut tails = Vec::new();
    for chunk in bus.log.chunks().rev() {
        if left == 0 {
            break;
        }
        let taken = chunk.len().min(left);
        left -= taken;
        tails.push(Tail { chunk, from: count_u32(chunk.len() - taken) });
    }
    tails.reverse();
    tails
}

impl<'a> Tail<'a> {
    fn message(&self, position: u32) -> Option<Message> {
        Message::read(self.chunk.message(position).0)
    }

    /// The values of a field that a message has, and the last position of each, by their positions.
    fn values(&self, field: &str) -> Vec<(u32, Cow<'a, str>)> {
        let Some(at) = FIELDS.iter().position(|known| *known == field) else { return Vec::new() };
        let terms = &self.chunk.terms()[at];
        let last = |value: &'a str| Some((terms.get(value)?.last()?, Cow::Borrowed(value)));
        let mut found: Vec<(u32, Cow<'a, str>)> = terms.values().filter_map(last).collect();
        found.retain(|(last, _)| *last >= self.from);
        let in_rest: HashMap<Cow<'a, str>, u32> =
            self.in_rest(at).into_iter().map(|(position, value)| (value, position)).collect();
        found.extend(in_rest.into_iter().map(|(value, last)| (last, value)));
        found.retain(|(_, value)| !value.is_empty());
        found.sort_unstable();
        found
    }

    /// The values of a field that have no set of positions, and the position of each message that has one.
    fn in_rest(&self, field: usize) -> Vec<(u32, Cow<'a, str>)> {
        let positions = self.positions(self.chunk.terms()[field].rest());
        let value = |position: u32| Some((position, self.chunk.word(position, field)?));
        positions.into_iter().filter_map(value).collect()
    }

    /// The positions of a set that count.
    fn positions(&self, set: &Postings) -> Vec<u32> {
        let mut positions = Vec::with_capacity(set.len());
        set.append_to(0, &mut positions);
        positions.retain(|position| *position >= self.from);
        positions
    }

    /// The messages that are part of an exchange, in order.
    fn of_parts(&self) -> Vec<(Part, Message)> {
        let Some(at) = FIELDS.iter().position(|known| *known == "type") else { return Vec::new() };
        let mut positions: Vec<(u32, Part)> = Vec::new();
        for (kind, set) in self.chunk.terms()[at].sets_of_values() {
            let Some(part) = Part::of(kind) else { continue };
            positions.extend(self.positions(set).into_iter().map(|position| (position, part)));
        }
        let in_rest = self.in_rest(at).into_iter();
        positions.extend(in_rest.filter_map(|(position, kind)| Some((position, Part::of(&kind)?))));
        positions.sort_unstable_by_key(|(position, _)| *position);
        positions.into_iter().filter_map(|(at, part)| Some((part, self.message(at)?))).collect()
    }

    fn last_of_each_sender(&self) -> Vec<Message> {
        let last = self.values("from").into_iter();
        last.filter_map(|(position, _)| self.message(position)).collect()
    }

    /// The receivers of messages, in the order of the last message to each.
    fn receivers(&self) -> impl Iterator<Item = String> {
        self.values("to").into_iter().map(|(_, value)| value.into_owned())
    }
}
