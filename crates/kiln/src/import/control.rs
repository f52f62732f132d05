//! Higher-order ops: `cond`, `while_loop`, `map_impl` and `scan` become branches and loops.
//!
//! A constant operand is not passed as a parameter. The body names the constant itself, so that passes see it as a
//! constant there too. So it is with a constant that is dequantised or moved: the body has these ops once more.

use super::{Names, Walker};
use anyhow::{Result, anyhow, bail};
use kiln_aten::Arg;
use kiln_ir::ops;
use kiln_ir::{BlockId, Builder, DType, Dim, Place, Scalar, TensorData, TensorType, ValueId};
use kiln_pt2 as pt2;
use kiln_pt2::Argument;

/// An operand of a higher-order op, as its body sees it.
enum Operand {
    /// A parameter of the body.
    Value(ValueId),
    /// A constant, maybe dequantised and moved, which is made anew in each body.
    Constant(ValueId),
    /// A size or number that the importer knows.
    Known(Arg),
}

impl Walker<'_, '_> {
    /// Imports a higher-order op; gives its results.
    pub(super) fn higher_order(
        &mut self,
        op: &str,
        node: &pt2::Node,
        names: &Names,
    ) -> Result<Vec<Arg>> {
        match op {
            "cond" => self.cond(node, names),
            "while_loop" => self.while_loop(node, names),
            "map_impl" => self.map(node, names),
            "scan" => self.scan(node, names),
            _ => bail!(
                "higher-order op {op} is not supported; Kiln takes cond, while_loop, map and scan, and what only wraps a graph"
            ),
        }
    }

    fn operands(&mut self, arg: &Argument, names: &Names) -> Result<Vec<Operand>> {
        let list: Vec<Arg> = match self.argument(arg, names)? {
            Arg::Tensors(list) => list.into_iter().map(Arg::Tensor).collect(),
            Arg::Ints(list) => list.into_iter().map(Arg::Int).collect(),
            other => vec![other],
        };
        list.into_iter().map(|arg| self.operand(arg)).collect()
    }

    fn operand(&mut self, arg: Arg) -> Result<Operand> {
        match arg {
            Arg::Tensor(tensor) => {
                let value = self.cx.current(tensor)?;
                Ok(match self.cx.is_remakable(value) {
                    true => Operand::Constant(value),
                    false => Operand::Value(value),
                })
            }
            Arg::Number(n) => Ok(Operand::Value(n.value)),
            known => Ok(Operand::Known(known)),
        }
    }

    /// Makes a block from a saved subgraph, with a parameter for each operand that is a value, and imports the
    /// subgraph's nodes. `before` replaces the leading operands.
    fn body(
        &mut self,
        graph: &pt2::Graph,
        operands: &[Operand],
    ) -> Result<(BlockId, Vec<ValueId>)> {
        let block = self.cx.rewriter().add_block();
        self.cx.enter(block);
        let mut names = Names::new();
        for (input, operand) in graph.inputs.iter().zip(operands) {
            let arg = self.body_operand(block, operand)?;
            if let Some(name) = input.value_name() {
                names.insert(name.to_string(), arg);
            }
        }
        let results = self
            .nodes(graph, &mut names)
            .and_then(|()| self.body_results(graph, &names));
        self.cx.leave();
        Ok((block, results?))
    }

    fn body_operand(&mut self, block: BlockId, operand: &Operand) -> Result<Arg> {
        Ok(match operand {
            Operand::Known(arg) => arg.clone(),
            Operand::Constant(value) => {
                let value = self.cx.remade(*value)?;
                let value = value.ok_or_else(|| anyhow!("a constant has an op"))?;
                Arg::Tensor(self.cx.bind(value))
            }
            Operand::Value(value) => {
                let ty = self.cx.graph().ty(*value).clone();
                let param = self.cx.rewriter().add_param(block, ty, None);
                Arg::Tensor(self.cx.bind(param))
            }
        })
    }

