//! Calls of ATen ops drawn from bytes, for every row of the import table.
//!
//! The table's schemas name their arguments but not the kinds of them. Those are learned: an argument of a wrong kind
//! is refused, and the refusal says which kind would do ([`Kinds`]). A drawn call then gives each argument what its
//! kind asks for, or something of any other kind.

use kiln_aten::kernel::Kernel;
use kiln_aten::{
    Arg, Call, Declared, ImportError, Importer, Kind, MemoryFormat, Number, NumberKind, Problem,
    Tensor, import_call, kernel_call, table,
};
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::{
    DType, Dim, Graph, Rewriter, Scalar, Symbol, TensorData, TensorType, ValueId, verify,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes as a source of choices; zeros behind their end.
pub struct Choices<'d> {
    bytes: &'d [u8],
}

impl<'d> Choices<'d> {
    /// Choices by these bytes.
    pub fn new(bytes: &'d [u8]) -> Choices<'d> {
        Choices { bytes }
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.bytes.split_first() else {
            return 0;
        };
        self.bytes = rest;
        first
    }

    /// A number below `count`, of which there are at most 2^16.
    pub fn below(&mut self, count: usize) -> usize {
        let high = if count > 256 { self.byte() } else { 0 };
        (usize::from(high) << 8 | usize::from(self.byte())) % count.max(1)
    }

    /// True once in `count` times; never behind the end of the bytes.
    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    /// One of the items.
    pub fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}

/// The kinds of an op's arguments, in the order of its schema. `None`: no call was refused for that argument.
pub type Kinds = Vec<Option<Kind>>;

/// What became of a drawn call.
pub struct Outcome {
    /// The results, or the refusal.
    pub result: Result<Vec<Arg>, ImportError>,
    /// What was called.
    pub call: Call,
    /// Nodes that were inserted.
    pub nodes: usize,
    /// Bytes of the constants that were made.
    pub constant_bytes: usize,
}

const DTYPES: [DType; 10] = [
    DType::F32,
    DType::I64,
    DType::Bool,
    DType::F64,
    DType::F16,
    DType::BF16,
    DType::I32,
    DType::I16,
    DType::I8,
    DType::U8,
];

const INTS: [i64; 20] = [
    1,
    0,
    2,
    -1,
    3,
    4,
    -2,
    5,
    -3,
    8,
    7,
    64,
    -7,
    1 << 20,
    1 << 31,
    1 << 40,
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
    -(1 << 33),
];

const FLOATS: [f64; 14] = [
    0.0,
    1.0,
    0.5,
    2.0,
    -1.0,
    -0.0,
    3.0,
    1e-5,
    1e30,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN_POSITIVE,
];

/// Words that some op takes, and such as none takes.
const WORDS: [&str; 34] = [
    "none",
    "mean",
    "sum",
    "floor",
    "trunc",
    "tanh",
    "constant",
    "reflect",
    "replicate",
    "circular",
    "linear",
    "lower",
    "higher",
    "nearest",
    "midpoint",
    "ij",
    "xy",
    "amax",
    "amin",
    "prod",
    "fro",
    "nuc",
    "ij,jk->ik",
    "i,i->",
    "...ij->...ji",
    "ii->i",
    "i,j",
    "->",
    "ij,ij",
    "i->ii",
    "...,...",
    "",
    "valid",
    "no such word",
];

/// What the tensors of a call have in common, so that they meet more often than not.
struct Style {
    dtype: DType,
    sizes: Vec<Dim>,
    /// All tensors have the same shape.
    is_uniform: bool,
    /// Every axis has the first size.
    is_cube: bool,
    rank: usize,
    /// Bound by an input, by an input, by a value, and by nothing yet.
    symbols: [Dim; 4],
}

/// The graph around one call.
struct Around<'c, 'd, 'g> {
    choices: &'c mut Choices<'d>,
    importer: Importer<'g>,
    style: Style,
}

