//! What services do not accept in the schema of a tool.

/// What a service does not accept in the schema of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    /// Whether references are replaced by what they refer to, and recursive ones cut.
    pub(super) inlines_references: bool,
    /// Whether `allOf` is replaced everywhere, not only at the top.
    pub(super) merges_all_of: bool,
    /// Whether an array needs `items`, and an object at the top `properties`.
    pub(super) needs_members: bool,
    /// The keywords that are sent; `None` for all.
    pub(super) keywords: Option<&'static [&'static str]>,
    /// The keywords that are sent at the top; `None` for all.
    pub(super) top_keywords: Option<&'static [&'static str]>,
}

/// OpenAI's services, and those that copy their interface.
pub(crate) const OPENAI: Dialect = Dialect {
    inlines_references: false,
    merges_all_of: false,
    needs_members: true,
    keywords: None,
    top_keywords: None,
};

pub(crate) const ANTHROPIC: Dialect = Dialect { needs_members: false, ..OPENAI };

/// Amazon's own models read only these keywords of the whole.
pub(crate) const NOVA: Dialect =
    Dialect { inlines_references: true, top_keywords: Some(&["type", "properties", "required"]), ..OPENAI };

/// `parametersJsonSchema` and `responseJsonSchema` of Gemini.
pub(crate) const GEMINI: Dialect = Dialect {
    inlines_references: true,
    merges_all_of: true,
    needs_members: true,
    keywords: Some(&[
        "type",
        "format",
        "title",
        "description",
        "enum",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "anyOf",
        "properties",
        "additionalProperties",
        "required",
    ]),
    top_keywords: None,
};
