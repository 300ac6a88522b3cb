//! Draws all projects on one screen: what needs you in any of them, the agents, and how far each project is.

use super::all::{Answer, Served, State};
use super::data::{Agent, Item};
use super::screen::{self, Frame, Head, Line, Lines, Scope};
use crate::cli::counts::Counts;
use crate::cli::terminal::{Size, cut, fit};
use crate::cli::text::escape;
use crate::routes::ATTENTION_KINDS;

/// Largest width of a project's name.
const MOST_NAME: usize = 14;
/// Width from which a project's row has the address of its page, and the width of that.
const WITH_PAGE: usize = 76;
const PAGE: usize = 23;

/// A row of some project.
struct Row<'a, T> {
    name: String,
    row: &'a T,
}

/// The screen.
pub(super) fn draw(projects: &[Served], frame: Frame<'_>) -> Vec<Line> {
    let answers: Vec<&Answer> = projects.iter().filter_map(Served::answer).collect();
    let mut out = Lines::default();
    let counts = Counts::total(answers.iter().map(|answer| &answer.moment.counts));
    let text = format!("flow / all projects  {} served", answers.len());
    let head = Head { plain: text.clone(), styled: text };
    screen::head_line(&mut out, &head, [&counts.line(), ""], frame.size.width);
    if projects.is_empty() {
        let hint = "No project is served. To serve one: flow api start in its folder";
        screen::line(&mut out, "", frame.size.width);
        screen::line(&mut out, hint, frame.size.width);
        return out.0;
    }
    let items = items(projects);
    let agents = agents(projects);
    let needs = answers.iter().map(|answer| answer.moment.attention.counts.total).sum();
    let agents_total = answers.iter().map(|answer| answer.moment.agents.total).sum();
    let wanted = [items.len(), agents.len(), projects.len()];
    let rows = screen::shares(wanted, frame.size, 0);
    let is_whole = projects.len() == answers.len()
        && answers.iter().all(|answer| {
            answer.moment.counts.suspicious == 0 && answer.moment.health.status == "ok"
        });
    let of = if is_whole { Scope::All } else { Scope::WhatWasRead };
    let names = screen::column(projects.iter().map(|project| project.name.as_str()), MOST_NAME);
    let inner = narrowed(frame, names);
    screen::title(&mut out, "Needs you", needs, of);
    let ids = screen::column(items.iter().map(|item| item.row.id()), screen::MOST_ID);
    for item in screen::of_each(&items, |item| &item.row.kind, rows[0]) {
        prefixed(&mut out, &item.name, names, |out| screen::item_row(out, item.row, ids, inner));
    }
    screen::more(&mut out, needs, rows[0], "flow watch --project DIR");
    screen::title(&mut out, "Agents", agents_total, of);
    let ids = screen::column(agents.iter().map(|agent| agent.row.id.as_str()), screen::MOST_AGENT);
    for agent in agents.iter().take(rows[1]) {
        prefixed(&mut out, &agent.name, names, |out| screen::agent_row(out, agent.row, ids, inner));
    }
    screen::more(&mut out, agents_total, rows[1], "flow watch --project DIR");
    screen::title(&mut out, "Projects", projects.len(), Scope::All);
    for project in by_urgency(projects).into_iter().take(rows[2]) {
        project_row(&mut out, project, names, frame.size.width);
    }
    screen::more(&mut out, projects.len(), rows[2], "flow api list");
    out.0
}

impl Served {
    fn label(&self) -> String {
        escape(&self.name)
    }

    /// The most urgent first: what needs you, who works, and what does not answer last.
    fn urgency(&self) -> (bool, u64, u64) {
        let counts = self.answer().map(|answer| &answer.moment.counts);
        let count = |count: u64| u64::MAX - count;
        (
            counts.is_none(),
            count(counts.map_or(0, |counts| counts.need_you)),
            count(counts.map_or(0, |counts| counts.running)),
        )
    }
}

fn by_urgency(projects: &[Served]) -> Vec<&Served> {
    let mut projects: Vec<&Served> = projects.iter().collect();
    projects.sort_by_key(|project| project.urgency());
    projects
}

/// The items of all projects, in the order of their kinds, the newest of each first.
fn items(projects: &[Served]) -> Vec<Row<'_, Item>> {
    let rows = projects.iter().filter_map(|project| Some((project, project.answer()?)));
    let mut items: Vec<Row<'_, Item>> = rows
        .flat_map(|(project, answer)| {
            answer.moment.attention.items.iter().map(|row| Row { name: project.label(), row })
        })
        .collect();
    let kind =
        |item: &Row<'_, Item>| ATTENTION_KINDS.iter().position(|kind| *kind == item.row.kind);
    items.sort_by(|one, other| {
        kind(one).cmp(&kind(other)).then_with(|| other.row.since.cmp(&one.row.since))
    });
    items
}

/// The agents of all projects: those who need you, those who work, the others.
fn agents(projects: &[Served]) -> Vec<Row<'_, Agent>> {
    let rows = by_urgency(projects).into_iter();
    let rows = rows.filter_map(|project| Some((project, project.answer()?)));
    let mut agents: Vec<Row<'_, Agent>> = rows
        .flat_map(|(project, answer)| {
            answer.moment.agents.agents.iter().map(|row| Row { name: project.label(), row })
        })
        .collect();
    agents.sort_by_key(|agent| match agent.row.state.as_str() {
        "failed" | "blocked" | "asked" => 0,
        "running" => 1,
        "idle" | "no work" => 3,
        _ => 2,
    });
    agents
}

/// The frame of rows behind a project's name.
fn narrowed(frame: Frame<'_>, names: usize) -> Frame<'_> {
    let width = frame.size.width.saturating_sub(names + 1);
    Frame { size: Size { width, ..frame.size }, ..frame }
}

fn prefixed(out: &mut Lines, name: &str, names: usize, draw: impl FnOnce(&mut Lines)) {
    draw(out);
    out.prefix(&format!(" {}", fit(name, names)));
}

fn project_row(out: &mut Lines, project: &Served, names: usize, width: usize) {
    let text = match &project.state {
        State::Answers(answer) => {
            let health = &answer.moment.health.status;
            let health = Some(escape(health)).filter(|health| health != "ok");
            let progress = answer.moment.counts.progress();
            let texts = [Some(escape(&answer.moment.counts.line())), progress, health];
            texts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        }
        State::Silent => "not responding".to_owned(),
        State::Gone => "gone: its server is no longer running".to_owned(),
    };
    let name = fit(&project.label(), names);
    let left = width.saturating_sub(names + 2);
    let page = project.answer().map(|answer| answer.page.as_str()).filter(|_| width >= WITH_PAGE);
    let row = match page {
        Some(page) => format!(" {name} {} {page}", fit(&text, left.saturating_sub(PAGE + 1))),
        None => format!(" {name} {}", cut(&text, left)),
    };
    out.push(row.trim_end().to_owned());
}
