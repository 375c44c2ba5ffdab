//! The connections of an engine: made when a prompt first needs one, ended with the run. Must not know who needs them.

use std::{cell::RefCell, rc::Rc};

use rquickjs::{Ctx, JsLifetime, Result};

use crate::{
    mcp::{Connection, Hub, Server, Surroundings},
    permission::Access,
    sandbox,
    script::{
        Engine,
        bindings::{prompt::mcp_use::McpPlan, services},
        gate, user_data,
    },
};

#[derive(Default, JsLifetime)]
struct Kept(RefCell<Option<Rc<Hub>>>);

/// Makes the place for it; done once an engine.
pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Kept::default())
}

/// Ends all connections, and the servers that are programs of ours.
pub(crate) async fn close(engine: &Engine) {
    let hub = engine.context().with(|ctx| user_data::read::<Kept>(&ctx).ok().and_then(|kept| kept.0.take())).await;
    if let Some(hub) = hub {
        hub.close().await;
    }
}

/// The connection to a server. Throws a `PermissionError` where it may not be reached.
pub(super) fn connection(ctx: &Ctx<'_>, plan: &McpPlan) -> Result<Rc<Connection>> {
    let place = plan.server.place();
    gate::check(ctx, access(plan, &place))?;
    let kept = user_data::read::<Kept>(ctx)?.0.borrow().clone();
    let hub = match kept {
        Some(hub) => hub,
        None => {
            let hub = Rc::new(Hub::new(surroundings(ctx)?));
            user_data::read::<Kept>(ctx)?.0.replace(Some(hub.clone()));
            hub
        }
    };
    // What the script has written to `process.env` counts.
    services::read_environment(ctx)?;
    let connection = hub.connection(&plan.name, &plan.server, plan.timeouts);
    // What a server echoes goes into recordings and journals.
    let redactor = services::providers(ctx)?.redactor;
    connection.secrets().for_each(|secret| redactor.learn(secret));
    Ok(connection)
}

fn access<'a>(plan: &McpPlan, place: &'a str) -> Access<'a> {
    match &plan.server {
        Server::Program(_) => Access::Run(place),
        Server::Http(_) => Access::Network(place),
    }
}

fn surroundings(ctx: &Ctx<'_>) -> Result<Surroundings> {
    let env = services::providers(ctx)?.env;
    let own = env.clone();
    Ok(Surroundings {
        keeper: sandbox::own_program(),
        variable: Box::new(move |name| own.get(name)),
        network: Box::new(move || env.network()),
    })
}
