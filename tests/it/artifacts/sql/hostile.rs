//! Nothing that was read runs as a statement of its own: hostile texts at every place of every kind of input, with the
//! migrations run on the databases.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use flow::skill::output::{Fault, Output};
use flow::skill::project_state::Context;
use serde_json::{Map, Value, json};

use super::databases::{Dialect, Judge, on};
use super::{NOTHING, SKILL};
use crate::artifacts::making::{Input, context, make, run_once};
use crate::tools::{figure, scaled};

/// What leaves the place of a type, a string, a name, a comment or a line. `FILE` is a file that a shell would make.
const ESCAPES: [&str; 14] = [
    "1)); COMMIT; CREATE TABLE pwned (x int); --",
    "int); COMMIT; CREATE TABLE pwned (x int); --",
    "0; COMMIT; CREATE TABLE pwned (x int); --",
    "x'); COMMIT; CREATE TABLE pwned (x int); --",
    "\\'); COMMIT; CREATE TABLE pwned (x int); --",
    "'a\\''); COMMIT; CREATE TABLE pwned (x int); --'",
    "x\"); COMMIT; CREATE TABLE pwned (x int); --",
    "x`); COMMIT; CREATE TABLE pwned (x int); --",
    "x$$; COMMIT; CREATE TABLE pwned (x int); --",
    "x$flow$; COMMIT; CREATE TABLE pwned (x int); --",
    "x\n; COMMIT; CREATE TABLE pwned (x int); --",
    "x\0\n'; COMMIT; CREATE TABLE pwned (x int); --",
    "x */ ; COMMIT; CREATE TABLE pwned (x int); /*",
    "x\n\\! touch FILE\n.shell touch FILE\n",
];

const MYSQL: &str = include_str!("hostile_mysql.sql");

const POSTGRESQL: &str = include_str!("hostile_postgresql.sql");

const SQLITE: &str = include_str!("hostile_sqlite.sql");

/// Migrations that one client runs: its start takes longer than a migration.
const BATCH: usize = 50;

/// The places of all texts of a value, keys included.
fn places(value: &Value, at: &str, found: &mut Vec<(String, Option<String>)>) {
    match value {
        Value::String(_) => found.push((at.to_owned(), None)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, own)| places(own, &format!("{at}/{n}"), found));
        }
        Value::Object(map) => {
            for (key, own) in map {
                found.push((at.to_owned(), Some(key.clone())));
                let key = key.replace('~', "~0").replace('/', "~1");
                places(own, &format!("{at}/{key}"), found);
            }
        }
        _ => {}
    }
}

/// The value with the text at a place, or a key of it, replaced.
fn tampered(value: &Value, (at, key): &(String, Option<String>), text: &str) -> Value {
    let mut value = value.clone();
    let place = value.pointer_mut(at).unwrap();
    match key {
        None => *place = text.into(),
        Some(key) => {
            let old = std::mem::take(place);
            let rename = |(own, value): (&String, &Value)| {
                (if own == key { text.to_owned() } else { own.clone() }, value.clone())
            };
            *place = old.as_object().unwrap().iter().map(rename).collect::<Map<_, _>>().into();
        }
    }
    value
}

struct Trial<'j> {
    judge: &'j Judge,
    context: Context,
    folder: tempfile::TempDir,
    /// Migrations that were run: two doors of input often give the same one.
    seen: HashSet<String>,
    /// Migrations that wait to be run, with what they are.
    waiting: Vec<(String, String)>,
    ran: usize,
    failed: usize,
}

impl<'j> Trial<'j> {
    fn new(judge: &'j Judge) -> Self {
        judge.clear();
        Self {
            judge,
            context: context(Path::new(".")),
            folder: tempfile::tempdir().unwrap(),
            seen: HashSet::new(),
            waiting: Vec::new(),
            ran: 0,
            failed: 0,
        }
    }

    /// The migration of these fields. It is generated once, unlike by `make`: there are thousands of them.
    fn migration(
        &self,
        fields: &Value,
        upstream: Option<(String, Value)>,
    ) -> Result<Output, Fault> {
        let fields = fields.as_object().expect("fields are an object").clone();
        run_once(SKILL, &Input { fields, upstream }, &self.context)
    }

    fn canary(&self) -> PathBuf {
        self.folder.path().join("touched")
    }

    fn escape(&self, at: usize) -> String {
        let file = self.canary();
        ESCAPES[at % ESCAPES.len()].replace("FILE", file.to_str().unwrap())
    }

