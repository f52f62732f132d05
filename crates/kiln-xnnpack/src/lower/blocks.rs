//! Transposed convolutions with a stride, as decoders of segmentation networks and generators have them, by blocks of outputs.
//!
//! Each place of the image adds to blocks of outputs as large as the stride. So a convolution gives a block for each place,
//! `[n, h, w, bh * bw * o]`, or a few convolutions each give a part of it ([`super::block_parts`]). The blocks are put side by side, and the
//! padding of the transposed convolution cuts the border off. The library's own transposed convolution goes through the image once for each
//! output of a block, in kernels for one or two rows, and in groups it computes one group after the other.

use super::block_parts::{Axis, Part, parts};
use super::product::Image;
use super::short_runs::RUN;
use super::slices::Range;
use super::tensors::Tensors;
use super::{Lowering, Problem};
use crate::payload::{ConvKind, ValueId as Tensor};
use crate::rates::RATES;
use kiln_ir::{Dim, TensorData};

/// A transposed convolution by blocks.
pub(super) struct Blocks {
    /// What makes the blocks.
    pub(super) parts: Vec<Part>,
    axes: [Axis; 2],
    groups: i64,
}

/// The most dims of a tensor that the library transposes.
const MOST_DIMS: usize = 6;

/// What a node of a payload takes beside its elements, in nanoseconds (measured).
const NODE: f64 = 500.0;

/// The library computes at least as many output channels of a place at once.
const LANES: f64 = 8.0;

/// What puts blocks side by side.
struct Movements {
    /// How often all blocks are moved.
    results: u32,
    nodes: u32,
    /// The runs of joins, for each block.
    runs: u32,
}

impl Blocks {
    /// `None` for another convolution, if outputs have no taps, or if blocks would be one element.
    fn of(image: &Image) -> Option<Blocks> {
        let params = &image.params;
        let has_channels = params.group_input_channels > 0 && params.group_output_channels > 0;
        if image.kind != ConvKind::Transposed || params.stride == [1, 1] || !has_channels {
            return None;
        }
        let axes = [Axis::of(params, 0)?, Axis::of(params, 1)?];
        let parts = parts(image, &axes)?;
        // Each group has a part of each channel, so parts of several convolutions would have to be sorted.
        (params.groups == 1 || parts.len() == 1).then_some(Blocks {
            parts,
            axes,
            groups: params.groups.into(),
        })
    }

    /// The height and the width of a block.
    fn sizes(&self) -> [i64; 2] {
        [0, 1].map(|axis| self.axes[axis].stride.into())
    }

    /// The dims of the blocks of `output`, as the convolution gives them, each with its place where blocks are side by side. `None` if sizes
    /// are not known.
    fn dims(&self, output: &[Dim]) -> Option<Vec<(Dim, usize)>> {
        let [height, width] = self.whole(output)?;
        let [rows, columns] = self.sizes();
        let groups = self.groups;
        let outputs = output[3].as_const()? / groups;
        let (h, w) = (height / rows, width / columns);
        let images = match output[0].as_const() {
            Some(n) => vec![((n * h).into(), 0)],
            None => vec![(output[0].clone(), 0), (h.into(), 1)],
        };
        let places = match groups {
            1 => vec![(w, 3), (rows, 2), (columns * outputs, 4)],
            _ => vec![(w, 3), (groups, 5), (rows, 2), (columns, 4), (outputs, 6)],
        };
        let places = places.into_iter().map(|(size, to)| (size.into(), to));
        let all = images.into_iter().chain(places);
        Some(all.filter(|(dim, _)| !dim.is(1)).collect())
    }

    /// True if blocks take less time than the library's own transposed convolution, by measured rates, and for groups, which take several
    /// times as long there. Few channels give less than the movements take, and an image of few places makes mostly border: one of a single
    /// place took 1.35 of the time (512 channels). `None` if sizes are not known.
    fn pays(&self, image: &Image, is_integer: bool, output: &[Dim]) -> Option<bool> {
        if self.groups > 1 {
            return Some(true);
        }
        let area = |[height, width]: [i64; 2]| height as f64 * width as f64;
        let (kept, whole) = (
            area([output[1].as_const()?, output[2].as_const()?]),
            area(self.whole(output)?),
        );
        let images = output[0].as_const().unwrap_or(1) as f64;
        let channels = output[3].as_const()? as f64;
        let taps = f64::from(image.params.kernel[0]) * f64::from(image.params.kernel[1]);
        let of_output = taps / area(self.sizes()) * f64::from(image.params.group_input_channels);
        let of_place = images * of_output * (channels / LANES).ceil() * LANES;
        let saved = of_place * (kept * RATES.transposed - whole * RATES.product);
        let movements = self.movements(output)?;
        let moved = f64::from(movements.results) * images * whole * channels * RATES.element;
        // Of elements and products, integers take as much less.
        let scale = match is_integer {
            true => RATES.integer_product / RATES.product,
            false => 1.0,
        };
        let runs = images * whole / area(self.sizes()) * f64::from(movements.runs);
        let nodes = self.parts.len() as f64 - 1.0 + f64::from(movements.nodes);
        Some((saved - moved) * scale > runs * RUN + nodes * NODE)
    }

