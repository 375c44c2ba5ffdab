//! Runs code: executes its jobs, waits for the host, and reports the end.

use std::{rc::Rc, sync::mpsc::Receiver};

use rquickjs::{Ctx, Error, Function, Promise, Value, promise::PromiseState};
use serde_json::value::RawValue;

use super::{
    bridge::{Bridge, Counters, install},
    bytecode::{Bytecode, load},
    clock::Clock,
    emit::emit,
    intrinsics::{Intrinsics, NoData},
    thrown::{Thrown, describe},
};
use crate::{
    code::LineMap,
    sandbox::protocol::{FromWorker, RunRequest, ToWorker},
};

/// More promise jobs than terminating code usually needs.
const MANY_JOBS: u64 = 10_000;

enum CodeEnd<'js> {
    Returned(Value<'js>),
    Threw(Value<'js>),
    Stopped(Thrown),
    Disconnected,
}

pub(super) struct CodeRun<'a, 'js> {
    pub(super) ctx: &'a Ctx<'js>,
    pub(super) clock: &'a Clock,
    pub(super) lines: &'a LineMap,
    pub(super) request: &'a RunRequest,
    pub(super) receiver: &'a Receiver<ToWorker>,
    pub(super) counters: &'a Rc<Counters>,
}

impl<'js> CodeRun<'_, 'js> {
    /// Returns `None` if the host has closed the pipe.
    pub(super) fn to_last_frame(&self, bytecode: &Bytecode) -> Option<FromWorker> {
        let ended = match self.start(bytecode) {
            Ok(promise) => self.drive(&promise),
            Err(Error::Exception) => self.threw(self.ctx.catch()),
            Err(error) => CodeEnd::Stopped(Thrown::plain(format!("The sandbox could not start the code: {error}"))),
        };
        self.last_frame(ended)
    }

    fn start(&self, bytecode: &Bytecode) -> rquickjs::Result<Promise<'js>> {
        install(self.ctx, &self.request.functions, self.counters)?;
        let (module, evaluated) = load(self.ctx, bytecode)?.eval()?;
        // A module that only exports a function is evaluated synchronously.
        evaluated.finish::<()>()?;
        let body: Function<'js> = module.get("default")?;
        body.call(())
    }

    fn drive(&self, main: &Promise<'js>) -> CodeEnd<'js> {
        let mut jobs = 0_u64;
        loop {
            if let Some(ended) = self.run_jobs(main, &mut jobs) {
                return ended;
            }
            let Some(bridge) = self.ctx.userdata::<Bridge<'js>>() else { return CodeEnd::Disconnected };
            if !bridge.is_waiting() {
                return CodeEnd::Stopped(self.stuck(jobs));
            }
            if let Err(ended) = self.wait(&bridge) {
                return ended;
            }
        }
    }

    /// Returns `None` if the code has not ended after all pending jobs.
    fn run_jobs(&self, main: &Promise<'js>, jobs: &mut u64) -> Option<CodeEnd<'js>> {
        loop {
            if main.state() != PromiseState::Pending {
                return Some(self.settled(main));
            }
            // The interrupt handler is called only within longer jobs; a chain of short ones would never be interrupted.
            if self.clock.is_over() {
                return Some(self.too_long());
            }
            if self.counters.disconnected.get() {
                return Some(CodeEnd::Disconnected);
            }
            if !self.ctx.execute_pending_job() {
                return None;
            }
            *jobs += 1;
        }
    }

    /// Waits for a reply of the host, with the clock paused.
    fn wait(&self, bridge: &Bridge<'js>) -> Result<(), CodeEnd<'js>> {
        if emit(&FromWorker::Idle).is_err() {
            return Err(CodeEnd::Disconnected);
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
            Err(_) => Err(CodeEnd::Disconnected),
        }
    }

    fn settled(&self, main: &Promise<'js>) -> CodeEnd<'js> {
        match main.result::<Value<'js>>() {
            // Formatting a value ignores the interruption of a getter, so the clock is checked again.
            Some(Ok(_)) if self.clock.is_over() => self.too_long(),
            Some(Ok(value)) => CodeEnd::Returned(value),
            _ => self.threw(self.ctx.catch()),
        }
    }

    /// After the time limit every exception counts as the interruption: it is the interruption or caused by it.
    fn threw(&self, value: Value<'js>) -> CodeEnd<'js> {
        if self.clock.is_over() { self.too_long() } else { CodeEnd::Threw(value) }
    }

    fn too_long(&self) -> CodeEnd<'js> {
        CodeEnd::Stopped(Thrown::plain(self.request.limits.out_of_time()))
    }

    /// Returns `None` if the host has closed the pipe. Getters of the result may run code, so the limits still apply.
    fn last_frame(&self, ended: CodeEnd<'js>) -> Option<FromWorker> {
        let thrown = match ended {
            CodeEnd::Disconnected => return None,
            CodeEnd::Stopped(thrown) => thrown,
            CodeEnd::Threw(value) => self.describe(&value),
            CodeEnd::Returned(value) => match self.result(&value) {
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

    /// The error for code that waits without pending jobs or calls. After many jobs the cause may be an endless chain of
    /// promises: the engine drops it silently when it has no memory for its next job.
    fn stuck(&self, jobs: u64) -> Thrown {
        let stuck = "The code waits for a promise that nothing will ever resolve";
        Thrown::plain(if jobs < MANY_JOBS {
            format!("{stuck}: no function call is under way")
        } else {
            format!("{stuck}; a chain of promises without end may have used up its {} MB of memory", self.mebibytes())
        })
    }

    /// The engine throws `null` if it has no memory for an error.
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
