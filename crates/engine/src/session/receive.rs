//! Reads a model's answer: emits its parts, starts tool calls at once, and runs code of methods in place
//! (docs/reference/steps.md and docs/reference/code-mode.md).

use std::rc::Rc;

use futures_util::StreamExt;

use super::{
    admission::Admission,
    answer::Answer,
    run_log::{RunLog, WholeAnswer},
    tools::ToolCalls,
};
use crate::{
    plugin::text_methods::{CodeBlockSplitter, TextSegment},
    prompt::{MethodAnswer, PromptHost, RunError, StepPlan},
};
use lmthing_base::{
    chat::{ContentPart, FinishReason, Message, ModelRequest, StreamPart, ToolResult, ToolSpec, Usage},
    event::EventKind,
};
use lmthing_providers::{LanguageModel, ModelResponse, PartStream, ProviderError, ProviderErrorKind};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    /// The rest is not read.
    Stop,
}

pub(super) struct Received {
    pub(super) answer: Answer,
    pub(super) message: Option<Rc<Message>>,
    pub(super) cost: Option<f64>,
    pub(super) tool_results: Vec<ToolResult>,
}

#[derive(Clone, Copy)]
pub(super) struct StepRequest<'a> {
    pub(super) number: usize,
    pub(super) plan: &'a StepPlan,
    /// The tools in the request, if the model reads them.
    pub(super) tools: Option<&'a Rc<[ToolSpec]>>,
    pub(super) log: RunLog<'a>,
}

/// Reads the answer while its tool calls are already running.
pub(super) async fn receive(
    host: &dyn PromptHost,
    model: &dyn LanguageModel,
    request: ModelRequest,
    step_request: StepRequest<'_>,
    admission: Admission,
) -> Result<Received, RunError> {
    let StepRequest { number: step, plan, tools, log } = step_request;
    let watcher = (!plan.active.methods.is_empty()).then(CodeBlockSplitter::default);
    let answering = send(model, request, &admission).await?;
    let (mut stream, turn) = (answering.parts, answering.turn);
    let mut receiver = Receiver {
        host,
        plan,
        admission: &admission,
        answer: Answer::of(answering.provider, answering.model_id),
        calls: ToolCalls::new(host, plan, log),
        watcher,
        block: String::new(),
    };
    receiver.read(&mut stream).await?;
    // Closes the connection instead of waiting for the rest of an answer that was cut short.
    drop(stream);
    admission.release_permit();
    receiver.release_text()?;
    // Before the tools end, so that agents among them can use what is left.
    let cost = admission.settle();
    let message = receiver.answer.take_message().map(Rc::new);
    let answer = &receiver.answer;
    log.record_answer(&WholeAnswer { step, plan, tools, answer, message: message.as_ref(), cost, turn }).await?;
    receiver.calls.start_held();
    let waiting = WaitingForTools::of(host);
    let tool_results = tokio::select! {
        biased;
        results = receiver.calls.finish() => results?,
        never = admission.end_when_used_up() => match never {},
    };
    drop(waiting);
    Ok(Received { answer: receiver.answer, message, cost, tool_results })
}

async fn send<'a>(
    model: &'a dyn LanguageModel,
    request: ModelRequest,
    admission: &Admission,
) -> Result<ModelResponse<'a>, RunError> {
    admission.mark_sent();
    let answering = tokio::select! {
        biased;
        () = admission.reached() => return Err(admission.end()),
        answering = model.answer(request) => answering.inspect_err(|_| admission.mark_failed())?,
    };
    admission.set_answerer(&answering);
    Ok(answering)
}

pub(super) struct WaitingForTools<'a>(&'a dyn PromptHost);

impl<'a> WaitingForTools<'a> {
    pub(super) fn of(host: &'a dyn PromptHost) -> Self {
        host.set_waiting_for_tools(true);
        WaitingForTools(host)
    }
}

impl Drop for WaitingForTools<'_> {
    fn drop(&mut self) {
        self.0.set_waiting_for_tools(false);
    }
}

struct Receiver<'a> {
    host: &'a dyn PromptHost,
    plan: &'a StepPlan,
    admission: &'a Admission,
    answer: Answer,
    calls: ToolCalls<'a>,
    /// Finds code in the text, if methods are defined.
    watcher: Option<CodeBlockSplitter>,
    block: String,
}

