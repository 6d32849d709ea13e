//! The streams of `EXT_meshopt_compression` and `KHR_meshopt_compression`, which the appendices of their
//! specification define: elements as differences, triangles by the edges of earlier ones.
//!
//! Versions 0 and 1 of attributes differ by their first byte, so both are read under both names. Filters are
//! read as far as positions and motions need them: colours and normals are not read.

/// Longest stride of elements, in bytes.
const MOST_STRIDE: usize = 256;
/// Number of elements that are packed together.
const GROUP: usize = 16;
/// Most elements of a block of attributes, and most of its bytes.
const BLOCK: (usize, usize) = (256, 8192);

const ENDS_EARLY: &str = "the meshopt stream ends early";

/// The kind of a stream, and what it unpacks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    mode: Mode,
    filter: Filter,
    count: usize,
    stride: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Attributes,
    Triangles,
    Indices,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    None,
    Quaternion,
    Exponential,
}

impl Layout {
    /// Returns the layout of `count` elements of `stride` bytes, or the reason why it is invalid or not read.
    pub fn new(mode: &str, filter: &str, count: u64, stride: u64) -> Result<Self, String> {
        let mode = match mode {
            "ATTRIBUTES" => Mode::Attributes,
            "TRIANGLES" => Mode::Triangles,
            "INDICES" => Mode::Indices,
            _ => return Err(format!("unknown meshopt mode {mode:.40?}")),
        };
        let filter = match filter {
            "NONE" => Filter::None,
            "QUATERNION" => Filter::Quaternion,
            "EXPONENTIAL" => Filter::Exponential,
            _ => {
                return Err(format!(
                    "the meshopt filter {filter:.40?} is read neither for positions nor for motions"
                ));
            }
        };
        let is_valid = match (mode, filter) {
            (Mode::Attributes, Filter::Quaternion) => stride == 8,
            (Mode::Attributes, _) => stride.is_multiple_of(4) && (4..=MOST_STRIDE as u64).contains(&stride),
            (_, Filter::None) => stride == 2 || stride == 4,
            _ => false,
        };
        if !is_valid {
            return Err(format!(
                "meshopt elements of {stride} bytes in mode {mode:?} with filter {filter:?}"
            ));
        }
        if mode == Mode::Triangles && !count.is_multiple_of(3) {
            return Err(format!("{count} meshopt corners do not make triangles"));
        }
        let count = usize::try_from(count).map_err(|e| e.to_string())?;
        Ok(Self { mode, filter, count, stride: stride as usize })
    }

    /// Returns the number of elements of a block of attributes.
    fn block(&self) -> usize {
        (BLOCK.1 / self.stride / GROUP * GROUP).min(BLOCK.0)
    }

    /// Returns the bytes that a stream of so many elements takes at least, so that a count that lies
    /// allocates nothing.
    fn fewest_bytes(&self) -> usize {
        match self.mode {
            // A block whose elements are equal has only the control bits of its bytes.
            Mode::Attributes => self.count.div_ceil(self.block()) * (self.stride / 4),
            Mode::Triangles => self.count / 3,
            Mode::Indices => self.count,
        }
    }

    /// Unpacks a stream.
    pub fn unpack(&self, stream: &[u8]) -> Result<Vec<u8>, String> {
        if stream.len() < self.fewest_bytes() {
            return Err(format!("{} bytes are too few for {} meshopt elements", stream.len(), self.count));
        }
        let mut bytes = Vec::with_capacity(self.count.saturating_mul(self.stride));
        let mut stream = Stream(stream);
        match self.mode {
            Mode::Attributes => self.attributes(&mut stream, &mut bytes)?,
            Mode::Triangles => self.triangles(&mut stream, &mut bytes)?,
            Mode::Indices => self.indices(&mut stream, &mut bytes)?,
        }
        if !stream.0.is_empty() {
            return Err(format!("the meshopt stream has {} bytes too many", stream.0.len()));
        }
        match self.filter {
            Filter::None => {}
            Filter::Exponential => unfilter(&mut bytes, exponential),
            Filter::Quaternion => unfilter(&mut bytes, quaternion),
        }
        Ok(bytes)
    }

