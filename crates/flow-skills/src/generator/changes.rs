//! The changes of a release, as skills pass them to each other: entries under headings, and the heading of each
//! conventional type.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::conventional::Message;
use crate::input::kind::{Kind, Payload};
use crate::text::prose::quoted;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Group {
    Added,
    Changed,
    Fixed,
    Deprecated,
    Removed,
    Security,
}

impl Group {
    /// All headings, in the order of a changelog.
    pub(super) const ALL: [Self; 6] =
        [Self::Added, Self::Changed, Self::Fixed, Self::Deprecated, Self::Removed, Self::Security];

    pub(super) const fn name(self) -> &'static str {
        NAMES[self as usize].name
    }

    /// The heading with this name, ignoring case.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name().eq_ignore_ascii_case(name))
    }

    /// The names of all headings, for messages.
    pub(super) fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

/// The names of a group.
struct Names {
    name: &'static str,
    /// The types of the conventional configuration that it lists, and words for it.
    types: &'static [&'static str],
}

/// The names of [`Group::ALL`].
const NAMES: [Names; 6] = [
    Names { name: "Added", types: &["feat", "feature", "add"] },
    Names { name: "Changed", types: &["perf", "refactor", "build", "revert", "change"] },
    Names { name: "Fixed", types: &["fix"] },
    Names { name: "Deprecated", types: &["deprecate"] },
    Names { name: "Removed", types: &["remove", "drop"] },
    Names { name: "Security", types: &[] },
];

/// The types of the conventional configuration that no group lists.
const LEFT_OUT: [&str; 5] = ["docs", "style", "test", "ci", "chore"];

/// Where changes of a type are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub(super) enum Placement {
    Under(Group),
    /// Nowhere: such changes do not concern users. They are counted by this type.
    LeftOut(&'static str),
}

impl Placement {
    /// The placement for a type or a heading, ignoring case.
    pub(super) fn of(name: &str) -> Option<Self> {
        let is_it = |known: &&str| known.eq_ignore_ascii_case(name);
        let has = |group: &Group| NAMES[*group as usize].types.iter().any(is_it);
        let group = Group::named(name).or_else(|| Group::ALL.into_iter().find(has));
        let left_out = || LEFT_OUT.into_iter().find(is_it).map(Self::LeftOut);
        group.map(Self::Under).or_else(left_out)
    }

    /// The placement of a commit. A breaking change is always listed.
    pub(super) fn of_commit(message: &Message) -> Self {
        let place = Self::of(&message.kind).unwrap_or(Self::Under(Group::Changed));
        if message.kind == "fix" && message.scope.as_deref() == Some("security") {
            return Self::Under(Group::Security);
        }
        match place {
            // A breaking feature changes what there was.
            Self::LeftOut(_) | Self::Under(Group::Added) if message.breaking => {
                Self::Under(Group::Changed)
            }
            place => place,
        }
    }
}

impl<'de> Deserialize<'de> for Placement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wanted = || format!("one of {}, or a type such as feat or fix", Group::names());
        let name = String::deserialize(deserializer)?;
        Self::of(name.trim()).ok_or_else(|| D::Error::custom(wanted()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Entry {
    #[serde(rename = "type")]
    pub(super) group: Group,
    pub(super) scope: Option<String>,
    /// The text of the change, in Markdown.
    pub(super) text: String,
    /// Whether it breaks what users rely on.
    pub(super) breaking: bool,
}

impl Entry {
    /// The entry of a commit under a heading, with its scope and its breaking change, in the author's case.
    pub(super) fn of_commit(message: &Message, group: Group) -> Self {
        let breaks = message.what_breaks().map(|what| format!(": {what}")).unwrap_or_default();
        let text = quoted(&format!("{}{breaks}", message.description));
        // Under the heading Security the scope of that name is redundant.
        let scope = message.scope.as_deref().filter(|_| group != Group::Security).map(quoted);
        Self { group, scope, text, breaking: message.breaking }
    }

    /// Reads the text of a list item in the format of [`Entry::line`].
    pub(super) fn read(group: Group, item: &str) -> Self {
        let plain =
            |text: &str| Self { group, scope: None, text: text.to_owned(), breaking: false };
        let marked = item.strip_prefix("**").and_then(|rest| rest.split_once(":** "));
        let Some((mark, text)) = marked else { return plain(item) };
        let is_scope = |scope: &str| !scope.is_empty() && !scope.contains([' ', '*']);
        if mark == "Breaking" {
            return Self { breaking: true, ..plain(text) };
        }
        let broken = mark.strip_prefix("Breaking (").and_then(|rest| rest.strip_suffix(')'));
        match broken {
            Some(scope) if is_scope(scope) => {
                Self { breaking: true, scope: Some(scope.to_owned()), ..plain(text) }
            }
            None if is_scope(mark) => Self { scope: Some(mark.to_owned()), ..plain(text) },
            _ => plain(item),
        }
    }

    pub(super) fn line(&self) -> String {
        match (&self.scope, self.breaking) {
            (Some(scope), true) => format!("**Breaking ({scope}):** {}", self.text),
            (Some(scope), false) => format!("**{scope}:** {}", self.text),
            (None, true) => format!("**Breaking:** {}", self.text),
            (None, false) => self.text.clone(),
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Release {
    /// The version; `None` if it is not released.
    pub(super) version: Option<String>,
    pub(super) date: Option<String>,
    pub(super) changes: Vec<Entry>,
    /// The release that the changes require.
    pub(super) proposed: Option<Proposed>,
}

impl Payload for Release {
    const KIND: Kind = Kind::Changes;
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Proposed {
    pub(super) bump: Bump,
    /// `None` if no earlier version is known.
    pub(super) version: Option<String>,
}

/// The part of the version that increases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Bump {
    Patch,
    Minor,
    Major,
}

crate::text::display_as_serde!(Bump);

#[cfg(test)]
mod tests {
    use super::super::conventional::{TYPES, parse};
    use super::*;

    #[test]
    fn every_conventional_type_has_its_place() {
        assert!(TYPES.iter().all(|kind| Placement::of(kind).is_some()));
        let place = |text: &str| Placement::of_commit(&parse(text).unwrap());
        for (text, expected) in [
            ("fix(security): close a hole", Placement::Under(Group::Security)),
            ("docs(security): say how to report", Placement::LeftOut("docs")),
            ("feat(security): sign in with a key", Placement::Under(Group::Added)),
            ("refactor!: drop v1", Placement::Under(Group::Changed)),
            ("feat: deprecate v1", Placement::Under(Group::Added)),
            ("feat!: rename --out to --output", Placement::Under(Group::Changed)),
            ("chore!: need Node 22", Placement::Under(Group::Changed)),
            ("ci: cache", Placement::LeftOut("ci")),
            ("revert: feat: a map", Placement::Under(Group::Changed)),
        ] {
            assert_eq!(place(text), expected, "{text}");
        }
    }

    #[test]
    fn an_entry_reads_back() {
        for text in ["feat(api)!: a", "fix(ui): b\n\nBREAKING CHANGE: c", "feat: d", "feat!: e"] {
            let entry = Entry::of_commit(&parse(text).unwrap(), Group::Added);
            assert_eq!(Entry::read(Group::Added, &entry.line()), entry, "{text}");
        }
        for item in ["**Bold** text", "**Note well:** x", "plain", "**Breaking (a b):** x"] {
            assert_eq!(Entry::read(Group::Fixed, item).line(), item);
        }
    }
}
