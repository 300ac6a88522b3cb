//! `pr-description`: describes a pull request from the commits of a branch, a story and the given evidence.
//!
//! Each commit and each criterion occurs once. A box is ticked only if the input contains the evidence.

use std::collections::HashSet;

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::conventional::{Commit, Footer, History, Message, OTHER, footer, is_log};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, Upstream, takes};
use crate::input::notation::{Notation, list};
use crate::input::recognise::is_commit;
use crate::input::values::{Block, Line, TextOr, TextOrList, Word};
use crate::output::{Artifact, Fault, Output, Result, bad_text, missing};
use crate::page::{self, Document, Finding, Form, LEVEL, Page, Section, bullets, headings, titled};
use crate::project_state::{Context, Story as Record, recorded, say, text as member};
use crate::runtime::engine;
use crate::runtime::git::{self, Branch};
use crate::story as user;
use crate::text::prose::{inline, prose};
use crate::text::{after, is_id, line, lists};

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
        accepts: &[Kind::Commit, Kind::Story],
        ..Definition::of::<Input>()
    },
    needs: Needs::Optional,
    gives: Kind::PullRequest,
    run: |given, context| generate(given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| page::check(text, &Form::new("# Title", SECTIONS), entries)),
};

/// The content of a pull request. Without commits, a range and a summary, the commits of the current branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = page::Labels(SECTIONS))]
struct Input {
    /// The id of a story of the project, whose title and criteria are used.
    from_story: Option<Word>,
    /// A git range such as main..HEAD; merges are left out.
    range: Option<Word>,
    /// The commits, the oldest first: messages, with or without the ids of `git log --oneline`.
    commits: Option<TextOrList<Block>>,
    /// The title.
    #[schemars(extend("x-title" = true))]
    title: Option<Line>,
    /// The purpose, in paragraphs.
    #[schemars(extend("x-rest" = true))]
    summary: Option<Block>,
    /// Acceptance criteria, beside the story's; a ticked one has what shows it in parentheses.
    #[serde(default)]
    #[schemars(extend("x-boxes" = true))]
    criteria: Vec<TextOr<Criterion>>,
    /// What must be done before the merge, beside tests and documentation; a ticked one has what shows it in parentheses.
    #[serde(default)]
    #[schemars(extend("x-boxes" = true))]
    checklist: Vec<TextOr<Criterion>>,
    /// What was run or tried, each as `npm test: passed`, or with a box that is ticked if it passed.
    #[serde(default)]
    #[schemars(extend("x-boxes" = true))]
    tests: Vec<TextOr<Test>>,
    /// Related issues, such as `Closes #12`.
    #[serde(default)]
    #[schemars(extend("x-commas" = true))]
    issues: Vec<Line>,
}

/// A criterion.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Criterion {
    /// The condition.
    text: Line,
    /// The evidence that it is met.
    evidence: Option<Line>,
}

impl Criterion {
    /// It as a box of Markdown, which its evidence ticks.
    fn line(&self) -> String {
        let text = prose(&self.text);
        match &self.evidence {
            Some(evidence) => format!("[x] {text} ({})", inline(evidence)),
            None => format!("[ ] {text}"),
        }
    }
}

impl TryFrom<Line> for Criterion {
    type Error = &'static str;

    fn try_from(text: Line) -> Result<Self, &'static str> {
        let ticked = after(&text, &["[x] "]);
        let shown = ticked.and_then(|text| text.strip_suffix(')')?.rsplit_once(" ("));
        let (bare, evidence) = match shown {
            Some((bare, evidence)) => (bare, Line::new(evidence).ok()),
            None => (ticked.or(text.strip_prefix("[ ] ")).unwrap_or(&text), None),
        };
        Ok(Self { text: Line::new(bare)?, evidence })
    }
}

/// A test run, or something that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Test {
    /// What was run or tried.
    command: Line,
    /// Whether it passed.
    passed: Option<bool>,
    /// The result.
    result: Option<Line>,
}