impl Around<'_, '_, '_> {
    fn size(&mut self) -> Dim {
        if self.choices.once_in(24) {
            return Dim::constant(self.choices.of(&[1 << 20, 1 << 40, i64::MAX / 2, 17]));
        }
        if self.choices.once_in(12) {
            let symbol = self.choices.below(2);
            return self.style.symbols[symbol].clone();
        }
        Dim::constant(self.choices.of(&[2, 3, 1, 4, 6, 0, 5]))
    }

    fn shape(&mut self) -> Vec<Dim> {
        if self.style.is_uniform && !self.choices.once_in(16) {
            return self.style.sizes.clone();
        }
        let rank = match self.choices.below(3) {
            0 => self.choices.below(7),
            _ => self.style.rank,
        };
        if self.style.is_cube && !self.choices.once_in(16) {
            let size = self.style.sizes.first().cloned();
            return vec![size.unwrap_or(Dim::constant(2)); rank];
        }
        (0..rank)
            .map(|axis| match self.style.sizes.get(axis) {
                Some(size) if !self.choices.once_in(3) => size.clone(),
                _ => self.size(),
            })
            .collect()
    }

    fn tensor(&mut self) -> Tensor {
        let dtype = match self.choices.below(8) {
            6 => self.choices.of(&DTYPES),
            7 => DType::I64,
            _ => self.style.dtype,
        };
        let shape = self.shape();
        let known = |d: &Dim| usize::try_from(d.as_const()?).ok();
        let sizes: Option<Vec<usize>> = shape.iter().map(known).collect();
        let count = sizes
            .as_ref()
            .and_then(|s| s.iter().try_fold(1usize, |n, &size| n.checked_mul(size)));
        if let (Some(sizes), Some(..=64)) = (sizes, count)
            && self.choices.once_in(4)
        {
            let data = self.data(dtype, sizes);
            let place = kiln_ir::Place::End(self.importer.block());
            let rewriter = self.importer.rewriter();
            let value = rewriter.constant_value(place, "known", data);
            return self.importer.bind_ordered(value, Some(true));
        }
        let ty = TensorType::new(dtype, shape);
        let contiguous = self.choices.of(&[Some(true), Some(false), None]);
        let value = parameter(&mut self.importer, ty);
        self.importer.bind_ordered(value, contiguous)
    }

    fn data(&mut self, dtype: DType, sizes: Vec<usize>) -> TensorData {
        let count: usize = sizes.iter().product();
        let values: Vec<Scalar> = (0..count)
            .map(|_| match dtype.is_float() {
                true => Scalar::Float(self.choices.of(&FLOATS)),
                false => Scalar::Int(self.choices.of(&INTS)),
            })
            .collect();
        TensorData::from_scalars(dtype, sizes, values)
    }

    fn int(&mut self) -> Dim {
        if self.choices.once_in(10) {
            let symbol = self.choices.of(&self.style.symbols);
            return match self.choices.below(4) {
                0 => symbol,
                1 => &symbol - &Dim::constant(3),
                2 => &symbol * &Dim::constant(i64::MAX / 3),
                _ => &symbol * &symbol,
            };
        }
        match self.choices.below(4) {
            0 => Dim::constant(self.choices.of(&INTS)),
            _ => Dim::constant(self.choices.of(&INTS[..8])),
        }
    }

    fn ints(&mut self) -> Vec<Dim> {
        if self.choices.once_in(3) {
            return self.style.sizes.clone();
        }
        let length = self.length();
        (0..length).map(|_| self.int()).collect()
    }

    fn length(&mut self) -> usize {
        match self.choices.below(16) {
            15 => self.choices.of(&[64, 300]),
            14 => 8,
            few => few % 7,
        }
    }

    fn running(&mut self) -> Arg {
        let kind = self
            .choices
            .of(&[NumberKind::Int, NumberKind::Float, NumberKind::Bool]);
        let ty = TensorType::new(kind.dtype(), Vec::<Dim>::new());
        let value = parameter(&mut self.importer, ty);
        Arg::Number(Number { value, kind })
    }

    fn number(&mut self) -> Arg {
        match self.choices.below(6) {
            0 | 1 => Arg::Float(self.choices.of(&FLOATS)),
            2 => Arg::Bool(self.choices.once_in(2)),
            _ => Arg::Int(self.int()),
        }
    }

    fn tensors(&mut self) -> Vec<Tensor> {
        let length = self.length();
        (0..length).map(|_| self.tensor()).collect()
    }

    /// An argument of that kind.
    fn of_kind(&mut self, kind: Kind) -> Arg {
        match kind {
            Kind::Tensor => Arg::Tensor(self.tensor()),
            Kind::Tensors => match self.choices.below(4) {
                0 => {
                    let length = self.length();
                    let one = |_| (!self.choices.once_in(4)).then(|| self.tensor());
                    Arg::OptionalTensors((0..length).map(one).collect())
                }
                _ => Arg::Tensors(self.tensors()),
            },
            Kind::Operand => match self.choices.below(3) {
                0 => self.number(),
                1 if self.choices.once_in(8) => self.running(),
                _ => Arg::Tensor(self.tensor()),
            },
            Kind::Number => self.number(),
            Kind::Bool => Arg::Bool(self.choices.once_in(2)),
            Kind::Text => Arg::Str(self.choices.of(&WORDS).to_string()),
            Kind::DType => Arg::DType(self.choices.of(&DTYPES)),
            Kind::Int => Arg::Int(self.int()),
            Kind::KnownInt => match self.choices.once_in(6) {
                true => Arg::Int(self.int()),
                false => Arg::Int(Dim::constant(self.choices.of(&INTS[..8]))),
            },
            Kind::Ints => Arg::Ints(self.ints()),
            Kind::KnownInts | Kind::Spatial => match self.choices.once_in(6) {
                true => Arg::Ints(self.ints()),
                false => {
                    let length = self.choices.of(&[1, 2, 3, 1, 4, 0]);
                    let one = |_| Dim::constant(self.choices.of(&INTS[..6]));
                    Arg::Ints((0..length).map(one).collect())
                }
            },
        }
    }

    /// An argument that was refused as nothing yet.
    fn of_no_kind(&mut self) -> Arg {
        match self.choices.below(4) {
            0 => Arg::Tensor(self.tensor()),
            1 => self.number(),
            _ => Arg::None,
        }
    }

    /// An argument of any kind.
    fn any(&mut self) -> Arg {
        match self.choices.below(18) {
            0 | 1 => Arg::Tensor(self.tensor()),
            2 => Arg::Tensors(self.tensors()),
            3 => self.of_kind(Kind::Tensors),
            4 => Arg::None,
            5 => Arg::Int(self.int()),
            6 => Arg::Float(self.choices.of(&FLOATS)),
            7 => Arg::Bool(self.choices.once_in(2)),
            8 => Arg::Ints(self.ints()),
            9 => {
                let length = self.length();
                Arg::Floats((0..length).map(|_| self.choices.of(&FLOATS)).collect())
            }
            10 => {
                let length = self.length();
                Arg::Bools((0..length).map(|_| self.choices.once_in(2)).collect())
            }
            11 => Arg::Str(self.choices.of(&WORDS).to_string()),
            12 => Arg::DType(self.choices.of(&DTYPES)),
            13 => Arg::MemoryFormat(self.choices.of(&[
                MemoryFormat::Contiguous,
                MemoryFormat::ChannelsLast,
                MemoryFormat::ChannelsLast3d,
                MemoryFormat::Preserve,
            ])),
            14 => Arg::Ignored,
            15 => self.running(),
            16 => {
                let (real, imaginary) = (self.tensor(), self.tensor());
                Arg::Complex { real, imaginary }
            }
            _ => Arg::Tensor(self.tensor()),
        }
    }

    fn declared(&mut self) -> Vec<Declared> {
        if !self.choices.once_in(6) {
            return Vec::new();
        }
        let count = self.choices.below(4);
        let mut declared = Vec::new();
        for _ in 0..count {
            let ty = TensorType::new(self.style.dtype, self.shape());
            declared.push(match self.choices.below(6) {
                0 => Declared::Tensor {
                    ty,
                    contiguous: self.choices.of(&[None, Some(true), Some(false)]),
                },
                1 => Declared::Tensors(vec![ty.clone(), ty]),
                2 => Declared::Int(Some(self.style.symbols[3].clone())),
                3 => Declared::Int(None),
                4 => Declared::Float,
                _ => Declared::Unknown,
            });
        }
        declared
    }
}

