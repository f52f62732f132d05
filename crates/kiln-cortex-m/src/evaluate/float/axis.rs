//! Functions of rows along the middle axis: `reduce_f32.c`, `reduce_integers.c`, `scan.c`, `softmax_f32.c`, `norm_f32.c`,
//! `top_k_f32.c`.

use super::super::arguments::Arguments;
use super::super::axis::Rows;
use super::super::data::Data;
use super::exponential::exp;
use super::logarithm::log;
use super::{greater, lesser};
use crate::dialect::{AxisReduce, Function, Norm, TopK};
use std::cmp::Ordering;

/// The result of a reduction of each row, or of a function that keeps the size of the row.
pub fn reduced(function: Function, of: &AxisReduce, arguments: &Arguments<'_>) -> Data {
    let rows = Rows::of(of.outer, of.n, of.inner);
    match arguments.data("input") {
        Data::F32(x) => Data::F32(rows.each(x, |row| of_floats(function, row))),
        x => {
            let results = rows.each(&x.integers(), |row| of_integers(function, row));
            Data::of_integers(arguments.result(), &results)
        }
    }
}

fn of_floats(function: Function, row: &[f32]) -> Vec<f32> {
    let sum = || summed(row);
    let one = match function {
        Function::KilnSumF32 => sum(),
        Function::KilnMeanF32 => sum() / row.len() as f32,
        Function::KilnProdF32 => row.iter().fold(1.0, |product, x| product * x),
        Function::KilnMaxF32 => row.iter().copied().fold(f32::NEG_INFINITY, greater),
        Function::KilnMinF32 => row.iter().copied().fold(f32::INFINITY, lesser),
        Function::KilnCumsumF32 => return running(row, 0.0, |sum, x| sum + x),
        Function::KilnCumprodF32 => return running(row, 1.0, |product, x| product * x),
        Function::KilnCummaxF32 => return running(row, f32::NEG_INFINITY, greater),
        Function::KilnCumminF32 => return running(row, f32::INFINITY, lesser),
        Function::KilnSoftmaxF32 => {
            let (max, sum) = total(row);
            return row.iter().map(|x| exp(x - max) / sum).collect();
        }
        Function::KilnLogSoftmaxF32 => {
            let (max, sum) = total(row);
            let log = log(sum);
            return row.iter().map(|x| (x - max) - log).collect();
        }
        other => unreachable!("{} takes no floats", other.name()),
    };
    vec![one]
}

/// The sum of sums of 32 sums of 32 elements.
fn summed(row: &[f32]) -> f32 {
    const SHORT: usize = 32;
    let short = |row: &[f32]| row.iter().fold(0.0, |sum, x| sum + x);
    let long = |row: &[f32]| row.chunks(SHORT).fold(0.0, |sum, row| sum + short(row));
    let rows = row.chunks(SHORT * SHORT);
    rows.fold(0.0, |sum, row| sum + long(row))
}

/// The greatest element, and the sum of the exponentials of differences from it.
fn total(row: &[f32]) -> (f32, f32) {
    let max = row.iter().copied().reduce(greater).unwrap_or(0.0);
    (max, row.iter().fold(0.0, |sum, x| sum + exp(x - max)))
}

fn of_integers(function: Function, row: &[i64]) -> Vec<i64> {
    let name = function.name();
    let (start, step): (i64, fn(i64, i64) -> i64) = match name {
        _ if name.contains("sum") => (0, i64::wrapping_add),
        _ if name.contains("prod") => (1, i64::wrapping_mul),
        _ if name.contains("max") => (i64::MIN, i64::max),
        _ => (i64::MAX, i64::min),
    };
    match name.starts_with("kiln_cum") {
        true => running(row, start, step),
        false => vec![row.iter().copied().fold(start, step)],
    }
}

/// Running results along a row: each element is combined with the result in front of it.
fn running<T: Copy>(row: &[T], start: T, step: impl Fn(T, T) -> T) -> Vec<T> {
    let all = row.iter().scan(start, |so_far, &x| {
        *so_far = step(*so_far, x);
        Some(*so_far)
    });
    all.collect()
}

/// Rows, each normalised to a mean of 0 and a variance of 1.
pub fn standardised(of: &Norm, arguments: &Arguments<'_>) -> Data {
    let x = arguments.f32("input");
    let [weight, bias] =
        ["weight", "bias"].map(|name| arguments.get(name).map(|_| arguments.f32(name)));
    let n = of.n as usize;
    let mut results = Vec::with_capacity(x.len());
    for row in x.chunks_exact(n.max(1)) {
        let sum = row.iter().fold(0.0, |sum, x| sum + x);
        let mean = if of.centred { sum / n as f32 } else { 0.0 };
        let squares = row.iter().fold(0.0, |sum, x| sum + (x - mean) * (x - mean));
        let scale = 1.0 / (squares / n as f32 + of.eps).sqrt();
        results.extend(row.iter().enumerate().map(|(k, x)| {
            let x = (x - mean) * scale;
            let x = weight.map_or(x, |weight| x * weight[k]);
            bias.map_or(x, |bias| x + bias[k])
        }));
    }
    Data::F32(results)
}

/// The first elements of rows in order, and their indices.
pub fn ordered(of: &TopK, arguments: &Arguments<'_>) -> Vec<Data> {
    let rows = Rows::of(of.outer, of.n, of.inner);
    let x = arguments.f32("input");
    let order = |row: &[f32]| {
        let mut places: Vec<usize> = (0..row.len()).collect();
        places.sort_by(|&a, &b| {
            let ascending = ascending(row[a], row[b]);
            if of.largest {
                ascending.reverse()
            } else {
                ascending
            }
        });
        places.truncate(of.k as usize);
        places
    };
    let values = rows.each(x, |row| order(row).into_iter().map(|at| row[at]).collect());
    let places = rows.each(x, |row| {
        order(row).into_iter().map(|at| at as i32).collect()
    });
    vec![Data::F32(values), Data::I32(places)]
}

/// The order of floats, in which NaN is the greatest.
fn ascending(a: f32, b: f32) -> Ordering {
    a.partial_cmp(&b)
        .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}