impl Test {
    /// It as Markdown, with its verdict and result.
    fn line(&self) -> String {
        let verdict = match self.passed {
            Some(true) => ": passed",
            Some(false) => ": failed",
            None => "",
        };
        let result = self.result.as_ref().map(|result| format!(" ({})", inline(result)));
        format!("{}{verdict}{}", prose(&self.command), result.unwrap_or_default())
    }
}

impl TryFrom<Line> for Test {
    type Error = &'static str;

    /// `npm test: passed (212 passed)`, `npm test passes`, `pytest: 1 failed, 40 passed`, `[x] npm test`; the verdict and
    /// the text in parentheses are optional. A box that is not ticked says that it was not done.
    fn try_from(line: Line) -> Result<Self, &'static str> {
        let ticked = after(&line, &["[x] "]);
        let open = line.strip_prefix("[ ] ");
        let text = ticked.or(open).unwrap_or(&line);
        let (head, result) = match text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
            Some((head, result)) => (head, Line::new(result).ok()),
            None => (text, None),
        };
        if let Some((command, said)) = head.rsplit_once(": ")
            && let Some(passed) = verdict(said)
        {
            let counts = said.contains(' ').then(|| Line::new(said).ok()).flatten();
            let result = result.or(counts);
            return Ok(Self { command: Line::new(command)?, passed: Some(passed), result });
        }
        if let Some((command, said)) = head.rsplit_once(' ')
            && let Some(passed) = verdict(said).filter(|_| is_command(command))
        {
            let command = Line::new(command.trim_end_matches(':'))?;
            return Ok(Self { command, passed: Some(passed), result });
        }
        let result = open.map(|_| Line::new("not done")).transpose()?;
        Ok(Self { command: Line::new(text)?, passed: ticked.map(|_| true), result })
    }
}

/// Tests, of which one that is only counts belongs to the one before: `cargo test: 3 passed; 1 failed`.
fn whole(given: impl Iterator<Item = Test>) -> Vec<Test> {
    let mut tests: Vec<Test> = Vec::new();
    for test in given {
        let counted = verdict(&test.command).filter(|_| test.passed.is_none());
        match (counted, tests.last_mut()) {
            (Some(passed), Some(last)) if last.passed.is_some() => {
                last.passed = last.passed.map(|before| before && passed);
                let result = last.result.iter().map(ToString::to_string);
                let result: Vec<String> = result.chain([test.command.to_string()]).collect();
                last.result = Line::new(&result.join(", ")).ok();
            }
            _ => tests.push(test),
        }
    }
    tests
}

/// Whether tests passed, by a word, or by counts of which each word is known: `passed`, `1 failed, 40 passed`.
fn verdict(said: &str) -> Option<bool> {
    match said {
        "passed" | "passes" => return Some(true),
        "failed" | "fails" => return Some(false),
        _ => {}
    }
    let [mut failed, mut passed] = [0_u64; 2];
    for count in said.split(", ") {
        let (number, word) = count.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match word {
            "failed" | "failures" | "failure" | "errors" | "error" => failed += number,
            "passed" | "passing" => passed += number,
            "skipped" | "ignored" | "pending" | "todo" => {}
            _ => return None,
        }
    }
    (failed + passed > 0).then_some(failed == 0)
}

/// Whether a text before a verdict is what was run, and no part of the verdict: `not all`, `1 failed, 40`.
fn is_command(text: &str) -> bool {
    let is_part = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        word.is_empty()
            || word.bytes().all(|byte| byte.is_ascii_digit())
            || lists("not all none some no never failed passed partly only", &word)
    };
    !text.split(' ').any(is_part)
}

