//! One QuickJS runtime with one context: limits, loader, globals, in a fixed order.

use std::rc::Rc;

use rquickjs::{AsyncContext, AsyncRuntime, Ctx, Result};

use super::host::{self, ScriptHost};
use super::native_module::{self, NativeModule};
use super::{async_values, builtin, diagnose, event_loop, gate, globals, loader, node};
use lmthing_base::parser::{NoParser, Parser};
use lmthing_base::permission::Permissions;

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
    /// Where what scripts print goes.
    pub host: Rc<dyn ScriptHost>,
    /// Modules that prompt files can import besides the built-in ones: `lmthing`, `lmthing/plugins`, `lmthing/test`.
    pub native_modules: Vec<NativeModule>,
    /// `process.argv`: the program, the prompt file, the rest.
    pub argv: Vec<String>,
    /// `process.env`, in order.
    pub env: Vec<(String, String)>,
    /// What the script may reach.
    pub permissions: Permissions,
    /// Reads source text, for TypeScript and for error messages.
    pub parser: Rc<dyn Parser>,
    /// A name of which scripts that are loaded are searched, see [`is_name_mentioned`](super::is_name_mentioned).
    pub noted_name: Option<&'static str>,
    /// Bytes of stack that scripts may use; must be well below the stack of the thread. The default suits any thread;
    /// a thread of [`THREAD_STACK_SIZE`] can give [`SCRIPT_STACK_SIZE`].
    pub max_stack_size: usize,
    /// Bytes that scripts may use; `None` leaves it to the system.
    pub max_memory: Option<usize>,
}

impl EngineOptions {
    /// Nothing but a host: no arguments, an empty environment, a stack that suits any thread.
    pub fn new(host: Rc<dyn ScriptHost>) -> Self {
        Self {
            host,
            native_modules: Vec::new(),
            argv: Vec::new(),
            env: Vec::new(),
            permissions: Permissions::default(),
            parser: Rc::new(NoParser),
            noted_name: None,
            max_stack_size: 1 << 20,
            max_memory: None,
        }
    }
}

/// The prompt file's JavaScript engine. Belongs to one thread, on which a current-thread tokio runtime drives it.
///
/// Values of the context must not outlive the engine; nothing outside `script` holds any.
pub struct Engine(AsyncContext);

impl Engine {
    /// Makes a runtime and a context with every global (docs/reference/prompt-files.md).
    ///
    /// # Errors
    /// When memory runs out, or a built-in module is broken (a defect of ours).
    pub async fn new(options: EngineOptions) -> Result<Self> {
        let EngineOptions {
            host,
            native_modules,
            argv,
            env,
            permissions,
            parser,
            noted_name,
            max_stack_size,
            max_memory,
        } = options;
        let runtime = AsyncRuntime::new()?;
        runtime.set_max_stack_size(max_stack_size.min(SCRIPT_STACK_SIZE)).await;
        runtime.set_gc_threshold(GC_THRESHOLD).await;
        if let Some(bytes) = max_memory {
            runtime.set_memory_limit(bytes).await;
        }
        let native_modules = own_natives().chain(native_modules).collect();
        let modules = loader::Modules::new(parser, noted_name);
        let loader = loader::attach(&runtime, native_modules, permissions.clone(), modules).await;
        let event_loop = event_loop::attach(&runtime, host.clone()).await;
        // Resolver, interrupt handler and rejection tracker are in place from the first line of JavaScript on.
        let context = AsyncContext::full(&runtime).await?;
        let set_up = async |ctx: Ctx<'_>| {
            builtin::set_up(&ctx)?;
            host::set_up(&ctx, host)?;
            loader::set_up(&ctx, loader)?;
            native_module::set_up(&ctx)?;
            gate::set_up(&ctx, permissions)?;
            // Before anything that could make an error: it puts `stack` right.
            globals::set_up_lazy(&ctx)?;
            async_values::set_up(&ctx)?;
            diagnose::set_up(&ctx)?;
            globals::set_up(&ctx, argv, env)?;
            event_loop::set_up(&ctx, event_loop)
        };
        context.async_with(set_up).await?;
        Ok(Self(context))
    }

    /// The context, for `engine.context().async_with(async |ctx| …)`. Everything inside must use that `ctx`: entering the
    /// context or the runtime again from within would wait for ever.
    pub fn context(&self) -> &AsyncContext {
        &self.0
    }

    /// Lets go of the engine without freeing what it holds, for a process that is about to end: taking a large heap apart
    /// costs milliseconds.
    pub fn abandon(self) {
        std::mem::forget(self);
    }
}

/// The native modules of every engine.
pub(crate) fn own_natives() -> impl Iterator<Item = NativeModule> {
    [globals::NATIVE_MODULES, node::NATIVE_MODULES, &[loader::NATIVE]].into_iter().flatten().copied()
}

#[cfg(test)]
mod tests {
    use rquickjs::CatchResultExt;

    use super::*;
    use crate::host::Silent;
    use crate::import_file;

    #[tokio::test(flavor = "current_thread")]
    async fn a_file_imports_zod() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.mts");
        std::fs::write(&file, "import { z } from 'zod'; export default z.string().parse('x' as string);").unwrap();
        let parser = Rc::new(lmthing_typescript::code::TypeScriptParser);
        let engine = Engine::new(EngineOptions { parser, ..EngineOptions::new(Rc::new(Silent)) }).await.unwrap();
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
