//! Devices of ranks: each rank has one, and all of them share every MSM. See [`crate::ranks`].

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::{Device, Inner};
use crate::Error;
use crate::facts::DeviceKind;
use crate::ranks::{self, Ranks};

/// A rank among others, and its device.
pub(crate) struct Member {
    /// Its memory is divided as if the ranks of a machine took its GPUs in turns.
    assumed: Device,
    /// Its memory is divided among the ranks that use it, once they have told each other.
    known: OnceLock<Device>,
    pub(crate) ranks: Arc<dyn Ranks>,
    /// How many ranks have bases: the first ones.
    pub(crate) active: usize,
}

impl Device {
    /// The devices of all ranks as one: each holds a range of the bases, in proportion to its
    /// speed, and computes their share of every MSM. [`ranks`](crate::ranks) has the rules of use.
    ///
    /// `local` is this rank's device. Its memory is divided by the number of ranks on this machine
    /// that use the same device: all of them for a CPU; those that name the same GPU.
    /// What ranks stream from files is in host memory, which all ranks of the machine divide.
    pub fn over_ranks(ranks: Arc<dyn Ranks>, local: Self) -> Self {
        let beside = ranks.local_size().max(1);
        let sharers = match local.kind() {
            DeviceKind::Cpu => beside,
            kind => beside.div_ceil(gpus(kind).max(1)),
        };
        let assumed = local.shared_by(beside, &|_| sharers);
        let active = ranks.size();
        Self::of_member(Member { assumed, known: OnceLock::new(), ranks, active })
    }

    /// The same device, on a machine of so many ranks; `sharers` of them use it.
    fn shared_by(self, host_sharers: usize, sharers: &dyn Fn(&Self) -> usize) -> Self {
        match &self.inner {
            Inner::Several(devices) => {
                let each = |device: &Self| device.clone().shared_by(host_sharers, sharers);
                let inner = Inner::Several(devices.iter().map(each).collect());
                Self { inner, host_sharers, ..self }
            }
            _ => Self { sharers: sharers(&self), host_sharers, ..self },
        }
    }

    /// A name of this GPU that no other one has, on any machine.
    fn gpu_name(&self) -> Option<String> {
        match &self.inner {
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => Some(gpu.unique_name()),
            #[cfg(feature = "webgpu")]
            Inner::WebGpu(gpu) => Some(format!("webgpu:{} of {}", gpu.index(), machine()?)),
            _ => None,
        }
    }

    /// The device of this rank that a name means: `auto` and a kind of GPU without an index take
    /// the GPU whose index is the rank's number on its machine, modulo the number of GPUs. A name
    /// with an index means that GPU on every machine.
    ///
    /// ```
    /// use bucketeer::{Device, DeviceKind, ranks};
    /// let devices = ranks::on_threads(2, |ranks| Device::named_for_rank("cpu", &*ranks));
    /// assert!(devices.into_iter().all(|own| own.is_ok_and(|own| own.kind() == DeviceKind::Cpu)));
    /// ```
    pub fn named_for_rank(name: &str, ranks: &dyn Ranks) -> Result<Self, Error> {
        let turn = |kind| ranks.local_rank() % gpus(kind).max(1);
        match name {
            "auto" if gpus(DeviceKind::Cuda) > 0 => {
                // As without ranks: the CPU if the GPU cannot be used.
                let gpu = Self::named(&format!("cuda:{}", turn(DeviceKind::Cuda)));
                Ok(gpu.unwrap_or_else(|_| Self::cpu()))
            }
            "cuda" => Self::named(&format!("cuda:{}", turn(DeviceKind::Cuda))),
            "webgpu" => Self::named(&format!("webgpu:{}", turn(DeviceKind::WebGpu))),
            _ => Self::named(name),
        }
    }

