//! Quantised networks as programs, from their published layers, with pseudo-random weights.

use bytes::Bytes;
use kiln_cortex_m::dialect::*;

/// Pseudo-random numbers (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    pub fn bytes(&mut self, count: usize) -> Vec<i8> {
        (0..count).map(|_| self.below(256) as u8 as i8).collect()
    }
}

/// A map: its buffer and its sizes.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    pub id: BufferId,
    pub h: i32,
    pub w: i32,
    pub c: i32,
}

/// A window.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub size: [i32; 2],
    pub stride: i32,
    pub padding: [i32; 2],
}

impl Window {
    pub fn square(size: i32, stride: i32) -> Window {
        Window {
            size: [size; 2],
            stride,
            padding: [size / 2; 2],
        }
    }

    fn of(self, height: i32, width: i32) -> [i32; 2] {
        let one = |axis: usize, size: i32| {
            (size + 2 * self.padding[axis] - self.size[axis]) / self.stride + 1
        };
        [one(0, height), one(1, width)]
    }
}

/// A network under construction.
pub struct Net {
    pub program: Program,
    /// The type of maps: integers of 8 bits or of 16.
    pub dtype: Dtype,
    pub random: Random,
    pub build: Build,
}

const OFFSET: i32 = 3;

fn tile([h, w]: [i32; 2]) -> Tile {
    Tile { w, h }
}

const RANGE: Activation = Activation {
    min: -128,
    max: 127,
};

impl Net {
    pub fn new(build: Build, seed: u64) -> Net {
        Net {
            program: Program::default(),
            dtype: Dtype::I8,
            random: Random(seed),
            build,
        }
    }

    fn name(&self, what: &str) -> String {
        format!("{what}{}", self.program.buffers.len())
    }

    pub fn buffer(&mut self, what: &str, elements: i32, role: Role) -> BufferId {
        let name = self.name(what);
        self.program
            .add(Buffer::new(name, Dtype::I8, elements as usize, role))
    }

    pub fn input(&mut self, h: i32, w: i32, c: i32) -> Map {
        self.map_of("input", [h, w, c], Role::Input)
    }

    fn map(&mut self, h: i32, w: i32, c: i32) -> Map {
        self.map_of("map", [h, w, c], Role::Temporary)
    }

    fn map_of(&mut self, what: &str, [h, w, c]: [i32; 3], role: Role) -> Map {
        let id = self.buffer(what, h * w * c, role);
        self.program.buffers[id.index()].dtype = self.dtype;
        Map { id, h, w, c }
    }

    /// Less the zero point, which is 0 with 16 bits.
    fn offset(&self) -> i32 {
        if self.dtype == Dtype::I8 { OFFSET } else { 0 }
    }

    fn range(&self) -> Activation {
        let (min, max) = self.dtype.range().expect("integers");
        Activation {
            min: min as i32,
            max: max as i32,
        }
    }

    pub fn output(&mut self, map: Map) {
        self.program.buffers[map.id.index()].role = Role::Output;
    }

    fn weights(&mut self, count: i32) -> (BufferId, Vec<i8>) {
        let weights = self.random.bytes(count as usize);
        let bytes: Vec<u8> = weights.iter().map(|&w| w as u8).collect();
        let id = self.buffer("weights", count, Role::Constant(Bytes::from(bytes)));
        (id, weights)
    }

    fn integers(&mut self, what: &str, values: &[i32]) -> BufferId {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let name = self.name(what);
        self.program.add(Buffer::new(
            name,
            Dtype::I32,
            values.len(),
            Role::Constant(Bytes::from(bytes)),
        ))
    }

    fn bias(&mut self, channels: i32) -> (BufferId, Vec<i32>) {
        let values: Vec<i32> = (0..channels)
            .map(|_| self.random.below(4001) as i32 - 2000)
            .collect();
        (self.integers("bias", &values), values)
    }

    /// Factors that keep sums of random products within the range, more or less.
    fn factors(&mut self, channels: i32, taps: i32) -> PerChannel {
        let shift = -5 - (f64::from(taps).sqrt().log2().round() as i32);
        PerChannel {
            multiplier: (0..channels)
                .map(|_| (1 << 30) + self.random.below(1 << 30) as i32)
                .collect(),
            shift: vec![shift; channels as usize].into(),
        }
    }

