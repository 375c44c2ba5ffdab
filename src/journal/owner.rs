//! Who runs a run: a process, and whether it is still there. Must not know what is stored of it.

use std::{fs, time::Duration};

use serde::{Deserialize, Serialize};

use super::numbers::now;

/// How often a process says that it is there.
pub(super) const BEAT: Duration = Duration::from_secs(5);

/// After so long a silence a process is taken for dead that cannot be looked at, in milliseconds.
const SILENCE: u64 = 30_000;

/// A process, as far as others can find it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    /// Its number.
    pub pid: u32,
    /// The name of its machine.
    pub host: String,
    /// Since when it runs what it runs, in milliseconds since 1970.
    #[serde(default)]
    pub since: u64,
    /// Which start of the system it belongs to, and which group of processes numbers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    system: Option<(String, String)>,
    /// When it began, in the system's own count: numbers are used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    began: Option<u64>,
}

impl Owner {
    /// This process.
    pub(crate) fn this() -> Self {
        let pid = std::process::id();
        Owner { pid, host: host(), since: now(), system: system(), began: began(pid) }
    }

    /// Whether it is this process.
    #[cfg(feature = "worker")]
    pub(super) fn is_this(&self) -> bool {
        Owner { since: self.since, ..Owner::this() } == *self
    }

    /// Whether the process is still there. `silent` is how long it has said nothing, in milliseconds.
    pub(super) fn is_alive(&self, silent: u64) -> bool {
        match (&self.system, self.began) {
            (Some(there), Some(began_there)) if system().as_ref() == Some(there) => {
                began(self.pid) == Some(began_there)
            }
            _ => silent < SILENCE && !self.is_gone(),
        }
    }

    /// Whether it is known to be gone without knowing when it began.
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

/// The name of this start of the system, and that of the group that numbers its processes; Linux alone tells.
fn system() -> Option<(String, String)> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let group = fs::read_link("/proc/self/ns/pid").ok()?;
    Some((boot.trim().to_owned(), group.to_string_lossy().into_owned()))
}

/// When a process began, in ticks since the system did; `None` when there is none or it has ended already.
fn began(pid: u32) -> Option<u64> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // The name in brackets may hold anything.
    let (_, rest) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    // A zombie only waits for its parent to take notice.
    let has_ended = matches!(fields.first(), Some(&"Z" | &"X"));
    fields.get(19).filter(|_| !has_ended)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_there_and_those_before_it_are_not() {
        let this = Owner::this();
        assert!(this.is_alive(u64::MAX) || this.system.is_none());
        let before = Owner { began: this.began.map(|began| began + 1), ..this.clone() };
        assert!(!before.is_alive(0) || this.system.is_none());
        // Elsewhere only the heartbeat tells.
        let elsewhere = Owner { system: Some(("boot".into(), "group".into())), host: "else".into(), ..this };
        assert!(elsewhere.is_alive(SILENCE - 1) && !elsewhere.is_alive(SILENCE));
    }
}
