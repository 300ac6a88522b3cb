//! `acceptance-criteria-generator`: writes a story's criteria as Given/When/Then, and its rules as a list.

use schemars::JsonSchema;
use serde::Deserialize;

use super::skill::{Needs, Skill};
use super::story_source;
use crate::input::content::ContentKind;
use crate::input::definition::{Definition, takes};
use crate::input::forms::is_feature;
use crate::input::kind::{Kind, Upstream};
use crate::input::values::{Block, Line};
use crate::output::{Artifact, Output, Result, missing};
use crate::page::{Finding, Form, Page, Section, bullets};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::story::check::check;
use crate::story::criteria::{Criteria, own_path, questions, unused};
use crate::story::document;
use crate::story::feature;
use crate::story::fields::StoryFields;
use crate::story::gherkin::Read;
use crate::story::scenario::{Scenario, is_stated, labelled};
use crate::text::fence::fenced;
use crate::text::prose::prose;
use crate::text::{is_ticked, item};
use crate::{output, page};

const NAME: &str = "acceptance-criteria-generator";

const SECTIONS: &[Section; 1] = &[Section::optional("rules", "Rules", &[])];

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Text, "story"),
            takes(ContentKind::Gherkin, "story"),
            takes(ContentKind::Markdown, "story"),
        ],
        instead: &["from_story"],
        accepts: &[Kind::Story],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Criteria,
    run: |given, context| generate(given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| verify(text)),
};

/// A story, and how its criteria are written.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    /// The story of the project to start from, by its id (`--from-story ID`).
    from_story: Option<Line>,
    /// The story: "As a … I want … so that …", a story with labels or in Markdown, or a feature, whose scenarios are kept.
    #[schemars(extend("x-whole" = true))]
    story: Option<Block>,
    #[serde(flatten)]
    fields: StoryFields,
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
}

fn generate(input: Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let (from_story, text) = (input.from_story.as_deref(), input.story.as_deref());
    let mut read = story_source::read(upstream, from_story, "story", text, context)?;
    if let Some(text) = text {
        if input.fields.title.is_none() {
            take_topic(&mut read, text.trim());
        }
        input.fields.check_against_sentence(&read.story)?;
        if text.lines().any(is_ticked) {
            read.notes.push("left out: that items are ticked".to_owned());
        }
    }
    let mut stated = input.fields.story();
    read.notes.extend(unused(&stated));
    stated.complete(read.story);
    read.story = stated;
    let expects = "TEXT such as `As a reader I want … so that …`, or --input FILE";
    let missing = missing("story", expects, "what the criteria are of");
    let (mut criteria, notes) = story_source::criteria(read, missing)?;
    // The document lists its rules at its end, and what they are rules of before them.
    criteria.scenarios.sort_by_key(|scenario| scenario.as_rule().is_some());
    if criteria.scenarios.iter().all(|scenario| scenario.as_rule().is_some()) {
        criteria.scenarios.insert(0, own_path(&criteria.story));
    }
    if input.format != Format::Markdown {
        criteria.scenarios.iter_mut().for_each(Scenario::add_blanks);
    }
    let artifacts = vec![written(&criteria, input.format)?];
    let open = questions(&criteria.story);
    Ok(Output { data: output::value(&criteria)?, artifacts, open, notes })
}

/// Takes a text of one line as the title if it is one sentence without a mark of a criterion: it says what the criteria
/// are of.
fn take_topic(read: &mut Read, text: &str) {
    let is_marked = text.contains('\n') || item(text).is_some() || labelled(text).0.is_some();
    let story = &mut read.story;
    if let [topic] = story.criteria.as_slice()
        && !is_marked
        && read.scenarios.is_empty()
        && story.want.is_none()
        && story.title.is_empty()
        && !is_stated(topic)
    {
        let topic = topic.clone();
        story.criteria.clear();
        story.set_title(&topic);
    }
}

/// The criteria as an artifact.
fn written(criteria: &Criteria, format: Format) -> Result<Artifact> {
    let Criteria { story, scenarios } = criteria;
    let stem = story.stem();
    if format != Format::Markdown {
        let text = feature::write(story, scenarios);
        return Ok(Artifact::new(format!("{stem}.feature"), "gherkin", text));
    }
    let (mut rules, mut others) = (Vec::new(), Vec::new());
    for scenario in scenarios {
        match scenario.as_rule() {
            Some(rule) => rules.push(format!("{}: {}", scenario.id, prose(rule))),
            None => others.push(scenario),
        }
    }
    let feature = fenced("gherkin", &feature::write(story, others));
    let title = story.headed("Acceptance criteria");
    let page = Page::new(title, vec![feature], SECTIONS, [bullets(rules)]);
    let text = engine::render_page(NAME, "assets/template.md.tera", &page)?;
    Ok(Artifact::new(format!("{stem}-criteria.md"), "markdown", text))
}

/// Checks criteria, in Markdown or as a feature: ids, steps, examples, and blanks.
fn verify(text: &str) -> Vec<Finding> {
    let Read { story, scenarios, .. } = match document::criteria(text, "criteria") {
        Ok(read) => read,
        Err(fault) => return vec![Finding::of_fault(&fault)],
    };
    if scenarios.is_empty() && !story.has_criteria() {
        return vec![Finding::new(1, "there is no criterion: add a scenario, or a rule in a list")];
    }
    let (Criteria { scenarios, .. }, _) = Criteria::of(story, scenarios);
    if is_feature(text) {
        return check(text, &scenarios);
    }
    page::check(text, &Form::new("# Acceptance criteria: …", SECTIONS), |_, findings| {
        findings.extend(check(text, &scenarios));
    })
}
