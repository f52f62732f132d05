pub use root::*;

const _: () = ::planus::check_version_compatibility("planus-1.3.0");

/// The root namespace
///
/// Generated from these locations:
/// * File `schema/tosa.fbs`
#[no_implicit_prelude]
#[allow(clippy::needless_lifetimes)]
mod root {
    /// The namespace `tosa`
    ///
    /// Generated from these locations:
    /// * File `schema/tosa.fbs`
    pub mod tosa {
        /// The enum `ResizeMode` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Enum `ResizeMode` in the file `schema/tosa.fbs:19`
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum ResizeMode {
            /// The variant `UNKNOWN` in the enum `ResizeMode`
            Unknown = 0,

            /// The variant `NEAREST` in the enum `ResizeMode`
            Nearest = 1,

            /// The variant `BILINEAR` in the enum `ResizeMode`
            Bilinear = 2,
        }

        impl ResizeMode {
            /// Array containing all valid variants of ResizeMode
            pub const ENUM_VALUES: [Self; 3] = [Self::Unknown, Self::Nearest, Self::Bilinear];
        }

        impl ::core::convert::TryFrom<u32> for ResizeMode {
            type Error = ::planus::errors::UnknownEnumTagKind;
            #[inline]
            fn try_from(
                value: u32,
            ) -> ::core::result::Result<Self, ::planus::errors::UnknownEnumTagKind> {
                #[allow(clippy::match_single_binding)]
                match value {
                    0 => ::core::result::Result::Ok(ResizeMode::Unknown),
                    1 => ::core::result::Result::Ok(ResizeMode::Nearest),
                    2 => ::core::result::Result::Ok(ResizeMode::Bilinear),

                    _ => ::core::result::Result::Err(::planus::errors::UnknownEnumTagKind {
                        tag: value as i128,
                    }),
                }
            }
        }

        impl ::core::convert::From<ResizeMode> for u32 {
            #[inline]
            fn from(value: ResizeMode) -> Self {
                value as u32
            }
        }

        /// # Safety
        /// The Planus compiler correctly calculates `ALIGNMENT` and `SIZE`.
        unsafe impl ::planus::Primitive for ResizeMode {
            const ALIGNMENT: usize = 4;
            const SIZE: usize = 4;
        }

        impl ::planus::WriteAsPrimitive<ResizeMode> for ResizeMode {
            #[inline]
            fn write<const N: usize>(&self, cursor: ::planus::Cursor<'_, N>, buffer_position: u32) {
                (*self as u32).write(cursor, buffer_position);
            }
        }

        impl ::planus::WriteAs<ResizeMode> for ResizeMode {
            type Prepared = Self;

            #[inline]
            fn prepare(&self, _builder: &mut ::planus::Builder) -> ResizeMode {
                *self
            }
        }

        impl ::planus::WriteAsDefault<ResizeMode, ResizeMode> for ResizeMode {
            type Prepared = Self;

            #[inline]
            fn prepare(
                &self,
                _builder: &mut ::planus::Builder,
                default: &ResizeMode,
            ) -> ::core::option::Option<ResizeMode> {
                if self == default {
                    ::core::option::Option::None
                } else {
                    ::core::option::Option::Some(*self)
                }
            }
        }

        impl ::planus::WriteAsOptional<ResizeMode> for ResizeMode {
            type Prepared = Self;

            #[inline]
            fn prepare(
                &self,
                _builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<ResizeMode> {
                ::core::option::Option::Some(*self)
            }
        }

        impl<'buf> ::planus::TableRead<'buf> for ResizeMode {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'buf>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                let n: u32 = ::planus::TableRead::from_buffer(buffer, offset)?;
                ::core::result::Result::Ok(::core::convert::TryInto::try_into(n)?)
            }
        }

