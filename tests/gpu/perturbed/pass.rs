//! The pass: replaces every operation on floats by a call of the function of the same meaning.

use std::collections::HashMap;

use naga::back::wgsl::{WriterFlags, write_string};
use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{
    BinaryOperator, Expression, Function, Handle, MathFunction, Module, ScalarKind, Statement, TypeInner,
    UnaryOperator, VectorSize,
};

use super::Rounding;
use super::copying::Copy;
use super::inlining::inline;

/// A sum of more monomials is not reordered.
const MOST: usize = 24;

/// Returns a shader with every operation on floats rounded in the given way. Shaders without a tree do not
/// compute in floats and stay as they are.
pub fn rewritten(source: &str, rounding: Rounding) -> String {
    if !source.contains("home: array<u32>") {
        return source.to_owned();
    }
    let source = rounding.operations() + source;
    let mut module =
        naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
    inline(&mut module);
    let info = validated(&module);
    let is_operation = |f: &Function| {
        f.name.as_ref().is_some_and(|name| (1..=4).any(|count| name.ends_with(&format!("_w{count}"))))
    };
    let named = module.functions.iter().filter(|(_, f)| is_operation(f));
    let operations: HashMap<String, _> =
        named.map(|(handle, f)| (f.name.clone().expect("named"), handle)).collect();
    let rewrite = |function: &Function, types: &FunctionInfo| {
        Pass {
            module: &module,
            types,
            old: function,
            operations: &operations,
            rounding,
            copy: Copy::default(),
        }
        .run()
    };
    let functions: Vec<(Handle<Function>, Function)> = (module.functions.iter())
        .filter(|(_, function)| !is_operation(function))
        .map(|(handle, function)| (handle, rewrite(function, &info[handle])))
        .collect();
    let entry = rewrite(&module.entry_points[0].function, info.get_entry_point(0));
    for (handle, function) in functions {
        *module.functions.get_mut(handle) = function;
    }
    module.entry_points[0].function = entry;
    write_string(&module, &validated(&module), WriterFlags::empty()).expect("it can be written")
}

fn validated(module: &Module) -> ModuleInfo {
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(module)
        .unwrap_or_else(|error| panic!("{:?}", error.into_inner()))
}

/// A monomial of a sum: the product of these expressions of the old function.
#[derive(Clone)]
struct Monomial {
    is_negative: bool,
    factors: Vec<Handle<Expression>>,
}

/// A value of the new function and its number of components.
#[derive(Clone, Copy)]
struct Value {
    handle: Handle<Expression>,
    count: u32,
}

/// The rewriting of one function.
struct Pass<'a> {
    module: &'a Module,
    types: &'a FunctionInfo,
    old: &'a Function,
    operations: &'a HashMap<String, Handle<Function>>,
    rounding: Rounding,
    copy: Copy,
}

