"""Contacts with points in many worlds, compared with python-fcl, Coal and MuJoCo.

    pip install python-fcl coal mujoco && python benches/worlds.py [worlds]

All engines see the same bodies at the same poses, in this process and on one core; closefit is also timed on all
cores. A world has 20 convex bodies, of which a few touch. FCL and Coal test their meshes as triangles, at most
four contacts for each pair; MuJoCo tests the convex hulls of its mesh geoms. Engines that take long see the first
worlds only; the time of a world is the mean over those.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

import closefit as cf
import numpy as np

BODIES = 20
MOST = 4


def cube() -> tuple[np.ndarray, np.ndarray]:
    corners = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)], float) - 0.5
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def ball(divisions: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a sphere of radius 1/2: an octahedron with every edge halved, so many times over."""
    x = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    points, triangles = list(x), faces
    for _ in range(divisions):
        known: dict[tuple[int, int], int] = {}

        def middle(i: int, j: int) -> int:
            key = (min(i, j), max(i, j))
            if key not in known:
                p = points[i] + points[j]
                points.append(p / np.linalg.norm(p))
                known[key] = len(points) - 1
            return known[key]

        finer = []
        for a, b, c in triangles:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        triangles = finer
    return 0.5 * np.array(points), np.array(triangles)


def rotations(q: np.ndarray) -> np.ndarray:
    """Return the matrices of quaternions w, x, y, z."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.ascontiguousarray(np.moveaxis(np.array(rows), (0, 1), (-2, -1)))


def at_random(worlds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return quaternions and shifts of bodies that overlap deeply."""
    random = np.random.default_rng(1)
    q = random.normal(size=(worlds, BODIES, 4))
    shifts = random.uniform(-2, 2, (worlds, BODIES, 3))
    return q / np.linalg.norm(q, axis=-1, keepdims=True), shifts


