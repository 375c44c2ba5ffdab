//! The compiler options for each language.

use std::path::Path;

use tsr_core::{
    CompilerOptions, ModuleDetectionKind, ModuleKind, ModuleResolutionKind, PathMappings, ScriptTarget, Tristate,
};
use tsr_jsstring::JsString;

use crate::declarations;
use lmthing_base::parser::Language;
use lmthing_typescript::code::library;

/// False for files of packages.
pub(super) fn is_own(path: &Path) -> bool {
    !path.components().any(|part| part.as_os_str() == "node_modules") && !path.starts_with(declarations::ROOT)
}

/// TypeScript is checked strictly; in JavaScript a value without a type is `any`.
pub(super) fn options(language: Language) -> CompilerOptions {
    let only_typescript = if language == Language::TypeScript { Tristate::TRUE } else { Tristate::FALSE };
    let strings = |texts: &[&str]| Some(texts.iter().map(|text| JsString::from_bytes(text.as_bytes())).collect());
    CompilerOptions {
        allow_importing_ts_extensions: Tristate::TRUE,
        allow_js: Tristate::TRUE,
        check_js: Tristate::TRUE,
        // The conditions that the loader resolves packages with.
        custom_conditions: strings(&["node", "module-sync"]),
        lib: strings(&library::ENGINE_ROOTS),
        module: ModuleKind::ESNEXT,
        // A file without imports and exports is a module too.
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
        // An import without `type` is executed.
        verbatim_module_syntax: only_typescript,
        ..CompilerOptions::default()
    }
}

/// The embedded packages take precedence over installed ones, as in the loader.
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
