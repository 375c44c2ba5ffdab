//! Snapshots of large data, to detect changes without writing it again (docs/reference/prompt.md).

use std::{collections::HashMap, rc::Rc};

use rquickjs::{
    Atom, Ctx, JsLifetime, Object, Value,
    atom::PredefinedAtom,
    object::{Filter, ObjectKeysIter},
};

use lmthing_base::chat::MAX_JSON_DEPTH;

/// Strings are compared by address, which is far cheaper than by content. This is safe because strings are immutable
/// and stay alive in the snapshot. Equal data may therefore count as changed, but never the reverse.
#[derive(JsLifetime)]
pub(crate) struct Snapshot<'js> {
    /// In traversal order; `None` is an object or array, the next of `nested`.
    values: Vec<Option<Value<'js>>>,
    nested: Vec<Nested<'js>>,
}

/// The keys of an object, shared by all objects with the same keys, or the length of an array.
#[derive(Clone, PartialEq, Eq, JsLifetime)]
enum Nested<'js> {
    Object(Rc<Vec<Atom<'js>>>),
    Array(usize),
}

impl<'js> Snapshot<'js> {
    /// Returns `None` for data with a `toJSON` or a proxy.
    pub(crate) fn take(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<Self> {
        let snapshot = Snapshot { values: Vec::new(), nested: Vec::new() };
        let mut recorder = Recorder { snapshot, shapes: HashMap::new() };
        walk(&PlainPrototypes::new(ctx)?, &mut recorder, value.clone(), 0)?;
        let mut snapshot = recorder.snapshot;
        snapshot.values.shrink_to_fit();
        snapshot.nested.shrink_to_fit();
        Some(snapshot)
    }

    pub(crate) fn matches(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> bool {
        let mut comparer = Comparer { values: self.values.iter(), nested: self.nested.iter() };
        let same = PlainPrototypes::new(ctx).and_then(|plain| walk(&plain, &mut comparer, value.clone(), 0));
        // An accessor that threw will throw again when the data is written.
        if ctx.has_exception() {
            ctx.catch();
        }
        same.is_some()
    }
}

trait Visitor<'js> {
    fn scalar(&mut self, value: Value<'js>) -> Option<()>;
    fn array(&mut self, length: usize) -> Option<()>;
    fn object(&mut self, keys: ObjectKeysIter<'js, Atom<'js>>) -> Option<Rc<Vec<Atom<'js>>>>;
}

struct Recorder<'js> {
    snapshot: Snapshot<'js>,
    shapes: HashMap<Vec<Atom<'js>>, Rc<Vec<Atom<'js>>>>,
}

impl<'js> Visitor<'js> for Recorder<'js> {
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

struct Comparer<'a, 'js> {
    values: std::slice::Iter<'a, Option<Value<'js>>>,
    nested: std::slice::Iter<'a, Nested<'js>>,
}

impl<'a, 'js> Comparer<'a, 'js> {
    fn next_nested(&mut self) -> Option<&'a Nested<'js>> {
        self.values.next()?.is_none().then(|| self.nested.next())?
    }
}

impl<'js> Visitor<'js> for Comparer<'_, 'js> {
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

struct PlainPrototypes<'js> {
    object: Object<'js>,
    array: Object<'js>,
}

impl<'js> PlainPrototypes<'js> {
    fn new(ctx: &Ctx<'js>) -> Option<Self> {
        let object = Object::new(ctx.clone()).ok()?.get_prototype()?;
        let array = rquickjs::Array::new(ctx.clone()).ok()?.get_prototype()?;
        Some(PlainPrototypes { object, array })
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

fn walk<'js>(
    plain: &PlainPrototypes<'js>,
    visitor: &mut impl Visitor<'js>,
    value: Value<'js>,
    depth: usize,
) -> Option<()> {
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
