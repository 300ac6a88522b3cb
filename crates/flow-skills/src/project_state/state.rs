//! The project's state as skills see it: the answers of the API, from whatever source.
//!
//! It opens no file and no socket: `cli` provides the answers, and [`super`] interprets the records in them.

use std::fmt;
use std::rc::Rc;

use flow_model::caveats::Caveats;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::output::{Fault, Result};
use crate::text::line;

/// Largest page of messages that the API returns.
const LARGEST_PAGE: u64 = 10_000;
/// Largest number of messages that a skill reads.
const MOST_MESSAGES: u64 = 100_000;
/// Characters of an id that a path contains unescaped.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// A source of the API's answers.
pub trait Answers: fmt::Debug {
    /// Status and body for a path with its query.
    ///
    /// # Errors
    /// Why there is no answer, as a sentence.
    fn get(&self, target: &str) -> Result<(u16, String), String>;

    /// The ids that the records of a collection such as `stories` have in the repository's other worktrees, as far as they can
    /// be read.
    fn ids_elsewhere(&self, collection: &str) -> Vec<String> {
        let _ = collection;
        Vec::new()
    }
}

/// The source of the project's state, or why there is none.
#[derive(Debug, Clone)]
pub struct State(Result<Rc<dyn Answers>, String>);

/// The parts of the state that are missing because of its files.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    /// Files that do not exist, a sentence for each.
    pub(crate) missing: Vec<String>,
    /// Files that exist and whose current content was not read, each as `path (name) is state`.
    pub(crate) unread: Vec<String>,
    /// A sentence that there are no messages; `None` if the bus log has some.
    pub(crate) no_messages: Option<String>,
    /// A sentence with the number of records that may not be read as meant; `None` if there are none.
    pub(crate) doubtful: Option<String>,
    /// Sentences that name the formats of the other tools whose plan is read, and the age of an export; `None` without one.
    pub(crate) plan: Option<String>,
}

impl Gaps {
    /// What to do about each file that was not read. Artifacts contain it, because a count of zero may be wrong then.
    pub(crate) fn questions(&self) -> impl Iterator<Item = String> {
        let repair = "repair the file; until then its last good content is used, if there is any";
        self.unread.iter().map(move |unread| format!("{unread} ({repair})"))
    }
}

impl State {
    /// The state from a source of answers.
    pub fn of(answers: Rc<dyn Answers>) -> Self {
        Self(Ok(answers))
    }

    /// No state, for this reason.
    pub fn none(why: String) -> Self {
        Self(Err(why))
    }

    /// Whether there is a project.
    pub fn is_there(&self) -> bool {
        self.0.is_ok()
    }

    /// The answer for a path.
    pub(crate) fn get(&self, target: &str) -> Result<Value> {
        let answers = self.0.as_ref().map_err(|why| {
            Fault::Refused(format!(
                "this skill requires the state of a project, which cannot be read: {why}"
            ))
        })?;
        let (status, body) = answers.get(target).map_err(Fault::Refused)?;
        let unreadable = |error: serde_json::Error| {
            Fault::Refused(format!("the state at {target} cannot be read: {error}"))
        };
        let body: Value = serde_json::from_str(&body).map_err(unreadable)?;
        match status {
            200 => Ok(body),
            _ => Err(Fault::Refused(body["error"].as_str().unwrap_or(target).to_owned())),
        }
    }

    /// The ids that the records of a collection have in other worktrees: a new record gets none of them.
    pub(crate) fn ids_elsewhere(&self, collection: &str) -> Vec<String> {
        self.0.as_ref().map(|answers| answers.ids_elsewhere(collection)).unwrap_or_default()
    }

    /// All records of a collection; `query` includes its question mark.
    pub(crate) fn list(&self, collection: &str, query: &str) -> Result<Vec<Value>> {
        Ok(taken(self.get(&format!("/api/{collection}{query}"))?, collection))
    }

