//! When: work is delegated. Several delegations of one scenario share a session.

use cucumber::when;
use gauntlet_evidence::contract::{Need, Needs};

use crate::Scene;

/// Delegates the work and waits for the outcome.
#[when(expr = "work is delegated to {string}")]
async fn delegated(scene: &mut Scene, name: String) {
    scene.delegate(&[&name], Need::Unused).await;
}

/// Delegates work that must not be handed over unless it can be followed by stream.
#[when(expr = "work that requires streaming is delegated to {string}")]
async fn requires_streaming(scene: &mut Scene, name: String) {
    scene.delegate(&[&name], Need::Required).await;
}

/// Delegates work that is followed by stream where the peer can stream.
#[when(expr = "work that prefers streaming is delegated to {string}")]
async fn prefers_streaming(scene: &mut Scene, name: String) {
    scene.delegate(&[&name], Need::Preferred).await;
}

/// Delegates work that must not be handed over unless a webhook is told of it.
#[when(expr = "work that requires push is delegated to {string}")]
async fn requires_push(scene: &mut Scene, name: String) {
    scene.delegate_needing(&[&name], Needs { push: Need::Required, ..Needs::default() }).await;
}

/// Delegates work of which a webhook is told where the peer sends push notifications.
#[when(expr = "work that prefers push is delegated to {string}")]
async fn prefers_push(scene: &mut Scene, name: String) {
    scene.delegate_needing(&[&name], Needs { push: Need::Preferred, ..Needs::default() }).await;
}

/// Delegates the work to the first of two peers that can do it.
#[when(expr = "work is delegated to {string} or else {string}")]
async fn or_else(scene: &mut Scene, first: String, second: String) {
    scene.delegate(&[&first, &second], Need::Unused).await;
}

/// Delegates work that requires streaming to the first of two peers that can do it.
#[when(expr = "work that requires streaming is delegated to {string} or else {string}")]
async fn requires_streaming_or_else(scene: &mut Scene, first: String, second: String) {
    scene.delegate(&[&first, &second], Need::Required).await;
}

/// Answers the task that waits for input.
#[when(expr = "the question is answered with {string}")]
async fn answered(scene: &mut Scene, text: String) {
    scene.answer(&text).await;
}
