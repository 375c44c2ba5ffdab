//! The services as the SDK has them: every invocation that it begins is handed over, with what has come along with its request.
//! Must not know connections, nor what an invocation does.

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

use super::{
    body::{BoxError, Stream},
    identity,
    invocation::failed,
    log::Log,
    manifest::manifest,
    seam::{Handler, Invocation, Invocations, Service},
    tally::Tally,
};
use crate::diagnostic::json_kind;

tokio::task_local! {
    /// What has come with the request whose invocation is polled: the SDK does so from within its answer.
    static ARRIVAL: Arrival;
}

/// What has come with a request, beside what the SDK makes of it.
#[derive(Clone)]
struct Arrival {
    stream: Stream,
    trace_parent: Option<String>,
}

/// What all services have in common.
#[derive(Clone)]
pub(super) struct Common {
    pub(super) invocations: Arc<dyn Invocations>,
    pub(super) tally: Tally,
    pub(super) log: Log,
}

/// Answers requests of Restate.
#[derive(Clone)]
pub(super) struct Services(Endpoint);

impl Services {
    /// Serves these to whoever signs with one of the keys, or to anybody, when there are none.
    ///
    /// # Errors
    /// A name or a key is none.
    pub(super) fn new(services: &[Arc<Service>], keys: &[String], common: &Common) -> Result<Self, String> {
        let mut builder = Endpoint::builder();
        for service in services {
            let mut problems = Vec::new();
            let manifest = manifest(service, &mut problems)?;
            let log = common.log.with("service", service.name.as_str());
            problems.iter().for_each(|problem| log.warn(problem, &[]));
            let dispatcher = Dispatcher { service: service.clone(), common: Common { log, ..common.clone() } };
            builder = builder.bind(service_definition(dispatcher, manifest));
        }
        if !keys.is_empty() {
            identity::install();
        }
        for key in keys {
            builder = builder.identity_key(key).map_err(|error| format!("{key}: {error}"))?;
        }
        Ok(Services(builder.build()))
    }

    /// Answers a request, from a connection on which both sides can send at the same time.
    pub(super) fn answer<B>(&self, request: Request<B>) -> Response<Answer>
    where
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        let trace_parent = request.headers().get("traceparent").and_then(|parent| parent.to_str().ok());
        let trace_parent = trace_parent.map(str::to_owned);
        let (head, body) = request.into_parts();
        let arrival = Arrival { stream: Stream::new(body), trace_parent };
        let request = Request::from_parts(head, arrival.stream.body());
        let protocol_mode = ProtocolMode::BidiStream;
        let response = self.0.handle_with_options(request, HandleOptions { protocol_mode });
        response.map(|body| Answer { body: Box::pin(body), arrival })
    }
}

/// An answer, from which the SDK drives the invocation.
pub(super) struct Answer {
    body: Pin<Box<ResponseBody>>,
    arrival: Arrival,
}

impl Body for Answer {
    type Data = Bytes;
    type Error = <ResponseBody as Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let arrival = self.arrival.clone();
        let body = self.body.as_mut();
        ARRIVAL.sync_scope(arrival, || body.poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Hands invocations of a service over.
#[derive(Clone)]
struct Dispatcher {
    service: Arc<Service>,
    common: Common,
}

impl service::Service for Dispatcher {
    type Future = ServiceBoxFuture;

    fn handle(&self, context: ContextInternal) -> Self::Future {
        // Called while the answer is polled.
        let arrival = ARRIVAL.try_with(Arrival::clone).ok();
        let dispatcher = self.clone();
        Box::pin(async move {
            let handler = Handler::ALL.into_iter().find(|handler| handler.name() == context.handler_name());
            let (Some(handler), Some(arrival)) = (handler, arrival) else {
                return Err(Error::unknown_handler(context.service_name(), context.handler_name()));
            };
            let answered = dispatcher.answer(handler, arrival, context.clone()).await;
            context.handle_handler_result(answered.map(|value| value.to_string().into_bytes()));
            context.end();
            Ok(())
        })
    }
}

impl Dispatcher {
    fn answer(
        self,
        handler: Handler,
        arrival: Arrival,
        context: ContextInternal,
    ) -> impl Future<Output = Result<Value, HandlerError>> + Send {
        let turn = self.common.tally.opened();
        async move {
            let (input, metadata) = context.input::<Bytes>().await;
            let input = match read_input(&self.service, &input) {
                Ok(input) => input,
                Err(problem) => {
                    self.common.tally.ended(false);
                    return match handler {
                        Handler::Run => Err(TerminalError::new_with_code(400, problem).into()),
                        Handler::Report => Ok(failed(&[], "usage", &problem)),
                    };
                }
            };
            let log = self.common.log.with("invocation", metadata.invocation_id.as_str());
            let invocation = Invocation {
                service: self.service,
                handler,
                input,
                context,
                id: metadata.invocation_id,
                trace_parent: arrival.trace_parent,
                stream: arrival.stream,
                log,
                turn,
            };
            let answered = self.common.invocations.invoke(invocation).await;
            match &answered {
                Ok(value) => self.common.tally.ended(handler == Handler::Run || value["ok"] != false),
                // What is tried again has not ended.
                Err(error) if is_terminal(error) => self.common.tally.ended(false),
                Err(_) => {}
            }
            answered
        }
    }
}

/// Whether an invocation has failed with it.
fn is_terminal(error: &HandlerError) -> bool {
    let error: &(dyn std::error::Error + Send + Sync) = error.as_ref();
    // The SDK keeps which of the two it is to itself, but not the words.
    !error.to_string().starts_with("Retryable error: ")
}

/// The input, as it was sent.
fn read_input(service: &Service, input: &[u8]) -> Result<Map<String, Value>, String> {
    if input.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    let input: Value = serde_json::from_slice(input).map_err(|error| format!("the input is no JSON: {error}"))?;
    let input = match input {
        Value::Null => Map::new(),
        Value::Object(input) => input,
        other => {
            let kind = json_kind(&other);
            return Err(format!("the input of {} is an object, got {kind}", service.name));
        }
    };
    if service.input.is_none() && !input.is_empty() {
        let given: Vec<&str> = input.keys().map(String::as_str).collect();
        return Err(format!("{} takes no input, got {}", service.name, given.join(", ")));
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
            read_input(&service, text.as_bytes()).map(|input| Value::Object(input).to_string())
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

    #[test]
    fn what_is_tried_again_has_not_failed() {
        assert!(!is_terminal(&HandlerError::from("given back")));
        assert!(is_terminal(&HandlerError::from(TerminalError::new("failed"))));
    }
}
