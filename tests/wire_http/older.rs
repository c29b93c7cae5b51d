//! The transport of revision 2024-11-05: one event stream, and a place to post to.

use super::*;

/// A server of the older transport: what `on_post` gives goes as events into the one stream.
async fn serve_sse(
    endpoint: &'static str,
    on_post: impl Fn(&Request) -> String + Send + Sync + 'static,
) -> Server {
    let stream: Mutex<Option<UnboundedSender<String>>> = Mutex::default();
    Server::start(move |request| {
        if request.what() == "GET" {
            let (sender, receiver) = unbounded_channel();
            *stream.lock().expect("no panic") = Some(sender);
            let mut parts = events(&[&format!(": hello\n\nevent: endpoint\ndata: {endpoint}\n\n")], true);
            parts.pop();
            parts.push(Part::Feed(receiver));
            return parts;
        }
        let answer = match request.what() {
            "initialize" => hello(request),
            _ => on_post(request),
        };
        let mut stream = stream.lock().expect("no panic");
        match answer.as_str() {
            "" => {}
            "end" => *stream = None,
            status if status.parse::<u16>().is_ok() => {
                return plain(status.parse().expect("a number"), &[], "no");
            }
            message => {
                let sender = stream.as_ref().expect("an open stream");
                sender.send(format!("event: message\ndata: {message}\n\n")).expect("a reader");
            }
        }
        plain(202, &[], "Accepted")
    })
    .await
}

fn sse(server: &Server) -> Target {
    Target::Sse {
        launch: None,
        url: server.url.clone(),
        headers: vec![("Authorization".to_owned(), "t".to_owned())],
    }
}

#[tokio::test]
async fn the_older_transport_is_spoken() {
    for (answer, expected, goes_on) in [
        ("reply", OK, true),
        ("500", "refused http_status: status 500: `no`", true),
        ("401", "infrastructure http_unauthorized: ", true),
        ("end", "crashed connection_cut: the connection was cut between events: the stream ended", false),
        ("", "timeout", true),
    ] {
        let server = serve_sse("/post?session=1", move |request| match (request.what(), answer) {
            ("tools/call", "reply") => reply(request),
            ("tools/call", _) => answer.to_owned(),
            ("notifications/initialized", _) => r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#.to_owned(),
            _ => String::new(),
        })
        .await;
        let limits = if answer.is_empty() {
            Limits { call: Duration::from_millis(300), ..limits() }
        } else {
            limits()
        };
        let mut session =
            Session::start(&sse(&server), &ClientInfo::default(), &limits).await.expect("a session");
        let seen = word(&call(&mut session, "hi").await.outcome);
        assert!(seen.starts_with(expected), "{seen}");
        assert_eq!(session.is_alive(), goes_on, "{answer}");
        assert_eq!(session.close().await.counters.server_requests["ping"], 1, "{answer}");
        assert_eq!(server.seen("tools/call")[0].header("authorization"), "t");
        assert_eq!(server.seen("notifications/cancelled").len(), usize::from(answer.is_empty()));
        let pong = &server.seen("POST")[0];
        assert_eq!(String::from_utf8_lossy(&pong.bytes), r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
    }
}

#[tokio::test]
async fn a_start_over_the_older_transport_that_fails_says_why() {
    let elsewhere = serve_sse("http://else.where/post?secret", |_| String::new()).await;
    let not_found = Server::start(|_| plain(404, &[], "no page")).await;
    let no_stream = Server::start(|_| json("{}")).await;
    let ends = Server::start(|_| events(&[": hello\n\n"], true)).await;
    for (server, expected) in [
        (elsewhere, "the event `endpoint` leads to another server: `http://else.where/post`"),
        (not_found, "the answer to `GET` was status 404: `no page`; is the path right"),
        (no_stream, "expected the content type `text/event-stream`"),
        (ends, "the stream ended without a reply"),
    ] {
        let error =
            Session::start(&sse(&server), &ClientInfo::default(), &limits()).await.expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}");
    }
}
