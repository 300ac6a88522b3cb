//! The service for one client: the handler, and around it what `subscriptions/listen` needs and rmcp does not do: a limit,
//! the snapshot since which changes are reported, and an end with the connection.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    ClientNotification, ClientRequest, ProtocolVersion, RequestId, ServerConfig, ServerResult,
    SubscriptionsListenResult,
};
use rmcp::service::{NotificationContext, RequestContext, Service};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::{Semaphore, watch};

use super::handler::Handler;
use super::limits::MOST_LISTENING;
use super::state::State;

/// The service of one client.
#[derive(Debug)]
pub(super) struct Server {
    handler: Handler,
    state: Arc<State>,
    listening: Semaphore,
    /// Becomes true when the connection ends.
    closing: watch::Receiver<bool>,
}

impl Server {
    pub(super) fn new(state: Arc<State>, closing: watch::Receiver<bool>) -> Self {
        Self {
            handler: Handler::new(Arc::clone(&state), closing.clone()),
            state,
            listening: Semaphore::new(MOST_LISTENING),
            closing,
        }
    }

    async fn listen(
        &self,
        request: ClientRequest,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let Ok(_permit) = self.listening.try_acquire() else {
            let sentence = format!(
                "the limit of {MOST_LISTENING} open subscriptions is reached; cancel one first"
            );
            return Err(ErrorData::invalid_request(sentence, None));
        };
        // The first load is not a change.
        self.state.loaded().await?;
        // The subscription is acknowledged before the handler is called. A change in between must be reported.
        context.extensions.insert(Arc::new(self.state.now()));
        let id = context.id.clone();
        let mut closing = self.closing.clone();
        tokio::select! {
            answer = self.handler.handle_request(request, context) => answer,
            // When its input has ended, rmcp sends no notification any more, and the handler may wait for one.
            _ = closing.wait_for(|is_closing| *is_closing) => Ok(self.ended(id)),
        }
    }

    /// The last message of a subscription.
    fn ended(&self, id: RequestId) -> ServerResult {
        let mut result = SubscriptionsListenResult::complete(id);
        result.meta.set_server_info(Service::get_info(&self.handler).server_info);
        ServerResult::SubscriptionsListenResult(result)
    }
}

impl Service<RoleServer> for Server {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        match request {
            ClientRequest::SubscriptionsListenRequest(_) => self.listen(request, context).await,
            other => self.handler.handle_request(other, context).await,
        }
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.handler)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Service::supported_protocol_versions(&self.handler)
    }
}
