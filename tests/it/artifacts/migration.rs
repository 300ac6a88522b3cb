//! Checklists: every phase has its way back, the count queries run, and so do the steps that the next skill is given.

use std::path::Path;
use std::process::Command;

use flow::skill::generator;
use flow::skill::input::Input;
use flow::skill::output::Output;
use serde_json::{Value, json};

use super::golden::{example, example_output};
use super::judge;
use super::making::{context, make};

const SKILL: &str = "migration-checklist";

#[test]
fn every_phase_has_a_rollback() {
    for strategy in ["big-bang", "phased", "dual-write", "blue-green"] {
        let fields =
            json!({ "from": "a *star*", "to": "b", "tables": ["t", "_x_"], "strategy": strategy });
        let text = make(SKILL, &fields).unwrap().artifacts[0].text.clone();
        has_every_phase(&text);
        assert!(text.contains("a \\*star\\*"), "{text}");
    }
    for fields in [json!({}), json!({ "owner": "x", "window": "y" })] {
        has_every_phase(
            &fed("sql-schema-generator", &sql("postgresql"), &fields).artifacts[0].text,
        );
    }
}

#[track_caller]
fn has_every_phase(text: &str) {
    let is_phase = |part: &&str| part.starts_with(|c: char| c.is_ascii_digit());
    let phases: Vec<_> = text.split("\n## ").skip(1).filter(is_phase).collect();
    assert_eq!(phases.len(), 5, "{text}");
    for phase in phases {
        assert_eq!(phase.matches("Rollback of this phase: ").count(), 1, "{phase}");
        assert!(phase.contains("- [ ] "), "{phase}");
    }
    assert!(text.ends_with('\n') && !text.contains("\n\n\n"), "{text}");
}

fn sql(dialect: &str) -> Output {
    let older = "User: id int pk, email string";
    let model = "User: id int pk, email string unique, \"it's\" string optional; Order: id int pk, user -> User";
    let model = model.replace("\"it's\"", "nick");
    make("sql-schema-generator", json!({ "source": model, "older": older, "dialect": dialect }))
        .unwrap()
}

/// Runs a skill on what another made, as an envelope gives it: its text in the main field, its data beside.
fn fed(before: &str, made: &Output, fields: &Value) -> Output {
    let mut fields = fields.as_object().cloned().unwrap_or_default();
    let (skill, main) = match before {
        SKILL => ("deployment-guide-generator", "target"),
        _ => (SKILL, "text"),
    };
    if skill == SKILL {
        fields.entry(main).or_insert_with(|| made.artifacts[0].text.as_str().into());
    }
    let input = Input { fields, upstream: Some((before.to_owned(), made.data.clone())) };
    generator::run(skill, &input, &context(Path::new("."))).unwrap()
}

