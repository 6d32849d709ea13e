"""Arrays of every kind: the right answer, or an error that says what is wrong."""

from __future__ import annotations

from typing import Any

import closefit as cf
import numpy as np
import pytest
from conftest import at, cube

VERTICES, FACES = cube()


def misaligned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a copy that begins at an odd address."""
    buffer = np.zeros(array.nbytes + 1, np.uint8)[1:]
    copy: np.ndarray[Any, Any] = buffer.view(array.dtype).reshape(array.shape)
    copy[...] = array
    assert not copy.flags.aligned
    return copy


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a copy that cannot be written."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def strided(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return every second row of a larger array."""
    return np.repeat(array, 2, axis=0)[::2]


FORMS = [
    np.asfortranarray,
    misaligned,
    read_only,
    strided,
    lambda a: a[::-1].copy()[::-1],
    lambda a: a.tolist(),
    lambda a: a.astype(a.dtype.newbyteorder(">")),
    lambda a: np.ma.MaskedArray(a),
]


@pytest.mark.parametrize("form", FORMS)
def test_arrays_of_any_layout_are_read(form: Any) -> None:
    mesh = cf.Mesh(form(VERTICES), form(FACES))
    order = FACES.ravel()
    _, first = np.unique(order, return_index=True)
    assert np.array_equal(mesh.vertices[mesh.faces], VERTICES[FACES])
    assert len(mesh.vertices) == len(first)


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i1", "i4", "i8"])
def test_vertices_of_any_number_are_widened(kind: str) -> None:
    vertices = (VERTICES * 2).astype(kind)
    assert np.array_equal(cf.Mesh(vertices, FACES).vertices[0], vertices[FACES[0, 0]])


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_faces_of_any_integer_are_read(kind: str) -> None:
    assert len(cf.Mesh(VERTICES, FACES.astype(kind)).faces) == 12


def with_entry(array: Any, value: Any) -> Any:
    """Return a copy with another entry in row 1."""
    copy = array.copy()
    copy[1, 2] = value
    return copy


REFUSED = [
    (with_entry(VERTICES, np.nan), FACES, "vertices", "vertex 1 has the coordinate NaN"),
    (with_entry(VERTICES, np.inf), FACES, "vertices", "vertex 1 has the coordinate inf"),
    (VERTICES[:, :2], FACES, "vertices", "(n, 3) is needed, not (8, 2)"),
    (VERTICES.ravel(), FACES, "vertices", "(n, 3) is needed, not (24)"),
    (VERTICES.astype(complex), FACES, "vertices", "not complex128"),
    (VERTICES.astype(str), FACES, "vertices", "not <U32"),
    ([[0, 1], [2]], FACES, "vertices", "inhomogeneous"),
    (None, FACES, "vertices", "not object"),
    (VERTICES, with_entry(FACES.astype(int), -1), "faces", "triangle 1 has the vertex index -1"),
    (VERTICES, with_entry(FACES, 8), "faces", "triangle 1 uses vertex 8, but there are 8 vertices"),
    (VERTICES, with_entry(FACES.astype(int), 2**40), "faces", "1099511627776"),
    (VERTICES, with_entry(FACES.astype("u8"), 2**63), "faces", "9223372036854775808"),
    (VERTICES, FACES.astype(float), "faces", "integers are needed, not float64"),
    (VERTICES, FACES.astype(bool), "faces", "integers are needed, not bool"),
    (VERTICES, FACES[:0], "faces", "it has no triangles"),
    (VERTICES, FACES.reshape(-1, 4), "faces", "(n, 3) is needed, not (9, 4)"),
    (VERTICES[:0], FACES, "faces", "there are 0 vertices"),
]


@pytest.mark.parametrize(("vertices", "faces", "key", "text"), REFUSED)
def test_wrong_meshes_are_refused(vertices: Any, faces: Any, key: str, text: str) -> None:
    with pytest.raises(cf.ClosefitError) as caught:
        cf.Mesh(vertices, faces)
    message = str(caught.value)
    assert text in message
    assert message.startswith(f"{key}: ")
    assert "\n" not in message
    assert (caught.value.key, caught.value.file, caught.value.part) == (key, None, None)


