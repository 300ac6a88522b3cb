//! Test cases as Gherkin and as pending stubs, which the runners collect and do not run.

use std::fmt::Write as _;

use crate::output::Artifact;
use crate::story::scenario::{Criteria, Scenario, feature};

use super::Case;

/// Writes cases in a format.
pub(super) fn write(
    format: &str,
    (name, stem): (&str, &str),
    criteria: &Criteria,
    cases: &[Case],
) -> Artifact {
    let under = module(stem);
    match format {
        "jest" => {
            Artifact::new(format!("{stem}.test.js"), "javascript", javascript(name, "", cases))
        }
        "vitest" => {
            let import = "import { describe, test } from \"vitest\";\n\n";
            Artifact::new(format!("{stem}.test.js"), "javascript", javascript(name, import, cases))
        }
        "pytest" => Artifact::new(format!("test_{under}.py"), "python", python(name, cases)),
        "rust" => Artifact::new(format!("{under}.rs"), "rust", rust(name, cases)),
        _ => Artifact::new(
            format!("{stem}-tests.feature"),
            "gherkin",
            gherkin(name, criteria, cases),
        ),
    }
}

/// A name for a module or a function: ASCII letters, digits and underscores.
fn module(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect();
    plain.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_")
}

/// Text in a comment: characters that turn the direction of text would hide what it says.
fn comment(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars()
        .map(|c| if turns(c) { c.escape_unicode().to_string() } else { c.to_string() })
        .collect()
}

fn steps(case: &Case, head: &str) -> String {
    let scenario = Scenario {
        given: case.given.clone(),
        when: case.when.clone(),
        then: case.then.clone(),
        ..Scenario::default()
    };
    let mut out = String::new();
    for (keyword, step) in scenario.steps() {
        let _ = writeln!(out, "{head} {keyword} {}", comment(step));
    }
    out
}

fn label(case: &Case) -> String {
    format!("{} ({}, {}, {}): {}", case.id, case.criterion, case.level, case.kind, case.name)
}

/// A text as a literal of JavaScript and of Python: JSON is both.
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

/// A name for each case's function, each once.
fn functions(cases: &[Case]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for case in cases {
        let own = module(&case.id);
        let again = (2..).map(|count| format!("{own}_{count}"));
        let name = std::iter::once(own.clone()).chain(again).find(|name| !names.contains(name));
        names.push(name.unwrap_or(own));
    }
    names
}

fn gherkin(name: &str, criteria: &Criteria, cases: &[Case]) -> String {
    let scenarios: Vec<Scenario> = cases
        .iter()
        .map(|case| Scenario {
            id: case.id.clone(),
            name: case.name.clone(),
            tags: vec![case.criterion.clone(), case.level.to_owned(), case.kind.to_owned()],
            given: case.given.clone(),
            when: case.when.clone(),
            then: case.then.clone(),
        })
        .collect();
    feature(name, &criteria.story, &scenarios, &[])
}