    /// Puts a migration up and down into the batch, possibly within another one.
    #[track_caller]
    fn run(&mut self, what: &str, output: &Output, around: Option<&Output>) {
        let [up, down] = [0, 1].map(|at| output.artifacts[at].text.as_str());
        if !["pwned", "touch"].iter().any(|word| format!("{up}{down}").contains(word)) {
            return;
        }
        // A text that one dialect reads as a string may be a table in another.
        let after = output.data["tables"]["after"].as_array().unwrap();
        if after.iter().any(|name| name == "pwned") {
            return;
        }
        let [first, last] =
            [0, 1].map(|at| around.map_or("", |around| around.artifacts[at].text.as_str()));
        if !self.seen.insert([first, up, down].join("\0")) {
            return;
        }
        let at = self.waiting.len();
        let mark = |step: &str| {
            let tables = self.judge.tables();
            format!(
                "ROLLBACK;\nSELECT 'mark', {at}, '{step}', count(*), count(CASE WHEN name = 'pwned' THEN 1 END) FROM ({tables}) t;\n"
            )
        };
        let parts = [first, up, &mark("up"), down, last, &mark("down"), &self.judge.emptied(), ""]
            .join("\n");
        self.waiting.push((format!("{} {what}:\n{up}", self.judge.dialect()), parts));
        if self.waiting.len() == BATCH {
            self.flush();
        }
    }

    /// Runs the batch: no command ran, no table is there that only an escape could have made, and where a migration worked,
    /// nothing of it is left.
    #[track_caller]
    fn flush(&mut self) {
        let script: String = self.waiting.iter().map(|(_, script)| script.as_str()).collect();
        let said = self.judge.batch(&script);
        assert!(!self.canary().exists(), "a command ran: {said}");
        let marks: Vec<Vec<&str>> = said
            .lines()
            .map(|line| {
                line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
            })
            .filter(|words: &Vec<&str>| words.first() == Some(&"mark") && words.len() == 5)
            .collect();
        for (at, (place, _)) in self.waiting.iter().enumerate() {
            let count = |step: &str| {
                let is_it = |words: &&Vec<&str>| words[1] == at.to_string() && words[2] == step;
                let words = marks.iter().find(is_it).unwrap_or_else(|| panic!("{place}\n{said}"));
                assert_eq!(words[4], "0", "a table was made: {place}");
                words[3].parse::<usize>().unwrap()
            };
            let (up, down) = (count("up"), count("down"));
            // MariaDB cannot take back the statements before one that failed.
            let is_whole = self.judge.dialect() != "mariadb";
            assert!(up == 0 || down == 0 || !is_whole, "{down} tables are left: {place}");
            self.ran += 1;
            self.failed += usize::from(up == 0 || down > 0);
        }
        self.waiting.clear();
    }

    /// Every text of a model of the dialect, and every fourth of one of others, is replaced by an escape or followed by one; where
    /// `FLOW_LONG` is set, every text is both.
    fn model(&mut self, (dialect, ddl): (&str, &str)) {
        let model = make("type-definitions", json!({ "ddl": ddl })).unwrap().data;
        let mut found = Vec::new();
        places(&model, "", &mut found);
        let is_long = scaled(false, true);
        let is_own = dialect == self.judge.dialect();
        for (at, place) in found.iter().enumerate().step_by(scaled(if is_own { 1 } else { 4 }, 1)) {
            let old = model.pointer(&place.0).and_then(Value::as_str).unwrap_or_default();
            let old = place.1.as_deref().unwrap_or(old);
            let followed = (0..scaled(1, 4)).map(|more| format!("{old}{}", self.escape(at + more)));
            let texts: Vec<String> = followed.chain([self.escape(at)]).collect();
            for (nth, text) in texts.iter().enumerate() {
                if !is_long && nth != at % 2 {
                    continue;
                }
                let data = tampered(&model, place, text);
                let fields = json!({ "model": data, "dialect": self.judge.dialect() });
                if let Ok(output) = self.migration(&fields, None) {
                    self.run(&format!("{place:?} {text}"), &output, None);
                }
                // The envelope of another skill holds the same, and has no dialect.
                let upstream = Some(("type-definitions".into(), data));
                if (is_long || at % 8 < 2)
                    && let Ok(output) = self.migration(&json!({}), upstream)
                {
                    let own = output.data["dialect"].as_str().unwrap().to_lowercase();
                    if own.contains(self.judge.dialect()) {
                        self.run(&format!("{place:?} {text} by envelope"), &output, None);
                    }
                }
            }
        }
    }

