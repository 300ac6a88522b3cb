//! `pr-description`: describes a pull request from the commits of a branch, a story and the given evidence.
//!
//! Each commit and each criterion occurs once. A box is ticked only if the input contains the evidence.

use std::collections::HashSet;

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::conventional::{
    Commit, Footer, History, KNOWN_TYPES, LEFT_OUT, Message, footer, is_log,
};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::forms::is_commit;
use crate::input::values::{Block, Line, TextOrList, Word};
use crate::notation::list;
use crate::output::{Artifact, Fault, Output, Result, bad_text, missing};
use crate::page::{self, Document, Finding, Form, Page, Section, bullets, section_text, titled};
use crate::project_state::{Context, Snapshot, Story, recorded, say, text as member};
use crate::runtime::engine;
use crate::runtime::git::{self, Branch};
use crate::text::prose::{prose, quoted};
use crate::text::{after, capital, is_ticked, is_unticked, item, line, lists};

const NAME: &str = "pr-description";
#[rustfmt::skip]
const SECTIONS: &[Section; 6] = &[
    Section::new("summary", "Summary", &["Description", "Why", "Motivation"], r"\<why the change is made>"),
    Section::optional("", "Changes", &[]),
    Section::new("tests", "Testing",
        &["Tested", "Tested with", "Test plan", "How it was tested", "How has this been tested?"],
        r"- \<what was run, and whether it passed>"),
    Section::optional("", "Acceptance criteria", &[]),
    Section::named("Checklist", &["Before the merge"]),
    Section::new("issues", "Related issues", &["Related", "Linked issues"],
        r"- \<which issue this closes, or none>"),
];

/// Tokens of footers that name an issue, for the relation to it.
const RELATIONS: &str =
    "close closes closed fix fixes fixed resolve resolves resolved refs ref see related issue";
/// Tokens of footers that name a test.
const TESTED: &str = "tested tested-with test-plan testing tests verified-with";
/// The beginnings of lines that name a test without a colon.
const TESTED_SO: [&str; 4] = ["Tested with ", "Tested on ", "Tested in ", "Tested against "];

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::List, "commits"),
            takes(ContentKind::Range, "range"),
            takes(ContentKind::Commit, "commits"),
            takes(ContentKind::Text, "summary"),
            takes(ContentKind::Markdown, "summary"),
        ],
        instead: &["from_story"],
        ..Definition::of::<Input>()
    },
    needs: Needs::Optional,
    gives: Kind::Report,
    run: |given, context| generate(given.read()?, context),
    verify: Some(|text, _| page::check(text, &Form::new("# Title", SECTIONS), entries)),
};

/// The content of a pull request. Without commits, a range and a summary, the commits of the current branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = page::Labels(SECTIONS), extend("x-unknown" = "what changed is commits; other things, such as reviewers, stand in summary"))]
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
    /// What was run or tried, each as `npm test: passed`, or with a box that is ticked if it passed.
    #[serde(default)]
    #[schemars(extend("x-boxes" = true))]
    tests: Vec<Line>,
    /// Related issues, such as `Closes #12`.
    #[serde(default)]
    #[schemars(extend("x-commas" = true))]
    issues: Vec<Line>,
}

/// What was run, with the verdict that a box gives: `npm test: passed`.
fn test(text: &str) -> String {
    match (after(text, &["[x] "]), text.strip_prefix("[ ] ")) {
        (Some(done), _) if !has_passed(done) => format!("{done}: passed"),
        (Some(done), _) => done.to_owned(),
        (None, Some(open)) => format!("{open} (not done)"),
        (None, None) => text.to_owned(),
    }
}

/// Whether a test says that it passed: `npm test: passed`, `npm test: passed (212 passed)`.
fn has_passed(test: &str) -> bool {
    let result = test.strip_suffix(')').and_then(|test| test.rsplit_once(" ("));
    result.map_or(test, |(head, _)| head).ends_with(": passed")
}

