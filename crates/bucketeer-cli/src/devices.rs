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

/// Carries the command out.
pub fn run(args: &Args) -> Outcome {
    let gpus = Device::cuda_count().unwrap_or(0);
    let cuda = match gpus {
        0 => vec!["cuda".into()],
        _ => (0..gpus).map(|index| format!("cuda:{index}")).collect(),
    };
    let names = ["cpu".to_owned()].into_iter().chain(cuda).chain(["webgpu".to_owned()]);
    let devices: Vec<Entry> = names.map(entry).collect();
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
            // The description begins with the device's name, which has a column of its own.
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
