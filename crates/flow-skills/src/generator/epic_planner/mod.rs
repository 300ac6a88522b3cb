//! `epic-planner`: plans the stories of an epic in waves that can be worked on in parallel. The epic is the project's,
//! or a new one from a text or from fields.

mod input;

use serde_json::{Value, json};

use super::report;
use super::report::{Board, Listing, Log, Open, Report, Scope, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::output::{Output, Result};
use crate::page;
use crate::page::{Finding, Form, Questions, Section};
use crate::project_state::names::{Name, Named};
use crate::project_state::say::{LISTED, counted};
use crate::project_state::span::Span;
use crate::project_state::{Context, Epic, Snapshot, Story, say};
use crate::story::effort::Unit;
use crate::text::{line, slug, title};
use input::{Asked, Input, stated_id};

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

const SECTIONS: &[Section] = &[Section::named("Wave 1", &["In no wave", "Done", PUT_OFF])];
const PUT_OFF: &str = "On hold, abandoned or archived";
const FORM: Form = Form::new("# EP-0001: Title", SECTIONS);

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let (text, ..) = input.parts();
    let is_id = stated_id(text).as_deref() == Some(text);
    let has_records = context.state.is_there() || is_id;
    let mut project =
        if has_records { Snapshot::read(&context.state)? } else { Snapshot::default() };
    let mut notes = Vec::new();
    let (id, log, is_new) = match input::asked(input, &project)? {
        Asked::Recorded(id) => (id, Log::talk(context)?, false),
        Asked::New(epic, stories) => {
            let id = input::add(epic, stories, &mut project, context, &mut notes)?;
            // A new epic has no dates.
            project.gaps.no_messages = None;
            (id, Log::default(), true)
        }
    };
    let epic = project.named_epic("epic", &id)?;
    let name = Name { kind: Named::Epic, id: id.clone() };
    let scope = Scope::of(vec![name], &project, Span::read(None, None, &context.now)?);
    let board = Board::new(&project, &scope, &log);
    let plan = Plan::of(&board, epic, is_new);
    let is_cut = plan.waves.len() > LISTED;
    let left_out = is_cut.then(|| format!("Only the first {LISTED} waves are listed."));
    let is_named = !epic.title.eq_ignore_ascii_case(&id);
    let name = title(&epic.title);
    let file = format!("{}-{}.md", slug(&id, "epic"), slug(&name, "epic"));
    let title = if is_named { format!("{id}: {name}") } else { id };
    let report = Report {
        summary: plan.summary(),
        remarks: left_out.into_iter().collect(),
        sections: plan.sections(),
        open: plan.questions(),
        ..Report::of(NAME, file, title, &project)
    };
    let mut output = report.output(plan.data())?;
    if is_new && project.time.is_none() {
        notes.push("no project found; other ids were not examined".to_owned());
    }
    output.notes = notes;
    Ok(output)
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
        let open = &self.board.open;
        let after = open.unmet(story).map(|id| match open.known(id) {
            Some(other) if !self.board.scope.has_story(other) => {
                let epic = other.epic.as_deref().unwrap_or("no epic");
                format!("{id} ({epic})")
            }
            _ => id.to_owned(),
        });
        rows::with(rows::story(story), "after", say::joined(after, LISTED, ", "))
    }

    fn sections(&self) -> Vec<Listing> {
        let stories = &self.work.stories;
        let goal: Vec<Value> = self.goal().iter().map(|goal| rows::cited(goal, "")).collect();
        let mut sections = vec![rows::list("goal", "Goal", &goal)];
        for (at, wave) in self.waves.iter().take(LISTED).enumerate() {
            let heading = format!("Wave {}", at + 1);
            sections.push(Listing::table("", heading, WAVE, wave, |at| self.row(stories[*at])));
        }
        let stuck: Vec<usize> = (0..stories.len()).filter(|at| self.work.is_stuck(*at)).collect();
        let criteria: Vec<(&str, &String)> = stories
            .iter()
            .filter(|_| self.is_new)
            .flat_map(|story| story.criteria.iter().map(|criterion| (story.id.as_str(), criterion)))
            .collect();
        let closed = "story=id, title, size, status";
        sections.extend([
            Listing::table("stuck", "In no wave", WAVE, &stuck, |at| self.row(stories[*at])),
            rows::cycles(&self.work.graph.cycles()),
            Listing::list("criteria", "Acceptance criteria", &criteria, |(id, criterion)| {
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
        lines.extend(self.longest_chain());
        if !self.done.is_empty() {
            lines.push(format!("Done: {}.", sum(&self.done)));
        }
        if !self.is_new {
            lines.extend([self.board.blocked_line(), self.board.waiting_line()]);
        }
        lines
    }

    /// The chain of dependencies with the most work; of the same unit only, since units are not converted.
    fn longest_chain(&self) -> Option<String> {
        let stories = &self.work.stories;
        let units = || stories.iter().filter_map(|story| Some(story.effort?.unit));
        let is_one_unit = units().all(|unit| Some(unit) == units().next());
        let weight = |at: usize| match stories[at].effort {
            Some(size) if is_one_unit => u64::from(size.most),
            _ => u64::from(!is_one_unit),
        };
        let chain: Vec<&Story> =
            self.work.graph.longest(weight).into_iter().map(|at| stories[at]).collect();
        let ids = say::joined(chain.iter().map(|story| &story.id), LISTED, " -> ");
        (chain.len() > 1).then(|| format!("Longest chain: {ids} ({}).", sum(&chain)))
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
    let Some(id) = stated_id(text).filter(|id| snapshot.epic(id).is_some()) else {
        return page::check(text, &FORM, |_, _| {});
    };
    let form = Form { questions: Questions::OfRecords, ..FORM };
    report::verify_again(text, context, &form, &[("epic", &id)], generate)
}
