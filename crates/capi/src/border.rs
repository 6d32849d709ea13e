//! The border between C and Rust: statuses, messages, and checked access to what a caller points at.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::fmt::Display;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;
use std::str::FromStr;

use closefit::{ApproachError, MeshError, MotionError, PoseBatchError, PoseError, WorldError};

/// The outcome of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cf_status {
    /// The call did what it says.
    CF_OK = 0,
    /// A pointer is null or misaligned, or a number is out of range.
    CF_INVALID_ARGUMENT = 1,
    /// A mesh is empty, or has an index out of range or a coordinate that is not finite.
    CF_INVALID_MESH = 2,
    /// A pose is not finite, or takes a vertex beyond 2^200.
    CF_INVALID_POSE = 3,
    /// The keyframes are no motion, or the motion has no answer to the requested precision.
    CF_INVALID_MOTION = 4,
    /// The body was removed from the world, or never added.
    CF_NO_SUCH_BODY = 5,
    /// A fault of closefit itself, please report it. Objects that the call could change can only be
    /// freed.
    CF_FAILED = 6,
}

/// The reason why a call fails.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: cf_status,
    message: String,
}

impl Refusal {
    /// Refuses an argument.
    pub fn argument(message: impl Into<String>) -> Self {
        Self { status: cf_status::CF_INVALID_ARGUMENT, message: message.into() }
    }

    /// Refuses a pose.
    pub fn pose(message: String) -> Self {
        Self { status: cf_status::CF_INVALID_POSE, message }
    }

    /// Refuses a motion.
    pub fn motion(message: String) -> Self {
        Self { status: cf_status::CF_INVALID_MOTION, message }
    }

    /// Names what the refusal is about, in front of its message.
    pub fn of(self, what: &str) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }
}

/// Implements the refusals of the library's errors.
macro_rules! refusals {
    ($($error:ty => $status:ident),+ $(,)?) => {
        $(impl From<$error> for Refusal {
            fn from(error: $error) -> Self {
                Self { status: cf_status::$status, message: error.to_string() }
            }
        })+
    };
}
refusals! {
    MeshError => CF_INVALID_MESH,
    PoseError => CF_INVALID_POSE,
    MotionError => CF_INVALID_MOTION,
    ApproachError => CF_INVALID_MOTION,
}

impl From<PoseBatchError> for Refusal {
    fn from(error: PoseBatchError) -> Self {
        let status = match error {
            PoseBatchError::Pose { .. } => cf_status::CF_INVALID_POSE,
            _ => cf_status::CF_INVALID_ARGUMENT,
        };
        Self { status, message: error.to_string() }
    }
}

impl From<WorldError> for Refusal {
    fn from(error: WorldError) -> Self {
        let status = match error {
            WorldError::NoSuchBody { .. } => cf_status::CF_NO_SUCH_BODY,
            WorldError::Refit(_) => cf_status::CF_INVALID_MESH,
            _ => cf_status::CF_INVALID_POSE,
        };
        Self { status, message: error.to_string() }
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Returns why the last call that failed on this thread did, in one line; an empty text if none has. The
/// text stays until the next call that fails on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn cf_last_error() -> *const c_char {
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Returns the version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn cf_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Does the work of a call, and keeps the message if it fails or panics.
pub(crate) fn call(work: impl FnOnce() -> Result<(), Refusal>) -> cf_status {
    // A panic leaves shared objects as they were; those that change are said to be only good for freeing.
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(failed(&*panic)));
    let Err(Refusal { status, message }) = done else { return cf_status::CF_OK };
    let message = CString::new(message.replace('\0', "?")).unwrap_or_default();
    // A thread that ends has no place for messages any more.
    let _ = LAST_ERROR.try_with(|last| last.replace(message));
    status
}

fn failed(panic: &(dyn Any + Send)) -> Refusal {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
    Refusal { status: cf_status::CF_FAILED, message: format!("a fault of closefit: {said}") }
}

fn refuse_null<T>(pointer: *const T, name: &str) -> Result<(), Refusal> {
    if pointer.is_null() {
        Err(Refusal::argument(format!("{name} is a null pointer")))
    } else if pointer.is_aligned() {
        Ok(())
    } else {
        Err(Refusal::argument(format!("{name} is misaligned")))
    }
}

/// Returns an object that is read.
///
/// # Safety
/// The pointer is null, or to an object that nobody frees or changes meanwhile.
pub(crate) unsafe fn object<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Refusal> {
    refuse_null(pointer, name)?;
    // SAFETY: not null and aligned; the caller vouches for the rest.
    Ok(unsafe { &*pointer })
}

/// Returns an object that is changed.
///
/// # Safety
/// The pointer is null, or to an object that nobody else uses meanwhile.
pub(crate) unsafe fn object_mut<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T, Refusal> {
    refuse_null(pointer, name)?;
    // SAFETY: not null and aligned; the caller vouches for the rest.
    Ok(unsafe { &mut *pointer })
}

/// Returns the items of an array, which may be null if it is empty.
///
/// # Safety
/// The pointer is null, or to `count` items that nobody changes meanwhile.
pub(crate) unsafe fn list<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T], Refusal> {
    if count == 0 {
        return Ok(&[]);
    }
    refuse_null(pointer, name)?;
    fits::<T>(count, name)?;
    // SAFETY: not null and aligned, and no larger than memory; the caller vouches for the rest.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// Returns what a text names, or the default if the pointer is null.
///
/// # Safety
/// The pointer is null, or to a text that ends in a zero and that nobody changes meanwhile.
pub(crate) unsafe fn named<T>(text: *const c_char, name: &str, default: T) -> Result<T, Refusal>
where
    T: FromStr<Err: Display>,
{
    if text.is_null() {
        return Ok(default);
    }
    // SAFETY: the caller's promises.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    text.parse().map_err(|error| Refusal::argument(format!("{name}: {error}")))
}

/// Returns the items of an array of numbers, `N` for each.
///
/// # Safety
/// As for [`list`], of `N * count` numbers.
pub(crate) unsafe fn rows<'a, T, const N: usize>(
    pointer: *const T,
    count: usize,
    name: &str,
) -> Result<&'a [[T; N]], Refusal> {
    // SAFETY: an array has the alignment of its entries and no gaps; the caller vouches for the rest.
    unsafe { list(pointer.cast::<[T; N]>(), count, name) }
}

