//! The order of the frames of one run, and how long each state may take. Without IO and clock.

use std::time::{Duration, Instant};

use super::{config::SandboxConfig, protocol::FromWorker};

/// Far above the usual milliseconds, for overloaded machines.
pub(super) const START_TIME: Duration = Duration::from_secs(30);
/// The worker stops code at the limit by itself; native code that cannot be interrupted is killed this much later.
const GRACE: Duration = Duration::from_millis(500);
/// What the way of a reply to the worker may add to the running time.
const REPLY_TIME: Duration = Duration::from_millis(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// The request is on its way.
    Starting,
    Checking,
    Running,
    /// The worker waits for a reply to a call, and is not allowed to send anything before it.
    Waiting,
}

/// A frame that is not allowed in the current state.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OutOfOrder;

/// Where one run is. A worker must send `Ready` once in its life, then for each run `Checking`, and `Refused`,
/// `Failed` or `Started`. After `Started` it may send `Log`, `Call` and `Idle` until it sends `Returned` or `Failed`.
#[derive(Debug)]
pub(super) struct RunState {
    state: State,
    since: Instant,
    is_ready: bool,
    /// The time in [`State::Running`] before `since`.
    used: Duration,
    idles: u32,
    replies: u32,
}

impl RunState {
    /// `is_ready`: the worker has sent `Ready` in an earlier run.
    pub(super) fn new(is_ready: bool, now: Instant) -> Self {
        Self { state: State::Starting, since: now, is_ready, used: Duration::ZERO, idles: 0, replies: 0 }
    }

    pub(super) fn state(&self) -> State {
        self.state
    }

    /// `None` while the worker waits for calls, which have limits of their own.
    pub(super) fn deadline(&self, config: &SandboxConfig) -> Option<Instant> {
        let allowed = match self.state {
            State::Starting => START_TIME,
            State::Checking => config.check_time(),
            State::Running => {
                let allowed = config.limits().cpu_time() + GRACE + REPLY_TIME * self.replies;
                allowed.saturating_sub(self.used)
            }
            State::Waiting => return None,
        };
        Some(self.since + allowed)
    }

    /// Checks that a frame may come now, and changes the state. `open_calls` counts the calls without a reply.
    pub(super) fn receive(&mut self, frame: &FromWorker, at: Instant, open_calls: usize) -> Result<(), OutOfOrder> {
        match (self.state, frame) {
            (State::Starting, FromWorker::Ready { .. }) if !self.is_ready => self.is_ready = true,
            (State::Starting, FromWorker::Checking) if self.is_ready => self.enter(State::Checking, at),
            (State::Checking, FromWorker::Started { .. }) => self.enter(State::Running, at),
            (State::Checking, FromWorker::Refused { .. } | FromWorker::Failed { .. })
            | (
                State::Running,
                FromWorker::Log(_) | FromWorker::Call { .. } | FromWorker::Returned { .. } | FromWorker::Failed { .. },
            ) => {}
            // The worker takes one reply after each `Idle`. One that was sent before the `Idle` arrived ends the wait.
            (State::Running, FromWorker::Idle) if self.idles < self.replies => self.idles += 1,
            (State::Running, FromWorker::Idle) if open_calls > 0 => {
                self.idles += 1;
                self.enter(State::Waiting, at);
            }
            _ => return Err(OutOfOrder),
        }
        Ok(())
    }

    pub(super) fn replied(&mut self, now: Instant) {
        self.replies += 1;
        if self.state == State::Waiting {
            self.enter(State::Running, now);
        }
    }

