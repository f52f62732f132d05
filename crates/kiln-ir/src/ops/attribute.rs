//! Attributes of ops as text: each attribute type prints and parses itself.

use crate::arena::{Arena, BlockId, CellId, ConstId, Id, SymbolId};
use crate::dim::{Dim, DimNames, Symbols};
use crate::dtype::{DType, Scalar};
use crate::graph::Graph;
use crate::movement::{Movement, MovementNames, parse_movement};
use crate::ops::Misfit;
use crate::text::cursor::{Cursor, ParseError};
use crate::types::{Quant, QuantScheme, Shape};
use std::fmt::Write;
use std::sync::Arc;

/// The names that printing needs: of symbols, and dense numbers for ids.
pub struct Names<'g> {
    /// The symbols.
    pub symbols: &'g Symbols,
    constants: Vec<u32>,
    blocks: Vec<u32>,
    cells: Vec<u32>,
}

fn dense<I: Id, T>(arena: &Arena<I, T>) -> Vec<u32> {
    let mut numbers = vec![u32::MAX; arena.bound()];
    for (number, id) in arena.ids().enumerate() {
        numbers[id.index()] = number as u32;
    }
    numbers
}

impl<'g> Names<'g> {
    /// The names of a graph.
    pub fn new(graph: &'g Graph) -> Names<'g> {
        Names {
            symbols: &graph.symbols,
            constants: dense(&graph.constants),
            blocks: dense(&graph.blocks),
            cells: dense(&graph.cells),
        }
    }
}

/// A type of attribute.
pub trait Attribute: Clone {
    /// Appends the attribute as text.
    fn print(&self, out: &mut String, names: &Names<'_>);

    /// Parses the text that `print` writes.
    ///
    /// # Errors
    /// If something else comes next.
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError>;

    /// Calls `visit` for each size in the attribute.
    fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim));

    /// The attribute with its sizes replaced.
    ///
    /// # Errors
    /// If the new sizes are invalid for it.
    fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Self, Misfit>;
}

/// Implements the methods about sizes for attribute types without sizes.
macro_rules! no_dims {
    () => {
        fn for_each_dim(&self, _: &mut dyn FnMut(&$crate::dim::Dim)) {}
        fn map_dims(
            &self,
            _: &mut dyn FnMut(&$crate::dim::Dim) -> $crate::dim::Dim,
        ) -> Result<Self, $crate::ops::Misfit> {
            Ok(Clone::clone(self))
        }
    };
}
pub(crate) use no_dims;

fn put(out: &mut String, text: impl std::fmt::Display) {
    write!(out, "{text}").expect("writing to a string does not fail");
}

/// Appends a float such that parsing gives the same bits.
pub fn print_float(out: &mut String, value: f64) {
    if value.is_nan() && value.to_bits() != f64::NAN.to_bits() {
        put(out, format_args!("bits {:016x}", value.to_bits()));
    } else {
        put(out, format_args!("{value:?}"));
    }
}

impl Attribute for bool {
    fn print(&self, out: &mut String, _: &Names<'_>) {
        put(out, self);
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        match cursor.word()? {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(cursor.error("expected true or false")),
        }
    }
    no_dims!();
}

impl Attribute for i64 {
    fn print(&self, out: &mut String, _: &Names<'_>) {
        put(out, self);
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.integer()
    }
    no_dims!();
}

impl Attribute for usize {
    fn print(&self, out: &mut String, _: &Names<'_>) {
        put(out, self);
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.index()
    }
    no_dims!();
}

impl Attribute for f64 {
    fn print(&self, out: &mut String, _: &Names<'_>) {
        print_float(out, *self);
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.float()
    }
    no_dims!();
}

impl Attribute for Scalar {
    fn print(&self, out: &mut String, _: &Names<'_>) {
        match self {
            Scalar::Bool(b) => put(out, b),
            Scalar::Int(i) => put(out, i),
            Scalar::Float(f) => print_float(out, *f),
        }
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if cursor.eat_word("true") {
            return Ok(Scalar::Bool(true));
        }
        if cursor.eat_word("false") {
            return Ok(Scalar::Bool(false));
        }
        cursor.skip_blank();
        let start = cursor.offset();
        if let Ok(i) = cursor.integer()
            && !cursor.rest().starts_with(['.', 'e'])
        {
            return Ok(Scalar::Int(i));
        }
        cursor.seek(start);
        cursor.float().map(Scalar::Float)
    }
    no_dims!();
}

impl Attribute for Dim {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        put(out, DimNames(self, names.symbols));
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.dim()
    }
    fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
        visit(self);
    }
    fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Self, Misfit> {
        Ok(map(self))
    }
}

impl Attribute for SymbolId {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        out.push_str(&names.symbols.get(*self).name);
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let name = cursor.word()?;
        cursor
            .symbols
            .find(name)
            .ok_or_else(|| cursor.error(format!("no symbol is called {name}")))
    }
    no_dims!();
}

impl Attribute for DType {
    fn print(&self, out: &mut String, _: &Names<'_>) {
        put(out, self);
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let name = cursor.word()?;
        DType::from_name(name).ok_or_else(|| cursor.error(format!("no dtype is called {name}")))
    }
    no_dims!();
}

impl<T: Attribute> Attribute for Vec<T> {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        out.push('[');
        for (i, item) in self.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            item.print(out, names);
        }
        out.push(']');
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.list("[", "]", T::parse)
    }
    fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
        self.iter().for_each(|item| item.for_each_dim(visit));
    }
    fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Self, Misfit> {
        self.iter().map(|item| item.map_dims(map)).collect()
    }
}

