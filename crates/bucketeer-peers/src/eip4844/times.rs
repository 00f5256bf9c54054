//! The table of times.

use std::time::{Duration, Instant};

use ark_bls12_381::{G1Affine, G1Projective};
use ark_ec::VariableBaseMSM;
use bucketeer::Device;
use c_kzg::{Blob, Bytes32, Bytes48, KzgSettings, ethereum_kzg_settings};
use rayon::ThreadPoolBuilder;
use rust_eth_kzg::{DASContext, TrustedSetup, UsePrecomp};

use crate::fk20::{CELLS, Fk20};
use crate::kzg::{BLOB_BYTES, Prover, to_bytes};
use crate::setup::{lagrange, powers};
use crate::{Options, Outcome, blobs};

/// Bits of the windows of the peers' tables for cell proofs, as their documentation recommends.
const PEER_WIDTH: usize = 8;

/// What does not depend on the number of threads.
struct Peers {
    powers: Vec<G1Affine>,
    lagrange: Vec<G1Affine>,
    c_kzg: &'static KzgSettings,
    rust_eth_kzg: DASContext,
}

pub fn run(options: &Options) -> Outcome<()> {
    let setup = TrustedSetup::default();
    let powers = powers(&setup)?;
    let peers = Peers {
        lagrange: lagrange(&powers)?,
        powers,
        c_kzg: ethereum_kzg_settings(PEER_WIDTH as u64),
        rust_eth_kzg: DASContext::new(&setup, UsePrecomp::Yes { width: PEER_WIDTH }),
    };
    for &threads in &options.threads {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| table(options, threads, &peers))?;
    }
    Ok(())
}

/// Prints the times on one number of threads.
fn table(options: &Options, threads: usize, peers: &Peers) -> Outcome<()> {
    let device = match options.portable {
        true => Device::cpu().portable()?,
        false => Device::cpu(),
    };
    let bytes = options.table << 20;
    let (plain, load) = timed(|| Prover::new(&device, &peers.lagrange, 0))?;
    let (tabled, load_table) = timed(|| Prover::new(&device, &peers.lagrange, bytes))?;
    let (cells, load_cells) = timed(|| Fk20::new(&device, &peers.powers, bytes / CELLS as u64))?;
    println!("\n{threads} thread(s); milliseconds, processor time in brackets");
    println!(
        "loaded in {} ms, with a table in {}, for cells in {}",
        ms(load),
        ms(load_table),
        ms(load_cells)
    );
    let head = ["", "c-kzg", "rust_eth_kzg", "Bucketeer", "with a table"];
    println!("{:24}{:>18}{:>18}{:>18}{:>18}", head[0], head[1], head[2], head[3], head[4]);

    let blob = blobs::random(1);
    let array: &[u8; BLOB_BYTES] = blob.as_slice().try_into()?;
    let theirs = Blob::from_bytes(&blob)?;
    let commitment = plain.commit(&blob)?;
    let z = to_bytes(&77u64.into());
    let (z_c, commitment_c) = (Bytes32::from(z), Bytes48::from(commitment));
    let median = |work: &dyn Fn() -> Outcome<Vec<u8>>| median(options.repeat, work);
    let row = |name: &str, works: [&dyn Fn() -> Outcome<Vec<u8>>; 4]| -> Outcome<()> {
        let mut line = format!("{name:24}");
        let mut first = None;
        for work in works {
            let (result, time) = median(work)?;
            if *first.get_or_insert_with(|| result.clone()) != result {
                return Err(format!("{name}: results differ").into());
            }
            line += &format!("{time:>18}");
        }
        println!("{line}");
        Ok(())
    };
    row(
        "commitment",
        [
            &|| Ok(peers.c_kzg.blob_to_kzg_commitment(&theirs)?.to_bytes().to_vec()),
            &|| Ok(rust(peers.rust_eth_kzg.blob_to_kzg_commitment(array))?.to_vec()),
            &|| Ok(plain.commit(&blob)?.to_vec()),
            &|| Ok(tabled.commit(&blob)?.to_vec()),
        ],
    )?;
    row(
        "proof at a point",
        [
            &|| Ok(peers.c_kzg.compute_kzg_proof(&theirs, &z_c)?.0.to_bytes().to_vec()),
            &|| Ok(rust(peers.rust_eth_kzg.compute_kzg_proof(array, z))?.0.to_vec()),
            &|| Ok(plain.prove(&blob, &z)?.0.to_vec()),
            &|| Ok(tabled.prove(&blob, &z)?.0.to_vec()),
        ],
    )?;
    row(
        "proof of a blob",
        [
            &|| {
                let proof = peers.c_kzg.compute_blob_kzg_proof(&theirs, &commitment_c)?;
                Ok(proof.to_bytes().to_vec())
            },
            &|| Ok(rust(peers.rust_eth_kzg.compute_blob_kzg_proof(array, &commitment))?.to_vec()),
            &|| Ok(plain.prove_blob(&blob, &commitment)?.to_vec()),
            &|| Ok(tabled.prove_blob(&blob, &commitment)?.to_vec()),
        ],
    )?;
    cell_rows(options, peers, &cells, &blob)
}

