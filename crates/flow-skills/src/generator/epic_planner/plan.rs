//! The page of an epic's plan: its waves, sums, and questions.

use serde_json::{Value, json};

use crate::generator::report::{Board, Open, Section, rows};
use crate::input::effort::Unit;
use crate::project_state::say::{self, LISTED, counted, name};
use crate::project_state::{Epic, Story};
use crate::text::line;

/// Largest number of ids in a line of the summary.
const NAMED: usize = 5;
/// The columns of a wave.
const WAVE: &str = "story=id, title, size, after, status, owner";

/// The plan of an epic.
pub(super) struct Plan<'a> {
    epic: &'a Epic,
    board: &'a Board<'a>,
    /// The open stories of the epic that are not on hold, and the dependencies among them.
    work: Open<'a>,
    /// The stories that can be worked on in parallel, as indexes of `work`: each depends only on earlier waves.
    waves: Vec<Vec<usize>>,
    done: Vec<&'a Story>,
    /// Stories on hold, abandoned, or archived without a time of completion.
    put_off: Vec<&'a Story>,
    outside: Vec<Value>,
    /// Whether it is a new one, whose stories are not records.
    is_new: bool,
}

impl<'a> Plan<'a> {
    pub(super) fn of(board: &'a Board<'a>, epic: &'a Epic, is_new: bool) -> Self {
        let work = Open::of(board.snapshot, |story| board.scope.has_story(story));
        let mut plan = Self {
            epic,
            board,
            waves: waves(&work),
            work,
            done: board.stories(Story::is_done),
            put_off: board.stories(|story| !story.is_work() && !story.is_done()),
            outside: Vec::new(),
            is_new,
        };
        plan.outside = plan.work.stories.iter().flat_map(|story| plan.outside_of(story)).collect();
        plan
    }

    /// What a story needs that is not completed and not open work of the epic.
    fn outside_of(&self, story: &Story) -> Vec<Value> {
        let row = |needs: &str, what: &str| {
            let said = format!("{} needs {}: {what}", line(&story.id), line(needs));
            json!({"id": story.id, "needs": needs, "what": what, "said": said})
        };
        let mut rows = Vec::new();
        for id in &story.needs {
            let Some(need) = self.board.open.known(id) else {
                rows.push(row(id, "not in the project"));
                continue;
            };
            if !need.is_completed() && self.work.graph.place(id).is_none() {
                let epic = need.epic.as_deref().map_or_else(|| "no epic".to_owned(), line);
                rows.push(row(id, &format!("{} ({}, {epic})", name(need), line(&need.status))));
            }
        }
        rows.extend(story.reasons.iter().map(|words| row(words, "not a story")));
        rows
    }

    /// What the next skill reads, besides the rows of sections.
    pub(super) fn data(&self) -> Value {
        let waves = self.shown().into_iter().enumerate().map(|(at, wave)| {
            let rows: Vec<Value> = wave.iter().map(|at| self.row(self.work.stories[*at])).collect();
            json!({"wave": at + 1, "rows": rows})
        });
        json!({
            "id": self.epic.id,
            "title": self.epic.title,
            "status": self.epic.status,
            "owner": self.epic.owner,
            "goal": self.goal(),
            "stories": self.work.stories.len() + self.done.len() + self.put_off.len(),
            "sum_open": sum(&self.work.stories),
            "sum_done": sum(&self.done),
            "waves": waves.collect::<Vec<_>>(),
        })
    }

    fn goal(&self) -> Option<String> {
        self.epic.goal.as_deref().map(line).filter(|goal| !goal.is_empty())
    }

    fn row(&self, story: &Story) -> Value {
        let needs: Vec<&str> = self.board.open.unmet(story).collect();
        let mut row = rows::story(story);
        row["after"] = say::ids(needs.iter().copied()).into();
        row["needs"] = needs.iter().take(LISTED).copied().collect();
        row
    }

    /// The waves up to the limit of rows.
    fn shown(&self) -> Vec<&[usize]> {
        let mut left = LISTED;
        let mut shown = Vec::new();
        for wave in &self.waves {
            let wave = &wave[..wave.len().min(left)];
            left -= wave.len();
            if !wave.is_empty() {
                shown.push(wave);
            }
        }
        shown
    }

