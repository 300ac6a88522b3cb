//! `adr-template`: numbers, links in both directions, idempotence, and clean Markdown.

use std::fs;
use std::path::Path;

use flow::skill::generator::find;
use flow::skill::input::place::Request;
use flow::skill::output::Artifact;
use flow::skill::output::Fault;
use flow::skill::project_state::Context;
use serde_json::{Value, json};

use super::golden::{example_output, hold};
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
        for section in ["Status", "Context", "Decision", "Consequences", "Considered options"] {
            let heading = format!("\n## {section}\n");
            assert!(record.text.matches(&heading).count() <= 1, "{}", record.text);
        }
        assert_eq!(record.text.contains("\n## Open questions\n"), !output.open.is_empty());
        assert!(
            !record.path.contains(['/', '\\', ' ']) && record.path.len() < 100,
            "{}",
            record.path
        );
        texts.push(record.text.clone());
    }
    markdown(&texts);
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
    let first = write(next.clone());
    assert_eq!(first[0].path, "0007-keep-orders-in-a-database.md");
    assert!(
        first[0].text.contains("Supersedes [Keep orders in a file](0001-keep-orders-in-a-file.md)"),
        "{}",
        first[0].text
    );
    assert_eq!(first[1].path, "0001-keep-orders-in-a-file.md");
    let link = "\n## Status\n\nDeprecated, superseded by [7. Keep orders in a database](0007-keep-orders-in-a-database.md)\n\n## Open questions\n";
    assert!(first[1].text.contains(link), "{}", first[1].text);
    let texts = |artifacts: Vec<Artifact>| {
        artifacts.into_iter().map(|made| (made.path, made.text)).collect::<Vec<_>>()
    };
    assert_eq!(texts(write(next)), texts(first.clone()), "doing it twice equals doing it once");
    let other = write(json!({"topic": "Third", "supersedes": "0006-old.md"}));
    assert_eq!(other[0].path, "0008-third.md");
    assert_eq!(
        other[1].text,
        "# 6. Old\r\n\r\n## Status\r\n\r\nDeprecated, superseded by [8. Third](0008-third.md)\r\n\r\n## Context\r\n\r\nx\r\n"
    );
    let refused = |input: Value| make_in(SKILL, input, &here).unwrap_err().to_string();
    assert!(refused(json!({"topic": "Fourth", "supersedes": 1})).contains("superseded already"));
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

#[test]
fn a_bare_topic_gives_a_short_form() {
    let output = make(SKILL, json!({"topic": "Use a queue"})).unwrap();
    assert_eq!(
        output.artifacts[0].text,
        "# 1. Use a queue\n\nDate: 2026-03-11\n\n## Status\n\nProposed\n\n## Open questions\n\n\
         - context: not given (add context=TEXT, why a decision is needed)\n\
         - options: fewer than two given (add options=A,B)\n\
         - decision: not given (add chosen=OPTION, or decision=TEXT)\n\
         - consequences: not given (add consequences=A;B)\n"
    );
}

const MADR: &str = include_str!("adr/madr.md");

/// The record for some content.
fn read(text: &str) -> Result<String, Fault> {
    let skill = find(SKILL).unwrap();
    let request = Request { contents: vec![text.as_bytes().to_vec()], ..Request::default() };
    let given = skill.place(&request)?;
    Ok(skill.run(&given, &context(Path::new(".")))?.artifacts[0].text.clone())
}

#[test]
fn a_record_in_madr_form_is_read_by_its_headings() {
    let record = read(MADR).unwrap();
    hold("tests/it/artifacts/adr/madr.out.md", &record);
    assert_eq!(read(&record).unwrap(), record, "a record reads back");
    markdown(&[record]);
}

#[test]
fn statuses_and_days_are_read_as_records_write_them() {
    for (status, day, written) in [
        ("✅ Accepted", "December 1, 2021", "2021-12-01"),
        ("Decided. Open to new tools.", "1 Dec 2021", "2021-12-01"),
        ("Approved", "Dec 01, 2021", "2021-12-01"),
    ] {
        let text = format!(
            "# Use a queue\n\nDate: {day}\n\n## Status\n\n{status}\n\n## Decision\n\nWe use it.\n"
        );
        let record = read(&text).unwrap();
        assert!(record.contains(&format!("Date: {written}")), "{record}");
        assert!(record.contains(status.trim_end_matches('.')), "{record}");
        assert_eq!(read(&record).unwrap(), record);
    }
}

#[test]
fn a_day_that_cannot_be_told_stays_and_is_asked_for() {
    let of =
        |day: &str| read(&format!("# Use a queue\n\nDate: {day}\n\n## Decision\n\nWe use it.\n"));
    for (day, written, is_open) in [
        ("31/01/2019", "2019-01-31", false),
        ("01/31/2019", "2019-01-31", false),
        ("05/05/2019", "2019-05-05", false),
        // The first of June, or the sixth of January.
        ("01/06/2019", "01/06/2019", true),
        ("[Insert Date]", "\\[Insert Date\\]", true),
        ("{YYYY-MM-DD when it was decided}", "{YYYY-MM-DD when it was decided}", true),
    ] {
        let record = of(day).unwrap();
        assert!(record.contains(&format!("\nDate: {written}\n")), "{record}");
        assert_eq!(record.contains("\n- date: "), is_open, "{record}");
        assert_eq!(read(&record).unwrap(), record);
    }
    for day in ["2023-15-03", "31/31/2019", "soon"] {
        assert!(of(day).unwrap_err().to_string().contains(&format!("{day:?}")), "{day}");
    }
}

/// Sections of public records in addition to MADR's.
const FORMS: &str = include_str!("adr/forms.md");

