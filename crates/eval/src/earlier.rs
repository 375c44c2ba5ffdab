//! What an earlier command has left in the state of OUT: answers that are used again, lines that stay, lines that go.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
};

use super::{
    eval_file::EvalFile,
    line::CellLine,
    out::keep_before,
    plan::{CellKey, Plan},
    state::{KnownCell, State, StateResult},
};
use lmthing_providers::Redactor;

/// The cells that are known already.
pub(crate) struct Earlier {
    /// The numbers of cells whose answers are used again.
    pub(crate) reused: BTreeSet<u64>,
    /// Lines of OUT of cells that this command does not ask: of other variants, models, repetitions or rows.
    pub(crate) others: Vec<CellLine>,
    /// Cells that are no part of the eval any more, or whose variant has changed.
    gone: Vec<CellKey>,
    /// What has changed, for a message.
    changed: Vec<String>,
}

impl Earlier {
    /// `takes_none`: no answers are used again.
    pub(crate) fn of(
        plan: &Plan,
        file: &EvalFile,
        state: &State,
        known: &HashMap<CellKey, KnownCell>,
        takes_none: bool,
    ) -> StateResult<Earlier> {
        let mut planned: HashMap<CellKey, u64> = HashMap::new();
        let mut reused = BTreeSet::new();
        for number in 1..=plan.count() {
            let place = plan.place(number);
            let key = plan.key(place);
            let provenance = &plan.variant(place).provenance;
            let is_good = |cell: &KnownCell| !cell.is_failed && cell.provenance == *provenance;
            if !takes_none && known.get(&key).is_some_and(is_good) {
                reused.insert(number);
            }
            planned.insert(key, number);
        }
        let rows = RowNumbers::of(plan);
        let mut earlier = Earlier { reused, others: Vec::new(), gone: Vec::new(), changed: Vec::new() };
        let mut without_row: BTreeMap<(u64, &str), Vec<CellLine>> = BTreeMap::new();
        for (key, cell) in known {
            match rows.state_of(plan, file, key, cell) {
                CellState::Gone => earlier.gone.push(key.clone()),
                CellState::Changed => {
                    earlier.gone.push(key.clone());
                    if !earlier.changed.contains(&key.variant) {
                        earlier.changed.push(key.variant.clone());
                    }
                }
                CellState::Stays(_) if planned.contains_key(key) => {}
                CellState::Stays(row) => {
                    let Some(line) = state.line(key)? else { continue };
                    match row.or_else(|| plan.row_with(&line.input, key.place_among_equal())) {
                        Some(row) => earlier.others.push(CellLine { row, ..line }),
                        None => without_row.entry((line.row, key.row.as_str())).or_default().push(line),
                    }
                }
            }
        }
        // The numbers that these rows had are those of other rows now.
        for (row, lines) in (plan.total() + 1..).zip(without_row.into_values()) {
            earlier.others.extend(lines.into_iter().map(|line| CellLine { row, ..line }));
        }
        Ok(earlier)
    }

    /// Keeps lines that go in `OUT.before`, and forgets their cells. Returns what the user should know.
    pub(crate) fn settle(
        &self,
        (out, file, redactor): (&Path, &EvalFile, &Redactor),
        state: &State,
        known: &HashMap<CellKey, KnownCell>,
    ) -> StateResult<Option<String>> {
        if !self.gone.iter().any(|key| known.get(key).is_some_and(|cell| !cell.is_failed)) {
            state.forget(&self.gone)?;
            return Ok(None);
        }
        let mut lines = Vec::new();
        for key in known.keys() {
            lines.extend(state.line(key)?);
        }
        sort(&mut lines, file, &[]);
        let before = keep_before(out, lines.iter(), redactor)?;
        state.forget(&self.gone)?;
        let (out, before) = (out.display(), before.display());
        Ok(Some(match &self.changed[..] {
            [] => format!(
                "{out} has results of cells that the eval does not have any more: as it was, it is now {before}"
            ),
            changed => {
                let what = match changed {
                    [one] if file.variants.len() == 1 || one == "default" => file.variants[0].shown_file.clone(),
                    [one] => format!("variant {one}"),
                    several => format!("variants {}", several.join(", ")),
                };
                let (has, its) = if changed.len() == 1 { ("has", "its") } else { ("have", "their") };
                format!(
                    "{what} {has} changed since {out} was written: {its} cells are asked again; the earlier results are in {before}"
                )
            }
        }))
    }
}

enum CellState {
    /// The number of its row, if that is known.
    Stays(Option<u64>),
    Gone,
    Changed,
}

/// The numbers of rows by their keys, for each variant of the plan.
struct RowNumbers<'a>(HashMap<&'a str, HashMap<&'a str, u64>>);

impl<'a> RowNumbers<'a> {
    fn of(plan: &'a Plan) -> Self {
        let numbered = |keys: &'a [String]| keys.iter().zip(1..).map(|(key, number)| (key.as_str(), number)).collect();
        let variants = plan.variants().iter();
        RowNumbers(variants.map(|planned| (planned.variant.name.as_str(), numbered(&planned.rows.keys))).collect())
    }

    fn state_of(&self, plan: &Plan, file: &EvalFile, key: &CellKey, cell: &KnownCell) -> CellState {
        let planned = plan.variants().iter().find(|planned| planned.variant.name == key.variant);
        match (planned, self.0.get(key.variant.as_str())) {
            (Some(planned), _) if planned.provenance != cell.provenance => CellState::Changed,
            (Some(_), Some(rows)) => match rows.get(key.row.as_str()) {
                Some(row) => CellState::Stays(Some(*row)),
                None => CellState::Gone,
            },
            // A variant that was not selected. Its input is perhaps that of another one.
            _ if file.variants.iter().any(|variant| variant.name == key.variant) => {
                CellState::Stays(self.0.values().find_map(|rows| rows.get(key.row.as_str()).copied()))
            }
            _ => CellState::Gone,
        }
    }
}

/// Sorts lines by row, variant, model and repetition. `models` is the order of models; others follow by name.
pub(crate) fn sort(lines: &mut [CellLine], file: &EvalFile, models: &[&str]) {
    let known: HashSet<&str> = models.iter().copied().collect();
    let model = |line: &CellLine| match known.contains(line.model.as_str()) {
        true => models.iter().position(|model| *model == line.model).unwrap_or(usize::MAX),
        false => usize::MAX,
    };
    let variant = |line: &CellLine| file.variants.iter().position(|variant| variant.name == line.variant);
    lines.sort_by_cached_key(|line| {
        (line.row, variant(line).unwrap_or(usize::MAX), model(line), line.model.clone(), line.repeat)
    });
}
