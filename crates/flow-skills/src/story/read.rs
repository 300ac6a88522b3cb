//! Reads a story from text: labels, a story's sentence, facts such as `5 points, depends on US-0002`, and the remaining
//! text, word for word.

use schemars::JsonSchema;
use serde::Deserialize;

use super::fields::{StoryFields, add};
use super::names::{is_definition_of_done, numbered, titled, untagged};
use super::parts::{Part, parts};
use super::{Story, action, data};
use crate::input::notation::{Misfit, bounds, outside_fences, story as sentence};
use crate::input::values::Block;
use crate::input::{labels, typed};
use crate::output::Result;
use crate::text::{after, front_matter, heading, lists, tagged, title};

pub use super::names::is_id;

/// Largest number of positions of a text at which the story's sentence is searched.
const MOST_STARTS: usize = 20;
/// Largest number of groups of facts at the end of a sentence.
const MOST_FACTS: usize = 4;

/// The text of a story: the fields that its labels set, and the text without a label.
#[derive(Debug, Deserialize, JsonSchema)]
struct Document {
    #[serde(flatten)]
    fields: StoryFields,
    /// The text without a label.
    #[schemars(extend("x-labels" = ["Story", "User story", "Description", "Summary"]))]
    text: Option<Block>,
}

/// Reads a text into a story: Markdown, labels, or plain text. Existing fields are kept, lists are extended.
///
/// # Errors
/// When the text of a label does not fit, or a sentence begins like a story's and does not continue like one. `field`
/// is the field of the text.
pub fn text(story: &mut Story, text: &str, field: &str) -> Result<()> {
    let schema = typed::schema_of::<Document>();
    let labelled = if is_document(text) {
        labels::read_document(text, &schema)?
    } else {
        labels::read(text, &schema)?
    };
    let Document { fields, text } = typed::read(&labelled.fields)?;
    let mut own = Story::default();
    fields.apply(&mut own);
    let described = text.map(Block::into_inner).unwrap_or_default();
    for text in [described, labelled.rest] {
        free(&mut own, &text).map_err(|misfit| misfit.fault(field))?;
    }
    complete(story, own);
    Ok(())
}

/// Whether a text is Markdown, whose escapes are removed.
pub fn is_document(text: &str) -> bool {
    front_matter(text).is_some()
        || outside_fences(text).any(|(_, line)| {
            heading(line.trim()).is_some() || line.contains("**I want") || line.contains("**As a")
        })
}

/// Fills missing fields of a story from another.
pub fn complete(story: &mut Story, other: Story) {
    if story.title.is_empty() {
        story.title = other.title;
    }
    story.id = story.id.take().or(other.id);
    story.role = story.role.take().or(other.role);
    story.want = story.want.take().or(other.want);
    story.benefit = story.benefit.take().or(other.benefit);
    story.points = story.points.or(other.points);
    story.estimate = story.estimate.take().or(other.estimate);
    story.status = story.status.take().or(other.status);
    story.epic = story.epic.take().or(other.epic);
    story.owner = story.owner.take().or(other.owner);
    story.priority = story.priority.take().or(other.priority);
    for (list, more) in [
        (&mut story.rules, other.rules),
        (&mut story.criteria, other.criteria),
        (&mut story.dependencies, other.dependencies),
        (&mut story.technical_notes, other.technical_notes),
        (&mut story.data, other.data),
    ] {
        add(list, more.into_iter());
    }
}

/// Uses the want as a missing title. A title that is an action is used as a missing want.
pub fn entitle(story: &mut Story) {
    if story.title.is_empty() {
        let want = story.want.as_deref().unwrap_or_default();
        story.title = title(want.strip_prefix("to ").unwrap_or(want));
    } else if story.want.is_none() {
        story.want = action::infinitive(&story.title);
    }
}

/// Text without a label: the part before the story's sentence is its title, the part after it rules and notes.
fn free(story: &mut Story, text: &str) -> Result<(), Misfit> {
    let text = data::without_tables(untagged(text), &mut story.data);
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let starts = starts.filter_map(|at| Some((at, text.get(at..)?)));
    let found = starts
        .filter(|(_, rest)| after(rest.trim_start(), &["As ", "In order to "]).is_some())
        .take(MOST_STARTS)
        .find_map(|(at, rest)| sentence::split(rest).map(|(read, rest)| (at, read, rest)));
    let Some((at, found, rest)) = found.filter(|_| story.want.is_none()) else {
        if story.want.is_none() && sentence::is_claimed(&text) {
            return sentence::read(&text).map(drop);
        }
        begin(story, parts(&text));
        return Ok(());
    };
    if story.title.is_empty() {
        begin(story, parts(text.get(..at).unwrap_or_default()));
    } else {
        state(story, parts(text.get(..at).unwrap_or_default()));
    }
    let (want, benefit) = match found.benefit {
        Some(benefit) => (found.want, Some(facts(story, &benefit))),
        None => (facts(story, &found.want), None),
    };
    (story.role, story.want) = (story.role.take().or(Some(found.role)), Some(want));
    story.benefit = story.benefit.take().or(benefit);
    state(story, parts(rest));
    Ok(())
}

