// Bounds of rounding errors. `src/gpu/error_bounds.rs` has the same constants, with their derivations.

const PARALLEL = 1.9073486328125e-5f;
const FAR = 1.52587890625e-5f;
const GRID = 3.0f;
const DETERMINANT = 7.8678131103515625e-6f;
const MOVED_DETERMINANT = 12.00000762939453125f;
const LENGTH = 1.1444091796875e-5f;
const WIDER = 1.220703125e-4f;
const GAP_OVER_TIME = 7.62939453125e-6f;

// Upper words of bounds in `src/math/error_bounds.rs`, for arithmetic in doubles. The lower words are 0.
const F64_DETERMINANT = 0x3cf90000u;
const F64_IN_PLANE = 0x3cf70000u;
