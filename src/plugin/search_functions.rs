//! Finding functions among more than a prompt can show: `searchFunctions`. Must not know what a function does, nor how it is
//! declared.

/// The name of the tool, and of the function for code.
pub(crate) const NAME: &str = "searchFunctions";
