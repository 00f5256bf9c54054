//! The rates of operations, which the cost model multiplies with their counts.
//!
//! A rate is what one operation costs on one core of a CPU or on one multiprocessor of a GPU. The
//! cost model (`cost`, `reads`, `straus`, `gpu`) counts the operations of a plan and multiplies.
//! Thresholds that were fitted are constants in `plan/`. Rates are compared with each other, so
//! their ratios decide.
//!
//! Each section below names the data nearest to its built-in values, by what the file measures: how
//! the values were fitted to it was not recorded, and they have not been fitted again.
//! `bucketeer bench --calibrate` measures a machine's own values, and `bucketeer bench --widths`
//! shows what the plan loses against the best of all window widths.
//!
//! By those files, built-in CPU rates are of Intel Xeons (AVX-512 IFMA), GPU rates of one NVIDIA
//! H200.

mod file;

use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::CurveSpec;

/// A rate as [`Rates`] lists it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Rate {
    /// Its section, e.g. `ifma.4`.
    pub section: &'static str,
    /// Its name within the section.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Its value.
    pub value: f64,
}

/// Rates that belong together and have names.
trait Section {
    /// Name, unit and value of every rate.
    fn list(&self) -> Vec<(&'static str, &'static str, f64)>;

    /// The rate with this name.
    fn get_mut(&mut self, name: &str) -> Option<&mut f64>;
}

