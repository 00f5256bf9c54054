//! Dispatching kernels: each kernel is a structure of its parameters and buffers, declared with
//! [`kernels!`] in the file of its stage.
//!
//! The declaration also yields the WGSL text of the parameters and bindings, which goes before the
//! shader. The kernels of a shader share one block of parameters and one numbering of buffers; each
//! binds those that it uses.

use std::fmt::Write;

use super::program::{Program, Source};
use super::recorder::Recorder;
use crate::Error;
use crate::gpu::Stage;
use crate::gpu::interface::{BIAS_WORDS, Bias, Record, wgsl, wgsl_constants};

/// Declares the kernels of a shader:
///
/// ```text
/// const SHADER in Source, Stage: Parameters { buffer: Access, … }
/// Structure = "kernel" { buffers it binds }
/// ```
macro_rules! kernels {
    (const $shader:ident in $source:ident, $stage:ident: $parameters:ty {
        $($buffer:ident: $access:ident),* $(,)?
    } $($(#[$meta:meta])* $kernel:ident = $name:literal { $($bound:ident),* $(,)? })*) => {
        /// What the shader shares with the host.
        pub(super) const $shader: $crate::webgpu::launch::Interface =
            $crate::webgpu::launch::Interface {
                fields: <$parameters as $crate::webgpu::launch::Block>::fields,
                buffers: &[$((stringify!($buffer), $crate::webgpu::launch::Access::$access)),*],
                kernels: &[$(($name, &[$(stringify!($bound)),*])),*],
            };

        $(
            $(#[$meta])*
            pub(super) struct $kernel<'a> {
                pub parameters: $parameters,
                $(pub $bound: &'a wgpu::Buffer),*
            }

            impl $kernel<'_> {
                /// Records a dispatch.
                pub(super) async fn dispatch(
                    &self,
                    program: &$crate::webgpu::program::Program,
                    recorder: &mut $crate::webgpu::recorder::Recorder<'_>,
                    grid: $crate::webgpu::launch::Grid,
                ) -> Result<(), $crate::Error> {
                    let words = $crate::webgpu::launch::Block::words(&self.parameters);
                    let buffers = [$((stringify!($bound), self.$bound)),*];
                    $crate::webgpu::launch::Dispatch {
                        source: $crate::webgpu::program::Source::$source,
                        stage: $crate::gpu::Stage::$stage,
                        kernel: $name,
                        words: &words,
                        buffers: &buffers,
                    }
                    .record(program, recorder, grid)
                    .await
                }
            }
        )*
    };
}
pub(super) use kernels;

/// How a shader uses a buffer of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    /// Words that several invocations change.
    Atomic,
    /// Pairs of words.
    Pairs,
}

impl Access {
    fn declaration(self) -> [&'static str; 2] {
        match self {
            Self::Read => ["storage, read", "array<u32>"],
            Self::Write => ["storage, read_write", "array<u32>"],
            Self::Atomic => ["storage, read_write", "array<atomic<u32>>"],
            Self::Pairs => ["storage, read_write", "array<vec2<u32>>"],
        }
    }
}

/// What a shader shares with the host.
pub(super) struct Interface {
    /// The parameters.
    pub fields: fn() -> Vec<Field>,
    /// The buffers, bound to 1, 2, …
    pub buffers: &'static [(&'static str, Access)],
    /// The kernels and the buffers that each binds.
    pub kernels: &'static [(&'static str, &'static [&'static str])],
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub name: &'static str,
    pub wgsl: String,
    /// Its place in words.
    pub place: usize,
}

impl Interface {
    /// The text that goes before a shader.
    pub(super) fn text(&self, invocations: u32, constants: &[(&str, u32)]) -> String {
        let mut out = wgsl() + &wgsl_constants(&[("INVOCATIONS", invocations)]);
        out += &wgsl_constants(constants);
        out += "struct Params {\n";
        for Field { name, wgsl, .. } in (self.fields)() {
            let _ = writeln!(out, "    {name}: {wgsl},");
        }
        out += "}\n@group(0) @binding(0) var<uniform> params: Params;\n";
        for (index, (name, access)) in self.buffers.iter().enumerate() {
            let ([class, type_], binding) = (access.declaration(), index + 1);
            let _ = writeln!(out, "@group(0) @binding({binding}) var<{class}> {name}: {type_};");
        }
        out
    }

