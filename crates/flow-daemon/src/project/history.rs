//! Whether changes are kept beyond a run of the server.

/// Whether changes are kept beyond a run of the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum History {
    /// They are.
    #[default]
    Kept,
    /// They are not: the user's settings or an option say so.
    Off,
}
