//! Which zod schemas count as the same, in an engine; `tests/same.mjs` has the cases.

use rquickjs::CatchResultExt;

use super::*;
use crate::bindings::values::zod_functions;
use lmthing_node::{Engine, EngineOptions, host::SilentHost, import_file};

fn takes_over<'js>(ctx: Ctx<'js>, before: Value<'js>, now: Value<'js>) -> Result<bool> {
    let before = Schema::from_value(&ctx, &before, "before")?;
    let now = Schema::from_value(&ctx, &now, "now")?;
    Ok(now.or_same(&ctx, &before).is_same(&before))
}

#[tokio::test(flavor = "current_thread")]
async fn schemas_that_are_made_again_are_the_same() {
    lmthing_node::set_builtins(lmthing_node::Builtins { names: &lmthing_runtime::NAMES, load: lmthing_runtime::load });
    let engine = Engine::new(EngineOptions::new(Rc::new(SilentHost))).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("same.mjs");
    std::fs::write(&file, include_str!("tests/same.mjs")).unwrap();
    let result = engine.context().async_with(async |ctx| {
        let prepare = || -> Result<()> {
            zod_functions::install(&ctx)?;
            ctx.globals().set("takesOver", Function::new(ctx.clone(), takes_over)?)
        };
        prepare().catch(&ctx).map_err(|error| error.to_string())?;
        import_file(&ctx, &file).await.catch(&ctx).map(drop).map_err(|error| error.to_string())
    });
    assert_eq!(result.await, Ok(()));
}