fn generate(input: Input, context: &Context) -> Result<Output> {
    let mut output = Output::default();
    let source = Source::read(input, context, &mut output)?;
    let (title, summary) = source.head(&mut output.open);
    output.notes.extend(bodies_left_out(&source.commits, summary.as_deref()));
    let criteria = source.story.iter().flat_map(|story| &story.criteria);
    let criteria: Vec<String> = criteria.map(|text| line(text)).collect();
    if !criteria.is_empty() {
        let (count, what) = (criteria.len(), "tick each with what shows it");
        output.open.push(format!("evidence: not given for {count} criteria ({what})"));
    }
    let tests = source.tests();
    let sections = [
        section_text(summary.as_deref().unwrap_or_default()),
        bullets(source.commits.iter().map(change)),
        bullets(tests.iter().map(|test| prose(test))),
        bullets(criteria.iter().map(|text| format!("[ ] {}", prose(text)))),
        bullets(checklist(&tests)),
        bullets(source.issues().iter().map(|issue| linked(issue))),
    ];
    let page = Page::new(prose(&title), Vec::new(), SECTIONS, sections);
    output.open.extend(page.open());
    let id = source.story.as_ref().map(|story| &story.id);
    output.data = json!({"title": title, "summary": summary, "story": id});
    let text = engine::render_page(NAME, "assets/template.md.tera", &page)?;
    output.artifacts.push(Artifact::new("pull-request.md", "markdown", text));
    Ok(output)
}

/// What a pull request is described from.
struct Source {
    input: Input,
    /// The branch of the commits.
    branch: Option<String>,
    commits: Vec<Commit>,
    story: Option<Story>,
    /// The text that is given, without the lines that name issues or tests.
    summary: Option<String>,
    /// Those lines, and the footers of the commits.
    footers: Vec<Footer>,
}

impl Source {
    /// The text of the input is a summary, the id of a story, or a log. The commits are those of it, of the range or of the
    /// branch; the story is the one that is named, or that the commits or the branch name. `output` gets what is open, and
    /// notes.
    fn read(mut input: Input, context: &Context, output: &mut Output) -> Result<Self> {
        refuse_finished(input.summary.as_deref().unwrap_or_default())?;
        let named = story_or_summary(input.summary.as_deref(), context)?;
        if named.is_some() {
            input.summary = None;
        }
        // What `git log --oneline` prints is no summary.
        if input.commits.is_none()
            && let Some(log) = input.summary.take_if(|text| is_log(text))
        {
            input.commits = Some(TextOrList::Text(log));
        }
        let branch = branch(&input, context);
        let mut commits = commits(&input, branch.as_ref(), context, &mut output.notes)?;
        for Message { body, footers, .. } in commits.iter_mut().map(|commit| &mut commit.message) {
            let (kept, mentioned) = without_mentions(body.as_deref().unwrap_or_default());
            *body = kept;
            footers.extend(mentioned);
        }
        if let Some(range) = input.range.as_ref().filter(|_| commits.is_empty()) {
            let what = format!("commits: the range {range} has none (add range=BASE..HEAD)");
            output.open.push(what);
        }
        let mentioned = words_of_commits(&commits, branch.as_ref());
        let story = match named {
            Some(story) => Some(story),
            None => story(&input, &mentioned, context, &mut output.open)?,
        };
        let (summary, mut footers) = without_mentions(input.summary.as_deref().unwrap_or_default());
        if commits.is_empty() && summary.is_none() && story.is_none() {
            return Err(nothing(&input, branch.as_ref(), context));
        }
        footers.extend(commits.iter().flat_map(|commit| commit.message.footers.iter().cloned()));
        let branch = name_of_branch(input.range.as_deref(), context);
        Ok(Self { input, branch, commits, story, summary, footers })
    }

    /// The tests that are given, and those that the commits and the summary name.
    fn tests(&self) -> IndexSet<String> {
        let given = self.input.tests.iter().map(ToString::to_string);
        let named = self.footers.iter().filter(|footer| is_test(footer));
        given.chain(named.map(|footer| line(&footer.value))).map(|text| test(&text)).collect()
    }

    /// The story, the issues that are given, and those that the commits and the summary name.
    fn issues(&self) -> IndexSet<String> {
        let story = self.story.iter().map(|story| format!("Story {}", story.id));
        let given = self.input.issues.iter().map(ToString::to_string);
        let named = self.footers.iter().filter(|footer| is_issue(footer));
        let named = named.map(|footer| line(&format!("{} {}", footer.token, footer.value)));
        story.chain(given).chain(named).collect()
    }

