//! Checks a variant: its prompt file with each of its models, and all rows.

use std::{collections::BTreeSet, path::PathBuf, rc::Rc};

use indexmap::IndexSet;
use serde_json::json;

use super::{
    rows::RawRows,
    variant::{NoRows, RowCheck, VariantRows},
};
use crate::{eval_file::Variant, options::EvalOptions};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::{
    bindings::{ConfigOverrides, InputRows, RowsFile, RowsModel},
    prompt::RunError,
    session::SharedModel,
};
use lmthing_map::{FileFacts, MapListener, PoolOptions, check_file, hash_files, hash_of};

/// What the plan is made of.
pub(crate) struct PlanOptions<'a> {
    pub(crate) eval: &'a EvalOptions,
    pub(crate) pool: &'a PoolOptions,
}

pub(crate) struct PlannedVariant {
    pub(crate) variant: Variant,
    pub(crate) rows: VariantRows,
    /// Changes with its prompt file and its definition.
    pub(crate) provenance: String,
    /// The prompt file and what it imports.
    pub(crate) files: BTreeSet<PathBuf>,
}

pub(super) struct PlannedTarget {
    /// The index of its variant.
    pub(super) variant: usize,
    /// As lines of OUT name it.
    pub(super) model: String,
    /// Replaces the model of the file.
    pub(super) choice: Option<String>,
    /// Why it cannot be asked.
    pub(super) problem: Option<Diagnostic>,
}

pub(super) struct Checker<'a> {
    pub(super) options: &'a PlanOptions<'a>,
    pub(super) variant: &'a Variant,
    pub(super) raw: &'a RawRows,
    pub(super) is_named: bool,
}

impl Checker<'_> {
    /// The variant, which has this index, with each of its models.
    pub(super) fn check(
        &self,
        index: usize,
        listener: &mut dyn MapListener,
    ) -> Result<(PlannedVariant, Vec<PlannedTarget>), Rc<RunError>> {
        let variant = self.variant;
        let given: IndexSet<&String> = match &variant.model {
            Some(model) => [model].into_iter().collect(),
            None => self.options.eval.models.iter().collect(),
        };
        let target = |choice: Option<&String>, RowsModel { name, problem }| {
            let model = choice.cloned().or(name).unwrap_or_else(|| "the file's own".to_owned());
            PlannedTarget { variant: index, model, choice: choice.cloned(), problem }
        };
        let mut rows = RowCheck::new(self.raw, variant, self.is_named);
        let first = given.first().copied();
        let facts = self.load(first, &mut rows, listener)?;
        let rows = rows.finish().map_err(|problem| RunError::from(*problem))?;
        let mut targets = vec![target(first, facts.model)];
        for model in given.into_iter().skip(1) {
            let facts = self.load(Some(model), &mut NoRows, listener)?;
            targets.push(target(Some(model), facts.model));
        }
        let Variant { model, options, limits, .. } = variant;
        // With the contents of files that it names. One that is gone since it was read has no hash.
        let mut input = variant.input.clone();
        let _ = self.raw.files.add_hashes(&rows.taken.declaration, &mut input);
        let made_of = json!([hash_files(&facts.files), model, options, input, limits]);
        let provenance = hash_of(&made_of.to_string());
        let planned = PlannedVariant { variant: variant.clone(), rows, provenance, files: facts.files };
        Ok((planned, targets))
    }

    fn load(
        &self,
        model: Option<&String>,
        rows: &mut dyn InputRows,
        listener: &mut dyn MapListener,
    ) -> Result<FileFacts, Rc<RunError>> {
        let (model, overrides) = (model.cloned().map(SharedModel::Named), overrides(self.variant));
        let pool = self.options.pool;
        let file = RowsFile {
            path: &self.variant.file,
            runs_here: true,
            is_batched: pool.batch.is_some(),
            may_take_none: true,
            overrides: &overrides,
        };
        check_file(pool, &file, model.as_ref(), rows, listener)
    }
}

/// What a variant replaces in `config`.
pub(super) fn overrides(variant: &Variant) -> ConfigOverrides {
    ConfigOverrides { options: variant.options.clone(), limits: variant.limits.clone() }
}
