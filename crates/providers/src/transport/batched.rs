//! Requests that a batch answers (docs/reference/batches.md).

use hyper::http;
use reqwest::{Response, ResponseBuilderExt};
use serde_json::value::RawValue;

use super::{
    attempt::{AttemptFailure, Prepared, first_shown, opened, refused},
    model::HttpModel,
    response_stream::ResponseStream,
    retry,
};
use crate::{
    ProviderError,
    batch::{BatchAnswer, BatchRequest, BatchService, Dispatch, Gate},
};
use lmthing_base::chat::RequestPlace;

/// Asks for the answer: through the gate if there is one, else at once.
pub(super) async fn answer<'a>(
    model: &'a HttpModel,
    prepared: &Prepared,
    place: RequestPlace,
) -> Result<ResponseStream<'a>, ProviderError> {
    let Some(gate) = &model.context.batches else { return retry::run(model, prepared).await };
    loop {
        let changes = prepared.body.borrow().changes;
        let answer = match gate.ask(request(model, prepared, &place, gate)?).await {
            Dispatch::Answered(answer) => answer,
            Dispatch::Send => return retry::run(model, prepared).await,
            Dispatch::Failed(error) => return Err(error),
        };
        match read(model, prepared, &answer).await {
            Ok(stream) => return Ok(stream),
            // The request is asked again without the parameters that were refused.
            Err(_) if prepared.body.borrow().changes > changes => {}
            Err(failure) => return Err(failure.error),
        }
    }
}

fn request(
    model: &HttpModel,
    prepared: &Prepared,
    place: &RequestPlace,
    gate: &Gate,
) -> Result<BatchRequest, ProviderError> {
    let service = BatchService::of(model).ok_or_else(|| crate::batch::no_batches(&model.provider, &model.model_id))?;
    let body = prepared.body.borrow().without_stream();
    let body = RawValue::from_string(body).expect("the body of a request is JSON");
    let (headers, secret_headers) = prepared.headers_and_secrets();
    let mut settings = model.settings.clone();
    settings.headers.extend(secret_headers);
    settings.secret_query.clone_from(&prepared.secret_query);
    Ok(BatchRequest {
        target: service.target(model, &prepared.path, headers),
        model_id: model.model_id.clone(),
        body,
        place: gate.numbered(place),
        settings,
    })
}

/// Reads the answer as if the server had sent it to the request.
async fn read<'a>(
    model: &'a HttpModel,
    prepared: &Prepared,
    answer: &BatchAnswer,
) -> Result<ResponseStream<'a>, AttemptFailure> {
    let is_answer = (200..300).contains(&answer.status);
    let events = || model.wire.whole_answer(answer.body.get()).unwrap_or_default();
    let (content_type, body) = match is_answer {
        true => ("text/event-stream", events().iter().map(|event| sse(event)).collect()),
        false => ("application/json", answer.body.get().to_owned()),
    };
    let response = http::Response::builder()
        .status(answer.status)
        .header(http::header::CONTENT_TYPE, content_type)
        .url(prepared.url.clone())
        .body(body)
        .map(Response::from)
        .map_err(|error| prepared.unreadable(&error.to_string()))?;
    match is_answer {
        true => {
            let answer = opened(model, response, prepared, prepared.errors.clone()).await?;
            first_shown(answer.of_batch()).await
        }
        false => Err(refused(model, response, prepared, &prepared.errors).await),
    }
}

/// Line breaks are white space in JSON, and would end the event.
fn sse(event: &str) -> String {
    format!("data: {}\n\n", event.replace(['\n', '\r'], " "))
}
