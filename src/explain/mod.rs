//! Where a record or message comes from, and what became of it on the way: the text of the files, held against what a
//! snapshot took from it.

mod document;
mod explanation;
mod log;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::model::fault::Fault;
use crate::model::json::{self, Member};
use crate::model::name::Name;
use crate::model::problem::{Effect, Position};
use crate::model::record::{Kind, Record};
use crate::model::similar::is_same_id;
use crate::project::{Project, Source};
use crate::skill::input::typed::nearest;
use crate::store::Snapshot;
use crate::store::collection::Collection;
use crate::store::disk::RealDisk;
use crate::store::locate;
use crate::store::plans::PlanProblem;
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
    found.add_plans(snapshot, &mut ids);
    found.add_log(project, snapshot)?;
    if found.origins.is_empty() && found.problems.is_empty() {
        // Another spelling counts only where no record has the id as it was given, and one alone has it otherwise.
        let same: BTreeSet<&str> =
            ids.iter().map(String::as_str).filter(|known| is_same_id(known, id)).collect();
        return match same.first() {
            Some(known) if same.len() == 1 && *known != id => explain(project, snapshot, known),
            _ => Err(Error::Refused(unknown(id, &ids, snapshot))),
        };
    }
    found.nearby.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Ok(found)
}

/// The kept problems of all records and lines, each with its line in its file where it is known.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn problems(project: &Project, snapshot: &Snapshot) -> Result<Vec<NamedProblem>> {
    let mut found = Vec::new();
    for source in [Source::Status, Source::Sessions, Source::Tasks] {
        let Some((text, kinds)) = document_of(&collections(snapshot, source)) else {
            found.extend(named(snapshot, source, |_| None));
            continue;
        };
        let file = &snapshot.health[source.index()].path;
        let is_bad = |fault: Fault| Error::Refused(format!("{file} is {fault}"));
        let all = occurrences(text, &kinds).map_err(is_bad)?;
        let lines = line_of_each(text, &all, &Lines::of(text)).map_err(is_bad)?;
        found.extend(named(snapshot, source, |place| lines.get(place).copied()));
    }
    let left_out = match snapshot.bus.left_out {
        0 => 0,
        _ => log(project, snapshot, Wanted::Line(0))?.map_or(0, |found| found.left_out),
    };
    found.extend(named_lines(snapshot, left_out));
    let of_files = snapshot.plans.problems.iter().filter(|problem| !problem.is_invalid());
    found.extend(of_files.map(named_of_plan));
    Ok(found)
}

/// A problem of a file of a format.
fn named_of_plan(problem: &PlanProblem) -> NamedProblem {
    NamedProblem {
        file: problem.file.to_string(),
        line: problem.line.and_then(|line| usize::try_from(line).ok()),
        place: problem.format.to_owned(),
        effect: problem.level,
        reason: problem.reason.clone(),
    }
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
    let is_missing = snapshot.health.iter().all(|health| health.state == State::Missing);
    if is_missing && snapshot.plans.formats.is_empty() {
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
        let Some((text, kinds)) = document_of(&collections) else {
            return Ok(());
        };
        let all = occurrences(text, &kinds)?;
        ids.extend(all.iter().map(|one| one.id.clone().into_owned()));
        let text_lines = Lines::of(text);
        let occurrences: Vec<(&Occurrence<'_>, bool)> = all
            .iter()
            .filter(|one| one.id == self.id.as_str())
            .map(|one| (one, is_served(text, &collections, one)))
            .collect();
        let first = occurrences.iter().take(MOST_ORIGINS);
        // Of a duplicate id the last one is served.
        let served = occurrences.iter().skip(MOST_ORIGINS).filter(|(_, is_served)| *is_served);
        let before = self.origins.len();
        self.origins.extend(
            first
                .chain(served)
                .map(|(one, is_served)| origin(text, &text_lines, &file, one, *is_served)),
        );
        let places = line_of_each(text, &all, &text_lines)?;
        let lines: Vec<usize> = self.origins[before..].iter().map(|origin| origin.line).collect();
        self.add_problems(named(snapshot, source, |place| places.get(place).copied()), &lines);
        Ok(())
    }

    /// Adds the records of the formats that have the id, and the ids of all.
    fn add_plans(&mut self, snapshot: &Snapshot, ids: &mut Vec<String>) {
        if snapshot.plans.formats.is_empty() {
            return;
        }
        for collection in Collection::ALL {
            let records = snapshot.records(collection);
            let is_planned = |id: &&str| snapshot.plans.origin(collection, id).is_some();
            ids.extend(records.ids().filter(is_planned).map(str::to_owned));
            let Some(place) = snapshot.plans.origin(collection, &self.id) else { continue };
            // The record of a file is served before that of a format which shares its ids.
            let is_served = snapshot.plan_place(collection, &self.id).is_some();
            let at = records.position(&self.id).filter(|_| is_served);
            let record = at.and_then(|at| records.record(at));
            let line = usize::try_from(place.line).unwrap_or(usize::MAX);
            self.origins.push(Origin {
                kind: records.kind().noun(),
                title: record.as_ref().and_then(Record::title),
                file: place.file.to_owned(),
                line,
                place: format!("a record of {}", place.format),
                is_served,
                fields: record.map(|record| fields(&record, |_| None)).unwrap_or_default(),
                computed: Vec::new(),
            });
            let of_file = |problem: &&PlanProblem| *problem.file == *place.file;
            let problems = snapshot.plans.problems.iter().filter(of_file).map(named_of_plan);
            self.add_problems(problems, &[line]);
        }
    }

    fn add_log(&mut self, project: &Project, snapshot: &Snapshot) -> Result<()> {
        let id = self.id.clone();
        let wanted = log_line(&id).map_or(Wanted::Id(&id), Wanted::Line);
        if let Some(found) = log(project, snapshot, wanted)? {
            self.take_log(&snapshot.health[Source::Bus.index()].path, snapshot, found);
        }
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
        let reported: Vec<usize> =
            self.problems.iter().filter_map(|problem| problem.line).collect();
        let mut nearby = Self::default();
        let lines: Vec<usize> = found.messages.iter().map(|message| message.line).collect();
        nearby.add_problems(named_lines(snapshot, found.left_out), &lines);
        nearby.nearby.retain(|problem| problem.line.is_none_or(|line| !reported.contains(&line)));
        self.nearby.append(&mut nearby.nearby);
    }

    /// Adds the problems of this id, and those near these lines.
    fn add_problems(&mut self, all: impl Iterator<Item = NamedProblem>, lines: &[usize]) {
        for problem in all {
            let is_near = |line| lines.iter().any(|at: &usize| at.abs_diff(line) <= NEARBY);
            if problem.place == self.id && !self.id.is_empty() {
                self.problems.push(problem);
            } else if problem.line.is_some_and(is_near) || is_about_collection(&problem) {
                self.nearby.push(problem);
            }
        }
    }
}

/// The text of a document, and the kinds of its records; `None` if there is no document.
fn document_of<'a>(collections: &[&'a Records]) -> Option<(&'a str, Vec<Kind>)> {
    let text = collections.iter().find_map(|records| records.document())?;
    Some((text, collections.iter().map(|records| records.kind()).collect()))
}

