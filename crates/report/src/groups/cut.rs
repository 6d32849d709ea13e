//! Groups that are too long for one look, cut where there is nothing.

use crate::document::Finding;

/// Cuts pairs at the widest gap between their places along the longest axis, of equal gaps at the one nearest
/// the middle, until no piece is longer than `extent`. The pieces are in the order of the lowest corners of
/// their boxes. Pairs without a place stay with the first piece.
pub(super) fn cut<P: Finding>(pairs: Vec<&P>, extent: Option<f64>) -> Vec<Vec<&P>> {
    let Some(extent) = extent else { return vec![pairs] };
    let (placed, lost): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|pair| pair.at().is_some());
    let placed = placed.into_iter().filter_map(|pair| Some((pair.at()?, pair))).collect();
    let (mut whole, mut pieces) = (vec![placed], Vec::new());
    while let Some(piece) = whole.pop() {
        match halves(piece, extent) {
            Ok(halves) => whole.extend(halves),
            Err(piece) => pieces.push(piece),
        }
    }
    pieces.sort_by(|p, q| {
        let ([p, _], [q, _]) = (bounds(p), bounds(q));
        let by_axis = |axis: usize| p[axis].total_cmp(&q[axis]);
        by_axis(0).then(by_axis(1)).then(by_axis(2))
    });
    let mut pieces: Vec<Vec<&P>> =
        pieces.into_iter().map(|piece| piece.into_iter().map(|(_, pair)| pair).collect()).collect();
    pieces[0].extend(lost);
    pieces
}

/// Pairs with their places.
type Piece<'r, P> = Vec<([f64; 3], &'r P)>;

/// Cuts a piece in two, or returns it if it is short enough.
fn halves<P>(mut piece: Piece<P>, extent: f64) -> Result<[Piece<P>; 2], Piece<P>> {
    let [low, high] = bounds(&piece);
    let length = |axis: &usize| high[*axis] - low[*axis];
    // `max_by` returns the last of equals.
    let longest = (0..3).rev().max_by(|p, q| length(p).total_cmp(&length(q))).unwrap_or(0);
    if piece.len() < 2 || length(&longest) <= extent {
        return Err(piece);
    }
    piece.sort_by(|(p, _), (q, _)| p[longest].total_cmp(&q[longest]));
    let gap = |at: &usize| piece[*at].0[longest] - piece[*at - 1].0[longest];
    let off_middle = |at: &usize| piece.len().abs_diff(2 * at);
    let better = |p: &usize, q: &usize| gap(p).total_cmp(&gap(q)).then(off_middle(q).cmp(&off_middle(p)));
    let widest = (1..piece.len()).rev().max_by(better).unwrap_or(1);
    let upper = piece.split_off(widest);
    Ok([piece, upper])
}

/// Returns the lowest and the highest corner of the box of some places.
fn bounds<P>(piece: &Piece<P>) -> [[f64; 3]; 2] {
    let around = |[low, high]: [[f64; 3]; 2], place: &[f64; 3]| {
        [[0, 1, 2].map(|k| low[k].min(place[k])), [0, 1, 2].map(|k| high[k].max(place[k]))]
    };
    let none = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    piece.iter().fold(none, |bounds, (place, _)| around(bounds, place))
}