    /// What puts the blocks of `output` side by side; `None` if its sizes are not known.
    fn movements(&self, output: &[Dim]) -> Option<Movements> {
        let places = self.dims(output)?.into_iter().map(|(_, to)| to);
        let is_turned = !places.is_sorted();
        let is_cut = self.axes.iter().any(|axis| axis.cuts != [0; 2]);
        let [rows, columns] = [0, 1].map(|axis| self.axes[axis].bands.len() as u32);
        // The joins of whole_blocks(): at once, or of columns and then of rows.
        let is_at_once = self.parts.iter().all(|part| part.rows == 1);
        let (joins, nodes, runs) = match (rows, columns, is_at_once) {
            (1, 1, _) => (0, 0, 0),
            (_, _, true) => (1, 1, rows * columns),
            (1, ..) => (1, 1, self.axes[0].stride * columns),
            (_, 1, _) => (1, 1, rows),
            _ => (2, 1 + rows, self.axes[0].stride * columns + rows),
        };
        let others = u32::from(is_turned) + u32::from(is_cut);
        Some(Movements {
            results: joins + others,
            nodes: nodes + others,
            runs,
        })
    }

    /// The height and the width of all blocks side by side, of which `output` is a part; `None` if they are not known.
    fn whole(&self, output: &[Dim]) -> Option<[i64; 2]> {
        let [_, height, width, _] = output else {
            return None;
        };
        let cut = |axis: &Axis| axis.cuts.iter().map(|&n| i64::from(n)).sum::<i64>();
        let [rows, columns] = [cut(&self.axes[0]), cut(&self.axes[1])];
        Some([height.as_const()? + rows, width.as_const()? + columns])
    }
}

impl Part {
    /// A list for the output channels of the transposed convolution, for those of the part. Each group has outputs of its own.
    pub(super) fn for_all_taps<T: Copy>(&self, list: &[T]) -> Vec<T> {
        let of_group = (list.len() / self.image.params.groups as usize).max(1);
        let groups = list.chunks(of_group);
        let times = (self.rows * self.columns) as usize;
        groups.flat_map(|group| group.repeat(times)).collect()
    }

    /// The bias of all taps.
    pub(super) fn bias(&self, bias: &TensorData) -> Option<TensorData> {
        let elements: Vec<&[u8]> = bias.bytes().chunks(bias.dtype().size()).collect();
        let all = self.for_all_taps(&elements);
        TensorData::new(bias.dtype(), vec![all.len()], all.concat().into()).ok()
    }
}

impl Lowering<'_> {
    /// The blocks of which a convolution's `output`, `[n, height, width, channels]`, is made, if that takes less time.
    pub(super) fn blocks(&self, image: &Image, output: Tensor) -> Option<Blocks> {
        let blocks = Blocks::of(image)?;
        let is_integer = self.tensors.datatype(output).bits() == 8;
        let output = self.tensors.dims(output);
        let fits = blocks.dims(output)?.len() <= MOST_DIMS;
        (fits && blocks.pays(image, is_integer, output)?).then_some(blocks)
    }

    /// Computes `output` by blocks. `conv` adds the convolution that makes a part of them.
    ///
    /// # Errors
    /// Those of `conv`, or if the sizes of `output` are not known.
    pub(super) fn in_blocks(
        &mut self,
        of: &Blocks,
        output: Tensor,
        mut conv: impl FnMut(&mut Self, &Part, Tensor) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let mut made = Vec::with_capacity(of.parts.len());
        for part in &of.parts {
            let tensor = self.tensors.add_part(of, part, output)?;
            conv(self, part, tensor)?;
            made.push(tensor);
        }
        let blocks = self.tensors.whole_blocks(of, &made);
        self.tensors.push_blocks(blocks, of, output)
    }
}