        impl<'buf> ::planus::VectorReadInner<'buf> for ResizeMode {
            type Error = ::planus::errors::UnknownEnumTag;
            const STRIDE: usize = 4;
            #[inline]
            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'buf>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::UnknownEnumTag> {
                let value = unsafe { <u32 as ::planus::VectorRead>::from_buffer(buffer, offset) };
                let value: ::core::result::Result<Self, _> =
                    ::core::convert::TryInto::try_into(value);
                value.map_err(|error_kind| {
                    error_kind.with_error_location(
                        "ResizeMode",
                        "VectorRead::from_buffer",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<ResizeMode> for ResizeMode {
            const STRIDE: usize = 4;

            type Value = Self;

            #[inline]
            fn prepare(&self, _builder: &mut ::planus::Builder) -> Self {
                *self
            }

            #[inline]
            unsafe fn write_values(
                values: &[Self],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (4 * i) as u32,
                    );
                }
            }
        }

        /// The enum `NanPropagationMode` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Enum `NanPropagationMode` in the file `schema/tosa.fbs:20`
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum NanPropagationMode {
            /// The variant `UNKNOWN` in the enum `NanPropagationMode`
            Unknown = 0,

            /// The variant `PROPAGATE` in the enum `NanPropagationMode`
            Propagate = 1,

            /// The variant `IGNORE` in the enum `NanPropagationMode`
            Ignore = 2,
        }

        impl NanPropagationMode {
            /// Array containing all valid variants of NanPropagationMode
            pub const ENUM_VALUES: [Self; 3] = [Self::Unknown, Self::Propagate, Self::Ignore];
        }

        impl ::core::convert::TryFrom<u32> for NanPropagationMode {
            type Error = ::planus::errors::UnknownEnumTagKind;
            #[inline]
            fn try_from(
                value: u32,
            ) -> ::core::result::Result<Self, ::planus::errors::UnknownEnumTagKind> {
                #[allow(clippy::match_single_binding)]
                match value {
                    0 => ::core::result::Result::Ok(NanPropagationMode::Unknown),
                    1 => ::core::result::Result::Ok(NanPropagationMode::Propagate),
                    2 => ::core::result::Result::Ok(NanPropagationMode::Ignore),

                    _ => ::core::result::Result::Err(::planus::errors::UnknownEnumTagKind {
                        tag: value as i128,
                    }),
                }
            }
        }

        impl ::core::convert::From<NanPropagationMode> for u32 {
            #[inline]
            fn from(value: NanPropagationMode) -> Self {
                value as u32
            }
        }

        /// # Safety
        /// The Planus compiler correctly calculates `ALIGNMENT` and `SIZE`.
        unsafe impl ::planus::Primitive for NanPropagationMode {
            const ALIGNMENT: usize = 4;
            const SIZE: usize = 4;
        }

        impl ::planus::WriteAsPrimitive<NanPropagationMode> for NanPropagationMode {
            #[inline]
            fn write<const N: usize>(&self, cursor: ::planus::Cursor<'_, N>, buffer_position: u32) {
                (*self as u32).write(cursor, buffer_position);
            }
        }

        impl ::planus::WriteAs<NanPropagationMode> for NanPropagationMode {
            type Prepared = Self;

            #[inline]
            fn prepare(&self, _builder: &mut ::planus::Builder) -> NanPropagationMode {
                *self
            }
        }

        impl ::planus::WriteAsDefault<NanPropagationMode, NanPropagationMode> for NanPropagationMode {
            type Prepared = Self;

            #[inline]
            fn prepare(
                &self,
                _builder: &mut ::planus::Builder,
                default: &NanPropagationMode,
            ) -> ::core::option::Option<NanPropagationMode> {
                if self == default {
                    ::core::option::Option::None
                } else {
                    ::core::option::Option::Some(*self)
                }
            }
        }

        impl ::planus::WriteAsOptional<NanPropagationMode> for NanPropagationMode {
            type Prepared = Self;

            #[inline]
            fn prepare(
                &self,
                _builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<NanPropagationMode> {
                ::core::option::Option::Some(*self)
            }
        }

        impl<'buf> ::planus::TableRead<'buf> for NanPropagationMode {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'buf>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                let n: u32 = ::planus::TableRead::from_buffer(buffer, offset)?;
                ::core::result::Result::Ok(::core::convert::TryInto::try_into(n)?)
            }
        }

        impl<'buf> ::planus::VectorReadInner<'buf> for NanPropagationMode {
            type Error = ::planus::errors::UnknownEnumTag;
            const STRIDE: usize = 4;
            #[inline]
            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'buf>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::UnknownEnumTag> {
                let value = unsafe { <u32 as ::planus::VectorRead>::from_buffer(buffer, offset) };
                let value: ::core::result::Result<Self, _> =
                    ::core::convert::TryInto::try_into(value);
                value.map_err(|error_kind| {
                    error_kind.with_error_location(
                        "NanPropagationMode",
                        "VectorRead::from_buffer",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<NanPropagationMode> for NanPropagationMode {
            const STRIDE: usize = 4;

            type Value = Self;

            #[inline]
            fn prepare(&self, _builder: &mut ::planus::Builder) -> Self {
                *self
            }

            #[inline]
            unsafe fn write_values(
                values: &[Self],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (4 * i) as u32,
                    );
                }
            }
        }

        /// The enum `RoundingMode` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Enum `RoundingMode` in the file `schema/tosa.fbs:21`
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum RoundingMode {
            /// The variant `UNKNOWN` in the enum `RoundingMode`
            Unknown = 0,

            /// The variant `SINGLE_ROUND` in the enum `RoundingMode`
            SingleRound = 1,

            /// The variant `INEXACT_ROUND` in the enum `RoundingMode`
            InexactRound = 2,

            /// The variant `DOUBLE_ROUND` in the enum `RoundingMode`
            DoubleRound = 3,
        }

        impl RoundingMode {
            /// Array containing all valid variants of RoundingMode
            pub const ENUM_VALUES: [Self; 4] = [
                Self::Unknown,
                Self::SingleRound,
                Self::InexactRound,
                Self::DoubleRound,
            ];
        }

        impl ::core::convert::TryFrom<u32> for RoundingMode {
            type Error = ::planus::errors::UnknownEnumTagKind;
            #[inline]
            fn try_from(
                value: u32,
            ) -> ::core::result::Result<Self, ::planus::errors::UnknownEnumTagKind> {
                #[allow(clippy::match_single_binding)]
                match value {
                    0 => ::core::result::Result::Ok(RoundingMode::Unknown),
                    1 => ::core::result::Result::Ok(RoundingMode::SingleRound),
                    2 => ::core::result::Result::Ok(RoundingMode::InexactRound),
                    3 => ::core::result::Result::Ok(RoundingMode::DoubleRound),

                    _ => ::core::result::Result::Err(::planus::errors::UnknownEnumTagKind {
                        tag: value as i128,
                    }),
                }
            }
        }

        impl ::core::convert::From<RoundingMode> for u32 {
            #[inline]
            fn from(value: RoundingMode) -> Self {
                value as u32
            }
        }

        /// # Safety
        /// The Planus compiler correctly calculates `ALIGNMENT` and `SIZE`.
        unsafe impl ::planus::Primitive for RoundingMode {
            const ALIGNMENT: usize = 4;
            const SIZE: usize = 4;
        }

        impl ::planus::WriteAsPrimitive<RoundingMode> for RoundingMode {
            #[inline]
            fn write<const N: usize>(&self, cursor: ::planus::Cursor<'_, N>, buffer_position: u32) {
                (*self as u32).write(cursor, buffer_position);
            }
        }

        impl ::planus::WriteAs<RoundingMode> for RoundingMode {
            type Prepared = Self;

            #[inline]
            fn prepare(&self, _builder: &mut ::planus::Builder) -> RoundingMode {
                *self
            }
        }

        impl ::planus::WriteAsDefault<RoundingMode, RoundingMode> for RoundingMode {
            type Prepared = Self;

            #[inline]
            fn prepare(
                &self,
                _builder: &mut ::planus::Builder,
                default: &RoundingMode,
            ) -> ::core::option::Option<RoundingMode> {
                if self == default {
                    ::core::option::Option::None
                } else {
                    ::core::option::Option::Some(*self)
                }
            }
        }

        impl ::planus::WriteAsOptional<RoundingMode> for RoundingMode {
            type Prepared = Self;

            #[inline]
            fn prepare(
                &self,
                _builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<RoundingMode> {
                ::core::option::Option::Some(*self)
            }
        }

        impl<'buf> ::planus::TableRead<'buf> for RoundingMode {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'buf>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                let n: u32 = ::planus::TableRead::from_buffer(buffer, offset)?;
                ::core::result::Result::Ok(::core::convert::TryInto::try_into(n)?)
            }
        }

        impl<'buf> ::planus::VectorReadInner<'buf> for RoundingMode {
            type Error = ::planus::errors::UnknownEnumTag;
            const STRIDE: usize = 4;
            #[inline]
            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'buf>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::UnknownEnumTag> {
                let value = unsafe { <u32 as ::planus::VectorRead>::from_buffer(buffer, offset) };
                let value: ::core::result::Result<Self, _> =
                    ::core::convert::TryInto::try_into(value);
                value.map_err(|error_kind| {
                    error_kind.with_error_location(
                        "RoundingMode",
                        "VectorRead::from_buffer",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<RoundingMode> for RoundingMode {
            const STRIDE: usize = 4;

            type Value = Self;

            #[inline]
            fn prepare(&self, _builder: &mut ::planus::Builder) -> Self {
                *self
            }

            #[inline]
            unsafe fn write_values(
                values: &[Self],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (4 * i) as u32,
                    );
                }
            }
        }

        /// The union `Attribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Union `Attribute` in the file `schema/tosa.fbs:23`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub enum Attribute {
            /// The variant `ArgMax` in the union `Attribute`
            ArgMax(::planus::alloc::boxed::Box<self::AxisNanAttribute>),

            /// The variant `AvgPool2d` in the union `Attribute`
            AvgPool2d(::planus::alloc::boxed::Box<self::AvgPool2dAttribute>),

            /// The variant `Conv2d` in the union `Attribute`
            Conv2d(::planus::alloc::boxed::Box<self::ConvAttribute>),

            /// The variant `Conv3d` in the union `Attribute`
            Conv3d(::planus::alloc::boxed::Box<self::ConvAttribute>),

            /// The variant `DepthwiseConv2d` in the union `Attribute`
            DepthwiseConv2d(::planus::alloc::boxed::Box<self::ConvAttribute>),

            /// The variant `FFT2d` in the union `Attribute`
            Fft2d(::planus::alloc::boxed::Box<self::Fft2dAttribute>),

            /// The variant `MatMul` in the union `Attribute`
            MatMul(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `MaxPool2d` in the union `Attribute`
            MaxPool2d(::planus::alloc::boxed::Box<self::MaxPool2dAttribute>),

            /// The variant `RFFT2d` in the union `Attribute`
            Rfft2d(::planus::alloc::boxed::Box<self::Rfft2dAttribute>),

            /// The variant `TransposeConv2d` in the union `Attribute`
            TransposeConv2d(::planus::alloc::boxed::Box<self::TransposeConv2dAttribute>),

            /// The variant `Clamp` in the union `Attribute`
            Clamp(::planus::alloc::boxed::Box<self::ClampAttribute>),

            /// The variant `Erf` in the union `Attribute`
            Erf(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Sigmoid` in the union `Attribute`
            Sigmoid(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Tanh` in the union `Attribute`
            Tanh(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Add` in the union `Attribute`
            Add(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `ArithmeticRightShift` in the union `Attribute`
            ArithmeticRightShift(::planus::alloc::boxed::Box<self::ArithmeticRightShiftAttribute>),

            /// The variant `BitwiseAnd` in the union `Attribute`
            BitwiseAnd(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `BitwiseOr` in the union `Attribute`
            BitwiseOr(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `BitwiseXor` in the union `Attribute`
            BitwiseXor(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `IntDiv` in the union `Attribute`
            IntDiv(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `LogicalAnd` in the union `Attribute`
            LogicalAnd(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `LogicalLeftShift` in the union `Attribute`
            LogicalLeftShift(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `LogicalRightShift` in the union `Attribute`
            LogicalRightShift(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `LogicalOr` in the union `Attribute`
            LogicalOr(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `LogicalXor` in the union `Attribute`
            LogicalXor(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Maximum` in the union `Attribute`
            Maximum(::planus::alloc::boxed::Box<self::NanAttribute>),

            /// The variant `Minimum` in the union `Attribute`
            Minimum(::planus::alloc::boxed::Box<self::NanAttribute>),

            /// The variant `Mul` in the union `Attribute`
            Mul(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Pow` in the union `Attribute`
            Pow(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Sub` in the union `Attribute`
            Sub(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Table` in the union `Attribute`
            Table(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Abs` in the union `Attribute`
            Abs(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `BitwiseNot` in the union `Attribute`
            BitwiseNot(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Ceil` in the union `Attribute`
            Ceil(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Clz` in the union `Attribute`
            Clz(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Cos` in the union `Attribute`
            Cos(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Exp` in the union `Attribute`
            Exp(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Floor` in the union `Attribute`
            Floor(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Log` in the union `Attribute`
            Log(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `LogicalNot` in the union `Attribute`
            LogicalNot(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Negate` in the union `Attribute`
            Negate(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Reciprocal` in the union `Attribute`
            Reciprocal(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Rsqrt` in the union `Attribute`
            Rsqrt(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Sin` in the union `Attribute`
            Sin(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Select` in the union `Attribute`
            Select(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Equal` in the union `Attribute`
            Equal(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Greater` in the union `Attribute`
            Greater(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `GreaterEqual` in the union `Attribute`
            GreaterEqual(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `ReduceAll` in the union `Attribute`
            ReduceAll(::planus::alloc::boxed::Box<self::AxisAttribute>),

            /// The variant `ReduceAny` in the union `Attribute`
            ReduceAny(::planus::alloc::boxed::Box<self::AxisAttribute>),

            /// The variant `ReduceMax` in the union `Attribute`
            ReduceMax(::planus::alloc::boxed::Box<self::AxisNanAttribute>),

            /// The variant `ReduceMin` in the union `Attribute`
            ReduceMin(::planus::alloc::boxed::Box<self::AxisNanAttribute>),

            /// The variant `ReduceProduct` in the union `Attribute`
            ReduceProduct(::planus::alloc::boxed::Box<self::AxisAttribute>),

            /// The variant `ReduceSum` in the union `Attribute`
            ReduceSum(::planus::alloc::boxed::Box<self::AxisAttribute>),

            /// The variant `Concat` in the union `Attribute`
            Concat(::planus::alloc::boxed::Box<self::AxisAttribute>),

            /// The variant `Pad` in the union `Attribute`
            Pad(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Reshape` in the union `Attribute`
            Reshape(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Reverse` in the union `Attribute`
            Reverse(::planus::alloc::boxed::Box<self::AxisAttribute>),

            /// The variant `Slice` in the union `Attribute`
            Slice(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Tile` in the union `Attribute`
            Tile(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Transpose` in the union `Attribute`
            Transpose(::planus::alloc::boxed::Box<self::TransposeAttribute>),

            /// The variant `Gather` in the union `Attribute`
            Gather(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Scatter` in the union `Attribute`
            Scatter(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Resize` in the union `Attribute`
            Resize(::planus::alloc::boxed::Box<self::ResizeAttribute>),

            /// The variant `Cast` in the union `Attribute`
            Cast(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Rescale` in the union `Attribute`
            Rescale(::planus::alloc::boxed::Box<self::RescaleAttribute>),

            /// The variant `Const` in the union `Attribute`
            Const(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Identity` in the union `Attribute`
            Identity(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `Custom` in the union `Attribute`
            Custom(::planus::alloc::boxed::Box<self::CustomAttribute>),

            /// The variant `CondIf` in the union `Attribute`
            CondIf(::planus::alloc::boxed::Box<self::CondIfAttribute>),

            /// The variant `WhileLoop` in the union `Attribute`
            WhileLoop(::planus::alloc::boxed::Box<self::WhileLoopAttribute>),

            /// The variant `Variable` in the union `Attribute`
            Variable(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `VariableWrite` in the union `Attribute`
            VariableWrite(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `VariableRead` in the union `Attribute`
            VariableRead(::planus::alloc::boxed::Box<self::EmptyAttribute>),

            /// The variant `ConstShape` in the union `Attribute`
            ConstShape(::planus::alloc::boxed::Box<self::EmptyAttribute>),
        }

        impl Attribute {
            /// Creates a [AttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> AttributeBuilder<::planus::Uninitialized> {
                AttributeBuilder(::planus::Uninitialized)
            }

            #[inline]
            pub fn create_arg_max(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::AxisNanAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(1, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_avg_pool2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::AvgPool2dAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(2, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_conv2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::ConvAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(3, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_conv3d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::ConvAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(4, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_depthwise_conv2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::ConvAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(5, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_fft2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Fft2dAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(6, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_mat_mul(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(7, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_max_pool2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::MaxPool2dAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(8, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_rfft2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Rfft2dAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(9, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_transpose_conv2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::TransposeConv2dAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(10, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_clamp(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::ClampAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(11, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_erf(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(12, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_sigmoid(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(13, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_tanh(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(14, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_add(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(15, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_arithmetic_right_shift(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::ArithmeticRightShiftAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(16, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_bitwise_and(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(17, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_bitwise_or(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(18, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_bitwise_xor(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(19, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_int_div(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(20, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_logical_and(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(21, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_logical_left_shift(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(22, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_logical_right_shift(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(23, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_logical_or(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(24, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_logical_xor(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(25, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_maximum(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NanAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(26, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_minimum(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NanAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(27, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_mul(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(28, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_pow(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(29, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_sub(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(30, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_table(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(31, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_abs(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(32, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_bitwise_not(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(33, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_ceil(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(34, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_clz(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(35, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_cos(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(36, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_exp(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(37, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_floor(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(38, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_log(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(39, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_logical_not(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(40, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_negate(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(41, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_reciprocal(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(42, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_rsqrt(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(43, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_sin(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(44, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_select(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(45, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_equal(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(46, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_greater(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(47, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_greater_equal(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(48, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_reduce_all(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::AxisAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(49, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_reduce_any(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::AxisAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(50, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_reduce_max(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::AxisNanAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(51, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_reduce_min(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::AxisNanAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(52, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_reduce_product(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::AxisAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(53, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_reduce_sum(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::AxisAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(54, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_concat(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::AxisAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(55, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_pad(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(56, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_reshape(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(57, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_reverse(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::AxisAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(58, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_slice(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(59, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_tile(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(60, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_transpose(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::TransposeAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(61, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_gather(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(62, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_scatter(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(63, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_resize(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::ResizeAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(64, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_cast(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(65, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_rescale(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::RescaleAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(66, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_const(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(67, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_identity(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(68, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_custom(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::CustomAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(69, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_cond_if(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::CondIfAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(70, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_while_loop(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::WhileLoopAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(71, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_variable(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(72, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_variable_write(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(73, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_variable_read(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(74, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_const_shape(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::EmptyAttribute>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(75, value.prepare(builder).downcast())
            }
        }

        impl ::planus::WriteAsUnion<Attribute> for Attribute {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Self> {
                match self {
                    Self::ArgMax(value) => Self::create_arg_max(builder, value),
                    Self::AvgPool2d(value) => Self::create_avg_pool2d(builder, value),
                    Self::Conv2d(value) => Self::create_conv2d(builder, value),
                    Self::Conv3d(value) => Self::create_conv3d(builder, value),
                    Self::DepthwiseConv2d(value) => Self::create_depthwise_conv2d(builder, value),
                    Self::Fft2d(value) => Self::create_fft2d(builder, value),
                    Self::MatMul(value) => Self::create_mat_mul(builder, value),
                    Self::MaxPool2d(value) => Self::create_max_pool2d(builder, value),
                    Self::Rfft2d(value) => Self::create_rfft2d(builder, value),
                    Self::TransposeConv2d(value) => Self::create_transpose_conv2d(builder, value),
                    Self::Clamp(value) => Self::create_clamp(builder, value),
                    Self::Erf(value) => Self::create_erf(builder, value),
                    Self::Sigmoid(value) => Self::create_sigmoid(builder, value),
                    Self::Tanh(value) => Self::create_tanh(builder, value),
                    Self::Add(value) => Self::create_add(builder, value),
                    Self::ArithmeticRightShift(value) => {
                        Self::create_arithmetic_right_shift(builder, value)
                    }
                    Self::BitwiseAnd(value) => Self::create_bitwise_and(builder, value),
                    Self::BitwiseOr(value) => Self::create_bitwise_or(builder, value),
                    Self::BitwiseXor(value) => Self::create_bitwise_xor(builder, value),
                    Self::IntDiv(value) => Self::create_int_div(builder, value),
                    Self::LogicalAnd(value) => Self::create_logical_and(builder, value),
                    Self::LogicalLeftShift(value) => {
                        Self::create_logical_left_shift(builder, value)
                    }
                    Self::LogicalRightShift(value) => {
                        Self::create_logical_right_shift(builder, value)
                    }
                    Self::LogicalOr(value) => Self::create_logical_or(builder, value),
                    Self::LogicalXor(value) => Self::create_logical_xor(builder, value),
                    Self::Maximum(value) => Self::create_maximum(builder, value),
                    Self::Minimum(value) => Self::create_minimum(builder, value),
                    Self::Mul(value) => Self::create_mul(builder, value),
                    Self::Pow(value) => Self::create_pow(builder, value),
                    Self::Sub(value) => Self::create_sub(builder, value),
                    Self::Table(value) => Self::create_table(builder, value),
                    Self::Abs(value) => Self::create_abs(builder, value),
                    Self::BitwiseNot(value) => Self::create_bitwise_not(builder, value),
                    Self::Ceil(value) => Self::create_ceil(builder, value),
                    Self::Clz(value) => Self::create_clz(builder, value),
                    Self::Cos(value) => Self::create_cos(builder, value),
                    Self::Exp(value) => Self::create_exp(builder, value),
                    Self::Floor(value) => Self::create_floor(builder, value),
                    Self::Log(value) => Self::create_log(builder, value),
                    Self::LogicalNot(value) => Self::create_logical_not(builder, value),
                    Self::Negate(value) => Self::create_negate(builder, value),
                    Self::Reciprocal(value) => Self::create_reciprocal(builder, value),
                    Self::Rsqrt(value) => Self::create_rsqrt(builder, value),
                    Self::Sin(value) => Self::create_sin(builder, value),
                    Self::Select(value) => Self::create_select(builder, value),
                    Self::Equal(value) => Self::create_equal(builder, value),
                    Self::Greater(value) => Self::create_greater(builder, value),
                    Self::GreaterEqual(value) => Self::create_greater_equal(builder, value),
                    Self::ReduceAll(value) => Self::create_reduce_all(builder, value),
                    Self::ReduceAny(value) => Self::create_reduce_any(builder, value),
                    Self::ReduceMax(value) => Self::create_reduce_max(builder, value),
                    Self::ReduceMin(value) => Self::create_reduce_min(builder, value),
                    Self::ReduceProduct(value) => Self::create_reduce_product(builder, value),
                    Self::ReduceSum(value) => Self::create_reduce_sum(builder, value),
                    Self::Concat(value) => Self::create_concat(builder, value),
                    Self::Pad(value) => Self::create_pad(builder, value),
                    Self::Reshape(value) => Self::create_reshape(builder, value),
                    Self::Reverse(value) => Self::create_reverse(builder, value),
                    Self::Slice(value) => Self::create_slice(builder, value),
                    Self::Tile(value) => Self::create_tile(builder, value),
                    Self::Transpose(value) => Self::create_transpose(builder, value),
                    Self::Gather(value) => Self::create_gather(builder, value),
                    Self::Scatter(value) => Self::create_scatter(builder, value),
                    Self::Resize(value) => Self::create_resize(builder, value),
                    Self::Cast(value) => Self::create_cast(builder, value),
                    Self::Rescale(value) => Self::create_rescale(builder, value),
                    Self::Const(value) => Self::create_const(builder, value),
                    Self::Identity(value) => Self::create_identity(builder, value),
                    Self::Custom(value) => Self::create_custom(builder, value),
                    Self::CondIf(value) => Self::create_cond_if(builder, value),
                    Self::WhileLoop(value) => Self::create_while_loop(builder, value),
                    Self::Variable(value) => Self::create_variable(builder, value),
                    Self::VariableWrite(value) => Self::create_variable_write(builder, value),
                    Self::VariableRead(value) => Self::create_variable_read(builder, value),
                    Self::ConstShape(value) => Self::create_const_shape(builder, value),
                }
            }
        }

        impl ::planus::WriteAsOptionalUnion<Attribute> for Attribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Self>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }

        /// Builder for serializing an instance of the [Attribute] type.
        ///
        /// Can be created using the [Attribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct AttributeBuilder<T>(T);

        impl AttributeBuilder<::planus::Uninitialized> {
            /// Creates an instance of the [`ArgMax` variant](Attribute#variant.ArgMax).
            #[inline]
            pub fn arg_max<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<1, T>>
            where
                T: ::planus::WriteAsOffset<self::AxisNanAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`AvgPool2d` variant](Attribute#variant.AvgPool2d).
            #[inline]
            pub fn avg_pool2d<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<2, T>>
            where
                T: ::planus::WriteAsOffset<self::AvgPool2dAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Conv2d` variant](Attribute#variant.Conv2d).
            #[inline]
            pub fn conv2d<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<3, T>>
            where
                T: ::planus::WriteAsOffset<self::ConvAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Conv3d` variant](Attribute#variant.Conv3d).
            #[inline]
            pub fn conv3d<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<4, T>>
            where
                T: ::planus::WriteAsOffset<self::ConvAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`DepthwiseConv2d` variant](Attribute#variant.DepthwiseConv2d).
            #[inline]
            pub fn depthwise_conv2d<T>(
                self,
                value: T,
            ) -> AttributeBuilder<::planus::Initialized<5, T>>
            where
                T: ::planus::WriteAsOffset<self::ConvAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`FFT2d` variant](Attribute#variant.Fft2d).
            #[inline]
            pub fn fft2d<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<6, T>>
            where
                T: ::planus::WriteAsOffset<self::Fft2dAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`MatMul` variant](Attribute#variant.MatMul).
            #[inline]
            pub fn mat_mul<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<7, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`MaxPool2d` variant](Attribute#variant.MaxPool2d).
            #[inline]
            pub fn max_pool2d<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<8, T>>
            where
                T: ::planus::WriteAsOffset<self::MaxPool2dAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`RFFT2d` variant](Attribute#variant.Rfft2d).
            #[inline]
            pub fn rfft2d<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<9, T>>
            where
                T: ::planus::WriteAsOffset<self::Rfft2dAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`TransposeConv2d` variant](Attribute#variant.TransposeConv2d).
            #[inline]
            pub fn transpose_conv2d<T>(
                self,
                value: T,
            ) -> AttributeBuilder<::planus::Initialized<10, T>>
            where
                T: ::planus::WriteAsOffset<self::TransposeConv2dAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Clamp` variant](Attribute#variant.Clamp).
            #[inline]
            pub fn clamp<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<11, T>>
            where
                T: ::planus::WriteAsOffset<self::ClampAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Erf` variant](Attribute#variant.Erf).
            #[inline]
            pub fn erf<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<12, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Sigmoid` variant](Attribute#variant.Sigmoid).
            #[inline]
            pub fn sigmoid<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<13, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Tanh` variant](Attribute#variant.Tanh).
            #[inline]
            pub fn tanh<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<14, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Add` variant](Attribute#variant.Add).
            #[inline]
            pub fn add<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<15, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ArithmeticRightShift` variant](Attribute#variant.ArithmeticRightShift).
            #[inline]
            pub fn arithmetic_right_shift<T>(
                self,
                value: T,
            ) -> AttributeBuilder<::planus::Initialized<16, T>>
            where
                T: ::planus::WriteAsOffset<self::ArithmeticRightShiftAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`BitwiseAnd` variant](Attribute#variant.BitwiseAnd).
            #[inline]
            pub fn bitwise_and<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<17, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`BitwiseOr` variant](Attribute#variant.BitwiseOr).
            #[inline]
            pub fn bitwise_or<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<18, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`BitwiseXor` variant](Attribute#variant.BitwiseXor).
            #[inline]
            pub fn bitwise_xor<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<19, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`IntDiv` variant](Attribute#variant.IntDiv).
            #[inline]
            pub fn int_div<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<20, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`LogicalAnd` variant](Attribute#variant.LogicalAnd).
            #[inline]
            pub fn logical_and<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<21, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`LogicalLeftShift` variant](Attribute#variant.LogicalLeftShift).
            #[inline]
            pub fn logical_left_shift<T>(
                self,
                value: T,
            ) -> AttributeBuilder<::planus::Initialized<22, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`LogicalRightShift` variant](Attribute#variant.LogicalRightShift).
            #[inline]
            pub fn logical_right_shift<T>(
                self,
                value: T,
            ) -> AttributeBuilder<::planus::Initialized<23, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`LogicalOr` variant](Attribute#variant.LogicalOr).
            #[inline]
            pub fn logical_or<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<24, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`LogicalXor` variant](Attribute#variant.LogicalXor).
            #[inline]
            pub fn logical_xor<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<25, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Maximum` variant](Attribute#variant.Maximum).
            #[inline]
            pub fn maximum<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<26, T>>
            where
                T: ::planus::WriteAsOffset<self::NanAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Minimum` variant](Attribute#variant.Minimum).
            #[inline]
            pub fn minimum<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<27, T>>
            where
                T: ::planus::WriteAsOffset<self::NanAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Mul` variant](Attribute#variant.Mul).
            #[inline]
            pub fn mul<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<28, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Pow` variant](Attribute#variant.Pow).
            #[inline]
            pub fn pow<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<29, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Sub` variant](Attribute#variant.Sub).
            #[inline]
            pub fn sub<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<30, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Table` variant](Attribute#variant.Table).
            #[inline]
            pub fn table<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<31, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Abs` variant](Attribute#variant.Abs).
            #[inline]
            pub fn abs<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<32, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`BitwiseNot` variant](Attribute#variant.BitwiseNot).
            #[inline]
            pub fn bitwise_not<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<33, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Ceil` variant](Attribute#variant.Ceil).
            #[inline]
            pub fn ceil<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<34, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Clz` variant](Attribute#variant.Clz).
            #[inline]
            pub fn clz<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<35, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Cos` variant](Attribute#variant.Cos).
            #[inline]
            pub fn cos<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<36, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Exp` variant](Attribute#variant.Exp).
            #[inline]
            pub fn exp<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<37, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Floor` variant](Attribute#variant.Floor).
            #[inline]
            pub fn floor<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<38, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Log` variant](Attribute#variant.Log).
            #[inline]
            pub fn log<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<39, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`LogicalNot` variant](Attribute#variant.LogicalNot).
            #[inline]
            pub fn logical_not<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<40, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Negate` variant](Attribute#variant.Negate).
            #[inline]
            pub fn negate<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<41, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Reciprocal` variant](Attribute#variant.Reciprocal).
            #[inline]
            pub fn reciprocal<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<42, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Rsqrt` variant](Attribute#variant.Rsqrt).
            #[inline]
            pub fn rsqrt<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<43, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Sin` variant](Attribute#variant.Sin).
            #[inline]
            pub fn sin<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<44, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Select` variant](Attribute#variant.Select).
            #[inline]
            pub fn select<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<45, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Equal` variant](Attribute#variant.Equal).
            #[inline]
            pub fn equal<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<46, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Greater` variant](Attribute#variant.Greater).
            #[inline]
            pub fn greater<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<47, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`GreaterEqual` variant](Attribute#variant.GreaterEqual).
            #[inline]
            pub fn greater_equal<T>(
                self,
                value: T,
            ) -> AttributeBuilder<::planus::Initialized<48, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ReduceAll` variant](Attribute#variant.ReduceAll).
            #[inline]
            pub fn reduce_all<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<49, T>>
            where
                T: ::planus::WriteAsOffset<self::AxisAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ReduceAny` variant](Attribute#variant.ReduceAny).
            #[inline]
            pub fn reduce_any<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<50, T>>
            where
                T: ::planus::WriteAsOffset<self::AxisAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ReduceMax` variant](Attribute#variant.ReduceMax).
            #[inline]
            pub fn reduce_max<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<51, T>>
            where
                T: ::planus::WriteAsOffset<self::AxisNanAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ReduceMin` variant](Attribute#variant.ReduceMin).
            #[inline]
            pub fn reduce_min<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<52, T>>
            where
                T: ::planus::WriteAsOffset<self::AxisNanAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ReduceProduct` variant](Attribute#variant.ReduceProduct).
            #[inline]
            pub fn reduce_product<T>(
                self,
                value: T,
            ) -> AttributeBuilder<::planus::Initialized<53, T>>
            where
                T: ::planus::WriteAsOffset<self::AxisAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ReduceSum` variant](Attribute#variant.ReduceSum).
            #[inline]
            pub fn reduce_sum<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<54, T>>
            where
                T: ::planus::WriteAsOffset<self::AxisAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Concat` variant](Attribute#variant.Concat).
            #[inline]
            pub fn concat<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<55, T>>
            where
                T: ::planus::WriteAsOffset<self::AxisAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Pad` variant](Attribute#variant.Pad).
            #[inline]
            pub fn pad<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<56, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Reshape` variant](Attribute#variant.Reshape).
            #[inline]
            pub fn reshape<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<57, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Reverse` variant](Attribute#variant.Reverse).
            #[inline]
            pub fn reverse<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<58, T>>
            where
                T: ::planus::WriteAsOffset<self::AxisAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Slice` variant](Attribute#variant.Slice).
            #[inline]
            pub fn slice<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<59, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Tile` variant](Attribute#variant.Tile).
            #[inline]
            pub fn tile<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<60, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Transpose` variant](Attribute#variant.Transpose).
            #[inline]
            pub fn transpose<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<61, T>>
            where
                T: ::planus::WriteAsOffset<self::TransposeAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Gather` variant](Attribute#variant.Gather).
            #[inline]
            pub fn gather<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<62, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Scatter` variant](Attribute#variant.Scatter).
            #[inline]
            pub fn scatter<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<63, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Resize` variant](Attribute#variant.Resize).
            #[inline]
            pub fn resize<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<64, T>>
            where
                T: ::planus::WriteAsOffset<self::ResizeAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Cast` variant](Attribute#variant.Cast).
            #[inline]
            pub fn cast<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<65, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Rescale` variant](Attribute#variant.Rescale).
            #[inline]
            pub fn rescale<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<66, T>>
            where
                T: ::planus::WriteAsOffset<self::RescaleAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Const` variant](Attribute#variant.Const).
            #[inline]
            pub fn const_<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<67, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Identity` variant](Attribute#variant.Identity).
            #[inline]
            pub fn identity<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<68, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Custom` variant](Attribute#variant.Custom).
            #[inline]
            pub fn custom<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<69, T>>
            where
                T: ::planus::WriteAsOffset<self::CustomAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`CondIf` variant](Attribute#variant.CondIf).
            #[inline]
            pub fn cond_if<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<70, T>>
            where
                T: ::planus::WriteAsOffset<self::CondIfAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`WhileLoop` variant](Attribute#variant.WhileLoop).
            #[inline]
            pub fn while_loop<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<71, T>>
            where
                T: ::planus::WriteAsOffset<self::WhileLoopAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Variable` variant](Attribute#variant.Variable).
            #[inline]
            pub fn variable<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<72, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`VariableWrite` variant](Attribute#variant.VariableWrite).
            #[inline]
            pub fn variable_write<T>(
                self,
                value: T,
            ) -> AttributeBuilder<::planus::Initialized<73, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`VariableRead` variant](Attribute#variant.VariableRead).
            #[inline]
            pub fn variable_read<T>(
                self,
                value: T,
            ) -> AttributeBuilder<::planus::Initialized<74, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ConstShape` variant](Attribute#variant.ConstShape).
            #[inline]
            pub fn const_shape<T>(self, value: T) -> AttributeBuilder<::planus::Initialized<75, T>>
            where
                T: ::planus::WriteAsOffset<self::EmptyAttribute>,
            {
                AttributeBuilder(::planus::Initialized(value))
            }
        }

        impl<const N: u8, T> AttributeBuilder<::planus::Initialized<N, T>> {
            /// Finish writing the builder to get an [UnionOffset](::planus::UnionOffset) to a serialized [Attribute].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute>
            where
                Self: ::planus::WriteAsUnion<Attribute>,
            {
                ::planus::WriteAsUnion::prepare(&self, builder)
            }
        }

        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<1, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisNanAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(1, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<1, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisNanAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<2, T>>
        where
            T: ::planus::WriteAsOffset<self::AvgPool2dAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(2, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<2, T>>
        where
            T: ::planus::WriteAsOffset<self::AvgPool2dAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<3, T>>
        where
            T: ::planus::WriteAsOffset<self::ConvAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(3, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<3, T>>
        where
            T: ::planus::WriteAsOffset<self::ConvAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<4, T>>
        where
            T: ::planus::WriteAsOffset<self::ConvAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(4, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<4, T>>
        where
            T: ::planus::WriteAsOffset<self::ConvAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<5, T>>
        where
            T: ::planus::WriteAsOffset<self::ConvAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(5, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<5, T>>
        where
            T: ::planus::WriteAsOffset<self::ConvAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<6, T>>
        where
            T: ::planus::WriteAsOffset<self::Fft2dAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(6, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<6, T>>
        where
            T: ::planus::WriteAsOffset<self::Fft2dAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<7, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(7, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<7, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<8, T>>
        where
            T: ::planus::WriteAsOffset<self::MaxPool2dAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(8, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<8, T>>
        where
            T: ::planus::WriteAsOffset<self::MaxPool2dAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<9, T>>
        where
            T: ::planus::WriteAsOffset<self::Rfft2dAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(9, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<9, T>>
        where
            T: ::planus::WriteAsOffset<self::Rfft2dAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<10, T>>
        where
            T: ::planus::WriteAsOffset<self::TransposeConv2dAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(10, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<10, T>>
        where
            T: ::planus::WriteAsOffset<self::TransposeConv2dAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<11, T>>
        where
            T: ::planus::WriteAsOffset<self::ClampAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(11, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<11, T>>
        where
            T: ::planus::WriteAsOffset<self::ClampAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<12, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(12, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<12, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<13, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(13, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<13, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<14, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(14, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<14, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<15, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(15, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<15, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<16, T>>
        where
            T: ::planus::WriteAsOffset<self::ArithmeticRightShiftAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(16, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<16, T>>
        where
            T: ::planus::WriteAsOffset<self::ArithmeticRightShiftAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<17, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(17, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<17, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<18, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(18, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<18, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<19, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(19, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<19, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<20, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(20, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<20, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<21, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(21, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<21, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<22, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(22, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<22, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<23, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(23, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<23, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<24, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(24, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<24, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<25, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(25, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<25, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<26, T>>
        where
            T: ::planus::WriteAsOffset<self::NanAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(26, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<26, T>>
        where
            T: ::planus::WriteAsOffset<self::NanAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<27, T>>
        where
            T: ::planus::WriteAsOffset<self::NanAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(27, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<27, T>>
        where
            T: ::planus::WriteAsOffset<self::NanAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<28, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(28, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<28, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<29, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(29, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<29, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<30, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(30, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<30, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<31, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(31, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<31, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<32, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(32, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<32, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<33, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(33, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<33, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<34, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(34, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<34, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<35, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(35, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<35, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<36, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(36, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<36, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<37, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(37, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<37, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<38, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(38, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<38, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<39, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(39, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<39, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<40, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(40, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<40, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<41, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(41, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<41, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<42, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(42, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<42, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<43, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(43, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<43, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<44, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(44, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<44, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<45, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(45, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<45, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<46, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(46, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<46, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<47, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(47, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<47, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<48, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(48, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<48, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<49, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(49, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<49, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<50, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(50, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<50, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<51, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisNanAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(51, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<51, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisNanAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<52, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisNanAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(52, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<52, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisNanAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<53, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(53, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<53, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<54, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(54, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<54, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<55, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(55, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<55, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<56, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(56, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<56, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<57, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(57, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<57, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<58, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(58, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<58, T>>
        where
            T: ::planus::WriteAsOffset<self::AxisAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<59, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(59, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<59, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<60, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(60, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<60, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<61, T>>
        where
            T: ::planus::WriteAsOffset<self::TransposeAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(61, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<61, T>>
        where
            T: ::planus::WriteAsOffset<self::TransposeAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<62, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(62, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<62, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<63, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(63, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<63, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<64, T>>
        where
            T: ::planus::WriteAsOffset<self::ResizeAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(64, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<64, T>>
        where
            T: ::planus::WriteAsOffset<self::ResizeAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<65, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(65, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<65, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<66, T>>
        where
            T: ::planus::WriteAsOffset<self::RescaleAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(66, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<66, T>>
        where
            T: ::planus::WriteAsOffset<self::RescaleAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<67, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(67, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<67, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<68, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(68, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<68, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<69, T>>
        where
            T: ::planus::WriteAsOffset<self::CustomAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(69, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<69, T>>
        where
            T: ::planus::WriteAsOffset<self::CustomAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<70, T>>
        where
            T: ::planus::WriteAsOffset<self::CondIfAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(70, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<70, T>>
        where
            T: ::planus::WriteAsOffset<self::CondIfAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<71, T>>
        where
            T: ::planus::WriteAsOffset<self::WhileLoopAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(71, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<71, T>>
        where
            T: ::planus::WriteAsOffset<self::WhileLoopAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<72, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(72, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<72, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<73, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(73, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<73, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<74, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(74, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<74, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<Attribute> for AttributeBuilder<::planus::Initialized<75, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Attribute> {
                ::planus::UnionOffset::new(75, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<Attribute> for AttributeBuilder<::planus::Initialized<75, T>>
        where
            T: ::planus::WriteAsOffset<self::EmptyAttribute>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Attribute>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }

        /// Reference to a deserialized [Attribute].
        #[derive(Copy, Clone, Debug)]
        pub enum AttributeRef<'a> {
            ArgMax(self::AxisNanAttributeRef<'a>),
            AvgPool2d(self::AvgPool2dAttributeRef<'a>),
            Conv2d(self::ConvAttributeRef<'a>),
            Conv3d(self::ConvAttributeRef<'a>),
            DepthwiseConv2d(self::ConvAttributeRef<'a>),
            Fft2d(self::Fft2dAttributeRef<'a>),
            MatMul(self::EmptyAttributeRef<'a>),
            MaxPool2d(self::MaxPool2dAttributeRef<'a>),
            Rfft2d(self::Rfft2dAttributeRef<'a>),
            TransposeConv2d(self::TransposeConv2dAttributeRef<'a>),
            Clamp(self::ClampAttributeRef<'a>),
            Erf(self::EmptyAttributeRef<'a>),
            Sigmoid(self::EmptyAttributeRef<'a>),
            Tanh(self::EmptyAttributeRef<'a>),
            Add(self::EmptyAttributeRef<'a>),
            ArithmeticRightShift(self::ArithmeticRightShiftAttributeRef<'a>),
            BitwiseAnd(self::EmptyAttributeRef<'a>),
            BitwiseOr(self::EmptyAttributeRef<'a>),
            BitwiseXor(self::EmptyAttributeRef<'a>),
            IntDiv(self::EmptyAttributeRef<'a>),
            LogicalAnd(self::EmptyAttributeRef<'a>),
            LogicalLeftShift(self::EmptyAttributeRef<'a>),
            LogicalRightShift(self::EmptyAttributeRef<'a>),
            LogicalOr(self::EmptyAttributeRef<'a>),
            LogicalXor(self::EmptyAttributeRef<'a>),
            Maximum(self::NanAttributeRef<'a>),
            Minimum(self::NanAttributeRef<'a>),
            Mul(self::EmptyAttributeRef<'a>),
            Pow(self::EmptyAttributeRef<'a>),
            Sub(self::EmptyAttributeRef<'a>),
            Table(self::EmptyAttributeRef<'a>),
            Abs(self::EmptyAttributeRef<'a>),
            BitwiseNot(self::EmptyAttributeRef<'a>),
            Ceil(self::EmptyAttributeRef<'a>),
            Clz(self::EmptyAttributeRef<'a>),
            Cos(self::EmptyAttributeRef<'a>),
            Exp(self::EmptyAttributeRef<'a>),
            Floor(self::EmptyAttributeRef<'a>),
            Log(self::EmptyAttributeRef<'a>),
            LogicalNot(self::EmptyAttributeRef<'a>),
            Negate(self::EmptyAttributeRef<'a>),
            Reciprocal(self::EmptyAttributeRef<'a>),
            Rsqrt(self::EmptyAttributeRef<'a>),
            Sin(self::EmptyAttributeRef<'a>),
            Select(self::EmptyAttributeRef<'a>),
            Equal(self::EmptyAttributeRef<'a>),
            Greater(self::EmptyAttributeRef<'a>),
            GreaterEqual(self::EmptyAttributeRef<'a>),
            ReduceAll(self::AxisAttributeRef<'a>),
            ReduceAny(self::AxisAttributeRef<'a>),
            ReduceMax(self::AxisNanAttributeRef<'a>),
            ReduceMin(self::AxisNanAttributeRef<'a>),
            ReduceProduct(self::AxisAttributeRef<'a>),
            ReduceSum(self::AxisAttributeRef<'a>),
            Concat(self::AxisAttributeRef<'a>),
            Pad(self::EmptyAttributeRef<'a>),
            Reshape(self::EmptyAttributeRef<'a>),
            Reverse(self::AxisAttributeRef<'a>),
            Slice(self::EmptyAttributeRef<'a>),
            Tile(self::EmptyAttributeRef<'a>),
            Transpose(self::TransposeAttributeRef<'a>),
            Gather(self::EmptyAttributeRef<'a>),
            Scatter(self::EmptyAttributeRef<'a>),
            Resize(self::ResizeAttributeRef<'a>),
            Cast(self::EmptyAttributeRef<'a>),
            Rescale(self::RescaleAttributeRef<'a>),
            Const(self::EmptyAttributeRef<'a>),
            Identity(self::EmptyAttributeRef<'a>),
            Custom(self::CustomAttributeRef<'a>),
            CondIf(self::CondIfAttributeRef<'a>),
            WhileLoop(self::WhileLoopAttributeRef<'a>),
            Variable(self::EmptyAttributeRef<'a>),
            VariableWrite(self::EmptyAttributeRef<'a>),
            VariableRead(self::EmptyAttributeRef<'a>),
            ConstShape(self::EmptyAttributeRef<'a>),
        }

        impl<'a> ::core::convert::TryFrom<AttributeRef<'a>> for Attribute {
            type Error = ::planus::Error;

            fn try_from(value: AttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(match value {
                    AttributeRef::ArgMax(value) => Self::ArgMax(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::AvgPool2d(value) => {
                        Self::AvgPool2d(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Conv2d(value) => Self::Conv2d(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Conv3d(value) => Self::Conv3d(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::DepthwiseConv2d(value) => {
                        Self::DepthwiseConv2d(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Fft2d(value) => Self::Fft2d(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::MatMul(value) => Self::MatMul(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::MaxPool2d(value) => {
                        Self::MaxPool2d(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Rfft2d(value) => Self::Rfft2d(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::TransposeConv2d(value) => {
                        Self::TransposeConv2d(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Clamp(value) => Self::Clamp(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Erf(value) => Self::Erf(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Sigmoid(value) => {
                        Self::Sigmoid(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Tanh(value) => Self::Tanh(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Add(value) => Self::Add(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::ArithmeticRightShift(value) => {
                        Self::ArithmeticRightShift(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::BitwiseAnd(value) => {
                        Self::BitwiseAnd(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::BitwiseOr(value) => {
                        Self::BitwiseOr(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::BitwiseXor(value) => {
                        Self::BitwiseXor(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::IntDiv(value) => Self::IntDiv(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::LogicalAnd(value) => {
                        Self::LogicalAnd(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::LogicalLeftShift(value) => {
                        Self::LogicalLeftShift(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::LogicalRightShift(value) => {
                        Self::LogicalRightShift(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::LogicalOr(value) => {
                        Self::LogicalOr(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::LogicalXor(value) => {
                        Self::LogicalXor(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Maximum(value) => {
                        Self::Maximum(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Minimum(value) => {
                        Self::Minimum(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Mul(value) => Self::Mul(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Pow(value) => Self::Pow(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Sub(value) => Self::Sub(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Table(value) => Self::Table(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Abs(value) => Self::Abs(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::BitwiseNot(value) => {
                        Self::BitwiseNot(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Ceil(value) => Self::Ceil(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Clz(value) => Self::Clz(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Cos(value) => Self::Cos(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Exp(value) => Self::Exp(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Floor(value) => Self::Floor(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Log(value) => Self::Log(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::LogicalNot(value) => {
                        Self::LogicalNot(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Negate(value) => Self::Negate(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Reciprocal(value) => {
                        Self::Reciprocal(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Rsqrt(value) => Self::Rsqrt(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Sin(value) => Self::Sin(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Select(value) => Self::Select(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Equal(value) => Self::Equal(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Greater(value) => {
                        Self::Greater(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::GreaterEqual(value) => {
                        Self::GreaterEqual(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::ReduceAll(value) => {
                        Self::ReduceAll(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::ReduceAny(value) => {
                        Self::ReduceAny(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::ReduceMax(value) => {
                        Self::ReduceMax(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::ReduceMin(value) => {
                        Self::ReduceMin(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::ReduceProduct(value) => {
                        Self::ReduceProduct(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::ReduceSum(value) => {
                        Self::ReduceSum(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Concat(value) => Self::Concat(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Pad(value) => Self::Pad(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Reshape(value) => {
                        Self::Reshape(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Reverse(value) => {
                        Self::Reverse(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Slice(value) => Self::Slice(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Tile(value) => Self::Tile(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Transpose(value) => {
                        Self::Transpose(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Gather(value) => Self::Gather(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Scatter(value) => {
                        Self::Scatter(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Resize(value) => Self::Resize(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Cast(value) => Self::Cast(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Rescale(value) => {
                        Self::Rescale(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Const(value) => Self::Const(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::Identity(value) => {
                        Self::Identity(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Custom(value) => Self::Custom(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::CondIf(value) => Self::CondIf(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    AttributeRef::WhileLoop(value) => {
                        Self::WhileLoop(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::Variable(value) => {
                        Self::Variable(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::VariableWrite(value) => {
                        Self::VariableWrite(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::VariableRead(value) => {
                        Self::VariableRead(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    AttributeRef::ConstShape(value) => {
                        Self::ConstShape(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }
                })
            }
        }

        impl<'a> ::planus::TableReadUnion<'a> for AttributeRef<'a> {
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                tag: u8,
                field_offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                match tag {
                    1 => ::core::result::Result::Ok(Self::ArgMax(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    2 => ::core::result::Result::Ok(Self::AvgPool2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    3 => ::core::result::Result::Ok(Self::Conv2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    4 => ::core::result::Result::Ok(Self::Conv3d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    5 => ::core::result::Result::Ok(Self::DepthwiseConv2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    6 => ::core::result::Result::Ok(Self::Fft2d(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    7 => ::core::result::Result::Ok(Self::MatMul(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    8 => ::core::result::Result::Ok(Self::MaxPool2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    9 => ::core::result::Result::Ok(Self::Rfft2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    10 => ::core::result::Result::Ok(Self::TransposeConv2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    11 => ::core::result::Result::Ok(Self::Clamp(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    12 => ::core::result::Result::Ok(Self::Erf(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    13 => ::core::result::Result::Ok(Self::Sigmoid(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    14 => ::core::result::Result::Ok(Self::Tanh(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    15 => ::core::result::Result::Ok(Self::Add(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    16 => ::core::result::Result::Ok(Self::ArithmeticRightShift(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    17 => ::core::result::Result::Ok(Self::BitwiseAnd(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    18 => ::core::result::Result::Ok(Self::BitwiseOr(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    19 => ::core::result::Result::Ok(Self::BitwiseXor(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    20 => ::core::result::Result::Ok(Self::IntDiv(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    21 => ::core::result::Result::Ok(Self::LogicalAnd(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    22 => ::core::result::Result::Ok(Self::LogicalLeftShift(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    23 => ::core::result::Result::Ok(Self::LogicalRightShift(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    24 => ::core::result::Result::Ok(Self::LogicalOr(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    25 => ::core::result::Result::Ok(Self::LogicalXor(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    26 => ::core::result::Result::Ok(Self::Maximum(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    27 => ::core::result::Result::Ok(Self::Minimum(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    28 => ::core::result::Result::Ok(Self::Mul(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    29 => ::core::result::Result::Ok(Self::Pow(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    30 => ::core::result::Result::Ok(Self::Sub(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    31 => ::core::result::Result::Ok(Self::Table(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    32 => ::core::result::Result::Ok(Self::Abs(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    33 => ::core::result::Result::Ok(Self::BitwiseNot(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    34 => ::core::result::Result::Ok(Self::Ceil(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    35 => ::core::result::Result::Ok(Self::Clz(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    36 => ::core::result::Result::Ok(Self::Cos(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    37 => ::core::result::Result::Ok(Self::Exp(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    38 => ::core::result::Result::Ok(Self::Floor(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    39 => ::core::result::Result::Ok(Self::Log(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    40 => ::core::result::Result::Ok(Self::LogicalNot(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    41 => ::core::result::Result::Ok(Self::Negate(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    42 => ::core::result::Result::Ok(Self::Reciprocal(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    43 => ::core::result::Result::Ok(Self::Rsqrt(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    44 => ::core::result::Result::Ok(Self::Sin(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    45 => ::core::result::Result::Ok(Self::Select(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    46 => ::core::result::Result::Ok(Self::Equal(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    47 => ::core::result::Result::Ok(Self::Greater(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    48 => ::core::result::Result::Ok(Self::GreaterEqual(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    49 => ::core::result::Result::Ok(Self::ReduceAll(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    50 => ::core::result::Result::Ok(Self::ReduceAny(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    51 => ::core::result::Result::Ok(Self::ReduceMax(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    52 => ::core::result::Result::Ok(Self::ReduceMin(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    53 => ::core::result::Result::Ok(Self::ReduceProduct(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    54 => ::core::result::Result::Ok(Self::ReduceSum(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    55 => ::core::result::Result::Ok(Self::Concat(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    56 => ::core::result::Result::Ok(Self::Pad(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    57 => ::core::result::Result::Ok(Self::Reshape(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    58 => ::core::result::Result::Ok(Self::Reverse(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    59 => ::core::result::Result::Ok(Self::Slice(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    60 => ::core::result::Result::Ok(Self::Tile(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    61 => ::core::result::Result::Ok(Self::Transpose(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    62 => ::core::result::Result::Ok(Self::Gather(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    63 => ::core::result::Result::Ok(Self::Scatter(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    64 => ::core::result::Result::Ok(Self::Resize(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    65 => ::core::result::Result::Ok(Self::Cast(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    66 => ::core::result::Result::Ok(Self::Rescale(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    67 => ::core::result::Result::Ok(Self::Const(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    68 => ::core::result::Result::Ok(Self::Identity(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    69 => ::core::result::Result::Ok(Self::Custom(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    70 => ::core::result::Result::Ok(Self::CondIf(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    71 => ::core::result::Result::Ok(Self::WhileLoop(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    72 => ::core::result::Result::Ok(Self::Variable(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    73 => ::core::result::Result::Ok(Self::VariableWrite(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    74 => ::core::result::Result::Ok(Self::VariableRead(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    75 => ::core::result::Result::Ok(Self::ConstShape(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    _ => {
                        ::core::result::Result::Err(::planus::errors::ErrorKind::UnknownUnionTag {
                            tag,
                        })
                    }
                }
            }
        }

        impl<'a> ::planus::VectorReadUnion<'a> for AttributeRef<'a> {
            const VECTOR_NAME: &'static str = "[AttributeRef]";
        }

        /// The table `EmptyAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `EmptyAttribute` in the file `schema/tosa.fbs:100`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct EmptyAttribute {}

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for EmptyAttribute {
            fn default() -> Self {
                Self {}
            }
        }

        impl EmptyAttribute {
            /// Creates a [EmptyAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> EmptyAttributeBuilder<()> {
                EmptyAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(builder: &mut ::planus::Builder) -> ::planus::Offset<Self> {
                let table_writer: ::planus::table_writer::TableWriter<4> =
                    ::core::default::Default::default();
                unsafe {
                    table_writer.finish(builder, |_table_writer| {});
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<EmptyAttribute>> for EmptyAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<EmptyAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<EmptyAttribute>> for EmptyAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<EmptyAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<EmptyAttribute> for EmptyAttribute {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<EmptyAttribute> {
                EmptyAttribute::create(builder)
            }
        }

        /// Builder for serializing an instance of the [EmptyAttribute] type.
        ///
        /// Can be created using the [EmptyAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct EmptyAttributeBuilder<State>(State);

        impl EmptyAttributeBuilder<()> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [EmptyAttribute].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<EmptyAttribute>
            where
                Self: ::planus::WriteAsOffset<EmptyAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl ::planus::WriteAs<::planus::Offset<EmptyAttribute>> for EmptyAttributeBuilder<()> {
            type Prepared = ::planus::Offset<EmptyAttribute>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<EmptyAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<EmptyAttribute>> for EmptyAttributeBuilder<()> {
            type Prepared = ::planus::Offset<EmptyAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<EmptyAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<EmptyAttribute> for EmptyAttributeBuilder<()> {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<EmptyAttribute> {
                EmptyAttribute::create(builder)
            }
        }

        /// Reference to a deserialized [EmptyAttribute].
        #[derive(Copy, Clone)]
        pub struct EmptyAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> EmptyAttributeRef<'a> {}

        impl<'a> ::core::fmt::Debug for EmptyAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("EmptyAttributeRef");

                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<EmptyAttributeRef<'a>> for EmptyAttribute {
            type Error = ::planus::Error;

            fn try_from(_value: EmptyAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {})
            }
        }

        impl<'a> ::planus::TableRead<'a> for EmptyAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for EmptyAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[EmptyAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<EmptyAttribute>> for EmptyAttribute {
            type Value = ::planus::Offset<EmptyAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<EmptyAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for EmptyAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[EmptyAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `AxisAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `AxisAttribute` in the file `schema/tosa.fbs:101`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct AxisAttribute {
            /// The field `axis` in the table `AxisAttribute`
            pub axis: i32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for AxisAttribute {
            fn default() -> Self {
                Self { axis: 0 }
            }
        }

        impl AxisAttribute {
            /// Creates a [AxisAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> AxisAttributeBuilder<()> {
                AxisAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_axis: impl ::planus::WriteAsDefault<i32, i32>,
            ) -> ::planus::Offset<Self> {
                let prepared_axis = field_axis.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<6> =
                    ::core::default::Default::default();
                if prepared_axis.is_some() {
                    table_writer.write_entry::<i32>(0);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_axis) = prepared_axis {
                            object_writer.write::<_, _, 4>(&prepared_axis);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<AxisAttribute>> for AxisAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<AxisAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<AxisAttribute>> for AxisAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<AxisAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<AxisAttribute> for AxisAttribute {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<AxisAttribute> {
                AxisAttribute::create(builder, self.axis)
            }
        }

        /// Builder for serializing an instance of the [AxisAttribute] type.
        ///
        /// Can be created using the [AxisAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct AxisAttributeBuilder<State>(State);

        impl AxisAttributeBuilder<()> {
            /// Setter for the [`axis` field](AxisAttribute#structfield.axis).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn axis<T0>(self, value: T0) -> AxisAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<i32, i32>,
            {
                AxisAttributeBuilder((value,))
            }

            /// Sets the [`axis` field](AxisAttribute#structfield.axis) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn axis_as_default(self) -> AxisAttributeBuilder<(::planus::DefaultValue,)> {
                self.axis(::planus::DefaultValue)
            }
        }

        impl<T0> AxisAttributeBuilder<(T0,)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [AxisAttribute].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<AxisAttribute>
            where
                Self: ::planus::WriteAsOffset<AxisAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<i32, i32>>
            ::planus::WriteAs<::planus::Offset<AxisAttribute>> for AxisAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<AxisAttribute>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<AxisAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<i32, i32>>
            ::planus::WriteAsOptional<::planus::Offset<AxisAttribute>>
            for AxisAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<AxisAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<AxisAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsDefault<i32, i32>> ::planus::WriteAsOffset<AxisAttribute>
            for AxisAttributeBuilder<(T0,)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<AxisAttribute> {
                let (v0,) = &self.0;
                AxisAttribute::create(builder, v0)
            }
        }

        /// Reference to a deserialized [AxisAttribute].
        #[derive(Copy, Clone)]
        pub struct AxisAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> AxisAttributeRef<'a> {
            /// Getter for the [`axis` field](AxisAttribute#structfield.axis).
            #[inline]
            pub fn axis(&self) -> ::planus::Result<i32> {
                ::core::result::Result::Ok(self.0.access(0, "AxisAttribute", "axis")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for AxisAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("AxisAttributeRef");
                f.field("axis", &self.axis());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<AxisAttributeRef<'a>> for AxisAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: AxisAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    axis: ::core::convert::TryInto::try_into(value.axis()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for AxisAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for AxisAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[AxisAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<AxisAttribute>> for AxisAttribute {
            type Value = ::planus::Offset<AxisAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<AxisAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for AxisAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[AxisAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `AxisNanAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `AxisNanAttribute` in the file `schema/tosa.fbs:102`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct AxisNanAttribute {
            /// The field `axis` in the table `AxisNanAttribute`
            pub axis: i32,
            /// The field `nan_mode` in the table `AxisNanAttribute`
            pub nan_mode: self::NanPropagationMode,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for AxisNanAttribute {
            fn default() -> Self {
                Self {
                    axis: 0,
                    nan_mode: self::NanPropagationMode::Unknown,
                }
            }
        }

        impl AxisNanAttribute {
            /// Creates a [AxisNanAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> AxisNanAttributeBuilder<()> {
                AxisNanAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_axis: impl ::planus::WriteAsDefault<i32, i32>,
                field_nan_mode: impl ::planus::WriteAsDefault<
                    self::NanPropagationMode,
                    self::NanPropagationMode,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_axis = field_axis.prepare(builder, &0);
                let prepared_nan_mode =
                    field_nan_mode.prepare(builder, &self::NanPropagationMode::Unknown);

                let mut table_writer: ::planus::table_writer::TableWriter<8> =
                    ::core::default::Default::default();
                if prepared_axis.is_some() {
                    table_writer.write_entry::<i32>(0);
                }
                if prepared_nan_mode.is_some() {
                    table_writer.write_entry::<self::NanPropagationMode>(1);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_axis) = prepared_axis {
                            object_writer.write::<_, _, 4>(&prepared_axis);
                        }
                        if let ::core::option::Option::Some(prepared_nan_mode) = prepared_nan_mode {
                            object_writer.write::<_, _, 4>(&prepared_nan_mode);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<AxisNanAttribute>> for AxisNanAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<AxisNanAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<AxisNanAttribute>> for AxisNanAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<AxisNanAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<AxisNanAttribute> for AxisNanAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<AxisNanAttribute> {
                AxisNanAttribute::create(builder, self.axis, self.nan_mode)
            }
        }

        /// Builder for serializing an instance of the [AxisNanAttribute] type.
        ///
        /// Can be created using the [AxisNanAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct AxisNanAttributeBuilder<State>(State);

        impl AxisNanAttributeBuilder<()> {
            /// Setter for the [`axis` field](AxisNanAttribute#structfield.axis).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn axis<T0>(self, value: T0) -> AxisNanAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<i32, i32>,
            {
                AxisNanAttributeBuilder((value,))
            }

            /// Sets the [`axis` field](AxisNanAttribute#structfield.axis) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn axis_as_default(self) -> AxisNanAttributeBuilder<(::planus::DefaultValue,)> {
                self.axis(::planus::DefaultValue)
            }
        }

        impl<T0> AxisNanAttributeBuilder<(T0,)> {
            /// Setter for the [`nan_mode` field](AxisNanAttribute#structfield.nan_mode).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn nan_mode<T1>(self, value: T1) -> AxisNanAttributeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
            {
                let (v0,) = self.0;
                AxisNanAttributeBuilder((v0, value))
            }

            /// Sets the [`nan_mode` field](AxisNanAttribute#structfield.nan_mode) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn nan_mode_as_default(
                self,
            ) -> AxisNanAttributeBuilder<(T0, ::planus::DefaultValue)> {
                self.nan_mode(::planus::DefaultValue)
            }
        }

        impl<T0, T1> AxisNanAttributeBuilder<(T0, T1)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [AxisNanAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<AxisNanAttribute>
            where
                Self: ::planus::WriteAsOffset<AxisNanAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<i32, i32>,
            T1: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
        > ::planus::WriteAs<::planus::Offset<AxisNanAttribute>>
            for AxisNanAttributeBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<AxisNanAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<AxisNanAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<i32, i32>,
            T1: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
        > ::planus::WriteAsOptional<::planus::Offset<AxisNanAttribute>>
            for AxisNanAttributeBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<AxisNanAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<AxisNanAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<i32, i32>,
            T1: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
        > ::planus::WriteAsOffset<AxisNanAttribute> for AxisNanAttributeBuilder<(T0, T1)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<AxisNanAttribute> {
                let (v0, v1) = &self.0;
                AxisNanAttribute::create(builder, v0, v1)
            }
        }

        /// Reference to a deserialized [AxisNanAttribute].
        #[derive(Copy, Clone)]
        pub struct AxisNanAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> AxisNanAttributeRef<'a> {
            /// Getter for the [`axis` field](AxisNanAttribute#structfield.axis).
            #[inline]
            pub fn axis(&self) -> ::planus::Result<i32> {
                ::core::result::Result::Ok(
                    self.0.access(0, "AxisNanAttribute", "axis")?.unwrap_or(0),
                )
            }

            /// Getter for the [`nan_mode` field](AxisNanAttribute#structfield.nan_mode).
            #[inline]
            pub fn nan_mode(&self) -> ::planus::Result<self::NanPropagationMode> {
                ::core::result::Result::Ok(
                    self.0
                        .access(1, "AxisNanAttribute", "nan_mode")?
                        .unwrap_or(self::NanPropagationMode::Unknown),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for AxisNanAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("AxisNanAttributeRef");
                f.field("axis", &self.axis());
                f.field("nan_mode", &self.nan_mode());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<AxisNanAttributeRef<'a>> for AxisNanAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: AxisNanAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    axis: ::core::convert::TryInto::try_into(value.axis()?)?,
                    nan_mode: ::core::convert::TryInto::try_into(value.nan_mode()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for AxisNanAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for AxisNanAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[AxisNanAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<AxisNanAttribute>> for AxisNanAttribute {
            type Value = ::planus::Offset<AxisNanAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<AxisNanAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for AxisNanAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[AxisNanAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NanAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `NanAttribute` in the file `schema/tosa.fbs:103`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct NanAttribute {
            /// The field `nan_mode` in the table `NanAttribute`
            pub nan_mode: self::NanPropagationMode,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NanAttribute {
            fn default() -> Self {
                Self {
                    nan_mode: self::NanPropagationMode::Unknown,
                }
            }
        }

        impl NanAttribute {
            /// Creates a [NanAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NanAttributeBuilder<()> {
                NanAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_nan_mode: impl ::planus::WriteAsDefault<
                    self::NanPropagationMode,
                    self::NanPropagationMode,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_nan_mode =
                    field_nan_mode.prepare(builder, &self::NanPropagationMode::Unknown);

                let mut table_writer: ::planus::table_writer::TableWriter<6> =
                    ::core::default::Default::default();
                if prepared_nan_mode.is_some() {
                    table_writer.write_entry::<self::NanPropagationMode>(0);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_nan_mode) = prepared_nan_mode {
                            object_writer.write::<_, _, 4>(&prepared_nan_mode);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NanAttribute>> for NanAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NanAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NanAttribute>> for NanAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NanAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NanAttribute> for NanAttribute {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NanAttribute> {
                NanAttribute::create(builder, self.nan_mode)
            }
        }

        /// Builder for serializing an instance of the [NanAttribute] type.
        ///
        /// Can be created using the [NanAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NanAttributeBuilder<State>(State);

        impl NanAttributeBuilder<()> {
            /// Setter for the [`nan_mode` field](NanAttribute#structfield.nan_mode).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn nan_mode<T0>(self, value: T0) -> NanAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
            {
                NanAttributeBuilder((value,))
            }

            /// Sets the [`nan_mode` field](NanAttribute#structfield.nan_mode) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn nan_mode_as_default(self) -> NanAttributeBuilder<(::planus::DefaultValue,)> {
                self.nan_mode(::planus::DefaultValue)
            }
        }

        impl<T0> NanAttributeBuilder<(T0,)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NanAttribute].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<NanAttribute>
            where
                Self: ::planus::WriteAsOffset<NanAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>>
            ::planus::WriteAs<::planus::Offset<NanAttribute>> for NanAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<NanAttribute>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NanAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>>
            ::planus::WriteAsOptional<::planus::Offset<NanAttribute>>
            for NanAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<NanAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NanAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>>
            ::planus::WriteAsOffset<NanAttribute> for NanAttributeBuilder<(T0,)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NanAttribute> {
                let (v0,) = &self.0;
                NanAttribute::create(builder, v0)
            }
        }

        /// Reference to a deserialized [NanAttribute].
        #[derive(Copy, Clone)]
        pub struct NanAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NanAttributeRef<'a> {
            /// Getter for the [`nan_mode` field](NanAttribute#structfield.nan_mode).
            #[inline]
            pub fn nan_mode(&self) -> ::planus::Result<self::NanPropagationMode> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "NanAttribute", "nan_mode")?
                        .unwrap_or(self::NanPropagationMode::Unknown),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for NanAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NanAttributeRef");
                f.field("nan_mode", &self.nan_mode());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NanAttributeRef<'a>> for NanAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NanAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    nan_mode: ::core::convert::TryInto::try_into(value.nan_mode()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NanAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for NanAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[NanAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NanAttribute>> for NanAttribute {
            type Value = ::planus::Offset<NanAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NanAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for NanAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NanAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `ConvAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `ConvAttribute` in the file `schema/tosa.fbs:104`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct ConvAttribute {
            /// The field `pad` in the table `ConvAttribute`
            pub pad: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `stride` in the table `ConvAttribute`
            pub stride: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `dilation` in the table `ConvAttribute`
            pub dilation: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `local_bound` in the table `ConvAttribute`
            pub local_bound: bool,
            /// The field `acc_type` in the table `ConvAttribute`
            pub acc_type: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for ConvAttribute {
            fn default() -> Self {
                Self {
                    pad: ::core::default::Default::default(),
                    stride: ::core::default::Default::default(),
                    dilation: ::core::default::Default::default(),
                    local_bound: false,
                    acc_type: 0,
                }
            }
        }

        impl ConvAttribute {
            /// Creates a [ConvAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> ConvAttributeBuilder<()> {
                ConvAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_pad: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_stride: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_dilation: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_local_bound: impl ::planus::WriteAsDefault<bool, bool>,
                field_acc_type: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_pad = field_pad.prepare(builder);
                let prepared_stride = field_stride.prepare(builder);
                let prepared_dilation = field_dilation.prepare(builder);
                let prepared_local_bound = field_local_bound.prepare(builder, &false);
                let prepared_acc_type = field_acc_type.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<14> =
                    ::core::default::Default::default();
                if prepared_pad.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(0);
                }
                if prepared_stride.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(1);
                }
                if prepared_dilation.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(2);
                }
                if prepared_acc_type.is_some() {
                    table_writer.write_entry::<u32>(4);
                }
                if prepared_local_bound.is_some() {
                    table_writer.write_entry::<bool>(3);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_pad) = prepared_pad {
                            object_writer.write::<_, _, 4>(&prepared_pad);
                        }
                        if let ::core::option::Option::Some(prepared_stride) = prepared_stride {
                            object_writer.write::<_, _, 4>(&prepared_stride);
                        }
                        if let ::core::option::Option::Some(prepared_dilation) = prepared_dilation {
                            object_writer.write::<_, _, 4>(&prepared_dilation);
                        }
                        if let ::core::option::Option::Some(prepared_acc_type) = prepared_acc_type {
                            object_writer.write::<_, _, 4>(&prepared_acc_type);
                        }
                        if let ::core::option::Option::Some(prepared_local_bound) =
                            prepared_local_bound
                        {
                            object_writer.write::<_, _, 1>(&prepared_local_bound);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<ConvAttribute>> for ConvAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<ConvAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<ConvAttribute>> for ConvAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<ConvAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<ConvAttribute> for ConvAttribute {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<ConvAttribute> {
                ConvAttribute::create(
                    builder,
                    &self.pad,
                    &self.stride,
                    &self.dilation,
                    self.local_bound,
                    self.acc_type,
                )
            }
        }

        /// Builder for serializing an instance of the [ConvAttribute] type.
        ///
        /// Can be created using the [ConvAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct ConvAttributeBuilder<State>(State);

        impl ConvAttributeBuilder<()> {
            /// Setter for the [`pad` field](ConvAttribute#structfield.pad).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pad<T0>(self, value: T0) -> ConvAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                ConvAttributeBuilder((value,))
            }

            /// Sets the [`pad` field](ConvAttribute#structfield.pad) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pad_as_null(self) -> ConvAttributeBuilder<((),)> {
                self.pad(())
            }
        }

        impl<T0> ConvAttributeBuilder<(T0,)> {
            /// Setter for the [`stride` field](ConvAttribute#structfield.stride).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride<T1>(self, value: T1) -> ConvAttributeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                let (v0,) = self.0;
                ConvAttributeBuilder((v0, value))
            }

            /// Sets the [`stride` field](ConvAttribute#structfield.stride) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride_as_null(self) -> ConvAttributeBuilder<(T0, ())> {
                self.stride(())
            }
        }

        impl<T0, T1> ConvAttributeBuilder<(T0, T1)> {
            /// Setter for the [`dilation` field](ConvAttribute#structfield.dilation).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dilation<T2>(self, value: T2) -> ConvAttributeBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                let (v0, v1) = self.0;
                ConvAttributeBuilder((v0, v1, value))
            }

            /// Sets the [`dilation` field](ConvAttribute#structfield.dilation) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dilation_as_null(self) -> ConvAttributeBuilder<(T0, T1, ())> {
                self.dilation(())
            }
        }

        impl<T0, T1, T2> ConvAttributeBuilder<(T0, T1, T2)> {
            /// Setter for the [`local_bound` field](ConvAttribute#structfield.local_bound).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn local_bound<T3>(self, value: T3) -> ConvAttributeBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<bool, bool>,
            {
                let (v0, v1, v2) = self.0;
                ConvAttributeBuilder((v0, v1, v2, value))
            }

            /// Sets the [`local_bound` field](ConvAttribute#structfield.local_bound) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn local_bound_as_default(
                self,
            ) -> ConvAttributeBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.local_bound(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> ConvAttributeBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`acc_type` field](ConvAttribute#structfield.acc_type).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn acc_type<T4>(self, value: T4) -> ConvAttributeBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                ConvAttributeBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`acc_type` field](ConvAttribute#structfield.acc_type) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn acc_type_as_default(
                self,
            ) -> ConvAttributeBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.acc_type(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> ConvAttributeBuilder<(T0, T1, T2, T3, T4)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [ConvAttribute].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<ConvAttribute>
            where
                Self: ::planus::WriteAsOffset<ConvAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T3: ::planus::WriteAsDefault<bool, bool>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<ConvAttribute>>
            for ConvAttributeBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<ConvAttribute>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<ConvAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T3: ::planus::WriteAsDefault<bool, bool>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<ConvAttribute>>
            for ConvAttributeBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<ConvAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<ConvAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T3: ::planus::WriteAsDefault<bool, bool>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<ConvAttribute> for ConvAttributeBuilder<(T0, T1, T2, T3, T4)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<ConvAttribute> {
                let (v0, v1, v2, v3, v4) = &self.0;
                ConvAttribute::create(builder, v0, v1, v2, v3, v4)
            }
        }

        /// Reference to a deserialized [ConvAttribute].
        #[derive(Copy, Clone)]
        pub struct ConvAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> ConvAttributeRef<'a> {
            /// Getter for the [`pad` field](ConvAttribute#structfield.pad).
            #[inline]
            pub fn pad(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(0, "ConvAttribute", "pad")
            }

            /// Getter for the [`stride` field](ConvAttribute#structfield.stride).
            #[inline]
            pub fn stride(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(1, "ConvAttribute", "stride")
            }

            /// Getter for the [`dilation` field](ConvAttribute#structfield.dilation).
            #[inline]
            pub fn dilation(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(2, "ConvAttribute", "dilation")
            }

            /// Getter for the [`local_bound` field](ConvAttribute#structfield.local_bound).
            #[inline]
            pub fn local_bound(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0
                        .access(3, "ConvAttribute", "local_bound")?
                        .unwrap_or(false),
                )
            }

            /// Getter for the [`acc_type` field](ConvAttribute#structfield.acc_type).
            #[inline]
            pub fn acc_type(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(4, "ConvAttribute", "acc_type")?.unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for ConvAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("ConvAttributeRef");
                if let ::core::option::Option::Some(field_pad) = self.pad().transpose() {
                    f.field("pad", &field_pad);
                }
                if let ::core::option::Option::Some(field_stride) = self.stride().transpose() {
                    f.field("stride", &field_stride);
                }
                if let ::core::option::Option::Some(field_dilation) = self.dilation().transpose() {
                    f.field("dilation", &field_dilation);
                }
                f.field("local_bound", &self.local_bound());
                f.field("acc_type", &self.acc_type());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<ConvAttributeRef<'a>> for ConvAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: ConvAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    pad: if let ::core::option::Option::Some(pad) = value.pad()? {
                        ::core::option::Option::Some(pad.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    stride: if let ::core::option::Option::Some(stride) = value.stride()? {
                        ::core::option::Option::Some(stride.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    dilation: if let ::core::option::Option::Some(dilation) = value.dilation()? {
                        ::core::option::Option::Some(dilation.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    local_bound: ::core::convert::TryInto::try_into(value.local_bound()?)?,
                    acc_type: ::core::convert::TryInto::try_into(value.acc_type()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for ConvAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for ConvAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[ConvAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<ConvAttribute>> for ConvAttribute {
            type Value = ::planus::Offset<ConvAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<ConvAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for ConvAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[ConvAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `AvgPool2dAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `AvgPool2dAttribute` in the file `schema/tosa.fbs:105`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct AvgPool2dAttribute {
            /// The field `kernel` in the table `AvgPool2dAttribute`
            pub kernel: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `stride` in the table `AvgPool2dAttribute`
            pub stride: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `pad` in the table `AvgPool2dAttribute`
            pub pad: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `acc_type` in the table `AvgPool2dAttribute`
            pub acc_type: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for AvgPool2dAttribute {
            fn default() -> Self {
                Self {
                    kernel: ::core::default::Default::default(),
                    stride: ::core::default::Default::default(),
                    pad: ::core::default::Default::default(),
                    acc_type: 0,
                }
            }
        }

        impl AvgPool2dAttribute {
            /// Creates a [AvgPool2dAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> AvgPool2dAttributeBuilder<()> {
                AvgPool2dAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_kernel: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_stride: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_pad: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_acc_type: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_kernel = field_kernel.prepare(builder);
                let prepared_stride = field_stride.prepare(builder);
                let prepared_pad = field_pad.prepare(builder);
                let prepared_acc_type = field_acc_type.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<12> =
                    ::core::default::Default::default();
                if prepared_kernel.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(0);
                }
                if prepared_stride.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(1);
                }
                if prepared_pad.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(2);
                }
                if prepared_acc_type.is_some() {
                    table_writer.write_entry::<u32>(3);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_kernel) = prepared_kernel {
                            object_writer.write::<_, _, 4>(&prepared_kernel);
                        }
                        if let ::core::option::Option::Some(prepared_stride) = prepared_stride {
                            object_writer.write::<_, _, 4>(&prepared_stride);
                        }
                        if let ::core::option::Option::Some(prepared_pad) = prepared_pad {
                            object_writer.write::<_, _, 4>(&prepared_pad);
                        }
                        if let ::core::option::Option::Some(prepared_acc_type) = prepared_acc_type {
                            object_writer.write::<_, _, 4>(&prepared_acc_type);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<AvgPool2dAttribute>> for AvgPool2dAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<AvgPool2dAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<AvgPool2dAttribute>> for AvgPool2dAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<AvgPool2dAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<AvgPool2dAttribute> for AvgPool2dAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<AvgPool2dAttribute> {
                AvgPool2dAttribute::create(
                    builder,
                    &self.kernel,
                    &self.stride,
                    &self.pad,
                    self.acc_type,
                )
            }
        }

        /// Builder for serializing an instance of the [AvgPool2dAttribute] type.
        ///
        /// Can be created using the [AvgPool2dAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct AvgPool2dAttributeBuilder<State>(State);

        impl AvgPool2dAttributeBuilder<()> {
            /// Setter for the [`kernel` field](AvgPool2dAttribute#structfield.kernel).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn kernel<T0>(self, value: T0) -> AvgPool2dAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                AvgPool2dAttributeBuilder((value,))
            }

            /// Sets the [`kernel` field](AvgPool2dAttribute#structfield.kernel) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn kernel_as_null(self) -> AvgPool2dAttributeBuilder<((),)> {
                self.kernel(())
            }
        }

        impl<T0> AvgPool2dAttributeBuilder<(T0,)> {
            /// Setter for the [`stride` field](AvgPool2dAttribute#structfield.stride).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride<T1>(self, value: T1) -> AvgPool2dAttributeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                let (v0,) = self.0;
                AvgPool2dAttributeBuilder((v0, value))
            }

            /// Sets the [`stride` field](AvgPool2dAttribute#structfield.stride) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride_as_null(self) -> AvgPool2dAttributeBuilder<(T0, ())> {
                self.stride(())
            }
        }

        impl<T0, T1> AvgPool2dAttributeBuilder<(T0, T1)> {
            /// Setter for the [`pad` field](AvgPool2dAttribute#structfield.pad).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pad<T2>(self, value: T2) -> AvgPool2dAttributeBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                let (v0, v1) = self.0;
                AvgPool2dAttributeBuilder((v0, v1, value))
            }

            /// Sets the [`pad` field](AvgPool2dAttribute#structfield.pad) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pad_as_null(self) -> AvgPool2dAttributeBuilder<(T0, T1, ())> {
                self.pad(())
            }
        }

        impl<T0, T1, T2> AvgPool2dAttributeBuilder<(T0, T1, T2)> {
            /// Setter for the [`acc_type` field](AvgPool2dAttribute#structfield.acc_type).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn acc_type<T3>(self, value: T3) -> AvgPool2dAttributeBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                AvgPool2dAttributeBuilder((v0, v1, v2, value))
            }

            /// Sets the [`acc_type` field](AvgPool2dAttribute#structfield.acc_type) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn acc_type_as_default(
                self,
            ) -> AvgPool2dAttributeBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.acc_type(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> AvgPool2dAttributeBuilder<(T0, T1, T2, T3)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [AvgPool2dAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<AvgPool2dAttribute>
            where
                Self: ::planus::WriteAsOffset<AvgPool2dAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<AvgPool2dAttribute>>
            for AvgPool2dAttributeBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<AvgPool2dAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<AvgPool2dAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<AvgPool2dAttribute>>
            for AvgPool2dAttributeBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<AvgPool2dAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<AvgPool2dAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<AvgPool2dAttribute>
            for AvgPool2dAttributeBuilder<(T0, T1, T2, T3)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<AvgPool2dAttribute> {
                let (v0, v1, v2, v3) = &self.0;
                AvgPool2dAttribute::create(builder, v0, v1, v2, v3)
            }
        }

        /// Reference to a deserialized [AvgPool2dAttribute].
        #[derive(Copy, Clone)]
        pub struct AvgPool2dAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> AvgPool2dAttributeRef<'a> {
            /// Getter for the [`kernel` field](AvgPool2dAttribute#structfield.kernel).
            #[inline]
            pub fn kernel(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(0, "AvgPool2dAttribute", "kernel")
            }

            /// Getter for the [`stride` field](AvgPool2dAttribute#structfield.stride).
            #[inline]
            pub fn stride(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(1, "AvgPool2dAttribute", "stride")
            }

            /// Getter for the [`pad` field](AvgPool2dAttribute#structfield.pad).
            #[inline]
            pub fn pad(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(2, "AvgPool2dAttribute", "pad")
            }

            /// Getter for the [`acc_type` field](AvgPool2dAttribute#structfield.acc_type).
            #[inline]
            pub fn acc_type(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(3, "AvgPool2dAttribute", "acc_type")?
                        .unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for AvgPool2dAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("AvgPool2dAttributeRef");
                if let ::core::option::Option::Some(field_kernel) = self.kernel().transpose() {
                    f.field("kernel", &field_kernel);
                }
                if let ::core::option::Option::Some(field_stride) = self.stride().transpose() {
                    f.field("stride", &field_stride);
                }
                if let ::core::option::Option::Some(field_pad) = self.pad().transpose() {
                    f.field("pad", &field_pad);
                }
                f.field("acc_type", &self.acc_type());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<AvgPool2dAttributeRef<'a>> for AvgPool2dAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: AvgPool2dAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    kernel: if let ::core::option::Option::Some(kernel) = value.kernel()? {
                        ::core::option::Option::Some(kernel.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    stride: if let ::core::option::Option::Some(stride) = value.stride()? {
                        ::core::option::Option::Some(stride.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    pad: if let ::core::option::Option::Some(pad) = value.pad()? {
                        ::core::option::Option::Some(pad.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    acc_type: ::core::convert::TryInto::try_into(value.acc_type()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for AvgPool2dAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for AvgPool2dAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[AvgPool2dAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<AvgPool2dAttribute>> for AvgPool2dAttribute {
            type Value = ::planus::Offset<AvgPool2dAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<AvgPool2dAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for AvgPool2dAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[AvgPool2dAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `MaxPool2dAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `MaxPool2dAttribute` in the file `schema/tosa.fbs:106`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct MaxPool2dAttribute {
            /// The field `kernel` in the table `MaxPool2dAttribute`
            pub kernel: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `stride` in the table `MaxPool2dAttribute`
            pub stride: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `pad` in the table `MaxPool2dAttribute`
            pub pad: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `nan_mode` in the table `MaxPool2dAttribute`
            pub nan_mode: self::NanPropagationMode,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for MaxPool2dAttribute {
            fn default() -> Self {
                Self {
                    kernel: ::core::default::Default::default(),
                    stride: ::core::default::Default::default(),
                    pad: ::core::default::Default::default(),
                    nan_mode: self::NanPropagationMode::Unknown,
                }
            }
        }

        impl MaxPool2dAttribute {
            /// Creates a [MaxPool2dAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> MaxPool2dAttributeBuilder<()> {
                MaxPool2dAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_kernel: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_stride: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_pad: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_nan_mode: impl ::planus::WriteAsDefault<
                    self::NanPropagationMode,
                    self::NanPropagationMode,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_kernel = field_kernel.prepare(builder);
                let prepared_stride = field_stride.prepare(builder);
                let prepared_pad = field_pad.prepare(builder);
                let prepared_nan_mode =
                    field_nan_mode.prepare(builder, &self::NanPropagationMode::Unknown);

                let mut table_writer: ::planus::table_writer::TableWriter<12> =
                    ::core::default::Default::default();
                if prepared_kernel.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(0);
                }
                if prepared_stride.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(1);
                }
                if prepared_pad.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(2);
                }
                if prepared_nan_mode.is_some() {
                    table_writer.write_entry::<self::NanPropagationMode>(3);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_kernel) = prepared_kernel {
                            object_writer.write::<_, _, 4>(&prepared_kernel);
                        }
                        if let ::core::option::Option::Some(prepared_stride) = prepared_stride {
                            object_writer.write::<_, _, 4>(&prepared_stride);
                        }
                        if let ::core::option::Option::Some(prepared_pad) = prepared_pad {
                            object_writer.write::<_, _, 4>(&prepared_pad);
                        }
                        if let ::core::option::Option::Some(prepared_nan_mode) = prepared_nan_mode {
                            object_writer.write::<_, _, 4>(&prepared_nan_mode);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<MaxPool2dAttribute>> for MaxPool2dAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<MaxPool2dAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<MaxPool2dAttribute>> for MaxPool2dAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<MaxPool2dAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<MaxPool2dAttribute> for MaxPool2dAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<MaxPool2dAttribute> {
                MaxPool2dAttribute::create(
                    builder,
                    &self.kernel,
                    &self.stride,
                    &self.pad,
                    self.nan_mode,
                )
            }
        }

        /// Builder for serializing an instance of the [MaxPool2dAttribute] type.
        ///
        /// Can be created using the [MaxPool2dAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct MaxPool2dAttributeBuilder<State>(State);

        impl MaxPool2dAttributeBuilder<()> {
            /// Setter for the [`kernel` field](MaxPool2dAttribute#structfield.kernel).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn kernel<T0>(self, value: T0) -> MaxPool2dAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                MaxPool2dAttributeBuilder((value,))
            }

            /// Sets the [`kernel` field](MaxPool2dAttribute#structfield.kernel) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn kernel_as_null(self) -> MaxPool2dAttributeBuilder<((),)> {
                self.kernel(())
            }
        }

        impl<T0> MaxPool2dAttributeBuilder<(T0,)> {
            /// Setter for the [`stride` field](MaxPool2dAttribute#structfield.stride).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride<T1>(self, value: T1) -> MaxPool2dAttributeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                let (v0,) = self.0;
                MaxPool2dAttributeBuilder((v0, value))
            }

            /// Sets the [`stride` field](MaxPool2dAttribute#structfield.stride) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride_as_null(self) -> MaxPool2dAttributeBuilder<(T0, ())> {
                self.stride(())
            }
        }

        impl<T0, T1> MaxPool2dAttributeBuilder<(T0, T1)> {
            /// Setter for the [`pad` field](MaxPool2dAttribute#structfield.pad).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pad<T2>(self, value: T2) -> MaxPool2dAttributeBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                let (v0, v1) = self.0;
                MaxPool2dAttributeBuilder((v0, v1, value))
            }

            /// Sets the [`pad` field](MaxPool2dAttribute#structfield.pad) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pad_as_null(self) -> MaxPool2dAttributeBuilder<(T0, T1, ())> {
                self.pad(())
            }
        }

        impl<T0, T1, T2> MaxPool2dAttributeBuilder<(T0, T1, T2)> {
            /// Setter for the [`nan_mode` field](MaxPool2dAttribute#structfield.nan_mode).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn nan_mode<T3>(self, value: T3) -> MaxPool2dAttributeBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
            {
                let (v0, v1, v2) = self.0;
                MaxPool2dAttributeBuilder((v0, v1, v2, value))
            }

            /// Sets the [`nan_mode` field](MaxPool2dAttribute#structfield.nan_mode) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn nan_mode_as_default(
                self,
            ) -> MaxPool2dAttributeBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.nan_mode(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> MaxPool2dAttributeBuilder<(T0, T1, T2, T3)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [MaxPool2dAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<MaxPool2dAttribute>
            where
                Self: ::planus::WriteAsOffset<MaxPool2dAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T3: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
        > ::planus::WriteAs<::planus::Offset<MaxPool2dAttribute>>
            for MaxPool2dAttributeBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<MaxPool2dAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<MaxPool2dAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T3: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
        > ::planus::WriteAsOptional<::planus::Offset<MaxPool2dAttribute>>
            for MaxPool2dAttributeBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<MaxPool2dAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<MaxPool2dAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T3: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
        > ::planus::WriteAsOffset<MaxPool2dAttribute>
            for MaxPool2dAttributeBuilder<(T0, T1, T2, T3)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<MaxPool2dAttribute> {
                let (v0, v1, v2, v3) = &self.0;
                MaxPool2dAttribute::create(builder, v0, v1, v2, v3)
            }
        }

        /// Reference to a deserialized [MaxPool2dAttribute].
        #[derive(Copy, Clone)]
        pub struct MaxPool2dAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> MaxPool2dAttributeRef<'a> {
            /// Getter for the [`kernel` field](MaxPool2dAttribute#structfield.kernel).
            #[inline]
            pub fn kernel(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(0, "MaxPool2dAttribute", "kernel")
            }

            /// Getter for the [`stride` field](MaxPool2dAttribute#structfield.stride).
            #[inline]
            pub fn stride(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(1, "MaxPool2dAttribute", "stride")
            }

            /// Getter for the [`pad` field](MaxPool2dAttribute#structfield.pad).
            #[inline]
            pub fn pad(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(2, "MaxPool2dAttribute", "pad")
            }

            /// Getter for the [`nan_mode` field](MaxPool2dAttribute#structfield.nan_mode).
            #[inline]
            pub fn nan_mode(&self) -> ::planus::Result<self::NanPropagationMode> {
                ::core::result::Result::Ok(
                    self.0
                        .access(3, "MaxPool2dAttribute", "nan_mode")?
                        .unwrap_or(self::NanPropagationMode::Unknown),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for MaxPool2dAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("MaxPool2dAttributeRef");
                if let ::core::option::Option::Some(field_kernel) = self.kernel().transpose() {
                    f.field("kernel", &field_kernel);
                }
                if let ::core::option::Option::Some(field_stride) = self.stride().transpose() {
                    f.field("stride", &field_stride);
                }
                if let ::core::option::Option::Some(field_pad) = self.pad().transpose() {
                    f.field("pad", &field_pad);
                }
                f.field("nan_mode", &self.nan_mode());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<MaxPool2dAttributeRef<'a>> for MaxPool2dAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: MaxPool2dAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    kernel: if let ::core::option::Option::Some(kernel) = value.kernel()? {
                        ::core::option::Option::Some(kernel.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    stride: if let ::core::option::Option::Some(stride) = value.stride()? {
                        ::core::option::Option::Some(stride.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    pad: if let ::core::option::Option::Some(pad) = value.pad()? {
                        ::core::option::Option::Some(pad.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    nan_mode: ::core::convert::TryInto::try_into(value.nan_mode()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for MaxPool2dAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for MaxPool2dAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[MaxPool2dAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<MaxPool2dAttribute>> for MaxPool2dAttribute {
            type Value = ::planus::Offset<MaxPool2dAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<MaxPool2dAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for MaxPool2dAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[MaxPool2dAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `FFT2dAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `FFT2dAttribute` in the file `schema/tosa.fbs:107`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct Fft2dAttribute {
            /// The field `inverse` in the table `FFT2dAttribute`
            pub inverse: bool,
            /// The field `local_bound` in the table `FFT2dAttribute`
            pub local_bound: bool,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for Fft2dAttribute {
            fn default() -> Self {
                Self {
                    inverse: false,
                    local_bound: false,
                }
            }
        }

        impl Fft2dAttribute {
            /// Creates a [Fft2dAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> Fft2dAttributeBuilder<()> {
                Fft2dAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_inverse: impl ::planus::WriteAsDefault<bool, bool>,
                field_local_bound: impl ::planus::WriteAsDefault<bool, bool>,
            ) -> ::planus::Offset<Self> {
                let prepared_inverse = field_inverse.prepare(builder, &false);
                let prepared_local_bound = field_local_bound.prepare(builder, &false);

                let mut table_writer: ::planus::table_writer::TableWriter<8> =
                    ::core::default::Default::default();
                if prepared_inverse.is_some() {
                    table_writer.write_entry::<bool>(0);
                }
                if prepared_local_bound.is_some() {
                    table_writer.write_entry::<bool>(1);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_inverse) = prepared_inverse {
                            object_writer.write::<_, _, 1>(&prepared_inverse);
                        }
                        if let ::core::option::Option::Some(prepared_local_bound) =
                            prepared_local_bound
                        {
                            object_writer.write::<_, _, 1>(&prepared_local_bound);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<Fft2dAttribute>> for Fft2dAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Fft2dAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<Fft2dAttribute>> for Fft2dAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Fft2dAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<Fft2dAttribute> for Fft2dAttribute {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Fft2dAttribute> {
                Fft2dAttribute::create(builder, self.inverse, self.local_bound)
            }
        }

        /// Builder for serializing an instance of the [Fft2dAttribute] type.
        ///
        /// Can be created using the [Fft2dAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct Fft2dAttributeBuilder<State>(State);

        impl Fft2dAttributeBuilder<()> {
            /// Setter for the [`inverse` field](Fft2dAttribute#structfield.inverse).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn inverse<T0>(self, value: T0) -> Fft2dAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<bool, bool>,
            {
                Fft2dAttributeBuilder((value,))
            }

            /// Sets the [`inverse` field](Fft2dAttribute#structfield.inverse) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn inverse_as_default(self) -> Fft2dAttributeBuilder<(::planus::DefaultValue,)> {
                self.inverse(::planus::DefaultValue)
            }
        }

        impl<T0> Fft2dAttributeBuilder<(T0,)> {
            /// Setter for the [`local_bound` field](Fft2dAttribute#structfield.local_bound).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn local_bound<T1>(self, value: T1) -> Fft2dAttributeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<bool, bool>,
            {
                let (v0,) = self.0;
                Fft2dAttributeBuilder((v0, value))
            }

            /// Sets the [`local_bound` field](Fft2dAttribute#structfield.local_bound) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn local_bound_as_default(
                self,
            ) -> Fft2dAttributeBuilder<(T0, ::planus::DefaultValue)> {
                self.local_bound(::planus::DefaultValue)
            }
        }

        impl<T0, T1> Fft2dAttributeBuilder<(T0, T1)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [Fft2dAttribute].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<Fft2dAttribute>
            where
                Self: ::planus::WriteAsOffset<Fft2dAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<bool, bool>, T1: ::planus::WriteAsDefault<bool, bool>>
            ::planus::WriteAs<::planus::Offset<Fft2dAttribute>>
            for Fft2dAttributeBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<Fft2dAttribute>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Fft2dAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<bool, bool>, T1: ::planus::WriteAsDefault<bool, bool>>
            ::planus::WriteAsOptional<::planus::Offset<Fft2dAttribute>>
            for Fft2dAttributeBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<Fft2dAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Fft2dAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsDefault<bool, bool>, T1: ::planus::WriteAsDefault<bool, bool>>
            ::planus::WriteAsOffset<Fft2dAttribute> for Fft2dAttributeBuilder<(T0, T1)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Fft2dAttribute> {
                let (v0, v1) = &self.0;
                Fft2dAttribute::create(builder, v0, v1)
            }
        }

        /// Reference to a deserialized [Fft2dAttribute].
        #[derive(Copy, Clone)]
        pub struct Fft2dAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> Fft2dAttributeRef<'a> {
            /// Getter for the [`inverse` field](Fft2dAttribute#structfield.inverse).
            #[inline]
            pub fn inverse(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "Fft2dAttribute", "inverse")?
                        .unwrap_or(false),
                )
            }

            /// Getter for the [`local_bound` field](Fft2dAttribute#structfield.local_bound).
            #[inline]
            pub fn local_bound(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0
                        .access(1, "Fft2dAttribute", "local_bound")?
                        .unwrap_or(false),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for Fft2dAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("Fft2dAttributeRef");
                f.field("inverse", &self.inverse());
                f.field("local_bound", &self.local_bound());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<Fft2dAttributeRef<'a>> for Fft2dAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: Fft2dAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    inverse: ::core::convert::TryInto::try_into(value.inverse()?)?,
                    local_bound: ::core::convert::TryInto::try_into(value.local_bound()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for Fft2dAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for Fft2dAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[Fft2dAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<Fft2dAttribute>> for Fft2dAttribute {
            type Value = ::planus::Offset<Fft2dAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<Fft2dAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for Fft2dAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[Fft2dAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `RFFT2dAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `RFFT2dAttribute` in the file `schema/tosa.fbs:108`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct Rfft2dAttribute {
            /// The field `local_bound` in the table `RFFT2dAttribute`
            pub local_bound: bool,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for Rfft2dAttribute {
            fn default() -> Self {
                Self { local_bound: false }
            }
        }

        impl Rfft2dAttribute {
            /// Creates a [Rfft2dAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> Rfft2dAttributeBuilder<()> {
                Rfft2dAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_local_bound: impl ::planus::WriteAsDefault<bool, bool>,
            ) -> ::planus::Offset<Self> {
                let prepared_local_bound = field_local_bound.prepare(builder, &false);

                let mut table_writer: ::planus::table_writer::TableWriter<6> =
                    ::core::default::Default::default();
                if prepared_local_bound.is_some() {
                    table_writer.write_entry::<bool>(0);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_local_bound) =
                            prepared_local_bound
                        {
                            object_writer.write::<_, _, 1>(&prepared_local_bound);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<Rfft2dAttribute>> for Rfft2dAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<Rfft2dAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<Rfft2dAttribute>> for Rfft2dAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Rfft2dAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<Rfft2dAttribute> for Rfft2dAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<Rfft2dAttribute> {
                Rfft2dAttribute::create(builder, self.local_bound)
            }
        }

        /// Builder for serializing an instance of the [Rfft2dAttribute] type.
        ///
        /// Can be created using the [Rfft2dAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct Rfft2dAttributeBuilder<State>(State);

        impl Rfft2dAttributeBuilder<()> {
            /// Setter for the [`local_bound` field](Rfft2dAttribute#structfield.local_bound).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn local_bound<T0>(self, value: T0) -> Rfft2dAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<bool, bool>,
            {
                Rfft2dAttributeBuilder((value,))
            }

            /// Sets the [`local_bound` field](Rfft2dAttribute#structfield.local_bound) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn local_bound_as_default(
                self,
            ) -> Rfft2dAttributeBuilder<(::planus::DefaultValue,)> {
                self.local_bound(::planus::DefaultValue)
            }
        }

        impl<T0> Rfft2dAttributeBuilder<(T0,)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [Rfft2dAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<Rfft2dAttribute>
            where
                Self: ::planus::WriteAsOffset<Rfft2dAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<bool, bool>>
            ::planus::WriteAs<::planus::Offset<Rfft2dAttribute>> for Rfft2dAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<Rfft2dAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<Rfft2dAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<bool, bool>>
            ::planus::WriteAsOptional<::planus::Offset<Rfft2dAttribute>>
            for Rfft2dAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<Rfft2dAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Rfft2dAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsDefault<bool, bool>> ::planus::WriteAsOffset<Rfft2dAttribute>
            for Rfft2dAttributeBuilder<(T0,)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<Rfft2dAttribute> {
                let (v0,) = &self.0;
                Rfft2dAttribute::create(builder, v0)
            }
        }

        /// Reference to a deserialized [Rfft2dAttribute].
        #[derive(Copy, Clone)]
        pub struct Rfft2dAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> Rfft2dAttributeRef<'a> {
            /// Getter for the [`local_bound` field](Rfft2dAttribute#structfield.local_bound).
            #[inline]
            pub fn local_bound(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "Rfft2dAttribute", "local_bound")?
                        .unwrap_or(false),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for Rfft2dAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("Rfft2dAttributeRef");
                f.field("local_bound", &self.local_bound());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<Rfft2dAttributeRef<'a>> for Rfft2dAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: Rfft2dAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    local_bound: ::core::convert::TryInto::try_into(value.local_bound()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for Rfft2dAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for Rfft2dAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[Rfft2dAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<Rfft2dAttribute>> for Rfft2dAttribute {
            type Value = ::planus::Offset<Rfft2dAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<Rfft2dAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for Rfft2dAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[Rfft2dAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `TransposeConv2dAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `TransposeConv2dAttribute` in the file `schema/tosa.fbs:109`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct TransposeConv2dAttribute {
            /// The field `out_pad` in the table `TransposeConv2dAttribute`
            pub out_pad: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `stride` in the table `TransposeConv2dAttribute`
            pub stride: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `local_bound` in the table `TransposeConv2dAttribute`
            pub local_bound: bool,
            /// The field `acc_type` in the table `TransposeConv2dAttribute`
            pub acc_type: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for TransposeConv2dAttribute {
            fn default() -> Self {
                Self {
                    out_pad: ::core::default::Default::default(),
                    stride: ::core::default::Default::default(),
                    local_bound: false,
                    acc_type: 0,
                }
            }
        }

        impl TransposeConv2dAttribute {
            /// Creates a [TransposeConv2dAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> TransposeConv2dAttributeBuilder<()> {
                TransposeConv2dAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_out_pad: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_stride: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_local_bound: impl ::planus::WriteAsDefault<bool, bool>,
                field_acc_type: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_out_pad = field_out_pad.prepare(builder);
                let prepared_stride = field_stride.prepare(builder);
                let prepared_local_bound = field_local_bound.prepare(builder, &false);
                let prepared_acc_type = field_acc_type.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<12> =
                    ::core::default::Default::default();
                if prepared_out_pad.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(0);
                }
                if prepared_stride.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(1);
                }
                if prepared_acc_type.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_local_bound.is_some() {
                    table_writer.write_entry::<bool>(2);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_out_pad) = prepared_out_pad {
                            object_writer.write::<_, _, 4>(&prepared_out_pad);
                        }
                        if let ::core::option::Option::Some(prepared_stride) = prepared_stride {
                            object_writer.write::<_, _, 4>(&prepared_stride);
                        }
                        if let ::core::option::Option::Some(prepared_acc_type) = prepared_acc_type {
                            object_writer.write::<_, _, 4>(&prepared_acc_type);
                        }
                        if let ::core::option::Option::Some(prepared_local_bound) =
                            prepared_local_bound
                        {
                            object_writer.write::<_, _, 1>(&prepared_local_bound);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<TransposeConv2dAttribute>> for TransposeConv2dAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<TransposeConv2dAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<TransposeConv2dAttribute>>
            for TransposeConv2dAttribute
        {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TransposeConv2dAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<TransposeConv2dAttribute> for TransposeConv2dAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<TransposeConv2dAttribute> {
                TransposeConv2dAttribute::create(
                    builder,
                    &self.out_pad,
                    &self.stride,
                    self.local_bound,
                    self.acc_type,
                )
            }
        }

        /// Builder for serializing an instance of the [TransposeConv2dAttribute] type.
        ///
        /// Can be created using the [TransposeConv2dAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct TransposeConv2dAttributeBuilder<State>(State);

        impl TransposeConv2dAttributeBuilder<()> {
            /// Setter for the [`out_pad` field](TransposeConv2dAttribute#structfield.out_pad).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn out_pad<T0>(self, value: T0) -> TransposeConv2dAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                TransposeConv2dAttributeBuilder((value,))
            }

            /// Sets the [`out_pad` field](TransposeConv2dAttribute#structfield.out_pad) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn out_pad_as_null(self) -> TransposeConv2dAttributeBuilder<((),)> {
                self.out_pad(())
            }
        }

        impl<T0> TransposeConv2dAttributeBuilder<(T0,)> {
            /// Setter for the [`stride` field](TransposeConv2dAttribute#structfield.stride).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride<T1>(self, value: T1) -> TransposeConv2dAttributeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                let (v0,) = self.0;
                TransposeConv2dAttributeBuilder((v0, value))
            }

            /// Sets the [`stride` field](TransposeConv2dAttribute#structfield.stride) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride_as_null(self) -> TransposeConv2dAttributeBuilder<(T0, ())> {
                self.stride(())
            }
        }

        impl<T0, T1> TransposeConv2dAttributeBuilder<(T0, T1)> {
            /// Setter for the [`local_bound` field](TransposeConv2dAttribute#structfield.local_bound).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn local_bound<T2>(self, value: T2) -> TransposeConv2dAttributeBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<bool, bool>,
            {
                let (v0, v1) = self.0;
                TransposeConv2dAttributeBuilder((v0, v1, value))
            }

            /// Sets the [`local_bound` field](TransposeConv2dAttribute#structfield.local_bound) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn local_bound_as_default(
                self,
            ) -> TransposeConv2dAttributeBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.local_bound(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> TransposeConv2dAttributeBuilder<(T0, T1, T2)> {
            /// Setter for the [`acc_type` field](TransposeConv2dAttribute#structfield.acc_type).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn acc_type<T3>(
                self,
                value: T3,
            ) -> TransposeConv2dAttributeBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                TransposeConv2dAttributeBuilder((v0, v1, v2, value))
            }

            /// Sets the [`acc_type` field](TransposeConv2dAttribute#structfield.acc_type) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn acc_type_as_default(
                self,
            ) -> TransposeConv2dAttributeBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.acc_type(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> TransposeConv2dAttributeBuilder<(T0, T1, T2, T3)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [TransposeConv2dAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<TransposeConv2dAttribute>
            where
                Self: ::planus::WriteAsOffset<TransposeConv2dAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsDefault<bool, bool>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<TransposeConv2dAttribute>>
            for TransposeConv2dAttributeBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<TransposeConv2dAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<TransposeConv2dAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsDefault<bool, bool>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<TransposeConv2dAttribute>>
            for TransposeConv2dAttributeBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<TransposeConv2dAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TransposeConv2dAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsDefault<bool, bool>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<TransposeConv2dAttribute>
            for TransposeConv2dAttributeBuilder<(T0, T1, T2, T3)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<TransposeConv2dAttribute> {
                let (v0, v1, v2, v3) = &self.0;
                TransposeConv2dAttribute::create(builder, v0, v1, v2, v3)
            }
        }

        /// Reference to a deserialized [TransposeConv2dAttribute].
        #[derive(Copy, Clone)]
        pub struct TransposeConv2dAttributeRef<'a>(
            #[allow(dead_code)] ::planus::table_reader::Table<'a>,
        );

        impl<'a> TransposeConv2dAttributeRef<'a> {
            /// Getter for the [`out_pad` field](TransposeConv2dAttribute#structfield.out_pad).
            #[inline]
            pub fn out_pad(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(0, "TransposeConv2dAttribute", "out_pad")
            }

            /// Getter for the [`stride` field](TransposeConv2dAttribute#structfield.stride).
            #[inline]
            pub fn stride(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(1, "TransposeConv2dAttribute", "stride")
            }

            /// Getter for the [`local_bound` field](TransposeConv2dAttribute#structfield.local_bound).
            #[inline]
            pub fn local_bound(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0
                        .access(2, "TransposeConv2dAttribute", "local_bound")?
                        .unwrap_or(false),
                )
            }

            /// Getter for the [`acc_type` field](TransposeConv2dAttribute#structfield.acc_type).
            #[inline]
            pub fn acc_type(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(3, "TransposeConv2dAttribute", "acc_type")?
                        .unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for TransposeConv2dAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("TransposeConv2dAttributeRef");
                if let ::core::option::Option::Some(field_out_pad) = self.out_pad().transpose() {
                    f.field("out_pad", &field_out_pad);
                }
                if let ::core::option::Option::Some(field_stride) = self.stride().transpose() {
                    f.field("stride", &field_stride);
                }
                f.field("local_bound", &self.local_bound());
                f.field("acc_type", &self.acc_type());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<TransposeConv2dAttributeRef<'a>> for TransposeConv2dAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: TransposeConv2dAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    out_pad: if let ::core::option::Option::Some(out_pad) = value.out_pad()? {
                        ::core::option::Option::Some(out_pad.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    stride: if let ::core::option::Option::Some(stride) = value.stride()? {
                        ::core::option::Option::Some(stride.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    local_bound: ::core::convert::TryInto::try_into(value.local_bound()?)?,
                    acc_type: ::core::convert::TryInto::try_into(value.acc_type()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for TransposeConv2dAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for TransposeConv2dAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[TransposeConv2dAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<TransposeConv2dAttribute>>
            for TransposeConv2dAttribute
        {
            type Value = ::planus::Offset<TransposeConv2dAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<TransposeConv2dAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for TransposeConv2dAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[TransposeConv2dAttributeRef]",
                        "read_as_root",
                        0,
                    )
                })
            }
        }

        /// The table `ClampAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `ClampAttribute` in the file `schema/tosa.fbs:110`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct ClampAttribute {
            /// The field `min_val` in the table `ClampAttribute`
            pub min_val: ::core::option::Option<::planus::alloc::vec::Vec<u8>>,
            /// The field `max_val` in the table `ClampAttribute`
            pub max_val: ::core::option::Option<::planus::alloc::vec::Vec<u8>>,
            /// The field `nan_mode` in the table `ClampAttribute`
            pub nan_mode: self::NanPropagationMode,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for ClampAttribute {
            fn default() -> Self {
                Self {
                    min_val: ::core::default::Default::default(),
                    max_val: ::core::default::Default::default(),
                    nan_mode: self::NanPropagationMode::Unknown,
                }
            }
        }

        impl ClampAttribute {
            /// Creates a [ClampAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> ClampAttributeBuilder<()> {
                ClampAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_min_val: impl ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
                field_max_val: impl ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
                field_nan_mode: impl ::planus::WriteAsDefault<
                    self::NanPropagationMode,
                    self::NanPropagationMode,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_min_val = field_min_val.prepare(builder);
                let prepared_max_val = field_max_val.prepare(builder);
                let prepared_nan_mode =
                    field_nan_mode.prepare(builder, &self::NanPropagationMode::Unknown);

                let mut table_writer: ::planus::table_writer::TableWriter<10> =
                    ::core::default::Default::default();
                if prepared_min_val.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u8]>>(0);
                }
                if prepared_max_val.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u8]>>(1);
                }
                if prepared_nan_mode.is_some() {
                    table_writer.write_entry::<self::NanPropagationMode>(2);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_min_val) = prepared_min_val {
                            object_writer.write::<_, _, 4>(&prepared_min_val);
                        }
                        if let ::core::option::Option::Some(prepared_max_val) = prepared_max_val {
                            object_writer.write::<_, _, 4>(&prepared_max_val);
                        }
                        if let ::core::option::Option::Some(prepared_nan_mode) = prepared_nan_mode {
                            object_writer.write::<_, _, 4>(&prepared_nan_mode);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<ClampAttribute>> for ClampAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<ClampAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<ClampAttribute>> for ClampAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<ClampAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<ClampAttribute> for ClampAttribute {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<ClampAttribute> {
                ClampAttribute::create(builder, &self.min_val, &self.max_val, self.nan_mode)
            }
        }

        /// Builder for serializing an instance of the [ClampAttribute] type.
        ///
        /// Can be created using the [ClampAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct ClampAttributeBuilder<State>(State);

        impl ClampAttributeBuilder<()> {
            /// Setter for the [`min_val` field](ClampAttribute#structfield.min_val).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn min_val<T0>(self, value: T0) -> ClampAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            {
                ClampAttributeBuilder((value,))
            }

            /// Sets the [`min_val` field](ClampAttribute#structfield.min_val) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn min_val_as_null(self) -> ClampAttributeBuilder<((),)> {
                self.min_val(())
            }
        }

        impl<T0> ClampAttributeBuilder<(T0,)> {
            /// Setter for the [`max_val` field](ClampAttribute#structfield.max_val).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn max_val<T1>(self, value: T1) -> ClampAttributeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            {
                let (v0,) = self.0;
                ClampAttributeBuilder((v0, value))
            }

            /// Sets the [`max_val` field](ClampAttribute#structfield.max_val) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn max_val_as_null(self) -> ClampAttributeBuilder<(T0, ())> {
                self.max_val(())
            }
        }

        impl<T0, T1> ClampAttributeBuilder<(T0, T1)> {
            /// Setter for the [`nan_mode` field](ClampAttribute#structfield.nan_mode).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn nan_mode<T2>(self, value: T2) -> ClampAttributeBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
            {
                let (v0, v1) = self.0;
                ClampAttributeBuilder((v0, v1, value))
            }

            /// Sets the [`nan_mode` field](ClampAttribute#structfield.nan_mode) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn nan_mode_as_default(
                self,
            ) -> ClampAttributeBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.nan_mode(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> ClampAttributeBuilder<(T0, T1, T2)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [ClampAttribute].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<ClampAttribute>
            where
                Self: ::planus::WriteAsOffset<ClampAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            T2: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
        > ::planus::WriteAs<::planus::Offset<ClampAttribute>>
            for ClampAttributeBuilder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<ClampAttribute>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<ClampAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            T2: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
        > ::planus::WriteAsOptional<::planus::Offset<ClampAttribute>>
            for ClampAttributeBuilder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<ClampAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<ClampAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            T2: ::planus::WriteAsDefault<self::NanPropagationMode, self::NanPropagationMode>,
        > ::planus::WriteAsOffset<ClampAttribute> for ClampAttributeBuilder<(T0, T1, T2)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<ClampAttribute> {
                let (v0, v1, v2) = &self.0;
                ClampAttribute::create(builder, v0, v1, v2)
            }
        }

        /// Reference to a deserialized [ClampAttribute].
        #[derive(Copy, Clone)]
        pub struct ClampAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> ClampAttributeRef<'a> {
            /// Getter for the [`min_val` field](ClampAttribute#structfield.min_val).
            #[inline]
            pub fn min_val(&self) -> ::planus::Result<::core::option::Option<&'a [u8]>> {
                self.0.access(0, "ClampAttribute", "min_val")
            }

            /// Getter for the [`max_val` field](ClampAttribute#structfield.max_val).
            #[inline]
            pub fn max_val(&self) -> ::planus::Result<::core::option::Option<&'a [u8]>> {
                self.0.access(1, "ClampAttribute", "max_val")
            }

            /// Getter for the [`nan_mode` field](ClampAttribute#structfield.nan_mode).
            #[inline]
            pub fn nan_mode(&self) -> ::planus::Result<self::NanPropagationMode> {
                ::core::result::Result::Ok(
                    self.0
                        .access(2, "ClampAttribute", "nan_mode")?
                        .unwrap_or(self::NanPropagationMode::Unknown),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for ClampAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("ClampAttributeRef");
                if let ::core::option::Option::Some(field_min_val) = self.min_val().transpose() {
                    f.field("min_val", &field_min_val);
                }
                if let ::core::option::Option::Some(field_max_val) = self.max_val().transpose() {
                    f.field("max_val", &field_max_val);
                }
                f.field("nan_mode", &self.nan_mode());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<ClampAttributeRef<'a>> for ClampAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: ClampAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    min_val: value.min_val()?.map(|v| v.to_vec()),
                    max_val: value.max_val()?.map(|v| v.to_vec()),
                    nan_mode: ::core::convert::TryInto::try_into(value.nan_mode()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for ClampAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for ClampAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[ClampAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<ClampAttribute>> for ClampAttribute {
            type Value = ::planus::Offset<ClampAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<ClampAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for ClampAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[ClampAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `ArithmeticRightShiftAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `ArithmeticRightShiftAttribute` in the file `schema/tosa.fbs:111`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct ArithmeticRightShiftAttribute {
            /// The field `round` in the table `ArithmeticRightShiftAttribute`
            pub round: bool,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for ArithmeticRightShiftAttribute {
            fn default() -> Self {
                Self { round: false }
            }
        }

        impl ArithmeticRightShiftAttribute {
            /// Creates a [ArithmeticRightShiftAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> ArithmeticRightShiftAttributeBuilder<()> {
                ArithmeticRightShiftAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_round: impl ::planus::WriteAsDefault<bool, bool>,
            ) -> ::planus::Offset<Self> {
                let prepared_round = field_round.prepare(builder, &false);

                let mut table_writer: ::planus::table_writer::TableWriter<6> =
                    ::core::default::Default::default();
                if prepared_round.is_some() {
                    table_writer.write_entry::<bool>(0);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_round) = prepared_round {
                            object_writer.write::<_, _, 1>(&prepared_round);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<ArithmeticRightShiftAttribute>>
            for ArithmeticRightShiftAttribute
        {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ArithmeticRightShiftAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<ArithmeticRightShiftAttribute>>
            for ArithmeticRightShiftAttribute
        {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<ArithmeticRightShiftAttribute>>
            {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<ArithmeticRightShiftAttribute> for ArithmeticRightShiftAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ArithmeticRightShiftAttribute> {
                ArithmeticRightShiftAttribute::create(builder, self.round)
            }
        }

        /// Builder for serializing an instance of the [ArithmeticRightShiftAttribute] type.
        ///
        /// Can be created using the [ArithmeticRightShiftAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct ArithmeticRightShiftAttributeBuilder<State>(State);

        impl ArithmeticRightShiftAttributeBuilder<()> {
            /// Setter for the [`round` field](ArithmeticRightShiftAttribute#structfield.round).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn round<T0>(self, value: T0) -> ArithmeticRightShiftAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<bool, bool>,
            {
                ArithmeticRightShiftAttributeBuilder((value,))
            }

            /// Sets the [`round` field](ArithmeticRightShiftAttribute#structfield.round) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn round_as_default(
                self,
            ) -> ArithmeticRightShiftAttributeBuilder<(::planus::DefaultValue,)> {
                self.round(::planus::DefaultValue)
            }
        }

        impl<T0> ArithmeticRightShiftAttributeBuilder<(T0,)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [ArithmeticRightShiftAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ArithmeticRightShiftAttribute>
            where
                Self: ::planus::WriteAsOffset<ArithmeticRightShiftAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<bool, bool>>
            ::planus::WriteAs<::planus::Offset<ArithmeticRightShiftAttribute>>
            for ArithmeticRightShiftAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<ArithmeticRightShiftAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ArithmeticRightShiftAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<bool, bool>>
            ::planus::WriteAsOptional<::planus::Offset<ArithmeticRightShiftAttribute>>
            for ArithmeticRightShiftAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<ArithmeticRightShiftAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<ArithmeticRightShiftAttribute>>
            {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsDefault<bool, bool>>
            ::planus::WriteAsOffset<ArithmeticRightShiftAttribute>
            for ArithmeticRightShiftAttributeBuilder<(T0,)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ArithmeticRightShiftAttribute> {
                let (v0,) = &self.0;
                ArithmeticRightShiftAttribute::create(builder, v0)
            }
        }

        /// Reference to a deserialized [ArithmeticRightShiftAttribute].
        #[derive(Copy, Clone)]
        pub struct ArithmeticRightShiftAttributeRef<'a>(
            #[allow(dead_code)] ::planus::table_reader::Table<'a>,
        );

        impl<'a> ArithmeticRightShiftAttributeRef<'a> {
            /// Getter for the [`round` field](ArithmeticRightShiftAttribute#structfield.round).
            #[inline]
            pub fn round(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "ArithmeticRightShiftAttribute", "round")?
                        .unwrap_or(false),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for ArithmeticRightShiftAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("ArithmeticRightShiftAttributeRef");
                f.field("round", &self.round());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<ArithmeticRightShiftAttributeRef<'a>>
            for ArithmeticRightShiftAttribute
        {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: ArithmeticRightShiftAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    round: ::core::convert::TryInto::try_into(value.round()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for ArithmeticRightShiftAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for ArithmeticRightShiftAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[ArithmeticRightShiftAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<ArithmeticRightShiftAttribute>>
            for ArithmeticRightShiftAttribute
        {
            type Value = ::planus::Offset<ArithmeticRightShiftAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<ArithmeticRightShiftAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for ArithmeticRightShiftAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[ArithmeticRightShiftAttributeRef]",
                        "read_as_root",
                        0,
                    )
                })
            }
        }

        /// The table `TransposeAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `TransposeAttribute` in the file `schema/tosa.fbs:112`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct TransposeAttribute {
            /// The field `perms` in the table `TransposeAttribute`
            pub perms: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for TransposeAttribute {
            fn default() -> Self {
                Self {
                    perms: ::core::default::Default::default(),
                }
            }
        }

        impl TransposeAttribute {
            /// Creates a [TransposeAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> TransposeAttributeBuilder<()> {
                TransposeAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_perms: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            ) -> ::planus::Offset<Self> {
                let prepared_perms = field_perms.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<6> =
                    ::core::default::Default::default();
                if prepared_perms.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(0);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_perms) = prepared_perms {
                            object_writer.write::<_, _, 4>(&prepared_perms);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<TransposeAttribute>> for TransposeAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<TransposeAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<TransposeAttribute>> for TransposeAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TransposeAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<TransposeAttribute> for TransposeAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<TransposeAttribute> {
                TransposeAttribute::create(builder, &self.perms)
            }
        }

        /// Builder for serializing an instance of the [TransposeAttribute] type.
        ///
        /// Can be created using the [TransposeAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct TransposeAttributeBuilder<State>(State);

        impl TransposeAttributeBuilder<()> {
            /// Setter for the [`perms` field](TransposeAttribute#structfield.perms).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn perms<T0>(self, value: T0) -> TransposeAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                TransposeAttributeBuilder((value,))
            }

            /// Sets the [`perms` field](TransposeAttribute#structfield.perms) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn perms_as_null(self) -> TransposeAttributeBuilder<((),)> {
                self.perms(())
            }
        }

        impl<T0> TransposeAttributeBuilder<(T0,)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [TransposeAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<TransposeAttribute>
            where
                Self: ::planus::WriteAsOffset<TransposeAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>>
            ::planus::WriteAs<::planus::Offset<TransposeAttribute>>
            for TransposeAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<TransposeAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<TransposeAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>>
            ::planus::WriteAsOptional<::planus::Offset<TransposeAttribute>>
            for TransposeAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<TransposeAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TransposeAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsOptional<::planus::Offset<[i32]>>>
            ::planus::WriteAsOffset<TransposeAttribute> for TransposeAttributeBuilder<(T0,)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<TransposeAttribute> {
                let (v0,) = &self.0;
                TransposeAttribute::create(builder, v0)
            }
        }

        /// Reference to a deserialized [TransposeAttribute].
        #[derive(Copy, Clone)]
        pub struct TransposeAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> TransposeAttributeRef<'a> {
            /// Getter for the [`perms` field](TransposeAttribute#structfield.perms).
            #[inline]
            pub fn perms(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(0, "TransposeAttribute", "perms")
            }
        }

        impl<'a> ::core::fmt::Debug for TransposeAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("TransposeAttributeRef");
                if let ::core::option::Option::Some(field_perms) = self.perms().transpose() {
                    f.field("perms", &field_perms);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<TransposeAttributeRef<'a>> for TransposeAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: TransposeAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    perms: if let ::core::option::Option::Some(perms) = value.perms()? {
                        ::core::option::Option::Some(perms.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for TransposeAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for TransposeAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[TransposeAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<TransposeAttribute>> for TransposeAttribute {
            type Value = ::planus::Offset<TransposeAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<TransposeAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for TransposeAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[TransposeAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `ResizeAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `ResizeAttribute` in the file `schema/tosa.fbs:113`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct ResizeAttribute {
            /// The field `mode` in the table `ResizeAttribute`
            pub mode: self::ResizeMode,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for ResizeAttribute {
            fn default() -> Self {
                Self {
                    mode: self::ResizeMode::Unknown,
                }
            }
        }

        impl ResizeAttribute {
            /// Creates a [ResizeAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> ResizeAttributeBuilder<()> {
                ResizeAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_mode: impl ::planus::WriteAsDefault<self::ResizeMode, self::ResizeMode>,
            ) -> ::planus::Offset<Self> {
                let prepared_mode = field_mode.prepare(builder, &self::ResizeMode::Unknown);

                let mut table_writer: ::planus::table_writer::TableWriter<6> =
                    ::core::default::Default::default();
                if prepared_mode.is_some() {
                    table_writer.write_entry::<self::ResizeMode>(0);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_mode) = prepared_mode {
                            object_writer.write::<_, _, 4>(&prepared_mode);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<ResizeAttribute>> for ResizeAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ResizeAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<ResizeAttribute>> for ResizeAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<ResizeAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<ResizeAttribute> for ResizeAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ResizeAttribute> {
                ResizeAttribute::create(builder, self.mode)
            }
        }

        /// Builder for serializing an instance of the [ResizeAttribute] type.
        ///
        /// Can be created using the [ResizeAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct ResizeAttributeBuilder<State>(State);

        impl ResizeAttributeBuilder<()> {
            /// Setter for the [`mode` field](ResizeAttribute#structfield.mode).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn mode<T0>(self, value: T0) -> ResizeAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<self::ResizeMode, self::ResizeMode>,
            {
                ResizeAttributeBuilder((value,))
            }

            /// Sets the [`mode` field](ResizeAttribute#structfield.mode) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn mode_as_default(self) -> ResizeAttributeBuilder<(::planus::DefaultValue,)> {
                self.mode(::planus::DefaultValue)
            }
        }

        impl<T0> ResizeAttributeBuilder<(T0,)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [ResizeAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ResizeAttribute>
            where
                Self: ::planus::WriteAsOffset<ResizeAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<self::ResizeMode, self::ResizeMode>>
            ::planus::WriteAs<::planus::Offset<ResizeAttribute>> for ResizeAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<ResizeAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ResizeAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<self::ResizeMode, self::ResizeMode>>
            ::planus::WriteAsOptional<::planus::Offset<ResizeAttribute>>
            for ResizeAttributeBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<ResizeAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<ResizeAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsDefault<self::ResizeMode, self::ResizeMode>>
            ::planus::WriteAsOffset<ResizeAttribute> for ResizeAttributeBuilder<(T0,)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ResizeAttribute> {
                let (v0,) = &self.0;
                ResizeAttribute::create(builder, v0)
            }
        }

        /// Reference to a deserialized [ResizeAttribute].
        #[derive(Copy, Clone)]
        pub struct ResizeAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> ResizeAttributeRef<'a> {
            /// Getter for the [`mode` field](ResizeAttribute#structfield.mode).
            #[inline]
            pub fn mode(&self) -> ::planus::Result<self::ResizeMode> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "ResizeAttribute", "mode")?
                        .unwrap_or(self::ResizeMode::Unknown),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for ResizeAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("ResizeAttributeRef");
                f.field("mode", &self.mode());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<ResizeAttributeRef<'a>> for ResizeAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: ResizeAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    mode: ::core::convert::TryInto::try_into(value.mode()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for ResizeAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for ResizeAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[ResizeAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<ResizeAttribute>> for ResizeAttribute {
            type Value = ::planus::Offset<ResizeAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<ResizeAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for ResizeAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[ResizeAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `RescaleAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `RescaleAttribute` in the file `schema/tosa.fbs:114`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct RescaleAttribute {
            /// The field `scale32` in the table `RescaleAttribute`
            pub scale32: bool,
            /// The field `rounding_mode` in the table `RescaleAttribute`
            pub rounding_mode: self::RoundingMode,
            /// The field `per_channel` in the table `RescaleAttribute`
            pub per_channel: bool,
            /// The field `input_unsigned` in the table `RescaleAttribute`
            pub input_unsigned: bool,
            /// The field `output_unsigned` in the table `RescaleAttribute`
            pub output_unsigned: bool,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for RescaleAttribute {
            fn default() -> Self {
                Self {
                    scale32: false,
                    rounding_mode: self::RoundingMode::Unknown,
                    per_channel: false,
                    input_unsigned: false,
                    output_unsigned: false,
                }
            }
        }

        impl RescaleAttribute {
            /// Creates a [RescaleAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> RescaleAttributeBuilder<()> {
                RescaleAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_scale32: impl ::planus::WriteAsDefault<bool, bool>,
                field_rounding_mode: impl ::planus::WriteAsDefault<
                    self::RoundingMode,
                    self::RoundingMode,
                >,
                field_per_channel: impl ::planus::WriteAsDefault<bool, bool>,
                field_input_unsigned: impl ::planus::WriteAsDefault<bool, bool>,
                field_output_unsigned: impl ::planus::WriteAsDefault<bool, bool>,
            ) -> ::planus::Offset<Self> {
                let prepared_scale32 = field_scale32.prepare(builder, &false);
                let prepared_rounding_mode =
                    field_rounding_mode.prepare(builder, &self::RoundingMode::Unknown);
                let prepared_per_channel = field_per_channel.prepare(builder, &false);
                let prepared_input_unsigned = field_input_unsigned.prepare(builder, &false);
                let prepared_output_unsigned = field_output_unsigned.prepare(builder, &false);

                let mut table_writer: ::planus::table_writer::TableWriter<14> =
                    ::core::default::Default::default();
                if prepared_rounding_mode.is_some() {
                    table_writer.write_entry::<self::RoundingMode>(1);
                }
                if prepared_scale32.is_some() {
                    table_writer.write_entry::<bool>(0);
                }
                if prepared_per_channel.is_some() {
                    table_writer.write_entry::<bool>(2);
                }
                if prepared_input_unsigned.is_some() {
                    table_writer.write_entry::<bool>(3);
                }
                if prepared_output_unsigned.is_some() {
                    table_writer.write_entry::<bool>(4);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_rounding_mode) =
                            prepared_rounding_mode
                        {
                            object_writer.write::<_, _, 4>(&prepared_rounding_mode);
                        }
                        if let ::core::option::Option::Some(prepared_scale32) = prepared_scale32 {
                            object_writer.write::<_, _, 1>(&prepared_scale32);
                        }
                        if let ::core::option::Option::Some(prepared_per_channel) =
                            prepared_per_channel
                        {
                            object_writer.write::<_, _, 1>(&prepared_per_channel);
                        }
                        if let ::core::option::Option::Some(prepared_input_unsigned) =
                            prepared_input_unsigned
                        {
                            object_writer.write::<_, _, 1>(&prepared_input_unsigned);
                        }
                        if let ::core::option::Option::Some(prepared_output_unsigned) =
                            prepared_output_unsigned
                        {
                            object_writer.write::<_, _, 1>(&prepared_output_unsigned);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<RescaleAttribute>> for RescaleAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<RescaleAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<RescaleAttribute>> for RescaleAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<RescaleAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<RescaleAttribute> for RescaleAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<RescaleAttribute> {
                RescaleAttribute::create(
                    builder,
                    self.scale32,
                    self.rounding_mode,
                    self.per_channel,
                    self.input_unsigned,
                    self.output_unsigned,
                )
            }
        }

        /// Builder for serializing an instance of the [RescaleAttribute] type.
        ///
        /// Can be created using the [RescaleAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct RescaleAttributeBuilder<State>(State);

        impl RescaleAttributeBuilder<()> {
            /// Setter for the [`scale32` field](RescaleAttribute#structfield.scale32).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale32<T0>(self, value: T0) -> RescaleAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<bool, bool>,
            {
                RescaleAttributeBuilder((value,))
            }

            /// Sets the [`scale32` field](RescaleAttribute#structfield.scale32) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale32_as_default(self) -> RescaleAttributeBuilder<(::planus::DefaultValue,)> {
                self.scale32(::planus::DefaultValue)
            }
        }

        impl<T0> RescaleAttributeBuilder<(T0,)> {
            /// Setter for the [`rounding_mode` field](RescaleAttribute#structfield.rounding_mode).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn rounding_mode<T1>(self, value: T1) -> RescaleAttributeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<self::RoundingMode, self::RoundingMode>,
            {
                let (v0,) = self.0;
                RescaleAttributeBuilder((v0, value))
            }

            /// Sets the [`rounding_mode` field](RescaleAttribute#structfield.rounding_mode) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn rounding_mode_as_default(
                self,
            ) -> RescaleAttributeBuilder<(T0, ::planus::DefaultValue)> {
                self.rounding_mode(::planus::DefaultValue)
            }
        }

        impl<T0, T1> RescaleAttributeBuilder<(T0, T1)> {
            /// Setter for the [`per_channel` field](RescaleAttribute#structfield.per_channel).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn per_channel<T2>(self, value: T2) -> RescaleAttributeBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<bool, bool>,
            {
                let (v0, v1) = self.0;
                RescaleAttributeBuilder((v0, v1, value))
            }

            /// Sets the [`per_channel` field](RescaleAttribute#structfield.per_channel) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn per_channel_as_default(
                self,
            ) -> RescaleAttributeBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.per_channel(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> RescaleAttributeBuilder<(T0, T1, T2)> {
            /// Setter for the [`input_unsigned` field](RescaleAttribute#structfield.input_unsigned).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_unsigned<T3>(self, value: T3) -> RescaleAttributeBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<bool, bool>,
            {
                let (v0, v1, v2) = self.0;
                RescaleAttributeBuilder((v0, v1, v2, value))
            }

            /// Sets the [`input_unsigned` field](RescaleAttribute#structfield.input_unsigned) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_unsigned_as_default(
                self,
            ) -> RescaleAttributeBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.input_unsigned(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> RescaleAttributeBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`output_unsigned` field](RescaleAttribute#structfield.output_unsigned).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_unsigned<T4>(
                self,
                value: T4,
            ) -> RescaleAttributeBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<bool, bool>,
            {
                let (v0, v1, v2, v3) = self.0;
                RescaleAttributeBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`output_unsigned` field](RescaleAttribute#structfield.output_unsigned) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_unsigned_as_default(
                self,
            ) -> RescaleAttributeBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.output_unsigned(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> RescaleAttributeBuilder<(T0, T1, T2, T3, T4)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [RescaleAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<RescaleAttribute>
            where
                Self: ::planus::WriteAsOffset<RescaleAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<bool, bool>,
            T1: ::planus::WriteAsDefault<self::RoundingMode, self::RoundingMode>,
            T2: ::planus::WriteAsDefault<bool, bool>,
            T3: ::planus::WriteAsDefault<bool, bool>,
            T4: ::planus::WriteAsDefault<bool, bool>,
        > ::planus::WriteAs<::planus::Offset<RescaleAttribute>>
            for RescaleAttributeBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<RescaleAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<RescaleAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<bool, bool>,
            T1: ::planus::WriteAsDefault<self::RoundingMode, self::RoundingMode>,
            T2: ::planus::WriteAsDefault<bool, bool>,
            T3: ::planus::WriteAsDefault<bool, bool>,
            T4: ::planus::WriteAsDefault<bool, bool>,
        > ::planus::WriteAsOptional<::planus::Offset<RescaleAttribute>>
            for RescaleAttributeBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<RescaleAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<RescaleAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<bool, bool>,
            T1: ::planus::WriteAsDefault<self::RoundingMode, self::RoundingMode>,
            T2: ::planus::WriteAsDefault<bool, bool>,
            T3: ::planus::WriteAsDefault<bool, bool>,
            T4: ::planus::WriteAsDefault<bool, bool>,
        > ::planus::WriteAsOffset<RescaleAttribute>
            for RescaleAttributeBuilder<(T0, T1, T2, T3, T4)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<RescaleAttribute> {
                let (v0, v1, v2, v3, v4) = &self.0;
                RescaleAttribute::create(builder, v0, v1, v2, v3, v4)
            }
        }

        /// Reference to a deserialized [RescaleAttribute].
        #[derive(Copy, Clone)]
        pub struct RescaleAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> RescaleAttributeRef<'a> {
            /// Getter for the [`scale32` field](RescaleAttribute#structfield.scale32).
            #[inline]
            pub fn scale32(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "RescaleAttribute", "scale32")?
                        .unwrap_or(false),
                )
            }

            /// Getter for the [`rounding_mode` field](RescaleAttribute#structfield.rounding_mode).
            #[inline]
            pub fn rounding_mode(&self) -> ::planus::Result<self::RoundingMode> {
                ::core::result::Result::Ok(
                    self.0
                        .access(1, "RescaleAttribute", "rounding_mode")?
                        .unwrap_or(self::RoundingMode::Unknown),
                )
            }

            /// Getter for the [`per_channel` field](RescaleAttribute#structfield.per_channel).
            #[inline]
            pub fn per_channel(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0
                        .access(2, "RescaleAttribute", "per_channel")?
                        .unwrap_or(false),
                )
            }

            /// Getter for the [`input_unsigned` field](RescaleAttribute#structfield.input_unsigned).
            #[inline]
            pub fn input_unsigned(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0
                        .access(3, "RescaleAttribute", "input_unsigned")?
                        .unwrap_or(false),
                )
            }

            /// Getter for the [`output_unsigned` field](RescaleAttribute#structfield.output_unsigned).
            #[inline]
            pub fn output_unsigned(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0
                        .access(4, "RescaleAttribute", "output_unsigned")?
                        .unwrap_or(false),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for RescaleAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("RescaleAttributeRef");
                f.field("scale32", &self.scale32());
                f.field("rounding_mode", &self.rounding_mode());
                f.field("per_channel", &self.per_channel());
                f.field("input_unsigned", &self.input_unsigned());
                f.field("output_unsigned", &self.output_unsigned());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<RescaleAttributeRef<'a>> for RescaleAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: RescaleAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    scale32: ::core::convert::TryInto::try_into(value.scale32()?)?,
                    rounding_mode: ::core::convert::TryInto::try_into(value.rounding_mode()?)?,
                    per_channel: ::core::convert::TryInto::try_into(value.per_channel()?)?,
                    input_unsigned: ::core::convert::TryInto::try_into(value.input_unsigned()?)?,
                    output_unsigned: ::core::convert::TryInto::try_into(value.output_unsigned()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for RescaleAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for RescaleAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[RescaleAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<RescaleAttribute>> for RescaleAttribute {
            type Value = ::planus::Offset<RescaleAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<RescaleAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for RescaleAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[RescaleAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `CustomAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `CustomAttribute` in the file `schema/tosa.fbs:121`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct CustomAttribute {
            /// The field `operator_name` in the table `CustomAttribute`
            pub operator_name: ::core::option::Option<::planus::alloc::string::String>,
            /// The field `domain_name` in the table `CustomAttribute`
            pub domain_name: ::core::option::Option<::planus::alloc::string::String>,
            /// The field `implementation_attrs` in the table `CustomAttribute`
            pub implementation_attrs: ::core::option::Option<::planus::alloc::vec::Vec<u8>>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for CustomAttribute {
            fn default() -> Self {
                Self {
                    operator_name: ::core::default::Default::default(),
                    domain_name: ::core::default::Default::default(),
                    implementation_attrs: ::core::default::Default::default(),
                }
            }
        }

        impl CustomAttribute {
            /// Creates a [CustomAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> CustomAttributeBuilder<()> {
                CustomAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_operator_name: impl ::planus::WriteAsOptional<
                    ::planus::Offset<::core::primitive::str>,
                >,
                field_domain_name: impl ::planus::WriteAsOptional<
                    ::planus::Offset<::core::primitive::str>,
                >,
                field_implementation_attrs: impl ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            ) -> ::planus::Offset<Self> {
                let prepared_operator_name = field_operator_name.prepare(builder);
                let prepared_domain_name = field_domain_name.prepare(builder);
                let prepared_implementation_attrs = field_implementation_attrs.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<10> =
                    ::core::default::Default::default();
                if prepared_operator_name.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(0);
                }
                if prepared_domain_name.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(1);
                }
                if prepared_implementation_attrs.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u8]>>(2);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_operator_name) =
                            prepared_operator_name
                        {
                            object_writer.write::<_, _, 4>(&prepared_operator_name);
                        }
                        if let ::core::option::Option::Some(prepared_domain_name) =
                            prepared_domain_name
                        {
                            object_writer.write::<_, _, 4>(&prepared_domain_name);
                        }
                        if let ::core::option::Option::Some(prepared_implementation_attrs) =
                            prepared_implementation_attrs
                        {
                            object_writer.write::<_, _, 4>(&prepared_implementation_attrs);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<CustomAttribute>> for CustomAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<CustomAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<CustomAttribute>> for CustomAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<CustomAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<CustomAttribute> for CustomAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<CustomAttribute> {
                CustomAttribute::create(
                    builder,
                    &self.operator_name,
                    &self.domain_name,
                    &self.implementation_attrs,
                )
            }
        }

        /// Builder for serializing an instance of the [CustomAttribute] type.
        ///
        /// Can be created using the [CustomAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct CustomAttributeBuilder<State>(State);

        impl CustomAttributeBuilder<()> {
            /// Setter for the [`operator_name` field](CustomAttribute#structfield.operator_name).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn operator_name<T0>(self, value: T0) -> CustomAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                CustomAttributeBuilder((value,))
            }

            /// Sets the [`operator_name` field](CustomAttribute#structfield.operator_name) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn operator_name_as_null(self) -> CustomAttributeBuilder<((),)> {
                self.operator_name(())
            }
        }

        impl<T0> CustomAttributeBuilder<(T0,)> {
            /// Setter for the [`domain_name` field](CustomAttribute#structfield.domain_name).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn domain_name<T1>(self, value: T1) -> CustomAttributeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                let (v0,) = self.0;
                CustomAttributeBuilder((v0, value))
            }

            /// Sets the [`domain_name` field](CustomAttribute#structfield.domain_name) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn domain_name_as_null(self) -> CustomAttributeBuilder<(T0, ())> {
                self.domain_name(())
            }
        }

        impl<T0, T1> CustomAttributeBuilder<(T0, T1)> {
            /// Setter for the [`implementation_attrs` field](CustomAttribute#structfield.implementation_attrs).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn implementation_attrs<T2>(self, value: T2) -> CustomAttributeBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            {
                let (v0, v1) = self.0;
                CustomAttributeBuilder((v0, v1, value))
            }

            /// Sets the [`implementation_attrs` field](CustomAttribute#structfield.implementation_attrs) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn implementation_attrs_as_null(self) -> CustomAttributeBuilder<(T0, T1, ())> {
                self.implementation_attrs(())
            }
        }

        impl<T0, T1, T2> CustomAttributeBuilder<(T0, T1, T2)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [CustomAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<CustomAttribute>
            where
                Self: ::planus::WriteAsOffset<CustomAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
        > ::planus::WriteAs<::planus::Offset<CustomAttribute>>
            for CustomAttributeBuilder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<CustomAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<CustomAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
        > ::planus::WriteAsOptional<::planus::Offset<CustomAttribute>>
            for CustomAttributeBuilder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<CustomAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<CustomAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
        > ::planus::WriteAsOffset<CustomAttribute> for CustomAttributeBuilder<(T0, T1, T2)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<CustomAttribute> {
                let (v0, v1, v2) = &self.0;
                CustomAttribute::create(builder, v0, v1, v2)
            }
        }

        /// Reference to a deserialized [CustomAttribute].
        #[derive(Copy, Clone)]
        pub struct CustomAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> CustomAttributeRef<'a> {
            /// Getter for the [`operator_name` field](CustomAttribute#structfield.operator_name).
            #[inline]
            pub fn operator_name(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(0, "CustomAttribute", "operator_name")
            }

            /// Getter for the [`domain_name` field](CustomAttribute#structfield.domain_name).
            #[inline]
            pub fn domain_name(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(1, "CustomAttribute", "domain_name")
            }

            /// Getter for the [`implementation_attrs` field](CustomAttribute#structfield.implementation_attrs).
            #[inline]
            pub fn implementation_attrs(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a [u8]>> {
                self.0.access(2, "CustomAttribute", "implementation_attrs")
            }
        }

        impl<'a> ::core::fmt::Debug for CustomAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("CustomAttributeRef");
                if let ::core::option::Option::Some(field_operator_name) =
                    self.operator_name().transpose()
                {
                    f.field("operator_name", &field_operator_name);
                }
                if let ::core::option::Option::Some(field_domain_name) =
                    self.domain_name().transpose()
                {
                    f.field("domain_name", &field_domain_name);
                }
                if let ::core::option::Option::Some(field_implementation_attrs) =
                    self.implementation_attrs().transpose()
                {
                    f.field("implementation_attrs", &field_implementation_attrs);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<CustomAttributeRef<'a>> for CustomAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: CustomAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    operator_name: value.operator_name()?.map(::core::convert::Into::into),
                    domain_name: value.domain_name()?.map(::core::convert::Into::into),
                    implementation_attrs: value.implementation_attrs()?.map(|v| v.to_vec()),
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for CustomAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for CustomAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[CustomAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<CustomAttribute>> for CustomAttribute {
            type Value = ::planus::Offset<CustomAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<CustomAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for CustomAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[CustomAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `CondIfAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `CondIfAttribute` in the file `schema/tosa.fbs:122`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct CondIfAttribute {
            /// The field `then_graph` in the table `CondIfAttribute`
            pub then_graph: ::core::option::Option<::planus::alloc::string::String>,
            /// The field `else_graph` in the table `CondIfAttribute`
            pub else_graph: ::core::option::Option<::planus::alloc::string::String>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for CondIfAttribute {
            fn default() -> Self {
                Self {
                    then_graph: ::core::default::Default::default(),
                    else_graph: ::core::default::Default::default(),
                }
            }
        }

        impl CondIfAttribute {
            /// Creates a [CondIfAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> CondIfAttributeBuilder<()> {
                CondIfAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_then_graph: impl ::planus::WriteAsOptional<
                    ::planus::Offset<::core::primitive::str>,
                >,
                field_else_graph: impl ::planus::WriteAsOptional<
                    ::planus::Offset<::core::primitive::str>,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_then_graph = field_then_graph.prepare(builder);
                let prepared_else_graph = field_else_graph.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<8> =
                    ::core::default::Default::default();
                if prepared_then_graph.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(0);
                }
                if prepared_else_graph.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(1);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_then_graph) =
                            prepared_then_graph
                        {
                            object_writer.write::<_, _, 4>(&prepared_then_graph);
                        }
                        if let ::core::option::Option::Some(prepared_else_graph) =
                            prepared_else_graph
                        {
                            object_writer.write::<_, _, 4>(&prepared_else_graph);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<CondIfAttribute>> for CondIfAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<CondIfAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<CondIfAttribute>> for CondIfAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<CondIfAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<CondIfAttribute> for CondIfAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<CondIfAttribute> {
                CondIfAttribute::create(builder, &self.then_graph, &self.else_graph)
            }
        }

        /// Builder for serializing an instance of the [CondIfAttribute] type.
        ///
        /// Can be created using the [CondIfAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct CondIfAttributeBuilder<State>(State);

        impl CondIfAttributeBuilder<()> {
            /// Setter for the [`then_graph` field](CondIfAttribute#structfield.then_graph).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn then_graph<T0>(self, value: T0) -> CondIfAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                CondIfAttributeBuilder((value,))
            }

            /// Sets the [`then_graph` field](CondIfAttribute#structfield.then_graph) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn then_graph_as_null(self) -> CondIfAttributeBuilder<((),)> {
                self.then_graph(())
            }
        }

        impl<T0> CondIfAttributeBuilder<(T0,)> {
            /// Setter for the [`else_graph` field](CondIfAttribute#structfield.else_graph).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn else_graph<T1>(self, value: T1) -> CondIfAttributeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                let (v0,) = self.0;
                CondIfAttributeBuilder((v0, value))
            }

            /// Sets the [`else_graph` field](CondIfAttribute#structfield.else_graph) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn else_graph_as_null(self) -> CondIfAttributeBuilder<(T0, ())> {
                self.else_graph(())
            }
        }

        impl<T0, T1> CondIfAttributeBuilder<(T0, T1)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [CondIfAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<CondIfAttribute>
            where
                Self: ::planus::WriteAsOffset<CondIfAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
        > ::planus::WriteAs<::planus::Offset<CondIfAttribute>>
            for CondIfAttributeBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<CondIfAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<CondIfAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
        > ::planus::WriteAsOptional<::planus::Offset<CondIfAttribute>>
            for CondIfAttributeBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<CondIfAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<CondIfAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
        > ::planus::WriteAsOffset<CondIfAttribute> for CondIfAttributeBuilder<(T0, T1)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<CondIfAttribute> {
                let (v0, v1) = &self.0;
                CondIfAttribute::create(builder, v0, v1)
            }
        }

        /// Reference to a deserialized [CondIfAttribute].
        #[derive(Copy, Clone)]
        pub struct CondIfAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> CondIfAttributeRef<'a> {
            /// Getter for the [`then_graph` field](CondIfAttribute#structfield.then_graph).
            #[inline]
            pub fn then_graph(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(0, "CondIfAttribute", "then_graph")
            }

            /// Getter for the [`else_graph` field](CondIfAttribute#structfield.else_graph).
            #[inline]
            pub fn else_graph(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(1, "CondIfAttribute", "else_graph")
            }
        }

        impl<'a> ::core::fmt::Debug for CondIfAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("CondIfAttributeRef");
                if let ::core::option::Option::Some(field_then_graph) =
                    self.then_graph().transpose()
                {
                    f.field("then_graph", &field_then_graph);
                }
                if let ::core::option::Option::Some(field_else_graph) =
                    self.else_graph().transpose()
                {
                    f.field("else_graph", &field_else_graph);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<CondIfAttributeRef<'a>> for CondIfAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: CondIfAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    then_graph: value.then_graph()?.map(::core::convert::Into::into),
                    else_graph: value.else_graph()?.map(::core::convert::Into::into),
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for CondIfAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for CondIfAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[CondIfAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<CondIfAttribute>> for CondIfAttribute {
            type Value = ::planus::Offset<CondIfAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<CondIfAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for CondIfAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[CondIfAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `WhileLoopAttribute` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `WhileLoopAttribute` in the file `schema/tosa.fbs:123`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct WhileLoopAttribute {
            /// The field `cond_graph` in the table `WhileLoopAttribute`
            pub cond_graph: ::core::option::Option<::planus::alloc::string::String>,
            /// The field `body_graph` in the table `WhileLoopAttribute`
            pub body_graph: ::core::option::Option<::planus::alloc::string::String>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for WhileLoopAttribute {
            fn default() -> Self {
                Self {
                    cond_graph: ::core::default::Default::default(),
                    body_graph: ::core::default::Default::default(),
                }
            }
        }

        impl WhileLoopAttribute {
            /// Creates a [WhileLoopAttributeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> WhileLoopAttributeBuilder<()> {
                WhileLoopAttributeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_cond_graph: impl ::planus::WriteAsOptional<
                    ::planus::Offset<::core::primitive::str>,
                >,
                field_body_graph: impl ::planus::WriteAsOptional<
                    ::planus::Offset<::core::primitive::str>,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_cond_graph = field_cond_graph.prepare(builder);
                let prepared_body_graph = field_body_graph.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<8> =
                    ::core::default::Default::default();
                if prepared_cond_graph.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(0);
                }
                if prepared_body_graph.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(1);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_cond_graph) =
                            prepared_cond_graph
                        {
                            object_writer.write::<_, _, 4>(&prepared_cond_graph);
                        }
                        if let ::core::option::Option::Some(prepared_body_graph) =
                            prepared_body_graph
                        {
                            object_writer.write::<_, _, 4>(&prepared_body_graph);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<WhileLoopAttribute>> for WhileLoopAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<WhileLoopAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<WhileLoopAttribute>> for WhileLoopAttribute {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<WhileLoopAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<WhileLoopAttribute> for WhileLoopAttribute {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<WhileLoopAttribute> {
                WhileLoopAttribute::create(builder, &self.cond_graph, &self.body_graph)
            }
        }

        /// Builder for serializing an instance of the [WhileLoopAttribute] type.
        ///
        /// Can be created using the [WhileLoopAttribute::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct WhileLoopAttributeBuilder<State>(State);

        impl WhileLoopAttributeBuilder<()> {
            /// Setter for the [`cond_graph` field](WhileLoopAttribute#structfield.cond_graph).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn cond_graph<T0>(self, value: T0) -> WhileLoopAttributeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                WhileLoopAttributeBuilder((value,))
            }

            /// Sets the [`cond_graph` field](WhileLoopAttribute#structfield.cond_graph) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn cond_graph_as_null(self) -> WhileLoopAttributeBuilder<((),)> {
                self.cond_graph(())
            }
        }

        impl<T0> WhileLoopAttributeBuilder<(T0,)> {
            /// Setter for the [`body_graph` field](WhileLoopAttribute#structfield.body_graph).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn body_graph<T1>(self, value: T1) -> WhileLoopAttributeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                let (v0,) = self.0;
                WhileLoopAttributeBuilder((v0, value))
            }

            /// Sets the [`body_graph` field](WhileLoopAttribute#structfield.body_graph) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn body_graph_as_null(self) -> WhileLoopAttributeBuilder<(T0, ())> {
                self.body_graph(())
            }
        }

        impl<T0, T1> WhileLoopAttributeBuilder<(T0, T1)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [WhileLoopAttribute].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<WhileLoopAttribute>
            where
                Self: ::planus::WriteAsOffset<WhileLoopAttribute>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
        > ::planus::WriteAs<::planus::Offset<WhileLoopAttribute>>
            for WhileLoopAttributeBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<WhileLoopAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<WhileLoopAttribute> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
        > ::planus::WriteAsOptional<::planus::Offset<WhileLoopAttribute>>
            for WhileLoopAttributeBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<WhileLoopAttribute>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<WhileLoopAttribute>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
        > ::planus::WriteAsOffset<WhileLoopAttribute> for WhileLoopAttributeBuilder<(T0, T1)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<WhileLoopAttribute> {
                let (v0, v1) = &self.0;
                WhileLoopAttribute::create(builder, v0, v1)
            }
        }

        /// Reference to a deserialized [WhileLoopAttribute].
        #[derive(Copy, Clone)]
        pub struct WhileLoopAttributeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> WhileLoopAttributeRef<'a> {
            /// Getter for the [`cond_graph` field](WhileLoopAttribute#structfield.cond_graph).
            #[inline]
            pub fn cond_graph(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(0, "WhileLoopAttribute", "cond_graph")
            }

            /// Getter for the [`body_graph` field](WhileLoopAttribute#structfield.body_graph).
            #[inline]
            pub fn body_graph(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(1, "WhileLoopAttribute", "body_graph")
            }
        }

        impl<'a> ::core::fmt::Debug for WhileLoopAttributeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("WhileLoopAttributeRef");
                if let ::core::option::Option::Some(field_cond_graph) =
                    self.cond_graph().transpose()
                {
                    f.field("cond_graph", &field_cond_graph);
                }
                if let ::core::option::Option::Some(field_body_graph) =
                    self.body_graph().transpose()
                {
                    f.field("body_graph", &field_body_graph);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<WhileLoopAttributeRef<'a>> for WhileLoopAttribute {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: WhileLoopAttributeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    cond_graph: value.cond_graph()?.map(::core::convert::Into::into),
                    body_graph: value.body_graph()?.map(::core::convert::Into::into),
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for WhileLoopAttributeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for WhileLoopAttributeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[WhileLoopAttributeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<WhileLoopAttribute>> for WhileLoopAttribute {
            type Value = ::planus::Offset<WhileLoopAttribute>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<WhileLoopAttribute>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for WhileLoopAttributeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[WhileLoopAttributeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `Version` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `Version` in the file `schema/tosa.fbs:125`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct Version {
            /// The field `_major` in the table `Version`
            pub major: i32,
            /// The field `_minor` in the table `Version`
            pub minor: i32,
            /// The field `_patch` in the table `Version`
            pub patch: i32,
            /// The field `_draft` in the table `Version`
            pub draft: bool,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for Version {
            fn default() -> Self {
                Self {
                    major: -1,
                    minor: -1,
                    patch: -1,
                    draft: true,
                }
            }
        }

        impl Version {
            /// Creates a [VersionBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> VersionBuilder<()> {
                VersionBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_major: impl ::planus::WriteAsDefault<i32, i32>,
                field_minor: impl ::planus::WriteAsDefault<i32, i32>,
                field_patch: impl ::planus::WriteAsDefault<i32, i32>,
                field_draft: impl ::planus::WriteAsDefault<bool, bool>,
            ) -> ::planus::Offset<Self> {
                let prepared_major = field_major.prepare(builder, &-1);
                let prepared_minor = field_minor.prepare(builder, &-1);
                let prepared_patch = field_patch.prepare(builder, &-1);
                let prepared_draft = field_draft.prepare(builder, &true);

                let mut table_writer: ::planus::table_writer::TableWriter<12> =
                    ::core::default::Default::default();
                if prepared_major.is_some() {
                    table_writer.write_entry::<i32>(0);
                }
                if prepared_minor.is_some() {
                    table_writer.write_entry::<i32>(1);
                }
                if prepared_patch.is_some() {
                    table_writer.write_entry::<i32>(2);
                }
                if prepared_draft.is_some() {
                    table_writer.write_entry::<bool>(3);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_major) = prepared_major {
                            object_writer.write::<_, _, 4>(&prepared_major);
                        }
                        if let ::core::option::Option::Some(prepared_minor) = prepared_minor {
                            object_writer.write::<_, _, 4>(&prepared_minor);
                        }
                        if let ::core::option::Option::Some(prepared_patch) = prepared_patch {
                            object_writer.write::<_, _, 4>(&prepared_patch);
                        }
                        if let ::core::option::Option::Some(prepared_draft) = prepared_draft {
                            object_writer.write::<_, _, 1>(&prepared_draft);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<Version>> for Version {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Version> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<Version>> for Version {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Version>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<Version> for Version {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Version> {
                Version::create(builder, self.major, self.minor, self.patch, self.draft)
            }
        }

        /// Builder for serializing an instance of the [Version] type.
        ///
        /// Can be created using the [Version::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct VersionBuilder<State>(State);

        impl VersionBuilder<()> {
            /// Setter for the [`_major` field](Version#structfield.major).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn major<T0>(self, value: T0) -> VersionBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<i32, i32>,
            {
                VersionBuilder((value,))
            }

            /// Sets the [`_major` field](Version#structfield.major) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn major_as_default(self) -> VersionBuilder<(::planus::DefaultValue,)> {
                self.major(::planus::DefaultValue)
            }
        }

        impl<T0> VersionBuilder<(T0,)> {
            /// Setter for the [`_minor` field](Version#structfield.minor).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn minor<T1>(self, value: T1) -> VersionBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<i32, i32>,
            {
                let (v0,) = self.0;
                VersionBuilder((v0, value))
            }

            /// Sets the [`_minor` field](Version#structfield.minor) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn minor_as_default(self) -> VersionBuilder<(T0, ::planus::DefaultValue)> {
                self.minor(::planus::DefaultValue)
            }
        }

        impl<T0, T1> VersionBuilder<(T0, T1)> {
            /// Setter for the [`_patch` field](Version#structfield.patch).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn patch<T2>(self, value: T2) -> VersionBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<i32, i32>,
            {
                let (v0, v1) = self.0;
                VersionBuilder((v0, v1, value))
            }

            /// Sets the [`_patch` field](Version#structfield.patch) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn patch_as_default(self) -> VersionBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.patch(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> VersionBuilder<(T0, T1, T2)> {
            /// Setter for the [`_draft` field](Version#structfield.draft).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn draft<T3>(self, value: T3) -> VersionBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<bool, bool>,
            {
                let (v0, v1, v2) = self.0;
                VersionBuilder((v0, v1, v2, value))
            }

            /// Sets the [`_draft` field](Version#structfield.draft) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn draft_as_default(self) -> VersionBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.draft(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> VersionBuilder<(T0, T1, T2, T3)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [Version].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<Version>
            where
                Self: ::planus::WriteAsOffset<Version>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<i32, i32>,
            T1: ::planus::WriteAsDefault<i32, i32>,
            T2: ::planus::WriteAsDefault<i32, i32>,
            T3: ::planus::WriteAsDefault<bool, bool>,
        > ::planus::WriteAs<::planus::Offset<Version>> for VersionBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<Version>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Version> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<i32, i32>,
            T1: ::planus::WriteAsDefault<i32, i32>,
            T2: ::planus::WriteAsDefault<i32, i32>,
            T3: ::planus::WriteAsDefault<bool, bool>,
        > ::planus::WriteAsOptional<::planus::Offset<Version>>
            for VersionBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<Version>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Version>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<i32, i32>,
            T1: ::planus::WriteAsDefault<i32, i32>,
            T2: ::planus::WriteAsDefault<i32, i32>,
            T3: ::planus::WriteAsDefault<bool, bool>,
        > ::planus::WriteAsOffset<Version> for VersionBuilder<(T0, T1, T2, T3)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Version> {
                let (v0, v1, v2, v3) = &self.0;
                Version::create(builder, v0, v1, v2, v3)
            }
        }

        /// Reference to a deserialized [Version].
        #[derive(Copy, Clone)]
        pub struct VersionRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> VersionRef<'a> {
            /// Getter for the [`_major` field](Version#structfield.major).
            #[inline]
            pub fn major(&self) -> ::planus::Result<i32> {
                ::core::result::Result::Ok(self.0.access(0, "Version", "major")?.unwrap_or(-1))
            }

            /// Getter for the [`_minor` field](Version#structfield.minor).
            #[inline]
            pub fn minor(&self) -> ::planus::Result<i32> {
                ::core::result::Result::Ok(self.0.access(1, "Version", "minor")?.unwrap_or(-1))
            }

            /// Getter for the [`_patch` field](Version#structfield.patch).
            #[inline]
            pub fn patch(&self) -> ::planus::Result<i32> {
                ::core::result::Result::Ok(self.0.access(2, "Version", "patch")?.unwrap_or(-1))
            }

            /// Getter for the [`_draft` field](Version#structfield.draft).
            #[inline]
            pub fn draft(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(self.0.access(3, "Version", "draft")?.unwrap_or(true))
            }
        }

        impl<'a> ::core::fmt::Debug for VersionRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("VersionRef");
                f.field("major", &self.major());
                f.field("minor", &self.minor());
                f.field("patch", &self.patch());
                f.field("draft", &self.draft());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<VersionRef<'a>> for Version {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: VersionRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    major: ::core::convert::TryInto::try_into(value.major()?)?,
                    minor: ::core::convert::TryInto::try_into(value.minor()?)?,
                    patch: ::core::convert::TryInto::try_into(value.patch()?)?,
                    draft: ::core::convert::TryInto::try_into(value.draft()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for VersionRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for VersionRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location("[VersionRef]", "get", buffer.offset_from_start)
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<Version>> for Version {
            type Value = ::planus::Offset<Version>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<Version>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for VersionRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[VersionRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `TosaTensor` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `TosaTensor` in the file `schema/tosa.fbs:127`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct TosaTensor {
            /// The field `name` in the table `TosaTensor`
            pub name: ::core::option::Option<::planus::alloc::string::String>,
            /// The field `shape` in the table `TosaTensor`
            pub shape: ::core::option::Option<::planus::alloc::vec::Vec<i32>>,
            /// The field `type` in the table `TosaTensor`
            pub type_: u32,
            /// The field `data` in the table `TosaTensor`
            pub data: ::core::option::Option<::planus::alloc::vec::Vec<u8>>,
            /// The field `variable` in the table `TosaTensor`
            pub variable: bool,
            /// The field `is_unranked` in the table `TosaTensor`
            pub is_unranked: bool,
            /// The field `variable_name` in the table `TosaTensor`
            pub variable_name: ::core::option::Option<::planus::alloc::string::String>,
            /// The field `offset` in the table `TosaTensor`
            pub offset: u64,
            /// The field `size` in the table `TosaTensor`
            pub size: u64,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for TosaTensor {
            fn default() -> Self {
                Self {
                    name: ::core::default::Default::default(),
                    shape: ::core::default::Default::default(),
                    type_: 0,
                    data: ::core::default::Default::default(),
                    variable: false,
                    is_unranked: false,
                    variable_name: ::core::default::Default::default(),
                    offset: 0,
                    size: 0,
                }
            }
        }

        impl TosaTensor {
            /// Creates a [TosaTensorBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> TosaTensorBuilder<()> {
                TosaTensorBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_name: impl ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
                field_shape: impl ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
                field_type_: impl ::planus::WriteAsDefault<u32, u32>,
                field_data: impl ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
                field_variable: impl ::planus::WriteAsDefault<bool, bool>,
                field_is_unranked: impl ::planus::WriteAsDefault<bool, bool>,
                field_variable_name: impl ::planus::WriteAsOptional<
                    ::planus::Offset<::core::primitive::str>,
                >,
                field_offset: impl ::planus::WriteAsDefault<u64, u64>,
                field_size: impl ::planus::WriteAsDefault<u64, u64>,
            ) -> ::planus::Offset<Self> {
                let prepared_name = field_name.prepare(builder);
                let prepared_shape = field_shape.prepare(builder);
                let prepared_type_ = field_type_.prepare(builder, &0);
                let prepared_data = field_data.prepare(builder);
                let prepared_variable = field_variable.prepare(builder, &false);
                let prepared_is_unranked = field_is_unranked.prepare(builder, &false);
                let prepared_variable_name = field_variable_name.prepare(builder);
                let prepared_offset = field_offset.prepare(builder, &0);
                let prepared_size = field_size.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<22> =
                    ::core::default::Default::default();
                if prepared_offset.is_some() {
                    table_writer.write_entry::<u64>(7);
                }
                if prepared_size.is_some() {
                    table_writer.write_entry::<u64>(8);
                }
                if prepared_name.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(0);
                }
                if prepared_shape.is_some() {
                    table_writer.write_entry::<::planus::Offset<[i32]>>(1);
                }
                if prepared_type_.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_data.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u8]>>(3);
                }
                if prepared_variable_name.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(6);
                }
                if prepared_variable.is_some() {
                    table_writer.write_entry::<bool>(4);
                }
                if prepared_is_unranked.is_some() {
                    table_writer.write_entry::<bool>(5);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_offset) = prepared_offset {
                            object_writer.write::<_, _, 8>(&prepared_offset);
                        }
                        if let ::core::option::Option::Some(prepared_size) = prepared_size {
                            object_writer.write::<_, _, 8>(&prepared_size);
                        }
                        if let ::core::option::Option::Some(prepared_name) = prepared_name {
                            object_writer.write::<_, _, 4>(&prepared_name);
                        }
                        if let ::core::option::Option::Some(prepared_shape) = prepared_shape {
                            object_writer.write::<_, _, 4>(&prepared_shape);
                        }
                        if let ::core::option::Option::Some(prepared_type_) = prepared_type_ {
                            object_writer.write::<_, _, 4>(&prepared_type_);
                        }
                        if let ::core::option::Option::Some(prepared_data) = prepared_data {
                            object_writer.write::<_, _, 4>(&prepared_data);
                        }
                        if let ::core::option::Option::Some(prepared_variable_name) =
                            prepared_variable_name
                        {
                            object_writer.write::<_, _, 4>(&prepared_variable_name);
                        }
                        if let ::core::option::Option::Some(prepared_variable) = prepared_variable {
                            object_writer.write::<_, _, 1>(&prepared_variable);
                        }
                        if let ::core::option::Option::Some(prepared_is_unranked) =
                            prepared_is_unranked
                        {
                            object_writer.write::<_, _, 1>(&prepared_is_unranked);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<TosaTensor>> for TosaTensor {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaTensor> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<TosaTensor>> for TosaTensor {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaTensor>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<TosaTensor> for TosaTensor {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaTensor> {
                TosaTensor::create(
                    builder,
                    &self.name,
                    &self.shape,
                    self.type_,
                    &self.data,
                    self.variable,
                    self.is_unranked,
                    &self.variable_name,
                    self.offset,
                    self.size,
                )
            }
        }

        /// Builder for serializing an instance of the [TosaTensor] type.
        ///
        /// Can be created using the [TosaTensor::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct TosaTensorBuilder<State>(State);

        impl TosaTensorBuilder<()> {
            /// Setter for the [`name` field](TosaTensor#structfield.name).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn name<T0>(self, value: T0) -> TosaTensorBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                TosaTensorBuilder((value,))
            }

            /// Sets the [`name` field](TosaTensor#structfield.name) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn name_as_null(self) -> TosaTensorBuilder<((),)> {
                self.name(())
            }
        }

        impl<T0> TosaTensorBuilder<(T0,)> {
            /// Setter for the [`shape` field](TosaTensor#structfield.shape).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn shape<T1>(self, value: T1) -> TosaTensorBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            {
                let (v0,) = self.0;
                TosaTensorBuilder((v0, value))
            }

            /// Sets the [`shape` field](TosaTensor#structfield.shape) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn shape_as_null(self) -> TosaTensorBuilder<(T0, ())> {
                self.shape(())
            }
        }

        impl<T0, T1> TosaTensorBuilder<(T0, T1)> {
            /// Setter for the [`type` field](TosaTensor#structfield.type_).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn type_<T2>(self, value: T2) -> TosaTensorBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                TosaTensorBuilder((v0, v1, value))
            }

            /// Sets the [`type` field](TosaTensor#structfield.type_) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn type_as_default(self) -> TosaTensorBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.type_(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> TosaTensorBuilder<(T0, T1, T2)> {
            /// Setter for the [`data` field](TosaTensor#structfield.data).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn data<T3>(self, value: T3) -> TosaTensorBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            {
                let (v0, v1, v2) = self.0;
                TosaTensorBuilder((v0, v1, v2, value))
            }

            /// Sets the [`data` field](TosaTensor#structfield.data) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn data_as_null(self) -> TosaTensorBuilder<(T0, T1, T2, ())> {
                self.data(())
            }
        }

        impl<T0, T1, T2, T3> TosaTensorBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`variable` field](TosaTensor#structfield.variable).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn variable<T4>(self, value: T4) -> TosaTensorBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<bool, bool>,
            {
                let (v0, v1, v2, v3) = self.0;
                TosaTensorBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`variable` field](TosaTensor#structfield.variable) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn variable_as_default(
                self,
            ) -> TosaTensorBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.variable(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> TosaTensorBuilder<(T0, T1, T2, T3, T4)> {
            /// Setter for the [`is_unranked` field](TosaTensor#structfield.is_unranked).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn is_unranked<T5>(self, value: T5) -> TosaTensorBuilder<(T0, T1, T2, T3, T4, T5)>
            where
                T5: ::planus::WriteAsDefault<bool, bool>,
            {
                let (v0, v1, v2, v3, v4) = self.0;
                TosaTensorBuilder((v0, v1, v2, v3, v4, value))
            }

            /// Sets the [`is_unranked` field](TosaTensor#structfield.is_unranked) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn is_unranked_as_default(
                self,
            ) -> TosaTensorBuilder<(T0, T1, T2, T3, T4, ::planus::DefaultValue)> {
                self.is_unranked(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5> TosaTensorBuilder<(T0, T1, T2, T3, T4, T5)> {
            /// Setter for the [`variable_name` field](TosaTensor#structfield.variable_name).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn variable_name<T6>(
                self,
                value: T6,
            ) -> TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, T6)>
            where
                T6: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                let (v0, v1, v2, v3, v4, v5) = self.0;
                TosaTensorBuilder((v0, v1, v2, v3, v4, v5, value))
            }

            /// Sets the [`variable_name` field](TosaTensor#structfield.variable_name) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn variable_name_as_null(self) -> TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, ())> {
                self.variable_name(())
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6> TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, T6)> {
            /// Setter for the [`offset` field](TosaTensor#structfield.offset).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn offset<T7>(
                self,
                value: T7,
            ) -> TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
            where
                T7: ::planus::WriteAsDefault<u64, u64>,
            {
                let (v0, v1, v2, v3, v4, v5, v6) = self.0;
                TosaTensorBuilder((v0, v1, v2, v3, v4, v5, v6, value))
            }

            /// Sets the [`offset` field](TosaTensor#structfield.offset) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn offset_as_default(
                self,
            ) -> TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, T6, ::planus::DefaultValue)>
            {
                self.offset(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7> TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)> {
            /// Setter for the [`size` field](TosaTensor#structfield.size).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn size<T8>(
                self,
                value: T8,
            ) -> TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
            where
                T8: ::planus::WriteAsDefault<u64, u64>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7) = self.0;
                TosaTensorBuilder((v0, v1, v2, v3, v4, v5, v6, v7, value))
            }

            /// Sets the [`size` field](TosaTensor#structfield.size) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn size_as_default(
                self,
            ) -> TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, ::planus::DefaultValue)>
            {
                self.size(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8> TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [TosaTensor].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaTensor>
            where
                Self: ::planus::WriteAsOffset<TosaTensor>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            T4: ::planus::WriteAsDefault<bool, bool>,
            T5: ::planus::WriteAsDefault<bool, bool>,
            T6: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T7: ::planus::WriteAsDefault<u64, u64>,
            T8: ::planus::WriteAsDefault<u64, u64>,
        > ::planus::WriteAs<::planus::Offset<TosaTensor>>
            for TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
        {
            type Prepared = ::planus::Offset<TosaTensor>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaTensor> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            T4: ::planus::WriteAsDefault<bool, bool>,
            T5: ::planus::WriteAsDefault<bool, bool>,
            T6: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T7: ::planus::WriteAsDefault<u64, u64>,
            T8: ::planus::WriteAsDefault<u64, u64>,
        > ::planus::WriteAsOptional<::planus::Offset<TosaTensor>>
            for TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
        {
            type Prepared = ::planus::Offset<TosaTensor>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaTensor>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[i32]>>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            T4: ::planus::WriteAsDefault<bool, bool>,
            T5: ::planus::WriteAsDefault<bool, bool>,
            T6: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T7: ::planus::WriteAsDefault<u64, u64>,
            T8: ::planus::WriteAsDefault<u64, u64>,
        > ::planus::WriteAsOffset<TosaTensor>
            for TosaTensorBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaTensor> {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8) = &self.0;
                TosaTensor::create(builder, v0, v1, v2, v3, v4, v5, v6, v7, v8)
            }
        }

        /// Reference to a deserialized [TosaTensor].
        #[derive(Copy, Clone)]
        pub struct TosaTensorRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> TosaTensorRef<'a> {
            /// Getter for the [`name` field](TosaTensor#structfield.name).
            #[inline]
            pub fn name(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(0, "TosaTensor", "name")
            }

            /// Getter for the [`shape` field](TosaTensor#structfield.shape).
            #[inline]
            pub fn shape(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, i32>>> {
                self.0.access(1, "TosaTensor", "shape")
            }

            /// Getter for the [`type` field](TosaTensor#structfield.type_).
            #[inline]
            pub fn type_(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(2, "TosaTensor", "type_")?.unwrap_or(0))
            }

            /// Getter for the [`data` field](TosaTensor#structfield.data).
            #[inline]
            pub fn data(&self) -> ::planus::Result<::core::option::Option<&'a [u8]>> {
                self.0.access(3, "TosaTensor", "data")
            }

            /// Getter for the [`variable` field](TosaTensor#structfield.variable).
            #[inline]
            pub fn variable(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0.access(4, "TosaTensor", "variable")?.unwrap_or(false),
                )
            }

            /// Getter for the [`is_unranked` field](TosaTensor#structfield.is_unranked).
            #[inline]
            pub fn is_unranked(&self) -> ::planus::Result<bool> {
                ::core::result::Result::Ok(
                    self.0
                        .access(5, "TosaTensor", "is_unranked")?
                        .unwrap_or(false),
                )
            }

            /// Getter for the [`variable_name` field](TosaTensor#structfield.variable_name).
            #[inline]
            pub fn variable_name(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(6, "TosaTensor", "variable_name")
            }

            /// Getter for the [`offset` field](TosaTensor#structfield.offset).
            #[inline]
            pub fn offset(&self) -> ::planus::Result<u64> {
                ::core::result::Result::Ok(self.0.access(7, "TosaTensor", "offset")?.unwrap_or(0))
            }

            /// Getter for the [`size` field](TosaTensor#structfield.size).
            #[inline]
            pub fn size(&self) -> ::planus::Result<u64> {
                ::core::result::Result::Ok(self.0.access(8, "TosaTensor", "size")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for TosaTensorRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("TosaTensorRef");
                if let ::core::option::Option::Some(field_name) = self.name().transpose() {
                    f.field("name", &field_name);
                }
                if let ::core::option::Option::Some(field_shape) = self.shape().transpose() {
                    f.field("shape", &field_shape);
                }
                f.field("type_", &self.type_());
                if let ::core::option::Option::Some(field_data) = self.data().transpose() {
                    f.field("data", &field_data);
                }
                f.field("variable", &self.variable());
                f.field("is_unranked", &self.is_unranked());
                if let ::core::option::Option::Some(field_variable_name) =
                    self.variable_name().transpose()
                {
                    f.field("variable_name", &field_variable_name);
                }
                f.field("offset", &self.offset());
                f.field("size", &self.size());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<TosaTensorRef<'a>> for TosaTensor {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: TosaTensorRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    name: value.name()?.map(::core::convert::Into::into),
                    shape: if let ::core::option::Option::Some(shape) = value.shape()? {
                        ::core::option::Option::Some(shape.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    type_: ::core::convert::TryInto::try_into(value.type_()?)?,
                    data: value.data()?.map(|v| v.to_vec()),
                    variable: ::core::convert::TryInto::try_into(value.variable()?)?,
                    is_unranked: ::core::convert::TryInto::try_into(value.is_unranked()?)?,
                    variable_name: value.variable_name()?.map(::core::convert::Into::into),
                    offset: ::core::convert::TryInto::try_into(value.offset()?)?,
                    size: ::core::convert::TryInto::try_into(value.size()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for TosaTensorRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for TosaTensorRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[TosaTensorRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<TosaTensor>> for TosaTensor {
            type Value = ::planus::Offset<TosaTensor>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<TosaTensor>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for TosaTensorRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[TosaTensorRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `TosaShape` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `TosaShape` in the file `schema/tosa.fbs:139`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct TosaShape {
            /// The field `name` in the table `TosaShape`
            pub name: ::core::option::Option<::planus::alloc::string::String>,
            /// The field `rank` in the table `TosaShape`
            pub rank: u32,
            /// The field `data` in the table `TosaShape`
            pub data: ::core::option::Option<::planus::alloc::vec::Vec<u8>>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for TosaShape {
            fn default() -> Self {
                Self {
                    name: ::core::default::Default::default(),
                    rank: 0,
                    data: ::core::default::Default::default(),
                }
            }
        }

        impl TosaShape {
            /// Creates a [TosaShapeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> TosaShapeBuilder<()> {
                TosaShapeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_name: impl ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
                field_rank: impl ::planus::WriteAsDefault<u32, u32>,
                field_data: impl ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            ) -> ::planus::Offset<Self> {
                let prepared_name = field_name.prepare(builder);
                let prepared_rank = field_rank.prepare(builder, &0);
                let prepared_data = field_data.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<10> =
                    ::core::default::Default::default();
                if prepared_name.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(0);
                }
                if prepared_rank.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_data.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u8]>>(2);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_name) = prepared_name {
                            object_writer.write::<_, _, 4>(&prepared_name);
                        }
                        if let ::core::option::Option::Some(prepared_rank) = prepared_rank {
                            object_writer.write::<_, _, 4>(&prepared_rank);
                        }
                        if let ::core::option::Option::Some(prepared_data) = prepared_data {
                            object_writer.write::<_, _, 4>(&prepared_data);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<TosaShape>> for TosaShape {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaShape> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<TosaShape>> for TosaShape {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaShape>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<TosaShape> for TosaShape {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaShape> {
                TosaShape::create(builder, &self.name, self.rank, &self.data)
            }
        }

        /// Builder for serializing an instance of the [TosaShape] type.
        ///
        /// Can be created using the [TosaShape::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct TosaShapeBuilder<State>(State);

        impl TosaShapeBuilder<()> {
            /// Setter for the [`name` field](TosaShape#structfield.name).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn name<T0>(self, value: T0) -> TosaShapeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                TosaShapeBuilder((value,))
            }

            /// Sets the [`name` field](TosaShape#structfield.name) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn name_as_null(self) -> TosaShapeBuilder<((),)> {
                self.name(())
            }
        }

        impl<T0> TosaShapeBuilder<(T0,)> {
            /// Setter for the [`rank` field](TosaShape#structfield.rank).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn rank<T1>(self, value: T1) -> TosaShapeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                TosaShapeBuilder((v0, value))
            }

            /// Sets the [`rank` field](TosaShape#structfield.rank) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn rank_as_default(self) -> TosaShapeBuilder<(T0, ::planus::DefaultValue)> {
                self.rank(::planus::DefaultValue)
            }
        }

        impl<T0, T1> TosaShapeBuilder<(T0, T1)> {
            /// Setter for the [`data` field](TosaShape#structfield.data).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn data<T2>(self, value: T2) -> TosaShapeBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            {
                let (v0, v1) = self.0;
                TosaShapeBuilder((v0, v1, value))
            }

            /// Sets the [`data` field](TosaShape#structfield.data) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn data_as_null(self) -> TosaShapeBuilder<(T0, T1, ())> {
                self.data(())
            }
        }

        impl<T0, T1, T2> TosaShapeBuilder<(T0, T1, T2)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [TosaShape].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaShape>
            where
                Self: ::planus::WriteAsOffset<TosaShape>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
        > ::planus::WriteAs<::planus::Offset<TosaShape>> for TosaShapeBuilder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<TosaShape>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaShape> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
        > ::planus::WriteAsOptional<::planus::Offset<TosaShape>>
            for TosaShapeBuilder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<TosaShape>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaShape>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
        > ::planus::WriteAsOffset<TosaShape> for TosaShapeBuilder<(T0, T1, T2)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaShape> {
                let (v0, v1, v2) = &self.0;
                TosaShape::create(builder, v0, v1, v2)
            }
        }

        /// Reference to a deserialized [TosaShape].
        #[derive(Copy, Clone)]
        pub struct TosaShapeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> TosaShapeRef<'a> {
            /// Getter for the [`name` field](TosaShape#structfield.name).
            #[inline]
            pub fn name(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(0, "TosaShape", "name")
            }

            /// Getter for the [`rank` field](TosaShape#structfield.rank).
            #[inline]
            pub fn rank(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(1, "TosaShape", "rank")?.unwrap_or(0))
            }

            /// Getter for the [`data` field](TosaShape#structfield.data).
            #[inline]
            pub fn data(&self) -> ::planus::Result<::core::option::Option<&'a [u8]>> {
                self.0.access(2, "TosaShape", "data")
            }
        }

        impl<'a> ::core::fmt::Debug for TosaShapeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("TosaShapeRef");
                if let ::core::option::Option::Some(field_name) = self.name().transpose() {
                    f.field("name", &field_name);
                }
                f.field("rank", &self.rank());
                if let ::core::option::Option::Some(field_data) = self.data().transpose() {
                    f.field("data", &field_data);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<TosaShapeRef<'a>> for TosaShape {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: TosaShapeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    name: value.name()?.map(::core::convert::Into::into),
                    rank: ::core::convert::TryInto::try_into(value.rank()?)?,
                    data: value.data()?.map(|v| v.to_vec()),
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for TosaShapeRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for TosaShapeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[TosaShapeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<TosaShape>> for TosaShape {
            type Value = ::planus::Offset<TosaShape>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<TosaShape>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for TosaShapeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[TosaShapeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `OpLocation` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `OpLocation` in the file `schema/tosa.fbs:141`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct OpLocation {
            /// The field `text` in the table `OpLocation`
            pub text: ::core::option::Option<::planus::alloc::string::String>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for OpLocation {
            fn default() -> Self {
                Self {
                    text: ::core::default::Default::default(),
                }
            }
        }

        impl OpLocation {
            /// Creates a [OpLocationBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> OpLocationBuilder<()> {
                OpLocationBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_text: impl ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            ) -> ::planus::Offset<Self> {
                let prepared_text = field_text.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<6> =
                    ::core::default::Default::default();
                if prepared_text.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(0);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_text) = prepared_text {
                            object_writer.write::<_, _, 4>(&prepared_text);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<OpLocation>> for OpLocation {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<OpLocation> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<OpLocation>> for OpLocation {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<OpLocation>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<OpLocation> for OpLocation {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<OpLocation> {
                OpLocation::create(builder, &self.text)
            }
        }

        /// Builder for serializing an instance of the [OpLocation] type.
        ///
        /// Can be created using the [OpLocation::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct OpLocationBuilder<State>(State);

        impl OpLocationBuilder<()> {
            /// Setter for the [`text` field](OpLocation#structfield.text).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn text<T0>(self, value: T0) -> OpLocationBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                OpLocationBuilder((value,))
            }

            /// Sets the [`text` field](OpLocation#structfield.text) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn text_as_null(self) -> OpLocationBuilder<((),)> {
                self.text(())
            }
        }

        impl<T0> OpLocationBuilder<(T0,)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [OpLocation].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<OpLocation>
            where
                Self: ::planus::WriteAsOffset<OpLocation>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>>
            ::planus::WriteAs<::planus::Offset<OpLocation>> for OpLocationBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<OpLocation>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<OpLocation> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>>
            ::planus::WriteAsOptional<::planus::Offset<OpLocation>> for OpLocationBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<OpLocation>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<OpLocation>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>>
            ::planus::WriteAsOffset<OpLocation> for OpLocationBuilder<(T0,)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<OpLocation> {
                let (v0,) = &self.0;
                OpLocation::create(builder, v0)
            }
        }

        /// Reference to a deserialized [OpLocation].
        #[derive(Copy, Clone)]
        pub struct OpLocationRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> OpLocationRef<'a> {
            /// Getter for the [`text` field](OpLocation#structfield.text).
            #[inline]
            pub fn text(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(0, "OpLocation", "text")
            }
        }

        impl<'a> ::core::fmt::Debug for OpLocationRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("OpLocationRef");
                if let ::core::option::Option::Some(field_text) = self.text().transpose() {
                    f.field("text", &field_text);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<OpLocationRef<'a>> for OpLocation {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: OpLocationRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    text: value.text()?.map(::core::convert::Into::into),
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for OpLocationRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for OpLocationRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[OpLocationRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<OpLocation>> for OpLocation {
            type Value = ::planus::Offset<OpLocation>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<OpLocation>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for OpLocationRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[OpLocationRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `TosaOperator` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `TosaOperator` in the file `schema/tosa.fbs:143`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct TosaOperator {
            /// The field `op` in the table `TosaOperator`
            pub op: u32,
            /// The field `attributes` in the table `TosaOperator`
            pub attributes: ::core::option::Option<self::Attribute>,
            /// The field `inputs` in the table `TosaOperator`
            pub inputs:
                ::core::option::Option<::planus::alloc::vec::Vec<::planus::alloc::string::String>>,
            /// The field `outputs` in the table `TosaOperator`
            pub outputs:
                ::core::option::Option<::planus::alloc::vec::Vec<::planus::alloc::string::String>>,
            /// The field `location` in the table `TosaOperator`
            pub location: ::core::option::Option<::planus::alloc::boxed::Box<self::OpLocation>>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for TosaOperator {
            fn default() -> Self {
                Self {
                    op: 0,
                    attributes: ::core::default::Default::default(),
                    inputs: ::core::default::Default::default(),
                    outputs: ::core::default::Default::default(),
                    location: ::core::default::Default::default(),
                }
            }
        }

        impl TosaOperator {
            /// Creates a [TosaOperatorBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> TosaOperatorBuilder<()> {
                TosaOperatorBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_op: impl ::planus::WriteAsDefault<u32, u32>,
                field_attributes: impl ::planus::WriteAsOptionalUnion<self::Attribute>,
                field_inputs: impl ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
                field_outputs: impl ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
                field_location: impl ::planus::WriteAsOptional<::planus::Offset<self::OpLocation>>,
            ) -> ::planus::Offset<Self> {
                let prepared_op = field_op.prepare(builder, &0);
                let prepared_attributes = field_attributes.prepare(builder);
                let prepared_inputs = field_inputs.prepare(builder);
                let prepared_outputs = field_outputs.prepare(builder);
                let prepared_location = field_location.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<16> =
                    ::core::default::Default::default();
                if prepared_op.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_attributes.is_some() {
                    table_writer.write_entry::<::planus::Offset<self::Attribute>>(2);
                }
                if prepared_inputs.is_some() {
                    table_writer.write_entry::<::planus::Offset<[::planus::Offset<str>]>>(3);
                }
                if prepared_outputs.is_some() {
                    table_writer.write_entry::<::planus::Offset<[::planus::Offset<str>]>>(4);
                }
                if prepared_location.is_some() {
                    table_writer.write_entry::<::planus::Offset<self::OpLocation>>(5);
                }
                if prepared_attributes.is_some() {
                    table_writer.write_entry::<u8>(1);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_op) = prepared_op {
                            object_writer.write::<_, _, 4>(&prepared_op);
                        }
                        if let ::core::option::Option::Some(prepared_attributes) =
                            prepared_attributes
                        {
                            object_writer.write::<_, _, 4>(&prepared_attributes.offset());
                        }
                        if let ::core::option::Option::Some(prepared_inputs) = prepared_inputs {
                            object_writer.write::<_, _, 4>(&prepared_inputs);
                        }
                        if let ::core::option::Option::Some(prepared_outputs) = prepared_outputs {
                            object_writer.write::<_, _, 4>(&prepared_outputs);
                        }
                        if let ::core::option::Option::Some(prepared_location) = prepared_location {
                            object_writer.write::<_, _, 4>(&prepared_location);
                        }
                        if let ::core::option::Option::Some(prepared_attributes) =
                            prepared_attributes
                        {
                            object_writer.write::<_, _, 1>(&prepared_attributes.tag());
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<TosaOperator>> for TosaOperator {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaOperator> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<TosaOperator>> for TosaOperator {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaOperator>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<TosaOperator> for TosaOperator {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaOperator> {
                TosaOperator::create(
                    builder,
                    self.op,
                    &self.attributes,
                    &self.inputs,
                    &self.outputs,
                    &self.location,
                )
            }
        }

        /// Builder for serializing an instance of the [TosaOperator] type.
        ///
        /// Can be created using the [TosaOperator::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct TosaOperatorBuilder<State>(State);

        impl TosaOperatorBuilder<()> {
            /// Setter for the [`op` field](TosaOperator#structfield.op).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn op<T0>(self, value: T0) -> TosaOperatorBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                TosaOperatorBuilder((value,))
            }

            /// Sets the [`op` field](TosaOperator#structfield.op) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn op_as_default(self) -> TosaOperatorBuilder<(::planus::DefaultValue,)> {
                self.op(::planus::DefaultValue)
            }
        }

        impl<T0> TosaOperatorBuilder<(T0,)> {
            /// Setter for the [`attributes` field](TosaOperator#structfield.attributes).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn attributes<T1>(self, value: T1) -> TosaOperatorBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptionalUnion<self::Attribute>,
            {
                let (v0,) = self.0;
                TosaOperatorBuilder((v0, value))
            }

            /// Sets the [`attributes` field](TosaOperator#structfield.attributes) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn attributes_as_null(self) -> TosaOperatorBuilder<(T0, ())> {
                self.attributes(())
            }
        }

        impl<T0, T1> TosaOperatorBuilder<(T0, T1)> {
            /// Setter for the [`inputs` field](TosaOperator#structfield.inputs).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn inputs<T2>(self, value: T2) -> TosaOperatorBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            {
                let (v0, v1) = self.0;
                TosaOperatorBuilder((v0, v1, value))
            }

            /// Sets the [`inputs` field](TosaOperator#structfield.inputs) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn inputs_as_null(self) -> TosaOperatorBuilder<(T0, T1, ())> {
                self.inputs(())
            }
        }

        impl<T0, T1, T2> TosaOperatorBuilder<(T0, T1, T2)> {
            /// Setter for the [`outputs` field](TosaOperator#structfield.outputs).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn outputs<T3>(self, value: T3) -> TosaOperatorBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            {
                let (v0, v1, v2) = self.0;
                TosaOperatorBuilder((v0, v1, v2, value))
            }

            /// Sets the [`outputs` field](TosaOperator#structfield.outputs) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn outputs_as_null(self) -> TosaOperatorBuilder<(T0, T1, T2, ())> {
                self.outputs(())
            }
        }

        impl<T0, T1, T2, T3> TosaOperatorBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`location` field](TosaOperator#structfield.location).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn location<T4>(self, value: T4) -> TosaOperatorBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsOptional<::planus::Offset<self::OpLocation>>,
            {
                let (v0, v1, v2, v3) = self.0;
                TosaOperatorBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`location` field](TosaOperator#structfield.location) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn location_as_null(self) -> TosaOperatorBuilder<(T0, T1, T2, T3, ())> {
                self.location(())
            }
        }

        impl<T0, T1, T2, T3, T4> TosaOperatorBuilder<(T0, T1, T2, T3, T4)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [TosaOperator].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaOperator>
            where
                Self: ::planus::WriteAsOffset<TosaOperator>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptionalUnion<self::Attribute>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T3: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T4: ::planus::WriteAsOptional<::planus::Offset<self::OpLocation>>,
        > ::planus::WriteAs<::planus::Offset<TosaOperator>>
            for TosaOperatorBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<TosaOperator>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaOperator> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptionalUnion<self::Attribute>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T3: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T4: ::planus::WriteAsOptional<::planus::Offset<self::OpLocation>>,
        > ::planus::WriteAsOptional<::planus::Offset<TosaOperator>>
            for TosaOperatorBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<TosaOperator>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaOperator>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptionalUnion<self::Attribute>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T3: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T4: ::planus::WriteAsOptional<::planus::Offset<self::OpLocation>>,
        > ::planus::WriteAsOffset<TosaOperator> for TosaOperatorBuilder<(T0, T1, T2, T3, T4)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaOperator> {
                let (v0, v1, v2, v3, v4) = &self.0;
                TosaOperator::create(builder, v0, v1, v2, v3, v4)
            }
        }

        /// Reference to a deserialized [TosaOperator].
        #[derive(Copy, Clone)]
        pub struct TosaOperatorRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> TosaOperatorRef<'a> {
            /// Getter for the [`op` field](TosaOperator#structfield.op).
            #[inline]
            pub fn op(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(0, "TosaOperator", "op")?.unwrap_or(0))
            }

            /// Getter for the [`attributes` field](TosaOperator#structfield.attributes).
            #[inline]
            pub fn attributes(
                &self,
            ) -> ::planus::Result<::core::option::Option<self::AttributeRef<'a>>> {
                self.0.access_union(1, "TosaOperator", "attributes")
            }

            /// Getter for the [`inputs` field](TosaOperator#structfield.inputs).
            #[inline]
            pub fn inputs(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<
                    ::planus::Vector<'a, ::planus::Result<&'a ::core::primitive::str>>,
                >,
            > {
                self.0.access(3, "TosaOperator", "inputs")
            }

            /// Getter for the [`outputs` field](TosaOperator#structfield.outputs).
            #[inline]
            pub fn outputs(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<
                    ::planus::Vector<'a, ::planus::Result<&'a ::core::primitive::str>>,
                >,
            > {
                self.0.access(4, "TosaOperator", "outputs")
            }

            /// Getter for the [`location` field](TosaOperator#structfield.location).
            #[inline]
            pub fn location(
                &self,
            ) -> ::planus::Result<::core::option::Option<self::OpLocationRef<'a>>> {
                self.0.access(5, "TosaOperator", "location")
            }
        }

        impl<'a> ::core::fmt::Debug for TosaOperatorRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("TosaOperatorRef");
                f.field("op", &self.op());
                if let ::core::option::Option::Some(field_attributes) =
                    self.attributes().transpose()
                {
                    f.field("attributes", &field_attributes);
                }
                if let ::core::option::Option::Some(field_inputs) = self.inputs().transpose() {
                    f.field("inputs", &field_inputs);
                }
                if let ::core::option::Option::Some(field_outputs) = self.outputs().transpose() {
                    f.field("outputs", &field_outputs);
                }
                if let ::core::option::Option::Some(field_location) = self.location().transpose() {
                    f.field("location", &field_location);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<TosaOperatorRef<'a>> for TosaOperator {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: TosaOperatorRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    op: ::core::convert::TryInto::try_into(value.op()?)?,
                    attributes: if let ::core::option::Option::Some(attributes) =
                        value.attributes()?
                    {
                        ::core::option::Option::Some(::core::convert::TryInto::try_into(
                            attributes,
                        )?)
                    } else {
                        ::core::option::Option::None
                    },
                    inputs: if let ::core::option::Option::Some(inputs) = value.inputs()? {
                        ::core::option::Option::Some(inputs.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                    outputs: if let ::core::option::Option::Some(outputs) = value.outputs()? {
                        ::core::option::Option::Some(outputs.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                    location: if let ::core::option::Option::Some(location) = value.location()? {
                        ::core::option::Option::Some(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryInto::try_into(location)?,
                        ))
                    } else {
                        ::core::option::Option::None
                    },
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for TosaOperatorRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for TosaOperatorRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[TosaOperatorRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<TosaOperator>> for TosaOperator {
            type Value = ::planus::Offset<TosaOperator>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<TosaOperator>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for TosaOperatorRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[TosaOperatorRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `TosaBasicBlock` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `TosaBasicBlock` in the file `schema/tosa.fbs:151`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct TosaBasicBlock {
            /// The field `name` in the table `TosaBasicBlock`
            pub name: ::core::option::Option<::planus::alloc::string::String>,
            /// The field `operators` in the table `TosaBasicBlock`
            pub operators: ::core::option::Option<::planus::alloc::vec::Vec<self::TosaOperator>>,
            /// The field `tensors` in the table `TosaBasicBlock`
            pub tensors: ::core::option::Option<::planus::alloc::vec::Vec<self::TosaTensor>>,
            /// The field `inputs` in the table `TosaBasicBlock`
            pub inputs:
                ::core::option::Option<::planus::alloc::vec::Vec<::planus::alloc::string::String>>,
            /// The field `outputs` in the table `TosaBasicBlock`
            pub outputs:
                ::core::option::Option<::planus::alloc::vec::Vec<::planus::alloc::string::String>>,
            /// The field `shapes` in the table `TosaBasicBlock`
            pub shapes: ::core::option::Option<::planus::alloc::vec::Vec<self::TosaShape>>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for TosaBasicBlock {
            fn default() -> Self {
                Self {
                    name: ::core::default::Default::default(),
                    operators: ::core::default::Default::default(),
                    tensors: ::core::default::Default::default(),
                    inputs: ::core::default::Default::default(),
                    outputs: ::core::default::Default::default(),
                    shapes: ::core::default::Default::default(),
                }
            }
        }

        impl TosaBasicBlock {
            /// Creates a [TosaBasicBlockBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> TosaBasicBlockBuilder<()> {
                TosaBasicBlockBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_name: impl ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
                field_operators: impl ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::TosaOperator>]>,
                >,
                field_tensors: impl ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::TosaTensor>]>,
                >,
                field_inputs: impl ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
                field_outputs: impl ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
                field_shapes: impl ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::TosaShape>]>,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_name = field_name.prepare(builder);
                let prepared_operators = field_operators.prepare(builder);
                let prepared_tensors = field_tensors.prepare(builder);
                let prepared_inputs = field_inputs.prepare(builder);
                let prepared_outputs = field_outputs.prepare(builder);
                let prepared_shapes = field_shapes.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<16> =
                    ::core::default::Default::default();
                if prepared_name.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(0);
                }
                if prepared_operators.is_some() {
                    table_writer
                        .write_entry::<::planus::Offset<[::planus::Offset<self::TosaOperator>]>>(1);
                }
                if prepared_tensors.is_some() {
                    table_writer
                        .write_entry::<::planus::Offset<[::planus::Offset<self::TosaTensor>]>>(2);
                }
                if prepared_inputs.is_some() {
                    table_writer.write_entry::<::planus::Offset<[::planus::Offset<str>]>>(3);
                }
                if prepared_outputs.is_some() {
                    table_writer.write_entry::<::planus::Offset<[::planus::Offset<str>]>>(4);
                }
                if prepared_shapes.is_some() {
                    table_writer
                        .write_entry::<::planus::Offset<[::planus::Offset<self::TosaShape>]>>(5);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_name) = prepared_name {
                            object_writer.write::<_, _, 4>(&prepared_name);
                        }
                        if let ::core::option::Option::Some(prepared_operators) = prepared_operators
                        {
                            object_writer.write::<_, _, 4>(&prepared_operators);
                        }
                        if let ::core::option::Option::Some(prepared_tensors) = prepared_tensors {
                            object_writer.write::<_, _, 4>(&prepared_tensors);
                        }
                        if let ::core::option::Option::Some(prepared_inputs) = prepared_inputs {
                            object_writer.write::<_, _, 4>(&prepared_inputs);
                        }
                        if let ::core::option::Option::Some(prepared_outputs) = prepared_outputs {
                            object_writer.write::<_, _, 4>(&prepared_outputs);
                        }
                        if let ::core::option::Option::Some(prepared_shapes) = prepared_shapes {
                            object_writer.write::<_, _, 4>(&prepared_shapes);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<TosaBasicBlock>> for TosaBasicBlock {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaBasicBlock> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<TosaBasicBlock>> for TosaBasicBlock {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaBasicBlock>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<TosaBasicBlock> for TosaBasicBlock {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaBasicBlock> {
                TosaBasicBlock::create(
                    builder,
                    &self.name,
                    &self.operators,
                    &self.tensors,
                    &self.inputs,
                    &self.outputs,
                    &self.shapes,
                )
            }
        }

        /// Builder for serializing an instance of the [TosaBasicBlock] type.
        ///
        /// Can be created using the [TosaBasicBlock::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct TosaBasicBlockBuilder<State>(State);

        impl TosaBasicBlockBuilder<()> {
            /// Setter for the [`name` field](TosaBasicBlock#structfield.name).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn name<T0>(self, value: T0) -> TosaBasicBlockBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                TosaBasicBlockBuilder((value,))
            }

            /// Sets the [`name` field](TosaBasicBlock#structfield.name) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn name_as_null(self) -> TosaBasicBlockBuilder<((),)> {
                self.name(())
            }
        }

        impl<T0> TosaBasicBlockBuilder<(T0,)> {
            /// Setter for the [`operators` field](TosaBasicBlock#structfield.operators).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn operators<T1>(self, value: T1) -> TosaBasicBlockBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<
                        ::planus::Offset<[::planus::Offset<self::TosaOperator>]>,
                    >,
            {
                let (v0,) = self.0;
                TosaBasicBlockBuilder((v0, value))
            }

            /// Sets the [`operators` field](TosaBasicBlock#structfield.operators) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn operators_as_null(self) -> TosaBasicBlockBuilder<(T0, ())> {
                self.operators(())
            }
        }

        impl<T0, T1> TosaBasicBlockBuilder<(T0, T1)> {
            /// Setter for the [`tensors` field](TosaBasicBlock#structfield.tensors).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn tensors<T2>(self, value: T2) -> TosaBasicBlockBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<
                        ::planus::Offset<[::planus::Offset<self::TosaTensor>]>,
                    >,
            {
                let (v0, v1) = self.0;
                TosaBasicBlockBuilder((v0, v1, value))
            }

            /// Sets the [`tensors` field](TosaBasicBlock#structfield.tensors) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn tensors_as_null(self) -> TosaBasicBlockBuilder<(T0, T1, ())> {
                self.tensors(())
            }
        }

        impl<T0, T1, T2> TosaBasicBlockBuilder<(T0, T1, T2)> {
            /// Setter for the [`inputs` field](TosaBasicBlock#structfield.inputs).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn inputs<T3>(self, value: T3) -> TosaBasicBlockBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            {
                let (v0, v1, v2) = self.0;
                TosaBasicBlockBuilder((v0, v1, v2, value))
            }

            /// Sets the [`inputs` field](TosaBasicBlock#structfield.inputs) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn inputs_as_null(self) -> TosaBasicBlockBuilder<(T0, T1, T2, ())> {
                self.inputs(())
            }
        }

        impl<T0, T1, T2, T3> TosaBasicBlockBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`outputs` field](TosaBasicBlock#structfield.outputs).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn outputs<T4>(self, value: T4) -> TosaBasicBlockBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            {
                let (v0, v1, v2, v3) = self.0;
                TosaBasicBlockBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`outputs` field](TosaBasicBlock#structfield.outputs) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn outputs_as_null(self) -> TosaBasicBlockBuilder<(T0, T1, T2, T3, ())> {
                self.outputs(())
            }
        }

        impl<T0, T1, T2, T3, T4> TosaBasicBlockBuilder<(T0, T1, T2, T3, T4)> {
            /// Setter for the [`shapes` field](TosaBasicBlock#structfield.shapes).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn shapes<T5>(self, value: T5) -> TosaBasicBlockBuilder<(T0, T1, T2, T3, T4, T5)>
            where
                T5: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaShape>]>>,
            {
                let (v0, v1, v2, v3, v4) = self.0;
                TosaBasicBlockBuilder((v0, v1, v2, v3, v4, value))
            }

            /// Sets the [`shapes` field](TosaBasicBlock#structfield.shapes) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn shapes_as_null(self) -> TosaBasicBlockBuilder<(T0, T1, T2, T3, T4, ())> {
                self.shapes(())
            }
        }

        impl<T0, T1, T2, T3, T4, T5> TosaBasicBlockBuilder<(T0, T1, T2, T3, T4, T5)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [TosaBasicBlock].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaBasicBlock>
            where
                Self: ::planus::WriteAsOffset<TosaBasicBlock>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaOperator>]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaTensor>]>>,
            T3: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T4: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T5: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaShape>]>>,
        > ::planus::WriteAs<::planus::Offset<TosaBasicBlock>>
            for TosaBasicBlockBuilder<(T0, T1, T2, T3, T4, T5)>
        {
            type Prepared = ::planus::Offset<TosaBasicBlock>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaBasicBlock> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaOperator>]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaTensor>]>>,
            T3: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T4: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T5: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaShape>]>>,
        > ::planus::WriteAsOptional<::planus::Offset<TosaBasicBlock>>
            for TosaBasicBlockBuilder<(T0, T1, T2, T3, T4, T5)>
        {
            type Prepared = ::planus::Offset<TosaBasicBlock>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaBasicBlock>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaOperator>]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaTensor>]>>,
            T3: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T4: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<str>]>>,
            T5: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaShape>]>>,
        > ::planus::WriteAsOffset<TosaBasicBlock>
            for TosaBasicBlockBuilder<(T0, T1, T2, T3, T4, T5)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaBasicBlock> {
                let (v0, v1, v2, v3, v4, v5) = &self.0;
                TosaBasicBlock::create(builder, v0, v1, v2, v3, v4, v5)
            }
        }

        /// Reference to a deserialized [TosaBasicBlock].
        #[derive(Copy, Clone)]
        pub struct TosaBasicBlockRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> TosaBasicBlockRef<'a> {
            /// Getter for the [`name` field](TosaBasicBlock#structfield.name).
            #[inline]
            pub fn name(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(0, "TosaBasicBlock", "name")
            }

            /// Getter for the [`operators` field](TosaBasicBlock#structfield.operators).
            #[inline]
            pub fn operators(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<
                    ::planus::Vector<'a, ::planus::Result<self::TosaOperatorRef<'a>>>,
                >,
            > {
                self.0.access(1, "TosaBasicBlock", "operators")
            }

            /// Getter for the [`tensors` field](TosaBasicBlock#structfield.tensors).
            #[inline]
            pub fn tensors(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<
                    ::planus::Vector<'a, ::planus::Result<self::TosaTensorRef<'a>>>,
                >,
            > {
                self.0.access(2, "TosaBasicBlock", "tensors")
            }

            /// Getter for the [`inputs` field](TosaBasicBlock#structfield.inputs).
            #[inline]
            pub fn inputs(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<
                    ::planus::Vector<'a, ::planus::Result<&'a ::core::primitive::str>>,
                >,
            > {
                self.0.access(3, "TosaBasicBlock", "inputs")
            }

            /// Getter for the [`outputs` field](TosaBasicBlock#structfield.outputs).
            #[inline]
            pub fn outputs(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<
                    ::planus::Vector<'a, ::planus::Result<&'a ::core::primitive::str>>,
                >,
            > {
                self.0.access(4, "TosaBasicBlock", "outputs")
            }

            /// Getter for the [`shapes` field](TosaBasicBlock#structfield.shapes).
            #[inline]
            pub fn shapes(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<
                    ::planus::Vector<'a, ::planus::Result<self::TosaShapeRef<'a>>>,
                >,
            > {
                self.0.access(5, "TosaBasicBlock", "shapes")
            }
        }

        impl<'a> ::core::fmt::Debug for TosaBasicBlockRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("TosaBasicBlockRef");
                if let ::core::option::Option::Some(field_name) = self.name().transpose() {
                    f.field("name", &field_name);
                }
                if let ::core::option::Option::Some(field_operators) = self.operators().transpose()
                {
                    f.field("operators", &field_operators);
                }
                if let ::core::option::Option::Some(field_tensors) = self.tensors().transpose() {
                    f.field("tensors", &field_tensors);
                }
                if let ::core::option::Option::Some(field_inputs) = self.inputs().transpose() {
                    f.field("inputs", &field_inputs);
                }
                if let ::core::option::Option::Some(field_outputs) = self.outputs().transpose() {
                    f.field("outputs", &field_outputs);
                }
                if let ::core::option::Option::Some(field_shapes) = self.shapes().transpose() {
                    f.field("shapes", &field_shapes);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<TosaBasicBlockRef<'a>> for TosaBasicBlock {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: TosaBasicBlockRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    name: value.name()?.map(::core::convert::Into::into),
                    operators: if let ::core::option::Option::Some(operators) = value.operators()? {
                        ::core::option::Option::Some(operators.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                    tensors: if let ::core::option::Option::Some(tensors) = value.tensors()? {
                        ::core::option::Option::Some(tensors.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                    inputs: if let ::core::option::Option::Some(inputs) = value.inputs()? {
                        ::core::option::Option::Some(inputs.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                    outputs: if let ::core::option::Option::Some(outputs) = value.outputs()? {
                        ::core::option::Option::Some(outputs.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                    shapes: if let ::core::option::Option::Some(shapes) = value.shapes()? {
                        ::core::option::Option::Some(shapes.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for TosaBasicBlockRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for TosaBasicBlockRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[TosaBasicBlockRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<TosaBasicBlock>> for TosaBasicBlock {
            type Value = ::planus::Offset<TosaBasicBlock>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<TosaBasicBlock>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for TosaBasicBlockRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[TosaBasicBlockRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `TosaRegion` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `TosaRegion` in the file `schema/tosa.fbs:160`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct TosaRegion {
            /// The field `name` in the table `TosaRegion`
            pub name: ::core::option::Option<::planus::alloc::string::String>,
            /// The field `blocks` in the table `TosaRegion`
            pub blocks: ::core::option::Option<::planus::alloc::vec::Vec<self::TosaBasicBlock>>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for TosaRegion {
            fn default() -> Self {
                Self {
                    name: ::core::default::Default::default(),
                    blocks: ::core::default::Default::default(),
                }
            }
        }

        impl TosaRegion {
            /// Creates a [TosaRegionBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> TosaRegionBuilder<()> {
                TosaRegionBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_name: impl ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
                field_blocks: impl ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::TosaBasicBlock>]>,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_name = field_name.prepare(builder);
                let prepared_blocks = field_blocks.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<8> =
                    ::core::default::Default::default();
                if prepared_name.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(0);
                }
                if prepared_blocks.is_some() {
                    table_writer
                        .write_entry::<::planus::Offset<[::planus::Offset<self::TosaBasicBlock>]>>(
                            1,
                        );
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_name) = prepared_name {
                            object_writer.write::<_, _, 4>(&prepared_name);
                        }
                        if let ::core::option::Option::Some(prepared_blocks) = prepared_blocks {
                            object_writer.write::<_, _, 4>(&prepared_blocks);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<TosaRegion>> for TosaRegion {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaRegion> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<TosaRegion>> for TosaRegion {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaRegion>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<TosaRegion> for TosaRegion {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaRegion> {
                TosaRegion::create(builder, &self.name, &self.blocks)
            }
        }

        /// Builder for serializing an instance of the [TosaRegion] type.
        ///
        /// Can be created using the [TosaRegion::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct TosaRegionBuilder<State>(State);

        impl TosaRegionBuilder<()> {
            /// Setter for the [`name` field](TosaRegion#structfield.name).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn name<T0>(self, value: T0) -> TosaRegionBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                TosaRegionBuilder((value,))
            }

            /// Sets the [`name` field](TosaRegion#structfield.name) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn name_as_null(self) -> TosaRegionBuilder<((),)> {
                self.name(())
            }
        }

        impl<T0> TosaRegionBuilder<(T0,)> {
            /// Setter for the [`blocks` field](TosaRegion#structfield.blocks).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn blocks<T1>(self, value: T1) -> TosaRegionBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<
                        ::planus::Offset<[::planus::Offset<self::TosaBasicBlock>]>,
                    >,
            {
                let (v0,) = self.0;
                TosaRegionBuilder((v0, value))
            }

            /// Sets the [`blocks` field](TosaRegion#structfield.blocks) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn blocks_as_null(self) -> TosaRegionBuilder<(T0, ())> {
                self.blocks(())
            }
        }

        impl<T0, T1> TosaRegionBuilder<(T0, T1)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [TosaRegion].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaRegion>
            where
                Self: ::planus::WriteAsOffset<TosaRegion>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaBasicBlock>]>>,
        > ::planus::WriteAs<::planus::Offset<TosaRegion>> for TosaRegionBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<TosaRegion>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaRegion> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaBasicBlock>]>>,
        > ::planus::WriteAsOptional<::planus::Offset<TosaRegion>> for TosaRegionBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<TosaRegion>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaRegion>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaBasicBlock>]>>,
        > ::planus::WriteAsOffset<TosaRegion> for TosaRegionBuilder<(T0, T1)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaRegion> {
                let (v0, v1) = &self.0;
                TosaRegion::create(builder, v0, v1)
            }
        }

        /// Reference to a deserialized [TosaRegion].
        #[derive(Copy, Clone)]
        pub struct TosaRegionRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> TosaRegionRef<'a> {
            /// Getter for the [`name` field](TosaRegion#structfield.name).
            #[inline]
            pub fn name(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(0, "TosaRegion", "name")
            }

            /// Getter for the [`blocks` field](TosaRegion#structfield.blocks).
            #[inline]
            pub fn blocks(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<
                    ::planus::Vector<'a, ::planus::Result<self::TosaBasicBlockRef<'a>>>,
                >,
            > {
                self.0.access(1, "TosaRegion", "blocks")
            }
        }

        impl<'a> ::core::fmt::Debug for TosaRegionRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("TosaRegionRef");
                if let ::core::option::Option::Some(field_name) = self.name().transpose() {
                    f.field("name", &field_name);
                }
                if let ::core::option::Option::Some(field_blocks) = self.blocks().transpose() {
                    f.field("blocks", &field_blocks);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<TosaRegionRef<'a>> for TosaRegion {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: TosaRegionRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    name: value.name()?.map(::core::convert::Into::into),
                    blocks: if let ::core::option::Option::Some(blocks) = value.blocks()? {
                        ::core::option::Option::Some(blocks.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for TosaRegionRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for TosaRegionRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[TosaRegionRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<TosaRegion>> for TosaRegion {
            type Value = ::planus::Offset<TosaRegion>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<TosaRegion>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for TosaRegionRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[TosaRegionRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `TosaGraph` in the namespace `tosa`
        ///
        /// Generated from these locations:
        /// * Table `TosaGraph` in the file `schema/tosa.fbs:162`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct TosaGraph {
            /// The field `version` in the table `TosaGraph`
            pub version: ::planus::alloc::boxed::Box<self::Version>,
            /// The field `regions` in the table `TosaGraph`
            pub regions: ::core::option::Option<::planus::alloc::vec::Vec<self::TosaRegion>>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for TosaGraph {
            fn default() -> Self {
                Self {
                    version: ::core::default::Default::default(),
                    regions: ::core::default::Default::default(),
                }
            }
        }

        impl TosaGraph {
            /// Creates a [TosaGraphBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> TosaGraphBuilder<()> {
                TosaGraphBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_version: impl ::planus::WriteAs<::planus::Offset<self::Version>>,
                field_regions: impl ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::TosaRegion>]>,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_version = field_version.prepare(builder);
                let prepared_regions = field_regions.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<8> =
                    ::core::default::Default::default();
                table_writer.write_entry::<::planus::Offset<self::Version>>(0);
                if prepared_regions.is_some() {
                    table_writer
                        .write_entry::<::planus::Offset<[::planus::Offset<self::TosaRegion>]>>(1);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        object_writer.write::<_, _, 4>(&prepared_version);
                        if let ::core::option::Option::Some(prepared_regions) = prepared_regions {
                            object_writer.write::<_, _, 4>(&prepared_regions);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<TosaGraph>> for TosaGraph {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaGraph> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<TosaGraph>> for TosaGraph {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaGraph>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<TosaGraph> for TosaGraph {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaGraph> {
                TosaGraph::create(builder, &self.version, &self.regions)
            }
        }

        /// Builder for serializing an instance of the [TosaGraph] type.
        ///
        /// Can be created using the [TosaGraph::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct TosaGraphBuilder<State>(State);

        impl TosaGraphBuilder<()> {
            /// Setter for the [`version` field](TosaGraph#structfield.version).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn version<T0>(self, value: T0) -> TosaGraphBuilder<(T0,)>
            where
                T0: ::planus::WriteAs<::planus::Offset<self::Version>>,
            {
                TosaGraphBuilder((value,))
            }
        }

        impl<T0> TosaGraphBuilder<(T0,)> {
            /// Setter for the [`regions` field](TosaGraph#structfield.regions).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn regions<T1>(self, value: T1) -> TosaGraphBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<
                        ::planus::Offset<[::planus::Offset<self::TosaRegion>]>,
                    >,
            {
                let (v0,) = self.0;
                TosaGraphBuilder((v0, value))
            }

            /// Sets the [`regions` field](TosaGraph#structfield.regions) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn regions_as_null(self) -> TosaGraphBuilder<(T0, ())> {
                self.regions(())
            }
        }

        impl<T0, T1> TosaGraphBuilder<(T0, T1)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [TosaGraph].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaGraph>
            where
                Self: ::planus::WriteAsOffset<TosaGraph>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAs<::planus::Offset<self::Version>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaRegion>]>>,
        > ::planus::WriteAs<::planus::Offset<TosaGraph>> for TosaGraphBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<TosaGraph>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaGraph> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAs<::planus::Offset<self::Version>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaRegion>]>>,
        > ::planus::WriteAsOptional<::planus::Offset<TosaGraph>> for TosaGraphBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<TosaGraph>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<TosaGraph>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAs<::planus::Offset<self::Version>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::TosaRegion>]>>,
        > ::planus::WriteAsOffset<TosaGraph> for TosaGraphBuilder<(T0, T1)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<TosaGraph> {
                let (v0, v1) = &self.0;
                TosaGraph::create(builder, v0, v1)
            }
        }

        /// Reference to a deserialized [TosaGraph].
        #[derive(Copy, Clone)]
        pub struct TosaGraphRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> TosaGraphRef<'a> {
            /// Getter for the [`version` field](TosaGraph#structfield.version).
            #[inline]
            pub fn version(&self) -> ::planus::Result<self::VersionRef<'a>> {
                self.0.access_required(0, "TosaGraph", "version")
            }

            /// Getter for the [`regions` field](TosaGraph#structfield.regions).
            #[inline]
            pub fn regions(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<
                    ::planus::Vector<'a, ::planus::Result<self::TosaRegionRef<'a>>>,
                >,
            > {
                self.0.access(1, "TosaGraph", "regions")
            }
        }

        impl<'a> ::core::fmt::Debug for TosaGraphRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("TosaGraphRef");
                f.field("version", &self.version());
                if let ::core::option::Option::Some(field_regions) = self.regions().transpose() {
                    f.field("regions", &field_regions);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<TosaGraphRef<'a>> for TosaGraph {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: TosaGraphRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    version: ::planus::alloc::boxed::Box::new(::core::convert::TryInto::try_into(
                        value.version()?,
                    )?),
                    regions: if let ::core::option::Option::Some(regions) = value.regions()? {
                        ::core::option::Option::Some(regions.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for TosaGraphRef<'a> {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                ::core::result::Result::Ok(Self(::planus::table_reader::Table::from_buffer(
                    buffer, offset,
                )?))
            }
        }

        impl<'a> ::planus::VectorReadInner<'a> for TosaGraphRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[TosaGraphRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<TosaGraph>> for TosaGraph {
            type Value = ::planus::Offset<TosaGraph>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<TosaGraph>],
                bytes: *mut ::core::mem::MaybeUninit<u8>,
                buffer_position: u32,
            ) {
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 4];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (Self::STRIDE * i) as u32,
                    );
                }
            }
        }

        impl<'a> ::planus::ReadAsRoot<'a> for TosaGraphRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[TosaGraphRef]", "read_as_root", 0)
                })
            }
        }
    }
}