    pub(super) fn sections(&self) -> Vec<Section> {
        let stories = &self.work.stories;
        let goal = Section::list("", "Goal", &[], Value::clone).with_intro(self.goal());
        let mut sections = vec![goal];
        let shown = self.shown();
        let count = |waves: &mut dyn Iterator<Item = usize>| waves.sum::<usize>();
        let rest = count(&mut self.waves.iter().map(Vec::len))
            - count(&mut shown.iter().map(|wave| wave.len()));
        for (at, wave) in shown.iter().enumerate() {
            let heading = format!("Wave {}", at + 1);
            let section = Section::table("", heading, WAVE, wave, |at| self.row(stories[*at]));
            let is_last = at + 1 == shown.len();
            sections.push(if is_last { section.with_rest(rest) } else { section });
        }
        let stuck: Vec<usize> = (0..stories.len()).filter(|at| self.work.is_stuck(*at)).collect();
        let cycles = self.work.graph.cycles();
        let cycles = cycles.iter().take(NAMED).map(|one| format!("Cycle: {}.", say::arrows(one)));
        let cycles = cycles.collect::<Vec<_>>().join(" ");
        let criteria: Vec<(&str, &String)> = stories
            .iter()
            .filter(|_| self.is_new)
            .flat_map(|story| story.criteria.iter().map(|criterion| (story.id.as_str(), criterion)))
            .collect();
        let closed = "story=id, title, size, status";
        sections.extend([
            Section::table("stuck", "In no wave", WAVE, &stuck, |at| self.row(stories[*at]))
                .with_intro(Some(cycles).filter(|cycles| !cycles.is_empty())),
            rows::list("outside", "Needed from elsewhere", &self.outside),
            Section::list("criteria", "Acceptance criteria", &criteria, |(id, criterion)| {
                json!({"id": id, "criterion": criterion, "said": format!("{id}: {criterion}")})
            }),
            Section::table(
                "put_off",
                "On hold, abandoned or archived",
                closed,
                &self.put_off,
                |story| rows::story(story),
            ),
            Section::table("done", "Done", closed, &self.done, |story| rows::story(story)),
        ]);
        sections
    }

    /// The summary: what is open, what is done, what blocks it, and what can begin.
    pub(super) fn summary(&self) -> Vec<String> {
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
        let open = &self.board.open;
        let can_begin = |id: &&str| {
            open.graph.place(id).is_some_and(|at| {
                let is_workable = self.is_new || open.stories[at].is_workable();
                is_workable && open.graph.needs(at).is_empty() && !open.is_hindered(at)
            })
        };
        let first = self.waves.iter().take(1).flatten().map(|at| self.work.graph.id(*at));
        let first: Vec<&str> = first.filter(can_begin).collect();
        if !first.is_empty() {
            lines.push(format!("Can be worked on now: {}.", say::first_ids(first, NAMED)));
        }
        lines
    }

    /// What the records or the text lack, worded as what to add.
    pub(super) fn questions(&self) -> Vec<String> {
        let lacking = |is_lacking: fn(&Story) -> bool| -> Vec<&Story> {
            self.work.stories.iter().filter(|story| is_lacking(story)).copied().collect()
        };
        let bare = lacking(|story| story.effort.is_none());
        let mut open = Vec::new();
        let mut ask = |field: &str, of: &[&Story], add: &str| {
            if !of.is_empty() {
                let ids = say::ids(of.iter().map(|story| story.id.as_str()));
                open.push(format!("{field}: not given for {ids} (add {add})"));
            }
        };
        let criteria = lacking(|story| story.criteria.is_empty());
        if self.is_new {
            ask("size", &bare, "the size in brackets: (3)");
            ask("criteria", &criteria, "them as a list below their stories");
        } else {
            ask("criteria", &criteria, "acceptance_criteria to the records");
            open.splice(0..0, say::missing_sizes(&bare));
        }
        open.extend(self.work.questions());
        if self.goal().is_none() {
            let place = if self.is_new { "it below the title" } else { "goal to the record" };
            open.push(format!("goal: not given (add {place})"));
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
