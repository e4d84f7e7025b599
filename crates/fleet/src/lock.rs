//! Locks that outlive a panic: the panic is reported by the task's owner, not by everybody who locks afterwards.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, whatever happened to earlier holders.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
