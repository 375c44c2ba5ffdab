//! Interprets `--approve` and `--deny` of `resume`: ids of waiting calls, or patterns for names of tools.

use serde_json::Value;

use crate::cli::{
    approval_args::{APPROVED, ApprovalArgs, ApprovedArgs, DecisionArgs, ON_APPROVAL, OnApproval},
    failure::WrongUsage,
};
use lmthing_base::{
    checkpoint::{HeldCall, Verdict, WaitingCall, call_label, undecided},
    permission::ApprovalRules,
};
use lmthing_store::journal::{EarlierRun, RunInfo, RunStart, RunStatus};

/// Characters that show that an argument is a pattern rather than an id.
const OF_PATTERNS: [char; 6] = ['*', '?', '[', ']', '{', '}'];

struct LabelledCall<'a> {
    call_label: String,
    held: &'a HeldCall,
}

/// Records the decisions in `earlier`; returns the approval options for the run. Fails if an argument matches nothing.
pub(super) fn decide(
    args: &DecisionArgs,
    run: &RunInfo,
    start: &RunStart,
    earlier: &mut EarlierRun,
) -> Result<ApprovalArgs, WrongUsage> {
    let held = std::mem::take(&mut earlier.held);
    let decisions = decisions(args, run, &held, earlier);
    earlier.held = held;
    let (verdicts, mut approve) = decisions?;
    // The options that the run was started with stay in force.
    approve.extend(stored_patterns(start));
    let has_waited = run.status == RunStatus::Waiting || !earlier.held.is_empty();
    let stops = has_waited || start.options.get(ON_APPROVAL) == Some(&OnApproval::Stop.stored());
    let on_approval = args.on_approval.or(stops.then_some(OnApproval::Stop));
    verdicts.iter().for_each(|(serial, verdict)| earlier.decide(*serial, verdict));
    Ok(ApprovalArgs { approved: ApprovedArgs { approve, yes: args.yes }, on_approval })
}

fn stored_patterns(start: &RunStart) -> impl Iterator<Item = String> {
    let stored = start.options.get(APPROVED).and_then(Value::as_array).into_iter().flatten();
    let stored = stored.filter_map(Value::as_str).filter(|pattern| ApprovalRules::new([*pattern]).is_ok());
    stored.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

type Decisions = (Vec<(usize, Verdict)>, Vec<String>);

fn decisions(
    args: &DecisionArgs,
    run: &RunInfo,
    held: &[HeldCall],
    earlier: &EarlierRun,
) -> Result<Decisions, WrongUsage> {
    let pending: Vec<_> = undecided(held)
        .map(|waiting| LabelledCall { call_label: call_label(&waiting.call, held), held: waiting })
        .collect();
    let mut verdicts: Vec<(usize, Verdict)> = Vec::new();
    let mut patterns = Vec::new();
    for typed in &args.approve {
        match named(typed, &pending)? {
            Some(serials) => verdicts.extend(serials.into_iter().map(|serial| (serial, Verdict::Approved))),
            None => patterns.push(pattern(typed, run, &pending, earlier)?),
        }
    }
    for typed in &args.deny {
        let (call, reason) = match named(typed, &pending)? {
            Some(serials) => (Some(serials), None),
            None => with_reason(typed, &pending)?,
        };
        let call = call.ok_or_else(|| unknown("deny", typed, run, &pending))?;
        verdicts.extend(call.into_iter().map(|serial| (serial, Verdict::Denied(reason.clone()))));
    }
    verdicts.sort_by_key(|(serial, _)| *serial);
    verdicts.dedup();
    if let Some(both) = verdicts.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let called = pending.iter().find(|waiting| waiting.held.call.serial == both[0].0);
        let call_label = called.map(|waiting| waiting.call_label.as_str()).unwrap_or_default();
        return Err(WrongUsage::new(
            format!("the call {call_label} is decided on in two ways"),
            "give --approve or --deny for it, once",
        ));
    }
    Ok((verdicts, patterns))
}

/// The serial numbers of the calls that an argument names: one call by its label, or all calls of a tool call id.
fn named(typed: &str, pending: &[LabelledCall<'_>]) -> Result<Option<Vec<usize>>, WrongUsage> {
    // Ids are chosen by the model and may look like a label, so labels are compared first.
    let labelled: Vec<_> = pending.iter().filter(|waiting| waiting.call_label == typed).collect();
    // Also accepts the numbered form when the other calls of the same id are finished.
    let numbered = |call: &WaitingCall| format!("{}.{}", call.call, call.serial);
    let exact = match labelled.is_empty() {
        true => pending.iter().filter(|waiting| numbered(&waiting.held.call) == typed).collect(),
        false => labelled,
    };
    match exact.as_slice() {
        [] => {}
        [one] => return Ok(Some(vec![one.held.call.serial])),
        several => return Err(ambiguous(typed, several)),
    }
    let all: Vec<_> = pending.iter().filter(|waiting| waiting.held.call.call == typed).collect();
    if all.windows(2).any(|pair| pair[0].held.key != pair[1].held.key) {
        return Err(ambiguous(typed, &all));
    }
    Ok((!all.is_empty()).then(|| all.iter().map(|waiting| waiting.held.call.serial).collect()))
}

fn ambiguous(typed: &str, all: &[&LabelledCall<'_>]) -> WrongUsage {
    WrongUsage::new(format!("several calls have the id {typed}"), format!("they are called {}", list(all)))
}

type WithReason = (Option<Vec<usize>>, Option<String>);

/// Parses `CALL=REASON`. Ids may contain an equals sign.
fn with_reason(typed: &str, pending: &[LabelledCall<'_>]) -> Result<WithReason, WrongUsage> {
    for (at, _) in typed.match_indices('=').rev() {
        if let Some(serials) = named(&typed[..at], pending)? {
            return Ok((Some(serials), Some(typed[at + 1..].to_owned())));
        }
    }
    Ok((None, None))
}

/// Validates an `--approve` argument that names no call.
fn pattern(
    typed: &str,
    run: &RunInfo,
    pending: &[LabelledCall<'_>],
    earlier: &EarlierRun,
) -> Result<String, WrongUsage> {
    ApprovalRules::new([typed]).map_err(|problem| WrongUsage::plain(format!("--approve {typed}: {problem}")))?;
    // While calls wait, an argument that matches no known name is probably a mistyped id.
    let is_name = |name: &String| {
        let rest = typed.strip_prefix(name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_']))
    };
    let is_known = typed.contains(OF_PATTERNS)
        || earlier.names().iter().any(is_name)
        || pending.iter().any(|waiting| is_name(&waiting.held.call.name));
    if pending.is_empty() || is_known { Ok(typed.to_owned()) } else { Err(unknown("approve", typed, run, pending)) }
}

fn unknown(option: &str, typed: &str, run: &RunInfo, pending: &[LabelledCall<'_>]) -> WrongUsage {
    let message = format!("--{option} {typed}: no call of this id waits for approval in the run {}", run.id);
    let all: Vec<_> = pending.iter().collect();
    WrongUsage::new(
        message,
        match all.as_slice() {
            [] => "no call of it waits".to_owned(),
            [one] => format!("the one that waits is {}", list(&[one])),
            all => format!("those that wait are {}", list(all)),
        },
    )
}

fn list(pending: &[&LabelledCall<'_>]) -> String {
    let words: Vec<_> =
        pending.iter().map(|waiting| format!("{} ({})", waiting.call_label, waiting.held.call.name)).collect();
    words.join(", ")
}
