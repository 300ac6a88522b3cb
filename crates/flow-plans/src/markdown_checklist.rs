//! Markdown checklists that the settings name: each file is a story, and its boxes are tasks.

use serde_json::Value;

use crate::checklist::{self, Dialect, heading, without_mark};
use crate::format::{FileRecords, Format};
use crate::plan::Plan;

/// The files that the settings name. It is not a row of [`crate::FORMATS`], since it depends on them.
#[derive(Debug, Clone)]
pub struct MarkdownChecklists<'a> {
    paths: Vec<&'a str>,
}

impl<'a> MarkdownChecklists<'a> {
    /// Of files with these paths.
    pub fn new(paths: Vec<&'a str>) -> Self {
        Self { paths }
    }
}

impl Format for MarkdownChecklists<'_> {
    fn name(&self) -> &'static str {
        "checklist"
    }

    fn places(&self) -> &[&str] {
        &self.paths
    }

    fn owns(&self, path: &str) -> bool {
        self.paths.contains(&path)
    }

    fn is_present(&self, files: &[&str], _: &dyn Fn(&str) -> bool) -> bool {
        !files.is_empty()
    }

    fn read(&self, path: &str, text: &str) -> FileRecords {
        let mut records = checklist::file(path, text, Dialect::Markdown);
        let title = without_mark(text)
            .lines()
            .find_map(heading)
            .filter(|(level, title)| *level == 1 && !title.is_empty());
        if let (Some(story), Some((_, title))) = (records.parts.first_mut(), title) {
            story.members.insert("title".to_owned(), Value::from(title));
        }
        records
    }

    fn complete(&self, plan: &mut Plan) {
        plan.complete_from_boxes();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::join::join;

    #[test]
    fn a_file_is_a_story() {
        let format = MarkdownChecklists::new(vec!["docs/TODO.md"]);
        let plan =
            join(&format, [format.read("docs/TODO.md", "# Later\n- [x] a\n- [ ] b\n")].iter());
        let story = json!({"title": "Later", "status": "in-progress", "status_source": "boxes", "tasks_total": 2,
            "tasks_completed": 1});
        assert_eq!(
            (plan.stories[0].id.as_str(), Value::from(plan.stories[0].members.clone())),
            ("docs/TODO.md", story)
        );
        assert_eq!(plan.tasks[0].id, "docs/TODO.md#1");
        assert!(
            format.owns("docs/TODO.md")
                && !format.owns("TODO.md")
                && format.is_present(&["docs/TODO.md"], &|_| false)
        );
        assert_eq!(format.places(), ["docs/TODO.md"]);
    }
}
