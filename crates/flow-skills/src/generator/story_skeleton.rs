//! `story-skeleton`: writes a story from a topic; what is not given becomes an open question.

use schemars::JsonSchema;
use serde::Deserialize;

use super::skill::{Needs, Skill};
use crate::input::content::ContentKind;
use crate::input::definition::{Definition, takes};
use crate::input::kind::Kind;
use crate::input::values::{Block, Line};
use crate::output::{Artifact, Output, Result, bad_text, missing};
use crate::page::{Document, Finding, Form, Page, Section, bullets};
use crate::project_state::names::Named;
use crate::project_state::{Context, Snapshot, next_number, recorded};
use crate::runtime::engine;
use crate::story::fields::StoryFields;
use crate::story::{Story, article, criteria, data, read};
use crate::text::prose::{all, heading, prose};
use crate::{output, page};

const NAME: &str = "story-skeleton";

#[rustfmt::skip]
const SECTIONS: &[Section; 4] = &[
    Section::optional("rules", "Rules", &[]),
    Section::new("criteria", "Acceptance criteria", &[], r"- \<what is true when it is done>"),
    Section::new("technical_notes", "Technical notes", &[], r"- \<what an implementer must know>"),
    Section::optional("data", "Data", &[]),
];

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Text, "topic"), takes(ContentKind::Markdown, "topic")],
        instead: &["from_story"],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Story,
    run: |given, context| generate(given.read()?, context),
    verify: Some(verify),
};

/// A story, with the given fields.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    /// The story of the project to start from, by its id (`--from-story ID`).
    from_story: Option<Line>,
    /// The topic: "As a … I want … so that …", what is to be done, or a story with labels or in Markdown.
    #[schemars(extend("x-rest" = true, "x-labels" = ["Story", "User story", "Description", "Summary"]))]
    topic: Option<Block>,
    #[serde(flatten)]
    fields: StoryFields,
}

fn generate(input: Input, context: &Context) -> Result<Output> {
    let mut recorded =
        input.from_story.as_deref().map(|id| recorded::story_of(id, context)).transpose()?;
    let mut topic = input.topic.as_deref();
    if let (None, Some(text)) = (&recorded, topic) {
        recorded = recorded::named_alone(text, context)?;
        topic = topic.filter(|_| recorded.is_none());
    }
    let mut notes = Vec::new();
    let is_recorded = recorded.is_some();
    let mut story = recorded.unwrap_or_default();
    if let Some(topic) = topic {
        // A title that is known already leaves all of the text to the other parts.
        let mut told = Story { title: story.title.clone(), ..Story::default() };
        if let Some(title) = &input.fields.title {
            told.set_title(title);
        }
        read::unlabelled(&mut told, topic, "topic")?;
        input.fields.check_against_sentence(&told)?;
        notes.extend(input.fields.replaced_points(&told));
        story.complete(told);
    }
    input.fields.apply(&mut story);
    story.complete_title();
    if story.title.is_empty() {
        return Err(missing("topic", "text", "what the story is about"));
    }
    story.check()?;
    // A reference that cannot be resolved is reported here, not by a later skill of the chain.
    data::model(&story.data, &story.title)?;
    story.status.get_or_insert_with(|| "draft".to_owned());
    let open = questions(&story);
    if !is_recorded {
        let others = others(context, &mut notes)?;
        number(&mut story, &others, context, &mut notes)?;
        resolve(&mut story, &others)?;
        notes.extend(resolve_epic(&mut story, &others, context));
    }
    let text = engine::render_page(NAME, "assets/template.md.tera", &page_of(&story))?;
    let artifacts = vec![Artifact::new(format!("{}.md", story.stem()), "markdown", text)];
    Ok(Output { data: output::value(&story)?, artifacts, open, notes })
}

/// The records of the project; none without a project.
fn others(context: &Context, notes: &mut Vec<String>) -> Result<Snapshot> {
    if !context.state.is_there() {
        notes.push("no project found; other stories were not examined".to_owned());
        return Ok(Snapshot::default());
    }
    Snapshot::read(&context.state)
}