    fn body_results(&mut self, graph: &pt2::Graph, names: &Names) -> Result<Vec<ValueId>> {
        graph
            .outputs
            .iter()
            .map(|output| match self.argument(output, names)? {
                Arg::Tensor(tensor) => Ok(self.cx.current(tensor)?),
                number => self.number_value(&number),
            })
            .collect()
    }

    fn bind_results(&mut self, values: &[ValueId]) -> Vec<Arg> {
        values
            .iter()
            .map(|&v| Arg::Tensor(self.cx.bind(v)))
            .collect()
    }

    fn cond(&mut self, node: &pt2::Node, names: &Names) -> Result<Vec<Arg>> {
        let [
            condition,
            Argument::Graph(then),
            Argument::Graph(otherwise),
            rest @ ..,
        ] = &arguments(node)[..]
        else {
            bail!("cond takes a condition, two graphs and operands");
        };
        let condition = self.argument(condition, names)?;
        let operands = match rest.first() {
            Some(arg) => self.operands(arg, names)?,
            None => Vec::new(),
        };
        let condition = match condition {
            Arg::Tensor(tensor) => self.cx.current(tensor)?,
            number => self.number_value(&number)?,
        };
        let condition = self.as_condition(condition)?;
        let (then, then_results) = self.body(&then.graph, &operands)?;
        let (otherwise, other_results) = self.body(&otherwise.graph, &operands)?;
        self.cx.rewriter().set_results(then, then_results);
        self.cx.rewriter().set_results(otherwise, other_results);
        let mut values = vec![condition];
        values.extend(passed(&operands));
        let place = Place::End(self.cx.block());
        let made = self
            .cx
            .rewriter()
            .insert(place, ops::If { then, otherwise }, &values)?;
        let results = self.cx.graph().node(made).results.clone();
        Ok(self.bind_results(&results))
    }

    fn as_condition(&mut self, value: ValueId) -> Result<ValueId> {
        if self.cx.graph().ty(value).dtype == DType::Bool {
            return Ok(value);
        }
        let place = Place::End(self.cx.block());
        Ok(self
            .cx
            .rewriter()
            .value(place, ops::Cast { to: DType::Bool }, &[value])?)
    }

    fn while_loop(&mut self, node: &pt2::Node, names: &Names) -> Result<Vec<Arg>> {
        let [
            Argument::Graph(condition),
            Argument::Graph(body),
            carried,
            rest @ ..,
        ] = &arguments(node)[..]
        else {
            bail!("while_loop takes two graphs and operands");
        };
        // A loop changes a carried operand, so it is a parameter even if it starts as a constant.
        let carried = self.operands(carried, names)?;
        let mut operands = Vec::new();
        for operand in carried {
            operands.push(Operand::Value(self.operand_value(operand)?));
        }
        let count = operands.len();
        if let Some(arg) = rest.first() {
            operands.extend(self.operands(arg, names)?);
        }
        let (condition, results) = self.body(&condition.graph, &operands)?;
        self.cx.rewriter().set_results(condition, results);
        let (body, results) = self.body(&body.graph, &operands)?;
        self.cx.rewriter().set_results(body, results);
        let values: Vec<ValueId> = passed(&operands).collect();
        let place = Place::End(self.cx.block());
        let op = ops::While {
            condition,
            body,
            carried: count,
        };
        let made = self.cx.rewriter().insert(place, op, &values)?;
        let results = self.cx.graph().node(made).results.clone();
        Ok(self.bind_results(&results))
    }

    fn operand_value(&mut self, operand: Operand) -> Result<ValueId> {
        Ok(match operand {
            Operand::Value(value) | Operand::Constant(value) => value,
            Operand::Known(number) => self.number_value(&number)?,
        })
    }

