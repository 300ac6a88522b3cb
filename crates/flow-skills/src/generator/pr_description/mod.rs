//! `pr-description`: describes a pull request from the commits of a branch, a story and the given evidence.
//!
//! Each commit and each criterion occurs once. A box is ticked only if the input contains the evidence.

mod commits;
mod input;

use indexmap::IndexSet;
use serde::Deserialize;
use serde_json::json;

use super::changes::Release;
use super::skill::{Needs, Skill};
use crate::input::kind::{Kind, Upstream};
use crate::input::notation::Notation;
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::values::{Line, TextOr};
use crate::output::{Artifact, Fault, Output, Result};
use crate::page::{Document, Finding, Form, LEVEL, Page, Section, bullets, headings};
use crate::project_state::{Context, Story as Record, recorded, text as member};
use crate::runtime::engine;
use crate::runtime::git::Branch;
use crate::story::cases::Cases;
use crate::story::scenario::Criteria;
use crate::text::prose::prose;
use crate::text::{headline, is_id, line, lists, sentences};
use crate::{output, page, story as user, text};
use commits::{Commit, Source};
use input::{Criterion, Input, Test};

const NAME: &str = "pr-description";
#[rustfmt::skip]
const SECTIONS: &[Section; 6] = &[
    Section::new("summary", "Summary", &["Description", "Why", "Motivation"], r"\<why the change is made>"),
    Section::optional("", "Changes", &[]),
    Section::new("tests", "Testing",
        &["Tested", "Tested with", "Test plan", "How it was tested", "How has this been tested?"],
        r"- \<what was run, and whether it passed>"),
    Section::optional("criteria", "Acceptance criteria", &[]),
    Section::new("checklist", "Checklist", &["Before the merge"], ""),
    Section::new("issues", "Related issues", &["Related", "Linked issues"],
        r"- \<which issue this closes, or none>"),
];
/// The box that tests tick.
const ALL_PASS: &str = "All tests pass";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Notation(Notation::List), "commits"),
            takes(ContentKind::Range, "range"),
            takes(ContentKind::Text, "summary"),
            takes(ContentKind::Markdown, "summary"),
        ],
        instead: &["from_story"],
        accepts: &[Kind::Changes, Kind::Commit, Kind::Criteria, Kind::Cases, Kind::Story],
        ..Definition::of::<Input>()
    },
    needs: Needs::Optional,
    gives: Kind::PullRequest,
    run: |given, context| generate(given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| verify(text)),
};

