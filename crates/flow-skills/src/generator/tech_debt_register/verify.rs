//! Verifies a register of debt, for `flow skill verify tech-debt-register`.

use super::item::FIGURES;
use crate::generator::report::unknown_ids;
use crate::page::{self, Finding, Form, Part};
use crate::project_state::Context;

/// Tolerance of a score, which is written with two decimals.
const ROUNDED: f64 = 0.006;

/// Checks figures, scores and their order, that no debt stands twice, that nothing is left open, and in a project that it
/// has the ids.
pub(super) fn verify(text: &str, context: &Context) -> Vec<Finding> {
    page::check(text, &Form::new("# Technical debt", &[]), |document, findings| {
        let mut debts: Vec<(usize, String)> = Vec::new();
        for part in &document.parts {
            table(part, &mut debts, findings);
        }
        let what = |_: &String, first| format!("this debt is already on line {first}");
        findings.extend(Finding::repeated(debts.into_iter(), what));
        if context.state.is_there() {
            findings.extend(unknown_ids(document, context));
        }
    })
}

/// Checks a table of debts, and adds what it lists.
fn table(part: &Part<'_>, debts: &mut Vec<(usize, String)>, findings: &mut Vec<Finding>) {
    let mut rows = part.rows();
    let Some((_, header)) = rows.next() else { return };
    let mut last: Option<f64> = None;
    for (number, cells) in rows {
        let cell = |name: &str| {
            let at = header.iter().position(|column| column.eq_ignore_ascii_case(name))?;
            cells.get(at).map(String::as_str)
        };
        debts.extend(cell("what").map(|what| (number, what.to_owned())));
        if let Some(missing) = cell("missing") {
            add(findings, number, format!("{missing} of this debt is missing"));
        }
        let Some(score) = cell("score").map(|score| score.parse::<f64>().ok()) else { continue };
        row(&cell, score, number, findings);
        if score.zip(last).is_some_and(|(score, before)| score > before) {
            add(findings, number, "the highest score comes first");
        }
        last = score;
    }
}

/// Checks the figures of a row, and the score that follows from them.
fn row<'a>(
    cell: &impl Fn(&str) -> Option<&'a str>,
    score: Option<f64>,
    number: usize,
    findings: &mut Vec<Finding>,
) {
    let mut figures = [0_u8; 3];
    for (figure, name) in figures.iter_mut().zip(FIGURES) {
        let text = cell(name).unwrap_or_default();
        let Some(value) = text.parse().ok().filter(|figure| (1..=5).contains(figure)) else {
            let what = format!("{name} is {text:?}, but must be a whole number from 1 to 5");
            return add(findings, number, what);
        };
        *figure = value;
    }
    let [impact, urgency, effort] = figures;
    let wanted = f64::from(impact * urgency) / f64::from(effort);
    if score.is_none_or(|score| (score - wanted).abs() > ROUNDED) {
        let what = format!("the score must be {wanted:.2}: {impact} x {urgency} / {effort}");
        add(findings, number, what);
    }
}

fn add(findings: &mut Vec<Finding>, line: usize, what: impl Into<String>) {
    findings.push(Finding::new(line, what));
}
