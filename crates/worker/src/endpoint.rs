//! The Restate SDK endpoint: passes every invocation to the handler, with the stream and the trace of its request.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::{
    Request, Response,
    body::{Body, Frame, SizeHint},
};
use restate_sdk::{
    endpoint::{ContextInternal, Endpoint, Error, HandleOptions, ProtocolMode, ResponseBody},
    errors::{HandlerError, TerminalError},
    service::{
        self,
        macro_support::{ServiceBoxFuture, service_definition},
    },
};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{
    counters::InvocationCounters,
    invocation::failed,
    invocation_stream::{BoxError, InvocationStream},
    log::Log,
    manifest::manifest,
    request_signatures,
    service::{Handler, Invocation, InvocationError, InvocationHandler, Service},
};
use lmthing_base::diagnostic::{Diagnostic, json_kind};

tokio::task_local! {
    /// Request of the invocation that is polled. The SDK polls invocations within their response body.
    static REQUEST_INFO: RequestInfo;
}

#[derive(Clone)]
struct RequestInfo {
    stream: InvocationStream,
    trace_parent: Option<String>,
}

#[derive(Clone)]
pub(super) struct SharedState {
    pub(super) invocation_handler: Arc<dyn InvocationHandler>,
    pub(super) counters: InvocationCounters,
    pub(super) log: Log,
}

#[derive(Clone)]
pub(super) struct Services(Endpoint);

impl Services {
    /// Serves requests that are signed with one of `keys`; all requests if there are none.
    pub(super) fn new(
        services: &[Arc<Service>],
        events_schema: &str,
        keys: &[String],
        shared: &SharedState,
    ) -> Result<Self, Box<Diagnostic>> {
        let mut builder = Endpoint::builder();
        for service in services {
            let mut problems = Vec::new();
            let manifest = manifest(service, events_schema, &mut problems)?;
            let log = shared.log.with("service", service.name.as_str());
            problems.iter().for_each(|problem| log.warn(problem, &[]));
            let dispatcher = Dispatcher { service: service.clone(), shared: SharedState { log, ..shared.clone() } };
            builder = builder.bind(service_definition(dispatcher, manifest));
        }
        if !keys.is_empty() {
            request_signatures::install();
        }
        for key in keys {
            builder = builder.identity_key(key).map_err(|error| Diagnostic::new(format!("{key}: {error}")))?;
        }
        Ok(Services(builder.build()))
    }

    /// Answers a request over a connection in which both sides can send at the same time.
    pub(super) fn answer<B>(&self, request: Request<B>) -> Response<InvocationResponse>
    where
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        let trace_parent = request.headers().get("traceparent").and_then(|parent| parent.to_str().ok());
        let trace_parent = trace_parent.map(str::to_owned);
        let (head, body) = request.into_parts();
        let info = RequestInfo { stream: InvocationStream::new(body), trace_parent };
        let request = Request::from_parts(head, info.stream.body());
        let protocol_mode = ProtocolMode::BidiStream;
        let response = self.0.handle_with_options(request, HandleOptions { protocol_mode });
        response.map(|body| InvocationResponse { body: Box::pin(body), info })
    }
}

/// Response body; polling it drives the invocation.
pub(super) struct InvocationResponse {
    body: Pin<Box<ResponseBody>>,
    info: RequestInfo,
}

impl Body for InvocationResponse {
    type Data = Bytes;
    type Error = <ResponseBody as Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let info = self.info.clone();
        let body = self.body.as_mut();
        REQUEST_INFO.sync_scope(info, || body.poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[derive(Clone)]
struct Dispatcher {
    service: Arc<Service>,
    shared: SharedState,
}

impl service::Service for Dispatcher {
    type Future = ServiceBoxFuture;

    fn handle(&self, context: ContextInternal) -> Self::Future {
        // Called while the response is polled.
        let info = REQUEST_INFO.try_with(RequestInfo::clone).ok();
        let dispatcher = self.clone();
        Box::pin(async move {
            let handler = Handler::ALL.into_iter().find(|handler| handler.name() == context.handler_name());
            let (Some(handler), Some(info)) = (handler, info) else {
                return Err(Error::unknown_handler(context.service_name(), context.handler_name()));
            };
            let answered = dispatcher.answer(handler, info, context.clone()).await;
            let answered = answered.map(|value| value.to_string().into_bytes());
            context.handle_handler_result(answered.map_err(HandlerError::from));
            context.end();
            Ok(())
        })
    }
}

impl Dispatcher {
    fn answer(
        self,
        handler: Handler,
        info: RequestInfo,
        context: ContextInternal,
    ) -> impl Future<Output = Result<Value, InvocationError>> + Send {
        let open_invocation = self.shared.counters.open();
        async move {
            let (input, metadata) = context.input::<Bytes>().await;
            let input = match read_input(&self.service, &input) {
                Ok(input) => input,
                Err(problem) => {
                    self.shared.counters.ended(false);
                    return match handler {
                        Handler::Run => Err(TerminalError::new_with_code(400, problem.to_string()).into()),
                        Handler::Report => Ok(failed(&[], "usage", &problem.to_string())),
                    };
                }
            };
            let log = self.shared.log.with("invocation", metadata.invocation_id.as_str());
            let invocation = Invocation {
                service: self.service,
                handler,
                input,
                context,
                id: metadata.invocation_id,
                trace_parent: info.trace_parent,
                stream: info.stream,
                log,
                open_invocation,
            };
            let answered = self.shared.invocation_handler.invoke(invocation).await;
            match &answered {
                Ok(value) => self.shared.counters.ended(handler == Handler::Run || value["ok"] != false),
                Err(InvocationError::Failed(_)) => self.shared.counters.ended(false),
                // Does not end the invocation.
                Err(InvocationError::Released(_)) => {}
            }
            answered
        }
    }
}

#[derive(Debug, Error)]
enum InvalidInput {
    #[error("the input is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the input of {service} is an object, got {kind}")]
    NoObject { service: String, kind: &'static str },
    #[error("{service} takes no input, got {}", .given.join(", "))]
    Unexpected { service: String, given: Vec<String> },
}

fn read_input(service: &Service, input: &[u8]) -> Result<Map<String, Value>, InvalidInput> {
    if input.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    let input: Value = serde_json::from_slice(input)?;
    let input = match input {
        Value::Null => Map::new(),
        Value::Object(input) => input,
        other => {
            return Err(InvalidInput::NoObject { service: service.name.clone(), kind: json_kind(&other) });
        }
    };
    if service.input.is_none() && !input.is_empty() {
        let given = input.keys().cloned().collect();
        return Err(InvalidInput::Unexpected { service: service.name.clone(), given });
    }
    Ok(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_an_object_or_nothing() {
        let of = |has_input: bool, text: &str| {
            let input = has_input.then(Map::new);
            let service = Service { name: "w".to_owned(), path: "/w".into(), description: None, input, output: None };
            let read = read_input(&service, text.as_bytes());
            read.map(|input| Value::Object(input).to_string()).map_err(|error| error.to_string())
        };
        for (has_input, text, read) in [
            (true, "", Ok("{}")),
            (true, " \n", Ok("{}")),
            (true, "null", Ok("{}")),
            (false, "{}", Ok("{}")),
            (true, r#"{"a":1}"#, Ok(r#"{"a":1}"#)),
            (false, r#"{"a":1,"b":2}"#, Err("w takes no input, got a, b")),
            (true, "[1]", Err("the input of w is an object, got an array")),
            (true, "{a", Err("the input is no JSON: key must be a string at line 1 column 2")),
        ] {
            let read = read.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(of(has_input, text), read, "{text}");
        }
    }
}
