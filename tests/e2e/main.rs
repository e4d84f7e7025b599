//! The binary from outside: what it prints, where it points, how it ends. The proof matrix and interop with real SDKs.

mod adoption;
mod audit;
mod baselines;
mod card_fuzz;
mod cards;
mod documents;
mod evidence_folder;
mod foreign_clients;
mod golden;
mod help;
mod init;
mod interop;
mod interrupt;
mod library;
mod lists;
#[cfg(target_os = "linux")]
mod many_streams;
mod misbehaving_drivers;
mod proof_matrix;
mod reference;
#[cfg(target_os = "linux")]
mod relay;
mod reports;
mod selection;
mod serve;
mod support;
mod usage_errors;
mod users_folder;
mod webhook;
