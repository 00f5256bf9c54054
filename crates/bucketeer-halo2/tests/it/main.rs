//! Every point type, against its own library and against double-and-add.

mod cases;
mod device;
mod resident;
mod versions;
