//! `flow schema --for-agents`: a paragraph for AGENTS.md or CLAUDE.md, from the table of names.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::cli::terminal::wrapped;
use crate::model::exchange;
use crate::model::name::Name;
use crate::model::record::{Kind, STORY_STATUSES, TASK_STATES};
use crate::project::{Project, Source};

/// Width of the text, in columns.
const WIDTH: usize = 110;
/// Members of the story in the example.
const STORY: [&str; 5] = ["title", "status", "epic_id", "owner", "depends_on"];
/// Members of the message in the example.
const MESSAGE: [&str; 6] = ["timestamp", "from", "to", "type", "story_id", "message"];

/// The paragraph, in Markdown.
pub(super) fn paragraph(project: &Project) -> String {
    let mut text = "## The state of the work\n\n".to_owned();
    let what = "Record your work in these JSON files. `flow` reads them, shows them to people, and never writes them.";
    let _ = writeln!(text, "{}\n", wrapped(what, 0, WIDTH));
    for source in Source::ALL {
        let path = project.file(source).to_string_lossy().into_owned();
        let _ = writeln!(text, "- `{path}`: {}", form(source));
        for kind in source.kinds() {
            let names: Vec<&str> = kind.names().iter().map(Name::documented).collect();
            let line = format!("{}: {}", kind.one(), words(&names));
            let _ = writeln!(text, "  - {}", wrapped(&line, 4, WIDTH));
        }
    }
    text.push('\n');
    for rule in rules() {
        let _ = writeln!(text, "- {}", wrapped(&rule, 2, WIDTH));
    }
    let status = project.file(Source::Status).to_string_lossy().into_owned();
    let bus = project.file(Source::Bus).to_string_lossy().into_owned();
    let _ = write!(text, "\nAn example of `{status}`:\n\n```json\n{:#}\n```\n", document());
    let message = record(Kind::Message, &MESSAGE);
    let _ = write!(text, "\nAn example of a line of `{bus}`:\n\n```json\n{message}\n```\n");
    text
}

/// The structure of a file.
fn form(source: Source) -> String {
    if source == Source::Bus {
        return source.content().to_owned();
    }
    let collection = |kind: &Kind| format!("\"{}\": {{ID: {{…}}}}", kind.collection());
    let collections: Vec<String> = source.kinds().iter().map(collection).collect();
    format!("`{{{}}}`", collections.join(", "))
}

fn rules() -> Vec<String> {
    vec![
        "Use exactly these names. You may add members of your own; they are kept and have no effect.".to_owned(),
        "Each record is an object under its id: `EP-0001` for epics, `US-0001` for stories, `task-1` for tasks. \
         Never rename or reuse an id."
            .to_owned(),
        format!("`status` of a story or an epic: {}.", words(&STORY_STATUSES)),
        format!("`state` of a task: {}.", words(&TASK_STATES)),
        "`status` of a session: `active`, and `ended` at its end.".to_owned(),
        "`epic_id`, `story_id` and the list `depends_on` contain ids of existing records. A story depends on stories, \
         a task on tasks. Write anything else that blocks it as `blocked_reason`."
            .to_owned(),
        "Times (`…_at`, `last_active`, `timestamp`) are RFC 3339 in UTC, such as `\"2026-03-01T09:00:00Z\"`.".to_owned(),
        "Write plain JSON: double quotes, no comments, no comma after the last item.".to_owned(),
        "To change a file, read it again, write the whole new text to a temporary file in the same folder, and rename \
         that over the file."
            .to_owned(),
        "To send a message, append one JSON object and a line break to the log. Never change its earlier lines.".to_owned(),
        format!(
            "`type` of a message: {}, or any other word. An answer has the `story_id` of the question, and `to` is \
             who asked.",
            words(&exchange::TYPES)
        ),
        "Then run `flow doctor` to check the files, and correct what it reports.".to_owned(),
    ]
}

/// Words as code: `a`, `b`.
fn words(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

/// A record with these members and the examples of the table.
fn record(kind: Kind, names: &[&str]) -> Value {
    let member = |name: &&str| {
        let row = kind.name(name)?;
        Some(((*name).to_owned(), serde_json::from_str(row.example).ok()?))
    };
    names.iter().filter_map(member).collect::<Map<String, Value>>().into()
}

/// An epic, and two stories of which one depends on the other.
fn document() -> Value {
    json!({
        "epics": {"EP-0001": {"title": "Search", "status": "in-progress"}},
        "stories": {
            "US-0001": {"title": "Index of authors", "status": "done", "epic_id": "EP-0001"},
            "US-0002": record(Kind::Story, &STORY),
        },
    })
}
