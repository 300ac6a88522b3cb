//! Generates docs/files.md: what is read in the four files, from the table of names, and what is reported of them, as the
//! program reports it. `FLOW_UPDATE=1 cargo test --test it files_page` updates it.

use std::fmt::Write as _;
use std::path::Path;

use flow::files::Files;
use flow::model::dependency::{BEGUN, ON_HOLD, done, given_up};
use flow::model::names::Name;
use flow::model::record::{self, Kind};
use flow::project::{Project as Opened, Source};
use flow::skill::project_state::state::Answers;
use serde_json::Value;

use crate::artifacts::golden::hold;
use crate::support::Project;

const HEAD: &str = "# The files

`flow` reads four files that your agents write, and never writes them. This page lists everything that it reads in them,
what it does with it, and what it reports. The tables are generated from the table of names that the program uses.

Two commands print the same for programs and for agents: `flow schema status` (also `sessions`, `tasks`, `bus`) prints a JSON
Schema for editors and validators, and `flow schema --for-agents` a paragraph for AGENTS.md or CLAUDE.md. `flow doctor`
checks the files that you have.

## Where they are

";

const AFTER_PATHS: &str = "
None of them has to exist. A path is relative to the project; where there are two, the first that exists is read.
`.flow/config.json` can name others ([README](../README.md#settings)). All are JSON in UTF-8; a byte order mark is permitted.

## Names

- Every member that is listed here is optional, and any other one is yours: it is kept, served as it is, and never reported,
  unless its name looks like a mistyped one ([below](#what-is-reported)).
- Use the **documented names**, in the first column. The **other spellings** are read too; of several, the first in the
  order of the table that has a value counts.
- `null` counts as absent, and so does an empty text as an id, `epic_id`, `story_id`, `owner` or `from`.
- Of a name that an object has twice, the last value counts.
";

const STATUS: &str = "
`epics` and `stories` are each a map from id to record, or an array of records with an `id`. Keys at the top level that begin
with `US-`, `TECH-` or `BUG-` are stories too, those with `EP-` epics. If the same id is in the collection as well, that
record is served.

```json
{
  \"epics\": {
    \"EP-0001\": {\"title\": \"Search\", \"status\": \"in-progress\", \"owner\": \"api\"}
  },
  \"stories\": {
    \"US-0001\": {\"title\": \"Index of authors\", \"status\": \"done\", \"epic_id\": \"EP-0001\", \"owner\": \"api\"},
    \"US-0002\": {
      \"title\": \"Search by author\", \"status\": \"in-progress\", \"epic_id\": \"EP-0001\", \"owner\": \"ui\",
      \"depends_on\": [\"US-0001\"], \"updated_at\": \"2026-03-02T10:30:00Z\"
    }
  }
}
```
";

const NESTED: &str = "
### Stories inside an epic

Where the `stories` of an epic are objects, as a map by id or an array with `id`, they are stories of that epic. They are
listed after all others. A story that names another epic belongs to that one. A record of the same id under `stories` or at
the top level is served in place of the one inside the epic. Elements that are not objects are ids or figures of your own
and are not read.

```json
{
  \"epics\": {
    \"EP-0001\": {
      \"title\": \"Search\",
      \"stories\": {
        \"US-0001\": {\"title\": \"Index of authors\", \"status\": \"done\"},
        \"US-0002\": {\"title\": \"Search by author\", \"status\": \"ready\"}
      }
    }
  }
}
```
";

const TASKS: &str = "
`tasks` is a map from id to record, or an array of records with an `id`. A task is a unit of work of one agent.

```json
{
  \"tasks\": {
    \"task-1\": {\"description\": \"Index the authors\", \"state\": \"completed\", \"subagent_type\": \"api\", \"story_id\": \"US-0001\"},
    \"task-2\": {
      \"description\": \"Add the search endpoint\", \"state\": \"running\", \"subagent_type\": \"api\", \"story_id\": \"US-0002\",
      \"depends_on\": [\"task-1\"], \"started_at\": \"2026-03-02T09:00:00Z\"
    }
  }
}
```
";

const SESSIONS: &str = "
`sessions` is a map from id to record, or an array of records with an `id`. A session is active until its `status` or the
time of its end says otherwise.

```json
{
  \"sessions\": {
    \"1\": {
      \"nickname\": \"alpha\", \"agent\": \"api\", \"status\": \"active\", \"branch\": \"feature/search\", \"story_id\": \"US-0002\",
      \"last_active\": \"2026-03-02T10:30:00Z\"
    }
  }
}
```
";

const BUS: &str = "
A log: each line is one JSON object, a message. Append a line and a line break, and never change earlier lines.

```json
{\"timestamp\": \"2026-03-02T10:30:00Z\", \"from\": \"ui\", \"to\": \"api\", \"type\": \"question\", \"story_id\": \"US-0002\", \"message\": \"Which port?\"}
{\"timestamp\": \"2026-03-02T10:35:00Z\", \"from\": \"api\", \"to\": \"ui\", \"type\": \"answer\", \"story_id\": \"US-0002\", \"message\": \"3456\"}
```
";

const LOG: &str = "
- Several objects on one line (`}{`) are each a message. A line that cannot be read is skipped, and the others are served.
- The last line is a message once it is a whole object, also without its line break.
- A question is answered by a later message of type `answer` about the same story, from its receiver to its sender.
- A message of type `blocked` gives the reason of a blocked story until one of type `unblocked` about it.
- The log may be shortened to its last lines or replaced by a new one at any time.
";

const RULES: &str = "
## Ids

In a map, the key is the id, and a different `id` inside the record is replaced by it. In an array, each record needs an `id`.
An id is a text or a number; `7` and `\"7\"` are the same id. Of two records of one id in an array, the last is served.

## Status and state

A status is one word or a few; case does not matter, and `_`, `-` and a space are the same: `In Progress` is `in-progress`.
`done`, `complete` and `completed` are one status. Any word is served and can be filtered by. These have a meaning:

";

const DEPENDENCIES: &str = "
## Dependencies

A story depends on stories, a task on tasks. `depends_on` is a list, or a single value. An element may be

- an id: a text or a number,
- an object with an `id`: `{\"id\": \"US-0001\", \"kind\": \"hard\"}`,
- a text in which every word, but for `and`, `,` and `;`, is an id that a record has: `\"US-0001 and US-0002\"`,
- ids with commas between them, each one word with a digit: `\"US-0001, US-0009\"`,
- any other text: a reason why it is blocked, such as `\"waits for the key\"`.

An id is compared exactly first, then without case, if one record only matches. An id that no record has is waited for too.

## Times

A time is RFC 3339 (`2026-03-02T10:30:00Z`, `2026-03-02T10:30:00.5+01:00`), also without a zone, which means UTC, and with a
space for the `T`; a date (`2026-03-02`); or a number of 10 digits (seconds since 1970) or 13 digits (milliseconds). Times are
served as they are written. A message without a readable time is left out where `since` or `until` is given.
";

const REPORTED: &str = "
## What is reported

`/api/problems`, `flow doctor` and the page's Problems list what is not read, and what may not be read as it is meant. Each
entry has a `level`:

| level | meaning |
|---|---|
| `invalid` | the whole file cannot be read; its last valid content is served |
| `skipped` | a record or line is not served |
| `repaired` | a record is served with a change, such as an `id` that is replaced by its key |
| `suspicious` | a record is served, and may not be read as its writer meant it |

These files have a mistake of each usual kind:

";

const SUSPICIOUS: &str = "
Suspicious are:

- **A member whose name may stand for a documented one**, in a record that lacks that one. Its name is
  - the same but for case, `_`, `-` and spaces (`Status`, `dependson`),
  - one of the [names that are not read](#names-that-are-not-read) (`requires`), or
  - mistyped (`stauts`): it begins with the same letter, and one letter is missing, too many, another, or two neighbours are
    exchanged. In names of six or more letters two such errors count, but not in those that end in `_at` or `_id`. Names of
    up to three letters are never compared.

  In the last two cases its value must also fit: `requires: [\"US-0001\"]` is reported, `requires: \"python>=3.11\"` is not.
- **A status or state** that is not a text, or that is mistyped (`blokced`) and that no other record has. One error counts,
  two in words of nine or more letters.
- **A dependency** of an open story or task that no record has, with the nearest id, and an element that cannot be an id.
- **A time** that cannot be read, in a member that is a time in every project (`created_at`, `last_active`, …; also
  `createdAt`). `null`, `\"\"`, `true`, `false` and texts such as `n/a`, `none`, `never`, `TBD` and `unknown` stand for no time.
- **A collection under another name**: a map or array of objects in status.json called `userStories`, `epic_list` or `storis`,
  in the other files `todos`, `agents` and the like; names such as `tickets`, `features` and `backlog` only if there are no
  stories at all.
- **A key at the top level** of status.json that would be a story or epic in capitals: `us-0001`, `US_0001`.
- **A story and a task with the same id** of which one is done and the other is not, or whose titles differ. A completed
  task of a story that is in review or in test is no contradiction.

What many records have is a habit, not a mistake:

- A name counts as your own where more than a tenth of the records of the collection have it, and more than two. If it
  differs from the documented one only in its case and separators, or is one of the names that are not read, it is then
  reported once for the whole collection.
- Times that cannot be read, and statuses that are no text, are reported once for the collection beyond the same number.

Never reported are members of your own: any name that resembles none of the tables, and names that are usual in such
files, such as `tags`, `notes`, `sprint`, `milestone`, `reviewer`, `due_date`, `parent`, `subtasks`, `metadata` and `version`, even
where they resemble a documented one (`stats`, `updates`, `assigned_at`).

Of each file, the newest 1,000 suspicious and the newest 1,000 skipped or repaired records are listed; `/api/health` has the
number of all. None of them makes health `degraded`.

### Names that are not read

These are reported where the value fits and the record has no other name for it:

";

const UNREADABLE: &str = "
## A file that cannot be read

A file that is not valid JSON is not served; its last valid content is, and health is `degraded`. It is reported once it has
been invalid for a second, since it may just be being written, with the line and the usual cause. In the log, only the
line is skipped. Usual causes are:

| cause | example |
|---|---|
| a comma after the last item | `{\"a\": 1,}` |
| a comma missing between two items | `{\"a\": 1 \"b\": 2}` |
| a quote missing, or a line break in a text | `{\"a\": \"x}` |
| a quote in a text that is not written as `\\\"` | `{\"a\": \"he said \"no\"\"}` |
| a backslash in a text that is not written twice | `{\"a\": \"C:\\dir\"}` |
| single or typographic quotes, or none | `{'a': 1}`, `{a: 1}` |
| a comment | `{\"a\": 1 // note` |
| words of another language | `None`, `True`, `NaN` |
| a merge conflict | `<<<<<<< HEAD` |
| a writer that was interrupted | `{\"a\": [1, 2` |

To avoid the last one, write the whole text to a temporary file in the same folder and rename it over the file. Writing in
place works too: a file that is being written is never served half.
";

/// The words that end a session.
const ENDED: [&str; 6] = ["ended", "closed", "inactive", "completed", "stopped", "terminated"];

/// The examples of the page, by file.
const EXAMPLES: &[(Source, &str)] = &[
    (Source::Status, STATUS),
    (Source::Status, NESTED),
    (Source::Tasks, TASKS),
    (Source::Sessions, SESSIONS),
    (Source::Bus, BUS),
];

/// Files with a mistake of each usual kind.
const WRONG: &[(&str, &str)] = &[
    (
        "docs/09-agents/status.json",
        r#"{
  "epics": {"EP-0001": {"title": "Search", "status": "in-progress"}},
  "stories": {
    "US-0001": {"title": "Index of authors", "stauts": "done", "epic_id": "EP-0001"},
    "US-0002": {"title": "Search by author", "status": "blokced", "requires": ["US-0001"]},
    "US-0003": {"title": "Search by title", "status": "ready", "depends_on": ["US-0010"]},
    "US-0004": {"title": "Sort the results", "status": ["ready"], "created_at": "yesterday"},
    "US-0005": "Share a search"
  },
  "us-0006": {"title": "Save a search"},
  "userStories": {"US-0007": {"title": "Print the results"}}
}
"#,
    ),
    (
        ".flow/state/task-dependencies.json",
        "{\n  \"tasks\": {\n    \"task-1\": {\"state\": \"running\"},\n  }\n}\n",
    ),
    (
        "docs/09-agents/bus/log.jsonl",
        "{\"timestamp\": \"2026-03-02T10:30:00Z\", \"from\": \"ui\", \"type\": \"question\", \"message\": \"Which port?\"}\n\
         {\"time_stamp\": \"2026-03-02T10:35:00Z\", \"from\": \"api\", \"type\": \"answer\", \"message\": \"3456\"}\n\
         {\"timestamp\": \"2026-03-02T10:40:00Z\", \"from\": ui}\n",
    ),
];

/// A section about a file: its kinds in the order of the page, with their titles.
struct Section {
    title: &'static str,
    text: &'static str,
    kinds: &'static [(&'static str, Kind)],
    after: &'static str,
}

const SECTIONS: [Section; 4] = [
    Section {
        title: "Epics and stories",
        text: STATUS,
        kinds: &[("A story", Kind::Story), ("An epic", Kind::Epic)],
        after: NESTED,
    },
    Section { title: "Tasks", text: TASKS, kinds: &[("A task", Kind::Task)], after: "" },
    Section {
        title: "Sessions",
        text: SESSIONS,
        kinds: &[("A session", Kind::Session)],
        after: "",
    },
    Section { title: "Messages", text: BUS, kinds: &[("A message", Kind::Message)], after: LOG },
];

fn page() -> String {
    let mut page = HEAD.to_owned() + &paths() + AFTER_PATHS;
    for Section { title, text, kinds, after } in SECTIONS {
        let _ = write!(page, "\n## {title}\n{text}");
        for (title, kind) in kinds {
            let _ = write!(page, "\n### {title}\n\n{}", members(*kind));
        }
        page += after;
    }
    page + RULES
        + &statuses()
        + DEPENDENCIES
        + REPORTED
        + &mistakes()
        + SUSPICIOUS
        + &synonyms()
        + UNREADABLE
}

/// Where the files are.
fn paths() -> String {
    let project = Opened::plain("/".into());
    let mut table = "| file | content | path |\n|---|---|---|\n".to_owned();
    for source in Source::ALL {
        let paths = project.files(source).iter();
        let paths: Vec<String> = paths.map(|path| format!("`{}`", path.display())).collect();
        let paths = paths.join(", else ");
        let _ = writeln!(table, "| {} | {} | {paths} |", source.name(), source.content());
    }
    table
}

fn code(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The members that are read, and which of them are filled in.
fn members(kind: Kind) -> String {
    let mut table =
        "| member | other spellings | value | use | example |\n|---|---|---|---|---|\n".to_owned();
    for row in kind.names() {
        let (name, others) = (row.documented(), code(row.others()));
        let (value, purpose, example) = (row.value.noun(), row.purpose, row.example);
        let _ = writeln!(table, "| `{name}` | {others} | {value} | {purpose} | `{example}` |");
    }
    let filled: Vec<&str> = kind.filled().iter().map(Name::documented).collect();
    if !filled.is_empty() {
        let _ = writeln!(
            table,
            "\nWhere a record has only another spelling of {}, it is served under the documented name too, and what it \
             has stays. The other spellings are read where they are used, and served as they are.",
            code(&filled)
        );
    }
    table
}

/// The words with a meaning, from the definitions that the program uses.
fn statuses() -> String {
    let mut table = "| record | words | meaning |\n|---|---|---|\n".to_owned();
    let (story, task) = (Kind::Story, Kind::Task);
    for (record, words, meaning) in [
        ("story", done(story), "completed: what depends on it is ready to start"),
        ("story", given_up(story), "abandoned: not open any more"),
        ("story", &["blocked"], "needs attention"),
        ("story", &BEGUN, "its owner is working on it"),
        ("story", &ON_HOLD, "open, and not planned"),
        ("task", done(task), "what depends on it is ready to start"),
        ("task", given_up(task), "ended without completion; `failed` needs attention"),
        ("task", &["blocked"], "needs attention"),
        ("task", &["queued", "running"], "its agent waits, or works on it"),
        ("session", &ENDED, "ended; with any other word it is active"),
    ] {
        let _ = writeln!(table, "| {record} | {} | {meaning} |", code(words));
    }
    table
}

/// What is reported of the files with mistakes.
fn mistakes() -> String {
    let project = Project::new();
    let mut text = String::new();
    for (path, content) in WRONG {
        project.write(path, content);
        let _ = write!(text, "`{path}`:\n\n```text\n{content}```\n\n");
    }
    text += "| source | place | level | reason |\n|---|---|---|---|\n";
    for problem in problems(&project.root) {
        let word = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        let line = problem["line"].as_u64().map(|line| format!("line {line}"));
        let place = line.unwrap_or_else(|| format!("`{}`", word("id")));
        let reason = word("reason").replace('|', "\\|");
        let _ = writeln!(text, "| {} | {place} | {} | {reason} |", word("source"), word("level"));
    }
    text
}

fn problems(root: &Path) -> Vec<Value> {
    let opened = Opened::at(root).unwrap();
    let (_, body) = Files::read_at_rest(&opened).get("/api/problems").unwrap();
    let answer: Value = serde_json::from_str(&body).unwrap();
    answer["problems"].as_array().unwrap().clone()
}

/// The names that writers use in place of documented ones.
fn synonyms() -> String {
    let mut table = "| record | names | write |\n|---|---|---|\n".to_owned();
    for kind in [Kind::Story, Kind::Epic, Kind::Task, Kind::Session, Kind::Message] {
        for row in kind.names().iter().filter(|row| !row.synonyms.is_empty()) {
            let (noun, names, meant) = (kind.noun(), code(row.synonyms), row.documented());
            let _ = writeln!(table, "| {noun} | {names} | `{meant}` |");
        }
    }
    table
}

#[test]
fn the_page_of_files_is_made_from_the_table() {
    hold("docs/files.md", &page());
}

#[test]
fn the_examples_of_the_page_are_read_without_a_problem() {
    for (source, text) in EXAMPLES {
        let example = text.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
        let project = Project::new();
        let path = Opened::at(&project.root).unwrap().files(*source)[0].clone();
        project.write(path.to_str().unwrap(), example);
        let found = problems(&project.root);
        assert!(found.is_empty(), "{found:#?}\n{example}");
    }
}

#[test]
fn the_words_on_the_page_end_a_session() {
    assert!(ENDED.iter().all(|word| record::is_ended(&record::status(word))));
}

#[test]
fn the_mistakes_on_the_page_show_each_kind_of_report() {
    let mistakes = mistakes();
    for part in ["| invalid |", "| skipped |", "| suspicious |", "`stauts`", "`requires`"] {
        let part = part.replace('`', "\"");
        assert!(mistakes.contains(&part), "{part}\n{mistakes}");
    }
}