    /// Unpacks elements, byte by byte of a block: the bytes at one place in the elements follow each other.
    fn attributes(&self, stream: &mut Stream, bytes: &mut Vec<u8>) -> Result<(), String> {
        let stride = self.stride;
        let version = match stream.byte()? {
            0xa0 => 0,
            0xa1 => 1,
            other => return Err(unknown_version(other)),
        };
        let (tail, padded) = if version == 0 { (stride, 32) } else { (stride + stride / 4, 24) };
        let tail = stream.take_last(tail.max(padded))?.split_at(tail.max(padded) - tail).1;
        let (first, channels) = tail.split_at(stride);
        let channels = channels.iter().map(|&mode| Channel::of(mode)).collect::<Result<Vec<_>, _>>()?;
        let mut before = first.to_vec();
        let mut planes = vec![[0; BLOCK.0]; stride];
        let mut left = self.count;
        while left > 0 {
            let count = left.min(self.block());
            let controls = if version == 0 { &[] } else { stream.take(stride / 4)? };
            for (place, plane) in planes.iter_mut().enumerate() {
                let control = controls.get(place / 4).map(|byte| byte >> (place % 4 * 2) & 3);
                match control {
                    None => stream.plane([0, 2, 4, 8], &mut plane[..count])?,
                    Some(0) => stream.plane([0, 1, 2, 4], &mut plane[..count])?,
                    Some(1) => stream.plane([1, 2, 4, 8], &mut plane[..count])?,
                    Some(2) => plane.fill(0),
                    Some(_) => plane[..count].copy_from_slice(stream.take(count)?),
                }
            }
            let differences =
                |at: usize, element: usize| std::array::from_fn(|byte| planes[4 * at + byte][element]);
            for element in 0..count {
                for (at, before) in before.chunks_exact_mut(4).enumerate() {
                    let difference = differences(at, element);
                    let channel = channels.get(at).copied().unwrap_or(Channel::Bytes);
                    before.copy_from_slice(
                        &channel.next([before[0], before[1], before[2], before[3]], difference),
                    );
                }
                bytes.extend_from_slice(&before);
            }
            left -= count;
        }
        Ok(())
    }

    /// Unpacks triangles: most have an edge of an earlier one, which a byte names, and a new vertex.
    fn triangles(&self, stream: &mut Stream, bytes: &mut Vec<u8>) -> Result<(), String> {
        match stream.byte()? {
            0xe1 => {}
            other => return Err(unknown_version(other)),
        }
        let codes = stream.take(self.count / 3)?;
        let table = stream.take_last(16)?;
        if table.iter().any(|&pair| pair >> 4 == 15 || pair & 15 == 15) {
            return Err("the table of the meshopt triangles has a value of 15".to_owned());
        }
        let (mut vertices, mut edges) = (Recent::new(), Recent::new());
        let (mut next, mut last) = (0_u32, 0_u32);
        let take_next = |next: &mut u32| {
            *next = next.wrapping_add(1);
            next.wrapping_sub(1)
        };
        for &code in codes {
            let (high, low) = (code >> 4, code & 15);
            let (triangle, is_new) = if high < 15 {
                let [a, b] = edges.get(high)?;
                let c = match low {
                    0 => take_next(&mut next),
                    1..13 => vertices.get(low)?,
                    13 | 14 => {
                        last = if low == 13 { last.wrapping_sub(1) } else { last.wrapping_add(1) };
                        last
                    }
                    _ => stream.index(&mut last)?,
                };
                ([a, b, c], [false, false, !(1..13).contains(&low)])
            } else {
                let pair = if low < 14 { table[usize::from(low)] } else { stream.byte()? };
                if low >= 14 && pair == 0 {
                    next = 0;
                }
                let kinds = [if low == 15 { 15 } else { 0 }, pair >> 4, pair & 15];
                let mut triangle = [0; 3];
                for (corner, kind) in triangle.iter_mut().zip(kinds) {
                    *corner = match kind {
                        0 => take_next(&mut next),
                        15 => stream.index(&mut last)?,
                        _ => vertices.get(kind - 1)?,
                    };
                }
                let [a, b, _] = triangle;
                edges.push([b, a]);
                (triangle, kinds.map(|kind| kind == 0 || kind == 15))
            };
            let [a, b, c] = triangle;
            edges.push([c, b]);
            edges.push([a, c]);
            for (corner, is_new) in triangle.into_iter().zip(is_new) {
                if is_new {
                    vertices.push(corner);
                }
                self.push_index(bytes, corner);
            }
        }
        Ok(())
    }

