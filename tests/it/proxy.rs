//! The settings of docs/reverse-proxy.md in a real nginx and Caddy on this machine, in front of the real program.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::raw::{Client, Reply};
use crate::support::{Project, Server, wait_until};
use crate::tools::{has, text};

/// `alice:open sesame` in a client's header.
const ALICE: &str = "Authorization: Basic YWxpY2U6b3BlbiBzZXNhbWU=\r\n";
/// `alice:wrong`.
const WRONG: &str = "Authorization: Basic YWxpY2U6d3Jvbmc=\r\n";

/// A proxy with the settings of the page, stopped when it is dropped.
struct Proxy {
    child: Child,
    address: SocketAddr,
}

impl Proxy {
    fn start(command: &mut Command, address: SocketAddr, folder: &Path) -> Self {
        let errors = File::create(folder.join("error.log")).unwrap();
        let mut child = command.stdin(Stdio::null()).stderr(errors).spawn().unwrap();
        wait_until("the proxy listens", || {
            let told = || fs::read_to_string(folder.join("error.log"));
            assert!(child.try_wait().unwrap().is_none(), "{:?}", told());
            TcpStream::connect(address).is_ok()
        });
        Self { child, address }
    }

    fn nginx(server: Server, folder: &Path) -> Self {
        let address = free();
        let hash = Command::new("openssl").args(["passwd", "-6", "open sesame"]).output().unwrap();
        let hash = String::from_utf8(hash.stdout).unwrap();
        fs::write(folder.join("htpasswd"), format!("alice:{hash}")).unwrap();
        let passwords = folder.join("htpasswd").display().to_string();
        let without_tls = |line: &&str| !line.contains("ssl_certificate");
        let block = settings("```nginx\n");
        let block = block.lines().filter(without_tls).collect::<Vec<_>>().join("\n");
        let block = replaced(
            &block,
            &[
                ("443 ssl", &address.to_string()),
                ("/etc/nginx/flow.htpasswd", &passwords),
                ("127.0.0.1:3456", &server.address().to_string()),
            ],
        );
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path temp;\n"));
        let all = format!(
            "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {{}}\nhttp {{\naccess_log off;\n{}{block}}}\n",
            folders.concat()
        );
        fs::write(folder.join("nginx.conf"), all).unwrap();
        let mut command = Command::new("nginx");
        command.arg("-p").arg(folder).args(["-c", "nginx.conf", "-e", "stderr"]);
        Self::start(&mut command, address, folder)
    }

    fn caddy(server: Server, folder: &Path) -> Self {
        let address = free();
        let hash = Command::new("caddy")
            .args(["hash-password", "--plaintext", "open sesame"])
            .output()
            .unwrap();
        let hash = String::from_utf8(hash.stdout).unwrap();
        let block = replaced(
            &settings("```caddy\n"),
            &[
                ("flow.example.org {", &format!("http://:{} {{\n\tbind 127.0.0.1", address.port())),
                ("HASH", hash.trim()),
                ("127.0.0.1:3456", &server.address().to_string()),
            ],
        );
        fs::write(folder.join("Caddyfile"), format!("{{\n\tadmin off\n}}\n{block}")).unwrap();
        let mut command = Command::new("caddy");
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.join("Caddyfile"));
        for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
            command.env(name, folder);
        }
        Self::start(&mut command, address, folder)
    }

    fn client(&self, method: &str, path: &str, lines: &str) -> Client {
        let request = format!("{method} {path} HTTP/1.1\r\nHost: flow.example.org\r\n{lines}\r\n");
        let mut client = Client::new(self.address);
        client.send(request);
        client
    }

    fn ask(&self, method: &str, path: &str, lines: &str) -> Reply {
        let mut client = self.client(method, path, lines);
        if method == "HEAD" { client.head() } else { client.reply() }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // One process without workers, so that none remains.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}

/// The block of the page that begins with this line.
fn settings(begin: &str) -> String {
    text("docs/reverse-proxy.md")
        .split(begin)
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap()
        .to_owned()
}

/// Settings with this test's ports and paths.
fn replaced(block: &str, pairs: &[(&str, &str)]) -> String {
    pairs.iter().fold(block.to_owned(), |block, (from, to)| {
        assert!(block.contains(from), "the page has no {from:?}");
        block.replace(from, to)
    })
}

#[test]
fn the_nginx_of_the_page_asks_for_a_password_and_passes_everything() {
    if has("nginx") && has("openssl") {
        passes_everything(Proxy::nginx);
    }
}

#[test]
fn the_caddy_of_the_page_asks_for_a_password_and_passes_everything() {
    if has("caddy") {
        passes_everything(Proxy::caddy);
    }
}

fn passes_everything(start: impl FnOnce(Server, &Path) -> Proxy) {
    let project = Project::new();
    let state = "docs/09-agents/status.json";
    project.write(state, r#"{"stories":{"US-1":{"status":"done"},"a/b":{"status":"ready"}}}"#);
    let server = project.start();
    let folder = tempfile::tempdir().unwrap();
    let proxy = start(server, folder.path());
    for lines in ["", WRONG] {
        let reply = proxy.ask("GET", "/api/stories", lines);
        assert_eq!(reply.status, 401);
        assert!(reply.header("www-authenticate").unwrap().starts_with("Basic realm="));
        assert!(!String::from_utf8_lossy(&reply.body).contains("US-1"));
    }
    let reply = proxy.ask("GET", "/api/stories?status=done", ALICE);
    assert_eq!((reply.is_ours().status, &reply.json()["count"]), (200, &1.into()));
    let tag = reply.header("etag").expect("the validator is lost").to_owned();
    let condition = format!("{ALICE}If-None-Match: {tag}\r\n");
    assert_eq!(proxy.ask("GET", "/api/stories?status=done", &condition).status, 304);
    assert_eq!(proxy.ask("HEAD", "/api/stories", ALICE).status, 200);
    for method in ["POST", "DELETE"] {
        let refused = proxy.ask(method, "/api/stories", ALICE).status;
        assert!([403, 405].contains(&refused), "{method}: {refused}");
    }
    let foreign = format!("{ALICE}Origin: http://evil.example\r\n");
    let foreign = proxy.ask("GET", "/api/stories", &foreign);
    assert_eq!((foreign.status, foreign.header("access-control-allow-origin")), (200, None));
    assert_eq!(foreign.header("cross-origin-resource-policy"), Some("same-origin"));
    let page = proxy.ask("GET", "/", ALICE);
    assert!(String::from_utf8_lossy(&page.body).contains("<title>flow"), "{page:?}");
    assert!(page.header("content-security-policy").unwrap().contains("script-src 'self'"));
    let metrics = proxy.ask("GET", "/metrics", ALICE);
    assert!(String::from_utf8_lossy(&metrics.body).contains("flow_stories"), "{metrics:?}");
    // A slash in an id arrives as it was sent.
    assert_eq!(proxy.ask("GET", "/api/stories/a%2Fb", ALICE).json()["id"], "a/b");
    assert_eq!(proxy.ask("GET", "/elsewhere", ALICE).status, 404);
    // Events are not collected until a buffer is full.
    let mut stream = proxy.client("GET", "/api/events", ALICE);
    assert_eq!(stream.head().status, 200);
    project.write(state, r#"{"stories":{"US-1":{"status":"blocked"}}}"#);
    stream.reads("/api/stories");
}