fn generate(mut input: Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let summary = input.summary.as_deref().unwrap_or_default();
    if headings(summary).any(|(_, level, name)| level == 2 && name == "Changes") {
        let why = "the text is a description with its changes; complete it by hand, or give the range or the commits";
        return Err(Fault::Refused(why.to_owned()));
    }
    if summary.starts_with("diff --git ") {
        let why = "the text is a diff, which says what changed, but not why; give the range, such as main..HEAD";
        return Err(Fault::Refused(why.to_owned()));
    }
    if let Some(line) = input.summary.take_if(|text| !text.contains('\n')) {
        named(&mut input, line, context)?;
    }
    let mut open = Vec::new();
    let mut notes = Vec::new();
    let (commits, branch) = commits(&mut input, upstream, context, &mut notes)?;
    if let Some(range) = input.range.as_ref().filter(|_| commits.is_empty()) {
        open.push(format!("commits: the range {range} has none (add range=BASE..HEAD)"));
    }
    let named = ids(&commits, branch.as_ref().and_then(|branch| branch.name.as_deref()));
    let story = story(&input, upstream, &named, context, &mut open)?;
    let mut mentions = Mentions::default();
    let own = input.summary.as_deref().and_then(|text| mentions.taken_out_of(text));
    for message in commits.iter().map(|commit| &commit.message) {
        mentions.taken_out_of(message.body.as_deref().unwrap_or_default());
        for footer in &message.footers {
            mentions.take(footer);
        }
    }
    if commits.is_empty() && own.is_none() && story.title.is_none() {
        return Err(nothing(&input, branch.as_ref()));
    }
    let Titled { title, summary, is_commit } = title(&input, &story, &commits, own, &mut open);
    let tests = whole(input.tests.iter().map(|test| test.0.clone()).chain(mentions.tests));
    let of_story = story.criteria.into_iter().filter_map(|text| Criterion::try_from(text).ok());
    let given = input.criteria.iter().map(|given| given.0.clone());
    let criteria: Vec<Criterion> = of_story.chain(given).collect();
    let unmet = criteria.iter().filter(|criterion| criterion.evidence.is_none()).count();
    if unmet > 0 {
        let what = "tick each with what shows it";
        open.push(format!("evidence: not given for {unmet} criteria ({what})"));
    }
    let of_story = story.id.iter().map(|id| format!("Story {id}"));
    let given = input.issues.iter().map(ToString::to_string);
    let issues: IndexSet<String> = of_story.chain(given).chain(mentions.issues).collect();
    let checklist = checklist(&commits, &tests, &input.checklist);
    let listed = if is_commit { String::new() } else { listed(&commits) };
    let page = Page {
        title: prose(&title),
        front: Vec::new(),
        sections: vec![
            SECTIONS[0].with(summary.as_deref()),
            SECTIONS[1].written(listed),
            SECTIONS[2].written(bullets(tests.iter().map(Test::line))),
            SECTIONS[3].written(bullets(criteria.iter().map(Criterion::line))),
            SECTIONS[4].written(bullets(checklist.iter().map(Criterion::line))),
            SECTIONS[5].written(bullets(issues.iter().map(|issue| linked(issue)))),
        ],
    };
    open.extend(page.open());
    let subjects: Vec<String> = commits.iter().map(Commit::subject).collect();
    let data = json!({
        "title": title, "summary": summary, "commits": subjects, "tests": tests, "criteria": criteria,
        "checklist": checklist, "issues": issues, "story": story.id,
    });
    let text = engine::render_page(NAME, "assets/template.md.tera", &page)?;
    let artifacts = vec![Artifact::new("pull-request.md", "markdown", text)];
    Ok(Output { data, artifacts, open, notes })
}

/// Takes one line in place of a summary: the id of a story is that story. A branch, or any other revision, is refused.
fn named(input: &mut Input, line: Block, context: &Context) -> Result<()> {
    if recorded::named_alone(&line, context)?.is_some() {
        input.from_story = Word::new(&line).ok();
    } else if git::is_revision(&context.folder, &line) {
        let allowed = "a range such as main..HEAD, a story's id, or text";
        return Err(bad_text("summary", &line, allowed));
    } else {
        input.summary = Some(line);
    }
    Ok(())
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
    missing("commits", "messages, a range such as main..HEAD, a story or a summary", &description)
}

