//! `handoff-note`: every claim cites a task, a message or a commit that exists in the raw files or in git, and
//! everything that a simple rule finds in the raw files is claimed.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use flow::skill::output::{Fault, Output};
use flow::skill::project_state::Context;
use serde_json::{Value, json};

use super::commits::repository;
use super::golden::example_output;
use super::judge::markdown;
use super::logs::{Raw, cites, meant};
use super::making::{HOSTILE, context, make, make_in, nowhere, place};

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
fn a_note_says_where_a_session_works_and_claims_nothing_of_others() {
    let facts = |fields: Value| {
        let facts = make(NAME, fields).unwrap().data["facts"]["rows"].clone();
        facts[0]["said"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        facts(json!({"session": "postage"})),
        "session 4 (postage): ended, story US-0013, branch postage-by-weight, path worktrees/postage, last active 2026-03-09T16:31:00Z"
    );
    assert_eq!(facts(json!({"agent": "ui"})).split(',').next(), Some("session 2 (ui): active"));
    assert_eq!(
        facts(json!({"story": "US-0012"})),
        "story US-0012: Pay by bank transfer, archived, owner api"
    );
    let lead = make(NAME, json!({"agent": "lead", "commits": "none"})).unwrap();
    assert!(!lead.artifacts[0].text.contains("is reported done"), "others report to the lead");
}

#[test]
fn reviews_and_lone_messages_are_claimed_until_they_are_settled() {
    let message = |kind: &str, story: &str, approved: Value| json!({"at": "2026-03-10T09:00:00Z", "from": "q", "to": "a", "type": kind, "story": story, "approved": approved});
    let raw = Raw {
        status: json!({"stories": {
            "US-1": {"status": "in-review"}, "US-2": {"status": "in-review"}, "US-3": {"status": "done"}, "US-4": {"status": "blocked"}, "US-5": {"status": "blocked"}
        }}),
        ..Raw::of_log(&[
            message("review_request", "US-1", Value::Null),
            message("review_done", "US-1", json!(false)),
            message("review_done", "US-1", json!(true)),
            message("review_done", "US-2", json!(false)),
            message("task_completed", "US-3", Value::Null),
            message("review_request", "US-3", Value::Null),
            message("blocked", "US-4", Value::Null),
            message("blocked", "US-5", Value::Null),
            message("unblocked", "US-5", Value::Null),
        ])
    };
    let folder = tempfile::tempdir().unwrap();
    let context = raw.open(folder.path());
    let output = make_in(NAME, json!({"commits": "none"}), &context).unwrap();
    check(&output, &raw, folder.path());
    let said = |section: &str| -> Vec<&str> {
        let rows = output.data[section]["rows"].as_array().unwrap().iter();
        rows.map(|row| row["said"].as_str().unwrap()).collect()
    };
    let done = ["US-3, done", "US-3 is reported done", "US-1 was accepted"];
    assert_eq!(said("done"), done, "the record counts, and the log");
    assert_eq!(said("next"), ["US-2 was rejected in review", "US-3 waits for a review"]);
    assert_eq!(said("blocked"), ["US-4, blocked", "US-5, blocked"]);
    let cited = cites(&output.data["blocked"]["rows"][1]["cites"]);
    assert_eq!(cited, ["story US-5"], "a block that was lifted is no source");
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
    assert!(commits(json!({"since": "2026-03-12"})).is_empty());
    assert!(commits(json!({"commits": "none"})).is_empty());
    for since in ["0001-01-01", "9999-12-31"] {
        commits(json!({"since": since}));
    }
    let bare = tempfile::tempdir().unwrap();
    let output = make_in(NAME, json!({}), &context(bare.path())).unwrap();
    assert!(
        output.notes.iter().any(|note| note.starts_with("No commits are cited: ")),
        "{:?}",
        output.notes
    );
}

#[test]
fn the_markdown_is_clean_and_the_hostile_is_cited_too() {
    let mut texts = vec![example_output(NAME).artifacts[0].text.clone()];
    let raw = Raw::hostile();
    let folder = tempfile::tempdir().unwrap();
    let context = raw.open(folder.path());
    let output = make_in(NAME, json!({"commits": "none"}), &context).unwrap();
    assert!(check(&output, &raw, folder.path()) > 20);
    texts.push(output.artifacts[0].text.clone());
    for text in HOSTILE {
        let output = make_in(NAME, json!({"agent": text, "commits": "none"}), &context).unwrap();
        check(&output, &raw, folder.path());
        texts.push(output.artifacts[0].text.clone());
    }
    for session in raw.sessions["sessions"].as_object().unwrap().keys() {
        let output =
            make_in(NAME, json!({"session": session, "commits": "none"}), &context).unwrap();
        texts.push(output.artifacts[0].text.clone());
    }
    let empty = tempfile::tempdir().unwrap();
    let fault = make_in(NAME, json!({}), &Raw::of_log(&[]).open(empty.path())).unwrap_err();
    assert!(fault.to_string().contains("has no stories, tasks, sessions or messages"), "{fault}");
    markdown(&texts);
}

#[test]
fn bad_input_is_named() {
    for (fields, field) in [
        (json!({"about": "nobody"}), "about"),
        (json!({"about": "session 77"}), "about"),
        (json!({"agent": "nobody"}), "agent"),
        (json!({"session": "nobody"}), "session"),
        (json!({"story": "US-9"}), "story"),
        (json!({"since": "soon"}), "since"),
        (json!({"about": "api to ui", "to": "qa"}), "to"),
        (json!({"about": "api yesterday", "since": "today"}), "since"),
        (json!({"commits": "svn"}), "commits"),
    ] {
        let fault = make(NAME, fields).unwrap_err().to_string();
        assert!(fault.contains(&format!("{field:?}")), "{fault}");
    }
    let none: Context = nowhere();
    assert!(
        matches!(make_in(NAME, json!({}), &none), Err(Fault::Refused(why)) if why.contains("project"))
    );
}

#[test]
fn a_name_a_label_and_words_for_times_are_fields() {
    let made = place(NAME, "story US-0019", &[("since", "yesterday"), ("to", "qa")]).unwrap();
    assert_eq!(made.data["since"], "2026-03-10");
    assert!(made.artifacts[0].text.contains(" qa takes over.\n"), "{}", made.artifacts[0].text);
    assert_eq!(made.open, Vec::<String>::new());
    let words = place(NAME, "US-0019 yesterday to qa", &[]).unwrap();
    assert_eq!(words.artifacts, made.artifacts);
    let labelled = place(NAME, "Story: US-0019\nTo: qa\nSince: yesterday\n", &[]).unwrap();
    assert_eq!(labelled.artifacts, made.artifacts);
    let sentence = place(NAME, "Hand over what the api agent did", &[]).unwrap_err().to_string();
    assert!(
        sentence.contains("\"about\"") && sentence.contains("an agent or a session"),
        "{sentence}"
    );
}

#[test]
fn without_a_log_the_records_are_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let raw = Raw {
        status: json!({"stories": {
            "US-1": {"status": "completed", "completed": "2026-03-01", "owner": "a"},
            "US-2": {"status": "done", "completed": "2026-03-10", "owner": "a"},
            "US-3": {"status": "in-progress", "owner": "a"},
            "US-4": {"status": "blocked", "owner": "a", "blocked_by": "a key"},
        }}),
        ..Raw::of_log(&[])
    };
    let context = raw.open(folder.path());
    let output = make_in(NAME, json!({"agent": "a", "commits": "none"}), &context).unwrap();
    check(&output, &raw, folder.path());
    let text = &output.artifacts[0].text;
    for line in [
        "- Blocked: US-4 by a key.\n",
        "so the dates are those of the records.",
        "## Done\n\n- US-2, done 2026-03-10 (story US-2)\n- US-1, done 2026-03-01 (story US-1)\n",
        "- US-3, in-progress (story US-3)\n",
        "- US-4, blocked; waits for: a key (story US-4)\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn a_message_about_a_story_is_the_progress_of_its_only_running_task() {
    let at = |kind: &str, text: &str, task: Value| json!({"at": "2026-03-10T09:00:00Z", "from": "a", "type": kind, "story": "US-1", "task_id": task, "text": text});
    let raw = Raw {
        status: json!({"stories": {
            "US-1": {"title": "Pay", "status": "in-progress", "owner": "a", "depends_on": ["US-2"]},
            "US-2": {"title": "Basket", "status": "in-review", "owner": "a"},
        }}),
        tasks: json!({"tasks": {
            "t-1": {"description": "Form", "state": "running", "story_id": "US-1"},
            "t-2": {"description": "Build", "state": "failed", "story_id": "US-1", "error": "exit 1"},
        }}),
        ..Raw::of_log(&[
            at("handoff", "Form done, checks missing", Value::Null),
            at("task_failed", "exit 1", json!("t-2")),
        ])
    };
    let folder = tempfile::tempdir().unwrap();
    let context = raw.open(folder.path());
    let fields = json!({"story": "US-1", "to": "b", "commits": "none"});
    let output = make_in(NAME, fields, &context).unwrap();
    check(&output, &raw, folder.path());
    let text = &output.artifacts[0].text;
    for line in [
        "- Waiting: nobody.\n",
        "- Next: US-1: Form done, checks missing.\n",
        "- story US-1: Pay, in-progress, owner a, needs US-2 (in-review)\n",
        "- Form (US-1); last message: Form done, checks missing (task t-1; message 2026-03-10T09:00:00Z a handoff)\n",
        "- Build (US-1); exit 1 (task t-2; message 2026-03-10T09:00:00Z a task_failed)\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(output.open, Vec::<String>::new());
}

#[test]
fn the_last_handoff_of_an_open_story_names_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let raw = Raw {
        status: json!({"stories": {"US-1": {"status": "in-progress"}, "US-2": {"status": "done"}}}),
        ..Raw::of_log(&[
            json!({"at": "2026-03-10T09:00:00Z", "from": "a", "type": "handoff", "story": "US-1", "text": "old"}),
            json!({"at": "2026-03-10T10:00:00Z", "from": "a", "type": "hand-off", "story": "US-1",
                "text": "Form done", "next_steps": ["write the checks", "ask for a review"]}),
            json!({"at": "2026-03-10T11:00:00Z", "from": "a", "type": "handoff", "story": "US-2", "next": "nothing"}),
            json!({"at": "2026-03-10T11:00:00Z", "from": "a", "type": "handoff", "text": "Deploy on Monday"}),
        ])
    };
    let context = raw.open(folder.path());
    let output = make_in(NAME, json!({"commits": "none"}), &context).unwrap();
    check(&output, &raw, folder.path());
    let text = &output.artifacts[0].text;
    let next = "- Next: Deploy on Monday; US-1: write the checks, ask for a review.\n";
    assert!(text.contains(next), "{text}");
}

#[test]
fn what_cannot_begin_is_blocked_and_comes_after_what_can() {
    let folder = tempfile::tempdir().unwrap();
    let raw = Raw {
        status: json!({"stories": {
            "US-1": {"status": "ready", "depends_on": ["US-9"]}, "US-2": {"status": "ready", "owner": "a"},
            "US-3": {"status": "ready", "depends_on": ["US-2"], "owner": "b"},
        }}),
        tasks: json!({"tasks": {
            "t-1": {"description": "Alert", "state": "queued", "blockedBy": ["t-3"]},
            "t-2": {"description": "Guide", "state": "queued"},
            "t-3": {"description": "Limit", "state": "running"},
        }}),
        ..Raw::of_log(&[])
    };
    let context = raw.open(folder.path());
    let output = make_in(NAME, json!({"commits": "none"}), &context).unwrap();
    let text = &output.artifacts[0].text;
    assert!(text.contains("- Next: Guide; Alert.\n"), "{text}");
    let blocked = "## Blocked\n\n- US-1, ready; needs US-9 (not in the project) (story US-1)\n";
    assert!(text.contains(blocked) && !text.contains("| US-1 |"), "{text}");
    let output = make_in(NAME, json!({"agent": "a", "commits": "none"}), &context).unwrap();
    let text = &output.artifacts[0].text;
    assert!(text.contains("- Waiting: b for a (US-3).\n"), "{text}");
}
