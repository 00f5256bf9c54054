//! The forms of points and scalars as bytes, by their names in JavaScript.

use bucketeer::packed::Representation;

use crate::failure::Failure;

/// The forms, in the order in which an error lists them.
const FORMS: [(&str, Representation); 3] = [
    ("little-endian", Representation::LittleEndian),
    ("big-endian", Representation::BigEndian),
    ("montgomery", Representation::Montgomery),
];

/// The form with this name.
pub(crate) fn named(name: &str) -> Result<Representation, Failure> {
    let found = FORMS.iter().find(|(own, _)| *own == name).map(|(_, form)| *form);
    found.ok_or_else(|| {
        let names = FORMS.map(|(own, _)| own).join(", ");
        Failure::Input(format!("unknown form \"{name}\": expected one of {names}"))
    })
}
