//! Tensors of classes that wrap others, such as torchao's quantised weights. A program reads what they wrap, by name.

use super::{Names, Walker, define};
use anyhow::{Result, anyhow, bail};
use kiln_aten::Arg;
use kiln_pt2::{self as pt2, Argument, Payload, TensorSubclass};

/// The call that reads a wrapped tensor.
const ACCESS: &str = "torch.ops.export.access_subclass_inner_tensor.default";

/// A wrapper in the archive.
#[derive(Clone)]
pub(super) struct Wrapper {
    fqn: String,
    class: String,
    /// The attributes that lead to it from the stored tensor, each with a dot behind it.
    path: String,
}

impl Walker<'_, '_> {
    /// Defines a stored tensor that wraps others; false for a plain one.
    pub(super) fn wrapper(&mut self, name: &str, fqn: &str, names: &mut Names) -> Result<bool> {
        let Payload::Subclass(TensorSubclass { type_name, .. }) = self.archive.payload(fqn)? else {
            return Ok(false);
        };
        let wrapper = Wrapper {
            fqn: fqn.into(),
            class: type_name,
            path: String::new(),
        };
        self.define_wrapper(name, wrapper, names)?;
        Ok(true)
    }

    fn define_wrapper(&mut self, name: &str, wrapper: Wrapper, names: &mut Names) -> Result<()> {
        define(names, name, Arg::Wrapper(wrapper.class.clone()))?;
        self.wrappers.insert(name.into(), wrapper);
        Ok(())
    }

    /// Imports a call that reads a wrapped tensor; false for any other call.
    pub(super) fn access(&mut self, node: &pt2::Node, names: &mut Names) -> Result<bool> {
        if node.target != ACCESS {
            return Ok(false);
        }
        let args: Vec<&Argument> = node.inputs.iter().map(|input| &input.arg).collect();
        let (&[Argument::Tensor(from), Argument::String(attribute)], [Argument::Tensor(name)]) =
            (args.as_slice(), node.outputs.as_slice())
        else {
            bail!("a wrapped tensor is read by its wrapper and its name");
        };
        let wrapper = self.wrappers.get(from).cloned();
        let wrapper = wrapper.ok_or_else(|| anyhow!("{from} wraps no tensors"))?;
        self.unwrapped(&wrapper, attribute, name, names)?;
        Ok(true)
    }

    fn unwrapped(
        &mut self,
        wrapper: &Wrapper,
        attribute: &str,
        name: &str,
        names: &mut Names,
    ) -> Result<()> {
        let Wrapper { fqn, class, path } = wrapper;
        let Payload::Subclass(TensorSubclass { inner, .. }) = self.archive.payload(fqn)? else {
            bail!("{fqn} wraps no tensors");
        };
        let key = format!("{path}{attribute}");
        if let Some(stored) = inner.get(&key) {
            let (value, _) = self.constant(name, &format!("{fqn}.{key}"), stored)?;
            let tensor = self.cx.bind_ordered(value, Some(stored.is_contiguous()));
            return define(names, name, Arg::Tensor(tensor));
        }
        let path = format!("{key}.");
        if !inner.keys().any(|own| own.starts_with(&path)) {
            bail!("{fqn}, of class {class}, wraps no tensor {key}");
        }
        let wrapper = Wrapper {
            path,
            ..wrapper.clone()
        };
        self.define_wrapper(name, wrapper, names)
    }
}