/// Draws the arguments of a kernel's call by position, as a program gives them, and imports what it computes.
///
/// # Panics
/// As [`call`].
#[allow(dead_code, reason = "only fuzzing calls kernels")]
pub fn kernel(
    kernel: &Kernel,
    kinds: &BTreeMap<&'static str, Kinds>,
    choices: &mut Choices<'_>,
) -> Outcome {
    let none = Kinds::new();
    let kinds = kinds.get(kernel.target).unwrap_or(&none);
    let names = table::lookup(kernel.target).map_or(Vec::new(), |_| names_of(kernel.target));
    drawn(choices, |around| {
        let mut args = Vec::new();
        for name in kernel.inputs() {
            let position = names.iter().position(|n| *n == name);
            let kind = position.and_then(|at| *kinds.get(at)?);
            args.push(match (around.choices.below(16), kind) {
                (15, _) => around.any(),
                (14, _) => Arg::None,
                (_, Some(Kind::DType)) => Arg::Int(around.int()),
                (_, Some(kind)) => around.of_kind(kind),
                (_, None) => around.of_no_kind(),
            });
        }
        let out = around
            .choices
            .once_in(2)
            .then(|| around.choices.of(&DTYPES));
        kernel_call(kernel.key, &args, out).unwrap_or_else(|_| Call {
            target: kernel.key.into(),
            node: "kernel call".into(),
            args: Vec::new(),
            declared: Vec::new(),
        })
    })
}

