//! Writes the ProtoJSON of each message as plain Rust over its generated type. The same by reflection costs several times
//! as much, and a peer reads and writes messages for each call.

#[path = "../src/protojson/mark.rs"]
mod mark;

use std::fmt::Write as _;

use heck::{ToSnakeCase, ToUpperCamelCase};
use prost_reflect::{DescriptorPool, EnumDescriptor, ExtensionDescriptor, FieldDescriptor, Kind, MessageDescriptor};

const RUNTIME: &str = "crate::protojson";

/// The implementations for all messages of a package, for the module its generated types are in.
pub(crate) fn generate(pool: &DescriptorPool, package: &str) -> String {
    let required = pool.get_extension_by_name("google.api.field_behavior").expect("field_behavior.proto is imported");
    let messages = || pool.all_messages().filter(|it| it.package_name() == package && !it.is_map_entry());
    let mut code = String::new();
    for message in messages() {
        implement(&mut code, &message, &required);
    }
    let mut arms = String::new();
    for message in messages() {
        let (name, ty) = (message.full_name(), message.name().to_upper_camel_case());
        _ = writeln!(arms, "{name:?} => Some(&{RUNTIME}::Of::<{ty}>::NEW),");
    }
    _ = write!(
        code,
        "/// What is generated for a message, by its full name.\n\
         pub(crate) fn codec(name: &str) -> Option<&'static dyn {RUNTIME}::Codec> {{ match name {{ {arms} _ => None }} }}"
    );
    code
}

fn implement(code: &mut String, message: &MessageDescriptor, required: &ExtensionDescriptor) {
    let name = message.name().to_upper_camel_case();
    let fields: Vec<Field> = message.fields().map(|field| Field::of(message, &field, required)).collect();
    let in_order: Vec<&Field> = {
        let mut fields: Vec<&Field> = fields.iter().collect();
        fields.sort_by_key(|field| field.number);
        fields
    };
    let write: String = in_order.iter().map(|field| field.write()).collect();
    let read: String = fields.iter().map(Field::read).collect();
    let missing: String = fields.iter().map(Field::missing).collect();
    _ = write!(
        code,
        "impl ::serde::Serialize for {name} {{
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {{
                let mut members = serializer.serialize_map(None)?;
                {write}
                ::serde::ser::SerializeMap::end(members)
            }}
        }}
        impl {RUNTIME}::ProtoJson for {name} {{
            fn read(json: &::serde_json::Value, unknown: {RUNTIME}::Unknown) -> Option<Self> {{
                let members = json.as_object()?;
                let mut message = Self::default();
                for (name, value) in members {{
                    match name.as_str() {{
                        {read}
                        _ if unknown == {RUNTIME}::Unknown::Refuse => return None,
                        _ => {{}}
                    }}
                }}
                Some(message)
            }}
            fn first_missing(&self) -> Option<String> {{ {missing} None }}
        }}\n"
    );
}

/// What a field holds, one or many of it.
enum Shape {
    String,
    Bool,
    Int32,
    Bytes,
    Enum(String),
    Struct,
    Value,
    Timestamp,
    Message,
}

/// How the generated type holds a field.
enum Holder {
    /// Plainly; the default is not told from unset.
    Plain,
    Option,
    /// As a variant, by its path.
    Oneof(String),
    List,
    Map,
}

struct Field {
    number: u32,
    json_name: String,
    proto_name: String,
    /// Of the member of the generated struct: the field, or the oneof it is in.
    member: String,
    shape: Shape,
    holder: Holder,
    required: bool,
}

impl Field {
    fn of(message: &MessageDescriptor, field: &FieldDescriptor, required: &ExtensionDescriptor) -> Self {
        let oneof = field.containing_oneof().filter(|oneof| !oneof.is_synthetic());
        let held = if field.is_map() { entry_value(field) } else { field.clone() };
        let holder = match &oneof {
            Some(oneof) => Holder::Oneof(format!(
                "{}::{}::{}",
                message.name().to_snake_case(),
                oneof.name().to_upper_camel_case(),
                field.name().to_upper_camel_case()
            )),
            None if field.is_map() => Holder::Map,
            None if field.is_list() => Holder::List,
            None if field.supports_presence() => Holder::Option,
            None => Holder::Plain,
        };
        let field = Self {
            number: field.number(),
            json_name: field.json_name().to_owned(),
            proto_name: field.name().to_owned(),
            member: oneof.map_or_else(|| field.name().to_owned(), |oneof| oneof.name().to_owned()),
            shape: Shape::of(&held),
            holder,
            required: mark::is_required(required, field),
        };
        let plain = matches!(field.shape, Shape::String | Shape::Message);
        assert!(plain || !matches!(field.holder, Holder::List | Holder::Map), "{}: lists of these", field.json_name);
        field
    }

    fn write(&self) -> String {
        let Self { json_name, member, shape, holder, .. } = self;
        let entry = |value: &str| {
            let value = shape.written(value);
            format!("::serde::ser::SerializeMap::serialize_entry(&mut members, {json_name:?}, {value})?;")
        };
        match holder {
            Holder::Option => format!("if let Some(value) = &self.{member} {{ {} }}\n", entry("value")),
            Holder::Oneof(variant) => {
                format!("if let Some({variant}(value)) = &self.{member} {{ {} }}\n", entry("value"))
            }
            Holder::Plain | Holder::List | Holder::Map => {
                let filled = match shape {
                    Shape::Bool if matches!(holder, Holder::Plain) => format!("self.{member}"),
                    Shape::Int32 | Shape::Enum(_) => format!("self.{member} != 0"),
                    _ => format!("!self.{member}.is_empty()"),
                };
                format!("if {filled} {{ {} }}\n", entry(&format!("&self.{member}")))
            }
        }
    }

