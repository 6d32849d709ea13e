//! Counts the operations of a shader on its dearest path, from naga's intermediate representation.

use std::ops::{Add, Mul};

use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{
    AddressSpace, BinaryOperator, Block, Expression, Function, Handle, Literal, MathFunction, Module,
    ScalarKind, Statement, TypeInner,
};

/// The operations of one item on the dearest path through a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operations {
    /// Operations on numbers in f32, each component of a vector for itself. A quotient or a root counts
    /// eight.
    pub float: f64,
    /// Operations on integers and conditions.
    pub integer: f64,
    /// Bytes loaded from and stored to buffers, as if there were no caches.
    pub bytes: f64,
}

impl Operations {
    const NONE: Self = Self { float: 0.0, integer: 0.0, bytes: 0.0 };

    fn cost(self) -> f64 {
        self.float + self.integer + self.bytes
    }

    fn dearer(self, other: Self) -> Self {
        if self.cost() >= other.cost() { self } else { other }
    }
}

impl Add for Operations {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            float: self.float + other.float,
            integer: self.integer + other.integer,
            bytes: self.bytes + other.bytes,
        }
    }
}

impl Mul<f64> for Operations {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self { float: self.float * times, integer: self.integer * times, bytes: self.bytes * times }
    }
}

/// Counts the operations of a kernel, or of a function of it. A loop with a constant bound counts so many
/// times, and any other loop once: the loop over items, and those over what few lanes survive.
pub fn of_kernel(name: &str, source: &str, function: Option<&str>) -> Operations {
    let module = naga::front::wgsl::parse_str(source).expect("a valid shader");
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    let info = info.expect("a valid shader");
    let counter = Counter { module: &module, info: &info };
    if let Some(function) = function {
        let mut functions = module.functions.iter();
        let named = functions.find(|(_, one)| one.name.as_deref() == Some(function)).expect("a function");
        return In { counter, function: named.1, types: &info[named.0] }.whole();
    }
    let entry = module.entry_points.iter().position(|entry| entry.name == name).expect("a kernel's entry");
    In { counter, function: &module.entry_points[entry].function, types: info.get_entry_point(entry) }.whole()
}

#[derive(Clone, Copy)]
struct Counter<'a> {
    module: &'a Module,
    info: &'a ModuleInfo,
}

/// A function whose operations are counted.
struct In<'a> {
    counter: Counter<'a>,
    function: &'a Function,
    types: &'a FunctionInfo,
}

impl In<'_> {
    fn whole(&self) -> Operations {
        self.block(&self.function.body)
    }

    fn of(&self, called: Handle<Function>) -> Operations {
        let Counter { module, info } = self.counter;
        In { counter: self.counter, function: &module.functions[called], types: &info[called] }.whole()
    }

    fn block(&self, block: &Block) -> Operations {
        block.iter().map(|statement| self.statement(statement)).fold(Operations::NONE, Add::add)
    }

    fn statement(&self, statement: &Statement) -> Operations {
        match statement {
            Statement::Emit(range) => {
                range.clone().map(|expression| self.expression(expression)).fold(Operations::NONE, Add::add)
            }
            Statement::Block(block) => self.block(block),
            Statement::If { accept, reject, .. } => self.block(accept).dearer(self.block(reject)),
            Statement::Switch { cases, .. } => {
                cases.iter().map(|case| self.block(&case.body)).fold(Operations::NONE, Operations::dearer)
            }
            Statement::Loop { body, continuing, .. } => {
                (self.block(body) + self.block(continuing)) * self.rounds(body)
            }
            Statement::Store { pointer, value } => self.moved(*pointer, *value),
            Statement::Atomic { .. } => Operations { integer: 1.0, bytes: 8.0, ..Operations::NONE },
            Statement::Call { function, .. } => self.of(*function),
            _ => Operations::NONE,
        }
    }

    /// Returns how often a loop runs that begins by comparing a counter with a constant; 1 for others.
    fn rounds(&self, body: &Block) -> f64 {
        let condition = body.iter().find_map(|statement| match statement {
            Statement::If { condition, reject, .. } if matches!(reject.first(), Some(Statement::Break)) => {
                Some(*condition)
            }
            _ => None,
        });
        let Some(Expression::Binary { op: BinaryOperator::Less, right, .. }) =
            condition.map(|condition| &self.function.expressions[condition])
        else {
            return 1.0;
        };
        match self.literal(*right) {
            Some(Literal::U32(bound)) => f64::from(bound),
            Some(Literal::I32(bound)) => f64::from(bound),
            _ => 1.0,
        }
    }

    fn literal(&self, expression: Handle<Expression>) -> Option<Literal> {
        match self.function.expressions[expression] {
            Expression::Literal(literal) => Some(literal),
            Expression::Constant(constant) => {
                let module = self.counter.module;
                match module.global_expressions[module.constants[constant].init] {
                    Expression::Literal(literal) => Some(literal),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn type_of(&self, expression: Handle<Expression>) -> &TypeInner {
        self.types[expression].ty.inner_with(&self.counter.module.types)
    }

    /// Returns the bytes of a value that is loaded or stored through a pointer, unless it stays in registers.
    fn moved(&self, pointer: Handle<Expression>, value: Handle<Expression>) -> Operations {
        let space = self.type_of(pointer).pointer_space();
        if !matches!(space, Some(AddressSpace::Storage { .. })) {
            return Operations::NONE;
        }
        let bytes = self.type_of(value).size(self.counter.module.to_ctx()).into();
        Operations { bytes, ..Operations::NONE }
    }

    fn expression(&self, handle: Handle<Expression>) -> Operations {
        match &self.function.expressions[handle] {
            Expression::Load { pointer } => self.moved(*pointer, handle),
            Expression::Unary { expr, .. } => self.each(*expr, 1.0),
            // A comparison is an operation on what it compares.
            Expression::Binary { op, left, right } => {
                let wider = if self.components(*left) >= self.components(*right) { *left } else { *right };
                self.each(wider, if *op == BinaryOperator::Divide { 8.0 } else { 1.0 })
            }
            Expression::Select { .. } => self.each(handle, 1.0),
            Expression::Relational { argument, .. } => self.each(*argument, 1.0),
            Expression::As { expr, convert: Some(_), .. } => self.each(*expr, 1.0),
            Expression::Math { fun, arg, .. } => match fun {
                MathFunction::Dot => self.each(*arg, 2.0),
                MathFunction::Cross => self.each(*arg, 3.0),
                MathFunction::Clamp | MathFunction::Fma => self.each(*arg, 2.0),
                MathFunction::Sqrt | MathFunction::InverseSqrt => self.each(*arg, 8.0),
                _ => self.each(*arg, 1.0),
            },
            _ => Operations::NONE,
        }
    }

    fn components(&self, value: Handle<Expression>) -> f64 {
        match self.type_of(value) {
            TypeInner::Vector { size, .. } => f64::from(*size as u32),
            TypeInner::Matrix { columns, rows, .. } => f64::from(*columns as u32 * *rows as u32),
            _ => 1.0,
        }
    }

    /// Counts so many operations on each component of a value.
    fn each(&self, value: Handle<Expression>, operations: f64) -> Operations {
        let count = operations * self.components(value);
        if self.type_of(value).scalar_kind() == Some(ScalarKind::Float) {
            Operations { float: count, ..Operations::NONE }
        } else {
            Operations { integer: count, ..Operations::NONE }
        }
    }
}
