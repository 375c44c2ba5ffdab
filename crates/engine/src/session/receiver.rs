//! Reads a model's answer: emits its parts, starts tool calls at once, and runs code of methods in place
//! (docs/reference/steps.md and docs/reference/code-mode.md).

use std::{rc::Rc, time::Instant};

use futures_util::StreamExt;

use super::{
    admission::Admission,
    answer::Answer,
    arguments::ArgumentMender,
    run_log::RunLog,
    sources::{WaitingSources, move_cites},
    step_request::PausedTurn,
    tools::ToolCalls,
};
use crate::{
    plugin::text_methods::{CodeBlockSplitter, TextSegment},
    prompt::{MethodAnswer, PromptHost, RunError, StepPlan},
};
use lmthing_base::{
    chat::{ContentPart, FinishReason, Message, StreamPart, Usage},
    event::EventKind,
};
use lmthing_providers::{PartStream, ProviderError};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    /// The rest is not read.
    Stop,
}

/// How often a paused answer is sent back within a step.
const MAX_PAUSES: usize = 5;

pub(super) struct Receiver<'a> {
    host: &'a dyn PromptHost,
    plan: &'a StepPlan,
    pub(super) admission: Admission,
    pub(super) answer: Answer,
    /// Of all requests of the step.
    pub(super) cost: Option<f64>,
    /// How often the answer was paused.
    pauses: usize,
    earlier_usage: Usage,
    /// The length of the text before the last pause.
    earlier_text: usize,
    sources: WaitingSources,
    arguments: ArgumentMender,
    pub(super) calls: ToolCalls<'a>,
    /// When the calls of the provider began.
    provider_calls: Vec<(String, Instant)>,
    /// Finds code in the text, if methods are defined.
    watcher: Option<CodeBlockSplitter>,
    block: String,
    /// Whether the user has stopped the answer.
    pub(super) is_cut: bool,
}

impl<'a> Receiver<'a> {
    pub(super) fn new(host: &'a dyn PromptHost, plan: &'a StepPlan, log: RunLog<'a>, admission: Admission) -> Self {
        Receiver {
            host,
            plan,
            admission,
            answer: Answer::default(),
            arguments: ArgumentMender::default(),
            cost: Some(0.0),
            pauses: 0,
            earlier_usage: Usage::default(),
            earlier_text: 0,
            sources: WaitingSources::default(),
            calls: ToolCalls::new(host, plan, log),
            provider_calls: Vec::new(),
            watcher: (!plan.active.methods.is_empty()).then(CodeBlockSplitter::default),
            block: String::new(),
            is_cut: false,
        }
    }

