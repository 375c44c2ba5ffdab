//! `lmthing run FILE` (docs/reference/command-line.md and docs/reference/recordings.md): from arguments to the options
//! of a run.

use std::{path::Path, rc::Rc, time::Duration};

use anyhow::Context;

use crate::cli::{
    ExitCode, Printer,
    approvals::{approver, awaited_calls::WaitingRun},
    args::RunArgs,
    commands::{
        in_event_loop,
        input::{command_line, stored_input},
        journal::{ResumedRun, RunJournal, start},
        mock_file,
        prices::own_prices,
        prompt_file::{check_file, is_prompt_file},
        recording::RunRecording,
        remote,
        restrict::{CommandContext, folder_warnings, restricted},
        speaker::{MakeSpeaker, Speaker, SpeakerContext, saying},
        watch::WatchLoop,
    },
    env::{self, Environment},
    failure::{Ending, MODEL_OPTION, WrongUsage},
    interrupt::{self, Interrupts},
    script_host::TerminalHost,
    show::Show,
};
use lmthing_base::{
    chat::FinishReason,
    checkpoint::Checkpoints,
    cost::{LimitKind, LimitReached, RunUsage},
    diagnostic::Diagnostic,
    input::has_help_option,
    permission::{Permissions, Restricted},
};
use lmthing_engine::{
    bindings::{FileRun, ModelChoice},
    prompt::{RunError, RunLimits},
    session::{FileRunOptions, Meter, ModelOption, RunContext, run_file},
};
use lmthing_node::SCRIPT_STACK_SIZE;
use lmthing_providers::Redactor;
use lmthing_system::{
    files::{FileReporter, absolute},
    process::{exit_with_parent, exit_with_parent_id},
};

/// How long the work of an interrupted run may take to end.
const ABORT_TIME: Duration = Duration::from_secs(1);

pub(in crate::cli) fn run(args: &RunArgs, printer: &Printer) -> ExitCode {
    if let Some(on) = &args.remote.on {
        return remote::run(args, on, printer);
    }
    let is_help = args.words().is_ok_and(|words| has_help_option(&words));
    if args.watch && args.report_files.is_none() && !is_help {
        return watch(args).run_until_signal(printer);
    }
    let beginning = Beginning { speaker: saying(args.say.say.clone(), Vec::new()), ..Beginning::default() };
    in_event_loop(run_once(args, printer, beginning), printer)
}

/// Runs a file with messages of a speaker. `environment` is what was read already: a file of it may be a pipe.
pub(super) fn run_talk(
    args: &RunArgs,
    printer: &Printer,
    environment: Option<Environment>,
    speaker: MakeSpeaker,
) -> ExitCode {
    let beginning = Beginning { environment, speaker: Some(speaker), ..Beginning::default() };
    in_event_loop(run_once(args, printer, beginning), printer)
}

pub(super) fn resume_run(
    args: &RunArgs,
    printer: &Printer,
    resumed: ResumedRun,
    speaker: Option<MakeSpeaker>,
) -> ExitCode {
    in_event_loop(run_once(args, printer, Beginning { resumed: Some(resumed), speaker, environment: None }), printer)
}

fn watch(args: &RunArgs) -> WatchLoop {
    let mut files = vec![args.file().to_owned()];
    files.extend(
        args.setup.env_file.iter().chain(&args.setup.mock).chain(&args.replay).chain(&args.setup.mcp_config).cloned(),
    );
    WatchLoop { command: "run", run: "the run", again: "running again", files, is_quiet: args.show.quiet }
}

/// What a run begins with, apart from its arguments.
#[derive(Default)]
struct Beginning {
    resumed: Option<ResumedRun>,
    speaker: Option<MakeSpeaker>,
    environment: Option<Environment>,
}

