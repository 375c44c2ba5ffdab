//! Validation of answers: against `output` of a prompt, or `responseSchema` of an agent
//! (docs/reference/typed-output.md and docs/reference/agents.md).

use rquickjs::{Class, Ctx, Result, Value};

use crate::{
    bindings::{
        prompt::{object::PromptObject, run::PromptRun},
        results::elements::list_of_elements,
        values::{message_of, schema::Schema, to_json, type_error},
    },
    prompt::{AnswerCheck, AnswerShape, OutputFailure, RunError, correction},
};
use lmthing_base::chat::{FinishReason, Step};
use lmthing_node::warn::warning;

/// Default of `options.outputRetries` for a prompt with `output`. Agents do not retry by default.
const DEFAULT_RETRIES: usize = 2;

const MAX_SHOWN_CHARS: usize = 200;

pub(crate) fn expect_output<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    output: &Value<'js>,
    place: &str,
) -> Result<()> {
    let Some((schema, shape)) = shape(ctx, output, place)? else { return Ok(()) };
    let prompt = prompt.borrow();
    prompt.bag.set_output(schema);
    prompt.core.answer.replace(Some(shape.into()));
    Ok(())
}

pub(crate) fn shape<'js>(
    ctx: &Ctx<'js>,
    output: &Value<'js>,
    place: &str,
) -> Result<Option<(Schema<'js>, AnswerShape)>> {
    if output.is_undefined() || output.is_null() {
        return Ok(None);
    }
    let schema = Schema::from_value(ctx, output, place)?;
    // The model writes the input of the schema; transforms produce its output.
    let shape = AnswerShape::new("output", schema.to_tool_schema(ctx, place)?);
    match shape.fault() {
        Some(fault) => Err(type_error(ctx, format!("{place} is {fault}"))),
        None => Ok(Some((schema, shape))),
    }
}

#[derive(Clone, Copy)]
pub(super) struct Retries {
    pub(super) done: usize,
    pub(super) limit: Option<usize>,
    pub(super) may_retry: bool,
}

/// Checks the answer of a step that would be the last. An agent's answer is always accepted in the end; its caller
/// gets the problem.
pub(super) async fn check<'js>(
    prompt: &PromptObject<'js>,
    run: &Class<'js, PromptRun<'js>>,
    step: &Step,
    state: Retries,
) -> Result<std::result::Result<AnswerCheck, RunError>> {
    let (shape, output) = {
        let prompt = prompt.borrow();
        let shape = prompt.core.answer.borrow().clone();
        (shape, prompt.bag.output())
    };
    let Some(shape) = shape else { return Ok(Ok(AnswerCheck::Accepted)) };
    let retries = state.limit.unwrap_or(if output.is_some() { DEFAULT_RETRIES } else { 0 });
    if output.is_none() && retries == 0 {
        return Ok(Ok(AnswerCheck::Accepted));
    }
    let text = step.text();
    let reason = step.output.finish_reason;
    let is_cut = reason == FinishReason::Length;
    let problem = match &output {
        Some(schema) => match no_answer(step) {
            Some(why) => return Ok(Err(failure(why, None, &text))),
            None => check_output(prompt.ctx(), run, &shape, schema, (&text, is_cut)).await?,
        },
        None => shape.find(&text, is_cut).map_or_else(|error| Some(error.to_string()), |found| found.problem),
    };
    let Some(problem) = problem else { return Ok(Ok(AnswerCheck::Accepted)) };
    let is_refused = reason == FinishReason::ContentFilter;
    if state.may_retry && !is_refused && step.tool_results.is_empty() && state.done < retries {
        return Ok(Ok(AnswerCheck::AskAgain(correction(&problem, is_cut))));
    }
    if output.is_none() {
        return Ok(Ok(AnswerCheck::Accepted));
    }
    Ok(Err(mismatch(&problem, reason, state, &text)))
}

fn no_answer(step: &Step) -> Option<String> {
    if !step.tool_results.is_empty() {
        let why = "there is no final answer for output: stopWhen ended the run after a step that called tools";
        return Some(why.to_owned());
    }
    (step.output.finish_reason == FinishReason::Error).then(|| {
        "there is no final answer for output: the answer broke off with an error of the provider (finish reason error)"
            .to_owned()
    })
}

/// Returns the problem with the answer, if any. Stores a valid answer.
async fn check_output<'js>(
    ctx: &Ctx<'js>,
    run: &Class<'js, PromptRun<'js>>,
    shape: &AnswerShape,
    schema: &Schema<'js>,
    (text, is_cut): (&str, bool),
) -> Result<Option<String>> {
    let found = match shape.find(text, is_cut) {
        Ok(found) => found,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let checked = match list_of_elements(ctx, run, schema, &found).await? {
        Some(list) => Ok(list),
        // From the text, which keeps numbers and escapes as the engine reads them.
        None => schema.validate(ctx, ctx.json_parse(found.text)?).await?,
    };
    match checked {
        Ok(value) => {
            if let Some(faults) = found.mended {
                // Failing to print must not change the answer.
                let _ = warning(ctx, &format!("the answer was not JSON and was mended ({faults})"));
            }
            run.borrow().set_output(value);
            Ok(None)
        }
        Err(problems) => Ok(Some(problems.to_string())),
    }
}

/// The answer as JSON; a transform may have made any value of it.
pub(super) fn output_json<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<serde_json::Value> {
    to_json(ctx, value).map_err(|error| {
        let why = message_of(ctx, error);
        type_error(ctx, format!("the output cannot be printed as JSON: {why}"))
    })
}

fn mismatch(problem: &str, reason: FinishReason, state: Retries, text: &str) -> RunError {
    match reason {
        FinishReason::ContentFilter => {
            let why = "the model refused to answer, or its answer was held back (finish reason content-filter)";
            failure(why.to_owned(), None, text)
        }
        FinishReason::Length => {
            let why = format!(
                "the answer was cut off at the limit on tokens (finish reason length) and does not match output: {problem}"
            );
            failure(why, Some("config.options.maxOutputTokens is how long an answer may be"), text)
        }
        _ if !state.may_retry => {
            failure(format!("the answer does not match output, and stopWhen ended the run: {problem}"), None, text)
        }
        _ => {
            let times = match state.done {
                0 => String::new(),
                done => format!(" after {} attempts", done + 1),
            };
            let hint = "config.options.outputRetries says how often the model is told what is wrong and asked again; 2 unless set";
            failure(format!("the answer does not match output{times}: {problem}"), Some(hint), text)
        }
    }
}

fn failure(message: String, hint: Option<&str>, text: &str) -> RunError {
    // On one line and without control characters, as it is printed in a terminal.
    let line = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let line = line.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let begins = match line.char_indices().nth(MAX_SHOWN_CHARS) {
        _ if line.is_empty() => String::new(),
        None => format!("; the answer was: {line}"),
        Some((end, _)) => format!("; the answer begins: {}…", &line[..end]),
    };
    let hint = hint.map(str::to_owned);
    RunError::Output(Box::new(OutputFailure { message: message + &begins, hint, text: text.to_owned() }))
}
