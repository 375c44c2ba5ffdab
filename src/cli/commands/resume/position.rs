//! Finds the step at which a run can continue.

use crate::cli::failure::WrongUsage;
use lmthing_base::{
    checkpoint::{LostState, Progress},
    diagnostic::Diagnostic,
};
use lmthing_check::LostVariable;

/// Parses `--from`. Fails if there is no such step or if a state of it was not stored.
pub(super) fn step_to_go_back_to(word: &str, run: &str, progress: &Progress) -> anyhow::Result<usize> {
    let steps = progress.steps();
    let last = steps.end.saturating_sub(1);
    let step = word.trim().parse().ok().filter(|step| steps.contains(step)).ok_or_else(|| {
        let there_is = match last {
            0 => "the run has only step 0".to_owned(),
            last => format!("the run has the steps 0 to {last}"),
        };
        WrongUsage::new(format!("--from {word}: expected the number of a step"), there_is)
    })?;
    match progress.lost_before(step) {
        [] => Ok(step),
        lost => Err(states_missing(run, &format!("before step {step}"), lost, progress.last_complete(step)).into()),
    }
}

/// Fails if a state was not stored, with the last step that has all.
pub(super) fn check_states(run: &str, progress: &Progress) -> anyhow::Result<()> {
    match progress.lost.as_slice() {
        [] => Ok(()),
        lost => {
            let place = format!("at step {}", progress.step);
            Err(states_missing(run, &place, lost, progress.last_complete(progress.step)).into())
        }
    }
}

fn states_missing(run: &str, place: &str, lost: &[LostState], way_out: Option<usize>) -> Diagnostic {
    let names: Vec<_> = lost.iter().map(|state| format!("'{}' ({})", state.name, state.reason)).collect();
    let (states, names) = (if lost.len() == 1 { "the state" } else { "the states" }, names.join(", "));
    let problem = Diagnostic::new(format!("the run {run} cannot go on {place}: {states} {names} could not be stored"));
    match way_out {
        Some(step) => {
            problem.with_hint(format!("go back to step {step}, in a new run: lmthing resume {run} --from {step}"))
        }
        None => problem.with_hint("keep in states only what structured clone can copy, and run the file again"),
    }
}

pub(super) fn where_it_goes_on(run: &str, progress: &Progress) -> String {
    let Progress { step, calls, is_answered, is_done, .. } = progress;
    let place = match (step, is_answered) {
        _ if *is_done => "at its end".to_owned(),
        (0, false) => "from its beginning".to_owned(),
        _ => format!("at step {step}"),
    };
    let done = match calls {
        0 if *is_answered && !is_done => " (its answer is there)".to_owned(),
        0 => String::new(),
        1 => " (1 tool call of it is done)".to_owned(),
        calls => format!(" ({calls} tool calls of it are done)"),
    };
    format!("resuming {run} {place}{done}")
}

const MAX_NAMED: usize = 5;

pub(super) fn lost_variables_warning(variables: &[LostVariable]) -> Option<String> {
    let named = |variable: &LostVariable| {
        let file = variable.file.file_name().unwrap_or_default().to_string_lossy();
        format!("{} ({file}:{})", variable.name, variable.line)
    };
    let names: Vec<_> = variables.iter().take(MAX_NAMED).map(named).collect();
    let more = match variables.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (begin, they) = match variables.len() {
        0 => return None,
        1 => ("a variable of a module begins", "it has"),
        _ => ("variables of modules begin", "they have"),
    };
    Some(format!("{begin} anew, whatever {they} held: {}{more}; defState keeps values", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_continuation_is_described() {
        let progress =
            |step, calls, is_answered, is_done| Progress { step, calls, is_answered, is_done, ..Progress::default() };
        for (progress, words) in [
            (progress(0, 0, false, false), "resuming r from its beginning"),
            (progress(3, 0, false, false), "resuming r at step 3"),
            (progress(3, 0, true, false), "resuming r at step 3 (its answer is there)"),
            (progress(0, 1, true, false), "resuming r at step 0 (1 tool call of it is done)"),
            (progress(3, 2, true, false), "resuming r at step 3 (2 tool calls of it are done)"),
            (progress(3, 0, true, true), "resuming r at its end"),
        ] {
            assert_eq!(where_it_goes_on("r", &progress), words);
        }
    }
}
