//! Bytes on their way between JavaScript and Rust.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rquickjs::{Ctx, Error, Exception, FromJs, Function, IntoJs, Object, Result, TypedArray, Value, function::This};

/// Bytes owned by Rust. From JavaScript it takes a `Uint8Array` (copied); to JavaScript it becomes one (not copied).
///
/// The engine lends the memory of a typed array to Rust only through `unsafe` (the script could detach it). Its own
/// base64 coder is native and nearly as fast as a copy, so the bytes come in through that.
pub(in crate::script) struct Bytes(pub(in crate::script) Vec<u8>);

impl<'js> FromJs<'js> for Bytes {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let object = Object::from_value(value).map_err(|_| Error::new_from_js("value", "Uint8Array"))?;
        let array = TypedArray::<u8>::from_object(object)?;
        let to_base64: Function<'js> = array.as_object().get("toBase64")?;
        let text: String = to_base64.call((This(array),))?;
        let bytes = STANDARD.decode(text).map_err(|error| Exception::throw_internal(ctx, &error.to_string()))?;
        Ok(Self(bytes))
    }
}

impl<'js> IntoJs<'js> for Bytes {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        Ok(TypedArray::<u8>::new(ctx.clone(), self.0)?.into_value())
    }
}
