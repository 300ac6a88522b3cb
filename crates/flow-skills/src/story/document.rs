//! Reads acceptance criteria: the Markdown of flow, a feature, a story, or one sentence per line.

use super::scenario::titled;
use super::scenario::with_steps;
use super::scenario::{Criteria, Keyword, Read, Scenario, Step, unlabelled};
use super::{Story, criteria, gherkin, limits, read, sentence};
use crate::input::recognise::is_feature;
use crate::output::Result;
use crate::text::{after, front_matter, item, line, plain, sentences, title, unused_with};

/// The prefixes of the story's title in the heading of criteria.
const TITLES: [&str; 3] =
    ["Acceptance criteria of ", "Acceptance criteria: ", "Acceptance criteria for "];

/// Reads criteria from the text in `field`.
///
/// # Errors
/// When a label of a story does not fit, or a limit is exceeded.
pub fn criteria(text: &str, field: &str) -> Result<Read> {
    let body = front_matter(text).map_or(text, |(_, body)| body);
    let mut read = if is_feature(body.trim()) {
        of_feature(body, field)?
    } else if let Some((features, rest)) = blocks(text) {
        markdown(&features, &rest, field)?
    } else if body.lines().any(|line| rule(line).is_some()) {
        markdown("", text, field)?
    } else if read::is_document(text) || sentence::split(text).is_some() {
        let mut story = Story::default();
        read::text(&mut story, text, field)?;
        let mut read = of_story(story)?;
        read.notes.insert(
            0,
            "the text is a story, so its acceptance criteria were generated first".to_owned(),
        );
        read
    } else {
        Read { criteria: statements(text), notes: Vec::new() }
    };
    limits::count(field, read.criteria.scenarios.len(), "criteria")?;
    name(&mut read.criteria.scenarios);
    Ok(read)
}

/// The scenarios of a feature; each rule and sentence of its story is a criterion too.
fn of_feature(text: &str, field: &str) -> Result<Read> {
    let mut read = gherkin::read(text, field)?;
    let story = &mut read.criteria.story;
    let more = [std::mem::take(&mut story.rules), std::mem::take(&mut story.criteria)].concat();
    if story.title.is_empty() {
        let mut names = read.criteria.scenarios.iter().map(|scenario| &scenario.name);
        story.title =
            names.find(|name| !name.is_empty()).map_or("Feature".into(), |name| title(name));
    }
    add(&mut read.criteria, &more);
    Ok(read)
}

/// The criteria of a story.
pub(crate) fn of_story(mut story: Story) -> Result<Read> {
    read::entitle(&mut story);
    limits::check(&story)?;
    let (criteria, notes) = criteria::with(story, Vec::new());
    Ok(Read { criteria, notes })
}

/// A criterion per sentence, or per scenario. A line before bullets is the title.
fn statements(text: &str) -> Criteria {
    let mut criteria = Criteria::default();
    let filled = || text.lines().filter(|line| !line.trim().is_empty());
    let is_titled = filled().count() > 1 && filled().skip(1).all(|line| item(line).is_some());
    let first = filled().next().filter(|first| is_titled && item(first).is_none());
    if let Some(first) = first {
        titled(&mut criteria.story, first);
    }
    let mut lines: Vec<String> = Vec::new();
    for raw in filled().skip(usize::from(first.is_some())) {
        let bare = line(item(raw).unwrap_or(raw));
        match after(&bare, &["Title:"]) {
            Some(name) if !name.trim().is_empty() => titled(&mut criteria.story, name),
            _ if bare.is_empty() => {}
            _ => lines.push(bare),
        }
    }
    let several = |text: String| match Step::all(unlabelled(&text)) {
        Some(_) => vec![text],
        None => text.split("; ").flat_map(sentences).collect(),
    };
    let all: Vec<String> = with_steps(lines.into_iter()).into_iter().flat_map(several).collect();
    add(&mut criteria, &all);
    criteria
}

