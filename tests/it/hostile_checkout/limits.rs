//! Input with excessive nesting or chaining is an immediate error that names the limit, and never an abort.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::shell::git;
use crate::support::Project;
use crate::tools::has;

/// The time limit for a refusal. It takes a few milliseconds; a busy machine and a debug build take longer.
const SOON: Duration = Duration::from_secs(3);

#[track_caller]
fn expect_limit(skill: &str, input: &str, limit: &str) {
    let project = Project::new();
    project.write("input", input);
    let started = Instant::now();
    let ran = project.flow(&["skill", skill, "--input", "input"]).expect(2);
    let taken = started.elapsed();
    assert!(ran.err.contains(limit), "{input:.60}: {:.400}", ran.err);
    assert!(taken < SOON, "{input:.60}: {taken:?}");
}

#[test]
fn sql_that_nests_or_chains_without_end_is_refused() {
    let table = |definition: &str| format!("CREATE TABLE t (a int, b {definition});");
    for input in [
        table(&["int", &"[]".repeat(750)].concat()),
        table(&["int DEFAULT (1", &"+1".repeat(22_000), ")"].concat()),
        table(&["int CHECK (b > 0", &" AND b > 0".repeat(17_600), ")"].concat()),
        table(&["int DEFAULT ", &"(".repeat(20_000), "1", &")".repeat(20_000)].concat()),
        table(&["boolean CHECK (", &"NOT ".repeat(40_000), "b)"].concat()),
        table(&["int DEFAULT ", &"- ".repeat(40_000), "1"].concat()),
        table(&["int DEFAULT (1", &"::int".repeat(30_000), ")"].concat()),
        table(&["int CHECK (", &"CASE WHEN ".repeat(10_000), "b"].concat()),
        table(&["text CHECK (b", &" COLLATE x".repeat(20_000), " = 'a')"].concat()),
        table(&["ARRAY<".repeat(9_000).as_str(), "int", &">".repeat(9_000)].concat()),
        table(&["int CHECK (b", &"[1]".repeat(20_000), " = 1)"].concat()),
        table(&["int CHECK (b", &".b".repeat(40_000), " = 1)"].concat()),
    ] {
        expect_limit("sql-schema-generator", &input, "limit");
    }
    // A view is skipped before it is parsed.
    for input in [
        ["CREATE VIEW v AS SELECT 1", &" UNION SELECT 1".repeat(10_000), ";"].concat(),
        ["CREATE VIEW v AS SELECT * FROM a", &" JOIN a ON true".repeat(10_000), ";"].concat(),
    ] {
        expect_limit(
            "sql-schema-generator",
            &input,
            "creates no table (found: CREATE VIEW statement (1))",
        );
    }
}

#[test]
fn a_long_list_of_values_and_many_columns_are_no_nesting() {
    let values: Vec<String> = (0..2000).map(|at| format!("'v{at}'")).collect();
    let columns: Vec<String> =
        (0..900).map(|at| format!("c{at} int NOT NULL DEFAULT (1 + {at})")).collect();
    let input = format!(
        "CREATE TABLE t (id int PRIMARY KEY, s text CHECK (s IN ({})), {});",
        values.join(", "),
        columns.join(", ")
    );
    let project = Project::new();
    project.write("in.sql", &input);
    project.flow(&["skill", "sql-schema-generator", "--input", "in.sql"]).expect(0);
}

#[test]
fn python_loads_a_model_whose_texts_hold_nul() {
    if !has("python3") {
        return;
    }
    let schema = r#"{"title": "T", "type": "object", "description": "x\u0000\"\"\"y\"", "properties":
        {"a": {"type": "string", "description": "n\u0000", "default": "p\u0000q", "pattern": "a\u0000"}}}"#;
    let project = Project::new();
    project.write("in.json", schema);
    let words = [
        "skill",
        "validation-schema-generator",
        "--input",
        "in.json",
        "library=pydantic",
        "--out",
        "t.py",
    ];
    project.flow(&words).expect(0);
    let parse = "import ast, sys; ast.parse(open(sys.argv[1], 'rb').read())";
    let mut python = std::process::Command::new("python3");
    let done = python.args(["-c", parse, "t.py"]).current_dir(&project.root).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Writes a loose object, a commit of 3 GiB of zeros. The blocks of its compressed form are equal.
const LARGE_COMMIT: &str = r#"
import sys, zlib
block, count = bytes(1 << 20), 3 << 10
begin = b"tree %s\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\n" % (b"0" * 40)
head = b"commit %d\0" % (len(begin) + len(block) * count) + begin
compress = zlib.compressobj()
first = compress.compress(head) + compress.flush(zlib.Z_FULL_FLUSH)
again = compress.compress(block) + compress.flush(zlib.Z_FULL_FLUSH)
last = compress.flush(zlib.Z_FINISH)[:-4]
sum = zlib.adler32(head)
a, b = sum & 0xffff, sum >> 16
check = (b + a * len(block) * count) % 65521 << 16 | a
open(sys.argv[1], "wb").write(first + again * count + last + check.to_bytes(4, "big"))
"#;

#[test]
fn a_commit_that_inflates_to_3_gib_is_an_error() {
    if !has("python3") {
        return;
    }
    let project = Project::new();
    git(&project.root, &["init", "-q", "-b", "main"]);
    let name = "ab".repeat(20);
    project.write(".git/objects/ab/none", "");
    project.write(".git/refs/heads/main", &name);
    let object = project.root.join(".git/objects/ab").join(&name[2..]);
    let written = Command::new("python3").args(["-c", LARGE_COMMIT]).arg(object).status();
    assert!(written.unwrap().success());
    let ran = project.flow(&["skill", "changelog-entry", "range=HEAD"]).expect(2);
    assert!(ran.err.contains("git failed: ") && ran.err.contains("memory"), "{ran:?}");
}
