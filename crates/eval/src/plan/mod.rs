//! The cells of an eval: rows, variants, models and repetitions, all checked before anything is asked.

mod checker;
mod rows;
mod variant;

use std::{collections::HashMap, rc::Rc};

use indexmap::IndexSet;
use serde_json::{Map, Value, json};

use super::{
    eval_file::{EvalFile, Variant},
    options::CellName,
};
use checker::{Checker, PlannedTarget, overrides};
pub(crate) use checker::{PlanOptions, PlannedVariant};
use lmthing_base::diagnostic::{Diagnostic, closest};
use lmthing_engine::{prompt::RunError, session::SharedModel};
use lmthing_map::{MapListener, Target, Targets, hash_of, is_sampled};
use rows::RawRows;
use variant::{SimilarColumn, with_replaced};

/// More would not fit into memory.
const MOST_CELLS: u64 = 10_000_000;

pub(crate) struct Plan {
    raw: RawRows,
    /// The indices of the rows that are part of the eval.
    rows: Vec<usize>,
    /// The selected ones.
    variants: Vec<PlannedVariant>,
    /// In the order of variants and models.
    targets: Vec<PlannedTarget>,
    repeat: u32,
}

/// Where a cell is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The index of its row among all rows.
    pub(crate) row: usize,
    target: usize,
    /// From 1.
    pub(crate) repeat: u32,
}

/// Identifies a cell across commands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CellKey {
    pub(crate) row: String,
    pub(crate) variant: String,
    pub(crate) model: String,
    pub(crate) repeat: u32,
}

impl CellKey {
    /// The place of its row among rows with equal inputs, from 0.
    pub(crate) fn place_among_equal(&self) -> usize {
        let place = self.row.rsplit_once('-').and_then(|(_, place)| place.parse::<usize>().ok());
        place.map_or(0, |place| place.saturating_sub(1))
    }
}

impl Plan {
    pub(crate) fn new(
        file: &EvalFile,
        options: &PlanOptions<'_>,
        listener: &mut dyn MapListener,
    ) -> Result<Plan, Rc<RunError>> {
        let usage = |problem: Box<Diagnostic>| Rc::new(RunError::Usage(problem));
        let failed = |problem: Box<Diagnostic>| Rc::new(RunError::from(*problem));
        let selected = selected(file, options.eval.variants.as_deref()).map_err(usage)?;
        let raw = RawRows::read(file).map_err(failed)?;
        let total = raw.rows.len() as u64;
        let is_part = |index: &usize| is_sampled(*index as u64 + 1, options.eval.sample, total);
        let rows = (0..raw.rows.len()).filter(is_part).collect();
        let (mut variants, mut targets): (Vec<PlannedVariant>, Vec<PlannedTarget>) = Default::default();
        for variant in selected {
            let checker = Checker { options, variant, raw: &raw, is_named: file.variants.len() > 1 };
            let (planned, its_targets) = checker.check(variants.len(), listener)?;
            variants.push(planned);
            targets.extend(its_targets);
        }
        let plan = Plan { raw, rows, variants, targets, repeat: options.eval.repeat.get() };
        plan.check_count().map_err(usage)?;
        plan.similar_columns().iter().for_each(|warning| listener.warned(None, warning));
        Ok(plan)
    }

    /// Warnings of columns that may be misspelt properties of the input.
    fn similar_columns(&self) -> IndexSet<String> {
        let warning = |PlannedVariant { variant, rows, .. }: &PlannedVariant| {
            let SimilarColumn { column, property } = rows.similar.as_ref()?;
            let file = &variant.shown_file;
            Some(format!(
                "the column '{column}' is only for the scores; did you mean '{property}', which {file} takes?"
            ))
        };
        self.variants.iter().filter_map(warning).collect()
    }

    fn check_count(&self) -> Result<(), Box<Diagnostic>> {
        let sizes = [self.row_count(), self.targets.len() as u64, u64::from(self.repeat)];
        if sizes
            .iter()
            .try_fold(1, |count: u64, size| count.checked_mul(*size))
            .is_some_and(|count| count <= MOST_CELLS)
        {
            return Ok(());
        }
        let [rows, targets, repeat] = sizes;
        let message =
            format!("too many cells: {rows} rows, {targets} combinations of a variant and a model, --repeat {repeat}");
        Err(Box::new(Diagnostic::new(message).with_hint(format!("an eval has {MOST_CELLS} cells at most"))))
    }

    /// The number of variants with their models, which the report compares.
    pub(crate) fn group_count(&self) -> usize {
        self.targets.len()
    }

    /// The number of rows that are part of the eval.
    pub(crate) fn row_count(&self) -> u64 {
        self.rows.len() as u64
    }

    pub(crate) fn variants(&self) -> &[PlannedVariant] {
        &self.variants
    }

    /// Why a cell cannot be asked, for the first of those that are to be asked.
    pub(crate) fn unusable_model(&self, is_asked: impl Fn(u64) -> bool) -> Option<&Diagnostic> {
        let is_usable = self.targets.iter().all(|target| target.problem.is_none());
        let numbers = if is_usable { 0 } else { self.count() };
        let problem = |number| self.targets[self.place(number).target].problem.as_ref();
        (1..=numbers).filter(|number| is_asked(*number)).find_map(problem)
    }

    /// The names of all models, in order.
    pub(crate) fn models(&self) -> Vec<&str> {
        self.targets.iter().map(|target| target.model.as_str()).collect()
    }