impl<T: Attribute> Attribute for Option<T> {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        match self {
            None => out.push_str("none"),
            Some(item) => item.print(out, names),
        }
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if cursor.eat_word("none") {
            Ok(None)
        } else {
            T::parse(cursor).map(Some)
        }
    }
    fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
        self.iter().for_each(|item| item.for_each_dim(visit));
    }
    fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Self, Misfit> {
        self.iter()
            .map(|item| item.map_dims(map))
            .next()
            .transpose()
    }
}

impl<T: Attribute> Attribute for Arc<T> {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        T::print(self, out, names);
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        T::parse(cursor).map(Arc::new)
    }
    fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
        T::for_each_dim(self, visit);
    }
    fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Self, Misfit> {
        T::map_dims(self, map).map(Arc::new)
    }
}

impl Attribute for Shape {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        self.to_vec().print(out, names);
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        Vec::<Dim>::parse(cursor).map(Shape::from)
    }
    fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
        self.iter().for_each(visit);
    }
    fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Self, Misfit> {
        Ok(self.iter().map(map).collect::<Vec<Dim>>().into())
    }
}

impl Attribute for Movement {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        put(
            out,
            format_args!("({})", MovementNames(self, names.symbols)),
        );
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect("(")?;
        let (movement, used) = parse_movement(cursor.rest(), cursor.symbols)
            .map_err(|e| cursor.error(e.to_string()))?;
        cursor.seek(cursor.offset() + used);
        cursor.expect(")")?;
        Ok(movement)
    }
    fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
        self.sizes().iter().for_each(visit);
    }
    fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Self, Misfit> {
        let sizes = self.sizes().iter().map(map).collect();
        self.with_sizes(sizes).map_err(|e| Misfit(e.to_string()))
    }
}

macro_rules! id_attribute {
    ($($id:ident $prefix:literal $table:ident;)*) => {$(
        impl Attribute for $id {
            fn print(&self, out: &mut String, names: &Names<'_>) {
                put(out, format_args!(concat!($prefix, "{}"), names.$table.get(self.index()).copied().unwrap_or(u32::MAX)));
            }
            fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
                cursor.id($prefix).map(|i| $id::new(i as u32))
            }
            no_dims!();
        }
    )*};
}

id_attribute! {
    ConstId "c" constants;
    BlockId "b" blocks;
    CellId "m" cells;
}

impl Attribute for Quant {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        match &self.scheme {
            QuantScheme::PerTensor { scale, zero_point } => {
                out.push_str("per_tensor ");
                scale.print(out, names);
                put(out, format_args!(" {zero_point}"));
            }
            QuantScheme::PerChannel {
                axis,
                scales,
                zero_points,
            } => {
                put(out, format_args!("per_channel {axis} "));
                print_parameters(out, names, scales, zero_points);
            }
            QuantScheme::PerGroup {
                group,
                scales,
                zero_points,
            } => {
                put(out, format_args!("per_group {group} "));
                print_parameters(out, names, scales, zero_points);
            }
        }
        put(out, format_args!(" in [{}, {}]", self.min, self.max));
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let scheme = match cursor.word()? {
            "per_tensor" => QuantScheme::PerTensor {
                scale: cursor.float()?,
                zero_point: cursor.integer()?,
            },
            "per_channel" => {
                let axis = cursor.index()?;
                let (scales, zero_points) = parse_parameters(cursor)?;
                QuantScheme::PerChannel {
                    axis,
                    scales,
                    zero_points,
                }
            }
            "per_group" => {
                let group = cursor.index()?;
                let (scales, zero_points) = parse_parameters(cursor)?;
                QuantScheme::PerGroup {
                    group,
                    scales,
                    zero_points,
                }
            }
            _ => return Err(cursor.error("expected per_tensor, per_channel or per_group")),
        };
        cursor.expect("in")?;
        let ends = cursor.list("[", "]", Cursor::integer)?;
        match ends.as_slice() {
            &[min, max] => Ok(Quant { scheme, min, max }),
            _ => Err(cursor.error("expected [least, greatest]")),
        }
    }
    no_dims!();
}

fn print_parameters(out: &mut String, names: &Names<'_>, scales: &[f64], zero_points: &[i64]) {
    scales.to_vec().print(out, names);
    out.push(' ');
    zero_points.to_vec().print(out, names);
}

type Parameters = (Arc<[f64]>, Arc<[i64]>);

fn parse_parameters(cursor: &mut Cursor<'_>) -> Result<Parameters, ParseError> {
    Ok((
        Vec::<f64>::parse(cursor)?.into(),
        Vec::<i64>::parse(cursor)?.into(),
    ))
}

/// Declares an enum without fields as an attribute.
macro_rules! name_attribute {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),* }
        impl $name {
            /// All variants, in the order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];
            /// The name in the text form.
            pub const fn text(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
        impl $crate::ops::attribute::Attribute for $name {
            fn print(&self, out: &mut String, _: &$crate::ops::attribute::Names<'_>) {
                out.push_str(self.text());
            }
            fn parse(cursor: &mut $crate::text::cursor::Cursor<'_>) -> Result<Self, $crate::text::cursor::ParseError> {
                let word = cursor.word()?;
                $name::ALL.iter().copied().find(|v| v.text() == word)
                    .ok_or_else(|| cursor.error(format!(concat!("no ", stringify!($name), " is called {}"), word)))
            }
            $crate::ops::attribute::no_dims!();
        }
    };
}
pub(crate) use name_attribute;
