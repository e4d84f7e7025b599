//! Errors of all bindings, sorted by what a caller can do about them.

use gauntlet_wire::ErrorKind;

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    /// No connection: the request was not sent.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// The address does not speak this binding.
    #[error("the interface refuses the binding: {0}")]
    InterfaceRefused(String),
    /// The interface does not serve the operation: final, and nothing was begun.
    #[error("the operation is refused: {message}")]
    OperationRefused {
        /// The row of the error table, where it can be told.
        kind: Option<ErrorKind>,
        /// What was answered.
        message: String,
    },
    /// Any other error of the table.
    #[error("{kind}: {message}")]
    A2a {
        /// The row of the table.
        kind: ErrorKind,
        /// What the peer says.
        message: String,
    },
    /// Credentials are missing or not accepted.
    #[error("not authenticated: {0}")]
    Unauthenticated(String),
    /// Credentials do not suffice.
    #[error("forbidden: {0}")]
    Forbidden(String),
    /// It broke off, or the server failed: whether the request took effect is not known.
    #[error("failed on the way: {0}")]
    Broken(String),
    /// The answer is none that the protocol allows.
    #[error("the answer is not valid: {0}")]
    Invalid(String),
}

impl CallError {
    /// Sorts an error of the table.
    pub(super) fn of_kind(kind: ErrorKind, message: String) -> Self {
        match kind {
            ErrorKind::MethodNotFound | ErrorKind::UnsupportedOperation | ErrorKind::PushNotificationNotSupported => {
                Self::OperationRefused { kind: Some(kind), message }
            }
            ErrorKind::Internal => Self::Broken(message),
            kind => Self::A2a { kind, message },
        }
    }

    /// Whether nothing was begun and another interface may do.
    pub(crate) const fn leaves_work_undone(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(_)
                | Self::InterfaceRefused(_)
                | Self::OperationRefused { .. }
                | Self::A2a { kind: ErrorKind::VersionNotSupported, .. }
        )
    }

    /// Whether it holds for every operation of the interface.
    pub(crate) const fn concerns_interface(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(_) | Self::InterfaceRefused(_) | Self::A2a { kind: ErrorKind::VersionNotSupported, .. }
        )
    }

    /// Whether it is push notifications that are not supported, whatever was called.
    pub(crate) const fn is_about_push(&self) -> bool {
        matches!(self, Self::OperationRefused { kind: Some(ErrorKind::PushNotificationNotSupported), .. })
    }

    /// Whether the peer answered that it does not know the task.
    pub(crate) const fn is_unknown_task(&self) -> bool {
        matches!(self, Self::A2a { kind: ErrorKind::TaskNotFound, .. })
    }
}
