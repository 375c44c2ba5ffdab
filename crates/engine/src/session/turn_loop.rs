//! The step loop: rerun the function, run effects, render, do the step, stop or repeat (docs/reference/steps.md); and the
//! turns of a conversation, each of which is such a loop (docs/reference/chat.md).

use std::{cell::RefCell, rc::Rc};

use super::{
    meter::Meter,
    resumed_step::{FinishedStep, finish_step, last_sent},
    run_log::RunLog,
    step::{Session, run_step},
};
use crate::prompt::{AnswerCheck, NextTurn, PromptHost, RunError, RunLimits, Turns, plan_step};
use lmthing_base::{
    cache::CacheConversation,
    chat::{ContentPart, Role, Step},
    checkpoint::{Restored, UnfinishedStep},
    event::EventKind,
};

pub(crate) const DEFAULT_MAX_STEPS: usize = 1000;

const STILL_CALLS_TOOLS: &str = "the model still called tools";

/// Runs the turns of a conversation, or the only turn of another prompt.
pub(super) async fn run_turns(host: &dyn PromptHost, session: &Session) -> Result<(), RunError> {
    let log = RunLog::new(host, &session.meter);
    let restored = log.restored().map(|restored| &**restored);
    let mut turns = TurnLoop::new(host, session, log, restored);
    let Some(user) = host.turns() else {
        // A conversation whose last answer is complete.
        let is_over = restored.is_some_and(|restored| restored.is_turn_over);
        return if is_over { Ok(()) } else { turns.answer(false).await };
    };
    user.begin();
    if restored.is_some_and(|restored| restored.is_unseen) {
        turns.show_last().await?;
    }
    let mut is_asked = user.asks_at_once() && turns.has_question(restored);
    loop {
        if !is_asked && !turns.begin(&*user).await? {
            return Ok(());
        }
        is_asked = false;
        user.begin_answer(host);
        match turns.answer(true).await {
            Err(error) if turns.may_go_on() && user.goes_on_after(&error) => turns.recover(),
            ended => ended?,
        }
    }
}

struct TurnLoop<'a> {
    host: &'a dyn PromptHost,
    session: &'a Session,
    log: RunLog<'a>,
    cache: Rc<RefCell<CacheConversation>>,
    /// The next step.
    number: usize,
    /// From where the steps of the turn are counted.
    turn_start: usize,
    unfinished: Option<&'a UnfinishedStep>,
    /// Whether the set-up has run the prompt for the next step.
    is_set_up: bool,
}

impl<'a> TurnLoop<'a> {
    fn new(host: &'a dyn PromptHost, session: &'a Session, log: RunLog<'a>, restored: Option<&'a Restored>) -> Self {
        let cache = host.prompt().borrow().cache();
        match restored {
            Some(restored) => *cache.borrow_mut() = CacheConversation::resumed(last_sent(host, restored)),
            // A run before may have ended within a step.
            None => drop(cache.borrow_mut().end_step()),
        }
        let number = restored.map_or(0, Restored::next_step);
        // A turn that was broken off, or has failed at its number of steps, has all of them again.
        let is_conversation = host.turns().is_some() || restored.is_some_and(|restored| restored.has_turns);
        TurnLoop {
            host,
            session,
            log,
            cache,
            number,
            turn_start: if is_conversation { number } else { 0 },
            unfinished: restored.and_then(|restored| restored.unfinished.as_ref()),
            is_set_up: true,
        }
    }

    /// Emits the output of an answer that another process may not have shown.
    async fn show_last(&self) -> Result<(), RunError> {
        let last = self.host.record().steps().last().cloned();
        let Some(step) = last.filter(|step| step.tool_results.is_empty()) else { return Ok(()) };
        match self.host.check_answer(&step, false).await? {
            AnswerCheck::Accepted => self.host.turn_answered(),
            AnswerCheck::AskAgain(_) => Ok(()),
        }
    }

    /// Whether the conversation ends with something that the model has not answered.
    fn has_question(&self, restored: Option<&Restored>) -> bool {
        if restored.is_some_and(|restored| restored.is_done || restored.is_turn_over) {
            return false;
        }
        let history = self.host.prompt().borrow().history().clone();
        let last = history.since(history.len().saturating_sub(1)).pop().map(|message| message.role);
        self.unfinished.is_some() || matches!(last, Some(Role::User | Role::Tool))
    }

