//! The cores, as Vela 5.1.0 knows them.

use kiln_tosa::Machine;
use std::fmt;
use std::str::FromStr;

/// A family of cores: they have the same operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Ethos-U55.
    U55,
    /// Ethos-U65: the operators of U55, with a larger memory.
    U65,
    /// Ethos-U85.
    U85,
}

impl Family {
    /// The Cortex-M that runs the kernels beside the NPU, as Arm's reference platforms pair them (Corstone-300 and -320).
    pub fn host(self) -> &'static str {
        match self {
            Family::U55 | Family::U65 => "cortex-m55",
            Family::U85 => "cortex-m85",
        }
    }
}

/// A core: its family, and its products per cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Core {
    name: &'static str,
    family: Family,
}

const fn core(name: &'static str, family: Family) -> Core {
    Core { name, family }
}

impl Core {
    /// All cores, the smallest of a family first.
    pub const ALL: [Core; 11] = [
        core("ethos-u55-32", Family::U55),
        core("ethos-u55-64", Family::U55),
        core("ethos-u55-128", Family::U55),
        core("ethos-u55-256", Family::U55),
        core("ethos-u65-256", Family::U65),
        core("ethos-u65-512", Family::U65),
        core("ethos-u85-128", Family::U85),
        core("ethos-u85-256", Family::U85),
        core("ethos-u85-512", Family::U85),
        core("ethos-u85-1024", Family::U85),
        core("ethos-u85-2048", Family::U85),
    ];

    /// The name, as in `ethos-u55-128`, which is also Vela's name of the configuration.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The core's family.
    pub const fn family(self) -> Family {
        self.family
    }

    /// The cost model of the core, from Vela's estimates. A U55 transposes in one pass if two axes are swapped and in
    /// two if three are permuted, so neighbouring axes are joined. With the memory of a U65 that makes no difference,
    /// and a U85 then takes up to hundreds of times as long.
    pub const fn machine(self) -> Machine {
        Machine {
            // The greatest stride that Vela runs without splitting the operator.
            greatest_stride: 3,
            // Bytes per transpose and per operator, from Vela's estimates.
            bytes_per_transpose: 4096,
            bytes_per_join: Some(1024),
            greatest_axis: match self.family {
                Family::U55 | Family::U65 => Some(1 << 16),
                Family::U85 => None,
            },
            greatest_axis_of_words: match self.family {
                Family::U55 | Family::U65 => Some(1 << 14),
                Family::U85 => None,
            },
            joins_axes: matches!(self.family, Family::U55),
            // Exact biases would take 2 to 8 times the cycles of a convolutional model, by Vela 5.1's estimate.
            spares_words: true,
        }
    }

    /// Vela's options for the system around the core: for U55 and U65 the largest of `Arm/vela.ini`, for U85 the middle
    /// one with DRAM. The arena lies where the peer puts it.
    pub(crate) const fn system(self) -> [&'static str; 2] {
        match self.family {
            Family::U55 => [
                "--system-config=Ethos_U55_High_End_Embedded",
                "--memory-mode=Shared_Sram",
            ],
            Family::U65 => [
                "--system-config=Ethos_U65_High_End",
                "--memory-mode=Dedicated_Sram_384KB",
            ],
            Family::U85 => [
                "--system-config=Ethos_U85_SYS_DRAM_Mid",
                "--memory-mode=Sram_Only",
            ],
        }
    }
}

impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Family::U55 => "Ethos-U55",
            Family::U65 => "Ethos-U65",
            Family::U85 => "Ethos-U85",
        })
    }
}

impl FromStr for Core {
    type Err = String;

    fn from_str(name: &str) -> Result<Core, String> {
        let found = Core::ALL.into_iter().find(|core| core.name == name);
        found.ok_or_else(|| {
            let names = Core::ALL.map(Core::name).join(", ");
            format!("there is no core {name}; the cores are {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for core in Core::ALL {
            assert_eq!(core.name().parse(), Ok(core));
        }
        assert!("ethos-u55-127".parse::<Core>().is_err());
    }
}
