//! The rules of kernels that move elements of any type: borders, and elements that are gathered or written by indices.

use super::rules::Rules;
use crate::dialect::{Border, Gather, GatherElements, MAX_RANK, PadMode, Scatter, Strides};
use crate::evaluate::Data;

impl Rules<'_> {
    /// `kiln_pad`.
    pub fn border(&mut self, border: &Border) {
        self.moved(border.element_size);
        let padding = &border.padding;
        let lists = [&padding.sizes, &padding.before, &padding.after];
        let fits = lists
            .iter()
            .all(|list| list.0.len() as i64 == i64::from(padding.rank));
        let is_rank = (1..=MAX_RANK as i32).contains(&padding.rank);
        self.rule(fits && is_rank, || {
            format!(
                "{} axes; there are 1 to {MAX_RANK}, and lists are as long",
                padding.rank
            )
        });
        if !fits || !is_rank {
            return;
        }
        if border.mode == PadMode::Constant {
            let value = self.dtype("value");
            self.rule(value == self.dtype("input"), || {
                "the value is there, and of the input's type".to_owned()
            });
        }
        for axis in 0..padding.sizes.0.len() {
            let [size, before, after] = lists.map(|list| list.0[axis]);
            self.border_of_axis(border.mode, size, before, after);
        }
    }

    /// Along each axis the input has the elements that its border is made of.
    fn border_of_axis(&mut self, mode: PadMode, size: i32, before: i32, after: i32) {
        let whole = i64::from(size) + i64::from(before) + i64::from(after);
        self.rule((0..=i64::from(i32::MAX)).contains(&whole), || {
            format!("an axis of {size} with {before} in front and {after} behind")
        });
        let widest = before.max(after);
        let most = match mode {
            PadMode::Constant => i32::MAX,
            PadMode::Reflect => size - 1,
            PadMode::Replicate if size > 0 => i32::MAX,
            PadMode::Replicate | PadMode::Circular => size,
        };
        self.rule(widest <= 0 || widest <= most, || {
            format!("{before} in front and {after} behind an axis of {size} in mode {mode:?}")
        });
    }

    /// `kiln_gather`.
    pub fn gather(&mut self, gather: &Gather) {
        let dtypes = ["input", "output"].map(|slot| self.dtype(slot));
        self.rule(dtypes[0] == dtypes[1], || {
            "input and output are of different types".to_owned()
        });
        let sizes = [gather.outer, gather.n, gather.inner_bytes, gather.count];
        self.rule(sizes.iter().all(|&size| size >= 0), || {
            format!("sizes of {sizes:?}")
        });
        let element = dtypes[0].map_or(1, |dtype| dtype.bytes(1) as i32);
        self.rule(gather.inner_bytes % element == 0, || {
            format!("blocks of {} bytes", gather.inner_bytes)
        });
        for (slot, along) in [("input", gather.n), ("output", gather.count)] {
            let expected = [gather.outer, along, gather.inner_bytes].map(i64::from);
            let used = self.used(slot).map_or(0, |view| view.elements as i128);
            let found = used * i128::from(element);
            let bytes: i128 = expected.iter().map(|&size| i128::from(size)).product();
            self.rule(bytes == found && bytes <= i128::from(i32::MAX), || {
                format!("{slot} has {found} bytes, not {bytes}")
            });
        }
        self.indices(gather.n);
    }

    /// `kiln_gather_elements`.
    pub fn gather_elements(&mut self, gather: &GatherElements) {
        self.moved(gather.element_size);
        let strides = &gather.strides;
        if !self.axes(strides) {
            return;
        }
        self.reach("indices", strides, &strides.strides_2, 0);
        self.along("input", strides, gather.axis_size, gather.axis_stride);
        self.indices(gather.axis_size);
    }

    /// `kiln_scatter_*`.
    pub fn scatter(&mut self, scatter: &Scatter) {
        let (strides, source) = (&scatter.strides, &scatter.source_strides);
        self.rule(source.sizes == strides.sizes, || {
            "the source is of another size".to_owned()
        });
        if !self.axes(strides) || !self.axes(source) {
            return;
        }
        self.reach("indices", strides, &strides.strides_2, 0);
        self.reach("source", source, &source.strides_1, 0);
        self.along("output", strides, scatter.axis_size, scatter.axis_stride);
        self.indices(scatter.axis_size);
    }

    /// All places along an indexed axis lie in the buffer.
    fn along(&mut self, slot: &str, strides: &Strides, size: i32, stride: i32) {
        self.rule(size >= 0, || format!("an axis of {size}"));
        if size > 0 {
            let end = i64::from(size - 1) * i64::from(stride);
            for first in [0, i32::try_from(end).unwrap_or(i32::MAX)] {
                self.reach(slot, strides, &strides.strides_1, first);
            }
        }
    }

    /// Known indices lie within the axis. Others are checked in each run.
    fn indices(&mut self, size: i32) {
        let Some(Data::I32(indices)) = self.constant("indices") else {
            return;
        };
        let outside = indices.iter().find(|index| !(-size..size).contains(index));
        if let Some(index) = outside {
            self.found
                .push(format!("an index of {index} into an axis of {size}"));
        }
    }

    /// The elements of a slot that is a constant. `None` if its bytes are not those of its elements, which breaks another rule.
    pub(super) fn constant(&self, slot: &str) -> Option<Data> {
        let buffer = self.buffer(slot)?;
        let bytes = buffer.constant()?;
        (bytes.len() == buffer.bytes())
            .then(|| Data::of_bytes(buffer.dtype, buffer.elements, bytes))
    }
}
