//! `result` of `runPrompt`: promises over a run's record (docs/reference/results.md).

use std::rc::Rc;

use rquickjs::{Array, Class, Ctx, JsLifetime, Object, Result, Value, class::Trace, promise::Promised};

use super::{output_reader::OutputKind, run_parts::PartKind, run_stream::RunStream, throw::throw_run_error};
use crate::{
    bindings::{
        prompt::{object::PromptObject, run::PromptRun},
        values::{from_serde, property, schema::Schema, steps},
    },
    prompt::{AnswerShape, RunOutcome, RunRecord},
};

/// Every property except the streams is a promise of the finished run.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub struct RunResult<'js> {
    run: Class<'js, PromptRun<'js>>,
    /// Promises by property, so that `result.text === result.text`.
    promises: Object<'js>,
    /// The schema of the answer, if the prompt has an `output`.
    schema: Option<Schema<'js>>,
    #[qjs(skip_trace)]
    shape: Option<Rc<AnswerShape>>,
}

type ComputeValue = for<'js> fn(&Ctx<'js>, &PromptRun<'js>, &RunRecord) -> Result<Value<'js>>;

impl<'js> RunResult<'js> {
    pub fn create(ctx: &Ctx<'js>, run: Class<'js, PromptRun<'js>>, prompt: &PromptObject<'js>) -> Result<Value<'js>> {
        let promises = Object::new(ctx.clone())?;
        // Streams start with the first piece, no matter when reading begins.
        run.borrow().record.keep_answers();
        let prompt = prompt.borrow();
        let schema = prompt.bag.output();
        let shape = prompt.core.answer.borrow().clone().filter(|_| schema.is_some());
        Ok(Class::instance(ctx.clone(), RunResult { run, promises, schema, shape })?.into_value())
    }

    fn promise(&self, ctx: Ctx<'js>, name: &str, compute: ComputeValue) -> Result<Value<'js>> {
        if let Some(promise) = property(&self.promises, name)? {
            return Ok(promise);
        }
        let record = self.run.borrow().record.clone();
        // From here on a failure rejects this promise. The program only reports failures that no code observes.
        record.observe();
        let (run, inner) = (self.run.clone(), ctx.clone());
        let value = Promised(async move {
            match record.finished().await {
                RunOutcome::Done => compute(&inner, &run.borrow(), &record),
                RunOutcome::Failed(error) => Err(throw_run_error(&inner, &run, &error)),
            }
        });
        // Setting the property turns the future into a JavaScript promise.
        self.promises.set(name, value)?;
        self.promises.get(name)
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl<'js> RunResult<'js> {
    #[qjs(get)]
    fn text(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "text", |ctx, _, record| {
            Ok(rquickjs::String::from_str(ctx.clone(), &record.text())?.into_value())
        })
    }

    #[qjs(get)]
    fn reasoning_text(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "reasoningText", |ctx, _, record| last_step(ctx, record, "reasoningText"))
    }

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

    #[qjs(get)]
    fn tool_calls(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "toolCalls", |ctx, _, record| last_step(ctx, record, "toolCalls"))
    }

    #[qjs(get)]
    fn tool_results(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "toolResults", |ctx, _, record| last_step(ctx, record, "toolResults"))
    }

    #[qjs(get)]
    fn sources(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "sources", |ctx, _, record| from_serde(ctx, &record.sources()))
    }

    #[qjs(get)]
    fn output(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "output", |ctx, run, _| Ok(run.output().unwrap_or_else(|| Value::new_undefined(ctx.clone()))))
    }

    #[qjs(get)]
    fn finish_reason(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "finishReason", |ctx, _, record| {
            let reason = steps::finish_reason(record.finish_reason());
            Ok(rquickjs::String::from_str(ctx.clone(), reason)?.into_value())
        })
    }

    #[qjs(get)]
    fn usage(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "usage", |ctx, _, record| last_step(ctx, record, "usage"))
    }

    #[qjs(get)]
    fn total_usage(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "totalUsage", |ctx, _, record| from_serde(ctx, &record.total_usage()))
    }

    #[qjs(get)]
    fn cost(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "cost", |ctx, _, record| last_step(ctx, record, "cost"))
    }

    #[qjs(get)]
    fn total_cost(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "totalCost", |ctx, _, record| from_serde(ctx, &record.total_cost()))
    }

    #[qjs(get)]
    fn response(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "response", |ctx, _, record| last_step(ctx, record, "response"))
    }

    #[qjs(get)]
    fn warnings(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "warnings", |ctx, _, record| last_step(ctx, record, "warnings"))
    }

    /// The text of all steps. Every read of the property starts from the beginning.
    #[qjs(get)]
    fn text_stream(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        RunStream::create(&ctx, &self.run, PartKind::Text)
    }

    #[qjs(get)]
    fn full_stream(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        RunStream::create(&ctx, &self.run, PartKind::Full)
    }

    #[qjs(get)]
    fn partial_output_stream(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        RunStream::of_output(&ctx, &self.run, (self.schema.clone(), self.shape.as_ref()), OutputKind::Values)
    }

    #[qjs(get)]
    fn element_stream(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        RunStream::of_output(&ctx, &self.run, (self.schema.clone(), self.shape.as_ref()), OutputKind::Elements)
    }

    fn consume_stream(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.promise(ctx, "consumeStream", |ctx, _, _| Ok(Value::new_undefined(ctx.clone())))
    }
}

fn last_step<'js>(ctx: &Ctx<'js>, record: &RunRecord, key: &str) -> Result<Value<'js>> {
    let steps = record.steps();
    match steps.last() {
        Some(step) => steps::step_result(ctx, steps.len() - 1, step)?.get(key),
        // A run without steps has empty values.
        None => match key {
            "toolCalls" | "toolResults" | "warnings" => Ok(Array::new(ctx.clone())?.into_value()),
            "response" => Ok(Object::new(ctx.clone())?.into_value()),
            "usage" => from_serde(ctx, &record.total_usage()),
            "cost" => Ok(Value::new_null(ctx.clone())),
            _ => Ok(Value::new_undefined(ctx.clone())),
        },
    }
}
