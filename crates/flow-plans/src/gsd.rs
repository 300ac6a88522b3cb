//! GSD (get-shit-done): the phases of `.planning/ROADMAP.md`, the plans in their folders, and the milestone of `STATE.md`.

use std::collections::{HashMap, HashSet};

use flow_model::kind::Kind;
use serde_json::{Map, Value};

use crate::checklist::{heading, without_mark};
use crate::format::{FileRecords, Format, Part};
use crate::front_matter;
use crate::members::Members;
use crate::plan::{COMPLETED, Plan, QUEUED};
use crate::size::MOST_DEPENDENCIES;

const ROADMAP: &str = ".planning/ROADMAP.md";
const STATE: &str = ".planning/STATE.md";
const PHASES: &str = ".planning/phases";

/// GSD.
#[derive(Debug)]
pub struct Gsd;

impl Format for Gsd {
    fn name(&self) -> &'static str {
        "gsd"
    }

    fn places(&self) -> &[&str] {
        &[ROADMAP, STATE, PHASES]
    }

    fn enters(&self, folder: &str) -> bool {
        let inner = folder.strip_prefix(PHASES).and_then(|inner| inner.strip_prefix('/'));
        inner.is_some_and(|phase| !phase.contains('/'))
    }

    fn marks(&self) -> &'static [&'static str] {
        &[".planning/ROADMAP.md", ".planning/STATE.md"]
    }

    fn owns(&self, path: &str) -> bool {
        matches!(path, ROADMAP | STATE) || plan_file(path).is_some()
    }

    fn is_present(&self, files: &[&str], _: &dyn Fn(&str) -> bool) -> bool {
        files.iter().any(|path| matches!(*path, ROADMAP | STATE))
    }

    fn states_dependencies(&self, kind: Kind) -> bool {
        matches!(kind, Kind::Story | Kind::Task)
    }

    fn read(&self, path: &str, text: &str) -> FileRecords {
        match path {
            ROADMAP => roadmap(text),
            STATE => milestone(text),
            _ => plan_file(path).map(|file| plan(&file, text)).unwrap_or_default(),
        }
    }

    fn complete(&self, plan: &mut Plan) {
        let shipped =
            plan.stories.iter().filter(|story| story.members.contains_key(SHIPPED)).count();
        if let Some(milestone) = plan.epics.first_mut().filter(|_| shipped > 0) {
            milestone.members.insert("phases_shipped".to_owned(), shipped.into());
        }
        // Only headings name phases, and only files are plans; boxes tell of their states.
        plan.stories.retain(|story| story.members.contains_key("title"));
        let summarized = summarized(plan);
        let stories: HashSet<String> = plan.stories.iter().map(|story| story.id.clone()).collect();
        let is_current = |task: &Map<String, Value>| {
            task.get("story_id")
                .and_then(Value::as_str)
                .is_some_and(|story| stories.contains(story))
        };
        plan.tasks.retain(|task| is_current(&task.members));
        for task in &mut plan.tasks {
            task.members.entry("state").or_insert_with(|| QUEUED.into());
        }
        let milestone = plan.epics.first().map(|epic| epic.id.clone());
        for story in &mut plan.stories {
            let is_box = story.members.shift_remove(BOX);
            let is_ticked = is_box == Some(Value::Bool(true));
            if is_ticked || summarized.contains(&story.id) {
                let source = if is_ticked { "boxes" } else { "summaries" };
                story.members.insert("status".to_owned(), "done".into());
                story.members.insert("status_source".to_owned(), source.into());
            }
            story.members.extend(milestone.clone().map(|id| ("epic_id".to_owned(), id.into())));
        }
        plan.complete_from_boxes();
    }
}

/// Members that are there only until the plan is complete: whether the box of a phase is ticked, that a phase is shipped, and
/// the phase of a summary.
const BOX: &str = "is_ticked";
const SHIPPED: &str = "is_shipped";
const SUMMARY: &str = "summary_of";

/// The phases with at least as many summaries as plans, which may have other numbers.
fn summarized(plan: &mut Plan) -> HashSet<String> {
    let mut plans: HashMap<String, usize> = HashMap::new();
    let mut summaries: HashMap<String, usize> = HashMap::new();
    for task in &mut plan.tasks {
        if let Some(story) = task.members.get("story_id").and_then(Value::as_str) {
            *plans.entry(story.to_owned()).or_default() += 1;
        }
        if let Some(Value::String(story)) = task.members.shift_remove(SUMMARY) {
            *summaries.entry(story).or_default() += 1;
        }
    }
    let is_done = |(story, count): &(&String, &usize)| {
        summaries.get(*story).is_some_and(|summaries| summaries >= *count)
    };
    plans.iter().filter(is_done).map(|(story, _)| story.clone()).collect()
}

