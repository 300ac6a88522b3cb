//! `adr-template`: numbers, links in both directions, idempotence, and clean Markdown.

use std::fs;
use std::path::Path;

use flow::skill::generator::find;
use flow::skill::input::place::Request;
use flow::skill::output::Artifact;
use flow::skill::output::Fault;
use flow::skill::project_state::Context;
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge::markdown;
use super::making::{HOSTILE, context, make, make_in};

const SKILL: &str = "adr-template";

fn inputs() -> Vec<Value> {
    let mut inputs = vec![
        json!({"topic": "Use a queue"}),
        json!({"topic": "# Use a queue\n\nCalls time out."}),
        json!({"topic": "Use a queue. Calls time out.", "options": ["A", {"name": "B", "pros": ["p"]}], "chosen": "b"}),
        json!({"topic": "x".repeat(50_000), "chosen": "y", "status": "deprecated"}),
        json!({"topic": "Use a queue", "decision": "We use one.", "reason": "Calls time out."}),
        json!({"topic": "Use a queue", "reason": "Calls time out."}),
    ];
    for text in HOSTILE {
        inputs.push(json!({"topic": text}));
        inputs.push(json!({
            "topic": text, "context": text, "chosen": text, "reason": text, "consequences": [text, "a\nb"],
            "options": [{"name": text, "pros": [text], "cons": [text]}, {"name": format!("not {text}"), "cons": [text]}],
        }));
    }
    inputs
}

#[test]
fn records_are_clean_and_have_every_section() {
    let mut texts = vec![example_output(SKILL).artifacts[0].text.clone()];
    for input in inputs() {
        let output = make(SKILL, input).unwrap();
        let record = &output.artifacts[0];
        assert!(record.text.contains("\n\nDate: 2026-03-11\n\n## Status\n\n"), "{}", record.text);
        for section in ["Status", "Context", "Decision", "Consequences", "Alternatives"] {
            let heading = format!("\n## {section}\n");
            assert_eq!(record.text.matches(&heading).count(), 1, "{}", record.text);
        }
        assert_eq!(record.text.contains("\n\\<w"), !output.open.is_empty());
        assert!(
            !record.path.contains(['/', '\\', ' ']) && record.path.len() < 100,
            "{}",
            record.path
        );
        texts.push(record.text.clone());
    }
    markdown(&texts);
}

fn with(mut fields: Value, status: &str) -> Value {
    fields["status"] = status.into();
    fields
}

#[test]
fn numbers_go_on_and_a_superseded_record_links_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    let here = context(folder.path());
    let records = folder.path().join("docs/adr");
    fs::create_dir_all(&records).unwrap();
    let write = |input: Value| {
        let output = make_in(SKILL, input, &here).unwrap();
        for artifact in &output.artifacts {
            fs::write(records.join(&artifact.path), &artifact.text).unwrap();
        }
        output.artifacts
    };
    fs::write(records.join("README.md"), "# x\n").unwrap();
    assert_eq!(
        write(json!({"topic": "Keep orders in a file", "status": "accepted"}))[0].path,
        "0001-keep-orders-in-a-file.md"
    );
    fs::write(records.join("0006-old.md"), "# 6. Old\r\n\r\n## Context\r\n\r\nx\r\n").unwrap();
    let next = json!({"topic": "Keep orders in a database", "supersedes": 1});
    let waits = make_in(SKILL, next.clone(), &here).unwrap();
    assert_eq!((waits.artifacts.len(), waits.notes.len()), (1, 1), "a proposal supersedes nothing");
    let next = with(next, "accepted");
    let first = write(next.clone());
    assert_eq!(first[0].path, "0007-keep-orders-in-a-database.md");
    assert!(
        first[0].text.contains("Supersedes [Keep orders in a file](0001-keep-orders-in-a-file.md)"),
        "{}",
        first[0].text
    );
    assert_eq!(first[1].path, "0001-keep-orders-in-a-file.md");
    let link = "\n## Status\n\nDeprecated, superseded by [7. Keep orders in a database](0007-keep-orders-in-a-database.md)\n\n## Context\n";
    assert!(first[1].text.contains(link), "{}", first[1].text);
    let texts = |artifacts: Vec<Artifact>| {
        artifacts.into_iter().map(|made| (made.path, made.text)).collect::<Vec<_>>()
    };
    assert_eq!(texts(write(next)), texts(first.clone()), "doing it twice equals doing it once");
    let other = write(with(json!({"topic": "Third", "supersedes": "0006-old.md"}), "accepted"));
    assert_eq!(other[0].path, "0008-third.md");
    assert_eq!(
        other[1].text,
        "# 6. Old\r\n\r\n## Status\r\n\r\nDeprecated, superseded by [8. Third](0008-third.md)\r\n\r\n## Context\r\n\r\nx\r\n"
    );
    let refused = |input: Value| make_in(SKILL, input, &here).unwrap_err().to_string();
    assert!(
        refused(with(json!({"topic": "Fourth", "supersedes": 1}), "accepted"))
            .contains("superseded already")
    );
    assert!(refused(json!({"topic": "Third", "supersedes": 8})).contains("another record"));
    assert!(
        refused(json!({"topic": "Third", "supersedes": 99}))
            .contains("one of 0001-keep-orders-in-a-file.md")
    );
    markdown(
        &first.iter().chain(&other[..1]).map(|artifact| artifact.text.clone()).collect::<Vec<_>>(),
    );
}

