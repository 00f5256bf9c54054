//! Sums of shares that lie in several memories, and their total.
//!
//! A share may add up to a point that the affine model of its curve cannot represent, though the
//! total is one that it can. So sums of shares are bytes of a point on the short Weierstrass form.

use super::{AnyScalars, AnySum};
use crate::bases::Partial;
use crate::curves::NamedCurve;
use crate::sum::{Sum, take_sum, write_sum};
use crate::{Bases, Curve, Error, Plan, Timings};

/// The sum of a share, which [`AnyCurve::total`](super::AnyCurve::total) takes, with the plan that
/// produced it and the time each stage took.
#[derive(Debug)]
#[non_exhaustive]
pub struct AnyShare {
    /// The sum, as bytes that have a meaning within this version of the library only.
    pub sum: Vec<u8>,
    /// The plan carried out.
    pub plan: Plan,
    /// Time per stage.
    pub timings: Timings,
}

fn bytes<C: Curve>(sum: Sum<C>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    write_sum::<C>(&sum.weierstrass()?, &mut bytes)?;
    Ok(bytes)
}

pub(super) async fn share<C: Curve>(
    (bases, curve): (&Bases<C>, &'static NamedCurve),
    scalars: &AnyScalars,
) -> Result<AnyShare, Error> {
    let Partial { sum, plan, timings } = bases.partial(scalars.typed::<C>(curve)?).await?;
    Ok(AnyShare { sum: bytes(sum)?, plan, timings })
}

pub(super) async fn batch<C: Curve>(
    (bases, curve): (&Bases<C>, &'static NamedCurve),
    batch: &[AnyScalars],
) -> Result<Vec<Vec<u8>>, Error> {
    let batch = batch.iter().map(|scalars| scalars.typed::<C>(curve));
    let batch = batch.collect::<Result<Vec<_>, _>>()?;
    bases.batch_partials(&batch).await?.into_iter().map(bytes).collect()
}

pub(super) fn total<C: Curve>(shares: &[&[u8]]) -> Result<AnySum, Error> {
    let read = |(index, share): (usize, &&[u8])| {
        let mut rest = *share;
        let point = take_sum::<C>(&mut rest).filter(|_| rest.is_empty());
        let reason = format!("the sum of share {index} is not one of this library");
        point.map(Sum::<C>::Weierstrass).ok_or(Error::InvalidBytes { reason })
    };
    let sums = shares.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    Ok(AnySum::new::<C>(Sum::total(sums)?.into_group()?))
}
