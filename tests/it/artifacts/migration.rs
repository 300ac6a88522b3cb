//! Checklists: every phase has a rollback, the count queries run, and so do the steps for the next skill.

use std::path::Path;
use std::process::Command;

use flow::skill::generator::find;
use flow::skill::input::place::Request;
use flow::skill::output::{Fault, Output};
use serde_json::{Value, json};

use super::golden::{example, example_output};
use super::judge;
use super::making::{Input, context, make, nowhere, run_once};

mod changes;

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
    for change in ["node 18 -> node 22", "heroku -> a_b", "PostgreSQL 14 -> PostgreSQL 16"] {
        has_every_phase(&make(SKILL, json!({ "change": change })).unwrap().artifacts[0].text);
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
    let fault = make(SKILL, json!({})).unwrap_err().to_string();
    assert!(
        fault.contains("\"from\" is missing") && fault.contains("node 18 -> node 22"),
        "{fault}"
    );
    let output = make(SKILL, json!({ "from": "a", "to": "b", "kind": "data" })).unwrap();
    assert_eq!(output.open.len(), 5, "{:?}", output.open);
    for text in
        ["back up everything", "move users from MySQL 5.7 to PostgreSQL 16 with dual writes"]
    {
        let fault = said(text, &[]).unwrap_err().to_string();
        assert!(
            fault.contains("has no arrow; the form is `MySQL 8 -> PostgreSQL 16: users, orders`"),
            "{fault}"
        );
    }
    for (text, wanted) in [
        ("monolith -> orders, billing", "one target; the form is `monolith -> orders and billing`"),
        (
            "users.full_name -> users.first_name, users.last_name",
            "the form is `sql=\"ALTER TABLE users …\"`",
        ),
        (
            "users.mail -> users.email",
            "made from SQL (for anything else, add kind=service, data or version)",
        ),
    ] {
        let fault = said(text, &[]).unwrap_err().to_string();
        assert!(fault.contains(wanted), "{fault}");
    }
    assert!(said("example.com -> example.org", &[("kind", "service")]).is_ok());
    for text in ["a -> b -> c", "a -> b; c -> d"] {
        assert!(
            said(text, &[]).unwrap_err().to_string().contains("each needs its own checklist"),
            "{text}"
        );
    }
    let output = example_output(SKILL);
    assert!(output.open.is_empty(), "{:?}", output.open);
}

#[test]
fn data_versions_and_services_are_different_lists() {
    let text = |change: &str| said(change, &[]).unwrap().artifacts[0].text.clone();
    let all = [
        (
            "MySQL 5.7 -> PostgreSQL 16: users",
            "# Move data from MySQL 5.7 to PostgreSQL 16\n",
            "Count the rows before",
        ),
        (
            "node 18 -> node 22",
            "# Upgrade node 18 to 22\n",
            "Read the release notes of every version from node 18 to node 22",
        ),
        (
            "heroku -> kubernetes",
            "# Move from heroku to kubernetes\n",
            "List the callers of the service",
        ),
        (
            "PostgreSQL 14 -> PostgreSQL 16",
            "# Upgrade PostgreSQL 14 to 16\n",
            "restoring it on PostgreSQL 16.",
        ),
    ];
    for (change, title, own) in all {
        let made = text(change);
        assert!(made.starts_with(title) && made.contains(own), "{made}");
        let others = all.iter().filter(|(other, ..)| *other != change);
        assert!(others.map(|(_, _, line)| *line).all(|line| !made.contains(line)), "{made}");
    }
    let stated =
        said("PostgreSQL 14 -> PostgreSQL 16", &[("kind", "data"), ("tables", "a,b")]).unwrap();
    assert_eq!(stated.data["tables"], json!(["a", "b"]));
    let labelled = said(
        "MySQL 5.7 -> PostgreSQL 16\nTables: users, orders\nDecides: Ada\n",
        &[("strategy", "phased")],
    );
    let labelled = labelled.unwrap().artifacts[0].text.clone();
    assert!(
        labelled.contains("Strategy: phased. Decides: Ada.\n")
            && labelled.contains("- [ ] Move orders: "),
        "{labelled}"
    );
    let tables = "CREATE TABLE \"a b\" (id int PRIMARY KEY); CREATE TABLE c (id int);";
    let ddl = said(tables, &[("from", "MySQL"), ("to", "SQLite")]).unwrap();
    assert_eq!(ddl.data["tables"], json!(["a b", "c"]));
    let schema = said(tables, &[]).unwrap();
    assert!(
        schema.artifacts[0].text.starts_with("# Migrate the schema of the database\n"),
        "{schema:?}"
    );
}

