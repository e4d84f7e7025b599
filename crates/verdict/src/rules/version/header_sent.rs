//! Every operation on a 1.x interface carries `A2A-Version` with the interface's Major.Minor, in a header, in metadata
//! or as a request parameter. Fetching cards is exempt; a patch number beside the right version is no finding.

use gauntlet_wire::ProtocolVersion;

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "version-header-sent", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    let mut wrong: Vec<(&str, ProtocolVersion, &str, u64)> = Vec::new();
    for x in view.operations() {
        let Some((_, interface)) = view.interface(x) else { continue };
        let Ok(version) = interface.version.parse::<ProtocolVersion>() else { continue };
        if version.major == 0 {
            continue;
        }
        let sent = x.request.version.as_deref().filter(|sent| !sent.is_empty());
        if sent.is_some_and(|sent| sent.trim().parse() == Ok(version)) {
            tally.upheld();
        } else {
            wrong.push((x.peer, version, sent.unwrap_or("none"), x.entry.seq));
        }
    }
    if let Some((peer, version, sent, _)) = wrong.first() {
        let entries: Vec<u64> = wrong.iter().map(|(.., entry)| *entry).collect();
        let requests = count(entries.len(), "request", "requests");
        let why = format!("{peer}: {requests}{} to a {version} interface, A2A-Version sent: {sent}", cite(&entries));
        tally.broken(why, entries);
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use crate::testing::{B, Scene};

    const ID: &str = "version-header-sent";

    #[test]
    fn the_version_of_the_interface_is_sent() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.open(ID);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.upheld(ID);
        for (sent, shown) in [(None, "sent: none"), (Some(""), "sent: none"), (Some("0.3"), "sent: 0.3")] {
            scene.sent(x).version = sent.map(str::to_owned);
            assert!(scene.broken(ID).contains(shown));
        }
    }

    #[test]
    fn patch_numbers_and_older_interfaces_are_no_finding() {
        let mut scene = Scene::new(&[JsonRpc]);
        scene.state(B).interfaces[0].version = "1.0.3".to_owned();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.upheld(ID);
        scene.state(B).interfaces[0].version = "0.3".to_owned();
        scene.sent(x).version = None;
        scene.open(ID);
    }
}
