//! `epic-planner`: plans the stories of an epic in waves that can be worked on in parallel. The epic is the project's,
//! or a new one from a text or from fields.

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report;
use super::report::{Board, Kind as Name, Log, Open, Page, Scope, Section, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values;
use crate::input::values::{Block, TextOr, TextOrNumber};
use crate::notation::Misfit;
use crate::output::{Output, Result, bad_text};
use crate::page;
use crate::page::{Finding, Form, Questions, Section as Part};
use crate::project_state::graph::Graph;
use crate::project_state::say::{LISTED, counted};
use crate::project_state::span::Span;
use crate::project_state::{Context, Epic, Snapshot, Story, next_number, one_of, say};
use crate::story::effort::{Effort, Unit};
use crate::story::facts::{self, Facts};
use crate::text::{heading, is_id, is_number, item, line, plain, slug, title};

const NAME: &str = "epic-planner";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Text, "epic"),
            takes(ContentKind::Markdown, "epic"),
            takes(ContentKind::List, "epic"),
        ],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(verify),
};

const SECTIONS: &[Part] = &[Part::named("Wave 1", &["In no wave", "Done", PUT_OFF])];
const PUT_OFF: &str = "On hold, abandoned or archived";
const FORM: Form = Form::new("# EP-0001: Title", SECTIONS);

/// An epic.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The id of an epic of the project; or a title line and a list of stories such as "- Pay by card (5) after 1"; or,
    /// beside `stories`, a title.
    #[schemars(extend("x-whole" = true, "x-labels" = ["Title"]))]
    epic: Block,
    /// The stories of a new epic: objects, or lines such as "Pay by card (5) after 1".
    #[serde(default)]
    stories: Vec<TextOr<Fields>>,
    /// What a new epic is for, beside `stories`.
    goal: Option<Block>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let text = input.epic.trim();
    let id = named(text);
    let is_id = id.as_deref() == Some(text);
    let has_records = context.state.is_there() || is_id;
    let mut project =
        if has_records { Snapshot::read(&context.state)? } else { Snapshot::default() };
    // An epic may have an id of any form.
    let known = project.find(Some(Name::Epic), text);
    let is_new = !(is_id || known.is_some()) || !input.stories.is_empty();
    if let (Some(id), true) = (id.or(known.map(|(_, id)| id)), is_new) {
        let allowed = "the id of an epic of the project alone, or a title without an id: a new epic gets the next free one";
        return Err(bad_text("epic", &id, allowed));
    }
    let mut log = Log::default();
    let names = if is_new {
        let (epic, stories) = read(input)?;
        let id = add(epic, stories, &mut project, context)?;
        // A new epic has no dates.
        project.gaps.no_messages = None;
        vec![(Name::Epic, id)]
    } else {
        log = Log::talk(context)?;
        project.names("epic", Some(Name::Epic), text, "")?
    };
    let scope = Scope::of(names, &project, Span::read(None, None, &context.now)?);
    let board = Board::new(&project, &scope, &log);
    let id = scope.names.first().map(|(_, id)| id.as_str()).unwrap_or_default();
    let Some(epic) = project.epic(id) else { return Ok(Output::default()) };
    let plan = Plan::of(&board, epic, is_new);
    let is_cut = plan.waves.len() > LISTED;
    let left_out = is_cut.then(|| format!("Only the first {LISTED} waves are listed."));
    let is_named = !epic.title.eq_ignore_ascii_case(&epic.id);
    let name = title(&epic.title);
    let page = Page {
        skill: NAME,
        file: format!("{}-{}.md", slug(&epic.id, "epic"), slug(&name, "epic")),
        title: if is_named { format!("{}: {name}", epic.id) } else { epic.id.clone() },
        summary: plan.summary(),
        remarks: left_out.into_iter().collect(),
        sections: plan.sections(),
        snapshot: &project,
        open: plan.questions(),
    };
    let mut output = page.output(plan.data())?;
    if is_new && project.time.is_none() {
        output.notes = vec!["no project found; the ids begin at 1".to_owned()];
    }
    Ok(output)
}

