"""Threads, signals, forks and memory."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import closefit as cf
import numpy as np
import pytest
from conftest import random_poses, torus


def test_threads_share_a_mesh(ring: cf.CollisionMesh) -> None:
    poses = random_poses(2000, 2.0)
    expected = cf.intersects_many(ring, np.eye(4), ring, poses, threads=1)

    def ask(_: int) -> list[bool]:
        fresh = cf.CollisionMesh(ring.mesh)
        some = [cf.depth(fresh, np.eye(4), ring, pose).at_least is None for pose in poses[:5]]
        assert not any(some)
        found: list[bool] = cf.intersects_many(fresh, np.eye(4), ring, poses).tolist()
        return found

    with ThreadPoolExecutor(4) as threads:
        assert all(found == expected.tolist() for found in threads.map(ask, range(8)))


def test_the_interpreter_goes_on_meanwhile(ring: cf.CollisionMesh) -> None:
    poses, done, steps = random_poses(100_000, 1.0), threading.Event(), 0

    def count() -> None:
        nonlocal steps
        while not done.is_set():
            steps += 1

    counter = threading.Thread(target=count)
    counter.start()
    cf.distance_many(ring, np.eye(4), ring, poses[:5000], threads=1)
    done.set()
    counter.join()
    assert steps > 1000


# It asks for minutes, unless it is interrupted; then it says how long that took.
INTERRUPTED = """
    import os, signal, sys, tempfile, threading, time
    from pathlib import Path
    import numpy as np
    sys.path.insert(0, {tests!r})
    from conftest import arm, random_poses, torus
    import closefit as cf
    robot = cf.Scene.load(arm(Path(tempfile.mkdtemp())))
    shape = cf.CollisionMesh(*torus({around}, 100))
    sent = 0.0

    def send():
        global sent
        sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    world = cf.World()
    for pose in random_poses(200, 0.1):
        world.add(shape, pose)

    def keep_busy():
        threading.Thread(target=world.contacts, daemon=True).start()
        time.sleep(0.2)

    timer = threading.Timer(0.5, send)
    timer.start()
    try:
        {call}
    except KeyboardInterrupt:
        print(time.monotonic() - sent)
    else:
        print("it was not interrupted")
"""

LONG_CALLS = [
    (50, "cf.distance_many(shape, np.eye(4), shape, random_poses(300_000, 1.0))"),
    (5, "cf.check_configurations(robot, np.tile([0.5, -2.8], (3_000_000, 1)), clearance=1)"),
    (5000, "cf.depth(shape, np.eye(4), shape, random_poses(1, 0.1)[0])"),
    (50, "world.contacts()"),
    (50, "keep_busy(); len(world)"),
    (50, "keep_busy(); world.intersecting()"),
]


@pytest.mark.parametrize(("around", "call"), LONG_CALLS)
def test_ctrl_c_ends_a_long_call(around: int, call: str) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        pytest.skip("SIGINT is ignored here, as in the background of a shell")
    script = INTERRUPTED.format(tests=os.path.dirname(__file__), around=around, call=call)
    command = [sys.executable, "-c", textwrap.dedent(script)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert run.stderr == ""
    # 0.2 s on a machine with a free core; on a busy one, far sooner than the call would end.
    assert float(run.stdout) < 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_has_threads_of_its_own(ring: cf.CollisionMesh) -> None:
    poses = random_poses(500, 2.0)
    world = cf.World()
    for pose in poses[:20]:
        world.add(ring, pose)
    expected = cf.intersects_many(ring, np.eye(4), ring, poses).tolist()
    pairs = world.intersecting().tolist()
    child = os.fork()
    if child == 0:
        same = cf.intersects_many(ring, np.eye(4), ring, poses).tolist() == expected
        same = same and world.intersecting().tolist() == pairs
        same = same and cf.CollisionMesh(ring.mesh).triangles == ring.triangles
        os._exit(0 if same else 1)
    for _ in range(600):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert status == 0
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


def test_calls_leave_no_memory_behind(ring: cf.CollisionMesh) -> None:
    poses = random_poses(100, 2.0)
    vertices, faces = torus(3, 3)

    def ask(times: int) -> None:
        for i in range(times):
            pose = poses[i % 100]
            cf.intersects(ring, np.eye(4), ring, pose)
            cf.distance(ring, np.eye(4), ring, pose)
            cf.Mesh(vertices, faces)
            with pytest.raises(cf.ClosefitError):
                cf.Mesh(vertices, [[0, 1, i + 100]])

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    ask(2000)
    before = peak()
    ask(10_000)
    # 10 000 leaks of 100 bytes would be 1 000 KiB.
    assert peak() - before < 1000
