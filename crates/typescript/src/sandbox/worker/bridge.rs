//! The registered functions and `console` inside the sandbox.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use rquickjs::{Ctx, Function, JsLifetime, Object, Value, function::Rest};
use serde_json::value::RawValue;

use super::{
    emit::emit,
    intrinsics::{Intrinsics, NoData},
};
use crate::sandbox::{
    config::Limits,
    outcome::{LogLevel, LogLine},
    protocol::{FromWorker, Reply},
};

#[derive(JsLifetime)]
struct PendingCall<'js> {
    resolve: Function<'js>,
    reject: Function<'js>,
    stack: String,
}

/// The JavaScript values of the native functions, stored in the engine's user data.
#[derive(JsLifetime)]
pub(super) struct Bridge<'js> {
    intrinsics: Intrinsics<'js>,
    pending: RefCell<HashMap<u32, PendingCall<'js>>>,
}

/// What the native functions count.
pub(super) struct Counters {
    limits: Limits,
    next_id: Cell<u32>,
    calls: Cell<u32>,
    console_bytes: Cell<usize>,
    console_full: Cell<bool>,
    pub disconnected: Cell<bool>,
}

impl Counters {
    pub(super) fn new(limits: Limits, first_id: u32) -> Rc<Self> {
        Rc::new(Self {
            limits,
            next_id: Cell::new(first_id),
            calls: Cell::new(0),
            console_bytes: Cell::new(0),
            console_full: Cell::new(false),
            disconnected: Cell::new(false),
        })
    }

    fn send(&self, frame: &FromWorker) {
        if emit(frame).is_err() {
            self.disconnected.set(true);
        }
    }
}

impl<'js> Bridge<'js> {
    pub(super) fn intrinsics(&self) -> &Intrinsics<'js> {
        &self.intrinsics
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.pending.borrow().is_empty()
    }

    /// Settles a call with the host's reply. Ids of earlier runs are ignored.
    pub(super) fn settle(&self, ctx: &Ctx<'js>, id: u32, reply: Reply) -> rquickjs::Result<()> {
        let Some(call) = self.pending.borrow_mut().remove(&id) else { return Ok(()) };
        match reply {
            Reply::Value(json) => match ctx.json_parse(json.get()) {
                Ok(value) => call.resolve.call((value,)),
                Err(_) => {
                    let error = ctx.catch();
                    call.reject.call((error,))
                }
            },
            Reply::Error(message) => {
                let error = self.intrinsics.new_error(&message, Some(call.stack))?;
                call.reject.call((error,))
            }
        }
    }

    /// Drops the pending calls, so that no value outlives the engine.
    pub(super) fn clear(&self) {
        self.pending.borrow_mut().clear();
    }
}

pub(super) fn install<'js>(ctx: &Ctx<'js>, functions: &[String], counters: &Rc<Counters>) -> rquickjs::Result<()> {
    let globals = ctx.globals();
    // Not part of the language, and exceptions in it would be lost.
    globals.remove("queueMicrotask")?;
    let bridge = Bridge { intrinsics: Intrinsics::capture(ctx)?, pending: RefCell::default() };
    if ctx.store_userdata(bridge).is_err() {
        return Err(rquickjs::Error::Unknown);
    }
    for name in functions {
        let function = host_function(ctx, name, counters)?;
        match name.split_once('.') {
            None => globals.set(name.as_str(), function)?,
            Some((namespace, member)) => {
                let known: Option<Object<'js>> = globals.get(namespace)?;
                let object = match known {
                    Some(object) => object,
                    None => {
                        let object = Object::new(ctx.clone())?;
                        globals.set(namespace, object.clone())?;
                        object
                    }
                };
                object.set(member, function)?;
            }
        }
    }
    globals.set("console", console(ctx, counters)?)
}

fn host_function<'js>(ctx: &Ctx<'js>, name: &str, counters: &Rc<Counters>) -> rquickjs::Result<Function<'js>> {
    let (shared, full_name) = (counters.clone(), name.to_owned());
    let short_name = name.rsplit('.').next().unwrap_or(name);
    Function::new(ctx.clone(), move |ctx: Ctx<'js>, arguments: Rest<Value<'js>>| {
        call_host(&ctx, &full_name, arguments.0.first(), &shared)
    })?
    .with_name(short_name)
}

