//! Random calls of Kiln's own kernels, and of what the library's suite lacks.

mod floats;
mod integers;
mod library;
mod moves;

use crate::trial::Trial;
use half::{bf16, f16};
use kiln_cortex_m::dialect::{
    Access, Buffer, BufferId, Dims, Dtype, Family, Function, Parameters, Program, Role, Slot,
    Strides, Tile,
};
use kiln_cortex_m::evaluate::Data;

/// Numbers by SplitMix64.
pub struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From the first number to the last.
    fn within(&mut self, least: i32, most: i32) -> i32 {
        let count = (i64::from(most) - i64::from(least) + 1) as u64;
        (i64::from(least) + (self.next() % count) as i64) as i32
    }

    fn flip(&mut self) -> bool {
        self.next().is_multiple_of(2)
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.within(0, of.len() as i32 - 1) as usize]
    }

    /// A float between -1 and 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Any float: usual ones, whole ones and halves, all bits, and those with a name.
    fn float(&mut self) -> f32 {
        const NAMED: [f32; 12] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            f32::MAX,
            f32::MIN_POSITIVE,
            -1e-45,
            16_777_217.0,
            -2_147_483_648.0,
        ];
        match self.within(0, 9) {
            0..5 => self.tame(),
            5 => 100.0 * self.unit(),
            6 => self.within(-40, 40) as f32 / 2.0,
            7 => self.one(&NAMED),
            _ => f32::from_bits(self.next() as u32),
        }
    }

    /// A usual float.
    fn tame(&mut self) -> f32 {
        4.0 * self.unit() * self.unit()
    }

    /// Elements of any value; floats are usual ones where many are added up.
    fn data(&mut self, dtype: Dtype, count: usize, is_tame: bool) -> Data {
        let of = 0..count;
        match dtype {
            Dtype::I4 => unreachable!("no kernel of Kiln's own takes 4 bits"),
            Dtype::I8 => Data::I8(of.map(|_| self.next() as i8).collect()),
            Dtype::U8 => Data::U8(of.map(|_| self.next() as u8).collect()),
            Dtype::I16 => Data::I16(of.map(|_| self.next() as i16).collect()),
            Dtype::I32 => Data::I32(of.map(|_| (self.next() as i32) >> self.shift()).collect()),
            Dtype::I64 => Data::I64(of.map(|_| (self.next() as i64) >> self.shift()).collect()),
            Dtype::F16 => Data::F16(of.map(|_| f16::from_bits(self.next() as u16)).collect()),
            Dtype::Bf16 => Data::Bf16(of.map(|_| bf16::from_bits(self.next() as u16)).collect()),
            Dtype::F32 if is_tame => Data::F32(of.map(|_| self.tame()).collect()),
            Dtype::F32 => Data::F32(of.map(|_| self.float()).collect()),
        }
    }

    fn shift(&mut self) -> i32 {
        self.one(&[0, 8, 24, 28])
    }

    fn sizes(&mut self, most_axes: i32) -> Vec<i32> {
        let rank = self.within(1, most_axes);
        (0..rank).map(|_| self.within(1, 5)).collect()
    }

    /// Strides over all elements of a tensor whose axes lie in any order, some of which are repeated; and how many elements it has.
    fn strides(&mut self, sizes: &[i32]) -> (Vec<i32>, usize) {
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        if self.flip() {
            order.rotate_left(self.within(0, sizes.len() as i32 - 1) as usize);
        }
        let repeats = self.within(0, 2) == 0;
        let mut strides = vec![0; sizes.len()];
        let mut elements = 1;
        for axis in order.into_iter().rev() {
            if !(repeats && self.flip()) {
                strides[axis] = elements;
                elements *= sizes[axis];
            }
        }
        (strides, elements as usize)
    }

    /// Strides of two tensors, and how many elements these have.
    fn pair(&mut self, sizes: &[i32]) -> (Strides, [usize; 2]) {
        let (first, one) = self.strides(sizes);
        let (second, two) = self.strides(sizes);
        (Strides::new(sizes, &first, &second), [one, two])
    }

    fn tile(&mut self, least: i32, most: i32) -> Tile {
        Tile {
            w: self.within(least, most),
            h: self.within(least, most),
        }
    }

    fn dims(&mut self, channels: i32) -> Dims {
        [
            self.within(1, 2),
            self.within(1, 6),
            self.within(1, 6),
            channels,
        ]
        .into()
    }
}

