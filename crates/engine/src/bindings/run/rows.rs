//! Validation of many inputs against the schema of one file, before it runs (docs/reference/map.md).

use std::{path::Path, rc::Rc, sync::Arc};

use rquickjs::{Ctx, Result, Value};
use serde_json::{Map, Value as Json};

use super::{
    config_overrides::ConfigOverrides,
    deadlock::detect_deadlock,
    file::{FileRun, config, default_function, set_mock},
    file_input::{DeclaredInput, declared_input, revive},
    limits,
    model_choice::ModelChoice,
    similar_exports::similar_schema,
    start::prepare,
};
use crate::{
    bindings::{
        models,
        prompt::object::PromptObject,
        results::throw::run_error,
        services,
        values::{
            property,
            schema::{PlainSchema, Schema},
            to_json,
        },
    },
    prompt::RunError,
};
use lmthing_base::{
    diagnostic::Diagnostic,
    input::{Declaration, InputShape},
};
use lmthing_node::{Engine, ScriptError, Thrown, diagnose_error, import_file_once, until_halted};
use lmthing_providers::{ProviderError, provider_of};

pub trait InputRows {
    /// Called first, with the file's input. Fails if the rows cannot be used for it.
    fn begin(&mut self, taken: Arc<InputShape>) -> std::result::Result<(), Box<Diagnostic>>;

    fn next(&mut self) -> Option<Map<String, Json>>;

    /// Called once a row. `wrong` is the problem, if any.
    fn checked(&mut self, wrong: Option<String>);
}

/// The file that rows are for, and how they are to be run.
#[derive(Clone, Copy, Debug)]
pub struct RowsFile<'a> {
    pub path: &'a Path,
    /// Whether the model runs in this process.
    pub runs_here: bool,
    /// Whether its requests go into batches.
    pub is_batched: bool,
    /// Whether the file may take no input. Its shape is `null` then.
    pub may_take_none: bool,
    /// What replaces settings of the file.
    pub overrides: &'a ConfigOverrides,
}

/// The model of a file, where it runs here.
#[derive(Clone, Debug, Default)]
pub struct RowsModel {
    pub name: Option<String>,
    /// Why it cannot be asked, such as a missing key.
    pub problem: Option<Diagnostic>,
}

/// Loads a prompt file and validates the rows against its `input`.
pub async fn check_rows(
    engine: &Engine,
    file: RowsFile<'_>,
    choice: Option<&ModelChoice>,
    rows: &mut dyn InputRows,
) -> std::result::Result<RowsModel, Rc<RunError>> {
    let check = async |ctx: Ctx<'_>| {
        let ended = until_halted(&ctx, check_in(&ctx, file, choice, rows)).await;
        match ended {
            Ok(Ok(checked)) => checked.map_err(Rc::new),
            Ok(Err(error)) => Err(Rc::new(run_error(diagnose_error(&ctx, error)))),
            Err(halt) => Err(match FileRun::from(halt) {
                FileRun::Failed(error) => error,
                _ => Rc::new(RunError::from(Diagnostic::new("the file ends the process while it is loaded"))),
            }),
        }
    };
    engine.context().async_with(check).await
}

async fn check_in(
    ctx: &Ctx<'_>,
    RowsFile { path, runs_here, is_batched, may_take_none, overrides }: RowsFile<'_>,
    choice: Option<&ModelChoice>,
    rows: &mut dyn InputRows,
) -> Result<std::result::Result<RowsModel, RunError>> {
    let namespace = detect_deadlock(ctx, "loading the file", import_file_once(ctx, path)).await?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let function = default_function(ctx, &namespace, &name)?;
    let found = declared_input(ctx, &namespace, &name)?;
    if found.is_none()
        && let Some(similar) = similar_schema(&namespace, "input")?
    {
        let error = ScriptError::error(format!("{name} exports '{similar}', which is not used"));
        return Err(error.hint("did you mean 'input'?").throw(ctx));
    }
    if found.is_none() && !may_take_none {
        let error = ScriptError::error(format!("{name} takes no input, so that there is nothing to give rows to"));
        return Err(error.hint("export const input = z.object({ city: z.string() });").throw(ctx));
    }
    let mut model = RowsModel::default();
    if runs_here {
        let config = overrides.apply(ctx, config(ctx, &namespace, &name, choice)?)?;
        if let Err(error) = limits::configure_cost(ctx, &config)? {
            return Ok(Err(error));
        }
        set_mock(ctx, &namespace, &config, &name, choice)?;
        let given: Value = config.get("model")?;
        (model.name, model.problem) = (written_name(&given)?, missing_key(&given)?);
        let prompt = prepare(ctx, &function, &config)?;
        match check_model(ctx, &prompt, is_batched) {
            Ok(Ok(())) => {}
            Ok(Err(problem)) => return Ok(Err(RunError::Usage(problem))),
            Err(error) if is_batched || services::limits(ctx)?.has_cost() => return Err(error),
            Err(error) => model.problem = Some(unusable(diagnose_error(ctx, error))),
        }
    }
    Ok(match found {
        Some(found) => check_inputs(ctx, found, rows).await?,
        None => begin_without_input(rows),
    }
    .map(|()| model))
}

