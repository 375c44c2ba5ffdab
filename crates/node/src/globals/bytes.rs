//! Byte arrays crossing between JavaScript and Rust.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rquickjs::{Ctx, Error, Exception, FromJs, Function, IntoJs, Object, Result, TypedArray, Value, function::This};

/// Bytes per call of the base64 coder: larger arrays would be in memory several times.
const PIECE: usize = 3 << 20;

/// Bytes owned by Rust. Made from a `Uint8Array` by copying; becomes one without copying.
///
/// rquickjs lends the memory of a typed array only through `unsafe`, as the script could detach it. QuickJS's native
/// base64 coder is nearly as fast as a copy, so the bytes are read through that.
pub struct Bytes(pub Vec<u8>);

impl<'js> FromJs<'js> for Bytes {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let object = Object::from_value(value).map_err(|_| Error::new_from_js("value", "Uint8Array"))?;
        let array = TypedArray::<u8>::from_object(object)?;
        let (object, length) = (array.as_object(), array.len());
        let to_base64: Function<'js> = object.get("toBase64")?;
        let piece_of: Function<'js> = object.get("subarray")?;
        let mut bytes = Vec::with_capacity(length);
        for start in (0..length).step_by(PIECE) {
            let piece: Value<'js> = match length <= PIECE {
                true => array.clone().into_value(),
                false => piece_of.call((This(array.clone()), start, (start + PIECE).min(length)))?,
            };
            let text: String = to_base64.call((This(piece),))?;
            let decoded = STANDARD.decode_vec(text, &mut bytes);
            decoded.map_err(|error| Exception::throw_internal(ctx, &error.to_string()))?;
        }
        Ok(Self(bytes))
    }
}

impl<'js> IntoJs<'js> for Bytes {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        Ok(TypedArray::<u8>::new(ctx.clone(), self.0)?.into_value())
    }
}
