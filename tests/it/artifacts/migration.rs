//! Checklists: every phase has a rollback, SQL is listed with its locks and losses, and the steps run for the next skill.

use std::path::Path;
use std::process::Command;

use flow::skill::generator::find;
use flow::skill::input::place::Request;
use flow::skill::output::{Fault, Output};
use serde_json::{Value, json};

use super::golden::{example, example_output};
use super::judge;
use super::making::{HOSTILE, Input, context, make, nowhere, run_once};

const SKILL: &str = "migration-checklist";

#[test]
fn every_phase_has_a_rollback() {
    let mut texts = vec![example_output(SKILL).artifacts[0].text.clone()];
    for change in ["a *star*", "node 18 -> node 22", "heroku -> a_b", "move users to PostgreSQL 16"]
    {
        let text = said(change, &[]).unwrap().artifacts[0].text.clone();
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
        texts.push(
            fed("sql-schema-generator", &sql("postgresql"), &fields).artifacts[0].text.clone(),
        );
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

/// Runs a skill on the output of another.
fn fed(before: &str, made: &Output, fields: &Value) -> Output {
    let fields = fields.as_object().cloned().unwrap_or_default();
    let skill = if before == SKILL { "deployment-guide-generator" } else { SKILL };
    let input = Input { fields, upstream: Some((before.to_owned(), made.data.clone())) };
    run_once(skill, &input, &context(Path::new("."))).unwrap()
}

/// The output for content and `key=value` words.
fn said(text: &str, pairs: &[(&str, &str)]) -> Result<Output, Fault> {
    let skill = find(SKILL).unwrap();
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let request = Request {
        contents: vec![text.as_bytes().to_vec()],
        pairs: pairs.iter().map(owned).collect(),
        ..Request::default()
    };
    skill.run(&skill.place(&request)?, &context(Path::new(".")))
}

#[test]
fn what_is_missing_is_named_or_asked() {
    let fault = make(SKILL, json!({})).unwrap_err().to_string();
    assert!(fault.contains("\"change\" is missing"), "{fault}");
    let fault =
        make(SKILL, json!({ "change": "a", "strategy": "phased" })).unwrap_err().to_string();
    assert!(fault.contains("\"strategy\" is not known"), "{fault}");
    let output = make(SKILL, json!({ "change": "a" })).unwrap();
    assert_eq!(output.open.len(), 3, "{:?}", output.open);
    assert!(output.open[2].contains("run=COMMAND check=COMMAND back=COMMAND backup=COMMAND"));
    assert!(output.notes[0].contains("a general one"), "{:?}", output.notes);
    let labelled = said("MySQL to PostgreSQL\nDecides: Ada\nWindow: Sunday\n", &[]).unwrap();
    let text = &labelled.artifacts[0].text;
    assert!(text.contains("Decides: Ada. Window: Sunday.\n"), "{text}");
    assert!(example_output(SKILL).open.is_empty());
}

/// Each statement, or each action of one, stands with what it locks and loses and what rows need before.
#[test]
fn statements_have_their_locks_and_losses() {
    let list = |sql: &str| -> Vec<String> {
        let output = said(sql, &[]).unwrap();
        let lines = output.artifacts[0].text.lines().filter_map(|line| line.strip_prefix("- [ ] "));
        lines.filter(|line| line.contains(": lock: ")).map(str::to_owned).collect()
    };
    let postgres = "ALTER TABLE users ADD COLUMN phone text NOT NULL, ADD COLUMN ok boolean NOT NULL DEFAULT false, DROP COLUMN fax;\n\
        ALTER TABLE users ALTER COLUMN email SET NOT NULL; ALTER TABLE users ALTER COLUMN id TYPE bigint;\n\
        ALTER TABLE users ADD CONSTRAINT one_mail UNIQUE (email); CREATE UNIQUE INDEX by_day ON orders (day);\n\
        CREATE INDEX CONCURRENTLY by_id ON orders (id); DROP TABLE old; CREATE TABLE fresh (id int); TRUNCATE TABLE logs;\n\
        DELETE FROM logs; UPDATE users SET a = 1; INSERT INTO kinds VALUES (1);";
    let short = "short, after the running transactions";
    let wanted = [
        format!("`ALTER TABLE users ADD COLUMN phone TEXT NOT NULL`: lock: {short}; rows: NOT NULL without a default fails: add it without, fill it, and set NOT NULL then."),
        format!("`ALTER TABLE users ADD COLUMN ok BOOLEAN NOT NULL DEFAULT false`: lock: {short}."),
        format!("`ALTER TABLE users DROP COLUMN fax`: lock: {short}; loss: its values."),
        "`ALTER TABLE users ALTER COLUMN email SET NOT NULL`: lock: while every row is read; rows: NOT NULL fails on rows without a value, which are filled first.".to_owned(),
        "`ALTER TABLE users ALTER COLUMN id TYPE BIGINT`: lock: while every row may be written anew; loss: values that the new type does not hold.".to_owned(),
        "`ALTER TABLE users ADD CONSTRAINT one_mail UNIQUE (email)`: lock: while every row is read; rows: those that do not fit stop the migration.".to_owned(),
        "`CREATE UNIQUE INDEX by_day ON orders(day)`: lock: on writes, while every row is read; rows: those that do not fit stop the migration.".to_owned(),
        format!("`CREATE INDEX CONCURRENTLY by_id ON orders(id)`: lock: {short}."),
        format!("`DROP TABLE old`: lock: {short}; loss: the table with its rows."),
        "`CREATE TABLE fresh`: lock: none on other tables.".to_owned(),
        format!("`TRUNCATE TABLE logs`: lock: {short}; loss: the rows."),
        "`DELETE FROM logs`: lock: on the rows that it deletes; loss: these rows.".to_owned(),
        "`UPDATE users SET a = 1`: lock: on the rows that it changes; loss: the values before.".to_owned(),
    ];
    assert_eq!(list(postgres), wanted);
    let mysql = list("ALTER TABLE `users` MODIFY `name` text NOT NULL, DROP INDEX `old`;");
    assert!(
        mysql[0].contains("; loss: values that the new type does not hold; rows: NOT NULL fails"),
        "{mysql:?}"
    );
    assert_eq!(mysql.len(), 2, "{mysql:?}");
    let other =
        said("ALTER TABLE a ADD b int; CREATE VIEW v AS SELECT 1; SET x = 1;", &[]).unwrap();
    assert!(other.notes[0].starts_with("1 statements are not listed"), "{:?}", other.notes);
    let many: Vec<String> = (0..2001).map(|at| format!("ALTER TABLE t{at} ADD a int;")).collect();
    let fault = said(&many.join("\n"), &[]).unwrap_err().to_string();
    assert!(fault.contains("over 2000 statements on tables"), "{fault}");
    let fault = said("CREATE VIEW v AS SELECT 1;", &[]).unwrap_err().to_string();
    assert!(fault.contains("no statement on a table"), "{fault}");
}

#[test]
fn nothing_is_wrong_with_a_checklist() {
    let check = find(SKILL).unwrap().verify.unwrap();
    let verify = |text: &str| check(text, &nowhere());
    assert_eq!(verify(&example_output(SKILL).artifacts[0].text), []);
    let fields = json!({ "change": "node 18 to 22", "owner": "a", "window": "b" });
    let found = verify(&make(SKILL, fields).unwrap().artifacts[0].text);
    assert!(found.iter().all(|one| one.what.starts_with("open questions")), "{found:?}");
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
    let checklist = fed("sql-schema-generator", &made, &json!({}));
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

#[test]
fn the_next_skill_takes_the_steps() {
    let lists = [
        fed("sql-schema-generator", &sql("postgresql"), &json!({})),
        fed("sql-schema-generator", &sql("mysql"), &json!({})),
        make(SKILL, json!({ "change": "node 18 to 22" })).unwrap(),
        make(SKILL, json!({ "sql": "ALTER TABLE `a` ADD b int; -- MySQL dump" })).unwrap(),
        make(SKILL, example(SKILL)).unwrap(),
    ];
    for made in lists {
        let guide = fed(SKILL, &made, &json!({}));
        assert_eq!(guide.data["target"], made.data["target"]);
        let text = &guide.artifacts[0].text;
        assert_eq!(text.matches("### Step ").count(), 2, "{text}");
        assert_eq!(text.matches("### Roll back step ").count(), 2, "{text}");
        assert!(!text.contains("\ntrue"), "{text}");
        for variable in made.data["env"].as_array().unwrap() {
            let name = variable["name"].as_str().unwrap();
            assert!(text.contains(&format!("${{{name}:?}}")), "{text}");
        }
    }
}
