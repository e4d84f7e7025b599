//! The operations of A2A 1.0.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use prost_reflect::{MessageDescriptor, MethodDescriptor};
use serde::{Deserialize, Serialize};

/// An operation, named as in the proto; JSON-RPC methods and gRPC paths use the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each variant is the operation of that name")]
pub enum Operation {
    SendMessage,
    SendStreamingMessage,
    GetTask,
    ListTasks,
    CancelTask,
    SubscribeToTask,
    CreateTaskPushNotificationConfig,
    GetTaskPushNotificationConfig,
    ListTaskPushNotificationConfigs,
    DeleteTaskPushNotificationConfig,
    GetExtendedAgentCard,
}

impl Operation {
    /// All operations, in the order of the specification.
    pub const ALL: [Self; 11] = [
        Self::SendMessage,
        Self::SendStreamingMessage,
        Self::GetTask,
        Self::ListTasks,
        Self::CancelTask,
        Self::SubscribeToTask,
        Self::CreateTaskPushNotificationConfig,
        Self::GetTaskPushNotificationConfig,
        Self::ListTaskPushNotificationConfigs,
        Self::DeleteTaskPushNotificationConfig,
        Self::GetExtendedAgentCard,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SendMessage => "SendMessage",
            Self::SendStreamingMessage => "SendStreamingMessage",
            Self::GetTask => "GetTask",
            Self::ListTasks => "ListTasks",
            Self::CancelTask => "CancelTask",
            Self::SubscribeToTask => "SubscribeToTask",
            Self::CreateTaskPushNotificationConfig => "CreateTaskPushNotificationConfig",
            Self::GetTaskPushNotificationConfig => "GetTaskPushNotificationConfig",
            Self::ListTaskPushNotificationConfigs => "ListTaskPushNotificationConfigs",
            Self::DeleteTaskPushNotificationConfig => "DeleteTaskPushNotificationConfig",
            Self::GetExtendedAgentCard => "GetExtendedAgentCard",
        }
    }

    /// Whether the answer is a stream.
    pub const fn is_streaming(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }

    /// Whether the operation sends a message and so may begin a task.
    pub const fn sends_message(self) -> bool {
        matches!(self, Self::SendMessage | Self::SendStreamingMessage)
    }

    /// The method's descriptor: request, response and HTTP options.
    pub fn method(self) -> MethodDescriptor {
        /// Looked up for every call.
        static METHODS: LazyLock<[MethodDescriptor; Operation::ALL.len()]> = LazyLock::new(|| {
            Operation::ALL.map(|operation| {
                let service = crate::service();
                let method = service.methods().find(|method| method.name() == operation.name());
                method.expect("a2a.proto declares every operation")
            })
        });
        METHODS[self as usize].clone()
    }

    /// The request message.
    pub fn request(self) -> MessageDescriptor {
        self.method().input()
    }

    /// The response message, or the item of the response stream.
    pub fn response(self) -> MessageDescriptor {
        self.method().output()
    }

    /// The gRPC path: `/lf.a2a.v1.A2AService/GetTask`.
    pub fn grpc_path(self) -> String {
        format!("/lf.a2a.v1.A2AService/{}", self.name())
    }

    /// The operation that a gRPC path of the A2A 1.0 service calls.
    pub fn from_grpc_path(path: &str) -> Option<Self> {
        path.strip_prefix("/lf.a2a.v1.A2AService/")?.parse().ok()
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Operation {
    type Err = UnknownOperation;

    fn from_str(text: &str) -> Result<Self, UnknownOperation> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.name() == text)
            .ok_or_else(|| UnknownOperation(text.to_owned()))
    }
}

/// A name that is no operation of A2A 1.0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an operation of A2A 1.0")]
pub struct UnknownOperation(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_the_proto_and_streaming_matches_its_signature() {
        let methods: Vec<_> = crate::service().methods().collect();
        assert_eq!(methods.len(), Operation::ALL.len());
        for operation in Operation::ALL {
            assert_eq!(operation.method().is_server_streaming(), operation.is_streaming());
            assert_eq!(Operation::from_grpc_path(&operation.grpc_path()), Some(operation));
        }
    }
}