/// The commits: given, of a range, or of the previous skill; else those of the current branch, with that branch.
fn commits(
    input: &mut Input,
    upstream: Option<&Upstream>,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<(Vec<Commit>, Option<Branch>)> {
    // What `git log --oneline` or `git log --format=%s` prints is not a summary, nor is a message.
    let is_list = |text: &str| is_log(text) || is_subjects(text);
    if input.commits.is_none()
        && let Some(text) = input.summary.take_if(|text| is_list(text) || is_message(text))
    {
        let is_message = is_message(&text);
        input.commits =
            Some(if is_message { TextOrList::Items(vec![text]) } else { TextOrList::Text(text) });
    }
    let is_bare = input.commits.is_none() && input.range.is_none() && upstream.is_none();
    let mut commits = match input.commits.take() {
        Some(TextOrList::Text(text)) => {
            let items = list::read(&text).map_err(|misfit| misfit.fault("commits"))?;
            items
                .iter()
                .map(|item| Commit::given(item.to_string().trim_start_matches("- ")))
                .collect()
        }
        Some(TextOrList::Items(items)) => {
            items.iter().map(|message| Commit::given(message)).collect()
        }
        None => Vec::new(),
    };
    let branch = is_bare.then(|| git::branch(&context.folder).ok()).flatten();
    let branch = branch.filter(|branch| branch.base.is_some());
    let of_branch = branch.as_ref().and_then(Branch::range);
    if let Some(range) = input.range.as_deref().or(of_branch.as_deref()) {
        let history = History::of(&context.folder, range)?;
        let left_out = [
            (history.undone, "reverted or reverting"),
            (history.corrections, "correcting an earlier one"),
        ];
        for (count, what) in left_out.into_iter().filter(|(count, _)| *count > 0) {
            notes.push(format!("left out: {} {what}", say::counted(count, "commit", "commits")));
        }
        commits.extend(history.commits);
    }
    let message = upstream.map(Upstream::read::<Message>).transpose()?.flatten();
    commits.extend(message.map(|message| Commit { id: None, message }));
    let mut seen = HashSet::new();
    commits.retain(|commit| commit.id.as_ref().is_none_or(|id| seen.insert(id.clone())));
    Ok((commits, branch))
}

/// Whether a text is the subjects of commits: several lines, none empty, of which one follows the convention. No subject
/// of another form ends as a sentence.
fn is_subjects(text: &str) -> bool {
    let lines = || text.trim().lines();
    let is_subject =
        |line: &str| is_commit(line) || !line.trim().is_empty() && !line.trim_end().ends_with('.');
    lines().nth(1).is_some() && lines().all(is_subject) && lines().any(is_commit)
}

/// Whether a text is the message of one commit: a subject of the convention, and an empty line if there is more.
fn is_message(text: &str) -> bool {
    let mut lines = text.trim().lines();
    lines.next().is_some_and(is_commit) && lines.next().is_some_and(|line| line.trim().is_empty())
}

/// The headings of commits, in their order.
const HEADINGS: [&str; 5] = ["Features", "Fixes", "Documentation", "Tests", OTHER];

/// The commits under their headings, which say their types.
fn listed(commits: &[Commit]) -> String {
    let line = |Commit { id, message }: &Commit| {
        let is_typed = message.known().is_some_and(|kind| kind.heading != OTHER);
        let scope = message.scope.as_deref().filter(|_| is_typed);
        let text = if is_typed { message.description.clone() } else { message.header() };
        let id = id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
        message.item(scope, &text) + &id
    };
    let group = |name: &&str| {
        let heading = |commit: &Commit| commit.message.known().map_or(OTHER, |kind| kind.heading);
        let below = commits.iter().filter(|commit| heading(commit) == *name);
        let below = bullets(below.map(line));
        (!below.is_empty()).then(|| format!("### {name}\n\n{below}"))
    };
    HEADINGS.iter().filter_map(group).collect::<Vec<_>>().join("\n\n")
}

/// An issue as Markdown: a number, with or without a hash, is a link on the forge, and no heading.
fn linked(issue: &str) -> String {
    let number = issue.strip_prefix('#').unwrap_or(issue).parse::<u64>().ok();
    number.map_or_else(|| prose(issue), |number| format!("#{number}"))
}

/// The boxes, each with the evidence that ticks it.
fn checklist(commits: &[Commit], tests: &[Test], given: &[TextOr<Criterion>]) -> Vec<Criterion> {
    let all_pass = !tests.is_empty() && tests.iter().all(|test| test.passed == Some(true));
    let breaking = || commits.iter().filter(|commit| commit.message.breaking);
    let is_told = breaking().all(|commit| commit.message.what_breaks().is_some());
    let breaks = ("What breaks is described, with what to do about it", is_told, "see Changes");
    let known = [
        ("All tests pass", all_pass, "see Testing"),
        ("Tests cover the change", false, ""),
        ("The documentation is up to date", false, ""),
    ];
    let known = known.into_iter().chain(breaking().next().map(|_| breaks));
    let known = known.filter_map(|(text, is_shown, evidence)| {
        let evidence = Line::new(evidence).ok().filter(|_| is_shown);
        Some(Criterion { text: Line::new(text).ok()?, evidence })
    });
    let mut boxes: Vec<Criterion> = known.collect();
    for TextOr(more) in given {
        match boxes.iter_mut().find(|known| known.text == more.text) {
            Some(known) => known.evidence = known.evidence.take().or_else(|| more.evidence.clone()),
            None => boxes.push(more.clone()),
        }
    }
    boxes
}

struct Titled {
    title: String,
    summary: Option<String>,
    /// Whether the title is the whole of the only commit, which is then not listed again.
    is_commit: bool,
}

/// The title and the summary: given, those of the story, the summary's first sentence and its rest, or the subject and the
/// body of the main commit.
fn title(
    input: &Input,
    story: &Story,
    commits: &[Commit],
    own: Option<String>,
    open: &mut Vec<String>,
) -> Titled {
    let is_noticed = |message: &Message| message.known().is_none_or(|kind| kind.group.is_some());
    let rank = |commit: &&Commit| {
        let Message { breaking, .. } = &commit.message;
        let place =
            super::conventional::KINDS.iter().position(|kind| kind.name == commit.message.kind);
        (!is_noticed(&commit.message), !breaking, place.unwrap_or(usize::MAX))
    };
    let main = commits.iter().min_by_key(rank).map(|commit| &commit.message);
    let noticed = commits.iter().filter(|commit| is_noticed(&commit.message)).count();
    let is_clear = commits.len() == 1 || noticed == 1;
    let body = main.and_then(|main| Mentions::default().taken_out_of(main.body.as_deref()?));
    let has_more = |text: &str| !titled(text).1.trim().is_empty();
    let story_title = story.title.as_ref().map(|title| match &story.id {
        Some(id) => line(&format!("{title} ({id})")),
        None => line(title),
    });
    let stated = input.title.as_ref().map(ToString::to_string).or(story_title);
    let (title, own, is_commit) = match (stated, own, main) {
        (Some(title), own, _) => (title, own, false),
        // A summary of one sentence stays the summary where a commit has a title.
        (None, Some(own), _) if !is_clear && (main.is_none() || has_more(&own)) => {
            let (title, rest) = titled(&own);
            // A summary of one sentence is both.
            let summary = if rest.trim().is_empty() { own } else { rest };
            (title, Some(summary), false)
        }
        (None, own, main) => {
            if !is_clear {
                let count = commits.len();
                open.push(format!("title: taken from one of {count} commits (add title=TEXT)"));
            }
            let title = main.map(|main| line(&main.header())).unwrap_or_default();
            (title, own, commits.len() == 1 && main.is_some_and(|main| !main.breaking))
        }
    };
    let summary = own.or_else(|| story.summary.clone()).or(body);
    Titled { title, summary, is_commit }
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
    criteria: Vec<Line>,
}

impl Story {
    fn of_record(record: Record) -> Self {
        Self {
            summary: member(&record.record, &["description", "summary", "goal"]),
            criteria: record.criteria.iter().filter_map(|text| Line::new(text).ok()).collect(),
            id: Some(record.id),
            title: Some(record.title),
        }
    }

    fn of_skill(story: user::Story) -> Self {
        Self {
            title: Some(story.title).filter(|title| !title.trim().is_empty()),
            criteria: story.criteria.iter().filter_map(|text| Line::new(text).ok()).collect(),
            id: story.id,
            summary: None,
        }
    }
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
        return Ok(Story::of_record(recorded::record_of(id, context)?));
    }
    if let Some(story) = upstream.map(Upstream::read::<user::Story>).transpose()?.flatten() {
        return Ok(Story::of_skill(story));
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
    Ok(known.pop().map(Story::of_record).unwrap_or_default())
}

/// Largest number of ids that are looked up.
const MOST_IDS: usize = 50;

/// The ids in commits and in the branch's name (`us-0012-passkey`), each once.
fn ids(commits: &[Commit], branch: Option<&str>) -> Vec<String> {
    let is_part = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let mut ids = IndexSet::new();
    for Message { description, body, footers, .. } in commits.iter().map(|commit| &commit.message) {
        let footers = footers.iter().map(|footer| footer.value.as_str());
        let texts = [description.as_str()].into_iter().chain(body.as_deref()).chain(footers);
        ids.extend(texts.flat_map(|text| text.split(is_part)).map(str::to_owned));
    }
    ids.extend(branch.into_iter().flat_map(|name| name.split(is_part)).filter_map(|part| {
        let mut parts = part.split('-');
        Some(format!("{}-{}", parts.next()?, parts.next()?).to_uppercase())
    }));
    ids.into_iter().filter(|word| is_id(word)).take(MOST_IDS).collect()
}

/// Tokens before an issue for the relation to it.
const RELATIONS: &str =
    "close closes closed fix fixes fixed resolve resolves resolved refs ref see related issue";
/// Tokens before tests.
const TESTED: &str = "tested tested-with test-plan testing tests verified-with";

/// The issues and tests that lines such as `Closes #12` and `Tested-with: npm test` name, each once.
#[derive(Debug, Default)]
struct Mentions {
    issues: IndexSet<String>,
    tests: Vec<Test>,
}

impl Mentions {
    /// Takes a footer that names an issue or a test, and returns whether it does.
    fn take(&mut self, footer: &Footer) -> bool {
        let token = footer.token.to_lowercase();
        if lists(TESTED, &token) {
            let test = Line::new(&footer.value).and_then(Test::try_from).ok();
            self.tests.extend(test.filter(|test| !self.tests.contains(test)));
        } else if lists(RELATIONS, &token) && footer.value.contains(|c: char| c.is_ascii_digit()) {
            self.issues.insert(line(&format!("{} {}", footer.token, footer.value)));
        } else {
            return false;
        }
        true
    }

    /// The text without the lines that name issues and tests, which are taken; `None` if nothing is left.
    fn taken_out_of(&mut self, text: &str) -> Option<String> {
        let kept =
            text.lines().filter(|line| !footer(line).is_some_and(|footer| self.take(&footer)));
        let kept = kept.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned();
        Some(kept).filter(|kept| !kept.trim().is_empty())
    }
}