    /// Unpacks indices: each is the difference from one of two earlier ones.
    fn indices(&self, stream: &mut Stream, bytes: &mut Vec<u8>) -> Result<(), String> {
        match stream.byte()? {
            0xd1 => {}
            other => return Err(unknown_version(other)),
        }
        stream.take_last(4)?;
        let mut last = [0_u32; 2];
        for _ in 0..self.count {
            let value = stream.number()?;
            let last = &mut last[(value & 1) as usize];
            *last = last.wrapping_add(unzigzag(value >> 1));
            self.push_index(bytes, *last);
        }
        Ok(())
    }

    fn push_index(&self, bytes: &mut Vec<u8>, index: u32) {
        bytes.extend_from_slice(&index.to_le_bytes()[..self.stride]);
    }
}

fn unknown_version(byte: u8) -> String {
    format!("the meshopt stream begins with the byte {byte:#04x}")
}

/// The difference of four bytes of an element from the element before.
#[derive(Clone, Copy)]
enum Channel {
    Bytes,
    Shorts,
    /// An exclusive or, turned to the left by so many bits.
    Xor(u32),
}

impl Channel {
    fn of(mode: u8) -> Result<Self, String> {
        match (mode & 15, mode >> 4) {
            (0, 0) => Ok(Self::Bytes),
            (1, 0) => Ok(Self::Shorts),
            (2, turn) => Ok(Self::Xor(turn.into())),
            _ => Err(format!("the meshopt stream has a channel of mode {mode:#04x}")),
        }
    }

    fn next(self, before: [u8; 4], difference: [u8; 4]) -> [u8; 4] {
        let halves = |[a, b, c, d]: [u8; 4]| [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])];
        match self {
            Self::Bytes => std::array::from_fn(|i| {
                let difference = unzigzag(difference[i].into()) as u8;
                before[i].wrapping_add(difference)
            }),
            Self::Shorts => {
                let (before, difference) = (halves(before), halves(difference));
                let [low, high] = [0, 1]
                    .map(|i| before[i].wrapping_add(unzigzag(difference[i].into()) as u16).to_le_bytes());
                [low[0], low[1], high[0], high[1]]
            }
            Self::Xor(turn) => {
                let turned = u32::from_le_bytes(difference).rotate_right(turn);
                (turned ^ u32::from_le_bytes(before)).to_le_bytes()
            }
        }
    }
}

/// Returns the signed number, modulo 2^32, of 0, -1, 1, -2, 2 and so on.
fn unzigzag(value: u32) -> u32 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

/// The last sixteen values.
struct Recent<T> {
    values: [Option<T>; 16],
    end: u8,
}

impl<T: Copy> Recent<T> {
    fn new() -> Self {
        Self { values: [None; 16], end: 0 }
    }

    fn push(&mut self, value: T) {
        self.values[usize::from(self.end)] = Some(value);
        self.end = (self.end + 1) % 16;
    }

    /// Returns the value before so many later ones.
    fn get(&self, later: u8) -> Result<T, String> {
        let at = (self.end + 31 - later) % 16;
        self.values[usize::from(at)]
            .ok_or_else(|| "the meshopt triangles use a vertex before it is set".to_owned())
    }
}

/// The rest of a stream.
struct Stream<'a>(&'a [u8]);

