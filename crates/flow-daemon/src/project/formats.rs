//! The settings that say which plans of other tools are read.

use flow_plans::markdown_checklist::MarkdownChecklists;

/// A list of formats in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormatList {
    /// All that are present.
    All,
    /// These, by name.
    Named(Vec<String>),
}

impl FormatList {
    fn has(&self, name: &str, is_present: bool) -> bool {
        match self {
            Self::All => is_present,
            Self::Named(names) => names.iter().any(|named| named == name),
        }
    }
}

/// What decides which formats are read.
#[derive(Debug, Clone, Default)]
pub struct FormatChoice {
    /// Whether one of the four files existed when the project was opened: then only formats that a setting names are read.
    pub has_files: bool,
    /// The project's setting. It can add formats; it can hide none, since a checkout could hide its plan.
    pub project: Option<FormatList>,
    /// The user's own setting, which says exactly what is read.
    pub user: Option<FormatList>,
    /// The Markdown checklists that the project's settings name.
    pub checklists: Option<&'static MarkdownChecklists<'static>>,
}

/// The checklists at these paths; `None` if there are none. They live as long as the process, like the formats: a project is
/// opened once in it, and its settings are small.
pub(super) fn checklists(paths: Vec<String>) -> Option<&'static MarkdownChecklists<'static>> {
    let paths: Vec<&'static str> = paths.into_iter().map(|path| &*path.leak()).collect();
    (!paths.is_empty()).then(|| &*Box::leak(Box::new(MarkdownChecklists::new(paths))))
}

impl FormatChoice {
    /// Whether a format is read.
    pub fn reads(&self, name: &str, is_present: bool) -> bool {
        self.names(name, is_present) || self.user.is_none() && is_present && !self.has_files
    }

    /// Whether a setting names a format.
    pub fn names(&self, name: &str, is_present: bool) -> bool {
        let list = self.user.as_ref().or(self.project.as_ref());
        list.is_some_and(|list| list.has(name, is_present))
    }
}