#[test]
fn what_a_record_has_beside_its_form_is_kept() {
    let record = read(FORMS).unwrap();
    hold("tests/it/artifacts/adr/forms.out.md", &record);
    assert_eq!(read(&record).unwrap(), record, "a record reads back");
    markdown(&[record]);
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
        "Use a queue\nStatus: Accepted\nOptions: A queue, A table\nChosen: a queue\nBecause: calls time out\n\
         Context: Calls\nConsequences:\n- one more service\n- fewer calls; and slower ones\n",
    )
    .unwrap();
    let end = "## Status\n\nAccepted\n\n## Context\n\nCalls\n\n## Considered options\n\n- A queue\n- A table\n\n\
        ## Decision\n\nChosen option: A queue\n\nReason: calls time out\n\n\
        ## Consequences\n\n- one more service\n- fewer calls; and slower ones\n";
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
    assert!(found(MADR).is_empty(), "{:?}", found(MADR));
    assert!(found(&read(MADR).unwrap()).iter().all(|what| what.contains("open questions")));
    assert_eq!(
        found(
            "# Use a queue\n\nDate: soon\n\nStatus: done\n\n## Context\n\n## Decision\n\nWe use it.\n"
        ),
        [
            "3: the date is \"soon\", but must be a date such as 2026-01-31",
            "5: the status is \"done\", but must be one of proposed, accepted, rejected, deprecated, or `superseded by …`",
            "7: the section Context is empty",
        ]
    );
    let other = MADR.replace("Chosen option: \"PostgreSQL\"", "Chosen option: \"MySQL\"");
    assert_eq!(
        found(&other),
        ["31: the field \"chosen\" is \"MySQL\", but must be one of PostgreSQL, SQLite, DynamoDB"]
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
fn a_y_statement_is_read_whole() {
    let text = "In the context of the shop's orders, facing two writers at once,\nwe decided for PostgreSQL and against SQLite, \
        and a file, to achieve that no order is lost, accepting that tests need a database, because backups exist already.";
    let whole = "# 1. PostgreSQL

Date: 2026-03-11

## Status

Accepted

## Context

In the context of the shop's orders, facing two writers at once.

## Considered options

- PostgreSQL
- SQLite
- a file

## Decision

Chosen option: PostgreSQL

Reason: to achieve that no order is lost, because backups exist already

## Consequences

- Tests need a database
";
    assert_eq!(read(&format!("{text}\nStatus: accepted")).unwrap(), whole);
    // Below a heading it is the same decision under that title.
    let titled =
        read(&format!("# Keep orders in PostgreSQL\n\n{text}\n\nStatus: accepted")).unwrap();
    assert_eq!(titled, whole.replace("# 1. PostgreSQL", "# 1. Keep orders in PostgreSQL"));
    let fields = json!({"topic": text, "reason": "we know it", "options": ["PostgreSQL", "MySQL"]});
    let own = make(SKILL, fields).unwrap().artifacts[0].text.clone();
    assert!(
        own.contains("Reason: we know it\n") && own.contains("- PostgreSQL\n- MySQL\n"),
        "{own}"
    );
    assert!(!own.contains("SQLite"), "{own}");
}

#[test]
fn a_sentence_that_is_no_whole_y_statement_stays_text() {
    for text in [
        "In the context of the shop, facing load, we decided for a queue.",
        "In the context of the shop, we decided for a queue, to achieve calm, accepting delay.",
        "In the context of the shop, facing load, we decided for a queue, accepting delay, to achieve calm.",
        "In the context of the shop, facing load, facing cost, we decided for a queue, to achieve calm, accepting delay.",
        "In the context of the shop, facing , we decided for a queue, to achieve calm, accepting delay.",
    ] {
        let output = make(SKILL, json!({"topic": text})).unwrap();
        assert_eq!(output.data["chosen"], Value::Null, "{text}");
        assert!(output.open.iter().any(|question| question.starts_with("decision: ")), "{text}");
    }
}

#[test]
fn what_madr_writes_about_people_reasons_and_consequences_is_kept() {
    let text = "---\nstatus: accepted\ndate: 2024-05-06\ndecision-makers: [Ada, \"Grace\"]\n---\n# Choose a queue\n\n\
        ## Context and Problem Statement\n\nMails block.\n\n## Considered Options\n\n* Redis\n* A table\n\n\
        ## Decision Outcome\n\nChosen option: \"A table\", because\nno new service is needed.\n\n\
        ### Positive Consequences\n\n* One backup\n\n### Negative Consequences\n\n* Polling\n";
    let made = read(text).unwrap();
    for part in [
        "Deciders: Ada, Grace\n",
        "Chosen option: A table\n\nReason: no new service is needed.\n",
        "## Consequences\n\n- Good: One backup\n- Bad: Polling\n",
    ] {
        assert!(made.contains(part), "{part}: {made}");
    }
    assert_eq!(read(&made).unwrap(), made, "it reads back");
}

#[test]
fn a_long_status_keeps_its_link() {
    let status = "Deprecated, superseded by [2. Keep orders in a database server with replicas](0002-keep-orders-in-a-database-server.md)";
    let text =
        format!("# Keep orders\n\n## Status\n\n{status}\n\n## Context\n\nx\n\n## Decision\n\ny\n");
    let made = read(&text).unwrap();
    assert!(made.contains(&format!("## Status\n\n{status}\n")), "{made}");
}

#[test]
fn a_decision_in_words_needs_no_options() {
    let text = "# Record decisions\n\n## Status\n\nAccepted\n\n## Context\n\nWe forget.\n\n## Decision\n\nWe will write records.\n\n## Consequences\n\n- One folder more\n";
    let made = read(text).unwrap();
    assert!(!made.contains("Open questions"), "{made}");
}
