//! The compiled proto files, for everything that works by reflection.

use std::sync::LazyLock;

use prost_reflect::{DescriptorPool, MessageDescriptor, ServiceDescriptor};

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin")).as_slice())
        .expect("the descriptors were encoded by our own build script")
});

/// Every message, enum and service the crate knows, with the `google.api.http` options intact.
pub fn pool() -> &'static DescriptorPool {
    &POOL
}

/// The form in which generated code asks for the pool; cloning one is cheap.
pub(crate) fn pool_owned() -> DescriptorPool {
    POOL.clone()
}

/// A message of `lf.a2a.v1` by its short name (`"Task"`), or by its full name.
pub fn message(name: &str) -> Option<MessageDescriptor> {
    POOL.get_message_by_name(name).or_else(|| POOL.get_message_by_name(&format!("lf.a2a.v1.{name}")))
}

/// The A2A 1.0 service.
pub fn service() -> ServiceDescriptor {
    POOL.get_service_by_name("lf.a2a.v1.A2AService").expect("a2a.proto declares the service")
}
