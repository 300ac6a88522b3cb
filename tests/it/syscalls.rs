//! Each kind of system call of the running daemon fails once, at its first, second … time in each thread, by
//! strace's `inject`. The daemon never ends, never serves a mixture, and comes to serve what is on disk. The same for
//! a start: it succeeds or says why not, and leaves nothing that hinders the next one.
//!
//! `FLOW_LONG` tries every error at more times.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::support::{
    GENEROUS, LOG, Project, Ran, STATUS, Server, TASKS, is_alive, send, wait_until,
};
use crate::tools::{figure, has, scaled, skip};

/// What a call may fail with on a real system; all calls that are not here fail with the last line's errors.
const ERRORS: [(&[&str], &[&str]); 10] = [
    // Their callers have no other answer to an error than to go on: the system gives none but interruptions.
    (&["epoll_wait", "epoll_pwait", "futex", "poll", "ppoll", "clock_nanosleep"], &["EINTR"]),
    (&["mmap", "mremap", "mprotect", "munmap", "madvise", "brk"], &["ENOMEM"]),
    (&["openat", "openat2", "open"], &["EMFILE", "EIO", "EACCES", "ENOMEM"]),
    (&["accept4", "accept"], &["EMFILE", "ECONNABORTED", "ENOMEM"]),
    (&["inotify_add_watch", "inotify_init1"], &["ENOSPC", "ENOMEM"]),
    (&["recvfrom", "recvmsg", "sendto", "sendmsg", "writev"], &["ECONNRESET", "EINTR"]),
    (&["epoll_ctl"], &["ENOMEM"]),
    (&["clone", "clone3"], &["EAGAIN", "ENOMEM"]),
    // Rust's library panics where a folder cannot be closed, or where there is no randomness, for another reason.
    (&["close", "getrandom"], &["EINTR"]),
    (&[], &["EIO", "EINTR", "ESTALE"]),
];
/// Calls that cannot fail, or that end a thread.
const NEVER: &str =
    "umask exit exit_group rt_sigreturn restart_syscall sched_yield gettid getpid getuid geteuid";

/// Calls that the dynamic loader and Rust's runtime make before the program begins, which fail in their own words. A
/// `futex` that fails may be a wake-up, which cannot fail on a real system, and whose loss nobody survives.
const BEFORE_MAIN: &str = "execve access arch_prctl set_tid_address set_robust_list rseq mmap mprotect brk pread64 read rt_sigaction futex";

fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|other| other == word)
}

fn errors(call: &str) -> &'static [&'static str] {
    let found = ERRORS.iter().find(|(calls, _)| calls.contains(&call) || calls.is_empty());
    found.map_or(&[], |(_, errors)| errors)
}

/// strace, attached to a process and to all its threads.
struct Tracer(Child);