    /// The number that a buffer is bound to.
    pub(super) fn binding(&self, buffer: &str) -> Option<u32> {
        let index = self.buffers.iter().position(|(own, _)| *own == buffer)?;
        Some(index as u32 + 1)
    }
}

/// Parameters as they lie in a uniform buffer.
pub(super) trait Block {
    /// Words that its start is a multiple of.
    const ALIGN: usize = 1;

    /// Names and types, and their places from the start of the block.
    fn fields() -> Vec<Field>;

    fn words(&self) -> Vec<u32>;
}

impl<R: Record> Block for R {
    fn fields() -> Vec<Field> {
        let field = |(place, name): (usize, &&'static str)| {
            let wgsl = String::from("u32");
            Field { name, wgsl, place }
        };
        R::FIELDS.iter().enumerate().map(field).collect()
    }

    fn words(&self) -> Vec<u32> {
        Record::words(self)
    }
}

impl Block for Bias {
    // Arrays in uniform buffers are of vectors.
    const ALIGN: usize = 4;

    fn fields() -> Vec<Field> {
        let wgsl = format!("array<vec4<u32>, {}>", BIAS_WORDS.div_ceil(4));
        vec![Field { name: "bias", wgsl, place: 0 }]
    }

    fn words(&self) -> Vec<u32> {
        let mut words = self.words.to_vec();
        words.resize(BIAS_WORDS.next_multiple_of(4), 0);
        words
    }
}

/// Two blocks, one after the other; the first one is all words.
impl<A: Record, B: Block> Block for (A, B) {
    fn fields() -> Vec<Field> {
        let mut fields = A::fields();
        let start = fields.len().next_multiple_of(B::ALIGN);
        fields.extend(B::fields().into_iter().map(|f| Field { place: start + f.place, ..f }));
        fields
    }

    fn words(&self) -> Vec<u32> {
        let mut words = Record::words(&self.0);
        words.resize(words.len().next_multiple_of(B::ALIGN), 0);
        words.extend(self.1.words());
        words
    }
}

/// The invocations of a dispatch.
#[derive(Debug, Clone, Copy)]
pub(super) enum Grid {
    /// One for each item.
    Items(u64),
    /// One for each item in each row.
    Rows(u64, u32),
    /// This many workgroups.
    Groups(u64),
}

/// A dispatch of some kernel.
pub(super) struct Dispatch<'a> {
    pub source: Source,
    pub stage: Stage,
    pub kernel: &'static str,
    pub words: &'a [u32],
    pub buffers: &'a [(&'static str, &'a wgpu::Buffer)],
}

impl Dispatch<'_> {
    pub(super) async fn record(
        self,
        program: &Program,
        recorder: &mut Recorder<'_>,
        grid: Grid,
    ) -> Result<(), Error> {
        let pipeline = program.kernel(self.source, self.kernel)?;
        let interface = self.source.interface();
        let undeclared = |name: &str| Error::Internal(format!("the buffer {name} is not declared"));
        let bind = |(name, buffer): &(&'static str, _)| {
            Ok((interface.binding(name).ok_or_else(|| undeclared(name))?, *buffer))
        };
        let buffers = self.buffers.iter().map(bind).collect::<Result<Vec<_>, Error>>()?;
        let each = u64::from(self.source.invocations());
        let groups = match grid {
            Grid::Items(items) => (items.div_ceil(each), 1),
            Grid::Rows(items, rows) => (items.div_ceil(each), rows),
            Grid::Groups(groups) => (groups, 1),
        };
        recorder.dispatch(self.stage, pipeline, self.words, &buffers, groups).await
    }
}