/// The id at the beginning of the first line.
fn named(text: &str) -> Option<String> {
    let first = text.lines().map(plain).find(|line| !line.is_empty())?;
    let first = first.trim_start_matches('#').trim();
    let id = first.split_once(':').map_or(first, |(id, _)| id);
    is_id(id).then(|| id.to_owned())
}

/// Lines that only announce the list.
const CAPTIONS: [&str; 3] = ["Stories:", "User stories:", "Tasks:"];
const EXAMPLE: &str = "- Pay by card (5) after 1";

/// Reads an epic and its stories: those of the fields, or of a list. Ids that are not written are empty; what a story
/// needs is a number of the list or an id.
fn read(input: &Input) -> Result<(Epic, Vec<Story>)> {
    let text = &*input.epic;
    if let Some(page) = text.lines().find(|line| line.starts_with("| story |")) {
        let allowed =
            format!("a list with a line for each story, such as {EXAMPLE}, and no page of a plan");
        return Err(bad_text("epic", page, &allowed));
    }
    let (mut epic, stories) =
        if input.stories.is_empty() { list(text)? } else { from_fields(input)? };
    "draft".clone_into(&mut epic.status);
    let bad = |allowed: &str| Err(bad_text("epic", text, allowed));
    if epic.title.is_empty() {
        return bad("an id of the project's, or a title line and a list of stories");
    }
    match stories.len() {
        0 => bad(&format!(
            "an id of the project's, or a title line and its stories, each a line such as {EXAMPLE}"
        )),
        count if count > LISTED => {
            bad(&format!("an epic of at most {LISTED} stories, and this has {count}"))
        }
        _ => Ok((epic, stories)),
    }
}

/// Reads a title line, lines with the goal, and a list; items nested below a story are its criteria.
fn list(text: &str) -> Result<(Epic, Vec<Story>)> {
    let mut epic = Epic::default();
    let mut stories: Vec<Story> = Vec::new();
    let mut goal: Vec<String> = Vec::new();
    let filled = text.lines().enumerate().filter(|(_, raw)| !raw.trim().is_empty());
    for (at, raw) in filled {
        let text = item(raw).map(plain);
        let is_below = raw.starts_with([' ', '\t']);
        match (text, stories.last_mut()) {
            (Some(text), Some(story)) if is_below => story.criteria.push(text),
            (Some(text), _) => stories.push(story(&text, at + 1)?),
            (None, _) if epic.title.is_empty() => {
                epic.title = title(&plain(heading(raw.trim()).map_or(raw, |(_, text)| text)));
            }
            // The heading of the goal, or of the list.
            (None, None) if heading(raw.trim()).is_some() || CAPTIONS.contains(&raw.trim()) => {}
            (None, None) => goal.push(plain(raw)),
            (None, Some(_)) => {
                let why = "follows the list; the purpose of the epic comes before it";
                return Err(Misfit::new(at + 1, raw.trim(), why, EXAMPLE).fault("epic"));
            }
        }
    }
    let goal = line(&goal.join(" "));
    let goal = crate::text::after(&goal, &["Goal: "]).unwrap_or(&goal);
    epic.goal = Some(goal.to_owned()).filter(|goal| !goal.is_empty());
    Ok((epic, stories))
}

