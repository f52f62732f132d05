use super::*;
use crate::dtype::DType;
use crate::movement::Movement;
use crate::tensor::TensorData;
use half::{bf16, f16};
use proptest::prelude::*;

/// The sizes of a tensor, a permutation of its axes, and the bytes of an element.
fn tensors() -> impl Strategy<Value = (Vec<usize>, Vec<usize>, usize)> {
    let sizes = prop::collection::vec(prop_oneof![1usize..5, 7usize..40], 1..5);
    sizes.prop_flat_map(|sizes| {
        let axes: Vec<usize> = (0..sizes.len()).collect();
        (
            Just(sizes),
            Just(axes).prop_shuffle(),
            prop::sample::select(vec![1usize, 2, 4, 8]),
        )
    })
}

fn plan(sizes: &[usize], axes: &[usize]) -> CopyPlan {
    let shape: Vec<crate::Dim> = sizes.iter().map(|&n| (n as i64).into()).collect();
    let movement = Movement::permute(&shape, axes).unwrap();
    let factors = movement.factor_sizes(&|_| None).unwrap();
    movement.copy_plan(&factors)
}

fn numbered(bytes: usize) -> Content {
    Content::from(Bytes::from(
        (0..bytes)
            .map(|i| (i * 7 + i / 251) as u8)
            .collect::<Vec<_>>(),
    ))
}

fn moved(bytes: &[u8], unit: usize, plan: &CopyPlan) -> Vec<u8> {
    let elements: Vec<&[u8]> = bytes.chunks(unit).collect();
    plan.apply(&elements).concat()
}

fn check(content: &Content, expected: &[u8]) {
    let (mut start, mut pieces) = (0, content.pieces());
    while let Some(piece) = pieces.next() {
        assert_eq!(piece, &expected[start..start + piece.len()]);
        start += piece.len();
    }
    assert_eq!((start, content.len()), (expected.len(), expected.len()));
    assert_eq!(content.digest(), blake3::hash(expected));
    let dense = Content::from(Bytes::copy_from_slice(expected));
    assert_eq!(content.sample(), dense.sample());
    assert_eq!(content, &dense);
    assert_eq!(content.bytes(), expected);
}

proptest! {
    #[test]
    fn arranged_as_copied((sizes, axes, unit) in tensors()) {
        let source = numbered(sizes.iter().product::<usize>() * unit);
        let plan = plan(&sizes, &axes);
        check(&source.arranged(unit, &plan).unwrap(), &moved(source.bytes(), unit, &plan));
    }

    #[test]
    fn twice_as_one_after_the_other((sizes, axes, unit) in tensors(), cut in 0usize..4) {
        let source = numbered(sizes.iter().product::<usize>() * unit);
        let first = plan(&sizes, &axes);
        // Other axes than in the first plan: the result is cut in two.
        let result: Vec<usize> = axes.iter().map(|&a| sizes[a]).collect();
        let (left, right) = result.split_at(cut.min(result.len()));
        let second = plan(&[left.iter().product(), right.iter().product()], &[1, 0]);
        let once = source.arranged(unit, &first).unwrap();
        let expected = moved(&moved(source.bytes(), unit, &first), unit, &second);
        check(&once.arranged(unit, &second).unwrap(), &expected);
    }

    #[test]
    fn scaled_as_multiplied((sizes, axes, _) in tensors(), axis in 0usize..4, first in any::<bool>()) {
        let elements: usize = sizes.iter().product();
        let numbers: Vec<f32> = (0..elements).map(|i| i as f32 * 0.37 - 3.0).collect();
        let source = TensorData::from_f32(sizes.clone(), &numbers).content().clone();
        let plan = plan(&sizes, &axes);
        let result: Vec<usize> = axes.iter().map(|&a| sizes[a]).collect();
        // Scaled along an axis, before or after the movement.
        let of = if first { &sizes } else { &result };
        let axis = axis.min(of.len() - 1);
        let factors: Vec<f64> = (0..of[axis]).map(|i| f64::from(i as f32 * 0.11 + 0.3)).collect();
        let strides: Vec<usize> = (0..of.len()).map(|a| usize::from(a == axis)).collect();
        let scale = Scale { sizes: of, strides: &strides, factors: &factors };
        let inner: usize = of[axis + 1..].iter().product();
        let times = |i: usize, x: f32| x * factors[i / inner % of[axis]] as f32;
        let multiply = |v: Vec<f32>| -> Vec<f32> { v.into_iter().enumerate().map(|(i, x)| times(i, x)).collect() };
        let (made, expected): (_, Vec<f32>) = if first {
            let scaled = source.scaled(DType::F32, &scale).unwrap();
            (scaled.arranged(4, &plan).unwrap(), plan.apply(&multiply(numbers)))
        } else {
            let arranged = source.arranged(4, &plan).unwrap();
            (arranged.scaled(DType::F32, &scale).unwrap(), multiply(plan.apply(&numbers)))
        };
        check(&made, TensorData::from_f32(vec![elements], &expected).bytes());
    }
}

