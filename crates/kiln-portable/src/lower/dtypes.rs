//! Sets of dtypes that kernels take.

use kiln_ir::DType;
use kiln_transforms::framework::target::Reason;

/// A set of dtypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DTypes(u16);

const fn bit(dtype: DType) -> u16 {
    1 << dtype as u16
}

impl DTypes {
    /// f16, bf16, f32 and f64.
    pub const FLOATS: DTypes =
        DTypes(bit(DType::F16) | bit(DType::BF16) | bit(DType::F32) | bit(DType::F64));
    /// The integer types.
    pub const INTS: DTypes = DTypes(
        bit(DType::U8) | bit(DType::I8) | bit(DType::I16) | bit(DType::I32) | bit(DType::I64),
    );
    /// bool.
    pub const BOOL: DTypes = DTypes(bit(DType::Bool));
    /// Integers and floats.
    pub const NUMBERS: DTypes = DTypes(Self::INTS.0 | Self::FLOATS.0);
    /// Every dtype.
    pub const ALL: DTypes = DTypes(Self::NUMBERS.0 | Self::BOOL.0);

    /// The union of two sets.
    pub const fn and(self, other: DTypes) -> DTypes {
        DTypes(self.0 | other.0)
    }

    /// The set without a dtype.
    pub const fn but(self, dtype: DType) -> DTypes {
        DTypes(self.0 & !bit(dtype))
    }

    pub const fn contains(self, dtype: DType) -> bool {
        self.0 & bit(dtype) != 0
    }

    /// Refuses a dtype that is not in the set.
    pub fn check(self, kernel: &str, dtype: DType) -> Result<(), Reason> {
        if self.contains(dtype) {
            return Ok(());
        }
        let names: Vec<&str> = DType::ALL
            .into_iter()
            .filter(|&d| self.contains(d))
            .map(DType::name)
            .collect();
        Err(Reason::new(
            format!("kernel {kernel} takes {}", names.join(", ")),
            dtype.name(),
        ))
    }
}
