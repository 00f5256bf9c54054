//! Stage 5, combine, on the host for all GPUs: the points of each set → window points → result.

use ark_ff::Field;

use super::parts::Part;
use crate::curve::EdwardsMap;
use crate::curve::read_element as read;
use crate::curve::xyzz::{Coordinates, Xyzz};
use crate::plan::{Layout, Plan};
use crate::sum::Sum;
use crate::{Curve, Error, WordField, parallel};

/// Points in the form the device adds in, one addition at a time.
pub(crate) trait Host: Sync {
    type Sum: Clone + Send + Sync;
    fn identity(&self) -> Self::Sum;
    fn load(&self, words: &[u64]) -> Self::Sum;
    fn add(&self, a: &Self::Sum, b: &Self::Sum) -> Self::Sum;
    fn double(&self, a: &Self::Sum) -> Self::Sum;
}

impl<F: WordField> Host for Xyzz<F> {
    type Sum = Coordinates<F>;

    fn identity(&self) -> Coordinates<F> {
        Coordinates::INFINITY
    }

    fn load(&self, words: &[u64]) -> Coordinates<F> {
        let element = words.len() / 4;
        let [x, y, zz, zzz] = [0, 1, 2, 3].map(|i| read(&words[i * element..][..element]));
        Coordinates { x, y, zz, zzz }
    }

    fn add(&self, a: &Coordinates<F>, b: &Coordinates<F>) -> Coordinates<F> {
        self.sum(a, b)
    }

    fn double(&self, a: &Coordinates<F>) -> Coordinates<F> {
        self.twice(a)
    }
}

/// `−x² + y² = 1 + d·x²·y²` in extended coordinates.
pub(crate) struct Edwards<F> {
    pub d: F,
}

/// x = X/Z, y = Y/Z, T = X·Y/Z.
#[derive(Clone, Copy)]
pub(crate) struct Extended<F> {
    x: F,
    y: F,
    z: F,
    t: F,
}

impl<F: Field> Extended<F> {
    /// Affine coordinates.
    pub(crate) fn affine(&self) -> Option<(F, F)> {
        let inverse = self.z.inverse()?;
        Some((self.x * inverse, self.y * inverse))
    }
}

impl<F: WordField> Host for Edwards<F> {
    type Sum = Extended<F>;

    fn identity(&self) -> Extended<F> {
        Extended { x: F::ZERO, y: F::ONE, z: F::ONE, t: F::ZERO }
    }

    fn load(&self, words: &[u64]) -> Extended<F> {
        let element = words.len() / 4;
        let [x, y, z, t] = [0, 1, 2, 3].map(|i| read(&words[i * element..][..element]));
        // The device's zeros are the identity.
        if z == F::ZERO { self.identity() } else { Extended { x, y, z, t } }
    }

    fn add(&self, p: &Extended<F>, q: &Extended<F>) -> Extended<F> {
        let a = (p.y - p.x) * (q.y - q.x);
        let b = (p.y + p.x) * (q.y + q.x);
        let c = p.t * q.t * self.d.double();
        let d = (p.z * q.z).double();
        let (e, f, g, h) = (b - a, d - c, d + c, b + a);
        Extended { x: e * f, y: g * h, z: f * g, t: e * h }
    }

    fn double(&self, p: &Extended<F>) -> Extended<F> {
        self.add(p, p)
    }
}

/// The sums of all MSMs of a run: for each set Horner over the bits, then Horner over the sets.
fn combine<H: Host>(
    host: &H,
    plan: &Plan,
    layout: &Layout,
    parts: &[Part],
    msms: usize,
) -> Vec<H::Sum> {
    let shape = &plan.shape;
    let sets = shape.bucket_sets as usize;
    let mut windows = vec![host.identity(); msms * sets];
    for part in parts {
        let count = part.msms * part.sets;
        let values = parallel::map(count, |set| set_value(host, layout, &part.words, set));
        for (index, value) in values.into_iter().enumerate() {
            let (msm, set) = (index / part.sets, part.first_set as usize + index % part.sets);
            if set < sets && part.first_msm + msm < msms {
                let window = &mut windows[(part.first_msm + msm) * sets + set];
                *window = host.add(window, &value);
            }
        }
    }
    parallel::map(msms, |msm| {
        windows[msm * sets..][..sets].iter().rev().fold(host.identity(), |sum, window| {
            let shifted = (0..shape.window_bits).fold(sum, |sum, _| host.double(&sum));
            host.add(&shifted, window)
        })
    })
}

/// total + Σ 2^j·(point of bit j), for one set of a part.
fn set_value<H: Host>(host: &H, layout: &Layout, words: &[u64], set: usize) -> H::Sum {
    let reduction = &layout.reduction;
    let (low, high) = reduction.split_bits();
    let (low, high, sets) = (low as usize, high as usize, reduction.sets as usize);
    let sum = layout.sum_words / 2;
    let load = |index: usize| host.load(&words[index * sum..][..sum]);
    let bits = (0..low)
        .map(|bit| sets + set * low + bit)
        .chain((0..high).map(|bit| sets * (1 + low) + set * high + bit));
    let weighted = bits
        .rev()
        .fold(host.identity(), |value, index| host.add(&host.double(&value), &load(index)));
    host.add(&weighted, &load(set))
}

/// The sums of all MSMs of a run.
pub(crate) fn sums<C: Curve>(
    edwards: Option<&EdwardsMap<C::BaseField>>,
    plan: &Plan,
    parts: &[Part],
    msms: usize,
) -> Result<Vec<Sum<C>>, Error> {
    let layout = &plan.gpu()?.layout;
    match edwards {
        Some(map) => {
            let host = Edwards { d: map.d() };
            let sums = combine(&host, plan, layout, parts, msms);
            let affine = parallel::map(msms, |i| C::from_edwards(map, sums[i].affine()?));
            let point = |sum: Option<C>| Some(Sum::Group(sum?.into_group()));
            let sums: Option<Vec<_>> = affine.into_iter().map(point).collect();
            sums.ok_or(Error::NotRepresentable)
        }
        None => {
            let [a, _] = C::weierstrass_coefficients();
            let host = Xyzz { a };
            let sums = combine(&host, plan, layout, parts, msms);
            Ok(parallel::map(msms, |i| Sum::Weierstrass(sums[i].affine())))
        }
    }
}