    fn read(&self) -> String {
        let Self { json_name, proto_name, member, shape, holder, .. } = self;
        let value = shape.read();
        let assignment = match holder {
            Holder::Plain => format!("message.{member} = {value};"),
            Holder::Option => format!("message.{member} = Some({value});"),
            Holder::Oneof(variant) => {
                format!("if message.{member}.is_some() {{ return None; }} message.{member} = Some({variant}({value}));")
            }
            Holder::List => format!("message.{member} = {RUNTIME}::read::list(value, {})?;", shape.reader()),
            Holder::Map => format!("message.{member} = {RUNTIME}::read::map(value, {})?;", shape.reader()),
        };
        // Null stands for unset, but where any JSON may stand.
        let guarded =
            if matches!(shape, Shape::Value) { assignment } else { format!("if !value.is_null() {{ {assignment} }}") };
        if json_name == proto_name {
            return format!("{json_name:?} => {{ {guarded} }}\n");
        }
        format!(
            "{proto_name:?} if members.contains_key({json_name:?}) => return None,\n\
             {json_name:?} | {proto_name:?} => {{ {guarded} }}\n"
        )
    }

    fn missing(&self) -> String {
        let Self { json_name, member, shape, holder, .. } = self;
        let pointer = format!("/{json_name}");
        let mut code = String::new();
        if self.required {
            let test = match (holder, shape) {
                (Holder::Option, _) => Some(format!("self.{member}.is_none()")),
                (Holder::List, _) | (Holder::Plain, Shape::String) => Some(format!("self.{member}.is_empty()")),
                (Holder::Plain, Shape::Enum(_)) => Some(format!("self.{member} == 0")),
                _ => None,
            };
            if let Some(test) = test {
                _ = writeln!(code, "if {test} {{ return Some({pointer:?}.to_owned()); }}");
            }
        }
        if !matches!(shape, Shape::Message) {
            return code;
        }
        let (inside, given) = match holder {
            Holder::Oneof(variant) => {
                _ = writeln!(
                    code,
                    "if let Some({variant}(value)) = &self.{member} \
                     && let Some(at) = {RUNTIME}::missing::inside({pointer:?}, Some(value)) {{ return Some(at); }}"
                );
                return code;
            }
            Holder::Option => ("inside", format!("self.{member}.as_ref()")),
            Holder::List => ("inside_list", format!("&self.{member}")),
            Holder::Map => ("inside_map", format!("&self.{member}")),
            Holder::Plain => unreachable!("messages are optional"),
        };
        _ = writeln!(
            code,
            "if let Some(at) = {RUNTIME}::missing::{inside}({pointer:?}, {given}) {{ return Some(at); }}"
        );
        code
    }
}

impl Shape {
    fn of(field: &FieldDescriptor) -> Self {
        match field.kind() {
            Kind::String => Self::String,
            Kind::Bool => Self::Bool,
            Kind::Int32 => Self::Int32,
            Kind::Bytes => Self::Bytes,
            Kind::Enum(names) => Self::Enum(enum_type(&names)),
            Kind::Message(message) => match message.full_name() {
                "google.protobuf.Struct" => Self::Struct,
                "google.protobuf.Value" => Self::Value,
                "google.protobuf.Timestamp" => Self::Timestamp,
                _ => Self::Message,
            },
            other => panic!("{}: no ProtoJSON is written for {other:?} yet", field.full_name()),
        }
    }

    /// What is serialized of a reference to it.
    fn written(&self, value: &str) -> String {
        match self {
            Self::String | Self::Bool | Self::Int32 | Self::Message => value.to_owned(),
            Self::Bytes => format!("&{RUNTIME}::write::Base64({value})"),
            Self::Enum(ty) => {
                let number = if value == "value" { "*value" } else { &value[1..] };
                format!(
                    "&{RUNTIME}::write::Name({number}, {ty}::try_from({number}).ok().map(|name| name.as_str_name()))"
                )
            }
            Self::Struct => format!("&{RUNTIME}::write::Object({value})"),
            Self::Value => format!("&{RUNTIME}::write::Any({value})"),
            Self::Timestamp => format!("&{RUNTIME}::write::Text({value})"),
        }
    }

    /// A function that reads one of many.
    fn reader(&self) -> String {
        match self {
            Self::String => format!("{RUNTIME}::read::string"),
            _ => format!("|value| {RUNTIME}::ProtoJson::read(value, unknown)"),
        }
    }

    /// An expression that reads it out of `value`.
    fn read(&self) -> String {
        let function = match self {
            Self::String => "string(value)?",
            Self::Bool => return "value.as_bool()?".to_owned(),
            Self::Int32 => "int32(value)?",
            Self::Bytes => "bytes(value)?",
            Self::Enum(ty) => return format!("{ty}::from_str_name(value.as_str()?)? as i32"),
            Self::Struct => "object(value)?",
            Self::Value => "any(value)",
            Self::Timestamp => "timestamp(value)?",
            Self::Message => return format!("{RUNTIME}::ProtoJson::read(value, unknown)?"),
        };
        format!("{RUNTIME}::read::{function}")
    }
}

fn enum_type(names: &EnumDescriptor) -> String {
    names.name().to_upper_camel_case()
}

fn entry_value(field: &FieldDescriptor) -> FieldDescriptor {
    match field.kind() {
        Kind::Message(entry) => entry.map_entry_value_field(),
        _ => unreachable!("a map is a list of entries"),
    }
}
