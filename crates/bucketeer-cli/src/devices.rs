//! `bucketeer devices`: the available devices, and why others are missing.

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
    name: String,
    available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<Facts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct Facts {
    description: String,
    threads: usize,
    free_memory: u64,
    ifma: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let mut names = vec!["cpu".to_owned()];
    let gpus = [("cuda", Device::cuda_count().unwrap_or(0)), ("webgpu", Device::webgpu_count())];
    for (kind, count) in gpus {
        match count {
            // The error from opening it says why there is none.
            0 => names.push(kind.into()),
            _ => names.extend((0..count).map(|index| format!("{kind}:{index}"))),
        }
    }
    let devices: Vec<Entry> = names.into_iter().map(entry).collect();
    if args.json {
        return output::json(&Listing { devices });
    }
    let mut table = Table::new(&["device", "description"], 2);
    for entry in devices {
        let text = match (entry.facts, entry.reason) {
            (Some(Facts { description, free_memory, .. }), _) => {
                let memory = units::bytes(free_memory.into());
                format!("{description}, {memory} of memory free")
            }
            (None, reason) => format!("not available: {}", reason.unwrap_or_default()),
        };
        table.row(vec![entry.name, text]);
    }
    Ok(table.text())
}

fn entry(name: String) -> Entry {
    match Device::named(&name) {
        Ok(device) => {
            let facts = device.facts();
            let (threads, free_memory, ifma) = (facts.threads, facts.memory, facts.ifma);
            // The description begins with the device's name, which has a separate column.
            let text = device.to_string();
            let description = text.split_once(", ").map_or(&*text, |(_, rest)| rest).to_owned();
            let facts = Some(Facts { description, threads, free_memory, ifma });
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
