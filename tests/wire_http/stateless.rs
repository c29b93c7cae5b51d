//! Revision 2026-07-28, which has no sessions.

use super::*;

fn stateless() -> ClientInfo {
    ClientInfo { protocol: "2026-07-28".to_owned(), ..ClientInfo::default() }
}

#[tokio::test]
async fn the_revision_without_sessions_names_what_it_asks_in_headers() {
    let server = Server::start(|request| {
        let result = match request.what() {
            "server/discover" => r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#,
            "tools/list" => {
                r#"{"tools":[{"name":"echo","inputSchema":{"properties":{"text":{"x-mcp-header":"Text"},"deep":{"properties":{"n":{"x-mcp-header":"N"}}}}}}],"nextCursor":""}"#
            }
            _ => RESULT,
        };
        json(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.body["id"]))
    })
    .await;
    let mut session = Session::start(&target(&server), &stateless(), &limits()).await.expect("a session");
    // An empty cursor is one like any other here, so the list goes on until it is stuck.
    let listing = session.list_tools().await.expect("a list");
    assert_eq!((listing.end, listing.pages.len()), (mcp_regress::wire::ListingEnd::Stuck, 3));
    let arguments = serde_json::json!({"text": "caf\u{e9}", "deep": {"n": 4}});
    let reply = session.call("echo", arguments.as_object().expect("an object")).await;
    assert_eq!(word(&reply.outcome), OK);
    session.close().await;

    for what in ["GET", "DELETE", "initialize", "notifications/initialized"] {
        assert!(server.seen(what).is_empty(), "{what}");
    }
    let call = &server.seen("tools/call")[0];
    assert_eq!((call.header("mcp-protocol-version"), call.header("mcp-session-id")), ("2026-07-28", ""));
    assert_eq!((call.header("mcp-method"), call.header("mcp-name")), ("tools/call", "echo"));
    assert_eq!((call.header("mcp-param-text"), call.header("mcp-param-n")), ("=?base64?Y2Fmw6k=?=", "4"));
    assert_eq!(call.body["params"]["arguments"], arguments);
    for what in ["server/discover", "tools/list", "tools/call"] {
        let request = &server.seen(what)[0];
        assert_eq!(request.header("mcp-method"), what);
        assert_eq!(request.header("mcp-protocol-version"), "2026-07-28", "{what}");
        let meta = &request.body["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28", "{what}");
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], serde_json::json!({}), "{what}");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "mcp-regress", "{what}");
    }
}

#[tokio::test]
async fn a_server_that_asks_for_input_is_refused_in_the_end() {
    let too_often = "error -32601 the server asked for input more than 10 times";
    for (requests, expected, calls) in [
        (r#"{"k":{"method":"roots/list"}}"#, "error -32601 this client does not offer roots/list", 1),
        (r#"{"k":{"method":"elicitation/create"}}"#, too_often, 11),
        ("{}", too_often, 11),
    ] {
        let server = Server::start(move |request| {
            let result = match request.what() {
                "tools/call" => {
                    format!(
                        r#"{{"resultType":"input_required","requestState":"s","inputRequests":{requests}}}"#
                    )
                }
                _ => r#"{"supportedVersions":["2026-07-28"]}"#.to_owned(),
            };
            json(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.body["id"]))
        })
        .await;
        let mut session = Session::start(&target(&server), &stateless(), &limits()).await.expect("a session");
        assert_eq!(word(&call(&mut session, "hi").await.outcome), expected);
        let sent = server.seen("tools/call");
        assert_eq!(sent.len(), calls);
        assert!(sent[1..].iter().all(|again| again.body["params"]["requestState"] == "s"));
    }
}

#[tokio::test]
async fn a_server_of_another_revision_is_named() {
    for (answer, expected) in [
        (r#""error":{"code":-32601,"message":"Method not found"}"#, "leave `protocol` at its default"),
        (
            r#""result":{"supportedVersions":["2025-11-25"]}"#,
            r#"expected `2026-07-28` in `supportedVersions`, found `["2025-11-25"]`"#,
        ),
        (r#""result":{}"#, "the result of `server/discover` can't be used: expected `supportedVersions`"),
    ] {
        let server = Server::start(move |request| {
            json(&format!(r#"{{"jsonrpc":"2.0","id":{},{answer}}}"#, request.body["id"]))
        })
        .await;
        let error = Session::start(&target(&server), &stateless(), &limits()).await.expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}");
    }
}
