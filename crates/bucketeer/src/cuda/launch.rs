//! Launching kernels: each kernel is a structure of its parameters, declared with [`kernels!`] in
//! the file of its stage.
//!
//! The declaration also yields the kernel's CUDA prototype, which stands before the kernels when
//! they are compiled: a definition with other parameters does not compile.

use std::marker::PhantomData;

use super::driver::Address;
use crate::gpu::interface::{Bias, Record};

/// Declares kernels: `Structure = "kernel" in Source(parameters)`.
macro_rules! kernels {
    ($($(#[$meta:meta])* $kernel:ident = $name:literal in $source:ident
        ($($parameter:ident: $type:ty),* $(,)?))*) => {
        $(
            $(#[$meta])*
            pub(super) struct $kernel {
                $(pub $parameter: $type),*
            }

            impl $kernel {
                /// Puts a launch into a stream.
                pub(super) fn launch(
                    &self,
                    stream: &$crate::cuda::driver::Stream,
                    program: &$crate::cuda::program::Program,
                    grid: $crate::cuda::launch::Grid,
                ) -> Result<(), $crate::Error> {
                    let kernel = Self::kernel(program)?;
                    // Pointers to the fields, in the order and types of the prototype.
                    stream.launch(kernel, grid, &mut [
                        $(std::ptr::from_ref(&self.$parameter).cast_mut().cast()),*
                    ])
                }

                fn kernel(
                    program: &$crate::cuda::program::Program,
                ) -> Result<$crate::cuda::driver::Kernel, $crate::Error> {
                    program.kernel($crate::cuda::program::Source::$source, $name)
                }
            }
        )*

        /// The prototypes of this stage's kernels.
        pub(super) fn prototypes() -> String {
            let mut out = String::new();
            $(
                let parameters: &[(String, &str)] = &[$((
                    <$type as $crate::cuda::launch::Parameter>::in_cuda(),
                    stringify!($parameter),
                )),*];
                out += &$crate::cuda::launch::prototype($name, parameters);
            )*
            out
        }
    };
}
pub(super) use kernels;

/// The prototype of a kernel.
pub(super) fn prototype(name: &str, parameters: &[(String, &str)]) -> String {
    let parameter = |(type_, own): &(String, &str)| match type_.strip_suffix('*') {
        Some(element) => format!("{element}*{own}"),
        None => format!("{type_} {own}"),
    };
    let parameters: Vec<_> = parameters.iter().map(parameter).collect();
    format!("extern \"C\" __global__ void {name}({});\n", parameters.join(", "))
}

/// What can be passed to a kernel: a type with the same bytes in Rust and CUDA.
pub(super) trait Parameter {
    /// The type's name in CUDA.
    fn in_cuda() -> String;
}

/// What a pointer can point to.
pub(super) trait Element {
    /// The type's name in CUDA.
    const NAME: &'static str;
}

impl Element for u8 {
    const NAME: &'static str = "unsigned char";
}

impl Element for u32 {
    const NAME: &'static str = "u32";
}

impl Element for u64 {
    const NAME: &'static str = "u64";
}

impl<R: Record> Element for R {
    const NAME: &'static str = R::NAME;
}

impl Parameter for u32 {
    fn in_cuda() -> String {
        "u32".into()
    }
}

impl Parameter for u64 {
    fn in_cuda() -> String {
        "u64".into()
    }
}

impl Parameter for Bias {
    fn in_cuda() -> String {
        "Bias".into()
    }
}

/// The address of elements on the device.
#[repr(transparent)]
pub(super) struct Pointer<T> {
    address: Address,
    element: PhantomData<T>,
}

impl<T> Clone for Pointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Pointer<T> {}

impl<T> Pointer<T> {
    pub(super) fn new(address: Address) -> Self {
        Self { address, element: PhantomData }
    }

    pub(super) fn address(self) -> Address {
        self.address
    }

    /// The same address, of elements of another type.
    pub(super) fn cast<U>(self) -> Pointer<U> {
        Pointer::new(self.address)
    }

    /// The address of the element with this index.
    pub(super) fn at(self, index: u64) -> Self {
        Self::new(self.address + index * size_of::<T>() as u64)
    }
}

/// A pointer that a kernel reads from.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct In<T>(Pointer<T>);

/// A pointer that a kernel writes to.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Out<T>(Pointer<T>);

impl<T> From<Pointer<T>> for In<T> {
    fn from(pointer: Pointer<T>) -> Self {
        Self(pointer)
    }
}

impl<T> From<Pointer<T>> for Out<T> {
    fn from(pointer: Pointer<T>) -> Self {
        Self(pointer)
    }
}

impl<T: Element> Parameter for In<T> {
    fn in_cuda() -> String {
        format!("const {} *", T::NAME)
    }
}

impl<T: Element> Parameter for Out<T> {
    fn in_cuda() -> String {
        format!("{} *", T::NAME)
    }
}

/// The threads of a launch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub blocks: u64,
    pub threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
}

impl Grid {
    pub(super) fn new(blocks: u64, threads: u32) -> Self {
        Self { blocks, threads, shared: 0 }
    }

    /// A thread for each item.
    pub(super) fn per_item(items: u64, threads: u32) -> Self {
        Self::new(items.div_ceil(threads.into()), threads)
    }

    pub(super) fn shared(self, bytes: u32) -> Self {
        Self { shared: bytes, ..self }
    }

    /// At most `blocks` blocks, whose threads then take several items each.
    pub(super) fn at_most(self, blocks: u64) -> Self {
        Self { blocks: self.blocks.min(blocks), ..self }
    }
}
