//! Marks that say how far a service may keep a request in its prompt cache.
//!
//! Owns where marks go: the author's stay, and the free ones are placed so that the next step's request finds what this
//! one left behind. Must not know how a service spells a mark.

use serde_json::{Map, Value};

use crate::provider::wire::settings::Warnings;

/// More marks than this are refused.
const MOST: usize = 4;

/// How one service spells marks, and where it takes them.
pub(crate) trait MarkFormat {
    /// The mark on a block, or that a block is.
    fn mark(block: &Value) -> Option<&Value>;

    /// Whether the end of a list may be marked.
    fn takes(&self, place: Place, list: &[Value]) -> bool;

    /// Marks the end of a list.
    fn put(list: &mut Vec<Value>);

    /// Takes a mark away.
    fn remove(list: &mut Vec<Value>, index: usize);
}

/// What a list of blocks is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Tools,
    System,
    /// Of the user, or results of tools.
    Turn,
    /// Of the assistant.
    Answer,
}

/// Places the marks of a request: at most four, the author's first, and none but those unless `automatic`.
pub(crate) fn place<F: MarkFormat>(
    format: &F,
    body: &mut Map<String, Value>,
    automatic: bool,
    warnings: &mut Warnings,
) {
    let mut lists = Lists::of(body);
    let too_many = lists.given::<F>().len().saturating_sub(MOST);
    if too_many > 0 {
        // The later ones are kept: each stands for everything before it.
        for (list, index) in lists.given::<F>().into_iter().take(too_many).rev() {
            F::remove(lists.0[list].1, index);
        }
        warnings.other(format!("the first {too_many} cache marks were left out: the service takes {MOST}"));
    }
    if !automatic {
        return;
    }
    let given = lists.given::<F>();
    // The service refuses a request in which what is kept for long follows what is kept for the usual five minutes.
    let long_lived = given.iter().rev().find(|(list, index)| is_long_lived(&lists.0[*list].1[*index], F::mark));
    let first = long_lived.map_or(0, |(list, _)| *list);
    let unmarked = |index: &usize| lists.0[*index].1.last().is_some_and(|block| F::mark(block).is_none());
    let wanted = lists.wanted(format).into_iter().filter(|index| *index >= first).filter(unmarked);
    let chosen: Vec<usize> = wanted.take(MOST.saturating_sub(given.len())).collect();
    for index in chosen {
        F::put(lists.0[index].1);
    }
}

fn is_long_lived(block: &Value, mark: fn(&Value) -> Option<&Value>) -> bool {
    mark(block).and_then(|mark| mark.get("ttl")).and_then(Value::as_str).is_some_and(|ttl| ttl != "5m")
}

/// The lists of blocks of a body, in the order in which the service reads them.
struct Lists<'a>(Vec<(Place, &'a mut Vec<Value>)>);

impl<'a> Lists<'a> {
    fn of(body: &'a mut Map<String, Value>) -> Self {
        let (mut tools, mut system, mut turns) = (None, None, Vec::new());
        for (key, value) in body.iter_mut() {
            match (key.as_str(), value) {
                ("tools", Value::Array(list)) => tools = Some((Place::Tools, list)),
                ("toolConfig", Value::Object(config)) => {
                    tools = config.get_mut("tools").and_then(Value::as_array_mut).map(|list| (Place::Tools, list));
                }
                ("system", Value::Array(list)) => system = Some((Place::System, list)),
                ("messages", Value::Array(list)) => turns = list.iter_mut().filter_map(turn).collect(),
                _ => {}
            }
        }
        Lists(tools.into_iter().chain(system).chain(turns).collect())
    }

    /// The marks that are there, as numbers of a list and of a block in it.
    fn given<F: MarkFormat>(&self) -> Vec<(usize, usize)> {
        let of_list = |(number, (_, list)): (usize, &(Place, &'a mut Vec<Value>))| {
            let marked = list.iter().enumerate().filter(|(_, block)| F::mark(block).is_some());
            marked.map(|(index, _)| (number, index)).collect::<Vec<_>>()
        };
        self.0.iter().enumerate().flat_map(of_list).collect()
    }

    /// The lists whose end is worth a mark, the most useful first.
    ///
    /// The newest turn is where the next request goes on. System and tools serve other runs, and the tools alone when
    /// the system prompt has changed. The turn before the newest is where the last request ended: the service finds
    /// its way back there by itself, but not past twenty blocks, which a step with many calls has.
    fn wanted<F: MarkFormat>(&self, format: &F) -> Vec<usize> {
        let takes = |(_, (place, list)): &(usize, &(Place, &'a mut Vec<Value>))| {
            *place != Place::Answer && format.takes(*place, list)
        };
        let places: Vec<(usize, Place)> =
            self.0.iter().enumerate().filter(takes).map(|(index, (place, _))| (index, *place)).collect();
        let find =
            |wanted: Place| places.iter().rev().filter(move |(_, place)| *place == wanted).map(|(index, _)| *index);
        let mut turns = find(Place::Turn);
        let newest = turns.next();
        newest.into_iter().chain(find(Place::System)).chain(find(Place::Tools)).chain(turns.next()).collect()
    }
}

fn turn(message: &mut Value) -> Option<(Place, &mut Vec<Value>)> {
    let place = if message["role"] == "user" { Place::Turn } else { Place::Answer };
    message.get_mut("content").and_then(Value::as_array_mut).map(|list| (place, list))
}