impl Tensors<'_> {
    /// A tensor for a part of the blocks of `output`, as the convolution gives it.
    fn add_part(&mut self, of: &Blocks, part: &Part, output: Tensor) -> Result<Tensor, Problem> {
        let dims = self.dims(output);
        let [height, width] = of.whole(dims).ok_or(UNKNOWN)?;
        let [rows, columns] = of.sizes();
        let of_block = i64::from(part.rows) * i64::from(part.columns);
        let channels = dims[3].as_const().ok_or(UNKNOWN)? * of_block;
        let [h, w, c] = [height / rows, width / columns, channels].map(Dim::constant);
        let (elements, images) = (self.elements(output), dims[0].clone());
        Ok(self.add(elements, vec![images, h, w, c]))
    }

    /// Joins parts to blocks, `[n, h, w, bh * bw * o]`.
    fn whole_blocks(&mut self, of: &Blocks, made: &[Tensor]) -> Tensor {
        let columns = of.axes[1].bands.len();
        if of.parts.iter().all(|part| part.rows == 1) {
            return self.join(made, CHANNELS);
        }
        let mut bands = Vec::new();
        for (tensors, parts) in made.chunks(columns).zip(of.parts.chunks(columns)) {
            let rows = i64::from(parts[0].rows);
            bands.push(match tensors {
                [only] => *only,
                _ => self.join_columns(tensors, rows),
            });
        }
        self.join(&bands, CHANNELS)
    }

    /// Joins parts of some rows of blocks, `[n, h, w, rows * columns * o]`, along the columns.
    fn join_columns(&mut self, parts: &[Tensor], rows: i64) -> Tensor {
        let place = self.dims(parts[0])[..CHANNELS].to_vec();
        let split = |own: &mut Self, part: Tensor| {
            let row = own.dims(part)[CHANNELS].as_const().unwrap_or(0) / rows;
            let dims = place.iter().cloned().chain([rows.into(), row.into()]);
            own.reshape(part, &dims.collect::<Vec<Dim>>())
        };
        let parts: Vec<Tensor> = parts.iter().map(|&part| split(self, part)).collect();
        let joined = self.join(&parts, CHANNELS + 1);
        let row = self.dims(joined)[CHANNELS + 1].as_const().unwrap_or(0);
        let dims = place.iter().cloned().chain([(rows * row).into()]);
        self.reshape(joined, &dims.collect::<Vec<Dim>>())
    }

    /// Puts blocks side by side into `output`, without what is cut off.
    ///
    /// # Errors
    /// If the sizes of `output` are not known.
    fn push_blocks(&mut self, blocks: Tensor, of: &Blocks, output: Tensor) -> Result<(), Problem> {
        let dims = self.dims(output).to_vec();
        let (split, places): (Vec<Dim>, Vec<usize>) =
            of.dims(&dims).ok_or(UNKNOWN)?.into_iter().unzip();
        let mut order: Vec<usize> = (0..split.len()).collect();
        order.sort_by_key(|&at| places[at]);
        // Rows of blocks of one row follow each other already.
        let side_by_side = match order.is_sorted() {
            true => blocks,
            false => {
                let split = self.reshape(blocks, &split);
                self.transpose(split, &order)
            }
        };
        let cuts = [0, 1].map(|axis: usize| of.axes[axis].cuts);
        if cuts == [[0; 2]; 2] {
            self.push_reshape(side_by_side, output);
            return Ok(());
        }
        let [height, width] = of.whole(&dims).ok_or(UNKNOWN)?.map(Dim::constant);
        let all = [dims[0].clone(), height, width, dims[3].clone()];
        let input = self.reshape(side_by_side, &all);
        let range = |axis: usize| {
            let (dim, start) = (axis + 1, i64::from(cuts[axis][0]));
            let len = dims[dim].as_const()?;
            Some(Range { dim, start, len })
        };
        let ranges = [range(0).ok_or(UNKNOWN)?, range(1).ok_or(UNKNOWN)?];
        self.push_slice(input, output, &ranges);
        Ok(())
    }
}

const UNKNOWN: &str = "blocks of an unknown size";

/// The dim of the channels.
const CHANNELS: usize = 3;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::super::block_parts::tests::transposed;
    use super::*;

    #[test]
    fn groups_have_outputs_of_their_own() {
        let mut image = transposed([1, 2], [1, 2], [1, 4]);
        (image.params.groups, image.params.group_output_channels) = (2, 2);
        let blocks = Blocks::of(&image).unwrap();
        let found = blocks.parts[0].for_all_taps(&['a', 'b', 'c', 'd']);
        assert_eq!(found, ['a', 'b', 'a', 'b', 'c', 'd', 'c', 'd']);
        let dims = blocks.dims(&[1, 3, 8, 4].map(Dim::constant)).unwrap();
        let found: Vec<_> = dims.iter().map(|(dim, to)| (dim.as_const(), *to)).collect();
        let size = Some;
        let (rows, groups) = ((size(3), 0), (size(2), 5));
        assert_eq!(
            found,
            [rows, (size(4), 3), groups, (size(2), 4), (size(2), 6)]
        );
    }

    #[test]
    fn other_convolutions_have_no_blocks() {
        let is_made = |image: Image| Blocks::of(&image).is_some();
        assert!(is_made(transposed([4, 3], [2, 2], [3, 4])));
        assert!(!is_made(transposed([3, 3], [1, 1], [3, 4])));
        let mut convolution = transposed([2, 2], [2, 2], [3, 4]);
        convolution.kind = ConvKind::Conv2d;
        assert!(!is_made(convolution));
        // Bands of groups.
        let mut grouped = transposed([4, 3], [2, 2], [3, 4]);
        (grouped.params.groups, grouped.params.group_output_channels) = (2, 2);
        assert!(!is_made(grouped));
    }
}
