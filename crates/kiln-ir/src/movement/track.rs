//! Where the axes went.

use super::{Factor, Movement};

/// A place in the result that holds a factor of a source axis, or the unit axis that it became.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The result axis.
    pub axis: usize,
    /// The place among the factors of that axis, 0 being the outermost.
    pub position: usize,
    /// The factor; `None` for a unit axis.
    pub factor: Option<Factor>,
}

impl Movement {
    /// Where each factor of source axis `axis` went, outermost factor first. A unit axis has one
    /// place, or none when it is known only to be gone or to be one of several.
    ///
    /// # Panics
    /// If the source has no such axis.
    pub fn track(&self, axis: usize) -> Vec<Place> {
        if self.source[axis].is_empty() {
            let unit = self.tracked_unit(axis).map(|axis| Place {
                axis,
                position: 0,
                factor: None,
            });
            return unit.into_iter().collect();
        }
        self.source[axis].iter().map(|&f| self.place(f)).collect()
    }

    /// Where the result holds `factor`.
    ///
    /// # Panics
    /// If the factor is of a movement with more factors.
    pub fn place(&self, factor: Factor) -> Place {
        let found = self.result.iter().enumerate().find_map(|(axis, factors)| {
            let position = factors.iter().position(|&f| f == factor)?;
            Some(Place {
                axis,
                position,
                factor: Some(factor),
            })
        });
        found.expect("every factor is in the result")
    }

    /// The result axis that is all of source axis `axis` and nothing else, if there is one. For a unit
    /// axis: the one that it is known to have become.
    ///
    /// # Panics
    /// If the source has no such axis.
    pub fn is_axis_kept(&self, axis: usize) -> Option<usize> {
        match self.source[axis].as_slice() {
            [] => self.tracked_unit(axis),
            [factor] => {
                let place = self.place(*factor);
                (self.result[place.axis].len() == 1).then_some(place.axis)
            }
            _ => None,
        }
    }

    /// For an op that treats source axis `axis` specially and runs in parallel over the others: the
    /// result axis that it may treat so instead. As [`Movement::is_axis_kept`], and unit axes whose
    /// fate is not known pair up in order, since one is as good as another; different source axes
    /// get different result axes.
    ///
    /// # Panics
    /// If the source has no such axis.
    pub fn through(&self, axis: usize) -> Option<usize> {
        if !self.source[axis].is_empty() || self.tracked_unit(axis).is_some() {
            return self.is_axis_kept(axis);
        }
        let loose = |axis: &usize| self.tracked_unit(*axis).is_none();
        let earlier = (0..axis)
            .filter(|&a| self.source[a].is_empty())
            .filter(loose)
            .count();
        let taken = |axis: usize| self.units.iter().any(|&(_, to)| to as usize == axis);
        (0..self.result.len())
            .filter(|&to| self.result[to].is_empty() && !taken(to))
            .nth(earlier)
    }

    fn tracked_unit(&self, axis: usize) -> Option<usize> {
        let found = self.units.iter().find(|&&(from, _)| from as usize == axis);
        found.map(|&(_, to)| to as usize)
    }
}