def masked(array: Any, *entries: tuple[int, ...]) -> Any:
    """Return a copy in which entries are masked."""
    copy = np.ma.MaskedArray(array)
    for entry in entries:
        copy[entry] = np.ma.masked
    return copy


def test_masked_entries_are_refused(box: cf.CollisionMesh) -> None:
    one = "an entry is masked: fill it or leave it out"
    asked: list[tuple[Any, str]] = [
        (lambda: cf.Mesh(masked(VERTICES, (1, 2)), FACES), f"vertices: {one}"),
        (lambda: cf.Mesh(masked(VERTICES.astype("f4"), (1, 2)), FACES), f"vertices: {one}"),
        (lambda: cf.Mesh(VERTICES, masked(FACES, (0, 0), (3, 1))), "faces: 2 entries are masked"),
        (lambda: cf.Mesh(VERTICES, masked(FACES.astype("i8"), (0, 0))), f"faces: {one}"),
        (lambda: cf.intersects(box, np.eye(4), box, masked(np.eye(4), (0, 3))), f"pose_b: {one}"),
    ]
    for ask, text in asked:
        with pytest.raises(cf.ClosefitError) as caught:
            ask()
        assert str(caught.value).startswith(text)


@pytest.mark.parametrize("form", FORMS)
def test_poses_of_any_layout_are_read(form: Any, box: cf.CollisionMesh) -> None:
    assert cf.distance(box, form(np.eye(4)), box, form(at(1.25, 0, 0))).distance == 0.25
    assert cf.distance(box, form(np.eye(4)[:3]), box, form(at(0, 3, 0)[:3])).distance == 2


POSES = [
    (np.full((4, 4), np.nan), "NaN"),
    (np.eye(3), "(3, 4) or (4, 4) is needed, not (3, 3)"),
    (np.zeros((0, 3, 4)), "not (0, 3, 4)"),
    (np.ones((4, 4)), "the last row is [1.0, 1.0, 1.0, 1.0]"),
    (np.eye(4) * 2.0**250, "the last row"),
    (np.eye(4)[:3] * 2.0**250, "2^200"),
    ("x", "not <U1"),
]


@pytest.mark.parametrize(("pose", "text"), POSES)
def test_wrong_poses_are_refused(pose: Any, text: str, box: cf.CollisionMesh) -> None:
    asked: list[Any] = [
        cf.intersects,
        cf.contact_triangles,
        cf.distance,
        cf.verdict,
        cf.depth,
        cf.contains,
    ]
    for ask in asked:
        with pytest.raises(cf.ClosefitError) as caught:
            ask(box, np.eye(4), box, pose)
        assert caught.value.key == "pose_b"
        assert text in str(caught.value)


def test_a_wrong_pose_among_many_is_named(box: cf.CollisionMesh) -> None:
    poses = np.tile(np.eye(4), (100, 1, 1))
    poses[[17, 90], 0, 3] = np.inf
    for ask in [cf.intersects_many, cf.distance_many]:
        with pytest.raises(cf.ClosefitError) as caught:
            ask(box, np.eye(4), box, poses)
        assert caught.value.key == "poses_b[17]"
    with pytest.raises(cf.ClosefitError, match="100 poses of a and 99 of b are not rows"):
        cf.intersects_many(box, np.tile(np.eye(4), (100, 1, 1)), box, poses[1:])
    with pytest.raises(cf.ClosefitError, match="threads"):
        cf.intersects_many(box, np.eye(4), box, np.eye(4), threads=2000)


def test_no_pose_has_no_answer(box: cf.CollisionMesh) -> None:
    none = np.zeros((0, 3, 4))
    assert cf.intersects_many(box, np.eye(4), box, none).shape == (0,)
    distances, triangles, points = cf.distance_many(box, none, box, np.eye(4))
    assert (distances.shape, triangles.shape, points.shape) == ((0,), (0, 2), (0, 2, 3))


def test_another_object_is_no_mesh(box: cf.CollisionMesh) -> None:
    ask: Any = cf.intersects
    with pytest.raises(TypeError, match="CollisionMesh"):
        ask(box, np.eye(4), "box", np.eye(4))
