//! Comparisons of methods: kinds of trees, executors, broad phases and filters by hulls give the same
//! answers, and brute force gives them too.

#![allow(clippy::disallowed_methods)]

mod all_methods;
mod any_tree;
mod anytime;
mod backends;
mod cells;
mod counters;
mod degenerate;
mod faults;
mod hull_filter;
mod kinds;
mod refit;
mod slack;
mod sphere_levels;
mod strategies;