def piled(worlds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return quaternions and shifts of bodies in three layers, which overlap a little, or are a little apart."""
    random = np.random.default_rng(1)
    q = random.normal(0, 0.005, (worlds, BODIES, 4)) + [1, 0, 0, 0]
    body = np.arange(BODIES)
    cells = np.stack([body % 3, body // 3 % 3, body // 9], axis=-1)
    shifts = cells + random.normal(0, 0.01, (worlds, BODIES, 3))
    return q / np.linalg.norm(q, axis=-1, keepdims=True), shifts


def with_closefit(mesh, turns, shifts, threads: int) -> Callable[[], tuple[int, int]]:
    scene, shape = cf.World(), cf.CollisionMesh(*mesh)
    for _ in range(BODIES):
        scene.add(shape, np.eye(4))
    worlds = cf.Worlds(scene, len(turns))
    poses = np.concatenate([turns, shifts[..., None]], axis=-1)

    def ask() -> tuple[int, int]:
        found = worlds.contacts(poses, threads=threads)
        pairs = np.repeat(np.arange(len(turns)), np.diff(found.offsets.astype(np.int64)))
        keys = (pairs * BODIES + found.bodies[:, 0]) * BODIES + found.bodies[:, 1]
        return len(np.unique(keys)), len(found.depths)

    worlds.contacts(poses, threads=threads)
    return ask


def with_fcl(mesh, turns, shifts) -> Callable[[], tuple[int, int]]:
    import fcl

    def model():
        made = fcl.BVHModel()
        made.beginModel(len(mesh[0]), len(mesh[1]))
        made.addSubModel(*mesh)
        made.endModel()
        return made

    shape = model()
    bodies = [fcl.CollisionObject(shape, fcl.Transform()) for _ in range(BODIES)]
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects(bodies)
    manager.setup()

    def ask() -> tuple[int, int]:
        pairs = points = 0

        def found(a, b, _data) -> bool:
            nonlocal pairs, points
            result = fcl.CollisionResult()
            fcl.collide(
                a, b, fcl.CollisionRequest(num_max_contacts=MOST, enable_contact=True), result
            )
            pairs += result.is_collision
            points += len(result.contacts)
            return False

        for turn, shift in zip(turns, shifts, strict=True):
            for body, r, t in zip(bodies, turn, shift, strict=True):
                body.setTransform(fcl.Transform(r, t))
                manager.update(body)
            manager.collide(None, found)
        return pairs, points

    return ask


def with_coal(mesh, turns, shifts) -> Callable[[], tuple[int, int]]:
    import coal

    shape = coal.BVHModelOBBRSS()
    shape.beginModel(len(mesh[1]), len(mesh[0]))
    shape.addVertices(mesh[0])
    shape.addTriangles(mesh[1].astype(np.int32))
    shape.endModel()
    request = coal.CollisionRequest(coal.CollisionRequestFlag.CONTACT, MOST)
    reach = 2 * np.linalg.norm(mesh[0], axis=1).max()

    def ask() -> tuple[int, int]:
        pairs = points = 0
        for turn, shift in zip(turns, shifts, strict=True):
            # Its managers do not give pairs to Python: spheres around the bodies find them.
            near = np.triu(np.linalg.norm(shift[:, None] - shift, axis=-1) <= reach, 1)
            placed = [coal.Transform3s(r, t) for r, t in zip(turn, shift, strict=True)]
            for a, b in np.argwhere(near).tolist():
                result = coal.CollisionResult()
                coal.collide(shape, placed[a], shape, placed[b], request, result)
                pairs += result.isCollision()
                points += result.numContacts()
        return pairs, points

    return ask


def with_mujoco(mesh, quaternions, shifts) -> Callable[[], tuple[int, int]]:
    import mujoco

    vertices = " ".join(f"{x:.17g}" for x in mesh[0].ravel())
    faces = " ".join(str(i) for i in mesh[1].ravel())
    body = '<body><freejoint/><geom type="mesh" mesh="m" contype="1" conaffinity="1"/></body>'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="m" vertex="{vertices}" face="{faces}"/></asset>'
        f"<worldbody>{body * BODIES}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    states = np.concatenate([shifts, quaternions], axis=-1).reshape(len(shifts), -1)

    def ask() -> tuple[int, int]:
        pairs = points = 0
        for state in states:
            data.qpos[:] = state
            mujoco.mj_kinematics(model, data)
            mujoco.mj_collision(model, data)
            points += data.ncon
            pairs += len({tuple(pair) for pair in data.contact.geom[: data.ncon].tolist()})
        return pairs, points

    return ask


def main() -> None:
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
    print(f"{worlds} worlds of {BODIES} bodies; {os.cpu_count()} cores\n")
    print(
        "| bodies | engine | worlds | pairs in contact a world | points a world | µs a world | points a second |"
    )
    print("|---|---|---|---|---|---|---|")
    scenes = [
        ("cubes at random", cube(), at_random),
        ("cubes in a pile", cube(), piled),
        ("balls of 512 triangles in a pile", ball(3), piled),
    ]
    for name, mesh, places in scenes:
        q, shifts = places(worlds)
        turns = rotations(q)
        few = min(worlds, 256)
        engines = [
            ("closefit, one core", worlds, with_closefit(mesh, turns, shifts, 1)),
            ("closefit, all cores", worlds, with_closefit(mesh, turns, shifts, 0)),
            ("python-fcl", few, with_fcl(mesh, turns[:few], shifts[:few])),
            ("Coal", few, with_coal(mesh, turns[:few], shifts[:few])),
            ("MuJoCo", worlds, with_mujoco(mesh, q, shifts)),
        ]
        for engine, count, ask in engines:
            best = np.inf
            for _ in range(3):
                start = time.perf_counter()
                pairs, points = ask()
                best = min(best, time.perf_counter() - start)
            row = [name, engine, count, f"{pairs / count:.2f}", f"{points / count:.2f}"]
            print(
                "|",
                " | ".join(map(str, [*row, f"{1e6 * best / count:.1f}", f"{points / best:.3g}"])),
                "|",
            )


if __name__ == "__main__":
    main()