    /// Escapes in schemas, documents, the notation and SQL.
    fn texts(&mut self) {
        for at in 0..ESCAPES.len() {
            let escape = self.escape(at);
            for mut fields in inputs(&escape) {
                fields["dialect"] = self.judge.dialect().into();
                let what = fields.to_string();
                let before = fields.get("older").map(
                    |older| json!({ "ddl": older, "older": NOTHING, "dialect": fields["dialect"] }),
                );
                let Ok(output) = self.migration(&fields, None) else { continue };
                match before.map(|fields| self.migration(&fields, None)) {
                    Some(Ok(before)) => self.run(&what, &output, Some(&before)),
                    Some(Err(_)) => {}
                    None => self.run(&what, &output, None),
                }
            }
        }
    }
}

/// The inputs of `hostile.json`, where `@` is the escape: between quotes that stand between two of that sign, and doubled as
/// within double quotes for a bar there.
fn inputs(escape: &str) -> Vec<Value> {
    let json = |text: &str| Value::from(text).to_string().trim_matches('"').to_owned();
    let doubled = |quote: &str| escape.replace(quote, &quote.repeat(2));
    let mut text = include_str!("hostile.json").to_owned();
    for quote in ["'", "\"", "`"] {
        let quoted = [quote, &doubled(quote), quote].concat();
        text = text.replace(&format!("@{}@", json(quote)), &json(&quoted));
    }
    let text = text.replace("@|@", &json(&doubled("\""))).replace('@', &json(escape));
    serde_json::from_str(&text).unwrap()
}

fn tried(judge: &Judge) {
    let mut trial = Trial::new(judge);
    trial.texts();
    for model in [("mariadb", MYSQL), ("postgresql", POSTGRESQL), ("sqlite", SQLITE)] {
        trial.model(model);
    }
    trial.flush();
    let Trial { ran, failed, .. } = trial;
    let name = format!("hostile migrations that ran on {}", judge.dialect());
    figure(&name, format!("{ran}, of which it refused {failed}"));
    // A migration that the database refuses shows less.
    assert!(ran > 100 && failed * 2 < ran, "{ran} ran, {failed} failed");
}

each! {
    nothing_that_was_read_runs_on_postgresql: on(Dialect::Postgres, tried);
    nothing_that_was_read_runs_on_mariadb: on(Dialect::MariaDb, tried);
    nothing_that_was_read_runs_on_sqlite: on(Dialect::Sqlite, tried);
}

/// psql puts the value of a variable in place of `:NAME`, with any command in it, and a file can choose the text of
/// `:LAST_ERROR_MESSAGE` by a statement that fails.
#[test]
fn no_variable_of_a_client_is_written() {
    const VARIABLE: &str = ":LAST_ERROR_MESSAGE";
    let places = [
        "a text DEFAULT V",
        "a text DEFAULT lower(V)",
        "a text DEFAULT 'x' || V",
        "a text DEFAULT CAST(V AS text)",
        "a int[] DEFAULT ARRAY[V]",
        "a int CHECK (a > V)",
        "a int CHECK (a IN (1, V))",
        "a text CHECK (a IN ('x', V))",
        "a numeric(V, 2)",
        "a varchar(V)",
        "a int[V]",
        "a text GENERATED ALWAYS AS (V) STORED",
        "a text COLLATE V",
        "a text COMMENT V",
        "a int REFERENCES u (V)",
    ];
    let more = "CREATE INDEX i ON t (lower(V)) WHERE id > V; ALTER TABLE t ADD CONSTRAINT c CHECK (id > V); \
                COMMENT ON TABLE t IS V;";
    let mut read = 0;
    for place in places.into_iter().chain(["a int"]) {
        for dialect in ["postgresql", "mysql", "sqlite"] {
            let ddl = format!("CREATE TABLE t (id int PRIMARY KEY, {place}); {more}");
            let fields = json!({ "ddl": ddl.replace(" V", &format!(" {VARIABLE}")).replace("(V", &format!("({VARIABLE}")).replace("[V", &format!("[{VARIABLE}")), "dialect": dialect });
            let Ok(output) = make(SKILL, fields) else { continue };
            read += 1;
            for artifact in &output.artifacts {
                assert!(!artifact.text.contains(VARIABLE), "{place}: {}", artifact.text);
            }
        }
    }
    assert!(read > 0, "no text was read, so this shows nothing");
}