/// The line on which each record and each top-level member of a document begins, by id, position and name.
fn line_of_each<'a>(
    text: &'a str,
    all: &'a [Occurrence<'_>],
    lines: &Lines,
) -> Result<HashMap<Cow<'a, str>, usize>, Fault> {
    let mut found = HashMap::new();
    for one in all {
        let line = lines.line(one.begins);
        found.entry(Cow::Borrowed(&*one.id)).or_insert(line);
        found.entry(Cow::Borrowed(&*one.place)).or_insert(line);
    }
    for Member { name, key, .. } in json::members(text)?.list {
        found.entry(name).or_insert_with(|| lines.line(offset(text, key)));
    }
    Ok(found)
}

/// The kept problems of a document, with the lines that `line_of` knows.
fn named(
    snapshot: &Snapshot,
    source: Source,
    line_of: impl Fn(&str) -> Option<usize>,
) -> impl Iterator<Item = NamedProblem> {
    let file = &snapshot.health[source.index()].path;
    snapshot.kept_problems(source).map(move |problem| {
        if let Some(place) = snapshot.place_of(source, problem)
            && let Position::Id(id) = &problem.place
        {
            return NamedProblem {
                file: place.file.to_owned(),
                line: usize::try_from(place.line).ok(),
                place: id.clone(),
                effect: problem.effect.name(),
                reason: problem.reason.clone(),
            };
        }
        let (place, line) = match &problem.place {
            Position::Line(line) => (format!("line {line}"), usize::try_from(*line).ok()),
            Position::Id(id) => (id.clone(), line_of(id)),
        };
        let (effect, reason) = (problem.effect.name(), problem.reason.clone());
        NamedProblem { file: file.clone(), line, place, effect, reason }
    })
}

/// The kept problems of the log. Snapshots count lines from the first one that is served, `left_out` lines after the
/// beginning of the file.
fn named_lines(snapshot: &Snapshot, left_out: usize) -> impl Iterator<Item = NamedProblem> {
    named(snapshot, Source::Bus, |_| None).map(move |problem| {
        let Some(line) = problem.line.map(|line| line + left_out) else { return problem };
        NamedProblem { line: Some(line), place: format!("line {line}"), ..problem }
    })
}

/// Searches the log that a snapshot serves; `None` if there is none.
fn log(project: &Project, snapshot: &Snapshot, wanted: Wanted<'_>) -> Result<Option<Found>> {
    let health = &snapshot.health[Source::Bus.index()];
    if health.loaded_at.is_none() {
        return Ok(None);
    }
    let path: Option<PathBuf> =
        locate::resolve(&RealDisk, project.state_root(), health.path.as_ref())
            .map_err(|e| Error::io("find the log", e))?;
    let Some(path) = path else { return Ok(None) };
    let longest = project.limits().json_bytes.saturating_add(1);
    search(&path, wanted, longest, snapshot.bus.left_out)
        .map(Some)
        .map_err(|e| Error::path("read", &path, e))
}

/// Whether a report is about all records of a collection.
fn is_about_collection(problem: &NamedProblem) -> bool {
    let is_collection = |kind: &Kind| kind.collection() == problem.place;
    problem.effect == Effect::Suspicious.name() && Kind::ALL.iter().any(is_collection)
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
