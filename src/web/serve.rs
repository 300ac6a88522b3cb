//! A stand-in for the HTTP server, so that the lifecycle can be built and tried before it.

use std::sync::Arc;

use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::task::JoinSet;

use super::{App, Asked};
use crate::error::{Error, Result};

/// Serves until `stop` turns true.
///
/// # Errors
/// When the runtime does not take the listener.
pub async fn run(
    listener: std::net::TcpListener,
    app: Arc<App>,
    mut stop: tokio::sync::watch::Receiver<bool>,
) -> Result<()> {
    let wrong = |e| Error::io("listen", e);
    listener.set_nonblocking(true).map_err(wrong)?;
    let listener = tokio::net::TcpListener::from_std(listener).map_err(wrong)?;
    let mut set = JoinSet::new();
    loop {
        let stream = tokio::select! {
            taken = listener.accept() => taken.map_err(wrong)?.0,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let app = Arc::clone(&app);
        set.spawn(async move {
            let answer = service_fn(|request: http::Request<hyper::body::Incoming>| {
                let app = Arc::clone(&app);
                async move {
                    let asked = Asked {
                        method: request.method(),
                        path: request.uri().path(),
                        query: request.uri().query(),
                        if_none_match: None,
                    };
                    let response = app.answer(asked).into_response();
                    Ok::<_, std::convert::Infallible>(response.map(http_body_util::Full::new))
                }
            });
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), answer)
                .await;
        });
    }
    Ok(())
}
