//! `lmthing approve` (docs/reference/remote.md): decides on calls that wait at a Restate server; lists them, and those of
//! runs in the journal.

mod stored_calls;

use std::path::PathBuf;

use serde_json::json;

use super::{in_event_loop, journal};
use crate::cli::{
    ExitCode, Printer,
    approvals::awaited_calls::argument_lines,
    approve_args::{ApproveArgs, Decided},
    env,
    failure::{Ending, WrongUsage},
};
use lmthing_base::diagnostic::{Diagnostic, escape_invisible};
use lmthing_providers::Redactor;
use lmthing_system::{
    process::shell_quoted,
    remote::{Address, AdminClient, INGRESS_VARIABLE, IngressClient, PendingCall, RemoteError, read_address},
};

use stored_calls::StoredCall;

type Variables = [(String, String)];

pub(in crate::cli) fn run(args: &ApproveArgs, printer: &Printer) -> ExitCode {
    let (variables, problems) = env::variables(&std::env::current_dir().unwrap_or_default());
    let redactor = Redactor::of_variables(variables.iter().map(|(name, value)| (name, value)));
    printer.keep_secret(&redactor);
    problems.iter().for_each(|problem| printer.stderr(&format!("Warning: {problem}\n")));
    let asked = async {
        let on = check(args, &variables)?;
        match (&args.id, args.decision) {
            (Some(id), Some(decision)) => decide(args, &on, (id, decision), &variables, printer).await,
            _ => list(args, &on, &variables, printer).await,
        }
    };
    let run = async {
        match asked.await {
            Ok(()) => ExitCode::Done,
            Err(error) => {
                let ending = Ending::not_begun(error, &redactor);
                ending.diagnostic.iter().for_each(|problem| printer.diagnostic(problem));
                ending.code
            }
        }
    };
    in_event_loop(run, printer)
}

const NEAREST: &str = "http://127.0.0.1:8080";

fn check(args: &ApproveArgs, variables: &Variables) -> Result<Address, anyhow::Error> {
    if args.reason.is_some() && args.decision == Some(Decided::Yes) {
        let hint = "a reason goes with no: the model is told why a call was not made";
        return Err(WrongUsage::new("--reason cannot be used with yes", hint).into());
    }
    if let Some(on) = &args.on {
        return Ok(on.clone());
    }
    // No server is asked for the calls in a journal.
    let named = server_variable(variables).filter(|_| args.journal.is_none());
    read_address(named.unwrap_or(NEAREST))
        .map_err(|expected| WrongUsage::plain(format!("{INGRESS_VARIABLE}: {expected}")).into())
}

async fn decide(
    args: &ApproveArgs,
    on: &Address,
    (id, decision): (&str, Decided),
    variables: &Variables,
    printer: &Printer,
) -> Result<(), anyhow::Error> {
    let stored = match stored(args, variables) {
        // The call may wait at the server all the same.
        Err(_) if args.journal.is_none() => None,
        stored => stored?,
    };
    if let Some(call) = stored.iter().flatten().find(|call| call.id == id) {
        let message = format!("{id} waits in the journal: the command that resumes its run decides");
        return Err(WrongUsage::new(message, resume_commands(args, call)).into());
    }
    // Only for the message; a decision does not need the admin API.
    let known = waiting(args, on, variables).await.ok();
    let call = known.as_ref().map(|calls| calls.iter().find(|call| call.id == id));
    let decided = match (decision, &args.reason) {
        (Decided::Yes, _) => json!({ "approved": true }),
        (Decided::No, None) => json!({ "approved": false }),
        (Decided::No, Some(reason)) => json!({ "approved": false, "reason": reason }),
    };
    let sent = IngressClient::new(on, variables).map_err(usage_or_failure)?.resolve(id, &decided).await;
    sent.map_err(usage_or_failure)?;
    let what = if decision == Decided::Yes { "approved" } else { "denied" };
    match call {
        Some(Some(call)) => printer.stderr(&format!(
            "{what}: {} {}\n",
            escape_invisible(&call.name),
            escape_invisible(&call.args.to_string())
        )),
        Some(None) => printer.stderr(&format!(
            "Warning: the server took the decision, but knows no call that waits under {}: it may be decided already\n",
            escape_invisible(id)
        )),
        None => printer.stderr(&format!("{what}: {}\n", escape_invisible(id))),
    }
    Ok(())
}