/// Draws arguments for the call of `target`, of which the arguments are called `names`, imports it and reads its results.
///
/// # Panics
/// If the importer does, or if the graph of an accepted call is broken.
pub fn call(target: &str, names: &[&str], kinds: &Kinds, choices: &mut Choices<'_>) -> Outcome {
    drawn(choices, |around| {
        let mut args = Vec::new();
        let is_hostile = around.choices.once_in(2);
        for (i, name) in names.iter().enumerate() {
            let kind = kinds.get(i).copied().flatten();
            let mischief = match is_hostile {
                true => around.choices.below(12),
                false => 0,
            };
            let arg = match (mischief, kind) {
                (11, _) => around.any(),
                (10, _) => Arg::None,
                // Left out: the default, where there is one.
                (9, _) => continue,
                (8, Some(Kind::Tensor | Kind::Tensors | Kind::Operand)) => around.number(),
                (8, Some(_)) => Arg::Tensor(around.tensor()),
                (_, Some(kind)) => around.of_kind(kind),
                (_, None) => around.of_no_kind(),
            };
            args.push((name.to_string(), arg));
        }
        if is_hostile && around.choices.once_in(20) {
            let surplus = around.any();
            args.push((String::new(), surplus));
        }
        Call {
            target: target.into(),
            node: "drawn".into(),
            args,
            declared: around.declared(),
        }
    })
}

/// Learns what kinds of arguments an op takes, from its refusals of calls drawn by `choices`.
fn learn(target: &str, kinds: &mut Kinds, choices: &mut Choices<'_>) {
    let entry = table::lookup(target).expect("the table has its targets");
    let parameters = &entry.schema.parameters;
    let defaults: Vec<bool> = parameters.iter().map(|p| p.default.is_some()).collect();
    let names = names_of(target);
    kinds.resize(names.len(), None);
    let wrong = choices.below(names.len() + 1);
    let outcome = drawn(choices, |around| {
        let mut args = Vec::new();
        for (i, name) in names.iter().enumerate() {
            args.push(match kinds[i] {
                _ if i == wrong => (name.to_string(), Arg::Ignored),
                Some(kind) => (name.to_string(), around.of_kind(kind)),
                None if defaults[i] && around.choices.once_in(2) => continue,
                None => (name.to_string(), around.of_no_kind()),
            });
        }
        Call {
            target: target.into(),
            node: "learned".into(),
            args,
            declared: Vec::new(),
        }
    });
    if let Err(ImportError {
        problem: Problem::Argument { name, expected, .. },
        ..
    }) = outcome.result
        && let Some(at) = names.iter().position(|n| *n == name)
    {
        // Of two kinds the narrower one, which was found where the wider one was given.
        let is_wide = matches!(expected, Kind::Operand | Kind::Int | Kind::Ints);
        if !is_wide || kinds[at].is_none() {
            kinds[at] = Some(expected);
        }
    }
}

/// The kinds of each target in the table, in its order.
pub fn kinds_of_all() -> BTreeMap<&'static str, Kinds> {
    let mut all = BTreeMap::new();
    for target in table::targets() {
        let names = names_of(target);
        let mut kinds = Kinds::new();
        for seed in 0..12 * names.len() {
            let bytes = random_bytes(seed as u64, 256);
            learn(target, &mut kinds, &mut Choices::new(&bytes));
        }
        all.insert(target, kinds);
    }
    all
}

/// The names of the arguments of a target in the table.
pub fn names_of(target: &str) -> Vec<&'static str> {
    let entry = table::lookup(target).expect("the table has its targets");
    entry.schema.parameters.iter().map(|p| p.name).collect()
}

