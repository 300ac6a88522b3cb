//! Runs the daemon's tasks and stops them in order: the listener, the connections, the owner of the state, the files,
//! the lock. It does not fork.

use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use super::housekeeping::Housekeeping;
use super::instance_guard::InstanceGuard;
use super::job::{Job, Mode};
use super::kept_history;
use super::log;
use super::other_projects;
use super::registry::Registration;
use super::signals::Signals;
use super::systemd;
use crate::control::Status;
use crate::control::server::{self, Facts, Service};
use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::history::State;
use crate::store::{Environment, Options, Store};
use crate::web::{self, About, App};

/// Threads of the runtime. Answers are made from memory; more threads would only wait.
const WORKERS: usize = 2;
/// Number of answers to `get` of the control socket that are made at a time.
const CONTROL_QUERIES: usize = 2;
/// Time for the runtime's threads to start, which usually takes milliseconds.
const RUNTIME_STARTED: Duration = Duration::from_secs(3);
/// Time for the server's first response.
const FIRST_ANSWER: Duration = Duration::from_secs(5);
/// Time for the server to stop: 5 s for its connections, and a margin.
const LAST_ANSWER: Duration = Duration::from_secs(6);
/// Time for the remaining tasks after that.
const LEFTOVERS: Duration = Duration::from_secs(1);

type Tasks = JoinSet<(Task, Result<()>)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Web,
    Control,
    Signals,
    Housekeeping,
}

/// Runs the daemon until it stops. `ready` is called once, when the first load is done and the port responds.
///
/// # Errors
/// When it cannot start, the start is no longer waiting, or a task failed.
pub(crate) fn run(mut job: Job, ready: impl FnOnce(&Status) -> Result<()>) -> Result<()> {
    let started = Instant::now();
    log::install(Folder::open(job.guard.folders().home().path())?)?;
    raise_file_limit();
    job.guard.write_pid()?;
    let (runtime, signals) = runtime()?;
    let (keeper, history) = kept_history::open(&job.project);
    let environment = Environment { keeper, ..Environment::default() };
    let store = Store::open_with(&job.project, &Options::default(), environment)?;
    let common = job.common.take();
    let worktrees =
        common.map(|common| store.follow_worktrees(&job.project, common)).transpose()?;
    let (guard, parts) = parts(job, &store, started, history)?;
    let ended = runtime.block_on(serve(parts, signals, ready));
    runtime.shutdown_timeout(LEFTOVERS);
    drop(worktrees);
    store.stop();
    match &ended {
        Ok(()) => tracing::info!("stopped"),
        Err(error) => tracing::error!(%error, "failed"),
    }
    drop(guard);
    ended
}

/// The parts of which the tasks are made.
struct Parts {
    mode: Mode,
    root: PathBuf,
    guard: Arc<InstanceGuard>,
    registration: Registration,
    http: TcpListener,
    control: UnixListener,
    app: Arc<App>,
    service: Arc<Service>,
}

fn parts(
    job: Job,
    store: &Store,
    started: Instant,
    history: State,
) -> Result<(Arc<InstanceGuard>, Parts)> {
    let Job { project, mode, guard, http, control, .. } = job;
    let port = http.local_addr().map_err(|e| Error::io("read the listening address", e))?.port();
    let root = project.root().to_path_buf();
    let name = root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    let served_from = project.served_from();
    let read_from = project.read_from().clone().or_port(port);
    let about =
        About { started, served_from, read_from, history: Some(history), ..About::new(name) };
    let app = Arc::new(App { reader: store.reader(), about });
    let service = Arc::new(Service {
        facts: Facts {
            port,
            project: root.display().to_string(),
            log: guard.folders().log().display().to_string(),
            started,
        },
        reader: store.reader(),
        handle: store.handle(),
        // `control` must not name `web`, so it gets a function.
        get: Arc::new({
            let app = Arc::clone(&app);
            move |target| app.get(target)
        }),
        stop: watch::Sender::new(false),
    });
    let mut registration = Registration::new(&root, port);
    if let Err(error) = registration.renew() {
        tracing::warn!(%error, "could not register the daemon; `flow api list` will not show it");
    }
    let guard = Arc::new(guard);
    let kept = Arc::clone(&guard);
    Ok((kept, Parts { mode, root, guard, registration, http, control, app, service }))
}

async fn serve(
    parts: Parts,
    signals: Signals,
    ready: impl FnOnce(&Status) -> Result<()>,
) -> Result<()> {
    let (service, mode) = (Arc::clone(&parts.service), parts.mode);
    let mut stopped = service.stop.subscribe();
    let (mut tasks, web) = spawn(parts, signals);
    let begun = tokio::select! {
        answered = first_answer(service.facts.port) => answered,
        ended = tasks.join_next() => Err(broken(ended)),
    };
    // If the stop came before it was ready, the tasks may end in any order.
    let begun = if *service.stop.borrow() { Err(stopped_during_start()) } else { begun };
    let mut ended = begun.and_then(|()| ready(&service.status()));
    if ended.is_ok() {
        let Facts { port, project, .. } = &service.facts;
        tracing::info!(port, ?project, "ready");
        if mode == Mode::Foreground {
            systemd::notify("READY=1");
        }
        ended = tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => Ok(()),
            ended = tasks.join_next() => end(&service, ended),
        };
    }
    if mode == Mode::Foreground {
        systemd::notify("STOPPING=1");
    }
    service.stop.send_replace(true);
    if timeout(LAST_ANSWER, web_end(&web, &mut tasks)).await.is_err() {
        tracing::warn!("connections were still open after {} s", LAST_ANSWER.as_secs());
    }
    ended
}