    pub fn conv(&mut self, x: Map, channels: i32, window: Window) -> Map {
        let [h, w] = window.of(x.h, x.w);
        let [kh, kw] = window.size;
        let (weights, _) = self.weights(channels * kh * kw * x.c);
        let (bias, _) = self.bias(channels);
        let out = self.map(h, w, channels);
        let conv = Conv {
            conv_params: ConvParams {
                input_offset: self.offset(),
                output_offset: -self.offset(),
                stride: tile([window.stride; 2]),
                padding: tile(window.padding),
                dilation: tile([1, 1]),
                activation: self.range(),
            },
            quant_params: self.factors(channels, kh * kw * x.c),
            input_dims: [1, x.h, x.w, x.c].into(),
            filter_dims: [channels, kh, kw, x.c].into(),
            bias_dims: [1, 1, 1, channels].into(),
            bias_data: (self.dtype == Dtype::I16).then_some(BiasData {
                is_int32_bias: true,
            }),
            output_dims: [1, h, w, channels].into(),
        };
        let layer = self.name("conv");
        let slots = [Some(x.id), Some(weights), Some(bias), Some(out.id)];
        let function = match self.dtype {
            Dtype::I16 => Function::ConvolveWrapperS16,
            _ => Function::ConvolveWrapperS8,
        };
        self.program.call(function, conv, &slots).layer = layer;
        out
    }

    pub fn depthwise(&mut self, x: Map, window: Window) -> Map {
        let [h, w] = window.of(x.h, x.w);
        let [kh, kw] = window.size;
        let (weights, _) = self.weights(kh * kw * x.c);
        let (bias, _) = self.bias(x.c);
        let out = self.map(h, w, x.c);
        let conv = Depthwise {
            dw_conv_params: DwConvParams {
                input_offset: OFFSET,
                output_offset: -OFFSET,
                ch_mult: 1,
                stride: tile([window.stride; 2]),
                padding: tile(window.padding),
                dilation: tile([1, 1]),
                activation: RANGE,
            },
            quant_params: self.factors(x.c, kh * kw),
            input_dims: [1, x.h, x.w, x.c].into(),
            filter_dims: [1, kh, kw, x.c].into(),
            bias_dims: [1, 1, 1, x.c].into(),
            output_dims: [1, h, w, x.c].into(),
        };
        let layer = self.name("depthwise");
        let slots = [Some(x.id), Some(weights), Some(bias), Some(out.id)];
        self.program
            .call(Function::DepthwiseConvWrapperS8, conv, &slots)
            .layer = layer;
        out
    }

    pub fn pool(&mut self, x: Map, window: Window, function: Function) -> Map {
        let [h, w] = window.of(x.h, x.w);
        let out = self.map(h, w, x.c);
        let pool = Pool {
            pool_params: PoolParams {
                stride: tile([window.stride; 2]),
                padding: tile(window.padding),
                activation: RANGE,
            },
            input_dims: [1, x.h, x.w, x.c].into(),
            filter_dims: [1, window.size[0], window.size[1], 1].into(),
            output_dims: [1, h, w, x.c].into(),
        };
        let layer = self.name("pool");
        self.program
            .call(function, pool, &[Some(x.id), Some(out.id)])
            .layer = layer;
        out
    }

    pub fn global_pool(&mut self, x: Map) -> Map {
        let window = Window {
            size: [x.h, x.w],
            stride: 1,
            padding: [0, 0],
        };
        self.pool(x, window, Function::AvgpoolS8)
    }

    pub fn add(&mut self, x: Map, y: Map) -> Map {
        let out = self.map(x.h, x.w, x.c);
        let add = Add {
            input_1_offset: self.offset(),
            input_1_mult: 1 << 30,
            input_2_offset: self.offset(),
            input_2_mult: 1 << 30,
            left_shift: if self.dtype == Dtype::I8 { 20 } else { 14 },
            out_offset: -self.offset(),
            out_mult: 1 << 30,
            out_shift: if self.dtype == Dtype::I8 { -18 } else { -12 },
            out_activation_min: self.range().min,
            out_activation_max: self.range().max,
            block_size: x.h * x.w * x.c,
            ..Add::default()
        };
        let layer = self.name("add");
        self.program
            .call(
                if self.dtype == Dtype::I8 {
                    Function::ElementwiseAddS8
                } else {
                    Function::ElementwiseAddS16
                },
                add,
                &[Some(x.id), Some(y.id), Some(out.id)],
            )
            .layer = layer;
        out
    }

