//! The generated codecs against reflection: what they read and write must be the same.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use prost_reflect::{FieldDescriptor, Kind};
use serde_json::{Map, json};

use super::*;

/// ProtoJSON of that message, now and then in a spelling that only reflection reads, or none at all.
fn document(message: &MessageDescriptor, depth: u32) -> BoxedStrategy<Value> {
    match message.full_name() {
        "google.protobuf.Struct" => btree_map("[a-z]{0,3}", any_json(), 0..3).prop_map(|map| json!(map)).boxed(),
        "google.protobuf.Value" => any_json(),
        "google.protobuf.Timestamp" => select(vec![
            "2026-11-30T12:00:00Z",
            "2026-11-30T12:00:00.120Z",
            "2026-11-30T13:00:00+01:00",
            "0000-01-01T00:00:00Z",
            "2026-02-30T12:00:00Z",
            "2026-11-30T12:00:60Z",
            "2026-11-30T12:00:00.Z",
            "noon",
        ])
        .prop_map(|text| json!(text))
        .boxed(),
        _ => {
            let mut members: BoxedStrategy<Map<String, Value>> = Just(Map::new()).boxed();
            for field in message.fields() {
                let names = [field.json_name().to_owned(), field.name().to_owned()];
                let share = if field.containing_oneof().is_some() { 0.3 } else { 0.5 };
                let member = proptest::option::weighted(share, (value(&field, depth), select(vec![0, 0, 0, 1])));
                members = (members, member)
                    .prop_map(move |(mut members, member)| {
                        if let Some((value, name)) = member {
                            members.insert(names[name].clone(), value);
                        }
                        members
                    })
                    .boxed();
            }
            (members, proptest::bool::weighted(0.1))
                .prop_map(|(mut members, stranger)| {
                    if stranger {
                        members.insert("stranger".to_owned(), json!([1]));
                    }
                    Value::Object(members)
                })
                .boxed()
        }
    }
}

fn value(field: &FieldDescriptor, depth: u32) -> BoxedStrategy<Value> {
    let one = |kind: Kind| -> BoxedStrategy<Value> {
        match kind {
            Kind::String => "\\PC{0,4}".prop_map(Value::from).boxed(),
            Kind::Bool => any::<bool>().prop_map(Value::from).boxed(),
            Kind::Int32 => {
                select(vec![json!(0), json!(7), json!(-1), json!("8"), json!(2.0), json!(1_u64 << 40)]).boxed()
            }
            Kind::Bytes => select(vec![json!(""), json!("aGk="), json!("aGk"), json!("_-8="), json!("?")]).boxed(),
            Kind::Enum(names) => {
                let mut names: Vec<Value> = names.values().map(|value| json!(value.name())).collect();
                names.extend([json!(1), json!(99), json!("NOBODY")]);
                select(names).boxed()
            }
            // The messages that hold themselves do so only through these.
            Kind::Message(_) if depth == 0 => Just(json!({})).boxed(),
            Kind::Message(message) => document(&message, depth - 1),
            other => unreachable!("{other:?}"),
        }
    };
    let whole = if field.is_map() {
        let Kind::Message(entry) = field.kind() else { unreachable!("a map is a list of entries") };
        btree_map("[a-z]{0,2}", one(entry.map_entry_value_field().kind()), 0..3).prop_map(|map| json!(map)).boxed()
    } else if field.is_list() {
        vec(one(field.kind()), 0..3).prop_map(Value::from).boxed()
    } else {
        one(field.kind())
    };
    prop_oneof![12 => whole, 1 => Just(Value::Null), 1 => Just(json!({}))].boxed()
}

fn any_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        // Those that text holds exactly.
        (any::<i32>(), 0..9).prop_map(|(number, halvings)| Value::from(f64::from(number) / f64::from(1 << halvings))),
        "\\PC{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            btree_map("[a-z]{0,3}", inner, 0..3).prop_map(|map| json!(map)),
        ]
    })
    .boxed()
}

