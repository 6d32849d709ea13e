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


def building() -> str:
    """Return a wall with an opening, on a site that is turned."""
    records: list[str] = [
        "IFCCARTESIANPOINT((0.,0.,0.))",
        "IFCAXIS2PLACEMENT3D(#1,$,$)",
        "IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.)",
        "IFCUNITASSIGNMENT((#3))",
        "IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.0E-5,#2,$)",
        "IFCPROJECT('0Project000000000000AA',$,'p',$,$,$,$,(#5),#4)",
        "IFCCARTESIANPOINT((500000.,-20000.,1000.))",
        "IFCDIRECTION((0.,0.,1.))",
        "IFCDIRECTION((0.8,0.6,0.))",
        "IFCAXIS2PLACEMENT3D(#7,#8,#9)",
        "IFCLOCALPLACEMENT($,#10)",
        "IFCSITE('0Site00000000000000AAA',$,'s',$,$,#11,$,$,.ELEMENT.,$,$,$,$,$)",
        "IFCRELAGGREGATES('0Rel0000000000000000AA',$,$,$,#6,(#12))",
    ]
    for entity, size in [("IFCWALL", (4000, 200, 2500)), ("IFCOPENINGELEMENT", (900, 400, 2000))]:
        first = len(records) + 1
        records += [
            f"IFCRECTANGLEPROFILEDEF(.AREA.,$,$,{size[0]}.,{size[1]}.)",
            f"IFCEXTRUDEDAREASOLID(#{first},#2,#8,{size[2]}.)",
            f"IFCSHAPEREPRESENTATION(#5,'Body','SweptSolid',(#{first + 1}))",
            f"IFCPRODUCTDEFINITIONSHAPE($,$,(#{first + 2}))",
            "IFCLOCALPLACEMENT(#11,#2)",
            f"{entity}('0Guid{first:017}',$,'{entity}',$,$,#{first + 4},#{first + 3},$,$)",
        ]
    wall, opening = 19, 25
    records += [
        f"IFCRELVOIDSELEMENT('0Rel0000000000000000AB',$,$,$,#{wall},#{opening})",
        f"IFCRELCONTAINEDINSPATIALSTRUCTURE('0Rel0000000000000000AC',$,$,$,(#{wall}),#12)",
    ]
    data = "".join(f"#{number}={record};\n" for number, record in enumerate(records, 1))
    return (
        "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\n"
        "FILE_NAME('','2026-01-01T00:00:00',(''),(''),'','','');\nFILE_SCHEMA(('IFC4'));\nENDSEC;\n"
        f"DATA;\n{data}ENDSEC;\nEND-ISO-10303-21;\n"
    )


def load_building(tmp_path: Path) -> cf.Scene:
    """Read the building, where the package is built with its reader."""
    path = tmp_path / "house.ifc"
    path.write_text(building())
    try:
        return cf.Scene.load(path)
    except cf.ClosefitError as error:
        if "without the feature 'ifc'" not in str(error):
            raise
        return pytest.skip("built without IFC")


def test_a_building_has_its_wall(tmp_path: Path) -> None:
    [wall] = load_building(tmp_path).parts
    assert (wall.name, wall.type, wall.guid) == ("IFCWALL", "IfcWall", f"0Guid{14:017}")
    # The corner of the wall, from the site.
    corner = np.array([500 + 0.8 * -2 - 0.6 * -0.1, -20 + 0.6 * -2 + 0.8 * -0.1, 1])
    vertices = wall.mesh.vertices @ wall.pose[:, :3].T + wall.pose[:, 3]
    assert np.abs(vertices - corner).max(axis=1).min() < 1e-6


def test_a_building_stands_as_ifcopenshell_has_it(tmp_path: Path) -> None:
    pytest.importorskip("ifcopenshell")
    import ifcopenshell.geom

    [wall] = load_building(tmp_path).parts
    settings = ifcopenshell.geom.settings()
    settings.set("use-world-coords", True)
    product = ifcopenshell.file.from_string(building()).by_type("IfcWall")[0]
    geometry = ifcopenshell.geom.create_shape(settings, product).geometry
    theirs = np.array(geometry.verts).reshape(-1, 3)
    ours = wall.mesh.vertices @ wall.pose[:, :3].T + wall.pose[:, 3]
    for corner in (np.min, np.max):
        assert np.abs(corner(ours, axis=0) - corner(theirs, axis=0)).max() < 1e-5
