//! Setting a prompt up whose run began in another process: what it remembers is put back, what sets it up runs once more. Must
//! not know where runs are kept, nor how steps go on.

use std::rc::Rc;

use rquickjs::{Ctx, IntoJs, Result, Value};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::{
    chat::CallSettings,
    checkpoint::{Entry, Log, Memory, MemoryChange, Part, Restored, history_of, interrupted, steps_of},
    event::EventKind,
    prompt::{RunError, RunRecord},
    script::{
        begin_to_carry,
        bindings::{
            prompt::{memory, object::PromptObject},
            services,
            values::{message_of, plain_error, to_json_text},
        },
        carried, carrying,
    },
};

/// Opens the log of a prompt's run, when logs are kept.
pub(crate) fn open_log<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    let checkpoints = services::checkpoints(ctx)?;
    let core = prompt.borrow().core.clone();
    if checkpoints.is_on() && !is_kept(prompt) {
        let scope = services::scope(ctx, &core)?;
        core.log.replace(Some(Rc::new(Log::open(checkpoints, scope.agent().key()))));
    }
    Ok(())
}

/// A number for a text, the same in every process.
pub(crate) fn hash(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

/// What tells a prompt that a script runs by hand from others: its function or file, its input, and the tool call
/// that it is run for. Nothing where no logs are kept, which ask for it alone.
pub(crate) fn made_of<'js>(
    ctx: &Ctx<'js>,
    what: &str,
    input: Option<&Value<'js>>,
    call: Option<&str>,
) -> Result<Option<u64>> {
    if !services::checkpoints(ctx)?.is_on() {
        return Ok(None);
    }
    let input = input.map(|input| to_json_text(ctx, input)).transpose().unwrap_or_else(|_| {
        // What is no JSON does not tell prompts from each other.
        ctx.catch();
        None
    });
    Ok(Some(hash(&format!("{what}\0{}\0{}", input.unwrap_or_default(), call.unwrap_or_default()))))
}

/// What is carried along: the tool call that a script answers.
const CALL: &str = "lmthing:call";

/// Answers a tool call, or a call by code of the model's: prompts that the script runs for it know that.
pub(crate) async fn within_call<'js, T>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    call: &str,
    work: impl Future<Output = T>,
) -> T {
    // Only where logs are kept: what is carried along costs a little at every await.
    let name = (is_kept(prompt) && begin_to_carry(ctx).is_ok()).then(|| call.into_js(ctx).ok()).flatten();
    if name.is_none() {
        return work.await;
    }
    carrying(ctx, [(CALL, name)], work).await
}

/// The tool call that the script which is running answers, where that is known.
pub(crate) fn current_call(ctx: &Ctx<'_>) -> Result<Option<String>> {
    carried(ctx, CALL)?.map(|call| call.get()).transpose()
}

/// Whether what is done for a prompt is kept.
pub(crate) fn is_kept(prompt: &PromptObject<'_>) -> bool {
    prompt.borrow().core.log.borrow().is_some()
}

/// What an earlier process has done of a prompt's run.
fn restored(prompt: &PromptObject<'_>) -> Option<(Rc<Log>, Rc<Restored>)> {
    let log = prompt.borrow().core.log.borrow().clone()?;
    let restored = log.restored()?.clone();
    Some((log, restored))
}

/// To be called before what sets the prompt up runs: it sees the states as they were, and its messages are there already.
pub(crate) fn begin<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    open_log(ctx, prompt)?;
    let Some((log, restored)) = restored(prompt) else { return Ok(()) };
    memory::restore(ctx, prompt, &restored.before)?;
    let core = prompt.borrow().core.clone();
    let next = restored.next_step();
    services::scope(ctx, &core)?.agent().set_step(next.checked_sub(1));
    core.step.set(next);
    let mut definitions = core.prompt.borrow_mut();
    definitions.take_up_history(history_of(&restored, &log));
    definitions.take_up(&restored.before.due, false);
    // A run that was cut off before its first answer has nothing of its conversation yet.
    if next > 0 || restored.half.is_some() {
        definitions.begin_set_up_again();
    }
    Ok(())
}

/// To be called when it has run, well or not.
pub(crate) fn end<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    let Some((_, restored)) = restored(prompt) else { return Ok(()) };
    let core = prompt.borrow().core.clone();
    core.prompt.borrow_mut().abandon_rerun();
    // Code in the text of an answer that never came as a whole has done something since.
    if restored.half.is_none() && restored.parts.is_empty() {
        return Ok(());
    }
    memory::restore(ctx, prompt, &restored.after)?;
    if restored.half.is_some() {
        core.prompt.borrow_mut().take_up(&restored.after.due, true);
        services::scope(ctx, &core)?.agent().set_step(Some(restored.next_step()));
    }
    Ok(())
}

/// The same for an agent, whose callback runs once: what it hides stays hidden.
pub(crate) fn end_of_agent<'js>(ctx: &Ctx<'js>, child: &PromptObject<'js>) -> Result<()> {
    end(ctx, child)?;
    let core = child.borrow().core.clone();
    let mut definitions = core.prompt.borrow_mut();
    match restored(child) {
        // It was hidden when the callback ran first, and is known with the rest.
        Some((_, restored)) if restored.next_step() > 0 || restored.half.is_some() => {
            definitions.take_up(&restored.after.due, restored.half.is_some());
        }
        _ => definitions.keep_hidden(),
    }
    Ok(())
}

