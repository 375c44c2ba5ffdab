//! Code that runs: its jobs, its waiting for the host, its end.

use std::{rc::Rc, sync::mpsc::Receiver};

use rquickjs::{Ctx, Error, Function, Promise, Value, promise::PromiseState};
use serde_json::value::RawValue;

use super::{
    bridge::{Bridge, Counters, install},
    bytecode::{Bytecode, load},
    clock::Clock,
    intrinsics::{Intrinsics, NoData},
    output::emit,
    thrown::{Thrown, describe},
};
use crate::{
    code::LineMap,
    sandbox::protocol::{FromWorker, RunRequest, ToWorker},
};

/// More promise jobs than code that comes to an end is likely to need.
const MANY_JOBS: u64 = 10_000;

/// How code ended.
enum Ended<'js> {
    Returned(Value<'js>),
    Threw(Value<'js>),
    /// By a limit, or because it could not go on.
    Stopped(Thrown),
    /// The host is gone.
    Disconnected,
}

/// One run in a fresh context.
pub(super) struct Running<'a, 'js> {
    pub(super) ctx: &'a Ctx<'js>,
    pub(super) clock: &'a Clock,
    /// Which line of the model's code a line of the bytecode stands for.
    pub(super) lines: &'a LineMap,
    pub(super) request: &'a RunRequest,
    /// The host's answers.
    pub(super) receiver: &'a Receiver<ToWorker>,
    pub(super) counters: &'a Rc<Counters>,
}

impl<'js> Running<'_, 'js> {
    /// Runs the code to its end or to a limit; none when the host is gone.
    pub(super) fn to_last_frame(&self, bytecode: &Bytecode) -> Option<FromWorker> {
        let ended = match self.start(bytecode) {
            Ok(promise) => self.drive(&promise),
            Err(Error::Exception) => self.threw(self.ctx.catch()),
            Err(error) => Ended::Stopped(Thrown::plain(format!("The sandbox could not start the code: {error}"))),
        };
        self.last_frame(ended)
    }

    fn start(&self, bytecode: &Bytecode) -> rquickjs::Result<Promise<'js>> {
        install(self.ctx, &self.request.functions, self.counters)?;
        let (module, evaluated) = load(self.ctx, bytecode)?.eval()?;
        // A module that only exports a function is evaluated at once.
        evaluated.finish::<()>()?;
        let body: Function<'js> = module.get("default")?;
        body.call(())
    }

    /// Runs jobs until the code is done; waits for the host when there is nothing else to do.
    fn drive(&self, main: &Promise<'js>) -> Ended<'js> {
        let mut jobs = 0_u64;
        loop {
            if let Some(ended) = self.run_jobs(main, &mut jobs) {
                return ended;
            }
            let Some(bridge) = self.ctx.userdata::<Bridge<'js>>() else { return Ended::Disconnected };
            if !bridge.is_waiting() {
                return Ended::Stopped(self.stuck(jobs));
            }
            if let Err(ended) = self.wait(&bridge) {
                return ended;
            }
        }
    }

    /// Runs jobs until there are none; none when the code is not done then.
    fn run_jobs(&self, main: &Promise<'js>, jobs: &mut u64) -> Option<Ended<'js>> {
        loop {
            if main.state() != PromiseState::Pending {
                return Some(self.settled(main));
            }
            // The engine's own question comes only while code runs; a chain of short jobs would never be asked.
            if self.clock.is_over() {
                return Some(self.too_long());
            }
            if self.counters.disconnected.get() {
                return Some(Ended::Disconnected);
            }
            if !self.ctx.execute_pending_job() {
                return None;
            }
            *jobs += 1;
        }
    }

    /// Waits for an answer of the host, with the clock stopped.
    fn wait(&self, bridge: &Bridge<'js>) -> Result<(), Ended<'js>> {
        if emit(&FromWorker::Idle).is_err() {
            return Err(Ended::Disconnected);
        }
        self.clock.pause();
        let message = self.receiver.recv();
        self.clock.resume();
        match message {
            Ok(ToWorker::Reply { id, reply }) => match bridge.settle(self.ctx, id, reply) {
                Ok(()) => Ok(()),
                Err(_) => Err(self.threw(self.ctx.catch())),
            },
            // The host sends nothing else during a run.
            Ok(ToWorker::Warm { .. } | ToWorker::Run(_)) => Ok(()),
            Err(_) => Err(Ended::Disconnected),
        }
    }

    fn settled(&self, main: &Promise<'js>) -> Ended<'js> {
        match main.result::<Value<'js>>() {
            // A native that shows values swallows the interruption of a getter; time is up all the same.
            Some(Ok(_)) if self.clock.is_over() => self.too_long(),
            Some(Ok(value)) => Ended::Returned(value),
            _ => self.threw(self.ctx.catch()),
        }
    }

    /// What is thrown once time is up is the interruption, or what code made of it.
    fn threw(&self, value: Value<'js>) -> Ended<'js> {
        if self.clock.is_over() { self.too_long() } else { Ended::Threw(value) }
    }

    fn too_long(&self) -> Ended<'js> {
        Ended::Stopped(Thrown::plain(self.request.limits.out_of_time()))
    }

    /// Turns the end into a frame; none when the host is gone. Getters of the result may run code, so limits hold here as
    /// well.
    fn last_frame(&self, ended: Ended<'js>) -> Option<FromWorker> {
        let thrown = match ended {
            Ended::Disconnected => return None,
            Ended::Stopped(thrown) => thrown,
            Ended::Threw(value) => self.describe(&value),
            Ended::Returned(value) => match self.result(&value) {
                Ok(result) => return Some(FromWorker::Returned { result }),
                Err(thrown) => thrown,
            },
        };
        Some(FromWorker::Failed { error: thrown.error, message: thrown.message })
    }

    fn result(&self, value: &Value<'js>) -> Result<Option<Box<RawValue>>, Thrown> {
        let Some(bridge) = self.ctx.userdata::<Bridge<'js>>() else {
            return Err(Thrown::plain("The sandbox is closing"));
        };
        let limit = self.request.limits.result_bytes;
        match bridge.intrinsics().to_json(self.ctx, value, limit, "The result") {
            Ok(json) => {
                let json = json.map(RawValue::from_string).transpose();
                json.map_err(|_| Thrown::plain("The result is not data"))
            }
            Err(NoData::Because(message)) => Err(Thrown::plain(message)),
            Err(NoData::Thrown) => {
                let error = self.ctx.catch();
                Err(if self.clock.is_over() {
                    Thrown::plain(self.request.limits.out_of_time())
                } else {
                    self.describe(&error)
                })
            }
        }
    }

    fn describe(&self, value: &Value<'js>) -> Thrown {
        if self.is_out_of_memory(value) {
            return self.out_of_memory();
        }
        let Some(bridge) = self.ctx.userdata::<Bridge<'js>>() else {
            return Thrown::plain("The sandbox could not be set up for this code");
        };
        let intrinsics: &Intrinsics<'js> = bridge.intrinsics();
        let thrown = describe(self.ctx, intrinsics, value, self.lines, &self.request.code);
        if self.clock.is_over() { Thrown::plain(self.request.limits.out_of_time()) } else { thrown }
    }

    fn out_of_memory(&self) -> Thrown {
        Thrown::plain(format!("The code used more than its {} MB of memory", self.mebibytes()))
    }

    fn mebibytes(&self) -> usize {
        self.request.limits.memory_bytes / (1024 * 1024)
    }

    /// Nothing is left to do, and the code has not ended. After many jobs that may be an endless chain of promises, which
    /// ends without an error when the engine has no memory to queue its next job, and is gone before anybody can look.
    fn stuck(&self, jobs: u64) -> Thrown {
        let stuck = "The code waits for a promise that nothing will ever resolve";
        Thrown::plain(if jobs < MANY_JOBS {
            format!("{stuck}: no function call is under way")
        } else {
            format!("{stuck}; a chain of promises without end may have used up its {} MB of memory", self.mebibytes())
        })
    }

    /// The engine throws `null` when it has no memory left for an error.
    fn is_out_of_memory(&self, value: &Value<'js>) -> bool {
        if value.is_null() {
            return !self.request.code.contains("null");
        }
        let Some(object) = value.as_object().filter(|object| object.is_error()) else { return false };
        let message = object.get::<_, Value<'js>>("message").ok();
        let message = message.as_ref().and_then(Value::as_string).and_then(|message| message.to_string().ok());
        message.as_deref() == Some("out of memory")
    }
}
