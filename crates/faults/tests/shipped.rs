//! The defects and fleets that ship, against the catalogue.

use gauntlet_faults::{FaultSet, catalogue};
use gauntlet_scenario::{Behaviour, DefectUse, Library, PeerSpec, Place, TokenServerSpec};
use gauntlet_wire::Binding;

#[test]
fn every_defect_builds_on_every_binding_it_claims() {
    let library = Library::embedded().unwrap();
    let behaviour = "[{ ask: q }, { auth: a }, { artifact: { text: abcdef, chunks: 3 } }, complete]";
    for defect in library.defects() {
        for binding in defect.applies.bindings() {
            let mut peer = PeerSpec::healthy("peer", [binding]);
            peer.behaviour = Behaviour::parse(behaviour, "b.yaml").unwrap();
            peer.token_server = defect.applies.needs_token_server.then(|| TokenServerSpec::of("peer"));
            let used = DefectUse::parse(&defect.id, None, None, Place::whole("test", "")).unwrap();
            let applied = library.apply(&used, &peer).unwrap_or_else(|error| panic!("{error}"));
            let faults = FaultSet::build(&[applied], 7).unwrap_or_else(|error| panic!("{error}"));
            assert!(!faults.is_empty(), "{} on {binding}", defect.id);
        }
    }
}

#[test]
fn every_fleet_builds() {
    let library = Library::embedded().unwrap();
    for peer in library.fleets().flat_map(|fleet| &fleet.peers) {
        let applied: Vec<_> = peer.defects.iter().map(|used| library.apply(used, peer).unwrap()).collect();
        FaultSet::build(&applied, 7).unwrap_or_else(|error| panic!("{}: {error}", peer.name));
    }
}

#[test]
fn every_primitive_is_in_some_defect() {
    let library = Library::embedded().unwrap();
    for kind in catalogue() {
        let used = library.defects().any(|defect| defect.faults.iter().any(|call| call.name == kind.id));
        assert!(used, "{}", kind.id);
    }
}

#[test]
fn a_card_fault_of_a_defect_that_is_limited_to_one_binding_still_changes_the_card() {
    let library = Library::embedded().unwrap();
    let peer = PeerSpec::healthy("peer", Binding::ALL);
    let used =
        DefectUse::parse("streaming-declared-absent", None, Some("{ binding: GRPC }"), Place::whole("t", "")).unwrap();
    let faults = FaultSet::build(&[library.apply(&used, &peer).unwrap()], 7).unwrap();
    let mut card = serde_json::json!({ "capabilities": { "streaming": false } });
    let bites = faults.card(&mut card);
    assert_eq!(card["capabilities"]["streaming"], true);
    assert_eq!(bites[0].pointers, ["/capabilities/streaming"]);
}
