//! A server built with rmcp, the independent peer of the wire client's tests: `rmcp_server stdio`,
//! `rmcp_server http PORT` (sessions, event streams) or `rmcp_server json PORT` (neither).

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequest,
    ElicitRequestParams, ErrorData, InputRequest, InputRequests, InputRequiredResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};

#[derive(Clone)]
struct Peer;

fn tool(name: &'static str, description: &'static str) -> Tool {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let schema: Map<String, Value> = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, description, Arc::new(schema))
}

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_instructions("A peer.")
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = ListToolsResult::default();
        if request.and_then(|request| request.cursor).is_none() {
            list.tools = vec![
                tool("echo", "gives back `text`").annotate(ToolAnnotations::new().read_only(true)),
                tool("blocks", "several blocks"),
            ];
            list.next_cursor = Some("second".to_owned());
        } else {
            list.tools = vec![
                tool("fail", "an error as a result"),
                tool("refuse", "an error"),
                tool("ask", "asks first"),
            ];
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        let result = match request.name.as_ref() {
            "echo" => CallToolResult::success(vec![ContentBlock::text(text)]),
            "blocks" => CallToolResult::success(["a\n\u{1f600}", "", &text].map(ContentBlock::text).to_vec()),
            "fail" => CallToolResult::error(vec![ContentBlock::text("it did not work")]),
            "ask" => {
                return Ok(ask(request.input_responses.map(|answers| json!(answers)), request.request_state));
            }
            _ => return Err(ErrorData::invalid_params(format!("no such tool: {}", request.name), None)),
        };
        Ok(result.into())
    }
}

/// Ask for a name first, and tell what was answered.
fn ask(answers: Option<Value>, state: Option<String>) -> CallToolResponse {
    match (answers, state.as_deref()) {
        (Some(answers), Some("st\"ate")) => {
            CallToolResult::success(vec![ContentBlock::text(format!("answers: {answers}"))]).into()
        }
        _ => {
            let params = ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: "Name?".into(),
                requested_schema: serde_json::from_value(json!({"type": "object", "properties": {}}))
                    .expect("a schema"),
            };
            let mut requests = InputRequests::new();
            requests.insert("name".to_owned(), InputRequest::Elicitation(ElicitRequest::new(params)));
            InputRequiredResult::new(Some(requests), Some("st\"ate".into())).into()
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().unwrap_or_else(|| "stdio".to_owned());
    if mode == "stdio" {
        Peer.serve(stdio()).await?.waiting().await?;
        return Ok(());
    }
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(mode == "http")
        .with_json_response(mode == "json");
    let service: StreamableHttpService<Peer, LocalSessionManager> =
        StreamableHttpService::new(|| Ok(Peer), Arc::default(), config);
    let port = arguments.next().unwrap_or_else(|| "0".to_owned());
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