    fn enter(&mut self, state: State, at: Instant) {
        if self.state == State::Running {
            self.used += at.saturating_duration_since(self.since);
        }
        self.state = state;
        self.since = at;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const NAMES: [&str; 9] = ["ready", "checking", "started", "refused", "call", "idle", "log", "returned", "failed"];

    fn frame(name: &str) -> FromWorker {
        let frame: Value = match name {
            "ready" => json!({"ready": {"confinement": []}}),
            "started" => json!({"started": {"warnings": [], "notice": null}}),
            "refused" => json!({"refused": {"errors": [], "notice": null}}),
            "call" => json!({"call": {"id": 1, "name": "add", "args": null}}),
            "log" => json!({"log": {"level": "log", "text": ""}}),
            "returned" => json!({"returned": {}}),
            "failed" => json!({"failed": {"error": "", "message": ""}}),
            unit => json!(unit),
        };
        serde_json::from_value(frame).unwrap()
    }

    /// The state after these frames, each 10 ms after the one before it. `reply` is a reply of the host.
    fn after(frames: &str) -> Result<(RunState, Instant), OutOfOrder> {
        let mut now = Instant::now();
        let mut state = RunState::new(false, now);
        let mut open_calls = 0;
        for name in frames.split_whitespace() {
            now += Duration::from_millis(10);
            match name {
                "reply" => {
                    open_calls -= 1;
                    state.replied(now);
                }
                name => {
                    state.receive(&frame(name), now, open_calls)?;
                    open_calls += usize::from(name == "call");
                }
            }
        }
        Ok((state, now))
    }

    #[test]
    fn every_frame_is_allowed_in_its_states_only() {
        let running = "log call returned failed";
        for (before, state, allowed) in [
            ("", State::Starting, "ready"),
            ("ready", State::Starting, "checking"),
            ("ready checking", State::Checking, "started refused failed"),
            ("ready checking started", State::Running, running),
            ("ready checking started call", State::Running, &format!("{running} idle")),
            ("ready checking started call idle", State::Waiting, ""),
            ("ready checking started call idle reply", State::Running, running),
            // The `Idle` crosses the reply.
            ("ready checking started call reply", State::Running, &format!("{running} idle")),
            ("ready checking started call reply idle", State::Running, running),
            ("ready checking started call call idle reply", State::Running, &format!("{running} idle")),
            ("ready checking started call call idle reply reply", State::Running, &format!("{running} idle")),
            ("ready checking started call call idle reply idle", State::Waiting, ""),
        ] {
            assert_eq!(after(before).unwrap().0.state(), state, "{before}");
            for name in NAMES {
                let accepted = after(&format!("{before} {name}")).is_ok();
                assert_eq!(accepted, allowed.split(' ').any(|known| known == name), "{name} after '{before}'");
            }
        }
    }

    #[test]
    fn every_state_ends_and_no_frame_prolongs_it() {
        let config = SandboxConfig { cpu_ms: 100, check_ms: 50, ..SandboxConfig::default() };
        let left = |frames: &str| {
            let (state, now) = after(frames).unwrap();
            state.deadline(&config).map(|deadline| deadline.saturating_duration_since(now).as_millis())
        };
        assert_eq!((left(""), left("ready")), (Some(30_000), Some(29_990)));
        assert_eq!((left("ready checking"), left("ready checking started")), (Some(50), Some(600)));
        assert_eq!(left("ready checking started log log call log"), Some(560));
        let waiting = "ready checking started call call idle";
        assert_eq!(left(waiting), None);
        // The time of the wait does not count; that of the run before it does.
        assert_eq!(left(&format!("{waiting} reply")), Some(600 - 30 + 5));
        assert_eq!(left(&format!("{waiting} reply log idle reply")), Some(600 - 30 - 20 + 2 * 5));
        // 60 calls with 20 ms of running before each.
        let slices = " call idle reply".repeat(60);
        assert_eq!(left(&format!("ready checking started {slices}")), Some(0));
    }

    #[test]
    fn a_worker_that_is_used_again_is_not_ready_twice() {
        let now = Instant::now();
        assert!(RunState::new(true, now).receive(&frame("ready"), now, 0).is_err());
        assert!(RunState::new(true, now).receive(&frame("checking"), now, 0).is_ok());
    }
}