/// Failures become rejected promises, as in any async function.
fn call_host<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    argument: Option<&Value<'js>>,
    counters: &Counters,
) -> rquickjs::Result<Value<'js>> {
    let (promise, resolve, reject) = ctx.promise()?;
    match arguments(ctx, name, argument, counters) {
        Ok((args, stack)) => {
            let id = counters.next_id.get();
            counters.next_id.set(id.wrapping_add(1));
            if let Some(bridge) = ctx.userdata::<Bridge<'js>>() {
                bridge.pending.borrow_mut().insert(id, PendingCall { resolve, reject, stack });
            }
            // Sent immediately, so that calls without `await` run concurrently with the code.
            counters.send(&FromWorker::Call { id, name: name.to_owned(), args });
        }
        Err(NoData::Because(message)) => {
            if let Some(bridge) = ctx.userdata::<Bridge<'js>>() {
                reject.call::<_, ()>((bridge.intrinsics.new_error(&message, None)?,))?;
            }
        }
        Err(NoData::Thrown) => reject.call::<_, ()>((ctx.catch(),))?,
    }
    Ok(promise.into_value())
}

fn arguments<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    argument: Option<&Value<'js>>,
    counters: &Counters,
) -> Result<(Option<Box<RawValue>>, String), NoData> {
    let calls = counters.calls.get() + 1;
    if calls > counters.limits.host_calls {
        let limit = counters.limits.host_calls;
        return Err(NoData::Because(format!("the code called functions more than {limit} times")));
    }
    counters.calls.set(calls);
    let Some(bridge) = ctx.userdata::<Bridge<'js>>() else {
        return Err(NoData::Because("the sandbox is closing".to_owned()));
    };
    let what = format!("the argument of {name}");
    // The type checker rejects further arguments; they are ignored here.
    let json = match argument {
        Some(value) => bridge.intrinsics.to_json(ctx, value, counters.limits.result_bytes, &what)?,
        None => None,
    };
    let json = json.map(RawValue::from_string).transpose();
    let json = json.map_err(|_| NoData::Because(format!("{what} is not data")))?;
    Ok((json, bridge.intrinsics.stack(ctx)))
}

fn console<'js>(ctx: &Ctx<'js>, counters: &Rc<Counters>) -> rquickjs::Result<Object<'js>> {
    let console = Object::new(ctx.clone())?;
    for (name, level) in [
        ("log", LogLevel::Log),
        ("info", LogLevel::Info),
        ("warn", LogLevel::Warn),
        ("error", LogLevel::Error),
        ("debug", LogLevel::Debug),
    ] {
        let shared = counters.clone();
        let write = Function::new(ctx.clone(), move |ctx: Ctx<'js>, data: Rest<Value<'js>>| {
            write_line(&ctx, level, &data.0, &shared);
        })?;
        console.set(name, write.with_name(name)?)?;
    }
    Ok(console)
}

fn write_line<'js>(ctx: &Ctx<'js>, level: LogLevel, data: &[Value<'js>], counters: &Counters) {
    let limit = counters.limits.console_bytes;
    if counters.console_full.get() {
        return;
    }
    let Some(bridge) = ctx.userdata::<Bridge<'js>>() else { return };
    let mut text = String::new();
    for (index, value) in data.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        text.push_str(&bridge.intrinsics.inspect(ctx, value));
        // The rest would be truncated, and formatting it may run getters.
        if text.len() > limit {
            break;
        }
    }
    // Getters of the arguments may have written lines.
    let left = limit.saturating_sub(counters.console_bytes.get());
    let mut line = LogLine { level, text };
    if line.bytes() > left {
        counters.console_full.set(true);
        line.text.truncate(line.text.floor_char_boundary(left));
        line.text.push_str(&format!("… (console output is cut after {limit} bytes)"));
    }
    counters.console_bytes.set(counters.console_bytes.get() + line.bytes());
    counters.send(&FromWorker::Log(line));
}
