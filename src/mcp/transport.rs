//! Standard input and output with a limit on the requests in between.

use std::collections::HashMap;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::limits::MOST_REQUESTS;

/// A transport that reads no further request while [`MOST_REQUESTS`] are unanswered: a client that
/// sends without reading cannot make this process buffer more.
pub(super) struct Bounded<T> {
    inner: T,
    places: Arc<Semaphore>,
    open: HashMap<RequestId, OwnedSemaphorePermit>,
    /// Becomes true when the client has closed its output.
    closing: watch::Sender<bool>,
}

impl<T> Bounded<T> {
    pub(super) fn new(inner: T, closing: watch::Sender<bool>) -> Self {
        let places = Arc::new(Semaphore::new(MOST_REQUESTS));
        Self { inner, places, open: HashMap::new(), closing }
    }
}

impl<T: Transport<RoleServer> + 'static> Transport<RoleServer> for Bounded<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let permit = match &message {
            JsonRpcMessage::Response(response) => self.open.remove(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref().and_then(|id| self.open.remove(id)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let sending = self.inner.send(message);
        async move {
            let sent = sending.await;
            drop(permit);
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let permit = Arc::clone(&self.places).acquire_owned().await.ok()?;
            let message = self.inner.receive().await;
            match &message {
                None => _ = self.closing.send_replace(true),
                Some(JsonRpcMessage::Request(request)) => {
                    if self.open.contains_key(&request.id) {
                        self.refuse(request.id.clone(), permit);
                        continue;
                    }
                    self.open.insert(request.id.clone(), permit);
                }
                Some(JsonRpcMessage::Notification(notification)) => {
                    if let ClientNotification::CancelledNotification(cancelled) =
                        &notification.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        // No answer follows.
                        self.open.remove(id);
                    }
                }
                Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) => {}
            }
            return message;
        }
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}

impl<T: Transport<RoleServer> + 'static> Bounded<T> {
    /// Refuses a request with the id of one that is not answered yet.
    fn refuse(&mut self, id: RequestId, permit: OwnedSemaphorePermit) {
        let error =
            ErrorData::invalid_request("another request with this id is not answered yet", None);
        let sending = self.inner.send(JsonRpcMessage::error(error, Some(id)));
        tokio::spawn(async move {
            // It fails where the client is gone.
            let _ = sending.await;
            drop(permit);
        });
    }
}
