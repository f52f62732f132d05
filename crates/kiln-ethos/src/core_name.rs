//! The cores, as Vela 5.1.0 knows them.

use kiln_tosa::Machine;
use std::fmt;
use std::str::FromStr;

/// What cores have in common: their operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Ethos-U55.
    U55,
    /// Ethos-U65: the operators of U55, with more memory behind them.
    U65,
    /// Ethos-U85.
    U85,
}

/// A core: its family, and how many products it makes in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Core {
    name: &'static str,
    family: Family,
}

const fn core(name: &'static str, family: Family) -> Core {
    Core { name, family }
}

impl Core {
    /// Every core, the smallest of a family first.
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

    /// The name, as in `ethos-u55-128`: Vela's name of the configuration too.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Its family.
    pub const fn family(self) -> Family {
        self.family
    }

    /// What it charges, by Vela's estimates: a U55 transposes once where two axes change places, and twice where three do.
    /// Behind the memory of a U65 that makes no difference, and a U85 takes up to hundreds of times as long.
    pub const fn machine(self) -> Machine {
        Machine {
            // What Vela runs on the NPU without taking it apart.
            greatest_stride: 3,
            // By Vela's estimates.
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
            // By Vela 5.1's estimate exact biases are 2 to 8 times the cycles of a model of convolutions.
            spares_words: true,
        }
    }

    /// What Vela is told of the system around it: the largest of those that `Arm/vela.ini` has for a U55 or U65, the
    /// middle one of a U85 with DRAM; where the arena lies as the peer has it.
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