impl Receiver<'_> {
    async fn read(&mut self, stream: &mut PartStream<'_>) -> Result<(), RunError> {
        loop {
            let part = tokio::select! {
                // Parts first: a tool call that has arrived should not wait for the results of others.
                biased;
                () = self.admission.reached() => return Err(self.ended()),
                part = stream.next() => part,
                answered = self.calls.next_result() => {
                    answered?;
                    continue;
                }
            };
            let Some(part) = part else { return Ok(()) };
            let part = match part {
                Ok(part) => part,
                Err(error) => {
                    // Text that might have been the start of a tag is emitted.
                    self.release_text()?;
                    return Err(self.fail(error));
                }
            };
            if self.take(part).await? == Flow::Stop {
                return Ok(());
            }
        }
    }

    async fn take(&mut self, part: StreamPart) -> Result<Flow, RunError> {
        if self.admission.add_part(&part).is_err() {
            return Err(self.ended());
        }
        if self.watcher.is_none() {
            self.emit(part)?;
            return Ok(Flow::Continue);
        }
        match part {
            StreamPart::TextDelta { id, delta, provider_metadata } => {
                // A tag does not span blocks.
                if self.block != id {
                    self.release_text()?;
                    self.block = id;
                }
                if provider_metadata.is_some() {
                    // A signature belongs to its block, wherever the text is split.
                    let id = self.block.clone();
                    self.emit(StreamPart::TextDelta { id, delta: String::new(), provider_metadata })?;
                }
                self.emit_watched(&delta).await
            }
            part => {
                self.release_text()?;
                self.emit(part)?;
                Ok(Flow::Continue)
            }
        }
    }

    /// Emits plain text, and in place of complete code blocks their results.
    async fn emit_watched(&mut self, delta: &str) -> Result<Flow, RunError> {
        let pieces = self.watcher.as_mut().map(|watcher| watcher.push(delta)).unwrap_or_default();
        for piece in pieces {
            let code = match piece {
                TextSegment::Text(text) => {
                    self.emit_text(text)?;
                    continue;
                }
                TextSegment::Code(code) => code,
            };
            // Agents called by the code make requests of their own.
            self.admission.release_permit();
            let answer = match self.host.run_method_code(&code, self.plan).await {
                MethodAnswer::Value(None) => continue,
                MethodAnswer::Value(Some(serde_json::Value::String(text))) => response(&text),
                MethodAnswer::Value(Some(value)) => response(&value.to_string()),
                MethodAnswer::Error(message) => format!("<code_error>{message}</code_error>"),
            };
            self.emit_text(answer)?;
            self.end()?;
            return Ok(Flow::Stop);
        }
        Ok(Flow::Continue)
    }

    fn end(&mut self) -> Result<(), RunError> {
        // Text after the code block is dropped.
        self.watcher = None;
        self.emit(StreamPart::TextEnd { id: self.block.clone(), provider_metadata: None })?;
        self.emit(StreamPart::Finish {
            finish_reason: FinishReason::Stop,
            usage: Usage::default(),
            is_paused: false,
            provider_metadata: None,
        })
    }

    fn release_text(&mut self) -> Result<(), RunError> {
        match self.watcher.as_mut().and_then(CodeBlockSplitter::finish) {
            Some(text) => self.emit_text(text),
            None => Ok(()),
        }
    }

    fn emit_text(&mut self, delta: String) -> Result<(), RunError> {
        self.emit(StreamPart::TextDelta { id: self.block.clone(), delta, provider_metadata: None })
    }

    fn emit(&mut self, part: StreamPart) -> Result<(), RunError> {
        let part = Rc::new(part);
        self.host.record().append(EventKind::Stream(part.clone()));
        if let StreamPart::Error { error } = &*part {
            let error = reported_error(&self.answer, error);
            return Err(self.fail(error));
        }
        if let Some(call) = self.answer.add(&part) {
            self.calls.add(call);
        }
        Ok(())
    }

    fn ended(&mut self) -> RunError {
        self.keep_partial_answer();
        self.admission.end()
    }

    fn fail(&mut self, error: ProviderError) -> RunError {
        self.admission.mark_failed();
        self.keep_partial_answer();
        RunError::Provider(error)
    }

    fn keep_partial_answer(&mut self) {
        let partial = self.answer.take_message().map(|message| {
            // Providers refuse a conversation with a call that has no result.
            let parts = message.content_parts().iter();
            let texts = parts.filter(|part| !matches!(part, ContentPart::ToolCall { .. })).cloned().collect();
            Message::parts(message.role, texts)
        });
        let partial = partial.filter(|message| !message.content_parts().is_empty());
        self.host.prompt().borrow_mut().finish_step(partial.into_iter().map(Rc::new).collect());
    }
}

fn response(text: &str) -> String {
    format!("<code_response>{text}</code_response>")
}

fn reported_error(answer: &Answer, error: &serde_json::Value) -> ProviderError {
    let text = error.as_str().or_else(|| error.get("message").and_then(serde_json::Value::as_str));
    let message = text.map_or_else(|| error.to_string(), str::to_owned);
    ProviderError::new(ProviderErrorKind::Stream, &answer.provider, &answer.model_id, message)
}
