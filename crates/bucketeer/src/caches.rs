//! Sizes of a CPU's data caches.

/// Bytes of a CPU's data caches: L1d and L2 of one core, and the last level, which cores share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caches {
    /// L1 data cache of one core.
    pub l1d: u64,
    /// L2 of one core.
    pub l2: u64,
    /// Last-level cache.
    pub llc: u64,
}

/// Sizes with which the built-in rates mean the bytes they were fitted as. The Xeons of that fit
/// have more L2 and last-level cache.
impl Default for Caches {
    fn default() -> Self {
        Self { l1d: 32 << 10, l2: 1 << 20, llc: 32 << 20 }
    }
}

impl Caches {
    /// This machine's, as far as the system says, and defaults for the rest. Read once.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_system() -> Self {
        use std::path::Path;
        use std::sync::OnceLock;
        static SYSTEM: OnceLock<Caches> = OnceLock::new();
        *SYSTEM.get_or_init(|| linux::read(Path::new("/sys/devices/system/cpu/cpu0/cache")))
    }

    /// Other systems are not queried.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of_system() -> Self {
        Self::default()
    }

    /// The same with sizes that a plan can count with: no level is smaller than the one before.
    pub(crate) fn within_reason(self) -> Self {
        let l1d = self.l1d.clamp(1 << 12, 1 << 32);
        let l2 = self.l2.clamp(l1d, 1 << 36);
        Self { l1d, l2, llc: self.llc.clamp(l2, 1 << 40) }
    }

    /// What thresholds of the plan follow: no level larger than those that the built-in rates were
    /// fitted with. Thresholds that followed an L2 of 2 MiB made BLS12-381 G2 20 % slower
    /// (docs/benchmarks/data/cpu-caches.txt).
    pub(crate) fn as_fitted(self) -> Self {
        let Self { l1d, l2, llc } = Self::default();
        Self { l1d: self.l1d.min(l1d), l2: self.l2.min(l2), llc: self.llc.min(llc) }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;

    use super::Caches;

    /// Reads `index*/{level,type,size}`, one folder for each cache that the first core uses.
    pub(super) fn read(folder: &Path) -> Caches {
        let mut caches = Caches::default();
        let mut last_level = 0;
        for index in 0.. {
            let cache = folder.join(format!("index{index}"));
            let text = |name| fs::read_to_string(cache.join(name)).ok();
            let Some(level) = text("level").and_then(|text| text.trim().parse::<u32>().ok()) else {
                break;
            };
            let instructions = text("type").is_some_and(|text| text.trim() == "Instruction");
            let Some(size) = text("size").and_then(|text| bytes(text.trim())) else { continue };
            match level {
                _ if instructions => continue,
                1 => caches.l1d = size,
                2 => caches.l2 = size,
                _ => {}
            }
            // A core without L3 has its L2 as the last level.
            if level >= 2 && level > last_level {
                (caches.llc, last_level) = (size, level);
            }
        }
        caches
    }

    /// A size such as `1024K`; none that is zero.
    fn bytes(text: &str) -> Option<u64> {
        let (digits, shift) = match text.as_bytes().last()? {
            b'K' => (&text[..text.len() - 1], 10),
            b'M' => (&text[..text.len() - 1], 20),
            b'G' => (&text[..text.len() - 1], 30),
            _ => (text, 0),
        };
        let bytes = digits.parse::<u64>().ok()?.checked_mul(1 << shift)?;
        (bytes > 0).then_some(bytes)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn sizes_have_units() {
            assert_eq!(bytes("32K"), Some(32 << 10));
            assert_eq!(bytes("2M"), Some(2 << 20));
            assert_eq!(bytes("512"), Some(512));
            for bad in ["", "K", "0K", "-1K", "1.5M", "99999999999999999G"] {
                assert_eq!(bytes(bad), None, "{bad}");
            }
        }

        #[test]
        fn a_system_that_says_nothing_has_the_defaults() {
            assert_eq!(read(Path::new("/nowhere")), Caches::default());
            let own = Caches::of_system();
            assert_eq!(own, own.within_reason(), "real caches are reasonable");
        }

        #[test]
        fn extreme_sizes_are_cut() {
            let all = |size| Caches { l1d: size, l2: size, llc: size }.within_reason();
            assert_eq!(all(0).l1d, 1 << 12);
            assert_eq!(all(u64::MAX).llc, 1 << 40);
        }
    }
}
