//! The doors that lead from the bindings of an engine to the step loop and the providers. Must not know what runs in the
//! engine.

use std::{collections::BTreeMap, rc::Rc};

use super::{endings::Endings, file::told, meter::Meter, step_loop::Session};
use crate::{
    event::Events,
    provider::{ProviderContext, Redactor},
    script::{
        ScriptHost,
        bindings::{Doors, Exchanges},
    },
};

/// The doors of an engine whose scripts run prompts; `variables` are where keys and aliases are looked up,
/// `keeps_tools` says whether steps have the schemas of their tools also where the model reads none.
pub(crate) fn doors(
    host: &Rc<dyn ScriptHost>,
    variables: &[(String, String)],
    redactor: &Redactor,
    (meter, events, exchanges): (Rc<Meter>, Rc<Events>, Exchanges),
    keeps_tools: bool,
) -> Doors {
    let variables: BTreeMap<String, String> = variables.iter().cloned().collect();
    let providers = ProviderContext::redacting(Rc::new(variables), redactor.clone());
    let listener = events.clone();
    let providers = providers.on_event(move |event| listener.emit_current(&told(event)));
    let host = host.clone();
    let endings = Endings::new(move |line| host.warn(line));
    Doors {
        step_loop: Rc::new(Session { endings, meter: meter.clone(), keeps_tools }),
        limits: meter,
        providers,
        exchanges,
        events,
    }
}
