//! `lmthing resume` (docs/reference/resume.md): finds the run and the step, and rebuilds the command that started
//! it.

mod decisions;
mod finished;
mod position;

use std::{
    env,
    path::{Path, PathBuf},
};

use super::{
    journal::{self, MCP_CONFIG, ResumedRun, UnfinishedRun},
    run,
    speaker::{MakeSpeaker, saying},
};
use crate::cli::{
    ExitCode, Printer,
    approval_args::{ApprovalArgs, DecisionArgs},
    args::RunArgs,
    chat_args::ChatArgs,
    env::variables,
    failure::Ending,
    permission_args::PERMISSIONS,
    resume_args::ResumeArgs,
    resume_state::ResumeState,
    say_args::SayArgs,
    setup_args::SetupArgs,
    show::Show,
};
use lmthing_base::{
    checkpoint::UserSettings,
    event::{Events, RunSummary},
};
use lmthing_check::lost_variables;
use lmthing_providers::Redactor;
use lmthing_store::journal::{EarlierRun, INVOCATION, Journal, JournalError, RunInfo, RunStatus, SAY};
use position::{check_states, lost_variables_warning, step_to_go_back_to, where_it_goes_on};

pub(in crate::cli) fn run(args: &ResumeArgs, printer: &Printer) -> ExitCode {
    let directory = env::current_dir().unwrap_or_default();
    let (variables, _) = variables(&directory);
    let found = match find(args, (&|journal| journal.find(&args.id), !args.say.say.is_empty()), &variables, &directory)
    {
        Ok(ResumeTarget::Finished(found)) => {
            let (journal, run) = *found;
            finished::report(args, &journal, &run, printer).map(|()| ExitCode::Done).map_err(anyhow::Error::from)
        }
        Ok(ResumeTarget::Unfinished(unfinished, approvals)) => {
            let command = RunArgs { approvals, ..first_command(args, &unfinished, &directory) };
            let known = texts_left(&unfinished);
            // A command that is given again does not say its texts twice.
            let new = if known.ends_with(&args.say.say) { Vec::new() } else { args.say.say.clone() };
            let speaker = match unfinished.back_to {
                Some(_) => saying(Vec::new(), [known, new].concat()),
                None => saying(known, new),
            };
            let code = resume_run((args, &command), *unfinished, speaker, &directory, printer);
            if code == ExitCode::Waiting && !args.say.say.is_empty() && !args.show.quiet {
                printer.stderr("The message of --say is kept: it is asked when the run has gone on.\n");
            }
            Ok(code)
        }
        Err(error) => Err(error),
    };
    found.unwrap_or_else(|error| refuse(args, error, &variables, printer))
}

enum ResumeTarget {
    Finished(Box<(Journal, RunInfo)>),
    Unfinished(Box<UnfinishedRun>, ApprovalArgs),
}

type FindRun<'a> = &'a dyn Fn(&Journal) -> Result<RunInfo, JournalError>;

