//! Verifies a register of debt, for `flow skill verify tech-debt-register`.

use std::collections::HashMap;

use super::item::FIGURES;
use crate::generator::report::unknown_ids;
use crate::generator::skill::Finding;
use crate::input::notation::outside_fences;
use crate::project_state::Context;
use crate::text::table::{cells, is_row, is_rule};
use crate::text::{heading, plain};

/// Tolerance of a score, which is written with two decimals.
const ROUNDED: f64 = 0.006;

/// Checks figures, scores and their order, that no debt stands twice, that nothing is left open, and in a project that it
/// has the ids.
pub(super) fn verify(text: &str, context: &Context) -> Vec<Finding> {
    let title = Finding::untitled(text, "# Technical debt");
    let mut found: Vec<Finding> = Finding::left_open(text).into_iter().chain(title).collect();
    let mut columns: Vec<String> = Vec::new();
    let mut last: Option<f64> = None;
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        if heading(line).is_some() {
            columns.clear();
        }
        let raw = cells(line);
        if !is_row(line.trim()) || is_rule(&raw) {
            continue;
        }
        let cells: Vec<String> = raw.iter().map(|cell| plain(cell)).collect();
        if columns.is_empty() {
            columns = cells.iter().map(|cell| cell.to_lowercase()).collect();
            last = None;
            continue;
        }
        let cell = |name: &str| {
            let at = columns.iter().position(|column| column == name)?;
            cells.get(at).map(String::as_str)
        };
        if let Some(before) = cell("what").and_then(|what| seen.insert(what.to_owned(), number)) {
            add(&mut found, number, format!("this debt is already on line {before}"));
        }
        if let Some(missing) = cell("missing") {
            add(&mut found, number, format!("{missing} of this debt is missing"));
        }
        let Some(score) = cell("score").map(|score| score.parse::<f64>().ok()) else { continue };
        row(&cell, score, number, &mut found);
        if let (Some(score), Some(before)) = (score, last)
            && score > before
        {
            add(&mut found, number, "the highest score comes first");
        }
        last = score;
    }
    if context.state.is_there() {
        found.extend(unknown_ids(&outside_fences(text).collect::<Vec<_>>(), context));
    }
    found.sort_by_key(|finding| finding.line);
    found
}

/// Checks the figures of a row, and the score that follows from them.
fn row<'a>(
    cell: &impl Fn(&str) -> Option<&'a str>,
    score: Option<f64>,
    number: usize,
    found: &mut Vec<Finding>,
) {
    let mut figures = [0_u8; 3];
    for (figure, name) in figures.iter_mut().zip(FIGURES) {
        let text = cell(name).unwrap_or_default();
        let Some(own) = text.parse().ok().filter(|figure| (1..=5).contains(figure)) else {
            let what = format!("{name} is {text:?}, but must be a whole number from 1 to 5");
            return add(found, number, what);
        };
        *figure = own;
    }
    let [impact, urgency, effort] = figures;
    let wanted = f64::from(impact * urgency) / f64::from(effort);
    if score.is_none_or(|score| (score - wanted).abs() > ROUNDED) {
        let what = format!("the score must be {wanted:.2}: {impact} x {urgency} / {effort}");
        add(found, number, what);
    }
}

fn add(found: &mut Vec<Finding>, line: usize, what: impl Into<String>) {
    found.push(Finding::new(line, what));
}
