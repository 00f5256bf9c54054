//! `bucketeer devices`: what there is to run on, and why the rest is not.

use bucketeer::{Device, Error};
use serde::Serialize;

use crate::output::{self, Outcome, Table};
use crate::units;

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listing {
    devices: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<Facts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct Facts {
    threads: usize,
    free_memory: u64,
    ifma: bool,
}

/// Carries the command out.
pub fn run(args: &Args) -> Outcome {
    let devices: Vec<Entry> = ["cpu", "cuda", "webgpu"].into_iter().map(entry).collect();
    if args.json {
        return output::json(&Listing { devices });
    }
    let mut table = Table::new(&["device", "description"], 2);
    for entry in devices {
        let text = match (entry.facts, entry.reason) {
            (Some(Facts { threads, free_memory, ifma }), _) => {
                let arithmetic = if ifma { "AVX-512 IFMA" } else { "portable arithmetic" };
                let memory = units::bytes(free_memory.into());
                format!("{threads} threads, {arithmetic}, {memory} of memory free")
            }
            (None, reason) => format!("not available: {}", reason.unwrap_or_default()),
        };
        table.row(vec![entry.name.into(), text]);
    }
    Ok(table.text())
}

fn entry(name: &'static str) -> Entry {
    match Device::named(name) {
        Ok(device) => {
            let facts = device.facts();
            let (threads, free_memory, ifma) = (facts.threads, facts.memory, facts.ifma);
            let facts = Some(Facts { threads, free_memory, ifma });
            Entry { name, available: true, facts, reason: None }
        }
        Err(Error::NoDevice { reason, .. }) => {
            Entry { name, available: false, facts: None, reason: Some(reason) }
        }
        Err(other) => {
            Entry { name, available: false, facts: None, reason: Some(other.to_string()) }
        }
    }
}
