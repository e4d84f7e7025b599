//! Doubles of what stands beside a peer: servers of other protocols that an orchestrator has to deal with on its way.

pub(crate) mod token;