    /// The number of cells, which are numbered from 1.
    pub(crate) fn count(&self) -> u64 {
        self.row_count() * self.targets.len() as u64 * u64::from(self.repeat)
    }

    pub(crate) fn place(&self, number: u64) -> Place {
        let (repeats, targets) = (u64::from(self.repeat), self.targets.len() as u64);
        let index = number.saturating_sub(1);
        let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let repeat = u32::try_from(index % repeats).unwrap_or(0) + 1;
        let target = size(index / repeats % targets);
        Place { row: self.rows[size(index / repeats / targets)], target, repeat }
    }

    pub(crate) fn variant(&self, place: Place) -> &PlannedVariant {
        &self.variants[self.targets[place.target].variant]
    }

    pub(crate) fn model(&self, place: Place) -> &str {
        &self.targets[place.target].model
    }

    pub(crate) fn key(&self, place: Place) -> CellKey {
        let variant = self.variant(place);
        CellKey {
            row: variant.rows.keys[place.row].clone(),
            variant: variant.variant.name.clone(),
            model: self.model(place).to_owned(),
            repeat: place.repeat,
        }
    }

    /// The input of the row, without what the variant replaces.
    pub(crate) fn row_input(&self, place: Place) -> &Map<String, Value> {
        &self.variant(place).rows.inputs[place.row]
    }

    /// The number of all rows, those that are not part of the eval too.
    pub(crate) fn total(&self) -> u64 {
        self.raw.rows.len() as u64
    }

    /// The number of the row that has an input of a variant which is not selected. `nth` is its place among equal ones.
    pub(crate) fn row_with(&self, input: &Map<String, Value>, nth: usize) -> Option<u64> {
        Some(self.raw.position(input, nth)? as u64 + 1)
    }

    /// The inputs of all rows that are part of the eval, for all variants.
    pub(crate) fn row_inputs(&self) -> Vec<&Map<String, Value>> {
        let variants = self.variants.iter();
        variants.flat_map(|variant| self.rows.iter().map(move |row| &*variant.rows.inputs[*row])).collect()
    }

    /// All columns of the row, for the scores.
    pub(crate) fn columns(&self, place: Place) -> Map<String, Value> {
        self.variant(place).rows.columns(&self.raw, place.row)
    }

    /// The inputs of all cells, in the order of their numbers.
    pub(crate) fn inputs(self: &Rc<Self>) -> impl Iterator<Item = Map<String, Value>> + use<> {
        let plan = self.clone();
        (1..=self.count()).map(move |number| plan.whole_input(plan.place(number)))
    }

    fn whole_input(&self, place: Place) -> Map<String, Value> {
        with_replaced(self.row_input(place), &self.variant(place).variant)
    }

    pub(crate) fn targets(&self) -> Targets {
        let all = (0..self.targets.len()).map(|index| self.target(index)).collect();
        Targets::in_turn(all, u64::from(self.repeat))
    }

    fn target(&self, index: usize) -> Target {
        let PlannedTarget { variant, model, choice, .. } = &self.targets[index];
        let PlannedVariant { variant, rows, provenance, .. } = &self.variants[*variant];
        Target {
            file: variant.file.clone(),
            shown_file: variant.shown_file.clone(),
            model: choice.clone().map(SharedModel::Named),
            overrides: overrides(variant),
            taken: rows.taken.clone(),
            files: rows.files.clone(),
            tag: hash_of(&json!([variant.name, model, provenance]).to_string()),
        }
    }

    /// Identifies a cell in the state of batches.
    pub(crate) fn identity(&self, place: Place) -> String {
        self.target(place.target).identity(&self.whole_input(place))
    }

    /// For each cell, the number of earlier ones that ask the same of the same model.
    pub(crate) fn turns(&self) -> Vec<u32> {
        let mut counts: HashMap<String, u32> = HashMap::new();
        let turn = |number| {
            let place = self.place(number);
            let Variant { file, options, .. } = &self.variant(place).variant;
            let input = self.whole_input(place);
            let asked = hash_of(&json!([file, options, self.model(place), input]).to_string());
            let count = counts.entry(asked).or_default();
            *count += 1;
            *count - 1
        };
        (1..=self.count()).map(turn).collect()
    }

    /// What messages call a cell.
    pub(crate) fn name(&self, number: u64) -> CellName {
        let place = self.place(number);
        let has_models = self.targets.len() > self.variants.len();
        CellName {
            row: place.row as u64 + 1,
            variant: (self.variants.len() > 1).then(|| self.variant(place).variant.name.clone()),
            model: has_models.then(|| self.model(place).to_owned()),
            repeat: (self.repeat > 1).then_some(place.repeat),
        }
    }
}

fn selected<'a>(file: &'a EvalFile, names: Option<&[String]>) -> Result<Vec<&'a Variant>, Box<Diagnostic>> {
    let Some(names) = names else { return Ok(file.variants.iter().collect()) };
    let known = || file.variants.iter().map(|variant| variant.name.as_str());
    if let Some(unknown) = names.iter().find(|name| !known().any(|known| known == *name)) {
        let problem = Diagnostic::new(format!("--variants {unknown}: {} has no such variant", file.shown_path));
        return Err(Box::new(match closest(unknown, known()) {
            Some(near) => problem.with_hint(format!("did you mean {near}?")),
            None => problem.with_hint(format!("its variants are {}", known().collect::<Vec<_>>().join(", "))),
        }));
    }
    Ok(file.variants.iter().filter(|variant| names.contains(&variant.name)).collect())
}
