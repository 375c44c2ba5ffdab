//! `lmthing approve` (docs/reference/remote.md): decides on calls that wait at a Restate server, and lists them.

use serde_json::json;

use super::in_event_loop;
use crate::cli::{
    ExitCode, Printer,
    approvals::awaited_calls::{argument_lines, shell_quoted},
    approve_args::{ApproveArgs, Decided},
    env,
    failure::{Ending, WrongUsage},
};
use lmthing_base::diagnostic::{Diagnostic, escape_invisible};
use lmthing_providers::Redactor;
use lmthing_system::remote::{
    Address, AdminClient, INGRESS_VARIABLE, IngressClient, PendingCall, RemoteError, read_address,
};

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
    let variable = variables.iter().find(|(name, value)| name == INGRESS_VARIABLE && !value.is_empty());
    let on = variable.map_or(NEAREST, |(_, value)| value);
    read_address(on).map_err(|expected| WrongUsage::plain(format!("{INGRESS_VARIABLE}: {expected}")).into())
}

async fn decide(
    args: &ApproveArgs,
    on: &Address,
    (id, decision): (&str, Decided),
    variables: &Variables,
    printer: &Printer,
) -> Result<(), anyhow::Error> {
    // Only for the message; a decision does not need the admin API.
    let known = waiting(args, on, variables).await.ok();
    let call = known.as_ref().map(|calls| calls.iter().find(|call| call.id == id));
    let decided = match (decision, &args.reason) {
        (Decided::Yes, _) => json!({ "approved": true }),
        (Decided::No, None) => json!({ "approved": false }),
        (Decided::No, Some(reason)) => json!({ "approved": false, "reason": reason }),
    };
    let sent = IngressClient::new(on, variables).map_err(told)?.resolve(id, &decided).await;
    sent.map_err(told)?;
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
    let calls = waiting(args, on, variables).await.map_err(told)?;
    if args.json {
        let object = |call: &PendingCall| {
            let PendingCall { id, name, args, invocation, service } = call;
            json!({ "id": id, "name": name, "args": args, "service": service, "invocation": invocation })
        };
        let list = serde_json::Value::from_iter(calls.iter().map(object));
        printer.text(&if printer.stdout_is_terminal() { format!("{list:#}\n") } else { format!("{list}\n") });
        printer.flush();
        return Ok(());
    }
    if calls.is_empty() {
        printer.stderr("Nothing waits for approval.\n");
        return Ok(());
    }
    for call in &calls {
        printer.text(&shown(call));
    }
    printer.flush();
    printer.stderr_dim(&format!("to decide: {}", command(&calls[0].id, on)));
    Ok(())
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

fn told(error: RemoteError) -> anyhow::Error {
    match error.is_usage {
        true => WrongUsage::from(Box::new(Diagnostic::from(error))).into(),
        false => Diagnostic::from(error).into(),
    }
}
