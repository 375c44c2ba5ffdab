//! Round trips of states in an engine, driven by the scripts in `tests/`.

use std::rc::Rc;

use rquickjs::{
    CatchResultExt, Ctx, Function, Result,
    prelude::{Async, Opt},
};

use crate::bindings::{
    NATIVE_MODULES,
    prompt::{
        call, effects, memory,
        object::{self, PromptObject},
    },
    table::METHODS,
};
use lmthing_base::checkpoint::{Memory, MemoryChange};
use lmthing_node::{Engine, EngineOptions, SCRIPT_STACK_SIZE, THREAD_STACK_SIZE, host::SilentHost, import_file};

fn make_prompt<'js>(ctx: Ctx<'js>) -> Result<PromptObject<'js>> {
    object::create(&ctx, 0, &rquickjs::Value::new_undefined(ctx.clone()), "plugins")
}

fn remember<'js>(ctx: Ctx<'js>, prompt: PromptObject<'js>) -> Result<String> {
    let change = memory::capture(&ctx, &prompt)?.change_from(&Memory::default());
    Ok(serde_json::to_string(&change).unwrap())
}

fn put_back<'js>(ctx: Ctx<'js>, prompt: PromptObject<'js>, text: Opt<String>) -> Result<()> {
    let change: MemoryChange = serde_json::from_str(text.0.as_deref().unwrap_or("{}")).unwrap();
    let mut memory = Memory::default();
    memory.apply(&change);
    memory::restore(&ctx, &prompt, &memory)
}

fn begin_body(prompt: PromptObject<'_>) {
    prompt.borrow().core.next_effect.set(0);
}

async fn run_effects<'js>(ctx: Ctx<'js>, prompt: PromptObject<'js>) -> Result<()> {
    effects::run_due(&ctx, &prompt).await.map(drop)
}

async fn run_script(script: &'static str) -> std::result::Result<(), String> {
    lmthing_node::set_builtins(lmthing_node::Builtins { names: &lmthing_runtime::NAMES, load: lmthing_runtime::load });
    let native_modules = NATIVE_MODULES.to_vec();
    let options =
        EngineOptions { native_modules, max_stack_size: SCRIPT_STACK_SIZE, ..EngineOptions::new(Rc::new(SilentHost)) };
    let engine = Engine::new(options).await.map_err(|error| error.to_string())?;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state_text.mjs");
    std::fs::write(&file, script).unwrap();
    let result = engine.context().async_with(async |ctx| {
        let prepare = || -> Result<()> {
            call::install(&ctx, METHODS)?;
            memory::install(&ctx)?;
            let globals = ctx.globals();
            globals.set("makePrompt", Function::new(ctx.clone(), make_prompt)?)?;
            globals.set("remember", Function::new(ctx.clone(), remember)?)?;
            globals.set("putBack", Function::new(ctx.clone(), put_back)?)?;
            globals.set("beginBody", Function::new(ctx.clone(), begin_body)?)?;
            globals.set("runEffects", Function::new(ctx.clone(), Async(run_effects))?)
        };
        prepare().catch(&ctx).map_err(|error| error.to_string())?;
        import_file(&ctx, &file).await.catch(&ctx).map(drop).map_err(|error| error.to_string())
    });
    result.await
}

fn on_deep_stack(script: &'static str) {
    let thread = std::thread::Builder::new().stack_size(THREAD_STACK_SIZE).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run_script(script))
    });
    if let Err(message) = thread.unwrap().join().unwrap() {
        panic!("{message}");
    }
}

#[test]
fn values_round_trip() {
    on_deep_stack(include_str!("tests/values.mjs"));
}

#[test]
fn unsupported_values_have_a_reason() {
    on_deep_stack(include_str!("tests/lost.mjs"));
}

#[test]
fn random_values_round_trip() {
    on_deep_stack(include_str!("tests/random.mjs"));
}

#[test]
fn later_values_replace_earlier_ones() {
    on_deep_stack(include_str!("tests/later.mjs"));
}

#[test]
fn effects_run_again_only_for_changes() {
    on_deep_stack(include_str!("tests/effects.mjs"));
}
