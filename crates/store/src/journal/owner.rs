//! The process that runs a run, and whether it is still alive.

use std::{fs, time::Duration};

use serde::{Deserialize, Serialize};

use super::numbers::now;

pub(super) const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);

/// A process that cannot be inspected counts as dead after so many milliseconds without a heartbeat.
const MAX_SILENCE_MS: u64 = 30_000;

/// A process, in a form that other processes can check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerProcess {
    pub pid: u32,
    pub host: String,
    /// Start of the run in this process, in milliseconds since 1970.
    #[serde(default)]
    pub since: u64,
    /// The boot id of the system, and the PID namespace of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    system: Option<(String, String)>,
    /// Start time of the process in the system's clock ticks, as process ids are reused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    began: Option<u64>,
}

impl OwnerProcess {
    pub fn this() -> Self {
        let pid = std::process::id();
        OwnerProcess { pid, host: host(), since: now(), system: system(), began: began(pid) }
    }

    pub(super) fn is_this(&self) -> bool {
        OwnerProcess { since: self.since, ..OwnerProcess::this() } == *self
    }

    /// Whether the process is still alive. `silent` is the time since its last heartbeat, in milliseconds.
    pub(super) fn is_alive(&self, silent: u64) -> bool {
        match (&self.system, self.began) {
            (Some(there), Some(began_there)) if system().as_ref() == Some(there) => {
                began(self.pid) == Some(began_there)
            }
            _ => silent < MAX_SILENCE_MS && !self.is_gone(),
        }
    }

    /// Whether the process is known to be dead, where its start time is unknown.
    #[cfg(unix)]
    fn is_gone(&self) -> bool {
        let pid = i32::try_from(self.pid).ok().and_then(rustix::process::Pid::from_raw);
        let is_here = self.system.is_none() && system().is_none() && self.host == host();
        is_here && pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
    }

    #[cfg(not(unix))]
    fn is_gone(&self) -> bool {
        false
    }
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// The boot id and the PID namespace of this process, on Linux.
fn system() -> Option<(String, String)> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let group = fs::read_link("/proc/self/ns/pid").ok()?;
    Some((boot.trim().to_owned(), group.to_string_lossy().into_owned()))
}

fn began(pid: u32) -> Option<u64> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // The name in brackets may contain any character.
    let (_, rest) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    // A zombie has ended and only waits for its parent.
    let has_ended = matches!(fields.first(), Some(&"Z" | &"X"));
    fields.get(19).filter(|_| !has_ended)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_earlier_ones_are_not() {
        let this = OwnerProcess::this();
        assert!(this.is_alive(u64::MAX) || this.system.is_none());
        let before = OwnerProcess { began: this.began.map(|began| began + 1), ..this.clone() };
        assert!(!before.is_alive(0) || this.system.is_none());
        // For other systems only the heartbeat counts.
        let elsewhere = OwnerProcess { system: Some(("boot".into(), "group".into())), host: "else".into(), ..this };
        assert!(elsewhere.is_alive(MAX_SILENCE_MS - 1) && !elsewhere.is_alive(MAX_SILENCE_MS));
    }
}
