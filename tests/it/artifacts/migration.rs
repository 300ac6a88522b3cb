//! Checklists: every phase has a rollback, and the steps of a migration run forward and back on SQLite.

use std::path::Path;
use std::process::Command;

use flow::skill::output::Output;
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, Input, context, make, place, run_once};

const SKILL: &str = "migration-checklist";

#[test]
fn every_phase_has_a_rollback() {
    let mut texts = vec![example_output(SKILL).artifacts[0].text.clone()];
    for change in ["a *star*", "node 18 -> node 22", "heroku -> a_b", "move users to PostgreSQL 16"]
    {
        let text = place(SKILL, change, &[]).unwrap().artifacts[0].text.clone();
        let title = text.lines().next().unwrap();
        assert_eq!(title.replace('\\', ""), format!("# Migration checklist: {change}"));
        texts.push(text);
    }
    texts.push(
        make(SKILL, json!({ "change": HOSTILE.join(" "), "run": HOSTILE.join("\n") }))
            .unwrap()
            .artifacts[0]
            .text
            .clone(),
    );
    for fields in [json!({}), json!({ "owner": "x", "window": "y" })] {
        texts.push(checklist(&sql("postgresql"), &fields).artifacts[0].text.clone());
    }
    for text in &texts {
        let phases: Vec<_> = text.split("\n## ").skip(1).take(5).collect();
        assert_eq!(phases.len(), 5, "{text}");
        for phase in phases {
            assert_eq!(phase.matches("Rollback of this phase: ").count(), 1, "{phase}");
            assert!(phase.contains("- [ ] "), "{phase}");
        }
        assert!(text.ends_with('\n') && !text.contains("\n\n\n"), "{text}");
    }
    judge::markdown(&texts);
}

fn sql(dialect: &str) -> Output {
    let older = "User: id int pk, email string";
    let model = "User: id int pk, email string unique, nick string optional; Order: id int pk, user -> User";
    // A key of MySQL has a length, which is shorter than that of the text before.
    let fields = json!({ "source": model, "older": older, "dialect": dialect, "lossy": true });
    make("sql-schema-generator", fields).unwrap()
}

/// The checklist for a migration.
fn checklist(migration: &Output, fields: &Value) -> Output {
    let fields = fields.as_object().cloned().unwrap_or_default();
    let upstream = Some(("sql-schema-generator".to_owned(), migration.data.clone()));
    run_once(SKILL, &Input { fields, upstream }, &context(Path::new("."))).unwrap()
}

#[test]
fn the_steps_run_forward_and_back() {
    if !judge::are_there(&["sqlite3", "bash"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let made = sql("sqlite");
    for artifact in &made.artifacts {
        std::fs::write(folder.path().join(&artifact.path), &artifact.text).unwrap();
    }
    let shell = |script: &str| run(folder.path(), script);
    shell(
        "sqlite3 data.db 'CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT NOT NULL); INSERT INTO users VALUES (1, \"a\")'",
    );
    let state =
        "sqlite3 data.db 'SELECT count(*) FROM pragma_table_info(\"users\"); SELECT * FROM users'";
    let before = shell(state);
    let checklist = checklist(&made, &json!({}));
    assert_eq!(checklist.data["target"], "SQLite");
    let steps = checklist.data["steps"].as_array().unwrap();
    for step in steps {
        shell(step["command"].as_str().unwrap());
        shell(step["verify"].as_str().unwrap());
    }
    assert_ne!(before, shell(state));
    for step in steps.iter().rev() {
        shell(step["rollback"].as_str().unwrap());
    }
    assert_eq!(before, shell(state));
    assert_eq!(shell("ls"), "data.db\ndown.sql\nup.sql\n");
}

#[track_caller]
fn run(folder: &Path, script: &str) -> String {
    let mut command = Command::new("bash");
    command.args(["-e", "-o", "pipefail", "-c", script]).current_dir(folder);
    let output = command.env("DATABASE_FILE", "data.db").output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
