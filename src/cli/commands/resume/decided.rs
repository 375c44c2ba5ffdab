//! What was typed of decisions, as decisions on the calls that a run waits for: an id of one of these means that call, any other
//! word of `--approve` is a pattern over names. Must not know what comes of them.

use serde_json::Value;

use crate::{
    checkpoint::{HeldCall, Verdict, WaitingCall, call_label, undecided},
    cli::{
        approval_args::{APPROVED, ApprovalArgs, ApprovedArgs, DecisionArgs, ON_APPROVAL, OnApproval},
        failure::WrongUsage,
    },
    journal::{EarlierRun, RunInfo, RunStart, RunStatus},
    permission::ApprovalRules,
};

/// Letters that make a word a pattern and no id that was mistyped.
const OF_PATTERNS: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// A call that waits, and what it is called.
struct Pending<'a> {
    label: String,
    held: &'a HeldCall,
}

/// Enters what was decided; what is left is for the run.
///
/// # Errors
/// A word that means nothing, with those that mean something.
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
    // What the run was started with counts on.
    approve.extend(kept_patterns(start));
    let has_waited = run.status == RunStatus::Waiting || !earlier.held.is_empty();
    let stops = has_waited || start.options.get(ON_APPROVAL) == Some(&OnApproval::Stop.kept());
    let on_approval = args.on_approval.or(stops.then_some(OnApproval::Stop));
    verdicts.iter().for_each(|(serial, verdict)| earlier.decide(*serial, verdict));
    Ok(ApprovalArgs { approved: ApprovedArgs { approve, yes: args.yes }, on_approval })
}

fn kept_patterns(start: &RunStart) -> impl Iterator<Item = String> {
    let kept = start.options.get(APPROVED).and_then(Value::as_array).into_iter().flatten();
    let kept = kept.filter_map(Value::as_str).filter(|pattern| ApprovalRules::new([*pattern]).is_ok());
    kept.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

type Decisions = (Vec<(usize, Verdict)>, Vec<String>);

fn decisions(
    args: &DecisionArgs,
    run: &RunInfo,
    held: &[HeldCall],
    earlier: &EarlierRun,
) -> Result<Decisions, WrongUsage> {
    let pending: Vec<_> =
        undecided(held).map(|waiting| Pending { label: call_label(&waiting.call, held), held: waiting }).collect();
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
        let label = called.map(|waiting| waiting.label.as_str()).unwrap_or_default();
        return Err(WrongUsage::new(
            format!("the call {label} is decided on in two ways"),
            "give --approve or --deny for it, once",
        ));
    }
    Ok((verdicts, patterns))
}

/// The calls that a word names: one by what it is called, all of a tool call by its id.
///
/// # Errors
/// Several tool calls have the id.
fn named(typed: &str, pending: &[Pending<'_>]) -> Result<Option<Vec<usize>>, WrongUsage> {
    // Ids come from the model, and may look like another call's id with its number: what a call is called by comes first.
    let labelled: Vec<_> = pending.iter().filter(|waiting| waiting.label == typed).collect();
    // With its number also when others of its id, from which that told it, are done by now.
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

fn ambiguous(typed: &str, all: &[&Pending<'_>]) -> WrongUsage {
    WrongUsage::new(format!("several calls have the id {typed}"), format!("they are called {}", list(all)))
}

type WithReason = (Option<Vec<usize>>, Option<String>);

/// `CALL=REASON`. Ids may have an equals sign themselves.
fn with_reason(typed: &str, pending: &[Pending<'_>]) -> Result<WithReason, WrongUsage> {
    for (at, _) in typed.match_indices('=').rev() {
        if let Some(serials) = named(&typed[..at], pending)? {
            return Ok((Some(serials), Some(typed[at + 1..].to_owned())));
        }
    }
    Ok((None, None))
}

/// A word of `--approve` that is no call's.
fn pattern(typed: &str, run: &RunInfo, pending: &[Pending<'_>], earlier: &EarlierRun) -> Result<String, WrongUsage> {
    ApprovalRules::new([typed]).map_err(|problem| WrongUsage::plain(format!("--approve {typed}: {problem}")))?;
    // Where calls wait, a word that nothing was ever called is more likely an id than a name.
    let is_name = |name: &String| {
        let rest = typed.strip_prefix(name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_']))
    };
    let is_known = typed.contains(OF_PATTERNS)
        || earlier.names().iter().any(is_name)
        || pending.iter().any(|waiting| is_name(&waiting.held.call.name));
    if pending.is_empty() || is_known { Ok(typed.to_owned()) } else { Err(unknown("approve", typed, run, pending)) }
}

fn unknown(option: &str, typed: &str, run: &RunInfo, pending: &[Pending<'_>]) -> WrongUsage {
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

fn list(pending: &[&Pending<'_>]) -> String {
    let words: Vec<_> =
        pending.iter().map(|waiting| format!("{} ({})", waiting.label, waiting.held.call.name)).collect();
    words.join(", ")
}