fn all_messages() -> Vec<MessageDescriptor> {
    let ours = crate::pool().all_messages().filter(|it| it.package_name() == "lf.a2a.v1" && !it.is_map_entry());
    ours.collect()
}

fn any_document() -> BoxedStrategy<(MessageDescriptor, Value)> {
    select(all_messages())
        .prop_flat_map(|message| document(&message, 4).prop_map(move |json| (message.clone(), json)))
        .boxed()
}

/// What reflection reads, without the difference between a default that stands there and one that does not: on the wire
/// there is none.
fn reflected(message: &MessageDescriptor, json: &Value, unknown: Unknown) -> Result<DynamicMessage, NotProtoJson> {
    let read = dynamic_from_json(message, json, unknown)?;
    Ok(DynamicMessage::decode(message.clone(), read.encode_to_vec().as_slice()).expect("it was just encoded"))
}

/// What holds of one document for the generated type of its message.
fn agrees<M: ProtoJson>(json: &Value) -> Result<(), TestCaseError> {
    let descriptor = M::default().descriptor();
    for unknown in [Unknown::Ignore, Unknown::Refuse] {
        match (M::read(json, unknown), reflected(&descriptor, json, unknown)) {
            (None, _) => {}
            (Some(_), Err(error)) => prop_assert!(false, "read in spite of {error}: {json}"),
            (Some(message), Ok(reflected)) => {
                prop_assert!(message.transcode_to_dynamic() == reflected, "{json} was read as {}", to_json(&message));
                prop_assert_eq!(message.first_missing(), missing_required(&reflected), "{}", json);
                prop_assert_eq!(to_json(&message), dynamic_to_json(&reflected));
                prop_assert_eq!(serde_json::from_str::<Value>(&to_text(&message)).unwrap(), to_json(&message));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn all_messages_are_read_and_written_as_by_reflection((message, json) in any_document()) {
        let codec = v1::codec(message.full_name()).expect("each message of the package has one");
        if let Some(bytes) = codec.bytes_of_json(&json) {
            let reflected = reflected(&message, &json, Unknown::Ignore);
            let reflected = reflected.map_err(|error| TestCaseError::fail(format!("read in spite of {error}: {json}")))?;
            let read = DynamicMessage::decode(message.clone(), bytes.as_slice()).unwrap();
            prop_assert!(read == reflected, "{json} was read as {}", dynamic_to_json(&read));
            prop_assert_eq!(codec.json_of_bytes(&bytes), Some(dynamic_to_json(&reflected)), "{}", json);
        }
    }

    #[test]
    fn what_is_sent_most_is_read_and_written_as_by_reflection(
        request in document(&crate::message("SendMessageRequest").unwrap(), 5),
        task in document(&crate::message("Task").unwrap(), 5),
        card in document(&crate::message("AgentCard").unwrap(), 5),
    ) {
        agrees::<v1::SendMessageRequest>(&request)?;
        agrees::<v1::Task>(&task)?;
        agrees::<v1::AgentCard>(&card)?;
    }
}

#[test]
fn what_correct_parties_write_needs_no_reflection() {
    let task = json!({
        "id": "t", "contextId": "c",
        "status": { "state": "TASK_STATE_COMPLETED", "timestamp": "2026-11-30T12:00:00.120Z", "message": {
            "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "data": null }, { "raw": "aGk=", "mediaType": "x/y" }],
        }},
        "artifacts": [{ "artifactId": "a", "parts": [{ "text": "hi", "metadata": { "n": [1, 0.5, null, "x"] } }] }],
    });
    let read = v1::Task::read(&task, Unknown::Refuse).expect("it is read");
    assert_eq!(to_json(&read), task);
    let snake_case = json!({ "id": "t", "context_id": "c" });
    assert_eq!(v1::Task::read(&snake_case, Unknown::Refuse).expect("it is read").context_id, "c");
    assert!(v1::Task::read(&json!({ "context_id": "c", "contextId": "d" }), Unknown::Ignore).is_none());
}