impl<'a> Stream<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(ENDS_EARLY)?;
        self.0 = rest;
        Ok(taken)
    }

    fn take_last(&mut self, count: usize) -> Result<&'a [u8], String> {
        let at = self.0.len().checked_sub(count).ok_or(ENDS_EARLY)?;
        let (rest, taken) = self.0.split_at(at);
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    /// Takes a number of seven bits a byte, lowest first.
    fn number(&mut self) -> Result<u32, String> {
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("the meshopt stream has a number of more than five bytes".to_owned())
    }

    /// Takes the difference of an index from the last one.
    fn index(&mut self, last: &mut u32) -> Result<u32, String> {
        *last = last.wrapping_add(unzigzag(self.number()?));
        Ok(*last)
    }

    /// Takes the bytes at one place in the elements of a block: for each group two bits, which choose its
    /// number of bits per byte, and then the groups.
    fn plane(&mut self, choices: [usize; 4], plane: &mut [u8]) -> Result<(), String> {
        let head = self.take(plane.len().div_ceil(GROUP).div_ceil(4))?;
        for (index, group) in plane.chunks_mut(GROUP).enumerate() {
            let choice = head[index / 4] >> (index % 4 * 2) & 3;
            // Bytes after the last element are there, too.
            let mut whole = [0; GROUP];
            self.group(choices[usize::from(choice)], &mut whole)?;
            group.copy_from_slice(&whole[..group.len()]);
        }
        Ok(())
    }

    /// Takes a group of bytes, of so many bits each. The largest value says that the whole byte follows.
    fn group(&mut self, bits: usize, group: &mut [u8; GROUP]) -> Result<(), String> {
        match bits {
            0 => {}
            8 => group.copy_from_slice(self.take(GROUP)?),
            _ => {
                let packed = self.take(GROUP * bits / 8)?;
                let largest = (1 << bits) - 1;
                for (index, byte) in group.iter_mut().enumerate() {
                    let at = index * bits;
                    // The first is the lowest bit, but the highest two or four.
                    let shift = if bits == 1 { at % 8 } else { 8 - bits - at % 8 };
                    let value = packed[at / 8] >> shift & largest;
                    *byte = if value == largest { self.byte()? } else { value };
                }
            }
        }
        Ok(())
    }
}

fn unfilter<const N: usize>(bytes: &mut [u8], filter: impl Fn([u8; N]) -> [u8; N]) {
    for element in bytes.as_chunks_mut().0 {
        *element = filter(*element);
    }
}

/// Returns the float of an exponent, in the highest byte, and a signed number.
fn exponential(bytes: [u8; 4]) -> [u8; 4] {
    let value = i32::from_le_bytes(bytes);
    let (exponent, number) = (value >> 24, value << 8 >> 8);
    let power = f64::from_bits(((1023 + i64::from(exponent)) as u64) << 52);
    ((f64::from(number) * power) as f32).to_le_bytes()
}

/// Returns the four components of a unit quaternion of three: the largest is left out.
fn quaternion(bytes: [u8; 8]) -> [u8; 8] {
    let [x, y, z, scale] = std::array::from_fn(|i| i16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]));
    let unit = std::f64::consts::FRAC_1_SQRT_2 / f64::from(scale | 3);
    let [x, y, z] = [x, y, z].map(|value| f64::from(value) * unit);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let mut turned = [w, x, y, z];
    turned.rotate_right(usize::from(scale.cast_unsigned() & 3));
    let shorts = turned.map(|value| ((value * 32767.0).round() as i16).to_le_bytes());
    std::array::from_fn(|i| shorts[i / 2][i % 2])
}

#[cfg(test)]
mod tests {
    use super::quaternion;

    /// The reference decoder computes the largest component in f64: 20 062.497. In f32, it is 20 062.5.
    #[test]
    fn quaternions_round_as_in_the_reference_decoder() {
        let shorts = |values: [i16; 4]| values.map(i16::to_le_bytes).as_flattened().try_into().unwrap();
        let expected: [u8; 8] = shorts([19_156, -4_743, -16_784, 20_062]);
        assert_eq!(quaternion(shorts([105, -26, -92, 127])), expected);
    }
}