impl Tracer {
    /// `None`, and said why, where this process may not be traced.
    fn attach(server: Server, words: &[&str]) -> Option<Self> {
        let mut command = Command::new("strace");
        command.args(["-f", "-p", &server.pid.to_string()]).args(words);
        let mut tracer = Self(command.stderr(Stdio::piped()).spawn().unwrap());
        let mut said = Vec::new();
        let mut stderr = tracer.0.stderr.take().unwrap();
        let mut byte = [0];
        // It says "attached" once, when all threads are traced.
        while !said.ends_with(b"attached") {
            if stderr.read(&mut byte).unwrap() == 0 {
                skip(&format!("strace: {}", String::from_utf8_lossy(&said)));
                return None;
            }
            said.push(byte[0]);
        }
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Some(tracer)
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        send(self.0.id(), Signal::SIGINT);
        let deadline = Instant::now() + GENEROUS;
        // It hangs where the process that it traces has ended.
        while matches!(self.0.try_wait(), Ok(None)) {
            if Instant::now() > deadline {
                let _ = self.0.kill();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The text of a document in its n-th state.
fn document(name: &str, n: usize) -> String {
    format!("{{\"{name}\":{{\"a\":{{\"n\":{n}}},\"b{n}\":{{}}}}}}")
}

fn write_all(project: &Project, n: usize) {
    project.write(STATUS, &document("stories", n));
    let new = project.root.join("new");
    fs::write(&new, document("tasks", n)).unwrap();
    fs::create_dir_all(project.root.join(".flow/state")).unwrap();
    fs::rename(&new, project.root.join(TASKS)).unwrap();
    let path = project.root.join(LOG);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut log = fs::File::options().append(true).create(true).open(path).unwrap();
    writeln!(log, "{{\"n\":{n}}}").unwrap();
}

/// The body of an answer; `None` where the connection was what failed.
fn ask(server: Server, path: &str) -> Option<Vec<u8>> {
    let mut stream = TcpStream::connect(server.address()).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok()?;
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let length = bytes[..end].split(|byte| *byte == b'\n').find_map(|line| {
        let text = std::str::from_utf8(line).ok()?.to_ascii_lowercase();
        text.strip_prefix("content-length:")?.trim().parse::<usize>().ok()
    })?;
    // A connection that broke off has given half an answer.
    (bytes.len() == end + 4 + length).then(|| bytes[end + 4..].to_vec())
}

/// Whether the daemon serves the n-th state. What it serves else is the whole state before.
#[track_caller]
fn serves(server: Server, n: usize, context: &str) -> bool {
    let Some(body) = ask(server, "/api/status") else { return false };
    let is = |n: usize| body == document("stories", n).as_bytes();
    assert!(is(n) || is(n - 1), "{context}: {}", String::from_utf8_lossy(&body));
    let found = |path: &str, part: &str| {
        ask(server, path).is_some_and(|body| String::from_utf8_lossy(&body).contains(part))
    };
    is(n)
        && found("/api/tasks", &format!("\"n\":{n}}}"))
        && found("/api/bus/messages?order=desc&limit=1", &format!("\"total\":{n}"))
        && found("/api/health", "\"status\":\"ok\"")
}

/// The system calls that a daemon makes while files change and clients ask.
fn calls(project: &Project, server: Server, n: &mut usize) -> Option<BTreeSet<String>> {
    let report = project.root.join("trace");
    let tracer = Tracer::attach(server, &["-o", report.to_str().unwrap()])?;
    for _ in 0..3 {
        *n += 1;
        write_all(project, *n);
        wait_until("it is served", || serves(server, *n, "traced"));
        project.status().expect(0);
    }
    // One check of the runtime files is within a second.
    std::thread::sleep(Duration::from_millis(1200));
    drop(tracer);
    Some(names(&fs::read_to_string(report).unwrap()))
}

/// The names of the calls in strace's report.
fn names(report: &str) -> BTreeSet<String> {
    let name = |line: &str| {
        let (_, call) = line.split_once(' ')?;
        let (name, _) = call.trim_start().split_once('(')?;
        name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_').then(|| name.to_owned())
    };
    report.lines().filter_map(name).filter(|name| !has_word(NEVER, name)).collect()
}

#[test]
fn each_system_call_fails_once() {
    if !has("strace") {
        return;
    }
    let project = Project::new();
    let mut n = 1;
    write_all(&project, n);
    let server = project.start();
    let Some(calls) = calls(&project, server, &mut n) else { return };
    assert!(calls.contains("read") && calls.contains("statx"), "{calls:?}");
    let log = project.file("api-server.log");
    let mut faults = 0;
    for call in &calls {
        for error in errors(call).iter().take(scaled(1, usize::MAX)) {
            for at in 1..=scaled(1, 6) {
                let inject = format!("inject={call}:error={error}:when={at}");
                let trace = format!("trace={call}");
                let mut words = vec!["-o", "/dev/null", "-e", &trace, "-e", &inject];
                // A write to the eventfd that wakes the runtime cannot fail on a real system, and tokio counts on that.
                if call == "write" {
                    words.extend(["-P", log.to_str().unwrap()]);
                }
                let tracer = Tracer::attach(server, &words);
                n += 1;
                write_all(&project, n);
                let context = format!("{inject}, state {n}");
                wait_until(&context, || serves(server, n, &context));
                // A command may be what meets the fault.
                wait_until(&context, || project.status().code == 0);
                drop(tracer);
                assert!(is_alive(server.pid), "{context}");
                faults += 1;
            }
        }
    }
    let said = fs::read_to_string(&log).unwrap();
    assert!(!said.contains("another user"), "an error was taken for another user: {said}");
    figure("system_calls", calls.len());
    figure("system_call_faults", faults);
    project.flow(&["api", "stop"]).expect(0);
}

/// `flow api start` under strace, which stays with the daemon and is no parent of it; `None` where it cannot trace.
fn traced_start(project: &Project, words: &[&str]) -> Option<Ran> {
    let mut command = project.under(&[&["strace", "-D", "-f"], words].concat());
    // Not pipes: strace holds them as long as the daemon lives.
    let path = |name: &str| project.runtime.with_file_name(name);
    let file = |name: &str| fs::File::create(path(name)).unwrap();
    command.args(["api", "start", "PORT=0"]).stdout(file("out")).stderr(file("err"));
    let mut child = command.spawn().unwrap();
    let mut status = None;
    wait_until(&format!("a start under {words:?} ends"), || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    let read = |name: &str| fs::read_to_string(path(name)).unwrap();
    let ran = Ran { code: status?.code().unwrap_or(-1), out: read("out"), err: read("err") };
    if ran.err.starts_with("strace:") {
        skip(&ran.err);
        return None;
    }
    Some(ran)
}

/// Whether it is one error, told once; notes may follow.
fn is_one_error(text: &str) -> bool {
    text.starts_with("error: ") && text.matches("error: ").count() == 1
}

#[test]
fn each_system_call_of_a_start_fails_once() {
    if !has("strace") {
        return;
    }
    let project = Project::new();
    write_all(&project, 1);
    let report = project.runtime.with_file_name("trace");
    let Some(ran) = traced_start(&project, &["-o", report.to_str().unwrap()]) else { return };
    ran.expect(0);
    project.flow(&["api", "stop"]).expect(0);
    let calls = names(&fs::read_to_string(report).unwrap());
    assert!(calls.contains("setsid") && calls.contains("flock"), "{calls:?}");
    let (mut faults, mut refused) = (0, 0);
    for call in calls.iter().filter(|call| !has_word(BEFORE_MAIN, call)) {
        for error in errors(call).iter().take(scaled(1, usize::MAX)) {
            for at in 1..=scaled(1, 6) {
                let inject = format!("inject={call}:error={error}:when={at}");
                let trace = format!("trace={call}");
                let words = ["-o", "/dev/null", "-e", &trace, "-e", &inject];
                let Some(ran) = traced_start(&project, &words) else { return };
                match ran.code {
                    0 => {}
                    // The dynamic loader met the fault.
                    127 => continue,
                    // Where writing fails, the message itself may be what is cut off.
                    1 if call == "write" => {}
                    // The daemon runs, although its first process could not be waited for.
                    1 if call == "wait4" => panic!("{inject}: {ran:?}"),
                    1 => assert!(is_one_error(&ran.err), "{inject}: {ran:?}"),
                    code => panic!("{inject}: exit code {code}: {ran:?}"),
                }
                faults += 1;
                refused += usize::from(ran.code != 0);
                // The next start finds a server or makes one.
                let server = project.start();
                // A server that met the fault says that it could not read the file, and reads it again.
                let expected = document("stories", 1);
                let is_served =
                    || ask(server, "/api/status").is_some_and(|b| b == expected.as_bytes());
                wait_until(&inject, is_served);
                // The daemon is still traced: the stop may be what meets the fault.
                wait_until(&inject, || project.flow(&["api", "stop"]).code == 0);
            }
        }
    }
    // What a fault kept from being removed is removed by the next server.
    project.start();
    project.flow(&["api", "stop"]).expect(0);
    assert_eq!(project.files("api-server."), ["api-server.log"]);
    figure("system_call_faults_of_a_start", faults);
    figure("system_call_refused_starts", refused);
}

#[test]
fn checks_of_the_runtime_files_that_fail_for_long_stop_nothing() {
    if !has("strace") {
        return;
    }
    for error in ["EIO", "EACCES", "ESTALE"].iter().take(scaled(1, 3)) {
        let project = Project::new();
        let server = project.start();
        let inject = format!("inject=newfstatat,lstat:error={error}");
        let words = ["-o", "/dev/null", "-e", "trace=newfstatat,lstat", "-e", &inject];
        let Some(tracer) = Tracer::attach(server, &words) else { return };
        let log = || fs::read_to_string(project.file("api-server.log")).unwrap();
        wait_until("a check has failed", || log().contains("could not check the runtime files"));
        // More checks than would stop it if the files were gone.
        std::thread::sleep(Duration::from_millis(3500));
        drop(tracer);
        wait_until("a check goes well", || log().contains("in place again"));
        assert!(is_alive(server.pid) && server.accepts(), "{error}");
    }
}
