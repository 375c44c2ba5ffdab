//! What `defMcp` returns: a reference like those of other definitions, and the server's resources and prompts. Must not know how
//! they are asked for.

use std::rc::Rc;

use rquickjs::{
    Array, Ctx, IntoJs, JsLifetime, Object, Result, Value,
    atom::PredefinedAtom,
    class::{Class, Trace},
    function::{Func, Opt},
    promise::Promised,
};

use super::hub;
use crate::{
    mcp::McpContent,
    prompt::DefinitionKind,
    script::{
        KeepAlive,
        bindings::{
            prompt::{
                core::Core,
                mcp_use::{McpPlan, McpShape},
            },
            values::{from_serde, kind_of, plain_error, to_json, type_error},
        },
    },
};

/// A reference to a server: a string (`<NAME>`) in templates, with `value`, `name`, `remind()`, `disable()`, `resource(uri)` and
/// `prompt(name, args)`.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(crate) struct McpReference {
    #[qjs(skip_trace)]
    core: Rc<Core>,
    #[qjs(skip_trace)]
    plan: Rc<McpPlan>,
}

impl McpReference {
    /// A reference as a JavaScript value.
    pub(super) fn create<'js>(ctx: &Ctx<'js>, core: &Rc<Core>, plan: Rc<McpPlan>) -> Result<Value<'js>> {
        Ok(Class::instance(ctx.clone(), McpReference { core: core.clone(), plan })?.into_value())
    }

    /// Adds what the class macro cannot express: conversion hints for templates and `+`.
    pub(crate) fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
        if let Some(prototype) = Class::<McpReference>::prototype(ctx)? {
            let tag = |this: rquickjs::function::This<Class<'_, McpReference>>| this.0.borrow().tag();
            prototype.set(PredefinedAtom::SymbolToPrimitive, Func::from(tag))?;
        }
        Ok(())
    }

    fn tag(&self) -> String {
        format!("<{}>", self.plan.name)
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl McpReference {
    /// The tag, `<NAME>`.
    #[qjs(get)]
    fn value(&self) -> String {
        self.tag()
    }

    /// The bare name.
    #[qjs(get)]
    fn name(&self) -> String {
        self.plan.name.clone()
    }

    /// Names the server in a reminder at the end of the next request, once.
    fn remind(&self) {
        self.core.prompt.borrow_mut().remind(DefinitionKind::DefMcp, &self.plan.name);
    }

    /// Hides all tools or functions of the server, as `disable()` of other references hides a definition.
    fn disable(&self) {
        let mut prompt = self.core.prompt.borrow_mut();
        match self.plan.shape {
            McpShape::Tools => prompt.disable(DefinitionKind::DefMcp, &self.plan.name),
            McpShape::Functions => {
                prompt.disable(DefinitionKind::DefFunction, &super::tools::namespace_name(&self.plan.name));
            }
        }
    }

    /// A resource of the server: a string when it is one text, else its parts as `defMessage` takes them.
    fn resource<'js>(&self, ctx: Ctx<'js>, uri: Opt<Value<'js>>) -> Result<Value<'js>> {
        let uri = text_argument(&ctx, uri.0, &format!("resource of <{}>: the uri", self.plan.name))?;
        let plan = self.plan.clone();
        let inner = ctx.clone();
        let asked = async move {
            let connection = hub::connection(&inner, &plan)?;
            let _alive = KeepAlive::new(&inner)?;
            let parts = connection.resource(&uri).await.map_err(|problem| plain_error(&inner, problem))?;
            match parts.as_slice() {
                [McpContent::Text(text)] => text.as_str().into_js(&inner),
                parts => parts_to_js(&inner, parts),
            }
        };
        Promised(asked).into_js(&ctx)
    }

    /// A prompt of the server as messages, `[{role, content}]`, which `defMessage(role, content)` takes.
    fn prompt<'js>(&self, ctx: Ctx<'js>, name: Opt<Value<'js>>, args: Opt<Value<'js>>) -> Result<Value<'js>> {
        let place = format!("prompt of <{}>", self.plan.name);
        let name = text_argument(&ctx, name.0, &format!("{place}: the name"))?;
        let args = match args.0.filter(|args| !args.is_undefined() && !args.is_null()) {
            None => serde_json::Map::new(),
            Some(args) => match to_json(&ctx, &args)? {
                serde_json::Value::Object(args) => args,
                _ => {
                    return Err(type_error(
                        &ctx,
                        format!("{place}: the arguments must be an object, got {}", kind_of(&args)),
                    ));
                }
            },
        };
        let plan = self.plan.clone();
        let inner = ctx.clone();
        let asked = async move {
            let connection = hub::connection(&inner, &plan)?;
            let _alive = KeepAlive::new(&inner)?;
            let messages = connection.prompt(&name, args).await.map_err(|problem| plain_error(&inner, problem))?;
            let list = Array::new(inner.clone())?;
            for (index, (role, part)) in messages.iter().enumerate() {
                let message = Object::new(inner.clone())?;
                message.set("role", role.as_str())?;
                match part {
                    McpContent::Text(text) => message.set("content", text.as_str())?,
                    part => message.set("content", parts_to_js(&inner, std::slice::from_ref(part))?)?,
                }
                list.set(index, message)?;
            }
            Ok::<_, rquickjs::Error>(list.into_value())
        };
        Promised(asked).into_js(&ctx)
    }

    /// The tag, for `String(reference)`.
    #[qjs(rename = "toString")]
    fn js_to_string(&self) -> String {
        self.tag()
    }

    /// The tag, for whoever asks for the primitive by name.
    fn value_of(&self) -> String {
        self.tag()
    }

    /// The tag, so that a reference within data stands for its definition there too.
    #[qjs(rename = "toJSON")]
    fn to_json(&self) -> String {
        self.tag()
    }
}

fn text_argument<'js>(ctx: &Ctx<'js>, value: Option<Value<'js>>, place: &str) -> Result<String> {
    match value.as_ref().and_then(Value::as_string) {
        Some(text) => text.to_string(),
        None => {
            let kind = value.as_ref().map_or("undefined", kind_of);
            Err(type_error(ctx, format!("{place} must be a string, got {kind}")))
        }
    }
}

/// Parts as `defMessage` takes them.
fn parts_to_js<'js>(ctx: &Ctx<'js>, parts: &[McpContent]) -> Result<Value<'js>> {
    let part = |part: &McpContent| match part {
        McpContent::Text(text) => serde_json::json!({ "type": "text", "text": text }),
        McpContent::Media { data, media_type } if media_type.starts_with("image/") => {
            serde_json::json!({ "type": "image", "image": data, "mediaType": media_type })
        }
        McpContent::Media { data, media_type } => {
            serde_json::json!({ "type": "file", "data": data, "mediaType": media_type })
        }
    };
    from_serde(ctx, &parts.iter().map(part).collect::<Vec<_>>())
}
