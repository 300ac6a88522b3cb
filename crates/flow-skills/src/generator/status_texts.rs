//! Default error messages for users, and whether a request may be retried, by HTTP status.

/// The message for each status.
const MESSAGES: [(u16, &str); 20] = [
    (400, "The request could not be understood. Please check what you entered."),
    (401, "Please sign in and try again."),
    (402, "A payment is needed first."),
    (403, "You are not allowed to do this."),
    (404, "This could not be found."),
    (405, "This cannot be done here."),
    (406, "This is not available in the form that was asked for."),
    (408, "That took too long. Please try again."),
    (409, "This was changed in the meantime. Please reload and try again."),
    (410, "This is no longer available."),
    (412, "This was changed in the meantime. Please reload and try again."),
    (413, "This is too large."),
    (415, "This kind of file is not supported."),
    (422, "Something that you entered is not valid. Please check it."),
    (423, "Somebody else is working on this. Please try again later."),
    (429, "That was too many tries. Please wait a moment."),
    (501, "This is not possible yet."),
    (502, "A service that we need does not answer. Please try again later."),
    (503, "This is not available right now. Please try again later."),
    (504, "A service that we need takes too long. Please try again later."),
];

/// The message for a status.
pub(super) fn message(status: u16) -> &'static str {
    let known = MESSAGES.iter().find(|(known, _)| *known == status).map(|(_, text)| *text);
    let other = if status < 500 {
        "This cannot be done. Please check what you entered."
    } else {
        "Something went wrong. Please try again later."
    };
    known.unwrap_or(other)
}

/// Whether the same request may succeed later.
pub(super) fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 502 | 503 | 504)
}