struct PlanFile<'a> {
    /// `03-01`.
    id: &'a str,
    story: String,
    is_summary: bool,
}

fn plan_file(path: &str) -> Option<PlanFile<'_>> {
    let (phase, name) = path.strip_prefix(PHASES)?.strip_prefix('/')?.split_once('/')?;
    let plan = name.strip_suffix("-PLAN.md");
    let id = plan
        .or_else(|| name.strip_suffix("-SUMMARY.md"))
        .filter(|id| !id.is_empty() && !id.contains('/'))?;
    Some(PlanFile { id, story: story(number(phase)?.0), is_summary: plan.is_none() })
}

/// The number that a text begins with, such as `3`, `02.1` or `4A`, and the text after it.
fn number(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut end = Some(digits(0)).filter(|count| *count > 0)?;
    end += usize::from(bytes.get(end).is_some_and(u8::is_ascii_uppercase));
    while bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    let (number, rest) = text.split_at(end);
    (!rest.starts_with(|c: char| c.is_ascii_alphanumeric())).then_some((number, rest))
}

fn story(number: &str) -> String {
    let significant = number.trim_start_matches('0');
    let is_zero = !significant.starts_with(|c: char| c.is_ascii_digit());
    format!("phase-{}{significant}", if is_zero { "0" } else { "" })
}

fn plan(file: &PlanFile<'_>, text: &str) -> FileRecords {
    let mut members = Map::new();
    if file.is_summary {
        members.insert("state".to_owned(), COMPLETED.into());
        members.insert(SUMMARY.to_owned(), file.story.clone().into());
    } else {
        members.insert("story_id".to_owned(), file.story.clone().into());
        let document = front_matter::document(text).ok().flatten();
        for entry in document.iter().flat_map(|document| &document.entries) {
            match entry.name.as_str() {
                "wave" => {
                    members.insert("wave".to_owned(), entry.value.json());
                }
                "depends_on" if !entry.value.texts().is_empty() => {
                    members.insert("depends_on".to_owned(), entry.value.texts().into());
                }
                _ => {}
            }
        }
    }
    let line = u64::from(!file.is_summary);
    FileRecords::one(Part {
        kind: Kind::Task,
        id: file.id.to_owned(),
        line,
        members: members.into(),
    })
}

/// The milestone that the state names.
fn milestone(text: &str) -> FileRecords {
    let document = match front_matter::document(text) {
        Ok(document) => document,
        Err(issue) => return FileRecords::broken(issue),
    };
    let entries = document.map(|document| document.entries).unwrap_or_default();
    let text = |name: &str| front_matter::find(&entries, name).and_then(|entry| entry.value.text());
    let Some(id) = text("milestone") else { return FileRecords::default() };
    let line = front_matter::find(&entries, "milestone").map_or(1, |entry| entry.line);
    let members = [("title", text("milestone_name")), ("status", text("status"))];
    let members =
        members.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into())));
    let members: Map<String, Value> = members.collect();
    FileRecords::one(Part { kind: Kind::Epic, id: id.to_owned(), line, members: members.into() })
}

fn roadmap(text: &str) -> FileRecords {
    let mut records = FileRecords::default();
    let mut is_shipped = false;
    // The shipped milestone that the line is in, and the phases of all; one may have the number of one of this milestone.
    let mut milestone = 0;
    let mut shipped: HashSet<String> = HashSet::new();
    let mut phase: Option<usize> = None;
    for (index, line) in without_mark(text).lines().enumerate() {
        let number = index as u64 + 1;
        // Shipped milestones are folded.
        if line.contains("<details") {
            is_shipped = true;
            milestone += 1;
        }
        if line.contains("</details>") {
            is_shipped = false;
            phase = None;
            continue;
        }
        if is_shipped {
            let id = shipped_phase(line).map(|phase| format!("{milestone}#{phase}"));
            if let Some(id) = id.filter(|id| shipped.insert(id.clone())) {
                let members = Map::from_iter([(SHIPPED.to_owned(), true.into())]);
                records.add(Part { kind: Kind::Story, id, line: 0, members: members.into() });
            }
            continue;
        }
        if let Some((level, text)) = heading(line) {
            let found = (2..=4).contains(&level).then(|| named_phase(text)).flatten();
            if found.is_some() || level < 4 {
                phase = None;
            }
            if let Some((id, name)) = found {
                let members = Map::from_iter([("title".to_owned(), name.into())]);
                records.add(Part { kind: Kind::Story, id, line: number, members: members.into() });
                phase = records.parts.len().checked_sub(1);
            }
        } else if let Some(part) = ticked(line) {
            for part in part {
                records.add(part);
            }
        } else if let Some(part) = phase.and_then(|at| records.parts.get_mut(at)) {
            field(line, &mut part.members);
        }
    }
    merged(records)
}

