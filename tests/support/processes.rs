//! Signals and process states without the programs `kill` and `ps`, which small systems lack.

use rustix::process::{Pid, Signal, kill_process};

pub(crate) fn signal(pid: u32, name: &str) {
    let signal = match name {
        "HUP" => Signal::HUP,
        "INT" => Signal::INT,
        "KILL" => Signal::KILL,
        "TERM" => Signal::TERM,
        _ => panic!("no signal is called {name} here"),
    };
    let pid = Pid::from_raw(pid.cast_signed()).expect("a process has a number");
    kill_process(pid, signal).expect("the process is there");
}

/// Whether a process runs. A zombie does not.
#[cfg(target_os = "linux")]
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')))
}

#[cfg(not(target_os = "linux"))]
pub fn is_alive(pid: &str) -> bool {
    let state = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid]).output().expect("ps runs");
    let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}
