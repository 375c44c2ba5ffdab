//! `lmthing map FILE --input ROWS` (docs/reference/map.md).

mod output;

use std::{
    num::NonZeroU64,
    path::{Component, Path, PathBuf},
};

use super::{
    journal, mock_file,
    prices::own_prices,
    prompt_file::check_file,
    restrict::{CommandContext, restricted},
};
use crate::cli::{
    ExitCode, Printer,
    env::{self, Environment},
    failure::{Ending, MODEL_OPTION, WrongUsage},
    interrupt::Interrupts,
    map_args::{MapArgs, MapFormat},
    remote_args::refuse_local_options,
};
use lmthing_base::permission::Permissions;
use lmthing_engine::{
    bindings::{FileRun, ModelChoice},
    session::{CombinedLimits, ModelOption, SharedModel},
};
use lmthing_map::{Format, MapOptions, PoolOptions, RemoteService, Source, Unit, cancel_batches, followed, run_map};
use lmthing_providers::Redactor;
use lmthing_system::files::FileReporter;
use output::MapOutput;

pub(in crate::cli) fn run(args: &MapArgs, printer: &Printer) -> ExitCode {
    // First, so that an early interrupt still prints a summary.
    let interrupts = Interrupts::listen();
    interrupts.allow_slow_end();
    let environment = env::with_files(&std::env::current_dir().unwrap_or_default(), &args.setup.env_file);
    let redactor = Redactor::of_variables(environment.variables.iter().map(|(name, value)| (name, value)));
    printer.keep_secret(&redactor);
    let fail = |ending: Ending| {
        ending.diagnostic.iter().for_each(|problem| printer.diagnostic(problem));
        ending.code
    };
    if let Some(out) = &args.cancel {
        let mut output = MapOutput::new(args, printer, interrupts);
        return cancel(out, environment, &mut output, &redactor).unwrap_or_else(|ending| {
            output.stop();
            fail(*ending)
        });
    }
    let options = check_file(args.file()).and_then(|()| options(args, environment, printer));
    let options = match options {
        Ok(options) => options,
        Err(error) => return fail(Ending::not_begun(error, &redactor)),
    };
    let mut output = MapOutput::new(args, printer, interrupts);
    match run_map(options, &mut output) {
        Ok(totals) => output.end(&totals),
        Err(error) => {
            output.stop();
            let model = args.setup.model.as_deref().map(|name| ModelOption { name, option: MODEL_OPTION });
            fail(Ending::of_run(&FileRun::Failed(error), None, model, &redactor))
        }
    }
}

/// Cancels the batches that are under way.
fn cancel(
    out: &Path,
    environment: Environment,
    output: &mut MapOutput<'_>,
    redactor: &Redactor,
) -> Result<ExitCode, Box<Ending>> {
    if let Some(wrong) = environment.wrong {
        return Err(Box::new(Ending::not_begun(wrong.into(), redactor)));
    }
    let cancelled = cancel_batches(out, &environment.variables, output)
        .map_err(|error| Box::new(Ending::of_run(&FileRun::Failed(error), None, None, redactor)))?;
    Ok(output.cancelled(&cancelled, out))
}

