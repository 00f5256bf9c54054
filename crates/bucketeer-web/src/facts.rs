//! What JavaScript needs to know of a curve to write its points as bytes, and the names there are.

use bucketeer::Model;
use bucketeer::curves::CURVES;
use bucketeer::random::Distribution;
use wasm_bindgen::prelude::*;

use crate::curves;

/// Facts of one curve. Integers are decimal strings.
#[wasm_bindgen(getter_with_clone)]
pub struct CurveFacts {
    /// Full name.
    pub name: String,
    /// Short name, where there is one.
    pub alias: Option<String>,
    /// Bytes of one component of a coordinate.
    #[wasm_bindgen(js_name = componentBytes)]
    pub component_bytes: usize,
    /// Components of a coordinate: 1, or 2 over a quadratic extension.
    pub components: usize,
    /// Bytes of a scalar.
    #[wasm_bindgen(js_name = scalarBytes)]
    pub scalar_bytes: usize,
    /// Whether (0, 1) is the neutral element, and no bytes stand for infinity.
    pub edwards: bool,
    /// The base field's characteristic.
    pub modulus: String,
    /// The group order.
    pub order: String,
}

/// Facts of the curve with this name or alias.
#[wasm_bindgen(js_name = curveFacts)]
pub fn curve_facts(name: &str) -> Result<CurveFacts, JsValue> {
    let any = curves::named(name)?;
    let (curve, spec, layout) = (any.named(), any.spec(), any.layout());
    Ok(CurveFacts {
        name: curve.name.into(),
        alias: curve.alias.map(Into::into),
        component_bytes: layout.component,
        components: layout.components,
        scalar_bytes: layout.scalar,
        edwards: matches!(spec.model, Model::TwistedEdwards { .. }),
        modulus: spec.modulus.to_string(),
        order: spec.order.to_string(),
    })
}

/// The full names of all curves.
#[wasm_bindgen(js_name = curveNames)]
pub fn curve_names() -> Vec<String> {
    CURVES.iter().map(|curve| curve.name.into()).collect()
}

/// The names of all kinds of scalars that can be generated.
#[wasm_bindgen(js_name = distributionNames)]
pub fn distribution_names() -> Vec<String> {
    Distribution::ALL.iter().map(|(name, _)| (*name).into()).collect()
}