/// Adds sentences as criteria.
pub fn add(criteria: &mut Criteria, sentences: &[String]) {
    for text in sentences.iter().filter(|text| !text.is_empty()) {
        let number = criteria.scenarios.len() + 1;
        criteria.scenarios.push(Scenario::stated(format!("AC-C{number}"), text));
    }
    name(&mut criteria.scenarios);
    if criteria.story.title.is_empty() {
        let first = criteria.scenarios.first().map(|scenario| scenario.name.as_str());
        criteria.story.title = title(first.unwrap_or("Acceptance criteria"));
    }
}

/// Reads Markdown with features in blocks of code, and rules in lists; other text belongs to the story.
fn markdown(features: &str, rest: &str, field: &str) -> Result<Read> {
    let mut read = gherkin::read(features, field)?;
    let rules = rest.lines().filter_map(rule);
    read.criteria.scenarios.extend(rules);
    let rest: Vec<&str> = rest.lines().filter(|line| rule(line).is_none()).collect();
    let mut story = Story::default();
    read::text(&mut story, &rest.join("\n"), field)?;
    if let Some(title) = after(&story.title, &TITLES).map(str::to_owned) {
        titled(&mut story, &title);
    }
    let named = &mut read.criteria.story;
    if named.title.is_empty() {
        titled(named, &std::mem::take(&mut story.title));
    }
    read::complete(named, story);
    limits::check(named)?;
    // Each of its rules and sentences is a criterion too.
    let more = [std::mem::take(&mut named.rules), std::mem::take(&mut named.criteria)].concat();
    named.technical_notes.clear();
    add(&mut read.criteria, &more);
    Ok(read)
}

/// The features in the blocks of code of a document, on their lines, and the text without them. The first line is the
/// keyword of a feature, if none has one.
pub fn blocks(text: &str) -> Option<(String, String)> {
    let mut fence: Option<&str> = None;
    let mut has_block = false;
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let bare = line.trim();
        let opens = bare
            .strip_suffix("gherkin")
            .filter(|mark| mark.len() > 2 && mark.chars().all(|c| c == '`'));
        let (feature, other) = match (fence, opens) {
            (Some(mark), _) if bare == mark => {
                fence = None;
                ("", "")
            }
            (Some(_), _) => (line, ""),
            (None, Some(mark)) => {
                fence = Some(mark);
                has_block = true;
                ("", "")
            }
            (None, None) => ("", line),
        };
        inside.push(feature);
        outside.push(other);
    }
    if !inside.iter().any(|line| line.trim().starts_with("Feature:"))
        && let Some(first) = inside.first_mut()
    {
        *first = "Feature:";
    }
    has_block.then(|| (inside.join("\n"), outside.join("\n")))
}

/// A text as a block of code, whose fence is longer than any in it.
pub fn block(feature: &str) -> String {
    let longest = feature.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}gherkin\n{}\n{fence}", feature.trim_end())
}

/// The rule in an item: `- AC-R1: A link expires after 30 minutes`.
fn rule(raw: &str) -> Option<Scenario> {
    let text = plain(item(raw)?);
    let (id, text) =
        text.split_once(": ").filter(|(id, _)| id.starts_with("AC-") && !id.contains(' '))?;
    let step = Step::new(Keyword::Then, line(text));
    let (id, name) = (id.to_owned(), title(text));
    Some(Scenario { id, name, steps: vec![step], ..Scenario::default() })
}

/// Gives each scenario a unique id.
fn name(scenarios: &mut [Scenario]) {
    let mut taken = std::collections::HashSet::new();
    for (at, scenario) in scenarios.iter_mut().enumerate() {
        let id =
            if scenario.id.is_empty() { format!("AC-{}", at + 1) } else { scenario.id.clone() };
        scenario.id = unused_with("-", &id, |id| taken.insert(id.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_before_bullets_is_the_title() {
        let of = |text: &str| {
            let read = criteria(text, "criteria").unwrap().criteria;
            (read.story.title, read.scenarios.len())
        };
        let rules = "- A review has at least 20 characters\n- Hosts reply only once";
        assert_eq!(of(&format!("Guest reviews:\n\n{rules}")), ("Guest reviews".to_owned(), 2));
        assert_eq!(of(rules).1, 2);
        assert_eq!(of("Only guests may write\nHosts may reply").1, 2);
    }
}