impl Pass<'_> {
    fn run(mut self) -> Function {
        for (handle, old) in self.old.expressions.iter() {
            let mut steps = Vec::new();
            match self.operation(handle, &mut steps) {
                Some(found) => {
                    self.copy.handles.insert(handle, found.handle);
                    self.copy.steps.insert(handle, steps);
                }
                None => self.copy.keep(handle, old),
            }
        }
        self.copy.of(self.old)
    }

    /// Returns the number of components of an old expression, if it is a float or a vector of floats.
    fn floats(&self, handle: Handle<Expression>) -> Option<u32> {
        match *self.types[handle].ty.inner_with(&self.module.types) {
            TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Float => Some(1),
            TypeInner::Vector { size, scalar } if scalar.kind == ScalarKind::Float => Some(size as u32),
            _ => None,
        }
    }

    fn value(&self, old: Handle<Expression>) -> Value {
        Value { handle: self.copy.handles[&old], count: self.floats(old).unwrap_or(1) }
    }

    /// Adds the calls for an old expression if it is an operation on floats.
    fn operation(&mut self, handle: Handle<Expression>, steps: &mut Vec<Statement>) -> Option<Value> {
        let count = self.floats(handle)?;
        match self.old.expressions[handle] {
            Expression::Binary { op, left, right } => {
                let monomials = self.monomials(handle);
                if (2..=MOST).contains(&monomials.len()) {
                    return Some(self.sum(&monomials, count, steps));
                }
                let name = match op {
                    BinaryOperator::Add => "plus",
                    BinaryOperator::Subtract => "minus",
                    BinaryOperator::Multiply => "times",
                    BinaryOperator::Divide => "over",
                    other => panic!("{other:?} of floats"),
                };
                let operands = [left, right].map(|old| self.value(old));
                Some(self.call(name, &operands, count, steps))
            }
            Expression::Math { fun: MathFunction::Sqrt, arg, .. } => {
                Some(self.call("root", &[self.value(arg)], count, steps))
            }
            Expression::Math { fun: MathFunction::InverseSqrt, arg, .. } => {
                Some(self.call("inverse_root", &[self.value(arg)], count, steps))
            }
            Expression::Math { fun, .. } => {
                use MathFunction::{Abs, Clamp, Max, Min};
                assert!(matches!(fun, Abs | Clamp | Max | Min), "{fun:?} has no rounded twin");
                None
            }
            Expression::As { expr, convert: Some(_), .. } if self.floats(expr).is_none() => {
                let name = match self.types[expr].ty.inner_with(&self.module.types).scalar_kind() {
                    Some(ScalarKind::Sint) => "of_signed",
                    Some(ScalarKind::Uint) => "of_unsigned",
                    other => panic!("{other:?} to a float"),
                };
                let value = Value { handle: self.copy.handles[&expr], count };
                Some(self.call(name, &[value], count, steps))
            }
            _ => None,
        }
    }

    /// Adds a call of a function for so many components. Scalars beside vectors are spread.
    fn call(&mut self, name: &str, operands: &[Value], count: u32, steps: &mut Vec<Statement>) -> Value {
        let mut arguments = Vec::new();
        for operand in operands {
            let size = match count {
                2 => VectorSize::Bi,
                3 => VectorSize::Tri,
                _ => VectorSize::Quad,
            };
            arguments.push(match operand.count == count {
                true => operand.handle,
                false => self.copy.emitted(Expression::Splat { size, value: operand.handle }, steps),
            });
        }
        let function = self.operations[&format!("{name}_w{count}")];
        let handle = self.copy.add(Expression::CallResult(function));
        steps.push(Statement::Call { function, arguments, result: Some(handle) });
        Value { handle, count }
    }

    /// Returns the monomials of an old expression in the order in which they are added, unless the rounding
    /// keeps it.
    fn monomials(&self, handle: Handle<Expression>) -> Vec<Monomial> {
        let is_reordered = matches!(self.rounding, Rounding::Reversed | Rounding::Expanded);
        let itself = vec![Monomial { is_negative: false, factors: vec![handle] }];
        if !is_reordered || self.floats(handle).is_none() {
            return itself;
        }
        let opposite = |terms: Vec<Monomial>| -> Vec<Monomial> {
            terms.into_iter().map(|term| Monomial { is_negative: !term.is_negative, ..term }).collect()
        };
        match self.old.expressions[handle] {
            Expression::Unary { op: UnaryOperator::Negate, expr } => opposite(self.monomials(expr)),
            Expression::Binary { op: BinaryOperator::Add, left, right } => {
                [self.monomials(left), self.monomials(right)].concat()
            }
            Expression::Binary { op: BinaryOperator::Subtract, left, right } => {
                [self.monomials(left), opposite(self.monomials(right))].concat()
            }
            Expression::Binary { op: BinaryOperator::Multiply, left, right }
                if self.rounding == Rounding::Expanded =>
            {
                let [left, right] = [left, right].map(|side| self.monomials(side));
                if left.len() * right.len() > MOST {
                    return itself;
                }
                let product = |a: &Monomial, b: &Monomial| Monomial {
                    is_negative: a.is_negative != b.is_negative,
                    factors: [&a.factors[..], &b.factors].concat(),
                };
                left.iter().flat_map(|a| right.iter().map(move |b| product(a, b))).collect()
            }
            _ => itself,
        }
    }

    /// Adds the sum of monomials, the last one first.
    fn sum(&mut self, monomials: &[Monomial], count: u32, steps: &mut Vec<Statement>) -> Value {
        let mut total = None;
        for monomial in monomials.iter().rev() {
            let mut factors =
                monomial.factors.iter().map(|&old| self.value(old)).collect::<Vec<_>>().into_iter();
            let mut term = factors.next().expect("a factor");
            for factor in factors {
                let count = term.count.max(factor.count);
                term = self.call("times", &[term, factor], count, steps);
            }
            if monomial.is_negative {
                let negative = Expression::Unary { op: UnaryOperator::Negate, expr: term.handle };
                term.handle = self.copy.emitted(negative, steps);
            }
            total = Some(match total {
                None => term,
                Some(total) => self.call("plus", &[total, term], count, steps),
            });
        }
        total.expect("a monomial")
    }
}