macro_rules! section {
    ($(#[$doc:meta])* $section:ident {
        $($(#[$rate_doc:meta])* $rate:ident: $unit:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(crate) struct $section {
            $($(#[$rate_doc])* #[doc = concat!("\nUnit: ", $unit, ".")] pub(crate) $rate: f64,)*
        }

        impl Section for $section {
            fn list(&self) -> Vec<(&'static str, &'static str, f64)> {
                vec![$((stringify!($rate), $unit, self.$rate),)*]
            }

            fn get_mut(&mut self, name: &str) -> Option<&mut f64> {
                match name {
                    $(stringify!($rate) => Some(&mut self.$rate),)*
                    _ => None,
                }
            }
        }
    };
}

section! {
    /// A kernel of batched affine additions.
    Kernel {
        /// One addition of accumulate, without its share of the inversion.
        addition: "ns",
        /// One addition of reduce. With IFMA it costs more than one of accumulate: batches are
        /// smaller, and one thread makes their lists.
        reduction: "ns",
        /// One inversion, shared by a batch.
        inversion: "ns",
        /// One base brought into the kernel's form.
        load: "ns",
    }
}

section! {
    /// Batched affine additions over fields that have no kernel of their own.
    OtherFields {
        /// One product of two words.
        word_product: "ns",
        /// Products of an extension field over products of its base field.
        extension: "ratio",
        /// Products of an addition.
        addition_products: "products",
        /// What an addition costs beyond its products.
        addition: "ns",
        /// What an addition costs for each word of a coordinate.
        addition_word: "ns",
        /// One inversion over words^1.5.
        inversion_word: "ns",
        /// Products of an inversion.
        inversion_products: "products",
        /// One base brought into the kernel's form, for each word of a coordinate.
        load_word: "ns",
    }
}

section! {
    /// Single operations in arkworks' own coordinates: Straus, and sums of a few points.
    Arkworks {
        /// One product of two words.
        word_product: "ns",
        /// What a product of two field elements costs beyond its words.
        product: "ns",
        /// Products of an extension field over products of its base field.
        extension: "ratio",
        /// A projective addition or doubling between stages.
        projective: "products",
        /// A doubling of Straus.
        doubling: "products",
        /// An addition of an affine point in Straus.
        addition: "products",
        /// One multiple of a base, with its share of the batch inversion but not the inversion.
        multiple: "products",
        /// The image of a multiple under the endomorphism.
        image: "products",
        /// One inversion over words^1.5.
        inversion_word: "ns",
    }
}

section! {
    /// Sizes at which plans without buckets are considered.
    Straus {
        /// Up to this many bases nothing else is priced.
        always: "bases",
        /// Up to this many bases they are priced beside plans with buckets.
        most: "bases",
    }
}

section! {
    /// Decompose.
    Decompose {
        /// One scalar, as it is or negated.
        scalar: "ns",
        /// One scalar, split along the endomorphism.
        split: "ns",
        /// One digit with odd multiples.
        odd_digit: "ns",
    }
}

section! {
    /// Group, by counting.
    Grouping {
        /// One entry, where counters stay in L1 and the list in L2.
        near_entry: "ns",
        /// One entry otherwise.
        far_entry: "ns",
        /// One digit that belongs to another range of buckets.
        other_entry: "ns",
        /// One bucket, empty or not.
        bucket: "ns",
    }
}

section! {
    /// Additions in place.
    InPlace {
        /// One digit listed.
        digit: "ns",
        /// One deferred addition.
        deferred: "ns",
        /// What an addition costs more where more than `crowd` threads share the caches.
        crowded: "ns",
        /// Threads that do not slow each other down.
        crowd: "threads",
        /// What an addition costs more each time the bucket sums double beyond L2.
        far_bucket: "ns",
        /// What it costs more for every cache line of a point each time odd multiples double, where
        /// the table lies in DRAM.
        line: "ns",
        /// What it costs more each time the odd multiples of a point double beyond a page.
        page: "ns",
        /// Fewest bases for which it is priced with IFMA, unless there are copies.
        least_ifma: "bases",
        /// The same with portable arithmetic.
        least_portable: "bases",
    }
}

section! {
    /// Tables of resident bases that the plan may choose.
    Tables {
        /// Runs that making a table is divided among: the plan chooses the table with which that
        /// many runs and the table itself take the least time.
        runs: "runs",
        /// One doubling on the way to the next copy, over one addition of accumulate.
        doubling: "ratio",
        /// The image of a stored point under the endomorphism, over one addition of accumulate.
        image: "ratio",
        /// The first write to one byte of memory, which the system clears before.
        byte: "ns",
    }
}

section! {
    /// Where data lies, by its size over that of a cache.
    Reach {
        /// Counters of a bucket set that count as near, over L1d.
        counters: "L1d",
        /// Grouped list of a bucket set that counts as near, over L2.
        list: "L2",
        /// Points of one slice: all rounds of its tree but the first stay in L2. Slices of twice
        /// as many bytes were 15 % slower in G2 on a core with 2 MiB of L2.
        slice: "bytes",
        /// Points from which random reads are prefetched, over L2.
        prefetched_points: "L2",
        /// Grouped list from which random writes are prefetched, over L2.
        prefetched_list: "L2",
        /// Bucket sums of a pass in place that count as near, over L2.
        bucket_sums: "L2",
        /// Table of bases that counts as near, over L2.
        table: "L2",
        /// Table of bases that counts as DRAM, over the last-level cache.
        dram: "LLC",
        /// What an addition costs more each time the table doubles beyond what is near, and twice
        /// that beyond the last-level cache.
        far_read: "ns",
    }
}

section! {
    /// Threads and passes.
    Passes {
        /// What a run with buckets costs beyond its stages.
        start: "ns",
        /// The same for each thread that is woken.
        thread: "ns",
        /// Work of a pass that threads share over its work on one thread: they wait for each other.
        shared: "ratio",
        /// Share of such a pass that only one thread can do.
        serial: "ratio",
        /// Fewest entries of a segment of the bases in one bucket set.
        least_segment: "entries",
        /// Fewest entries of a bucket set that is cut into ranges of buckets.
        least_ranged: "entries",
        /// Shortest pass from which idle threads steal slices; in others the wait costs more.
        stealing: "ns",
    }
}

section! {
    /// A GPU, per multiprocessor.
    Gpu {
        /// One 32-bit product with a 64-bit result, where all lanes are busy.
        product: "ns",
        /// Latency of one 32-bit product in a chain of additions on one lane.
        latency: "ns",
        /// Products of an extension field over products of its base field.
        extension: "ratio",
        /// One byte to or from DRAM.
        byte: "ns",
        /// One entry through group.
        entry: "ns",
        /// One bucket through group.
        bucket: "ns",
        /// Time of the additions of reduce over that of as many in accumulate.
        reduction: "ratio",
        /// Time of the products of batched affine additions over that of as many in accumulate.
        affine: "ratio",
        /// Listing, loading and storing a task of batched affine additions, over one of them.
        task: "ratio",
        /// One step of batched affine additions, for each word of a coordinate squared: inversions
        /// that nothing hides, and launches.
        step: "ns",
        /// Launches of a pass.
        pass: "ns",
        /// One 32-bit product with a 64-bit result on the host.
        host_product: "ns",
    }
}

/// Kernels by the words and the degree of their field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Kernels {
    words4: Kernel,
    words6: Kernel,
    words12: Kernel,
    words4x2: Kernel,
    words6x2: Kernel,
}

impl Kernels {
    pub(crate) fn of(&self, curve: &CurveSpec) -> Option<&Kernel> {
        match (curve.limbs, curve.degree) {
            (4, 1) => Some(&self.words4),
            (6, 1) => Some(&self.words6),
            (12, 1) => Some(&self.words12),
            (4, 2) => Some(&self.words4x2),
            (6, 2) => Some(&self.words6x2),
            _ => None,
        }
    }
}

impl OtherFields {
    /// The rates of a field of any shape.
    pub(crate) fn kernel(&self, curve: &CurveSpec) -> Kernel {
        let (words, degree) = (curve.limbs as f64, curve.degree as f64);
        let extension = if curve.degree == 1 { 1.0 } else { self.extension };
        let product = self.word_product * words * words * extension;
        let addition =
            self.addition_products * product + self.addition + self.addition_word * words * degree;
        let inversion =
            self.inversion_word * words * words.sqrt() + self.inversion_products * product;
        let load = self.load_word * words * degree;
        Kernel { addition, reduction: addition, inversion, load }
    }
}

impl Arkworks {
    /// Nanoseconds of one product in a curve's field.
    pub(crate) fn product_of(&self, curve: &CurveSpec) -> f64 {
        let words = curve.limbs as f64;
        let extension = if curve.degree == 1 { 1.0 } else { self.extension };
        (self.word_product * words * words + self.product) * extension
    }

    /// Nanoseconds of one inversion in a curve's field.
    pub(crate) fn inversion_of(&self, curve: &CurveSpec) -> f64 {
        let words = curve.limbs as f64;
        self.inversion_word * words * words.sqrt()
    }
}

/// The measured costs of single operations from which the time of a plan is predicted.
#[derive(Clone, Copy, PartialEq)]
pub struct Rates {
    pub(crate) ifma: Kernels,
    pub(crate) portable: Kernels,
    pub(crate) other_fields: OtherFields,
    pub(crate) arkworks: Arkworks,
    pub(crate) straus: Straus,
    pub(crate) decompose: Decompose,
    pub(crate) group: Grouping,
    pub(crate) in_place: InPlace,
    pub(crate) tables: Tables,
    pub(crate) reach: Reach,
    pub(crate) passes: Passes,
    pub(crate) cuda: Gpu,
    pub(crate) webgpu: Gpu,
}

impl Rates {
    /// The rates that plans use unless told otherwise.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The same rates for the life of the process, so that facts of devices stay small and can be
    /// copied. Equal ones are kept once.
    pub(crate) fn kept(&self) -> &'static Self {
        static KEPT: Mutex<Vec<&'static Rates>> = Mutex::new(Vec::new());
        if *self == BUILT_IN {
            return &BUILT_IN;
        }
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.iter().find(|known| **known == self) {
            return known;
        }
        let rates: &'static Self = Box::leak(Box::new(*self));
        kept.push(rates);
        rates
    }
}

/// No rate is NaN.
impl Eq for Rates {}

impl fmt::Debug for Rates {
    /// Plans show their device, and with it hundreds of numbers, unless this is short.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == BUILT_IN { "Rates(built in)" } else { "Rates(own)" })
    }
}

const fn kernel(addition: f64, reduction: f64, inversion: f64, load: f64) -> Kernel {
    Kernel { addition, reduction, inversion, load }
}

/// The rates that plans use unless told otherwise.
static BUILT_IN: Rates = Rates {
    // docs/benchmarks/data/cpu-kernel.txt (additions, inversions) and cpu-stages.txt (reduce,
    // load); smoothed over the shapes: 5.9 products of 0.26·w² − 0.6 ns, 4.2 times that in an
    // extension, and 5 ns for each word.
    ifma: Kernels {
        words4: kernel(41.004, 71.004, 1042.72, 40.0),
        words6: kernel(81.684, 111.684, 1942.24, 60.0),
        words12: kernel(277.356, 307.356, 5638.23, 120.0),
        words4x2: kernel(116.501, 146.501, 1179.42, 80.0),
        words6x2: kernel(259.499, 289.499, 2278.62, 120.0),
    },
    // docs/benchmarks/data/cpu-portable.txt; smoothed as `other_fields` below.
    portable: Kernels {
        words4: kernel(131.0, 131.0, 1064.0, 40.0),
        words6: kernel(261.0, 261.0, 1981.12, 60.0),
        words12: kernel(939.0, 939.0, 5772.15, 120.0),
        words4x2: kernel(362.2, 362.2, 1204.8, 80.0),
        words6x2: kernel(766.2, 766.2, 2297.92, 120.0),
    },
    // Not measured apart: the formula of the portable kernels for any number of words.
    other_fields: OtherFields {
        word_product: 1.0,
        extension: 3.2,
        addition_products: 6.0,
        addition: 15.0,
        addition_word: 5.0,
        inversion_word: 125.0,
        inversion_products: 4.0,
        load_word: 10.0,
    },
    // docs/benchmarks/data/ifma-small.txt: sizes up to 2^7, where Straus and buckets meet.
    arkworks: Arkworks {
        word_product: 1.0,
        product: 3.0,
        extension: 3.2,
        projective: 18.0,
        doubling: 11.0,
        addition: 15.0,
        multiple: 30.0,
        image: 1.5,
        inversion_word: 575.0,
    },
    // docs/benchmarks/data/ifma-small.txt.
    straus: Straus { always: 3.0, most: 128.0 },
    // docs/benchmarks/data/cpu-stages.txt; odd digits: cpu-in-place.txt.
    decompose: Decompose { scalar: 55.0, split: 150.0, odd_digit: 2.5 },
    // docs/benchmarks/data/cpu-stages.txt and cpu-threads.txt.
    group: Grouping { near_entry: 7.5, far_entry: 12.0, other_entry: 8.0, bucket: 1.5 },
    // docs/benchmarks/data/cpu-in-place.txt.
    in_place: InPlace {
        digit: 8.0,
        deferred: 45.0,
        crowded: 15.0,
        crowd: 4.0,
        far_bucket: 10.0,
        line: 2.0,
        page: 6.0,
        least_ifma: (1 << 17) as f64,
        least_portable: (1 << 16) as f64,
    },
    // docs/benchmarks/data/cpu-tables.txt: on one thread the tables of 31 and 340 MiB take 60 and
    // 245 ms, for 1.04 and 1.01 million doublings and 0.29 and 3.7 million additions of 56 ns. So a
    // doubling is 0.7 of an addition. An image is two of an addition's six products. A byte is that
    // of fresh memory, with which 340 MiB take up to 342 ms. The number of runs is a choice.
    tables: Tables { runs: 1024.0, doubling: 0.7, image: 0.35, byte: 0.3 },
    // docs/benchmarks/data/cpu-far-reads.txt, with the default sizes of caches.
    reach: Reach {
        counters: 1.0,
        list: 1.0,
        slice: 786432.0,
        prefetched_points: 4.0,
        prefetched_list: 1.0,
        bucket_sums: 1.25,
        table: 8.0,
        dram: 4.0,
        far_read: 2.0,
    },
    // docs/benchmarks/data/cpu-threads.txt and ifma-sixteen.txt.
    passes: Passes {
        start: 50e3,
        thread: 2e3,
        shared: 1.4,
        serial: 0.1,
        least_segment: 256.0,
        least_ranged: 32768.0,
        stealing: 1e6,
    },
    // docs/benchmarks/data/h200-widths.json: least squares over the widths of four curves at sizes
    // 2^8 to 2^22. `affine`, `task` and `step` were fitted on one H200, too; that output was not
    // kept, and `./bench-gpu FOLDER affine` measures it again.
    cuda: Gpu {
        product: 0.0118,
        latency: 3.53,
        extension: 3.2,
        byte: 0.034,
        entry: 13.0,
        bucket: 22.5,
        reduction: 1.29,
        affine: 1.25,
        task: 1.3,
        step: 400.0,
        pass: 200e3,
        host_product: 0.25,
    },
    // docs/benchmarks/data/h200-webgpu.txt: what multiplies takes six times as long as CUDA takes
    // at 29 products per clock and multiprocessor, 1.75 GHz.
    webgpu: Gpu {
        product: 6.0 / 50.75,
        latency: 6.0 * 4.4 / 3.5,
        extension: 3.2,
        byte: 0.05,
        entry: 6.0 * 3.96,
        bucket: 1.32,
        reduction: 1.2,
        affine: 1.25,
        task: 1.3,
        step: 400.0,
        pass: 120e3,
        host_product: 0.25,
    },
};