    /// The title and the summary. The title is given, or that of the story, of the main commit, or the first sentence of the
    /// summary; of several commits without a main one, it is made of the name of their branch.
    fn head(&self, open: &mut Vec<String>) -> (String, Option<String>) {
        let Self { input, branch, commits, story, .. } = self;
        let summary = self.summary.clone();
        let main = main(commits);
        let body = || main.and_then(|main| main.body.clone());
        let of_story = story.as_ref().map(|story| line(&format!("{} ({})", story.title, story.id)));
        if let Some(title) = input.title.as_ref().map(ToString::to_string).or(of_story) {
            let goal = || member(&story.as_ref()?.record, &["description", "summary", "goal"]);
            return (title, summary.or_else(goal).or_else(body));
        }
        let Some(message) = main else {
            let summary = summary.unwrap_or_default();
            let (title, rest) = titled(&summary);
            // A summary of one sentence is both.
            let summary = if rest.trim().is_empty() { summary } else { rest };
            return (title, Some(summary));
        };
        let count = commits.len();
        if count > 1 && commits.iter().filter(|commit| is_noticed(&commit.message)).count() != 1 {
            let is_given = input.commits.is_some();
            if let Some(title) = branch.as_deref().filter(|_| !is_given).and_then(title_of_branch) {
                open.push("title: taken from the name of the branch (add title=TEXT)".to_owned());
                return (title, summary);
            }
            open.push(format!("title: taken from one of {count} commits (add title=TEXT)"));
        }
        (line(&message.header()), summary.or_else(body))
    }
}

/// The branch at which a range ends, else the current one.
fn name_of_branch(range: Option<&str>, context: &Context) -> Option<String> {
    let end =
        range.and_then(|range| range.rsplit("..").next()).map(|end| end.trim_start_matches('.'));
    match end.filter(|end| !matches!(*end, "" | "HEAD" | "@")) {
        Some(end) => Some(end.to_owned()),
        None => git::branch(&context.folder).ok()?.name,
    }
}

/// The words of a branch's name as a title, without a number or an id before them: `feature/77-waiting-list`. One word alone
/// is none: it may be a default branch, a tag or a commit.
fn title_of_branch(name: &str) -> Option<String> {
    let last = name.rsplit('/').next()?;
    let words = last.split(['-', '_']).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    let is_number = |at: usize| words.get(at).is_some_and(|word| word.parse::<u64>().is_ok());
    let number = usize::from(is_number(0)) + 2 * usize::from(!is_number(0) && is_number(1));
    let words = words.get(number..)?;
    let is_revision = last.contains(['~', '^', '@']);
    let is_name = words.len() > 1 || number > 0 && !words.is_empty();
    (is_name && !is_revision).then(|| capital(&words.join(" ")))
}

/// The message of the commit that says most about all of them.
fn main(commits: &[Commit]) -> Option<&Message> {
    let rank = |message: &&Message| {
        let place = KNOWN_TYPES.iter().position(|kind| kind.name == message.kind);
        (!is_noticed(message), !message.breaking, place.unwrap_or(usize::MAX))
    };
    commits.iter().map(|commit| &commit.message).min_by_key(rank)
}

/// Whether a changelog has the kind of a commit.
fn is_noticed(message: &Message) -> bool {
    message.known().is_none_or(|kind| kind.group.is_some())
}

/// Refuses a text that is no summary: a description that is complete, and a diff.
fn refuse_finished(summary: &str) -> Result<()> {
    let mut parts = Document::read(summary).parts.into_iter();
    let why = if parts.any(|part| part.level == 2 && part.name == "Changes") {
        "the text is a description with its changes; complete it by hand, or give the range or the commits"
    } else if summary.starts_with("diff --git ") {
        "the text is a diff, which says what changed, but not why; give the range, such as main..HEAD"
    } else {
        return Ok(());
    };
    Err(Fault::Refused(why.to_owned()))
}

