//! The nginx settings of docs/reverse-proxy.md in a real nginx on this machine, in front of the real program.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::raw::{Client, Reply};
use crate::support::{Project, Server, wait_until};
use crate::tools::has;

/// `alice:open sesame` in a client's header.
const ALICE: &str = "Authorization: Basic YWxpY2U6b3BlbiBzZXNhbWU=\r\n";
/// `alice:wrong`.
const WRONG: &str = "Authorization: Basic YWxpY2U6d3Jvbmc=\r\n";

/// A proxy, stopped when it is dropped.
struct Nginx {
    child: Child,
    address: SocketAddr,
}

impl Nginx {
    fn before(server: Server, folder: &Path) -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        fs::write(folder.join("nginx.conf"), settings(server, folder, free)).unwrap();
        let mut child = Command::new("nginx")
            .arg("-p")
            .arg(folder)
            .args(["-c", "nginx.conf", "-e", "error.log"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("nginx listens", || {
            assert!(
                child.try_wait().unwrap().is_none(),
                "{:?}",
                fs::read_to_string(folder.join("error.log"))
            );
            TcpStream::connect(free).is_ok()
        });
        Self { child, address: free }
    }

    fn ask(&self, method: &str, path: &str, lines: &str) -> Reply {
        let request = format!("{method} {path} HTTP/1.1\r\nHost: flow.example.org\r\n{lines}\r\n");
        let mut client = Client::new(self.address);
        if method == "HEAD" { client.send(request).head() } else { client.send(request).reply() }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // One process without workers, so that none remains.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The settings of the page, with this test's ports and paths, and without TLS.
fn settings(server: Server, folder: &Path, address: SocketAddr) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reverse-proxy.md");
    let page = fs::read_to_string(page).unwrap();
    let block = page.split("```nginx\n").nth(1).unwrap().split("```").next().unwrap();
    let without_tls = |line: &&str| !line.contains("ssl_certificate");
    let mut block = block.lines().filter(without_tls).collect::<Vec<_>>().join("\n");
    let passwords = folder.join("htpasswd").display().to_string();
    for (from, to) in [
        ("443 ssl", &address.to_string()),
        ("/etc/nginx/flow.htpasswd", &passwords),
        ("127.0.0.1:3456", &server.address().to_string()),
    ] {
        assert!(block.contains(from), "the page has no {from:?}");
        block = block.replace(from, to);
    }
    let own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path temp;\n"));
    format!(
        "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {{}}\nhttp {{\naccess_log off;\n{}{block}}}\n",
        own.concat()
    )
}

#[test]
fn the_nginx_of_the_page_asks_for_a_password_and_reaches_the_server() {
    if !has("nginx") || !has("openssl") {
        return;
    }
    let project = Project::new();
    project.write("docs/09-agents/status.json", "{\"stories\":{\"US-1\":{\"status\":\"done\"}}}");
    let server = project.start();
    let folder = tempfile::tempdir().unwrap();
    let hash = Command::new("openssl").args(["passwd", "-6", "open sesame"]).output().unwrap();
    let hash = String::from_utf8(hash.stdout).unwrap();
    fs::write(folder.path().join("htpasswd"), format!("alice:{hash}")).unwrap();
    let nginx = Nginx::before(server, folder.path());
    for lines in ["", WRONG] {
        let reply = nginx.ask("GET", "/api/stories", lines);
        assert_eq!(
            (reply.status, reply.header("www-authenticate")),
            (401, Some("Basic realm=\"flow\""))
        );
        assert!(!String::from_utf8_lossy(&reply.body).contains("US-1"));
    }
    let reply = nginx.ask("GET", "/api/stories?status=done", ALICE);
    assert_eq!((reply.is_ours().status, &reply.json()["count"]), (200, &1.into()));
    let tag = reply.header("etag").expect("the validator is lost").to_owned();
    let again =
        nginx.ask("GET", "/api/stories?status=done", &format!("{ALICE}If-None-Match: {tag}\r\n"));
    assert_eq!(again.status, 304);
    assert_eq!(nginx.ask("HEAD", "/api/stories", ALICE).status, 200);
    for (method, status) in [("POST", 403), ("DELETE", 403)] {
        assert_eq!(nginx.ask(method, "/api/stories", ALICE).status, status, "{method}");
    }
    let foreign =
        nginx.ask("GET", "/api/stories", &format!("{ALICE}Origin: http://evil.example\r\n"));
    assert_eq!((foreign.status, foreign.header("access-control-allow-origin")), (200, None));
    assert_eq!(foreign.header("cross-origin-resource-policy"), Some("same-origin"));
    assert_eq!(nginx.ask("GET", "/elsewhere", ALICE).status, 404);
}

#[test]
fn without_the_settings_of_the_page_the_server_refuses_a_proxy() {
    let project = Project::new();
    let server = project.start();
    let ask = |lines: &str| {
        Client::new(server.address())
            .send(format!("GET /api HTTP/1.1\r\n{lines}\r\n"))
            .reply()
            .code()
    };
    assert_eq!(ask("Host: flow.example.org\r\n"), "host_not_allowed");
    assert_eq!(
        ask("Host: localhost\r\nOrigin: https://flow.example.org\r\n"),
        "origin_not_allowed"
    );
}
