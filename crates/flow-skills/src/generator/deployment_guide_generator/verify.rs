//! Verifies a deployment guide, for `flow skill verify deployment-guide-generator`.

use std::collections::HashSet;

use indexmap::IndexSet;

use crate::generator::shell;
use crate::generator::skill::Finding;
use crate::generator::steps;
use crate::text::heading;

/// A block of shell: the line of its fence, and its text.
struct Block {
    line: usize,
    text: String,
}

/// A section of level 3, with its blocks.
#[derive(Default)]
struct Part {
    line: usize,
    title: String,
    blocks: Vec<Block>,
    /// Whether it says that its command needs no other check.
    is_own_check: bool,
}

/// Checks that each step has a command, a check and a rollback, in reverse order, that shells can parse them, and that
/// every variable that they read is listed.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let parts = parts(text);
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if heading(first).is_none_or(|(level, _)| level != 1) {
        add(&mut found, 1, "the title is missing: begin with `# Deploy …`");
    }
    pairs(&parts, &unchanged(text), &mut found);
    shells(text, &parts, &mut found);
    found.extend(Finding::left_open(text));
    found.sort_by_key(|finding| finding.line);
    found
}

fn add(found: &mut Vec<Finding>, line: usize, what: impl Into<String>) {
    found.push(Finding::new(line, what));
}

/// The parts whose titles begin with `start`, each with its number.
fn numbered<'a>(parts: &'a [Part], start: &str) -> Vec<(&'a Part, Option<usize>)> {
    let of = |part: &'a Part| {
        let (number, _) = part.title.strip_prefix(start)?.split_once(':')?;
        Some((part, number.trim().parse().ok()))
    };
    parts.iter().filter_map(of).collect()
}

/// The numbers of the steps of which the guide says that there is nothing to roll back.
fn unchanged(text: &str) -> HashSet<usize> {
    let end = format!("{}.", super::NOTHING_TO_ROLL_BACK);
    let lines = text.lines().filter(|line| line.starts_with("Step") && line.ends_with(&end));
    let words = lines.flat_map(|line| line.split([' ', ',']));
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Checks that each step has its command, check and rollback.
fn pairs(parts: &[Part], unchanged: &HashSet<usize>, found: &mut Vec<Finding>) {
    let (steps, back) = (numbered(parts, "Step "), numbered(parts, "Roll back step "));
    if steps.is_empty() {
        add(found, 1, "there are no steps: add `### Step 1: …` below `## Steps`");
    }
    for (at, (part, number)) in steps.iter().enumerate() {
        let wanted = at + 1;
        if *number != Some(wanted) {
            add(found, part.line, format!("the number of this step must be {wanted}"));
        }
        if part.blocks.len() < if part.is_own_check { 1 } else { 2 } {
            add(found, part.line, "this step needs a command and a check, each as a block of bash");
        }
        let has_rollback = back.iter().any(|(_, other)| *other == Some(wanted));
        if !has_rollback && !unchanged.contains(&wanted) {
            let what = format!(
                "this step has no rollback: add `### Roll back step {wanted}: …`, or `Step {wanted} has {}.`",
                super::NOTHING_TO_ROLL_BACK
            );
            add(found, part.line, what);
        }
    }
    for ((_, before), (part, number)) in back.iter().zip(back.iter().skip(1)) {
        if number >= before {
            add(found, part.line, "rollbacks must stand in reverse order, the last step first");
        }
    }
}

/// Finds blocks that a shell cannot parse, or that read a variable that is not listed.
fn shells(text: &str, parts: &[Part], found: &mut Vec<Finding>) {
    let listed: HashSet<&str> = text.lines().filter_map(variable).collect();
    for block in parts.iter().flat_map(|part| &part.blocks) {
        if !shell::is_complete(&block.text) {
            add(found, block.line, "a shell cannot read this block");
        }
        let names: IndexSet<&str> = steps::reads(&block.text).collect();
        let is_unknown =
            |name: &&&str| !listed.contains(**name) && !block.text.contains(&format!("{name}="));
        for name in names.iter().filter(is_unknown) {
            let what = format!("${name} is read here and not listed under Environment variables");
            add(found, block.line, what);
        }
    }
}

/// The variable in an item of the list.
fn variable(line: &str) -> Option<&str> {
    line.strip_prefix("- `")?.split('`').next()
}

/// The sections of level 3. Text before the first is one without a title.
fn parts(text: &str) -> Vec<Part> {
    let mut parts = vec![Part { line: 1, ..Part::default() }];
    let mut fence: Option<String> = None;
    for (at, line) in text.lines().enumerate() {
        let Some(last) = parts.last_mut() else { break };
        let mark: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if mark == *open && line == open => fence = None,
            Some(_) => {
                if let Some(block) = last.blocks.last_mut() {
                    block.text.push_str(line);
                    block.text.push('\n');
                }
            }
            None if mark.len() >= 3 => {
                last.blocks.push(Block { line: at + 1, text: String::new() });
                fence = Some(mark);
            }
            None if line == super::OWN_CHECK => last.is_own_check = true,
            None => {
                if let Some((level, title)) = heading(line).filter(|(level, _)| *level <= 3) {
                    let title = if level == 3 { title.to_owned() } else { String::new() };
                    parts.push(Part { line: at + 1, title, ..Part::default() });
                }
            }
        }
    }
    parts
}
