//! Where a record or message comes from, and what became of it on the way: the text of the files, held against what a
//! snapshot took from it.

mod document;
mod explanation;
mod log;

use std::collections::HashMap;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::model::fault::Fault;
use crate::model::json::Member;
use crate::model::names::Name;
use crate::model::problem::{Effect, Position, Problem};
use crate::model::record::{Kind, Record};
use crate::project::{Project, Source};
use crate::skill::input::typed::nearest;
use crate::store::Snapshot;
use crate::store::disk::RealDisk;
use crate::store::locate;
use crate::store::records::Records;
use crate::store::snapshot::State;
use document::{Lines, Occurrence, occurrences, offset};
pub(crate) use explanation::{About, Explanation, Field, NamedProblem, Origin};
use log::{Found, Message, Wanted, search};

/// Largest number of places of one id in a file that are shown, in addition to the one that is served.
const MOST_ORIGINS: usize = 100;
/// Largest distance, in lines, of a problem that is shown with a record.
const NEARBY: usize = 20;

/// Explains an id, or a line of the log (`bus:17`).
///
/// # Errors
/// When nothing has the id, or a file cannot be read.
pub(crate) fn explain(project: &Project, snapshot: &Snapshot, id: &str) -> Result<Explanation> {
    if id.is_empty() {
        return Err(Error::Usage(
            "explain requires an id, or a line of the log as bus:LINE".to_owned(),
        ));
    }
    let mut found = Explanation { id: id.to_owned(), ..Explanation::default() };
    let mut ids: Vec<String> = Vec::new();
    if log_line(id).is_none() {
        for source in [Source::Status, Source::Sessions, Source::Tasks] {
            found.add_document(snapshot, source, &mut ids).map_err(|fault| {
                Error::Refused(format!("{} is {fault}", snapshot.health[source.index()].path))
            })?;
        }
    }
    found.add_log(project, snapshot)?;
    if found.origins.is_empty() && found.problems.is_empty() {
        return Err(Error::Refused(unknown(id, &ids, snapshot)));
    }
    found.nearby.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Ok(found)
}

/// The line in `bus:17` or `log.jsonl:17`.
fn log_line(id: &str) -> Option<usize> {
    let (file, line) = id.rsplit_once(':')?;
    (file == "bus" || file.ends_with("log.jsonl")).then(|| line.parse().ok())?
}

fn unknown(id: &str, ids: &[String], snapshot: &Snapshot) -> String {
    let known: Vec<&str> = ids.iter().map(String::as_str).collect();
    let near =
        nearest(id, &known).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    if snapshot.health.iter().all(|health| health.state == State::Missing) {
        return format!(
            "none of the four files exists, so nothing has the id {id:?}; run: flow doctor"
        );
    }
    let broken: Vec<String> = snapshot
        .health
        .iter()
        .filter(|health| health.state.is_degraded())
        .map(|health| format!("; {} is not served ({})", health.path, health.state.name()))
        .collect();
    let broken = broken.concat();
    if let Some(line) = log_line(id) {
        return format!("the log has no line {line}{broken}");
    }
    let line = if near.is_empty() { "; for a log line, use bus:LINE" } else { "" };
    format!("no story, epic, session, task or message has the id {id:?}{broken}{line}{near}")
}

/// The collections of a source in the snapshot.
fn collections(snapshot: &Snapshot, source: Source) -> Vec<&Records> {
    match source {
        Source::Status => vec![&snapshot.status.stories, &snapshot.status.epics],
        Source::Sessions => vec![&snapshot.sessions.records],
        Source::Tasks => vec![&snapshot.tasks.records],
        Source::Bus => Vec::new(),
    }
}