/// Reads `Pay by card (5) after 1, US-0006`.
fn story(text: &str, number: usize) -> Result<Story> {
    let (title, Facts { size, after }) = facts::read(text);
    let words: Vec<String> = title.split([' ', ',']).map(str::to_lowercase).collect();
    let is_link = |pair: &[String]| {
        let is_reference = is_id(&pair[1].to_uppercase()) || is_number(&pair[1]);
        matches!(pair[0].as_str(), "after" | "needs" | "on" | "by") && is_reference
    };
    let bracketed = title.split('(').skip(1).filter_map(|part| part.split_once(')'));
    let is_size =
        |(inside, behind): (&str, &str)| behind.is_empty() || Effort::parse(inside).is_some();
    let why = if title.is_empty() {
        "has no title"
    } else if title.split_once(": ").is_some_and(|(id, _)| is_id(id)) {
        "begins with an id: the plan gives each story the next free one"
    } else if words.windows(2).any(is_link) || bracketed.into_iter().any(is_size) {
        "is understood in part only: the size, and what it comes after, stand at its end"
    } else {
        return Ok(Story { effort: size, needs: after, ..draft(&title) });
    };
    Err(Misfit::new(number, text, why, EXAMPLE).fault("epic"))
}

fn draft(name: &str) -> Story {
    Story { title: title(name), status: "draft".to_owned(), ..Story::default() }
}

/// A story of a new epic.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Fields {
    /// What is to be done.
    title: values::Line,
    /// Its size: 3, 3 points, 4h or 2d.
    #[serde(alias = "points", alias = "estimate")]
    #[schemars(extend("x-labels" = ["points", "estimate"]))]
    size: Option<TextOrNumber>,
    /// The stories that it comes after: their numbers in the list, from 1, or ids.
    #[serde(default, alias = "depends_on", alias = "dependencies", alias = "dependsOn")]
    #[schemars(extend("x-labels" = ["depends_on", "dependencies", "dependsOn"]))]
    after: Vec<TextOrNumber>,
    /// Its acceptance criteria.
    #[serde(default, alias = "acceptance_criteria", alias = "acceptanceCriteria")]
    #[schemars(extend("x-labels" = ["acceptance_criteria", "acceptanceCriteria"]))]
    criteria: Vec<values::Line>,
}

/// Reads an epic from fields: its title, and its stories as objects.
fn from_fields(input: &Input) -> Result<(Epic, Vec<Story>)> {
    if input.epic.lines().count() > 1 {
        return Err(bad_text("epic", &input.epic, "a title, since the stories are a field"));
    }
    let goal = input.goal.as_deref().map(line);
    let epic = Epic { title: title(&input.epic), goal, ..Epic::default() };
    let mut stories = Vec::new();
    for (at, given) in input.stories.iter().enumerate() {
        stories.push(match given {
            TextOr::Text(text) => story(text, at + 1)?,
            TextOr::Value(fields) => {
                let size = fields.size.as_ref().map(|size| {
                    let field = format!("stories[{at}].size");
                    let allowed = "3, 3 points, 4h or 2d";
                    Effort::parse(&size.0).ok_or_else(|| bad_text(&field, &size.0, allowed))
                });
                Story {
                    effort: size.transpose()?,
                    needs: fields.after.iter().map(|after| after.0.clone()).collect(),
                    criteria: fields.criteria.iter().map(ToString::to_string).collect(),
                    ..draft(&fields.title)
                }
            }
        });
    }
    Ok((epic, stories))
}

/// Adds a new epic and its stories to the project's with the next free ids, and with ids in place of the numbers that
/// they depend on. Returns the id of the epic.
fn add(
    mut epic: Epic,
    mut stories: Vec<Story>,
    snapshot: &mut Snapshot,
    context: &Context,
) -> Result<String> {
    let elsewhere = ["epics", "stories"].map(|kind| context.state.ids_elsewhere(kind));
    let [other_epics, others] = elsewhere.each_ref().map(|ids| ids.iter().map(String::as_str));
    let epics = snapshot.epics.iter().map(|epic| epic.id.as_str());
    epic.id = format!("EP-{:04}", next_number("EP-", epics.chain(other_epics))?);
    let known = || snapshot.stories.iter().map(|story| story.id.as_str());
    let first = next_number("US-", known().chain(others))?;
    let ids = (first..).take(stories.len()).map(|number| format!("US-{number:04}"));
    let ids: Vec<String> = ids.collect();
    for (story, id) in stories.iter_mut().zip(&ids) {
        let mut needs: IndexSet<String> = IndexSet::new();
        for word in &story.needs {
            let need = match word.parse::<usize>() {
                Ok(number) => number.checked_sub(1).and_then(|at| ids.get(at)).map(String::as_str),
                Err(_) => one_of(known(), word),
            };
            let count = ids.len();
            let allowed =
                format!("a number of the list from 1 to {count}, or a story of the project");
            needs.insert(need.ok_or_else(|| bad_text("after", word, &allowed))?.to_owned());
        }
        story.id.clone_from(id);
        story.needs = needs.into_iter().collect();
        story.epic = Some(epic.id.clone());
    }
    let all = stories.iter().chain(&snapshot.stories);
    let graph = Graph::new(all.map(|story| (story.id.as_str(), story.needs.as_slice())));
    if let Some(ids) = graph.cycle_below(stories.len()) {
        return Err(bad_text("epic", &ids, "stories that do not need each other in a cycle"));
    }
    snapshot.stories.append(&mut stories);
    let id = epic.id.clone();
    snapshot.epics.push(epic);
    Ok(id)
}