/// Sets the id of the story: the given one, or the next unused one.
fn number(
    story: &mut Story,
    others: &Snapshot,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<()> {
    let ids = || others.stories.iter().map(|other| other.id.as_str());
    if let Some(id) = &story.id {
        if ids().any(|known| known == id) {
            notes.push(format!("the project has a story {id} already"));
        }
        return Ok(());
    }
    let elsewhere = context.state.ids_elsewhere("stories");
    let ids = ids().chain(elsewhere.iter().map(String::as_str));
    story.id = Some(format!("US-{:04}", next_number("US-", ids)?));
    Ok(())
}

/// Gives the epic of a story the form that the project's has; a note if the project does not have it.
fn resolve_epic(story: &mut Story, others: &Snapshot, context: &Context) -> Option<String> {
    let epic = story.epic.as_mut().filter(|_| context.state.is_there())?;
    let Some(name) = others.find(&[Named::Epic], epic) else {
        return Some(format!("the project has no epic {epic}"));
    };
    *epic = name.id;
    None
}

/// Replaces ids that are written in another form, such as `us-2`, with those of the project.
/// Refuses one that the project does not have, and the story itself.
fn resolve(story: &mut Story, others: &Snapshot) -> Result<()> {
    let id = story.id.as_deref().unwrap_or_default();
    for (at, on) in story.dependencies.iter_mut().enumerate() {
        let field = format!("dependencies[{at}]");
        if on != id && !others.stories.is_empty() {
            on.clone_from(&others.named_story(&field, on)?.id);
        }
        if on == id {
            return Err(bad_text(&field, on, "another story than this one"));
        }
    }
    Ok(())
}

fn page_of(story: &Story) -> Page {
    let role = story.role.as_deref().map_or("a", |role| article(role).trim());
    let label = |label: &str, text: Option<String>| Some(format!("**{label}** {}", text?));
    let given = |text: &Option<String>| text.as_deref().map(prose);
    let or = |text: &Option<String>, blank: &str| given(text).or_else(|| Some(blank.to_owned()));
    let size = story.points.map(|points| points.to_string());
    let is_sized = story.estimate.is_some();
    let depends = Some(story.dependencies.join(", ")).filter(|ids| !ids.is_empty());
    let front = [
        label(format!("As {role}").trim_end(), or(&story.role, r"\<who wants it>")),
        label("I want", or(&story.want, r"\<what they want to do>")),
        label("So that", or(&story.benefit, r"\<what they gain by it>")),
        label("Epic:", given(&story.epic)),
        label("Points:", if is_sized { size } else { or(&size, r"\<how large it is>") }),
        label("Estimate:", given(&story.estimate)),
        label("Priority:", given(&story.priority)),
        label("Owner:", given(&story.owner)),
        label("Status:", given(&story.status)),
        label("Depends on:", depends),
    ];
    let rules = story.rules.iter().enumerate();
    let rules = rules.map(|(at, rule)| format!("R{}: {}", at + 1, prose(rule)));
    let title = format!("{}: {}", story.id.as_deref().unwrap_or_default(), heading(&story.title));
    let front = vec![bullets(front.into_iter().flatten())];
    let texts = [
        bullets(rules),
        bullets(all(&story.criteria)),
        bullets(all(&story.technical_notes)),
        story.data_block(),
    ];
    Page::new(title, front, SECTIONS, texts)
}

/// What the story lacks, worded as what to add.
fn questions(story: &Story) -> Vec<String> {
    let mut open = criteria::questions(story);
    if story.criteria.is_empty() {
        open.push("criteria: not given (add criteria=A;B)".to_owned());
    }
    if story.points.is_none() && story.estimate.is_none() {
        open.push("points: not given (add points=3)".to_owned());
    }
    open
}

/// Checks a story: its title and id, its required parts, its dependencies, and duplicate items.
fn verify(text: &str, context: &Context) -> Vec<Finding> {
    let mut story = Story::default();
    if let Err(fault) = read::text(&mut story, text, "story") {
        return vec![Finding::of_fault(&fault)];
    }
    page::check(text, &Form::new("# US-0001: Title", SECTIONS), |document, findings| {
        let is_complete = findings.is_empty();
        findings.extend(page::doubled(document));
        faults(&story, document, context, findings);
        let mut lacks = |is_missing: bool, what: &str| {
            findings.extend((is_missing && is_complete).then(|| Finding::new(1, what)));
        };
        lacks(story.want.is_none(), "what is wanted is missing: add `- **I want** to …`");
        lacks(story.role.is_none(), "who wants it is missing: add `- **As a** …`");
    })
}

fn faults(story: &Story, document: &Document<'_>, context: &Context, findings: &mut Vec<Finding>) {
    let mut add = |line: usize, what: &str| findings.push(Finding::new(line, what));
    let line_with = |part: &str| {
        document.texts().find(|(_, line)| line.contains(part)).map_or(1, |(line, _)| line)
    };
    let title = document.parts.iter().find(|part| part.level == 1);
    if let Some(title) = title.filter(|_| story.id.is_none()) {
        add(title.number, "the story has no id: begin with `# US-0001: Title`");
    }
    let snapshot = Snapshot::read(&context.state).ok();
    let snapshot = snapshot.filter(|snapshot| !snapshot.stories.is_empty());
    for on in &story.dependencies {
        if Some(on) == story.id.as_ref() {
            add(line_with("Depends on"), &format!("the story depends on itself ({on})"));
        } else if snapshot.as_ref().is_some_and(|snapshot| snapshot.story(on).is_none()) {
            let what = format!("{on} is not in the project: correct the id, or remove it");
            add(line_with(on), &what);
        }
    }
    if let Err(fault) = data::model(&story.data, &story.title) {
        add(line_with("Data"), &fault.to_string());
    }
}
