//! Kiro and cc-sdd: a folder below `.kiro/specs/` for each spec, with its boxes in `tasks.md`.

use crate::checklist::{self, Dialect};
use crate::format::{FileRecords, Format};
use crate::plan::Plan;

const SPECS: &str = ".kiro/specs";

/// Kiro and cc-sdd.
#[derive(Debug)]
pub struct Kiro;

impl Format for Kiro {
    fn name(&self) -> &'static str {
        "kiro"
    }

    fn places(&self) -> &'static [&'static str] {
        &[SPECS]
    }

    fn enters(&self, folder: &str) -> bool {
        below(folder).is_some_and(|spec| !spec.contains('/'))
    }

    fn marks(&self) -> &'static [&'static str] {
        &[".kiro/specs"]
    }

    fn owns(&self, path: &str) -> bool {
        spec(path).is_some()
    }

    fn is_present(&self, _: &[&str], exists: &dyn Fn(&str) -> bool) -> bool {
        exists(SPECS)
    }

    fn read(&self, path: &str, text: &str) -> FileRecords {
        let spec = spec(path);
        spec.map(|spec| checklist::file(spec, text, Dialect::Markdown)).unwrap_or_default()
    }

    fn complete(&self, plan: &mut Plan) {
        plan.complete_from_boxes();
    }
}

fn below(path: &str) -> Option<&str> {
    path.strip_prefix(SPECS)?.strip_prefix('/')
}

/// The spec whose tasks are in the file.
fn spec(path: &str) -> Option<&str> {
    let (spec, name) = below(path)?.split_once('/')?;
    (name == "tasks.md").then_some(spec)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::join::join;

    #[test]
    fn a_spec_is_a_story_and_its_boxes_are_tasks() {
        let text = "# Implementation Plan\r\n\r\n- [x] 1. Make it\r\n  - [x] 1.1 Index\r\n    - Add `src/index.ts`\r\n    - _Requirements: 1.1, 2.3_\r\n  - [ ]* 1.2 Write tests\r\n- [ ] Use it";
        let read = Kiro.read(".kiro/specs/find/tasks.md", text);
        let plan = join(&Kiro, [read].iter());
        let story = json!({"status": "in-progress", "status_source": "boxes", "tasks_total": 3, "tasks_completed": 2});
        assert_eq!(
            (plan.stories[0].id.as_str(), Value::from(plan.stories[0].members.clone())),
            ("find", story)
        );
        let tasks = [
            ("find/1", json!({"story_id": "find", "state": "completed", "title": "Make it"})),
            (
                "find/1.1",
                json!({"story_id": "find", "state": "completed", "title": "Index", "parent": "find/1",
                "requirements": ["1.1", "2.3"], "paths": ["src/index.ts"]}),
            ),
            (
                "find/1.2",
                json!({"story_id": "find", "state": "queued", "title": "Write tests", "parent": "find/1",
                "optional": true}),
            ),
            (
                "find#4",
                json!({"story_id": "find", "state": "queued", "title": "Use it", "id_kind": "position"}),
            ),
        ];
        for (task, (id, members)) in plan.tasks.iter().zip(tasks) {
            assert_eq!((task.id.as_str(), Value::from(task.members.clone())), (id, members));
        }
    }

    #[test]
    fn only_the_tasks_of_specs_are_read() {
        assert!(Kiro.owns(".kiro/specs/find/tasks.md") && Kiro.enters(".kiro/specs/find"));
        assert!(!Kiro.owns(".kiro/specs/find/design.md") && !Kiro.owns(".kiro/specs/a/b/tasks.md"));
        assert!(!Kiro.owns(".kiro/specs/tasks.md") && !Kiro.enters(".kiro/specs/a/b"));
        assert!(
            Kiro.is_present(&[], &|path| path == ".kiro/specs")
                && !Kiro.is_present(&[], &|_| false)
        );
        assert_eq!(Kiro.read("tasks.md", "- [ ] a"), FileRecords::default());
    }
}
