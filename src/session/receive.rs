//! Reading a model's answer: parts are recorded as they arrive, tool calls start at once, code of methods runs in place
//! (docs/reference.md, "Steps", "Methods in text"). Must not know how a tool or code is run.

use std::rc::Rc;

use futures_util::StreamExt;

use super::{
    admission::Admission,
    answer::Answer,
    kept::{Keeper, WholeAnswer},
    tools::ToolCalls,
};
use crate::{
    chat::{ContentPart, FinishReason, Message, ModelRequest, StreamPart, ToolResult, ToolSpec, Usage},
    event::EventKind,
    plugin::text_methods::{CodeBlockSplitter, TextSegment},
    prompt::{MethodAnswer, PromptHost, RunError, StepPlan},
    provider::{LanguageModel, ModelResponse, PartStream, ProviderError, ProviderErrorKind},
};

/// Whether the answer goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// There may be more to come.
    GoesOn,
    /// What follows is not read.
    Ends,
}

/// What came of a request.
pub(super) struct Received {
    pub(super) answer: Answer,
    /// What the model said.
    pub(super) message: Option<Rc<Message>>,
    /// What the answer cost in US dollars, if that is known.
    pub(super) cost: Option<f64>,
    /// In call order.
    pub(super) tool_results: Vec<ToolResult>,
}

/// What is asked.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The number of the step.
    pub(super) number: usize,
    pub(super) plan: &'a StepPlan,
    /// The tools that the model was told of, if it was.
    pub(super) tools: Option<&'a Rc<[ToolSpec]>>,
    /// Writes the answer down.
    pub(super) keeper: Keeper<'a>,
}

/// Reads the answer while the tool calls it has made so far are already running.
pub(super) async fn receive(
    host: &dyn PromptHost,
    model: &dyn LanguageModel,
    request: ModelRequest,
    asked: Asked<'_>,
    admission: Admission,
) -> Result<Received, RunError> {
    let Asked { number: step, plan, tools, keeper } = asked;
    let watcher = (!plan.active.methods.is_empty()).then(CodeBlockSplitter::default);
    let answering = ask(model, request, &admission).await?;
    let (mut stream, turn) = (answering.parts, answering.turn);
    let mut receiver = Receiver {
        host,
        plan,
        admission: &admission,
        answer: Answer::of(answering.provider, answering.model_id),
        calls: ToolCalls::new(host, plan, keeper),
        watcher,
        block: String::new(),
    };
    receiver.read(&mut stream).await?;
    // The rest of an answer that was ended here is not waited for: this closes the connection.
    drop(stream);
    admission.make_way();
    receiver.release_text()?;
    // Before the tools are through: agents among them have the rest.
    let cost = admission.settle();
    let message = receiver.answer.take_message().map(Rc::new);
    let answer = &receiver.answer;
    keeper.answered(&WholeAnswer { step, plan, tools, answer, message: message.as_ref(), cost, turn })?;
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

/// Sends the request.
async fn ask<'a>(
    model: &'a dyn LanguageModel,
    request: ModelRequest,
    admission: &Admission,
) -> Result<ModelResponse<'a>, RunError> {
    admission.goes_out();
    let answering = tokio::select! {
        biased;
        () = admission.reached() => return Err(admission.end()),
        answering = model.answer(request) => answering.inspect_err(|_| admission.failed())?,
    };
    admission.answered_by(answering.provider, answering.model_id);
    Ok(answering)
}

/// The host is told of the end of waiting also when the run is broken off.
pub(super) struct WaitingForTools<'a>(&'a dyn PromptHost);

impl<'a> WaitingForTools<'a> {
    pub(super) fn of(host: &'a dyn PromptHost) -> Self {
        host.waits_for_tools(true);
        WaitingForTools(host)
    }
}

impl Drop for WaitingForTools<'_> {
    fn drop(&mut self) {
        self.0.waits_for_tools(false);
    }
}

struct Receiver<'a> {
    host: &'a dyn PromptHost,
    plan: &'a StepPlan,
    admission: &'a Admission,
    answer: Answer,
    calls: ToolCalls<'a>,
    /// Looks for code in the text, when methods are defined.
    watcher: Option<CodeBlockSplitter>,
    /// The id of the text block under way.
    block: String,
}

