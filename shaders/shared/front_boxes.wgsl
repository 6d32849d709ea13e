// Keeps boxes for the front of a stretch that is given up: items that cover all that was not proven apart over it, with
// which its halves begin. Shaders that use this declare `pairs`, `stack`, `queue` and `done`.

// Gives up the stretch of an item and keeps the item, which was opened only in part or not at all. `ended` is ENDED_BIT or 0.
fn keep(item: BoxItem, ended: u32) {
    let at = atomicAdd(&queue.kept, 1u);
    if at < queue.kept_end {
        stack[at] = BoxItem(pairs[item.pair].query, item.block | ended, item.other, item.around);
        atomicAdd(&done[item.pair], 1u);
    } else {
        atomicOr(&done[item.pair], NO_ROOM);
    }
}