    /// Waits for the next message of the user. Returns `false` if there is none.
    async fn begin(&mut self, user: &dyn Turns) -> Result<bool, RunError> {
        let paused = PausedClock::of(&self.session.meter);
        let next = user.next(self.host).await;
        drop(paused);
        let parts = match next {
            NextTurn::Say(parts) => parts,
            NextTurn::Reload => return Err(RunError::Aborted),
            NextTurn::End => return Ok(false),
            NextTurn::Fail(error) => return Err(error),
        };
        self.host.prompt().borrow_mut().add_message(Role::User, parts);
        self.host.begin_turn();
        self.turn_start = self.number;
        // Before the model is asked: what the user has said must not be lost.
        self.log.record_turn().await?;
        Ok(true)
    }

    /// Repeats steps until one has the answer.
    async fn answer(&mut self, is_turn: bool) -> Result<(), RunError> {
        let chosen = self.host.settings().max_steps;
        let max_steps = chosen.unwrap_or(DEFAULT_MAX_STEPS);
        let mut unfinished = STILL_CALLS_TOOLS;
        while self.number.saturating_sub(self.turn_start) < max_steps {
            // Polled explicitly: a step without waiting, such as with a mock, never yields.
            if self.host.is_aborted() {
                return Err(RunError::Aborted);
            }
            let FinishedStep { step, is_interrupted } = self.step().await?;
            let meter = &self.session.meter;
            if chosen.is_none()
                && let Some(notice) = meter.long_run_notice()
            {
                self.host.record().scope().emit(&EventKind::Warning { message: notice });
            }
            // Also called for the last step, for `onStepFinish`.
            let stopped = self.host.step_finished(&step).await?;
            let check = match is_interrupted {
                true => Some(AnswerCheck::Accepted),
                false => self.check(&step, stopped).await?,
            };
            if matches!(check, Some(AnswerCheck::Accepted)) {
                return if is_turn { self.end_turn(is_interrupted).await } else { Ok(()) };
            }
            unfinished = STILL_CALLS_TOOLS;
            if let Some(AnswerCheck::AskAgain(correction)) = check {
                unfinished = "the last answer did not match output";
                self.host.prompt().borrow_mut().add_message(Role::User, vec![ContentPart::text(correction)]);
            }
            self.log.record_step_end(self.number, false).await?;
            self.log.stored().await?;
            self.number += 1;
        }
        let message =
            format!("the run was ended after {max_steps} steps, and {unfinished}; options.maxSteps lets it go further");
        Err(RunError::Limit { message })
    }

    async fn step(&mut self) -> Result<FinishedStep, RunError> {
        let (host, number) = (self.host, self.number);
        let is_set_up = std::mem::take(&mut self.is_set_up);
        if let Some(unfinished) = self.unfinished.take() {
            return finish_step(host, number, unfinished, self.log, &self.session.step_warnings).await;
        }
        if !is_set_up {
            host.rerun().await?;
        }
        let modifications = host.run_effects(number).await?;
        let (settings, plan) = plan_step(host, modifications)?;
        run_step(host, number, plan, settings, self.session, &self.cache).await
    }

    /// Whether a step has the answer; `None` if the model is asked again with the results of its calls.
    async fn check(&self, step: &Rc<Step>, stopped: bool) -> Result<Option<AnswerCheck>, RunError> {
        if stopped || step.tool_results.is_empty() {
            self.host.check_answer(step, !stopped).await.map(Some)
        } else {
            Ok(None)
        }
    }

    async fn end_turn(&mut self, is_interrupted: bool) -> Result<(), RunError> {
        self.log.record_step_end(self.number, true).await?;
        self.log.stored().await?;
        self.number += 1;
        if !is_interrupted {
            self.host.turn_answered()?;
        }
        // Only for readers outside of the script: its streams go on.
        self.host.record().scope().emit(&EventKind::PromptEnd);
        Ok(())
    }

    /// Whether a failure has ended only the turn.
    fn may_go_on(&self) -> bool {
        self.session.meter.ended().is_none() && !self.host.is_aborted()
    }

    /// Prepares for the next turn after a failed one.
    fn recover(&mut self) {
        // A step whose answer is not stored is done again.
        self.number = self.log.answered().unwrap_or(self.number);
        self.unfinished = None;
        // Messages that were to follow the results of the step.
        self.host.prompt().borrow_mut().finish_step(Vec::new());
        self.host.record().scope().emit(&EventKind::PromptEnd);
    }
}

/// The clock of the time limit stands still until this is dropped.
struct PausedClock<'a>(&'a Meter);

impl<'a> PausedClock<'a> {
    fn of(meter: &'a Meter) -> Self {
        meter.pause_clock();
        PausedClock(meter)
    }
}

impl Drop for PausedClock<'_> {
    fn drop(&mut self) {
        self.0.resume_clock();
    }
}
