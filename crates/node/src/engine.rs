//! A QuickJS runtime with one context, module loader, event loop and globals.

use std::rc::Rc;

use rquickjs::{AsyncContext, AsyncRuntime, Ctx, Result};

use super::host::{self, ScriptHost};
use super::native_module::{self, NativeModule};
use super::{async_values, builtin, diagnose, event_loop, gate, globals, loader, node};
use lmthing_base::parser::{NoParser, Parser};
use lmthing_base::permission::Permissions;

/// Bytes of stack for scripts on a thread of [`THREAD_STACK_SIZE`]: about 25 000 calls, twice what Node allows. rquickjs
/// sets no limit for larger values.
pub const SCRIPT_STACK_SIZE: usize = 16 << 20;

/// Bytes of stack that a script thread should have, so that endless recursion is a `RangeError` and not a crash. The part
/// that scripts may not use is for the Rust code that calls them and that they call.
pub const THREAD_STACK_SIZE: usize = 24 << 20;

/// Bytes of memory for scripts, so that one that allocates without end fails instead of the machine. Data of 50 MB fits
/// as text and as values.
pub const MAX_SCRIPT_MEMORY: usize = 512 << 20;

/// Bytes allocated before QuickJS collects cycles. Its default (256 KB) would do so during start-up.
const GC_THRESHOLD: usize = 8 << 20;

pub struct EngineOptions {
    pub host: Rc<dyn ScriptHost>,
    /// Modules that scripts can import besides the built-in ones.
    pub native_modules: Vec<NativeModule>,
    /// `process.argv`: the program, the script, its arguments.
    pub argv: Vec<String>,
    /// `process.env`, in order.
    pub env: Vec<(String, String)>,
    pub permissions: Permissions,
    pub parser: Rc<dyn Parser>,
    /// Names to search for in all loaded files, see [`is_name_mentioned`](super::is_name_mentioned).
    pub noted_names: &'static [&'static str],
    /// Bytes of stack that scripts may use; must be well below the stack of the thread. [`SCRIPT_STACK_SIZE`] for a thread
    /// of [`THREAD_STACK_SIZE`].
    pub max_stack_size: usize,
    /// Bytes of memory that scripts may use; `None` for no limit.
    pub max_memory: Option<usize>,
}

impl EngineOptions {
    /// No arguments, an empty environment, all permissions, and a stack that fits any thread.
    pub fn new(host: Rc<dyn ScriptHost>) -> Self {
        Self {
            host,
            native_modules: Vec::new(),
            argv: Vec::new(),
            env: Vec::new(),
            permissions: Permissions::default(),
            parser: Rc::new(NoParser),
            noted_names: &[],
            max_stack_size: 1 << 20,
            max_memory: None,
        }
    }
}

/// A JavaScript engine on one thread, driven by a current-thread tokio runtime.
///
/// Values of the context must not outlive the engine.
pub struct Engine(AsyncContext);

impl Engine {
    /// # Errors
    /// Out of memory, or a defect in a built-in module.
    pub async fn new(options: EngineOptions) -> Result<Self> {
        let EngineOptions {
            host,
            native_modules,
            argv,
            env,
            permissions,
            parser,
            noted_names,
            max_stack_size,
            max_memory,
        } = options;
        let runtime = AsyncRuntime::new()?;
        runtime.set_max_stack_size(max_stack_size.min(SCRIPT_STACK_SIZE)).await;
        runtime.set_gc_threshold(GC_THRESHOLD).await;
        if let Some(bytes) = max_memory {
            runtime.set_memory_limit(bytes).await;
        }
        let native_modules = engine_native_modules().chain(native_modules).collect();
        let modules = loader::Modules::new(parser, noted_names);
        let loader = loader::attach(&runtime, native_modules, permissions.clone(), modules).await;
        let event_loop = event_loop::attach(&runtime, host.clone()).await;
        // Created after the loader and the event loop, whose hooks must be set before any JavaScript runs.
        let context = AsyncContext::full(&runtime).await?;
        let set_up = async |ctx: Ctx<'_>| {
            builtin::set_up(&ctx)?;
            host::set_up(&ctx, host)?;
            loader::set_up(&ctx, loader)?;
            native_module::set_up(&ctx)?;
            gate::set_up(&ctx, permissions)?;
            // Corrects `error.stack`, so it comes before code that may create errors.
            globals::set_up_lazy(&ctx)?;
            async_values::set_up(&ctx)?;
            diagnose::set_up(&ctx)?;
            globals::set_up(&ctx, argv, env)?;
            event_loop::set_up(&ctx, event_loop)
        };
        context.async_with(set_up).await?;
        Ok(Self(context))
    }

    /// The context, for `engine.context().async_with(async |ctx| …)`. Entering the context or the runtime again inside of the
    /// closure is a deadlock.
    pub fn context(&self) -> &AsyncContext {
        &self.0
    }

    /// Leaks the engine, for a process that is about to end. Freeing a large heap takes milliseconds.
    pub fn abandon(self) {
        std::mem::forget(self);
    }
}

pub(crate) fn engine_native_modules() -> impl Iterator<Item = NativeModule> {
    [globals::NATIVE_MODULES, node::NATIVE_MODULES, &[loader::NATIVE]].into_iter().flatten().copied()
}

#[cfg(test)]
mod tests {
    use rquickjs::CatchResultExt;

    use super::*;
    use crate::host::SilentHost;
    use crate::import_file;

    #[tokio::test(flavor = "current_thread")]
    async fn a_file_imports_zod() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.mts");
        std::fs::write(&file, "import { z } from 'zod'; export default z.string().parse('x' as string);").unwrap();
        let parser = Rc::new(lmthing_typescript::code::TypeScriptParser);
        let engine = Engine::new(EngineOptions { parser, ..EngineOptions::new(Rc::new(SilentHost)) }).await.unwrap();
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
