//! `lmthing resume` (docs/journal.md, "Going on"): which run, from where, and the command that it is once more.

mod decided;
mod ended;
mod found;

use std::{
    env,
    path::{Path, PathBuf},
};

use super::{
    journal::{self, Left, MCP_CONFIG, Resumed},
    run,
};
use crate::{
    check::lost_variables,
    cli::{
        ExitCode, Printer, approval_args::ApprovalArgs, args::RunArgs, before::Before, env::variables, failure::Ending,
        permission_args::PERMISSIONS, resume_args::ResumeArgs, setup_args::SetupArgs, show::Show,
    },
    event::{Events, RunSummary},
    journal::{EarlierRun, INVOCATION, Journal, RunInfo, RunStart, RunStatus},
    provider::Redactor,
};
use found::{check_states, lost_words, step_to_go_back_to, where_it_goes_on};

/// Goes on with a run.
pub(in crate::cli) fn run(args: &ResumeArgs, printer: &Printer) -> ExitCode {
    let directory = env::current_dir().unwrap_or_default();
    let (variables, _) = variables(&directory);
    let found = match find(args, &variables, &directory) {
        Ok(Found::Ended(found)) => {
            let (journal, run) = *found;
            ended::tell(args, &journal, &run, printer).map(|()| ExitCode::Done).map_err(anyhow::Error::from)
        }
        Ok(Found::Left(left, approvals)) => Ok(go_on(args, *left, approvals, &directory, printer)),
        Err(error) => Err(error),
    };
    found.unwrap_or_else(|error| refuse(args, error, &variables, printer))
}

/// What the run is that was asked for.
enum Found {
    /// One that has ended well.
    Ended(Box<(Journal, RunInfo)>),
    /// One to go on with.
    Left(Box<Left>, ApprovalArgs),
}

fn find(args: &ResumeArgs, variables: &[(String, String)], directory: &Path) -> anyhow::Result<Found> {
    let journal = Journal::open_trusted(&journal::path(args.journal.as_deref(), variables, directory))?;
    let run = journal.find(&args.id)?;
    if run.status == RunStatus::Done && args.from.is_none() {
        return Ok(Found::Ended(Box::new((journal, run))));
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
    let mut left = Left { journal, run, start, back_to, earlier };
    let approvals = decided::decide(&args.approvals, &left.run, &left.start, &mut left.earlier)?;
    Ok(Found::Left(Box::new(left), approvals))
}

fn go_on(args: &ResumeArgs, left: Left, approvals: ApprovalArgs, directory: &Path, printer: &Printer) -> ExitCode {
    let mut warnings = Vec::new();
    let command = RunArgs { approvals, ..first_command(args, &left.start, directory) };
    if env::set_current_dir(&left.start.directory).is_err() {
        let gone = left.start.directory.display();
        let here = directory.display();
        warnings
            .push(format!("the folder {gone}, where the run began, is gone; relative paths are looked up in {here}"));
    }
    warnings.extend(lost_words(&lost_variables(&left.start.file)));
    let progress = left.earlier.progress();
    let (id, notice) = match left.back_to {
        None => (left.run.id.clone(), where_it_goes_on(&left.run.id, &progress)),
        Some(step) => {
            let id = Events::new_name();
            let notice = format!("going back to step {step} of {} in the new run {id}", left.run.id);
            (id, notice)
        }
    };
    let is_for_programs = args.show.format.is_for_programs();
    let before = Before {
        run: id,
        agents: left.earlier.agents.clone(),
        step: progress.step,
        notice,
        summary: left.earlier.add_to_summary(if is_for_programs {
            RunSummary::with_text()
        } else {
            RunSummary::default()
        }),
        requests: left.earlier.requests,
        journal: args.journal.clone(),
        said: progress.last.map(|last| last.text).filter(|_| left.back_to.is_none()),
    };
    run::go_on(&command, printer, Resumed { before, left, warnings })
}

/// The command that the run was started with, as far as it counts once more.
fn first_command(args: &ResumeArgs, start: &RunStart, directory: &Path) -> RunArgs {
    // As it was named, unless that leads somewhere else now.
    let shown = PathBuf::from(&start.shown);
    let is_there = start.directory.join(&shown).canonicalize().is_ok_and(|file| file == start.file);
    let file = if is_there { shown } else { start.file.clone() };
    let env_file = match args.env_file.is_empty() {
        true => start.env_files.clone(),
        // Before the working directory is that of the run.
        false => args.env_file.iter().map(|file| directory.join(file)).collect(),
    };
    RunArgs {
        setup: SetupArgs {
            model: args.model.clone().or_else(|| start.model.clone()),
            mock: start.mock.clone().filter(|_| args.model.is_none()),
            env_file,
            mcp_config: start.options.get(MCP_CONFIG).and_then(serde_json::Value::as_str).map(PathBuf::from),
        },
        show: args.show,
        limits: args.limits.clone(),
        permissions: args.permissions.or_of(start.options.get(PERMISSIONS)),
        ..RunArgs::of(file, start.words.clone())
    }
}

/// Says why nothing goes on, in the form that was asked for.
fn refuse(args: &ResumeArgs, error: anyhow::Error, variables: &[(String, String)], printer: &Printer) -> ExitCode {
    let redactor = Redactor::of_variables(variables.iter().map(|(name, value)| (name, value)));
    let ending = Ending::not_begun(error, &redactor);
    Show::new(args.show, printer, &redactor, None).end(&ending);
    ending.code
}