/// The cell proofs, and the MSMs in them.
fn cell_rows(options: &Options, peers: &Peers, cells: &Fk20, blob: &[u8]) -> Outcome<()> {
    let theirs = Blob::from_bytes(blob)?;
    let array: &[u8; BLOB_BYTES] = blob.try_into()?;
    let (expected, c_kzg) = median(options.repeat, &|| {
        let (_, proofs) = peers.c_kzg.compute_cells_and_kzg_proofs(&theirs)?;
        Ok(proofs.iter().map(|proof| proof.to_bytes().into_inner()).collect::<Vec<_>>())
    })?;
    let (second, rust_eth_kzg) = median(options.repeat, &|| {
        Ok(rust(peers.rust_eth_kzg.compute_cells_and_kzg_proofs(array))?.1.to_vec())
    })?;
    let (own, time) = median(options.repeat, &|| cells.prove(blob))?;
    if own != expected || own != second {
        return Err("cell proofs differ".into());
    }
    println!("{:24}{c_kzg:>18}{rust_eth_kzg:>18}{:>18}{time:>18}", "128 cells and proofs", "");
    let scalars = cells.scalars(blob)?;
    let (sums, own) = median(options.repeat, &|| cells.sums(&scalars))?;
    let (expected, arkworks) = median::<Vec<_>>(options.repeat, &|| {
        let rows = cells.points().iter().zip(&scalars);
        Ok(rows.map(|(points, scalars)| G1Projective::msm_unchecked(points, scalars)).collect())
    })?;
    if sums != expected {
        return Err("the sums of cell proofs differ".into());
    }
    println!("{:24}{:>36}{:>18}{own:>18}", "their 128 MSMs of 64", "", "");
    println!("{:24}{arkworks:>18}", "the same by arkworks");
    Ok(())
}

/// rust_eth_kzg's errors do not say what they are in words.
fn rust<T>(result: Result<T, rust_eth_kzg::Error>) -> Outcome<T> {
    result.map_err(|error| format!("rust_eth_kzg: {error:?}").into())
}

fn timed<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<(T, Duration)> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed()))
}

/// The result of some work, and its median time with that of the processor.
fn median<T>(repeat: usize, work: &dyn Fn() -> Outcome<T>) -> Outcome<(T, String)> {
    let mut result = work()?;
    let mut samples = Vec::new();
    for _ in 0..repeat.max(1) {
        let before = processor_time();
        let (again, time) = timed(work)?;
        samples.push((time, processor_time().saturating_sub(before)));
        result = again;
    }
    samples.sort_unstable();
    let (time, processor) = samples[samples.len() / 2];
    Ok((result, format!("{} ({})", ms(time), ms(processor))))
}

fn ms(time: Duration) -> String {
    format!("{:.2}", 1e3 * time.as_secs_f64())
}

/// Processor time of the process so far.
#[cfg(unix)]
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of the right type.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn processor_time() -> Duration {
    Duration::ZERO
}
