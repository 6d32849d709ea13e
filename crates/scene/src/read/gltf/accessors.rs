//! Elements of accessors, decoded in place: nothing is allocated from a count.

use super::buffers::Buffers;
use super::document::{Accessor, Document};

/// Storage type of components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    pub fn of(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Returns the value in f64. A normalized integer is divided by its largest value, with one rounding.
    #[inline]
    pub fn read(self, b: &[u8], normalized: bool) -> f64 {
        let (value, largest) = match self {
            Self::I8 => (f64::from(i8::from_le_bytes([b[0]])), 127.0),
            Self::U8 => (f64::from(b[0]), 255.0),
            Self::I16 => (f64::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
            Self::U16 => (f64::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
            Self::U32 => (f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])), 4_294_967_295.0),
            Self::F32 => return f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        };
        if normalized { (value / largest).max(-1.0) } else { value }
    }
}

/// Elements at equal distances in a buffer.
#[derive(Clone, Copy)]
struct Column<'a> {
    bytes: &'a [u8],
    stride: usize,
}

/// The elements of an accessor.
pub(super) struct Elements<'a> {
    /// Number of elements.
    pub count: usize,
    /// Storage type of their components.
    pub component: Component,
    /// True for integers that represent fractions.
    pub normalized: bool,
    /// The stored elements; all zeros if `None`.
    column: Option<Column<'a>>,
    sparse: Option<Overlay<'a>>,
}

/// The elements that a sparse accessor replaces.
struct Overlay<'a> {
    count: usize,
    index_type: Component,
    indices: Column<'a>,
    values: Column<'a>,
}

impl Overlay<'_> {
    fn index(&self, i: usize) -> f64 {
        self.index_type.read(&self.indices.bytes[i * self.indices.stride..], false)
    }
}

/// The accessors of the document, with their buffers.
pub(super) struct Accessors<'a> {
    pub document: &'a Document<'a>,
    pub buffers: &'a Buffers<'a>,
}

impl<'a> Accessors<'a> {
    /// Returns an accessor of the given type (such as `VEC3`) with its bounds checked, or the reason why it
    /// is invalid.
    pub fn get(&self, index: usize, shape: &str) -> Result<Elements<'a>, String> {
        let list = &self.document.accessors;
        let known = list.get(index).ok_or_else(|| format!("there are only {}", list.len()));
        known
            .and_then(|accessor| self.elements(accessor, shape))
            .map_err(|why| format!("accessor {index}: {why}"))
    }

    fn elements(&self, accessor: &Accessor, shape: &str) -> Result<Elements<'a>, String> {
        if accessor.shape != shape {
            return Err(format!("its type is {:?} instead of {shape}", accessor.shape));
        }
        let unknown = |code: u32| format!("unknown componentType {code}");
        let component =
            Component::of(accessor.component_type).ok_or_else(|| unknown(accessor.component_type))?;
        let components = match shape {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 4,
        };
        let size = component.size() * components;
        let count = usize::try_from(accessor.count).map_err(|e| e.to_string())?;
        if count == 0 {
            return Err("its count is 0".to_owned());
        }
        let column = match accessor.buffer_view {
            Some(view) => Some(self.column(view, accessor.byte_offset, size, count)?),
            // Zeros cost the file nothing, so they may not outnumber its bytes.
            None if count > self.buffers.total => {
                return Err(format!("its count is {count}, but it has no bufferView"));
            }
            None => None,
        };
        let sparse = accessor.sparse.as_ref().map(|sparse| -> Result<_, String> {
            let index_type = Component::of(sparse.indices.component_type)
                .filter(|c| matches!(c, Component::U8 | Component::U16 | Component::U32))
                .ok_or_else(|| unknown(sparse.indices.component_type))?;
            let entries = usize::try_from(sparse.count).map_err(|e| e.to_string())?;
            let (indices, values) = (&sparse.indices, &sparse.values);
            let overlay = Overlay {
                count: entries,
                index_type,
                indices: self.column(indices.buffer_view, indices.byte_offset, index_type.size(), entries)?,
                values: self.column(values.buffer_view, values.byte_offset, size, entries)?,
            };
            let mut before = -1.0;
            for i in 0..entries {
                let index = overlay.index(i);
                if index <= before || index >= count as f64 {
                    return Err(format!("sparse index {index} after {before}, of {count} elements"));
                }
                before = index;
            }
            Ok(overlay)
        });
        Ok(Elements {
            count,
            component,
            normalized: accessor.normalized,
            column,
            sparse: sparse.transpose()?,
        })
    }

    /// Returns `count` elements of `size` bytes each, all inside the view and its buffer.
    fn column(&self, view: usize, offset: u64, size: usize, count: usize) -> Result<Column<'a>, String> {
        let views = &self.document.buffer_views;
        let name = view;
        let view =
            views.get(view).ok_or_else(|| format!("bufferView {name}, but there are {}", views.len()))?;
        let bytes = self.buffers.of_view(name, view).map_err(|why| format!("bufferView {name}: {why}"))?;
        let stride = match view.byte_stride {
            None => size,
            Some(stride) => usize::try_from(stride).unwrap_or(0),
        };
        if !(size..=252.max(size)).contains(&stride) {
            return Err(format!("bufferView {name}: byteStride {stride} for elements of {size} bytes"));
        }
        // The last element does not need the gap up to the stride.
        let needed = match count.checked_sub(1) {
            None => Some(0),
            Some(gaps) => gaps.checked_mul(stride).and_then(|n| n.checked_add(size)),
        };
        let column = usize::try_from(offset).ok().and_then(|from| bytes.get(from..));
        match (column, needed) {
            (Some(bytes), Some(needed)) if needed <= bytes.len() => Ok(Column { bytes, stride }),
            _ => Err(format!(
                "{count} elements of {stride} bytes from {offset} on, but bufferView {name} has {} bytes",
                view.byte_length
            )),
        }
    }
}