#[test]
fn large_contents_come_in_pieces() {
    for (sizes, axes) in [
        (vec![300, 700], vec![1, 0]),
        (vec![64, 65, 3, 3], vec![0, 2, 3, 1]),
        (vec![3, 3, 1000, 8], vec![2, 0, 1, 3]),
        (vec![2, 70_000], vec![1, 0]),
        (vec![20_000, 20], vec![1, 0]),
    ] {
        let source = numbered(sizes.iter().product::<usize>() * 4);
        let plan = plan(&sizes, &axes);
        let content = source.arranged(4, &plan).unwrap();
        let mut pieces = content.pieces();
        let first = pieces.next().unwrap().len();
        assert!(first < source.len(), "{sizes:?}: {first}");
        check(&content, &moved(source.bytes(), 4, &plan));
    }
}

#[test]
fn every_float_is_rounded_once() {
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        let values = [1.1, -3.7, 0.0, 65000.0].map(crate::Scalar::Float);
        let data = TensorData::from_scalars(dtype, vec![4], values);
        let factors = [f64::from(0.3f32), f64::from(1.7f32)];
        let scale = Scale {
            sizes: &[2, 2],
            strides: &[1, 0],
            factors: &factors,
        };
        let scaled = data.content().scaled(dtype, &scale).unwrap();
        let times =
            |(i, s): (usize, crate::Scalar)| crate::Scalar::Float(s.as_f64() * factors[i / 2]);
        let expected =
            TensorData::from_scalars(dtype, vec![4], data.scalars().enumerate().map(times));
        assert_eq!(scaled.bytes(), expected.bytes(), "{dtype}");
    }
}