/// Joins the box of a phase with its heading: parts of one file are one record only once.
fn merged(mut records: FileRecords) -> FileRecords {
    let is_heading = |part: &Part| part.kind == Kind::Story && part.line > 0;
    let is_shipped = |part: &Part| part.members.contains_key(SHIPPED);
    let ticked: HashSet<String> = records
        .parts
        .iter()
        .filter(|part| part.kind == Kind::Story && part.line == 0 && !is_shipped(part))
        .map(|part| part.id.clone())
        .collect();
    records.parts.retain(|part| part.kind == Kind::Task || is_heading(part) || is_shipped(part));
    for part in records.parts.iter_mut().filter(|part| ticked.contains(&part.id)) {
        part.members.insert(BOX.to_owned(), true.into());
    }
    records
}

/// The phase that a line of a shipped milestone is about: a heading or a box.
fn shipped_phase(line: &str) -> Option<String> {
    let boxed = || line.trim_start().strip_prefix("- [")?.split_once(']').map(|(_, text)| text);
    let text = heading(line).map(|(_, text)| text).or_else(boxed)?;
    let (number, _) = number(text.trim_start_matches([' ', '*']).strip_prefix("Phase ")?)?;
    Some(story(number))
}

/// The id and the name of `Phase 3: Name`.
fn named_phase(text: &str) -> Option<(String, &str)> {
    let (number, rest) = number(text.strip_prefix("Phase ")?.trim_start())?;
    let name = rest.trim_start().strip_prefix(':')?.trim();
    Some((story(number), name))
}

/// What a box says: of a phase that it is done, of a plan its text and whether it is done. `None` if the line is not a box.
fn ticked(line: &str) -> Option<Vec<Part>> {
    let rest = line.trim_start().strip_prefix("- [")?;
    let mark = rest.chars().next()?;
    let text = rest[mark.len_utf8()..].strip_prefix(']')?.trim();
    let is_done = matches!(mark, 'x' | 'X');
    let text = text.trim_start_matches("**");
    let mut parts = Vec::new();
    if let Some((number, _)) = text.strip_prefix("Phase ").and_then(number) {
        if is_done {
            parts.push(Part {
                kind: Kind::Story,
                id: story(number),
                line: 0,
                members: Members::default(),
            });
        }
        return Some(parts);
    }
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '.'))
        .unwrap_or(text.len());
    let id = text[..end].trim_end_matches(".md").trim_end_matches("-PLAN");
    if id.starts_with(|c: char| c.is_ascii_digit()) && id.contains('-') {
        let title = text[end..].trim_start_matches(['*', ':', ' ', '-', '–', '—']).trim();
        let mut members = Map::new();
        if is_done {
            members.insert("state".to_owned(), COMPLETED.into());
        }
        if !title.is_empty() {
            members.insert("title".to_owned(), title.into());
        }
        parts.push(Part { kind: Kind::Task, id: id.to_owned(), line: 0, members: members.into() });
    }
    Some(parts)
}

/// Adds what a line such as `**Depends on**: Phase 1` says of a phase.
fn field(line: &str, members: &mut Map<String, Value>) {
    let line = line.trim().trim_start_matches(['-', ' ']).trim_start_matches("**");
    let Some((name, value)) = line.split_once(':') else { return };
    let value = value.trim_start_matches("**").trim();
    match name.trim_end_matches("**") {
        "Goal" if !value.is_empty() => {
            members.entry("goal").or_insert_with(|| value.into());
        }
        "Depends on" | "Depends On" => {
            let ids = phases(value);
            if !ids.is_empty() {
                members.entry("depends_on").or_insert_with(|| ids.into());
            }
        }
        _ => {}
    }
}

/// The phases that a text names: `Phase 1, Phase 2` or `Phases 1 and 2`.
fn phases(text: &str) -> Vec<String> {
    let mut ids = Vec::new();
    let mut is_list = false;
    for word in text.split([' ', ',', ';', '(', ')', '&', '+']).filter(|word| !word.is_empty()) {
        let found = number(word)
            .filter(|(_, rest)| is_list && rest.trim_end_matches(['.', ':']).is_empty());
        match found {
            Some((number, _)) if ids.len() < MOST_DEPENDENCIES => ids.push(story(number)),
            Some(_) => break,
            None => {
                is_list = matches!(word, "Phase" | "Phases" | "phase" | "phases")
                    || (is_list && word == "and");
            }
        }
    }
    ids
}
