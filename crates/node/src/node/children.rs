//! Child processes that end with the run. The list is global, because the thread that handles Ctrl-C needs it while a
//! script runs.

use std::sync::{Mutex, MutexGuard, PoisonError};

static CHILDREN: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn children() -> MutexGuard<'static, Vec<u32>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn add(pid: u32) {
    children().push(pid);
}

pub(super) fn has(pid: u32) -> bool {
    children().contains(&pid)
}

pub(super) fn remove(pid: u32) {
    children().retain(|known| *known != pid);
}

/// Kills a child and its descendants, unless it may outlive the run.
#[cfg(unix)]
pub(super) fn end(pid: u32) {
    let ends_with_run = children().contains(&pid);
    if ends_with_run {
        remove(pid);
        signal(&with_descendants(&[pid]), rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
pub(super) fn end(pid: u32) {
    remove(pid);
}

/// Terminates all children and their descendants; kills those that do not end in time. Call it last.
#[cfg(unix)]
pub fn end_all() {
    use std::{thread::sleep, time::Duration};

    use rustix::process::Signal;

    /// Milliseconds between checks: children get a short time to clean up.
    const STEPS: [u64; 6] = [1, 4, 15, 30, 50, 50];

    let roots = std::mem::take(&mut *children());
    if roots.is_empty() {
        return;
    }
    let mut running = with_descendants(&roots);
    signal(&running, Signal::TERM);
    for milliseconds in STEPS {
        sleep(Duration::from_millis(milliseconds));
        running.retain(|pid| is_running(*pid));
        if running.is_empty() {
            return;
        }
    }
    signal(&running, Signal::KILL);
}

/// On other systems, children of the terminal's process group get its signals anyway.
#[cfg(not(unix))]
pub fn end_all() {}

#[cfg(unix)]
fn signal(pids: &[u32], signal: rustix::process::Signal) {
    for pid in pids {
        if let Some(pid) = rustix::process::Pid::from_raw(pid.cast_signed()) {
            // Fails if the process is gone already.
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

/// Id and parent of every process, from `/proc`.
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

/// State letter and parent of a process.
#[cfg(target_os = "linux")]
fn state(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The process name, in parentheses, may contain spaces and parentheses.
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

#[cfg(target_os = "linux")]
fn with_descendants(roots: &[u32]) -> Vec<u32> {
    let processes = processes();
    let mut descendants = roots.to_vec();
    let mut next = 0;
    while next < descendants.len() {
        let parent = descendants[next];
        descendants.extend(processes.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    descendants
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
