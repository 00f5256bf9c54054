//! Who takes part for a curve.

use ark_ec::VariableBaseMSM;
use bucketeer::curves::NamedCurve;
use bucketeer::random::KnownBases;
use bucketeer::{Bases, Builder, Curve, Device, Scalars};

use crate::options::Resident;
use crate::rounds::{Contestant, Timed, timed};
use crate::{Outcome, bls12_381, bn256};

/// Bucketeer's name in tables and files.
pub const BUCKETEER: &str = "Bucketeer";

/// The name of Bucketeer with its bases loaded beforehand.
pub const RESIDENT: &str = "resident";

/// The others, in the order of the table's columns.
pub const PEERS: [&str; 4] = ["arkworks", "loop", "blst", "halo2curves"];

/// Most bases for which arkworks' scalar multiplications one after the other take part.
const LOOP: usize = 64;

/// One MSM for everybody.
pub struct Case<'a, C: Curve> {
    /// The curve.
    pub curve: &'static NamedCurve,
    /// The bases.
    pub points: &'a [C],
    /// One scalar for each.
    pub scalars: &'a [C::ScalarField],
    /// Their sum.
    pub expected: C::Group,
    /// Where Bucketeer runs.
    pub device: &'a Device,
}

impl<'a, C: Curve> Case<'a, C> {
    /// The MSM over the first of the bases.
    pub fn new(
        curve: &'static NamedCurve,
        bases: &'a KnownBases<C>,
        scalars: &'a [C::ScalarField],
        device: &'a Device,
    ) -> Self {
        let points = &bases.points[..scalars.len()];
        Self { curve, points, scalars, expected: bases.expected(scalars), device }
    }

    /// Everybody who knows the curve. Points and scalars are brought into a peer's own types here,
    /// outside the measured time; Bucketeer starts from arkworks' as arkworks does.
    pub fn contestants(
        &self,
        resident: Option<Resident>,
        blst: bool,
    ) -> Outcome<Vec<Contestant<'a, C>>> {
        let mut all = vec![self.bucketeer(BUCKETEER)];
        if let Some(how) = resident {
            all.push(self.resident(how)?);
        }
        let (points, scalars) = (self.points, self.scalars);
        let [arkworks, plain, blst_name, halo2curves] = PEERS;
        all.push(self.contestant(arkworks, move || {
            Ok(timed(|| <C::Group as VariableBaseMSM>::msm_unchecked(points, scalars)))
        }));
        if points.len() <= LOOP {
            all.push(self.contestant(plain, move || {
                Ok(timed(|| points.iter().zip(scalars).map(|(p, k)| *p * k).sum()))
            }));
        }
        match self.curve.name {
            "bls12-381-g1" if blst => {
                all.push(self.contestant(blst_name, bls12_381::g1(points, scalars)?));
            }
            "bls12-381-g2" if blst => {
                all.push(self.contestant(blst_name, bls12_381::g2(points, scalars)?));
            }
            "bn254-g1" => all.push(self.contestant(halo2curves, bn256::g1(points, scalars)?)),
            _ => {}
        }
        Ok(all)
    }

    /// Bucketeer on borrowed points, under this name.
    pub fn bucketeer(&self, name: &'static str) -> Contestant<'a, C> {
        let (device, points) = (self.device, self.points);
        let scalars = Scalars::residues(self.scalars);
        self.contestant(name, move || {
            let (time, result) = timed(|| Builder::default().msm(device, points, scalars));
            Ok((time, result?))
        })
    }

    fn resident(&self, how: Resident) -> Outcome<Contestant<'a, C>> {
        let builder = match how {
            Resident::Plain => Bases::builder(),
            Resident::Precomputed => Bases::builder().auto_precompute().memory_limit(2 << 30),
        };
        let bases = builder.load(self.device, self.points)?;
        let scalars = Scalars::residues(self.scalars);
        Ok(self.contestant(RESIDENT, move || {
            let (time, result) = timed(|| bases.msm(scalars));
            Ok((time, result?))
        }))
    }

    fn contestant(
        &self,
        name: &'static str,
        run: impl Fn() -> Timed<C::Group> + 'a,
    ) -> Contestant<'a, C> {
        Contestant { name, expected: self.expected, run: Box::new(run) }
    }
}
