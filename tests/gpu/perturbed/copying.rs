//! Copies of functions in naga's intermediate representation, with other expressions in place of some.

use std::collections::HashMap;

use naga::{Arena, Block, Expression, Function, Handle, Range, Span, Statement};

pub type Expressions = HashMap<Handle<Expression>, Handle<Expression>>;

/// The copy of a function.
#[derive(Default)]
pub struct Copy {
    expressions: Arena<Expression>,
    /// The new expression for each old one.
    pub handles: Expressions,
    /// The statements that compute it, in place of the old ones.
    pub steps: HashMap<Handle<Expression>, Vec<Statement>>,
    /// The statements that compute the results of inlined calls.
    pub inlined: HashMap<Handle<Expression>, Vec<Statement>>,
}

impl Copy {
    pub fn add(&mut self, expression: Expression) -> Handle<Expression> {
        self.expressions.append(expression, Span::UNDEFINED)
    }

    /// Adds an expression that one of the steps computes.
    pub fn emitted(&mut self, expression: Expression, steps: &mut Vec<Statement>) -> Handle<Expression> {
        let handle = self.add(expression);
        steps.push(Statement::Emit(Range::new_from_bounds(handle, handle)));
        handle
    }

    /// Adds an old expression as it is.
    pub fn keep(&mut self, handle: Handle<Expression>, old: &Expression) {
        let mut steps = Vec::new();
        let new = self.emitted(copied(old, &self.handles), &mut steps);
        self.handles.insert(handle, new);
        self.steps.insert(handle, steps);
    }

    /// Returns the new function.
    pub fn of(self, old: &Function) -> Function {
        let mut function = Function {
            body: self.block(&old.body),
            named_expressions: Default::default(),
            expressions: Arena::new(),
            ..old.clone()
        };
        for (_, variable) in function.local_variables.iter_mut() {
            variable.init = variable.init.map(|init| self.handles[&init]);
        }
        function.expressions = self.expressions;
        function
    }

    fn block(&self, old: &Block) -> Block {
        Block::from_vec(old.iter().flat_map(|statement| self.statements(statement)).collect())
    }

    fn statements(&self, old: &Statement) -> Vec<Statement> {
        let at = |handle: &Handle<Expression>| self.handles[handle];
        let mut new = old.clone();
        match &mut new {
            Statement::Emit(range) => {
                return range.clone().flat_map(|handle| self.steps[&handle].clone()).collect();
            }
            Statement::Block(block) => *block = self.block(block),
            Statement::If { condition, accept, reject } => {
                *condition = at(condition);
                (*accept, *reject) = (self.block(accept), self.block(reject));
            }
            Statement::Loop { body, continuing, break_if } => {
                (*body, *continuing) = (self.block(body), self.block(continuing));
                *break_if = break_if.as_ref().map(at);
            }
            Statement::Return { value } => *value = value.as_ref().map(at),
            Statement::Store { pointer, value } => (*pointer, *value) = (at(pointer), at(value)),
            Statement::Atomic { pointer, fun, value, result } => {
                if let naga::AtomicFunction::Exchange { compare: Some(compare) } = fun {
                    *compare = at(compare);
                }
                (*pointer, *value, *result) = (at(pointer), at(value), result.as_ref().map(at));
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                (*pointer, *result) = (at(pointer), at(result));
            }
            Statement::Call { result: Some(result), .. } if self.inlined.contains_key(result) => {
                return self.inlined[result].clone();
            }
            Statement::Call { arguments, result, .. } => {
                arguments.iter_mut().for_each(|argument| *argument = at(argument));
                *result = result.as_ref().map(at);
            }
            Statement::Break
            | Statement::Continue
            | Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_) => {}
            other => panic!("no shader has {other:?}"),
        }
        vec![new]
    }
}

/// Returns a copy of an expression that refers to the new ones.
pub fn copied(old: &Expression, handles: &Expressions) -> Expression {
    let at = |handle: &Handle<Expression>| handles[handle];
    let mut new = old.clone();
    match &mut new {
        Expression::Literal(_)
        | Expression::Constant(_)
        | Expression::ZeroValue(_)
        | Expression::FunctionArgument(_)
        | Expression::GlobalVariable(_)
        | Expression::LocalVariable(_)
        | Expression::CallResult(_)
        | Expression::AtomicResult { .. }
        | Expression::WorkGroupUniformLoadResult { .. } => {}
        Expression::Compose { components, .. } => components.iter_mut().for_each(|one| *one = at(one)),
        Expression::Access { base, index } => (*base, *index) = (at(base), at(index)),
        Expression::AccessIndex { base: one, .. }
        | Expression::Splat { value: one, .. }
        | Expression::Swizzle { vector: one, .. }
        | Expression::Load { pointer: one }
        | Expression::Unary { expr: one, .. }
        | Expression::Relational { argument: one, .. }
        | Expression::As { expr: one, .. }
        | Expression::ArrayLength(one) => *one = at(one),
        Expression::Binary { left, right, .. } => (*left, *right) = (at(left), at(right)),
        Expression::Select { condition, accept, reject } => {
            (*condition, *accept, *reject) = (at(condition), at(accept), at(reject));
        }
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            *arg = at(arg);
            for one in [arg1, arg2, arg3] {
                *one = one.as_ref().map(at);
            }
        }
        other => panic!("no shader has {other:?}"),
    }
    new
}
