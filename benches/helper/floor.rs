//! The lower bound of the cost of an answer: plain hyper with the same headers, header timer and limits, and one body.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, VARY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderName, HeaderValue, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

/// The process ends after this time in any case.
const LIFE: Duration = Duration::from_mins(10);

/// Prints its port and serves until it is killed.
pub(crate) fn serve(bytes: usize) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let body = Bytes::from(vec![b'x'; bytes]);
    runtime.spawn(async move {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        println!("{}", listener.local_addr().unwrap().port());
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let body = body.clone();
            let service = service_fn(move |_: Request<Incoming>| {
                let response = answer(body.clone());
                async { Ok::<_, Infallible>(response) }
            });
            let mut http = Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(75));
            http.max_headers(64).max_header_size(32 << 10).max_buf_size(32 << 10);
            http.keep_alive(true).half_close(true);
            // An error means that the client has closed the connection.
            tokio::spawn(http.serve_connection(TokioIo::new(stream), service));
        }
    });
    std::thread::sleep(LIFE);
    runtime.shutdown_background();
}

fn answer(body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    );
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(VARY, HeaderValue::from_static("Origin"));
    headers.insert(ETAG, HeaderValue::from_static("\"0123456789abcdef\""));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    response
}
