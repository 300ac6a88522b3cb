//! Checklists: every phase has steps and a rollback, and the Markdown is clean.

use serde_json::json;

use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, make, place};

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
    let hostile = json!({ "change": HOSTILE.join(" "), "owner": HOSTILE.join("\n") });
    texts.push(make(SKILL, hostile).unwrap().artifacts[0].text.clone());
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
