//! The answers of the kernel, and their way from one process to another.

use std::io::{self, Write};

/// The first and the last bytes of an answer. A process that dies leaves it without the last.
const MARK: &[u8; 8] = b"closeifc";

/// The answer of the kernel about a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// The number of the record of a unit of length that cannot be used, so nothing was drawn.
    pub refused_unit: Option<u32>,
    /// A length of 1 in the file, in metres.
    pub metres: f64,
    /// The rows of the matrix that takes the frame of the vertices to the world.
    pub frame: [[f64; 4]; 3],
    /// The pieces of products, in the order in which the kernel made them.
    pub pieces: Vec<Piece>,
    /// The losses of products, where there is no receipt that nothing was lost.
    pub flaws: Vec<(u32, String)>,
}

/// One piece of a product: its triangles of one style.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// The number of the product's record.
    pub product: u32,
    /// The presentation layer, if it has one.
    pub layer: String,
    /// The point to which vertices are relative.
    pub origin: [f64; 3],
    /// Coordinates of vertices.
    pub vertices: Vec<f32>,
    /// Triangles.
    pub triangles: Vec<u32>,
}

impl Output {
    /// Writes the answer.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(MARK)?;
        number(to, self.refused_unit.unwrap_or(u32::MAX))?;
        reals(to, &[self.metres])?;
        self.frame.iter().try_for_each(|row| reals(to, row))?;
        count(to, self.pieces.len())?;
        for piece in &self.pieces {
            number(to, piece.product)?;
            text(to, &piece.layer)?;
            reals(to, &piece.origin)?;
            count(to, piece.vertices.len())?;
            for vertex in &piece.vertices {
                to.write_all(&vertex.to_le_bytes())?;
            }
            count(to, piece.triangles.len())?;
            piece.triangles.iter().try_for_each(|&corner| number(to, corner))?;
        }
        count(to, self.flaws.len())?;
        for (product, why) in &self.flaws {
            number(to, *product)?;
            text(to, why)?;
        }
        to.write_all(MARK)
    }

    /// Reads an answer; `None` if it is not whole.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = From(bytes);
        (from.take(MARK.len())? == MARK).then_some(())?;
        let refused_unit = Some(from.number()?).filter(|&id| id != u32::MAX);
        let [metres] = from.reals()?;
        let frame = [from.reals()?, from.reals()?, from.reals()?];
        let mut pieces = Vec::new();
        for _ in 0..from.count()? {
            let (product, layer, origin) = (from.number()?, from.text()?, from.reals()?);
            let words = |bytes: &[u8]| Vec::from_iter(bytes.chunks_exact(4).map(word));
            let vertices = from.count()?;
            let vertices = words(from.take(vertices.checked_mul(4)?)?);
            let triangles = from.count()?;
            let triangles = words(from.take(triangles.checked_mul(4)?)?);
            let vertices = vertices.into_iter().map(f32::from_bits).collect();
            pieces.push(Piece { product, layer, origin, vertices, triangles });
        }
        let mut flaws = Vec::new();
        for _ in 0..from.count()? {
            flaws.push((from.number()?, from.text()?));
        }
        (from.0 == MARK).then_some(Self { refused_unit, metres, frame, pieces, flaws })
    }
}

fn number(to: &mut impl Write, number: u32) -> io::Result<()> {
    to.write_all(&number.to_le_bytes())
}

fn count(to: &mut impl Write, count: usize) -> io::Result<()> {
    to.write_all(&(count as u64).to_le_bytes())
}

fn reals(to: &mut impl Write, reals: &[f64]) -> io::Result<()> {
    reals.iter().try_for_each(|real| to.write_all(&real.to_le_bytes()))
}

fn text(to: &mut impl Write, text: &str) -> io::Result<()> {
    count(to, text.len())?;
    to.write_all(text.as_bytes())
}

/// Returns the word of four bytes.
fn word(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_le_bytes)
}

/// The bytes that are not read yet.
struct From<'a>(&'a [u8]);

impl<'a> From<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4).map(word)
    }

    fn count(&mut self) -> Option<usize> {
        let bytes = self.take(8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    }

    fn reals<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut reals = [0.0; N];
        for real in &mut reals {
            *real = f64::from_le_bytes(self.take(8)?.try_into().ok()?);
        }
        Some(reals)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.count()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_comes_back_whole_or_not_at_all() {
        let piece = Piece {
            product: 7,
            layer: "walls".to_owned(),
            origin: [1e6, -0.0, 0.1],
            vertices: vec![0.1, f32::NAN, 3.0],
            triangles: vec![0, 1, u32::MAX],
        };
        let frame = [[1.0, 0.0, 0.0, 2e6], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -3.0]];
        let flaws = vec![(7, "no mesh output".to_owned())];
        let output = Output { refused_unit: Some(3), metres: 0.3048, frame, pieces: vec![piece; 2], flaws };
        let mut bytes = Vec::new();
        output.write(&mut bytes).expect("into memory");
        let back = Output::read(&bytes).expect("whole");
        // A NaN is not equal to itself.
        assert_eq!(format!("{back:?}"), format!("{output:?}"));
        for end in 0..bytes.len() {
            assert_eq!(Output::read(&bytes[..end]), None, "{end}");
        }
    }
}
