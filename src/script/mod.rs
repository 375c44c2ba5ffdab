//! The prompt file's QuickJS.
pub(crate) mod globals;
