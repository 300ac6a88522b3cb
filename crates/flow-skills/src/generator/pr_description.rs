//! `pr-description`: describes a pull request from the commits of a branch, a story and the given evidence.
//!
//! Each commit and each criterion occurs once. A box is ticked only if the input contains the evidence.

use std::collections::{BTreeSet, HashSet};

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::conventional::{Commit, Footer, History, KINDS, LEFT_OUT, Message, footer, is_log};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::forms::is_commit;
use crate::input::values::{Block, Line, TextOrList, Word};
use crate::notation::list;
use crate::output::{Artifact, Fault, Output, Result, bad_text, missing};
use crate::page::{self, Document, Finding, Form, Page, Section, bullets, section_text, titled};
use crate::project_state::{Context, Snapshot, Story, id_prefix, recorded, say, text as member};
use crate::runtime::engine;
use crate::runtime::git::{self, Branch};
use crate::text::prose::{prose, quoted};
use crate::text::{after, is_id, item, line, lists};

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

fn generate(mut input: Input, context: &Context) -> Result<Output> {
    let summary = input.summary.as_deref().unwrap_or_default();
    let mut parts = Document::read(summary).parts.into_iter();
    if parts.any(|part| part.level == 2 && part.name == "Changes") {
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
    let (commits, branch) = commits(&mut input, context, &mut notes)?;
    if let Some(range) = input.range.as_ref().filter(|_| commits.is_empty()) {
        open.push(format!("commits: the range {range} has none (add range=BASE..HEAD)"));
    }
    let named = words(&commits, branch.as_ref().and_then(|branch| branch.name.as_deref()));
    let story = story(&input, &named, context, &mut open)?;
    notes.extend(story.as_ref().and_then(|story| of_others(story, &named)));
    let (own, footers) = own(input.summary.as_deref().unwrap_or_default());
    if commits.is_empty() && own.is_none() && story.is_none() {
        return Err(nothing(&input, branch.as_ref()));
    }
    let footers = || {
        let of_commits = commits.iter().flat_map(|commit| &commit.message.footers);
        footers.iter().chain(of_commits)
    };
    let run = footers().filter(|footer| is_test(footer)).map(|footer| line(&footer.value));
    let given = input.tests.iter().map(ToString::to_string);
    let tests: IndexSet<String> = given.chain(run).map(|text| test(&text)).collect();
    let (title, summary, is_whole) = title(&input, story.as_ref(), &commits, own, &mut open);
    let criteria: Vec<String> =
        story.iter().flat_map(|story| &story.criteria).map(|text| line(text)).collect();
    if !criteria.is_empty() {
        let (count, what) = (criteria.len(), "tick each with what shows it");
        open.push(format!("evidence: not given for {count} criteria ({what})"));
    }
    let related = footers().filter(|footer| is_issue(footer));
    let related = related.map(|footer| line(&format!("{} {}", footer.token, footer.value)));
    let id = story.as_ref().map(|story| &story.id);
    let of_story = id.map(|id| format!("Story {id}")).into_iter();
    let given = input.issues.iter().map(ToString::to_string);
    let issues: IndexSet<String> = of_story.chain(given).chain(related).collect();
    let checklist = checklist(&tests);
    let commit = |Commit { id, message }: &Commit| {
        let id = id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
        quoted(&message.with_breaking(&message.header())) + &id
    };
    let listed = if is_whole { String::new() } else { bullets(commits.iter().map(commit)) };
    let sections = [
        section_text(summary.as_deref().unwrap_or_default()),
        listed,
        bullets(tests.iter().map(|test| prose(test))),
        bullets(criteria.iter().map(|text| format!("[ ] {}", prose(text)))),
        bullets(checklist),
        bullets(issues.iter().map(|issue| linked(issue))),
    ];
    let page = Page::new(prose(&title), Vec::new(), SECTIONS, sections);
    open.extend(page.open());
    let data = json!({"title": title, "summary": summary, "story": id});
    let text = engine::render_page(NAME, "assets/template.md.tera", &page)?;
    let artifacts = vec![Artifact::new("pull-request.md", "markdown", text)];
    Ok(Output { data, artifacts, open, notes })
}

/// The summary without the lines that name issues or tests.
fn own(summary: &str) -> (Option<String>, Vec<Footer>) {
    let is_mention = |footer: &Footer| is_issue(footer) || is_test(footer);
    let mention = |line: &str| footer(line).filter(is_mention);
    let kept: Vec<&str> = summary.lines().filter(|line| mention(line).is_none()).collect();
    let kept = kept.join("\n").trim_matches('\n').to_owned();
    let kept = Some(kept).filter(|kept| !kept.trim().is_empty());
    (kept, summary.lines().filter_map(mention).collect())
}

fn is_issue(footer: &Footer) -> bool {
    lists(RELATIONS, &footer.token.to_lowercase())
        && footer.value.contains(|c: char| c.is_ascii_digit())
}

fn is_test(footer: &Footer) -> bool {
    lists(TESTED, &footer.token.to_lowercase())
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

/// The commits: given, or of a range; else those of the current branch, with that branch.
fn commits(
    input: &mut Input,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<(Vec<Commit>, Option<Branch>)> {
    // What `git log --oneline` prints is no summary.
    if input.commits.is_none()
        && let Some(text) = input.summary.take_if(|text| is_log(text))
    {
        input.commits = Some(TextOrList::Text(text));
    }
    let is_bare = input.commits.is_none() && input.range.is_none();
    let mut commits = match input.commits.take() {
        Some(TextOrList::Text(text)) if is_message(&text) => vec![Commit::given(&text)],
        Some(TextOrList::Text(text)) => {
            let items = list::read(&text).map_err(|misfit| misfit.fault("commits"))?;
            let message = |item: &list::Item| item.to_string()[2..].to_owned();
            items.iter().map(|item| Commit::given(&message(item))).collect()
        }
        Some(TextOrList::Value(items)) => {
            items.iter().map(|message| Commit::given(message)).collect()
        }
        None => Vec::new(),
    };
    let branch = is_bare.then(|| git::branch(&context.folder).ok()).flatten();
    let branch = branch.filter(|branch| branch.base.is_some());
    let of_branch = branch.as_ref().and_then(Branch::range);
    if let Some(range) = input.range.as_deref().or(of_branch.as_deref()) {
        let history = History::of(&context.folder, range)?;
        if history.left_out > 0 {
            let count = say::counted(history.left_out, "commit", "commits");
            notes.push(format!("left out: {count} {LEFT_OUT}"));
        }
        commits.extend(history.commits);
    }
    let mut seen = HashSet::new();
    commits.retain(|commit| commit.id.as_ref().is_none_or(|id| seen.insert(id.clone())));
    Ok((commits, branch))
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

/// The title, the summary, and whether the title is the whole of the only commit, which is then not listed again. The
/// title is given, or that of the story, of the main commit, or the first sentence of the summary.
fn title(
    input: &Input,
    story: Option<&Story>,
    commits: &[Commit],
    own: Option<String>,
    open: &mut Vec<String>,
) -> (String, Option<String>, bool) {
    let is_noticed = |message: &Message| message.known().is_none_or(|kind| kind.group.is_some());
    let rank = |message: &&Message| {
        let place = KINDS.iter().position(|kind| kind.name == message.kind);
        (!is_noticed(message), !message.breaking, place.unwrap_or(usize::MAX))
    };
    let messages = || commits.iter().map(|commit| &commit.message);
    let main = messages().min_by_key(rank);
    let body = || main.and_then(|main| main.body.clone());
    let of_story = story.map(|story| line(&format!("{} ({})", story.title, story.id)));
    if let Some(title) = input.title.as_ref().map(ToString::to_string).or(of_story) {
        let goal = || member(&story?.record, &["description", "summary", "goal"]);
        return (title, own.or_else(goal).or_else(body), false);
    }
    let Some(message) = main else {
        let own = own.unwrap_or_default();
        let (title, rest) = titled(&own);
        // A summary of one sentence is both.
        return (title, Some(if rest.trim().is_empty() { own } else { rest }), false);
    };
    if commits.len() > 1 && messages().filter(|message| is_noticed(message)).count() != 1 {
        let count = commits.len();
        open.push(format!("title: taken from one of {count} commits (add title=TEXT)"));
    }
    let is_whole = commits.len() == 1 && !message.breaking;
    (line(&message.header()), own.or_else(body), is_whole)
}

/// Checks list items: duplicates, boxes, and failed tests.
fn entries(document: &Document<'_>, findings: &mut Vec<Finding>) {
    findings.extend(page::doubled(document));
    for (line, text) in document.parts.iter().flat_map(page::Part::items) {
        let mut add = |what: String| findings.push(Finding::new(line.number, what));
        let item = line.text.trim();
        if item.starts_with("- [ ]") {
            add(format!("not ticked: {text}; tick it with what shows it, or remove it"));
        } else if item.starts_with("- [x]") && !item.ends_with(')') {
            add(format!("ticked without what shows it: {text}; add it in parentheses"));
        } else if text.ends_with(": failed") || text.contains(": failed (") {
            add(format!("a test failed: {text}"));
        }
    }
}

/// A note on commits that name other stories, or ids of the same form, and not this one.
fn of_others(story: &Story, named: &HashSet<String>) -> Option<String> {
    let prefix = id_prefix(&story.id)?;
    let ids = named.iter().filter(|word| is_id(word) && id_prefix(word) == Some(prefix));
    let ids: BTreeSet<&str> = ids.map(String::as_str).collect();
    let is_other = !ids.is_empty() && !ids.contains(story.id.as_str());
    is_other.then(|| {
        let ids = say::ids(ids);
        format!(
            "the commits name {ids}, not {} (for other commits, give range=BASE..HEAD)",
            story.id
        )
    })
}

/// The story that is named, or that the commits or the branch name. If they name several, none is used.
fn story(
    input: &Input,
    named: &HashSet<String>,
    context: &Context,
    open: &mut Vec<String>,
) -> Result<Option<Story>> {
    if let Some(id) = &input.from_story {
        return Snapshot::read(&context.state)?.named_story(recorded::FIELD, id).cloned().map(Some);
    }
    if named.is_empty() || !context.state.is_there() {
        return Ok(None);
    }
    let snapshot = Snapshot::read(&context.state)?;
    let stories = snapshot.stories.iter();
    let known: Vec<&Story> = stories.filter(|story| named.contains(&story.id)).collect();
    if known.len() > 1 {
        let ids: Vec<&str> = known.iter().map(|story| story.id.as_str()).collect();
        open.push(format!("story: the commits name {} (add from_story=ID)", ids.join(", ")));
        return Ok(None);
    }
    Ok(known.first().copied().cloned())
}

/// The words of commits, and the first two parts of the branch's name (`us-0012-passkey`), as ids are written.
fn words(commits: &[Commit], branch: Option<&str>) -> HashSet<String> {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let mut words = HashSet::new();
    for Message { description, body, footers, .. } in commits.iter().map(|commit| &commit.message) {
        let footers = footers.iter().map(|footer| footer.value.as_str());
        let texts = [description.as_str()].into_iter().chain(body.as_deref()).chain(footers);
        words.extend(texts.flat_map(|text| text.split(is_end)).map(str::to_owned));
    }
    words.extend(branch.into_iter().flat_map(|name| name.split(is_end)).filter_map(|part| {
        let mut parts = part.split('-');
        Some(format!("{}-{}", parts.next()?, parts.next()?).to_uppercase())
    }));
    words
}

/// Tokens of footers that name an issue, for the relation to it.
const RELATIONS: &str =
    "close closes closed fix fixes fixed resolve resolves resolved refs ref see related issue";
/// Tokens of footers that name a test.
const TESTED: &str = "tested tested-with test-plan testing tests verified-with";