impl Receiver<'_> {
    /// Reads the answer to its end, or as far as it is read.
    async fn read(&mut self, stream: &mut PartStream<'_>) -> Result<(), RunError> {
        loop {
            let part = tokio::select! {
                // Parts first: a tool call that is at hand should not wait for the results of others.
                biased;
                () = self.admission.reached() => return Err(self.ended()),
                part = stream.next() => part,
                answered = self.calls.one_answered() => {
                    answered?;
                    continue;
                }
            };
            let Some(part) = part else { return Ok(()) };
            let part = match part {
                Ok(part) => part,
                Err(error) => {
                    // Text that might have been the beginning of a tag was streamed all the same.
                    self.release_text()?;
                    return Err(self.broken_off(error));
                }
            };
            if self.take(part).await? == Flow::Ends {
                return Ok(());
            }
        }
    }

    async fn take(&mut self, part: StreamPart) -> Result<Flow, RunError> {
        if self.admission.heard(&part).is_err() {
            return Err(self.ended());
        }
        if self.watcher.is_none() {
            self.emit(part)?;
            return Ok(Flow::GoesOn);
        }
        match part {
            StreamPart::TextDelta { id, delta, provider_metadata } => {
                // A tag cannot begin in one block and end in another.
                if self.block != id {
                    self.release_text()?;
                    self.block = id;
                }
                if provider_metadata.is_some() {
                    // A signature belongs to its block, wherever the text around it is cut.
                    let id = self.block.clone();
                    self.emit(StreamPart::TextDelta { id, delta: String::new(), provider_metadata })?;
                }
                self.watched(&delta).await
            }
            part => {
                self.release_text()?;
                self.emit(part)?;
                Ok(Flow::GoesOn)
            }
        }
    }

    /// Shows plain text, and what the code of complete blocks returned in their place.
    async fn watched(&mut self, delta: &str) -> Result<Flow, RunError> {
        let pieces = self.watcher.as_mut().map(|watcher| watcher.push(delta)).unwrap_or_default();
        for piece in pieces {
            let code = match piece {
                TextSegment::Text(text) => {
                    self.emit_text(text)?;
                    continue;
                }
                TextSegment::Code(code) => code,
            };
            // Agents that the code calls have requests of their own.
            self.admission.make_way();
            let answer = match self.host.run_method_code(&code, self.plan).await {
                MethodAnswer::Value(None) => continue,
                MethodAnswer::Value(Some(serde_json::Value::String(text))) => response(&text),
                MethodAnswer::Value(Some(value)) => response(&value.to_string()),
                MethodAnswer::Error(message) => format!("<code_error>{message}</code_error>"),
            };
            self.emit_text(answer)?;
            self.end()?;
            return Ok(Flow::Ends);
        }
        Ok(Flow::GoesOn)
    }

    /// Ends the answer in the model's place: what it goes on to say is not asked for.
    fn end(&mut self) -> Result<(), RunError> {
        // Text behind the block stays unseen: nothing of it is to be released.
        self.watcher = None;
        self.emit(StreamPart::TextEnd { id: self.block.clone(), provider_metadata: None })?;
        self.emit(StreamPart::Finish {
            finish_reason: FinishReason::Stop,
            usage: Usage::default(),
            provider_metadata: None,
        })
    }

    /// Text that was held back because it might have been a tag.
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
            return Err(self.broken_off(error));
        }
        if let Some(call) = self.answer.take(&part) {
            self.calls.take(call);
        }
        Ok(())
    }

    /// The end of the run in the middle of an answer.
    fn ended(&mut self) -> RunError {
        self.keep_what_was_said();
        self.admission.end()
    }

    fn broken_off(&mut self, error: ProviderError) -> RunError {
        self.admission.failed();
        self.keep_what_was_said();
        RunError::Provider(error)
    }

    /// Keeps what the model had said in the history before the run ends.
    fn keep_what_was_said(&mut self) {
        let said = self.answer.take_message().map(|message| {
            // A call without a result is refused by every provider, should the conversation go on.
            let parts = message.content_parts().iter();
            let kept = parts.filter(|part| !matches!(part, ContentPart::ToolCall { .. })).cloned().collect();
            Message::parts(message.role, kept)
        });
        let said = said.filter(|message| !message.content_parts().is_empty());
        self.host.prompt().borrow_mut().finish_step(said.into_iter().map(Rc::new).collect());
    }
}

fn response(text: &str) -> String {
    format!("<code_response>{text}</code_response>")
}

/// An error part as an error of the model.
fn reported_error(answer: &Answer, error: &serde_json::Value) -> ProviderError {
    let text = error.as_str().or_else(|| error.get("message").and_then(serde_json::Value::as_str));
    let message = text.map_or_else(|| error.to_string(), str::to_owned);
    ProviderError::new(ProviderErrorKind::Stream, &answer.provider, &answer.model_id, message)
}
