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
