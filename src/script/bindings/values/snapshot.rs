//! What large data looked like when it was last written (docs/reference.md, "The prompt"): tells without writing it
//! again whether it still is the same. Must not know what it is written as.

use std::{collections::HashMap, rc::Rc};

use rquickjs::{
    Atom, Ctx, JsLifetime, Object, Value,
    atom::PredefinedAtom,
    object::{Filter, ObjectKeysIter},
};

use crate::chat::MAX_JSON_DEPTH;

/// Plain objects, arrays and the scalars in them.
///
/// Strings are told apart by where they are, which is far cheaper than reading them: they never change, and one that is held
/// here is not freed. So data that is the same may be taken for another, and never the other way round.
#[derive(JsLifetime)]
pub(crate) struct Snapshot<'js> {
    /// In the order of a walk; `None` is an object or array, the next of `nested`.
    values: Vec<Option<Value<'js>>>,
    nested: Vec<Nested<'js>>,
}

/// An object's keys, shared by all objects that have the same, or an array's length.
#[derive(Clone, PartialEq, Eq, JsLifetime)]
enum Nested<'js> {
    Object(Rc<Vec<Atom<'js>>>),
    Array(usize),
}

impl<'js> Snapshot<'js> {
    /// `None` for what is more than plain data: only writing it tells what a `toJSON` or a proxy says.
    pub(crate) fn take(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<Self> {
        let snapshot = Snapshot { values: Vec::new(), nested: Vec::new() };
        let mut taking = Taking { snapshot, shapes: HashMap::new() };
        walk(&PlainData::new(ctx)?, &mut taking, value.clone(), 0)?;
        let mut snapshot = taking.snapshot;
        snapshot.values.shrink_to_fit();
        snapshot.nested.shrink_to_fit();
        Some(snapshot)
    }

    /// Whether the value still holds what it held.
    pub(crate) fn is_of(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> bool {
        let mut comparing = Comparing { values: self.values.iter(), nested: self.nested.iter() };
        let same = PlainData::new(ctx).and_then(|plain| walk(&plain, &mut comparing, value.clone(), 0));
        // An accessor may have thrown; it will again when the data is written.
        if ctx.has_exception() {
            ctx.catch();
        }
        same.is_some()
    }
}

/// Who looks at the values one after the other; `None` ends the walk.
trait Visitor<'js> {
    fn scalar(&mut self, value: Value<'js>) -> Option<()>;
    fn array(&mut self, length: usize) -> Option<()>;
    /// Returns the keys.
    fn object(&mut self, keys: ObjectKeysIter<'js, Atom<'js>>) -> Option<Rc<Vec<Atom<'js>>>>;
}

struct Taking<'js> {
    snapshot: Snapshot<'js>,
    shapes: HashMap<Vec<Atom<'js>>, Rc<Vec<Atom<'js>>>>,
}

impl<'js> Visitor<'js> for Taking<'js> {
    fn scalar(&mut self, value: Value<'js>) -> Option<()> {
        self.snapshot.values.push(Some(value));
        Some(())
    }

    fn array(&mut self, length: usize) -> Option<()> {
        self.snapshot.values.push(None);
        self.snapshot.nested.push(Nested::Array(length));
        Some(())
    }

    fn object(&mut self, keys: ObjectKeysIter<'js, Atom<'js>>) -> Option<Rc<Vec<Atom<'js>>>> {
        let keys: Vec<_> = keys.collect::<Result<_, _>>().ok()?;
        let shape = match self.shapes.get(&keys) {
            Some(shape) => shape.clone(),
            None => self.shapes.entry(keys.clone()).or_insert(keys.into()).clone(),
        };
        self.snapshot.values.push(None);
        self.snapshot.nested.push(Nested::Object(shape.clone()));
        Some(shape)
    }
}

struct Comparing<'a, 'js> {
    values: std::slice::Iter<'a, Option<Value<'js>>>,
    nested: std::slice::Iter<'a, Nested<'js>>,
}

impl<'a, 'js> Comparing<'a, 'js> {
    fn next_nested(&mut self) -> Option<&'a Nested<'js>> {
        self.values.next()?.is_none().then(|| self.nested.next())?
    }
}

impl<'js> Visitor<'js> for Comparing<'_, 'js> {
    fn scalar(&mut self, value: Value<'js>) -> Option<()> {
        (self.values.next()?.as_ref()? == &value).then_some(())
    }

    fn array(&mut self, length: usize) -> Option<()> {
        (*self.next_nested()? == Nested::Array(length)).then_some(())
    }

    fn object(&mut self, keys: ObjectKeysIter<'js, Atom<'js>>) -> Option<Rc<Vec<Atom<'js>>>> {
        let Nested::Object(shape) = self.next_nested()? else { return None };
        let same =
            keys.len() == shape.len() && keys.zip(shape.iter()).all(|(key, known)| key.is_ok_and(|key| key == *known));
        same.then(|| shape.clone())
    }
}

/// What objects and arrays inherit from that are nothing else.
struct PlainData<'js> {
    object: Object<'js>,
    array: Object<'js>,
}

impl<'js> PlainData<'js> {
    fn new(ctx: &Ctx<'js>) -> Option<Self> {
        let object = Object::new(ctx.clone()).ok()?.get_prototype()?;
        let array = rquickjs::Array::new(ctx.clone()).ok()?.get_prototype()?;
        Some(PlainData { object, array })
    }

    fn is_plain(&self, object: &Object<'js>) -> bool {
        if object.is_proxy() {
            return false;
        }
        let own = if object.is_array() { &self.array } else { &self.object };
        object.get_prototype().is_none_or(|prototype| prototype == *own)
            && object.contains_key(PredefinedAtom::ToJSON).is_ok_and(|has| !has)
    }
}

/// Walks as `JSON.stringify` does.
fn walk<'js>(plain: &PlainData<'js>, visitor: &mut impl Visitor<'js>, value: Value<'js>, depth: usize) -> Option<()> {
    if !value.is_object() {
        let is_json = value.type_of() != rquickjs::Type::BigInt;
        return is_json.then(|| visitor.scalar(value))?;
    }
    let object = value.into_object().filter(|object| depth < MAX_JSON_DEPTH && plain.is_plain(object))?;
    let depth = depth + 1;
    if let Some(array) = object.as_array() {
        visitor.array(array.len())?;
        return (0..array.len()).try_for_each(|index| walk(plain, visitor, array.get(index).ok()?, depth));
    }
    let keys = visitor.object(object.own_keys(Filter::new().string().enum_only()))?;
    keys.iter().try_for_each(|key| walk(plain, visitor, object.get(key.clone()).ok()?, depth))
}
