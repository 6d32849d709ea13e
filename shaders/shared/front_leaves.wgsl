// Keeps leaf pairs for the front of a stretch that is given up, as `front_boxes` keeps boxes. Shaders that use this declare
// `pairs`, `leaves`, `queue` and `done`.

// Gives up the stretch of a leaf pair and keeps the leaf pair, not all of which is proven apart.
fn keep_leaves(item: LeafItem) {
    let at = atomicAdd(&queue.kept_leaves, 1u);
    if at < queue.kept_leaves_end {
        leaves[at] = LeafItem(pairs[item.pair].query, item.first, item.two);
        atomicAdd(&done[item.pair], 1u);
    } else {
        atomicOr(&done[item.pair], NO_ROOM);
    }
}
