//! Writes test cases as pending stubs for a test runner.

use std::collections::HashSet;
use std::fmt::Write as _;

use flow_model::hidden::is_hidden;

use super::cases::{Case, TestPlan};
use crate::text::unused_with;

/// Stubs for vitest.
pub(crate) fn vitest(plan: &TestPlan) -> String {
    format!("import {{ describe, test }} from \"vitest\";\n\n{}", jest(plan))
}

/// Stubs for Jest.
pub(crate) fn jest(plan: &TestPlan) -> String {
    let data = data(plan, "//");
    let mut stubs: Vec<String> = Vec::new();
    for case in &plan.cases {
        stubs.push(format!("{}  test.todo({});\n", steps(case, "  //"), literal(&label(case))));
    }
    format!("{data}describe({}, () => {{\n{}}});\n", literal(&plan.story.title), stubs.join("\n"))
}

/// The data of the cases as comments.
fn data(plan: &TestPlan, mark: &str) -> String {
    let lines = plan.story.data.iter();
    lines.map(|line| format!("{mark} Data: {}\n", comment(line))).collect::<Vec<_>>().concat()
}

/// Stubs for pytest.
pub(crate) fn pytest(plan: &TestPlan) -> String {
    let (title, data) = (comment(&plan.story.title), data(plan, "#"));
    let mut out = format!("# {title}\n{data}\nimport pytest\n");
    let mut taken = HashSet::new();
    for case in &plan.cases {
        let name = module(&case.scenario.id);
        let name = unused_with("_", &name, |name| taken.insert(name.to_owned()));
        let (steps, reason) = (steps(case, "    #"), literal(&format!("pending: {}", label(case))));
        let _ = write!(
            out,
            "\n\n@pytest.mark.skip(reason={reason})\ndef test_{name}():\n{steps}    raise NotImplementedError\n"
        );
    }
    out
}

/// A name for a module or a function: ASCII letters, digits and underscores.
pub(crate) fn module(text: &str) -> String {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("_").to_ascii_lowercase()
}

/// The lines of a case as comments.
fn steps(case: &Case, mark: &str) -> String {
    let lines = case.scenario.steps.iter().filter(|line| !line.is_empty());
    let comments: Vec<String> = lines.map(|line| format!("{mark} {}\n", comment(line))).collect();
    comments.concat()
}

fn label(case: &Case) -> String {
    let (level, kind) = (case.level, case.kind);
    format!("{} ({}, {level}, {kind}): {}", case.scenario.id, case.criterion, case.scenario.name)
}

/// A string literal of JavaScript and Python: JSON is valid in both.
fn literal(text: &str) -> String {
    serde_json::Value::from(comment(text)).to_string()
}

/// Text for a comment, without characters that could end it or hide parts of it.
fn comment(text: &str) -> String {
    let mut comment = String::new();
    for c in text.chars() {
        if matches!(c, '\t' | '\n') || is_hidden(c) {
            comment.extend(c.escape_unicode());
        } else {
            comment.push(c);
        }
    }
    comment
}
