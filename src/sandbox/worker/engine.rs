//! A fresh engine per run: one that compiles, one that runs without being able to compile.

use std::{
    cell::Cell,
    rc::Rc,
    sync::{
        atomic::{AtomicU32, Ordering},
        mpsc::Receiver,
    },
    time::{Duration, Instant},
};

use rquickjs::{
    Context, Ctx, Error, Function, Module, Promise, Runtime, Value,
    context::intrinsic,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
    promise::PromiseState,
};
use serde_json::value::RawValue;

use super::{
    bridge::{Bridge, Counters, install},
    bytecode::{Bytecode, compile, load},
    cpu_message,
    data::{Intrinsics, NoData},
    emit,
    thrown::{Thrown, describe, place_in_stack},
};
use crate::{
    code::{CodeDiagnostic, LineMap},
    sandbox::protocol::{FromWorker, RunRequest, ToWorker},
};

/// The language without `eval` and the function constructors.
type Restricted = (
    intrinsic::Date,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
    intrinsic::WeakRef,
);

/// Compiling needs more stack than code is given.
const COMPILER_STACK: usize = 4 * 1024 * 1024;
const COMPILER_MEMORY: usize = 256 * 1024 * 1024;

/// Call ids go on from run to run, so that a late answer never meets a new call.
static FIRST_ID: AtomicU32 = AtomicU32::new(0);

/// The engines of one run, made ahead of it.
pub(super) struct Engines {
    compiler: Context,
    context: Context,
    runtime: Runtime,
}

impl Engines {
    pub fn new() -> rquickjs::Result<Self> {
        let compiler = Runtime::new()?;
        compiler.set_max_stack_size(COMPILER_STACK);
        compiler.set_memory_limit(COMPILER_MEMORY);
        let runtime = Runtime::new()?;
        runtime.set_loader(NoModules, NoModules);
        Ok(Self { compiler: Context::full(&compiler)?, context: Context::custom::<Restricted>(&runtime)?, runtime })
    }

    /// Compiles prepared code.
    ///
    /// # Errors
    /// Early errors that TypeScript did not find, such as a name declared twice in code that goes unchecked.
    pub fn compile(&self, javascript: &str, lines: &LineMap, code: &str) -> Result<Bytecode, CodeDiagnostic> {
        self.compiler.with(|ctx| compile(&ctx, javascript).map_err(|_| syntax_error(&ctx, lines, code)))
    }

    /// Runs compiled code to its end or to a limit. The last frame, or none when the host is gone.
    pub fn execute(
        self,
        bytecode: &Bytecode,
        lines: &LineMap,
        request: &RunRequest,
        receiver: &Receiver<ToWorker>,
    ) -> Option<FromWorker> {
        let Self { compiler, context, runtime } = self;
        drop(compiler);
        let limits = request.limits;
        runtime.set_max_stack_size(limits.stack_bytes);
        runtime.set_memory_limit(limits.memory_bytes);
        let clock = Clock::start(limits.cpu_time());
        let watch = clock.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || watch.is_over())));
        let counters =
            Counters::new(limits, FIRST_ID.fetch_add(limits.host_calls.saturating_add(1), Ordering::Relaxed));
        let frame = context.with(|ctx| {
            let run = Running { ctx: &ctx, clock: &clock, lines, request, receiver, counters: &counters };
            let end = run.to_end(bytecode);
            let frame = run.last_frame(end);
            if let Some(bridge) = ctx.userdata::<Bridge<'_>>() {
                bridge.clear();
            }
            let _ = ctx.remove_userdata::<Bridge<'_>>();
            frame
        });
        // The host need not wait until the engine is taken down.
        if let Some(frame) = &frame {
            emit(frame).ok()?;
        }
        runtime.set_interrupt_handler(None);
        None
    }
}

fn syntax_error(ctx: &Ctx<'_>, lines: &LineMap, code: &str) -> CodeDiagnostic {
    let error = ctx.catch();
    let text = |name: &str| {
        let value = error.as_object().and_then(|object| object.get::<_, Option<String>>(name).ok());
        value.flatten().unwrap_or_default()
    };
    let (line, column) = place_in_stack(&text("stack"), lines).unwrap_or((1, 1));
    let message = match text("message") {
        message if message.is_empty() => "The code could not be compiled".to_owned(),
        message => message,
    };
    let before: usize = code.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let mut diagnostic = CodeDiagnostic::at(code, before, 0, message);
    diagnostic.column = column;
    diagnostic
}

/// The time that code has run: it stands still while code waits for the host.
struct Clock {
    limit: Duration,
    used: Cell<Duration>,
    running_since: Cell<Option<Instant>>,
}

impl Clock {
    fn start(limit: Duration) -> Rc<Self> {
        Rc::new(Self { limit, used: Cell::default(), running_since: Cell::new(Some(Instant::now())) })
    }

    fn pause(&self) {
        if let Some(since) = self.running_since.take() {
            self.used.set(self.used.get() + since.elapsed());
        }
    }

    fn resume(&self) {
        self.running_since.set(Some(Instant::now()));
    }

    fn is_over(&self) -> bool {
        let running = self.running_since.get().map_or(Duration::ZERO, |since| since.elapsed());
        self.used.get() + running > self.limit
    }
}

/// How code ended.
enum Ended<'js> {
    Returned(Value<'js>),
    Threw(Value<'js>),
    Stopped(Thrown),
    /// The host is gone.
    Disconnected,
}

struct Running<'a, 'js> {
    ctx: &'a Ctx<'js>,
    clock: &'a Clock,
    lines: &'a LineMap,
    request: &'a RunRequest,
    receiver: &'a Receiver<ToWorker>,
    counters: &'a Rc<Counters>,
}

impl<'js> Running<'_, 'js> {
    fn to_end(&self, bytecode: &Bytecode) -> Ended<'js> {
        match self.start(bytecode) {
            Ok(promise) => self.drive(&promise),
            Err(Error::Exception) => self.threw(self.ctx.catch()),
            Err(error) => Ended::Stopped(Thrown::plain(format!("The sandbox could not start the code: {error}"))),
        }
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
            loop {
                match main.state() {
                    PromiseState::Pending => {}
                    _ => return self.settled(main),
                }
                if self.clock.is_over() {
                    return self.too_long();
                }
                if self.counters.disconnected.get() {
                    return Ended::Disconnected;
                }
                if !self.ctx.execute_pending_job() {
                    break;
                }
                jobs += 1;
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

    fn threw(&self, value: Value<'js>) -> Ended<'js> {
        if self.clock.is_over() { self.too_long() } else { Ended::Threw(value) }
    }

    fn too_long(&self) -> Ended<'js> {
        Ended::Stopped(Thrown::plain(cpu_message(self.request.limits.cpu_ms)))
    }

    /// Turns the end into a frame. Getters of the result may run code, so limits hold here as well.
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
                    Thrown::plain(cpu_message(self.request.limits.cpu_ms))
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
        if self.clock.is_over() { Thrown::plain(cpu_message(self.request.limits.cpu_ms)) } else { thrown }
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

/// More promise jobs than code that comes to an end is likely to need.
const MANY_JOBS: u64 = 10_000;

/// `import()` finds nothing.
struct NoModules;

impl Resolver for NoModules {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        base: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        Err(Error::new_resolving_message(
            base,
            name,
            "modules cannot be imported here: call the functions you were given",
        ))
    }
}

impl Loader for NoModules {
    fn load<'js>(
        &mut self,
        _: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        Err(Error::new_loading_message(name, "modules cannot be imported here"))
    }
}
