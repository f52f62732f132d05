//! The buffers of a call against the slots of its row.

use super::rules::Rules;
use crate::dialect::{Buffer, Dtype, Slot, Value, View};

impl Rules<'_> {
    /// Checks that the buffers and the arguments are those of the row. Returns whether they are.
    pub fn buffers(&mut self) -> bool {
        let before = self.found.len();
        let row = self.function().row();
        if self.call.buffers.len() != row.slots.len() {
            let found = self.call.buffers.len();
            self.found
                .push(format!("{found} buffers, not {}", row.slots.len()));
            return false;
        }
        let views = self.call.views.len();
        self.rule(views == 0 || views == row.slots.len(), || {
            format!("{views} views, not none or {}", row.slots.len())
        });
        for (place, slot) in row.slots.iter().enumerate() {
            self.slot(place, slot);
        }
        self.overlap();
        self.arguments();
        self.found.len() == before
    }

    fn slot(&mut self, place: usize, slot: &Slot) {
        let Some(id) = self.call.buffers[place] else {
            return self.rule(slot.is_optional, || {
                format!("{} is a null pointer", slot.name)
            });
        };
        // That there is no such buffer is a fault of the order.
        let Some(buffer) = self.program.buffer(id) else {
            return;
        };
        self.rule(slot.dtypes.contains(&buffer.dtype), || {
            let names: Vec<&str> = slot.dtypes.iter().map(|dtype| dtype.name()).collect();
            format!(
                "{} is {}, not {}",
                slot.name,
                buffer.dtype,
                names.join(" or ")
            )
        });
        if let Some(view) = self.call.view(place) {
            self.view(slot, view, buffer);
        }
        let used = self
            .program
            .used(self.call, place)
            .map_or(0, |view| view.elements);
        match slot.extent.elements_of(&self.call.parameters, self.value) {
            None => self
                .found
                .push(format!("the size of {} is none", slot.name)),
            Some((elements, is_least)) => {
                let fits = used == elements || is_least && used > elements;
                self.rule(fits, || {
                    let least = if is_least { "at least " } else { "" };
                    format!("{} has {used} elements, not {least}{elements}", slot.name)
                });
            }
        }
    }

    /// A view lies in its buffer, and begins on a whole byte.
    fn view(&mut self, slot: &Slot, view: View, buffer: &Buffer) {
        self.rule(view.end() <= buffer.elements, || {
            let end = view.end();
            format!(
                "{} ends with element {end} of {}",
                slot.name, buffer.elements
            )
        });
        self.rule(buffer.dtype != Dtype::I4, || {
            format!("{} is a part of 4-bit integers", slot.name)
        });
    }

    /// A written buffer is no other buffer of the call, unless the row lets it take the place of an operand.
    fn overlap(&mut self) {
        let row = self.function().row();
        let used: Vec<_> = row
            .slots
            .iter()
            .zip(&self.call.buffers)
            .enumerate()
            .filter_map(|(place, (slot, id))| {
                Some((slot, (*id)?, self.program.used(self.call, place)?))
            })
            .collect();
        for (i, (slot, id, view)) in used.iter().enumerate() {
            let same = used.iter().skip(i + 1).filter(|(_, other, _)| other == id);
            for (other, _, its) in same.filter(|(_, _, its)| its.meets(*view)) {
                let is_written = slot.access.writes() || other.access.writes();
                let may =
                    |slot: &Slot| slot.access.writes() || row.overwritable.contains(&slot.name);
                let both_write = slot.access.writes() && other.access.writes();
                let allowed = !is_written || may(slot) && may(other) && !both_write && its == view;
                self.rule(allowed, || {
                    format!("{} and {} are the same buffer", slot.name, other.name)
                });
            }
        }
    }

    /// A parameter that not all functions of a family have is there exactly if the function has it.
    fn arguments(&mut self) {
        let row = self.function().row();
        let Value::Struct(_, members) = self.value else {
            return;
        };
        for (name, value) in members {
            // The bias of 16 bits is a struct, any other a buffer of the same name.
            let has = row.arguments.contains(&name.as_ref()) && row.slot(name).is_none()
                || name
                    .strip_suffix("_first")
                    .is_some_and(|slot| row.slot(slot).is_some());
            match value {
                Value::Null => self.rule(!has, || format!("{name} is missing")),
                _ => self.rule(has, || format!("the function has no {name}")),
            }
        }
    }
}
