//! Errors of all bindings, sorted by what a caller can do about them.

use std::time::Duration;

use gauntlet_wire::ErrorKind;
use http::StatusCode;

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
    #[error("forbidden: {message}")]
    Forbidden {
        /// What was answered.
        message: String,
        /// The scopes that a token needs, where the challenge names them.
        scopes: Vec<String>,
    },
    /// No token could be had; nothing was sent to the peer.
    #[error("no token: {0}")]
    NoToken(String),
    /// Nothing was begun, and the peer says when to come back.
    #[error("busy: {message}")]
    Busy {
        /// From now.
        retry_after: Duration,
        /// What was answered.
        message: String,
    },
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

    /// Whether the caller was not let in.
    pub(crate) const fn is_denied(&self) -> bool {
        matches!(self, Self::Unauthenticated(_) | Self::Forbidden { .. } | Self::NoToken(_))
    }

    /// 401 or 403, with the challenge where there is one (RFC 6750 §3); `None` for any other status.
    pub(super) fn of_denial(status: StatusCode, challenge: Option<&str>, message: String) -> Option<Self> {
        match status {
            StatusCode::UNAUTHORIZED => Some(Self::Unauthenticated(message)),
            StatusCode::FORBIDDEN => Some(Self::forbidden(message, challenge)),
            _ => None,
        }
    }

    pub(super) fn forbidden(message: String, challenge: Option<&str>) -> Self {
        let named = challenge.and_then(|challenge| challenge.split_once("scope=\"")?.1.split('"').next());
        let scopes = named.into_iter().flat_map(str::split_ascii_whitespace).map(str::to_owned).collect();
        Self::Forbidden { message, scopes }
    }

    /// Whether the interface does not speak the version.
    pub(crate) const fn is_about_version(&self) -> bool {
        matches!(self, Self::A2a { kind: ErrorKind::VersionNotSupported, .. })
    }

    /// Whether the peer answered that it does not know the task.
    pub(crate) const fn is_unknown_task(&self) -> bool {
        matches!(self, Self::A2a { kind: ErrorKind::TaskNotFound, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_tells_the_scopes_that_its_challenge_names() {
        let denied = |status, challenge| CallError::of_denial(status, challenge, String::new());
        let challenge = "Bearer realm=\"a2a\", error=\"insufficient_scope\", scope=\"work admin\"";
        let Some(CallError::Forbidden { scopes, .. }) = denied(StatusCode::FORBIDDEN, Some(challenge)) else {
            panic!("it is forbidden")
        };
        assert_eq!(scopes, ["work", "admin"]);
        assert!(matches!(denied(StatusCode::UNAUTHORIZED, None), Some(CallError::Unauthenticated(_))));
        assert_eq!(denied(StatusCode::NOT_FOUND, None), None);
    }
}