/// Bytes from a seed.
pub fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    // SplitMix64.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let words = std::iter::repeat_with(|| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    });
    words.flat_map(u64::to_le_bytes).take(count).collect()
}

fn drawn(choices: &mut Choices<'_>, make: impl FnOnce(&mut Around<'_, '_, '_>) -> Call) -> Outcome {
    let mut graph = Graph::new("drawn");
    let root = graph.root();
    let mut importer = Importer::new(Rewriter::new(&mut graph), root);
    let symbols = [
        ("s0", 2, Some(64)),
        ("s1", 0, None),
        ("u0", -3, None),
        ("u1", 0, Some(1 << 20)),
    ];
    let symbols = symbols.map(|(name, min, max)| {
        let symbol = Symbol {
            name: name.into(),
            min,
            max,
            hint: None,
        };
        let id = importer.rewriter().add_symbol(symbol);
        Dim::symbol(id)
    });
    let dtype = match choices.below(3) {
        0 => choices.of(&DTYPES),
        _ => DType::F32,
    };
    let (is_uniform, is_cube) = choices.of(&[(true, false), (false, true), (false, false)]);
    let rank = choices.of(&[2, 3, 4, 1, 0, 5, 6]);
    let mut around = Around {
        choices,
        importer,
        style: Style {
            dtype,
            sizes: Vec::new(),
            is_uniform: false,
            is_cube: false,
            rank,
            symbols,
        },
    };
    around.style.sizes = (0..rank).map(|_| around.size()).collect();
    (around.style.is_uniform, around.style.is_cube) = (is_uniform, is_cube);
    // What an input binds, a call may use.
    let bound = around.style.symbols[..2].to_vec();
    let ty = TensorType::new(DType::F32, bound);
    let value = parameter(&mut around.importer, ty);
    around.importer.bind(value);
    bind(&mut around.importer, &around.style.symbols[2]);
    let call = make(&mut around);
    let mut importer = around.importer;
    let result = import_call(&mut importer, &call);
    let is_complete = result.as_ref().is_ok_and(|results| {
        let results = results.iter().flat_map(tensors_of);
        let values: Option<Vec<ValueId>> = results.map(|t| importer.current(t).ok()).collect();
        values.is_some_and(|values| {
            give(&mut importer, values);
            true
        })
    });
    drop(importer);
    if is_complete && let Err(faults) = verify::verify(&graph) {
        panic!("{call:?} makes a broken graph: {faults:?}");
    }
    Outcome {
        call,
        result,
        nodes: graph.node_count(),
        constant_bytes: graph.constants().map(|(_, c)| c.data.bytes().len()).sum(),
    }
}

/// A value of an input becomes the symbol's.
fn bind(importer: &mut Importer<'_>, symbol: &Dim) {
    let ty = TensorType::new(DType::I64, Vec::<Dim>::new());
    let value = parameter(importer, ty);
    let symbol = symbol.as_symbol().expect("a dim of a symbol alone");
    let place = kiln_ir::Place::End(importer.block());
    let rewriter = importer.rewriter();
    rewriter
        .insert(place, kiln_ir::ops::BindSymbol { symbol }, &[value])
        .expect("an integer binds a symbol");
    importer.bind_symbol(symbol);
}

/// A new input of the graph.
pub fn parameter(importer: &mut Importer<'_>, ty: TensorType) -> ValueId {
    let name: Arc<str> = "x".into();
    let (block, rank) = (importer.block(), ty.rank() as u8);
    let rewriter = importer.rewriter();
    rewriter.signature().inputs.push(InputSpec::Tensor {
        name: name.clone(),
        dim_order: (0..rank).collect(),
    });
    rewriter.add_param(block, ty, Some(name))
}

/// The values become the outputs of the graph.
pub fn give(importer: &mut Importer<'_>, values: Vec<ValueId>) {
    let block = importer.block();
    let rewriter = importer.rewriter();
    rewriter.signature().outputs = vec![OutputSpec::TENSOR; values.len()];
    rewriter.set_results(block, values);
}

/// The tensors of a result.
pub fn tensors_of(arg: &Arg) -> Vec<Tensor> {
    match arg {
        Arg::Tensor(t) => vec![*t],
        Arg::Complex { real, imaginary } => vec![*real, *imaginary],
        Arg::Tensors(list) => list.clone(),
        _ => Vec::new(),
    }
}
