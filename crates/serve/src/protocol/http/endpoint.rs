//! The HTTP endpoint: checks host, path and bearer token before the MCP service.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::{BodyExt, Collected, Full, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE},
};
use rmcp::{
    ErrorData, ServerHandler,
    transport::{StreamableHttpService, streamable_http_server::SessionManager},
};

use serde_json::json;

use super::{bearer_token::BearerToken, body_reader::BodyReader, host_check::HostCheck};

/// Prefix of rmcp's message about a body that is no valid message.
const UNREADABLE: &str = "fail to deserialize request body";

pub(super) type Answer = Response<BoxBody<Bytes, Infallible>>;

pub(super) struct Endpoint<S> {
    pub(super) path: &'static str,
    pub(super) host_check: HostCheck,
    pub(super) token: Option<BearerToken>,
    pub(super) body_reader: BodyReader,
    pub(super) service: S,
}

impl<H: ServerHandler, M: SessionManager> Endpoint<StreamableHttpService<H, M>> {
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Answer {
        if let Err((status, why)) = self.host_check.check(&request) {
            return text_response(status, &format!("{why}\n"));
        }
        if request.uri().path().trim_end_matches('/') != self.path {
            return text_response(
                StatusCode::NOT_FOUND,
                &format!("there is nothing here; the address ends in {}\n", self.path),
            );
        }
        let given = request.headers().get(AUTHORIZATION).map_or(&b""[..], HeaderValue::as_bytes);
        if self.token.as_ref().is_some_and(|token| !token.matches(given)) {
            let why = match given {
                [] => "this server takes a token: send the header Authorization: Bearer TOKEN\n",
                _ => "the token is not the one this server takes\n",
            };
            let mut answer = text_response(StatusCode::UNAUTHORIZED, why);
            answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"lmthing\""));
            return answer;
        }
        let ends_session = request.method() == Method::DELETE;
        let (head, body) = request.into_parts();
        // The permit is held until rmcp has parsed the body.
        let (body, _counted) = match self.body_reader.read(body).await {
            Ok(read) => read,
            Err((status, why)) => return text_response(status, &format!("{why}\n")),
        };
        let request = Request::from_parts(head, Full::new(body));
        let mut answer = with_parse_error(self.service.handle(request).await).await;
        if ends_session && answer.status() == StatusCode::ACCEPTED {
            // The session has ended already, and some clients treat 202 as a failure.
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        answer
    }
}

/// Converts rmcp's response to an invalid message, 415 with plain text, into a JSON-RPC parse error.
async fn with_parse_error(answer: Answer) -> Answer {
    if answer.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return answer;
    }
    let (head, body) = answer.into_parts();
    let body = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
    let Some(why) = str::from_utf8(&body).ok().and_then(|text| text.strip_prefix(UNREADABLE)) else {
        return Response::from_parts(head, Full::new(body).boxed());
    };
    let error = ErrorData::parse_error(format!("the message cannot be read: {}", why.trim()), None);
    let error = json!({ "jsonrpc": "2.0", "id": null, "error": error });
    let mut answer = text_response(StatusCode::BAD_REQUEST, &error.to_string());
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

fn text_response(status: StatusCode, text: &str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(text.to_owned())).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}