/// Hands the steps that are over to the record of a run. Returns how many they are, and how often the model was asked for
/// another shape.
pub(crate) fn take_over(
    prompt: &PromptObject<'_>,
    record: &RunRecord,
    settings: &Rc<CallSettings>,
) -> Option<(usize, usize)> {
    let (log, restored) = restored(prompt)?;
    let history = prompt.borrow().core.prompt.borrow().history().clone();
    let is_by_hand = prompt.borrow().core.agent.borrow().as_ref().is_some_and(|agent| !agent.is_root());
    record.take_over(steps_of(&restored, &history, settings, &log), is_by_hand);
    Some((restored.steps.len(), restored.after.asked_again))
}

/// A part of a tool call, or of other code of the model's: a call that it makes in turn.
pub(crate) struct PartOfCall<'a> {
    /// The tool call, or what names the code.
    pub(crate) of: &'a str,
    /// How many parts of the call have asked for the same before, or its place in an array form.
    pub(crate) number: usize,
    /// What is called, and with what.
    pub(crate) name: &'a str,
    pub(crate) args: &'a RawValue,
    /// Whether it may be made again when nobody knows whether it was made.
    pub(crate) may_repeat: bool,
}

/// Does a part of a call, unless another process has done it; the answer is JSON or a message.
pub(crate) async fn part<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    part: PartOfCall<'_>,
    work: impl Future<Output = std::result::Result<Box<RawValue>, String>>,
) -> std::result::Result<Box<RawValue>, String> {
    let core = prompt.borrow().core.clone();
    let Some(log) = core.log.borrow().clone() else { return work.await };
    let PartOfCall { of, number, name, args, may_repeat } = part;
    let asked = asked(name, args);
    let step = services::scope(ctx, &core).ok().and_then(|scope| scope.agent().step());
    match log.part(step, of, number, &asked) {
        Some(Part { outcome: Some(outcome), .. }) => return outcome,
        Some(Part { outcome: None, .. }) => return Err(interrupted(name)),
        None => {}
    }
    let entry = |outcome, memory| Entry::Part { of: of.to_owned(), number, asked: asked.clone(), outcome, memory };
    if !may_repeat {
        keep(ctx, &log, entry(None, MemoryChange::default()))?;
    }
    let outcome = work.await;
    // As with whole calls: what fails because the run has to end is not over.
    let ended = services::limits(ctx).ok().and_then(|limits| limits.ended());
    if ended.is_some_and(|error| outcome.is_err() || matches!(error.origin(), RunError::Waiting { .. })) {
        return outcome;
    }
    let memory = remembered(ctx, prompt, 0).map_err(|error| message_of(ctx, error))?;
    let memory = log.change(Memory { asked_again: log.asked_again(), ..memory });
    keep(ctx, &log, entry(Some(outcome.clone()), memory))?;
    outcome
}

/// Tells what is called with what from anything else.
pub(crate) fn asked(name: &str, args: &RawValue) -> String {
    format!("{:016x}", hash(&format!("{name}\0{}", args.get())))
}

/// Appends an entry; when it cannot be kept, the whole run ends.
fn keep(ctx: &Ctx<'_>, log: &Log, entry: Entry) -> std::result::Result<(), String> {
    log.append(entry).map_err(|error| {
        let message = error.to_string();
        if let Ok(limits) = services::limits(ctx) {
            limits.fail(RunError::from(error));
        }
        message
    })
}

/// What a prompt remembers now. Those it works for may remember something else as well since the entry before: tools of an
/// agent set the states of its parent.
pub(crate) fn remembered<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, asked_again: usize) -> Result<Memory> {
    let mut outer = parent(prompt);
    while let Some(prompt) = outer {
        outer = parent(&prompt);
        let Some(log) = prompt.borrow().core.log.borrow().clone() else { continue };
        let change = log.change(own_memory(ctx, &prompt, log.asked_again())?);
        if !change.is_empty() {
            let kept = keep(ctx, &log, Entry::Remembers { memory: change });
            kept.map_err(|message| plain_error(ctx, message))?;
        }
    }
    own_memory(ctx, prompt, asked_again)
}

fn parent<'js>(prompt: &PromptObject<'js>) -> Option<PromptObject<'js>> {
    PromptObject::from_value(&prompt.borrow().bag.parent()?).ok()
}

fn own_memory<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, asked_again: usize) -> Result<Memory> {
    let memory = memory::memory(ctx, prompt)?;
    let due = prompt.borrow().core.prompt.borrow().due();
    let memory = Memory { due, asked_again, ..memory };
    let core = prompt.borrow().core.clone();
    let Some(log) = core.log.borrow().clone() else { return Ok(memory) };
    let memory = log.without_secrets(memory);
    // Here, where every memory comes by that goes into a log.
    for (name, reason) in log.newly_lost(&memory) {
        let message = format!(
            "the state {name:?} cannot be stored in the journal: {reason}. The run cannot be resumed while it is so"
        );
        services::scope(ctx, &core)?.emit(&EventKind::Warning { message });
    }
    Ok(memory)
}
