//! `result` of `runPrompt`: awaitable values over a run's record (docs/reference.md, "Results"). Must not know how a
//! run comes about.

use rquickjs::{Array, Class, Ctx, JsLifetime, Object, Result, Value, class::Trace, promise::Promised};

use super::{run_parts::PartKind, run_stream::RunStream, throw::throw_run_error};
use crate::{
    prompt::{RunOutcome, RunRecord},
    script::bindings::{
        prompt::run::PromptRun,
        values::{from_serde, property, steps},
    },
};

/// The `result` object. Every property is a promise of the finished run, except the two streams; it rejects with the
/// run's error.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(crate) struct RunResult<'js> {
    run: Class<'js, PromptRun<'js>>,
    /// Promises handed out, by property: `result.text === result.text`.
    made: Object<'js>,
}

/// Makes a property's value when the run is done.
type Make = for<'js> fn(&Ctx<'js>, &PromptRun<'js>, &RunRecord) -> Result<Value<'js>>;

impl<'js> RunResult<'js> {
    /// The result of a run.
    pub(crate) fn create(ctx: &Ctx<'js>, run: Class<'js, PromptRun<'js>>) -> Result<Value<'js>> {
        let made = Object::new(ctx.clone())?;
        // Its streams begin with the first piece, whenever somebody begins to read.
        run.borrow().record.keep_answers();
        Ok(Class::instance(ctx.clone(), RunResult { run, made })?.into_value())
    }

    fn promise(&self, ctx: Ctx<'js>, name: &str, make: Make) -> Result<Value<'js>> {
        if let Some(promise) = property(&self.made, name)? {
            return Ok(promise);
        }
        let record = self.run.borrow().record.clone();
        // From here on a failure shows as a rejection of this promise. Only of results that nobody looked at the
        // program itself has to tell.
        record.observe();
        let (run, inner) = (self.run.clone(), ctx.clone());
        let value = Promised(async move {
            match record.finished().await {
                RunOutcome::Done => make(&inner, &run.borrow(), &record),
                RunOutcome::Failed(error) => Err(throw_run_error(&inner, &run, &error)),
            }
        });
        // Setting it is what makes a JavaScript promise of the future; from there it is the same for everybody.
        self.made.set(name, value)?;
        self.made.get(name)
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl<'js> RunResult<'js> {
    /// The text of the last step.
    #[qjs(get)]
    fn text(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "text", |ctx, _, record| {
            Ok(rquickjs::String::from_str(ctx.clone(), &record.text())?.into_value())
        })
    }

    /// The texts of the last step's reasoning, joined; `undefined` without any.
    #[qjs(get)]
    fn reasoning_text(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "reasoningText", |ctx, _, record| last_step(ctx, record, "reasoningText"))
    }

    /// What happened in each step, as step results.
    #[qjs(get)]
    fn steps(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "steps", |ctx, _, record| {
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
        self.promise(ctx, "toolCalls", |ctx, _, record| last_step(ctx, record, "toolCalls"))
    }

    /// The tool results of the last step.
    #[qjs(get)]
    fn tool_results(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "toolResults", |ctx, _, record| last_step(ctx, record, "toolResults"))
    }

    /// The answer as the prompt's `output` has it; `undefined` without one.
    #[qjs(get)]
    fn output(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "output", |ctx, run, _| Ok(run.output().unwrap_or_else(|| Value::new_undefined(ctx.clone()))))
    }

    /// Why the last step ended: `stop`, `length`, `content-filter`, `tool-calls`, `error` or `other`.
    #[qjs(get)]
    fn finish_reason(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "finishReason", |ctx, _, record| {
            let reason = steps::finish_reason(record.finish_reason());
            Ok(rquickjs::String::from_str(ctx.clone(), reason)?.into_value())
        })
    }

    /// The tokens of the last step.
    #[qjs(get)]
    fn usage(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "usage", |ctx, _, record| last_step(ctx, record, "usage"))
    }

    /// The tokens of all steps together.
    #[qjs(get)]
    fn total_usage(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "totalUsage", |ctx, _, record| from_serde(ctx, &record.total_usage()))
    }

    /// What the last step cost in US dollars; `null` when nobody knows.
    #[qjs(get)]
    fn cost(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "cost", |ctx, _, record| last_step(ctx, record, "cost"))
    }

    /// What all steps together cost; `null` when that of one is not known.
    #[qjs(get)]
    fn total_cost(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "totalCost", |ctx, _, record| from_serde(ctx, &record.total_cost()))
    }

    /// What the provider said of its last answer: `id`, `modelId`, `timestamp`, `headers`.
    #[qjs(get)]
    fn response(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "response", |ctx, _, record| last_step(ctx, record, "response"))
    }

    /// Settings the provider did not take, in the last step.
    #[qjs(get)]
    fn warnings(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "warnings", |ctx, _, record| last_step(ctx, record, "warnings"))
    }

    /// The text of all steps, piece by piece. Every read of the property starts from the beginning.
    #[qjs(get)]
    fn text_stream(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        RunStream::create(&ctx, &self.run, PartKind::Text)
    }

    /// All events of the run, as objects with a `type`. Every read of the property starts from the beginning.
    #[qjs(get)]
    fn full_stream(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        RunStream::create(&ctx, &self.run, PartKind::Full)
    }

    /// Waits for the end of the run; a promise of nothing.
    fn consume_stream(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "consumeStream", |ctx, _, _| Ok(Value::new_undefined(ctx.clone())))
    }
}

fn last_step<'js>(ctx: &Ctx<'js>, record: &RunRecord, key: &str) -> Result<Value<'js>> {
    let steps = record.steps();
    match steps.last() {
        Some(step) => steps::step_result(ctx, steps.len() - 1, step)?.get(key),
        // Of a run without steps there is nothing to tell, but no less of it.
        None => match key {
            "toolCalls" | "toolResults" | "warnings" => Ok(Array::new(ctx.clone())?.into_value()),
            "response" => Ok(Object::new(ctx.clone())?.into_value()),
            "usage" => from_serde(ctx, &record.total_usage()),
            "cost" => Ok(Value::new_null(ctx.clone())),
            _ => Ok(Value::new_undefined(ctx.clone())),
        },
    }
}
