//! `handoff-note`: every claim cites a task, a message or a commit that exists in the raw files or in git, and
//! everything that a simple rule finds in the raw files is claimed.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use flow::skill::output::Output;
use serde_json::{Value, json};

use super::commits::repository;
use super::logs::{Raw, cites, meant};
use super::making::{context, make, make_in};

const NAME: &str = "handoff-note";
const SECTIONS: [&str; 5] = ["done", "in_progress", "blocked", "failed", "next"];
const HEADINGS: [&str; 5] = ["Done", "In progress", "Blocked", "Failed", "Next"];

/// Asserts that every claim cites something and that everything cited exists; returns the number of claims.
#[track_caller]
fn check(output: &Output, raw: &Raw, folder: &Path) -> usize {
    let messages: BTreeSet<String> = raw.messages().iter().map(Raw::cite).collect();
    let keys = |records: &Value| -> BTreeSet<String> {
        records.as_object().into_iter().flatten().map(|(id, _)| id.clone()).collect()
    };
    let (tasks, stories) = (keys(&raw.tasks["tasks"]), keys(&raw.status["stories"]));
    let is_commit = |id: &str| {
        let mut git = Command::new("git");
        git.arg("-C").arg(folder).args(["cat-file", "-e", &format!("{id}^{{commit}}")]);
        git.status().unwrap().success()
    };
    let mut count = 0;
    for section in SECTIONS {
        let rows = output.data[section]["rows"].as_array().unwrap();
        let rest = output.data[section]["rest"].as_u64().unwrap();
        assert_eq!(output.data[section]["count"], rows.len() as u64 + rest);
        for row in rows {
            let cites = cites(&row["cites"]);
            assert!(!row["said"].as_str().unwrap().is_empty(), "{row}");
            assert!(!cites.is_empty(), "{row}");
            for cite in &cites {
                let (kind, id) = cite.split_once(' ').unwrap();
                let is_there = match kind {
                    "task" => tasks.contains(id),
                    "story" => stories.contains(id),
                    "message" => messages.contains(cite),
                    "commit" => is_commit(id),
                    _ => false,
                };
                assert!(is_there, "{cite}: {row}");
            }
            count += 1;
        }
    }
    let text = &output.artifacts[0].text;
    let (head, sections) = text.split_once("\n## ").unwrap_or((text, ""));
    let items = |text: &str| text.lines().filter(|line| line.starts_with("- ")).count();
    assert_eq!(items(head), 4, "four lines say what matters: {text}");
    let claims = sections.split("\n## ").filter(|section| {
        HEADINGS.iter().any(|heading| section.starts_with(&format!("{heading}\n")))
    });
    assert_eq!(claims.map(items).sum::<usize>(), count, "{text}");
    count
}

/// The tasks that a section cites.
fn cited(output: &Output, section: &str) -> BTreeSet<String> {
    let all = cites(&output.data[section]).into_iter();
    all.filter_map(|cite| Some(cite.strip_prefix("task ")?.to_owned())).collect()
}

/// The raw tasks in a state that match a rule.
fn tasks(raw: &Raw, state: &str, rule: impl Fn(&Value) -> bool) -> BTreeSet<String> {
    meant(&raw.tasks["tasks"], |task| task["state"] == state && rule(task))
}