const WAVE: &str = "story=id, title, size, after, status, owner";

struct Plan<'a> {
    epic: &'a Epic,
    board: &'a Board<'a>,
    /// The open stories of the epic that are not on hold, and the dependencies among them.
    work: Open<'a>,
    /// The stories that can be worked on in parallel, as indexes of `work`: each depends only on earlier waves.
    waves: Vec<Vec<usize>>,
    done: Vec<&'a Story>,
    /// Stories on hold, abandoned, or archived without a time of completion.
    put_off: Vec<&'a Story>,
    /// Whether it is a new one, whose stories are not records.
    is_new: bool,
}

impl<'a> Plan<'a> {
    fn of(board: &'a Board<'a>, epic: &'a Epic, is_new: bool) -> Self {
        let work = Open::of(board.snapshot, |story| board.scope.has_story(story));
        Self {
            epic,
            board,
            waves: waves(&work),
            work,
            done: board.stories(Story::is_done),
            put_off: board.stories(|story| !story.is_work() && !story.is_done()),
            is_new,
        }
    }

    /// What the next skill reads, besides the rows of sections.
    fn data(&self) -> Value {
        let row = |at: &usize| self.row(self.work.stories[*at]);
        let waves = self.waves.iter().take(LISTED).map(|wave| say::limit_rows(wave, row));
        json!({
            "id": self.epic.id,
            "sum_open": sum(&self.work.stories),
            "sum_done": sum(&self.done),
            "waves": waves.collect::<Vec<_>>(),
        })
    }

    fn goal(&self) -> Option<String> {
        self.epic.goal.as_deref().map(line).filter(|goal| !goal.is_empty())
    }

    fn row(&self, story: &Story) -> Value {
        let mut row = rows::story(story);
        row["after"] = say::ids(self.board.open.unmet(story)).into();
        row
    }

    fn sections(&self) -> Vec<Section> {
        let stories = &self.work.stories;
        let goal: Vec<Value> = self.goal().iter().map(|goal| rows::quote(goal, "")).collect();
        let mut sections = vec![rows::list("goal", "Goal", &goal)];
        for (at, wave) in self.waves.iter().take(LISTED).enumerate() {
            let heading = format!("Wave {}", at + 1);
            sections.push(Section::table("", heading, WAVE, wave, |at| self.row(stories[*at])));
        }
        let stuck: Vec<usize> = (0..stories.len()).filter(|at| self.work.is_stuck(*at)).collect();
        let criteria: Vec<(&str, &String)> = stories
            .iter()
            .filter(|_| self.is_new)
            .flat_map(|story| story.criteria.iter().map(|criterion| (story.id.as_str(), criterion)))
            .collect();
        let closed = "story=id, title, size, status";
        sections.extend([
            Section::table("stuck", "In no wave", WAVE, &stuck, |at| self.row(stories[*at])),
            rows::cycles(&self.work.graph.cycles()),
            Section::list("criteria", "Acceptance criteria", &criteria, |(id, criterion)| {
                json!({"id": id, "criterion": criterion, "said": format!("{id}: {criterion}")})
            }),
            rows::stories("put_off", PUT_OFF, closed, &self.put_off),
            rows::stories("done", "Done", closed, &self.done),
        ]);
        sections
    }