/// Uses the first part, or the heading of the first section, as the title, and as the want if it is an action.
fn begin(story: &mut Story, mut parts: Vec<Part>) {
    if !story.title.is_empty() || story.want.is_some() {
        return state(story, parts);
    }
    let first = match parts.first_mut().map(|part| part.section.take()) {
        Some(Some(section)) => {
            let own = parts.iter_mut().filter(|part| part.section.as_ref() == Some(&section));
            own.for_each(|part| part.section = None);
            Some(section)
        }
        Some(None) => Some(parts.remove(0).text),
        None => None,
    };
    if let Some(first) = first {
        let bare = facts(story, untagged(&first));
        titled(story, &title(&bare));
        let (_, whole) = bare.split_once(": ").filter(|(id, _)| is_id(id)).unwrap_or(("", &bare));
        story.want = action::infinitive(whole.trim_end_matches(['.', '!']));
        if is_criterion(&bare) {
            add(&mut story.criteria, std::iter::once(bare));
        } else if story.want.is_none() && story.title.ends_with('…') && !bare.ends_with('…') {
            story.technical_notes.push(bare);
        }
    }
    state(story, parts);
}

/// Sorts parts into rules and notes; facts and labels set their fields. The notes of a section are one note.
fn state(story: &mut Story, parts: Vec<Part>) {
    let mut notes: Vec<Part> = Vec::new();
    for Part { section, text, is_bullet } in parts {
        let text = facts(story, &text);
        if text.is_empty() {
            continue;
        }
        // What is done for each story says nothing of this one.
        let is_definition = section.as_deref().is_some_and(is_definition_of_done);
        if let Some(fields) = labelled(&text) {
            fields.apply(story);
        } else if !is_definition && (is_criterion(&text) || is_bullet && is_conditional(&text)) {
            add(&mut story.criteria, std::iter::once(text));
        } else if !is_definition
            && is_rule(&text)
            && (section.is_none() || is_bullet || obliges(&text))
        {
            add(&mut story.rules, std::iter::once(numbered(&text).to_owned()));
        } else if let Some(last) =
            notes.last_mut().filter(|last| section.is_some() && last.section == section)
        {
            last.text.push_str(if last.text.ends_with(['.', '!', '?']) { " " } else { "; " });
            last.text.push_str(&text);
        } else {
            notes.push(Part { section, text, is_bullet });
        }
    }
    let shown = |Part { section, text, .. }| match section {
        Some(name) => format!("{}: {text}", name.trim_end_matches([':', '.', ' '])),
        None => text,
    };
    add(&mut story.technical_notes, notes.into_iter().map(shown));
}

/// The fields of a sentence that is a label with its text: `Points: 3`.
fn labelled(text: &str) -> Option<StoryFields> {
    let (name, _) = text.split_once(": ")?;
    let schema = typed::schema_of::<StoryFields>();
    if !labels::is_label(&schema, name) {
        return None;
    }
    let read = labels::read(text.trim_end_matches('.'), &schema).ok()?;
    let is_whole = read.rest.is_empty() && !read.fields.is_empty();
    typed::read(&read.fields).ok().filter(|_| is_whole)
}

/// Words that indicate a rule.
const RULES: &str = "must may cannot can't only never always shall required forbidden nobody \
    mustn't";

/// Whether a sentence is a rule also where a section of prose, such as the description of a problem, has it.
fn obliges(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|word| lists("must mustn't shall required forbidden", word))
}

/// Whether a sentence is a criterion: `Given …`, or `When …, …`.
fn is_criterion(text: &str) -> bool {
    let begins = after(text, &["Given ", "When "]);
    begins.is_some_and(|rest| rest.contains([',', ':']))
}

/// Whether an item of a list is a criterion: `If …, …`, which in prose may be an argument.
fn is_conditional(text: &str) -> bool {
    after(text, &["If ", "After ", "Once ", "Unless "]).is_some_and(|rest| rest.contains(", "))
}

