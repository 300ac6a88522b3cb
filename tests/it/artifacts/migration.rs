//! Checklists: every phase has its way back, and the count queries run.

use std::process::Command;

use serde_json::json;

use super::golden::example_output;
use super::judge;
use super::making::make;

const SKILL: &str = "migration-checklist";

#[test]
fn every_phase_has_a_rollback() {
    for strategy in ["big-bang", "phased", "dual-write", "blue-green"] {
        let fields =
            json!({ "from": "a *star*", "to": "b", "tables": ["t", "_x_"], "strategy": strategy });
        let text = make(SKILL, &fields).unwrap().artifacts[0].text.clone();
        let phases: Vec<_> = text
            .split("\n## ")
            .skip(1)
            .filter(|part| part.starts_with(|c: char| c.is_ascii_digit()))
            .collect();
        assert_eq!(phases.len(), 5);
        for phase in phases {
            assert_eq!(phase.matches("Rollback of this phase: ").count(), 1, "{strategy}: {phase}");
            assert!(phase.contains("- [ ] "), "{phase}");
        }
        assert!(
            text.contains("a \\*star\\*") && text.ends_with('\n') && !text.contains("\n\n\n"),
            "{text}"
        );
    }
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
    assert_eq!(output.open.len(), 4, "{:?}", output.open);
    example_output(SKILL);
}