fn fits<T>(count: usize, name: &str) -> Result<(), Refusal> {
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(Refusal::argument(format!("{name}: {count} items are more than memory can hold"))),
    }
}

/// Returns the place of a result.
///
/// # Safety
/// The pointer is null, or to memory that is writable and that nobody else uses meanwhile.
pub(crate) unsafe fn place<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut MaybeUninit<T>, Refusal> {
    // SAFETY: memory of any content is a `MaybeUninit`; the caller vouches for the rest.
    unsafe { object_mut(pointer.cast(), name) }
}

/// Returns the places of results, which may be null if there are none.
///
/// # Safety
/// As for [`place`], of `count` items.
pub(crate) unsafe fn places<'a, T>(
    pointer: *mut T,
    count: usize,
    name: &str,
) -> Result<&'a mut [MaybeUninit<T>], Refusal> {
    if count == 0 {
        return Ok(&mut []);
    }
    refuse_null(pointer, name)?;
    fits::<T>(count, name)?;
    // SAFETY: memory of any content is a `MaybeUninit`; the caller vouches for the rest.
    Ok(unsafe { slice::from_raw_parts_mut(pointer.cast(), count) })
}

/// Writes the first of the results, as many as there is room for.
pub(crate) fn write_first<T>(found: impl IntoIterator<Item = T>, places: &mut [MaybeUninit<T>]) {
    for (place, one) in places.iter_mut().zip(found) {
        place.write(one);
    }
}

/// Hands an object over to the caller.
pub(crate) fn hand_over<T>(object: T, place: &mut MaybeUninit<*mut T>) {
    place.write(Box::into_raw(Box::new(object)));
}

/// Frees an object that was handed over, unless the pointer is null.
///
/// # Safety
/// The object was handed over, nobody uses it, and it was not freed.
pub(crate) unsafe fn free<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: it came from `Box::into_raw`, and is freed once.
        let object = unsafe { Box::from_raw(object) };
        call(|| {
            drop(object);
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_error() -> String {
        // SAFETY: it points at a text that ends, and no call fails meanwhile.
        unsafe { CStr::from_ptr(cf_last_error()) }.to_str().expect("ASCII").to_owned()
    }

    #[test]
    fn a_panic_is_a_status_with_its_message() {
        assert_eq!(call(|| panic!("as intended")), cf_status::CF_FAILED);
        assert_eq!(last_error(), "a fault of closefit: as intended");
        assert_eq!(call(|| Ok(())), cf_status::CF_OK);
        assert_eq!(last_error(), "a fault of closefit: as intended", "it stays");
        let other = std::thread::spawn(last_error).join().expect("no panic");
        assert_eq!(other, "", "each thread has its own");
    }

    #[test]
    fn pointers_that_cannot_be_are_refused() {
        let numbers = [0.0_f64; 4];
        let message = |refused: Result<(), Refusal>| refused.expect_err("refused").message;
        let at = numbers.as_ptr();
        // SAFETY: what is not refused points at four numbers.
        unsafe {
            assert_eq!(list(at, 4, "a").expect("as it should be"), numbers);
            assert!(list(std::ptr::null::<f64>(), 0, "a").expect("nothing").is_empty());
            assert_eq!(message(list(std::ptr::null::<f64>(), 1, "a").map(drop)), "a is a null pointer");
            assert_eq!(message(list(at.byte_add(1), 1, "a").map(drop)), "a is misaligned");
            let most = message(rows::<f64, 3>(at, usize::MAX / 8, "a").map(drop));
            assert_eq!(most, format!("a: {} items are more than memory can hold", usize::MAX / 8));
        }
    }
}
