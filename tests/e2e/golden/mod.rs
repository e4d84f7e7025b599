//! Golden journals: for every defect that ships and every binding it occurs on, how it deviates on the wire from a
//! healthy peer with the same seed, clock and script, and that it deviates nowhere else.
//!
//! [`script`] is what every peer is put through, [`client`] the raw client that does it. [`compare`] says which
//! differences are allowed, [`validate`] what an unstamped frame must be, [`render`] and [`names`] make text of it.

mod client;
mod compare;
mod names;
mod render;
mod script;
mod validate;

use std::collections::BTreeSet;
use std::path::PathBuf;

use gauntlet_scenario::Library;
use gauntlet_wire::Binding;
use script::{Came, Step};

/// The goldens of the peers without defects: one that is open to all, one with a token server.
const HEALTHY: [&str; 2] = ["healthy", "healthy-with-tokens"];

#[tokio::test]
async fn defects_deviate_within_their_stamps_over_json_rpc() {
    defects_deviate_within_their_stamps(Binding::JsonRpc).await;
}

#[tokio::test]
async fn defects_deviate_within_their_stamps_over_http_json() {
    defects_deviate_within_their_stamps(Binding::HttpJson).await;
}

#[tokio::test]
async fn defects_deviate_within_their_stamps_over_grpc() {
    defects_deviate_within_their_stamps(Binding::Grpc).await;
}

async fn defects_deviate_within_their_stamps(binding: Binding) {
    let library = Library::embedded().expect("the library is valid");
    let twins = [script::play(binding, None, false).await, script::play(binding, None, true).await];
    for (id, twin) in HEALTHY.into_iter().zip(&twins) {
        for step in &twin.steps {
            assert!(stamps(step).is_empty(), "{}: a healthy peer is stamped", step.name);
            assert_eq!(invalid(step), Vec::<String>::new(), "{}", step.name);
        }
        golden(id, binding, &render::healthy(twin));
    }
    let unfollowed = script::unfollowed(binding).await;
    for defect in library.defects().filter(|defect| defect.applies.bindings().contains(&binding)) {
        let id = defect.id.as_str();
        let tokens = defect.applies.needs_token_server;
        let twin = if script::leaves_waiting(id) { &unfollowed } else { &twins[usize::from(tokens)] };
        let play = script::play(binding, Some(id), tokens).await;
        let stamped: BTreeSet<&str> = play.steps.iter().flat_map(stamps).collect();
        assert_eq!(
            stamped,
            BTreeSet::from([id]),
            "`{id}` does not show over {binding}: extend the script or the behaviour in tests/e2e/golden/script.rs"
        );
        let wrong: Vec<String> = play.steps.iter().flat_map(invalid).chain(compare::unaccounted(&play, twin)).collect();
        assert!(wrong.is_empty(), "`{id}` over {binding} deviates beyond its stamps:\n{}", wrong.join("\n"));
        golden(id, binding, &render::defective(&defect.title, &play, twin));
    }
}

/// The defects stamped on a step.
fn stamps(step: &Step) -> Vec<&str> {
    match &step.came {
        Came::Exchange(entries) | Came::Notified(entries) => {
            entries.iter().flat_map(|entry| &entry.stamps).map(|stamp| stamp.defect.as_str()).collect()
        }
        Came::Refused | Came::LeftOut { .. } => Vec::new(),
    }
}

fn invalid(step: &Step) -> Vec<String> {
    match &step.came {
        Came::Exchange(entries) => validate::invalid(entries),
        Came::Notified(entries) => validate::invalid_notifications(entries),
        Came::Refused | Came::LeftOut { .. } => Vec::new(),
    }
}

#[test]
fn no_golden_is_left_over() {
    let library = Library::embedded().expect("the library is valid");
    let wanted: BTreeSet<String> = library
        .defects()
        .flat_map(|defect| defect.applies.bindings().into_iter().map(|binding| file(&defect.id, binding)))
        .chain(HEALTHY.into_iter().flat_map(|id| Binding::ALL.map(|binding| file(id, binding))))
        .collect();
    let there = std::fs::read_dir(folder()).expect("the folder of goldens");
    let there = there.map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"));
    let left_over: Vec<String> = there.filter(|name| name.ends_with(".snap") && !wanted.contains(name)).collect();
    assert_eq!(left_over, Vec::<String>::new(), "no defect has these goldens in {}: remove them", folder().display());
}

/// Holds a journal against its golden.
fn golden(id: &str, binding: Binding, journal: &str) {
    let updating = std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always");
    assert!(
        updating || folder().join(file(id, binding)).exists(),
        "`{id}` has no golden journal for {binding} yet. Run\n  \
         INSTA_UPDATE=always cargo test -p gauntlet-tests golden\n\
         then read {} and commit it if it shows the defect and nothing else. Now it would be:\n\n{journal}",
        folder().join(file(id, binding)).display()
    );
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_suffix(slug(binding));
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(id, journal));
}

fn folder() -> PathBuf {
    crate::support::root().join("tests/golden")
}

fn file(id: &str, binding: Binding) -> String {
    format!("{id}@{}.snap", slug(binding))
}

const fn slug(binding: Binding) -> &'static str {
    match binding {
        Binding::JsonRpc => "jsonrpc",
        Binding::Grpc => "grpc",
        Binding::HttpJson => "http-json",
    }
}
