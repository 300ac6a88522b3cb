//! Errors of this application, their logging, and their responses.

use std::error::Error;
use std::fmt;

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    BookNotFound,
    OutOfStock,
    PaymentDeclined,
    PaymentProviderDown,
    Unexpected,
}

/// The response for a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorResponse {
    pub status: u16,
    pub code: &'static str,
    pub message: &'static str,
    pub retryable: bool,
}

impl ErrorKind {
    pub const fn response(self) -> ErrorResponse {
        let (status, code, message, retryable) = match self {
            Self::BookNotFound => (404, "BOOK_NOT_FOUND", "We do not have this book.", false),
            Self::OutOfStock => (409, "OUT_OF_STOCK", "This book has just sold out.", false),
            Self::PaymentDeclined => (402, "PAYMENT_DECLINED", "Your bank declined the payment. Please try another card.", false),
            Self::PaymentProviderDown => (503, "PAYMENT_PROVIDER_DOWN", "We cannot take payments right now. Please try again in a minute.", true),
            Self::Unexpected => (500, "UNEXPECTED", "Something went wrong. Please try again later.", false),
        };
        ErrorResponse { status, code, message, retryable }
    }
}

/// An error whose code callers may see. Its source is for the log: a text, or the error that caused it.
#[derive(Debug)]
pub struct ShopError {
    pub kind: ErrorKind,
    pub source: Box<dyn Error + Send + Sync>,
}

impl fmt::Display for ShopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.response().code)
    }
}

impl Error for ShopError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}

/// Logs an error and returns the response for its caller: `operation().map_err(|error| handle_error(&error))`.
pub fn handle_error(error: &(dyn Error + 'static)) -> ErrorResponse {
    eprintln!("{error:?}");
    let known = error.downcast_ref::<ShopError>();
    known.map_or(ErrorKind::Unexpected, |known| known.kind).response()
}
