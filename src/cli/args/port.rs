//! The value of `--port`.

/// Parses a port.
///
/// # Errors
/// What a port must be.
pub(super) fn port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| "port must be a number from 0 to 65535".to_owned())
}
