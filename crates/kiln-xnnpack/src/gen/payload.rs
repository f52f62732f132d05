pub use root::*;

const _: () = ::planus::check_version_compatibility("planus-1.3.0");

/// The root namespace
///
/// Generated from these locations:
/// * File `schema/payload.fbs`
#[no_implicit_prelude]
#[allow(clippy::needless_lifetimes)]
mod root {
    /// The namespace `xnnpack`
    ///
    /// Generated from these locations:
    /// * File `schema/payload.fbs`
    pub mod xnnpack {
        /// The enum `XNNDatatype` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Enum `XNNDatatype` in the file `schema/payload.fbs:16`
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i16)]
        pub enum XnnDatatype {
            /// The variant `invalid` in the enum `XNNDatatype`
            Invalid = 0,

            /// The variant `fp32` in the enum `XNNDatatype`
            Fp32 = 1,

            /// The variant `fp16` in the enum `XNNDatatype`
            Fp16 = 2,

            /// The variant `qint8` in the enum `XNNDatatype`
            Qint8 = 3,

            /// The variant `quint8` in the enum `XNNDatatype`
            Quint8 = 4,

            /// The variant `qint32` in the enum `XNNDatatype`
            Qint32 = 5,

            /// The variant `qcint8` in the enum `XNNDatatype`
            Qcint8 = 6,

            /// The variant `qcint32` in the enum `XNNDatatype`
            Qcint32 = 7,

            /// The variant `qcint4` in the enum `XNNDatatype`
            Qcint4 = 8,

            /// The variant `qdint8` in the enum `XNNDatatype`
            Qdint8 = 9,

            /// The variant `qbint4` in the enum `XNNDatatype`
            Qbint4 = 10,

            /// The variant `qpint8` in the enum `XNNDatatype`
            Qpint8 = 11,

            /// The variant `int32` in the enum `XNNDatatype`
            Int32 = 12,

            /// The variant `pfp32` in the enum `XNNDatatype`
            Pfp32 = 13,

            /// The variant `bf16` in the enum `XNNDatatype`
            Bf16 = 14,
        }

        impl XnnDatatype {
            /// Array containing all valid variants of XnnDatatype
            pub const ENUM_VALUES: [Self; 15] = [
                Self::Invalid,
                Self::Fp32,
                Self::Fp16,
                Self::Qint8,
                Self::Quint8,
                Self::Qint32,
                Self::Qcint8,
                Self::Qcint32,
                Self::Qcint4,
                Self::Qdint8,
                Self::Qbint4,
                Self::Qpint8,
                Self::Int32,
                Self::Pfp32,
                Self::Bf16,
            ];
        }

        impl ::core::convert::TryFrom<i16> for XnnDatatype {
            type Error = ::planus::errors::UnknownEnumTagKind;
            #[inline]
            fn try_from(
                value: i16,
            ) -> ::core::result::Result<Self, ::planus::errors::UnknownEnumTagKind> {
                #[allow(clippy::match_single_binding)]
                match value {
                    0 => ::core::result::Result::Ok(XnnDatatype::Invalid),
                    1 => ::core::result::Result::Ok(XnnDatatype::Fp32),
                    2 => ::core::result::Result::Ok(XnnDatatype::Fp16),
                    3 => ::core::result::Result::Ok(XnnDatatype::Qint8),
                    4 => ::core::result::Result::Ok(XnnDatatype::Quint8),
                    5 => ::core::result::Result::Ok(XnnDatatype::Qint32),
                    6 => ::core::result::Result::Ok(XnnDatatype::Qcint8),
                    7 => ::core::result::Result::Ok(XnnDatatype::Qcint32),
                    8 => ::core::result::Result::Ok(XnnDatatype::Qcint4),
                    9 => ::core::result::Result::Ok(XnnDatatype::Qdint8),
                    10 => ::core::result::Result::Ok(XnnDatatype::Qbint4),
                    11 => ::core::result::Result::Ok(XnnDatatype::Qpint8),
                    12 => ::core::result::Result::Ok(XnnDatatype::Int32),
                    13 => ::core::result::Result::Ok(XnnDatatype::Pfp32),
                    14 => ::core::result::Result::Ok(XnnDatatype::Bf16),

                    _ => ::core::result::Result::Err(::planus::errors::UnknownEnumTagKind {
                        tag: value as i128,
                    }),
                }
            }
        }

        impl ::core::convert::From<XnnDatatype> for i16 {
            #[inline]
            fn from(value: XnnDatatype) -> Self {
                value as i16
            }
        }

        /// # Safety
        /// The Planus compiler correctly calculates `ALIGNMENT` and `SIZE`.
        unsafe impl ::planus::Primitive for XnnDatatype {
            const ALIGNMENT: usize = 2;
            const SIZE: usize = 2;
        }

        impl ::planus::WriteAsPrimitive<XnnDatatype> for XnnDatatype {
            #[inline]
            fn write<const N: usize>(&self, cursor: ::planus::Cursor<'_, N>, buffer_position: u32) {
                (*self as i16).write(cursor, buffer_position);
            }
        }

        impl ::planus::WriteAs<XnnDatatype> for XnnDatatype {
            type Prepared = Self;

            #[inline]
            fn prepare(&self, _builder: &mut ::planus::Builder) -> XnnDatatype {
                *self
            }
        }

        impl ::planus::WriteAsDefault<XnnDatatype, XnnDatatype> for XnnDatatype {
            type Prepared = Self;

            #[inline]
            fn prepare(
                &self,
                _builder: &mut ::planus::Builder,
                default: &XnnDatatype,
            ) -> ::core::option::Option<XnnDatatype> {
                if self == default {
                    ::core::option::Option::None
                } else {
                    ::core::option::Option::Some(*self)
                }
            }
        }

        impl ::planus::WriteAsOptional<XnnDatatype> for XnnDatatype {
            type Prepared = Self;

            #[inline]
            fn prepare(
                &self,
                _builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<XnnDatatype> {
                ::core::option::Option::Some(*self)
            }
        }

        impl<'buf> ::planus::TableRead<'buf> for XnnDatatype {
            #[inline]
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'buf>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                let n: i16 = ::planus::TableRead::from_buffer(buffer, offset)?;
                ::core::result::Result::Ok(::core::convert::TryInto::try_into(n)?)
            }
        }

        impl<'buf> ::planus::VectorReadInner<'buf> for XnnDatatype {
            type Error = ::planus::errors::UnknownEnumTag;
            const STRIDE: usize = 2;
            #[inline]
            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'buf>,
                offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::UnknownEnumTag> {
                let value = unsafe { <i16 as ::planus::VectorRead>::from_buffer(buffer, offset) };
                let value: ::core::result::Result<Self, _> =
                    ::core::convert::TryInto::try_into(value);
                value.map_err(|error_kind| {
                    error_kind.with_error_location(
                        "XnnDatatype",
                        "VectorRead::from_buffer",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<XnnDatatype> for XnnDatatype {
            const STRIDE: usize = 2;

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
                let bytes = bytes as *mut [::core::mem::MaybeUninit<u8>; 2];
                for (i, v) in ::core::iter::Iterator::enumerate(values.iter()) {
                    ::planus::WriteAsPrimitive::write(
                        v,
                        ::planus::Cursor::new(unsafe { &mut *bytes.add(i) }),
                        buffer_position - (2 * i) as u32,
                    );
                }
            }
        }

        /// The table `Buffer` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `Buffer` in the file `schema/payload.fbs:21`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct Buffer {
            /// The field `storage` in the table `Buffer`
            pub storage: ::core::option::Option<::planus::alloc::vec::Vec<u8>>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for Buffer {
            fn default() -> Self {
                Self {
                    storage: ::core::default::Default::default(),
                }
            }
        }

        impl Buffer {
            /// Creates a [BufferBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> BufferBuilder<()> {
                BufferBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_storage: impl ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            ) -> ::planus::Offset<Self> {
                let prepared_storage = field_storage.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<6> =
                    ::core::default::Default::default();
                if prepared_storage.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u8]>>(0);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_storage) = prepared_storage {
                            object_writer.write::<_, _, 4>(&prepared_storage);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<Buffer>> for Buffer {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Buffer> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<Buffer>> for Buffer {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Buffer>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<Buffer> for Buffer {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Buffer> {
                Buffer::create(builder, &self.storage)
            }
        }

        /// Builder for serializing an instance of the [Buffer] type.
        ///
        /// Can be created using the [Buffer::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct BufferBuilder<State>(State);

        impl BufferBuilder<()> {
            /// Setter for the [`storage` field](Buffer#structfield.storage).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn storage<T0>(self, value: T0) -> BufferBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<[u8]>>,
            {
                BufferBuilder((value,))
            }

            /// Sets the [`storage` field](Buffer#structfield.storage) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn storage_as_null(self) -> BufferBuilder<((),)> {
                self.storage(())
            }
        }

        impl<T0> BufferBuilder<(T0,)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [Buffer].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<Buffer>
            where
                Self: ::planus::WriteAsOffset<Buffer>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptional<::planus::Offset<[u8]>>>
            ::planus::WriteAs<::planus::Offset<Buffer>> for BufferBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<Buffer>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Buffer> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptional<::planus::Offset<[u8]>>>
            ::planus::WriteAsOptional<::planus::Offset<Buffer>> for BufferBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<Buffer>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Buffer>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsOptional<::planus::Offset<[u8]>>> ::planus::WriteAsOffset<Buffer>
            for BufferBuilder<(T0,)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Buffer> {
                let (v0,) = &self.0;
                Buffer::create(builder, v0)
            }
        }

        /// Reference to a deserialized [Buffer].
        #[derive(Copy, Clone)]
        pub struct BufferRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> BufferRef<'a> {
            /// Getter for the [`storage` field](Buffer#structfield.storage).
            #[inline]
            pub fn storage(&self) -> ::planus::Result<::core::option::Option<&'a [u8]>> {
                self.0.access(0, "Buffer", "storage")
            }
        }

        impl<'a> ::core::fmt::Debug for BufferRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("BufferRef");
                if let ::core::option::Option::Some(field_storage) = self.storage().transpose() {
                    f.field("storage", &field_storage);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<BufferRef<'a>> for Buffer {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: BufferRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    storage: value.storage()?.map(|v| v.to_vec()),
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for BufferRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for BufferRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location("[BufferRef]", "get", buffer.offset_from_start)
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<Buffer>> for Buffer {
            type Value = ::planus::Offset<Buffer>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<Buffer>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for BufferRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[BufferRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `PerChannelQuant` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `PerChannelQuant` in the file `schema/payload.fbs:23`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub struct PerChannelQuant {
            /// The field `scale` in the table `PerChannelQuant`
            pub scale: ::core::option::Option<::planus::alloc::vec::Vec<f32>>,
            /// The field `channel_dim` in the table `PerChannelQuant`
            pub channel_dim: i32,
            /// The field `scale_buffer_idx` in the table `PerChannelQuant`
            pub scale_buffer_idx: u32,
            /// The field `num_scales` in the table `PerChannelQuant`
            pub num_scales: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for PerChannelQuant {
            fn default() -> Self {
                Self {
                    scale: ::core::default::Default::default(),
                    channel_dim: 0,
                    scale_buffer_idx: 0,
                    num_scales: 0,
                }
            }
        }

        impl PerChannelQuant {
            /// Creates a [PerChannelQuantBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> PerChannelQuantBuilder<()> {
                PerChannelQuantBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_scale: impl ::planus::WriteAsOptional<::planus::Offset<[f32]>>,
                field_channel_dim: impl ::planus::WriteAsDefault<i32, i32>,
                field_scale_buffer_idx: impl ::planus::WriteAsDefault<u32, u32>,
                field_num_scales: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_scale = field_scale.prepare(builder);
                let prepared_channel_dim = field_channel_dim.prepare(builder, &0);
                let prepared_scale_buffer_idx = field_scale_buffer_idx.prepare(builder, &0);
                let prepared_num_scales = field_num_scales.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<12> =
                    ::core::default::Default::default();
                if prepared_scale.is_some() {
                    table_writer.write_entry::<::planus::Offset<[f32]>>(0);
                }
                if prepared_channel_dim.is_some() {
                    table_writer.write_entry::<i32>(1);
                }
                if prepared_scale_buffer_idx.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_num_scales.is_some() {
                    table_writer.write_entry::<u32>(3);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_scale) = prepared_scale {
                            object_writer.write::<_, _, 4>(&prepared_scale);
                        }
                        if let ::core::option::Option::Some(prepared_channel_dim) =
                            prepared_channel_dim
                        {
                            object_writer.write::<_, _, 4>(&prepared_channel_dim);
                        }
                        if let ::core::option::Option::Some(prepared_scale_buffer_idx) =
                            prepared_scale_buffer_idx
                        {
                            object_writer.write::<_, _, 4>(&prepared_scale_buffer_idx);
                        }
                        if let ::core::option::Option::Some(prepared_num_scales) =
                            prepared_num_scales
                        {
                            object_writer.write::<_, _, 4>(&prepared_num_scales);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<PerChannelQuant>> for PerChannelQuant {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerChannelQuant> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<PerChannelQuant>> for PerChannelQuant {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<PerChannelQuant>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<PerChannelQuant> for PerChannelQuant {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerChannelQuant> {
                PerChannelQuant::create(
                    builder,
                    &self.scale,
                    self.channel_dim,
                    self.scale_buffer_idx,
                    self.num_scales,
                )
            }
        }

        /// Builder for serializing an instance of the [PerChannelQuant] type.
        ///
        /// Can be created using the [PerChannelQuant::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct PerChannelQuantBuilder<State>(State);

        impl PerChannelQuantBuilder<()> {
            /// Setter for the [`scale` field](PerChannelQuant#structfield.scale).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale<T0>(self, value: T0) -> PerChannelQuantBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<[f32]>>,
            {
                PerChannelQuantBuilder((value,))
            }

            /// Sets the [`scale` field](PerChannelQuant#structfield.scale) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale_as_null(self) -> PerChannelQuantBuilder<((),)> {
                self.scale(())
            }
        }

        impl<T0> PerChannelQuantBuilder<(T0,)> {
            /// Setter for the [`channel_dim` field](PerChannelQuant#structfield.channel_dim).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn channel_dim<T1>(self, value: T1) -> PerChannelQuantBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<i32, i32>,
            {
                let (v0,) = self.0;
                PerChannelQuantBuilder((v0, value))
            }

            /// Sets the [`channel_dim` field](PerChannelQuant#structfield.channel_dim) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn channel_dim_as_default(
                self,
            ) -> PerChannelQuantBuilder<(T0, ::planus::DefaultValue)> {
                self.channel_dim(::planus::DefaultValue)
            }
        }

        impl<T0, T1> PerChannelQuantBuilder<(T0, T1)> {
            /// Setter for the [`scale_buffer_idx` field](PerChannelQuant#structfield.scale_buffer_idx).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale_buffer_idx<T2>(self, value: T2) -> PerChannelQuantBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                PerChannelQuantBuilder((v0, v1, value))
            }

            /// Sets the [`scale_buffer_idx` field](PerChannelQuant#structfield.scale_buffer_idx) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale_buffer_idx_as_default(
                self,
            ) -> PerChannelQuantBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.scale_buffer_idx(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> PerChannelQuantBuilder<(T0, T1, T2)> {
            /// Setter for the [`num_scales` field](PerChannelQuant#structfield.num_scales).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_scales<T3>(self, value: T3) -> PerChannelQuantBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                PerChannelQuantBuilder((v0, v1, v2, value))
            }

            /// Sets the [`num_scales` field](PerChannelQuant#structfield.num_scales) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_scales_as_default(
                self,
            ) -> PerChannelQuantBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.num_scales(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> PerChannelQuantBuilder<(T0, T1, T2, T3)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [PerChannelQuant].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerChannelQuant>
            where
                Self: ::planus::WriteAsOffset<PerChannelQuant>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[f32]>>,
            T1: ::planus::WriteAsDefault<i32, i32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<PerChannelQuant>>
            for PerChannelQuantBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<PerChannelQuant>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerChannelQuant> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[f32]>>,
            T1: ::planus::WriteAsDefault<i32, i32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<PerChannelQuant>>
            for PerChannelQuantBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<PerChannelQuant>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<PerChannelQuant>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[f32]>>,
            T1: ::planus::WriteAsDefault<i32, i32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<PerChannelQuant> for PerChannelQuantBuilder<(T0, T1, T2, T3)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerChannelQuant> {
                let (v0, v1, v2, v3) = &self.0;
                PerChannelQuant::create(builder, v0, v1, v2, v3)
            }
        }

        /// Reference to a deserialized [PerChannelQuant].
        #[derive(Copy, Clone)]
        pub struct PerChannelQuantRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> PerChannelQuantRef<'a> {
            /// Getter for the [`scale` field](PerChannelQuant#structfield.scale).
            #[inline]
            pub fn scale(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, f32>>> {
                self.0.access(0, "PerChannelQuant", "scale")
            }

            /// Getter for the [`channel_dim` field](PerChannelQuant#structfield.channel_dim).
            #[inline]
            pub fn channel_dim(&self) -> ::planus::Result<i32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(1, "PerChannelQuant", "channel_dim")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`scale_buffer_idx` field](PerChannelQuant#structfield.scale_buffer_idx).
            #[inline]
            pub fn scale_buffer_idx(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(2, "PerChannelQuant", "scale_buffer_idx")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`num_scales` field](PerChannelQuant#structfield.num_scales).
            #[inline]
            pub fn num_scales(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(3, "PerChannelQuant", "num_scales")?
                        .unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for PerChannelQuantRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("PerChannelQuantRef");
                if let ::core::option::Option::Some(field_scale) = self.scale().transpose() {
                    f.field("scale", &field_scale);
                }
                f.field("channel_dim", &self.channel_dim());
                f.field("scale_buffer_idx", &self.scale_buffer_idx());
                f.field("num_scales", &self.num_scales());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<PerChannelQuantRef<'a>> for PerChannelQuant {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: PerChannelQuantRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    scale: if let ::core::option::Option::Some(scale) = value.scale()? {
                        ::core::option::Option::Some(scale.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    channel_dim: ::core::convert::TryInto::try_into(value.channel_dim()?)?,
                    scale_buffer_idx: ::core::convert::TryInto::try_into(
                        value.scale_buffer_idx()?,
                    )?,
                    num_scales: ::core::convert::TryInto::try_into(value.num_scales()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for PerChannelQuantRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for PerChannelQuantRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[PerChannelQuantRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<PerChannelQuant>> for PerChannelQuant {
            type Value = ::planus::Offset<PerChannelQuant>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<PerChannelQuant>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for PerChannelQuantRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[PerChannelQuantRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `PerTokenDynamicQuant` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `PerTokenDynamicQuant` in the file `schema/payload.fbs:30`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct PerTokenDynamicQuant {
            /// The field `num_nonbatch_dims` in the table `PerTokenDynamicQuant`
            pub num_nonbatch_dims: i32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for PerTokenDynamicQuant {
            fn default() -> Self {
                Self {
                    num_nonbatch_dims: 0,
                }
            }
        }

        impl PerTokenDynamicQuant {
            /// Creates a [PerTokenDynamicQuantBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> PerTokenDynamicQuantBuilder<()> {
                PerTokenDynamicQuantBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_num_nonbatch_dims: impl ::planus::WriteAsDefault<i32, i32>,
            ) -> ::planus::Offset<Self> {
                let prepared_num_nonbatch_dims = field_num_nonbatch_dims.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<6> =
                    ::core::default::Default::default();
                if prepared_num_nonbatch_dims.is_some() {
                    table_writer.write_entry::<i32>(0);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_num_nonbatch_dims) =
                            prepared_num_nonbatch_dims
                        {
                            object_writer.write::<_, _, 4>(&prepared_num_nonbatch_dims);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<PerTokenDynamicQuant>> for PerTokenDynamicQuant {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerTokenDynamicQuant> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<PerTokenDynamicQuant>> for PerTokenDynamicQuant {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<PerTokenDynamicQuant>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<PerTokenDynamicQuant> for PerTokenDynamicQuant {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerTokenDynamicQuant> {
                PerTokenDynamicQuant::create(builder, self.num_nonbatch_dims)
            }
        }

        /// Builder for serializing an instance of the [PerTokenDynamicQuant] type.
        ///
        /// Can be created using the [PerTokenDynamicQuant::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct PerTokenDynamicQuantBuilder<State>(State);

        impl PerTokenDynamicQuantBuilder<()> {
            /// Setter for the [`num_nonbatch_dims` field](PerTokenDynamicQuant#structfield.num_nonbatch_dims).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_nonbatch_dims<T0>(self, value: T0) -> PerTokenDynamicQuantBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<i32, i32>,
            {
                PerTokenDynamicQuantBuilder((value,))
            }

            /// Sets the [`num_nonbatch_dims` field](PerTokenDynamicQuant#structfield.num_nonbatch_dims) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_nonbatch_dims_as_default(
                self,
            ) -> PerTokenDynamicQuantBuilder<(::planus::DefaultValue,)> {
                self.num_nonbatch_dims(::planus::DefaultValue)
            }
        }

        impl<T0> PerTokenDynamicQuantBuilder<(T0,)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [PerTokenDynamicQuant].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerTokenDynamicQuant>
            where
                Self: ::planus::WriteAsOffset<PerTokenDynamicQuant>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<i32, i32>>
            ::planus::WriteAs<::planus::Offset<PerTokenDynamicQuant>>
            for PerTokenDynamicQuantBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<PerTokenDynamicQuant>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerTokenDynamicQuant> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsDefault<i32, i32>>
            ::planus::WriteAsOptional<::planus::Offset<PerTokenDynamicQuant>>
            for PerTokenDynamicQuantBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<PerTokenDynamicQuant>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<PerTokenDynamicQuant>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsDefault<i32, i32>> ::planus::WriteAsOffset<PerTokenDynamicQuant>
            for PerTokenDynamicQuantBuilder<(T0,)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerTokenDynamicQuant> {
                let (v0,) = &self.0;
                PerTokenDynamicQuant::create(builder, v0)
            }
        }

        /// Reference to a deserialized [PerTokenDynamicQuant].
        #[derive(Copy, Clone)]
        pub struct PerTokenDynamicQuantRef<'a>(
            #[allow(dead_code)] ::planus::table_reader::Table<'a>,
        );

        impl<'a> PerTokenDynamicQuantRef<'a> {
            /// Getter for the [`num_nonbatch_dims` field](PerTokenDynamicQuant#structfield.num_nonbatch_dims).
            #[inline]
            pub fn num_nonbatch_dims(&self) -> ::planus::Result<i32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "PerTokenDynamicQuant", "num_nonbatch_dims")?
                        .unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for PerTokenDynamicQuantRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("PerTokenDynamicQuantRef");
                f.field("num_nonbatch_dims", &self.num_nonbatch_dims());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<PerTokenDynamicQuantRef<'a>> for PerTokenDynamicQuant {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: PerTokenDynamicQuantRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    num_nonbatch_dims: ::core::convert::TryInto::try_into(
                        value.num_nonbatch_dims()?,
                    )?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for PerTokenDynamicQuantRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for PerTokenDynamicQuantRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[PerTokenDynamicQuantRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<PerTokenDynamicQuant>> for PerTokenDynamicQuant {
            type Value = ::planus::Offset<PerTokenDynamicQuant>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<PerTokenDynamicQuant>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for PerTokenDynamicQuantRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[PerTokenDynamicQuantRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `PerTensorQuant` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `PerTensorQuant` in the file `schema/payload.fbs:32`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub struct PerTensorQuant {
            /// The field `scale` in the table `PerTensorQuant`
            pub scale: ::core::option::Option<f32>,
            /// The field `zero_point` in the table `PerTensorQuant`
            pub zero_point: i32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for PerTensorQuant {
            fn default() -> Self {
                Self {
                    scale: ::core::default::Default::default(),
                    zero_point: 0,
                }
            }
        }

        impl PerTensorQuant {
            /// Creates a [PerTensorQuantBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> PerTensorQuantBuilder<()> {
                PerTensorQuantBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_scale: impl ::planus::WriteAsOptional<f32>,
                field_zero_point: impl ::planus::WriteAsDefault<i32, i32>,
            ) -> ::planus::Offset<Self> {
                let prepared_scale = field_scale.prepare(builder);
                let prepared_zero_point = field_zero_point.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<8> =
                    ::core::default::Default::default();
                if prepared_scale.is_some() {
                    table_writer.write_entry::<f32>(0);
                }
                if prepared_zero_point.is_some() {
                    table_writer.write_entry::<i32>(1);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_scale) = prepared_scale {
                            object_writer.write::<_, _, 4>(&prepared_scale);
                        }
                        if let ::core::option::Option::Some(prepared_zero_point) =
                            prepared_zero_point
                        {
                            object_writer.write::<_, _, 4>(&prepared_zero_point);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<PerTensorQuant>> for PerTensorQuant {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<PerTensorQuant> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<PerTensorQuant>> for PerTensorQuant {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<PerTensorQuant>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<PerTensorQuant> for PerTensorQuant {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<PerTensorQuant> {
                PerTensorQuant::create(builder, self.scale, self.zero_point)
            }
        }

        /// Builder for serializing an instance of the [PerTensorQuant] type.
        ///
        /// Can be created using the [PerTensorQuant::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct PerTensorQuantBuilder<State>(State);

        impl PerTensorQuantBuilder<()> {
            /// Setter for the [`scale` field](PerTensorQuant#structfield.scale).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale<T0>(self, value: T0) -> PerTensorQuantBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<f32>,
            {
                PerTensorQuantBuilder((value,))
            }

            /// Sets the [`scale` field](PerTensorQuant#structfield.scale) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale_as_null(self) -> PerTensorQuantBuilder<((),)> {
                self.scale(())
            }
        }

        impl<T0> PerTensorQuantBuilder<(T0,)> {
            /// Setter for the [`zero_point` field](PerTensorQuant#structfield.zero_point).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn zero_point<T1>(self, value: T1) -> PerTensorQuantBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<i32, i32>,
            {
                let (v0,) = self.0;
                PerTensorQuantBuilder((v0, value))
            }

            /// Sets the [`zero_point` field](PerTensorQuant#structfield.zero_point) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn zero_point_as_default(
                self,
            ) -> PerTensorQuantBuilder<(T0, ::planus::DefaultValue)> {
                self.zero_point(::planus::DefaultValue)
            }
        }

        impl<T0, T1> PerTensorQuantBuilder<(T0, T1)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [PerTensorQuant].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<PerTensorQuant>
            where
                Self: ::planus::WriteAsOffset<PerTensorQuant>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptional<f32>, T1: ::planus::WriteAsDefault<i32, i32>>
            ::planus::WriteAs<::planus::Offset<PerTensorQuant>>
            for PerTensorQuantBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<PerTensorQuant>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<PerTensorQuant> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptional<f32>, T1: ::planus::WriteAsDefault<i32, i32>>
            ::planus::WriteAsOptional<::planus::Offset<PerTensorQuant>>
            for PerTensorQuantBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<PerTensorQuant>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<PerTensorQuant>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsOptional<f32>, T1: ::planus::WriteAsDefault<i32, i32>>
            ::planus::WriteAsOffset<PerTensorQuant> for PerTensorQuantBuilder<(T0, T1)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<PerTensorQuant> {
                let (v0, v1) = &self.0;
                PerTensorQuant::create(builder, v0, v1)
            }
        }

        /// Reference to a deserialized [PerTensorQuant].
        #[derive(Copy, Clone)]
        pub struct PerTensorQuantRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> PerTensorQuantRef<'a> {
            /// Getter for the [`scale` field](PerTensorQuant#structfield.scale).
            #[inline]
            pub fn scale(&self) -> ::planus::Result<::core::option::Option<f32>> {
                self.0.access(0, "PerTensorQuant", "scale")
            }

            /// Getter for the [`zero_point` field](PerTensorQuant#structfield.zero_point).
            #[inline]
            pub fn zero_point(&self) -> ::planus::Result<i32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(1, "PerTensorQuant", "zero_point")?
                        .unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for PerTensorQuantRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("PerTensorQuantRef");
                if let ::core::option::Option::Some(field_scale) = self.scale().transpose() {
                    f.field("scale", &field_scale);
                }
                f.field("zero_point", &self.zero_point());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<PerTensorQuantRef<'a>> for PerTensorQuant {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: PerTensorQuantRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    scale: if let ::core::option::Option::Some(scale) = value.scale()? {
                        ::core::option::Option::Some(::core::convert::TryInto::try_into(scale)?)
                    } else {
                        ::core::option::Option::None
                    },
                    zero_point: ::core::convert::TryInto::try_into(value.zero_point()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for PerTensorQuantRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for PerTensorQuantRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[PerTensorQuantRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<PerTensorQuant>> for PerTensorQuant {
            type Value = ::planus::Offset<PerTensorQuant>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<PerTensorQuant>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for PerTensorQuantRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[PerTensorQuantRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `PerChannelGroupQuant` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `PerChannelGroupQuant` in the file `schema/payload.fbs:37`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub struct PerChannelGroupQuant {
            /// The field `scale` in the table `PerChannelGroupQuant`
            pub scale: ::core::option::Option<::planus::alloc::vec::Vec<f32>>,
            /// The field `channel_dim` in the table `PerChannelGroupQuant`
            pub channel_dim: i32,
            /// The field `group_size` in the table `PerChannelGroupQuant`
            pub group_size: i32,
            /// The field `scale_buffer_idx` in the table `PerChannelGroupQuant`
            pub scale_buffer_idx: u32,
            /// The field `num_scales` in the table `PerChannelGroupQuant`
            pub num_scales: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for PerChannelGroupQuant {
            fn default() -> Self {
                Self {
                    scale: ::core::default::Default::default(),
                    channel_dim: 0,
                    group_size: 0,
                    scale_buffer_idx: 0,
                    num_scales: 0,
                }
            }
        }

        impl PerChannelGroupQuant {
            /// Creates a [PerChannelGroupQuantBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> PerChannelGroupQuantBuilder<()> {
                PerChannelGroupQuantBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_scale: impl ::planus::WriteAsOptional<::planus::Offset<[f32]>>,
                field_channel_dim: impl ::planus::WriteAsDefault<i32, i32>,
                field_group_size: impl ::planus::WriteAsDefault<i32, i32>,
                field_scale_buffer_idx: impl ::planus::WriteAsDefault<u32, u32>,
                field_num_scales: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_scale = field_scale.prepare(builder);
                let prepared_channel_dim = field_channel_dim.prepare(builder, &0);
                let prepared_group_size = field_group_size.prepare(builder, &0);
                let prepared_scale_buffer_idx = field_scale_buffer_idx.prepare(builder, &0);
                let prepared_num_scales = field_num_scales.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<16> =
                    ::core::default::Default::default();
                if prepared_scale.is_some() {
                    table_writer.write_entry::<::planus::Offset<[f32]>>(0);
                }
                if prepared_channel_dim.is_some() {
                    table_writer.write_entry::<i32>(1);
                }
                if prepared_group_size.is_some() {
                    table_writer.write_entry::<i32>(2);
                }
                if prepared_scale_buffer_idx.is_some() {
                    table_writer.write_entry::<u32>(4);
                }
                if prepared_num_scales.is_some() {
                    table_writer.write_entry::<u32>(5);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_scale) = prepared_scale {
                            object_writer.write::<_, _, 4>(&prepared_scale);
                        }
                        if let ::core::option::Option::Some(prepared_channel_dim) =
                            prepared_channel_dim
                        {
                            object_writer.write::<_, _, 4>(&prepared_channel_dim);
                        }
                        if let ::core::option::Option::Some(prepared_group_size) =
                            prepared_group_size
                        {
                            object_writer.write::<_, _, 4>(&prepared_group_size);
                        }
                        if let ::core::option::Option::Some(prepared_scale_buffer_idx) =
                            prepared_scale_buffer_idx
                        {
                            object_writer.write::<_, _, 4>(&prepared_scale_buffer_idx);
                        }
                        if let ::core::option::Option::Some(prepared_num_scales) =
                            prepared_num_scales
                        {
                            object_writer.write::<_, _, 4>(&prepared_num_scales);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<PerChannelGroupQuant>> for PerChannelGroupQuant {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerChannelGroupQuant> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<PerChannelGroupQuant>> for PerChannelGroupQuant {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<PerChannelGroupQuant>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<PerChannelGroupQuant> for PerChannelGroupQuant {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerChannelGroupQuant> {
                PerChannelGroupQuant::create(
                    builder,
                    &self.scale,
                    self.channel_dim,
                    self.group_size,
                    self.scale_buffer_idx,
                    self.num_scales,
                )
            }
        }

        /// Builder for serializing an instance of the [PerChannelGroupQuant] type.
        ///
        /// Can be created using the [PerChannelGroupQuant::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct PerChannelGroupQuantBuilder<State>(State);

        impl PerChannelGroupQuantBuilder<()> {
            /// Setter for the [`scale` field](PerChannelGroupQuant#structfield.scale).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale<T0>(self, value: T0) -> PerChannelGroupQuantBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<[f32]>>,
            {
                PerChannelGroupQuantBuilder((value,))
            }

            /// Sets the [`scale` field](PerChannelGroupQuant#structfield.scale) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale_as_null(self) -> PerChannelGroupQuantBuilder<((),)> {
                self.scale(())
            }
        }

        impl<T0> PerChannelGroupQuantBuilder<(T0,)> {
            /// Setter for the [`channel_dim` field](PerChannelGroupQuant#structfield.channel_dim).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn channel_dim<T1>(self, value: T1) -> PerChannelGroupQuantBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<i32, i32>,
            {
                let (v0,) = self.0;
                PerChannelGroupQuantBuilder((v0, value))
            }

            /// Sets the [`channel_dim` field](PerChannelGroupQuant#structfield.channel_dim) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn channel_dim_as_default(
                self,
            ) -> PerChannelGroupQuantBuilder<(T0, ::planus::DefaultValue)> {
                self.channel_dim(::planus::DefaultValue)
            }
        }

        impl<T0, T1> PerChannelGroupQuantBuilder<(T0, T1)> {
            /// Setter for the [`group_size` field](PerChannelGroupQuant#structfield.group_size).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn group_size<T2>(self, value: T2) -> PerChannelGroupQuantBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<i32, i32>,
            {
                let (v0, v1) = self.0;
                PerChannelGroupQuantBuilder((v0, v1, value))
            }

            /// Sets the [`group_size` field](PerChannelGroupQuant#structfield.group_size) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn group_size_as_default(
                self,
            ) -> PerChannelGroupQuantBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.group_size(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> PerChannelGroupQuantBuilder<(T0, T1, T2)> {
            /// Setter for the [`scale_buffer_idx` field](PerChannelGroupQuant#structfield.scale_buffer_idx).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale_buffer_idx<T3>(
                self,
                value: T3,
            ) -> PerChannelGroupQuantBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                PerChannelGroupQuantBuilder((v0, v1, v2, value))
            }

            /// Sets the [`scale_buffer_idx` field](PerChannelGroupQuant#structfield.scale_buffer_idx) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale_buffer_idx_as_default(
                self,
            ) -> PerChannelGroupQuantBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.scale_buffer_idx(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> PerChannelGroupQuantBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`num_scales` field](PerChannelGroupQuant#structfield.num_scales).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_scales<T4>(
                self,
                value: T4,
            ) -> PerChannelGroupQuantBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                PerChannelGroupQuantBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`num_scales` field](PerChannelGroupQuant#structfield.num_scales) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_scales_as_default(
                self,
            ) -> PerChannelGroupQuantBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.num_scales(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> PerChannelGroupQuantBuilder<(T0, T1, T2, T3, T4)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [PerChannelGroupQuant].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerChannelGroupQuant>
            where
                Self: ::planus::WriteAsOffset<PerChannelGroupQuant>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[f32]>>,
            T1: ::planus::WriteAsDefault<i32, i32>,
            T2: ::planus::WriteAsDefault<i32, i32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<PerChannelGroupQuant>>
            for PerChannelGroupQuantBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<PerChannelGroupQuant>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerChannelGroupQuant> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[f32]>>,
            T1: ::planus::WriteAsDefault<i32, i32>,
            T2: ::planus::WriteAsDefault<i32, i32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<PerChannelGroupQuant>>
            for PerChannelGroupQuantBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<PerChannelGroupQuant>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<PerChannelGroupQuant>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[f32]>>,
            T1: ::planus::WriteAsDefault<i32, i32>,
            T2: ::planus::WriteAsDefault<i32, i32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<PerChannelGroupQuant>
            for PerChannelGroupQuantBuilder<(T0, T1, T2, T3, T4)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<PerChannelGroupQuant> {
                let (v0, v1, v2, v3, v4) = &self.0;
                PerChannelGroupQuant::create(builder, v0, v1, v2, v3, v4)
            }
        }

        /// Reference to a deserialized [PerChannelGroupQuant].
        #[derive(Copy, Clone)]
        pub struct PerChannelGroupQuantRef<'a>(
            #[allow(dead_code)] ::planus::table_reader::Table<'a>,
        );

        impl<'a> PerChannelGroupQuantRef<'a> {
            /// Getter for the [`scale` field](PerChannelGroupQuant#structfield.scale).
            #[inline]
            pub fn scale(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, f32>>> {
                self.0.access(0, "PerChannelGroupQuant", "scale")
            }

            /// Getter for the [`channel_dim` field](PerChannelGroupQuant#structfield.channel_dim).
            #[inline]
            pub fn channel_dim(&self) -> ::planus::Result<i32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(1, "PerChannelGroupQuant", "channel_dim")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`group_size` field](PerChannelGroupQuant#structfield.group_size).
            #[inline]
            pub fn group_size(&self) -> ::planus::Result<i32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(2, "PerChannelGroupQuant", "group_size")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`scale_buffer_idx` field](PerChannelGroupQuant#structfield.scale_buffer_idx).
            #[inline]
            pub fn scale_buffer_idx(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(4, "PerChannelGroupQuant", "scale_buffer_idx")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`num_scales` field](PerChannelGroupQuant#structfield.num_scales).
            #[inline]
            pub fn num_scales(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(5, "PerChannelGroupQuant", "num_scales")?
                        .unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for PerChannelGroupQuantRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("PerChannelGroupQuantRef");
                if let ::core::option::Option::Some(field_scale) = self.scale().transpose() {
                    f.field("scale", &field_scale);
                }
                f.field("channel_dim", &self.channel_dim());
                f.field("group_size", &self.group_size());
                f.field("scale_buffer_idx", &self.scale_buffer_idx());
                f.field("num_scales", &self.num_scales());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<PerChannelGroupQuantRef<'a>> for PerChannelGroupQuant {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: PerChannelGroupQuantRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    scale: if let ::core::option::Option::Some(scale) = value.scale()? {
                        ::core::option::Option::Some(scale.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    channel_dim: ::core::convert::TryInto::try_into(value.channel_dim()?)?,
                    group_size: ::core::convert::TryInto::try_into(value.group_size()?)?,
                    scale_buffer_idx: ::core::convert::TryInto::try_into(
                        value.scale_buffer_idx()?,
                    )?,
                    num_scales: ::core::convert::TryInto::try_into(value.num_scales()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for PerChannelGroupQuantRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for PerChannelGroupQuantRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[PerChannelGroupQuantRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<PerChannelGroupQuant>> for PerChannelGroupQuant {
            type Value = ::planus::Offset<PerChannelGroupQuant>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<PerChannelGroupQuant>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for PerChannelGroupQuantRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[PerChannelGroupQuantRef]", "read_as_root", 0)
                })
            }
        }

        /// The union `XNNQuantParams` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Union `XNNQuantParams` in the file `schema/payload.fbs:46`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub enum XnnQuantParams {
            /// The variant of type `PerChannelQuant` in the union `XNNQuantParams`
            PerChannelQuant(::planus::alloc::boxed::Box<self::PerChannelQuant>),

            /// The variant of type `PerTensorQuant` in the union `XNNQuantParams`
            PerTensorQuant(::planus::alloc::boxed::Box<self::PerTensorQuant>),

            /// The variant of type `PerTokenDynamicQuant` in the union `XNNQuantParams`
            PerTokenDynamicQuant(::planus::alloc::boxed::Box<self::PerTokenDynamicQuant>),

            /// The variant of type `PerChannelGroupQuant` in the union `XNNQuantParams`
            PerChannelGroupQuant(::planus::alloc::boxed::Box<self::PerChannelGroupQuant>),
        }

        impl XnnQuantParams {
            /// Creates a [XnnQuantParamsBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> XnnQuantParamsBuilder<::planus::Uninitialized> {
                XnnQuantParamsBuilder(::planus::Uninitialized)
            }

            #[inline]
            pub fn create_per_channel_quant(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::PerChannelQuant>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(1, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_per_tensor_quant(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::PerTensorQuant>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(2, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_per_token_dynamic_quant(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::PerTokenDynamicQuant>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(3, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_per_channel_group_quant(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::PerChannelGroupQuant>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(4, value.prepare(builder).downcast())
            }
        }

        impl ::planus::WriteAsUnion<XnnQuantParams> for XnnQuantParams {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Self> {
                match self {
                    Self::PerChannelQuant(value) => Self::create_per_channel_quant(builder, value),
                    Self::PerTensorQuant(value) => Self::create_per_tensor_quant(builder, value),
                    Self::PerTokenDynamicQuant(value) => {
                        Self::create_per_token_dynamic_quant(builder, value)
                    }
                    Self::PerChannelGroupQuant(value) => {
                        Self::create_per_channel_group_quant(builder, value)
                    }
                }
            }
        }

        impl ::planus::WriteAsOptionalUnion<XnnQuantParams> for XnnQuantParams {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Self>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }

        /// Builder for serializing an instance of the [XnnQuantParams] type.
        ///
        /// Can be created using the [XnnQuantParams::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct XnnQuantParamsBuilder<T>(T);

        impl XnnQuantParamsBuilder<::planus::Uninitialized> {
            /// Creates an instance of the [`PerChannelQuant` variant](XnnQuantParams#variant.PerChannelQuant).
            #[inline]
            pub fn per_channel_quant<T>(
                self,
                value: T,
            ) -> XnnQuantParamsBuilder<::planus::Initialized<1, T>>
            where
                T: ::planus::WriteAsOffset<self::PerChannelQuant>,
            {
                XnnQuantParamsBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`PerTensorQuant` variant](XnnQuantParams#variant.PerTensorQuant).
            #[inline]
            pub fn per_tensor_quant<T>(
                self,
                value: T,
            ) -> XnnQuantParamsBuilder<::planus::Initialized<2, T>>
            where
                T: ::planus::WriteAsOffset<self::PerTensorQuant>,
            {
                XnnQuantParamsBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`PerTokenDynamicQuant` variant](XnnQuantParams#variant.PerTokenDynamicQuant).
            #[inline]
            pub fn per_token_dynamic_quant<T>(
                self,
                value: T,
            ) -> XnnQuantParamsBuilder<::planus::Initialized<3, T>>
            where
                T: ::planus::WriteAsOffset<self::PerTokenDynamicQuant>,
            {
                XnnQuantParamsBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`PerChannelGroupQuant` variant](XnnQuantParams#variant.PerChannelGroupQuant).
            #[inline]
            pub fn per_channel_group_quant<T>(
                self,
                value: T,
            ) -> XnnQuantParamsBuilder<::planus::Initialized<4, T>>
            where
                T: ::planus::WriteAsOffset<self::PerChannelGroupQuant>,
            {
                XnnQuantParamsBuilder(::planus::Initialized(value))
            }
        }

        impl<const N: u8, T> XnnQuantParamsBuilder<::planus::Initialized<N, T>> {
            /// Finish writing the builder to get an [UnionOffset](::planus::UnionOffset) to a serialized [XnnQuantParams].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XnnQuantParams>
            where
                Self: ::planus::WriteAsUnion<XnnQuantParams>,
            {
                ::planus::WriteAsUnion::prepare(&self, builder)
            }
        }

        impl<T> ::planus::WriteAsUnion<XnnQuantParams>
            for XnnQuantParamsBuilder<::planus::Initialized<1, T>>
        where
            T: ::planus::WriteAsOffset<self::PerChannelQuant>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XnnQuantParams> {
                ::planus::UnionOffset::new(1, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XnnQuantParams>
            for XnnQuantParamsBuilder<::planus::Initialized<1, T>>
        where
            T: ::planus::WriteAsOffset<self::PerChannelQuant>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XnnQuantParams>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XnnQuantParams>
            for XnnQuantParamsBuilder<::planus::Initialized<2, T>>
        where
            T: ::planus::WriteAsOffset<self::PerTensorQuant>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XnnQuantParams> {
                ::planus::UnionOffset::new(2, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XnnQuantParams>
            for XnnQuantParamsBuilder<::planus::Initialized<2, T>>
        where
            T: ::planus::WriteAsOffset<self::PerTensorQuant>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XnnQuantParams>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XnnQuantParams>
            for XnnQuantParamsBuilder<::planus::Initialized<3, T>>
        where
            T: ::planus::WriteAsOffset<self::PerTokenDynamicQuant>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XnnQuantParams> {
                ::planus::UnionOffset::new(3, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XnnQuantParams>
            for XnnQuantParamsBuilder<::planus::Initialized<3, T>>
        where
            T: ::planus::WriteAsOffset<self::PerTokenDynamicQuant>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XnnQuantParams>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XnnQuantParams>
            for XnnQuantParamsBuilder<::planus::Initialized<4, T>>
        where
            T: ::planus::WriteAsOffset<self::PerChannelGroupQuant>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XnnQuantParams> {
                ::planus::UnionOffset::new(4, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XnnQuantParams>
            for XnnQuantParamsBuilder<::planus::Initialized<4, T>>
        where
            T: ::planus::WriteAsOffset<self::PerChannelGroupQuant>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XnnQuantParams>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }

        /// Reference to a deserialized [XnnQuantParams].
        #[derive(Copy, Clone, Debug)]
        pub enum XnnQuantParamsRef<'a> {
            PerChannelQuant(self::PerChannelQuantRef<'a>),
            PerTensorQuant(self::PerTensorQuantRef<'a>),
            PerTokenDynamicQuant(self::PerTokenDynamicQuantRef<'a>),
            PerChannelGroupQuant(self::PerChannelGroupQuantRef<'a>),
        }

        impl<'a> ::core::convert::TryFrom<XnnQuantParamsRef<'a>> for XnnQuantParams {
            type Error = ::planus::Error;

            fn try_from(value: XnnQuantParamsRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(match value {
                    XnnQuantParamsRef::PerChannelQuant(value) => {
                        Self::PerChannelQuant(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XnnQuantParamsRef::PerTensorQuant(value) => {
                        Self::PerTensorQuant(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XnnQuantParamsRef::PerTokenDynamicQuant(value) => {
                        Self::PerTokenDynamicQuant(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XnnQuantParamsRef::PerChannelGroupQuant(value) => {
                        Self::PerChannelGroupQuant(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }
                })
            }
        }

        impl<'a> ::planus::TableReadUnion<'a> for XnnQuantParamsRef<'a> {
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                tag: u8,
                field_offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                match tag {
                    1 => ::core::result::Result::Ok(Self::PerChannelQuant(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    2 => ::core::result::Result::Ok(Self::PerTensorQuant(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    3 => ::core::result::Result::Ok(Self::PerTokenDynamicQuant(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    4 => ::core::result::Result::Ok(Self::PerChannelGroupQuant(
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

        impl<'a> ::planus::VectorReadUnion<'a> for XnnQuantParamsRef<'a> {
            const VECTOR_NAME: &'static str = "[XnnQuantParamsRef]";
        }

        /// The table `XNNTensorValue` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `XNNTensorValue` in the file `schema/payload.fbs:53`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct XnnTensorValue {
            /// The field `datatype` in the table `XNNTensorValue`
            pub datatype: self::XnnDatatype,
            /// The field `num_dims` in the table `XNNTensorValue`
            pub num_dims: u32,
            /// The field `dims` in the table `XNNTensorValue`
            pub dims: ::core::option::Option<::planus::alloc::vec::Vec<u32>>,
            /// The field `constant_buffer_idx` in the table `XNNTensorValue`
            pub constant_buffer_idx: u32,
            /// The field `external_id` in the table `XNNTensorValue`
            pub external_id: u32,
            /// The field `flags` in the table `XNNTensorValue`
            pub flags: u32,
            /// The field `id_out` in the table `XNNTensorValue`
            pub id_out: u32,
            /// The field `dq_datatype` in the table `XNNTensorValue`
            pub dq_datatype: self::XnnDatatype,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for XnnTensorValue {
            fn default() -> Self {
                Self {
                    datatype: self::XnnDatatype::Invalid,
                    num_dims: 0,
                    dims: ::core::default::Default::default(),
                    constant_buffer_idx: 0,
                    external_id: 0,
                    flags: 0,
                    id_out: 0,
                    dq_datatype: self::XnnDatatype::Invalid,
                }
            }
        }

        impl XnnTensorValue {
            /// Creates a [XnnTensorValueBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> XnnTensorValueBuilder<()> {
                XnnTensorValueBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_datatype: impl ::planus::WriteAsDefault<self::XnnDatatype, self::XnnDatatype>,
                field_num_dims: impl ::planus::WriteAsDefault<u32, u32>,
                field_dims: impl ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
                field_constant_buffer_idx: impl ::planus::WriteAsDefault<u32, u32>,
                field_external_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
                field_id_out: impl ::planus::WriteAsDefault<u32, u32>,
                field_dq_datatype: impl ::planus::WriteAsDefault<self::XnnDatatype, self::XnnDatatype>,
            ) -> ::planus::Offset<Self> {
                let prepared_datatype =
                    field_datatype.prepare(builder, &self::XnnDatatype::Invalid);
                let prepared_num_dims = field_num_dims.prepare(builder, &0);
                let prepared_dims = field_dims.prepare(builder);
                let prepared_constant_buffer_idx = field_constant_buffer_idx.prepare(builder, &0);
                let prepared_external_id = field_external_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);
                let prepared_id_out = field_id_out.prepare(builder, &0);
                let prepared_dq_datatype =
                    field_dq_datatype.prepare(builder, &self::XnnDatatype::Invalid);

                let mut table_writer: ::planus::table_writer::TableWriter<20> =
                    ::core::default::Default::default();
                if prepared_num_dims.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_dims.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u32]>>(2);
                }
                if prepared_constant_buffer_idx.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_external_id.is_some() {
                    table_writer.write_entry::<u32>(4);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(5);
                }
                if prepared_id_out.is_some() {
                    table_writer.write_entry::<u32>(6);
                }
                if prepared_datatype.is_some() {
                    table_writer.write_entry::<self::XnnDatatype>(0);
                }
                if prepared_dq_datatype.is_some() {
                    table_writer.write_entry::<self::XnnDatatype>(7);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_num_dims) = prepared_num_dims {
                            object_writer.write::<_, _, 4>(&prepared_num_dims);
                        }
                        if let ::core::option::Option::Some(prepared_dims) = prepared_dims {
                            object_writer.write::<_, _, 4>(&prepared_dims);
                        }
                        if let ::core::option::Option::Some(prepared_constant_buffer_idx) =
                            prepared_constant_buffer_idx
                        {
                            object_writer.write::<_, _, 4>(&prepared_constant_buffer_idx);
                        }
                        if let ::core::option::Option::Some(prepared_external_id) =
                            prepared_external_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_external_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                        if let ::core::option::Option::Some(prepared_id_out) = prepared_id_out {
                            object_writer.write::<_, _, 4>(&prepared_id_out);
                        }
                        if let ::core::option::Option::Some(prepared_datatype) = prepared_datatype {
                            object_writer.write::<_, _, 2>(&prepared_datatype);
                        }
                        if let ::core::option::Option::Some(prepared_dq_datatype) =
                            prepared_dq_datatype
                        {
                            object_writer.write::<_, _, 2>(&prepared_dq_datatype);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<XnnTensorValue>> for XnnTensorValue {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XnnTensorValue> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<XnnTensorValue>> for XnnTensorValue {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<XnnTensorValue>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<XnnTensorValue> for XnnTensorValue {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XnnTensorValue> {
                XnnTensorValue::create(
                    builder,
                    self.datatype,
                    self.num_dims,
                    &self.dims,
                    self.constant_buffer_idx,
                    self.external_id,
                    self.flags,
                    self.id_out,
                    self.dq_datatype,
                )
            }
        }

        /// Builder for serializing an instance of the [XnnTensorValue] type.
        ///
        /// Can be created using the [XnnTensorValue::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct XnnTensorValueBuilder<State>(State);

        impl XnnTensorValueBuilder<()> {
            /// Setter for the [`datatype` field](XnnTensorValue#structfield.datatype).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn datatype<T0>(self, value: T0) -> XnnTensorValueBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<self::XnnDatatype, self::XnnDatatype>,
            {
                XnnTensorValueBuilder((value,))
            }

            /// Sets the [`datatype` field](XnnTensorValue#structfield.datatype) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn datatype_as_default(self) -> XnnTensorValueBuilder<(::planus::DefaultValue,)> {
                self.datatype(::planus::DefaultValue)
            }
        }

        impl<T0> XnnTensorValueBuilder<(T0,)> {
            /// Setter for the [`num_dims` field](XnnTensorValue#structfield.num_dims).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_dims<T1>(self, value: T1) -> XnnTensorValueBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                XnnTensorValueBuilder((v0, value))
            }

            /// Sets the [`num_dims` field](XnnTensorValue#structfield.num_dims) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_dims_as_default(
                self,
            ) -> XnnTensorValueBuilder<(T0, ::planus::DefaultValue)> {
                self.num_dims(::planus::DefaultValue)
            }
        }

        impl<T0, T1> XnnTensorValueBuilder<(T0, T1)> {
            /// Setter for the [`dims` field](XnnTensorValue#structfield.dims).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dims<T2>(self, value: T2) -> XnnTensorValueBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            {
                let (v0, v1) = self.0;
                XnnTensorValueBuilder((v0, v1, value))
            }

            /// Sets the [`dims` field](XnnTensorValue#structfield.dims) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dims_as_null(self) -> XnnTensorValueBuilder<(T0, T1, ())> {
                self.dims(())
            }
        }

        impl<T0, T1, T2> XnnTensorValueBuilder<(T0, T1, T2)> {
            /// Setter for the [`constant_buffer_idx` field](XnnTensorValue#structfield.constant_buffer_idx).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn constant_buffer_idx<T3>(
                self,
                value: T3,
            ) -> XnnTensorValueBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                XnnTensorValueBuilder((v0, v1, v2, value))
            }

            /// Sets the [`constant_buffer_idx` field](XnnTensorValue#structfield.constant_buffer_idx) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn constant_buffer_idx_as_default(
                self,
            ) -> XnnTensorValueBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.constant_buffer_idx(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> XnnTensorValueBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`external_id` field](XnnTensorValue#structfield.external_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn external_id<T4>(self, value: T4) -> XnnTensorValueBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                XnnTensorValueBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`external_id` field](XnnTensorValue#structfield.external_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn external_id_as_default(
                self,
            ) -> XnnTensorValueBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.external_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> XnnTensorValueBuilder<(T0, T1, T2, T3, T4)> {
            /// Setter for the [`flags` field](XnnTensorValue#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T5>(self, value: T5) -> XnnTensorValueBuilder<(T0, T1, T2, T3, T4, T5)>
            where
                T5: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4) = self.0;
                XnnTensorValueBuilder((v0, v1, v2, v3, v4, value))
            }

            /// Sets the [`flags` field](XnnTensorValue#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> XnnTensorValueBuilder<(T0, T1, T2, T3, T4, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5> XnnTensorValueBuilder<(T0, T1, T2, T3, T4, T5)> {
            /// Setter for the [`id_out` field](XnnTensorValue#structfield.id_out).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn id_out<T6>(
                self,
                value: T6,
            ) -> XnnTensorValueBuilder<(T0, T1, T2, T3, T4, T5, T6)>
            where
                T6: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5) = self.0;
                XnnTensorValueBuilder((v0, v1, v2, v3, v4, v5, value))
            }

            /// Sets the [`id_out` field](XnnTensorValue#structfield.id_out) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn id_out_as_default(
                self,
            ) -> XnnTensorValueBuilder<(T0, T1, T2, T3, T4, T5, ::planus::DefaultValue)>
            {
                self.id_out(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6> XnnTensorValueBuilder<(T0, T1, T2, T3, T4, T5, T6)> {
            /// Setter for the [`dq_datatype` field](XnnTensorValue#structfield.dq_datatype).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dq_datatype<T7>(
                self,
                value: T7,
            ) -> XnnTensorValueBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
            where
                T7: ::planus::WriteAsDefault<self::XnnDatatype, self::XnnDatatype>,
            {
                let (v0, v1, v2, v3, v4, v5, v6) = self.0;
                XnnTensorValueBuilder((v0, v1, v2, v3, v4, v5, v6, value))
            }

            /// Sets the [`dq_datatype` field](XnnTensorValue#structfield.dq_datatype) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dq_datatype_as_default(
                self,
            ) -> XnnTensorValueBuilder<(T0, T1, T2, T3, T4, T5, T6, ::planus::DefaultValue)>
            {
                self.dq_datatype(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7> XnnTensorValueBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [XnnTensorValue].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<XnnTensorValue>
            where
                Self: ::planus::WriteAsOffset<XnnTensorValue>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<self::XnnDatatype, self::XnnDatatype>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<self::XnnDatatype, self::XnnDatatype>,
        > ::planus::WriteAs<::planus::Offset<XnnTensorValue>>
            for XnnTensorValueBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
        {
            type Prepared = ::planus::Offset<XnnTensorValue>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XnnTensorValue> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<self::XnnDatatype, self::XnnDatatype>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<self::XnnDatatype, self::XnnDatatype>,
        > ::planus::WriteAsOptional<::planus::Offset<XnnTensorValue>>
            for XnnTensorValueBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
        {
            type Prepared = ::planus::Offset<XnnTensorValue>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<XnnTensorValue>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<self::XnnDatatype, self::XnnDatatype>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<self::XnnDatatype, self::XnnDatatype>,
        > ::planus::WriteAsOffset<XnnTensorValue>
            for XnnTensorValueBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XnnTensorValue> {
                let (v0, v1, v2, v3, v4, v5, v6, v7) = &self.0;
                XnnTensorValue::create(builder, v0, v1, v2, v3, v4, v5, v6, v7)
            }
        }

        /// Reference to a deserialized [XnnTensorValue].
        #[derive(Copy, Clone)]
        pub struct XnnTensorValueRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> XnnTensorValueRef<'a> {
            /// Getter for the [`datatype` field](XnnTensorValue#structfield.datatype).
            #[inline]
            pub fn datatype(&self) -> ::planus::Result<self::XnnDatatype> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "XnnTensorValue", "datatype")?
                        .unwrap_or(self::XnnDatatype::Invalid),
                )
            }

            /// Getter for the [`num_dims` field](XnnTensorValue#structfield.num_dims).
            #[inline]
            pub fn num_dims(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(1, "XnnTensorValue", "num_dims")?.unwrap_or(0),
                )
            }

            /// Getter for the [`dims` field](XnnTensorValue#structfield.dims).
            #[inline]
            pub fn dims(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, u32>>> {
                self.0.access(2, "XnnTensorValue", "dims")
            }

            /// Getter for the [`constant_buffer_idx` field](XnnTensorValue#structfield.constant_buffer_idx).
            #[inline]
            pub fn constant_buffer_idx(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(3, "XnnTensorValue", "constant_buffer_idx")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`external_id` field](XnnTensorValue#structfield.external_id).
            #[inline]
            pub fn external_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(4, "XnnTensorValue", "external_id")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`flags` field](XnnTensorValue#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(5, "XnnTensorValue", "flags")?.unwrap_or(0),
                )
            }

            /// Getter for the [`id_out` field](XnnTensorValue#structfield.id_out).
            #[inline]
            pub fn id_out(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(6, "XnnTensorValue", "id_out")?.unwrap_or(0),
                )
            }

            /// Getter for the [`dq_datatype` field](XnnTensorValue#structfield.dq_datatype).
            #[inline]
            pub fn dq_datatype(&self) -> ::planus::Result<self::XnnDatatype> {
                ::core::result::Result::Ok(
                    self.0
                        .access(7, "XnnTensorValue", "dq_datatype")?
                        .unwrap_or(self::XnnDatatype::Invalid),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for XnnTensorValueRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("XnnTensorValueRef");
                f.field("datatype", &self.datatype());
                f.field("num_dims", &self.num_dims());
                if let ::core::option::Option::Some(field_dims) = self.dims().transpose() {
                    f.field("dims", &field_dims);
                }
                f.field("constant_buffer_idx", &self.constant_buffer_idx());
                f.field("external_id", &self.external_id());
                f.field("flags", &self.flags());
                f.field("id_out", &self.id_out());
                f.field("dq_datatype", &self.dq_datatype());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<XnnTensorValueRef<'a>> for XnnTensorValue {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: XnnTensorValueRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    datatype: ::core::convert::TryInto::try_into(value.datatype()?)?,
                    num_dims: ::core::convert::TryInto::try_into(value.num_dims()?)?,
                    dims: if let ::core::option::Option::Some(dims) = value.dims()? {
                        ::core::option::Option::Some(dims.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    constant_buffer_idx: ::core::convert::TryInto::try_into(
                        value.constant_buffer_idx()?,
                    )?,
                    external_id: ::core::convert::TryInto::try_into(value.external_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                    id_out: ::core::convert::TryInto::try_into(value.id_out()?)?,
                    dq_datatype: ::core::convert::TryInto::try_into(value.dq_datatype()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for XnnTensorValueRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for XnnTensorValueRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[XnnTensorValueRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<XnnTensorValue>> for XnnTensorValue {
            type Value = ::planus::Offset<XnnTensorValue>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<XnnTensorValue>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for XnnTensorValueRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[XnnTensorValueRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `XNNQuantizedTensorValue` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `XNNQuantizedTensorValue` in the file `schema/payload.fbs:64`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub struct XnnQuantizedTensorValue {
            /// The field `tensor_value` in the table `XNNQuantizedTensorValue`
            pub tensor_value:
                ::core::option::Option<::planus::alloc::boxed::Box<self::XnnTensorValue>>,
            /// The field `quant_params` in the table `XNNQuantizedTensorValue`
            pub quant_params: ::core::option::Option<self::XnnQuantParams>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for XnnQuantizedTensorValue {
            fn default() -> Self {
                Self {
                    tensor_value: ::core::default::Default::default(),
                    quant_params: ::core::default::Default::default(),
                }
            }
        }

        impl XnnQuantizedTensorValue {
            /// Creates a [XnnQuantizedTensorValueBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> XnnQuantizedTensorValueBuilder<()> {
                XnnQuantizedTensorValueBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_tensor_value: impl ::planus::WriteAsOptional<
                    ::planus::Offset<self::XnnTensorValue>,
                >,
                field_quant_params: impl ::planus::WriteAsOptionalUnion<self::XnnQuantParams>,
            ) -> ::planus::Offset<Self> {
                let prepared_tensor_value = field_tensor_value.prepare(builder);
                let prepared_quant_params = field_quant_params.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<10> =
                    ::core::default::Default::default();
                if prepared_tensor_value.is_some() {
                    table_writer.write_entry::<::planus::Offset<self::XnnTensorValue>>(0);
                }
                if prepared_quant_params.is_some() {
                    table_writer.write_entry::<::planus::Offset<self::XnnQuantParams>>(2);
                }
                if prepared_quant_params.is_some() {
                    table_writer.write_entry::<u8>(1);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_tensor_value) =
                            prepared_tensor_value
                        {
                            object_writer.write::<_, _, 4>(&prepared_tensor_value);
                        }
                        if let ::core::option::Option::Some(prepared_quant_params) =
                            prepared_quant_params
                        {
                            object_writer.write::<_, _, 4>(&prepared_quant_params.offset());
                        }
                        if let ::core::option::Option::Some(prepared_quant_params) =
                            prepared_quant_params
                        {
                            object_writer.write::<_, _, 1>(&prepared_quant_params.tag());
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<XnnQuantizedTensorValue>> for XnnQuantizedTensorValue {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<XnnQuantizedTensorValue> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<XnnQuantizedTensorValue>>
            for XnnQuantizedTensorValue
        {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<XnnQuantizedTensorValue>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<XnnQuantizedTensorValue> for XnnQuantizedTensorValue {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<XnnQuantizedTensorValue> {
                XnnQuantizedTensorValue::create(builder, &self.tensor_value, &self.quant_params)
            }
        }

        /// Builder for serializing an instance of the [XnnQuantizedTensorValue] type.
        ///
        /// Can be created using the [XnnQuantizedTensorValue::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct XnnQuantizedTensorValueBuilder<State>(State);

        impl XnnQuantizedTensorValueBuilder<()> {
            /// Setter for the [`tensor_value` field](XnnQuantizedTensorValue#structfield.tensor_value).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn tensor_value<T0>(self, value: T0) -> XnnQuantizedTensorValueBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<self::XnnTensorValue>>,
            {
                XnnQuantizedTensorValueBuilder((value,))
            }

            /// Sets the [`tensor_value` field](XnnQuantizedTensorValue#structfield.tensor_value) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn tensor_value_as_null(self) -> XnnQuantizedTensorValueBuilder<((),)> {
                self.tensor_value(())
            }
        }

        impl<T0> XnnQuantizedTensorValueBuilder<(T0,)> {
            /// Setter for the [`quant_params` field](XnnQuantizedTensorValue#structfield.quant_params).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn quant_params<T1>(self, value: T1) -> XnnQuantizedTensorValueBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptionalUnion<self::XnnQuantParams>,
            {
                let (v0,) = self.0;
                XnnQuantizedTensorValueBuilder((v0, value))
            }

            /// Sets the [`quant_params` field](XnnQuantizedTensorValue#structfield.quant_params) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn quant_params_as_null(self) -> XnnQuantizedTensorValueBuilder<(T0, ())> {
                self.quant_params(())
            }
        }

        impl<T0, T1> XnnQuantizedTensorValueBuilder<(T0, T1)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [XnnQuantizedTensorValue].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<XnnQuantizedTensorValue>
            where
                Self: ::planus::WriteAsOffset<XnnQuantizedTensorValue>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<self::XnnTensorValue>>,
            T1: ::planus::WriteAsOptionalUnion<self::XnnQuantParams>,
        > ::planus::WriteAs<::planus::Offset<XnnQuantizedTensorValue>>
            for XnnQuantizedTensorValueBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<XnnQuantizedTensorValue>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<XnnQuantizedTensorValue> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<self::XnnTensorValue>>,
            T1: ::planus::WriteAsOptionalUnion<self::XnnQuantParams>,
        > ::planus::WriteAsOptional<::planus::Offset<XnnQuantizedTensorValue>>
            for XnnQuantizedTensorValueBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<XnnQuantizedTensorValue>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<XnnQuantizedTensorValue>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<self::XnnTensorValue>>,
            T1: ::planus::WriteAsOptionalUnion<self::XnnQuantParams>,
        > ::planus::WriteAsOffset<XnnQuantizedTensorValue>
            for XnnQuantizedTensorValueBuilder<(T0, T1)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<XnnQuantizedTensorValue> {
                let (v0, v1) = &self.0;
                XnnQuantizedTensorValue::create(builder, v0, v1)
            }
        }

        /// Reference to a deserialized [XnnQuantizedTensorValue].
        #[derive(Copy, Clone)]
        pub struct XnnQuantizedTensorValueRef<'a>(
            #[allow(dead_code)] ::planus::table_reader::Table<'a>,
        );

        impl<'a> XnnQuantizedTensorValueRef<'a> {
            /// Getter for the [`tensor_value` field](XnnQuantizedTensorValue#structfield.tensor_value).
            #[inline]
            pub fn tensor_value(
                &self,
            ) -> ::planus::Result<::core::option::Option<self::XnnTensorValueRef<'a>>> {
                self.0.access(0, "XnnQuantizedTensorValue", "tensor_value")
            }

            /// Getter for the [`quant_params` field](XnnQuantizedTensorValue#structfield.quant_params).
            #[inline]
            pub fn quant_params(
                &self,
            ) -> ::planus::Result<::core::option::Option<self::XnnQuantParamsRef<'a>>> {
                self.0
                    .access_union(1, "XnnQuantizedTensorValue", "quant_params")
            }
        }

        impl<'a> ::core::fmt::Debug for XnnQuantizedTensorValueRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("XnnQuantizedTensorValueRef");
                if let ::core::option::Option::Some(field_tensor_value) =
                    self.tensor_value().transpose()
                {
                    f.field("tensor_value", &field_tensor_value);
                }
                if let ::core::option::Option::Some(field_quant_params) =
                    self.quant_params().transpose()
                {
                    f.field("quant_params", &field_quant_params);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<XnnQuantizedTensorValueRef<'a>> for XnnQuantizedTensorValue {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: XnnQuantizedTensorValueRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    tensor_value: if let ::core::option::Option::Some(tensor_value) =
                        value.tensor_value()?
                    {
                        ::core::option::Option::Some(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryInto::try_into(tensor_value)?,
                        ))
                    } else {
                        ::core::option::Option::None
                    },
                    quant_params: if let ::core::option::Option::Some(quant_params) =
                        value.quant_params()?
                    {
                        ::core::option::Option::Some(::core::convert::TryInto::try_into(
                            quant_params,
                        )?)
                    } else {
                        ::core::option::Option::None
                    },
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for XnnQuantizedTensorValueRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for XnnQuantizedTensorValueRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[XnnQuantizedTensorValueRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<XnnQuantizedTensorValue>>
            for XnnQuantizedTensorValue
        {
            type Value = ::planus::Offset<XnnQuantizedTensorValue>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<XnnQuantizedTensorValue>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for XnnQuantizedTensorValueRef<'a> {
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
                        "[XnnQuantizedTensorValueRef]",
                        "read_as_root",
                        0,
                    )
                })
            }
        }

        /// The union `XValueUnion` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Union `XValueUnion` in the file `schema/payload.fbs:69`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub enum XValueUnion {
            /// The variant of type `XNNTensorValue` in the union `XValueUnion`
            XnnTensorValue(::planus::alloc::boxed::Box<self::XnnTensorValue>),

            /// The variant of type `XNNQuantizedTensorValue` in the union `XValueUnion`
            XnnQuantizedTensorValue(::planus::alloc::boxed::Box<self::XnnQuantizedTensorValue>),
        }

        impl XValueUnion {
            /// Creates a [XValueUnionBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> XValueUnionBuilder<::planus::Uninitialized> {
                XValueUnionBuilder(::planus::Uninitialized)
            }

            #[inline]
            pub fn create_xnn_tensor_value(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::XnnTensorValue>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(1, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_xnn_quantized_tensor_value(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::XnnQuantizedTensorValue>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(2, value.prepare(builder).downcast())
            }
        }

        impl ::planus::WriteAsUnion<XValueUnion> for XValueUnion {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Self> {
                match self {
                    Self::XnnTensorValue(value) => Self::create_xnn_tensor_value(builder, value),
                    Self::XnnQuantizedTensorValue(value) => {
                        Self::create_xnn_quantized_tensor_value(builder, value)
                    }
                }
            }
        }

        impl ::planus::WriteAsOptionalUnion<XValueUnion> for XValueUnion {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Self>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }

        /// Builder for serializing an instance of the [XValueUnion] type.
        ///
        /// Can be created using the [XValueUnion::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct XValueUnionBuilder<T>(T);

        impl XValueUnionBuilder<::planus::Uninitialized> {
            /// Creates an instance of the [`XNNTensorValue` variant](XValueUnion#variant.XnnTensorValue).
            #[inline]
            pub fn xnn_tensor_value<T>(
                self,
                value: T,
            ) -> XValueUnionBuilder<::planus::Initialized<1, T>>
            where
                T: ::planus::WriteAsOffset<self::XnnTensorValue>,
            {
                XValueUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`XNNQuantizedTensorValue` variant](XValueUnion#variant.XnnQuantizedTensorValue).
            #[inline]
            pub fn xnn_quantized_tensor_value<T>(
                self,
                value: T,
            ) -> XValueUnionBuilder<::planus::Initialized<2, T>>
            where
                T: ::planus::WriteAsOffset<self::XnnQuantizedTensorValue>,
            {
                XValueUnionBuilder(::planus::Initialized(value))
            }
        }

        impl<const N: u8, T> XValueUnionBuilder<::planus::Initialized<N, T>> {
            /// Finish writing the builder to get an [UnionOffset](::planus::UnionOffset) to a serialized [XValueUnion].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XValueUnion>
            where
                Self: ::planus::WriteAsUnion<XValueUnion>,
            {
                ::planus::WriteAsUnion::prepare(&self, builder)
            }
        }

        impl<T> ::planus::WriteAsUnion<XValueUnion> for XValueUnionBuilder<::planus::Initialized<1, T>>
        where
            T: ::planus::WriteAsOffset<self::XnnTensorValue>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XValueUnion> {
                ::planus::UnionOffset::new(1, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XValueUnion>
            for XValueUnionBuilder<::planus::Initialized<1, T>>
        where
            T: ::planus::WriteAsOffset<self::XnnTensorValue>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XValueUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XValueUnion> for XValueUnionBuilder<::planus::Initialized<2, T>>
        where
            T: ::planus::WriteAsOffset<self::XnnQuantizedTensorValue>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XValueUnion> {
                ::planus::UnionOffset::new(2, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XValueUnion>
            for XValueUnionBuilder<::planus::Initialized<2, T>>
        where
            T: ::planus::WriteAsOffset<self::XnnQuantizedTensorValue>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XValueUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }

        /// Reference to a deserialized [XValueUnion].
        #[derive(Copy, Clone, Debug)]
        pub enum XValueUnionRef<'a> {
            XnnTensorValue(self::XnnTensorValueRef<'a>),
            XnnQuantizedTensorValue(self::XnnQuantizedTensorValueRef<'a>),
        }

        impl<'a> ::core::convert::TryFrom<XValueUnionRef<'a>> for XValueUnion {
            type Error = ::planus::Error;

            fn try_from(value: XValueUnionRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(match value {
                    XValueUnionRef::XnnTensorValue(value) => {
                        Self::XnnTensorValue(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XValueUnionRef::XnnQuantizedTensorValue(value) => {
                        Self::XnnQuantizedTensorValue(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }
                })
            }
        }

        impl<'a> ::planus::TableReadUnion<'a> for XValueUnionRef<'a> {
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                tag: u8,
                field_offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                match tag {
                    1 => ::core::result::Result::Ok(Self::XnnTensorValue(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    2 => ::core::result::Result::Ok(Self::XnnQuantizedTensorValue(
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

        impl<'a> ::planus::VectorReadUnion<'a> for XValueUnionRef<'a> {
            const VECTOR_NAME: &'static str = "[XValueUnionRef]";
        }

        /// The table `XValue` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `XValue` in the file `schema/payload.fbs:74`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub struct XValue {
            /// The field `xvalue_union` in the table `XValue`
            pub xvalue_union: ::core::option::Option<self::XValueUnion>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for XValue {
            fn default() -> Self {
                Self {
                    xvalue_union: ::core::default::Default::default(),
                }
            }
        }

        impl XValue {
            /// Creates a [XValueBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> XValueBuilder<()> {
                XValueBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_xvalue_union: impl ::planus::WriteAsOptionalUnion<self::XValueUnion>,
            ) -> ::planus::Offset<Self> {
                let prepared_xvalue_union = field_xvalue_union.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<8> =
                    ::core::default::Default::default();
                if prepared_xvalue_union.is_some() {
                    table_writer.write_entry::<::planus::Offset<self::XValueUnion>>(1);
                }
                if prepared_xvalue_union.is_some() {
                    table_writer.write_entry::<u8>(0);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_xvalue_union) =
                            prepared_xvalue_union
                        {
                            object_writer.write::<_, _, 4>(&prepared_xvalue_union.offset());
                        }
                        if let ::core::option::Option::Some(prepared_xvalue_union) =
                            prepared_xvalue_union
                        {
                            object_writer.write::<_, _, 1>(&prepared_xvalue_union.tag());
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<XValue>> for XValue {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XValue> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<XValue>> for XValue {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<XValue>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<XValue> for XValue {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XValue> {
                XValue::create(builder, &self.xvalue_union)
            }
        }

        /// Builder for serializing an instance of the [XValue] type.
        ///
        /// Can be created using the [XValue::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct XValueBuilder<State>(State);

        impl XValueBuilder<()> {
            /// Setter for the [`xvalue_union` field](XValue#structfield.xvalue_union).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn xvalue_union<T0>(self, value: T0) -> XValueBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptionalUnion<self::XValueUnion>,
            {
                XValueBuilder((value,))
            }

            /// Sets the [`xvalue_union` field](XValue#structfield.xvalue_union) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn xvalue_union_as_null(self) -> XValueBuilder<((),)> {
                self.xvalue_union(())
            }
        }

        impl<T0> XValueBuilder<(T0,)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [XValue].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<XValue>
            where
                Self: ::planus::WriteAsOffset<XValue>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptionalUnion<self::XValueUnion>>
            ::planus::WriteAs<::planus::Offset<XValue>> for XValueBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<XValue>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XValue> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptionalUnion<self::XValueUnion>>
            ::planus::WriteAsOptional<::planus::Offset<XValue>> for XValueBuilder<(T0,)>
        {
            type Prepared = ::planus::Offset<XValue>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<XValue>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsOptionalUnion<self::XValueUnion>> ::planus::WriteAsOffset<XValue>
            for XValueBuilder<(T0,)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XValue> {
                let (v0,) = &self.0;
                XValue::create(builder, v0)
            }
        }

        /// Reference to a deserialized [XValue].
        #[derive(Copy, Clone)]
        pub struct XValueRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> XValueRef<'a> {
            /// Getter for the [`xvalue_union` field](XValue#structfield.xvalue_union).
            #[inline]
            pub fn xvalue_union(
                &self,
            ) -> ::planus::Result<::core::option::Option<self::XValueUnionRef<'a>>> {
                self.0.access_union(0, "XValue", "xvalue_union")
            }
        }

        impl<'a> ::core::fmt::Debug for XValueRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("XValueRef");
                if let ::core::option::Option::Some(field_xvalue_union) =
                    self.xvalue_union().transpose()
                {
                    f.field("xvalue_union", &field_xvalue_union);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<XValueRef<'a>> for XValue {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: XValueRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    xvalue_union: if let ::core::option::Option::Some(xvalue_union) =
                        value.xvalue_union()?
                    {
                        ::core::option::Option::Some(::core::convert::TryInto::try_into(
                            xvalue_union,
                        )?)
                    } else {
                        ::core::option::Option::None
                    },
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for XValueRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for XValueRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location("[XValueRef]", "get", buffer.offset_from_start)
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<XValue>> for XValue {
            type Value = ::planus::Offset<XValue>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<XValue>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for XValueRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[XValueRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `Node1x1` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `Node1x1` in the file `schema/payload.fbs:76`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct Node1x1 {
            /// The field `input_id` in the table `Node1x1`
            pub input_id: u32,
            /// The field `output_id` in the table `Node1x1`
            pub output_id: u32,
            /// The field `flags` in the table `Node1x1`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for Node1x1 {
            fn default() -> Self {
                Self {
                    input_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl Node1x1 {
            /// Creates a [Node1x1Builder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> Node1x1Builder<()> {
                Node1x1Builder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_input_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_input_id = field_input_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<10> =
                    ::core::default::Default::default();
                if prepared_input_id.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(2);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_input_id) = prepared_input_id {
                            object_writer.write::<_, _, 4>(&prepared_input_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<Node1x1>> for Node1x1 {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Node1x1> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<Node1x1>> for Node1x1 {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Node1x1>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<Node1x1> for Node1x1 {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Node1x1> {
                Node1x1::create(builder, self.input_id, self.output_id, self.flags)
            }
        }

        /// Builder for serializing an instance of the [Node1x1] type.
        ///
        /// Can be created using the [Node1x1::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct Node1x1Builder<State>(State);

        impl Node1x1Builder<()> {
            /// Setter for the [`input_id` field](Node1x1#structfield.input_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id<T0>(self, value: T0) -> Node1x1Builder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                Node1x1Builder((value,))
            }

            /// Sets the [`input_id` field](Node1x1#structfield.input_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id_as_default(self) -> Node1x1Builder<(::planus::DefaultValue,)> {
                self.input_id(::planus::DefaultValue)
            }
        }

        impl<T0> Node1x1Builder<(T0,)> {
            /// Setter for the [`output_id` field](Node1x1#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T1>(self, value: T1) -> Node1x1Builder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                Node1x1Builder((v0, value))
            }

            /// Sets the [`output_id` field](Node1x1#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(self) -> Node1x1Builder<(T0, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1> Node1x1Builder<(T0, T1)> {
            /// Setter for the [`flags` field](Node1x1#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T2>(self, value: T2) -> Node1x1Builder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                Node1x1Builder((v0, v1, value))
            }

            /// Sets the [`flags` field](Node1x1#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(self) -> Node1x1Builder<(T0, T1, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> Node1x1Builder<(T0, T1, T2)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [Node1x1].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<Node1x1>
            where
                Self: ::planus::WriteAsOffset<Node1x1>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<Node1x1>> for Node1x1Builder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<Node1x1>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Node1x1> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<Node1x1>> for Node1x1Builder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<Node1x1>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Node1x1>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<Node1x1> for Node1x1Builder<(T0, T1, T2)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Node1x1> {
                let (v0, v1, v2) = &self.0;
                Node1x1::create(builder, v0, v1, v2)
            }
        }

        /// Reference to a deserialized [Node1x1].
        #[derive(Copy, Clone)]
        pub struct Node1x1Ref<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> Node1x1Ref<'a> {
            /// Getter for the [`input_id` field](Node1x1#structfield.input_id).
            #[inline]
            pub fn input_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(0, "Node1x1", "input_id")?.unwrap_or(0))
            }

            /// Getter for the [`output_id` field](Node1x1#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(1, "Node1x1", "output_id")?.unwrap_or(0))
            }

            /// Getter for the [`flags` field](Node1x1#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(2, "Node1x1", "flags")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for Node1x1Ref<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("Node1x1Ref");
                f.field("input_id", &self.input_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<Node1x1Ref<'a>> for Node1x1 {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: Node1x1Ref<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    input_id: ::core::convert::TryInto::try_into(value.input_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for Node1x1Ref<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for Node1x1Ref<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location("[Node1x1Ref]", "get", buffer.offset_from_start)
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<Node1x1>> for Node1x1 {
            type Value = ::planus::Offset<Node1x1>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<Node1x1>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for Node1x1Ref<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[Node1x1Ref]", "read_as_root", 0)
                })
            }
        }

        /// The table `Node2x1` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `Node2x1` in the file `schema/payload.fbs:82`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct Node2x1 {
            /// The field `input1_id` in the table `Node2x1`
            pub input1_id: u32,
            /// The field `input2_id` in the table `Node2x1`
            pub input2_id: u32,
            /// The field `output_id` in the table `Node2x1`
            pub output_id: u32,
            /// The field `flags` in the table `Node2x1`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for Node2x1 {
            fn default() -> Self {
                Self {
                    input1_id: 0,
                    input2_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl Node2x1 {
            /// Creates a [Node2x1Builder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> Node2x1Builder<()> {
                Node2x1Builder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_input1_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_input2_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_input1_id = field_input1_id.prepare(builder, &0);
                let prepared_input2_id = field_input2_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<12> =
                    ::core::default::Default::default();
                if prepared_input1_id.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_input2_id.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(3);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_input1_id) = prepared_input1_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_input1_id);
                        }
                        if let ::core::option::Option::Some(prepared_input2_id) = prepared_input2_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_input2_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<Node2x1>> for Node2x1 {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Node2x1> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<Node2x1>> for Node2x1 {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Node2x1>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<Node2x1> for Node2x1 {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Node2x1> {
                Node2x1::create(
                    builder,
                    self.input1_id,
                    self.input2_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [Node2x1] type.
        ///
        /// Can be created using the [Node2x1::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct Node2x1Builder<State>(State);

        impl Node2x1Builder<()> {
            /// Setter for the [`input1_id` field](Node2x1#structfield.input1_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input1_id<T0>(self, value: T0) -> Node2x1Builder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                Node2x1Builder((value,))
            }

            /// Sets the [`input1_id` field](Node2x1#structfield.input1_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input1_id_as_default(self) -> Node2x1Builder<(::planus::DefaultValue,)> {
                self.input1_id(::planus::DefaultValue)
            }
        }

        impl<T0> Node2x1Builder<(T0,)> {
            /// Setter for the [`input2_id` field](Node2x1#structfield.input2_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input2_id<T1>(self, value: T1) -> Node2x1Builder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                Node2x1Builder((v0, value))
            }

            /// Sets the [`input2_id` field](Node2x1#structfield.input2_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input2_id_as_default(self) -> Node2x1Builder<(T0, ::planus::DefaultValue)> {
                self.input2_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1> Node2x1Builder<(T0, T1)> {
            /// Setter for the [`output_id` field](Node2x1#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T2>(self, value: T2) -> Node2x1Builder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                Node2x1Builder((v0, v1, value))
            }

            /// Sets the [`output_id` field](Node2x1#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(self) -> Node2x1Builder<(T0, T1, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> Node2x1Builder<(T0, T1, T2)> {
            /// Setter for the [`flags` field](Node2x1#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T3>(self, value: T3) -> Node2x1Builder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                Node2x1Builder((v0, v1, v2, value))
            }

            /// Sets the [`flags` field](Node2x1#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(self) -> Node2x1Builder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> Node2x1Builder<(T0, T1, T2, T3)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [Node2x1].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<Node2x1>
            where
                Self: ::planus::WriteAsOffset<Node2x1>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<Node2x1>> for Node2x1Builder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<Node2x1>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Node2x1> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<Node2x1>>
            for Node2x1Builder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<Node2x1>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<Node2x1>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<Node2x1> for Node2x1Builder<(T0, T1, T2, T3)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<Node2x1> {
                let (v0, v1, v2, v3) = &self.0;
                Node2x1::create(builder, v0, v1, v2, v3)
            }
        }

        /// Reference to a deserialized [Node2x1].
        #[derive(Copy, Clone)]
        pub struct Node2x1Ref<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> Node2x1Ref<'a> {
            /// Getter for the [`input1_id` field](Node2x1#structfield.input1_id).
            #[inline]
            pub fn input1_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(0, "Node2x1", "input1_id")?.unwrap_or(0))
            }

            /// Getter for the [`input2_id` field](Node2x1#structfield.input2_id).
            #[inline]
            pub fn input2_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(1, "Node2x1", "input2_id")?.unwrap_or(0))
            }

            /// Getter for the [`output_id` field](Node2x1#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(2, "Node2x1", "output_id")?.unwrap_or(0))
            }

            /// Getter for the [`flags` field](Node2x1#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(3, "Node2x1", "flags")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for Node2x1Ref<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("Node2x1Ref");
                f.field("input1_id", &self.input1_id());
                f.field("input2_id", &self.input2_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<Node2x1Ref<'a>> for Node2x1 {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: Node2x1Ref<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    input1_id: ::core::convert::TryInto::try_into(value.input1_id()?)?,
                    input2_id: ::core::convert::TryInto::try_into(value.input2_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for Node2x1Ref<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for Node2x1Ref<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location("[Node2x1Ref]", "get", buffer.offset_from_start)
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<Node2x1>> for Node2x1 {
            type Value = ::planus::Offset<Node2x1>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<Node2x1>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for Node2x1Ref<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[Node2x1Ref]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeConcat` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeConcat` in the file `schema/payload.fbs:89`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct NodeConcat {
            /// The field `axis` in the table `NodeConcat`
            pub axis: u32,
            /// The field `input1_id` in the table `NodeConcat`
            pub input1_id: u32,
            /// The field `input2_id` in the table `NodeConcat`
            pub input2_id: u32,
            /// The field `input3_id` in the table `NodeConcat`
            pub input3_id: u32,
            /// The field `input4_id` in the table `NodeConcat`
            pub input4_id: u32,
            /// The field `output_id` in the table `NodeConcat`
            pub output_id: u32,
            /// The field `flags` in the table `NodeConcat`
            pub flags: u32,
            /// The field `input5_id` in the table `NodeConcat`
            pub input5_id: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeConcat {
            fn default() -> Self {
                Self {
                    axis: 0,
                    input1_id: 0,
                    input2_id: 0,
                    input3_id: 0,
                    input4_id: 0,
                    output_id: 0,
                    flags: 0,
                    input5_id: 0,
                }
            }
        }

        impl NodeConcat {
            /// Creates a [NodeConcatBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeConcatBuilder<()> {
                NodeConcatBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_axis: impl ::planus::WriteAsDefault<u32, u32>,
                field_input1_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_input2_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_input3_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_input4_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
                field_input5_id: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_axis = field_axis.prepare(builder, &0);
                let prepared_input1_id = field_input1_id.prepare(builder, &0);
                let prepared_input2_id = field_input2_id.prepare(builder, &0);
                let prepared_input3_id = field_input3_id.prepare(builder, &0);
                let prepared_input4_id = field_input4_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);
                let prepared_input5_id = field_input5_id.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<20> =
                    ::core::default::Default::default();
                if prepared_axis.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_input1_id.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_input2_id.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_input3_id.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_input4_id.is_some() {
                    table_writer.write_entry::<u32>(4);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(5);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(6);
                }
                if prepared_input5_id.is_some() {
                    table_writer.write_entry::<u32>(7);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_axis) = prepared_axis {
                            object_writer.write::<_, _, 4>(&prepared_axis);
                        }
                        if let ::core::option::Option::Some(prepared_input1_id) = prepared_input1_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_input1_id);
                        }
                        if let ::core::option::Option::Some(prepared_input2_id) = prepared_input2_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_input2_id);
                        }
                        if let ::core::option::Option::Some(prepared_input3_id) = prepared_input3_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_input3_id);
                        }
                        if let ::core::option::Option::Some(prepared_input4_id) = prepared_input4_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_input4_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                        if let ::core::option::Option::Some(prepared_input5_id) = prepared_input5_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_input5_id);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeConcat>> for NodeConcat {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeConcat> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeConcat>> for NodeConcat {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeConcat>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeConcat> for NodeConcat {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeConcat> {
                NodeConcat::create(
                    builder,
                    self.axis,
                    self.input1_id,
                    self.input2_id,
                    self.input3_id,
                    self.input4_id,
                    self.output_id,
                    self.flags,
                    self.input5_id,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeConcat] type.
        ///
        /// Can be created using the [NodeConcat::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeConcatBuilder<State>(State);

        impl NodeConcatBuilder<()> {
            /// Setter for the [`axis` field](NodeConcat#structfield.axis).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn axis<T0>(self, value: T0) -> NodeConcatBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                NodeConcatBuilder((value,))
            }

            /// Sets the [`axis` field](NodeConcat#structfield.axis) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn axis_as_default(self) -> NodeConcatBuilder<(::planus::DefaultValue,)> {
                self.axis(::planus::DefaultValue)
            }
        }

        impl<T0> NodeConcatBuilder<(T0,)> {
            /// Setter for the [`input1_id` field](NodeConcat#structfield.input1_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input1_id<T1>(self, value: T1) -> NodeConcatBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                NodeConcatBuilder((v0, value))
            }

            /// Sets the [`input1_id` field](NodeConcat#structfield.input1_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input1_id_as_default(self) -> NodeConcatBuilder<(T0, ::planus::DefaultValue)> {
                self.input1_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1> NodeConcatBuilder<(T0, T1)> {
            /// Setter for the [`input2_id` field](NodeConcat#structfield.input2_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input2_id<T2>(self, value: T2) -> NodeConcatBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                NodeConcatBuilder((v0, v1, value))
            }

            /// Sets the [`input2_id` field](NodeConcat#structfield.input2_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input2_id_as_default(
                self,
            ) -> NodeConcatBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.input2_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> NodeConcatBuilder<(T0, T1, T2)> {
            /// Setter for the [`input3_id` field](NodeConcat#structfield.input3_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input3_id<T3>(self, value: T3) -> NodeConcatBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeConcatBuilder((v0, v1, v2, value))
            }

            /// Sets the [`input3_id` field](NodeConcat#structfield.input3_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input3_id_as_default(
                self,
            ) -> NodeConcatBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.input3_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeConcatBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`input4_id` field](NodeConcat#structfield.input4_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input4_id<T4>(self, value: T4) -> NodeConcatBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                NodeConcatBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`input4_id` field](NodeConcat#structfield.input4_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input4_id_as_default(
                self,
            ) -> NodeConcatBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.input4_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> NodeConcatBuilder<(T0, T1, T2, T3, T4)> {
            /// Setter for the [`output_id` field](NodeConcat#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T5>(self, value: T5) -> NodeConcatBuilder<(T0, T1, T2, T3, T4, T5)>
            where
                T5: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4) = self.0;
                NodeConcatBuilder((v0, v1, v2, v3, v4, value))
            }

            /// Sets the [`output_id` field](NodeConcat#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(
                self,
            ) -> NodeConcatBuilder<(T0, T1, T2, T3, T4, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5> NodeConcatBuilder<(T0, T1, T2, T3, T4, T5)> {
            /// Setter for the [`flags` field](NodeConcat#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T6>(self, value: T6) -> NodeConcatBuilder<(T0, T1, T2, T3, T4, T5, T6)>
            where
                T6: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5) = self.0;
                NodeConcatBuilder((v0, v1, v2, v3, v4, v5, value))
            }

            /// Sets the [`flags` field](NodeConcat#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodeConcatBuilder<(T0, T1, T2, T3, T4, T5, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6> NodeConcatBuilder<(T0, T1, T2, T3, T4, T5, T6)> {
            /// Setter for the [`input5_id` field](NodeConcat#structfield.input5_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input5_id<T7>(
                self,
                value: T7,
            ) -> NodeConcatBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
            where
                T7: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6) = self.0;
                NodeConcatBuilder((v0, v1, v2, v3, v4, v5, v6, value))
            }

            /// Sets the [`input5_id` field](NodeConcat#structfield.input5_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input5_id_as_default(
                self,
            ) -> NodeConcatBuilder<(T0, T1, T2, T3, T4, T5, T6, ::planus::DefaultValue)>
            {
                self.input5_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7> NodeConcatBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeConcat].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeConcat>
            where
                Self: ::planus::WriteAsOffset<NodeConcat>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeConcat>>
            for NodeConcatBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
        {
            type Prepared = ::planus::Offset<NodeConcat>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeConcat> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeConcat>>
            for NodeConcatBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
        {
            type Prepared = ::planus::Offset<NodeConcat>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeConcat>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeConcat>
            for NodeConcatBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeConcat> {
                let (v0, v1, v2, v3, v4, v5, v6, v7) = &self.0;
                NodeConcat::create(builder, v0, v1, v2, v3, v4, v5, v6, v7)
            }
        }

        /// Reference to a deserialized [NodeConcat].
        #[derive(Copy, Clone)]
        pub struct NodeConcatRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeConcatRef<'a> {
            /// Getter for the [`axis` field](NodeConcat#structfield.axis).
            #[inline]
            pub fn axis(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(0, "NodeConcat", "axis")?.unwrap_or(0))
            }

            /// Getter for the [`input1_id` field](NodeConcat#structfield.input1_id).
            #[inline]
            pub fn input1_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(1, "NodeConcat", "input1_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`input2_id` field](NodeConcat#structfield.input2_id).
            #[inline]
            pub fn input2_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(2, "NodeConcat", "input2_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`input3_id` field](NodeConcat#structfield.input3_id).
            #[inline]
            pub fn input3_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(3, "NodeConcat", "input3_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`input4_id` field](NodeConcat#structfield.input4_id).
            #[inline]
            pub fn input4_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(4, "NodeConcat", "input4_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`output_id` field](NodeConcat#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(5, "NodeConcat", "output_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`flags` field](NodeConcat#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(6, "NodeConcat", "flags")?.unwrap_or(0))
            }

            /// Getter for the [`input5_id` field](NodeConcat#structfield.input5_id).
            #[inline]
            pub fn input5_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(7, "NodeConcat", "input5_id")?.unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for NodeConcatRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeConcatRef");
                f.field("axis", &self.axis());
                f.field("input1_id", &self.input1_id());
                f.field("input2_id", &self.input2_id());
                f.field("input3_id", &self.input3_id());
                f.field("input4_id", &self.input4_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.field("input5_id", &self.input5_id());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeConcatRef<'a>> for NodeConcat {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeConcatRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    axis: ::core::convert::TryInto::try_into(value.axis()?)?,
                    input1_id: ::core::convert::TryInto::try_into(value.input1_id()?)?,
                    input2_id: ::core::convert::TryInto::try_into(value.input2_id()?)?,
                    input3_id: ::core::convert::TryInto::try_into(value.input3_id()?)?,
                    input4_id: ::core::convert::TryInto::try_into(value.input4_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                    input5_id: ::core::convert::TryInto::try_into(value.input5_id()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeConcatRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeConcatRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[NodeConcatRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeConcat>> for NodeConcat {
            type Value = ::planus::Offset<NodeConcat>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeConcat>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeConcatRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeConcatRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeConv` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeConv` in the file `schema/payload.fbs:100`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct NodeConv {
            /// The field `padding_top` in the table `NodeConv`
            pub padding_top: u32,
            /// The field `padding_right` in the table `NodeConv`
            pub padding_right: u32,
            /// The field `padding_bottom` in the table `NodeConv`
            pub padding_bottom: u32,
            /// The field `padding_left` in the table `NodeConv`
            pub padding_left: u32,
            /// The field `kernel_height` in the table `NodeConv`
            pub kernel_height: u32,
            /// The field `kernel_width` in the table `NodeConv`
            pub kernel_width: u32,
            /// The field `subsampling_height` in the table `NodeConv`
            pub subsampling_height: u32,
            /// The field `subsampling_width` in the table `NodeConv`
            pub subsampling_width: u32,
            /// The field `dilation_height` in the table `NodeConv`
            pub dilation_height: u32,
            /// The field `dilation_width` in the table `NodeConv`
            pub dilation_width: u32,
            /// The field `group_input_channels` in the table `NodeConv`
            pub group_input_channels: u32,
            /// The field `group_output_channels` in the table `NodeConv`
            pub group_output_channels: u32,
            /// The field `groups` in the table `NodeConv`
            pub groups: u32,
            /// The field `adjustment_height` in the table `NodeConv`
            pub adjustment_height: u32,
            /// The field `adjustment_width` in the table `NodeConv`
            pub adjustment_width: u32,
            /// The field `input1_id` in the table `NodeConv`
            pub input1_id: u32,
            /// The field `filter_id` in the table `NodeConv`
            pub filter_id: u32,
            /// The field `bias_id` in the table `NodeConv`
            pub bias_id: u32,
            /// The field `output_id` in the table `NodeConv`
            pub output_id: u32,
            /// The field `flags` in the table `NodeConv`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeConv {
            fn default() -> Self {
                Self {
                    padding_top: 0,
                    padding_right: 0,
                    padding_bottom: 0,
                    padding_left: 0,
                    kernel_height: 0,
                    kernel_width: 0,
                    subsampling_height: 0,
                    subsampling_width: 0,
                    dilation_height: 0,
                    dilation_width: 0,
                    group_input_channels: 0,
                    group_output_channels: 0,
                    groups: 0,
                    adjustment_height: 0,
                    adjustment_width: 0,
                    input1_id: 0,
                    filter_id: 0,
                    bias_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodeConv {
            /// Creates a [NodeConvBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeConvBuilder<()> {
                NodeConvBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_padding_top: impl ::planus::WriteAsDefault<u32, u32>,
                field_padding_right: impl ::planus::WriteAsDefault<u32, u32>,
                field_padding_bottom: impl ::planus::WriteAsDefault<u32, u32>,
                field_padding_left: impl ::planus::WriteAsDefault<u32, u32>,
                field_kernel_height: impl ::planus::WriteAsDefault<u32, u32>,
                field_kernel_width: impl ::planus::WriteAsDefault<u32, u32>,
                field_subsampling_height: impl ::planus::WriteAsDefault<u32, u32>,
                field_subsampling_width: impl ::planus::WriteAsDefault<u32, u32>,
                field_dilation_height: impl ::planus::WriteAsDefault<u32, u32>,
                field_dilation_width: impl ::planus::WriteAsDefault<u32, u32>,
                field_group_input_channels: impl ::planus::WriteAsDefault<u32, u32>,
                field_group_output_channels: impl ::planus::WriteAsDefault<u32, u32>,
                field_groups: impl ::planus::WriteAsDefault<u32, u32>,
                field_adjustment_height: impl ::planus::WriteAsDefault<u32, u32>,
                field_adjustment_width: impl ::planus::WriteAsDefault<u32, u32>,
                field_input1_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_filter_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_bias_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_padding_top = field_padding_top.prepare(builder, &0);
                let prepared_padding_right = field_padding_right.prepare(builder, &0);
                let prepared_padding_bottom = field_padding_bottom.prepare(builder, &0);
                let prepared_padding_left = field_padding_left.prepare(builder, &0);
                let prepared_kernel_height = field_kernel_height.prepare(builder, &0);
                let prepared_kernel_width = field_kernel_width.prepare(builder, &0);
                let prepared_subsampling_height = field_subsampling_height.prepare(builder, &0);
                let prepared_subsampling_width = field_subsampling_width.prepare(builder, &0);
                let prepared_dilation_height = field_dilation_height.prepare(builder, &0);
                let prepared_dilation_width = field_dilation_width.prepare(builder, &0);
                let prepared_group_input_channels = field_group_input_channels.prepare(builder, &0);
                let prepared_group_output_channels =
                    field_group_output_channels.prepare(builder, &0);
                let prepared_groups = field_groups.prepare(builder, &0);
                let prepared_adjustment_height = field_adjustment_height.prepare(builder, &0);
                let prepared_adjustment_width = field_adjustment_width.prepare(builder, &0);
                let prepared_input1_id = field_input1_id.prepare(builder, &0);
                let prepared_filter_id = field_filter_id.prepare(builder, &0);
                let prepared_bias_id = field_bias_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<44> =
                    ::core::default::Default::default();
                if prepared_padding_top.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_padding_right.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_padding_bottom.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_padding_left.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_kernel_height.is_some() {
                    table_writer.write_entry::<u32>(4);
                }
                if prepared_kernel_width.is_some() {
                    table_writer.write_entry::<u32>(5);
                }
                if prepared_subsampling_height.is_some() {
                    table_writer.write_entry::<u32>(6);
                }
                if prepared_subsampling_width.is_some() {
                    table_writer.write_entry::<u32>(7);
                }
                if prepared_dilation_height.is_some() {
                    table_writer.write_entry::<u32>(8);
                }
                if prepared_dilation_width.is_some() {
                    table_writer.write_entry::<u32>(9);
                }
                if prepared_group_input_channels.is_some() {
                    table_writer.write_entry::<u32>(10);
                }
                if prepared_group_output_channels.is_some() {
                    table_writer.write_entry::<u32>(11);
                }
                if prepared_groups.is_some() {
                    table_writer.write_entry::<u32>(12);
                }
                if prepared_adjustment_height.is_some() {
                    table_writer.write_entry::<u32>(13);
                }
                if prepared_adjustment_width.is_some() {
                    table_writer.write_entry::<u32>(14);
                }
                if prepared_input1_id.is_some() {
                    table_writer.write_entry::<u32>(15);
                }
                if prepared_filter_id.is_some() {
                    table_writer.write_entry::<u32>(16);
                }
                if prepared_bias_id.is_some() {
                    table_writer.write_entry::<u32>(17);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(18);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(19);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_padding_top) =
                            prepared_padding_top
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_top);
                        }
                        if let ::core::option::Option::Some(prepared_padding_right) =
                            prepared_padding_right
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_right);
                        }
                        if let ::core::option::Option::Some(prepared_padding_bottom) =
                            prepared_padding_bottom
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_bottom);
                        }
                        if let ::core::option::Option::Some(prepared_padding_left) =
                            prepared_padding_left
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_left);
                        }
                        if let ::core::option::Option::Some(prepared_kernel_height) =
                            prepared_kernel_height
                        {
                            object_writer.write::<_, _, 4>(&prepared_kernel_height);
                        }
                        if let ::core::option::Option::Some(prepared_kernel_width) =
                            prepared_kernel_width
                        {
                            object_writer.write::<_, _, 4>(&prepared_kernel_width);
                        }
                        if let ::core::option::Option::Some(prepared_subsampling_height) =
                            prepared_subsampling_height
                        {
                            object_writer.write::<_, _, 4>(&prepared_subsampling_height);
                        }
                        if let ::core::option::Option::Some(prepared_subsampling_width) =
                            prepared_subsampling_width
                        {
                            object_writer.write::<_, _, 4>(&prepared_subsampling_width);
                        }
                        if let ::core::option::Option::Some(prepared_dilation_height) =
                            prepared_dilation_height
                        {
                            object_writer.write::<_, _, 4>(&prepared_dilation_height);
                        }
                        if let ::core::option::Option::Some(prepared_dilation_width) =
                            prepared_dilation_width
                        {
                            object_writer.write::<_, _, 4>(&prepared_dilation_width);
                        }
                        if let ::core::option::Option::Some(prepared_group_input_channels) =
                            prepared_group_input_channels
                        {
                            object_writer.write::<_, _, 4>(&prepared_group_input_channels);
                        }
                        if let ::core::option::Option::Some(prepared_group_output_channels) =
                            prepared_group_output_channels
                        {
                            object_writer.write::<_, _, 4>(&prepared_group_output_channels);
                        }
                        if let ::core::option::Option::Some(prepared_groups) = prepared_groups {
                            object_writer.write::<_, _, 4>(&prepared_groups);
                        }
                        if let ::core::option::Option::Some(prepared_adjustment_height) =
                            prepared_adjustment_height
                        {
                            object_writer.write::<_, _, 4>(&prepared_adjustment_height);
                        }
                        if let ::core::option::Option::Some(prepared_adjustment_width) =
                            prepared_adjustment_width
                        {
                            object_writer.write::<_, _, 4>(&prepared_adjustment_width);
                        }
                        if let ::core::option::Option::Some(prepared_input1_id) = prepared_input1_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_input1_id);
                        }
                        if let ::core::option::Option::Some(prepared_filter_id) = prepared_filter_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_filter_id);
                        }
                        if let ::core::option::Option::Some(prepared_bias_id) = prepared_bias_id {
                            object_writer.write::<_, _, 4>(&prepared_bias_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeConv>> for NodeConv {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeConv> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeConv>> for NodeConv {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeConv>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeConv> for NodeConv {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeConv> {
                NodeConv::create(
                    builder,
                    self.padding_top,
                    self.padding_right,
                    self.padding_bottom,
                    self.padding_left,
                    self.kernel_height,
                    self.kernel_width,
                    self.subsampling_height,
                    self.subsampling_width,
                    self.dilation_height,
                    self.dilation_width,
                    self.group_input_channels,
                    self.group_output_channels,
                    self.groups,
                    self.adjustment_height,
                    self.adjustment_width,
                    self.input1_id,
                    self.filter_id,
                    self.bias_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeConv] type.
        ///
        /// Can be created using the [NodeConv::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeConvBuilder<State>(State);

        impl NodeConvBuilder<()> {
            /// Setter for the [`padding_top` field](NodeConv#structfield.padding_top).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_top<T0>(self, value: T0) -> NodeConvBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                NodeConvBuilder((value,))
            }

            /// Sets the [`padding_top` field](NodeConv#structfield.padding_top) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_top_as_default(self) -> NodeConvBuilder<(::planus::DefaultValue,)> {
                self.padding_top(::planus::DefaultValue)
            }
        }

        impl<T0> NodeConvBuilder<(T0,)> {
            /// Setter for the [`padding_right` field](NodeConv#structfield.padding_right).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_right<T1>(self, value: T1) -> NodeConvBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                NodeConvBuilder((v0, value))
            }

            /// Sets the [`padding_right` field](NodeConv#structfield.padding_right) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_right_as_default(self) -> NodeConvBuilder<(T0, ::planus::DefaultValue)> {
                self.padding_right(::planus::DefaultValue)
            }
        }

        impl<T0, T1> NodeConvBuilder<(T0, T1)> {
            /// Setter for the [`padding_bottom` field](NodeConv#structfield.padding_bottom).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_bottom<T2>(self, value: T2) -> NodeConvBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                NodeConvBuilder((v0, v1, value))
            }

            /// Sets the [`padding_bottom` field](NodeConv#structfield.padding_bottom) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_bottom_as_default(
                self,
            ) -> NodeConvBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.padding_bottom(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> NodeConvBuilder<(T0, T1, T2)> {
            /// Setter for the [`padding_left` field](NodeConv#structfield.padding_left).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_left<T3>(self, value: T3) -> NodeConvBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeConvBuilder((v0, v1, v2, value))
            }

            /// Sets the [`padding_left` field](NodeConv#structfield.padding_left) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_left_as_default(
                self,
            ) -> NodeConvBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.padding_left(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeConvBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`kernel_height` field](NodeConv#structfield.kernel_height).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn kernel_height<T4>(self, value: T4) -> NodeConvBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                NodeConvBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`kernel_height` field](NodeConv#structfield.kernel_height) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn kernel_height_as_default(
                self,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.kernel_height(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> NodeConvBuilder<(T0, T1, T2, T3, T4)> {
            /// Setter for the [`kernel_width` field](NodeConv#structfield.kernel_width).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn kernel_width<T5>(self, value: T5) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5)>
            where
                T5: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4) = self.0;
                NodeConvBuilder((v0, v1, v2, v3, v4, value))
            }

            /// Sets the [`kernel_width` field](NodeConv#structfield.kernel_width) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn kernel_width_as_default(
                self,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, ::planus::DefaultValue)> {
                self.kernel_width(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5> NodeConvBuilder<(T0, T1, T2, T3, T4, T5)> {
            /// Setter for the [`subsampling_height` field](NodeConv#structfield.subsampling_height).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn subsampling_height<T6>(
                self,
                value: T6,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6)>
            where
                T6: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5) = self.0;
                NodeConvBuilder((v0, v1, v2, v3, v4, v5, value))
            }

            /// Sets the [`subsampling_height` field](NodeConv#structfield.subsampling_height) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn subsampling_height_as_default(
                self,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, ::planus::DefaultValue)> {
                self.subsampling_height(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6)> {
            /// Setter for the [`subsampling_width` field](NodeConv#structfield.subsampling_width).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn subsampling_width<T7>(
                self,
                value: T7,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
            where
                T7: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6) = self.0;
                NodeConvBuilder((v0, v1, v2, v3, v4, v5, v6, value))
            }

            /// Sets the [`subsampling_width` field](NodeConv#structfield.subsampling_width) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn subsampling_width_as_default(
                self,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, ::planus::DefaultValue)> {
                self.subsampling_width(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)> {
            /// Setter for the [`dilation_height` field](NodeConv#structfield.dilation_height).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dilation_height<T8>(
                self,
                value: T8,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
            where
                T8: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7) = self.0;
                NodeConvBuilder((v0, v1, v2, v3, v4, v5, v6, v7, value))
            }

            /// Sets the [`dilation_height` field](NodeConv#structfield.dilation_height) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dilation_height_as_default(
                self,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, ::planus::DefaultValue)>
            {
                self.dilation_height(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)> {
            /// Setter for the [`dilation_width` field](NodeConv#structfield.dilation_width).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dilation_width<T9>(
                self,
                value: T9,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9)>
            where
                T9: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8) = self.0;
                NodeConvBuilder((v0, v1, v2, v3, v4, v5, v6, v7, v8, value))
            }

            /// Sets the [`dilation_width` field](NodeConv#structfield.dilation_width) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dilation_width_as_default(
                self,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, ::planus::DefaultValue)>
            {
                self.dilation_width(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9>
            NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9)>
        {
            /// Setter for the [`group_input_channels` field](NodeConv#structfield.group_input_channels).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn group_input_channels<T10>(
                self,
                value: T10,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10)>
            where
                T10: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9) = self.0;
                NodeConvBuilder((v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, value))
            }

            /// Sets the [`group_input_channels` field](NodeConv#structfield.group_input_channels) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn group_input_channels_as_default(
                self,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                ::planus::DefaultValue,
            )> {
                self.group_input_channels(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10>
            NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10)>
        {
            /// Setter for the [`group_output_channels` field](NodeConv#structfield.group_output_channels).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn group_output_channels<T11>(
                self,
                value: T11,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11)>
            where
                T11: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10) = self.0;
                NodeConvBuilder((v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, value))
            }

            /// Sets the [`group_output_channels` field](NodeConv#structfield.group_output_channels) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn group_output_channels_as_default(
                self,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                ::planus::DefaultValue,
            )> {
                self.group_output_channels(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11>
            NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11)>
        {
            /// Setter for the [`groups` field](NodeConv#structfield.groups).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn groups<T12>(
                self,
                value: T12,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12)>
            where
                T12: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11) = self.0;
                NodeConvBuilder((v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, value))
            }

            /// Sets the [`groups` field](NodeConv#structfield.groups) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn groups_as_default(
                self,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                ::planus::DefaultValue,
            )> {
                self.groups(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12>
            NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12)>
        {
            /// Setter for the [`adjustment_height` field](NodeConv#structfield.adjustment_height).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn adjustment_height<T13>(
                self,
                value: T13,
            ) -> NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13)>
            where
                T13: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12) = self.0;
                NodeConvBuilder((v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, value))
            }

            /// Sets the [`adjustment_height` field](NodeConv#structfield.adjustment_height) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn adjustment_height_as_default(
                self,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                ::planus::DefaultValue,
            )> {
                self.adjustment_height(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13>
            NodeConvBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13)>
        {
            /// Setter for the [`adjustment_width` field](NodeConv#structfield.adjustment_width).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn adjustment_width<T14>(
                self,
                value: T14,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
            )>
            where
                T14: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13) = self.0;
                NodeConvBuilder((
                    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, value,
                ))
            }

            /// Sets the [`adjustment_width` field](NodeConv#structfield.adjustment_width) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn adjustment_width_as_default(
                self,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                ::planus::DefaultValue,
            )> {
                self.adjustment_width(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14>
            NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
            )>
        {
            /// Setter for the [`input1_id` field](NodeConv#structfield.input1_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input1_id<T15>(
                self,
                value: T15,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
            )>
            where
                T15: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14) = self.0;
                NodeConvBuilder((
                    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, value,
                ))
            }

            /// Sets the [`input1_id` field](NodeConv#structfield.input1_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input1_id_as_default(
                self,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                ::planus::DefaultValue,
            )> {
                self.input1_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15>
            NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
            )>
        {
            /// Setter for the [`filter_id` field](NodeConv#structfield.filter_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn filter_id<T16>(
                self,
                value: T16,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
            )>
            where
                T16: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15) = self.0;
                NodeConvBuilder((
                    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, value,
                ))
            }

            /// Sets the [`filter_id` field](NodeConv#structfield.filter_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn filter_id_as_default(
                self,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                ::planus::DefaultValue,
            )> {
                self.filter_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16>
            NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
            )>
        {
            /// Setter for the [`bias_id` field](NodeConv#structfield.bias_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn bias_id<T17>(
                self,
                value: T17,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                T17,
            )>
            where
                T17: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16) =
                    self.0;
                NodeConvBuilder((
                    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16,
                    value,
                ))
            }

            /// Sets the [`bias_id` field](NodeConv#structfield.bias_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn bias_id_as_default(
                self,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                ::planus::DefaultValue,
            )> {
                self.bias_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17>
            NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                T17,
            )>
        {
            /// Setter for the [`output_id` field](NodeConv#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T18>(
                self,
                value: T18,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                T17,
                T18,
            )>
            where
                T18: ::planus::WriteAsDefault<u32, u32>,
            {
                let (
                    v0,
                    v1,
                    v2,
                    v3,
                    v4,
                    v5,
                    v6,
                    v7,
                    v8,
                    v9,
                    v10,
                    v11,
                    v12,
                    v13,
                    v14,
                    v15,
                    v16,
                    v17,
                ) = self.0;
                NodeConvBuilder((
                    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17,
                    value,
                ))
            }

            /// Sets the [`output_id` field](NodeConv#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(
                self,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                T17,
                ::planus::DefaultValue,
            )> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18>
            NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                T17,
                T18,
            )>
        {
            /// Setter for the [`flags` field](NodeConv#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T19>(
                self,
                value: T19,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                T17,
                T18,
                T19,
            )>
            where
                T19: ::planus::WriteAsDefault<u32, u32>,
            {
                let (
                    v0,
                    v1,
                    v2,
                    v3,
                    v4,
                    v5,
                    v6,
                    v7,
                    v8,
                    v9,
                    v10,
                    v11,
                    v12,
                    v13,
                    v14,
                    v15,
                    v16,
                    v17,
                    v18,
                ) = self.0;
                NodeConvBuilder((
                    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17,
                    v18, value,
                ))
            }

            /// Sets the [`flags` field](NodeConv#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                T17,
                T18,
                ::planus::DefaultValue,
            )> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<
            T0,
            T1,
            T2,
            T3,
            T4,
            T5,
            T6,
            T7,
            T8,
            T9,
            T10,
            T11,
            T12,
            T13,
            T14,
            T15,
            T16,
            T17,
            T18,
            T19,
        >
            NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                T17,
                T18,
                T19,
            )>
        {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeConv].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeConv>
            where
                Self: ::planus::WriteAsOffset<NodeConv>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
            T8: ::planus::WriteAsDefault<u32, u32>,
            T9: ::planus::WriteAsDefault<u32, u32>,
            T10: ::planus::WriteAsDefault<u32, u32>,
            T11: ::planus::WriteAsDefault<u32, u32>,
            T12: ::planus::WriteAsDefault<u32, u32>,
            T13: ::planus::WriteAsDefault<u32, u32>,
            T14: ::planus::WriteAsDefault<u32, u32>,
            T15: ::planus::WriteAsDefault<u32, u32>,
            T16: ::planus::WriteAsDefault<u32, u32>,
            T17: ::planus::WriteAsDefault<u32, u32>,
            T18: ::planus::WriteAsDefault<u32, u32>,
            T19: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeConv>>
            for NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                T17,
                T18,
                T19,
            )>
        {
            type Prepared = ::planus::Offset<NodeConv>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeConv> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
            T8: ::planus::WriteAsDefault<u32, u32>,
            T9: ::planus::WriteAsDefault<u32, u32>,
            T10: ::planus::WriteAsDefault<u32, u32>,
            T11: ::planus::WriteAsDefault<u32, u32>,
            T12: ::planus::WriteAsDefault<u32, u32>,
            T13: ::planus::WriteAsDefault<u32, u32>,
            T14: ::planus::WriteAsDefault<u32, u32>,
            T15: ::planus::WriteAsDefault<u32, u32>,
            T16: ::planus::WriteAsDefault<u32, u32>,
            T17: ::planus::WriteAsDefault<u32, u32>,
            T18: ::planus::WriteAsDefault<u32, u32>,
            T19: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeConv>>
            for NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                T17,
                T18,
                T19,
            )>
        {
            type Prepared = ::planus::Offset<NodeConv>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeConv>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
            T8: ::planus::WriteAsDefault<u32, u32>,
            T9: ::planus::WriteAsDefault<u32, u32>,
            T10: ::planus::WriteAsDefault<u32, u32>,
            T11: ::planus::WriteAsDefault<u32, u32>,
            T12: ::planus::WriteAsDefault<u32, u32>,
            T13: ::planus::WriteAsDefault<u32, u32>,
            T14: ::planus::WriteAsDefault<u32, u32>,
            T15: ::planus::WriteAsDefault<u32, u32>,
            T16: ::planus::WriteAsDefault<u32, u32>,
            T17: ::planus::WriteAsDefault<u32, u32>,
            T18: ::planus::WriteAsDefault<u32, u32>,
            T19: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeConv>
            for NodeConvBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                T12,
                T13,
                T14,
                T15,
                T16,
                T17,
                T18,
                T19,
            )>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeConv> {
                let (
                    v0,
                    v1,
                    v2,
                    v3,
                    v4,
                    v5,
                    v6,
                    v7,
                    v8,
                    v9,
                    v10,
                    v11,
                    v12,
                    v13,
                    v14,
                    v15,
                    v16,
                    v17,
                    v18,
                    v19,
                ) = &self.0;
                NodeConv::create(
                    builder, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15,
                    v16, v17, v18, v19,
                )
            }
        }

        /// Reference to a deserialized [NodeConv].
        #[derive(Copy, Clone)]
        pub struct NodeConvRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeConvRef<'a> {
            /// Getter for the [`padding_top` field](NodeConv#structfield.padding_top).
            #[inline]
            pub fn padding_top(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(0, "NodeConv", "padding_top")?.unwrap_or(0),
                )
            }

            /// Getter for the [`padding_right` field](NodeConv#structfield.padding_right).
            #[inline]
            pub fn padding_right(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(1, "NodeConv", "padding_right")?.unwrap_or(0),
                )
            }

            /// Getter for the [`padding_bottom` field](NodeConv#structfield.padding_bottom).
            #[inline]
            pub fn padding_bottom(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(2, "NodeConv", "padding_bottom")?.unwrap_or(0),
                )
            }

            /// Getter for the [`padding_left` field](NodeConv#structfield.padding_left).
            #[inline]
            pub fn padding_left(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(3, "NodeConv", "padding_left")?.unwrap_or(0),
                )
            }

            /// Getter for the [`kernel_height` field](NodeConv#structfield.kernel_height).
            #[inline]
            pub fn kernel_height(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(4, "NodeConv", "kernel_height")?.unwrap_or(0),
                )
            }

            /// Getter for the [`kernel_width` field](NodeConv#structfield.kernel_width).
            #[inline]
            pub fn kernel_width(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(5, "NodeConv", "kernel_width")?.unwrap_or(0),
                )
            }

            /// Getter for the [`subsampling_height` field](NodeConv#structfield.subsampling_height).
            #[inline]
            pub fn subsampling_height(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(6, "NodeConv", "subsampling_height")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`subsampling_width` field](NodeConv#structfield.subsampling_width).
            #[inline]
            pub fn subsampling_width(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(7, "NodeConv", "subsampling_width")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`dilation_height` field](NodeConv#structfield.dilation_height).
            #[inline]
            pub fn dilation_height(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(8, "NodeConv", "dilation_height")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`dilation_width` field](NodeConv#structfield.dilation_width).
            #[inline]
            pub fn dilation_width(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(9, "NodeConv", "dilation_width")?.unwrap_or(0),
                )
            }

            /// Getter for the [`group_input_channels` field](NodeConv#structfield.group_input_channels).
            #[inline]
            pub fn group_input_channels(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(10, "NodeConv", "group_input_channels")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`group_output_channels` field](NodeConv#structfield.group_output_channels).
            #[inline]
            pub fn group_output_channels(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(11, "NodeConv", "group_output_channels")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`groups` field](NodeConv#structfield.groups).
            #[inline]
            pub fn groups(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(12, "NodeConv", "groups")?.unwrap_or(0))
            }

            /// Getter for the [`adjustment_height` field](NodeConv#structfield.adjustment_height).
            #[inline]
            pub fn adjustment_height(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(13, "NodeConv", "adjustment_height")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`adjustment_width` field](NodeConv#structfield.adjustment_width).
            #[inline]
            pub fn adjustment_width(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(14, "NodeConv", "adjustment_width")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`input1_id` field](NodeConv#structfield.input1_id).
            #[inline]
            pub fn input1_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(15, "NodeConv", "input1_id")?.unwrap_or(0))
            }

            /// Getter for the [`filter_id` field](NodeConv#structfield.filter_id).
            #[inline]
            pub fn filter_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(16, "NodeConv", "filter_id")?.unwrap_or(0))
            }

            /// Getter for the [`bias_id` field](NodeConv#structfield.bias_id).
            #[inline]
            pub fn bias_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(17, "NodeConv", "bias_id")?.unwrap_or(0))
            }

            /// Getter for the [`output_id` field](NodeConv#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(18, "NodeConv", "output_id")?.unwrap_or(0))
            }

            /// Getter for the [`flags` field](NodeConv#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(19, "NodeConv", "flags")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for NodeConvRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeConvRef");
                f.field("padding_top", &self.padding_top());
                f.field("padding_right", &self.padding_right());
                f.field("padding_bottom", &self.padding_bottom());
                f.field("padding_left", &self.padding_left());
                f.field("kernel_height", &self.kernel_height());
                f.field("kernel_width", &self.kernel_width());
                f.field("subsampling_height", &self.subsampling_height());
                f.field("subsampling_width", &self.subsampling_width());
                f.field("dilation_height", &self.dilation_height());
                f.field("dilation_width", &self.dilation_width());
                f.field("group_input_channels", &self.group_input_channels());
                f.field("group_output_channels", &self.group_output_channels());
                f.field("groups", &self.groups());
                f.field("adjustment_height", &self.adjustment_height());
                f.field("adjustment_width", &self.adjustment_width());
                f.field("input1_id", &self.input1_id());
                f.field("filter_id", &self.filter_id());
                f.field("bias_id", &self.bias_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeConvRef<'a>> for NodeConv {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeConvRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    padding_top: ::core::convert::TryInto::try_into(value.padding_top()?)?,
                    padding_right: ::core::convert::TryInto::try_into(value.padding_right()?)?,
                    padding_bottom: ::core::convert::TryInto::try_into(value.padding_bottom()?)?,
                    padding_left: ::core::convert::TryInto::try_into(value.padding_left()?)?,
                    kernel_height: ::core::convert::TryInto::try_into(value.kernel_height()?)?,
                    kernel_width: ::core::convert::TryInto::try_into(value.kernel_width()?)?,
                    subsampling_height: ::core::convert::TryInto::try_into(
                        value.subsampling_height()?,
                    )?,
                    subsampling_width: ::core::convert::TryInto::try_into(
                        value.subsampling_width()?,
                    )?,
                    dilation_height: ::core::convert::TryInto::try_into(value.dilation_height()?)?,
                    dilation_width: ::core::convert::TryInto::try_into(value.dilation_width()?)?,
                    group_input_channels: ::core::convert::TryInto::try_into(
                        value.group_input_channels()?,
                    )?,
                    group_output_channels: ::core::convert::TryInto::try_into(
                        value.group_output_channels()?,
                    )?,
                    groups: ::core::convert::TryInto::try_into(value.groups()?)?,
                    adjustment_height: ::core::convert::TryInto::try_into(
                        value.adjustment_height()?,
                    )?,
                    adjustment_width: ::core::convert::TryInto::try_into(
                        value.adjustment_width()?,
                    )?,
                    input1_id: ::core::convert::TryInto::try_into(value.input1_id()?)?,
                    filter_id: ::core::convert::TryInto::try_into(value.filter_id()?)?,
                    bias_id: ::core::convert::TryInto::try_into(value.bias_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeConvRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeConvRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location("[NodeConvRef]", "get", buffer.offset_from_start)
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeConv>> for NodeConv {
            type Value = ::planus::Offset<NodeConv>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeConv>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeConvRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeConvRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodePool` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodePool` in the file `schema/payload.fbs:123`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct NodePool {
            /// The field `padding_top` in the table `NodePool`
            pub padding_top: u32,
            /// The field `padding_right` in the table `NodePool`
            pub padding_right: u32,
            /// The field `padding_bottom` in the table `NodePool`
            pub padding_bottom: u32,
            /// The field `padding_left` in the table `NodePool`
            pub padding_left: u32,
            /// The field `pooling_height` in the table `NodePool`
            pub pooling_height: u32,
            /// The field `pooling_width` in the table `NodePool`
            pub pooling_width: u32,
            /// The field `stride_height` in the table `NodePool`
            pub stride_height: u32,
            /// The field `stride_width` in the table `NodePool`
            pub stride_width: u32,
            /// The field `dilation_height` in the table `NodePool`
            pub dilation_height: u32,
            /// The field `dilation_width` in the table `NodePool`
            pub dilation_width: u32,
            /// The field `input_id` in the table `NodePool`
            pub input_id: u32,
            /// The field `output_id` in the table `NodePool`
            pub output_id: u32,
            /// The field `flags` in the table `NodePool`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodePool {
            fn default() -> Self {
                Self {
                    padding_top: 0,
                    padding_right: 0,
                    padding_bottom: 0,
                    padding_left: 0,
                    pooling_height: 0,
                    pooling_width: 0,
                    stride_height: 0,
                    stride_width: 0,
                    dilation_height: 0,
                    dilation_width: 0,
                    input_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodePool {
            /// Creates a [NodePoolBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodePoolBuilder<()> {
                NodePoolBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_padding_top: impl ::planus::WriteAsDefault<u32, u32>,
                field_padding_right: impl ::planus::WriteAsDefault<u32, u32>,
                field_padding_bottom: impl ::planus::WriteAsDefault<u32, u32>,
                field_padding_left: impl ::planus::WriteAsDefault<u32, u32>,
                field_pooling_height: impl ::planus::WriteAsDefault<u32, u32>,
                field_pooling_width: impl ::planus::WriteAsDefault<u32, u32>,
                field_stride_height: impl ::planus::WriteAsDefault<u32, u32>,
                field_stride_width: impl ::planus::WriteAsDefault<u32, u32>,
                field_dilation_height: impl ::planus::WriteAsDefault<u32, u32>,
                field_dilation_width: impl ::planus::WriteAsDefault<u32, u32>,
                field_input_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_padding_top = field_padding_top.prepare(builder, &0);
                let prepared_padding_right = field_padding_right.prepare(builder, &0);
                let prepared_padding_bottom = field_padding_bottom.prepare(builder, &0);
                let prepared_padding_left = field_padding_left.prepare(builder, &0);
                let prepared_pooling_height = field_pooling_height.prepare(builder, &0);
                let prepared_pooling_width = field_pooling_width.prepare(builder, &0);
                let prepared_stride_height = field_stride_height.prepare(builder, &0);
                let prepared_stride_width = field_stride_width.prepare(builder, &0);
                let prepared_dilation_height = field_dilation_height.prepare(builder, &0);
                let prepared_dilation_width = field_dilation_width.prepare(builder, &0);
                let prepared_input_id = field_input_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<30> =
                    ::core::default::Default::default();
                if prepared_padding_top.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_padding_right.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_padding_bottom.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_padding_left.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_pooling_height.is_some() {
                    table_writer.write_entry::<u32>(4);
                }
                if prepared_pooling_width.is_some() {
                    table_writer.write_entry::<u32>(5);
                }
                if prepared_stride_height.is_some() {
                    table_writer.write_entry::<u32>(6);
                }
                if prepared_stride_width.is_some() {
                    table_writer.write_entry::<u32>(7);
                }
                if prepared_dilation_height.is_some() {
                    table_writer.write_entry::<u32>(8);
                }
                if prepared_dilation_width.is_some() {
                    table_writer.write_entry::<u32>(9);
                }
                if prepared_input_id.is_some() {
                    table_writer.write_entry::<u32>(10);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(11);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(12);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_padding_top) =
                            prepared_padding_top
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_top);
                        }
                        if let ::core::option::Option::Some(prepared_padding_right) =
                            prepared_padding_right
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_right);
                        }
                        if let ::core::option::Option::Some(prepared_padding_bottom) =
                            prepared_padding_bottom
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_bottom);
                        }
                        if let ::core::option::Option::Some(prepared_padding_left) =
                            prepared_padding_left
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_left);
                        }
                        if let ::core::option::Option::Some(prepared_pooling_height) =
                            prepared_pooling_height
                        {
                            object_writer.write::<_, _, 4>(&prepared_pooling_height);
                        }
                        if let ::core::option::Option::Some(prepared_pooling_width) =
                            prepared_pooling_width
                        {
                            object_writer.write::<_, _, 4>(&prepared_pooling_width);
                        }
                        if let ::core::option::Option::Some(prepared_stride_height) =
                            prepared_stride_height
                        {
                            object_writer.write::<_, _, 4>(&prepared_stride_height);
                        }
                        if let ::core::option::Option::Some(prepared_stride_width) =
                            prepared_stride_width
                        {
                            object_writer.write::<_, _, 4>(&prepared_stride_width);
                        }
                        if let ::core::option::Option::Some(prepared_dilation_height) =
                            prepared_dilation_height
                        {
                            object_writer.write::<_, _, 4>(&prepared_dilation_height);
                        }
                        if let ::core::option::Option::Some(prepared_dilation_width) =
                            prepared_dilation_width
                        {
                            object_writer.write::<_, _, 4>(&prepared_dilation_width);
                        }
                        if let ::core::option::Option::Some(prepared_input_id) = prepared_input_id {
                            object_writer.write::<_, _, 4>(&prepared_input_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodePool>> for NodePool {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodePool> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodePool>> for NodePool {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodePool>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodePool> for NodePool {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodePool> {
                NodePool::create(
                    builder,
                    self.padding_top,
                    self.padding_right,
                    self.padding_bottom,
                    self.padding_left,
                    self.pooling_height,
                    self.pooling_width,
                    self.stride_height,
                    self.stride_width,
                    self.dilation_height,
                    self.dilation_width,
                    self.input_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodePool] type.
        ///
        /// Can be created using the [NodePool::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodePoolBuilder<State>(State);

        impl NodePoolBuilder<()> {
            /// Setter for the [`padding_top` field](NodePool#structfield.padding_top).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_top<T0>(self, value: T0) -> NodePoolBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                NodePoolBuilder((value,))
            }

            /// Sets the [`padding_top` field](NodePool#structfield.padding_top) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_top_as_default(self) -> NodePoolBuilder<(::planus::DefaultValue,)> {
                self.padding_top(::planus::DefaultValue)
            }
        }

        impl<T0> NodePoolBuilder<(T0,)> {
            /// Setter for the [`padding_right` field](NodePool#structfield.padding_right).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_right<T1>(self, value: T1) -> NodePoolBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                NodePoolBuilder((v0, value))
            }

            /// Sets the [`padding_right` field](NodePool#structfield.padding_right) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_right_as_default(self) -> NodePoolBuilder<(T0, ::planus::DefaultValue)> {
                self.padding_right(::planus::DefaultValue)
            }
        }

        impl<T0, T1> NodePoolBuilder<(T0, T1)> {
            /// Setter for the [`padding_bottom` field](NodePool#structfield.padding_bottom).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_bottom<T2>(self, value: T2) -> NodePoolBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                NodePoolBuilder((v0, v1, value))
            }

            /// Sets the [`padding_bottom` field](NodePool#structfield.padding_bottom) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_bottom_as_default(
                self,
            ) -> NodePoolBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.padding_bottom(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> NodePoolBuilder<(T0, T1, T2)> {
            /// Setter for the [`padding_left` field](NodePool#structfield.padding_left).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_left<T3>(self, value: T3) -> NodePoolBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodePoolBuilder((v0, v1, v2, value))
            }

            /// Sets the [`padding_left` field](NodePool#structfield.padding_left) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_left_as_default(
                self,
            ) -> NodePoolBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.padding_left(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodePoolBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`pooling_height` field](NodePool#structfield.pooling_height).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pooling_height<T4>(self, value: T4) -> NodePoolBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                NodePoolBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`pooling_height` field](NodePool#structfield.pooling_height) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pooling_height_as_default(
                self,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.pooling_height(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> NodePoolBuilder<(T0, T1, T2, T3, T4)> {
            /// Setter for the [`pooling_width` field](NodePool#structfield.pooling_width).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pooling_width<T5>(self, value: T5) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5)>
            where
                T5: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4) = self.0;
                NodePoolBuilder((v0, v1, v2, v3, v4, value))
            }

            /// Sets the [`pooling_width` field](NodePool#structfield.pooling_width) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pooling_width_as_default(
                self,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, ::planus::DefaultValue)> {
                self.pooling_width(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5> NodePoolBuilder<(T0, T1, T2, T3, T4, T5)> {
            /// Setter for the [`stride_height` field](NodePool#structfield.stride_height).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride_height<T6>(
                self,
                value: T6,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6)>
            where
                T6: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5) = self.0;
                NodePoolBuilder((v0, v1, v2, v3, v4, v5, value))
            }

            /// Sets the [`stride_height` field](NodePool#structfield.stride_height) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride_height_as_default(
                self,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, ::planus::DefaultValue)> {
                self.stride_height(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6)> {
            /// Setter for the [`stride_width` field](NodePool#structfield.stride_width).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride_width<T7>(
                self,
                value: T7,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
            where
                T7: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6) = self.0;
                NodePoolBuilder((v0, v1, v2, v3, v4, v5, v6, value))
            }

            /// Sets the [`stride_width` field](NodePool#structfield.stride_width) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn stride_width_as_default(
                self,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, ::planus::DefaultValue)> {
                self.stride_width(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)> {
            /// Setter for the [`dilation_height` field](NodePool#structfield.dilation_height).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dilation_height<T8>(
                self,
                value: T8,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
            where
                T8: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7) = self.0;
                NodePoolBuilder((v0, v1, v2, v3, v4, v5, v6, v7, value))
            }

            /// Sets the [`dilation_height` field](NodePool#structfield.dilation_height) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dilation_height_as_default(
                self,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, ::planus::DefaultValue)>
            {
                self.dilation_height(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)> {
            /// Setter for the [`dilation_width` field](NodePool#structfield.dilation_width).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dilation_width<T9>(
                self,
                value: T9,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9)>
            where
                T9: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8) = self.0;
                NodePoolBuilder((v0, v1, v2, v3, v4, v5, v6, v7, v8, value))
            }

            /// Sets the [`dilation_width` field](NodePool#structfield.dilation_width) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn dilation_width_as_default(
                self,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, ::planus::DefaultValue)>
            {
                self.dilation_width(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9>
            NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9)>
        {
            /// Setter for the [`input_id` field](NodePool#structfield.input_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id<T10>(
                self,
                value: T10,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10)>
            where
                T10: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9) = self.0;
                NodePoolBuilder((v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, value))
            }

            /// Sets the [`input_id` field](NodePool#structfield.input_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id_as_default(
                self,
            ) -> NodePoolBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                ::planus::DefaultValue,
            )> {
                self.input_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10>
            NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10)>
        {
            /// Setter for the [`output_id` field](NodePool#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T11>(
                self,
                value: T11,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11)>
            where
                T11: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10) = self.0;
                NodePoolBuilder((v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, value))
            }

            /// Sets the [`output_id` field](NodePool#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(
                self,
            ) -> NodePoolBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                ::planus::DefaultValue,
            )> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11>
            NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11)>
        {
            /// Setter for the [`flags` field](NodePool#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T12>(
                self,
                value: T12,
            ) -> NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12)>
            where
                T12: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11) = self.0;
                NodePoolBuilder((v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, value))
            }

            /// Sets the [`flags` field](NodePool#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodePoolBuilder<(
                T0,
                T1,
                T2,
                T3,
                T4,
                T5,
                T6,
                T7,
                T8,
                T9,
                T10,
                T11,
                ::planus::DefaultValue,
            )> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12>
            NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12)>
        {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodePool].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodePool>
            where
                Self: ::planus::WriteAsOffset<NodePool>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
            T8: ::planus::WriteAsDefault<u32, u32>,
            T9: ::planus::WriteAsDefault<u32, u32>,
            T10: ::planus::WriteAsDefault<u32, u32>,
            T11: ::planus::WriteAsDefault<u32, u32>,
            T12: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodePool>>
            for NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12)>
        {
            type Prepared = ::planus::Offset<NodePool>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodePool> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
            T8: ::planus::WriteAsDefault<u32, u32>,
            T9: ::planus::WriteAsDefault<u32, u32>,
            T10: ::planus::WriteAsDefault<u32, u32>,
            T11: ::planus::WriteAsDefault<u32, u32>,
            T12: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodePool>>
            for NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12)>
        {
            type Prepared = ::planus::Offset<NodePool>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodePool>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
            T8: ::planus::WriteAsDefault<u32, u32>,
            T9: ::planus::WriteAsDefault<u32, u32>,
            T10: ::planus::WriteAsDefault<u32, u32>,
            T11: ::planus::WriteAsDefault<u32, u32>,
            T12: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodePool>
            for NodePoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodePool> {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12) = &self.0;
                NodePool::create(
                    builder, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12,
                )
            }
        }

        /// Reference to a deserialized [NodePool].
        #[derive(Copy, Clone)]
        pub struct NodePoolRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodePoolRef<'a> {
            /// Getter for the [`padding_top` field](NodePool#structfield.padding_top).
            #[inline]
            pub fn padding_top(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(0, "NodePool", "padding_top")?.unwrap_or(0),
                )
            }

            /// Getter for the [`padding_right` field](NodePool#structfield.padding_right).
            #[inline]
            pub fn padding_right(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(1, "NodePool", "padding_right")?.unwrap_or(0),
                )
            }

            /// Getter for the [`padding_bottom` field](NodePool#structfield.padding_bottom).
            #[inline]
            pub fn padding_bottom(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(2, "NodePool", "padding_bottom")?.unwrap_or(0),
                )
            }

            /// Getter for the [`padding_left` field](NodePool#structfield.padding_left).
            #[inline]
            pub fn padding_left(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(3, "NodePool", "padding_left")?.unwrap_or(0),
                )
            }

            /// Getter for the [`pooling_height` field](NodePool#structfield.pooling_height).
            #[inline]
            pub fn pooling_height(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(4, "NodePool", "pooling_height")?.unwrap_or(0),
                )
            }

            /// Getter for the [`pooling_width` field](NodePool#structfield.pooling_width).
            #[inline]
            pub fn pooling_width(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(5, "NodePool", "pooling_width")?.unwrap_or(0),
                )
            }

            /// Getter for the [`stride_height` field](NodePool#structfield.stride_height).
            #[inline]
            pub fn stride_height(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(6, "NodePool", "stride_height")?.unwrap_or(0),
                )
            }

            /// Getter for the [`stride_width` field](NodePool#structfield.stride_width).
            #[inline]
            pub fn stride_width(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(7, "NodePool", "stride_width")?.unwrap_or(0),
                )
            }

            /// Getter for the [`dilation_height` field](NodePool#structfield.dilation_height).
            #[inline]
            pub fn dilation_height(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(8, "NodePool", "dilation_height")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`dilation_width` field](NodePool#structfield.dilation_width).
            #[inline]
            pub fn dilation_width(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(9, "NodePool", "dilation_width")?.unwrap_or(0),
                )
            }

            /// Getter for the [`input_id` field](NodePool#structfield.input_id).
            #[inline]
            pub fn input_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(10, "NodePool", "input_id")?.unwrap_or(0))
            }

            /// Getter for the [`output_id` field](NodePool#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(11, "NodePool", "output_id")?.unwrap_or(0))
            }

            /// Getter for the [`flags` field](NodePool#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(12, "NodePool", "flags")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for NodePoolRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodePoolRef");
                f.field("padding_top", &self.padding_top());
                f.field("padding_right", &self.padding_right());
                f.field("padding_bottom", &self.padding_bottom());
                f.field("padding_left", &self.padding_left());
                f.field("pooling_height", &self.pooling_height());
                f.field("pooling_width", &self.pooling_width());
                f.field("stride_height", &self.stride_height());
                f.field("stride_width", &self.stride_width());
                f.field("dilation_height", &self.dilation_height());
                f.field("dilation_width", &self.dilation_width());
                f.field("input_id", &self.input_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodePoolRef<'a>> for NodePool {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodePoolRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    padding_top: ::core::convert::TryInto::try_into(value.padding_top()?)?,
                    padding_right: ::core::convert::TryInto::try_into(value.padding_right()?)?,
                    padding_bottom: ::core::convert::TryInto::try_into(value.padding_bottom()?)?,
                    padding_left: ::core::convert::TryInto::try_into(value.padding_left()?)?,
                    pooling_height: ::core::convert::TryInto::try_into(value.pooling_height()?)?,
                    pooling_width: ::core::convert::TryInto::try_into(value.pooling_width()?)?,
                    stride_height: ::core::convert::TryInto::try_into(value.stride_height()?)?,
                    stride_width: ::core::convert::TryInto::try_into(value.stride_width()?)?,
                    dilation_height: ::core::convert::TryInto::try_into(value.dilation_height()?)?,
                    dilation_width: ::core::convert::TryInto::try_into(value.dilation_width()?)?,
                    input_id: ::core::convert::TryInto::try_into(value.input_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodePoolRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodePoolRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location("[NodePoolRef]", "get", buffer.offset_from_start)
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodePool>> for NodePool {
            type Value = ::planus::Offset<NodePool>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodePool>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodePoolRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodePoolRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeArgMaxPool` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeArgMaxPool` in the file `schema/payload.fbs:139`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct NodeArgMaxPool {
            /// The field `padding_top` in the table `NodeArgMaxPool`
            pub padding_top: u32,
            /// The field `padding_right` in the table `NodeArgMaxPool`
            pub padding_right: u32,
            /// The field `padding_bottom` in the table `NodeArgMaxPool`
            pub padding_bottom: u32,
            /// The field `padding_left` in the table `NodeArgMaxPool`
            pub padding_left: u32,
            /// The field `pooling_height` in the table `NodeArgMaxPool`
            pub pooling_height: u32,
            /// The field `pooling_width` in the table `NodeArgMaxPool`
            pub pooling_width: u32,
            /// The field `input_id` in the table `NodeArgMaxPool`
            pub input_id: u32,
            /// The field `output_value_id` in the table `NodeArgMaxPool`
            pub output_value_id: u32,
            /// The field `output_index_id` in the table `NodeArgMaxPool`
            pub output_index_id: u32,
            /// The field `flags` in the table `NodeArgMaxPool`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeArgMaxPool {
            fn default() -> Self {
                Self {
                    padding_top: 0,
                    padding_right: 0,
                    padding_bottom: 0,
                    padding_left: 0,
                    pooling_height: 0,
                    pooling_width: 0,
                    input_id: 0,
                    output_value_id: 0,
                    output_index_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodeArgMaxPool {
            /// Creates a [NodeArgMaxPoolBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeArgMaxPoolBuilder<()> {
                NodeArgMaxPoolBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_padding_top: impl ::planus::WriteAsDefault<u32, u32>,
                field_padding_right: impl ::planus::WriteAsDefault<u32, u32>,
                field_padding_bottom: impl ::planus::WriteAsDefault<u32, u32>,
                field_padding_left: impl ::planus::WriteAsDefault<u32, u32>,
                field_pooling_height: impl ::planus::WriteAsDefault<u32, u32>,
                field_pooling_width: impl ::planus::WriteAsDefault<u32, u32>,
                field_input_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_value_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_index_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_padding_top = field_padding_top.prepare(builder, &0);
                let prepared_padding_right = field_padding_right.prepare(builder, &0);
                let prepared_padding_bottom = field_padding_bottom.prepare(builder, &0);
                let prepared_padding_left = field_padding_left.prepare(builder, &0);
                let prepared_pooling_height = field_pooling_height.prepare(builder, &0);
                let prepared_pooling_width = field_pooling_width.prepare(builder, &0);
                let prepared_input_id = field_input_id.prepare(builder, &0);
                let prepared_output_value_id = field_output_value_id.prepare(builder, &0);
                let prepared_output_index_id = field_output_index_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<24> =
                    ::core::default::Default::default();
                if prepared_padding_top.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_padding_right.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_padding_bottom.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_padding_left.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_pooling_height.is_some() {
                    table_writer.write_entry::<u32>(4);
                }
                if prepared_pooling_width.is_some() {
                    table_writer.write_entry::<u32>(5);
                }
                if prepared_input_id.is_some() {
                    table_writer.write_entry::<u32>(6);
                }
                if prepared_output_value_id.is_some() {
                    table_writer.write_entry::<u32>(7);
                }
                if prepared_output_index_id.is_some() {
                    table_writer.write_entry::<u32>(8);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(9);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_padding_top) =
                            prepared_padding_top
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_top);
                        }
                        if let ::core::option::Option::Some(prepared_padding_right) =
                            prepared_padding_right
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_right);
                        }
                        if let ::core::option::Option::Some(prepared_padding_bottom) =
                            prepared_padding_bottom
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_bottom);
                        }
                        if let ::core::option::Option::Some(prepared_padding_left) =
                            prepared_padding_left
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_left);
                        }
                        if let ::core::option::Option::Some(prepared_pooling_height) =
                            prepared_pooling_height
                        {
                            object_writer.write::<_, _, 4>(&prepared_pooling_height);
                        }
                        if let ::core::option::Option::Some(prepared_pooling_width) =
                            prepared_pooling_width
                        {
                            object_writer.write::<_, _, 4>(&prepared_pooling_width);
                        }
                        if let ::core::option::Option::Some(prepared_input_id) = prepared_input_id {
                            object_writer.write::<_, _, 4>(&prepared_input_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_value_id) =
                            prepared_output_value_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_value_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_index_id) =
                            prepared_output_index_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_index_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeArgMaxPool>> for NodeArgMaxPool {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeArgMaxPool> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeArgMaxPool>> for NodeArgMaxPool {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeArgMaxPool>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeArgMaxPool> for NodeArgMaxPool {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeArgMaxPool> {
                NodeArgMaxPool::create(
                    builder,
                    self.padding_top,
                    self.padding_right,
                    self.padding_bottom,
                    self.padding_left,
                    self.pooling_height,
                    self.pooling_width,
                    self.input_id,
                    self.output_value_id,
                    self.output_index_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeArgMaxPool] type.
        ///
        /// Can be created using the [NodeArgMaxPool::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeArgMaxPoolBuilder<State>(State);

        impl NodeArgMaxPoolBuilder<()> {
            /// Setter for the [`padding_top` field](NodeArgMaxPool#structfield.padding_top).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_top<T0>(self, value: T0) -> NodeArgMaxPoolBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                NodeArgMaxPoolBuilder((value,))
            }

            /// Sets the [`padding_top` field](NodeArgMaxPool#structfield.padding_top) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_top_as_default(
                self,
            ) -> NodeArgMaxPoolBuilder<(::planus::DefaultValue,)> {
                self.padding_top(::planus::DefaultValue)
            }
        }

        impl<T0> NodeArgMaxPoolBuilder<(T0,)> {
            /// Setter for the [`padding_right` field](NodeArgMaxPool#structfield.padding_right).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_right<T1>(self, value: T1) -> NodeArgMaxPoolBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                NodeArgMaxPoolBuilder((v0, value))
            }

            /// Sets the [`padding_right` field](NodeArgMaxPool#structfield.padding_right) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_right_as_default(
                self,
            ) -> NodeArgMaxPoolBuilder<(T0, ::planus::DefaultValue)> {
                self.padding_right(::planus::DefaultValue)
            }
        }

        impl<T0, T1> NodeArgMaxPoolBuilder<(T0, T1)> {
            /// Setter for the [`padding_bottom` field](NodeArgMaxPool#structfield.padding_bottom).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_bottom<T2>(self, value: T2) -> NodeArgMaxPoolBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                NodeArgMaxPoolBuilder((v0, v1, value))
            }

            /// Sets the [`padding_bottom` field](NodeArgMaxPool#structfield.padding_bottom) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_bottom_as_default(
                self,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.padding_bottom(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> NodeArgMaxPoolBuilder<(T0, T1, T2)> {
            /// Setter for the [`padding_left` field](NodeArgMaxPool#structfield.padding_left).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_left<T3>(self, value: T3) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeArgMaxPoolBuilder((v0, v1, v2, value))
            }

            /// Sets the [`padding_left` field](NodeArgMaxPool#structfield.padding_left) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_left_as_default(
                self,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.padding_left(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeArgMaxPoolBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`pooling_height` field](NodeArgMaxPool#structfield.pooling_height).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pooling_height<T4>(
                self,
                value: T4,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                NodeArgMaxPoolBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`pooling_height` field](NodeArgMaxPool#structfield.pooling_height) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pooling_height_as_default(
                self,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.pooling_height(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4)> {
            /// Setter for the [`pooling_width` field](NodeArgMaxPool#structfield.pooling_width).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pooling_width<T5>(
                self,
                value: T5,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5)>
            where
                T5: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4) = self.0;
                NodeArgMaxPoolBuilder((v0, v1, v2, v3, v4, value))
            }

            /// Sets the [`pooling_width` field](NodeArgMaxPool#structfield.pooling_width) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pooling_width_as_default(
                self,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, ::planus::DefaultValue)> {
                self.pooling_width(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5)> {
            /// Setter for the [`input_id` field](NodeArgMaxPool#structfield.input_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id<T6>(
                self,
                value: T6,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6)>
            where
                T6: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5) = self.0;
                NodeArgMaxPoolBuilder((v0, v1, v2, v3, v4, v5, value))
            }

            /// Sets the [`input_id` field](NodeArgMaxPool#structfield.input_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id_as_default(
                self,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, ::planus::DefaultValue)>
            {
                self.input_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6)> {
            /// Setter for the [`output_value_id` field](NodeArgMaxPool#structfield.output_value_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_value_id<T7>(
                self,
                value: T7,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
            where
                T7: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6) = self.0;
                NodeArgMaxPoolBuilder((v0, v1, v2, v3, v4, v5, v6, value))
            }

            /// Sets the [`output_value_id` field](NodeArgMaxPool#structfield.output_value_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_value_id_as_default(
                self,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, ::planus::DefaultValue)>
            {
                self.output_value_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)> {
            /// Setter for the [`output_index_id` field](NodeArgMaxPool#structfield.output_index_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_index_id<T8>(
                self,
                value: T8,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
            where
                T8: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7) = self.0;
                NodeArgMaxPoolBuilder((v0, v1, v2, v3, v4, v5, v6, v7, value))
            }

            /// Sets the [`output_index_id` field](NodeArgMaxPool#structfield.output_index_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_index_id_as_default(
                self,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, ::planus::DefaultValue)>
            {
                self.output_index_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8>
            NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
        {
            /// Setter for the [`flags` field](NodeArgMaxPool#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T9>(
                self,
                value: T9,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9)>
            where
                T9: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8) = self.0;
                NodeArgMaxPoolBuilder((v0, v1, v2, v3, v4, v5, v6, v7, v8, value))
            }

            /// Sets the [`flags` field](NodeArgMaxPool#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, ::planus::DefaultValue)>
            {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9>
            NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9)>
        {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeArgMaxPool].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeArgMaxPool>
            where
                Self: ::planus::WriteAsOffset<NodeArgMaxPool>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
            T8: ::planus::WriteAsDefault<u32, u32>,
            T9: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeArgMaxPool>>
            for NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9)>
        {
            type Prepared = ::planus::Offset<NodeArgMaxPool>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeArgMaxPool> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
            T8: ::planus::WriteAsDefault<u32, u32>,
            T9: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeArgMaxPool>>
            for NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9)>
        {
            type Prepared = ::planus::Offset<NodeArgMaxPool>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeArgMaxPool>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
            T7: ::planus::WriteAsDefault<u32, u32>,
            T8: ::planus::WriteAsDefault<u32, u32>,
            T9: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeArgMaxPool>
            for NodeArgMaxPoolBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeArgMaxPool> {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9) = &self.0;
                NodeArgMaxPool::create(builder, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9)
            }
        }

        /// Reference to a deserialized [NodeArgMaxPool].
        #[derive(Copy, Clone)]
        pub struct NodeArgMaxPoolRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeArgMaxPoolRef<'a> {
            /// Getter for the [`padding_top` field](NodeArgMaxPool#structfield.padding_top).
            #[inline]
            pub fn padding_top(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "NodeArgMaxPool", "padding_top")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`padding_right` field](NodeArgMaxPool#structfield.padding_right).
            #[inline]
            pub fn padding_right(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(1, "NodeArgMaxPool", "padding_right")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`padding_bottom` field](NodeArgMaxPool#structfield.padding_bottom).
            #[inline]
            pub fn padding_bottom(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(2, "NodeArgMaxPool", "padding_bottom")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`padding_left` field](NodeArgMaxPool#structfield.padding_left).
            #[inline]
            pub fn padding_left(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(3, "NodeArgMaxPool", "padding_left")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`pooling_height` field](NodeArgMaxPool#structfield.pooling_height).
            #[inline]
            pub fn pooling_height(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(4, "NodeArgMaxPool", "pooling_height")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`pooling_width` field](NodeArgMaxPool#structfield.pooling_width).
            #[inline]
            pub fn pooling_width(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(5, "NodeArgMaxPool", "pooling_width")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`input_id` field](NodeArgMaxPool#structfield.input_id).
            #[inline]
            pub fn input_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(6, "NodeArgMaxPool", "input_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`output_value_id` field](NodeArgMaxPool#structfield.output_value_id).
            #[inline]
            pub fn output_value_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(7, "NodeArgMaxPool", "output_value_id")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`output_index_id` field](NodeArgMaxPool#structfield.output_index_id).
            #[inline]
            pub fn output_index_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(8, "NodeArgMaxPool", "output_index_id")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`flags` field](NodeArgMaxPool#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(9, "NodeArgMaxPool", "flags")?.unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for NodeArgMaxPoolRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeArgMaxPoolRef");
                f.field("padding_top", &self.padding_top());
                f.field("padding_right", &self.padding_right());
                f.field("padding_bottom", &self.padding_bottom());
                f.field("padding_left", &self.padding_left());
                f.field("pooling_height", &self.pooling_height());
                f.field("pooling_width", &self.pooling_width());
                f.field("input_id", &self.input_id());
                f.field("output_value_id", &self.output_value_id());
                f.field("output_index_id", &self.output_index_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeArgMaxPoolRef<'a>> for NodeArgMaxPool {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeArgMaxPoolRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    padding_top: ::core::convert::TryInto::try_into(value.padding_top()?)?,
                    padding_right: ::core::convert::TryInto::try_into(value.padding_right()?)?,
                    padding_bottom: ::core::convert::TryInto::try_into(value.padding_bottom()?)?,
                    padding_left: ::core::convert::TryInto::try_into(value.padding_left()?)?,
                    pooling_height: ::core::convert::TryInto::try_into(value.pooling_height()?)?,
                    pooling_width: ::core::convert::TryInto::try_into(value.pooling_width()?)?,
                    input_id: ::core::convert::TryInto::try_into(value.input_id()?)?,
                    output_value_id: ::core::convert::TryInto::try_into(value.output_value_id()?)?,
                    output_index_id: ::core::convert::TryInto::try_into(value.output_index_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeArgMaxPoolRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeArgMaxPoolRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[NodeArgMaxPoolRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeArgMaxPool>> for NodeArgMaxPool {
            type Value = ::planus::Offset<NodeArgMaxPool>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeArgMaxPool>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeArgMaxPoolRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeArgMaxPoolRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeFullyConnected` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeFullyConnected` in the file `schema/payload.fbs:152`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct NodeFullyConnected {
            /// The field `input1_id` in the table `NodeFullyConnected`
            pub input1_id: u32,
            /// The field `filter_id` in the table `NodeFullyConnected`
            pub filter_id: u32,
            /// The field `bias_id` in the table `NodeFullyConnected`
            pub bias_id: u32,
            /// The field `output_id` in the table `NodeFullyConnected`
            pub output_id: u32,
            /// The field `flags` in the table `NodeFullyConnected`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeFullyConnected {
            fn default() -> Self {
                Self {
                    input1_id: 0,
                    filter_id: 0,
                    bias_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodeFullyConnected {
            /// Creates a [NodeFullyConnectedBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeFullyConnectedBuilder<()> {
                NodeFullyConnectedBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_input1_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_filter_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_bias_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_input1_id = field_input1_id.prepare(builder, &0);
                let prepared_filter_id = field_filter_id.prepare(builder, &0);
                let prepared_bias_id = field_bias_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<14> =
                    ::core::default::Default::default();
                if prepared_input1_id.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_filter_id.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_bias_id.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(4);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_input1_id) = prepared_input1_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_input1_id);
                        }
                        if let ::core::option::Option::Some(prepared_filter_id) = prepared_filter_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_filter_id);
                        }
                        if let ::core::option::Option::Some(prepared_bias_id) = prepared_bias_id {
                            object_writer.write::<_, _, 4>(&prepared_bias_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeFullyConnected>> for NodeFullyConnected {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeFullyConnected> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeFullyConnected>> for NodeFullyConnected {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeFullyConnected>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeFullyConnected> for NodeFullyConnected {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeFullyConnected> {
                NodeFullyConnected::create(
                    builder,
                    self.input1_id,
                    self.filter_id,
                    self.bias_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeFullyConnected] type.
        ///
        /// Can be created using the [NodeFullyConnected::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeFullyConnectedBuilder<State>(State);

        impl NodeFullyConnectedBuilder<()> {
            /// Setter for the [`input1_id` field](NodeFullyConnected#structfield.input1_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input1_id<T0>(self, value: T0) -> NodeFullyConnectedBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                NodeFullyConnectedBuilder((value,))
            }

            /// Sets the [`input1_id` field](NodeFullyConnected#structfield.input1_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input1_id_as_default(
                self,
            ) -> NodeFullyConnectedBuilder<(::planus::DefaultValue,)> {
                self.input1_id(::planus::DefaultValue)
            }
        }

        impl<T0> NodeFullyConnectedBuilder<(T0,)> {
            /// Setter for the [`filter_id` field](NodeFullyConnected#structfield.filter_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn filter_id<T1>(self, value: T1) -> NodeFullyConnectedBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                NodeFullyConnectedBuilder((v0, value))
            }

            /// Sets the [`filter_id` field](NodeFullyConnected#structfield.filter_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn filter_id_as_default(
                self,
            ) -> NodeFullyConnectedBuilder<(T0, ::planus::DefaultValue)> {
                self.filter_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1> NodeFullyConnectedBuilder<(T0, T1)> {
            /// Setter for the [`bias_id` field](NodeFullyConnected#structfield.bias_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn bias_id<T2>(self, value: T2) -> NodeFullyConnectedBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                NodeFullyConnectedBuilder((v0, v1, value))
            }

            /// Sets the [`bias_id` field](NodeFullyConnected#structfield.bias_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn bias_id_as_default(
                self,
            ) -> NodeFullyConnectedBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.bias_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> NodeFullyConnectedBuilder<(T0, T1, T2)> {
            /// Setter for the [`output_id` field](NodeFullyConnected#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T3>(self, value: T3) -> NodeFullyConnectedBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeFullyConnectedBuilder((v0, v1, v2, value))
            }

            /// Sets the [`output_id` field](NodeFullyConnected#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(
                self,
            ) -> NodeFullyConnectedBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeFullyConnectedBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`flags` field](NodeFullyConnected#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T4>(self, value: T4) -> NodeFullyConnectedBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                NodeFullyConnectedBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`flags` field](NodeFullyConnected#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodeFullyConnectedBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> NodeFullyConnectedBuilder<(T0, T1, T2, T3, T4)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeFullyConnected].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeFullyConnected>
            where
                Self: ::planus::WriteAsOffset<NodeFullyConnected>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeFullyConnected>>
            for NodeFullyConnectedBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<NodeFullyConnected>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeFullyConnected> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeFullyConnected>>
            for NodeFullyConnectedBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<NodeFullyConnected>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeFullyConnected>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeFullyConnected>
            for NodeFullyConnectedBuilder<(T0, T1, T2, T3, T4)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeFullyConnected> {
                let (v0, v1, v2, v3, v4) = &self.0;
                NodeFullyConnected::create(builder, v0, v1, v2, v3, v4)
            }
        }

        /// Reference to a deserialized [NodeFullyConnected].
        #[derive(Copy, Clone)]
        pub struct NodeFullyConnectedRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeFullyConnectedRef<'a> {
            /// Getter for the [`input1_id` field](NodeFullyConnected#structfield.input1_id).
            #[inline]
            pub fn input1_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "NodeFullyConnected", "input1_id")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`filter_id` field](NodeFullyConnected#structfield.filter_id).
            #[inline]
            pub fn filter_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(1, "NodeFullyConnected", "filter_id")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`bias_id` field](NodeFullyConnected#structfield.bias_id).
            #[inline]
            pub fn bias_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(2, "NodeFullyConnected", "bias_id")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`output_id` field](NodeFullyConnected#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(3, "NodeFullyConnected", "output_id")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`flags` field](NodeFullyConnected#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(4, "NodeFullyConnected", "flags")?
                        .unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for NodeFullyConnectedRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeFullyConnectedRef");
                f.field("input1_id", &self.input1_id());
                f.field("filter_id", &self.filter_id());
                f.field("bias_id", &self.bias_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeFullyConnectedRef<'a>> for NodeFullyConnected {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeFullyConnectedRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    input1_id: ::core::convert::TryInto::try_into(value.input1_id()?)?,
                    filter_id: ::core::convert::TryInto::try_into(value.filter_id()?)?,
                    bias_id: ::core::convert::TryInto::try_into(value.bias_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeFullyConnectedRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeFullyConnectedRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[NodeFullyConnectedRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeFullyConnected>> for NodeFullyConnected {
            type Value = ::planus::Offset<NodeFullyConnected>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeFullyConnected>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeFullyConnectedRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeFullyConnectedRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeElu` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeElu` in the file `schema/payload.fbs:160`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub struct NodeElu {
            /// The field `alpha` in the table `NodeElu`
            pub alpha: ::core::option::Option<f32>,
            /// The field `input_id` in the table `NodeElu`
            pub input_id: u32,
            /// The field `output_id` in the table `NodeElu`
            pub output_id: u32,
            /// The field `flags` in the table `NodeElu`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeElu {
            fn default() -> Self {
                Self {
                    alpha: ::core::default::Default::default(),
                    input_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodeElu {
            /// Creates a [NodeEluBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeEluBuilder<()> {
                NodeEluBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_alpha: impl ::planus::WriteAsOptional<f32>,
                field_input_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_alpha = field_alpha.prepare(builder);
                let prepared_input_id = field_input_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<12> =
                    ::core::default::Default::default();
                if prepared_alpha.is_some() {
                    table_writer.write_entry::<f32>(0);
                }
                if prepared_input_id.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(3);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_alpha) = prepared_alpha {
                            object_writer.write::<_, _, 4>(&prepared_alpha);
                        }
                        if let ::core::option::Option::Some(prepared_input_id) = prepared_input_id {
                            object_writer.write::<_, _, 4>(&prepared_input_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeElu>> for NodeElu {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeElu> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeElu>> for NodeElu {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeElu>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeElu> for NodeElu {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeElu> {
                NodeElu::create(
                    builder,
                    self.alpha,
                    self.input_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeElu] type.
        ///
        /// Can be created using the [NodeElu::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeEluBuilder<State>(State);

        impl NodeEluBuilder<()> {
            /// Setter for the [`alpha` field](NodeElu#structfield.alpha).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn alpha<T0>(self, value: T0) -> NodeEluBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<f32>,
            {
                NodeEluBuilder((value,))
            }

            /// Sets the [`alpha` field](NodeElu#structfield.alpha) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn alpha_as_null(self) -> NodeEluBuilder<((),)> {
                self.alpha(())
            }
        }

        impl<T0> NodeEluBuilder<(T0,)> {
            /// Setter for the [`input_id` field](NodeElu#structfield.input_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id<T1>(self, value: T1) -> NodeEluBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                NodeEluBuilder((v0, value))
            }

            /// Sets the [`input_id` field](NodeElu#structfield.input_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id_as_default(self) -> NodeEluBuilder<(T0, ::planus::DefaultValue)> {
                self.input_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1> NodeEluBuilder<(T0, T1)> {
            /// Setter for the [`output_id` field](NodeElu#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T2>(self, value: T2) -> NodeEluBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                NodeEluBuilder((v0, v1, value))
            }

            /// Sets the [`output_id` field](NodeElu#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(self) -> NodeEluBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> NodeEluBuilder<(T0, T1, T2)> {
            /// Setter for the [`flags` field](NodeElu#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T3>(self, value: T3) -> NodeEluBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeEluBuilder((v0, v1, v2, value))
            }

            /// Sets the [`flags` field](NodeElu#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(self) -> NodeEluBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeEluBuilder<(T0, T1, T2, T3)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeElu].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeElu>
            where
                Self: ::planus::WriteAsOffset<NodeElu>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<f32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeElu>> for NodeEluBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<NodeElu>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeElu> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<f32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeElu>>
            for NodeEluBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<NodeElu>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeElu>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<f32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeElu> for NodeEluBuilder<(T0, T1, T2, T3)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeElu> {
                let (v0, v1, v2, v3) = &self.0;
                NodeElu::create(builder, v0, v1, v2, v3)
            }
        }

        /// Reference to a deserialized [NodeElu].
        #[derive(Copy, Clone)]
        pub struct NodeEluRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeEluRef<'a> {
            /// Getter for the [`alpha` field](NodeElu#structfield.alpha).
            #[inline]
            pub fn alpha(&self) -> ::planus::Result<::core::option::Option<f32>> {
                self.0.access(0, "NodeElu", "alpha")
            }

            /// Getter for the [`input_id` field](NodeElu#structfield.input_id).
            #[inline]
            pub fn input_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(1, "NodeElu", "input_id")?.unwrap_or(0))
            }

            /// Getter for the [`output_id` field](NodeElu#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(2, "NodeElu", "output_id")?.unwrap_or(0))
            }

            /// Getter for the [`flags` field](NodeElu#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(3, "NodeElu", "flags")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for NodeEluRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeEluRef");
                if let ::core::option::Option::Some(field_alpha) = self.alpha().transpose() {
                    f.field("alpha", &field_alpha);
                }
                f.field("input_id", &self.input_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeEluRef<'a>> for NodeElu {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeEluRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    alpha: if let ::core::option::Option::Some(alpha) = value.alpha()? {
                        ::core::option::Option::Some(::core::convert::TryInto::try_into(alpha)?)
                    } else {
                        ::core::option::Option::None
                    },
                    input_id: ::core::convert::TryInto::try_into(value.input_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeEluRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeEluRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location("[NodeEluRef]", "get", buffer.offset_from_start)
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeElu>> for NodeElu {
            type Value = ::planus::Offset<NodeElu>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeElu>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeEluRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeEluRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeLeakyRelu` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeLeakyRelu` in the file `schema/payload.fbs:167`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub struct NodeLeakyRelu {
            /// The field `negative_slope` in the table `NodeLeakyRelu`
            pub negative_slope: ::core::option::Option<f32>,
            /// The field `input_id` in the table `NodeLeakyRelu`
            pub input_id: u32,
            /// The field `output_id` in the table `NodeLeakyRelu`
            pub output_id: u32,
            /// The field `flags` in the table `NodeLeakyRelu`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeLeakyRelu {
            fn default() -> Self {
                Self {
                    negative_slope: ::core::default::Default::default(),
                    input_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodeLeakyRelu {
            /// Creates a [NodeLeakyReluBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeLeakyReluBuilder<()> {
                NodeLeakyReluBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_negative_slope: impl ::planus::WriteAsOptional<f32>,
                field_input_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_negative_slope = field_negative_slope.prepare(builder);
                let prepared_input_id = field_input_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<12> =
                    ::core::default::Default::default();
                if prepared_negative_slope.is_some() {
                    table_writer.write_entry::<f32>(0);
                }
                if prepared_input_id.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(3);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_negative_slope) =
                            prepared_negative_slope
                        {
                            object_writer.write::<_, _, 4>(&prepared_negative_slope);
                        }
                        if let ::core::option::Option::Some(prepared_input_id) = prepared_input_id {
                            object_writer.write::<_, _, 4>(&prepared_input_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeLeakyRelu>> for NodeLeakyRelu {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeLeakyRelu> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeLeakyRelu>> for NodeLeakyRelu {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeLeakyRelu>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeLeakyRelu> for NodeLeakyRelu {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeLeakyRelu> {
                NodeLeakyRelu::create(
                    builder,
                    self.negative_slope,
                    self.input_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeLeakyRelu] type.
        ///
        /// Can be created using the [NodeLeakyRelu::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeLeakyReluBuilder<State>(State);

        impl NodeLeakyReluBuilder<()> {
            /// Setter for the [`negative_slope` field](NodeLeakyRelu#structfield.negative_slope).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn negative_slope<T0>(self, value: T0) -> NodeLeakyReluBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<f32>,
            {
                NodeLeakyReluBuilder((value,))
            }

            /// Sets the [`negative_slope` field](NodeLeakyRelu#structfield.negative_slope) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn negative_slope_as_null(self) -> NodeLeakyReluBuilder<((),)> {
                self.negative_slope(())
            }
        }

        impl<T0> NodeLeakyReluBuilder<(T0,)> {
            /// Setter for the [`input_id` field](NodeLeakyRelu#structfield.input_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id<T1>(self, value: T1) -> NodeLeakyReluBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                NodeLeakyReluBuilder((v0, value))
            }

            /// Sets the [`input_id` field](NodeLeakyRelu#structfield.input_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id_as_default(self) -> NodeLeakyReluBuilder<(T0, ::planus::DefaultValue)> {
                self.input_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1> NodeLeakyReluBuilder<(T0, T1)> {
            /// Setter for the [`output_id` field](NodeLeakyRelu#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T2>(self, value: T2) -> NodeLeakyReluBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                NodeLeakyReluBuilder((v0, v1, value))
            }

            /// Sets the [`output_id` field](NodeLeakyRelu#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(
                self,
            ) -> NodeLeakyReluBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> NodeLeakyReluBuilder<(T0, T1, T2)> {
            /// Setter for the [`flags` field](NodeLeakyRelu#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T3>(self, value: T3) -> NodeLeakyReluBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeLeakyReluBuilder((v0, v1, v2, value))
            }

            /// Sets the [`flags` field](NodeLeakyRelu#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodeLeakyReluBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeLeakyReluBuilder<(T0, T1, T2, T3)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeLeakyRelu].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeLeakyRelu>
            where
                Self: ::planus::WriteAsOffset<NodeLeakyRelu>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<f32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeLeakyRelu>>
            for NodeLeakyReluBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<NodeLeakyRelu>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeLeakyRelu> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<f32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeLeakyRelu>>
            for NodeLeakyReluBuilder<(T0, T1, T2, T3)>
        {
            type Prepared = ::planus::Offset<NodeLeakyRelu>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeLeakyRelu>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<f32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeLeakyRelu> for NodeLeakyReluBuilder<(T0, T1, T2, T3)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeLeakyRelu> {
                let (v0, v1, v2, v3) = &self.0;
                NodeLeakyRelu::create(builder, v0, v1, v2, v3)
            }
        }

        /// Reference to a deserialized [NodeLeakyRelu].
        #[derive(Copy, Clone)]
        pub struct NodeLeakyReluRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeLeakyReluRef<'a> {
            /// Getter for the [`negative_slope` field](NodeLeakyRelu#structfield.negative_slope).
            #[inline]
            pub fn negative_slope(&self) -> ::planus::Result<::core::option::Option<f32>> {
                self.0.access(0, "NodeLeakyRelu", "negative_slope")
            }

            /// Getter for the [`input_id` field](NodeLeakyRelu#structfield.input_id).
            #[inline]
            pub fn input_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(1, "NodeLeakyRelu", "input_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`output_id` field](NodeLeakyRelu#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(2, "NodeLeakyRelu", "output_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`flags` field](NodeLeakyRelu#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(3, "NodeLeakyRelu", "flags")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for NodeLeakyReluRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeLeakyReluRef");
                if let ::core::option::Option::Some(field_negative_slope) =
                    self.negative_slope().transpose()
                {
                    f.field("negative_slope", &field_negative_slope);
                }
                f.field("input_id", &self.input_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeLeakyReluRef<'a>> for NodeLeakyRelu {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeLeakyReluRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    negative_slope: if let ::core::option::Option::Some(negative_slope) =
                        value.negative_slope()?
                    {
                        ::core::option::Option::Some(::core::convert::TryInto::try_into(
                            negative_slope,
                        )?)
                    } else {
                        ::core::option::Option::None
                    },
                    input_id: ::core::convert::TryInto::try_into(value.input_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeLeakyReluRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeLeakyReluRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[NodeLeakyReluRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeLeakyRelu>> for NodeLeakyRelu {
            type Value = ::planus::Offset<NodeLeakyRelu>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeLeakyRelu>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeLeakyReluRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeLeakyReluRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeTranspose` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeTranspose` in the file `schema/payload.fbs:174`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct NodeTranspose {
            /// The field `num_dims` in the table `NodeTranspose`
            pub num_dims: u32,
            /// The field `perm` in the table `NodeTranspose`
            pub perm: ::core::option::Option<::planus::alloc::vec::Vec<u32>>,
            /// The field `input_id` in the table `NodeTranspose`
            pub input_id: u32,
            /// The field `output_id` in the table `NodeTranspose`
            pub output_id: u32,
            /// The field `flags` in the table `NodeTranspose`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeTranspose {
            fn default() -> Self {
                Self {
                    num_dims: 0,
                    perm: ::core::default::Default::default(),
                    input_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodeTranspose {
            /// Creates a [NodeTransposeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeTransposeBuilder<()> {
                NodeTransposeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_num_dims: impl ::planus::WriteAsDefault<u32, u32>,
                field_perm: impl ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
                field_input_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_num_dims = field_num_dims.prepare(builder, &0);
                let prepared_perm = field_perm.prepare(builder);
                let prepared_input_id = field_input_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<14> =
                    ::core::default::Default::default();
                if prepared_num_dims.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_perm.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u32]>>(1);
                }
                if prepared_input_id.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(4);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_num_dims) = prepared_num_dims {
                            object_writer.write::<_, _, 4>(&prepared_num_dims);
                        }
                        if let ::core::option::Option::Some(prepared_perm) = prepared_perm {
                            object_writer.write::<_, _, 4>(&prepared_perm);
                        }
                        if let ::core::option::Option::Some(prepared_input_id) = prepared_input_id {
                            object_writer.write::<_, _, 4>(&prepared_input_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeTranspose>> for NodeTranspose {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeTranspose> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeTranspose>> for NodeTranspose {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeTranspose>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeTranspose> for NodeTranspose {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeTranspose> {
                NodeTranspose::create(
                    builder,
                    self.num_dims,
                    &self.perm,
                    self.input_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeTranspose] type.
        ///
        /// Can be created using the [NodeTranspose::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeTransposeBuilder<State>(State);

        impl NodeTransposeBuilder<()> {
            /// Setter for the [`num_dims` field](NodeTranspose#structfield.num_dims).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_dims<T0>(self, value: T0) -> NodeTransposeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                NodeTransposeBuilder((value,))
            }

            /// Sets the [`num_dims` field](NodeTranspose#structfield.num_dims) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_dims_as_default(self) -> NodeTransposeBuilder<(::planus::DefaultValue,)> {
                self.num_dims(::planus::DefaultValue)
            }
        }

        impl<T0> NodeTransposeBuilder<(T0,)> {
            /// Setter for the [`perm` field](NodeTranspose#structfield.perm).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn perm<T1>(self, value: T1) -> NodeTransposeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            {
                let (v0,) = self.0;
                NodeTransposeBuilder((v0, value))
            }

            /// Sets the [`perm` field](NodeTranspose#structfield.perm) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn perm_as_null(self) -> NodeTransposeBuilder<(T0, ())> {
                self.perm(())
            }
        }

        impl<T0, T1> NodeTransposeBuilder<(T0, T1)> {
            /// Setter for the [`input_id` field](NodeTranspose#structfield.input_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id<T2>(self, value: T2) -> NodeTransposeBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                NodeTransposeBuilder((v0, v1, value))
            }

            /// Sets the [`input_id` field](NodeTranspose#structfield.input_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id_as_default(
                self,
            ) -> NodeTransposeBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.input_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> NodeTransposeBuilder<(T0, T1, T2)> {
            /// Setter for the [`output_id` field](NodeTranspose#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T3>(self, value: T3) -> NodeTransposeBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeTransposeBuilder((v0, v1, v2, value))
            }

            /// Sets the [`output_id` field](NodeTranspose#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(
                self,
            ) -> NodeTransposeBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeTransposeBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`flags` field](NodeTranspose#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T4>(self, value: T4) -> NodeTransposeBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                NodeTransposeBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`flags` field](NodeTranspose#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodeTransposeBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> NodeTransposeBuilder<(T0, T1, T2, T3, T4)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeTranspose].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeTranspose>
            where
                Self: ::planus::WriteAsOffset<NodeTranspose>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeTranspose>>
            for NodeTransposeBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<NodeTranspose>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeTranspose> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeTranspose>>
            for NodeTransposeBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<NodeTranspose>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeTranspose>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeTranspose> for NodeTransposeBuilder<(T0, T1, T2, T3, T4)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeTranspose> {
                let (v0, v1, v2, v3, v4) = &self.0;
                NodeTranspose::create(builder, v0, v1, v2, v3, v4)
            }
        }

        /// Reference to a deserialized [NodeTranspose].
        #[derive(Copy, Clone)]
        pub struct NodeTransposeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeTransposeRef<'a> {
            /// Getter for the [`num_dims` field](NodeTranspose#structfield.num_dims).
            #[inline]
            pub fn num_dims(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(0, "NodeTranspose", "num_dims")?.unwrap_or(0),
                )
            }

            /// Getter for the [`perm` field](NodeTranspose#structfield.perm).
            #[inline]
            pub fn perm(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, u32>>> {
                self.0.access(1, "NodeTranspose", "perm")
            }

            /// Getter for the [`input_id` field](NodeTranspose#structfield.input_id).
            #[inline]
            pub fn input_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(2, "NodeTranspose", "input_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`output_id` field](NodeTranspose#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(3, "NodeTranspose", "output_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`flags` field](NodeTranspose#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(4, "NodeTranspose", "flags")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for NodeTransposeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeTransposeRef");
                f.field("num_dims", &self.num_dims());
                if let ::core::option::Option::Some(field_perm) = self.perm().transpose() {
                    f.field("perm", &field_perm);
                }
                f.field("input_id", &self.input_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeTransposeRef<'a>> for NodeTranspose {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeTransposeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    num_dims: ::core::convert::TryInto::try_into(value.num_dims()?)?,
                    perm: if let ::core::option::Option::Some(perm) = value.perm()? {
                        ::core::option::Option::Some(perm.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    input_id: ::core::convert::TryInto::try_into(value.input_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeTransposeRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeTransposeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[NodeTransposeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeTranspose>> for NodeTranspose {
            type Value = ::planus::Offset<NodeTranspose>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeTranspose>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeTransposeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeTransposeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeResizeBilinear` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeResizeBilinear` in the file `schema/payload.fbs:182`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct NodeResizeBilinear {
            /// The field `new_height` in the table `NodeResizeBilinear`
            pub new_height: u32,
            /// The field `new_width` in the table `NodeResizeBilinear`
            pub new_width: u32,
            /// The field `input_id` in the table `NodeResizeBilinear`
            pub input_id: u32,
            /// The field `output_id` in the table `NodeResizeBilinear`
            pub output_id: u32,
            /// The field `flags` in the table `NodeResizeBilinear`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeResizeBilinear {
            fn default() -> Self {
                Self {
                    new_height: 0,
                    new_width: 0,
                    input_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodeResizeBilinear {
            /// Creates a [NodeResizeBilinearBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeResizeBilinearBuilder<()> {
                NodeResizeBilinearBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_new_height: impl ::planus::WriteAsDefault<u32, u32>,
                field_new_width: impl ::planus::WriteAsDefault<u32, u32>,
                field_input_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_new_height = field_new_height.prepare(builder, &0);
                let prepared_new_width = field_new_width.prepare(builder, &0);
                let prepared_input_id = field_input_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<14> =
                    ::core::default::Default::default();
                if prepared_new_height.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_new_width.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_input_id.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(4);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_new_height) =
                            prepared_new_height
                        {
                            object_writer.write::<_, _, 4>(&prepared_new_height);
                        }
                        if let ::core::option::Option::Some(prepared_new_width) = prepared_new_width
                        {
                            object_writer.write::<_, _, 4>(&prepared_new_width);
                        }
                        if let ::core::option::Option::Some(prepared_input_id) = prepared_input_id {
                            object_writer.write::<_, _, 4>(&prepared_input_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeResizeBilinear>> for NodeResizeBilinear {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeResizeBilinear> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeResizeBilinear>> for NodeResizeBilinear {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeResizeBilinear>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeResizeBilinear> for NodeResizeBilinear {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeResizeBilinear> {
                NodeResizeBilinear::create(
                    builder,
                    self.new_height,
                    self.new_width,
                    self.input_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeResizeBilinear] type.
        ///
        /// Can be created using the [NodeResizeBilinear::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeResizeBilinearBuilder<State>(State);

        impl NodeResizeBilinearBuilder<()> {
            /// Setter for the [`new_height` field](NodeResizeBilinear#structfield.new_height).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn new_height<T0>(self, value: T0) -> NodeResizeBilinearBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                NodeResizeBilinearBuilder((value,))
            }

            /// Sets the [`new_height` field](NodeResizeBilinear#structfield.new_height) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn new_height_as_default(
                self,
            ) -> NodeResizeBilinearBuilder<(::planus::DefaultValue,)> {
                self.new_height(::planus::DefaultValue)
            }
        }

        impl<T0> NodeResizeBilinearBuilder<(T0,)> {
            /// Setter for the [`new_width` field](NodeResizeBilinear#structfield.new_width).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn new_width<T1>(self, value: T1) -> NodeResizeBilinearBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                NodeResizeBilinearBuilder((v0, value))
            }

            /// Sets the [`new_width` field](NodeResizeBilinear#structfield.new_width) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn new_width_as_default(
                self,
            ) -> NodeResizeBilinearBuilder<(T0, ::planus::DefaultValue)> {
                self.new_width(::planus::DefaultValue)
            }
        }

        impl<T0, T1> NodeResizeBilinearBuilder<(T0, T1)> {
            /// Setter for the [`input_id` field](NodeResizeBilinear#structfield.input_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id<T2>(self, value: T2) -> NodeResizeBilinearBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                NodeResizeBilinearBuilder((v0, v1, value))
            }

            /// Sets the [`input_id` field](NodeResizeBilinear#structfield.input_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id_as_default(
                self,
            ) -> NodeResizeBilinearBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.input_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> NodeResizeBilinearBuilder<(T0, T1, T2)> {
            /// Setter for the [`output_id` field](NodeResizeBilinear#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T3>(self, value: T3) -> NodeResizeBilinearBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeResizeBilinearBuilder((v0, v1, v2, value))
            }

            /// Sets the [`output_id` field](NodeResizeBilinear#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(
                self,
            ) -> NodeResizeBilinearBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeResizeBilinearBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`flags` field](NodeResizeBilinear#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T4>(self, value: T4) -> NodeResizeBilinearBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                NodeResizeBilinearBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`flags` field](NodeResizeBilinear#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodeResizeBilinearBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> NodeResizeBilinearBuilder<(T0, T1, T2, T3, T4)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeResizeBilinear].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeResizeBilinear>
            where
                Self: ::planus::WriteAsOffset<NodeResizeBilinear>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeResizeBilinear>>
            for NodeResizeBilinearBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<NodeResizeBilinear>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeResizeBilinear> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeResizeBilinear>>
            for NodeResizeBilinearBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<NodeResizeBilinear>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeResizeBilinear>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeResizeBilinear>
            for NodeResizeBilinearBuilder<(T0, T1, T2, T3, T4)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeResizeBilinear> {
                let (v0, v1, v2, v3, v4) = &self.0;
                NodeResizeBilinear::create(builder, v0, v1, v2, v3, v4)
            }
        }

        /// Reference to a deserialized [NodeResizeBilinear].
        #[derive(Copy, Clone)]
        pub struct NodeResizeBilinearRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeResizeBilinearRef<'a> {
            /// Getter for the [`new_height` field](NodeResizeBilinear#structfield.new_height).
            #[inline]
            pub fn new_height(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "NodeResizeBilinear", "new_height")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`new_width` field](NodeResizeBilinear#structfield.new_width).
            #[inline]
            pub fn new_width(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(1, "NodeResizeBilinear", "new_width")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`input_id` field](NodeResizeBilinear#structfield.input_id).
            #[inline]
            pub fn input_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(2, "NodeResizeBilinear", "input_id")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`output_id` field](NodeResizeBilinear#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(3, "NodeResizeBilinear", "output_id")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`flags` field](NodeResizeBilinear#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(4, "NodeResizeBilinear", "flags")?
                        .unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for NodeResizeBilinearRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeResizeBilinearRef");
                f.field("new_height", &self.new_height());
                f.field("new_width", &self.new_width());
                f.field("input_id", &self.input_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeResizeBilinearRef<'a>> for NodeResizeBilinear {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeResizeBilinearRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    new_height: ::core::convert::TryInto::try_into(value.new_height()?)?,
                    new_width: ::core::convert::TryInto::try_into(value.new_width()?)?,
                    input_id: ::core::convert::TryInto::try_into(value.input_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeResizeBilinearRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeResizeBilinearRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[NodeResizeBilinearRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeResizeBilinear>> for NodeResizeBilinear {
            type Value = ::planus::Offset<NodeResizeBilinear>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeResizeBilinear>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeResizeBilinearRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeResizeBilinearRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeConstantPad` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeConstantPad` in the file `schema/payload.fbs:190`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub struct NodeConstantPad {
            /// The field `pre_paddings` in the table `NodeConstantPad`
            pub pre_paddings: ::core::option::Option<::planus::alloc::vec::Vec<u32>>,
            /// The field `post_paddings` in the table `NodeConstantPad`
            pub post_paddings: ::core::option::Option<::planus::alloc::vec::Vec<u32>>,
            /// The field `padding_value` in the table `NodeConstantPad`
            pub padding_value: ::core::option::Option<f32>,
            /// The field `input_id` in the table `NodeConstantPad`
            pub input_id: u32,
            /// The field `output_id` in the table `NodeConstantPad`
            pub output_id: u32,
            /// The field `flags` in the table `NodeConstantPad`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeConstantPad {
            fn default() -> Self {
                Self {
                    pre_paddings: ::core::default::Default::default(),
                    post_paddings: ::core::default::Default::default(),
                    padding_value: ::core::default::Default::default(),
                    input_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodeConstantPad {
            /// Creates a [NodeConstantPadBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeConstantPadBuilder<()> {
                NodeConstantPadBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_pre_paddings: impl ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
                field_post_paddings: impl ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
                field_padding_value: impl ::planus::WriteAsOptional<f32>,
                field_input_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_pre_paddings = field_pre_paddings.prepare(builder);
                let prepared_post_paddings = field_post_paddings.prepare(builder);
                let prepared_padding_value = field_padding_value.prepare(builder);
                let prepared_input_id = field_input_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<16> =
                    ::core::default::Default::default();
                if prepared_pre_paddings.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u32]>>(0);
                }
                if prepared_post_paddings.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u32]>>(1);
                }
                if prepared_padding_value.is_some() {
                    table_writer.write_entry::<f32>(2);
                }
                if prepared_input_id.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(4);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(5);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_pre_paddings) =
                            prepared_pre_paddings
                        {
                            object_writer.write::<_, _, 4>(&prepared_pre_paddings);
                        }
                        if let ::core::option::Option::Some(prepared_post_paddings) =
                            prepared_post_paddings
                        {
                            object_writer.write::<_, _, 4>(&prepared_post_paddings);
                        }
                        if let ::core::option::Option::Some(prepared_padding_value) =
                            prepared_padding_value
                        {
                            object_writer.write::<_, _, 4>(&prepared_padding_value);
                        }
                        if let ::core::option::Option::Some(prepared_input_id) = prepared_input_id {
                            object_writer.write::<_, _, 4>(&prepared_input_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeConstantPad>> for NodeConstantPad {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeConstantPad> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeConstantPad>> for NodeConstantPad {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeConstantPad>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeConstantPad> for NodeConstantPad {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeConstantPad> {
                NodeConstantPad::create(
                    builder,
                    &self.pre_paddings,
                    &self.post_paddings,
                    self.padding_value,
                    self.input_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeConstantPad] type.
        ///
        /// Can be created using the [NodeConstantPad::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeConstantPadBuilder<State>(State);

        impl NodeConstantPadBuilder<()> {
            /// Setter for the [`pre_paddings` field](NodeConstantPad#structfield.pre_paddings).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pre_paddings<T0>(self, value: T0) -> NodeConstantPadBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            {
                NodeConstantPadBuilder((value,))
            }

            /// Sets the [`pre_paddings` field](NodeConstantPad#structfield.pre_paddings) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn pre_paddings_as_null(self) -> NodeConstantPadBuilder<((),)> {
                self.pre_paddings(())
            }
        }

        impl<T0> NodeConstantPadBuilder<(T0,)> {
            /// Setter for the [`post_paddings` field](NodeConstantPad#structfield.post_paddings).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn post_paddings<T1>(self, value: T1) -> NodeConstantPadBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            {
                let (v0,) = self.0;
                NodeConstantPadBuilder((v0, value))
            }

            /// Sets the [`post_paddings` field](NodeConstantPad#structfield.post_paddings) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn post_paddings_as_null(self) -> NodeConstantPadBuilder<(T0, ())> {
                self.post_paddings(())
            }
        }

        impl<T0, T1> NodeConstantPadBuilder<(T0, T1)> {
            /// Setter for the [`padding_value` field](NodeConstantPad#structfield.padding_value).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_value<T2>(self, value: T2) -> NodeConstantPadBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<f32>,
            {
                let (v0, v1) = self.0;
                NodeConstantPadBuilder((v0, v1, value))
            }

            /// Sets the [`padding_value` field](NodeConstantPad#structfield.padding_value) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn padding_value_as_null(self) -> NodeConstantPadBuilder<(T0, T1, ())> {
                self.padding_value(())
            }
        }

        impl<T0, T1, T2> NodeConstantPadBuilder<(T0, T1, T2)> {
            /// Setter for the [`input_id` field](NodeConstantPad#structfield.input_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id<T3>(self, value: T3) -> NodeConstantPadBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeConstantPadBuilder((v0, v1, v2, value))
            }

            /// Sets the [`input_id` field](NodeConstantPad#structfield.input_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id_as_default(
                self,
            ) -> NodeConstantPadBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.input_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeConstantPadBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`output_id` field](NodeConstantPad#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T4>(self, value: T4) -> NodeConstantPadBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                NodeConstantPadBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`output_id` field](NodeConstantPad#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(
                self,
            ) -> NodeConstantPadBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> NodeConstantPadBuilder<(T0, T1, T2, T3, T4)> {
            /// Setter for the [`flags` field](NodeConstantPad#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T5>(self, value: T5) -> NodeConstantPadBuilder<(T0, T1, T2, T3, T4, T5)>
            where
                T5: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4) = self.0;
                NodeConstantPadBuilder((v0, v1, v2, v3, v4, value))
            }

            /// Sets the [`flags` field](NodeConstantPad#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodeConstantPadBuilder<(T0, T1, T2, T3, T4, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5> NodeConstantPadBuilder<(T0, T1, T2, T3, T4, T5)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeConstantPad].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeConstantPad>
            where
                Self: ::planus::WriteAsOffset<NodeConstantPad>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsOptional<f32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeConstantPad>>
            for NodeConstantPadBuilder<(T0, T1, T2, T3, T4, T5)>
        {
            type Prepared = ::planus::Offset<NodeConstantPad>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeConstantPad> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsOptional<f32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeConstantPad>>
            for NodeConstantPadBuilder<(T0, T1, T2, T3, T4, T5)>
        {
            type Prepared = ::planus::Offset<NodeConstantPad>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeConstantPad>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsOptional<f32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeConstantPad>
            for NodeConstantPadBuilder<(T0, T1, T2, T3, T4, T5)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<NodeConstantPad> {
                let (v0, v1, v2, v3, v4, v5) = &self.0;
                NodeConstantPad::create(builder, v0, v1, v2, v3, v4, v5)
            }
        }

        /// Reference to a deserialized [NodeConstantPad].
        #[derive(Copy, Clone)]
        pub struct NodeConstantPadRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeConstantPadRef<'a> {
            /// Getter for the [`pre_paddings` field](NodeConstantPad#structfield.pre_paddings).
            #[inline]
            pub fn pre_paddings(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, u32>>> {
                self.0.access(0, "NodeConstantPad", "pre_paddings")
            }

            /// Getter for the [`post_paddings` field](NodeConstantPad#structfield.post_paddings).
            #[inline]
            pub fn post_paddings(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, u32>>> {
                self.0.access(1, "NodeConstantPad", "post_paddings")
            }

            /// Getter for the [`padding_value` field](NodeConstantPad#structfield.padding_value).
            #[inline]
            pub fn padding_value(&self) -> ::planus::Result<::core::option::Option<f32>> {
                self.0.access(2, "NodeConstantPad", "padding_value")
            }

            /// Getter for the [`input_id` field](NodeConstantPad#structfield.input_id).
            #[inline]
            pub fn input_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(3, "NodeConstantPad", "input_id")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`output_id` field](NodeConstantPad#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0
                        .access(4, "NodeConstantPad", "output_id")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`flags` field](NodeConstantPad#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(5, "NodeConstantPad", "flags")?.unwrap_or(0),
                )
            }
        }

        impl<'a> ::core::fmt::Debug for NodeConstantPadRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeConstantPadRef");
                if let ::core::option::Option::Some(field_pre_paddings) =
                    self.pre_paddings().transpose()
                {
                    f.field("pre_paddings", &field_pre_paddings);
                }
                if let ::core::option::Option::Some(field_post_paddings) =
                    self.post_paddings().transpose()
                {
                    f.field("post_paddings", &field_post_paddings);
                }
                if let ::core::option::Option::Some(field_padding_value) =
                    self.padding_value().transpose()
                {
                    f.field("padding_value", &field_padding_value);
                }
                f.field("input_id", &self.input_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeConstantPadRef<'a>> for NodeConstantPad {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeConstantPadRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    pre_paddings: if let ::core::option::Option::Some(pre_paddings) =
                        value.pre_paddings()?
                    {
                        ::core::option::Option::Some(pre_paddings.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    post_paddings: if let ::core::option::Option::Some(post_paddings) =
                        value.post_paddings()?
                    {
                        ::core::option::Option::Some(post_paddings.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    padding_value: if let ::core::option::Option::Some(padding_value) =
                        value.padding_value()?
                    {
                        ::core::option::Option::Some(::core::convert::TryInto::try_into(
                            padding_value,
                        )?)
                    } else {
                        ::core::option::Option::None
                    },
                    input_id: ::core::convert::TryInto::try_into(value.input_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeConstantPadRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeConstantPadRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[NodeConstantPadRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeConstantPad>> for NodeConstantPad {
            type Value = ::planus::Offset<NodeConstantPad>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeConstantPad>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeConstantPadRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeConstantPadRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeReshape` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeReshape` in the file `schema/payload.fbs:199`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct NodeReshape {
            /// The field `num_dims` in the table `NodeReshape`
            pub num_dims: u32,
            /// The field `new_shape` in the table `NodeReshape`
            pub new_shape: ::core::option::Option<::planus::alloc::vec::Vec<u32>>,
            /// The field `input_id` in the table `NodeReshape`
            pub input_id: u32,
            /// The field `output_id` in the table `NodeReshape`
            pub output_id: u32,
            /// The field `flags` in the table `NodeReshape`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeReshape {
            fn default() -> Self {
                Self {
                    num_dims: 0,
                    new_shape: ::core::default::Default::default(),
                    input_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodeReshape {
            /// Creates a [NodeReshapeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeReshapeBuilder<()> {
                NodeReshapeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_num_dims: impl ::planus::WriteAsDefault<u32, u32>,
                field_new_shape: impl ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
                field_input_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_num_dims = field_num_dims.prepare(builder, &0);
                let prepared_new_shape = field_new_shape.prepare(builder);
                let prepared_input_id = field_input_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<14> =
                    ::core::default::Default::default();
                if prepared_num_dims.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_new_shape.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u32]>>(1);
                }
                if prepared_input_id.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(4);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_num_dims) = prepared_num_dims {
                            object_writer.write::<_, _, 4>(&prepared_num_dims);
                        }
                        if let ::core::option::Option::Some(prepared_new_shape) = prepared_new_shape
                        {
                            object_writer.write::<_, _, 4>(&prepared_new_shape);
                        }
                        if let ::core::option::Option::Some(prepared_input_id) = prepared_input_id {
                            object_writer.write::<_, _, 4>(&prepared_input_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeReshape>> for NodeReshape {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeReshape> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeReshape>> for NodeReshape {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeReshape>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeReshape> for NodeReshape {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeReshape> {
                NodeReshape::create(
                    builder,
                    self.num_dims,
                    &self.new_shape,
                    self.input_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeReshape] type.
        ///
        /// Can be created using the [NodeReshape::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeReshapeBuilder<State>(State);

        impl NodeReshapeBuilder<()> {
            /// Setter for the [`num_dims` field](NodeReshape#structfield.num_dims).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_dims<T0>(self, value: T0) -> NodeReshapeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                NodeReshapeBuilder((value,))
            }

            /// Sets the [`num_dims` field](NodeReshape#structfield.num_dims) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_dims_as_default(self) -> NodeReshapeBuilder<(::planus::DefaultValue,)> {
                self.num_dims(::planus::DefaultValue)
            }
        }

        impl<T0> NodeReshapeBuilder<(T0,)> {
            /// Setter for the [`new_shape` field](NodeReshape#structfield.new_shape).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn new_shape<T1>(self, value: T1) -> NodeReshapeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            {
                let (v0,) = self.0;
                NodeReshapeBuilder((v0, value))
            }

            /// Sets the [`new_shape` field](NodeReshape#structfield.new_shape) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn new_shape_as_null(self) -> NodeReshapeBuilder<(T0, ())> {
                self.new_shape(())
            }
        }

        impl<T0, T1> NodeReshapeBuilder<(T0, T1)> {
            /// Setter for the [`input_id` field](NodeReshape#structfield.input_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id<T2>(self, value: T2) -> NodeReshapeBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                NodeReshapeBuilder((v0, v1, value))
            }

            /// Sets the [`input_id` field](NodeReshape#structfield.input_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id_as_default(
                self,
            ) -> NodeReshapeBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.input_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> NodeReshapeBuilder<(T0, T1, T2)> {
            /// Setter for the [`output_id` field](NodeReshape#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T3>(self, value: T3) -> NodeReshapeBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeReshapeBuilder((v0, v1, v2, value))
            }

            /// Sets the [`output_id` field](NodeReshape#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(
                self,
            ) -> NodeReshapeBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeReshapeBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`flags` field](NodeReshape#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T4>(self, value: T4) -> NodeReshapeBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                NodeReshapeBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`flags` field](NodeReshape#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodeReshapeBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> NodeReshapeBuilder<(T0, T1, T2, T3, T4)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeReshape].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeReshape>
            where
                Self: ::planus::WriteAsOffset<NodeReshape>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeReshape>>
            for NodeReshapeBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<NodeReshape>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeReshape> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeReshape>>
            for NodeReshapeBuilder<(T0, T1, T2, T3, T4)>
        {
            type Prepared = ::planus::Offset<NodeReshape>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeReshape>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeReshape> for NodeReshapeBuilder<(T0, T1, T2, T3, T4)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeReshape> {
                let (v0, v1, v2, v3, v4) = &self.0;
                NodeReshape::create(builder, v0, v1, v2, v3, v4)
            }
        }

        /// Reference to a deserialized [NodeReshape].
        #[derive(Copy, Clone)]
        pub struct NodeReshapeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeReshapeRef<'a> {
            /// Getter for the [`num_dims` field](NodeReshape#structfield.num_dims).
            #[inline]
            pub fn num_dims(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(0, "NodeReshape", "num_dims")?.unwrap_or(0),
                )
            }

            /// Getter for the [`new_shape` field](NodeReshape#structfield.new_shape).
            #[inline]
            pub fn new_shape(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, u32>>> {
                self.0.access(1, "NodeReshape", "new_shape")
            }

            /// Getter for the [`input_id` field](NodeReshape#structfield.input_id).
            #[inline]
            pub fn input_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(2, "NodeReshape", "input_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`output_id` field](NodeReshape#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(3, "NodeReshape", "output_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`flags` field](NodeReshape#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(4, "NodeReshape", "flags")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for NodeReshapeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeReshapeRef");
                f.field("num_dims", &self.num_dims());
                if let ::core::option::Option::Some(field_new_shape) = self.new_shape().transpose()
                {
                    f.field("new_shape", &field_new_shape);
                }
                f.field("input_id", &self.input_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeReshapeRef<'a>> for NodeReshape {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeReshapeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    num_dims: ::core::convert::TryInto::try_into(value.num_dims()?)?,
                    new_shape: if let ::core::option::Option::Some(new_shape) = value.new_shape()? {
                        ::core::option::Option::Some(new_shape.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    input_id: ::core::convert::TryInto::try_into(value.input_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeReshapeRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeReshapeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[NodeReshapeRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeReshape>> for NodeReshape {
            type Value = ::planus::Offset<NodeReshape>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeReshape>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeReshapeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeReshapeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeSlice` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeSlice` in the file `schema/payload.fbs:207`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct NodeSlice {
            /// The field `num_dims` in the table `NodeSlice`
            pub num_dims: u32,
            /// The field `offsets` in the table `NodeSlice`
            pub offsets: ::core::option::Option<::planus::alloc::vec::Vec<u32>>,
            /// The field `sizes` in the table `NodeSlice`
            pub sizes: ::core::option::Option<::planus::alloc::vec::Vec<u32>>,
            /// The field `input_id` in the table `NodeSlice`
            pub input_id: u32,
            /// The field `output_id` in the table `NodeSlice`
            pub output_id: u32,
            /// The field `flags` in the table `NodeSlice`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeSlice {
            fn default() -> Self {
                Self {
                    num_dims: 0,
                    offsets: ::core::default::Default::default(),
                    sizes: ::core::default::Default::default(),
                    input_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodeSlice {
            /// Creates a [NodeSliceBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeSliceBuilder<()> {
                NodeSliceBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_num_dims: impl ::planus::WriteAsDefault<u32, u32>,
                field_offsets: impl ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
                field_sizes: impl ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
                field_input_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_num_dims = field_num_dims.prepare(builder, &0);
                let prepared_offsets = field_offsets.prepare(builder);
                let prepared_sizes = field_sizes.prepare(builder);
                let prepared_input_id = field_input_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<16> =
                    ::core::default::Default::default();
                if prepared_num_dims.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_offsets.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u32]>>(1);
                }
                if prepared_sizes.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u32]>>(2);
                }
                if prepared_input_id.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(4);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(5);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_num_dims) = prepared_num_dims {
                            object_writer.write::<_, _, 4>(&prepared_num_dims);
                        }
                        if let ::core::option::Option::Some(prepared_offsets) = prepared_offsets {
                            object_writer.write::<_, _, 4>(&prepared_offsets);
                        }
                        if let ::core::option::Option::Some(prepared_sizes) = prepared_sizes {
                            object_writer.write::<_, _, 4>(&prepared_sizes);
                        }
                        if let ::core::option::Option::Some(prepared_input_id) = prepared_input_id {
                            object_writer.write::<_, _, 4>(&prepared_input_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeSlice>> for NodeSlice {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeSlice> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeSlice>> for NodeSlice {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeSlice>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeSlice> for NodeSlice {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeSlice> {
                NodeSlice::create(
                    builder,
                    self.num_dims,
                    &self.offsets,
                    &self.sizes,
                    self.input_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeSlice] type.
        ///
        /// Can be created using the [NodeSlice::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeSliceBuilder<State>(State);

        impl NodeSliceBuilder<()> {
            /// Setter for the [`num_dims` field](NodeSlice#structfield.num_dims).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_dims<T0>(self, value: T0) -> NodeSliceBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                NodeSliceBuilder((value,))
            }

            /// Sets the [`num_dims` field](NodeSlice#structfield.num_dims) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_dims_as_default(self) -> NodeSliceBuilder<(::planus::DefaultValue,)> {
                self.num_dims(::planus::DefaultValue)
            }
        }

        impl<T0> NodeSliceBuilder<(T0,)> {
            /// Setter for the [`offsets` field](NodeSlice#structfield.offsets).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn offsets<T1>(self, value: T1) -> NodeSliceBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            {
                let (v0,) = self.0;
                NodeSliceBuilder((v0, value))
            }

            /// Sets the [`offsets` field](NodeSlice#structfield.offsets) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn offsets_as_null(self) -> NodeSliceBuilder<(T0, ())> {
                self.offsets(())
            }
        }

        impl<T0, T1> NodeSliceBuilder<(T0, T1)> {
            /// Setter for the [`sizes` field](NodeSlice#structfield.sizes).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn sizes<T2>(self, value: T2) -> NodeSliceBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            {
                let (v0, v1) = self.0;
                NodeSliceBuilder((v0, v1, value))
            }

            /// Sets the [`sizes` field](NodeSlice#structfield.sizes) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn sizes_as_null(self) -> NodeSliceBuilder<(T0, T1, ())> {
                self.sizes(())
            }
        }

        impl<T0, T1, T2> NodeSliceBuilder<(T0, T1, T2)> {
            /// Setter for the [`input_id` field](NodeSlice#structfield.input_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id<T3>(self, value: T3) -> NodeSliceBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeSliceBuilder((v0, v1, v2, value))
            }

            /// Sets the [`input_id` field](NodeSlice#structfield.input_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_id_as_default(
                self,
            ) -> NodeSliceBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.input_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeSliceBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`output_id` field](NodeSlice#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T4>(self, value: T4) -> NodeSliceBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                NodeSliceBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`output_id` field](NodeSlice#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(
                self,
            ) -> NodeSliceBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> NodeSliceBuilder<(T0, T1, T2, T3, T4)> {
            /// Setter for the [`flags` field](NodeSlice#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T5>(self, value: T5) -> NodeSliceBuilder<(T0, T1, T2, T3, T4, T5)>
            where
                T5: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4) = self.0;
                NodeSliceBuilder((v0, v1, v2, v3, v4, value))
            }

            /// Sets the [`flags` field](NodeSlice#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodeSliceBuilder<(T0, T1, T2, T3, T4, ::planus::DefaultValue)> {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5> NodeSliceBuilder<(T0, T1, T2, T3, T4, T5)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeSlice].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeSlice>
            where
                Self: ::planus::WriteAsOffset<NodeSlice>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeSlice>>
            for NodeSliceBuilder<(T0, T1, T2, T3, T4, T5)>
        {
            type Prepared = ::planus::Offset<NodeSlice>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeSlice> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeSlice>>
            for NodeSliceBuilder<(T0, T1, T2, T3, T4, T5)>
        {
            type Prepared = ::planus::Offset<NodeSlice>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeSlice>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeSlice> for NodeSliceBuilder<(T0, T1, T2, T3, T4, T5)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeSlice> {
                let (v0, v1, v2, v3, v4, v5) = &self.0;
                NodeSlice::create(builder, v0, v1, v2, v3, v4, v5)
            }
        }

        /// Reference to a deserialized [NodeSlice].
        #[derive(Copy, Clone)]
        pub struct NodeSliceRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeSliceRef<'a> {
            /// Getter for the [`num_dims` field](NodeSlice#structfield.num_dims).
            #[inline]
            pub fn num_dims(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(0, "NodeSlice", "num_dims")?.unwrap_or(0))
            }

            /// Getter for the [`offsets` field](NodeSlice#structfield.offsets).
            #[inline]
            pub fn offsets(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, u32>>> {
                self.0.access(1, "NodeSlice", "offsets")
            }

            /// Getter for the [`sizes` field](NodeSlice#structfield.sizes).
            #[inline]
            pub fn sizes(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, u32>>> {
                self.0.access(2, "NodeSlice", "sizes")
            }

            /// Getter for the [`input_id` field](NodeSlice#structfield.input_id).
            #[inline]
            pub fn input_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(3, "NodeSlice", "input_id")?.unwrap_or(0))
            }

            /// Getter for the [`output_id` field](NodeSlice#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(4, "NodeSlice", "output_id")?.unwrap_or(0))
            }

            /// Getter for the [`flags` field](NodeSlice#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(5, "NodeSlice", "flags")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for NodeSliceRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeSliceRef");
                f.field("num_dims", &self.num_dims());
                if let ::core::option::Option::Some(field_offsets) = self.offsets().transpose() {
                    f.field("offsets", &field_offsets);
                }
                if let ::core::option::Option::Some(field_sizes) = self.sizes().transpose() {
                    f.field("sizes", &field_sizes);
                }
                f.field("input_id", &self.input_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeSliceRef<'a>> for NodeSlice {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeSliceRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    num_dims: ::core::convert::TryInto::try_into(value.num_dims()?)?,
                    offsets: if let ::core::option::Option::Some(offsets) = value.offsets()? {
                        ::core::option::Option::Some(offsets.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    sizes: if let ::core::option::Option::Some(sizes) = value.sizes()? {
                        ::core::option::Option::Some(sizes.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    input_id: ::core::convert::TryInto::try_into(value.input_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeSliceRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeSliceRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[NodeSliceRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeSlice>> for NodeSlice {
            type Value = ::planus::Offset<NodeSlice>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeSlice>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeSliceRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeSliceRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `NodeAttention` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `NodeAttention` in the file `schema/payload.fbs:216`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct NodeAttention {
            /// The field `query_id` in the table `NodeAttention`
            pub query_id: u32,
            /// The field `key_id` in the table `NodeAttention`
            pub key_id: u32,
            /// The field `value_id` in the table `NodeAttention`
            pub value_id: u32,
            /// The field `scale_id` in the table `NodeAttention`
            pub scale_id: u32,
            /// The field `mask_id` in the table `NodeAttention`
            pub mask_id: u32,
            /// The field `output_id` in the table `NodeAttention`
            pub output_id: u32,
            /// The field `flags` in the table `NodeAttention`
            pub flags: u32,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for NodeAttention {
            fn default() -> Self {
                Self {
                    query_id: 0,
                    key_id: 0,
                    value_id: 0,
                    scale_id: 0,
                    mask_id: 0,
                    output_id: 0,
                    flags: 0,
                }
            }
        }

        impl NodeAttention {
            /// Creates a [NodeAttentionBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> NodeAttentionBuilder<()> {
                NodeAttentionBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_query_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_key_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_value_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_scale_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_mask_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_id: impl ::planus::WriteAsDefault<u32, u32>,
                field_flags: impl ::planus::WriteAsDefault<u32, u32>,
            ) -> ::planus::Offset<Self> {
                let prepared_query_id = field_query_id.prepare(builder, &0);
                let prepared_key_id = field_key_id.prepare(builder, &0);
                let prepared_value_id = field_value_id.prepare(builder, &0);
                let prepared_scale_id = field_scale_id.prepare(builder, &0);
                let prepared_mask_id = field_mask_id.prepare(builder, &0);
                let prepared_output_id = field_output_id.prepare(builder, &0);
                let prepared_flags = field_flags.prepare(builder, &0);

                let mut table_writer: ::planus::table_writer::TableWriter<18> =
                    ::core::default::Default::default();
                if prepared_query_id.is_some() {
                    table_writer.write_entry::<u32>(0);
                }
                if prepared_key_id.is_some() {
                    table_writer.write_entry::<u32>(1);
                }
                if prepared_value_id.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_scale_id.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_mask_id.is_some() {
                    table_writer.write_entry::<u32>(4);
                }
                if prepared_output_id.is_some() {
                    table_writer.write_entry::<u32>(5);
                }
                if prepared_flags.is_some() {
                    table_writer.write_entry::<u32>(6);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_query_id) = prepared_query_id {
                            object_writer.write::<_, _, 4>(&prepared_query_id);
                        }
                        if let ::core::option::Option::Some(prepared_key_id) = prepared_key_id {
                            object_writer.write::<_, _, 4>(&prepared_key_id);
                        }
                        if let ::core::option::Option::Some(prepared_value_id) = prepared_value_id {
                            object_writer.write::<_, _, 4>(&prepared_value_id);
                        }
                        if let ::core::option::Option::Some(prepared_scale_id) = prepared_scale_id {
                            object_writer.write::<_, _, 4>(&prepared_scale_id);
                        }
                        if let ::core::option::Option::Some(prepared_mask_id) = prepared_mask_id {
                            object_writer.write::<_, _, 4>(&prepared_mask_id);
                        }
                        if let ::core::option::Option::Some(prepared_output_id) = prepared_output_id
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_id);
                        }
                        if let ::core::option::Option::Some(prepared_flags) = prepared_flags {
                            object_writer.write::<_, _, 4>(&prepared_flags);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<NodeAttention>> for NodeAttention {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeAttention> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<NodeAttention>> for NodeAttention {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeAttention>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<NodeAttention> for NodeAttention {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeAttention> {
                NodeAttention::create(
                    builder,
                    self.query_id,
                    self.key_id,
                    self.value_id,
                    self.scale_id,
                    self.mask_id,
                    self.output_id,
                    self.flags,
                )
            }
        }

        /// Builder for serializing an instance of the [NodeAttention] type.
        ///
        /// Can be created using the [NodeAttention::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct NodeAttentionBuilder<State>(State);

        impl NodeAttentionBuilder<()> {
            /// Setter for the [`query_id` field](NodeAttention#structfield.query_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn query_id<T0>(self, value: T0) -> NodeAttentionBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u32, u32>,
            {
                NodeAttentionBuilder((value,))
            }

            /// Sets the [`query_id` field](NodeAttention#structfield.query_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn query_id_as_default(self) -> NodeAttentionBuilder<(::planus::DefaultValue,)> {
                self.query_id(::planus::DefaultValue)
            }
        }

        impl<T0> NodeAttentionBuilder<(T0,)> {
            /// Setter for the [`key_id` field](NodeAttention#structfield.key_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn key_id<T1>(self, value: T1) -> NodeAttentionBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                NodeAttentionBuilder((v0, value))
            }

            /// Sets the [`key_id` field](NodeAttention#structfield.key_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn key_id_as_default(self) -> NodeAttentionBuilder<(T0, ::planus::DefaultValue)> {
                self.key_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1> NodeAttentionBuilder<(T0, T1)> {
            /// Setter for the [`value_id` field](NodeAttention#structfield.value_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn value_id<T2>(self, value: T2) -> NodeAttentionBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1) = self.0;
                NodeAttentionBuilder((v0, v1, value))
            }

            /// Sets the [`value_id` field](NodeAttention#structfield.value_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn value_id_as_default(
                self,
            ) -> NodeAttentionBuilder<(T0, T1, ::planus::DefaultValue)> {
                self.value_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2> NodeAttentionBuilder<(T0, T1, T2)> {
            /// Setter for the [`scale_id` field](NodeAttention#structfield.scale_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale_id<T3>(self, value: T3) -> NodeAttentionBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                NodeAttentionBuilder((v0, v1, v2, value))
            }

            /// Sets the [`scale_id` field](NodeAttention#structfield.scale_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn scale_id_as_default(
                self,
            ) -> NodeAttentionBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.scale_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> NodeAttentionBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`mask_id` field](NodeAttention#structfield.mask_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn mask_id<T4>(self, value: T4) -> NodeAttentionBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3) = self.0;
                NodeAttentionBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`mask_id` field](NodeAttention#structfield.mask_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn mask_id_as_default(
                self,
            ) -> NodeAttentionBuilder<(T0, T1, T2, T3, ::planus::DefaultValue)> {
                self.mask_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4> NodeAttentionBuilder<(T0, T1, T2, T3, T4)> {
            /// Setter for the [`output_id` field](NodeAttention#structfield.output_id).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id<T5>(self, value: T5) -> NodeAttentionBuilder<(T0, T1, T2, T3, T4, T5)>
            where
                T5: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4) = self.0;
                NodeAttentionBuilder((v0, v1, v2, v3, v4, value))
            }

            /// Sets the [`output_id` field](NodeAttention#structfield.output_id) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_id_as_default(
                self,
            ) -> NodeAttentionBuilder<(T0, T1, T2, T3, T4, ::planus::DefaultValue)> {
                self.output_id(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5> NodeAttentionBuilder<(T0, T1, T2, T3, T4, T5)> {
            /// Setter for the [`flags` field](NodeAttention#structfield.flags).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags<T6>(self, value: T6) -> NodeAttentionBuilder<(T0, T1, T2, T3, T4, T5, T6)>
            where
                T6: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2, v3, v4, v5) = self.0;
                NodeAttentionBuilder((v0, v1, v2, v3, v4, v5, value))
            }

            /// Sets the [`flags` field](NodeAttention#structfield.flags) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn flags_as_default(
                self,
            ) -> NodeAttentionBuilder<(T0, T1, T2, T3, T4, T5, ::planus::DefaultValue)>
            {
                self.flags(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6> NodeAttentionBuilder<(T0, T1, T2, T3, T4, T5, T6)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [NodeAttention].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeAttention>
            where
                Self: ::planus::WriteAsOffset<NodeAttention>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAs<::planus::Offset<NodeAttention>>
            for NodeAttentionBuilder<(T0, T1, T2, T3, T4, T5, T6)>
        {
            type Prepared = ::planus::Offset<NodeAttention>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeAttention> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOptional<::planus::Offset<NodeAttention>>
            for NodeAttentionBuilder<(T0, T1, T2, T3, T4, T5, T6)>
        {
            type Prepared = ::planus::Offset<NodeAttention>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<NodeAttention>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u32, u32>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsDefault<u32, u32>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsDefault<u32, u32>,
            T5: ::planus::WriteAsDefault<u32, u32>,
            T6: ::planus::WriteAsDefault<u32, u32>,
        > ::planus::WriteAsOffset<NodeAttention>
            for NodeAttentionBuilder<(T0, T1, T2, T3, T4, T5, T6)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<NodeAttention> {
                let (v0, v1, v2, v3, v4, v5, v6) = &self.0;
                NodeAttention::create(builder, v0, v1, v2, v3, v4, v5, v6)
            }
        }

        /// Reference to a deserialized [NodeAttention].
        #[derive(Copy, Clone)]
        pub struct NodeAttentionRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> NodeAttentionRef<'a> {
            /// Getter for the [`query_id` field](NodeAttention#structfield.query_id).
            #[inline]
            pub fn query_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(0, "NodeAttention", "query_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`key_id` field](NodeAttention#structfield.key_id).
            #[inline]
            pub fn key_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(1, "NodeAttention", "key_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`value_id` field](NodeAttention#structfield.value_id).
            #[inline]
            pub fn value_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(2, "NodeAttention", "value_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`scale_id` field](NodeAttention#structfield.scale_id).
            #[inline]
            pub fn scale_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(3, "NodeAttention", "scale_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`mask_id` field](NodeAttention#structfield.mask_id).
            #[inline]
            pub fn mask_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(4, "NodeAttention", "mask_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`output_id` field](NodeAttention#structfield.output_id).
            #[inline]
            pub fn output_id(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(5, "NodeAttention", "output_id")?.unwrap_or(0),
                )
            }

            /// Getter for the [`flags` field](NodeAttention#structfield.flags).
            #[inline]
            pub fn flags(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(6, "NodeAttention", "flags")?.unwrap_or(0))
            }
        }

        impl<'a> ::core::fmt::Debug for NodeAttentionRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("NodeAttentionRef");
                f.field("query_id", &self.query_id());
                f.field("key_id", &self.key_id());
                f.field("value_id", &self.value_id());
                f.field("scale_id", &self.scale_id());
                f.field("mask_id", &self.mask_id());
                f.field("output_id", &self.output_id());
                f.field("flags", &self.flags());
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<NodeAttentionRef<'a>> for NodeAttention {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: NodeAttentionRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    query_id: ::core::convert::TryInto::try_into(value.query_id()?)?,
                    key_id: ::core::convert::TryInto::try_into(value.key_id()?)?,
                    value_id: ::core::convert::TryInto::try_into(value.value_id()?)?,
                    scale_id: ::core::convert::TryInto::try_into(value.scale_id()?)?,
                    mask_id: ::core::convert::TryInto::try_into(value.mask_id()?)?,
                    output_id: ::core::convert::TryInto::try_into(value.output_id()?)?,
                    flags: ::core::convert::TryInto::try_into(value.flags()?)?,
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for NodeAttentionRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for NodeAttentionRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[NodeAttentionRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<NodeAttention>> for NodeAttention {
            type Value = ::planus::Offset<NodeAttention>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<NodeAttention>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for NodeAttentionRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[NodeAttentionRef]", "read_as_root", 0)
                })
            }
        }

        /// The union `XNodeUnion` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Union `XNodeUnion` in the file `schema/payload.fbs:226`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub enum XNodeUnion {
            /// The variant `Add` in the union `XNodeUnion`
            Add(::planus::alloc::boxed::Box<self::Node2x1>),

            /// The variant `FullyConnected` in the union `XNodeUnion`
            FullyConnected(::planus::alloc::boxed::Box<self::NodeFullyConnected>),

            /// The variant `Softmax` in the union `XNodeUnion`
            Softmax(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Sigmoid` in the union `XNodeUnion`
            Sigmoid(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `StaticTranspose` in the union `XNodeUnion`
            StaticTranspose(::planus::alloc::boxed::Box<self::NodeTranspose>),

            /// The variant `Clamp` in the union `XNodeUnion`
            Clamp(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Conv2d` in the union `XNodeUnion`
            Conv2d(::planus::alloc::boxed::Box<self::NodeConv>),

            /// The variant `Div` in the union `XNodeUnion`
            Div(::planus::alloc::boxed::Box<self::Node2x1>),

            /// The variant `StaticResizeBilinear2D` in the union `XNodeUnion`
            StaticResizeBilinear2D(::planus::alloc::boxed::Box<self::NodeResizeBilinear>),

            /// The variant `StaticConstantPad` in the union `XNodeUnion`
            StaticConstantPad(::planus::alloc::boxed::Box<self::NodeConstantPad>),

            /// The variant `AvgPooling2d` in the union `XNodeUnion`
            AvgPooling2d(::planus::alloc::boxed::Box<self::NodePool>),

            /// The variant `Minimum` in the union `XNodeUnion`
            Minimum(::planus::alloc::boxed::Box<self::Node2x1>),

            /// The variant `DepthwiseConv2d` in the union `XNodeUnion`
            DepthwiseConv2d(::planus::alloc::boxed::Box<self::NodeConv>),

            /// The variant `MaxPooling2d` in the union `XNodeUnion`
            MaxPooling2d(::planus::alloc::boxed::Box<self::NodePool>),

            /// The variant `Multiply` in the union `XNodeUnion`
            Multiply(::planus::alloc::boxed::Box<self::Node2x1>),

            /// The variant `Subtract` in the union `XNodeUnion`
            Subtract(::planus::alloc::boxed::Box<self::Node2x1>),

            /// The variant `Floor` in the union `XNodeUnion`
            Floor(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Convert` in the union `XNodeUnion`
            Convert(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `GlobalAvgPooling2d` in the union `XNodeUnion`
            GlobalAvgPooling2d(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `StaticReshape` in the union `XNodeUnion`
            StaticReshape(::planus::alloc::boxed::Box<self::NodeReshape>),

            /// The variant `ArgMaxPooling2d` in the union `XNodeUnion`
            ArgMaxPooling2d(::planus::alloc::boxed::Box<self::NodeArgMaxPool>),

            /// The variant `SquareRoot` in the union `XNodeUnion`
            SquareRoot(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Ceiling` in the union `XNodeUnion`
            Ceiling(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Hardswish` in the union `XNodeUnion`
            Hardswish(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `LeakyReLU` in the union `XNodeUnion`
            LeakyReLu(::planus::alloc::boxed::Box<self::NodeLeakyRelu>),

            /// The variant `Maximum` in the union `XNodeUnion`
            Maximum(::planus::alloc::boxed::Box<self::Node2x1>),

            /// The variant `Negate` in the union `XNodeUnion`
            Negate(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Square` in the union `XNodeUnion`
            Square(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `ELU` in the union `XNodeUnion`
            Elu(::planus::alloc::boxed::Box<self::NodeElu>),

            /// The variant `Abs` in the union `XNodeUnion`
            Abs(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `PReLU` in the union `XNodeUnion`
            PReLu(::planus::alloc::boxed::Box<self::Node2x1>),

            /// The variant `Concatenate2` in the union `XNodeUnion`
            Concatenate2(::planus::alloc::boxed::Box<self::NodeConcat>),

            /// The variant `Concatenate3` in the union `XNodeUnion`
            Concatenate3(::planus::alloc::boxed::Box<self::NodeConcat>),

            /// The variant `Concatenate4` in the union `XNodeUnion`
            Concatenate4(::planus::alloc::boxed::Box<self::NodeConcat>),

            /// The variant `StaticSlice` in the union `XNodeUnion`
            StaticSlice(::planus::alloc::boxed::Box<self::NodeSlice>),

            /// The variant `ScaledDotProductAttention` in the union `XNodeUnion`
            ScaledDotProductAttention(::planus::alloc::boxed::Box<self::NodeAttention>),

            /// The variant `BatchMatrixMultiply` in the union `XNodeUnion`
            BatchMatrixMultiply(::planus::alloc::boxed::Box<self::Node2x1>),

            /// The variant `Concatenate5` in the union `XNodeUnion`
            Concatenate5(::planus::alloc::boxed::Box<self::NodeConcat>),

            /// The variant `ConvTranspose2d` in the union `XNodeUnion`
            ConvTranspose2d(::planus::alloc::boxed::Box<self::NodeConv>),

            /// The variant `ReciprocalSquareRoot` in the union `XNodeUnion`
            ReciprocalSquareRoot(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Log` in the union `XNodeUnion`
            Log(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Gelu` in the union `XNodeUnion`
            Gelu(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Tanh` in the union `XNodeUnion`
            Tanh(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Exp` in the union `XNodeUnion`
            Exp(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Sin` in the union `XNodeUnion`
            Sin(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Copy` in the union `XNodeUnion`
            Copy(::planus::alloc::boxed::Box<self::Node1x1>),

            /// The variant `Cos` in the union `XNodeUnion`
            Cos(::planus::alloc::boxed::Box<self::Node1x1>),
        }

        impl XNodeUnion {
            /// Creates a [XNodeUnionBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> XNodeUnionBuilder<::planus::Uninitialized> {
                XNodeUnionBuilder(::planus::Uninitialized)
            }

            #[inline]
            pub fn create_add(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node2x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(1, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_fully_connected(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeFullyConnected>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(2, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_softmax(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(3, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_sigmoid(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(4, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_static_transpose(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeTranspose>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(5, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_clamp(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(6, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_conv2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeConv>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(7, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_div(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node2x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(8, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_static_resize_bilinear2_d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeResizeBilinear>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(9, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_static_constant_pad(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeConstantPad>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(10, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_avg_pooling2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodePool>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(11, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_minimum(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node2x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(12, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_depthwise_conv2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeConv>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(13, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_max_pooling2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodePool>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(14, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_multiply(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node2x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(15, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_subtract(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node2x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(16, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_floor(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(17, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_convert(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(18, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_global_avg_pooling2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(19, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_static_reshape(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeReshape>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(20, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_arg_max_pooling2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeArgMaxPool>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(21, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_square_root(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(22, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_ceiling(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(23, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_hardswish(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(24, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_leaky_re_lu(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeLeakyRelu>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(25, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_maximum(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node2x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(26, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_negate(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(27, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_square(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(28, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_elu(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeElu>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(29, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_abs(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(30, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_p_re_lu(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node2x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(31, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_concatenate2(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeConcat>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(32, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_concatenate3(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeConcat>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(33, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_concatenate4(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeConcat>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(34, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_static_slice(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeSlice>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(35, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_scaled_dot_product_attention(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeAttention>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(36, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_batch_matrix_multiply(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node2x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(37, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_concatenate5(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeConcat>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(38, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_conv_transpose2d(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::NodeConv>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(39, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_reciprocal_square_root(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(40, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_log(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(41, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_gelu(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(42, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_tanh(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(43, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_exp(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(44, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_sin(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(45, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_copy(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(46, value.prepare(builder).downcast())
            }

            #[inline]
            pub fn create_cos(
                builder: &mut ::planus::Builder,
                value: impl ::planus::WriteAsOffset<self::Node1x1>,
            ) -> ::planus::UnionOffset<Self> {
                ::planus::UnionOffset::new(47, value.prepare(builder).downcast())
            }
        }

        impl ::planus::WriteAsUnion<XNodeUnion> for XNodeUnion {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::UnionOffset<Self> {
                match self {
                    Self::Add(value) => Self::create_add(builder, value),
                    Self::FullyConnected(value) => Self::create_fully_connected(builder, value),
                    Self::Softmax(value) => Self::create_softmax(builder, value),
                    Self::Sigmoid(value) => Self::create_sigmoid(builder, value),
                    Self::StaticTranspose(value) => Self::create_static_transpose(builder, value),
                    Self::Clamp(value) => Self::create_clamp(builder, value),
                    Self::Conv2d(value) => Self::create_conv2d(builder, value),
                    Self::Div(value) => Self::create_div(builder, value),
                    Self::StaticResizeBilinear2D(value) => {
                        Self::create_static_resize_bilinear2_d(builder, value)
                    }
                    Self::StaticConstantPad(value) => {
                        Self::create_static_constant_pad(builder, value)
                    }
                    Self::AvgPooling2d(value) => Self::create_avg_pooling2d(builder, value),
                    Self::Minimum(value) => Self::create_minimum(builder, value),
                    Self::DepthwiseConv2d(value) => Self::create_depthwise_conv2d(builder, value),
                    Self::MaxPooling2d(value) => Self::create_max_pooling2d(builder, value),
                    Self::Multiply(value) => Self::create_multiply(builder, value),
                    Self::Subtract(value) => Self::create_subtract(builder, value),
                    Self::Floor(value) => Self::create_floor(builder, value),
                    Self::Convert(value) => Self::create_convert(builder, value),
                    Self::GlobalAvgPooling2d(value) => {
                        Self::create_global_avg_pooling2d(builder, value)
                    }
                    Self::StaticReshape(value) => Self::create_static_reshape(builder, value),
                    Self::ArgMaxPooling2d(value) => Self::create_arg_max_pooling2d(builder, value),
                    Self::SquareRoot(value) => Self::create_square_root(builder, value),
                    Self::Ceiling(value) => Self::create_ceiling(builder, value),
                    Self::Hardswish(value) => Self::create_hardswish(builder, value),
                    Self::LeakyReLu(value) => Self::create_leaky_re_lu(builder, value),
                    Self::Maximum(value) => Self::create_maximum(builder, value),
                    Self::Negate(value) => Self::create_negate(builder, value),
                    Self::Square(value) => Self::create_square(builder, value),
                    Self::Elu(value) => Self::create_elu(builder, value),
                    Self::Abs(value) => Self::create_abs(builder, value),
                    Self::PReLu(value) => Self::create_p_re_lu(builder, value),
                    Self::Concatenate2(value) => Self::create_concatenate2(builder, value),
                    Self::Concatenate3(value) => Self::create_concatenate3(builder, value),
                    Self::Concatenate4(value) => Self::create_concatenate4(builder, value),
                    Self::StaticSlice(value) => Self::create_static_slice(builder, value),
                    Self::ScaledDotProductAttention(value) => {
                        Self::create_scaled_dot_product_attention(builder, value)
                    }
                    Self::BatchMatrixMultiply(value) => {
                        Self::create_batch_matrix_multiply(builder, value)
                    }
                    Self::Concatenate5(value) => Self::create_concatenate5(builder, value),
                    Self::ConvTranspose2d(value) => Self::create_conv_transpose2d(builder, value),
                    Self::ReciprocalSquareRoot(value) => {
                        Self::create_reciprocal_square_root(builder, value)
                    }
                    Self::Log(value) => Self::create_log(builder, value),
                    Self::Gelu(value) => Self::create_gelu(builder, value),
                    Self::Tanh(value) => Self::create_tanh(builder, value),
                    Self::Exp(value) => Self::create_exp(builder, value),
                    Self::Sin(value) => Self::create_sin(builder, value),
                    Self::Copy(value) => Self::create_copy(builder, value),
                    Self::Cos(value) => Self::create_cos(builder, value),
                }
            }
        }

        impl ::planus::WriteAsOptionalUnion<XNodeUnion> for XNodeUnion {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<Self>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }

        /// Builder for serializing an instance of the [XNodeUnion] type.
        ///
        /// Can be created using the [XNodeUnion::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct XNodeUnionBuilder<T>(T);

        impl XNodeUnionBuilder<::planus::Uninitialized> {
            /// Creates an instance of the [`Add` variant](XNodeUnion#variant.Add).
            #[inline]
            pub fn add<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<1, T>>
            where
                T: ::planus::WriteAsOffset<self::Node2x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`FullyConnected` variant](XNodeUnion#variant.FullyConnected).
            #[inline]
            pub fn fully_connected<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<2, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeFullyConnected>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Softmax` variant](XNodeUnion#variant.Softmax).
            #[inline]
            pub fn softmax<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<3, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Sigmoid` variant](XNodeUnion#variant.Sigmoid).
            #[inline]
            pub fn sigmoid<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<4, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`StaticTranspose` variant](XNodeUnion#variant.StaticTranspose).
            #[inline]
            pub fn static_transpose<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<5, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeTranspose>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Clamp` variant](XNodeUnion#variant.Clamp).
            #[inline]
            pub fn clamp<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<6, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Conv2d` variant](XNodeUnion#variant.Conv2d).
            #[inline]
            pub fn conv2d<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<7, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeConv>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Div` variant](XNodeUnion#variant.Div).
            #[inline]
            pub fn div<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<8, T>>
            where
                T: ::planus::WriteAsOffset<self::Node2x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`StaticResizeBilinear2D` variant](XNodeUnion#variant.StaticResizeBilinear2D).
            #[inline]
            pub fn static_resize_bilinear2_d<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<9, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeResizeBilinear>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`StaticConstantPad` variant](XNodeUnion#variant.StaticConstantPad).
            #[inline]
            pub fn static_constant_pad<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<10, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeConstantPad>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`AvgPooling2d` variant](XNodeUnion#variant.AvgPooling2d).
            #[inline]
            pub fn avg_pooling2d<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<11, T>>
            where
                T: ::planus::WriteAsOffset<self::NodePool>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Minimum` variant](XNodeUnion#variant.Minimum).
            #[inline]
            pub fn minimum<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<12, T>>
            where
                T: ::planus::WriteAsOffset<self::Node2x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`DepthwiseConv2d` variant](XNodeUnion#variant.DepthwiseConv2d).
            #[inline]
            pub fn depthwise_conv2d<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<13, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeConv>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`MaxPooling2d` variant](XNodeUnion#variant.MaxPooling2d).
            #[inline]
            pub fn max_pooling2d<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<14, T>>
            where
                T: ::planus::WriteAsOffset<self::NodePool>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Multiply` variant](XNodeUnion#variant.Multiply).
            #[inline]
            pub fn multiply<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<15, T>>
            where
                T: ::planus::WriteAsOffset<self::Node2x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Subtract` variant](XNodeUnion#variant.Subtract).
            #[inline]
            pub fn subtract<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<16, T>>
            where
                T: ::planus::WriteAsOffset<self::Node2x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Floor` variant](XNodeUnion#variant.Floor).
            #[inline]
            pub fn floor<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<17, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Convert` variant](XNodeUnion#variant.Convert).
            #[inline]
            pub fn convert<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<18, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`GlobalAvgPooling2d` variant](XNodeUnion#variant.GlobalAvgPooling2d).
            #[inline]
            pub fn global_avg_pooling2d<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<19, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`StaticReshape` variant](XNodeUnion#variant.StaticReshape).
            #[inline]
            pub fn static_reshape<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<20, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeReshape>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ArgMaxPooling2d` variant](XNodeUnion#variant.ArgMaxPooling2d).
            #[inline]
            pub fn arg_max_pooling2d<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<21, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeArgMaxPool>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`SquareRoot` variant](XNodeUnion#variant.SquareRoot).
            #[inline]
            pub fn square_root<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<22, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Ceiling` variant](XNodeUnion#variant.Ceiling).
            #[inline]
            pub fn ceiling<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<23, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Hardswish` variant](XNodeUnion#variant.Hardswish).
            #[inline]
            pub fn hardswish<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<24, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`LeakyReLU` variant](XNodeUnion#variant.LeakyReLu).
            #[inline]
            pub fn leaky_re_lu<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<25, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeLeakyRelu>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Maximum` variant](XNodeUnion#variant.Maximum).
            #[inline]
            pub fn maximum<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<26, T>>
            where
                T: ::planus::WriteAsOffset<self::Node2x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Negate` variant](XNodeUnion#variant.Negate).
            #[inline]
            pub fn negate<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<27, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Square` variant](XNodeUnion#variant.Square).
            #[inline]
            pub fn square<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<28, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ELU` variant](XNodeUnion#variant.Elu).
            #[inline]
            pub fn elu<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<29, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeElu>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Abs` variant](XNodeUnion#variant.Abs).
            #[inline]
            pub fn abs<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<30, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`PReLU` variant](XNodeUnion#variant.PReLu).
            #[inline]
            pub fn p_re_lu<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<31, T>>
            where
                T: ::planus::WriteAsOffset<self::Node2x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Concatenate2` variant](XNodeUnion#variant.Concatenate2).
            #[inline]
            pub fn concatenate2<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<32, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeConcat>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Concatenate3` variant](XNodeUnion#variant.Concatenate3).
            #[inline]
            pub fn concatenate3<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<33, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeConcat>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Concatenate4` variant](XNodeUnion#variant.Concatenate4).
            #[inline]
            pub fn concatenate4<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<34, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeConcat>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`StaticSlice` variant](XNodeUnion#variant.StaticSlice).
            #[inline]
            pub fn static_slice<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<35, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeSlice>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ScaledDotProductAttention` variant](XNodeUnion#variant.ScaledDotProductAttention).
            #[inline]
            pub fn scaled_dot_product_attention<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<36, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeAttention>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`BatchMatrixMultiply` variant](XNodeUnion#variant.BatchMatrixMultiply).
            #[inline]
            pub fn batch_matrix_multiply<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<37, T>>
            where
                T: ::planus::WriteAsOffset<self::Node2x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Concatenate5` variant](XNodeUnion#variant.Concatenate5).
            #[inline]
            pub fn concatenate5<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<38, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeConcat>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ConvTranspose2d` variant](XNodeUnion#variant.ConvTranspose2d).
            #[inline]
            pub fn conv_transpose2d<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<39, T>>
            where
                T: ::planus::WriteAsOffset<self::NodeConv>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`ReciprocalSquareRoot` variant](XNodeUnion#variant.ReciprocalSquareRoot).
            #[inline]
            pub fn reciprocal_square_root<T>(
                self,
                value: T,
            ) -> XNodeUnionBuilder<::planus::Initialized<40, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Log` variant](XNodeUnion#variant.Log).
            #[inline]
            pub fn log<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<41, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Gelu` variant](XNodeUnion#variant.Gelu).
            #[inline]
            pub fn gelu<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<42, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Tanh` variant](XNodeUnion#variant.Tanh).
            #[inline]
            pub fn tanh<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<43, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Exp` variant](XNodeUnion#variant.Exp).
            #[inline]
            pub fn exp<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<44, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Sin` variant](XNodeUnion#variant.Sin).
            #[inline]
            pub fn sin<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<45, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Copy` variant](XNodeUnion#variant.Copy).
            #[inline]
            pub fn copy<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<46, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }

            /// Creates an instance of the [`Cos` variant](XNodeUnion#variant.Cos).
            #[inline]
            pub fn cos<T>(self, value: T) -> XNodeUnionBuilder<::planus::Initialized<47, T>>
            where
                T: ::planus::WriteAsOffset<self::Node1x1>,
            {
                XNodeUnionBuilder(::planus::Initialized(value))
            }
        }

        impl<const N: u8, T> XNodeUnionBuilder<::planus::Initialized<N, T>> {
            /// Finish writing the builder to get an [UnionOffset](::planus::UnionOffset) to a serialized [XNodeUnion].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion>
            where
                Self: ::planus::WriteAsUnion<XNodeUnion>,
            {
                ::planus::WriteAsUnion::prepare(&self, builder)
            }
        }

        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<1, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(1, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<1, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<2, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeFullyConnected>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(2, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<2, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeFullyConnected>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<3, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(3, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<3, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<4, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(4, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<4, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<5, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeTranspose>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(5, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<5, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeTranspose>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<6, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(6, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<6, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<7, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConv>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(7, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<7, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConv>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<8, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(8, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<8, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<9, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeResizeBilinear>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(9, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<9, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeResizeBilinear>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<10, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConstantPad>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(10, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<10, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConstantPad>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<11, T>>
        where
            T: ::planus::WriteAsOffset<self::NodePool>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(11, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<11, T>>
        where
            T: ::planus::WriteAsOffset<self::NodePool>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<12, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(12, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<12, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<13, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConv>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(13, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<13, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConv>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<14, T>>
        where
            T: ::planus::WriteAsOffset<self::NodePool>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(14, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<14, T>>
        where
            T: ::planus::WriteAsOffset<self::NodePool>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<15, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(15, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<15, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<16, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(16, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<16, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<17, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(17, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<17, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<18, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(18, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<18, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<19, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(19, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<19, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<20, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeReshape>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(20, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<20, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeReshape>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<21, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeArgMaxPool>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(21, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<21, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeArgMaxPool>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<22, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(22, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<22, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<23, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(23, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<23, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<24, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(24, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<24, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<25, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeLeakyRelu>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(25, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<25, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeLeakyRelu>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<26, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(26, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<26, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<27, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(27, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<27, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<28, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(28, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<28, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<29, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeElu>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(29, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<29, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeElu>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<30, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(30, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<30, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<31, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(31, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<31, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<32, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConcat>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(32, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<32, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConcat>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<33, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConcat>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(33, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<33, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConcat>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<34, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConcat>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(34, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<34, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConcat>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<35, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeSlice>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(35, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<35, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeSlice>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<36, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeAttention>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(36, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<36, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeAttention>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<37, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(37, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<37, T>>
        where
            T: ::planus::WriteAsOffset<self::Node2x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<38, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConcat>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(38, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<38, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConcat>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<39, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConv>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(39, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<39, T>>
        where
            T: ::planus::WriteAsOffset<self::NodeConv>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<40, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(40, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<40, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<41, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(41, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<41, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<42, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(42, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<42, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<43, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(43, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<43, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<44, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(44, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<44, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<45, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(45, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<45, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<46, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(46, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<46, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }
        impl<T> ::planus::WriteAsUnion<XNodeUnion> for XNodeUnionBuilder<::planus::Initialized<47, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::UnionOffset<XNodeUnion> {
                ::planus::UnionOffset::new(47, (self.0).0.prepare(builder).downcast())
            }
        }

        impl<T> ::planus::WriteAsOptionalUnion<XNodeUnion>
            for XNodeUnionBuilder<::planus::Initialized<47, T>>
        where
            T: ::planus::WriteAsOffset<self::Node1x1>,
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::UnionOffset<XNodeUnion>> {
                ::core::option::Option::Some(::planus::WriteAsUnion::prepare(self, builder))
            }
        }

        /// Reference to a deserialized [XNodeUnion].
        #[derive(Copy, Clone, Debug)]
        pub enum XNodeUnionRef<'a> {
            Add(self::Node2x1Ref<'a>),
            FullyConnected(self::NodeFullyConnectedRef<'a>),
            Softmax(self::Node1x1Ref<'a>),
            Sigmoid(self::Node1x1Ref<'a>),
            StaticTranspose(self::NodeTransposeRef<'a>),
            Clamp(self::Node1x1Ref<'a>),
            Conv2d(self::NodeConvRef<'a>),
            Div(self::Node2x1Ref<'a>),
            StaticResizeBilinear2D(self::NodeResizeBilinearRef<'a>),
            StaticConstantPad(self::NodeConstantPadRef<'a>),
            AvgPooling2d(self::NodePoolRef<'a>),
            Minimum(self::Node2x1Ref<'a>),
            DepthwiseConv2d(self::NodeConvRef<'a>),
            MaxPooling2d(self::NodePoolRef<'a>),
            Multiply(self::Node2x1Ref<'a>),
            Subtract(self::Node2x1Ref<'a>),
            Floor(self::Node1x1Ref<'a>),
            Convert(self::Node1x1Ref<'a>),
            GlobalAvgPooling2d(self::Node1x1Ref<'a>),
            StaticReshape(self::NodeReshapeRef<'a>),
            ArgMaxPooling2d(self::NodeArgMaxPoolRef<'a>),
            SquareRoot(self::Node1x1Ref<'a>),
            Ceiling(self::Node1x1Ref<'a>),
            Hardswish(self::Node1x1Ref<'a>),
            LeakyReLu(self::NodeLeakyReluRef<'a>),
            Maximum(self::Node2x1Ref<'a>),
            Negate(self::Node1x1Ref<'a>),
            Square(self::Node1x1Ref<'a>),
            Elu(self::NodeEluRef<'a>),
            Abs(self::Node1x1Ref<'a>),
            PReLu(self::Node2x1Ref<'a>),
            Concatenate2(self::NodeConcatRef<'a>),
            Concatenate3(self::NodeConcatRef<'a>),
            Concatenate4(self::NodeConcatRef<'a>),
            StaticSlice(self::NodeSliceRef<'a>),
            ScaledDotProductAttention(self::NodeAttentionRef<'a>),
            BatchMatrixMultiply(self::Node2x1Ref<'a>),
            Concatenate5(self::NodeConcatRef<'a>),
            ConvTranspose2d(self::NodeConvRef<'a>),
            ReciprocalSquareRoot(self::Node1x1Ref<'a>),
            Log(self::Node1x1Ref<'a>),
            Gelu(self::Node1x1Ref<'a>),
            Tanh(self::Node1x1Ref<'a>),
            Exp(self::Node1x1Ref<'a>),
            Sin(self::Node1x1Ref<'a>),
            Copy(self::Node1x1Ref<'a>),
            Cos(self::Node1x1Ref<'a>),
        }

        impl<'a> ::core::convert::TryFrom<XNodeUnionRef<'a>> for XNodeUnion {
            type Error = ::planus::Error;

            fn try_from(value: XNodeUnionRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(match value {
                    XNodeUnionRef::Add(value) => Self::Add(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::FullyConnected(value) => {
                        Self::FullyConnected(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Softmax(value) => {
                        Self::Softmax(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Sigmoid(value) => {
                        Self::Sigmoid(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::StaticTranspose(value) => {
                        Self::StaticTranspose(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Clamp(value) => Self::Clamp(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Conv2d(value) => Self::Conv2d(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Div(value) => Self::Div(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::StaticResizeBilinear2D(value) => {
                        Self::StaticResizeBilinear2D(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::StaticConstantPad(value) => {
                        Self::StaticConstantPad(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::AvgPooling2d(value) => {
                        Self::AvgPooling2d(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Minimum(value) => {
                        Self::Minimum(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::DepthwiseConv2d(value) => {
                        Self::DepthwiseConv2d(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::MaxPooling2d(value) => {
                        Self::MaxPooling2d(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Multiply(value) => {
                        Self::Multiply(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Subtract(value) => {
                        Self::Subtract(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Floor(value) => Self::Floor(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Convert(value) => {
                        Self::Convert(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::GlobalAvgPooling2d(value) => {
                        Self::GlobalAvgPooling2d(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::StaticReshape(value) => {
                        Self::StaticReshape(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::ArgMaxPooling2d(value) => {
                        Self::ArgMaxPooling2d(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::SquareRoot(value) => {
                        Self::SquareRoot(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Ceiling(value) => {
                        Self::Ceiling(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Hardswish(value) => {
                        Self::Hardswish(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::LeakyReLu(value) => {
                        Self::LeakyReLu(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Maximum(value) => {
                        Self::Maximum(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Negate(value) => Self::Negate(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Square(value) => Self::Square(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Elu(value) => Self::Elu(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Abs(value) => Self::Abs(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::PReLu(value) => Self::PReLu(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Concatenate2(value) => {
                        Self::Concatenate2(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Concatenate3(value) => {
                        Self::Concatenate3(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Concatenate4(value) => {
                        Self::Concatenate4(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::StaticSlice(value) => {
                        Self::StaticSlice(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::ScaledDotProductAttention(value) => {
                        Self::ScaledDotProductAttention(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::BatchMatrixMultiply(value) => {
                        Self::BatchMatrixMultiply(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Concatenate5(value) => {
                        Self::Concatenate5(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::ConvTranspose2d(value) => {
                        Self::ConvTranspose2d(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::ReciprocalSquareRoot(value) => {
                        Self::ReciprocalSquareRoot(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryFrom::try_from(value)?,
                        ))
                    }

                    XNodeUnionRef::Log(value) => Self::Log(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Gelu(value) => Self::Gelu(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Tanh(value) => Self::Tanh(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Exp(value) => Self::Exp(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Sin(value) => Self::Sin(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Copy(value) => Self::Copy(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),

                    XNodeUnionRef::Cos(value) => Self::Cos(::planus::alloc::boxed::Box::new(
                        ::core::convert::TryFrom::try_from(value)?,
                    )),
                })
            }
        }

        impl<'a> ::planus::TableReadUnion<'a> for XNodeUnionRef<'a> {
            fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                tag: u8,
                field_offset: usize,
            ) -> ::core::result::Result<Self, ::planus::errors::ErrorKind> {
                match tag {
                    1 => ::core::result::Result::Ok(Self::Add(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    2 => ::core::result::Result::Ok(Self::FullyConnected(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    3 => ::core::result::Result::Ok(Self::Softmax(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    4 => ::core::result::Result::Ok(Self::Sigmoid(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    5 => ::core::result::Result::Ok(Self::StaticTranspose(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    6 => ::core::result::Result::Ok(Self::Clamp(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    7 => ::core::result::Result::Ok(Self::Conv2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    8 => ::core::result::Result::Ok(Self::Div(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    9 => ::core::result::Result::Ok(Self::StaticResizeBilinear2D(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    10 => ::core::result::Result::Ok(Self::StaticConstantPad(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    11 => ::core::result::Result::Ok(Self::AvgPooling2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    12 => ::core::result::Result::Ok(Self::Minimum(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    13 => ::core::result::Result::Ok(Self::DepthwiseConv2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    14 => ::core::result::Result::Ok(Self::MaxPooling2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    15 => ::core::result::Result::Ok(Self::Multiply(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    16 => ::core::result::Result::Ok(Self::Subtract(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    17 => ::core::result::Result::Ok(Self::Floor(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    18 => ::core::result::Result::Ok(Self::Convert(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    19 => ::core::result::Result::Ok(Self::GlobalAvgPooling2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    20 => ::core::result::Result::Ok(Self::StaticReshape(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    21 => ::core::result::Result::Ok(Self::ArgMaxPooling2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    22 => ::core::result::Result::Ok(Self::SquareRoot(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    23 => ::core::result::Result::Ok(Self::Ceiling(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    24 => ::core::result::Result::Ok(Self::Hardswish(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    25 => ::core::result::Result::Ok(Self::LeakyReLu(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    26 => ::core::result::Result::Ok(Self::Maximum(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    27 => ::core::result::Result::Ok(Self::Negate(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    28 => ::core::result::Result::Ok(Self::Square(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    29 => ::core::result::Result::Ok(Self::Elu(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    30 => ::core::result::Result::Ok(Self::Abs(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    31 => ::core::result::Result::Ok(Self::PReLu(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    32 => ::core::result::Result::Ok(Self::Concatenate2(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    33 => ::core::result::Result::Ok(Self::Concatenate3(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    34 => ::core::result::Result::Ok(Self::Concatenate4(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    35 => ::core::result::Result::Ok(Self::StaticSlice(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    36 => ::core::result::Result::Ok(Self::ScaledDotProductAttention(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    37 => ::core::result::Result::Ok(Self::BatchMatrixMultiply(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    38 => ::core::result::Result::Ok(Self::Concatenate5(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    39 => ::core::result::Result::Ok(Self::ConvTranspose2d(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    40 => ::core::result::Result::Ok(Self::ReciprocalSquareRoot(
                        ::planus::TableRead::from_buffer(buffer, field_offset)?,
                    )),
                    41 => ::core::result::Result::Ok(Self::Log(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    42 => ::core::result::Result::Ok(Self::Gelu(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    43 => ::core::result::Result::Ok(Self::Tanh(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    44 => ::core::result::Result::Ok(Self::Exp(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    45 => ::core::result::Result::Ok(Self::Sin(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    46 => ::core::result::Result::Ok(Self::Copy(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    47 => ::core::result::Result::Ok(Self::Cos(::planus::TableRead::from_buffer(
                        buffer,
                        field_offset,
                    )?)),
                    _ => {
                        ::core::result::Result::Err(::planus::errors::ErrorKind::UnknownUnionTag {
                            tag,
                        })
                    }
                }
            }
        }

        impl<'a> ::planus::VectorReadUnion<'a> for XNodeUnionRef<'a> {
            const VECTOR_NAME: &'static str = "[XNodeUnionRef]";
        }

        /// The table `OutputMinMax` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `OutputMinMax` in the file `schema/payload.fbs:276`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub struct OutputMinMax {
            /// The field `output_min` in the table `OutputMinMax`
            pub output_min: ::core::option::Option<f32>,
            /// The field `output_max` in the table `OutputMinMax`
            pub output_max: ::core::option::Option<f32>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for OutputMinMax {
            fn default() -> Self {
                Self {
                    output_min: ::core::default::Default::default(),
                    output_max: ::core::default::Default::default(),
                }
            }
        }

        impl OutputMinMax {
            /// Creates a [OutputMinMaxBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> OutputMinMaxBuilder<()> {
                OutputMinMaxBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_output_min: impl ::planus::WriteAsOptional<f32>,
                field_output_max: impl ::planus::WriteAsOptional<f32>,
            ) -> ::planus::Offset<Self> {
                let prepared_output_min = field_output_min.prepare(builder);
                let prepared_output_max = field_output_max.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<8> =
                    ::core::default::Default::default();
                if prepared_output_min.is_some() {
                    table_writer.write_entry::<f32>(0);
                }
                if prepared_output_max.is_some() {
                    table_writer.write_entry::<f32>(1);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_output_min) =
                            prepared_output_min
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_min);
                        }
                        if let ::core::option::Option::Some(prepared_output_max) =
                            prepared_output_max
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_max);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<OutputMinMax>> for OutputMinMax {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<OutputMinMax> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<OutputMinMax>> for OutputMinMax {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<OutputMinMax>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<OutputMinMax> for OutputMinMax {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<OutputMinMax> {
                OutputMinMax::create(builder, self.output_min, self.output_max)
            }
        }

        /// Builder for serializing an instance of the [OutputMinMax] type.
        ///
        /// Can be created using the [OutputMinMax::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct OutputMinMaxBuilder<State>(State);

        impl OutputMinMaxBuilder<()> {
            /// Setter for the [`output_min` field](OutputMinMax#structfield.output_min).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_min<T0>(self, value: T0) -> OutputMinMaxBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<f32>,
            {
                OutputMinMaxBuilder((value,))
            }

            /// Sets the [`output_min` field](OutputMinMax#structfield.output_min) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_min_as_null(self) -> OutputMinMaxBuilder<((),)> {
                self.output_min(())
            }
        }

        impl<T0> OutputMinMaxBuilder<(T0,)> {
            /// Setter for the [`output_max` field](OutputMinMax#structfield.output_max).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_max<T1>(self, value: T1) -> OutputMinMaxBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<f32>,
            {
                let (v0,) = self.0;
                OutputMinMaxBuilder((v0, value))
            }

            /// Sets the [`output_max` field](OutputMinMax#structfield.output_max) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_max_as_null(self) -> OutputMinMaxBuilder<(T0, ())> {
                self.output_max(())
            }
        }

        impl<T0, T1> OutputMinMaxBuilder<(T0, T1)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [OutputMinMax].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<OutputMinMax>
            where
                Self: ::planus::WriteAsOffset<OutputMinMax>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptional<f32>, T1: ::planus::WriteAsOptional<f32>>
            ::planus::WriteAs<::planus::Offset<OutputMinMax>> for OutputMinMaxBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<OutputMinMax>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<OutputMinMax> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<T0: ::planus::WriteAsOptional<f32>, T1: ::planus::WriteAsOptional<f32>>
            ::planus::WriteAsOptional<::planus::Offset<OutputMinMax>>
            for OutputMinMaxBuilder<(T0, T1)>
        {
            type Prepared = ::planus::Offset<OutputMinMax>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<OutputMinMax>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<T0: ::planus::WriteAsOptional<f32>, T1: ::planus::WriteAsOptional<f32>>
            ::planus::WriteAsOffset<OutputMinMax> for OutputMinMaxBuilder<(T0, T1)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<OutputMinMax> {
                let (v0, v1) = &self.0;
                OutputMinMax::create(builder, v0, v1)
            }
        }

        /// Reference to a deserialized [OutputMinMax].
        #[derive(Copy, Clone)]
        pub struct OutputMinMaxRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> OutputMinMaxRef<'a> {
            /// Getter for the [`output_min` field](OutputMinMax#structfield.output_min).
            #[inline]
            pub fn output_min(&self) -> ::planus::Result<::core::option::Option<f32>> {
                self.0.access(0, "OutputMinMax", "output_min")
            }

            /// Getter for the [`output_max` field](OutputMinMax#structfield.output_max).
            #[inline]
            pub fn output_max(&self) -> ::planus::Result<::core::option::Option<f32>> {
                self.0.access(1, "OutputMinMax", "output_max")
            }
        }

        impl<'a> ::core::fmt::Debug for OutputMinMaxRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("OutputMinMaxRef");
                if let ::core::option::Option::Some(field_output_min) =
                    self.output_min().transpose()
                {
                    f.field("output_min", &field_output_min);
                }
                if let ::core::option::Option::Some(field_output_max) =
                    self.output_max().transpose()
                {
                    f.field("output_max", &field_output_max);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<OutputMinMaxRef<'a>> for OutputMinMax {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: OutputMinMaxRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    output_min: if let ::core::option::Option::Some(output_min) =
                        value.output_min()?
                    {
                        ::core::option::Option::Some(::core::convert::TryInto::try_into(
                            output_min,
                        )?)
                    } else {
                        ::core::option::Option::None
                    },
                    output_max: if let ::core::option::Option::Some(output_max) =
                        value.output_max()?
                    {
                        ::core::option::Option::Some(::core::convert::TryInto::try_into(
                            output_max,
                        )?)
                    } else {
                        ::core::option::Option::None
                    },
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for OutputMinMaxRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for OutputMinMaxRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[OutputMinMaxRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<OutputMinMax>> for OutputMinMax {
            type Value = ::planus::Offset<OutputMinMax>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<OutputMinMax>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for OutputMinMaxRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[OutputMinMaxRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `XNode` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `XNode` in the file `schema/payload.fbs:281`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub struct XNode {
            /// The field `xnode_union` in the table `XNode`
            pub xnode_union: ::core::option::Option<self::XNodeUnion>,
            /// The field `debug_handle` in the table `XNode`
            pub debug_handle: u32,
            /// The field `output_min_max` in the table `XNode`
            pub output_min_max:
                ::core::option::Option<::planus::alloc::boxed::Box<self::OutputMinMax>>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for XNode {
            fn default() -> Self {
                Self {
                    xnode_union: ::core::default::Default::default(),
                    debug_handle: 0,
                    output_min_max: ::core::default::Default::default(),
                }
            }
        }

        impl XNode {
            /// Creates a [XNodeBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> XNodeBuilder<()> {
                XNodeBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_xnode_union: impl ::planus::WriteAsOptionalUnion<self::XNodeUnion>,
                field_debug_handle: impl ::planus::WriteAsDefault<u32, u32>,
                field_output_min_max: impl ::planus::WriteAsOptional<
                    ::planus::Offset<self::OutputMinMax>,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_xnode_union = field_xnode_union.prepare(builder);
                let prepared_debug_handle = field_debug_handle.prepare(builder, &0);
                let prepared_output_min_max = field_output_min_max.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<12> =
                    ::core::default::Default::default();
                if prepared_xnode_union.is_some() {
                    table_writer.write_entry::<::planus::Offset<self::XNodeUnion>>(1);
                }
                if prepared_debug_handle.is_some() {
                    table_writer.write_entry::<u32>(2);
                }
                if prepared_output_min_max.is_some() {
                    table_writer.write_entry::<::planus::Offset<self::OutputMinMax>>(3);
                }
                if prepared_xnode_union.is_some() {
                    table_writer.write_entry::<u8>(0);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_xnode_union) =
                            prepared_xnode_union
                        {
                            object_writer.write::<_, _, 4>(&prepared_xnode_union.offset());
                        }
                        if let ::core::option::Option::Some(prepared_debug_handle) =
                            prepared_debug_handle
                        {
                            object_writer.write::<_, _, 4>(&prepared_debug_handle);
                        }
                        if let ::core::option::Option::Some(prepared_output_min_max) =
                            prepared_output_min_max
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_min_max);
                        }
                        if let ::core::option::Option::Some(prepared_xnode_union) =
                            prepared_xnode_union
                        {
                            object_writer.write::<_, _, 1>(&prepared_xnode_union.tag());
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<XNode>> for XNode {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XNode> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<XNode>> for XNode {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<XNode>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<XNode> for XNode {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XNode> {
                XNode::create(
                    builder,
                    &self.xnode_union,
                    self.debug_handle,
                    &self.output_min_max,
                )
            }
        }

        /// Builder for serializing an instance of the [XNode] type.
        ///
        /// Can be created using the [XNode::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct XNodeBuilder<State>(State);

        impl XNodeBuilder<()> {
            /// Setter for the [`xnode_union` field](XNode#structfield.xnode_union).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn xnode_union<T0>(self, value: T0) -> XNodeBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptionalUnion<self::XNodeUnion>,
            {
                XNodeBuilder((value,))
            }

            /// Sets the [`xnode_union` field](XNode#structfield.xnode_union) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn xnode_union_as_null(self) -> XNodeBuilder<((),)> {
                self.xnode_union(())
            }
        }

        impl<T0> XNodeBuilder<(T0,)> {
            /// Setter for the [`debug_handle` field](XNode#structfield.debug_handle).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn debug_handle<T1>(self, value: T1) -> XNodeBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0,) = self.0;
                XNodeBuilder((v0, value))
            }

            /// Sets the [`debug_handle` field](XNode#structfield.debug_handle) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn debug_handle_as_default(self) -> XNodeBuilder<(T0, ::planus::DefaultValue)> {
                self.debug_handle(::planus::DefaultValue)
            }
        }

        impl<T0, T1> XNodeBuilder<(T0, T1)> {
            /// Setter for the [`output_min_max` field](XNode#structfield.output_min_max).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_min_max<T2>(self, value: T2) -> XNodeBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<::planus::Offset<self::OutputMinMax>>,
            {
                let (v0, v1) = self.0;
                XNodeBuilder((v0, v1, value))
            }

            /// Sets the [`output_min_max` field](XNode#structfield.output_min_max) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_min_max_as_null(self) -> XNodeBuilder<(T0, T1, ())> {
                self.output_min_max(())
            }
        }

        impl<T0, T1, T2> XNodeBuilder<(T0, T1, T2)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [XNode].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<XNode>
            where
                Self: ::planus::WriteAsOffset<XNode>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptionalUnion<self::XNodeUnion>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsOptional<::planus::Offset<self::OutputMinMax>>,
        > ::planus::WriteAs<::planus::Offset<XNode>> for XNodeBuilder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<XNode>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XNode> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptionalUnion<self::XNodeUnion>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsOptional<::planus::Offset<self::OutputMinMax>>,
        > ::planus::WriteAsOptional<::planus::Offset<XNode>> for XNodeBuilder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<XNode>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<XNode>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptionalUnion<self::XNodeUnion>,
            T1: ::planus::WriteAsDefault<u32, u32>,
            T2: ::planus::WriteAsOptional<::planus::Offset<self::OutputMinMax>>,
        > ::planus::WriteAsOffset<XNode> for XNodeBuilder<(T0, T1, T2)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XNode> {
                let (v0, v1, v2) = &self.0;
                XNode::create(builder, v0, v1, v2)
            }
        }

        /// Reference to a deserialized [XNode].
        #[derive(Copy, Clone)]
        pub struct XNodeRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> XNodeRef<'a> {
            /// Getter for the [`xnode_union` field](XNode#structfield.xnode_union).
            #[inline]
            pub fn xnode_union(
                &self,
            ) -> ::planus::Result<::core::option::Option<self::XNodeUnionRef<'a>>> {
                self.0.access_union(0, "XNode", "xnode_union")
            }

            /// Getter for the [`debug_handle` field](XNode#structfield.debug_handle).
            #[inline]
            pub fn debug_handle(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(self.0.access(2, "XNode", "debug_handle")?.unwrap_or(0))
            }

            /// Getter for the [`output_min_max` field](XNode#structfield.output_min_max).
            #[inline]
            pub fn output_min_max(
                &self,
            ) -> ::planus::Result<::core::option::Option<self::OutputMinMaxRef<'a>>> {
                self.0.access(3, "XNode", "output_min_max")
            }
        }

        impl<'a> ::core::fmt::Debug for XNodeRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("XNodeRef");
                if let ::core::option::Option::Some(field_xnode_union) =
                    self.xnode_union().transpose()
                {
                    f.field("xnode_union", &field_xnode_union);
                }
                f.field("debug_handle", &self.debug_handle());
                if let ::core::option::Option::Some(field_output_min_max) =
                    self.output_min_max().transpose()
                {
                    f.field("output_min_max", &field_output_min_max);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<XNodeRef<'a>> for XNode {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: XNodeRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    xnode_union: if let ::core::option::Option::Some(xnode_union) =
                        value.xnode_union()?
                    {
                        ::core::option::Option::Some(::core::convert::TryInto::try_into(
                            xnode_union,
                        )?)
                    } else {
                        ::core::option::Option::None
                    },
                    debug_handle: ::core::convert::TryInto::try_into(value.debug_handle()?)?,
                    output_min_max: if let ::core::option::Option::Some(output_min_max) =
                        value.output_min_max()?
                    {
                        ::core::option::Option::Some(::planus::alloc::boxed::Box::new(
                            ::core::convert::TryInto::try_into(output_min_max)?,
                        ))
                    } else {
                        ::core::option::Option::None
                    },
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for XNodeRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for XNodeRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location("[XNodeRef]", "get", buffer.offset_from_start)
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<XNode>> for XNode {
            type Value = ::planus::Offset<XNode>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<XNode>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for XNodeRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[XNodeRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `ConstantDataOffset` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `ConstantDataOffset` in the file `schema/payload.fbs:287`
        #[derive(Clone, Debug, PartialEq, PartialOrd, Eq, Ord, Hash)]
        pub struct ConstantDataOffset {
            /// The field `offset` in the table `ConstantDataOffset`
            pub offset: u64,
            /// The field `size` in the table `ConstantDataOffset`
            pub size: u64,
            /// The field `named_key` in the table `ConstantDataOffset`
            pub named_key: ::core::option::Option<::planus::alloc::string::String>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for ConstantDataOffset {
            fn default() -> Self {
                Self {
                    offset: 0,
                    size: 0,
                    named_key: ::core::default::Default::default(),
                }
            }
        }

        impl ConstantDataOffset {
            /// Creates a [ConstantDataOffsetBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> ConstantDataOffsetBuilder<()> {
                ConstantDataOffsetBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_offset: impl ::planus::WriteAsDefault<u64, u64>,
                field_size: impl ::planus::WriteAsDefault<u64, u64>,
                field_named_key: impl ::planus::WriteAsOptional<
                    ::planus::Offset<::core::primitive::str>,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_offset = field_offset.prepare(builder, &0);
                let prepared_size = field_size.prepare(builder, &0);
                let prepared_named_key = field_named_key.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<10> =
                    ::core::default::Default::default();
                if prepared_offset.is_some() {
                    table_writer.write_entry::<u64>(0);
                }
                if prepared_size.is_some() {
                    table_writer.write_entry::<u64>(1);
                }
                if prepared_named_key.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(2);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_offset) = prepared_offset {
                            object_writer.write::<_, _, 8>(&prepared_offset);
                        }
                        if let ::core::option::Option::Some(prepared_size) = prepared_size {
                            object_writer.write::<_, _, 8>(&prepared_size);
                        }
                        if let ::core::option::Option::Some(prepared_named_key) = prepared_named_key
                        {
                            object_writer.write::<_, _, 4>(&prepared_named_key);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<ConstantDataOffset>> for ConstantDataOffset {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ConstantDataOffset> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<ConstantDataOffset>> for ConstantDataOffset {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<ConstantDataOffset>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<ConstantDataOffset> for ConstantDataOffset {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ConstantDataOffset> {
                ConstantDataOffset::create(builder, self.offset, self.size, &self.named_key)
            }
        }

        /// Builder for serializing an instance of the [ConstantDataOffset] type.
        ///
        /// Can be created using the [ConstantDataOffset::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct ConstantDataOffsetBuilder<State>(State);

        impl ConstantDataOffsetBuilder<()> {
            /// Setter for the [`offset` field](ConstantDataOffset#structfield.offset).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn offset<T0>(self, value: T0) -> ConstantDataOffsetBuilder<(T0,)>
            where
                T0: ::planus::WriteAsDefault<u64, u64>,
            {
                ConstantDataOffsetBuilder((value,))
            }

            /// Sets the [`offset` field](ConstantDataOffset#structfield.offset) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn offset_as_default(self) -> ConstantDataOffsetBuilder<(::planus::DefaultValue,)> {
                self.offset(::planus::DefaultValue)
            }
        }

        impl<T0> ConstantDataOffsetBuilder<(T0,)> {
            /// Setter for the [`size` field](ConstantDataOffset#structfield.size).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn size<T1>(self, value: T1) -> ConstantDataOffsetBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsDefault<u64, u64>,
            {
                let (v0,) = self.0;
                ConstantDataOffsetBuilder((v0, value))
            }

            /// Sets the [`size` field](ConstantDataOffset#structfield.size) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn size_as_default(
                self,
            ) -> ConstantDataOffsetBuilder<(T0, ::planus::DefaultValue)> {
                self.size(::planus::DefaultValue)
            }
        }

        impl<T0, T1> ConstantDataOffsetBuilder<(T0, T1)> {
            /// Setter for the [`named_key` field](ConstantDataOffset#structfield.named_key).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn named_key<T2>(self, value: T2) -> ConstantDataOffsetBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                let (v0, v1) = self.0;
                ConstantDataOffsetBuilder((v0, v1, value))
            }

            /// Sets the [`named_key` field](ConstantDataOffset#structfield.named_key) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn named_key_as_null(self) -> ConstantDataOffsetBuilder<(T0, T1, ())> {
                self.named_key(())
            }
        }

        impl<T0, T1, T2> ConstantDataOffsetBuilder<(T0, T1, T2)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [ConstantDataOffset].
            #[inline]
            pub fn finish(
                self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ConstantDataOffset>
            where
                Self: ::planus::WriteAsOffset<ConstantDataOffset>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u64, u64>,
            T1: ::planus::WriteAsDefault<u64, u64>,
            T2: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
        > ::planus::WriteAs<::planus::Offset<ConstantDataOffset>>
            for ConstantDataOffsetBuilder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<ConstantDataOffset>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ConstantDataOffset> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u64, u64>,
            T1: ::planus::WriteAsDefault<u64, u64>,
            T2: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
        > ::planus::WriteAsOptional<::planus::Offset<ConstantDataOffset>>
            for ConstantDataOffsetBuilder<(T0, T1, T2)>
        {
            type Prepared = ::planus::Offset<ConstantDataOffset>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<ConstantDataOffset>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsDefault<u64, u64>,
            T1: ::planus::WriteAsDefault<u64, u64>,
            T2: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
        > ::planus::WriteAsOffset<ConstantDataOffset> for ConstantDataOffsetBuilder<(T0, T1, T2)>
        {
            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::planus::Offset<ConstantDataOffset> {
                let (v0, v1, v2) = &self.0;
                ConstantDataOffset::create(builder, v0, v1, v2)
            }
        }

        /// Reference to a deserialized [ConstantDataOffset].
        #[derive(Copy, Clone)]
        pub struct ConstantDataOffsetRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> ConstantDataOffsetRef<'a> {
            /// Getter for the [`offset` field](ConstantDataOffset#structfield.offset).
            #[inline]
            pub fn offset(&self) -> ::planus::Result<u64> {
                ::core::result::Result::Ok(
                    self.0
                        .access(0, "ConstantDataOffset", "offset")?
                        .unwrap_or(0),
                )
            }

            /// Getter for the [`size` field](ConstantDataOffset#structfield.size).
            #[inline]
            pub fn size(&self) -> ::planus::Result<u64> {
                ::core::result::Result::Ok(
                    self.0.access(1, "ConstantDataOffset", "size")?.unwrap_or(0),
                )
            }

            /// Getter for the [`named_key` field](ConstantDataOffset#structfield.named_key).
            #[inline]
            pub fn named_key(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(2, "ConstantDataOffset", "named_key")
            }
        }

        impl<'a> ::core::fmt::Debug for ConstantDataOffsetRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("ConstantDataOffsetRef");
                f.field("offset", &self.offset());
                f.field("size", &self.size());
                if let ::core::option::Option::Some(field_named_key) = self.named_key().transpose()
                {
                    f.field("named_key", &field_named_key);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<ConstantDataOffsetRef<'a>> for ConstantDataOffset {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: ConstantDataOffsetRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    offset: ::core::convert::TryInto::try_into(value.offset()?)?,
                    size: ::core::convert::TryInto::try_into(value.size()?)?,
                    named_key: value.named_key()?.map(::core::convert::Into::into),
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for ConstantDataOffsetRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for ConstantDataOffsetRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location(
                        "[ConstantDataOffsetRef]",
                        "get",
                        buffer.offset_from_start,
                    )
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<ConstantDataOffset>> for ConstantDataOffset {
            type Value = ::planus::Offset<ConstantDataOffset>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<ConstantDataOffset>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for ConstantDataOffsetRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[ConstantDataOffsetRef]", "read_as_root", 0)
                })
            }
        }

        /// The table `XNNGraph` in the namespace `xnnpack`
        ///
        /// Generated from these locations:
        /// * Table `XNNGraph` in the file `schema/payload.fbs:293`
        #[derive(Clone, Debug, PartialEq, PartialOrd)]
        pub struct XnnGraph {
            /// The field `version` in the table `XNNGraph`
            pub version: ::core::option::Option<::planus::alloc::string::String>,
            /// The field `xnodes` in the table `XNNGraph`
            pub xnodes: ::core::option::Option<::planus::alloc::vec::Vec<self::XNode>>,
            /// The field `xvalues` in the table `XNNGraph`
            pub xvalues: ::core::option::Option<::planus::alloc::vec::Vec<self::XValue>>,
            /// The field `num_externs` in the table `XNNGraph`
            pub num_externs: u32,
            /// The field `input_ids` in the table `XNNGraph`
            pub input_ids: ::core::option::Option<::planus::alloc::vec::Vec<u32>>,
            /// The field `output_ids` in the table `XNNGraph`
            pub output_ids: ::core::option::Option<::planus::alloc::vec::Vec<u32>>,
            /// The field `constant_buffer` in the table `XNNGraph`
            pub constant_buffer: ::core::option::Option<::planus::alloc::vec::Vec<self::Buffer>>,
            /// The field `mem_buffer_sizes` in the table `XNNGraph`
            pub mem_buffer_sizes: ::core::option::Option<::planus::alloc::vec::Vec<u32>>,
            /// The field `constant_data` in the table `XNNGraph`
            pub constant_data:
                ::core::option::Option<::planus::alloc::vec::Vec<self::ConstantDataOffset>>,
        }

        #[allow(clippy::derivable_impls)]
        impl ::core::default::Default for XnnGraph {
            fn default() -> Self {
                Self {
                    version: ::core::default::Default::default(),
                    xnodes: ::core::default::Default::default(),
                    xvalues: ::core::default::Default::default(),
                    num_externs: 0,
                    input_ids: ::core::default::Default::default(),
                    output_ids: ::core::default::Default::default(),
                    constant_buffer: ::core::default::Default::default(),
                    mem_buffer_sizes: ::core::default::Default::default(),
                    constant_data: ::core::default::Default::default(),
                }
            }
        }

        impl XnnGraph {
            /// Creates a [XnnGraphBuilder] for serializing an instance of this table.
            #[inline]
            pub fn builder() -> XnnGraphBuilder<()> {
                XnnGraphBuilder(())
            }

            #[allow(clippy::too_many_arguments)]
            pub fn create(
                builder: &mut ::planus::Builder,
                field_version: impl ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
                field_xnodes: impl ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::XNode>]>,
                >,
                field_xvalues: impl ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::XValue>]>,
                >,
                field_num_externs: impl ::planus::WriteAsDefault<u32, u32>,
                field_input_ids: impl ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
                field_output_ids: impl ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
                field_constant_buffer: impl ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::Buffer>]>,
                >,
                field_mem_buffer_sizes: impl ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
                field_constant_data: impl ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::ConstantDataOffset>]>,
                >,
            ) -> ::planus::Offset<Self> {
                let prepared_version = field_version.prepare(builder);
                let prepared_xnodes = field_xnodes.prepare(builder);
                let prepared_xvalues = field_xvalues.prepare(builder);
                let prepared_num_externs = field_num_externs.prepare(builder, &0);
                let prepared_input_ids = field_input_ids.prepare(builder);
                let prepared_output_ids = field_output_ids.prepare(builder);
                let prepared_constant_buffer = field_constant_buffer.prepare(builder);
                let prepared_mem_buffer_sizes = field_mem_buffer_sizes.prepare(builder);
                let prepared_constant_data = field_constant_data.prepare(builder);

                let mut table_writer: ::planus::table_writer::TableWriter<22> =
                    ::core::default::Default::default();
                if prepared_version.is_some() {
                    table_writer.write_entry::<::planus::Offset<str>>(0);
                }
                if prepared_xnodes.is_some() {
                    table_writer
                        .write_entry::<::planus::Offset<[::planus::Offset<self::XNode>]>>(1);
                }
                if prepared_xvalues.is_some() {
                    table_writer
                        .write_entry::<::planus::Offset<[::planus::Offset<self::XValue>]>>(2);
                }
                if prepared_num_externs.is_some() {
                    table_writer.write_entry::<u32>(3);
                }
                if prepared_input_ids.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u32]>>(4);
                }
                if prepared_output_ids.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u32]>>(5);
                }
                if prepared_constant_buffer.is_some() {
                    table_writer
                        .write_entry::<::planus::Offset<[::planus::Offset<self::Buffer>]>>(6);
                }
                if prepared_mem_buffer_sizes.is_some() {
                    table_writer.write_entry::<::planus::Offset<[u32]>>(7);
                }
                if prepared_constant_data.is_some() {
                    table_writer.write_entry::<::planus::Offset<[::planus::Offset<self::ConstantDataOffset>]>>(8);
                }

                unsafe {
                    table_writer.finish(builder, |object_writer| {
                        if let ::core::option::Option::Some(prepared_version) = prepared_version {
                            object_writer.write::<_, _, 4>(&prepared_version);
                        }
                        if let ::core::option::Option::Some(prepared_xnodes) = prepared_xnodes {
                            object_writer.write::<_, _, 4>(&prepared_xnodes);
                        }
                        if let ::core::option::Option::Some(prepared_xvalues) = prepared_xvalues {
                            object_writer.write::<_, _, 4>(&prepared_xvalues);
                        }
                        if let ::core::option::Option::Some(prepared_num_externs) =
                            prepared_num_externs
                        {
                            object_writer.write::<_, _, 4>(&prepared_num_externs);
                        }
                        if let ::core::option::Option::Some(prepared_input_ids) = prepared_input_ids
                        {
                            object_writer.write::<_, _, 4>(&prepared_input_ids);
                        }
                        if let ::core::option::Option::Some(prepared_output_ids) =
                            prepared_output_ids
                        {
                            object_writer.write::<_, _, 4>(&prepared_output_ids);
                        }
                        if let ::core::option::Option::Some(prepared_constant_buffer) =
                            prepared_constant_buffer
                        {
                            object_writer.write::<_, _, 4>(&prepared_constant_buffer);
                        }
                        if let ::core::option::Option::Some(prepared_mem_buffer_sizes) =
                            prepared_mem_buffer_sizes
                        {
                            object_writer.write::<_, _, 4>(&prepared_mem_buffer_sizes);
                        }
                        if let ::core::option::Option::Some(prepared_constant_data) =
                            prepared_constant_data
                        {
                            object_writer.write::<_, _, 4>(&prepared_constant_data);
                        }
                    });
                }
                builder.current_offset()
            }
        }

        impl ::planus::WriteAs<::planus::Offset<XnnGraph>> for XnnGraph {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XnnGraph> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl ::planus::WriteAsOptional<::planus::Offset<XnnGraph>> for XnnGraph {
            type Prepared = ::planus::Offset<Self>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<XnnGraph>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl ::planus::WriteAsOffset<XnnGraph> for XnnGraph {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XnnGraph> {
                XnnGraph::create(
                    builder,
                    &self.version,
                    &self.xnodes,
                    &self.xvalues,
                    self.num_externs,
                    &self.input_ids,
                    &self.output_ids,
                    &self.constant_buffer,
                    &self.mem_buffer_sizes,
                    &self.constant_data,
                )
            }
        }

        /// Builder for serializing an instance of the [XnnGraph] type.
        ///
        /// Can be created using the [XnnGraph::builder] method.
        #[derive(Debug)]
        #[must_use]
        pub struct XnnGraphBuilder<State>(State);

        impl XnnGraphBuilder<()> {
            /// Setter for the [`version` field](XnnGraph#structfield.version).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn version<T0>(self, value: T0) -> XnnGraphBuilder<(T0,)>
            where
                T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            {
                XnnGraphBuilder((value,))
            }

            /// Sets the [`version` field](XnnGraph#structfield.version) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn version_as_null(self) -> XnnGraphBuilder<((),)> {
                self.version(())
            }
        }

        impl<T0> XnnGraphBuilder<(T0,)> {
            /// Setter for the [`xnodes` field](XnnGraph#structfield.xnodes).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn xnodes<T1>(self, value: T1) -> XnnGraphBuilder<(T0, T1)>
            where
                T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::XNode>]>>,
            {
                let (v0,) = self.0;
                XnnGraphBuilder((v0, value))
            }

            /// Sets the [`xnodes` field](XnnGraph#structfield.xnodes) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn xnodes_as_null(self) -> XnnGraphBuilder<(T0, ())> {
                self.xnodes(())
            }
        }

        impl<T0, T1> XnnGraphBuilder<(T0, T1)> {
            /// Setter for the [`xvalues` field](XnnGraph#structfield.xvalues).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn xvalues<T2>(self, value: T2) -> XnnGraphBuilder<(T0, T1, T2)>
            where
                T2: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::XValue>]>>,
            {
                let (v0, v1) = self.0;
                XnnGraphBuilder((v0, v1, value))
            }

            /// Sets the [`xvalues` field](XnnGraph#structfield.xvalues) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn xvalues_as_null(self) -> XnnGraphBuilder<(T0, T1, ())> {
                self.xvalues(())
            }
        }

        impl<T0, T1, T2> XnnGraphBuilder<(T0, T1, T2)> {
            /// Setter for the [`num_externs` field](XnnGraph#structfield.num_externs).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_externs<T3>(self, value: T3) -> XnnGraphBuilder<(T0, T1, T2, T3)>
            where
                T3: ::planus::WriteAsDefault<u32, u32>,
            {
                let (v0, v1, v2) = self.0;
                XnnGraphBuilder((v0, v1, v2, value))
            }

            /// Sets the [`num_externs` field](XnnGraph#structfield.num_externs) to the default value.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn num_externs_as_default(
                self,
            ) -> XnnGraphBuilder<(T0, T1, T2, ::planus::DefaultValue)> {
                self.num_externs(::planus::DefaultValue)
            }
        }

        impl<T0, T1, T2, T3> XnnGraphBuilder<(T0, T1, T2, T3)> {
            /// Setter for the [`input_ids` field](XnnGraph#structfield.input_ids).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_ids<T4>(self, value: T4) -> XnnGraphBuilder<(T0, T1, T2, T3, T4)>
            where
                T4: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            {
                let (v0, v1, v2, v3) = self.0;
                XnnGraphBuilder((v0, v1, v2, v3, value))
            }

            /// Sets the [`input_ids` field](XnnGraph#structfield.input_ids) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn input_ids_as_null(self) -> XnnGraphBuilder<(T0, T1, T2, T3, ())> {
                self.input_ids(())
            }
        }

        impl<T0, T1, T2, T3, T4> XnnGraphBuilder<(T0, T1, T2, T3, T4)> {
            /// Setter for the [`output_ids` field](XnnGraph#structfield.output_ids).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_ids<T5>(self, value: T5) -> XnnGraphBuilder<(T0, T1, T2, T3, T4, T5)>
            where
                T5: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            {
                let (v0, v1, v2, v3, v4) = self.0;
                XnnGraphBuilder((v0, v1, v2, v3, v4, value))
            }

            /// Sets the [`output_ids` field](XnnGraph#structfield.output_ids) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn output_ids_as_null(self) -> XnnGraphBuilder<(T0, T1, T2, T3, T4, ())> {
                self.output_ids(())
            }
        }

        impl<T0, T1, T2, T3, T4, T5> XnnGraphBuilder<(T0, T1, T2, T3, T4, T5)> {
            /// Setter for the [`constant_buffer` field](XnnGraph#structfield.constant_buffer).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn constant_buffer<T6>(
                self,
                value: T6,
            ) -> XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, T6)>
            where
                T6: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::Buffer>]>>,
            {
                let (v0, v1, v2, v3, v4, v5) = self.0;
                XnnGraphBuilder((v0, v1, v2, v3, v4, v5, value))
            }

            /// Sets the [`constant_buffer` field](XnnGraph#structfield.constant_buffer) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn constant_buffer_as_null(self) -> XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, ())> {
                self.constant_buffer(())
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6> XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, T6)> {
            /// Setter for the [`mem_buffer_sizes` field](XnnGraph#structfield.mem_buffer_sizes).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn mem_buffer_sizes<T7>(
                self,
                value: T7,
            ) -> XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)>
            where
                T7: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            {
                let (v0, v1, v2, v3, v4, v5, v6) = self.0;
                XnnGraphBuilder((v0, v1, v2, v3, v4, v5, v6, value))
            }

            /// Sets the [`mem_buffer_sizes` field](XnnGraph#structfield.mem_buffer_sizes) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn mem_buffer_sizes_as_null(
                self,
            ) -> XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, T6, ())> {
                self.mem_buffer_sizes(())
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7> XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, T6, T7)> {
            /// Setter for the [`constant_data` field](XnnGraph#structfield.constant_data).
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn constant_data<T8>(
                self,
                value: T8,
            ) -> XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
            where
                T8: ::planus::WriteAsOptional<
                        ::planus::Offset<[::planus::Offset<self::ConstantDataOffset>]>,
                    >,
            {
                let (v0, v1, v2, v3, v4, v5, v6, v7) = self.0;
                XnnGraphBuilder((v0, v1, v2, v3, v4, v5, v6, v7, value))
            }

            /// Sets the [`constant_data` field](XnnGraph#structfield.constant_data) to null.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn constant_data_as_null(
                self,
            ) -> XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, ())> {
                self.constant_data(())
            }
        }

        impl<T0, T1, T2, T3, T4, T5, T6, T7, T8> XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)> {
            /// Finish writing the builder to get an [Offset](::planus::Offset) to a serialized [XnnGraph].
            #[inline]
            pub fn finish(self, builder: &mut ::planus::Builder) -> ::planus::Offset<XnnGraph>
            where
                Self: ::planus::WriteAsOffset<XnnGraph>,
            {
                ::planus::WriteAsOffset::prepare(&self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::XNode>]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::XValue>]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T5: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T6: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::Buffer>]>>,
            T7: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T8: ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::ConstantDataOffset>]>,
                >,
        > ::planus::WriteAs<::planus::Offset<XnnGraph>>
            for XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
        {
            type Prepared = ::planus::Offset<XnnGraph>;

            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XnnGraph> {
                ::planus::WriteAsOffset::prepare(self, builder)
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::XNode>]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::XValue>]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T5: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T6: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::Buffer>]>>,
            T7: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T8: ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::ConstantDataOffset>]>,
                >,
        > ::planus::WriteAsOptional<::planus::Offset<XnnGraph>>
            for XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
        {
            type Prepared = ::planus::Offset<XnnGraph>;

            #[inline]
            fn prepare(
                &self,
                builder: &mut ::planus::Builder,
            ) -> ::core::option::Option<::planus::Offset<XnnGraph>> {
                ::core::option::Option::Some(::planus::WriteAsOffset::prepare(self, builder))
            }
        }

        impl<
            T0: ::planus::WriteAsOptional<::planus::Offset<::core::primitive::str>>,
            T1: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::XNode>]>>,
            T2: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::XValue>]>>,
            T3: ::planus::WriteAsDefault<u32, u32>,
            T4: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T5: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T6: ::planus::WriteAsOptional<::planus::Offset<[::planus::Offset<self::Buffer>]>>,
            T7: ::planus::WriteAsOptional<::planus::Offset<[u32]>>,
            T8: ::planus::WriteAsOptional<
                    ::planus::Offset<[::planus::Offset<self::ConstantDataOffset>]>,
                >,
        > ::planus::WriteAsOffset<XnnGraph>
            for XnnGraphBuilder<(T0, T1, T2, T3, T4, T5, T6, T7, T8)>
        {
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> ::planus::Offset<XnnGraph> {
                let (v0, v1, v2, v3, v4, v5, v6, v7, v8) = &self.0;
                XnnGraph::create(builder, v0, v1, v2, v3, v4, v5, v6, v7, v8)
            }
        }

        /// Reference to a deserialized [XnnGraph].
        #[derive(Copy, Clone)]
        pub struct XnnGraphRef<'a>(#[allow(dead_code)] ::planus::table_reader::Table<'a>);

        impl<'a> XnnGraphRef<'a> {
            /// Getter for the [`version` field](XnnGraph#structfield.version).
            #[inline]
            pub fn version(
                &self,
            ) -> ::planus::Result<::core::option::Option<&'a ::core::primitive::str>> {
                self.0.access(0, "XnnGraph", "version")
            }

            /// Getter for the [`xnodes` field](XnnGraph#structfield.xnodes).
            #[inline]
            pub fn xnodes(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<::planus::Vector<'a, ::planus::Result<self::XNodeRef<'a>>>>,
            > {
                self.0.access(1, "XnnGraph", "xnodes")
            }

            /// Getter for the [`xvalues` field](XnnGraph#structfield.xvalues).
            #[inline]
            pub fn xvalues(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<::planus::Vector<'a, ::planus::Result<self::XValueRef<'a>>>>,
            > {
                self.0.access(2, "XnnGraph", "xvalues")
            }

            /// Getter for the [`num_externs` field](XnnGraph#structfield.num_externs).
            #[inline]
            pub fn num_externs(&self) -> ::planus::Result<u32> {
                ::core::result::Result::Ok(
                    self.0.access(3, "XnnGraph", "num_externs")?.unwrap_or(0),
                )
            }

            /// Getter for the [`input_ids` field](XnnGraph#structfield.input_ids).
            #[inline]
            pub fn input_ids(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, u32>>> {
                self.0.access(4, "XnnGraph", "input_ids")
            }

            /// Getter for the [`output_ids` field](XnnGraph#structfield.output_ids).
            #[inline]
            pub fn output_ids(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, u32>>> {
                self.0.access(5, "XnnGraph", "output_ids")
            }

            /// Getter for the [`constant_buffer` field](XnnGraph#structfield.constant_buffer).
            #[inline]
            pub fn constant_buffer(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<::planus::Vector<'a, ::planus::Result<self::BufferRef<'a>>>>,
            > {
                self.0.access(6, "XnnGraph", "constant_buffer")
            }

            /// Getter for the [`mem_buffer_sizes` field](XnnGraph#structfield.mem_buffer_sizes).
            #[inline]
            pub fn mem_buffer_sizes(
                &self,
            ) -> ::planus::Result<::core::option::Option<::planus::Vector<'a, u32>>> {
                self.0.access(7, "XnnGraph", "mem_buffer_sizes")
            }

            /// Getter for the [`constant_data` field](XnnGraph#structfield.constant_data).
            #[inline]
            pub fn constant_data(
                &self,
            ) -> ::planus::Result<
                ::core::option::Option<
                    ::planus::Vector<'a, ::planus::Result<self::ConstantDataOffsetRef<'a>>>,
                >,
            > {
                self.0.access(8, "XnnGraph", "constant_data")
            }
        }

        impl<'a> ::core::fmt::Debug for XnnGraphRef<'a> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut f = f.debug_struct("XnnGraphRef");
                if let ::core::option::Option::Some(field_version) = self.version().transpose() {
                    f.field("version", &field_version);
                }
                if let ::core::option::Option::Some(field_xnodes) = self.xnodes().transpose() {
                    f.field("xnodes", &field_xnodes);
                }
                if let ::core::option::Option::Some(field_xvalues) = self.xvalues().transpose() {
                    f.field("xvalues", &field_xvalues);
                }
                f.field("num_externs", &self.num_externs());
                if let ::core::option::Option::Some(field_input_ids) = self.input_ids().transpose()
                {
                    f.field("input_ids", &field_input_ids);
                }
                if let ::core::option::Option::Some(field_output_ids) =
                    self.output_ids().transpose()
                {
                    f.field("output_ids", &field_output_ids);
                }
                if let ::core::option::Option::Some(field_constant_buffer) =
                    self.constant_buffer().transpose()
                {
                    f.field("constant_buffer", &field_constant_buffer);
                }
                if let ::core::option::Option::Some(field_mem_buffer_sizes) =
                    self.mem_buffer_sizes().transpose()
                {
                    f.field("mem_buffer_sizes", &field_mem_buffer_sizes);
                }
                if let ::core::option::Option::Some(field_constant_data) =
                    self.constant_data().transpose()
                {
                    f.field("constant_data", &field_constant_data);
                }
                f.finish()
            }
        }

        impl<'a> ::core::convert::TryFrom<XnnGraphRef<'a>> for XnnGraph {
            type Error = ::planus::Error;

            #[allow(unreachable_code)]
            fn try_from(value: XnnGraphRef<'a>) -> ::planus::Result<Self> {
                ::core::result::Result::Ok(Self {
                    version: value.version()?.map(::core::convert::Into::into),
                    xnodes: if let ::core::option::Option::Some(xnodes) = value.xnodes()? {
                        ::core::option::Option::Some(xnodes.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                    xvalues: if let ::core::option::Option::Some(xvalues) = value.xvalues()? {
                        ::core::option::Option::Some(xvalues.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                    num_externs: ::core::convert::TryInto::try_into(value.num_externs()?)?,
                    input_ids: if let ::core::option::Option::Some(input_ids) = value.input_ids()? {
                        ::core::option::Option::Some(input_ids.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    output_ids: if let ::core::option::Option::Some(output_ids) =
                        value.output_ids()?
                    {
                        ::core::option::Option::Some(output_ids.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    constant_buffer: if let ::core::option::Option::Some(constant_buffer) =
                        value.constant_buffer()?
                    {
                        ::core::option::Option::Some(constant_buffer.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                    mem_buffer_sizes: if let ::core::option::Option::Some(mem_buffer_sizes) =
                        value.mem_buffer_sizes()?
                    {
                        ::core::option::Option::Some(mem_buffer_sizes.to_vec()?)
                    } else {
                        ::core::option::Option::None
                    },
                    constant_data: if let ::core::option::Option::Some(constant_data) =
                        value.constant_data()?
                    {
                        ::core::option::Option::Some(constant_data.to_vec_result()?)
                    } else {
                        ::core::option::Option::None
                    },
                })
            }
        }

        impl<'a> ::planus::TableRead<'a> for XnnGraphRef<'a> {
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

        impl<'a> ::planus::VectorReadInner<'a> for XnnGraphRef<'a> {
            type Error = ::planus::Error;
            const STRIDE: usize = 4;

            unsafe fn from_buffer(
                buffer: ::planus::SliceWithStartOffset<'a>,
                offset: usize,
            ) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(buffer, offset).map_err(|error_kind| {
                    error_kind.with_error_location("[XnnGraphRef]", "get", buffer.offset_from_start)
                })
            }
        }

        /// # Safety
        /// The planus compiler generates implementations that initialize
        /// the bytes in `write_values`.
        unsafe impl ::planus::VectorWrite<::planus::Offset<XnnGraph>> for XnnGraph {
            type Value = ::planus::Offset<XnnGraph>;
            const STRIDE: usize = 4;
            #[inline]
            fn prepare(&self, builder: &mut ::planus::Builder) -> Self::Value {
                ::planus::WriteAs::prepare(self, builder)
            }

            #[inline]
            unsafe fn write_values(
                values: &[::planus::Offset<XnnGraph>],
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

        impl<'a> ::planus::ReadAsRoot<'a> for XnnGraphRef<'a> {
            fn read_as_root(slice: &'a [u8]) -> ::planus::Result<Self> {
                ::planus::TableRead::from_buffer(
                    ::planus::SliceWithStartOffset {
                        buffer: slice,
                        offset_from_start: 0,
                    },
                    0,
                )
                .map_err(|error_kind| {
                    error_kind.with_error_location("[XnnGraphRef]", "read_as_root", 0)
                })
            }
        }
    }
}
