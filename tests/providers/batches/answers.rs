//! What is done with requests and their answers.

use lmthing_base::chat::FinishReason;
use lmthing_providers::{BatchAnswer, Dispatch, FallbackModel, ProviderErrorKind, resolve};
use serde_json::{json, value::RawValue};

use super::{Setup, answered, gate, read};
use crate::{
    steps::ask,
    support::batches::{BatchServer, DIALECTS, Dialect, Reply},
};
use lmthing_base::chat::CallSettings;

fn answer(status: u16, body: &serde_json::Value) -> Dispatch {
    Dispatch::Answered(BatchAnswer { status, body: RawValue::from_string(body.to_string()).unwrap() })
}

#[tokio::test]
async fn calls_of_tools_and_usage_are_those_of_a_stream() {
    for dialect in DIALECTS {
        let server = BatchServer::with(dialect, |asked| match asked.text.as_str() {
            "call" => Reply::Call("tide".to_owned(), json!({ "port": "Marstal" })),
            text => Reply::Text(text.to_owned()),
        });
        let setup = Setup::new(server);
        let results = setup.batch(&["call"]).await.run().await;
        let of_batch = read(&setup, answered(&results["row-0"])).await;
        let at_once = setup.ask(&gate(|_| Some(Dispatch::Send)), "call").await;
        for answer in [&of_batch, &at_once] {
            let (_, name, input) = &answer.calls[0];
            let input: serde_json::Value = serde_json::from_str(input).unwrap();
            assert_eq!((name.as_str(), input), ("tide", json!({ "port": "Marstal" })), "{dialect:?}");
            assert_eq!(answer.finish.map(|(reason, _)| reason), Some(FinishReason::ToolCalls), "{dialect:?}");
        }
        assert_eq!(of_batch.finish, at_once.finish, "{dialect:?}");
        assert_eq!(of_batch.finish.unwrap().1.input_tokens, Some(100), "{dialect:?}");
    }
}

#[tokio::test]
async fn a_refused_parameter_is_left_out_of_the_next_request() {
    let setup = Setup::new(BatchServer::start(Dialect::Groq));
    let refusal = json!({ "error": {
        "message": "Unsupported parameter: 'temperature' is not supported with this model.", "param": "temperature",
        "code": "unsupported_parameter", "type": "invalid_request_error",
    } });
    let whole = json!({ "id": "c", "choices": [{ "message": { "content": "fine" }, "finish_reason": "stop" }] });
    let gate = gate(move |request| {
        Some(if request.body.get().contains("temperature") { answer(400, &refusal) } else { answer(200, &whole) })
    });
    let settings = CallSettings { temperature: Some(0.5), ..CallSettings::default() };
    let answer = ask(setup.model(&gate).as_ref(), super::request("hi", settings)).await;
    assert_eq!(answer.text, "fine");
    let places: Vec<usize> = gate.asked.borrow().iter().map(|request| request.place.number).collect();
    assert_eq!(places, [0, 1]);
}

#[tokio::test]
async fn a_list_of_models_goes_on_in_the_next_batch() {
    let setup = Setup::new(BatchServer::start(Dialect::Groq));
    let whole = json!({ "id": "c", "choices": [{ "message": { "content": "second" }, "finish_reason": "stop" }] });
    let refusal = json!({ "error": { "message": "The model is gone." } });
    let gate = gate(move |request| match request.place.number {
        0 => Some(answer(404, &refusal)),
        _ => Some(answer(200, &whole)),
    });
    let context = setup.context.clone().with_batches(gate.clone());
    let models = ["groq:first", "groq:second"].map(|name| resolve(name, &context).unwrap());
    let list = FallbackModel::of(models.to_vec(), &context).unwrap();
    let answer = ask(list.as_ref(), super::request("hi", CallSettings::default())).await;
    assert_eq!(answer.text, "second");
    let asked: Vec<(String, usize)> =
        gate.asked.borrow().iter().map(|request| (request.model_id.clone(), request.place.number)).collect();
    assert_eq!(asked, [("first".to_owned(), 0), ("second".to_owned(), 1)]);
}

#[tokio::test]
async fn a_provider_without_batches_is_refused_with_a_list_of_those_that_have_them() {
    let setup = Setup::new(BatchServer::start(Dialect::OpenAi));
    let gate = gate(|_| None);
    let context = setup.context.clone().with_batches(gate.clone());
    let model = |name: &str| resolve(name, &context).unwrap();
    for name in ["openai:m", "anthropic:m", "google:m", "mistral:m", "groq:m"] {
        assert_eq!(model(name).batch_refusal(), None, "{name}");
    }
    for name in ["cohere:m", "bedrock:m", "deepseek:m", "ollama:m"] {
        let error = model(name).batch_refusal().unwrap();
        assert_eq!(error.message, format!("{name} has no batches"));
        let names = "These providers have batches: openai, azure, anthropic, google, mistral, groq.";
        assert_eq!(error.hint.as_deref(), Some(names));
    }
    let list = FallbackModel::of(vec![model("openai:m"), model("cohere:m")], &context).unwrap();
    assert_eq!(list.batch_refusal().map(|error| error.message).as_deref(), Some("cohere:m has no batches"));
    let answer = ask(model("ollama:m").as_ref(), super::request("hi", CallSettings::default())).await;
    assert_eq!(answer.error.map(|error| error.kind), Some(ProviderErrorKind::Configuration));
    assert_eq!(gate.asked.borrow().len(), 0);
}