async fn run_once(args: &RunArgs, printer: &Printer, beginning: Beginning) -> ExitCode {
    let Beginning { resumed, speaker, environment } = beginning;
    if args.report_files.is_some() {
        exit_with_parent();
    }
    if let Some(server) = args.served_by {
        exit_with_parent_id(server);
    }
    // First, so that an early interrupt still prints a report.
    let mut interrupts = Interrupts::listen();
    let directory = std::env::current_dir().unwrap_or_default();
    let environment = environment.unwrap_or_else(|| env::with_files(&directory, &args.setup.env_file));
    let redactor = Redactor::of_variables(environment.variables.iter().map(|(name, value)| (name, value)));
    printer.keep_secret(&redactor);
    let show =
        Rc::new(Show::new(args.show, printer, &redactor, resumed.as_ref().map(|resumed| resumed.resume_state.clone())));
    // Before anything is stored: the exporter adds secrets to the redactor.
    show.export(&environment.variables, &redactor);
    let typed = args.journal.clone().flatten();
    let typed = typed.or_else(|| resumed.as_ref().and_then(|resumed| resumed.resume_state.journal.clone()));
    let journal = match resumed {
        Some(resumed) => RunJournal::of_resumed(resumed, &redactor, &show),
        None => RunJournal::new(args, &environment.variables, &directory, &redactor, &show),
    };
    show.begin(args.file());
    let prepared = prepare_or_end(args, environment, (&show, &journal), &redactor, &mut interrupts).await;
    let ending = match prepared {
        Ok((options, recording)) => {
            let recorder = journal.recorder.clone();
            let context = SpeakerContext { show: show.clone(), recorder, redactor: redactor.clone() };
            let speaker = speaker.map(|make| make(context));
            let ending = run_until_end((args, options), speaker, (&show, &journal), &redactor, &mut interrupts).await;
            let ending = journal.flush_at_end(ending, &show, &mut interrupts).await;
            let ended_well = i32::from(ending.code) == 0 && !ending.is_output_closed;
            if let Some(warning) = recording.close(ended_well, !ending.is_replay_failure) {
                show.events.warn(warning);
            }
            ending
        }
        Err(ending) => ending,
    };
    let ending =
        ending.of_waiting_run(WaitingRun { id: show.events.run(), is_chat: args.is_chat, journal: typed.as_deref() });
    interrupts.ignore();
    interrupt::claim_report_or_wait(ending.code);
    show.end(&ending);
    let recorder = &journal.recorder;
    if goes_on_later(args, ending.code, &show) && recorder.is_in_journal() && recorder.why_not_resumable().is_none() {
        show.tell_how_to_go_on(typed.as_deref(), args.is_chat, matches!(ending.code, ExitCode::Interrupted(_)));
    }
    match journal.problem(ending.code, &show).await {
        Some(problem) if ending.code == ExitCode::Done => {
            printer.diagnostic(&problem);
            ExitCode::File
        }
        _ => ending.code,
    }
}

/// Whether the user wants to know how the run goes on.
fn goes_on_later(args: &RunArgs, code: ExitCode, show: &Show) -> bool {
    match code {
        ExitCode::Waiting => false,
        // A person may go on with a conversation that has ended well.
        ExitCode::Done => args.is_chat && show.printer.stderr_is_terminal() && show.finish_reason().is_some(),
        // A mistyped command is no conversation yet.
        ExitCode::Usage => !args.is_chat,
        _ => true,
    }
}

/// Prepares the run; an interrupt or the limit of time ends it before it has begun.
async fn prepare_or_end(
    args: &RunArgs,
    environment: Environment,
    show_and_journal: (&Rc<Show>, &RunJournal),
    redactor: &Redactor,
    interrupts: &mut Interrupts,
) -> Result<(FileRunOptions, Rc<RunRecording>), Ending> {
    check_file(args.file())
        .map_err(|error| Ending::not_begun(with_journal_hint(args, error), redactor).in_file(args.file()))?;
    tokio::select! {
        biased;
        prepared = prepare(args, environment, show_and_journal, redactor) => {
            prepared.map_err(|error| Ending::not_begun(error, redactor))
        }
        // Another process may keep the journal locked.
        signal = interrupts.next() => Err(Ending::interrupted(signal)),
        limit = time_limit(args) => Err(Ending::of_limit(limit)),
    }
}

