//! One MSM over all ranks, from memory: `mpirun -n 4 msm`.

use ark_bn254::{Fr, G1Affine};
use bucketeer::random::{Distribution, KnownBases};
use bucketeer::ranks::Ranks;
use bucketeer::{Device, Error};
use bucketeer_mpi::{Bases, Source};

fn main() -> Result<(), Error> {
    let universe = mpi::initialize().ok_or(Error::Internal("MPI was initialised".into()))?;
    let known = KnownBases::<G1Affine>::new(1 << 12, 1);
    let scalars: Vec<Fr> = Distribution::Uniform.scalars(1 << 12, 1);

    let device = Device::cpu_with_threads(1)?;
    let bases = Bases::load(&universe.world(), device, Source::Slice(&known.points))?;
    let sum = bases.msm(&scalars)?;
    assert_eq!(sum, known.expected(&scalars));
    println!("rank {} has bases {:?}", bases.ranks().rank(), bases.share());
    Ok(())
}
