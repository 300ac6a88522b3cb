//! Whether a process may be writing to a document while it is read: the order of open, write and close events, read by
//! the owner itself. (The events of [`super::watch`] arrive on another thread, some time later.)
//!
//! It reads no file and makes no decision: [`super::overwrite`] interprets the result.

#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;

#[cfg(target_os = "linux")]
use nix::errno::Errno;
#[cfg(target_os = "linux")]
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};

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
    #[cfg(target_os = "linux")]
    inotify: Option<Inotify>,
    files: [Watched; Source::ALL.len()],
}

/// One document.
#[derive(Debug, Default)]
struct Watched {
    #[cfg(target_os = "linux")]
    watch: Option<WatchDescriptor>,
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
    /// The events of the system.
    #[cfg(target_os = "linux")]
    pub fn native() -> Self {
        let inotify = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC);
        let inotify = inotify.inspect_err(|error| {
            tracing::debug!(%error, "write events are unavailable; documents are read twice");
        });
        Self { inotify: inotify.ok(), ..Self::default() }
    }

    /// No events: this system does not report who closes a file.
    #[cfg(not(target_os = "linux"))]
    pub fn native() -> Self {
        Self::default()
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
        #[cfg(target_os = "linux")]
        self.unwatch(source);
        self.files[source.index()] = Watched::default();
    }
}

#[cfg(not(target_os = "linux"))]
impl Writers {
    fn watch(&mut self, _: Source, _: &dyn Open, _: (u64, u64)) {}

    fn drain(&mut self) {}
}

#[cfg(target_os = "linux")]
impl Writers {
    fn watch(&mut self, source: Source, file: &dyn Open, identity: (u64, u64)) {
        self.forget(source);
        let (Some(inotify), Some(descriptor)) = (&self.inotify, file.descriptor()) else { return };
        // By the descriptor: the path may lead to another file by now.
        let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
        let events = AddWatchFlags::IN_OPEN | AddWatchFlags::IN_MODIFY | AddWatchFlags::IN_CLOSE;
        if let Ok(watch) = inotify.add_watch(path.as_str(), events) {
            self.files[source.index()] =
                Watched { watch: Some(watch), identity: Some(identity), ..Watched::default() };
        }
    }

    fn unwatch(&mut self, source: Source) {
        let watch = self.files[source.index()].watch.take();
        // Two sources may be links to one file, which has one watch.
        let is_shared = self.files.iter().any(|file| file.watch.is_some() && file.watch == watch);
        if let (Some(inotify), Some(watch), false) = (&self.inotify, watch, is_shared) {
            // Fails if the file no longer exists; its watch is gone too.
            let _ = inotify.rm_watch(watch);
        }
    }

    /// Handles the reported events. The system queues 16,384 at most, so this ends.
    fn drain(&mut self) {
        let Some(inotify) = &self.inotify else { return };
        loop {
            match inotify.read_events() {
                Ok(events) => {
                    for event in events {
                        let lost = event.mask.contains(AddWatchFlags::IN_Q_OVERFLOW);
                        let concerned = |file: &&mut Watched| lost || file.watch == Some(event.wd);
                        self.files
                            .iter_mut()
                            .filter(concerned)
                            .for_each(|file| file.take(event.mask));
                    }
                }
                Err(Errno::EAGAIN) => return,
                Err(error) => {
                    tracing::debug!(%error, "write events were lost");
                    let lost = AddWatchFlags::IN_Q_OVERFLOW;
                    return self.files.iter_mut().for_each(|file| file.take(lost));
                }
            }
        }
    }
}

#[cfg(target_os = "linux")]
impl Watched {
    fn take(&mut self, event: AddWatchFlags) {
        let is = |flags| event.intersects(flags);
        if is(AddWatchFlags::IN_IGNORED) {
            self.written = true;
            self.writing = Writing::Unknown;
        } else if is(AddWatchFlags::IN_MODIFY | AddWatchFlags::IN_Q_OVERFLOW) {
            // Events are lost only while files are written often: a writer may have any of them open.
            self.written = true;
            self.writing = Writing::Open;
        } else if is(AddWatchFlags::IN_CLOSE) {
            self.opens = self.opens.saturating_sub(1);
            self.written |= is(AddWatchFlags::IN_CLOSE_WRITE);
            if is(AddWatchFlags::IN_CLOSE_WRITE) || self.writing == Writing::Reopened {
                self.writing = if self.opens == 0 { Writing::Closed } else { Writing::Reopened };
            }
        } else {
            self.opened = true;
            self.opens += 1;
            if self.writing == Writing::Closed {
                self.writing = Writing::Reopened;
            }
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
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
        let write = || {
            let mut file = File::options().write(true).open(&path).unwrap();
            file.write_all(b"new").unwrap();
            file
        };
        drop(write());
        assert_eq!(writers.begin(Source::Status, identity), Writing::Closed);
        // As a process that was forked has it: closed by the writer, and open all the same.
        let inherited = write().try_clone().unwrap();
        let next = write();
        drop(inherited);
        assert_eq!(writers.begin(Source::Status, identity), Writing::Reopened);
        drop(next);
        assert_eq!(writers.begin(Source::Status, identity), Writing::Closed);
        let other_reader = File::open(&path).unwrap();
        assert_eq!(writers.begin(Source::Status, identity), Writing::Reopened);
        drop(other_reader);
        assert_eq!(writers.begin(Source::Status, identity), Writing::Closed);
    }
}
