//! The handler: what each request of the protocol is answered with. It knows no transport.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::watch;

use super::answer::Refusal;
use super::limits::LISTS_LAST_MS;
use super::state::{State, Wanted, Work};
use super::subscriptions::{Sink, Subscribed, accepted, follow};
use super::{prompts, resources, tools};
use crate::files::Files;

/// The instructions that a client receives when it connects.
const INSTRUCTIONS: &str = "The state of this project's coding agents, read from the files that they write: stories and \
    epics, tasks, sessions, and the message log. Everything is read-only. Begin with get_project_status; list_attention \
    lists what needs attention. Skills generate documents and code by fixed rules: list_skills, describe_skill, run_skill.";

/// A connection's handler.
#[derive(Debug)]
pub struct Handler {
    state: Arc<State>,
    /// Becomes true when no more messages will arrive.
    closing: watch::Receiver<bool>,
    subscribed: Arc<Subscribed>,
}

impl Handler {
    /// A handler for one client. `closing` becomes true when its connection ends.
    pub fn new(state: Arc<State>, closing: watch::Receiver<bool>) -> Self {
        Self { state, closing, subscribed: Arc::default() }
    }

    /// Runs some work until it completes or the client cancels the request.
    async fn work<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        what: Work,
        work: impl FnOnce(&State, Files, &Wanted) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        tokio::select! {
            done = self.state.work(what, work) => done,
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
        }
    }
}

#[allow(
    deprecated,
    reason = "clients of the revision 2025-11-25 have no other means than resources/subscribe"
)]
impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .build();
        let about = Implementation::new("flow", env!("CARGO_PKG_VERSION"))
            .with_title("flow")
            .with_description(env!("CARGO_PKG_DESCRIPTION"));
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request)?;
        Ok(ListToolsResult::with_all_items(tools::definitions().to_vec())
            .with_ttl_ms(LISTS_LAST_MS)
            .with_cache_scope(rmcp::model::CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::definitions().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams { name, arguments, .. } = request;
        let arguments = arguments.unwrap_or_default();
        let unknown = format!("there is no tool {name:?}; known tools: {}", tools::names());
        let called = self
            .work(&context, tools::work(&name), move |state, files, wanted| {
                tools::call(&name, &arguments, state, files, wanted)
            })
            .await?;
        called.map(Into::into).ok_or_else(|| ErrorData::invalid_params(unknown, None))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        only_page(request)?;
        Ok(resources::list())
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request)?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let wrong = |refusal: Refusal| match refusal {
            Refusal::NotFound(sentence) => {
                let data = serde_json::json!({"uri": uri});
                ErrorData::resource_not_found(sentence, Some(data))
            }
            Refusal::Other(sentence) => ErrorData::new(ErrorCode::INTERNAL_ERROR, sentence, None),
        };
        let named = resources::find(&uri).map_err(wrong)?;
        let answer =
            self.work(&context, Work::Reads, move |_, files, _| named.read(&files)).await?;
        let answer = answer.map_err(wrong)?;
        Ok(resources::contents(uri, answer).into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request)?;
        Ok(prompts::list())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let GetPromptRequestParams { name, arguments, .. } = request;
        let arguments = arguments.unwrap_or_default();
        let made = self
            .work(&context, Work::RunsSkill, move |state, files, wanted| {
                prompts::get(&name, &arguments, state, files, wanted)
            })
            .await?;
        made.map(Into::into)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.as_deref().unwrap_or_default();
        Some(SubscriptionFilter::builder().resource_subscriptions(accepted(uris)).build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let since = context.request_context().extensions.get::<Arc<Files>>().cloned();
        let since = since.unwrap_or_else(|| Arc::new(self.state.now()));
        let sink = Sink::Request(context.sink().clone());
        tokio::select! {
            () = follow(&self.state, &uris, &since, sink, self.closing.clone()) => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // The first load is not a change.
        self.state.loaded().await?;
        self.subscribed.add(request.uri, &self.state, context.peer, self.closing.clone())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribed.remove(&request.uri);
        Ok(())
    }
}

/// Refuses a cursor: each list is one page, so this server never returned any.
fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(cursor) => Err(ErrorData::invalid_params(
            format!("the cursor {cursor:?} is unknown: each list of this server is one page"),
            None,
        )),
    }
}
