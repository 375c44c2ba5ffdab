//! The languages of files and what the compiler is told for each. Must not know which files there are.

use std::path::Path;

use tsr_core::{
    CompilerOptions, ModuleDetectionKind, ModuleKind, ModuleResolutionKind, PathMappings, ScriptTarget, Tristate,
};
use tsr_jsstring::JsString;

use crate::check::declarations;
use crate::code::library;
use crate::parser::Language;

/// Whether a file is the author's and not a package's.
pub(super) fn is_own(path: &Path) -> bool {
    !path.components().any(|part| part.as_os_str() == "node_modules") && !path.starts_with(declarations::ROOT)
}

/// How files of a language are checked: TypeScript strictly, JavaScript so that what has no type may be anything.
pub(super) fn options(language: Language) -> CompilerOptions {
    let only_typescript = if language == Language::TypeScript { Tristate::TRUE } else { Tristate::FALSE };
    let strings = |texts: &[&str]| Some(texts.iter().map(|text| JsString::from_bytes(text.as_bytes())).collect());
    CompilerOptions {
        allow_importing_ts_extensions: Tristate::TRUE,
        allow_js: Tristate::TRUE,
        check_js: Tristate::TRUE,
        // The conditions that packages are looked up with when the file runs.
        custom_conditions: strings(&["node", "module-sync"]),
        lib: strings(&library::ENGINE_ROOTS),
        module: ModuleKind::ESNEXT,
        // A file without imports and exports is a module as well.
        module_detection: ModuleDetectionKind::FORCE,
        module_resolution: ModuleResolutionKind::BUNDLER,
        no_emit: Tristate::TRUE,
        no_implicit_any: only_typescript,
        no_implicit_this: only_typescript,
        paths: Some(built_in_packages()),
        resolve_json_module: Tristate::TRUE,
        skip_lib_check: Tristate::TRUE,
        strict: Tristate::TRUE,
        target: ScriptTarget::ESNEXT,
        types: Some(Vec::new()),
        use_unknown_in_catch_variables: only_typescript,
        // An import without `type` is one when the file runs.
        verbatim_module_syntax: only_typescript,
        ..CompilerOptions::default()
    }
}

/// The packages in the binary win over installed ones, as they do when a file runs.
fn built_in_packages() -> PathMappings {
    let files = [
        ("zod", "zod/index.d.ts"),
        ("zod/v4", "zod/v4/index.d.ts"),
        ("zod/locales", "zod/v4/locales/index.d.ts"),
        ("zod/v4/locales", "zod/v4/locales/index.d.ts"),
    ];
    let string = |text: &str| JsString::from_bytes(text.as_bytes());
    let mut mappings = PathMappings::default();
    for (name, file) in files {
        mappings.insert(string(name), Some(vec![string(&format!("{}/node_modules/{file}", declarations::ROOT))]));
    }
    mappings
}