/// A note on the bodies of commits that are not the summary: the changes are listed by their first lines.
fn bodies_left_out(commits: &[Commit], summary: Option<&str>) -> Option<String> {
    let bodies = commits.iter().filter_map(|commit| commit.message.body.as_deref());
    let count = bodies.filter(|body| Some(*body) != summary).count();
    let counted = say::counted(count, "body", "bodies");
    (count > 0).then(|| format!("left out: {counted} of commits (say what matters in the summary)"))
}

/// A commit as Markdown, with its id.
fn change(Commit { id, message }: &Commit) -> String {
    let id = id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
    quoted(&message.with_breaking(&message.header())) + &id
}

/// The summary without the lines that name issues or tests, and these.
fn without_mentions(summary: &str) -> (Option<String>, Vec<Footer>) {
    let is_mention = |footer: &Footer| is_issue(footer) || is_test(footer);
    let mention = |line: &str| {
        let bare = item(line).unwrap_or(line).trim();
        let tested = || Footer { token: "Tested".to_owned(), value: bare.to_owned() };
        let is_tested = after(bare, &TESTED_SO).is_some();
        footer(bare).filter(is_mention).or_else(|| is_tested.then(tested))
    };
    let (mut kept, mut mentions): (Vec<&str>, Vec<Footer>) = (Vec::new(), Vec::new());
    for line in summary.lines() {
        match mention(line) {
            Some(footer) => mentions.push(footer),
            // The blank lines around a line that is taken out become one.
            None if line.is_empty() && kept.last() == Some(&"") => {}
            None => kept.push(line),
        }
    }
    let kept = kept.join("\n").trim_matches('\n').to_owned();
    (Some(kept).filter(|kept| !kept.trim().is_empty()), mentions)
}

fn is_issue(footer: &Footer) -> bool {
    lists(RELATIONS, &footer.token.to_lowercase())
        && footer.value.contains(|c: char| c.is_ascii_digit())
}

fn is_test(footer: &Footer) -> bool {
    lists(TESTED, &footer.token.to_lowercase())
}

/// The story whose id is given in place of a summary. A branch, or any other revision, is refused.
fn story_or_summary(summary: Option<&str>, context: &Context) -> Result<Option<Story>> {
    let Some(line) = summary.filter(|text| !text.contains('\n')) else { return Ok(None) };
    let story = recorded::record_named_alone(line, context)?;
    if story.is_none() && git::is_revision(&context.folder, line) {
        let allowed = "a range such as main..HEAD, a story's id, or text";
        return Err(bad_text("summary", line, allowed));
    }
    Ok(story)
}

/// The fault if there is nothing to describe.
fn nothing(input: &Input, branch: Option<&Branch>, context: &Context) -> Fault {
    if let Some(range) = &input.range {
        return Fault::Refused(format!("the range {range} has no commits"));
    }
    let description = match branch.and_then(Branch::range) {
        Some(range) => format!("this branch has no commits of its own ({range})"),
        None if git::is_missing(&context.folder) => "what the pull request is of".to_owned(),
        None => "the branch has no base to compare with".to_owned(),
    };
    missing("commits", "messages, a range such as main..HEAD, a story or a summary", &description)
}

/// The current branch, if nothing else says which commits are meant.
fn branch(input: &Input, context: &Context) -> Option<Branch> {
    if input.commits.is_some() || input.range.is_some() {
        return None;
    }
    git::branch(&context.folder).ok().filter(|branch| branch.base.is_some())
}