async fn list(args: &ApproveArgs, on: &Address, variables: &Variables, printer: &Printer) -> Result<(), anyhow::Error> {
    let stored = stored(args, variables)?;
    let calls = if args.journal.is_some() { Ok(Vec::new()) } else { waiting(args, on, variables).await };
    let (calls, problem) = match calls {
        Ok(calls) => (calls, None),
        // The server is only the default: there may be none.
        Err(_) if stored.is_some() && !names_server(args, variables) => (Vec::new(), None),
        Err(problem) => (Vec::new(), Some(problem)),
    };
    show(args, (&stored.unwrap_or_default(), &calls), on, printer, problem.is_some());
    problem.map_or(Ok(()), |problem| Err(usage_or_failure(problem)))
}

/// Prints what waits in the journal, then what waits at the server.
fn show(
    args: &ApproveArgs,
    (stored, calls): (&[StoredCall], &[PendingCall]),
    on: &Address,
    printer: &Printer,
    is_partial: bool,
) {
    if args.json {
        // One array or none.
        if is_partial {
            return;
        }
        let object = |call: &PendingCall| {
            let PendingCall { id, name, args, invocation, service } = call;
            json!({ "id": id, "name": name, "args": args, "service": service, "invocation": invocation })
        };
        let list = serde_json::Value::from_iter(stored.iter().map(StoredCall::json).chain(calls.iter().map(object)));
        printer.text(&if printer.stdout_is_terminal() { format!("{list:#}\n") } else { format!("{list}\n") });
        return printer.flush();
    }
    if stored.is_empty() && calls.is_empty() && !is_partial {
        return printer.stderr("Nothing waits for approval.\n");
    }
    stored.iter().for_each(|call| printer.text(&call.shown()));
    calls.iter().for_each(|call| printer.text(&shown(call)));
    printer.flush();
    let resume = stored.first().map(|call| resume_commands(args, call));
    let commands = resume.into_iter().chain(calls.first().map(|call| command(&call.id, on)));
    commands.for_each(|command| printer.stderr_dim(&format!("to decide: {command}")));
}

fn resume_commands(args: &ApproveArgs, call: &StoredCall) -> String {
    let command = |option| call.command(option, args.journal.as_deref());
    format!("{} or {}", command("approve"), command("deny"))
}

/// What waits in the journal; `None` if there is none, or a server was typed.
fn stored(args: &ApproveArgs, variables: &Variables) -> Result<Option<Vec<StoredCall>>, anyhow::Error> {
    let directory = std::env::current_dir().unwrap_or_default();
    let path: PathBuf = journal::path(args.journal.as_deref(), variables, &directory);
    if args.on.is_some() || args.journal.is_none() && !path.exists() {
        return Ok(None);
    }
    Ok(Some(stored_calls::read(&path).map_err(Diagnostic::from)?))
}

fn names_server(args: &ApproveArgs, variables: &Variables) -> bool {
    args.on.is_some() || args.admin.is_some() || server_variable(variables).is_some()
}

fn server_variable(variables: &Variables) -> Option<&str> {
    let variable = variables.iter().find(|(name, value)| name == INGRESS_VARIABLE && !value.is_empty());
    variable.map(|(_, value)| value.as_str())
}

pub(super) fn shown(call: &PendingCall) -> String {
    let (id, name) = (escape_invisible(&call.id), escape_invisible(&call.name));
    let mut text = format!(
        "{id}\n  {name}, in a run of {} ({})\n",
        escape_invisible(&call.service),
        escape_invisible(&call.invocation)
    );
    argument_lines(&call.args).iter().for_each(|line| text += &format!("    {line}\n"));
    text
}

pub(super) fn command(id: &str, on: &Address) -> String {
    format!("lmthing approve {} yes|no --on {}", shell_quoted(&escape_invisible(id)), shell_quoted(&on.to_string()))
}

async fn waiting(args: &ApproveArgs, on: &Address, variables: &Variables) -> Result<Vec<PendingCall>, RemoteError> {
    let admin = args.admin.clone().unwrap_or_else(|| on.admin());
    AdminClient::new(&admin, variables)?.waiting(None).await
}

/// A mistake on the command line ends with its own exit code.
fn usage_or_failure(error: RemoteError) -> anyhow::Error {
    match error.is_usage {
        true => WrongUsage::from(Box::new(Diagnostic::from(error))).into(),
        false => Diagnostic::from(error).into(),
    }
}