#[test]
fn a_second_scale_rounds_after_the_first() {
    let data = TensorData::from_f32(vec![2], &[0.1, 0.7]);
    let scale = |f: &[f64; 1], c: &Content| {
        c.scaled(
            DType::F32,
            &Scale {
                sizes: &[2],
                strides: &[0],
                factors: f,
            },
        )
        .unwrap()
    };
    let twice = scale(
        &[f64::from(0.3f32)],
        &scale(&[f64::from(0.9f32)], data.content()),
    );
    let expected = [0.1f32, 0.7].map(|x| x * 0.9 * 0.3);
    assert_eq!(
        twice.bytes(),
        TensorData::from_f32(vec![2], &expected).bytes()
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let content = numbered(24);
    let fit = |sizes: &[usize], strides: &[usize], factors: &[f64]| {
        content.scaled(
            DType::F32,
            &Scale {
                sizes,
                strides,
                factors,
            },
        )
    };
    assert!(fit(&[2, 3], &[1, 0], &[1.0, 2.0]).is_some());
    assert!(fit(&[2, 3], &[1, 0], &[1.0]).is_none());
    assert!(fit(&[2, 2], &[1, 0], &[1.0, 2.0]).is_none());
    assert!(fit(&[2, 3], &[1], &[1.0, 2.0]).is_none());
    assert!(fit(&[usize::MAX, 3], &[1, 0], &[1.0]).is_none());
    assert!(content.arranged(4, &plan(&[2, 2], &[1, 0])).is_none());
    assert!(content.arranged(3, &plan(&[2, 4], &[1, 0])).is_none());
    assert!(
        content
            .scaled(
                DType::I32,
                &Scale {
                    sizes: &[6],
                    strides: &[0],
                    factors: &[1.0]
                }
            )
            .is_none()
    );
}

#[test]
fn equal_contents_have_one_owner() {
    let bytes = |at: usize| {
        let mut bytes = vec![7u8; 5000];
        bytes[at] = 1;
        Content::from(Bytes::from(bytes))
    };
    let mut owners = Distinct::default();
    let contents = [
        bytes(2500),
        bytes(2501),
        bytes(2502),
        numbered(100),
        numbered(0),
    ];
    let met: Vec<usize> = (0..5).map(|i| owners.first(&contents[i], i)).collect();
    let again: Vec<usize> = (0..5)
        .map(|i| owners.first(&contents[i].clone(), 10 + i))
        .collect();
    assert_eq!((&met, &met), (&again, &vec![0, 1, 2, 3, 4]));
    let turned = numbered(6000)
        .arranged(4, &plan(&[30, 50], &[1, 0]))
        .unwrap();
    assert_eq!(owners.first(&turned, 5), 5);
    let made = Content::from(turned.bytes().clone());
    assert_eq!(owners.first(&made, 6), 5);
}

#[test]
fn keys_tell_sources_and_recipes_apart() {
    let ones = |n: usize| {
        TensorData::from_f32(vec![n], &vec![1.0; n])
            .content()
            .clone()
    };
    let turned = |c: &Content| c.arranged(4, &plan(&[4, 6], &[1, 0])).unwrap();
    let scaled = |c: &Content, f: f64| {
        let scale = Scale {
            sizes: &[24],
            strides: &[0],
            factors: &[f],
        };
        c.scaled(DType::F32, &scale).unwrap()
    };
    let (plain, other) = (numbered(96), ones(24));
    let keys = [
        plain.key(),
        other.key(),
        turned(&plain).key(),
        turned(&other).key(),
        scaled(&other, 2.0).key(),
        scaled(&other, 3.0).key(),
        turned(&scaled(&other, 3.0)).key(),
    ];
    for (i, key) in keys.iter().enumerate() {
        assert!(!keys[..i].contains(key), "{i}");
    }
    assert_eq!(plain.key(), Content::from(plain.bytes().clone()).key());
    assert_eq!(
        turned(&plain).key(),
        turned(&Content::from(plain.bytes().clone())).key()
    );
    let made = turned(&plain);
    made.bytes();
    assert_eq!(made.key(), turned(&plain).key());
}

proptest! {
    /// Packed bytes hold integers plus 8, also over an arranged content and in pieces of any length.
    #[test]
    fn packed_as_pairs((sizes, axes, unit) in tensors(), is_first in any::<bool>()) {
        let low = if is_first { LowHalf::First } else { LowHalf::Second };
        let count = sizes.iter().product::<usize>() * unit;
        let (source, plan) = (numbered(count), plan(&sizes, &axes));
        let arranged = source.arranged(unit, &plan).unwrap();
        let integers = moved(source.bytes(), unit, &plan);
        prop_assert_eq!(arranged.packed(low).is_some(), count % 2 == 0);
        let Some(packed) = arranged.packed(low) else { return Ok(()) };
        let half = |n: u8| (n as i8 as i64 + 8).rem_euclid(16) as u8;
        let byte = |pair: &[u8]| match low {
            LowHalf::First => half(pair[0]) + 16 * half(pair[1]),
            LowHalf::Second => 16 * half(pair[0]) + half(pair[1]),
        };
        let expected: Vec<u8> = integers.chunks(2).map(byte).collect();
        check(&packed, &expected);
        let unpacked = packed.unpacked(low);
        let signed: Vec<u8> = integers.iter().map(|&n| (half(n) as i8 - 8) as u8).collect();
        check(&unpacked, &signed);
        prop_assert_ne!(packed.key(), unpacked.key());
    }
}

proptest! {
    /// Floats in another dtype, also over an arranged content and in pieces of any length.
    #[test]
    fn converted_floats((sizes, axes, _) in tensors()) {
        let (source, plan) = (numbered(sizes.iter().product::<usize>() * 2), plan(&sizes, &axes));
        let arranged = source.arranged(2, &plan).unwrap();
        let wide = numbered(sizes.iter().product::<usize>() * 4).arranged(4, &plan).unwrap();
        let singles = wide.bytes().as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect::<Vec<_>>();
        let words = moved(source.bytes(), 2, &plan);
        let words: Vec<[u8; 2]> = words.chunks(2).map(|b| [b[0], b[1]]).collect();
        let brains: Vec<f32> = words.iter().map(|&b| bf16::from_le_bytes(b).to_f32()).collect();
        let of_halves = words.iter().flat_map(|&b| f16::from_le_bytes(b).to_f32().to_le_bytes());
        let as_halves = brains.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes());
        let as_singles = brains.iter().flat_map(|x| x.to_le_bytes());
        let converted = |from, to| arranged.converted(from, to).unwrap();
        check(&converted(DType::F16, DType::F32), &of_halves.collect::<Vec<_>>());
        check(&converted(DType::BF16, DType::F32), &as_singles.collect::<Vec<_>>());
        check(&converted(DType::BF16, DType::F16), &as_halves.collect::<Vec<_>>());
        prop_assert_ne!(converted(DType::F16, DType::F32).key(), converted(DType::BF16, DType::F32).key());
        let as_halves = singles.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes());
        let as_brains = singles.iter().flat_map(|&x| bf16::from_f32(x).to_le_bytes());
        check(&wide.converted(DType::F32, DType::F16).unwrap(), &as_halves.collect::<Vec<_>>());
        check(&wide.converted(DType::F32, DType::BF16).unwrap(), &as_brains.collect::<Vec<_>>());
        prop_assert!(arranged.converted(DType::I16, DType::F16).is_none());
    }
}

/// What was packed in the archive stays as it is.
#[test]
fn packing_again_gives_the_stored_bytes() {
    let stored = numbered(1 << 17);
    for low in [LowHalf::First, LowHalf::Second] {
        let again = stored.unpacked(low).packed(low).unwrap();
        assert!(again.is_one_with(&stored));
    }
    let turned = stored
        .unpacked(LowHalf::First)
        .packed(LowHalf::Second)
        .unwrap();
    let swapped: Vec<u8> = stored.bytes().iter().map(|b| b.rotate_left(4)).collect();
    check(&turned, &swapped);
}