    /// The messages that match `parameters`, such as `since=2026-01-31`, in the order of the log; a fault if more than
    /// [`MOST_MESSAGES`] match.
    pub(crate) fn messages(&self, parameters: &str) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        let mut offset = Some(0);
        while let Some(from) = offset {
            let page = self.get(&format!(
                "/api/bus/messages?limit={LARGEST_PAGE}&offset={from}&{parameters}"
            ))?;
            if let Some(total) = page["total"].as_u64().filter(|total| *total > MOST_MESSAGES) {
                return Err(Fault::Refused(format!(
                    "{total} messages match, over the limit of {MOST_MESSAGES}; give a shorter time range with since and until"
                )));
            }
            offset = page["next_offset"].as_u64();
            all.extend(taken(page, "messages"));
        }
        Ok(all)
    }

    /// The newest 10,000 messages that match `parameters`, in the order of the log.
    pub(crate) fn newest_messages(&self, parameters: &str) -> Result<Vec<Value>> {
        let target = format!("/api/bus/messages?order=desc&limit={LARGEST_PAGE}&{parameters}");
        Ok(taken(self.get(&target)?, "messages").into_iter().rev().collect())
    }

    /// A text, percent-encoded for a parameter.
    pub fn encoded(text: &str) -> String {
        utf8_percent_encode(text, PLAIN).to_string()
    }

    /// Which of the files behind the state do not exist, which cannot be read, and whether records may not be read as
    /// meant.
    pub(crate) fn gaps(&self) -> Result<Gaps> {
        let health = self.get("/api/health")?;
        let problems = self.get("/api/problems")?;
        let caveats =
            Caveats::read(&health.to_string(), &problems.to_string()).map_err(|error| {
                Fault::Refused(format!("the problems of the state cannot be read: {error}"))
            })?;
        let named: Vec<String> = caveats.places.iter().map(|place| line(place)).collect();
        let more = if caveats.records > named.len() as u64 { ", …" } else { "" };
        let named = named.join(", ") + more;
        let doubtful = caveats
            .of_records()
            .map(|records| format!("{records}: {named} (flow doctor lists them)."));
        let mut gaps = Gaps { doubtful, ..Gaps::default() };
        let sources = || health["sources"].as_object().into_iter().flatten();
        // Where the plan of another tool is read, none of the four files is expected.
        gaps.plan = plan(sources().filter(|(_, source)| source.get("files").is_some()));
        let reads_plans = gaps.plan.is_some();
        for (name, source) in sources() {
            let text = |field: &str| source[field].as_str().unwrap_or_default();
            let path = text("path");
            let is_expected = !reads_plans || text("state") != "missing";
            if name == "bus" && is_expected && source["records"].as_u64().unwrap_or(0) == 0 {
                let why = "has no messages, so the dates are those of the records.";
                gaps.no_messages = Some(format!("The bus log ({path}) {why}"));
            }
            match text("state") {
                "present" => {}
                "missing" if reads_plans => {}
                "missing" => gaps.missing.push(format!("There is no {path} ({name}).")),
                state => gaps.unread.push(format!("{path} ({name}) is {state}")),
            }
        }
        Ok(gaps)
    }
}

/// The plan with these sources in health; `None` if there are none.
fn plan<'a>(sources: impl Iterator<Item = (&'a String, &'a Value)>) -> Option<String> {
    let (mut formats, mut exports) = (Vec::new(), Vec::new());
    for (format, source) in sources {
        formats.push(format.as_str());
        if let Some((day, _)) = source["exported_at"].as_str().and_then(|at| at.split_once('T')) {
            exports.push(format!(" The export of {format} is of {day}."));
        }
    }
    let sentences = format!("The plan is read from {}.{}", formats.join(", "), exports.concat());
    (!formats.is_empty()).then_some(sentences)
}

fn taken(mut answer: Value, name: &str) -> Vec<Value> {
    match answer.get_mut(name).map(Value::take) {
        Some(Value::Array(records)) => records,
        _ => Vec::new(),
    }
}
