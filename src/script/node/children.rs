//! The child processes that end with the run, however it ends. The list belongs to the process, not to an engine: the
//! thread that handles Ctrl-C has to reach it while a script computes.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Process ids of children that are running.
static CHILDREN: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn children() -> MutexGuard<'static, Vec<u32>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A child that ends with the run.
pub(super) fn add(pid: u32) {
    children().push(pid);
}

/// Whether it is a child that ends with the run.
pub(super) fn has(pid: u32) -> bool {
    children().contains(&pid)
}

/// A child that has ended, or that may outlive the run.
pub(super) fn remove(pid: u32) {
    children().retain(|known| *known != pid);
}

/// Ends a child, and what it has started, at once, unless it may outlive the run.
#[cfg(unix)]
pub(super) fn end(pid: u32) {
    let ends_with_run = children().contains(&pid);
    if ends_with_run {
        remove(pid);
        signal(&with_descendants(&[pid]), rustix::process::Signal::KILL);
    }
}

/// Elsewhere it is left alone.
#[cfg(not(unix))]
pub(super) fn end(pid: u32) {
    remove(pid);
}

/// Asks every child and what they started to end, and ends those that have not done so soon. Call it last.
#[cfg(unix)]
pub(crate) fn end_all() {
    use std::{thread::sleep, time::Duration};

    use rustix::process::Signal;

    /// How long children have, in steps: they get to clean up, and the run does not wait for long.
    const STEPS: [u64; 6] = [1, 4, 15, 30, 50, 50];

    let roots = std::mem::take(&mut *children());
    if roots.is_empty() {
        return;
    }
    let mut left = with_descendants(&roots);
    signal(&left, Signal::TERM);
    for milliseconds in STEPS {
        sleep(Duration::from_millis(milliseconds));
        left.retain(|pid| is_running(*pid));
        if left.is_empty() {
            return;
        }
    }
    signal(&left, Signal::KILL);
}

/// Elsewhere the system ends what the terminal started.
#[cfg(not(unix))]
pub(crate) fn end_all() {}

#[cfg(unix)]
fn signal(pids: &[u32], signal: rustix::process::Signal) {
    for pid in pids {
        if let Some(pid) = rustix::process::Pid::from_raw(pid.cast_signed()) {
            // One that is gone already needs no signal.
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

/// Parent and state of every process, where the system has `/proc`.
#[cfg(target_os = "linux")]
fn processes() -> Vec<(u32, u32)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let (_, parent) = state(pid)?;
            Some((pid, parent))
        })
        .collect()
}

/// The state letter and the parent of a process.
#[cfg(target_os = "linux")]
fn state(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything.
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

#[cfg(target_os = "linux")]
fn with_descendants(roots: &[u32]) -> Vec<u32> {
    let processes = processes();
    let mut found = roots.to_vec();
    let mut next = 0;
    while next < found.len() {
        let parent = found[next];
        found.extend(processes.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    found
}

#[cfg(all(unix, not(target_os = "linux")))]
fn with_descendants(roots: &[u32]) -> Vec<u32> {
    roots.to_vec()
}

#[cfg(target_os = "linux")]
fn is_running(pid: u32) -> bool {
    state(pid).is_some_and(|(state, _)| state != 'Z')
}

#[cfg(all(unix, not(target_os = "linux")))]
fn is_running(pid: u32) -> bool {
    rustix::process::Pid::from_raw(pid.cast_signed()).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}