#[test]
fn the_count_queries_run() {
    if !judge::are_there(&["sqlite3"]) {
        return;
    }
    let names = ["plain", "select", "it's", "dou\"ble", "日本", "back\\slash", "a;b"];
    let fields = json!({ "from": "SQLite 3", "to": "SQLite 3", "tables": names });
    let text = make(SKILL, &fields).unwrap().artifacts[0].text.clone();
    let blocks = text.split("```sql\n").skip(1).map(|block| block.split("```").next().unwrap());
    let tables: Vec<_> = names
        .iter()
        .map(|name| format!("CREATE TABLE \"{}\" (a);", name.replace('"', "\"\"")))
        .collect();
    let script = format!("{}{}", tables.concat(), blocks.collect::<String>());
    let output = Command::new("sqlite3").args(["-bail", ":memory:", &script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.lines().count(), 2 * names.len(), "{said}");
    assert!(names.iter().all(|name| said.contains(&format!("{name}|0"))), "{said}");
}

#[test]
fn what_is_missing_is_named_or_asked() {
    let fault = make(SKILL, json!({ "from": "a" })).unwrap_err().to_string();
    assert!(fault.contains("\"to\" is missing"), "{fault}");
    let output = make(SKILL, json!({ "from": "a", "to": "b" })).unwrap();
    assert_eq!(output.open.len(), 5, "{:?}", output.open);
    let fault = make(SKILL, json!({ "text": "back up everything" })).unwrap_err().to_string();
    assert!(fault.contains("\"from\" is missing"), "{fault}");
    example_output(SKILL);
}

#[test]
fn a_sentence_says_what_fields_say() {
    let text = "Move users and orders from MySQL 5.7 to PostgreSQL 16 with dual writes.";
    let fields = json!({
        "from": "MySQL 5.7", "to": "PostgreSQL 16", "tables": ["users", "orders"], "strategy": "dual-write",
    });
    let said = make(SKILL, json!({ "text": text })).unwrap();
    let stated = make(SKILL, &fields).unwrap();
    assert_eq!(said.artifacts, stated.artifacts);
    assert_eq!(said.data, stated.data);
    // A field wins over the sentence.
    let other = make(SKILL, json!({ "text": text, "to": "SQLite" })).unwrap();
    assert_eq!(other.data["to"], "SQLite");
    let tables = "CREATE TABLE \"a b\" (id int PRIMARY KEY); CREATE TABLE c (id int);";
    let ddl = make(SKILL, json!({ "text": tables, "from": "MySQL", "to": "SQLite" })).unwrap();
    assert_eq!(ddl.data["tables"], json!(["a b", "c"]));
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
    let before = shell(
        "sqlite3 data.db 'SELECT count(*) FROM pragma_table_info(\"users\"); SELECT * FROM users'",
    );
    let checklist = fed("sql-schema-generator", &made, &json!({}));
    assert_eq!(checklist.data["from"], "SQLite");
    let steps = checklist.data["steps"].as_array().unwrap();
    assert!(steps.len() >= 4, "{steps:?}");
    for step in steps {
        shell(step["command"].as_str().unwrap());
        shell(step["verify"].as_str().unwrap());
    }
    assert_eq!(shell("cat counts-before.txt counts-after.txt"), "users|1\nusers|1\norders|0\n");
    for step in steps.iter().rev() {
        shell(step["rollback"].as_str().unwrap());
    }
    assert_eq!(
        before,
        shell(
            "sqlite3 data.db 'SELECT count(*) FROM pragma_table_info(\"users\"); SELECT * FROM users'"
        )
    );
    assert_eq!(shell("ls"), "data.db\ndown.sql\nup.sql\n");
    // Between two databases the numbers are compared, and a difference is seen.
    let fields = json!({ "from": "SQLite 3", "to": "SQLite 3", "tables": ["users"] });
    let steps = make(SKILL, &fields).unwrap().data["steps"].clone();
    let compared = steps.as_array().unwrap().last().unwrap().clone();
    shell("SOURCE_FILE=data.db; cp data.db other.db");
    shell(steps[1]["command"].as_str().unwrap());
    shell(&format!(
        "{}; {}",
        compared["command"].as_str().unwrap(),
        compared["verify"].as_str().unwrap()
    ));
    shell("sqlite3 other.db 'DELETE FROM users'");
    shell(&format!(
        "{}; ! {}",
        compared["command"].as_str().unwrap(),
        compared["verify"].as_str().unwrap()
    ));
}

#[track_caller]
fn run(folder: &Path, script: &str) -> String {
    let mut command = Command::new("bash");
    command.args(["-e", "-o", "pipefail", "-c", script]).current_dir(folder);
    command
        .env("DATABASE_FILE", "data.db")
        .env("SOURCE_FILE", "data.db")
        .env("TARGET_FILE", "other.db");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_next_skill_takes_the_steps() {
    let moves = [
        fed("sql-schema-generator", &sql("postgresql"), &json!({})),
        fed("sql-schema-generator", &sql("mysql"), &json!({})),
        make(SKILL, json!({ "from": "Redis 6", "to": "Redis 7" })).unwrap(),
        make(SKILL, example(SKILL)).unwrap(),
        make(SKILL, json!({ "text": "move it's and a\"b from MySQL to SQLite" })).unwrap(),
    ];
    for made in moves {
        let steps = made.data["steps"].as_array().unwrap().len();
        let guide = fed(SKILL, &made, &json!({}));
        assert_eq!(guide.data["target"], made.data["to"]);
        let text = &guide.artifacts[0].text;
        assert_eq!(text.matches("### Step ").count(), steps, "{text}");
        assert_eq!(text.matches("### Take back step ").count(), steps, "{text}");
        for variable in made.data["env"].as_array().unwrap() {
            assert!(
                text.contains(&format!("${{{}:?}}", variable["name"].as_str().unwrap())),
                "{text}"
            );
        }
    }
}
