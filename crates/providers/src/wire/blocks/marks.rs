//! Placement of prompt cache marks: the author's marks stay, and others are placed so that the next step's request
//! finds the cached prefix.

use serde_json::{Map, Value};

use crate::wire::settings::Warnings;

const MAX_MARKS: usize = 4;

pub(crate) trait MarkFormat {
    fn mark(block: &Value) -> Option<&Value>;

    fn accepts(&self, kind: ListKind, list: &[Value]) -> bool;

    fn put(list: &mut Vec<Value>);

    fn remove(list: &mut Vec<Value>, index: usize);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    Tools,
    System,
    Turn,
    Answer,
}

pub(crate) fn place_marks<F: MarkFormat>(
    format: &F,
    body: &mut Map<String, Value>,
    automatic: bool,
    warnings: &mut Warnings,
) {
    let mut lists = Lists::of(body);
    let too_many = lists.given::<F>().len().saturating_sub(MAX_MARKS);
    if too_many > 0 {
        // Keep the later ones, which cover everything before them.
        for (list, index) in lists.given::<F>().into_iter().take(too_many).rev() {
            F::remove(lists.0[list].1, index);
        }
        warnings.other(format!("the first {too_many} cache marks were left out: the service takes {MAX_MARKS}"));
    }
    if !automatic {
        return;
    }
    let given = lists.given::<F>();
    // A mark with a longer lifetime must not follow one with the default of five minutes.
    let long_lived = given.iter().rev().find(|(list, index)| is_long_lived(&lists.0[*list].1[*index], F::mark));
    let first = long_lived.map_or(0, |(list, _)| *list);
    let unmarked = |index: &usize| lists.0[*index].1.last().is_some_and(|block| F::mark(block).is_none());
    let wanted = lists.wanted(format).into_iter().filter(|index| *index >= first).filter(unmarked);
    let chosen: Vec<usize> = wanted.take(MAX_MARKS.saturating_sub(given.len())).collect();
    for index in chosen {
        F::put(lists.0[index].1);
    }
}

fn is_long_lived(block: &Value, mark: fn(&Value) -> Option<&Value>) -> bool {
    mark(block).and_then(|mark| mark.get("ttl")).and_then(Value::as_str).is_some_and(|ttl| ttl != "5m")
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
    fn wanted<F: MarkFormat>(&self, format: &F) -> Vec<usize> {
        let accepts = |(_, (kind, list)): &(usize, &(ListKind, &'a mut Vec<Value>))| {
            *kind != ListKind::Answer && format.accepts(*kind, list)
        };
        let lists: Vec<(usize, ListKind)> =
            self.0.iter().enumerate().filter(accepts).map(|(index, (kind, _))| (index, *kind)).collect();
        let find =
            |wanted: ListKind| lists.iter().rev().filter(move |(_, kind)| *kind == wanted).map(|(index, _)| *index);
        let mut turns = find(ListKind::Turn);
        let newest = turns.next();
        newest.into_iter().chain(find(ListKind::System)).chain(find(ListKind::Tools)).chain(turns.next()).collect()
    }
}

fn turn(message: &mut Value) -> Option<(ListKind, &mut Vec<Value>)> {
    let kind = if message["role"] == "user" { ListKind::Turn } else { ListKind::Answer };
    message.get_mut("content").and_then(Value::as_array_mut).map(|list| (kind, list))
}
