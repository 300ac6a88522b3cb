//! Verifies a deployment guide, for `flow skill verify deployment-guide-generator`.

use crate::generator::skill::Finding;
use crate::input::notation::headings;
use crate::text::is_blank;

/// Checks that each step has a command, a check and a rollback, in reverse order, and that no blank is left.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let mut found: Vec<Finding> = Finding::untitled(text, "# Deploy …").into_iter().collect();
    let steps = numbered(text, "Step ");
    let back = numbered(text, "Roll back step ");
    if steps.is_empty() {
        found.push(Finding::new(1, "there are no steps: add `### Step 1: …` below `## Steps`"));
    }
    let end = format!("{}.", super::NOTHING_TO_ROLL_BACK);
    let unchanged: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("Step") && line.ends_with(&end))
        .flat_map(|line| line.split([' ', ',']))
        .collect();
    for (at, Part { line, number, blocks, is_own_check }) in steps.iter().enumerate() {
        let mut add = |what: String| found.push(Finding::new(*line, what));
        let wanted = (at + 1).to_string();
        if *number != wanted {
            add(format!("the number of this step must be {wanted}"));
        }
        if *blocks < if *is_own_check { 1 } else { 2 } {
            add("this step needs a command and a check, each as a block of bash".to_owned());
        }
        let has_rollback = back.iter().any(|own| own.number == wanted);
        if !has_rollback && !unchanged.contains(&wanted.as_str()) {
            add(format!(
                "this step has no rollback: add `### Roll back step {wanted}: …`, or `Step {wanted} has {end}`"
            ));
        }
    }
    let number = |part: &Part<'_>| part.number.parse::<usize>().unwrap_or_default();
    let is_late = |pair: &&[Part<'_>]| number(&pair[1]) >= number(&pair[0]);
    found.extend(back.windows(2).filter(is_late).map(|pair| {
        Finding::new(pair[1].line, "rollbacks must stand in reverse order, the last step first")
    }));
    let blanks = text.lines().enumerate().filter(|(_, line)| is_blank(line));
    found.extend(
        blanks.map(|(at, line)| Finding::new(at + 1, format!("{line:?} is a blank: replace it"))),
    );
    found.extend(Finding::left_open(text));
    found.sort_by_key(|finding| finding.line);
    found
}

/// A section of level 3.
struct Part<'a> {
    line: usize,
    number: &'a str,
    /// Number of its blocks of commands.
    blocks: usize,
    /// Whether it says that its command needs no other check.
    is_own_check: bool,
}

/// The sections whose titles begin with `start` and a number.
fn numbered<'a>(text: &'a str, start: &str) -> Vec<Part<'a>> {
    let lines: Vec<&str> = text.lines().collect();
    let all: Vec<_> = headings(text).filter(|(_, level, _)| *level <= 3).collect();
    let ends = all.iter().skip(1).map(|(line, ..)| line - 1).chain([lines.len()]);
    let part = |((line, level, title), end): (&(usize, usize, &'a str), usize)| {
        let title = title.strip_prefix(start).filter(|_| *level == 3)?;
        let body = lines.get(*line..end)?;
        let is_block = |line: &&&str| line.starts_with("```") && line.ends_with("bash");
        Some(Part {
            line: *line,
            number: title.split_once(':')?.0.trim(),
            blocks: body.iter().filter(is_block).count(),
            is_own_check: body.contains(&super::OWN_CHECK),
        })
    };
    all.iter().zip(ends).filter_map(part).collect()
}