async fn check_inputs<'js>(
    ctx: &Ctx<'js>,
    found: DeclaredInput<'js>,
    rows: &mut dyn InputRows,
) -> Result<std::result::Result<(), RunError>> {
    let taken = Arc::new(InputShape { shape: found.shape, declaration: found.declaration });
    if let Err(problem) = rows.begin(taken.clone()) {
        return Ok(Err(RunError::Usage(problem)));
    }
    let schema = match found.schema {
        Schema::Json(object) => Schema::Plain(PlainSchema::new(to_json(ctx, object.as_value())?)),
        schema => schema,
    };
    let adds_defaults = matches!(schema, Schema::Plain(_));
    while let Some(mut input) = rows.next() {
        if adds_defaults {
            taken.declaration.add_defaults(&mut input);
        }
        let mut input = Json::Object(input);
        let checked = schema.check(ctx, revive(ctx, &taken.shape, &mut input)?).await?;
        let Json::Object(input) = input else { continue };
        rows.checked(checked.err().map(|problems| taken.declaration.problem_of_row(&input, &problems)));
    }
    Ok(Ok(()))
}

fn begin_without_input(rows: &mut dyn InputRows) -> std::result::Result<(), RunError> {
    let taken = InputShape { shape: Json::Null, declaration: Declaration::default() };
    rows.begin(Arc::new(taken)).map_err(RunError::Usage)?;
    while rows.next().is_some() {
        rows.checked(None);
    }
    Ok(())
}

fn unusable(thrown: Thrown) -> Diagnostic {
    match thrown.payload_as::<RunError>().as_deref() {
        Some(RunError::NoModel(ProviderError { message, hint, .. })) => {
            Diagnostic { hint: hint.clone(), ..Diagnostic::new(message.clone()) }
        }
        _ => thrown.diagnostic,
    }
}

/// Says what a model string surely lacks. Lists may have another model that answers.
fn missing_key(model: &Value<'_>) -> Result<Option<Diagnostic>> {
    let Some(name) = model.as_string() else { return Ok(None) };
    let name = name.to_string()?;
    let provider = provider_of(&name, &services::providers(model.ctx())?);
    Ok(provider.filter(|provider| !provider.may_find_credentials).and_then(|provider| provider.missing_key(&name)))
}

/// A model string as it was written; of a model object its provider and id; of a list its first.
fn written_name(model: &Value<'_>) -> Result<Option<String>> {
    if let Some(name) = model.as_string() {
        return name.to_string().map(Some);
    }
    if let Some(list) = model.as_array() {
        return written_name(&list.get(0)?);
    }
    let Some(object) = model.as_object() else { return Ok(None) };
    let text = |key| property(object, key).map(|value| value.and_then(|value| value.get::<String>().ok()));
    Ok(text("provider")?.zip(text("modelId")?).map(|(provider, id)| format!("{provider}:{id}")))
}

/// Fails if requests of the file's model cannot go into batches, or if there is a limit on cost and its price is not
/// known. Models that only the prompt function names are checked at their first request.
fn check_model<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    is_batched: bool,
) -> Result<std::result::Result<(), Box<Diagnostic>>> {
    let (model, mock) = (prompt.borrow().bag.model(), prompt.borrow().core.mock.borrow().clone());
    let Some(model) = model.filter(|model| !model.is_undefined()) else { return Ok(Ok(())) };
    let model = models::resolve::resolve(ctx, &model, mock)?;
    let limits = services::limits(ctx)?;
    if limits.has_cost()
        && let Err(problem) = limits.check_prices(&model.model_identities())
    {
        return Ok(Err(problem));
    }
    Ok(match model.batch_refusal().filter(|_| is_batched) {
        Some(error) => {
            let problem = Diagnostic::new(format!("--batch: {}", error.message));
            Err(Box::new(Diagnostic { hint: error.hint, ..problem }))
        }
        None => Ok(()),
    })
}
