//! Quantisation parameters: those that calls chose from data, and zero points that weights share.
//!
//! A program chooses parameters, quantises with them and dequantises in three calls. If all three are about the same tensor, the
//! dequantised tensor is its fake quantisation.

use kiln_ir::{DynamicQuant, ValueId};
use std::collections::HashMap;
use std::sync::Arc;

/// A tensor, and how parameters were chosen from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) x: ValueId,
    pub(crate) zero_point: ValueId,
    pub(crate) quant: DynamicQuant,
}

/// A layer of integers, as far as the calls have built it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum IntegerLayer {
    /// Dequantised rows times integers: the scales of the weights are missing.
    Product { rows: ValueId, integers: ValueId },
    /// Dequantised rows times dequantised weights, which have a row for each channel: a bias may follow.
    Layer { rows: ValueId, weight: ValueId },
}

/// Choices by their scales, and by the integers that were quantised with them; and products and layers of integers.
#[derive(Default)]
pub(crate) struct Chosen {
    scales: HashMap<ValueId, Choice>,
    integers: HashMap<ValueId, (ValueId, Choice)>,
    products: HashMap<ValueId, [ValueId; 2]>,
    layers: HashMap<ValueId, IntegerLayer>,
}

impl Chosen {
    /// Notes the parameters that were chosen from a tensor.
    pub(crate) fn note_scale(&mut self, scale: ValueId, choice: Choice) {
        self.scales.insert(scale, choice);
    }

    /// The choice of this scale and zero point.
    pub(crate) fn choice(&self, scale: ValueId, zero_point: Option<ValueId>) -> Option<Choice> {
        let found = self.scales.get(&scale)?;
        // A symmetric choice has a zero point of 0, which calls may leave out.
        zero_point
            .is_none_or(|z| z == found.zero_point)
            .then_some(*found)
    }

    /// Notes the integers that a tensor was quantised to.
    pub(crate) fn note_integers(&mut self, integers: ValueId, scale: ValueId, choice: Choice) {
        self.integers.insert(integers, (scale, choice));
    }

    /// The choice behind integers that are dequantised with this scale.
    pub(crate) fn behind(&self, integers: ValueId, scale: ValueId) -> Option<Choice> {
        let (own, choice) = self.integers.get(&integers)?;
        (*own == scale).then_some(*choice)
    }

    /// Notes a product of matrices of integers.
    pub(crate) fn note_product(&mut self, product: ValueId, factors: [ValueId; 2]) {
        self.products.insert(product, factors);
    }

    /// The factors of a product of matrices of integers.
    pub(crate) fn product(&self, product: ValueId) -> Option<[ValueId; 2]> {
        self.products.get(&product).copied()
    }

    /// Notes the result of a layer of integers with constant parameters.
    pub(crate) fn note_layer(&mut self, result: ValueId, layer: IntegerLayer) {
        self.layers.insert(result, layer);
    }

    /// The layer of integers of which a value is the result.
    pub(crate) fn layer(&self, result: ValueId) -> Option<IntegerLayer> {
        self.layers.get(&result).copied()
    }
}

/// Zero points by their number. Nearly all weights are quantised about 0, and one of groups has a zero point for each: equal ones
/// share their memory.
#[derive(Default)]
pub(crate) struct ZeroPoints(HashMap<usize, Arc<[i64]>>);

impl ZeroPoints {
    /// The zero points, in memory that equal ones share.
    pub(crate) fn shared(&mut self, zero_points: Vec<i64>) -> Arc<[i64]> {
        let known = self.0.get(&zero_points.len());
        if let Some(known) = known.filter(|known| ***known == *zero_points) {
            return known.clone();
        }
        let zero_points: Arc<[i64]> = zero_points.into();
        self.0.insert(zero_points.len(), zero_points.clone());
        zero_points
    }
}
