//! Checklists of SQL name what it adds, changes and drops.

use serde_json::json;

use super::{SKILL, fed, said};
use crate::artifacts::making::make;

/// A migration need not create a table to name those that it is about.
#[test]
fn a_migration_names_the_tables_that_it_changes() {
    let sql = "ALTER TABLE users ADD COLUMN phone text; CREATE INDEX by_day ON public.orders (day);\n\
               DROP TABLE old; CREATE TABLE fresh (id int); ALTER TABLE fresh ADD COLUMN a int; ALTER TABLE was RENAME TO now;";
    let text = said(sql, &[]).unwrap().artifacts[0].text.clone();
    let counted = |block: &str| -> Vec<String> {
        let names =
            block.lines().filter_map(|line| line.strip_prefix("SELECT '")?.split('\'').next());
        names.map(str::to_owned).collect()
    };
    let blocks: Vec<_> = text.split("```sql\n").skip(1).map(counted).collect();
    assert_eq!(blocks[0], ["users", "orders", "old", "was"], "{text}");
    assert_eq!(blocks[1], ["users", "orders", "fresh", "now"], "{text}");
}

#[test]
fn a_migration_names_columns_indexes_and_what_must_be_filled() {
    let sql = "ALTER TABLE users ADD COLUMN phone text NOT NULL, ADD COLUMN mail_ok boolean NOT NULL DEFAULT false, DROP COLUMN fax;\n\
               ALTER TABLE users ALTER COLUMN email SET NOT NULL; ALTER TABLE users RENAME COLUMN nick TO name;\n\
               ALTER TABLE users ADD CONSTRAINT one_mail UNIQUE (email); CREATE UNIQUE INDEX by_day ON orders (day, id);";
    let text = said(sql, &[]).unwrap().artifacts[0].text.clone();
    let starts = ["If the table", "Fill", "Check that no ", "Check the ", "Check that column"];
    let is_own = |line: &&str| starts.iter().any(|start| line.starts_with(start));
    let own: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("- [ ] ")).filter(is_own).collect();
    let wanted = [
        "If the table has rows, add the new column users.phone without NOT NULL, fill it, and set NOT NULL then: it fails on rows without a value.",
        "Check that no program uses the dropped column users.fax.",
        "Fill the changed column users.email in rows that have no value: NOT NULL fails on them.",
        "Check the new column users.phone.",
        "Check the new column users.mail_ok.",
        "Check that column users.fax is gone.",
        "Check the changed column users.email.",
        "Check the changed column users.nick, now name.",
        "Check the new CONSTRAINT one_mail UNIQUE (email) on users.",
        "Check the new unique index by_day on orders (day, id).",
    ];
    assert_eq!(own, wanted, "{text}");
    // The file has a name of its own.
    assert!(!text.contains("up.sql") && !text.contains("down.sql"), "{text}");
    assert!(text.contains("- [ ] Run the migration and the rollback script on a copy"), "{text}");
    let fields = json!({"sql": sql, "from": "PostgreSQL", "to": "PostgreSQL", "kind": "schema"});
    let steps = make(SKILL, fields).unwrap().data;
    let run = steps["steps"].to_string();
    assert!(run.contains("--file=\\\"$MIGRATION_FILE\\\"") && !run.contains("up.sql"), "{run}");
    assert!(steps["env"].to_string().contains("ROLLBACK_FILE"), "{steps}");
    let ours = fed("sql-schema-generator", &super::sql("postgresql"), &json!({}));
    assert!(ours.artifacts[0].text.contains("- [ ] Run `up.sql` and `down.sql` on a copy"));
}

#[test]
fn a_migration_names_dropped_indexes_and_changed_rows() {
    let sql = "DROP INDEX \"by_mail\"; DROP INDEX by_day ON orders; UPDATE \"website\" SET a = b WHERE c IS NULL;\n\
               UPDATE website SET d = 1; DELETE FROM logs; INSERT INTO favorites SELECT a FROM b; INSERT INTO kinds VALUES (1);";
    let text = said(sql, &[]).unwrap().artifacts[0].text.clone();
    let checks: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("- [ ] Check "))
        .filter(|line| line.contains("index") || line.contains("rows of"))
        .collect();
    let wanted = [
        "that no program uses the dropped index by_mail.",
        "that no program uses the dropped index by_day on orders.",
        "that index by_mail is gone.",
        "that index by_day on orders is gone.",
        "the changed rows of website.",
        "the changed rows of logs.",
        "the changed rows of favorites.",
    ];
    assert_eq!(checks, wanted, "{text}");
}

#[test]
fn sql_with_too_many_statements_is_refused() {
    let sql: Vec<String> = (0..2001).map(|at| format!("ALTER TABLE t{at} ADD a int;")).collect();
    let fault = said(&sql.join("\n"), &[]).unwrap_err().to_string();
    assert!(fault.contains("over 2000 statements on tables"), "{fault}");
}