fn generate(mut input: Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let mut open = Vec::new();
    let summary = input.summary.as_deref().unwrap_or_default();
    if headings(summary).any(|(_, level, name)| level == 2 && name == "Changes") {
        let why = "the text is a description with its changes; complete it by hand, or give the range or the commits";
        return Err(Fault::Refused(why.to_owned()));
    }
    let release = upstream.map(Upstream::read::<Release>).transpose()?.flatten();
    let Source { commits, branch } = commits::all(&mut input, upstream, release.as_ref(), context)?;
    let mentions = read(&commits, input.summary.as_deref());
    if let Some(range) = input.range.as_ref().filter(|_| commits.is_empty()) {
        open.push(format!("commits: the range {range} has none (add range=BASE..HEAD)"));
    }
    let named = ids(&commits, branch.as_ref().and_then(|branch| branch.name.as_deref()));
    let story = story(&input, upstream, &named, context, &mut open)?;
    let mut criteria = story.criteria.clone();
    criteria.extend(input.criteria.iter().map(|given| given.0.clone()));
    let summary = input.summary.as_deref().and_then(without_mentions);
    let summary = summary.or_else(|| story.summary.clone());
    if commits.is_empty() && summary.is_none() && story.title.is_none() {
        return Err(nothing(&input, branch.as_ref()));
    }
    let version = release.and_then(|release| release.version);
    let titled = title(&input, &story, version.as_deref(), &commits, summary.as_deref());
    let mut tests: Vec<Test> = input.tests.iter().map(|test| test.0.clone()).collect();
    tests.extend(mentions.tests);
    open.extend(titled.open);
    let unmet = criteria.iter().filter(|criterion| criterion.evidence.is_none()).count();
    if unmet > 0 {
        let what = "tick each with what shows it";
        open.push(format!("evidence: not given for {unmet} criteria ({what})"));
    }
    let issues = issues(&input, &story, &mentions.issues);
    let groups = if titled.is_commit { Vec::new() } else { commits::grouped(&commits) };
    let checklist = checklist(&commits, &tests, &input.checklist);
    let page = Page {
        title: prose(&titled.title),
        front: Vec::new(),
        sections: vec![
            SECTIONS[0].with(titled.summary.as_deref()),
            SECTIONS[1].written(commits::written(&groups)),
            SECTIONS[2].written(bullets(tests.iter().map(Test::line))),
            SECTIONS[3].written(bullets(criteria.iter().map(Criterion::line))),
            SECTIONS[4].written(bullets(checklist.iter().map(Criterion::line))),
            SECTIONS[5].written(bullets(issues.iter().map(|issue| linked(issue)))),
        ],
    };
    open.extend(page.open());
    let model = json!({
        "title": titled.title,
        "summary": titled.summary,
        "changes": groups,
        "tests": tests,
        "criteria": criteria,
        "checklist": checklist,
        "issues": issues,
        "story": story.id,
        "open": open,
    });
    let text = engine::render_page(NAME, "assets/template.md.tera", &page)?;
    let artifact = Artifact::new("pull-request.md", "markdown", text);
    Ok(Output { data: model, artifacts: vec![artifact], open, ..Output::default() })
}

/// The fault if there is nothing to describe.
fn nothing(input: &Input, branch: Option<&Branch>) -> Fault {
    if let Some(range) = &input.range {
        return Fault::Refused(format!("the range {range} has no commits"));
    }
    let description = match branch.and_then(Branch::range) {
        Some(range) => format!("this branch has no commits of its own ({range})"),
        None => "what the pull request is of".to_owned(),
    };
    let expects = "messages, a range such as main..HEAD, a story or a summary";
    output::missing("commits", expects, &description)
}

/// An issue as Markdown: a number behind a hash is a link on the forge, and no heading.
fn linked(issue: &str) -> String {
    let number = issue.strip_prefix('#').and_then(|rest| rest.parse::<u64>().ok());
    number.map_or_else(|| prose(issue), |_| issue.to_owned())
}

/// The boxes, each with the evidence that ticks it.
fn checklist(commits: &[Commit], tests: &[Test], given: &[TextOr<Criterion>]) -> Vec<Criterion> {
    let known = |text: &str, evidence: Option<&str>| {
        let evidence = evidence.and_then(|evidence| Line::new(evidence).ok());
        Some(Criterion { text: Line::new(text).ok()?, evidence })
    };
    let all_pass = !tests.is_empty() && tests.iter().all(|test| test.passed == Some(true));
    let mut breaking = commits.iter().filter(|commit| commit.message.breaking).peekable();
    let is_breaking = breaking.peek().is_some();
    let is_told = breaking.all(|commit| commit.message.what_breaks().is_some());
    let what_breaks = || {
        let text = "What breaks is described, with what to do about it";
        known(text, is_told.then_some("see Changes"))
    };
    let boxes = [
        known(ALL_PASS, all_pass.then_some("see Testing")),
        known("Tests cover the change", None),
        known("The documentation is up to date", None),
        is_breaking.then(what_breaks).flatten(),
    ];
    let mut boxes: Vec<Criterion> = boxes.into_iter().flatten().collect();
    for TextOr(more) in given {
        match boxes.iter_mut().find(|known| known.text == more.text) {
            Some(known) => known.evidence = known.evidence.take().or_else(|| more.evidence.clone()),
            None => boxes.push(more.clone()),
        }
    }
    boxes
}

