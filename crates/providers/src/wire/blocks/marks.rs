//! Placement of prompt cache marks: the author's marks stay, and others are placed so that the next step's request
//! finds the cached prefix.

use serde_json::{Map, Value};

use crate::wire::settings::Warnings;

const MAX_MARKS: usize = 4;

pub(crate) trait MarkFormat {
    fn mark(block: &Value) -> Option<&Value>;

    fn accepts(&self, kind: ListKind, list: &[Value]) -> bool;

    fn put(list: &mut Vec<Value>, ttl: Option<&str>);

    fn remove(list: &mut Vec<Value>, index: usize);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    Tools,
    System,
    Turn,
    Answer,
}

/// What is placed beside the author's marks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marking {
    pub is_automatic: bool,
    /// The lifetime of the placed marks, if it is not the default.
    pub ttl: Option<&'static str>,
    /// The author's mark of the whole request, which the service puts at the end.
    pub of_request: Option<Value>,
}

/// A mark with a lifetime.
pub(crate) fn mark(mut mark: Value, ttl: Option<&str>) -> Value {
    if let Some(ttl) = ttl {
        mark["ttl"] = ttl.into();
    }
    mark
}

pub(crate) fn place_marks<F: MarkFormat>(
    format: &F,
    body: &mut Map<String, Value>,
    marking: &Marking,
    warnings: &mut Warnings,
) {
    let mut lists = Lists::of(body);
    let max = MAX_MARKS - usize::from(marking.of_request.is_some());
    let too_many = lists.given::<F>().len().saturating_sub(max);
    if too_many > 0 {
        // Keep the later ones, which cover everything before them.
        for (list, index) in lists.given::<F>().into_iter().take(too_many).rev() {
            F::remove(lists.0[list].1, index);
        }
        warnings.other(format!("the first {too_many} cache marks were left out: the service takes {MAX_MARKS}"));
    }
    if !marking.is_automatic {
        return;
    }
    let given = lists.given::<F>();
    let long_lived = |(list, index): &(usize, usize)| F::mark(&lists.0[*list].1[*index]).is_some_and(is_long_lived);
    let last_long = given.iter().rev().find(|place| long_lived(place)).map(|(list, _)| *list);
    let first_short = given.iter().find(|place| !long_lived(place)).map(|(list, _)| *list);
    let ends_long = marking.of_request.as_ref().is_some_and(is_long_lived);
    // A mark with a longer lifetime must not follow one with a shorter.
    let ttl_at = |list: usize| match marking.ttl {
        Some(ttl) if ttl != SHORTEST => {
            Some(if first_short.is_none_or(|short| list < short) { Some(ttl) } else { None })
        }
        short => (!ends_long && last_long.is_none_or(|long| list >= long)).then_some(short),
    };
    let unmarked = |index: &usize| lists.0[*index].1.last().is_some_and(|block| F::mark(block).is_none());
    let wanted = lists.wanted(format, marking.of_request.is_none()).into_iter().filter(unmarked);
    let wanted = wanted.filter_map(|index| Some((index, ttl_at(index)?)));
    let chosen: Vec<_> = wanted.take(max.saturating_sub(given.len())).collect();
    for (index, ttl) in chosen {
        F::put(lists.0[index].1, ttl);
    }
}

/// The lifetime of marks that state none.
const SHORTEST: &str = "5m";

fn is_long_lived(mark: &Value) -> bool {
    mark.get("ttl").and_then(Value::as_str).is_some_and(|ttl| ttl != SHORTEST)
}

struct Lists<'a>(Vec<(ListKind, &'a mut Vec<Value>)>);

impl<'a> Lists<'a> {
    fn of(body: &'a mut Map<String, Value>) -> Self {
        let (mut tools, mut system, mut turns) = (None, None, Vec::new());
        for (key, value) in body.iter_mut() {
            match (key.as_str(), value) {
                ("tools", Value::Array(list)) => tools = Some((ListKind::Tools, list)),
                ("toolConfig", Value::Object(config)) => {
                    tools = config.get_mut("tools").and_then(Value::as_array_mut).map(|list| (ListKind::Tools, list));
                }
                ("system", Value::Array(list)) => system = Some((ListKind::System, list)),
                ("messages", Value::Array(list)) => turns = list.iter_mut().filter_map(turn).collect(),
                _ => {}
            }
        }
        Lists(tools.into_iter().chain(system).chain(turns).collect())
    }

    fn given<F: MarkFormat>(&self) -> Vec<(usize, usize)> {
        let of_list = |(number, (_, list)): (usize, &(ListKind, &'a mut Vec<Value>))| {
            let marked = list.iter().enumerate().filter(|(_, block)| F::mark(block).is_some());
            marked.map(|(index, _)| (number, index)).collect::<Vec<_>>()
        };
        self.0.iter().enumerate().flat_map(of_list).collect()
    }

    /// The lists to mark, by importance.
    ///
    /// The next request continues after the newest turn. System and tools are shared with other runs, the tools even
    /// if the system prompt differs. The last request ended at the turn before the newest; the service finds it
    /// without a mark, but only within twenty blocks, which a step with many calls may exceed.
    fn wanted<F: MarkFormat>(&self, format: &F, marks_newest: bool) -> Vec<usize> {
        let accepts = |(_, (kind, list)): &(usize, &(ListKind, &'a mut Vec<Value>))| {
            *kind != ListKind::Answer && format.accepts(*kind, list)
        };
        let lists: Vec<(usize, ListKind)> =
            self.0.iter().enumerate().filter(accepts).map(|(index, (kind, _))| (index, *kind)).collect();
        let find =
            |wanted: ListKind| lists.iter().rev().filter(move |(_, kind)| *kind == wanted).map(|(index, _)| *index);
        let mut turns = find(ListKind::Turn);
        let newest = turns.next().filter(|_| marks_newest);
        newest.into_iter().chain(find(ListKind::System)).chain(find(ListKind::Tools)).chain(turns.next()).collect()
    }
}

fn turn(message: &mut Value) -> Option<(ListKind, &mut Vec<Value>)> {
    let kind = if message["role"] == "user" { ListKind::Turn } else { ListKind::Answer };
    message.get_mut("content").and_then(Value::as_array_mut).map(|list| (kind, list))
}