    /// Ends the answer with what has arrived.
    pub(super) fn cut(&mut self) -> Result<(), RunError> {
        self.is_cut = true;
        self.release_text()?;
        self.release_sources(true)?;
        let (usage, cost) = self.admission.settle_early();
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum + cost);
        let usage = self.earlier_usage.plus(usage);
        let finish =
            StreamPart::Finish { finish_reason: FinishReason::Other, usage, is_paused: false, provider_metadata: None };
        self.append(finish)?;
        self.answer.cut(usage);
        self.calls.forget();
        Ok(())
    }

    pub(super) fn add_cost(&mut self) {
        self.cost = self.cost.zip(self.admission.settle()).map(|(sum, cost)| sum + cost);
    }

    pub(super) fn is_pausing(&self) -> bool {
        self.pauses < MAX_PAUSES && self.answer.can_continue()
    }

    /// Prepares for the rest of a paused answer.
    pub(super) fn pause(&mut self) -> PausedTurn {
        self.pauses += 1;
        self.answer.pause();
        self.earlier_usage = self.answer.usage;
        self.earlier_text = self.answer.text().len();
        let model = (self.answer.provider.clone(), self.answer.model_id.clone());
        PausedTurn { message: Rc::new(self.answer.message_so_far()), model }
    }

    pub(super) async fn read(&mut self, stream: &mut PartStream<'_>) -> Result<(), RunError> {
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
            let Some(part) = part else {
                let waiting = self.arguments.release(false);
                return self.take_all(waiting).await.map(drop);
            };
            let part = match part {
                Ok(part) => part,
                Err(error) => {
                    // Text that might have been the start of a tag is emitted.
                    self.release_text()?;
                    return Err(self.fail(error));
                }
            };
            let flow = if self.arguments.concerns(&part) {
                let parts = self.arguments.take(part);
                self.take_all(parts).await?
            } else {
                self.take(part).await?
            };
            if flow == Flow::Stop {
                return Ok(());
            }
        }
    }

    async fn take_all(&mut self, parts: Vec<StreamPart>) -> Result<Flow, RunError> {
        for part in parts {
            if self.take(part).await? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
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

    pub(super) fn release_text(&mut self) -> Result<(), RunError> {
        match self.watcher.as_mut().and_then(CodeBlockSplitter::finish) {
            Some(text) => self.emit_text(text),
            None => Ok(()),
        }
    }

    fn emit_text(&mut self, delta: String) -> Result<(), RunError> {
        self.emit(StreamPart::TextDelta { id: self.block.clone(), delta, provider_metadata: None })
    }

    fn emit(&mut self, part: StreamPart) -> Result<(), RunError> {
        match part {
            StreamPart::Source(mut source) => {
                move_cites(&mut source, self.earlier_text);
                self.host.record().assign_id(&mut source);
                self.sources.push(source);
                return self.release_sources(false);
            }
            StreamPart::TextEnd { .. } => self.release_sources(false)?,
            StreamPart::Finish { .. } => self.release_sources(true)?,
            _ => {}
        }
        self.of_step(part).map_or(Ok(()), |part| self.append(part))
    }

    /// Emits the sources whose citations can be checked.
    pub(super) fn release_sources(&mut self, is_whole: bool) -> Result<(), RunError> {
        let sources = self.sources.take(|| self.answer.text(), is_whole);
        sources.into_iter().try_for_each(|source| self.append(StreamPart::Source(source)))
    }

    fn append(&mut self, part: StreamPart) -> Result<(), RunError> {
        let part = Rc::new(part);
        self.host.record().append(EventKind::Stream(part.clone()));
        match &*part {
            StreamPart::Error { error } => {
                let error = self.answer.reported_error(error);
                return Err(self.fail(error));
            }
            StreamPart::ToolCall { tool_call_id, provider_executed: true, .. } => {
                self.provider_calls.push((tool_call_id.clone(), Instant::now()));
            }
            _ => {}
        }
        if let Some(call) = self.answer.add(&part) {
            self.calls.add(call);
        }
        if let StreamPart::ToolResult { tool_call_id, .. } = &*part {
            self.emit_result(tool_call_id);
        }
        Ok(())
    }

    /// A part as one of the whole step, which may have several requests; `None` if it has no place there.
    fn of_step(&mut self, part: StreamPart) -> Option<StreamPart> {
        match part {
            StreamPart::StreamStart { warnings } if self.pauses > 0 => {
                let warnings = self.answer.new_warnings(&warnings);
                (!warnings.is_empty()).then_some(StreamPart::StreamStart { warnings })
            }
            StreamPart::Finish { finish_reason, usage, is_paused, provider_metadata } => {
                let usage = self.earlier_usage.plus(usage);
                let finish = StreamPart::Finish { finish_reason, usage, is_paused, provider_metadata };
                self.answer.add(&finish);
                (!self.is_pausing()).then_some(finish)
            }
            part => Some(part),
        }
    }

    /// Reports the result of a call that the provider has run, for readers that show calls with their results.
    fn emit_result(&self, id: &str) {
        let Some(result) = self.answer.last_result() else { return };
        let began = self.provider_calls.iter().rev().find(|(call, _)| call == id);
        let took = began.map(|(_, began)| began.elapsed()).unwrap_or_default();
        self.host.record().append(EventKind::ToolResult { result: Rc::new(result), took });
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

    /// Keeps the answer before the last pause, as the request that continues it has failed.
    pub(super) fn keep_earlier_parts(&mut self) {
        if self.pauses > 0 {
            self.keep_partial_answer();
        }
    }

    fn keep_partial_answer(&mut self) {
        let message = self.answer.take_message();
        self.keep_text(message.as_ref());
    }

    pub(super) fn keep_text(&self, message: Option<&Message>) {
        let partial = message.map(|message| {
            // Providers refuse a conversation with a call that has no result, so calls of the provider go as well.
            let is_of_call =
                |part: &&ContentPart| matches!(part, ContentPart::ToolCall { .. } | ContentPart::ToolResult { .. });
            let texts = message.content_parts().iter().filter(|part| !is_of_call(part)).cloned().collect();
            Message::parts(message.role, texts)
        });
        let partial = partial.filter(|message| !message.content_parts().is_empty());
        self.host.prompt().borrow_mut().finish_step(partial.into_iter().map(Rc::new).collect());
    }
}

fn response(text: &str) -> String {
    format!("<code_response>{text}</code_response>")
}

pub(super) fn still_paused(answer: &Answer) -> String {
    let Answer { provider, model_id, .. } = answer;
    format!("{provider}:{model_id} has paused its turn again after {MAX_PAUSES} times; the answer may be incomplete")
}