/// Resolves when the run has used up its time before it has begun.
async fn time_limit(args: &RunArgs) -> LimitReached {
    let Some(time) = args.limits.limits().time else { return std::future::pending().await };
    tokio::time::sleep(time).await;
    let seconds = time.as_secs_f64();
    let message = format!("the run reached its time limit of {seconds} s before its journal could be opened");
    LimitReached { kind: LimitKind::Time, next: 0.0, message }
}

/// Adds a hint if the user has probably written `--journal PATH` without the equals sign.
fn with_journal_hint(args: &RunArgs, error: anyhow::Error) -> anyhow::Error {
    let file = args.file();
    match error.downcast::<Diagnostic>() {
        Ok(problem) if args.journal == Some(None) && !args.is_chat && !is_prompt_file(file) => {
            problem.with_hint(format!("to name the journal, write --journal={}", file.display())).into()
        }
        Ok(problem) => problem.into(),
        Err(error) => error,
    }
}

async fn prepare(
    args: &RunArgs,
    environment: Environment,
    (show, journal): (&Rc<Show>, &RunJournal),
    redactor: &Redactor,
) -> anyhow::Result<(FileRunOptions, Rc<RunRecording>)> {
    for problem in environment.problems {
        show.events.warn(problem);
    }
    if let Some(wrong) = environment.wrong {
        return Err(wrong.into());
    }
    journal.warnings.iter().for_each(|warning| show.events.warn(warning));
    args.check_stop()?;
    let reporter = reporter(args)?;
    let model = mock_file::chosen_model(&args.setup)?;
    let recording = Rc::new(RunRecording::open(args, redactor)?);
    let file = absolute(args.file());
    let argv = argv(args, &file)?;
    journal.recorder.set_start(start(args, &file, args.words()?, argv.clone()));
    let rights = args.permissions.rights(args.file(), &environment.variables)?;
    // Limits of a conversation hold for one process of it.
    let used = if args.is_chat { RunUsage::default() } else { journal.used };
    let meter =
        Meter::after(used, args.limits.limits(), own_prices(&environment.variables, &reporter)?).interruptible();
    let mut options = FileRunOptions {
        exchanges: recording.exchanges.clone(),
        redactor: redactor.clone(),
        host: Rc::new(TerminalHost {
            show: show.clone(),
            redactor: redactor.clone(),
            recording: recording.clone(),
            reporter: reporter.clone(),
        }),
        approver: approver(args, show.printer.clone(), redactor.clone()),
        checkpoints: journal.recorder.clone(),
        meter: Rc::new(if args.asked.is_some() { meter.without_file() } else { meter }),
        events: show.events.clone(),
        line: match &journal.input {
            Some(input) => stored_input(args, input),
            None => command_line(args, &reporter)?,
        },
        argv,
        variables: environment.variables,
        model,
        max_stack_size: SCRIPT_STACK_SIZE,
        context: RunContext { mcp_config: mcp_config(args), ..RunContext::default() },
    };
    // Last, so that a wrong command creates no journal.
    if args.journal.is_some() {
        journal.recorder.open_required().await?;
    }
    if let Some(rights) = rights {
        options.context.permissions = restrict(args, rights, (show, journal), &options.variables)?;
    }
    Ok((options, recording))
}

fn restrict(
    args: &RunArgs,
    rights: Restricted,
    (show, journal): (&Show, &RunJournal),
    variables: &[(String, String)],
) -> Result<Permissions, WrongUsage> {
    let context = CommandContext {
        file: args.file(),
        arguments: &args.words()?,
        setup: &args.setup,
        record: args.record.as_deref(),
        replay: args.replay.as_deref(),
        written: &[],
        journal: journal.recorder.path(),
        variables,
    };
    let permissions = restricted(rights, context);
    folder_warnings(&permissions).into_iter().for_each(|warning| show.events.warn(warning));
    Ok(permissions)
}

/// Absolute, as a script may change the working directory.
fn mcp_config(args: &RunArgs) -> Option<Rc<Path>> {
    args.setup.mcp_config.as_deref().map(|path| absolute(path).into())
}