/// `goes_on` says whether a run that has ended well goes on.
fn find(
    args: &ResumeArgs,
    (find_run, goes_on): (FindRun<'_>, bool),
    variables: &[(String, String)],
    directory: &Path,
) -> anyhow::Result<ResumeTarget> {
    let journal = Journal::open_trusted(&journal::path(args.journal.as_deref(), variables, directory))?;
    let run = find_run(&journal)?;
    if run.status == RunStatus::Done && args.from.is_none() && !goes_on {
        return Ok(ResumeTarget::Finished(Box::new((journal, run))));
    }
    if args.from.is_none() {
        run.check_not_running()?;
    }
    let start = journal.start(&run)?;
    if let Some(why) = &start.not_resumable {
        anyhow::bail!("the run {} cannot be resumed: {why}", run.id);
    }
    if let Some(invocation) = start.options.get(INVOCATION).and_then(serde_json::Value::as_str)
        && args.from.is_none()
    {
        anyhow::bail!("the run {} belongs to the invocation {invocation} of Restate, which goes on with it", run.id);
    }
    let earlier = EarlierRun::read(&journal, &run, None)?;
    let progress = earlier.progress();
    let back_to = args.from.as_ref().map(|word| step_to_go_back_to(word, &run.id, &progress)).transpose()?;
    let earlier = match back_to {
        Some(_) => EarlierRun::read(&journal, &run, back_to)?,
        None => {
            check_states(&run.id, &progress)?;
            earlier
        }
    };
    let mut unfinished = UnfinishedRun { journal, run, start, back_to, earlier };
    let approvals = decisions::decide(&args.approvals, &unfinished.run, &unfinished.start, &mut unfinished.earlier)?;
    Ok(ResumeTarget::Unfinished(Box::new(unfinished), approvals))
}

fn resume_run(
    (args, command): (&ResumeArgs, &RunArgs),
    unfinished: UnfinishedRun,
    speaker: Option<MakeSpeaker>,
    directory: &Path,
    printer: &Printer,
) -> ExitCode {
    let mut warnings = Vec::new();
    if env::set_current_dir(&unfinished.start.directory).is_err() {
        let gone = unfinished.start.directory.display();
        let here = directory.display();
        warnings
            .push(format!("the folder {gone}, where the run began, is gone; relative paths are looked up in {here}"));
    }
    warnings.extend(lost_variables_warning(&lost_variables(&unfinished.start.file)));
    let progress = unfinished.earlier.progress();
    let (id, notice) = match unfinished.back_to {
        None => (unfinished.run.id.clone(), where_it_goes_on(&unfinished.run.id, &progress)),
        Some(step) => {
            let id = Events::new_name();
            let notice = format!("going back to step {step} of {} in the new run {id}", unfinished.run.id);
            (id, notice)
        }
    };
    let is_for_programs = args.show.format.is_for_programs();
    let resume_state = ResumeState {
        run: id,
        agents: unfinished.earlier.agents.clone(),
        step: progress.step,
        notice,
        summary: unfinished.earlier.add_to_summary(if is_for_programs {
            RunSummary::with_text()
        } else {
            RunSummary::default()
        }),
        requests: unfinished.earlier.requests,
        journal: args.journal.clone(),
        last_text: progress.last.map(|last| last.text).filter(|_| {
            // The answers of a conversation were shown when they were complete.
            unfinished.back_to.is_none() && (speaker.is_none() || progress.is_answered || progress.is_unseen)
        }),
    };
    run::resume_run(command, printer, ResumedRun { resume_state, unfinished, warnings }, speaker)
}

/// The texts of `--say` of earlier commands that were not said.
fn texts_left(unfinished: &UnfinishedRun) -> Vec<String> {
    let texts = unfinished.start.options.get(SAY).and_then(serde_json::Value::as_array).into_iter().flatten();
    let texts = texts.filter_map(serde_json::Value::as_str).map(str::to_owned);
    unfinished.earlier.texts_to_say(texts.collect())
}

/// The command that started the run, with the options of this one.
fn first_command(args: &ResumeArgs, unfinished: &UnfinishedRun, directory: &Path) -> RunArgs {
    let start = &unfinished.start;
    let model = args.model.clone().or_else(|| unfinished.earlier.settings.model.clone());
    // As the user typed it, unless that path leads to another file now.
    let shown = PathBuf::from(&start.shown);
    let is_there = start.directory.join(&shown).canonicalize().is_ok_and(|file| file == start.file);
    let file = if is_there { shown } else { start.file.clone() };
    let env_file = match args.env_file.is_empty() {
        true => start.env_files.clone(),
        // Before the working directory changes to that of the run.
        false => args.env_file.iter().map(|file| directory.join(file)).collect(),
    };
    RunArgs {
        setup: SetupArgs {
            mock: start.mock.clone().filter(|_| model.is_none()),
            model: model.or_else(|| start.model.clone()),
            env_file,
            mcp_config: start.options.get(MCP_CONFIG).and_then(serde_json::Value::as_str).map(PathBuf::from),
        },
        show: args.show,
        limits: args.limits.clone(),
        permissions: args.permissions.or_stored(start.options.get(PERMISSIONS)),
        ..RunArgs::of(file, start.words.clone())
    }
}

/// Goes on with a run as a conversation. `user` makes its user, from what was set in an earlier process and the model of `-m`.
pub(super) fn resume_chat(
    args: &ChatArgs,
    id: &str,
    printer: &Printer,
    user: fn(Option<UserSettings>, Option<String>) -> MakeSpeaker,
) -> ExitCode {
    let directory = env::current_dir().unwrap_or_default();
    let (variables, _) = variables(&directory);
    let setup = &args.setup;
    let args = ResumeArgs {
        from: None,
        say: SayArgs::default(),
        model: args.setup.model.clone(),
        env_file: args.setup.env_file.clone(),
        show: args.show,
        limits: args.limits.clone(),
        approvals: DecisionArgs {
            approve: args.approvals.approved.approve.clone(),
            deny: args.deny.clone(),
            yes: args.approvals.approved.yes,
            on_approval: args.approvals.on_approval,
        },
        permissions: args.permissions.clone(),
        journal: args.journal.clone(),
        id: id.to_owned(),
    };
    let find_run = |journal: &Journal| match id {
        "last" => journal.last_conversation(),
        id => journal.find(id),
    };
    match find(&args, (&find_run, true), &variables, &directory) {
        Ok(ResumeTarget::Unfinished(unfinished, approvals)) => {
            let command = first_command(&args, &unfinished, &directory);
            let absolute = |path: &PathBuf| directory.join(path);
            let mock = setup.mock.as_ref().map(absolute);
            let mut settings = unfinished.earlier.settings.clone();
            // A mock takes the place of every other model.
            settings.model = settings.model.filter(|_| mock.is_none());
            let command = RunArgs {
                approvals,
                is_chat: true,
                setup: SetupArgs {
                    model: command.setup.model.filter(|_| mock.is_none()),
                    mock: mock.or(command.setup.mock),
                    mcp_config: setup.mcp_config.as_ref().map(absolute).or(command.setup.mcp_config),
                    env_file: command.setup.env_file,
                },
                ..command
            };
            let speaker = user(Some(settings), args.model.clone());
            resume_run((&args, &command), *unfinished, Some(speaker), &directory, printer)
        }
        Ok(ResumeTarget::Finished(_)) => unreachable!("a conversation goes on after its end"),
        Err(error) => refuse(&args, error, &variables, printer),
    }
}

fn refuse(args: &ResumeArgs, error: anyhow::Error, variables: &[(String, String)], printer: &Printer) -> ExitCode {
    let redactor = Redactor::of_variables(variables.iter().map(|(name, value)| (name, value)));
    let ending = Ending::not_begun(error, &redactor);
    Show::new(args.show, printer, &redactor, None).end(&ending);
    ending.code
}