impl Elements<'_> {
    /// Returns element `i`, which must be below `count`. `N` is the number of components of the requested
    /// type.
    #[inline]
    pub fn get<const N: usize>(&self, i: usize) -> [f64; N] {
        match (self.component, self.as_stored(i)) {
            (Component::F32, Some(element)) => {
                let element = &element[..4 * N];
                std::array::from_fn(|k| Component::F32.read(&element[4 * k..], false))
            }
            _ => self.decode(i),
        }
    }

    /// Returns element `i` of indices, which must be below `count`.
    #[inline]
    pub fn index(&self, i: usize) -> usize {
        match (self.component, self.as_stored(i)) {
            (Component::U8, Some(b)) => usize::from(b[0]),
            (Component::U16, Some(b)) => usize::from(u16::from_le_bytes([b[0], b[1]])),
            (Component::U32, Some(b)) => u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize,
            _ => self.decode::<1>(i)[0] as usize,
        }
    }

    /// Returns the bytes from element `i` on, if all elements are those that are stored.
    #[inline]
    fn as_stored(&self, i: usize) -> Option<&[u8]> {
        match (&self.sparse, &self.column) {
            (None, Some(column)) => Some(&column.bytes[i * column.stride..]),
            _ => None,
        }
    }

    fn decode<const N: usize>(&self, i: usize) -> [f64; N] {
        let replaced = self.sparse.as_ref().and_then(|overlay| {
            let entry = lower_bound(overlay.count, |e| overlay.index(e) < i as f64);
            (entry < overlay.count && overlay.index(entry) == i as f64).then_some((overlay.values, entry))
        });
        let Some((column, i)) = replaced.or(self.column.map(|column| (column, i))) else { return [0.0; N] };
        let element = &column.bytes[i * column.stride..];
        std::array::from_fn(|k| self.component.read(&element[k * self.component.size()..], self.normalized))
    }
}

/// Returns the first of `0..n` for which `before` is false.
fn lower_bound(n: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut lo, mut hi) = (0, n);
    while lo < hi {
        let middle = lo + (hi - lo) / 2;
        if before(middle) { lo = middle + 1 } else { hi = middle }
    }
    lo
}