impl Explanation {
    fn add_document(
        &mut self,
        snapshot: &Snapshot,
        source: Source,
        ids: &mut Vec<String>,
    ) -> Result<(), Fault> {
        let collections = collections(snapshot, source);
        let file = snapshot.health[source.index()].path.clone();
        let Some(text) = collections.iter().find_map(|records| records.document()) else {
            return Ok(());
        };
        let kinds: Vec<Kind> = collections.iter().map(|records| records.kind()).collect();
        let all = occurrences(text, &kinds)?;
        ids.extend(all.iter().map(|one| one.id.clone().into_owned()));
        let text_lines = Lines::of(text);
        let own: Vec<(&Occurrence<'_>, bool)> = all
            .iter()
            .filter(|one| one.id == self.id.as_str())
            .map(|one| (one, is_served(text, &collections, one)))
            .collect();
        let first = own.iter().take(MOST_ORIGINS);
        // Of a duplicate id the last one is served.
        let served = own.iter().skip(MOST_ORIGINS).filter(|(_, is_served)| *is_served);
        let before = self.origins.len();
        self.origins.extend(
            first
                .chain(served)
                .map(|(one, is_served)| origin(text, &text_lines, &file, one, *is_served)),
        );
        let mut places: HashMap<&str, usize> = HashMap::new();
        for one in &all {
            places.entry(&one.id).or_insert(one.begins);
            places.entry(&one.place).or_insert(one.begins);
        }
        let lines: Vec<usize> = self.origins[before..].iter().map(|origin| origin.line).collect();
        self.add_problems(snapshot, source, &lines, |place| {
            places.get(place).map(|begins| text_lines.line(*begins))
        });
        Ok(())
    }

    fn add_log(&mut self, project: &Project, snapshot: &Snapshot) -> Result<()> {
        let health = &snapshot.health[Source::Bus.index()];
        if health.loaded_at.is_none() {
            return Ok(());
        }
        let id = self.id.clone();
        let wanted = log_line(&id).map_or(Wanted::Id(&id), Wanted::Line);
        let path: Option<PathBuf> =
            locate::resolve(&RealDisk, project.state_root(), health.path.as_ref())
                .map_err(|e| Error::io("find the log", e))?;
        let Some(path) = path else { return Ok(()) };
        let longest = project.limits().json_bytes.saturating_add(1);
        let found = search(&path, wanted, longest, snapshot.bus.left_out)
            .map_err(|e| Error::path("read", &path, e))?;
        self.take_log(&health.path, snapshot, found);
        Ok(())
    }

    fn take_log(&mut self, file: &str, snapshot: &Snapshot, found: Found) {
        if !found.about.is_empty() {
            self.about = Some(About {
                file: file.to_owned(),
                count: found.about_count,
                last: found.about.into(),
            });
        }
        if let Some((line, reason)) = found.bad_line {
            self.problems.push(NamedProblem {
                file: file.to_owned(),
                line: Some(line),
                place: format!("line {line}"),
                effect: "skipped",
                reason,
            });
        }
        for message in &found.messages {
            self.origins.push(origin_of_message(file, message));
            if let Some(reason) = message.rest.as_ref().filter(|_| message.nth == message.of) {
                self.problems.push(NamedProblem {
                    file: file.to_owned(),
                    line: Some(message.line),
                    place: format!("the rest of line {}", message.line),
                    effect: "skipped",
                    reason: reason.clone(),
                });
            }
        }
        let own: Vec<usize> = self.problems.iter().filter_map(|problem| problem.line).collect();
        let mut nearby = Self::default();
        // Problems count lines from the first one that is served.
        let lines =
            found.messages.iter().map(|message| message.line.saturating_sub(found.left_out));
        nearby.add_problems(snapshot, Source::Bus, &lines.collect::<Vec<_>>(), |_| None);
        for problem in &mut nearby.nearby {
            problem.line = problem.line.map(|line| line + found.left_out);
            problem.place = problem.line.map(|line| format!("line {line}")).unwrap_or_default();
        }
        nearby.nearby.retain(|problem| problem.line.is_none_or(|line| !own.contains(&line)));
        self.nearby.append(&mut nearby.nearby);
    }

    /// Adds the problems of this id, and those near these lines.
    fn add_problems(
        &mut self,
        snapshot: &Snapshot,
        source: Source,
        lines: &[usize],
        line_of: impl Fn(&str) -> Option<usize>,
    ) {
        let file = &snapshot.health[source.index()].path;
        for problem in snapshot.kept_problems(source) {
            let (place, line) = match &problem.place {
                Position::Line(line) => (format!("line {line}"), usize::try_from(*line).ok()),
                Position::Id(id) => (id.clone(), line_of(id)),
            };
            let is_near =
                line.is_some_and(|line| lines.iter().any(|own| own.abs_diff(line) <= NEARBY));
            let named = NamedProblem {
                file: file.clone(),
                line,
                effect: problem.effect.name(),
                reason: problem.reason.clone(),
                place,
            };
            if named.place == self.id && !self.id.is_empty() {
                self.problems.push(named);
            } else if is_near || is_about_collection(problem) {
                self.nearby.push(named);
            }
        }
    }
}

/// Whether a report is about all records of a collection.
fn is_about_collection(problem: &Problem) -> bool {
    let is_collection = |id: &String| Kind::ALL.iter().any(|kind| kind.collection() == id);
    problem.effect == Effect::Suspicious
        && matches!(&problem.place, Position::Id(id) if is_collection(id))
}

/// Whether this is the record that the snapshot serves under its id.
fn is_served(text: &str, collections: &[&Records], one: &Occurrence<'_>) -> bool {
    let records = collections.iter().find(|records| records.kind() == one.kind);
    let position = records.and_then(|records| records.position(&one.id));
    let served = records.zip(position).and_then(|(records, at)| records.range(at));
    served.is_some_and(|served| served.start == offset(text, one.raw))
}

fn origin(text: &str, lines: &Lines, file: &str, one: &Occurrence<'_>, is_served: bool) -> Origin {
    let record = Record::read(one.kind, one.raw).ok().map(|record| record.within(one.epic));
    let fields =
        record.as_ref().map(|record| fields(record, |value| Some(lines.line(offset(text, value)))));
    let mut computed = one.kind.computed().to_vec();
    let names_dependencies = record.as_ref().is_some_and(|record| {
        record.members().iter().any(|member| crate::model::dependency::is_field(&member.name))
    });
    if names_dependencies {
        computed.extend(one.kind.computed_of_dependencies());
    }
    Origin {
        kind: one.kind.noun(),
        title: record.as_ref().and_then(Record::title),
        file: file.to_owned(),
        line: lines.line(one.begins),
        place: one.place.clone(),
        is_served,
        fields: fields.unwrap_or_default(),
        computed,
    }
}

fn origin_of_message(file: &str, message: &Message) -> Origin {
    let record = Record::read(Kind::Message, &message.raw).ok();
    let place = match message.of {
        1 => "the only message of its line".to_owned(),
        of => format!("message {} of {of} on its line", message.nth),
    };
    Origin {
        kind: Kind::Message.noun(),
        title: record.as_ref().and_then(Record::title),
        file: file.to_owned(),
        line: message.line,
        place,
        is_served: true,
        fields: record.map(|record| fields(&record, |_| None)).unwrap_or_default(),
        computed: Vec::new(),
    }
}

/// The documented fields that have aliases, with the member that provides each.
fn fields(record: &Record<'_>, line: impl Fn(&str) -> Option<usize>) -> Vec<Field> {
    let of_row = |row: &Name| {
        let value = record.field(row.documented());
        // `field` returns a slice of the member's text, which identifies the member.
        let from = value.and_then(|value| {
            let is_it = |member: &&Member<'_>| {
                member.value.as_bytes().as_ptr_range().contains(&value.as_ptr())
            };
            record.members().iter().find(is_it).map(|member| member.name.clone().into_owned())
        });
        Field {
            name: row.documented(),
            from,
            value: value.map(str::to_owned),
            line: value.and_then(&line),
        }
    };
    record.kind().filled().iter().map(of_row).collect()
}
