//! The kinds of record, with their nouns and the members that are computed for them.

/// The kinds of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    Story,
    Epic,
    Session,
    Task,
    Message,
}

impl Kind {
    /// The computed members; a member of the record with such a name is replaced.
    pub const fn computed(self) -> &'static [&'static str] {
        match self {
            Self::Epic => &["declared", "progress", "story_ids"],
            Self::Session => &["active"],
            Self::Story | Self::Task | Self::Message => &[],
        }
    }

    /// The members that are computed for a record with dependencies; a member of such a record with that name is
    /// replaced.
    pub const fn computed_of_dependencies(self) -> &'static [&'static str] {
        match self {
            Self::Story | Self::Task => &["ready", "waits_for"],
            Self::Epic | Self::Session | Self::Message => &[],
        }
    }

    /// The noun for one record of this kind.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Story => "story",
            Self::Epic => "epic",
            Self::Session => "session",
            Self::Task => "task",
            Self::Message => "message",
        }
    }

    /// The noun with its article: `a story`, `an epic`.
    pub fn one(self) -> String {
        let article = if self == Self::Epic { "an" } else { "a" };
        format!("{article} {}", self.noun())
    }
}