#[test]
fn every_variable_that_steps_read_is_listed() {
    let all = [
        json!({ "change": "MySQL 5.7 -> PostgreSQL 16: users, orders" }),
        json!({ "change": "Redis 6 -> Valkey 8" }),
        json!({ "change": "node 18 -> node 22" }),
        json!({ "change": "PostgreSQL 14 -> PostgreSQL 16" }),
        json!({ "change": "heroku -> kubernetes" }),
        json!({ "change": "SQLite -> MySQL: a", "run": "copy \"$HOME_GROWN\"", "backup": "cp a backup" }),
        json!({ "sql": "CREATE TABLE a (id int);" }),
    ];
    for fields in all {
        let data = make(SKILL, &fields).unwrap().data;
        let listed: Vec<&str> = data["env"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| own["name"].as_str().unwrap())
            .collect();
        for step in data["steps"].as_array().unwrap() {
            for part in ["command", "verify", "rollback"] {
                // By a simple search for capitalised names after a dollar sign.
                for after in step[part].as_str().unwrap().split('$').skip(1) {
                    let name: String = after
                        .trim_start_matches('{')
                        .chars()
                        .take_while(|c| c.is_ascii_uppercase() || *c == '_')
                        .collect();
                    // The user's own command may read variables that the user has set.
                    let is_own = name == "HOME_GROWN";
                    assert!(
                        name.is_empty() || is_own || listed.contains(&name.as_str()),
                        "{name}: {data:#}"
                    );
                }
            }
        }
    }
}

#[test]
fn nothing_is_wrong_with_a_checklist_of_any_kind() {
    let check = find(SKILL).unwrap().verify.unwrap();
    let verify = |text: &str| check(text, &nowhere());
    let example = example_output(SKILL).artifacts[0].text.clone();
    assert_eq!(verify(&example), []);
    for change in ["node 18 -> node 22", "heroku -> kubernetes"] {
        let fields = json!({ "change": change, "owner": "a", "window": "b" });
        let found = verify(&make(SKILL, fields).unwrap().artifacts[0].text);
        assert!(found.iter().all(|one| one.what.starts_with("open questions")), "{found:?}");
    }
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
    // Between two databases the numbers are compared, and a difference is found.
    let fields =
        json!({ "from": "SQLite 3", "to": "SQLite 3", "tables": ["users"], "kind": "data" });
    let steps = make(SKILL, &fields).unwrap().data["steps"].clone();
    let compared = steps.as_array().unwrap().last().unwrap().clone();
    shell("SOURCE_FILE=data.db; cp data.db other.db");
    shell(steps[1]["command"].as_str().unwrap());
    let part = |name: &str| compared[name].as_str().unwrap();
    shell(&format!("{}; {}", part("command"), part("verify")));
    shell("sqlite3 other.db 'DELETE FROM users'");
    shell(&format!("{}; ! {}", part("command"), part("verify")));
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
        make(SKILL, json!({ "from": "Redis 6", "to": "Valkey 8" })).unwrap(),
        make(SKILL, example(SKILL)).unwrap(),
        make(SKILL, json!({ "change": "MySQL -> SQLite", "tables": ["it's", "a\"b"] })).unwrap(),
        make(SKILL, json!({ "change": "node 18 -> node 22" })).unwrap(),
    ];
    for made in moves {
        let all = made.data["steps"].as_array().unwrap();
        let (steps, back) =
            (all.len(), all.iter().filter(|step| step["rollback"] != "true").count());
        let guide = fed(SKILL, &made, &json!({}));
        assert_eq!(guide.data["target"], made.data["to"]);
        let text = &guide.artifacts[0].text;
        assert_eq!(text.matches("### Step ").count(), steps, "{text}");
        assert_eq!(text.matches("### Roll back step ").count(), back, "{text}");
        assert!(!text.contains("\ntrue"), "{text}");
        for variable in made.data["env"].as_array().unwrap() {
            assert!(
                text.contains(&format!("${{{}:?}}", variable["name"].as_str().unwrap())),
                "{text}"
            );
        }
    }
}

#[test]
fn given_commands_stand_in_their_phases_and_the_others_are_asked_for_by_their_fields() {
    let fields = json!({"change": "node 18 -> node 22", "run": "nvm install 22", "owner": "a", "window": "b"});
    let output = make(SKILL, fields).unwrap();
    let text = &output.artifacts[0].text;
    let phase =
        "## 2. Execution\n\nThe change:\n\n```bash\nnvm install 22\n```\n\n- [ ] Change every pin";
    assert!(text.contains(phase), "{text}");
    assert_eq!(output.open, ["commands: not given (add check=COMMAND back=COMMAND)"]);
    let service = make(SKILL, json!({"change": "heroku -> kubernetes"})).unwrap();
    assert!(service.open.iter().all(|question| !question.contains('_')), "{:?}", service.open);
}
