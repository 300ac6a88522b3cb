//! `test-case-generator`: generates test cases from acceptance criteria, traced in both directions by ids, as documents
//! or pending stubs.

use std::collections::HashSet;
use std::fmt::Write as _;

use flow_model::hidden::is_hidden;
use schemars::JsonSchema;
use serde::Deserialize;

use super::acceptance_criteria_generator::given;
use super::skill::{Needs, Skill};
use crate::input::content::ContentKind;
use crate::input::definition::{Definition, takes};
use crate::input::kind::{Kind, Upstream};
use crate::input::values::{Block, Line, TextOrList};
use crate::output::{Artifact, Output, Result, missing};
use crate::page::{Document, Finding, Form, Page, Part, Section};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::story::cases::{Case, Level, TestPlan, Trace};
use crate::story::check::check;
use crate::story::document::Read;
use crate::story::scenario::{Criteria, Scenario, heading, titled};
use crate::story::{cases, data as story_data, document, feature, fields, gherkin, scenario};
use crate::text::fence::fenced;
use crate::text::{stem_of_story, table, unused_with};
use crate::{output, page};

const NAME: &str = "test-case-generator";

#[rustfmt::skip]
const SECTIONS: &[Section; 5] = &[
    Section::optional("data", "Test data", &[]),
    Section::new("", "Unit", &[], r"\<a rule or a limit for a unit test>"),
    Section::new("", "Integration", &[], r"\<a scenario of Given, When and Then>"),
    Section::new("", "End-to-end", &[], r"\<the scenario of the whole story>"),
    Section::named("Trace", &[]),
];

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Text, "criteria"),
            takes(ContentKind::Gherkin, "criteria"),
            takes(ContentKind::Markdown, "criteria"),
        ],
        instead: &["from_story"],
        accepts: &[Kind::Criteria, Kind::Story],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Cases,
    run: |given, context| generate(given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| verify(text)),
};

/// Acceptance criteria, and the format of their cases.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The story of the project whose acceptance criteria are used, by its id (`--from-story ID`).
    from_story: Option<Line>,
    /// The acceptance criteria: Markdown, a feature in Gherkin, a story, or one sentence per line; or a list of sentences.
    #[schemars(extend("x-whole" = true))]
    criteria: Option<TextOrList<Line>>,
    /// The data of the story: entities such as "Reset: email email, minutes int", or samples in JSON.
    data: Option<TextOrList<Block>>,
    /// The title. Default: that of the criteria.
    title: Option<Line>,
    /// The format of the output. Default: markdown.
    #[serde(default)]
    format: Format,
}

/// The format of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Markdown,
    Feature,
    Gherkin,
    Jest,
    Vitest,
    Pytest,
}

fn generate(input: Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let format = input.format;
    let (criteria, mut notes) = read(input, upstream, context)?;
    let (cases, open) = cases::of(&criteria);
    let stem = stem_of_story(criteria.story.id.as_deref(), &criteria.story.title);
    let artifact = match format {
        Format::Markdown => {
            let text = engine::render_page(NAME, "assets/template.md.tera", &page_of(&cases))?;
            Artifact::new(format!("{stem}-tests.md"), "markdown", text)
        }
        Format::Feature | Format::Gherkin => {
            let scenarios = cases.cases.iter().map(Case::tagged).collect();
            let text = feature::write(&Criteria { scenarios, ..criteria });
            Artifact::new(format!("{stem}-tests.feature"), "gherkin", text)
        }
        stub => {
            let note = "left out: the data (format=markdown and format=gherkin keep them)";
            notes.extend((!cases.story.data.is_empty()).then(|| note.to_owned()));
            write(stub, &stem, &cases)
        }
    };
    Ok(Output { data: output::value(&cases)?, artifacts: vec![artifact], open, notes })
}

/// The criteria of the previous skill, the project and the text.
fn read(
    input: Input,
    upstream: Option<&Upstream>,
    context: &Context,
) -> Result<(Criteria, Vec<String>)> {
    let text = input.criteria.as_ref().map(TextOrList::text);
    let from_story = input.from_story.as_deref();
    let given = given(upstream, from_story, "criteria", text.as_deref(), context)?;
    let Read { mut story, scenarios, mut notes } = given;
    fields::add_data(&mut story.data, input.data);
    if let Some(title) = input.title {
        titled(&mut story, &title);
    }
    scenario::entitle(&mut story);
    if story.title.is_empty() && scenarios.is_empty() {
        let what = "the acceptance criteria, as Markdown, a feature, a story, or one sentence on each line";
        return Err(missing("criteria", "TEXT, or --input FILE", what));
    }
    story.check()?;
    story_data::model(&story.data, &story.title)?;
    let (criteria, more) = scenario::criteria(story, scenarios);
    notes.extend(more);
    Ok((criteria, notes))
}

