//! `result` of `runPrompt`: awaitable values and streams over a run's record (SPEC 3).

use std::{cell::Cell, rc::Rc};

use rquickjs::{
    Array, Class, Ctx, Error, Exception, IntoJs, JsLifetime, Object, Result, Value, atom::PredefinedAtom, class::Trace,
    function::This, promise::Promised,
};

use super::{
    models::throw_provider_error,
    run_parts::{PartKind, part_to_js, run_end},
    steps,
    values::{error_object, from_serde, property},
};
use crate::prompt::{RunError, RunOutcome, RunRecord};

/// The `result` object. Every property is a promise of the finished run, except the two streams.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(crate) struct RunResult<'js> {
    #[qjs(skip_trace)]
    record: Rc<RunRecord>,
    bag: Object<'js>,
    /// Promises handed out, by property: `result.text === result.text`.
    made: Object<'js>,
}

/// Makes a property's value when the run is done.
type Make = for<'js> fn(&Ctx<'js>, &RunRecord) -> Result<Value<'js>>;

impl<'js> RunResult<'js> {
    /// The result of a run; `bag` is its prompt's.
    pub(crate) fn create(ctx: &Ctx<'js>, record: Rc<RunRecord>, bag: Object<'js>) -> Result<Value<'js>> {
        let made = Object::new(ctx.clone())?;
        Ok(Class::instance(ctx.clone(), RunResult { record, bag, made })?.into_value())
    }

    fn promise(&self, ctx: Ctx<'js>, name: &str, make: Make) -> Result<Value<'js>> {
        if let Some(promise) = property(&self.made, name)? {
            return Ok(promise);
        }
        self.record.observe();
        let (record, bag, inner) = (self.record.clone(), self.bag.clone(), ctx.clone());
        let value = Promised(async move {
            match record.finished().await {
                RunOutcome::Done => make(&inner, &record),
                RunOutcome::Failed(error) => Err(throw_run_error(&inner, &bag, &error)),
            }
        });
        self.made.set(name, value)?;
        self.made.get(name)
    }

    fn stream(&self, ctx: &Ctx<'js>, kind: PartKind) -> Result<Value<'js>> {
        self.record.observe();
        let stream =
            RunStream { record: self.record.clone(), bag: self.bag.clone(), kind, position: Rc::new(Cell::new(0)) };
        Ok(Class::instance(ctx.clone(), stream)?.into_value())
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl<'js> RunResult<'js> {
    /// The text of the last step.
    #[qjs(get)]
    fn text(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "text", |ctx, record| {
            Ok(rquickjs::String::from_str(ctx.clone(), &record.text())?.into_value())
        })
    }

    /// The texts of the last step's reasoning, joined; `undefined` without any.
    #[qjs(get)]
    fn reasoning_text(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "reasoningText", |ctx, record| last_step(ctx, record, "reasoningText"))
    }

    /// What happened in each step.
    #[qjs(get)]
    fn steps(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "steps", |ctx, record| {
            let list = Array::new(ctx.clone())?;
            for (number, step) in record.steps().iter().enumerate() {
                list.set(number, steps::step_result(ctx, number, step)?)?;
            }
            Ok(list.into_value())
        })
    }

    /// The tool calls of the last step.
    #[qjs(get)]
    fn tool_calls(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "toolCalls", |ctx, record| last_step(ctx, record, "toolCalls"))
    }

    /// The tool results of the last step.
    #[qjs(get)]
    fn tool_results(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "toolResults", |ctx, record| last_step(ctx, record, "toolResults"))
    }

    /// Why the last step ended: `stop`, `length`, `content-filter`, `tool-calls`, `error` or `other`.
    #[qjs(get)]
    fn finish_reason(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "finishReason", |ctx, record| {
            let reason = steps::finish_reason(record.finish_reason());
            Ok(rquickjs::String::from_str(ctx.clone(), reason)?.into_value())
        })
    }

    /// The tokens of the last step.
    #[qjs(get)]
    fn usage(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "usage", |ctx, record| last_step(ctx, record, "usage"))
    }

    /// The tokens of all steps together.
    #[qjs(get)]
    fn total_usage(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "totalUsage", |ctx, record| from_serde(ctx, &record.total_usage()))
    }

    /// What the provider said of its last answer: `id`, `modelId`, `timestamp`, `headers`.
    #[qjs(get)]
    fn response(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "response", |ctx, record| last_step(ctx, record, "response"))
    }

    /// Settings the provider did not take, in the last step.
    #[qjs(get)]
    fn warnings(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "warnings", |ctx, record| last_step(ctx, record, "warnings"))
    }

    /// The text of all steps, piece by piece. Every read of the property starts from the beginning.
    #[qjs(get)]
    fn text_stream(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.stream(&ctx, PartKind::Text)
    }

    /// All events of the run.
    #[qjs(get)]
    fn full_stream(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.stream(&ctx, PartKind::Full)
    }

    /// Waits for the end of the run.
    fn consume_stream(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "consumeStream", |ctx, _| Ok(Value::new_undefined(ctx.clone())))
    }
}

