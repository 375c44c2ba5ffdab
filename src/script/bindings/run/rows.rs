//! Many inputs held against the schema of one file, before anything is run (docs/map.md). Must not know where rows come from.

use std::{path::Path, rc::Rc, sync::Arc};

use rquickjs::{Ctx, Result};
use serde_json::{Map, Value as Json};

use super::{
    file::{FileRun, config, default_function, set_mock},
    file_input::{declared, revived},
    model_choice::ModelChoice,
    start::prepare,
    stuck::unless_stuck,
};
use crate::{
    diagnostic::Diagnostic,
    input::InputShape,
    prompt::RunError,
    script::{
        Engine, ScriptError,
        bindings::{
            results::throw::run_error,
            values::{
                schema::{PlainSchema, Schema},
                to_json,
            },
        },
        diagnose_error, import_file_once, until_halted,
    },
};

/// Rows that are to be inputs of a file.
pub(crate) trait InputRows {
    /// The file takes this. Comes first.
    ///
    /// # Errors
    /// The rows are not made for it.
    fn begin(&mut self, taken: Arc<InputShape>) -> std::result::Result<(), Box<Diagnostic>>;

    /// The next row.
    fn next(&mut self) -> Option<Map<String, Json>>;

    /// Whether the row that came last fits.
    fn checked(&mut self, wrong: Option<String>);
}

/// Loads a prompt file, as if it were to run, and holds the rows against its `input`. `runs_here` says whether its model is asked
/// by this process.
///
/// # Errors
/// The file is wrong, or the rows are not made for it.
pub(crate) async fn check_rows(
    engine: &Engine,
    at: (&Path, bool),
    choice: Option<&ModelChoice>,
    rows: &mut dyn InputRows,
) -> std::result::Result<(), Rc<RunError>> {
    let check = async |ctx: Ctx<'_>| {
        let ended = until_halted(&ctx, check_in(&ctx, at, choice, rows)).await;
        match ended {
            Ok(Ok(checked)) => checked.map_err(|problem| Rc::new(RunError::Usage(problem))),
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
    (path, runs_here): (&Path, bool),
    choice: Option<&ModelChoice>,
    rows: &mut dyn InputRows,
) -> Result<std::result::Result<(), Box<Diagnostic>>> {
    let namespace = unless_stuck(ctx, "loading the file", import_file_once(ctx, path)).await?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let function = default_function(ctx, &namespace, &name)?;
    let Some(found) = declared(ctx, &namespace, &name)? else {
        let error = ScriptError::error(format!("{name} takes no input, so that there is nothing to give rows to"));
        return Err(error.hint("export const input = z.object({ city: z.string() });").throw(ctx));
    };
    if runs_here {
        // What is wrong with these is wrong for every row.
        let config = config(ctx, &namespace, &name, choice)?;
        set_mock(ctx, &namespace, &config, &name, choice)?;
        prepare(ctx, &function, &config)?;
    }
    let taken = Arc::new(InputShape { shape: found.shape, declaration: found.declaration });
    if let Err(problem) = rows.begin(taken.clone()) {
        return Ok(Err(problem));
    }
    let schema = match found.schema {
        // Compiled once.
        Schema::Json(object) => Schema::Plain(PlainSchema::new(to_json(ctx, object.as_value())?)),
        schema => schema,
    };
    let adds_defaults = matches!(schema, Schema::Plain(_));
    while let Some(mut input) = rows.next() {
        if adds_defaults {
            taken.declaration.add_defaults(&mut input);
        }
        let input = Json::Object(input);
        let checked = schema.check(ctx, revived(ctx, &taken.shape, &input)?).await?;
        let Json::Object(input) = input else { continue };
        rows.checked(checked.err().map(|problems| taken.declaration.problem_of_row(&input, &problems)));
    }
    Ok(Ok(()))
}