    /// The summary: what is open, what is done, and what blocks it.
    fn summary(&self) -> Vec<String> {
        let (status, owner) = (line(&self.epic.status), self.epic.owner.as_deref().map(line));
        let owner = owner.map(|owner| format!(", owner {owner}")).unwrap_or_default();
        let mut lines = Vec::new();
        if status != "none" || !owner.is_empty() {
            lines.push(format!("Status: {status}{owner}."));
        }
        let in_waves = match self.waves.len() {
            0 => "none of them in a wave".to_owned(),
            count => format!("in {}", counted(count, "wave", "waves")),
        };
        lines.push(match self.work.stories.len() {
            0 => "To do: nothing.".to_owned(),
            _ => format!("To do: {}, {in_waves}.", sum(&self.work.stories)),
        });
        if !self.done.is_empty() {
            lines.push(format!("Done: {}.", sum(&self.done)));
        }
        if !self.is_new {
            lines.extend([self.board.blocked_line(), self.board.waiting_line()]);
        }
        lines
    }

    /// What the records or the text lack, worded as what to add.
    fn questions(&self) -> Vec<String> {
        let (criteria, goal) = if self.is_new {
            ("them as a list below their stories", "it below the title")
        } else {
            ("acceptance_criteria to the records", "goal to the record")
        };
        let mut open: Vec<String> = say::missing_sizes(&self.work.stories).into_iter().collect();
        let bare = self.work.stories.iter().filter(|story| story.criteria.is_empty());
        let bare = say::ids(bare.map(|story| story.id.as_str()));
        if !bare.is_empty() {
            open.push(format!("criteria: not given for {bare} (add {criteria})"));
        }
        if self.goal().is_none() {
            open.push(format!("goal: not given (add {goal})"));
        }
        open
    }
}

/// The waves of stories that can be worked on in parallel.
fn waves(work: &Open<'_>) -> Vec<Vec<usize>> {
    let mut waves: Vec<Vec<usize>> = Vec::new();
    let mut order = work.graph.order();
    let mut wave_of = vec![0; work.stories.len()];
    for at in &order {
        let after = work.graph.needs(*at).iter().map(|need| wave_of[*need] + 1).max().unwrap_or(0);
        wave_of[*at] = after;
        if waves.len() <= after {
            waves.push(Vec::new());
        }
    }
    order.sort_unstable();
    for at in order {
        waves[wave_of[at]].push(at);
    }
    waves
}

/// The number of stories, and the sums of their sizes, one for each unit; of a range the larger figure.
fn sum(stories: &[&Story]) -> String {
    let mut parts = vec![counted(stories.len(), "story", "stories")];
    for unit in [Unit::Points, Unit::Time] {
        let sizes = stories.iter().filter_map(|story| story.effort);
        let sizes = sizes.filter(|size| size.unit == unit).map(|size| u64::from(size.most));
        let sum = sizes.sum();
        if sum > 0 {
            parts.push(unit.show(sum));
        }
    }
    let without = stories.iter().filter(|story| story.effort.is_none()).count();
    if without > 0 {
        parts.push(format!("{without} without a size"));
    }
    parts.join(", ")
}

/// Checks the form, and of an epic of the project all ids and figures.
fn verify(text: &str, context: &Context) -> Vec<Finding> {
    let snapshot = Snapshot::read(&context.state).unwrap_or_default();
    let Some(id) = named(text).filter(|id| snapshot.epic(id).is_some()) else {
        return page::check(text, &FORM, |_, _| {});
    };
    let form = Form { questions: Questions::OfRecords, ..FORM };
    report::verify_again(text, context, &form, &[("epic", &id)], generate)
}