/// A call before its buffers are made.
struct Draw {
    parameters: Parameters,
    /// What slots hold whose size or whose elements are not any.
    held: Vec<(&'static str, Data)>,
    /// How many elements slots have whose size is any.
    counts: Vec<(&'static str, usize)>,
    /// Null pointers.
    absent: Vec<&'static str>,
    /// The type of what is moved.
    moved: Option<Dtype>,
    is_tame: bool,
}

impl Draw {
    fn of(parameters: impl Into<Parameters>) -> Draw {
        Draw {
            parameters: parameters.into(),
            held: Vec::new(),
            counts: Vec::new(),
            absent: Vec::new(),
            moved: None,
            is_tame: false,
        }
    }

    /// Two operands of so many elements.
    fn operands(mut self, [one, two]: [usize; 2]) -> Draw {
        self.counts = vec![("input_1", one), ("input_2", two)];
        self
    }

    fn with(mut self, slot: &'static str, data: Data) -> Draw {
        self.held.push((slot, data));
        self
    }

    fn tame(mut self) -> Draw {
        self.is_tame = true;
        self
    }

    fn optional(mut self, dice: &mut Dice, slots: &[&'static str]) -> Draw {
        self.absent = slots.iter().copied().filter(|_| dice.flip()).collect();
        self
    }
}

impl Draw {
    /// The type and the number of a slot's elements, and these themselves if they are not any.
    fn content(&mut self, slot: &Slot) -> (Dtype, usize, Option<Data>) {
        if let Some(place) = self.held.iter().position(|(name, _)| *name == slot.name) {
            let data = self.held.swap_remove(place).1;
            return (data.dtype(), data.len(), Some(data));
        }
        let dtype = match slot.dtypes {
            [one] => *one,
            _ => self.moved.unwrap(),
        };
        let count = self.counts.iter().find(|(name, _)| *name == slot.name);
        let elements = match count {
            Some((_, count)) => *count,
            None => slot.extent.elements(&self.parameters).unwrap().0,
        };
        (dtype, elements, None)
    }
}

/// The range of integers that results of a function may have.
fn range(function: Function) -> (i32, i32) {
    let slot = function
        .row()
        .slots
        .iter()
        .find(|slot| slot.access != Access::Read);
    let (least, most) = slot.unwrap().dtypes[0].range().unwrap();
    (least as i32, most as i32)
}

fn draw(function: Function, dice: &mut Dice) -> Option<Draw> {
    Some(match function.row().family {
        Family::Add if function == Function::KilnAddSameS8 => integers::draw(function, dice),
        Family::Requantise
        | Family::Table
        | Family::Broadcast
        | Family::BroadcastMinMax
        | Family::AxisSum
        | Family::AxisMean
        | Family::AxisSoftmax
        | Family::CountedPool
        | Family::DilatedPool
        | Family::Resize
        | Family::Integers => integers::draw(function, dice),
        Family::Copy
        | Family::Border
        | Family::Gather
        | Family::GatherElements
        | Family::Scatter
        | Family::Select
        | Family::Cast => moves::draw(function, dice),
        _ if function.name().starts_with("kiln_") => floats::draw(function, dice),
        _ => return library::draw(function, dice),
    })
}

/// Random calls of each kernel of Kiln's own, and of what was not recorded.
pub fn trials(calls: u64, recorded: &[Trial]) -> Vec<Trial> {
    let is_recorded = |function| recorded.iter().any(|trial| trial.function == function);
    let own = Function::ALL.iter().filter(|f| !is_recorded(**f));
    own.flat_map(|&function| {
        (0..calls).filter_map(move |i| {
            let mut dice = Dice(function as u64 * 1_000_003 + i);
            Some(trial(function, draw(function, &mut dice)?, &mut dice, i))
        })
    })
    .collect()
}

fn trial(function: Function, mut drawn: Draw, dice: &mut Dice, i: u64) -> Trial {
    let row = function.row();
    let mut program = Program::default();
    let mut inputs = Vec::new();
    let mut buffers: Vec<Option<BufferId>> = Vec::new();
    // In every second call the result takes the place of an operand that may be lost.
    let lost = row.overwritable.first().filter(|_| i % 2 == 1);
    let lost = lost.and_then(|name| row.slot(name));
    for (place, slot) in row.slots.iter().enumerate() {
        if drawn.absent.contains(&slot.name) {
            buffers.push(None);
            continue;
        }
        let (dtype, elements, held) = drawn.content(slot);
        let replaced = lost.and_then(|lost| *buffers.get(lost)?);
        let replaced = replaced.filter(|&id| {
            let buffer = program.buffer(id).unwrap();
            slot.access == Access::Write && (buffer.dtype, buffer.elements) == (dtype, elements)
        });
        if replaced.is_some() {
            buffers.push(replaced);
            continue;
        }
        let mut data = || {
            held.clone()
                .unwrap_or_else(|| dice.data(dtype, elements, drawn.is_tame))
        };
        let role = match slot.access {
            Access::Part => Role::State(data().bytes().into()),
            Access::Read if lost == Some(place) => Role::State(data().bytes().into()),
            Access::Update => Role::State(data().bytes().into()),
            Access::Read => {
                inputs.push(data());
                Role::Input
            }
            Access::Write => Role::Output,
        };
        let buffer = Buffer::new(slot.name, dtype, elements, role);
        buffers.push(Some(program.add(buffer)));
    }
    program.call(function, drawn.parameters, &buffers);
    Trial::evaluated(format!("{}, {i}", function.name()), &program, &inputs)
}
