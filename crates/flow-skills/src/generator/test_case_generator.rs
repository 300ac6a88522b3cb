//! `test-case-generator`: generates test cases from acceptance criteria, traced in both directions by ids, as documents
//! or pending stubs.

use std::collections::HashSet;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;

use super::skill::{Needs, Skill};
use super::story_source;
use crate::input::content::ContentKind;
use crate::input::definition::{Definition, takes};
use crate::input::kind::{Kind, Upstream};
use crate::input::values::{Block, Line, TextOrList};
use crate::output::{Artifact, Output, Result, missing};
use crate::page::{Document, Finding, Form, Page, Section};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::story::cases::{self, Case, Level, TestPlan, Trace};
use crate::story::check::check;
use crate::story::criteria::{Criteria, OPEN, STORY};
use crate::story::scenario::Scenario;
use crate::story::{data, document, feature, fields, gherkin, stubs};
use crate::text::fence::fenced;
use crate::text::prose::prose;
use crate::text::table;
use crate::{output, page};

const NAME: &str = "test-case-generator";

const TRACE: Section = Section::named("Trace", &[]);
#[rustfmt::skip]
const SECTIONS: &[Section; 5] = &[
    Section::optional("data", "Test data", &[]),
    Section::new("", "Unit", &[], r"\<a rule or a limit for a unit test>"),
    Section::new("", "Integration", &[], r"\<a scenario of Given, When and Then>"),
    Section::new("", "End-to-end", &[], r"\<the scenario of the whole story>"),
    TRACE,
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
#[schemars(extend("x-unknown" = "acceptance-criteria-generator reads the fields of a story, and this skill what it prints with --json"))]
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
    #[schemars(extend("x-labels" = ["framework"]))]
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
    let (mut criteria, mut notes) = read(input, upstream, context)?;
    let limits = data::limits(&data::model(&criteria.story.data, &criteria.story.title)?)?;
    let limits = (1..).zip(&limits).map(|(at, rule)| Scenario::stated('D', at, rule));
    criteria.scenarios.extend(limits);
    let (plan, open) = cases::of(&criteria);
    let stem = plan.story.stem();
    let is_stub = matches!(format, Format::Jest | Format::Vitest | Format::Pytest);
    if is_stub {
        let has_tags =
            criteria.scenarios.iter().any(|scenario| scenario.tags.iter().any(|tag| tag != OPEN));
        if has_tags {
            let note = "left out: the tags (format=markdown and format=gherkin keep them)";
            notes.push(note.to_owned());
        }
    }
    let artifact = match format {
        Format::Markdown => {
            let text = engine::render_page(NAME, "assets/template.md.tera", &page_of(&plan))?;
            Artifact::new(format!("{stem}-tests.md"), "markdown", text)
        }
        Format::Feature | Format::Gherkin => {
            let scenarios: Vec<Scenario> = plan.cases.iter().map(Case::tagged).collect();
            let text = feature::write(&plan.story, &scenarios);
            Artifact::new(format!("{stem}-tests.feature"), "gherkin", text)
        }
        Format::Jest => Artifact::new(format!("{stem}.test.js"), "javascript", stubs::jest(&plan)),
        Format::Vitest => {
            Artifact::new(format!("{stem}.test.js"), "javascript", stubs::vitest(&plan))
        }
        Format::Pytest => {
            let file = format!("test_{}.py", stubs::module(&stem));
            Artifact::new(file, "python", stubs::pytest(&plan))
        }
    };
    Ok(Output { data: output::value(&plan)?, artifacts: vec![artifact], open, notes })
}

/// The criteria of the previous skill, the project and the text.
fn read(
    input: Input,
    upstream: Option<&Upstream>,
    context: &Context,
) -> Result<(Criteria, Vec<String>)> {
    let text = input.criteria.as_ref().map(TextOrList::text);
    let from_story = input.from_story.as_deref();
    let mut read = story_source::read(upstream, from_story, "criteria", text.as_deref(), context)?;
    fields::add_data(&mut read.story.data, input.data);
    if let Some(title) = input.title {
        read.story.set_title(&title);
    }
    let what =
        "the acceptance criteria, as Markdown, a feature, a story, or one sentence on each line";
    story_source::criteria(read, missing("criteria", "TEXT, or --input FILE", what))
}

/// Cases by level, and the trace of criteria.
fn page_of(plan: &TestPlan) -> Page {
    let levels = [Level::Unit, Level::Integration, Level::EndToEnd];
    let [unit, integration, end_to_end] = levels.map(|level| {
        let cases = plan.cases.iter().filter(|case| case.level == level);
        let scenarios: Vec<Scenario> = cases.map(Case::tagged).collect();
        if scenarios.is_empty() {
            return String::new();
        }
        fenced("gherkin", &feature::scenarios(&scenarios))
    });
    let mut trace = "| criterion | name | cases |\n| --- | --- | --- |".to_owned();
    for Trace { id, name, cases } in &plan.criteria {
        let _ = write!(trace, "\n| {id} | {} | {} |", table::cell(name), cases.join(", "));
    }
    let texts = [plan.story.data_block(), unit, integration, end_to_end, trace];
    // The scenario of the story says the same.
    let is_shown = plan.criteria.iter().any(|trace| trace.id == STORY);
    let narrative = feature::narrative(&plan.story).filter(|_| !is_shown);
    let narrative = narrative.map(|line| prose(&line)).collect::<Vec<_>>().join("\n");
    let front = Some(narrative).filter(|text| !text.is_empty()).into_iter().collect();
    Page::new(plan.story.headed("Test cases"), front, SECTIONS, texts)
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
    let part = document.part(&TRACE);
    let mut traced: HashSet<String> = HashSet::new();
    // The first row is the header.
    for (line, cells) in part.into_iter().flat_map(|part| part.rows().skip(1)) {
        let [criterion, _, ids, ..] = cells.as_slice() else { continue };
        if ids.trim_matches([',', ' ']).is_empty() {
            findings.push(Finding::new(line, format!("{criterion} has no case")));
        }
        for id in ids.split(',').map(str::trim).filter(|id| !id.is_empty()) {
            if !cases.iter().any(|case| case.id == id) {
                findings.push(Finding::new(line, format!("there is no case {id}")));
            }
            traced.insert(id.to_owned());
        }
    }
    let line = part.map_or(1, |part| part.number);
    for case in cases.iter().filter(|case| !traced.contains(&case.id)) {
        let what = format!("the trace does not name {}: add it to its criterion", case.id);
        findings.push(Finding::new(line, what));
    }
}