    /// The same ranks, of which only the first `count` get bases; the others take part in all
    /// calls. For measurements of how MSMs scale.
    ///
    /// ```
    /// use ark_bn254::G1Affine;
    /// use ark_ec::AffineRepr;
    /// use bucketeer::{Bases, Device, ranks};
    /// let shares = ranks::on_threads(3, |ranks| {
    ///     let device = Device::over_ranks(ranks, Device::cpu_with_threads(1)?).of_first_ranks(2);
    ///     Ok(Bases::load(&device, &[G1Affine::generator(); 8])?.share())
    /// });
    /// assert_eq!(shares, [Ok(0..4), Ok(4..8), Ok(8..8)]);
    /// ```
    #[must_use]
    pub fn of_first_ranks(&self, count: usize) -> Self {
        match &self.inner {
            Inner::Rank(member) => {
                let active = count.clamp(1, member.ranks.size());
                Self::of_member(Member { active, ..member.with(|local| local) })
            }
            _ => self.clone(),
        }
    }

    /// This rank's own device; the device itself if it is not over ranks.
    #[must_use]
    pub fn local(&self) -> Self {
        match &self.inner {
            Inner::Rank(member) => member.local().clone(),
            _ => self.clone(),
        }
    }

    /// The rank that this is the device of, if it is that of one.
    pub(crate) fn member(&self) -> Option<&Arc<Member>> {
        match &self.inner {
            Inner::Rank(member) => Some(member),
            _ => None,
        }
    }

    pub(super) fn of_member(member: Member) -> Self {
        let Self { rates, .. } = member.assumed;
        // The memory of the local device is divided already.
        Self { inner: Inner::Rank(Arc::new(member)), rates, sharers: 1, host_sharers: 1 }
    }
}

impl Member {
    /// The same with another device of this rank.
    pub(super) fn with(&self, change: impl FnOnce(Device) -> Device) -> Self {
        let (assumed, ranks) = (change(self.local().clone()), self.ranks.clone());
        Self { assumed, known: OnceLock::new(), ranks, ..*self }
    }

    /// The device of this rank.
    pub(crate) fn local(&self) -> &Device {
        self.known.get().unwrap_or(&self.assumed)
    }

    /// The GPUs that this rank uses, by names that no others have.
    pub(crate) fn gpus(&self) -> Vec<String> {
        let local = self.local();
        match local.parts() {
            [] => local.gpu_name().into_iter().collect(),
            parts => parts.iter().filter_map(Device::gpu_name).collect(),
        }
    }

    /// Notes which GPUs each rank uses.
    pub(crate) fn know(&self, gpus: &[Vec<String>]) {
        let sharers = |device: &Device| match device.gpu_name() {
            Some(own) => gpus.iter().filter(|names| names.contains(&own)).count().max(1),
            None => device.sharers,
        };
        let assumed = self.assumed.clone();
        self.known.get_or_init(|| assumed.shared_by(self.assumed.host_sharers, &sharers));
    }

    /// This rank's part of a collective call.
    pub(crate) fn exchange<T>(
        &self,
        what: &str,
        own: impl FnOnce() -> Result<(T, Vec<u8>), Error>,
    ) -> Result<(T, Vec<Vec<u8>>), Error> {
        ranks::exchange(&*self.ranks, what, own)
    }
}

/// What tells this machine from others; containers on it have the same.
#[cfg(feature = "webgpu")]
fn machine() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned())
}

/// How many GPUs there are.
fn gpus(kind: DeviceKind) -> usize {
    match kind {
        #[cfg(feature = "cuda")]
        DeviceKind::Cuda => Device::cuda_count().unwrap_or(0),
        #[cfg(feature = "webgpu")]
        DeviceKind::WebGpu => Device::webgpu_count(),
        _ => 0,
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ranks, each on {}", self.active, self.local())
    }
}

#[cfg(all(test, feature = "cuda", feature = "io"))]
mod tests {
    use super::*;

    /// Ranks with a GPU each used to plan for all of the host's memory when they read files.
    /// `software-cuda/test` runs it with four GPUs.
    #[test]
    #[ignore = "needs NVIDIA GPUs, or software CUDA"]
    fn host_memory_is_divided_among_all_ranks_on_cuda() {
        let parts = ranks::on_threads(3, |ranks| {
            let local = Device::named_for_rank("cuda", &*ranks)?;
            Ok(Device::over_ranks(ranks, local).part_of(300))
        });
        assert_eq!(parts, vec![Ok(100); 3]);
    }
}