/// The story, the given issues, and those that commits and the summary mention, each once.
fn issues(input: &Input, story: &Story, named: &[String]) -> Vec<String> {
    let mut issues: Vec<String> = story.id.iter().map(|id| format!("Story {id}")).collect();
    let number =
        |issue: &str| issue.split_whitespace().find(|word| word.contains('#')).map(str::to_owned);
    for issue in input.issues.iter().map(|issue| &**issue).chain(named.iter().map(String::as_str)) {
        let wanted = number(issue);
        let is_there =
            |known: &String| known == issue || wanted.is_some() && number(known) == wanted;
        if !issues.iter().any(is_there) {
            issues.push(issue.to_owned());
        }
    }
    issues
}

/// Types of commits whose subject may be the title, the most important first; the others usually accompany these.
const MAIN: [&str; 6] = ["feat", "fix", "perf", "refactor", "revert", ""];

struct Titled {
    title: String,
    /// The summary without the sentence that became the title, or the body of the main commit.
    summary: Option<String>,
    /// Whether it is the whole of the only commit, which is then not listed again.
    is_commit: bool,
    open: Option<String>,
}

/// The title: given, that of the story or of a release, the summary's first sentence, or the subject of the main commit.
fn title(
    input: &Input,
    story: &Story,
    release: Option<&str>,
    commits: &[Commit],
    summary: Option<&str>,
) -> Titled {
    let kind = |commit: &Commit| MAIN.iter().position(|kind| *kind == commit.message.kind);
    let rank = |commit: &&Commit| {
        let kind = kind(commit);
        (kind.is_none(), !commit.message.breaking, kind)
    };
    let main = commits.iter().min_by_key(rank);
    let body = || main.and_then(|main| without_mentions(main.text()));
    let plain = |title: String| Titled {
        title,
        summary: summary.map(str::to_owned).or_else(body),
        is_commit: false,
        open: None,
    };
    if let Some(title) = &input.title {
        return plain(title.to_string());
    }
    if let Some(title) = &story.title {
        let id = story.id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
        return plain(line(&format!("{title}{id}")));
    }
    if let Some(version) = release {
        return plain(format!("Release {version}"));
    }
    let is_only = commits.len() == 1;
    let counts = |commit: &&Commit| kind(commit).is_some();
    let is_clear = is_only || commits.iter().filter(counts).count() == 1;
    if let Some(summary) = summary.filter(|_| !is_clear) {
        return of_summary(summary);
    }
    let open = format!("title: taken from one of {} commits (add title=TEXT)", commits.len());
    Titled {
        is_commit: is_only && main.is_some_and(|main| !main.message.breaking),
        open: Some(open).filter(|_| !is_clear),
        ..plain(main.map(|main| main.subject.clone()).unwrap_or_default())
    }
}

/// The first sentence of a summary as the title, and the rest.
fn of_summary(summary: &str) -> Titled {
    let (first, rest) = summary.split_once('\n').unwrap_or((summary, ""));
    let (title, first) = headline(&sentences(&line(first)));
    let left = format!("{first}\n{rest}");
    // An issue that ends the first line stands with the others.
    let lines = left.lines().filter(|line| !is_reference(line));
    let left = lines.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned();
    Titled {
        title,
        summary: Some(left).filter(|left| !left.trim().is_empty()),
        is_commit: false,
        open: None,
    }
}

/// Checks the title and the sections, that entries are unique, and that ticked boxes have evidence.
fn verify(text: &str) -> Vec<Finding> {
    page::check(text, &Form::new("# Title", SECTIONS), entries)
}

