//! A stack that allocates nothing while it is short.

/// A stack of up to `N` items in place, and further ones on the heap.
pub struct Stack<T, const N: usize> {
    items: [T; N],
    len: usize,
    more: Vec<T>,
}

impl<T: Copy, const N: usize> Stack<T, N> {
    /// Returns a stack with one item.
    #[inline(always)]
    pub fn with(first: T) -> Self {
        Self { items: [first; N], len: 1, more: Vec::new() }
    }

    /// Pushes an item.
    #[inline(always)]
    pub fn push(&mut self, item: T) {
        if self.len < N {
            self.items[self.len] = item;
            self.len += 1;
        } else {
            self.more.push(item);
        }
    }

    /// Pops the item on top.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<T> {
        if let Some(item) = self.more.pop() {
            return Some(item);
        }
        self.len = self.len.checked_sub(1)?;
        Some(self.items[self.len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_comes_first_in_place_and_on_the_heap() {
        let mut stack = Stack::<u32, 3>::with(0);
        (1..7).for_each(|i| stack.push(i));
        assert_eq!(stack.pop(), Some(6));
        stack.push(7);
        let rest: Vec<u32> = std::iter::from_fn(|| stack.pop()).collect();
        assert_eq!(rest, [7, 5, 4, 3, 2, 1, 0]);
    }
}
