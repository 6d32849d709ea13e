//! Inlines the functions that are a single expression, as compilers do, so that sums are reordered across
//! their calls.

use std::collections::{HashMap, HashSet};

use naga::{Block, Expression, Function, Handle, Module, Statement};

use super::copying::{Copy, Expressions, copied};

/// A call: the function and its arguments.
type Call = (Handle<Function>, Vec<Handle<Expression>>);

/// Inlines these functions everywhere.
pub fn inline(module: &mut Module) {
    let functions: Vec<Handle<Function>> = module.functions.iter().map(|(handle, _)| handle).collect();
    for handle in functions {
        let function = inlined(module, &module.functions[handle]);
        *module.functions.get_mut(handle) = function;
    }
    module.entry_points[0].function = inlined(module, &module.entry_points[0].function);
}

/// Returns the result of a function that does nothing but compute it, and the expressions that it computes.
fn single(function: &Function) -> Option<(Handle<Expression>, HashSet<Handle<Expression>>)> {
    let (last, rest) = function.body.split_last()?;
    let Statement::Return { value: Some(value) } = last else { return None };
    let mut computed = HashSet::new();
    for statement in rest {
        let Statement::Emit(range) = statement else { return None };
        computed.extend(range.clone());
    }
    function.local_variables.is_empty().then_some((*value, computed))
}

fn inlined(module: &Module, old: &Function) -> Function {
    let mut calls = HashMap::new();
    find_calls(&old.body, &mut calls);
    let mut copy = Copy::default();
    for (handle, expression) in old.expressions.iter() {
        let call = calls.get(&handle).and_then(|(callee, arguments)| {
            let callee = &module.functions[*callee];
            single(callee).map(|found| (callee, arguments, found))
        });
        let Some((callee, arguments, (value, computed))) = call else {
            copy.keep(handle, expression);
            continue;
        };
        let (mut inner, mut steps) = (Expressions::new(), Vec::new());
        for (of_callee, expression) in callee.expressions.iter() {
            let new = match expression {
                Expression::FunctionArgument(index) => copy.handles[&arguments[*index as usize]],
                other if computed.contains(&of_callee) => copy.emitted(copied(other, &inner), &mut steps),
                other => copy.add(copied(other, &inner)),
            };
            inner.insert(of_callee, new);
        }
        copy.handles.insert(handle, inner[&value]);
        copy.inlined.insert(handle, steps);
    }
    copy.of(old)
}

/// Finds the calls in a block, by their results.
fn find_calls(block: &Block, calls: &mut HashMap<Handle<Expression>, Call>) {
    for statement in block {
        match statement {
            Statement::Call { function, arguments, result: Some(result) } => {
                calls.insert(*result, (*function, arguments.clone()));
            }
            Statement::Block(block) => find_calls(block, calls),
            Statement::If { accept, reject, .. } => {
                find_calls(accept, calls);
                find_calls(reject, calls);
            }
            Statement::Loop { body, continuing, .. } => {
                find_calls(body, calls);
                find_calls(continuing, calls);
            }
            _ => {}
        }
    }
}
