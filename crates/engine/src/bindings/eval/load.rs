//! Loads an eval file, for an eval or for a check of it.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Function, Object, Result};

use super::{
    exports::{self, Exports, judge_model},
    outcome::{EvalExports, EvalRows},
    rows::{self, RowsExport},
    scoring::{self, NamedScore},
};
use crate::bindings::{
    inspect::{
        Fault, FaultSeverity, Inspection, NoModels, PathKey,
        exports::Faults,
        thrown_fault::{Phase, fault_of, halt_fault, load_fault, qualify, refusal_notes},
    },
    models::resolve::resolve,
    run::deadlock::detect_deadlock,
    services,
    values::call_async,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_node::{Engine, Halt, import_file_once, set_deadline, until_halted};

/// Why an eval file cannot be used.
#[derive(Debug)]
pub enum EvalFault {
    /// The file or its exports are wrong.
    File(Box<Fault>),
    /// The command does not fit the file, such as a limit on cost and a judge whose price is unknown.
    Usage(Box<Diagnostic>),
}

/// Loads an eval file, reads its exports and its rows, and keeps its scores for [`score_cells`](super::score_cells).
pub async fn load_eval_file(engine: &Engine, path: &Path) -> std::result::Result<EvalExports, EvalFault> {
    let load = async |ctx: Ctx<'_>| match until_halted(&ctx, load_in(&ctx, path)).await {
        Ok(loaded) => loaded,
        Err(halt) => {
            let exit = if let Halt::Exit(code) = &halt { Some(*code) } else { None };
            let mut fault = halt_fault(&ctx, halt, Phase::Load);
            if let Some(code) = exit {
                fault.message = format!("the eval file ends the process while it is loaded: process.exit({code})");
            }
            Err(EvalFault::File(Box::new(fault)))
        }
    };
    engine.context().async_with(load).await
}

async fn load_in(ctx: &Ctx<'_>, path: &Path) -> std::result::Result<EvalExports, EvalFault> {
    let failed = |fault: Fault| EvalFault::File(Box::new(fault));
    let namespace = detect_deadlock(ctx, "loading the file", import_file_once(ctx, path)).await;
    let namespace = namespace.map_err(|error| failed(load_fault(ctx, error)))?;
    let mut faults = Faults::new(ctx);
    let exports = exports::read(&mut faults, &namespace, path);
    first_error(&mut faults.list).map_or(Ok(()), |fault| Err(failed(fault)))?;
    let Exports { rows, variants, scores } = exports;
    let rows = match rows {
        Some(RowsExport::Read(rows)) => Some(rows),
        Some(RowsExport::Function(function)) => {
            returned_rows(ctx, &mut faults, &function, path).await.map_err(failed)?
        }
        None => None,
    };
    first_error(&mut faults.list).map_or(Ok(()), |fault| Err(failed(fault)))?;
    let Some(rows) = rows else {
        return Err(failed(Fault::error("export", &["rows"], "the rows cannot be read")));
    };
    check_prices(ctx, &scores)?;
    let names = scores.iter().map(|score| score.name.clone()).collect();
    // What is left are models without keys.
    let is_judge = |fault: &Fault| fault.place.first() == Some(&PathKey::Name("scores".to_owned()));
    let unusable_judge = faults.list.into_iter().find(is_judge).map(Box::new);
    scoring::keep_scores(ctx, scores).map_err(|error| failed(fault_of(ctx, error, "load")))?;
    Ok(EvalExports { rows, variants, scores: names, unusable_judge })
}

fn first_error(faults: &mut Vec<Fault>) -> Option<Fault> {
    let index = faults.iter().position(|fault| fault.severity == FaultSeverity::Error)?;
    Some(faults.swap_remove(index))
}

async fn returned_rows<'js>(
    ctx: &Ctx<'js>,
    faults: &mut Faults<'_, 'js>,
    function: &Function<'js>,
    path: &Path,
) -> std::result::Result<Option<EvalRows>, Fault> {
    let returned = detect_deadlock(ctx, "the function rows", call_async(function, ())).await;
    let returned = returned.map_err(|error| fault_of(ctx, error, "load"))?;
    Ok(rows::read_value(faults, &returned, path))
}

/// Refuses judges whose price is unknown, if there is a limit on cost.
fn check_prices<'js>(ctx: &Ctx<'js>, scores: &[NamedScore<'js>]) -> std::result::Result<(), EvalFault> {
    let check = || -> Result<std::result::Result<(), Box<Diagnostic>>> {
        let limits = services::limits(ctx)?;
        if !limits.has_cost() {
            return Ok(Ok(()));
        }
        for score in scores {
            let Some(model) = judge_model(&score.function)? else { continue };
            let checked = match resolve(ctx, &model, None) {
                Ok(model) => limits.check_prices(&model.model_identities()),
                // A judge without a key, which is perhaps not asked.
                Err(_) => {
                    ctx.catch();
                    continue;
                }
            };
            if checked.is_err() {
                return Ok(checked);
            }
        }
        Ok(Ok(()))
    };
    match check() {
        Ok(checked) => checked.map_err(EvalFault::Usage),
        Err(error) => Err(EvalFault::File(Box::new(fault_of(ctx, error, "load")))),
    }
}

/// Loads an eval file and checks its exports for `lmthing check`, which asks no model and calls no function of the file.
pub async fn inspect_eval_file(engine: &Engine, path: &Path, limit: Duration, no_models: &NoModels) -> Inspection {
    let inspect = async |ctx: Ctx<'_>| {
        let began = Instant::now();
        // A failure here only makes the inspection less thorough.
        let _ = set_deadline(&ctx, Some(began + limit));
        let ended = tokio::select! {
            biased;
            ended = until_halted(&ctx, inspect_in(&ctx, path)) => Some(ended),
            () = tokio::time::sleep(limit) => None,
        };
        let seconds = limit.as_secs_f64();
        let timed_out =
            || Fault::error(Phase::Load.code(), &[], format!("loading the file did not end within {seconds} s"));
        let (mut inspection, stop) = match ended {
            Some(Ok(Ok(inspection))) => (inspection, None),
            Some(Ok(Err(fault))) => (Inspection::default(), Some(fault)),
            Some(Err(halt)) => (Inspection::default(), Some(halt_fault(&ctx, halt, Phase::Load))),
            None => (Inspection::default(), Some(timed_out())),
        };
        let stop = stop.map(|fault| if began.elapsed() >= limit { timed_out() } else { fault });
        inspection.faults.extend(match stop {
            Some(fault) => qualify(&ctx, fault, no_models.was_called()),
            None => refusal_notes(&ctx, ""),
        });
        inspection
    };
    engine.context().async_with(inspect).await
}

async fn inspect_in<'js>(ctx: &Ctx<'js>, path: &Path) -> std::result::Result<Inspection, Fault> {
    let namespace: Object<'js> = detect_deadlock(ctx, "loading the file", import_file_once(ctx, path))
        .await
        .map_err(|error| load_fault(ctx, error))?;
    let mut faults = Faults::new(ctx);
    exports::read(&mut faults, &namespace, path);
    Ok(Inspection { faults: faults.list, models: faults.models, ..Inspection::default() })
}