fn options(args: &MapArgs, environment: Environment, printer: &Printer) -> anyhow::Result<MapOptions> {
    if let Some(wrong) = environment.wrong {
        return Err(wrong.into());
    }
    let batch = args.batch.options(args.pool.output.is_some(), args.remote.on.is_some())?;
    let server = remote_service(args)?;
    if !args.pool.quiet {
        environment.problems.iter().for_each(|problem| printer.stderr(&format!("Warning: {problem}\n")));
    }
    let variables = environment.variables;
    let model = match mock_file::chosen_model(&args.setup)? {
        Some(ModelChoice::Named(name)) => Some(SharedModel::Named(name)),
        Some(ModelChoice::Mock { items, place }) => Some(SharedModel::Mock(items, place)),
        Some(ModelChoice::Object { .. }) | None => None,
    };
    let (own_prices, rows) = (own_prices(&variables, &FileReporter::default())?, source(args)?);
    // Last: this may confine the process to what the file may access.
    let permissions = permissions(args, &variables)?;
    Ok(MapOptions {
        file: lmthing_system::files::absolute(args.file()),
        shown_file: args.file().display().to_string(),
        rows,
        settings: args.set.clone(),
        out: output(args)?,
        format: match args.format {
            MapFormat::Jsonl => Format::JsonLines,
            MapFormat::Csv => Format::Csv,
        },
        unordered: args.unordered,
        sample: args.pool.sample.map(NonZeroU64::get),
        fresh: args.pool.fresh,
        model,
        server,
        pool: PoolOptions {
            unit: Unit::Row,
            jobs: args.pool.jobs,
            max_errors: args.pool.max_errors,
            retries: args.pool.retries,
            limits: CombinedLimits::new(args.limits.limits()),
            own_prices,
            variables,
            permissions,
            mcp_config: args.setup.mcp_config.as_deref().map(lmthing_system::files::absolute),
            approve: args.approvals.rules(),
            batch,
            keeps_records: false,
        },
    })
}

fn remote_service(args: &MapArgs) -> Result<Option<RemoteService>, WrongUsage> {
    let Some(address) = args.remote.on.clone() else { return Ok(None) };
    refuse_local_options(args.setup.local_options().into_iter().chain(args.approvals.local_options()))?;
    Ok(Some(RemoteService { address, service: args.remote.service(args.file()) }))
}

fn source(args: &MapArgs) -> Result<Source, WrongUsage> {
    match (&args.each, &args.input) {
        (Some(pattern), _) => Ok(Source::Each(pattern.clone())),
        (None, Some(path)) if path == Path::new("-") => {
            use std::io::IsTerminal;
            if std::io::stdin().is_terminal() {
                let hint = "pipe rows into the command, or name a file";
                return Err(WrongUsage::new("--input: - is standard input, and nothing is piped into it", hint));
            }
            Ok(Source::StandardInput)
        }
        (None, path) => Ok(Source::File(path.clone().unwrap_or_default())),
    }
}

/// Fails if the file cannot be written.
fn output(args: &MapArgs) -> Result<Option<PathBuf>, WrongUsage> {
    let Some(out) = &args.pool.output else { return Ok(None) };
    let wrong = |what: &str, hint: &str| Err(WrongUsage::new(format!("--output {}: {what}", out.display()), hint));
    let Ok(real) = followed(out) else {
        return wrong("it is a link that leads nowhere", "remove it, or name the file itself");
    };
    if real.is_dir() {
        return wrong("it is a folder", "name a file in it");
    }
    if real.exists() && !real.is_file() {
        return wrong("it is no regular file", "without --output, results are printed");
    }
    Ok(Some(real))
}

/// The permissions of the file. For a restricted file this also confines the process.
fn permissions(args: &MapArgs, variables: &[(String, String)]) -> Result<Permissions, WrongUsage> {
    let Some(rights) = args.permissions.rights(args.file(), variables)? else { return Ok(Permissions::default()) };
    let folder = |file: &Path| lmthing_system::files::absolute(file).parent().map(Path::to_owned);
    let each = args.each.as_deref().map(Path::new).and_then(|pattern| {
        let is_plain = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
        folder(&pattern.components().take_while(is_plain).collect::<PathBuf>().join("x"))
    });
    // As `@PATH` and `-` arguments that name files to read.
    let read = args.input.iter().cloned().chain(each);
    let read: Vec<String> = read.map(|path| format!("@{}", path.display())).collect();
    let context = CommandContext {
        file: args.file(),
        arguments: &read,
        setup: &args.setup,
        record: args.pool.output.as_deref(),
        replay: None,
        // For copied rows and spilled results.
        written: &[std::env::temp_dir()],
        journal: &journal::path(None, variables, &std::env::current_dir().unwrap_or_default()),
        variables,
    };
    Ok(restricted(rights, context))
}
