//! Layer spec: what the specification requires (§4.4, marked in the proto) is present and not empty.

use prost_reflect::DynamicMessage;

use gauntlet_wire::protojson;

use crate::problem::{CardProblem, Layer};

pub(crate) fn check(card: &DynamicMessage) -> Result<(), CardProblem> {
    match protojson::missing_required(card) {
        None => Ok(()),
        Some(pointer) => Err(CardProblem {
            layer: Layer::Spec,
            rule: "required",
            message: "the specification requires this member, and that it is not empty".to_owned(),
            pointer,
        }),
    }
}