#[test]
fn the_day_is_that_of_the_decision() {
    let folder = tempfile::tempdir().unwrap();
    let here = context(folder.path());
    let later = Context { now: "2027-05-06T00:00:00Z".into(), ..here.clone() };
    let records = folder.path().join("docs/adr");
    fs::create_dir_all(&records).unwrap();
    let topic = json!({"topic": "Keep orders in a file"});
    let first = make_in(SKILL, topic.clone(), &here).unwrap().artifacts;
    fs::write(records.join(&first[0].path), &first[0].text).unwrap();
    assert_eq!(make_in(SKILL, topic, &later).unwrap().artifacts, first, "the day stays");
    let dated = json!({"topic": "Keep orders in a file", "date": "2025-12-24"});
    let dated = make_in(SKILL, dated, &later).unwrap();
    assert!(dated.artifacts[0].text.contains("\nDate: 2025-12-24\n"), "{:?}", dated.artifacts);
    let fresh = make_in(SKILL, json!({"topic": "Another"}), &later).unwrap();
    assert_eq!(fresh.data["date"], "2027-05-06");
}

const BARE: &str = "# 1. Use a queue\n\nDate: 2026-03-11\n\n## Status\n\nProposed\n\n\
    ## Context\n\n\\<why a decision is needed>\n\n## Decision\n\n\\<what is decided, and why>\n\n\
    ## Consequences\n\n\\<what becomes better, and what becomes worse>\n\n\
    ## Alternatives\n\n\\<which other options were considered, and why not>\n";

#[test]
fn a_bare_topic_gives_the_whole_form() {
    let output = make(SKILL, json!({"topic": "Use a queue"})).unwrap();
    assert_eq!(output.artifacts[0].text, BARE);
    let missing = ["context", "decision", "consequences", "alternatives"];
    assert_eq!(output.open, missing.map(|section| format!("{section}: not given")));
    assert_eq!(read(BARE).unwrap(), BARE, "blanks are no text");
}

/// The record for some content.
fn read(text: &str) -> Result<String, Fault> {
    let skill = find(SKILL).unwrap();
    let request = Request { contents: vec![text.as_bytes().to_vec()], ..Request::default() };
    let given = skill.place(&request)?;
    Ok(skill.run(&given, &context(Path::new(".")))?.artifacts[0].text.clone())
}

