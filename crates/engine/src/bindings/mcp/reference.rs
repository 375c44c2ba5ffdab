//! The reference that `defMcp` returns, with the server's resources and prompts.

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
    bindings::{
        prompt::{
            core::Core,
            mcp_server::{McpServerConfig, McpToolKind},
        },
        values::{from_serde, kind_of, plain_error, to_json, type_error},
    },
    mcp::McpContent,
    prompt::DefinitionKind,
};
use lmthing_node::KeepAlive;

/// Converts to the tag `<NAME>` in templates and concatenation.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub struct McpReference {
    #[qjs(skip_trace)]
    core: Rc<Core>,
    #[qjs(skip_trace)]
    config: Rc<McpServerConfig>,
}

impl McpReference {
    pub(super) fn create<'js>(ctx: &Ctx<'js>, core: &Rc<Core>, config: Rc<McpServerConfig>) -> Result<Value<'js>> {
        Ok(Class::instance(ctx.clone(), McpReference { core: core.clone(), config })?.into_value())
    }

    /// Adds `Symbol.toPrimitive`, which the class macro cannot express.
    pub fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
        if let Some(prototype) = Class::<McpReference>::prototype(ctx)? {
            let tag = |this: rquickjs::function::This<Class<'_, McpReference>>| this.0.borrow().tag();
            prototype.set(PredefinedAtom::SymbolToPrimitive, Func::from(tag))?;
        }
        Ok(())
    }

    fn tag(&self) -> String {
        format!("<{}>", self.config.name)
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl McpReference {
    #[qjs(get)]
    fn value(&self) -> String {
        self.tag()
    }

    #[qjs(get)]
    fn name(&self) -> String {
        self.config.name.clone()
    }

    /// Adds the server to a reminder at the end of the next request, once.
    fn remind(&self) {
        self.core.prompt.borrow_mut().remind(DefinitionKind::DefMcp, &self.config.name);
    }

    fn disable(&self) {
        let mut prompt = self.core.prompt.borrow_mut();
        match self.config.kind {
            McpToolKind::Tools => prompt.disable(DefinitionKind::DefMcp, &self.config.name),
            McpToolKind::Functions => {
                prompt.disable(DefinitionKind::DefFunction, &super::tools::namespace_name(&self.config.name));
            }
        }
    }

    /// A resource of the server: a string if it is a single text, otherwise parts for `defMessage`.
    fn resource<'js>(&self, ctx: Ctx<'js>, uri: Opt<Value<'js>>) -> Result<Value<'js>> {
        let uri = text_argument(&ctx, uri.0, &format!("resource of <{}>: the uri", self.config.name))?;
        let config = self.config.clone();
        let inner = ctx.clone();
        let request = async move {
            let connection = hub::connection(&inner, &config)?;
            let _alive = KeepAlive::new(&inner)?;
            let parts = connection.resource(&uri).await.map_err(|error| plain_error(&inner, error.0))?;
            match parts.as_slice() {
                [McpContent::Text(text)] => text.as_str().into_js(&inner),
                parts => parts_to_js(&inner, parts),
            }
        };
        Promised(request).into_js(&ctx)
    }

    /// A prompt of the server as messages `[{role, content}]`.
    fn prompt<'js>(&self, ctx: Ctx<'js>, name: Opt<Value<'js>>, args: Opt<Value<'js>>) -> Result<Value<'js>> {
        let place = format!("prompt of <{}>", self.config.name);
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
        let config = self.config.clone();
        let inner = ctx.clone();
        let request = async move {
            let connection = hub::connection(&inner, &config)?;
            let _alive = KeepAlive::new(&inner)?;
            let messages = connection.prompt(&name, args).await.map_err(|error| plain_error(&inner, error.0))?;
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
        Promised(request).into_js(&ctx)
    }

    #[qjs(rename = "toString")]
    fn js_to_string(&self) -> String {
        self.tag()
    }

    fn value_of(&self) -> String {
        self.tag()
    }

    /// Makes a reference in data appear as its tag.
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