/// The commits: given, of the range, and of the branch.
fn commits(
    input: &Input,
    branch: Option<&Branch>,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<Vec<Commit>> {
    let mut commits = match &input.commits {
        Some(TextOrList::Text(text)) if is_message(text) => vec![Commit::given(text)],
        Some(TextOrList::Text(text)) => {
            let items = list::read(text).map_err(|misfit| misfit.fault("commits"))?;
            let message = |item: &list::Item| item.to_string()[2..].to_owned();
            items.iter().map(|item| Commit::given(&message(item))).collect()
        }
        Some(TextOrList::Value(items)) => {
            items.iter().map(|message| Commit::given(message)).collect()
        }
        None => Vec::new(),
    };
    let of_branch = branch.and_then(Branch::range);
    if let Some(range) = input.range.as_deref().or(of_branch.as_deref()) {
        let history = History::of(&context.folder, range)?;
        if history.left_out > 0 {
            let count = say::counted(history.left_out, "commit", "commits");
            notes.push(format!("left out: {count} {LEFT_OUT}"));
        }
        commits.extend(history.commits);
    }
    let mut seen = HashSet::new();
    // One id before two messages is a slip, which must not hide the second.
    commits.retain(|commit| commit.id.is_none() || seen.insert(change(commit)));
    Ok(commits)
}

/// Whether a text is one message of several paragraphs, and no list of messages.
fn is_message(text: &str) -> bool {
    let is_subject = |line: &str| line.trim().is_empty() || is_commit(item(line).unwrap_or(line));
    text.trim().contains("\n\n") && !text.lines().all(is_subject)
}

/// An issue as Markdown: a number, with or without a hash, is a link on the forge, and no heading.
fn linked(issue: &str) -> String {
    let number = issue.strip_prefix('#').unwrap_or(issue).parse::<u64>().ok();
    number.map_or_else(|| prose(issue), |number| format!("#{number}"))
}

/// The boxes; that the given tests pass is evidence for the first.
fn checklist(tests: &IndexSet<String>) -> [&'static str; 3] {
    let all_pass = !tests.is_empty() && tests.iter().all(|test| has_passed(test));
    [
        if all_pass { "[x] All tests pass (see Testing)" } else { "[ ] All tests pass" },
        "[ ] Tests cover the change",
        "[ ] The documentation is up to date",
    ]
}

/// Checks list items: duplicates, boxes, and failed tests.
fn entries(document: &Document<'_>, findings: &mut Vec<Finding>) {
    findings.extend(page::doubled(document));
    for (line, text) in document.parts.iter().flat_map(page::Part::items) {
        let mut add = |what: String| findings.push(Finding::new(line.number, what));
        let is_evident = line.text.trim_end().ends_with(')');
        if is_unticked(line.text) {
            add(format!("not ticked: {text}; tick it with what shows it, or remove it"));
        } else if is_ticked(line.text) && !is_evident {
            add(format!("ticked without what shows it: {text}; add it in parentheses"));
        } else if text.ends_with(": failed") || text.contains(": failed (") {
            add(format!("a test failed: {text}"));
        }
    }
}

/// The story that is named, or that the commits or the branch name. If they name several, none is used.
fn story(
    input: &Input,
    mentioned: &HashSet<String>,
    context: &Context,
    open: &mut Vec<String>,
) -> Result<Option<Story>> {
    if let Some(id) = &input.from_story {
        return Snapshot::read(&context.state)?.named_story(recorded::FIELD, id).cloned().map(Some);
    }
    if mentioned.is_empty() || !context.state.is_there() {
        return Ok(None);
    }
    let snapshot = Snapshot::read(&context.state)?;
    let stories = snapshot.stories.iter();
    let known: Vec<&Story> = stories.filter(|story| mentioned.contains(&story.id)).collect();
    if known.len() > 1 {
        let ids: Vec<&str> = known.iter().map(|story| story.id.as_str()).collect();
        open.push(format!("story: the commits name {} (add from_story=ID)", ids.join(", ")));
        return Ok(None);
    }
    Ok(known.first().copied().cloned())
}

/// The words of commits, and the first two parts of the branch's name (`us-0012-passkey`), as ids are written.
fn words_of_commits(commits: &[Commit], branch: Option<&Branch>) -> HashSet<String> {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let mut words = HashSet::new();
    for Message { description, body, footers, .. } in commits.iter().map(|commit| &commit.message) {
        let footers = footers.iter().map(|footer| footer.value.as_str());
        let texts = [description.as_str()].into_iter().chain(body.as_deref()).chain(footers);
        words.extend(texts.flat_map(|text| text.split(is_end)).map(str::to_owned));
    }
    let branch = branch.and_then(|branch| branch.name.as_deref());
    words.extend(branch.into_iter().flat_map(|name| name.split(is_end)).filter_map(|part| {
        let mut parts = part.split('-');
        Some(format!("{}-{}", parts.next()?, parts.next()?).to_uppercase())
    }));
    words
}
