//! `lmthing eval [PATHS]` (docs/reference/eval.md).

mod output;

use std::{
    num::NonZeroU64,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use jiff::Timestamp;

use self::output::EvalOutput;
use super::{prices::own_prices, rows_output::MAX_GROUPS};
use crate::cli::{
    ExitCode, Printer,
    env::{self, Environment},
    eval_args::{EvalArgs, EvalFormat},
    failure::{Ending, WrongUsage},
    interrupt::Interrupts,
};
use lmthing_base::{cost::OwnPrices, diagnostic::Diagnostic, permission::Permissions};
use lmthing_engine::{bindings::FileRun, prompt::RunError, session::CombinedLimits};
use lmthing_eval::{
    EvalOptions, EvalOutcome, PreparedEval,
    report::{Baseline, Evaluated, Gates, Look, Reports},
};
use lmthing_map::{BatchOptions, EarlyEnd};
use lmthing_providers::Redactor;
use lmthing_store::trace::page;
use lmthing_system::files::{self, FileKind, FileReporter, absolute};
use lmthing_testing::Mode;

pub(in crate::cli) fn run(args: &EvalArgs, printer: &Printer) -> ExitCode {
    // First, so that an early interrupt still prints a report.
    let interrupts = Interrupts::listen();
    interrupts.allow_slow_end();
    let environment = env::with_files(&std::env::current_dir().unwrap_or_default(), &args.files.env_file);
    let redactor = Redactor::of_variables(environment.variables.iter().map(|(name, value)| (name, value)));
    printer.keep_secret(&redactor);
    let fail = |ending: Ending| {
        ending.diagnostic.iter().for_each(|problem| printer.diagnostic(problem));
        ending.code
    };
    let command = match Command::of(args, environment, &redactor, printer) {
        Ok(command) => command,
        Err(error) => return fail(Ending::not_begun(error, &redactor)),
    };
    let mut output = EvalOutput::new(args, printer, interrupts);
    let failed = |error| Ending::of_run(&FileRun::Failed(error), None, None, &redactor);
    let prepared = match command.prepare(args, &mut output) {
        Ok(Some(prepared)) => prepared,
        Ok(None) => return output.interrupted_early(),
        Err(error) => {
            output.stop();
            return fail(failed(error));
        }
    };
    let mut code = ExitCode::Done;
    let mut outcomes = Vec::new();
    for eval in prepared {
        match eval.run(&mut output) {
            Ok(outcome) => {
                let ended = output.file_ended(&outcome);
                code = if code == ExitCode::Done { ended } else { code };
                let is_over = matches!(outcome.totals.early, Some(EarlyEnd::Interrupted(_) | EarlyEnd::Limit(_)));
                outcomes.push(outcome);
                if is_over {
                    code = ended;
                    break;
                }
            }
            Err(error) => {
                code = fail(failed(error));
                break;
            }
        }
    }
    output.stop();
    // What was answered is reported, even if a later file could not go on.
    if outcomes.is_empty() || report(args, &command, &outcomes, printer) || code != ExitCode::Done {
        return code;
    }
    ExitCode::File
}

/// What all eval files of the command share.
struct Command {
    files: Vec<PathBuf>,
    variables: Vec<(String, String)>,
    own_prices: OwnPrices,
    limits: Arc<CombinedLimits>,
    baseline: Option<Baseline>,
    gates: Gates,
    batch: Option<BatchOptions>,
}

impl Command {
    fn of(args: &EvalArgs, environment: Environment, redactor: &Redactor, printer: &Printer) -> anyhow::Result<Self> {
        if let Some(wrong) = environment.wrong {
            return Err(wrong.into());
        }
        let batch = args.batch.options(args.pool.output.is_some(), false)?;
        let own_prices = own_prices(&environment.variables, &FileReporter::default())?;
        let (files, problems) = eval_files(args)?;
        check_single(args, &files)?;
        check_baseline_stays(args)?;
        let baseline = args
            .baseline
            .as_deref()
            .map(|path| Baseline::read(path, redactor))
            .transpose()
            .map_err(|problem| *problem)?;
        if !args.pool.quiet {
            let problems = environment.problems.iter().chain(&problems);
            problems.for_each(|problem| printer.stderr(&format!("Warning: {problem}\n")));
        }
        Ok(Command {
            files,
            variables: environment.variables,
            own_prices,
            limits: CombinedLimits::new(args.limits.limits()),
            baseline,
            gates: Gates { fail_under: args.fail_under.clone(), fail_on_regression: args.fail_on_regression },
            batch,
        })
    }

    /// Loads and checks all eval files, before anything is asked. `None` if the user has interrupted it.
    fn prepare(&self, args: &EvalArgs, output: &mut EvalOutput<'_>) -> Result<Option<Vec<PreparedEval>>, Rc<RunError>> {
        let mut prepared = Vec::new();
        for file in &self.files {
            let Some(eval) = PreparedEval::new(self.options(args, file), output)? else { return Ok(None) };
            if let Some(baseline) = &self.baseline {
                let fits = baseline.check(&eval.file().scores, &eval.row_inputs());
                fits.map_err(|problem| Rc::new(RunError::from(*problem)))?;
            }
            prepared.push(eval);
        }
        let groups = prepared.iter().map(PreparedEval::group_count);
        let usage = |problem| Rc::new(RunError::Usage(problem));
        self.gates.check_groups(self.baseline.is_some(), groups).map_err(usage)?;
        let scores = prepared.iter().flat_map(|eval| eval.file().scores.iter().map(String::as_str));
        self.gates.check_names(scores).map_err(usage)?;
        Ok(Some(prepared))
    }

    fn options(&self, args: &EvalArgs, file: &Path) -> EvalOptions {
        EvalOptions {
            file: absolute(file),
            shown_file: file.display().to_string(),
            models: args.models.clone(),
            variants: (!args.variants.is_empty()).then(|| args.variants.clone()),
            repeat: args.repeat,
            sample: args.pool.sample.map(NonZeroU64::get),
            jobs: args.pool.jobs,
            max_errors: args.pool.max_errors,
            retries: args.pool.retries,
            out: args.pool.output.clone(),
            fresh: args.pool.fresh,
            limits: self.limits.clone(),
            batch: self.batch.clone(),
            recordings: match (args.record, args.live) {
                (true, true) => Mode::RecordAll,
                (true, false) => Mode::Record,
                (false, true) => Mode::Live,
                (false, false) => Mode::Replay,
            },
            own_prices: self.own_prices.clone(),
            variables: self.variables.clone(),
            permissions: Permissions::default(),
            mcp_config: args.files.mcp_config.as_deref().map(absolute),
            approve: args.approvals.rules(),
        }
    }
}

const NAMES: &str = "evals are in files that end in .eval.lmt.mjs, .eval.lmt.js, .eval.lmt.ts, .eval.lmt.mts";

/// The eval files of the command, and what could not be searched.
fn eval_files(args: &EvalArgs) -> anyhow::Result<(Vec<PathBuf>, Vec<String>)> {
    let found = files::find(&args.paths, NAMES).map_err(WrongUsage::from)?;
    let (evals, others): (Vec<_>, Vec<_>) =
        found.files.into_iter().partition(|file| FileKind::of(&file.path) == FileKind::Eval);
    if let Some(other) = others.iter().find(|file| file.is_named) {
        let message = format!("{} is no eval file", other.path.display());
        return Err(WrongUsage::new(message, NAMES).into());
    }
    if evals.is_empty() {
        let places: Vec<String> = args.paths.iter().map(|path| path.display().to_string()).collect();
        let place = if places.is_empty() { String::new() } else { format!(" in {}", places.join(", ")) };
        return Err(Diagnostic::new(format!("no eval file was found{place}")).with_hint(NAMES).into());
    }
    Ok((evals.into_iter().map(|file| file.path).collect(), found.problems))
}

/// Fails if options are used that fit one eval file only.
fn check_single(args: &EvalArgs, files: &[PathBuf]) -> Result<(), WrongUsage> {
    let given = [(args.pool.output.is_some(), "-o, --output"), (args.baseline.is_some(), "--baseline")];
    match (files, given.iter().find(|(is_given, _)| *is_given)) {
        ([_, second, ..], Some((_, option))) => {
            let message = format!("{option} is for one eval file, and there are {}", files.len());
            let hint = format!("name one of them: lmthing eval {} …", second.display());
            Err(WrongUsage::new(message, hint))
        }
        _ => Ok(()),
    }
}

/// Fails if the baseline would be written over: it would be the new results at the next command.
fn check_baseline_stays(args: &EvalArgs) -> Result<(), WrongUsage> {
    let (Some(out), Some(baseline)) = (&args.pool.output, &args.baseline) else { return Ok(()) };
    match out.canonicalize().ok().zip(baseline.canonicalize().ok()) {
        Some((out, baseline)) if out == baseline => {
            let message = format!("--output {}: it is the baseline too, and would be written over", out.display());
            Err(WrongUsage::new(message, "copy the baseline to another file, or name another file for the results"))
        }
        _ => Ok(()),
    }
}

/// Prints the report. Returns whether all is well.
fn report(args: &EvalArgs, command: &Command, outcomes: &[EvalOutcome], printer: &Printer) -> bool {
    let evaluated = outcomes.iter().map(|outcome| Evaluated {
        file: &outcome.file,
        rows: outcome.rows,
        cells: &outcome.cells,
        baseline: command.baseline.as_ref(),
        is_complete: outcome.is_complete(),
    });
    let reports = Reports::new(evaluated.collect(), &command.gates);
    let text = match args.format {
        EvalFormat::Pretty => {
            reports.pretty(Look { has_colours: printer.stdout_has_colours(), columns: printer.columns() })
        }
        EvalFormat::Json => reports.json(),
        EvalFormat::Markdown => reports.markdown(),
        EvalFormat::Csv => reports.csv(),
        EvalFormat::Html => page(&reports),
    };
    printer.text(&text);
    printer.flush();
    if args.format != EvalFormat::Pretty {
        // A report for people has them.
        let lines = reports.score_errors(MAX_GROUPS);
        lines.iter().for_each(|line| printer.stderr_wrapped(&format!("  {line}\n")));
    }
    for failure in &reports.failures {
        printer.diagnostic(&Diagnostic::new(failure.clone()));
    }
    reports.ok
}

fn page(reports: &Reports<'_>) -> String {
    let title = match &reports.evals[..] {
        [only] => only.file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned(),
        several => format!("{} evals", several.len()),
    };
    let data = reports.page_data(env!("CARGO_PKG_VERSION"), &Timestamp::now().to_string());
    page::fill(lmthing_runtime::EVAL, &title, &data).expect("the build script has made the page")
}
