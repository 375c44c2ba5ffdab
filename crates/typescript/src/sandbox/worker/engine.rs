//! The engines of one run: one that compiles, and one that runs code without being able to compile.

use std::{
    io,
    sync::{
        atomic::{AtomicU32, Ordering},
        mpsc::Receiver,
    },
};

use rquickjs::{Context, Ctx, Runtime, context::intrinsic};

use super::{
    bridge::{Bridge, Counters},
    bytecode::{Bytecode, compile},
    clock::Clock,
    code_run::CodeRun,
    emit::emit,
    no_modules::NoModules,
    thrown::position_in_stack,
};
use crate::{
    code::{CodeDiagnostic, LineMap},
    sandbox::protocol::{RunRequest, ToWorker},
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

/// Compiling needs more stack than code gets.
const COMPILER_STACK: usize = 4 * 1024 * 1024;
/// Many times the source and bytecode of the longest code that passes the checks.
const COMPILER_MEMORY: usize = 256 * 1024 * 1024;

/// Call ids increase across runs, so that a late reply does not match a new call.
static FIRST_ID: AtomicU32 = AtomicU32::new(0);

pub(super) struct Engines {
    compiler: Context,
    context: Context,
    runtime: Runtime,
}

impl Engines {
    pub(super) fn new() -> rquickjs::Result<Self> {
        let compiler = Runtime::new()?;
        compiler.set_max_stack_size(COMPILER_STACK);
        compiler.set_memory_limit(COMPILER_MEMORY);
        let runtime = Runtime::new()?;
        runtime.set_loader(NoModules, NoModules);
        Ok(Self { compiler: Context::full(&compiler)?, context: Context::custom::<Restricted>(&runtime)?, runtime })
    }

    /// Fails for early errors that TypeScript did not report, such as a duplicate declaration in unchecked code.
    pub(super) fn compile(&self, javascript: &str, lines: &LineMap, code: &str) -> Result<Bytecode, CodeDiagnostic> {
        self.compiler.with(|ctx| compile(&ctx, javascript).map_err(|_| syntax_error(&ctx, lines, code)))
    }

    /// Runs compiled code to its end or a limit, and sends the last frame.
    pub(super) fn execute(
        self,
        bytecode: &Bytecode,
        lines: &LineMap,
        request: &RunRequest,
        receiver: &Receiver<ToWorker>,
    ) -> io::Result<()> {
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
            let run = CodeRun { ctx: &ctx, clock: &clock, lines, request, receiver, counters: &counters };
            let frame = run.to_last_frame(bytecode);
            // Values that are still referenced when the engine is dropped abort the process.
            if let Some(bridge) = ctx.userdata::<Bridge<'_>>() {
                bridge.clear();
            }
            let _ = ctx.remove_userdata::<Bridge<'_>>();
            frame
        });
        // Sent before the engine is dropped, so that the host does not wait for that.
        let sent = frame.map_or_else(|| Err(io::ErrorKind::BrokenPipe.into()), |frame| emit(&frame));
        runtime.set_interrupt_handler(None);
        sent
    }
}

fn syntax_error(ctx: &Ctx<'_>, lines: &LineMap, code: &str) -> CodeDiagnostic {
    let error = ctx.catch();
    let text = |name: &str| {
        let value = error.as_object().and_then(|object| object.get::<_, Option<String>>(name).ok());
        value.flatten().unwrap_or_default()
    };
    let (line, column) = position_in_stack(&text("stack"), lines).unwrap_or((1, 1));
    let message = match text("message") {
        message if message.is_empty() => "The code could not be compiled".to_owned(),
        message => message,
    };
    let before: usize = code.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let mut diagnostic = CodeDiagnostic::at(code, before, 0, message);
    diagnostic.column = column;
    diagnostic
}
