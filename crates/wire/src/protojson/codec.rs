//! What is generated for each message of A2A, and how it is found for a message known only by its descriptor.

use std::marker::PhantomData;

use prost::Message;
use prost_reflect::ReflectMessage;
use serde::Serialize;
use serde_json::Value;

use super::Unknown;

/// A message with a generated ProtoJSON: written by its `Serialize`, read by this.
pub trait ProtoJson: Message + ReflectMessage + Serialize + Default {
    /// Reads what correct parties write. `None` says nothing about the document: reflection has to look at it.
    #[doc(hidden)]
    fn read(json: &Value, unknown: Unknown) -> Option<Self>;

    /// Names the first required field that is unset or empty, as [`super::missing_required`] does.
    fn first_missing(&self) -> Option<String>;
}

/// The same without the type.
pub(crate) trait Codec: Sync {
    /// `None` where the bytes are no such message.
    fn json_of_bytes(&self, bytes: &[u8]) -> Option<Value>;

    /// `None` where reflection has to look at it.
    fn bytes_of_json(&self, json: &Value) -> Option<Vec<u8>>;
}

/// The codec of a type.
pub(crate) struct Of<M>(PhantomData<fn() -> M>);

impl<M> Of<M> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<M: ProtoJson> Codec for Of<M> {
    fn json_of_bytes(&self, bytes: &[u8]) -> Option<Value> {
        M::decode(bytes).ok().map(|message| super::to_json(&message))
    }

    fn bytes_of_json(&self, json: &Value) -> Option<Vec<u8>> {
        M::read(json, Unknown::Ignore).map(|message| message.encode_to_vec())
    }
}
