//! The types that both sides of the seam use.

use std::fs::File;

/// How much of a restriction of a thread the kernel enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restriction {
    /// All of it.
    Full,
    /// Opening files, but not truncating them by path (Linux before 6.2).
    Partial,
    /// Nothing: Linux before 5.13, Landlock is not enabled, or another system.
    Missing,
}

/// What a restricted thread may do with a file, or with everything below a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading.
    Read,
    /// Reading and executing.
    Execute,
    /// Reading and writing.
    Write,
}

/// A file or folder that is open, and what may be done with it.
pub(crate) type Target = (File, Access);

/// What happened to a file that is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileEvent {
    /// A process opened it.
    Opened,
    /// A process wrote to it.
    Written,
    /// A process that could write to it closed it.
    WriterClosed,
    /// A process that could only read it closed it.
    ReaderClosed,
    /// It exists no longer, and nor does its watch.
    Gone,
    /// Events were lost, of any of the files.
    Lost,
}

/// A process that listens on a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Process id of the holder.
    pub pid: u32,
    /// Its command name, as the system reports it.
    pub name: String,
}
