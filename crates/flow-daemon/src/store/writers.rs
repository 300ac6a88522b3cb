//! Whether a process may be writing to a document while it is read: the order of open, write and close events, read by
//! the owner itself. (The events of [`super::watch`] arrive on another thread, some time later.)
//!
//! It reads no file and makes no decision: [`super::overwrite`] interprets the result.

use flow_files::system::{FileEvent, FileEvents, WatchId};

use crate::project::Source;

use super::disk::Open;

/// What is known of the writers of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writing {
    /// Nothing: the system reports nothing, or nothing has happened since it was asked to.
    #[default]
    Unknown,
    /// It was written, and not closed since.
    Open,
    /// A writer has closed it, and another process may have it open: for reading or writing, which the system does not
    /// report.
    Reopened,
    /// The last writer has closed it, and no other process has it open.
    Closed,
}

/// Events of the documents.
#[derive(Debug, Default)]
pub struct Writers {
    events: Option<FileEvents>,
    files: [Watched; Source::ALL.len()],
}

/// One document.
#[derive(Debug, Default)]
struct Watched {
    watch: Option<WatchId>,
    /// Device and inode.
    identity: Option<(u64, u64)>,
    writing: Writing,
    /// Number of opens without a close. A process that was forked while a writer had the file open closes it later, when
    /// the next writer may have it open already. Approximate, since the system merges equal events in succession.
    opens: u32,
    /// Whether it was opened since the reading began, by the reader itself or by another process.
    opened: bool,
    /// Whether it was written or closed by a writer since the reading began.
    written: bool,
}

impl Writers {
    /// The events of the system, if it reports who closes a file.
    pub fn native() -> Self {
        let events = FileEvents::open().inspect_err(|error| {
            tracing::debug!(%error, "write events are unavailable; documents are read twice");
        });
        Self { events: events.ok().flatten(), ..Self::default() }
    }

    /// Begins a reading of a source, before its file is opened. Returns what is known of the writers of the file with
    /// this identity.
    pub fn begin(&mut self, source: Source, identity: (u64, u64)) -> Writing {
        self.drain();
        let file = &mut self.files[source.index()];
        (file.opened, file.written) = (false, false);
        if file.identity == Some(identity) { file.writing } else { Writing::Unknown }
    }

    /// Records that the reader has opened the file, and requests events about it.
    pub fn opened(&mut self, source: Source, file: &dyn Open, identity: (u64, u64)) {
        if self.files[source.index()].identity != Some(identity) {
            self.watch(source, file, identity);
        }
        self.drain();
        let file = &mut self.files[source.index()];
        (file.opened, file.opens) = (false, 0);
    }

    /// Ends the reading. Returns whether no process has opened or written the file since [`Writers::opened`].
    pub fn is_undisturbed(&mut self, source: Source) -> bool {
        self.drain();
        let file = &self.files[source.index()];
        !file.opened && !file.written
    }

    /// Records that nobody has written the file for long, so that a count that is wrong has no lasting effect.
    pub fn settled(&mut self, source: Source) {
        self.files[source.index()].opens = 0;
    }

    /// Forgets a file that no longer exists.
    pub fn forget(&mut self, source: Source) {
        self.unwatch(source);
        self.files[source.index()] = Watched::default();
    }

    fn watch(&mut self, source: Source, file: &dyn Open, identity: (u64, u64)) {
        self.forget(source);
        let (Some(events), Some(descriptor)) = (&self.events, file.descriptor()) else { return };
        if let Some(watch) = events.watch(descriptor) {
            self.files[source.index()] =
                Watched { watch: Some(watch), identity: Some(identity), ..Watched::default() };
        }
    }

    fn unwatch(&mut self, source: Source) {
        let watch = self.files[source.index()].watch.take();
        // Two sources may be links to one file, which has one watch.
        let is_shared = self.files.iter().any(|file| file.watch.is_some() && file.watch == watch);
        if let (Some(events), Some(watch), false) = (&self.events, watch, is_shared) {
            events.unwatch(watch);
        }
    }

    /// Handles the reported events.
    fn drain(&mut self) {
        let Some(events) = &self.events else { return };
        loop {
            match events.read() {
                Ok(read) if read.is_empty() => return,
                Ok(read) => {
                    for (watch, event) in read {
                        let lost = event == FileEvent::Lost;
                        let concerned = |file: &&mut Watched| lost || file.watch == Some(watch);
                        self.files.iter_mut().filter(concerned).for_each(|file| file.take(event));
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "write events were lost");
                    return self.files.iter_mut().for_each(|file| file.take(FileEvent::Lost));
                }
            }
        }
    }
}

impl Watched {
    fn take(&mut self, event: FileEvent) {
        match event {
            FileEvent::Gone => {
                self.written = true;
                self.writing = Writing::Unknown;
            }
            // Events are lost only while files are written often: a writer may have any of them open.
            FileEvent::Written | FileEvent::Lost => {
                self.written = true;
                self.writing = Writing::Open;
            }
            FileEvent::WriterClosed | FileEvent::ReaderClosed => {
                let by_writer = event == FileEvent::WriterClosed;
                self.opens = self.opens.saturating_sub(1);
                self.written |= by_writer;
                if by_writer || self.writing == Writing::Reopened {
                    self.writing =
                        if self.opens == 0 { Writing::Closed } else { Writing::Reopened };
                }
            }
            FileEvent::Opened => {
                self.opened = true;
                self.opens += 1;
                if self.writing == Writing::Closed {
                    self.writing = Writing::Reopened;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn a_file_that_another_writer_has_open_is_not_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "old").unwrap();
        let reader = File::open(&path).unwrap();
        let identity = reader.metadata().map(|meta| (meta.dev(), meta.ino())).unwrap();
        let mut writers = Writers::native();
        writers.opened(Source::Status, &reader, identity);
        // Without events nothing is known, and so nothing is taken for closed.
        let told = |known| if writers.events.is_some() { known } else { Writing::Unknown };
        let [closed, reopened] = [Writing::Closed, Writing::Reopened].map(told);
        let write = || {
            let mut file = File::options().write(true).open(&path).unwrap();
            file.write_all(b"new").unwrap();
            file
        };
        drop(write());
        assert_eq!(writers.begin(Source::Status, identity), closed);
        // As a process that was forked has it: closed by the writer, and open all the same.
        let inherited = write().try_clone().unwrap();
        let next = write();
        drop(inherited);
        assert_eq!(writers.begin(Source::Status, identity), reopened);
        drop(next);
        assert_eq!(writers.begin(Source::Status, identity), closed);
        let other_reader = File::open(&path).unwrap();
        assert_eq!(writers.begin(Source::Status, identity), reopened);
        drop(other_reader);
        assert_eq!(writers.begin(Source::Status, identity), closed);
    }
}
