//! A supervisor process for a server that is a program. It ends the server and its child processes when its standard input is
//! closed, which happens even if the main process is killed.
//!
//! It forwards the standard input; the server's standard output goes directly to the main process.

use std::{
    collections::HashSet,
    io::{self, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, ChildStdin, Command, ExitCode, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    time::{Duration, Instant},
};

use base64::prelude::{BASE64_STANDARD, Engine};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    process::{Pid, Signal, getpid, kill_process},
};
use signal_hook::{consts::SIGTERM, iterator::Signals};

use lmthing_base::permission::FileRights;

/// The hidden subcommand: `main.rs` calls [`main`] if it is the first argument.
pub const SUBCOMMAND: &str = "__mcp-server";

/// How long the server may take to end after its input is closed.
const GRACE: Duration = Duration::from_millis(400);

const PATIENCE: Duration = Duration::from_millis(400);

/// The exit code of a shell for a program that cannot be started.
pub(super) const NOT_STARTED: i32 = 127;

enum SupervisorEvent {
    InputClosed,
    EndRequested,
    Ended(i32),
}

/// Encodes the permissions of a server as an argument. Compressed, because an argument is limited to 128 KiB and the permissions
/// may contain thousands of folders.
pub(super) fn encode_rights(rights: &Option<FileRights>) -> io::Result<String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    serde_json::to_writer(&mut encoder, rights)?;
    Ok(BASE64_STANDARD.encode(encoder.finish()?))
}

fn decode_rights(argument: &str) -> Option<Option<FileRights>> {
    let bytes = BASE64_STANDARD.decode(argument).ok()?;
    serde_json::from_reader(DeflateDecoder::new(bytes.as_slice())).ok()
}

/// Runs `RIGHTS COMMAND ARGS…` until the server ends or is not needed any more. `RIGHTS` are the file permissions of the server,
/// encoded by [`encode_rights`].
pub fn main(arguments: impl Iterator<Item = std::ffi::OsString>) -> ExitCode {
    let arguments: Vec<_> = arguments.collect();
    let [rights, command, arguments @ ..] = &arguments[..] else { return ExitCode::FAILURE };
    let Some(rights) = decode_rights(&rights.to_string_lossy()) else { return ExitCode::FAILURE };
    #[cfg(target_os = "linux")]
    {
        // Without this, orphaned processes of the server are not ended; nothing else depends on it.
        let _ = rustix::process::set_child_subreaper(Some(getpid()));
    }
    let mut server = Command::new(command);
    server.args(arguments).stdin(Stdio::piped()).process_group(0);
    let code = match spawn(&mut server, rights) {
        Ok(server) => supervise(server),
        Err(error) => {
            let _ = writeln!(io::stderr(), "{} cannot be started: {error}", command.to_string_lossy());
            NOT_STARTED
        }
    };
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Starts the server from a thread with its restrictions, because the supervisor itself must still see all child processes.
fn spawn(server: &mut Command, rights: Option<FileRights>) -> io::Result<Child> {
    let Some(rights) = rights else { return server.spawn() };
    let start = || {
        rights.confine()?;
        server.spawn()
    };
    std::thread::scope(|scope| scope.spawn(start).join())
        .unwrap_or_else(|_| Err(io::Error::other("the thread that starts it failed")))
}

fn supervise(mut server: Child) -> i32 {
    let pid = i32::try_from(server.id()).ok().and_then(Pid::from_raw);
    let (sender, events) = channel();
    let input = server.stdin.take();
    let own = sender.clone();
    std::thread::spawn(move || forward_input(input, &own));
    let own = sender.clone();
    std::thread::spawn(move || watch_input(&own));
    if let Ok(mut signals) = Signals::new([SIGTERM]) {
        let own = sender.clone();
        std::thread::spawn(move || signals.forever().for_each(|_| drop(own.send(SupervisorEvent::EndRequested))));
    }
    std::thread::spawn(move || {
        let code = server.wait().map_or(1, |status| status.code().or(status.signal().map(|n| 128 + n)).unwrap_or(1));
        drop(sender.send(SupervisorEvent::Ended(code)));
    });
    let mut ended = None;
    match events.recv() {
        Ok(SupervisorEvent::Ended(code)) => ended = Some(code),
        Ok(SupervisorEvent::InputClosed) => ended = wait(&events, GRACE),
        Ok(SupervisorEvent::EndRequested) | Err(_) => {}
    }
    for signal in [Signal::TERM, Signal::KILL] {
        let left = remaining_processes(pid.filter(|_| ended.is_none()));
        if left.is_empty() {
            break;
        }
        for pid in left {
            let _ = kill_process(pid, signal);
        }
        ended = ended.or_else(|| wait(&events, PATIENCE));
        wait_for_remaining(pid.filter(|_| ended.is_none()));
    }
    ended.unwrap_or(128 + SIGTERM)
}

/// Forwards standard input to the server until it ends.
fn forward_input(mut server: Option<ChildStdin>, events: &Sender<SupervisorEvent>) {
    let mut input = io::stdin().lock();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                // A server that does not read any more may still have output.
                if server.as_mut().is_some_and(|server| server.write_all(&buffer[..count]).is_err()) {
                    server = None;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    drop(server);
    drop(events.send(SupervisorEvent::InputClosed));
}

/// Waits until the standard input is closed. [`forward_input`] does not notice that while the server does not read.
fn watch_input(events: &Sender<SupervisorEvent>) {
    let input = io::stdin();
    let mut watched = [PollFd::new(&input, PollFlags::empty())];
    while let Err(Errno::INTR) = poll(&mut watched, None) {}
    let is_gone = watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR);
    if is_gone {
        // A server that reads still gets the remaining input.
        std::thread::sleep(GRACE);
        drop(events.send(SupervisorEvent::InputClosed));
    }
}

fn wait(events: &Receiver<SupervisorEvent>, span: Duration) -> Option<i32> {
    let end = Instant::now() + span;
    loop {
        match events.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(SupervisorEvent::Ended(code)) => return Some(code),
            Ok(SupervisorEvent::EndRequested | SupervisorEvent::InputClosed) => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        }
    }
}

fn wait_for_remaining(server: Option<Pid>) {
    let end = Instant::now() + PATIENCE;
    while !remaining_processes(server).is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The server if it still runs, and all of its descendants.
fn remaining_processes(server: Option<Pid>) -> HashSet<Pid> {
    let mut found: HashSet<Pid> = server.into_iter().collect();
    descendants(getpid(), &mut found);
    found
}

/// On Linux, where orphaned processes become children of the supervisor.
fn descendants(of: Pid, found: &mut HashSet<Pid>) {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{}/task", of.as_raw_nonzero())) else { return };
    for task in tasks.flatten() {
        let Ok(children) = std::fs::read_to_string(task.path().join("children")) else { continue };
        for child in children.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)) {
            if !is_zombie(child) {
                found.insert(child);
                descendants(child, found);
            }
        }
    }
}

fn is_zombie(pid: Pid) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    // The name in parentheses may contain any character.
    state.is_ok_and(|state| state.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['Z', 'X'])))
}
