//! Deserializers for response fields of any type: values that cannot be read count as missing.
//!
//! Servers send counts as floats, ids as numbers, `null` for lists. That must not fail an otherwise valid response,
//! so decoders use these for every field (`#[serde(default, deserialize_with = "…")]`).

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{
        IgnoredAny, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};

use serde_json::Value;

use lmthing_base::chat::whole_count;

pub(super) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(match scalar(deserializer)? {
        Scalar::Number(number) => whole_count(number),
        Scalar::Text(text) => text.trim().parse().ok().and_then(whole_count),
        Scalar::Flag(_) | Scalar::Nothing => None,
    })
}

pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match scalar(deserializer)? {
        Scalar::Text(text) => Some(text),
        Scalar::Number(number) => Some(number.to_string()),
        Scalar::Flag(_) | Scalar::Nothing => None,
    })
}

/// A non-empty string: many servers send an empty one for none.
pub(super) fn non_empty_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(text(deserializer)?.filter(|text| !text.is_empty()))
}

pub(super) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(matches!(scalar(deserializer)?, Scalar::Flag(true)))
}

pub(super) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    deserializer.deserialize_any(ObjectVisitor(PhantomData))
}

pub(super) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_any(ListVisitor(PhantomData))
}

#[derive(Debug, Default)]
pub(super) enum TextOrJson {
    #[default]
    Nothing,
    Text(String),
    Other(Box<Value>),
}

impl TextOrJson {
    pub(super) fn of(value: Option<&Value>) -> Self {
        match value {
            Some(Value::String(text)) => TextOrJson::Text(text.clone()),
            Some(other @ (Value::Array(_) | Value::Object(_))) => TextOrJson::Other(Box::new(other.clone())),
            _ => TextOrJson::Nothing,
        }
    }
}

pub(super) fn text_or_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TextOrJson, D::Error> {
    deserializer.deserialize_any(TextOrJsonVisitor)
}

enum Scalar {
    Text(String),
    Number(f64),
    Flag(bool),
    Nothing,
}

fn scalar<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
    deserializer.deserialize_any(ScalarVisitor)
}

macro_rules! ignore_types {
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

// Larger numbers are no token counts.
#[allow(clippy::cast_precision_loss)]
impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    ignore_types!(Scalar, Scalar::Nothing,);

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

struct TextOrJsonVisitor;

impl<'de> Visitor<'de> for TextOrJsonVisitor {
    type Value = TextOrJson;

    ignore_types!(TextOrJson, TextOrJson::Nothing, visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64);

    fn visit_str<E>(self, text: &str) -> Result<TextOrJson, E> {
        Ok(TextOrJson::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<TextOrJson, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(list)).map(|value| TextOrJson::Other(Box::new(value)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TextOrJson, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(map)).map(|value| TextOrJson::Other(Box::new(value)))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Option<T>;

    ignore_types!(Option<T>, None, visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64, visit_str: &str);

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

    ignore_types!(Vec<T>, Vec::new(), visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64, visit_str: &str);

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
        #[serde(default, deserialize_with = "non_empty_text")]
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
    fn fields_of_any_type_are_read_or_ignored() {
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
