//! Test cases as pending stubs, which test runners collect and do not run.

use std::collections::HashSet;
use std::fmt::Write as _;

use flow_model::hidden::is_hidden;

use super::Format;
use crate::output::Artifact;
use crate::story::scenario::worded;
use crate::story::test_case::{Case, Cases};
use crate::text::unused_with;

/// Writes the cases for a test runner.
pub(super) fn write(format: Format, stem: &str, cases: &Cases) -> Artifact {
    let (name, under) = (cases.story.title.as_str(), module(stem));
    let all = cases.cases.as_slice();
    match format {
        Format::Pytest => Artifact::new(format!("test_{under}.py"), "python", python(name, all)),
        Format::Rust => Artifact::new(format!("{under}.rs"), "rust", rust(name, all)),
        _ => {
            let is_vitest = format == Format::Vitest;
            let import = "import { describe, test } from \"vitest\";\n\n";
            let text = javascript(name, if is_vitest { import } else { "" }, all);
            Artifact::new(format!("{stem}.test.js"), "javascript", text)
        }
    }
}

/// A name for a module or a function: ASCII letters, digits and underscores.
fn module(text: &str) -> String {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("_").to_ascii_lowercase()
}

/// Text for a comment, without characters that could end it or hide parts of it.
fn comment(text: &str) -> String {
    let is_kept = |c: char| c != '\t' && c != '\n' && !is_hidden(c);
    text.chars()
        .map(|c| if is_kept(c) { c.to_string() } else { c.escape_unicode().to_string() })
        .collect()
}

/// The steps and the examples of a case as comments.
fn steps(case: &Case, head: &str) -> String {
    let mut out = String::new();
    for (word, step) in worded(&case.scenario.steps) {
        let _ = writeln!(out, "{head} {word} {}", comment(&step.text));
        for line in &step.below {
            let _ = writeln!(out, "{}", format!("{head}   {}", comment(line)).trim_end());
        }
    }
    for table in &case.scenario.examples {
        for row in std::iter::once(&table.header).chain(&table.rows) {
            let _ = writeln!(out, "{head} | {} |", comment(&row.join(" | ")));
        }
    }
    out
}

fn label(case: &Case) -> String {
    let (level, kind) = (case.level, case.kind);
    format!("{} ({}, {level}, {kind}): {}", case.scenario.id, case.criterion, case.scenario.name)
}

/// A string literal of JavaScript and Python: JSON is valid in both.
fn literal(text: &str) -> String {
    serde_json::Value::from(comment(text)).to_string()
}

fn javascript(name: &str, import: &str, cases: &[Case]) -> String {
    let mut out = format!("{import}describe({}, () => {{\n", literal(name));
    for (at, case) in cases.iter().enumerate() {
        let gap = if at > 0 { "\n" } else { "" };
        let (steps, label) = (steps(case, "  //"), literal(&label(case)));
        let _ = writeln!(out, "{gap}{steps}  test.todo({label});");
    }
    out + "});\n"
}

fn python(name: &str, cases: &[Case]) -> String {
    let mut out = format!("# {}\n\nimport pytest\n", comment(name));
    for (case, function) in cases.iter().zip(functions(cases)) {
        let (steps, reason) = (steps(case, "    #"), literal(&format!("pending: {}", label(case))));
        let _ =
            write!(out, "\n\n@pytest.mark.skip(reason={reason})\ndef test_{function}():\n{steps}");
        out.push_str("    raise NotImplementedError\n");
    }
    out
}

fn rust(name: &str, cases: &[Case]) -> String {
    let mut out = format!("//! {}\n", comment(name));
    for (case, function) in cases.iter().zip(functions(cases)) {
        let (steps, reason) = (steps(case, "    //"), format!("pending: {}", label(case)));
        let _ = writeln!(
            out,
            "\n#[test]\n#[ignore = {reason:?}]\nfn {function}() {{\n{steps}    todo!()\n}}"
        );
    }
    out
}

/// A unique function name for each case.
fn functions(cases: &[Case]) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut name = |name: &str| unused_with("_", name, |name| taken.insert(name.to_owned()));
    cases.iter().map(|case| name(&module(&case.scenario.id))).collect()
}