/// Runs the file until it ends, a signal arrives, or standard output is closed. A conversation may load it several times.
async fn run_until_end(
    (args, mut options): (&RunArgs, FileRunOptions),
    speaker: Option<Rc<dyn Speaker>>,
    show_and_journal: (&Show, &RunJournal),
    redactor: &Redactor,
    interrupts: &mut Interrupts,
) -> Ending {
    let (show, journal) = show_and_journal;
    let meter = options.meter.clone();
    interrupt::end_when_late(meter.clock(), show.end_report(journal.recorder.last_entry()));
    if let Some(speaker) = &speaker {
        options.context.turns = Some(speaker.clone());
        options.context.process_continues = args.is_chat;
    }
    let ending = loop {
        let (file, again) = (absolute(args.file()), options.clone());
        let end = match until_ended(&file, options, show_and_journal, interrupts).await {
            Ok(end) => end,
            Err(ending) => break ending,
        };
        match speaker.as_ref().filter(|speaker| speaker.takes_reload()) {
            Some(speaker) => options = loaded_again(args, again, &**speaker, journal),
            None => break ending_of(args, &end, show.finish_reason(), redactor),
        }
    };
    meter.close();
    ending
}

fn ending_of(args: &RunArgs, end: &FileRun, last: Option<FinishReason>, redactor: &Redactor) -> Ending {
    let option = args.asked.unwrap_or(Some(MODEL_OPTION));
    let model = args.setup.model.as_deref().zip(option).map(|(name, option)| ModelOption { name, option });
    let ending = Ending::of_run(end, last, model, redactor);
    if args.asked.is_some() { ending.of_question() } else { ending }
}

/// The options to load the file of a conversation again. Its input is not read a second time.
fn loaded_again(
    args: &RunArgs,
    options: FileRunOptions,
    speaker: &dyn Speaker,
    journal: &RunJournal,
) -> FileRunOptions {
    let input = journal.input.clone().or_else(|| journal.recorder.input());
    FileRunOptions {
        line: input.map_or(options.line.clone(), |input| stored_input(args, &input)),
        model: speaker.model().map(ModelChoice::Named).or_else(|| options.model.clone()),
        ..options
    }
}

async fn until_ended(
    file: &Path,
    options: FileRunOptions,
    (show, journal): (&Show, &RunJournal),
    interrupts: &mut Interrupts,
) -> Result<FileRun, Ending> {
    let (meter, is_for_programs) = (options.meter.clone(), show.is_for_programs());
    let mut run = Box::pin(run_file(file, options));
    let ending = tokio::select! {
        biased;
        () = show.printer.closed() => Ending::output_closed(),
        signal = interrupts.next() => {
            // Tools see it in their abort signals, and servers that their calls are cancelled.
            meter.fail(RunError::Aborted);
            let _ = tokio::time::timeout(ABORT_TIME, &mut run).await;
            Ending::interrupted(signal)
        }
        end = &mut run => {
            match &end {
                // Programs that read standard output do not expect a help text.
                FileRun::Help(text) if is_for_programs => show.printer.stderr(text),
                FileRun::Help(text) => show.printer.script_stdout(text),
                _ => {}
            }
            return Ok(end);
        }
        () = show.printer.flush_when_idle() => unreachable!("writing never ends by itself"),
        () = journal.recorder.keep_writing() => unreachable!("writing down never ends by itself"),
        () = show.progress.tick() => unreachable!("the progress line never ends by itself"),
    };
    // The process exits soon: dropping an unfinished run would only take time.
    std::mem::forget(run);
    Err(ending)
}

fn reporter(args: &RunArgs) -> anyhow::Result<FileReporter> {
    let report = args.report_files.as_deref();
    FileReporter::to(report).with_context(|| format!("cannot write {}", report.unwrap_or(Path::new("")).display()))
}

/// `process.argv`: program, file, arguments of the file.
fn argv(args: &RunArgs, file: &Path) -> Result<Vec<String>, WrongUsage> {
    let program = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_else(|_| "lmthing".into());
    // A `--` directly after the file is not passed on.
    let words = args.words()?;
    let words = words.strip_prefix(&["--".to_owned()]).unwrap_or(&words);
    Ok([program, file.display().to_string()].into_iter().chain(words.iter().cloned()).collect())
}