/// Whether a sentence is a rule: it has a word of obligation, or a bound.
fn is_rule(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let lower = text.to_lowercase();
    if ["at most ", "at least ", "no more than "].iter().any(|bound| lower.contains(bound)) {
        return true;
    }
    // "May" is a month.
    words.any(|word| word != "May" && lists(RULES, &word.to_lowercase()))
        || !bounds::find(text).is_empty()
}

/// Removes the facts at the end of a part and sets their fields: `…, 5 points, depends on US-0002 and US-0003`, or the
/// same in brackets. Tags such as `#bug` may follow them, and stay.
fn facts(story: &mut Story, part: &str) -> String {
    let (whole, tags) = tagged(part.trim_end_matches(['.', '!']));
    let mut bare = whole;
    for _ in 0..MOST_FACTS {
        let Some((before, found)) = last_facts(bare) else { break };
        complete(story, found);
        bare = before.trim_end_matches([',', ';', '.', ' ']);
    }
    if bare.len() == whole.len() { part.to_owned() } else { format!("{bare}{tags}") }
}

/// The facts at the end of a text, and the text before them. They are in brackets, or follow a comma, a semicolon, a
/// sentence or a bracket.
fn last_facts(text: &str) -> Option<(&str, Story)> {
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some((before, inside)) =
            text.strip_suffix(close).and_then(|text| text.rsplit_once(open))
            && let Some(found) = read_facts(inside)
        {
            return Some((before, found));
        }
    }
    let starts = text.match_indices([',', ';', '.', ')', ']']).map(|(at, _)| at + 1);
    let (at, found) =
        std::iter::once(0).chain(starts).find_map(|at| Some((at, read_facts(&text[at..])?)))?;
    Some((&text[..at], found))
}