    /// `map(f, xs, *args)`: applies `f` row by row and stacks the results.
    fn map(&mut self, node: &pt2::Node, names: &Names) -> Result<Vec<Arg>> {
        let [Argument::Graph(body), xs, rest @ ..] = &arguments(node)[..] else {
            bail!("map takes a graph and operands");
        };
        let rows = self.operands(xs, names)?;
        let additional = match rest.first() {
            Some(arg) => self.operands(arg, names)?,
            None => Vec::new(),
        };
        self.rows(node, &body.graph, Vec::new(), rows, additional)
    }

    /// `scan(f, init, xs)`: as `map`, and carries values from row to row.
    fn scan(&mut self, node: &pt2::Node, names: &Names) -> Result<Vec<Arg>> {
        let [Argument::Graph(body), init, xs, rest @ ..] = &arguments(node)[..] else {
            bail!("scan takes a graph and operands");
        };
        let carried = self.operands(init, names)?;
        let rows = self.operands(xs, names)?;
        let additional = match rest.first() {
            Some(arg) => self.operands(arg, names)?,
            None => Vec::new(),
        };
        self.rows(node, &body.graph, carried, rows, additional)
    }

    /// A loop over rows. It carries the counter, the carried values and the stacked results; `rows` and `additional`
    /// stay the same.
    fn rows(
        &mut self,
        node: &pt2::Node,
        graph: &pt2::Graph,
        carried: Vec<Operand>,
        rows: Vec<Operand>,
        additional: Vec<Operand>,
    ) -> Result<Vec<Arg>> {
        let carried: Vec<ValueId> = carried
            .into_iter()
            .map(|o| self.operand_value(o))
            .collect::<Result<_>>()?;
        let rows: Vec<ValueId> = rows
            .into_iter()
            .map(|o| self.operand_value(o))
            .collect::<Result<_>>()?;
        let count = rows
            .first()
            .and_then(|&r| self.cx.graph().ty(r).shape.first().cloned());
        let count =
            count.ok_or_else(|| anyhow!("a loop over rows has at least one operand with rows"))?;
        let place = Place::End(self.cx.block());
        let start = self.cx.rewriter().constant_value(
            place,
            "",
            TensorData::scalar(DType::I64, Scalar::Int(0)),
        );
        let stacks = self.empty_stacks(node, carried.len(), &count)?;
        let (condition, body) = (
            self.cx.rewriter().add_block(),
            self.cx.rewriter().add_block(),
        );
        let mut values = vec![start];
        values.extend(carried.iter().chain(&stacks).chain(&rows));
        let loop_carried = 1 + carried.len() + stacks.len();
        values.extend(passed(&additional));
        self.rows_condition(condition, &values, &count)?;
        self.rows_body(
            body,
            graph,
            &values,
            [carried.len(), stacks.len(), rows.len()],
            &additional,
        )?;
        let op = ops::While {
            condition,
            body,
            carried: loop_carried,
        };
        let place = Place::End(self.cx.block());
        let made = self.cx.rewriter().insert(place, op, &values)?;
        let results = self.cx.graph().node(made).results.clone();
        Ok(self.bind_results(&results[1..]))
    }

    /// Zeros in the shape of each stacked result, as the archive declares the shape.
    fn empty_stacks(
        &mut self,
        node: &pt2::Node,
        carried: usize,
        count: &Dim,
    ) -> Result<Vec<ValueId>> {
        let program = self.program;
        let outputs: Vec<String> = node
            .outputs
            .iter()
            .flat_map(|o| match o {
                Argument::Tensors(list) => list.clone(),
                other => other.value_name().map(str::to_string).into_iter().collect(),
            })
            .skip(carried)
            .collect();
        outputs
            .iter()
            .map(|name| {
                let meta = self.meta(&program.graph, name)?.clone();
                let mut ty = self.tensor_type(&meta, name)?;
                ty.shape[0] = count.clone();
                self.zeros(&ty)
            })
            .collect()
    }

    fn zeros(&mut self, ty: &TensorType) -> Result<ValueId> {
        let place = Place::End(self.cx.block());
        let ones = vec![1; ty.rank()];
        let zero = TensorData::splat(ty.dtype, ones, Scalar::Int(0));
        let zero = self.cx.rewriter().constant_value(place, "", zero);
        Ok(self.cx.rewriter().value(
            place,
            ops::Broadcast {
                shape: ty.shape.clone(),
            },
            &[zero],
        )?)
    }

