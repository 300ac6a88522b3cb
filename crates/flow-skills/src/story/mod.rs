//! The story model of the planning and testing skills: a [`Story`], and the [`scenario::Scenario`]s of its acceptance
//! criteria.
//!
//! Every text of a story is one line ([`crate::text::line`]), so that it round-trips through Markdown and Gherkin. Texts are
//! placed word for word: nothing is derived from a sentence by its grammar.

pub mod bounds;
pub(crate) mod cases;
pub(crate) mod check;
pub mod criteria;
pub(crate) mod data;
pub mod document;
pub mod effort;
pub(crate) mod facts;
pub(crate) mod feature;
pub(crate) mod fields;
pub(crate) mod gherkin;
pub mod read;
pub mod scenario;
pub mod sentence;
pub(crate) mod stubs;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use scenario::Scenario;

use crate::input::kind::{Kind, Payload};
use crate::output::{Result, bad_given};
use crate::text::fence::fenced;
use crate::text::prose::heading;
use crate::text::{self, capital, is_id, is_number, line, slug};

/// Most characters of an id in the name of a file.
const LONGEST_ID: usize = 60;

/// Largest number of scenarios, and of rules, criteria, dependencies, notes or lines of data of a story.
pub const MOST: usize = 1_000;

/// A user story. Fields that were not given are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields of `StoryFields` say it")]
pub struct Story {
    pub id: Option<String>,
    pub title: String,
    /// The role, without an article: `shopper`.
    pub role: Option<String>,
    /// The text after "I want": `to reset my password`.
    pub want: Option<String>,
    /// The text after "so that": `I can get back in`.
    pub benefit: Option<String>,
    /// In the order given; the first is R1.
    pub rules: Vec<String>,
    pub criteria: Vec<String>,
    pub points: Option<u64>,
    /// Working time, as written: `4h`.
    pub estimate: Option<String>,
    pub status: Option<String>,
    pub dependencies: Vec<String>,
    pub epic: Option<String>,
    pub owner: Option<String>,
    pub priority: Option<String>,
    pub technical_notes: Vec<String>,
    /// Lines in the form of `data`.
    pub data: Vec<String>,
}

impl Payload for Story {
    const KIND: Kind = Kind::Story;
}

impl Story {
    /// Checks it against the limit, before it costs time.
    pub(crate) fn check(&self) -> Result<()> {
        let lists = [
            ("rules", &self.rules),
            ("criteria", &self.criteria),
            ("dependencies", &self.dependencies),
            ("data", &self.data),
            ("technical_notes", &self.technical_notes),
        ];
        let Some((field, list)) = lists.into_iter().find(|(_, list)| list.len() > MOST) else {
            return Ok(());
        };
        let given = format!("a list of {}", list.len());
        Err(bad_given(field, given, &format!("one of at most {MOST}: split the story")))
    }

    /// Takes what it lacks from another; lists are extended.
    pub(crate) fn complete(&mut self, other: Self) {
        let joined = |mut list, more: Vec<String>| {
            add(&mut list, more);
            list
        };
        let own = std::mem::take(self);
        *self = Self {
            id: own.id.or(other.id),
            title: if own.title.is_empty() { other.title } else { own.title },
            role: own.role.or(other.role),
            want: own.want.or(other.want),
            benefit: own.benefit.or(other.benefit),
            rules: joined(own.rules, other.rules),
            criteria: joined(own.criteria, other.criteria),
            points: own.points.or(other.points),
            estimate: own.estimate.or(other.estimate),
            status: own.status.or(other.status),
            dependencies: joined(own.dependencies, other.dependencies),
            epic: own.epic.or(other.epic),
            owner: own.owner.or(other.owner),
            priority: own.priority.or(other.priority),
            technical_notes: joined(own.technical_notes, other.technical_notes),
            data: joined(own.data, other.data),
        };
    }

    /// Sets its title, and its id if the text begins with one.
    pub(crate) fn set_title(&mut self, text: &str) {
        let mut title = text.trim();
        if let Some((id, rest)) = title.split_once(": ")
            && self.id.is_none()
            && is_id(id)
        {
            self.id = Some(id.to_owned());
            title = rest;
        }
        let title = line(title);
        let bare = title.trim_end_matches(['.', ',', ';', ':', '!', ' ']);
        self.title = capital(if bare.is_empty() { &title } else { bare });
    }

    /// Uses the want, or the first criterion or rule, as a missing title.
    pub fn complete_title(&mut self) {
        if !self.title.is_empty() {
            return;
        }
        if let Some(want) = &self.want {
            self.title = text::title(want.strip_prefix("to ").unwrap_or(want));
        } else if let Some(stated) = self.criteria.first().or(self.rules.first()) {
            self.title = Scenario::stated('C', 1, stated).name;
        }
    }

    /// Whether it states what must be true of it.
    pub(crate) fn has_criteria(&self) -> bool {
        !self.rules.is_empty() || !self.criteria.is_empty()
    }

    /// Its data as a block of Markdown; empty if it has none.
    pub(crate) fn data_block(&self) -> String {
        if self.data.is_empty() { String::new() } else { fenced("text", &self.data.join("\n")) }
    }

    /// The title of a document about it: `Test cases of US-0001: Pay by card`.
    pub(crate) fn headed(&self, what: &str) -> String {
        let id = self.id.as_ref().map(|id| format!(" of {id}")).unwrap_or_default();
        format!("{what}{id}: {}", heading(&self.title))
    }

    /// The beginning of the name of a file about it: its id, as far as a file name allows it, and its title.
    pub(crate) fn stem(&self) -> String {
        let title = slug(&self.title, "story");
        let Some(id) = &self.id else { return title };
        let allowed = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let id: String = id.chars().take(LONGEST_ID).map(allowed).collect();
        format!("{}-{title}", id.trim_start_matches(['.', '-']))
    }
}

/// Adds texts that a list does not have.
pub(crate) fn add(list: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    let mut known: HashSet<String> = list.iter().cloned().collect();
    list.extend(more.into_iter().filter(|text| known.insert(text.clone())));
}

/// A rule without its number: `a link expires` for `R1: a link expires`.
pub(crate) fn without_number(rule: &str) -> &str {
    match rule.strip_prefix('R').and_then(|rest| rest.split_once(": ")) {
        Some((number, text)) if is_number(number) && !text.is_empty() => text,
        _ => rule,
    }
}

/// The article of a role that is written without one; a plural has none.
pub(crate) fn article(role: &str) -> &'static str {
    let noun = role.split(" with ").next().unwrap_or_default();
    if noun.ends_with('s') && !noun.ends_with("ss") {
        return "";
    }
    // Before a long u, "a" stands: a user.
    if role.to_lowercase().starts_with(['a', 'e', 'i', 'o']) { "an " } else { "a " }
}
