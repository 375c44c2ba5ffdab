//! One QuickJS runtime with one context: limits, loader, globals, in a fixed order.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

use rquickjs::{AsyncContext, AsyncRuntime, Ctx, Exception, JsLifetime, Object, Result};

use super::event_loop::{self, EventLoop, Interrupt};
use super::host::ScriptHost;
use super::loader::{ModuleLoader, Modules};
use super::native_module::{ExportStore, NativeModule};
use super::{globals, lazy};

/// How much stack scripts may use on a thread of [`THREAD_STACK_SIZE`]: some 25 000 calls, twice what Node allows. It is
/// the most that rquickjs takes; more would mean no limit at all.
pub const SCRIPT_STACK_SIZE: usize = 16 << 20;

/// Stack that a script thread should have, so that recursion without end in a prompt file is a `RangeError` and never a
/// crash. It is address space, not memory; what scripts may not use is for Rust below and above them.
pub const THREAD_STACK_SIZE: usize = 24 << 20;

/// Bytes allocated before QuickJS looks for cycles; its own default (256 KB) makes it look during start-up.
const GC_THRESHOLD: usize = 8 << 20;

/// What an [`Engine`] is made of.
pub struct EngineOptions {
    pub host: Rc<dyn ScriptHost>,
    /// Modules that prompt files can import besides the built-in ones: `lmthing`, `lmthing/plugins`, `lmthing/test`.
    pub native_modules: Vec<NativeModule>,
    /// `process.argv`: the program, the prompt file, the rest.
    pub argv: Vec<String>,
    /// `process.env`, in order.
    pub env: Vec<(String, String)>,
    /// Bytes of stack that scripts may use; must be well below the stack of the thread. The default suits any thread;
    /// a thread of [`THREAD_STACK_SIZE`] can give [`SCRIPT_STACK_SIZE`].
    pub max_stack_size: usize,
}

impl EngineOptions {
    pub fn new(host: Rc<dyn ScriptHost>) -> Self {
        Self { host, native_modules: Vec::new(), argv: Vec::new(), env: Vec::new(), max_stack_size: 1 << 20 }
    }
}

/// The prompt file's JavaScript engine. Belongs to one thread, on which a current-thread tokio runtime drives it.
///
/// Values of the context must not outlive the engine; nothing outside `script` holds any.
pub struct Engine {
    context: AsyncContext,
    interrupt: Interrupt,
}

/// What natives of one engine share, besides what each area keeps for itself.
#[derive(Clone, JsLifetime)]
pub(super) struct Shared {
    pub(super) host: Rc<dyn ScriptHost>,
    pub(super) modules: Rc<Modules>,
    pub(super) loader: ModuleLoader,
    pub(super) event_loop: Rc<EventLoop>,
    pub(super) process: Rc<ProcessInfo>,
}

/// What `process` tells a script.
pub(super) struct ProcessInfo {
    pub(super) argv: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    /// `process.exitCode`, once a script has set it.
    pub(super) exit_code: Cell<Option<i32>>,
}

impl Engine {
    /// Makes a runtime and a context with every global of SPEC 1.
    ///
    /// # Errors
    /// When memory runs out, or a built-in module is broken (a defect of ours).
    pub async fn new(options: EngineOptions) -> Result<Self> {
        let runtime = AsyncRuntime::new()?;
        runtime.set_max_stack_size(options.max_stack_size.min(SCRIPT_STACK_SIZE)).await;
        runtime.set_gc_threshold(GC_THRESHOLD).await;
        let modules = Rc::new(Modules::default());
        let native = globals::NATIVE_MODULES.iter().copied().chain(options.native_modules).collect();
        let loader = ModuleLoader::new(modules.clone(), native);
        runtime.set_loader(loader.clone(), loader.clone()).await;
        let interrupt = Interrupt::default();
        let event_loop = Rc::new(EventLoop::new(interrupt.clone()));
        event_loop::attach(&runtime, &event_loop).await;
        let context = AsyncContext::full(&runtime).await?;
        let process = Rc::new(ProcessInfo { argv: options.argv, env: options.env, exit_code: Cell::new(None) });
        let shared = Shared { host: options.host, modules, loader, event_loop, process };
        context.async_with(async |ctx| set_up(&ctx, shared)).await?;
        Ok(Self { context, interrupt })
    }

    /// The context, for `engine.context().async_with(async |ctx| …)`. Everything inside must use that `ctx`: entering the
    /// context or the runtime again from within would wait for ever.
    pub fn context(&self) -> &AsyncContext {
        &self.context
    }

    /// Lets go of the engine without freeing what it holds, for a process that is about to end: taking a large heap apart
    /// costs milliseconds.
    pub fn abandon(self) {
        std::mem::forget(self);
    }

    /// Stops JavaScript from any thread, for instance when the user interrupts.
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }
}

fn set_up(ctx: &Ctx<'_>, shared: Shared) -> Result<()> {
    let in_use = || Exception::throw_internal(ctx, "user data is in use");
    let event_loop = shared.event_loop.clone();
    ctx.store_userdata(shared).map_err(|_| in_use())?;
    ctx.store_userdata(ExportStore::default()).map_err(|_| in_use())?;
    lazy::bootstrap(ctx)?;
    globals::install(ctx)?;
    event_loop::start(ctx, &event_loop)
}

/// Loads and evaluates the prompt file at `path` and returns its module namespace.
///
/// # Errors
/// A pending exception: see `error::catch`.
pub async fn import_file<'js>(ctx: &Ctx<'js>, path: &Path) -> Result<Object<'js>> {
    let loader = shared(ctx)?.loader;
    loader.import_entry(ctx, path).await
}

/// What the script set `process.exitCode` to: the exit code of a run that ends by itself.
pub fn exit_code(ctx: &Ctx<'_>) -> Result<Option<i32>> {
    Ok(shared(ctx)?.process.exit_code.get())
}

/// What the engine of `ctx` shares.
pub(super) fn shared(ctx: &Ctx<'_>) -> Result<Shared> {
    let shared = ctx.userdata::<Shared>().ok_or_else(|| Exception::throw_internal(ctx, "the engine is not set up"))?;
    Ok(shared.clone())
}

#[cfg(test)]
mod tests {
    use rquickjs::CatchResultExt;

    use super::*;

    struct Silent;

    impl ScriptHost for Silent {
        fn write_stdout(&self, _: &str) {}
        fn write_stderr(&self, _: &str) {}
    }

    #[tokio::test(flavor = "current_thread")]
    async fn every_builtin_evaluates() {
        let engine = Engine::new(EngineOptions::new(Rc::new(Silent))).await.unwrap();
        engine.context().async_with(async |ctx| crate::script::builtin::evaluate_all(&ctx)).await.unwrap();
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_file_imports_zod() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.mts");
        std::fs::write(&file, "import { z } from 'zod'; export default z.string().parse('x' as string);").unwrap();
        let engine = Engine::new(EngineOptions::new(Rc::new(Silent))).await.unwrap();
        let text = engine
            .context()
            .async_with(async |ctx| -> std::result::Result<String, String> {
                let namespace = import_file(&ctx, &file).await.catch(&ctx).map_err(|error| error.to_string())?;
                namespace.get::<_, String>("default").map_err(|error| error.to_string())
            })
            .await;
        assert_eq!(text.unwrap(), "x");
    }
}