/// Cases by level, and the trace of criteria.
fn page_of(cases: &TestPlan) -> Page {
    let data = fenced("text", &cases.story.data.join("\n"));
    let levels = [Level::Unit, Level::Integration, Level::EndToEnd];
    let levels = SECTIONS[1..4].iter().zip(levels).map(|(section, level)| {
        let of_level = cases.cases.iter().filter(|case| case.level == level);
        let of_level: Vec<Scenario> = of_level.map(Case::tagged).collect();
        let text = feature::scenarios(&of_level);
        section.written(if text.is_empty() { text } else { fenced("gherkin", &text) })
    });
    let row = |Trace { id, name, cases }: &Trace| {
        format!("\n| {id} | {} | {} |", table::cell(name), cases.join(", "))
    };
    let trace: String = cases.criteria.iter().map(row).collect();
    let trace = format!("| criterion | name | cases |\n| --- | --- | --- |{trace}");
    let data = SECTIONS[0].written(if cases.story.data.is_empty() { String::new() } else { data });
    let sections =
        std::iter::once(data).chain(levels).chain([SECTIONS[4].written(trace)]).collect();
    let id = cases.story.id.as_ref().map(|id| format!(" of {id}")).unwrap_or_default();
    Page {
        title: format!("Test cases{id}: {}", heading(&cases.story.title)),
        front: Vec::new(),
        sections,
    }
}

/// Writes the cases for a test runner.
fn write(format: Format, stem: &str, cases: &TestPlan) -> Artifact {
    let (name, under) = (cases.story.title.as_str(), module(stem));
    let all = cases.cases.as_slice();
    if format == Format::Pytest {
        return Artifact::new(format!("test_{under}.py"), "python", python(name, all));
    }
    let import = "import { describe, test } from \"vitest\";\n\n";
    let import = if format == Format::Vitest { import } else { "" };
    Artifact::new(format!("{stem}.test.js"), "javascript", javascript(name, import, all))
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

/// The lines of a case as comments.
fn steps(case: &Case, head: &str) -> String {
    let lines = case.scenario.steps.iter().filter(|line| !line.is_empty());
    let comments: Vec<String> = lines.map(|line| format!("{head} {}\n", comment(line))).collect();
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

/// A unique function name for each case.
fn functions(cases: &[Case]) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut name = |name: &str| unused_with("_", name, |name| taken.insert(name.to_owned()));
    cases.iter().map(|case| name(&module(&case.scenario.id))).collect()
}

/// Checks cases: their levels, steps and ids, and that the trace of criteria names them, and no others.
fn verify(text: &str) -> Vec<Finding> {
    let Some((features, _)) = document::blocks(text) else {
        return vec![Finding::new(1, "there is no case: add a block of code with a scenario")];
    };
    let cases = match gherkin::read(&features, "cases") {
        Ok(feature) => feature.scenarios,
        Err(fault) => return vec![Finding::of_fault(&fault)],
    };
    page::check(text, &Form::new("# Test cases: …", SECTIONS), |document, findings| {
        findings.extend(check(text, &cases));
        trace(document, &cases, findings);
    })
}

/// Checks the rows of the trace: a criterion, its name, and the ids of its cases.
fn trace(document: &Document<'_>, cases: &[Scenario], findings: &mut Vec<Finding>) {
    let mut traced: Vec<String> = Vec::new();
    // The first row is the header.
    let rows = document.part(&SECTIONS[4]).into_iter().flat_map(|part| part.rows().skip(1));
    for (line, cells) in rows {
        let [criterion, _, ids, ..] = cells.as_slice() else { continue };
        let ids: Vec<&str> = ids.split(',').map(str::trim).filter(|id| !id.is_empty()).collect();
        let mut add = |what: String| findings.push(Finding::new(line, what));
        if ids.is_empty() {
            add(format!("{criterion} has no case"));
        }
        for id in ids {
            if !cases.iter().any(|case| case.id == id) {
                add(format!("there is no case {id}"));
            }
            traced.push(id.to_owned());
        }
    }
    let line = document.part(&SECTIONS[4]).map_or(1, |part: &Part<'_>| part.number);
    let untraced = cases.iter().filter(|case| !traced.contains(&case.id));
    findings.extend(untraced.map(|case| {
        let what = format!("the trace does not name {}: add it to its criterion", case.id);
        Finding::new(line, what)
    }));
}