/// A task that ends by itself is a failure, unless it ended because of the stop.
fn end(service: &Service, ended: Option<Joined>) -> Result<()> {
    if *service.stop.borrow() { Ok(()) } else { Err(broken(ended)) }
}

fn stopped_during_start() -> Error {
    Error::Refused("the server was stopped during its start, by another command or a signal".into())
}

type Joined = Result<(Task, Result<()>), tokio::task::JoinError>;

fn broken(ended: Option<Joined>) -> Error {
    match ended {
        Some(Ok((_, Err(e)))) => e,
        Some(Ok((task, Ok(())))) => Error::Refused(format!("the task {task:?} ended unexpectedly")),
        Some(Err(e)) => Error::Refused(format!("a task failed: {e}")),
        None => Error::Refused("the server has no running task".into()),
    }
}

async fn web_end(web: &AbortHandle, tasks: &mut Tasks) {
    while !web.is_finished() && tasks.join_next().await.is_some() {}
}

fn spawn(parts: Parts, signals: Signals) -> (Tasks, AbortHandle) {
    let Parts { root, guard, registration, http, control, app, service, .. } = parts;
    let stop = service.stop.clone();
    let other_projects = Arc::clone(&app.about.other_projects);
    let housekeeping = Housekeeping {
        guard,
        registration,
        usage: Arc::clone(&app.about.usage),
        stop: stop.clone(),
    };
    let web = web::serve::run(http, app, stop.subscribe());
    let mut tasks = JoinSet::new();
    let web = tasks.spawn(async { (Task::Web, web.await) });
    tasks.spawn(async { (Task::Control, on_own_thread(control, service).await) });
    tasks.spawn(forward(signals, stop.clone()));
    tasks.spawn(async move {
        tokio::select! {
            () = housekeeping.run() => {}
            () = other_projects::follow(root, other_projects) => {}
        }
        (Task::Housekeeping, Ok(()))
    });
    (tasks, web)
}

/// Serves the control socket on a thread with a runtime of its own, so that a server with much to do still answers
/// `status` and `stop`. The thread ends when this is dropped.
async fn on_own_thread(listener: UnixListener, service: Arc<Service>) -> Result<()> {
    let wrong = |e| Error::io("start the thread of the control socket", e);
    let (report, ended) = oneshot::channel();
    let (_alive, dropped) = oneshot::channel::<()>();
    let serve = move || {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(CONTROL_QUERIES)
            .build()
            .map_err(wrong)?;
        let ended = runtime.block_on(async {
            tokio::select! {
                ended = server::run(listener, service) => ended,
                _ = dropped => Ok(()),
            }
        });
        runtime.shutdown_background();
        ended
    };
    let thread = thread::Builder::new().name("control".to_owned());
    // The receiver is gone if this was dropped.
    thread.spawn(move || drop(report.send(serve()))).map_err(wrong)?;
    ended.await.unwrap_or_else(|_| Err(Error::Refused("the control socket's thread ended".into())))
}

/// Sends one request to the own port: a start returns only when it is answered.
async fn first_answer(port: u16) -> Result<()> {
    let ask = async {
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await?;
        let request = b"HEAD /api HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
        stream.write_all(request).await?;
        stream.read_u8().await
    };
    match timeout(FIRST_ANSWER, ask).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(e)) => Err(Error::io("connect to the server on its port", e)),
        Err(_) => Err(Error::Refused(format!("port {port} is not responding"))),
    }
}

/// Requests an orderly shutdown at a signal.
async fn forward(mut signals: Signals, stop: watch::Sender<bool>) -> (Task, Result<()>) {
    let name = signals.next().await;
    tracing::info!(signal = name, "stop requested");
    stop.send_replace(true);
    (Task::Signals, Ok(()))
}

/// The runtime, and the signal handlers, installed now: a signal during the first load is not lost.
fn runtime() -> Result<(Runtime, Signals)> {
    let wrong = |e| Error::io("start the runtime", e);
    let runtime = build_runtime().map_err(wrong)?;
    let signals = runtime.block_on(async { Signals::listen() }).map_err(wrong)?;
    Ok((runtime, signals))
}

/// Builds the runtime on a separate thread: where the system refuses to start one of its threads, tokio panics, and then
/// waits forever for the threads that it has started.
fn build_runtime() -> io::Result<Runtime> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().name("build".to_owned()).spawn(move || {
        let built = Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build();
        // The receiver is gone after the timeout.
        _ = sender.send(built);
    })?;
    let refused = |_| io::Error::new(io::ErrorKind::WouldBlock, "could not create a thread");
    receiver.recv_timeout(RUNTIME_STARTED).map_err(refused)?
}

/// Each connection is an open file, and the soft limit is often far below what the system allows.
fn raise_file_limit() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE)
        .and_then(|(_, hard)| setrlimit(Resource::RLIMIT_NOFILE, hard, hard));
    if let Err(error) = raised {
        tracing::warn!(%error, "could not raise the limit of open files");
    }
}
