"""Robots and meshes in formats that other readers read, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import closefit as cf
import numpy as np
import pytest

MODEL = """<mujoco><compiler angle="radian"/><default><default class="arm"><geom size="0.1 0.3"/>
</default></default>
<worldbody><body name="a" pos="1 2 3" euler="0.1 0.2 0.3" childclass="arm">
<joint name="j" axis="0 1 1" pos="0 0.1 0"/>
<geom name="rod" type="capsule"/><geom name="ball" type="sphere" pos="1 0 0"/>
<geom name="bar" type="capsule" fromto="0 0 0 1 2 -3" size="0.2"/>
<body name="b" pos="0 1 0" quat="1 0.5 0.2 0.1">
<joint name="k" type="slide" axis="1 0 1" range="0.25 1"/>
<geom name="can" type="cylinder"/>
<geom name="egg" type="ellipsoid" size="0.1 0.2 0.3" axisangle="0 1 0 0.7"/>
<geom name="block" type="box" size="1 2 3" xyaxes="1 1 0 0 0 1"/></body></body></worldbody>
</mujoco>"""

SCENE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2026-01-01T00:00:00Z</created><modified>2026-01-01T00:00:00Z</modified>
<unit name="inch" meter="0.0254"/>
<up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g" name="g"><mesh><source id="p">
<float_array id="pa" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v">
<input semantic="POSITION" source="#p"/></vertices><triangles count="4">
<input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes>
<visual_scene id="s"><node id="n"><translate>1 2 3</translate><rotate>0.6 0 0.8 40</rotate>
<scale>1 2 3</scale>
<instance_geometry url="#g"/><node id="m"><translate>5 0 0</translate>
<instance_geometry url="#g"/></node></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def test_a_mujoco_model_stands_as_mujoco_has_it(tmp_path: Path) -> None:
    mujoco: Any = pytest.importorskip("mujoco")
    path = tmp_path / "model.xml"
    path.write_text(MODEL)
    scene = cf.Scene.load(path, collision_geometry=True, chord=0.001)
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    # A joint is at 0, or at the limit nearest to it.
    data.joint("k").qpos = 0.25
    mujoco.mj_forward(model, data)
    assert len(scene.parts) == model.ngeom == 6
    for part in scene.parts:
        geom = data.geom(part.name.split("/")[1])
        pose = np.column_stack([geom.xmat.reshape(3, 3), geom.xpos])
        assert part.chord == (0 if part.name == "b/block" else 0.001)
        # A capsule between two points may be turned about its axis.
        columns = [2, 3] if part.name == "a/bar" else [0, 1, 2, 3]
        # MuJoCo takes the frame of inertia for a geom's own where they differ by some 1e-6.
        assert np.abs(part.pose - pose)[:, columns].max() < 1e-5, part.name


def test_a_collada_scene_stands_as_pycollada_has_it(tmp_path: Path) -> None:
    collada: Any = pytest.importorskip("collada")
    path = tmp_path / "scene.dae"
    path.write_text(SCENE)
    scene = cf.Scene.load(path)
    geometries = list(collada.Collada(str(path)).scene.objects("geometry"))
    assert [part.name for part in scene.parts] == ["n", "m"]
    for part, geometry in zip(scene.parts, geometries, strict=True):
        primitive = next(iter(geometry.primitives()))
        corners = primitive.vertex[primitive.vertex_index].reshape(-1, 3) * 0.0254
        vertices = part.mesh.vertices @ part.pose[:, :3].T + part.pose[:, 3]
        found = vertices[part.mesh.faces].reshape(-1, 3)
        assert np.abs(found - corners).max() < 1e-6