/// Checks list items: duplicates, boxes, and failed tests.
fn entries(document: &Document<'_>, findings: &mut Vec<Finding>) {
    findings.extend(page::doubled(document));
    for part in &document.parts {
        for (line, text) in part.items() {
            let mut add = |what: String| findings.push(Finding::new(line.number, what));
            let box_or_item = line.text.trim();
            if box_or_item.starts_with("- [ ]") {
                add(format!("not ticked: {text}; tick it with what shows it, or remove it"));
            } else if box_or_item.starts_with("- [x]") && !box_or_item.ends_with(')') {
                add(format!("ticked without what shows it: {text}; add it in parentheses"));
            }
            let is_failed = text.ends_with(": failed") || text.contains(": failed (");
            if is_failed && part.level == LEVEL && SECTIONS[2].is_named(part.name) {
                add(format!("a test failed: {text}"));
            }
        }
    }
}

/// The content of a story that the description uses.
#[derive(Debug, Default)]
struct Story {
    id: Option<String>,
    title: Option<String>,
    summary: Option<String>,
    criteria: Vec<Criterion>,
}

/// Finds the story. If commits name several, none is used.
fn story(
    input: &Input,
    upstream: Option<&Upstream>,
    ids: &[String],
    context: &Context,
    open: &mut Vec<String>,
) -> Result<Story> {
    if let Some(id) = &input.from_story {
        return Ok(of_record(recorded::record_of(id, context)?));
    }
    if let Some(story) = upstream.map(of_skill).transpose()?.flatten() {
        return Ok(story);
    }
    if !context.state.is_there() {
        return Ok(Story::default());
    }
    let mut known: Vec<Record> = Vec::new();
    for id in ids {
        known.extend(context.state.one("stories", id)?.map(Record::read));
    }
    if known.len() > 1 {
        let ids: Vec<&str> = known.iter().map(|story| story.id.as_str()).collect();
        open.push(format!("story: the commits name {} (add from_story=ID)", ids.join(", ")));
        return Ok(Story::default());
    }
    Ok(known.pop().map(of_record).unwrap_or_default())
}

/// The ids in commits and in the branch's name (`us-0012-passkey`), each once.
fn ids(commits: &[Commit], branch: Option<&str>) -> Vec<String> {
    /// Largest number of ids that are looked up.
    const MOST: usize = 50;
    let texts = commits.iter().flat_map(|commit| [&*commit.subject, &*commit.body]);
    let is_part = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let words = texts.flat_map(|text| text.split(is_part)).map(str::to_owned);
    let of_branch = branch.into_iter().flat_map(|name| name.split(is_part)).filter_map(|part| {
        let mut parts = part.split('-');
        Some(format!("{}-{}", parts.next()?, parts.next()?).to_uppercase())
    });
    let ids: IndexSet<String> = words.chain(of_branch).filter(|word| is_id(word)).collect();
    ids.into_iter().take(MOST).collect()
}

/// A criterion in a record: a text, or an object that may contain its evidence.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stated {
    Text(String),
    Object {
        #[serde(alias = "title", alias = "name")]
        text: String,
        evidence: Option<String>,
    },
}

impl Stated {
    fn criterion(self) -> Option<Criterion> {
        let (text, evidence) = match self {
            Self::Text(text) => (text, None),
            Self::Object { text, evidence } => (text, evidence),
        };
        let evidence = evidence.and_then(|evidence| Line::new(&evidence).ok());
        Some(Criterion { text: Line::new(&text).ok()?, evidence })
    }
}

fn of_record(record: Record) -> Story {
    // The record's own list may contain the evidence of each.
    let written = record.record.get("acceptance_criteria").cloned().unwrap_or_default();
    let stated: Vec<Stated> = serde_json::from_value(written)
        .unwrap_or_else(|_| record.criteria.iter().cloned().map(Stated::Text).collect());
    Story {
        summary: member(&record.record, &["description", "summary", "goal"]),
        criteria: stated.into_iter().filter_map(Stated::criterion).collect(),
        id: Some(record.id),
        title: Some(record.title),
    }
}

