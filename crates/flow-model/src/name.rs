//! A row of the table of members: what is read, and what it is for.

/// The type of a member's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The id of a record: a text or a number.
    Id,
    /// A text.
    Text,
    /// A status or state: a text, compared without case, with `_`, space and `-` as one.
    Status,
    /// A time: RFC 3339, a date, or a number of 10 or 13 digits (seconds or milliseconds since 1970).
    Time,
    /// Ids of records of the same collection.
    Ids,
    /// A text or a list of texts.
    Texts,
    /// Who does something: a text or a list of texts.
    Names,
    /// A text or a number.
    Amount,
    /// Any value.
    Any,
}

/// Whether a member with a similar name is reported where the record lacks this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Similar {
    /// It is.
    Reported,
    /// It is not.
    Ignored,
}

/// Whether a member is a part of the plan: of what is to be done, by whom and in which order. Where two states of a plan are
/// compared, its changes are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planned {
    /// It is.
    Yes,
    /// It is not.
    No,
}

/// A member that is read.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    /// The documented name, then its other spellings, in order of precedence.
    pub read: &'static [&'static str],
    /// Names that writers use for it and that are not read: they are reported.
    pub synonyms: &'static [&'static str],
    /// The type of its value.
    pub value: Value,
    /// Whether similar names are reported.
    pub similar: Similar,
    /// Whether it is a part of the plan.
    pub planned: Planned,
    /// The use that is made of it, as a phrase.
    pub purpose: &'static str,
    /// An example of its value, as JSON.
    pub example: &'static str,
}

impl Name {
    /// The documented name.
    pub const fn documented(&self) -> &'static str {
        self.read[0]
    }

    /// Its other spellings.
    pub fn others(&self) -> &'static [&'static str] {
        &self.read[1..]
    }
}

/// A row.
pub(super) const fn row(
    value: Value,
    read: &'static [&'static str],
    purpose: &'static str,
    example: &'static str,
) -> Name {
    let (similar, planned) = (Similar::Ignored, Planned::No);
    Name { read, synonyms: &[], value, similar, planned, purpose, example }
}

/// A row whose similar names are reported.
pub(super) const fn reported(name: Name, synonyms: &'static [&'static str]) -> Name {
    Name { synonyms, similar: Similar::Reported, ..name }
}

/// A row of the plan.
pub(super) const fn planned(
    value: Value,
    read: &'static [&'static str],
    purpose: &'static str,
    example: &'static str,
) -> Name {
    Name { planned: Planned::Yes, ..row(value, read, purpose, example) }
}
