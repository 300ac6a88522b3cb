//! The one test binary.

#[cfg(test)]
mod agree;
#[cfg(test)]
mod oracle;
