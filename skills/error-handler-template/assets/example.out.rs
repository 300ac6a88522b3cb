//! Errors of this application: kinds, logging, a handler and what users read.

use std::error::Error;
use std::fmt;

const UNEXPECTED_MESSAGE: &str = "Something went wrong. Please try again later.";

// Error kinds and the error

/// The kinds of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Answers 404.
    BookNotFound,
    /// Answers 409.
    OutOfStock,
    /// Answers 402.
    PaymentDeclined,
    /// Answers 503.
    PaymentProviderDown,
}

impl ErrorKind {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::BookNotFound,
        Self::OutOfStock,
        Self::PaymentDeclined,
        Self::PaymentProviderDown,
    ];

    /// The code that callers see.
    pub const fn code(self) -> &'static str {
        match self {
            Self::BookNotFound => "BOOK_NOT_FOUND",
            Self::OutOfStock => "OUT_OF_STOCK",
            Self::PaymentDeclined => "PAYMENT_DECLINED",
            Self::PaymentProviderDown => "PAYMENT_PROVIDER_DOWN",
        }
    }

    /// The HTTP status.
    pub const fn status(self) -> u16 {
        match self {
            Self::BookNotFound => 404,
            Self::OutOfStock => 409,
            Self::PaymentDeclined => 402,
            Self::PaymentProviderDown => 503,
        }
    }

    /// Whether the same request may succeed later.
    pub const fn is_retryable(self) -> bool {
        match self {
            Self::BookNotFound => false,
            Self::OutOfStock => false,
            Self::PaymentDeclined => false,
            Self::PaymentProviderDown => true,
        }
    }

    /// What users read.
    pub const fn user_message(self) -> &'static str {
        match self {
            Self::BookNotFound => "We do not have this book.",
            Self::OutOfStock => "This book has just sold out.",
            Self::PaymentDeclined => "Your bank declined the payment. Please try another card.",
            Self::PaymentProviderDown => "We cannot take payments right now. Please try again in a minute.",
        }
    }
}

/// An error of this application. Its text is for the log; users read the kind's message.
#[derive(Debug)]
pub struct ShopError {
    kind: ErrorKind,
    detail: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl ShopError {
    /// An error with what the log should know.
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), source: None }
    }

    /// The same with what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Its kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for ShopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.code(), self.detail)
    }
}

impl Error for ShopError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| &**source as &(dyn Error + 'static))
    }
}

impl From<ErrorKind> for ShopError {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind, kind.user_message())
    }
}

// Messages for users

/// What a user may read of any error.
pub fn user_message(error: &(dyn Error + 'static)) -> &'static str {
    error.downcast_ref::<ShopError>().map_or(UNEXPECTED_MESSAGE, |known| known.kind.user_message())
}

/// Whether the same request may succeed later.
pub fn is_retryable(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<ShopError>().is_some_and(|known| known.kind.is_retryable())
}

// Logging

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The caller is at fault.
    Warning,
    /// This application is.
    Error,
}

/// Where errors are logged.
pub trait Logger {
    /// Takes one line.
    fn log(&self, level: Level, line: &str);
}

/// Logs to standard error.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandardError;

impl Logger for StandardError {
    fn log(&self, level: Level, line: &str) {
        eprintln!("{level:?}: {line}");
    }
}

/// Logs an error with what caused it.
pub fn log_error(error: &(dyn Error + 'static), logger: &dyn Logger) {
    let is_callers = error.downcast_ref::<ShopError>().is_some_and(|known| known.kind.status() < 500);
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line.push_str(": ");
        line.push_str(&error.to_string());
        cause = error.source();
    }
    // A message must not forge lines.
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    logger.log(if is_callers { Level::Warning } else { Level::Error }, &line);
}

// Handler

/// What answers a caller whose request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorResponse {
    /// The HTTP status.
    pub status: u16,
    /// The code.
    pub code: &'static str,
    /// What users read.
    pub message: &'static str,
    /// Whether the same request may succeed later.
    pub retryable: bool,
}

/// Logs any error and says how to answer it. Only what users may read leaves here.
pub fn handle_error(error: &(dyn Error + 'static), logger: &dyn Logger) -> ErrorResponse {
    log_error(error, logger);
    match error.downcast_ref::<ShopError>() {
        Some(known) => ErrorResponse {
            status: known.kind.status(),
            code: known.kind.code(),
            message: known.kind.user_message(),
            retryable: known.kind.is_retryable(),
        },
        None => ErrorResponse {
            status: 500,
            code: "UNEXPECTED",
            message: UNEXPECTED_MESSAGE,
            retryable: false,
        },
    }
}

// Use: what try and catch is elsewhere

/// Runs an operation, inside of which `?` passes any error on, and handles that.
///
/// # Errors
/// How to answer the caller.
pub fn attempt<T>(
    logger: &dyn Logger,
    operation: impl FnOnce() -> Result<T, Box<dyn Error>>,
) -> Result<T, ErrorResponse> {
    operation().map_err(|error| handle_error(&*error, logger))
}
