//! The keys of a terminal, its other screen, and the signals that end the program: whatever ends it, the terminal is left as
//! it was.

use std::io::{self, IsTerminal, Read, Write};
use std::process;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal as Number, raise};
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use nix::unistd::{getpgrp, tcgetpgrp};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::sleep;

use crate::error::{Error, Result};

/// Shows the other screen without a cursor, and what was there before.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l";
const LEAVE: &str = "\u{1b}[?25h\u{1b}[?1049l";
/// Most bytes that are read at once, and most such parts that wait.
const MOST_BYTES: usize = 256;
const QUEUE: usize = 16;
/// What a shell adds to the number of a signal that ended a program.
const BY_SIGNAL: i32 = 128;

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Up,
    Down,
    Enter,
    Escape,
    Backspace,
    Text(char),
}

/// Whether the output is a terminal that can move its cursor.
pub(super) fn is_screen() -> bool {
    let is_dumb = std::env::var("TERM").is_ok_and(|name| name == "dumb" || name.is_empty());
    io::stdout().is_terminal() && !is_dumb
}

/// A terminal of which the other screen is shown, and whose keys are read one by one.
#[derive(Debug)]
pub(super) struct Keyboard {
    before: Termios,
    input: Receiver<Vec<Key>>,
    signals: Signals,
    runtime: Runtime,
}

/// The signals that the terminal and others send.
#[derive(Debug)]
struct Signals {
    interrupted: Signal,
    terminated: Signal,
    hung_up: Signal,
    suspended: Signal,
    resized: Signal,
}

impl Signals {
    fn follow() -> io::Result<Self> {
        Ok(Self {
            interrupted: signal(SignalKind::interrupt())?,
            terminated: signal(SignalKind::terminate())?,
            hung_up: signal(SignalKind::hangup())?,
            suspended: signal(SignalKind::from_raw(Number::SIGTSTP as i32))?,
            resized: signal(SignalKind::window_change())?,
        })
    }
}

impl Keyboard {
    /// Takes the terminal of this program; `None` if it has none, or is not in the foreground of it.
    ///
    /// # Errors
    /// I/O errors of the system.
    pub(super) fn open() -> Result<Option<Self>> {
        let is_ours = || tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp());
        if !is_screen() || !io::stdin().is_terminal() || !is_ours() {
            return Ok(None);
        }
        let wrong = |error| Error::io("read the keys of the terminal", error);
        let before = tcgetattr(io::stdin()).map_err(|error| wrong(error.into()))?;
        let runtime = Builder::new_current_thread().enable_all().build().map_err(wrong)?;
        let signals = {
            let _inside = runtime.enter();
            Signals::follow().map_err(wrong)?
        };
        let (sender, input) = channel(QUEUE);
        thread::Builder::new().name("keys".into()).spawn(move || read(&sender)).map_err(wrong)?;
        let keyboard = Self { before, input, signals, runtime };
        keyboard.enter()?;
        Ok(Some(keyboard))
    }

    fn enter(&self) -> Result<()> {
        let mut keys = self.before.clone();
        keys.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
        tcsetattr(io::stdin(), SetArg::TCSADRAIN, &keys)
            .map_err(|error| Error::io("change the terminal", io::Error::from(error)))?;
        write(ENTER).map_err(|error| Error::io("write", error))
    }

    fn leave(&self) {
        // There may be no terminal any more.
        let _ = write(LEAVE);
        let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, &self.before);
    }

    /// The keys that were pressed within a time; none also if the size of the terminal has changed. `None` if there is no
    /// terminal any more.
    ///
    /// # Errors
    /// I/O errors of the system.
    pub(super) fn wait(&mut self, pause: Duration) -> Result<Option<Vec<Key>>> {
        enum Event {
            Input(Option<Vec<Key>>),
            End(Number),
            Suspend,
        }
        let nothing = || Event::Input(Some(Vec::new()));
        let Self { runtime, input, signals, .. } = self;
        let Signals { interrupted, terminated, hung_up, suspended, resized } = signals;
        let event = runtime.block_on(async {
            tokio::select! {
                keys = input.recv() => Event::Input(keys),
                _ = interrupted.recv() => Event::End(Number::SIGINT),
                _ = terminated.recv() => Event::End(Number::SIGTERM),
                _ = hung_up.recv() => Event::End(Number::SIGHUP),
                _ = suspended.recv() => Event::Suspend,
                _ = resized.recv() => nothing(),
                () = sleep(pause) => nothing(),
            }
        });
        match event {
            Event::Input(keys) => Ok(keys),
            Event::End(signal) => {
                self.leave();
                process::exit(BY_SIGNAL + signal as i32)
            }
            Event::Suspend => {
                self.leave();
                // Whoever continues the program finds the screen again.
                let _ = raise(Number::SIGSTOP);
                self.enter()?;
                Ok(Some(Vec::new()))
            }
        }
    }
}

/// Sends the keys until there is no terminal any more, or nobody receives them.
fn read(keys: &Sender<Vec<Key>>) {
    let mut bytes = [0; MOST_BYTES];
    loop {
        let count = match io::stdin().lock().read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => return,
            Ok(count) => count,
        };
        let pressed = self::keys(&String::from_utf8_lossy(&bytes[..count]));
        if keys.blocking_send(pressed).is_err() {
            return;
        }
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Writes a text as it is.
///
/// # Errors
/// I/O errors of the system.
pub(super) fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// The keys that a terminal sends as this text. Sequences of other keys are left out.
fn keys(mut text: &str) -> Vec<Key> {
    let mut keys = Vec::new();
    while let Some(c) = text.chars().next() {
        text = &text[c.len_utf8()..];
        let key = match c {
            '\u{1b}' => match text.strip_prefix(['[', 'O']) {
                Some(rest) => {
                    let end = rest.find(|c: char| ('@'..='~').contains(&c));
                    let Some(end) = end else { break };
                    text = &rest[end + 1..];
                    match rest.as_bytes()[end] {
                        b'A' => Key::Up,
                        b'B' => Key::Down,
                        _ => continue,
                    }
                }
                None => Key::Escape,
            },
            '\r' | '\n' => Key::Enter,
            '\u{7f}' | '\u{8}' => Key::Backspace,
            c if c.is_control() => continue,
            c => Key::Text(c),
        };
        keys.push(key);
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_what_terminals_send() {
        assert_eq!(keys("j\u{1b}[A\u{1b}OB\r"), [Key::Text('j'), Key::Up, Key::Down, Key::Enter]);
        assert_eq!(keys("\u{1b}"), [Key::Escape]);
        assert_eq!(keys("\u{1b}[3~é\u{7f}\t"), [Key::Text('é'), Key::Backspace]);
        assert_eq!(keys("\u{1b}[1;5"), []);
    }
}
