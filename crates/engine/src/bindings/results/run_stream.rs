//! The streams of `result` (docs/reference/results.md).
//!
//! A reader is a position in the record: it neither delays nor ends the run.

use std::{cell::Cell, rc::Rc};

use rquickjs::{
    Class, Ctx, IntoJs, JsLifetime, Object, Result, Value, atom::PredefinedAtom, class::Trace, function::This,
    promise::Promised,
};

use super::{
    output_reader::{OutputKind, OutputReader, no_output},
    run_parts::{PartKind, part_to_js, run_end},
    throw::throw_run_error,
};
use crate::{
    bindings::{
        prompt::run::PromptRun,
        values::{identity, schema::Schema},
    },
    prompt::{AnswerShape, RunOutcome},
};

/// Adds `Symbol.asyncIterator`, which the class macro cannot express.
pub(crate) fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
    let Some(prototype) = Class::<RunStream>::prototype(ctx)? else { return Ok(()) };
    prototype.set(PredefinedAtom::SymbolAsyncIterator, identity(ctx)?)
}

/// An async iterator over a run; also has the reader methods of a `ReadableStream`.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub struct RunStream<'js> {
    run: Class<'js, PromptRun<'js>>,
    /// The schema of the answer, for the streams of its values.
    schema: Option<Schema<'js>>,
    #[qjs(skip_trace)]
    source: Source,
    /// The next part to read, `usize::MAX` at the end; shared with pending reads.
    #[qjs(skip_trace)]
    position: Rc<Cell<usize>>,
}

#[derive(Clone)]
enum Source {
    Parts(PartKind),
    Output(OutputKind, Option<Rc<OutputReader>>),
}

impl<'js> RunStream<'js> {
    pub fn create(ctx: &Ctx<'js>, run: &Class<'js, PromptRun<'js>>, kind: PartKind) -> Result<Value<'js>> {
        Self::instance(ctx, run, None, Source::Parts(kind))
    }

    /// A stream of the values of an answer, which rejects if there are none.
    pub fn of_output(
        ctx: &Ctx<'js>,
        run: &Class<'js, PromptRun<'js>>,
        (schema, shape): (Option<Schema<'js>>, Option<&Rc<AnswerShape>>),
        kind: OutputKind,
    ) -> Result<Value<'js>> {
        let reader = shape.and_then(|shape| OutputReader::new(kind, shape)).map(Rc::new);
        if kind == OutputKind::Elements {
            run.borrow().share_elements();
        }
        Self::instance(ctx, run, schema, Source::Output(kind, reader))
    }

    fn instance(
        ctx: &Ctx<'js>,
        run: &Class<'js, PromptRun<'js>>,
        schema: Option<Schema<'js>>,
        source: Source,
    ) -> Result<Value<'js>> {
        run.borrow().record.observe();
        let stream = RunStream { run: run.clone(), schema, source, position: Rc::new(Cell::new(0)) };
        Ok(Class::instance(ctx.clone(), stream)?.into_value())
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl<'js> RunStream<'js> {
    /// Rejects when the run failed, after all earlier pieces.
    fn next(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        let (run, source, position) = (self.run.clone(), self.source.clone(), self.position.clone());
        let (schema, inner) = (self.schema.clone(), ctx.clone());
        let next = async move {
            let answer = Object::new(inner.clone())?;
            let piece = match (source, schema) {
                (Source::Parts(kind), _) => next_piece(&inner, &run, kind, &position).await?,
                (Source::Output(_, Some(reader)), Some(schema)) => {
                    reader.next(&inner, (&run, &schema), &position).await?
                }
                (Source::Output(kind, _), schema) => return Err(no_output(&inner, kind, schema.is_some())),
            };
            match piece {
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

    fn read(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.next(ctx)
    }

    /// Ends the iteration, not the run.
    #[qjs(rename = "return")]
    fn finish(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.position.set(usize::MAX);
        let answer = Object::new(ctx.clone())?;
        answer.set("value", Value::new_undefined(ctx.clone()))?;
        answer.set("done", true)?;
        Promised(async move { Result::Ok(answer) }).into_js(&ctx)
    }

    fn get_reader(this: This<Class<'js, Self>>) -> Class<'js, Self> {
        this.0
    }

    /// Required by the reader interface; there is no lock.
    fn release_lock(&self) {}

    fn cancel(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        self.finish(ctx)
    }
}

async fn next_piece<'js>(
    ctx: &Ctx<'js>,
    run: &Class<'js, PromptRun<'js>>,
    kind: PartKind,
    position: &Cell<usize>,
) -> Result<Option<Value<'js>>> {
    let record = run.borrow().record.clone();
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
            // No part can arrive between the check and the wait: both run on one thread without a yield.
            None => change.await,
            Some(RunOutcome::Done) => {
                position.set(usize::MAX);
                return run_end(ctx, &record, kind);
            }
            Some(RunOutcome::Failed(error)) => {
                position.set(usize::MAX);
                return Err(throw_run_error(ctx, run, &error));
            }
        }
    }
}
