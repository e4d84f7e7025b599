//! A JSON Schema from a file in place of the built-in one: the bundle that the A2A project publishes, or one's own.
//!
//! The published bundle keeps its definitions under titles (`definitions`, `Agent Card`) and refers to them by file names
//! that are nowhere; both are put right here, so that it can be used as it is.

use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value, json};

use crate::json::{Node, Span, escape};
use crate::rules;
use crate::sink::{Place, Sink};

/// A schema, pointed at one definition.
#[derive(Debug, Clone)]
pub struct SchemaFile {
    validator: std::sync::Arc<jsonschema::Validator>,
}

/// A file that cannot stand in for the schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaFileError {
    /// Not JSON.
    #[error("the schema is not JSON: {0}")]
    Json(String),
    /// No definition of that name.
    #[error("the schema has no definition `{name}`; it has {known}")]
    NoDefinition {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Not a JSON Schema.
    #[error("the schema cannot be used: {0}")]
    Schema(String),
}

impl SchemaFile {
    /// Reads a schema and points at the definition of this name, below `$defs` or `definitions`. The root of a bundle is
    /// never what is meant: it lets everything pass.
    ///
    /// # Errors
    /// When the file is no schema, or has no such definition.
    pub fn read(bytes: &[u8], name: &str) -> Result<Self, SchemaFileError> {
        let mut schema: Value =
            serde_json::from_slice(bytes).map_err(|error| SchemaFileError::Json(error.to_string()))?;
        let definitions =
            ["$defs", "definitions"].into_iter().find_map(|holder| schema.get(holder)?.as_object().cloned());
        let definitions: Map<String, Value> = definitions
            .unwrap_or_default()
            .into_iter()
            .map(|(title, definition)| (title.replace(' ', ""), definition))
            .collect();
        if !definitions.contains_key(name) {
            let known = definitions.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "none".to_owned() } else { known };
            return Err(SchemaFileError::NoDefinition { name: name.to_owned(), known });
        }
        let dialect = schema.get("$schema").cloned();
        schema = json!({ "$ref": format!("#/$defs/{name}"), "$defs": definitions });
        if let Some(dialect) = dialect {
            schema["$schema"] = dialect;
        }
        mend_references(&mut schema);
        let validator =
            jsonschema::validator_for(&schema).map_err(|error| SchemaFileError::Schema(error.to_string()))?;
        Ok(Self { validator: std::sync::Arc::new(validator) })
    }

    /// Holds a document against the schema.
    pub(crate) fn judge(&self, root: &Node<'_>, sink: &mut Sink) {
        let document = root.to_json();
        for error in self.validator.iter_errors(&document) {
            let pointer = error.instance_path().to_string();
            let keyword = error.kind().keyword();
            match error.kind() {
                ValidationErrorKind::AdditionalProperties { unexpected } => {
                    for key in unexpected {
                        let pointer = format!("{pointer}/{}", escape(key));
                        tell(root, sink, pointer, keyword, format!("the schema has no member `{key}` here"));
                    }
                }
                ValidationErrorKind::Required { property } => {
                    let property = property.as_str().unwrap_or_default();
                    let span = span_of(root, &pointer);
                    let place = Place::Known(format!("{pointer}/{}", escape(property)));
                    let span = span.start..span.start + 1;
                    let message = format!("the schema requires `{property}`");
                    sink.add(rules::FILE, place, span, message).keyword(keyword_of(keyword)).done();
                }
                _ => tell(root, sink, pointer, keyword, error.to_string()),
            }
        }
    }
}

fn tell(root: &Node<'_>, sink: &mut Sink, pointer: String, keyword: &str, message: String) {
    let span = span_of(root, &pointer);
    sink.add(rules::FILE, Place::Known(pointer), span, message).keyword(keyword_of(keyword)).done();
}

/// The keywords that reports name.
fn keyword_of(keyword: &str) -> &'static str {
    const KNOWN: [&str; 22] = [
        "type",
        "additionalProperties",
        "required",
        "enum",
        "const",
        "pattern",
        "format",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "minProperties",
        "propertyNames",
        "unevaluatedProperties",
        "items",
    ];
    KNOWN.into_iter().find(|known| *known == keyword).unwrap_or("schema")
}

/// Where a pointer leads in the source.
fn span_of(root: &Node<'_>, pointer: &str) -> Span {
    let mut here = root;
    for segment in pointer.split('/').skip(1) {
        let key = segment.replace("~1", "/").replace("~0", "~");
        let next = here.key(&key).or_else(|| key.parse().ok().and_then(|index: usize| here.items().get(index)));
        match next {
            Some(next) => here = next,
            None => break,
        }
    }
    here.span.clone()
}

/// `lf.a2a.v1.AgentSkill.jsonschema.json` means the definition `AgentSkill`; so does `#/definitions/AgentSkill`.
fn mend_references(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref") {
                let file = reference.strip_suffix(".jsonschema.json").and_then(|name| name.rsplit('.').next());
                let local = reference.strip_prefix("#/definitions/");
                if let Some(name) = file.or(local) {
                    *reference = format!("#/$defs/{}", name.replace("%20", "").replace(' ', ""));
                }
            }
            members.values_mut().for_each(mend_references);
        }
        Value::Array(items) => items.iter_mut().for_each(mend_references),
        _ => {}
    }
}