    pub fn table(&mut self, x: Map) -> Map {
        let (table, _) = self.weights(256);
        let out = self.map(x.h, x.w, x.c);
        let table_of = Table {
            size: x.h * x.w * x.c,
        };
        let layer = self.name("table");
        self.program
            .call(
                Function::KilnTableS8,
                table_of,
                &[Some(table), Some(x.id), Some(out.id)],
            )
            .layer = layer;
        out
    }

    pub fn linear(&mut self, x: Map, outputs: i32) -> Map {
        let inputs = x.h * x.w * x.c;
        let (weights, values) = self.weights(inputs * outputs);
        let (bias, biases) = self.bias(outputs);
        let sums: Vec<i32> = values
            .chunks(inputs as usize)
            .zip(&biases)
            .map(|(row, bias)| bias + OFFSET * row.iter().map(|&w| i32::from(w)).sum::<i32>())
            .collect();
        let is_mve = self.build == Build::Mve;
        let sums = is_mve.then(|| self.integers("sums", &sums));
        let out = self.map(1, 1, outputs);
        let layer = FullyConnected {
            fc_params: FcParams {
                input_offset: OFFSET,
                filter_offset: 0,
                output_offset: -OFFSET,
                activation: RANGE,
            },
            quant_params: FcQuant::Tensor(PerTensor {
                multiplier: 1 << 30,
                shift: -10,
            }),
            input_dims: [1, 1, 1, inputs].into(),
            filter_dims: [inputs, 1, 1, outputs].into(),
            bias_dims: [1, 1, 1, outputs].into(),
            output_dims: [1, 1, 1, outputs].into(),
        };
        let slots = [Some(x.id), Some(weights), Some(bias), Some(out.id), sums];
        let name = self.name("linear");
        self.program
            .call(Function::FullyConnectedS8, layer, &slots)
            .layer = name;
        out
    }
}

/// A random chain of layers with windows, sums with earlier maps, and tables. Some maps are outputs too.
pub fn random_chain(build: Build, seed: u64) -> Program {
    let mut net = Net::new(build, seed);
    let is_wide = net.random.below(4) == 0;
    net.dtype = if is_wide { Dtype::I16 } else { Dtype::I8 };
    let mut size = |most: usize| 1 + net.random.below(most) as i32;
    let [h, w, c] = [3 + size(20), size(6), size(8)];
    let mut maps = vec![net.input(h, w, c)];
    for _ in 0..2 + net.random.below(6) {
        let x = maps[maps.len() - 1];
        let earlier = maps
            .iter()
            .rev()
            .skip(1)
            .find(|m| (m.h, m.w, m.c) == (x.h, x.w, x.c));
        let earlier = earlier.copied();
        let next = net.random_layer(x, earlier);
        maps.push(next);
    }
    let last = maps[maps.len() - 1];
    net.output(last);
    if maps.len() > 3 && net.random.below(4) == 0 {
        net.output(maps[maps.len() / 2]);
    }
    net.program
}

impl Net {
    fn random_layer(&mut self, x: Map, earlier: Option<Map>) -> Map {
        let size = [
            1 + self.random.below(4) as i32,
            1 + self.random.below(3) as i32,
        ];
        let window = Window {
            size: [size[0].min(x.h), size[1].min(x.w)],
            stride: 1 + self.random.below(2) as i32,
            padding: [
                self.random.below(size[0] as usize) as i32,
                self.random.below(size[1] as usize) as i32,
            ],
        };
        let fits = |w: Window| {
            w.of(x.h, x.w).iter().all(|&size| size > 0)
                && w.padding[0] < w.size[0]
                && w.padding[1] < w.size[1]
        };
        let plain = Window::square(1, 1);
        let window = if fits(window) { window } else { plain };
        let is_wide = self.dtype == Dtype::I16;
        match self.random.below(8) {
            0 if !is_wide => self.depthwise(x, window),
            1 if !is_wide => self.depthwise(x, Window::square(3, 1)),
            2 if !is_wide => self.pool(x, window, Function::MaxPoolS8),
            3 if !is_wide => self.pool(x, window, Function::AvgpoolS8),
            4 if !is_wide => self.table(x),
            5 => self.conv(x, x.c, Window::square(3, 1)),
            6 => match earlier {
                Some(earlier) => self.add(earlier, x),
                None => self.conv(x, x.c, plain),
            },
            _ => {
                let channels = 1 + self.random.below(9) as i32;
                self.conv(x, channels, window)
            }
        }
    }
}