    fn params_like(&mut self, block: BlockId, values: &[ValueId]) -> Vec<ValueId> {
        values
            .iter()
            .map(|&v| {
                let ty = self.cx.graph().ty(v).clone();
                self.cx.rewriter().add_param(block, ty, None)
            })
            .collect()
    }

    fn rows_condition(&mut self, block: BlockId, values: &[ValueId], count: &Dim) -> Result<()> {
        let params = self.params_like(block, values);
        let place = Place::End(block);
        let rewriter = self.cx.rewriter();
        let count = rewriter.value(place, ops::DimValue { dim: count.clone() }, &[])?;
        let more = rewriter.value(
            place,
            ops::Compare {
                f: ops::CompareFn::Lt,
            },
            &[params[0], count],
        )?;
        rewriter.set_results(block, vec![more]);
        Ok(())
    }

    fn rows_body(
        &mut self,
        block: BlockId,
        graph: &pt2::Graph,
        values: &[ValueId],
        [carried, stacks, rows]: [usize; 3],
        additional: &[Operand],
    ) -> Result<()> {
        let passed_count = 1 + carried + stacks + rows;
        let params = self.params_like(block, &values[..passed_count]);
        self.cx.enter(block);
        let result = self.rows_step(block, graph, &params, [carried, stacks, rows], additional);
        self.cx.leave();
        self.cx.rewriter().set_results(block, result?);
        Ok(())
    }

    fn rows_step(
        &mut self,
        block: BlockId,
        graph: &pt2::Graph,
        params: &[ValueId],
        [carried, stacks, rows]: [usize; 3],
        additional: &[Operand],
    ) -> Result<Vec<ValueId>> {
        let place = Place::End(block);
        let index = params[0];
        let mut args = Vec::new();
        for &value in &params[1..1 + carried] {
            args.push(Arg::Tensor(self.cx.bind(value)));
        }
        for &row in &params[1 + carried + stacks..][..rows] {
            let picked = self
                .cx
                .rewriter()
                .value(place, ops::Index::new(0), &[row, index])?;
            args.push(Arg::Tensor(self.cx.bind(picked)));
        }
        for operand in additional {
            args.push(self.body_operand(block, operand)?);
        }
        let mut names = Names::new();
        for (input, arg) in graph.inputs.iter().zip(args) {
            if let Some(name) = input.value_name() {
                names.insert(name.to_string(), arg);
            }
        }
        self.nodes(graph, &mut names)?;
        let made = self.body_results(graph, &names)?;
        if made.len() != carried + stacks {
            bail!(
                "the body gives {} results, expected {}",
                made.len(),
                carried + stacks
            );
        }
        let rewriter = self.cx.rewriter();
        let one =
            rewriter.constant_value(place, "", TensorData::scalar(DType::I64, Scalar::Int(1)));
        let next = rewriter.value(
            place,
            ops::Binary {
                f: ops::BinaryFn::Add,
            },
            &[index, one],
        )?;
        let mut results = vec![next];
        results.extend(&made[..carried]);
        for (&stack, &row) in params[1 + carried..][..stacks].iter().zip(&made[carried..]) {
            let put = ops::IndexPut {
                axis: 0,
                accumulate: false,
            };
            results.push(rewriter.value(place, put, &[stack, row, index])?);
        }
        Ok(results)
    }
}

fn arguments(node: &pt2::Node) -> Vec<&Argument> {
    node.inputs.iter().map(|i| &i.arg).collect()
}

fn passed(operands: &[Operand]) -> impl Iterator<Item = ValueId> + '_ {
    operands.iter().filter_map(|o| match o {
        Operand::Value(value) => Some(*value),
        Operand::Constant(_) | Operand::Known(_) => None,
    })
}
