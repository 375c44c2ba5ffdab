//! The line of a file and the lines of its notable tests.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use crate::{
    outcome::{FileOutcome, State, TestOutcome},
    report::{paint::Paint, safe_text::one_line},
};
use lmthing_providers::HumanDuration;

/// Slower tests are listed, as in Vitest.
const SLOW: Duration = Duration::from_millis(300);

/// More tests skipped for the same reason are summed up in one line.
const MANY: usize = 3;

/// The line of the file, followed by its tests: all, or those that failed, did not run or were slow.
pub(super) fn file_lines(file: &FileOutcome, all: bool, paint: Paint) -> String {
    let mut text = first_line(file, paint);
    let mut skipped: HashMap<Option<&str>, usize> = HashMap::new();
    let mut listed = HashSet::new();
    for test in file.tests.iter().filter(|test| test.state == State::Skipped) {
        *skipped.entry(test.note.as_deref()).or_default() += 1;
    }
    for test in &file.tests {
        let is_slow = test.took.is_some_and(|took| took >= SLOW);
        let reason = test.note.as_deref();
        let count = if test.state == State::Skipped { skipped[&reason] } else { 0 };
        if count > MANY || (count > 0 && count == file.tests.len() && !all) {
            if listed.insert(reason) {
                text += &skipped_line(count, reason, paint);
            }
        } else if all || is_slow || test.state != State::Passed || test.note.is_some() {
            text += &test_line(test, paint);
        }
    }
    text
}

fn first_line(file: &FileOutcome, paint: Paint) -> String {
    let count = |state: State| file.tests.iter().filter(|test| test.state == state).count();
    let (failed, skipped, todo) = (count(State::Failed), count(State::Skipped), count(State::Todo));
    let mut counts = paint.dim(many(file.tests.len(), "test"));
    for (count, listed) in [
        (failed, paint.red(format!("{failed} failed"))),
        (file.errors.len(), paint.red(many(file.errors.len(), "error"))),
        (skipped, paint.yellow(format!("{skipped} skipped"))),
        (todo, paint.dim(format!("{todo} todo"))),
    ] {
        if count > 0 {
            counts += &format!("{}{listed}", paint.dim(" | "));
        }
    }
    let symbol = match file.is_ok() {
        false => paint.red('×'),
        true if count(State::Passed) == 0 => paint.dim('↓'),
        true => paint.green('✓'),
    };
    let name = one_line(&file.file.display().to_string());
    let (open, close) = (paint.dim('('), paint.dim(')'));
    format!(" {symbol} {name} {open}{counts}{close} {}\n", time(file.took, paint))
}

fn skipped_line(tests: usize, reason: Option<&str>, paint: Paint) -> String {
    let reason = reason.map(|reason| format!(": {}", one_line(reason))).unwrap_or_default();
    format!("   {} {}\n", paint.dim('↓'), paint.dim(format!("{} skipped{reason}", many(tests, "test"))))
}

fn test_line(test: &TestOutcome, paint: Paint) -> String {
    let name = one_line(&test.full_name());
    let (symbol, name) = match test.state {
        State::Passed => (paint.green('✓'), name),
        State::Failed => (paint.red('×'), paint.red(name)),
        State::Skipped => (paint.dim('↓'), paint.dim(name)),
        State::Todo => (paint.dim('□'), paint.dim(name)),
    };
    let took = test.took.map(|took| format!(" {}", time(took, paint))).unwrap_or_default();
    let note = test.note.as_ref().map(|note| paint.dim(format!(" [{}]", one_line(note)))).unwrap_or_default();
    format!("   {symbol} {name}{took}{note}\n")
}

fn time(took: Duration, paint: Paint) -> String {
    let text = duration(took);
    if took >= SLOW { paint.yellow(text) } else { paint.dim(text) }
}

/// Whole milliseconds below a second.
pub(super) fn duration(took: Duration) -> String {
    if took < Duration::from_millis(1) { "0 ms".to_owned() } else { HumanDuration(took).to_string() }
}

pub(super) fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