fn last_step<'js>(ctx: &Ctx<'js>, record: &RunRecord, key: &str) -> Result<Value<'js>> {
    let steps = record.steps();
    match steps.last() {
        Some(step) => steps::step_result(ctx, steps.len() - 1, step)?.get(key),
        None => Ok(Value::new_undefined(ctx.clone())),
    }
}

/// Throws why a run broke off: the very value the prompt's code threw, or an `Error` for the model's failure.
pub(super) fn throw_run_error<'js>(ctx: &Ctx<'js>, bag: &Object<'js>, error: &RunError) -> Error {
    match error {
        RunError::Script(diagnostic) => match bag.get::<_, Value>("thrown") {
            Ok(thrown) if !thrown.is_undefined() => ctx.throw(thrown),
            _ => Exception::throw_message(ctx, &diagnostic.message),
        },
        RunError::Provider(error) => throw_provider_error(ctx, error),
        RunError::Limit { message } => named_error(ctx, "LimitError", message),
        RunError::Aborted => named_error(ctx, "AbortError", &error.to_string()),
    }
}

fn named_error(ctx: &Ctx<'_>, name: &str, message: &str) -> Error {
    let made = error_object(ctx, "Error", message).and_then(|object| {
        object.set("name", name)?;
        Ok(ctx.throw(object.into_value()))
    });
    made.unwrap_or_else(|error| error)
}

/// Puts the parts of `PromptStream`'s prototype in place that the class macro cannot express.
pub(super) fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
    let Some(prototype) = Class::<RunStream>::prototype(ctx)? else { return Ok(()) };
    prototype.set(PredefinedAtom::SymbolAsyncIterator, super::values::identity(ctx)?)
}

/// An async iterator over a run; also answers to the reader methods of a `ReadableStream`.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(super) struct RunStream<'js> {
    #[qjs(skip_trace)]
    record: Rc<RunRecord>,
    bag: Object<'js>,
    #[qjs(skip_trace)]
    kind: PartKind,
    /// The next part to look at.
    #[qjs(skip_trace)]
    position: Rc<Cell<usize>>,
}

#[rquickjs::methods(rename_all = "camelCase")]
impl<'js> RunStream<'js> {
    /// `{value, done}` of the next piece; rejects when the run broke off, after everything before was handed out.
    fn next(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        let (record, bag, kind, position) = (self.record.clone(), self.bag.clone(), self.kind, self.position.clone());
        let inner = ctx.clone();
        let next = async move {
            let answer = Object::new(inner.clone())?;
            match next_piece(&inner, &record, &bag, kind, &position).await? {
                Some(piece) => {
                    answer.set("value", piece)?;
                    answer.set("done", false)?;
                }
                None => {
                    answer.set("value", Value::new_undefined(inner.clone()))?;
                    answer.set("done", true)?;
                }
            }
            Result::Ok(answer)
        };
        Promised(next).into_js(&ctx)
    }

    /// The same as `next`, for `getReader().read()`.
    fn read(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.next(ctx)
    }

    /// Ends the iteration; the run goes on.
    #[qjs(rename = "return")]
    fn finish(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.position.set(usize::MAX);
        let answer = Object::new(ctx.clone())?;
        answer.set("value", Value::new_undefined(ctx.clone()))?;
        answer.set("done", true)?;
        Promised(async move { Result::Ok(answer) }).into_js(&ctx)
    }

    /// The stream is its own reader.
    fn get_reader(this: This<Class<'js, Self>>) -> Class<'js, Self> {
        this.0
    }

    /// Part of the reader's interface; there is no lock to release.
    fn release_lock(&self) {}

    /// Ends the iteration; the run goes on.
    fn cancel(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.finish(ctx)
    }
}

async fn next_piece<'js>(
    ctx: &Ctx<'js>,
    record: &RunRecord,
    bag: &Object<'js>,
    kind: PartKind,
    position: &Cell<usize>,
) -> Result<Option<Value<'js>>> {
    loop {
        let change = record.changed();
        if position.get() == usize::MAX {
            return Ok(None);
        }
        if let Some(part) = record.part(position.get()) {
            position.set(position.get() + 1);
            if let Some(piece) = part_to_js(ctx, &part, kind)? {
                return Ok(Some(piece));
            }
            continue;
        }
        match record.outcome() {
            None => change.await,
            Some(RunOutcome::Done) => {
                position.set(usize::MAX);
                return run_end(ctx, record, kind);
            }
            Some(RunOutcome::Failed(error)) => {
                position.set(usize::MAX);
                return Err(throw_run_error(ctx, bag, &error));
            }
        }
    }
}
