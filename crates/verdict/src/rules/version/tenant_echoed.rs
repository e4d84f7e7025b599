//! Every operation carries exactly the tenant of the interface it goes to, and none where the interface has none.

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "tenant-echoed", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for x in view.operations() {
        let Some((_, interface)) = view.interface(x) else { continue };
        let declared = interface.tenant.as_deref().filter(|tenant| !tenant.is_empty());
        let sent = x.request.tenant.as_deref().filter(|tenant| !tenant.is_empty());
        let entry = x.entry.seq;
        let why = || {
            format!(
                "{}: {} over {} with tenant {}{}, the interface declares {}",
                x.peer,
                x.request.operation.map_or("a request", Operation::name),
                interface.binding,
                sent.unwrap_or("none"),
                cite(&[entry]),
                declared.unwrap_or("none")
            )
        };
        tally.check(declared == sent, why, [entry]);
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;

    use crate::testing::{B, Scene};

    const ID: &str = "tenant-echoed";

    #[test]
    fn the_tenant_is_exactly_that_of_the_interface() {
        for (declared, sent, well) in [
            (Some("acme"), Some("acme"), true),
            (Some("acme"), None, false),
            (Some("acme"), Some("other"), false),
            (None, None, true),
            (None, Some(""), true),
            (None, Some("acme"), false),
        ] {
            let mut scene = Scene::new(&[JsonRpc]);
            scene.open(ID);
            scene.state(B).interfaces[0].tenant = declared.map(str::to_owned);
            let x = scene.dispatch(B, JsonRpc, "d-1");
            scene.sent(x).tenant = sent.map(str::to_owned);
            if well { scene.upheld(ID) } else { drop(scene.broken(ID)) }
        }
    }

    #[test]
    fn of_two_tenants_at_one_url_either_will_do() {
        let mut scene = Scene::new(&[JsonRpc, JsonRpc]);
        scene.state(B).interfaces[0].tenant = Some("one".to_owned());
        scene.state(B).interfaces[1].tenant = Some("two".to_owned());
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.sent(x).tenant = Some("two".to_owned());
        scene.upheld(ID);
        scene.sent(x).tenant = Some("three".to_owned());
        scene.broken(ID);
    }
}