#[test]
fn every_claim_about_the_demo_is_found_where_it_says() {
    let raw = Raw::demo();
    let folder = tempfile::tempdir().unwrap();
    let stories = raw.status["stories"].as_object().unwrap().keys().map(|id| ("story", id.clone()));
    let agents = ["lead", "api", "ui", "ci", "qa"].map(|name| ("agent", name.to_owned()));
    let sessions = ["1", "ui", "postage", "5"].map(|name| ("session", name.to_owned()));
    for (field, name) in stories.chain(agents).chain(sessions) {
        for since in ["", "2026-03-10", "2026-03-10T10:00:00Z"] {
            let fields = json!({(field): name, "since": since, "commits": "none"});
            let output = make(NAME, fields).unwrap();
            check(&output, &raw, folder.path());
            let about =
                json!({"about": format!("{field} {name}"), "since": since, "commits": "none"});
            assert_eq!(make(NAME, about).unwrap().artifacts, output.artifacts);
            let story = match (field, name.as_str()) {
                ("session", "1") => "US-0009",
                ("session", "ui") => "US-0005",
                ("session", "postage") => "US-0013",
                ("session", _) => "US-0012",
                _ => &name,
            };
            let rule = |task: &Value| {
                task[if field == "agent" { "subagent_type" } else { "story_id" }] == story
            };
            for (section, state) in [
                ("in_progress", "running"),
                ("blocked", "blocked"),
                ("failed", "failed"),
                ("next", "queued"),
            ] {
                assert_eq!(
                    cited(&output, section),
                    tasks(&raw, state, rule),
                    "{section} of {name}"
                );
            }
            let done = tasks(&raw, "completed", |task| {
                rule(task) && task["updated_at"].as_str().unwrap() >= since
            });
            assert_eq!(cited(&output, "done"), done, "{name} since {since}");
        }
    }
    let whole = make(NAME, json!({"commits": "none"})).unwrap();
    assert!(check(&whole, &raw, folder.path()) >= 15);
    assert_eq!(cited(&whole, "done"), tasks(&raw, "completed", |_| true));
}

#[test]
fn commits_are_put_to_the_stories_that_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let git = repository(folder.path());
    for (day, message) in [
        ("2026-03-08", "Begin cards (US-0009)"),
        ("2026-03-09", "US-00090 is another story"),
        ("2026-03-10", "Mail\n\nRefs: US-0014, us-0009"),
        ("2026-03-10", "Tidy | up `x` \u{202e}"),
        ("2026-03-11", "Cards and mail: US-0009/US-0014"),
    ] {
        let date = format!("{day}T12:00:00Z");
        let program = "-c";
        let alias = format!("alias.at=!GIT_COMMITTER_DATE={date} git");
        git(&[program, &alias, "at", "commit", "-q", "--allow-empty", "-m", message]);
    }
    let here = context(folder.path());
    let raw = Raw::demo();
    let commits = |fields: Value| {
        let output = make_in(NAME, fields, &here).unwrap();
        check(&output, &raw, folder.path());
        let rows = output.data["done"]["rows"].as_array().unwrap().iter();
        let rows =
            rows.filter(|row| row["cites"][0]["cite"].as_str().unwrap().starts_with("commit "));
        rows.map(|row| row["said"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let both = "US-0009, US-0014: Cards and mail: US-0009/US-0014";
    assert_eq!(
        commits(json!({"story": "US-0009"})),
        ["US-0009: Cards and mail: US-0009/US-0014", "US-0009: Begin cards (US-0009)"]
    );
    assert_eq!(commits(json!({"agent": "api", "since": "2026-03-10"})), [both, "US-0014: Mail"]);
    assert_eq!(commits(json!({})), [both, "US-0014: Mail", "US-0009: Begin cards (US-0009)"]);
    let whole = commits(json!({"since": "2026-03-10T12:00:00Z"}));
    assert_eq!(whole, [both, "Tidy | up `x` \u{202e}", "US-0014: Mail"]);
    assert!(commits(json!({"since": "2026-01-01 until 2026-01-02"})).is_empty());
    assert!(make_in(NAME, json!({"since": "2026-03-12"}), &here).is_err(), "it has not begun");
    assert!(commits(json!({"commits": "none"})).is_empty());
    // Git would misread such times.
    commits(json!({"since": "0001-01-01 until 9999-12-31"}));
    let bare = tempfile::tempdir().unwrap();
    let output = make_in(NAME, json!({}), &context(bare.path())).unwrap();
    assert!(
        output.notes.iter().any(|note| note.starts_with("No commits are cited: ")),
        "{:?}",
        output.notes
    );
}