#[test]
fn a_record_with_other_sections_is_refused_with_those_that_are_wanted() {
    let madr = "# Choose a queue\n\n## Context and Problem Statement\n\nMails block.\n\n## Decision Drivers\n\n* Cost\n";
    let fault = read(madr).unwrap_err().to_string();
    assert!(fault.contains("\"Decision Drivers\", but must be a section of a record"), "{fault}");
    // The names of the same sections in other records are known.
    let text = madr.replace("## Decision Drivers", "## Considered Options");
    let record = read(&text).unwrap();
    assert!(record.contains("## Context\n\nMails block.\n"), "{record}");
    assert!(record.contains("## Alternatives\n\n- Cost\n"), "{record}");
}

#[test]
fn records_read_back() {
    let mut wrong = Vec::new();
    for input in inputs() {
        let record = make(SKILL, &input).unwrap().artifacts[0].text.clone();
        match read(&record) {
            Ok(again) if again == record => {}
            other => wrong.push(format!("{input}\n{record}\n{other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn labels_in_text_are_fields() {
    let record = read(
        "Use a queue\nStatus: Accepted\nAlternatives: A queue, A table\nChosen: a queue\nBecause: calls time out\n\
         Context: Calls\nConsequences:\n- one more service\n- fewer calls; and slower ones\n",
    )
    .unwrap();
    let end = "## Status\n\nAccepted\n\n## Context\n\nCalls\n\n\
        ## Decision\n\nChosen option: a queue\n\nReason: calls time out\n\n\
        ## Consequences\n\n- one more service\n- fewer calls; and slower ones\n\n\
        ## Alternatives\n\n- A queue\n- A table\n";
    assert_eq!(record, format!("# 1. Use a queue\n\nDate: 2026-03-11\n\n{end}"));
}

#[test]
fn verification_names_lines() {
    let verify = find(SKILL).unwrap().verify.unwrap();
    let found = |text: &str| {
        verify(text, &context(Path::new(".")))
            .into_iter()
            .map(|finding| format!("{}: {}", finding.line, finding.what))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(BARE).len(), 4);
    assert!(found(BARE)[0].starts_with("11: <why a decision is needed> is a blank"));
    assert_eq!(
        found(
            "# Use a queue\n\nDate: soon\n\nStatus: done\n\n## Context\n\n## Decision\n\nWe use it.\n"
        ),
        [
            "1: the section Status is missing: add `## Status`",
            "1: the section Consequences is missing: add `## Consequences`",
            "1: the section Alternatives is missing: add `## Alternatives`",
            "3: the date is \"soon\", but must be a date such as 2026-01-31",
            "5: the status is \"done\", but must be one of proposed, accepted, rejected, deprecated, or `superseded by …`",
            "7: the section Context is empty",
        ]
    );
}

#[test]
fn bad_input_is_named() {
    for (input, field) in [
        (json!({"topic": " "}), "topic"),
        (json!({"topic": "x", "options": [{}]}), "options[0].name"),
        (json!({"topic": "x", "options": ["a", "a"]}), "options[1]"),
        (json!({"topic": "x", "options": ["a", "b"], "chosen": "c"}), "chosen"),
        (json!({"topic": "x", "status": "superseded"}), "status"),
        (json!({"topic": "x", "stauts": "accepted"}), "stauts"),
        (json!({"topic": "x", "date": "2026-02-30"}), "date"),
        (json!({"topic": "x", "date": "yesterday"}), "date"),
    ] {
        let fault = make(SKILL, input).unwrap_err().to_string();
        assert!(fault.contains(&format!("{field:?}")), "{fault}");
    }
}

#[test]
fn a_long_status_keeps_its_link() {
    let status = "Deprecated, superseded by [2. Keep orders in a database server with replicas](0002-keep-orders-in-a-database-server.md)";
    let text =
        format!("# Keep orders\n\n## Status\n\n{status}\n\n## Context\n\nx\n\n## Decision\n\ny\n");
    let made = read(&text).unwrap();
    assert!(made.contains(&format!("## Status\n\n{status}\n")), "{made}");
}
