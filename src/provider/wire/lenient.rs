//! Fields of an answer that may be of any shape: what cannot be read is as if it were not there.
//!
//! Servers write counts as floats, ids as numbers, `null` for a list. None of that may cost an answer that is good
//! otherwise, so decoders read every field through one of these (`#[serde(default, deserialize_with = "…")]`).

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

use crate::chat::whole_count;

/// A count: a natural number, or what rounds to one.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(match scalar(deserializer)? {
        Scalar::Number(number) => whole_count(number),
        Scalar::Text(text) => text.trim().parse().ok().and_then(whole_count),
        Scalar::Flag(_) | Scalar::Nothing => None,
    })
}

/// A text; a number counts as its digits.
pub(crate) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match scalar(deserializer)? {
        Scalar::Text(text) => Some(text),
        Scalar::Number(number) => Some(number.to_string()),
        Scalar::Flag(_) | Scalar::Nothing => None,
    })
}

/// A text that says something: many servers write an empty one where they mean none.
pub(crate) fn word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(text(deserializer)?.filter(|text| !text.is_empty()))
}

/// A yes or no; anything else is no.
pub(crate) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(matches!(scalar(deserializer)?, Scalar::Flag(true)))
}

/// An object, if it is one.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    deserializer.deserialize_any(ObjectVisitor(PhantomData))
}

/// The objects of a list; one that stands alone is a list of one.
pub(crate) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_any(ListVisitor(PhantomData))
}

/// What stands where one value is expected; lists and objects are nothing.
enum Scalar {
    Text(String),
    Number(f64),
    Flag(bool),
    Nothing,
}

fn scalar<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
    deserializer.deserialize_any(ScalarVisitor)
}

/// The kinds of values that a visitor has no use for.
macro_rules! nothing {
    ($value:ty, $nothing:expr, $($visit:ident: $kind:ty),*) => {
        $(fn $visit<E>(self, _: $kind) -> Result<$value, E> {
            Ok($nothing)
        })*

        fn visit_unit<E>(self) -> Result<$value, E> {
            Ok($nothing)
        }

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any JSON")
        }
    };
}

struct ScalarVisitor;

// A count beyond what a float holds exactly is no count of tokens, and an id is never that long.
#[allow(clippy::cast_precision_loss)]
impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    nothing!(Scalar, Scalar::Nothing,);

    fn visit_bool<E>(self, flag: bool) -> Result<Scalar, E> {
        Ok(Scalar::Flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar::Number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Scalar, A::Error> {
        skip(list).map(|()| Scalar::Nothing)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Nothing)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Option<T>;

    nothing!(Option<T>, None, visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64, visit_str: &str);

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Option<T>, A::Error> {
        skip(list).map(|()| None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Option<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T>;

    nothing!(Vec<T>, Vec::new(), visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64, visit_str: &str);

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(Item(item)) = list.next_element()? {
            items.extend(item);
        }
        Ok(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
        Ok(vec![T::deserialize(MapAccessDeserializer::new(map))?])
    }
}

/// An entry of a list.
struct Item<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Item)
    }
}

fn skip<'de, A: SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    struct Sample {
        #[serde(default, deserialize_with = "count")]
        count: Option<u64>,
        #[serde(default, deserialize_with = "word")]
        word: Option<String>,
        #[serde(default, deserialize_with = "flag")]
        flag: bool,
        #[serde(default, deserialize_with = "object")]
        object: Option<Box<Sample>>,
        #[serde(default, deserialize_with = "list")]
        list: Vec<Sample>,
    }

    fn read(key: &str, value: &Value) -> Sample {
        serde_json::from_str(&json!({ key: value }).to_string())
            .unwrap_or_else(|error| panic!("{key} {value}: {error}"))
    }

    #[test]
    fn a_field_of_any_shape_is_read_or_passed_over() {
        let odd =
            [json!(null), json!(true), json!(-3), json!(2.5), json!("x"), json!(""), json!([1, []]), json!({"a": 1})];
        for key in ["count", "word", "flag", "object", "list"] {
            for value in &odd {
                read(key, value);
            }
        }
        let numbers = [(json!(12), Some(12)), (json!(12.0), Some(12)), (json!(1.5), Some(2)), (json!(1e3), Some(1000))];
        let others = [(json!("12"), Some(12)), (json!(-3), None), (json!(1e300), None), (json!({}), None)];
        for (value, expected) in numbers.into_iter().chain(others) {
            assert_eq!(read("count", &value).count, expected, "{value}");
        }
        assert_eq!(read("word", &json!(7)).word.as_deref(), Some("7"));
        assert_eq!(read("object", &json!({"count": 1})).object.and_then(|object| object.count), Some(1));
        assert_eq!(read("list", &json!([null, {"count": 1}, "x", {"count": 2}])).list.len(), 2);
        assert_eq!(read("list", &json!({"count": 1})).list.len(), 1);
    }
}
