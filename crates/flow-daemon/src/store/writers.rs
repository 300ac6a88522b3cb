//! Whether somebody may be writing to a document while it is read: the order in which the system reports opening, writing
//! and closing, read by the owner itself. (The reports of [`super::watch`] arrive on another thread, some time later.)
//!
//! It reads no file and decides nothing: what the answer means is said in [`super::overwrite`].

#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;

#[cfg(target_os = "linux")]
use nix::errno::Errno;
#[cfg(target_os = "linux")]
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};

use crate::project::Source;

use super::disk::Open;

/// What is known of a file's writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writing {
    /// Nothing: the system reports nothing, or nothing has happened since it was asked to.
    #[default]
    Unknown,
    /// It was written, and not closed since.
    Open,
    /// The last writer has closed it, and somebody has opened it since. Whether to read or to write is not reported, and
    /// the reports of two who open it at once are one.
    Reopened,
    /// The last writer has closed it, and nobody has opened it since.
    Closed,
}

/// Reports about the documents.
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
    /// Whether it was opened since the reading began, by the reader itself or by somebody else.
    opened: bool,
    /// Whether it was written or closed by a writer since the reading began.
    written: bool,
}

impl Writers {
    /// Reports as the system gives them.
    #[cfg(target_os = "linux")]
    pub fn native() -> Self {
        let inotify = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC);
        let inotify = inotify.inspect_err(|error| {
            tracing::debug!(%error, "writers are not reported; documents are read twice");
        });
        Self { inotify: inotify.ok(), ..Self::default() }
    }

    /// No reports: this system has none that say who closes a file.
    #[cfg(not(target_os = "linux"))]
    pub fn native() -> Self {
        Self::default()
    }

    /// Begins a reading of a source, before its file is opened. What is known of the writers of the file with this
    /// identity.
    pub fn begin(&mut self, source: Source, identity: (u64, u64)) -> Writing {
        self.drain();
        let file = &mut self.files[source.index()];
        (file.opened, file.written) = (false, false);
        if file.identity == Some(identity) { file.writing } else { Writing::Unknown }
    }

    /// Notes that the reader has opened the file, and asks for reports about it.
    pub fn opened(&mut self, source: Source, file: &dyn Open, identity: (u64, u64)) {
        if self.files[source.index()].identity != Some(identity) {
            self.watch(source, file, identity);
        }
        self.drain();
        self.files[source.index()].opened = false;
    }

    /// Ends the reading: whether nobody has opened or written the file since [`Writers::opened`].
    pub fn is_undisturbed(&mut self, source: Source) -> bool {
        self.drain();
        let file = &self.files[source.index()];
        !file.opened && !file.written
    }

    /// Forgets a file that is gone.
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
        let events =
            AddWatchFlags::IN_OPEN | AddWatchFlags::IN_MODIFY | AddWatchFlags::IN_CLOSE_WRITE;
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
            // It fails where the file is gone, and its watch with it.
            let _ = inotify.rm_watch(watch);
        }
    }

    /// Takes in what the system has reported. It keeps 16,384 reports at most, so this ends.
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
                    tracing::debug!(%error, "reports about writers were lost");
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
        if is(AddWatchFlags::IN_Q_OVERFLOW | AddWatchFlags::IN_IGNORED) {
            self.written = true;
            self.writing = Writing::Unknown;
        } else if is(AddWatchFlags::IN_MODIFY) {
            self.written = true;
            self.writing = Writing::Open;
        } else if is(AddWatchFlags::IN_CLOSE_WRITE) {
            self.written = true;
            self.writing = Writing::Closed;
        } else {
            self.opened = true;
            if self.writing == Writing::Closed {
                self.writing = Writing::Reopened;
            }
        }
    }
}