/// The story in the output of a story skill: the story itself, or with its scenarios or cases.
fn of_skill(before: &Upstream) -> Result<Option<Story>> {
    let texts = |texts: Vec<String>| -> Vec<Criterion> {
        texts.into_iter().map(Stated::Text).filter_map(Stated::criterion).collect()
    };
    let (id, title, criteria) = if let Some(story) = before.read::<user::Story>()? {
        (story.id, story.title, story.criteria)
    } else if let Some(Criteria { story, scenarios, .. }) = before.read()? {
        (story.id, story.title, scenarios.into_iter().map(|scenario| scenario.name).collect())
    } else if let Some(Cases { story, criteria, .. }) = before.read()? {
        (story.id, story.title, criteria.into_iter().map(|traced| traced.name).collect())
    } else {
        return Ok(None);
    };
    let title = Some(title).filter(|title| !title.trim().is_empty());
    Ok(Some(Story { id, title, summary: None, criteria: texts(criteria) }))
}

/// Words before an issue for the relation to it; as a trailer, its value is an issue in any format.
const RELATIONS: &str =
    "close closes closed fix fixes fixed resolve resolves resolved refs ref see related issue";
/// Trailers about tests.
const TESTED: &str = "tested tested-with test-plan testing tests verified-with";

#[derive(Debug, Default)]
struct Mentions {
    issues: Vec<String>,
    tests: Vec<Test>,
}

/// Finds them, each once.
fn read(commits: &[Commit], summary: Option<&str>) -> Mentions {
    let mut mentions = Mentions::default();
    let texts = summary.into_iter().chain(commits.iter().map(Commit::text));
    for line in texts.flat_map(str::lines) {
        mentions.issues_of(line);
    }
    for footer in commits.iter().flat_map(|commit| &commit.message.footers) {
        let token = footer.token.to_lowercase();
        if lists(TESTED, &token) {
            let test = Line::new(&footer.value).ok().and_then(|line| Test::try_from(line).ok());
            let test = test.filter(|test| !mentions.tests.contains(test));
            mentions.tests.extend(test);
        } else if footer.value.contains('#') || lists(RELATIONS, &token) {
            mentions.issue(&format!("{} {}", footer.token, footer.value));
        }
    }
    mentions
}

impl Mentions {
    fn issue(&mut self, issue: &str) {
        let issue = text::line(issue);
        if !issue.is_empty() && !self.issues.contains(&issue) {
            self.issues.push(issue);
        }
    }

    /// Adds the issues of a line that has nothing else, each with its relation.
    fn issues_of(&mut self, line: &str) {
        if !is_reference(line) {
            return;
        }
        let mut relation = "";
        for word in words(line) {
            if is_issue(word) {
                self.issue(&format!("{relation} {word}"));
            } else if word != "and" {
                relation = word;
            }
        }
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', ',', ':', '.']).filter(|word| !word.is_empty())
}

/// A text without the lines that contain only issues; `None` if nothing is left.
fn without_mentions(text: &str) -> Option<String> {
    let kept: Vec<&str> = text.lines().filter(|line| !is_reference(line)).collect();
    let kept = kept.join("\n").trim_matches('\n').to_owned();
    Some(kept).filter(|kept| !kept.trim().is_empty())
}

/// Whether a line contains only issues or stories, and their relations.
fn is_reference(line: &str) -> bool {
    let (named, others): (Vec<&str>, Vec<&str>) =
        words(line).partition(|word| is_issue(word) || is_id(word));
    let is_relation = |word: &&str| {
        lists(RELATIONS, &word.to_lowercase()) || ["and", "of", "Part"].contains(word)
    };
    !named.is_empty() && others.iter().all(is_relation)
}

/// Whether a word is an issue: `#12`, or `owner/name#12`.
fn is_issue(word: &str) -> bool {
    let Some((project, number)) = word.split_once('#') else { return false };
    let is_project = project.is_empty()
        || project.split('/').count() == 2
            && project.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    is_project && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}