/// Reads facts between commas and semicolons; a single id continues the dependencies before it.
fn read_facts(text: &str) -> Option<Story> {
    let mut facts = Story::default();
    for segment in text.split([',', ';']) {
        let lower = segment.trim().to_lowercase();
        let lower = lower.strip_prefix("and ").unwrap_or(&lower);
        let figures = ["story points", "story point", "points", "point", "pts", "sp"]
            .iter()
            .find_map(|unit| lower.strip_suffix(unit));
        let points = figures.and_then(|figures| figures.trim().parse().ok());
        if let Some(points) = points.filter(|points| *points <= 100 && facts.points.is_none()) {
            facts.points = Some(points);
            continue;
        }
        match segment.split_whitespace().collect::<Vec<_>>()[..] {
            ["epic", id] if is_id(id) && facts.epic.is_none() => {
                facts.epic = Some(id.to_owned());
                continue;
            }
            ["owner", name] if facts.owner.is_none() => {
                facts.owner = Some(name.to_owned());
                continue;
            }
            _ => {}
        }
        let ids = after(lower, &["depends on ", "blocked by ", "needs "])
            .or(Some(lower).filter(|_| !facts.dependencies.is_empty()))?;
        if ["nothing", "none", "no other story"].contains(&ids.trim()) {
            continue;
        }
        let words = ids.split([' ', '&']).filter(|word| !word.is_empty() && *word != "and");
        let ids: Vec<String> = words.map(str::to_uppercase).collect();
        if ids.is_empty() || !ids.iter().all(|id| is_id(id)) {
            return None;
        }
        facts.dependencies.extend(ids);
    }
    Some(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(given: &str) -> Story {
        let mut story = Story::default();
        text(&mut story, given, "topic").unwrap();
        entitle(&mut story);
        story
    }

    #[test]
    fn facts_are_taken_off_and_other_text_stays() {
        let story = read("Export invoices (5 points, epic EP-0002, owner api)");
        assert_eq!((story.points, story.epic.as_deref()), (Some(5), Some("EP-0002")));
        assert_eq!(story.owner.as_deref(), Some("api"));
        assert_eq!(story.title, "Export invoices");
        let story = read("Change the owner of an order, owner of a shop");
        assert_eq!(story.owner, None);
        let story = read("Implement rate limiting (5 points), depends on US-0232 and US-0233.");
        assert_eq!((story.title.as_str(), story.points), ("Implement rate limiting", Some(5)));
        assert_eq!(story.want.as_deref(), Some("to implement rate limiting"));
        assert_eq!(story.dependencies, ["US-0232", "US-0233"]);
        let story =
            read("As a user I want to pay, so that it is paid; 3 pts, blocked by US-1, US-2");
        assert_eq!((story.benefit.as_deref(), story.points), (Some("it is paid"), Some(3)));
        assert_eq!(story.dependencies, ["US-1", "US-2"]);
        let story =
            read("As a user I want to pay so that it is paid. [5 pts] Depends on US-12 and US-13.");
        assert_eq!((story.benefit.as_deref(), story.points), (Some("it is paid"), Some(5)));
        assert_eq!(story.dependencies, ["US-12", "US-13"]);
        let story = read("Add a search (3 points) #bug #ui.\n- It is fast (2 points) #12");
        assert_eq!(story.title, "Add a search #bug #ui");
        assert_eq!((story.points, story.technical_notes.len()), (Some(3), 1));
        let story = read("Show the score. It has 5 points, and a star");
        assert_eq!(
            (story.points, story.technical_notes),
            (None, vec!["It has 5 points, and a star".to_owned()])
        );
    }

    #[test]
    fn front_matter_is_metadata() {
        let story = read(
            "---\nname: Feature\nabout: \"An idea\"\ntitle: \"Export: all rows\"\nlabels: a, b\nassignees: ''\n\npoints: 3\n---\n\n\
             As a user I want to export.\n\n## Notes\n\nWe use CSV.",
        );
        assert_eq!((story.title.as_str(), story.points), ("Export: all rows", Some(3)));
        assert_eq!((story.role.as_deref(), story.technical_notes.len()), (Some("user"), 1));
    }

    #[test]
    fn what_follows_the_sentence_is_rules_and_notes() {
        let story =
            read("Pay\n\nAs a user I want to pay.\n- At most 3 tries\nWe met in May. It may fail.");
        assert_eq!((story.title.as_str(), story.role.as_deref()), ("Pay", Some("user")));
        assert_eq!(story.rules, ["At most 3 tries", "It may fail."]);
        assert_eq!(story.technical_notes, ["We met in May."]);
    }

    #[test]
    fn a_definition_of_done_is_a_note_and_the_type_of_an_issue_no_title() {
        let story = read(
            "# [FEATURE] Reset my password\n\nAs a user I want to pay.\n\n## Acceptance criteria\n\n- [ ] It is paid\n\n\
             ## Definition of Done\n\n- [ ] Code reviewed\n- [x] All tests must pass\n",
        );
        assert_eq!(story.title, "Reset my password");
        assert_eq!(story.criteria, ["It is paid"]);
        assert_eq!(
            story.technical_notes,
            ["Definition of Done: Code reviewed; All tests must pass"]
        );
        assert!(story.rules.is_empty(), "{:?}", story.rules);
        let story = read("[STORY] As a user I want to pay");
        assert_eq!((story.role.as_deref(), story.title.as_str()), (Some("user"), "Pay"));
        let story = read("---\ntitle: \"[FEATURE] \"\n---\n# [Feature request]: Export\n\nText");
        assert_eq!(story.title, "Export");
        let story = read("[Bug]: Export fails");
        assert_eq!(story.title, "Export fails");
        assert_eq!(read("[API] Export fails").title, "[API] Export fails");
    }

    #[test]
    fn steps_are_one_criterion_and_an_unknown_label_is_no_title() {
        let story = read(
            "Sign in\nAcceptance criteria:\n- Given a user with an account\n- When they sign in,\n- Then they see their orders\n\
             - And a greeting\n- Given no account\n- When they sign in, then they are asked to make one\nPoints: 5\nLabels: auth, sso",
        );
        assert_eq!((story.title.as_str(), story.points), ("Sign in", Some(5)));
        assert_eq!(
            story.criteria,
            [
                "Given a user with an account, when they sign in, then they see their orders, and a greeting",
                "Given no account, when they sign in, then they are asked to make one",
            ]
        );
        assert_eq!(story.technical_notes, ["Labels: auth, sso"]);
        let story = read(
            "As a user I want to pay.\n\nIf we wait, they leave.\n- If it fails, an error is shown",
        );
        assert_eq!(story.criteria, ["If it fails, an error is shown"]);
        let story = read("As a buyer I need prices in my currency, so my budget is kept.");
        assert_eq!(story.benefit.as_deref(), Some("my budget is kept"));
    }

    #[test]
    fn a_sentence_that_begins_as_a_story_is_read_or_refused() {
        let fault =
            text(&mut Story::default(), "As a user, login", "topic").unwrap_err().to_string();
        assert!(fault.contains("\"topic\", line 1: \"As a user, login\""), "{fault}");
    }
}