fn finish(mut net: Net, last: Map) -> Program {
    net.output(last);
    net.program
}

pub fn ds_cnn(build: Build) -> Program {
    let mut net = Net::new(build, 1);
    let x = net.input(49, 10, 1);
    let mut x = net.conv(
        x,
        64,
        Window {
            size: [10, 4],
            stride: 2,
            padding: [5, 1],
        },
    );
    for _ in 0..4 {
        x = net.depthwise(x, Window::square(3, 1));
        x = net.conv(x, 64, Window::square(1, 1));
    }
    let x = net.global_pool(x);
    let x = net.linear(x, 12);
    finish(net, x)
}

pub fn resnet8(build: Build) -> Program {
    let mut net = Net::new(build, 2);
    let x = net.input(32, 32, 3);
    let mut x = net.conv(x, 16, Window::square(3, 1));
    for (channels, stride) in [(16, 1), (32, 2), (64, 2)] {
        let y = net.conv(x, channels, Window::square(3, stride));
        let y = net.conv(y, channels, Window::square(3, 1));
        let skip = if stride == 1 {
            x
        } else {
            net.conv(x, channels, Window::square(1, stride))
        };
        x = net.add(skip, y);
    }
    let x = net.global_pool(x);
    let x = net.linear(x, 10);
    finish(net, x)
}

pub fn mobilenet_v1(build: Build) -> Program {
    let mut net = Net::new(build, 3);
    let x = net.input(96, 96, 3);
    let mut x = net.conv(x, 8, Window::square(3, 2));
    let layers = [
        (1, 16),
        (2, 32),
        (1, 32),
        (2, 64),
        (1, 64),
        (2, 128),
        (1, 128),
        (1, 128),
        (1, 128),
        (1, 128),
        (1, 128),
        (2, 256),
        (1, 256),
    ];
    for (stride, channels) in layers {
        x = net.depthwise(x, Window::square(3, stride));
        x = net.conv(x, channels, Window::square(1, 1));
    }
    let x = net.global_pool(x);
    let x = net.linear(x, 2);
    finish(net, x)
}

pub fn mobilenet_v2(build: Build) -> Program {
    let mut net = Net::new(build, 4);
    let x = net.input(96, 96, 3);
    let mut x = net.conv(x, 8, Window::square(3, 2));
    let stages = [
        (1, 8, 1, 1),
        (6, 8, 2, 2),
        (6, 8, 3, 2),
        (6, 16, 4, 2),
        (6, 24, 3, 1),
        (6, 40, 3, 2),
        (6, 80, 1, 1),
    ];
    for (factor, channels, blocks, stride) in stages {
        for block in 0..blocks {
            let stride = if block == 0 { stride } else { 1 };
            let inside = if factor == 1 {
                x
            } else {
                net.conv(x, x.c * factor, Window::square(1, 1))
            };
            let inside = net.depthwise(inside, Window::square(3, stride));
            let out = net.conv(inside, channels, Window::square(1, 1));
            x = if stride == 1 && channels == x.c {
                net.add(x, out)
            } else {
                out
            };
        }
    }
    let x = net.conv(x, 320, Window::square(1, 1));
    let x = net.global_pool(x);
    let x = net.linear(x, 2);
    finish(net, x)
}

pub fn autoencoder(build: Build) -> Program {
    let mut net = Net::new(build, 5);
    let mut x = net.input(1, 1, 640);
    for outputs in [128, 128, 128, 128, 8, 128, 128, 128, 128, 640] {
        x = net.linear(x, outputs);
    }
    finish(net, x)
}
