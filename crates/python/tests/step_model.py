"""A writer of small STEP files, with solids and assemblies whose measures are known."""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[float, float, float]

_UNITS = {
    "mm": "( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) )",
    "m": "( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT($,.METRE.) )",
}


class StepModel:
    """A file in the making. A method that adds an entity returns its number, as ``#7``."""

    def __init__(self, unit: str = "mm") -> None:
        self._lines: list[str] = []
        self._context = self.add("APPLICATION_CONTEXT('mechanical design')")
        self.add(
            f"APPLICATION_PROTOCOL_DEFINITION('standard','automotive_design',2000,{self._context})"
        )
        angle = self.add("( NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.) )")
        solid = self.add("( NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT() )")
        self._units = self.add(
            "( GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT("
            f"({self._length(unit)},{angle},{solid})) REPRESENTATION_CONTEXT('','') )"
        )
        self._origin = self.frame()

    def _length(self, unit: str) -> str:
        if unit != "in":
            return self.add(_UNITS[unit])
        size = self.add("DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.)")
        measure = self.add(
            f"LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),{self.add(_UNITS['mm'])})"
        )
        return self.add(
            f"( CONVERSION_BASED_UNIT('INCH',{measure}) LENGTH_UNIT() NAMED_UNIT({size}) )"
        )

    def add(self, text: str) -> str:
        """Add an entity."""
        number = f"#{len(self._lines) + 1}"
        self._lines.append(f"{number} = {text};")
        return number

    def text(self) -> str:
        """Return the file."""
        header = (
            "HEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\n"
            "FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;"
        )
        data = "\n".join(self._lines)
        return f"ISO-10303-21;\n{header}\nDATA;\n{data}\nENDSEC;\nEND-ISO-10303-21;\n"

    def point(self, point: Point) -> str:
        """Add a point."""
        return self.add(f"CARTESIAN_POINT('',{_numbers(point)})")

    def frame(self, at: Point = (0, 0, 0), z: Point = (0, 0, 1), x: Point = (1, 0, 0)) -> str:
        """Add a frame, with the directions of two axes."""
        axes = [self.add(f"DIRECTION('',{_numbers(axis)})") for axis in (z, x)]
        return self.add(f"AXIS2_PLACEMENT_3D('',{self.point(at)},{','.join(axes)})")

    def plate(self, size: Point, hole: float = 0) -> str:
        """Add a solid block, from the origin, with a hole of this radius along z in its middle."""
        (x, y, z), corners = size, [(0, 0), (1, 0), (1, 1), (0, 1)]
        at = [[(x * i, y * j, z * k) for i, j in corners] for k in (0, 1)]
        vertices = [[self.add(f"VERTEX_POINT('',{self.point(p)})") for p in ring] for ring in at]
        edges: dict[tuple[int, int, int], str] = {}
        for k in (0, 1):
            for i in range(4):
                j = (i + 1) % 4
                edges[k, i, j] = self._line(vertices[k][i], vertices[k][j], at[k][i], at[k][j])
        for i in range(4):
            edges[2, i, i] = self._line(vertices[0][i], vertices[1][i], at[0][i], at[1][i])
        faces = []
        for i, z_axis in enumerate([(0, -1, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 0)]):
            j = (i + 1) % 4
            loop = [(edges[0, i, j], True), (edges[2, j, j], True), (edges[1, i, j], False)]
            bounds = [self._loop([*loop, (edges[2, i, i], False)])]
            faces.append(self._plane(bounds, at[0][i], z_axis, (0, 0, 1)))
        rims = [self._circle((x / 2, y / 2, k * z), hole) for k in (0, 1)] if hole else []
        for k, direction in ((0, -1), (1, 1)):
            loop = [(edges[k, i, (i + 1) % 4], k == 1) for i in range(4)]
            bounds = [self._loop(loop if k else loop[::-1])]
            bounds += [self._loop([(rims[k], k == 0)])] if hole else []
            faces.append(self._plane(bounds, at[k][0], (0, 0, direction), (1, 0, 0)))
        if hole:
            faces.append(self._wall(rims, (x / 2, y / 2, 0), hole, z, inward=True))
        return self._solid(faces)

    def cylinder(self, radius: float, height: float) -> str:
        """Add a solid cylinder that stands on the origin."""
        rims = [self._circle((0, 0, z), radius) for z in (0, height)]
        faces = [self._wall(rims, (0, 0, 0), radius, height, inward=False)]
        for k, z in enumerate((0, height)):
            bound = self._loop([(rims[k], k == 1)])
            faces.append(self._plane([bound], (0, 0, z), (0, 0, 1 if k else -1), (1, 0, 0)))
        return self._solid(faces)

    def ball(self, radius: float) -> str:
        """Add a solid ball around the origin."""
        surface = self.add(f"SPHERICAL_SURFACE('',{self._origin},{_number(radius)})")
        pole = self.add(f"VERTEX_POINT('',{self.point((0, 0, -radius))})")
        loop = self.add(f"VERTEX_LOOP('',{pole})")
        bound = self.add(f"FACE_BOUND('',{loop},.T.)")
        return self._solid([self.add(f"ADVANCED_FACE('',({bound}),{surface},.T.)")])

    def pyramid(self, size: float) -> str:
        """Add a solid of four triangles, at the origin, that have no surfaces."""
        corners = [(0.0, 0.0, 0.0), (size, 0.0, 0.0), (0.0, size, 0.0), (0.0, 0.0, size)]
        faces = []
        for triangle in [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]:
            points = ",".join(_numbers(corners[corner]) for corner in triangle)
            points = self.add(f"COORDINATES_LIST('',3,({points}))")
            faces.append(self.add(f"TRIANGULATED_FACE('',{points},3,(),$,(),((1,2,3)))"))
        return self.add(f"TESSELLATED_SOLID('',({','.join(faces)}),$)")

    def colour(self, item: str, red: float) -> None:
        """Give a solid or a face a colour."""
        colour = self.add(f"COLOUR_RGB('',{red},0.5,0.5)")
        fill = self.add(f"FILL_AREA_STYLE_COLOUR('',{colour})")
        fill = self.add(f"FILL_AREA_STYLE('',({fill}))")
        side = self.add(f"SURFACE_STYLE_FILL_AREA({fill})")
        side = self.add(f"SURFACE_SIDE_STYLE('',({side}))")
        usage = self.add(f"SURFACE_STYLE_USAGE(.BOTH.,{side})")
        style = self.add(f"PRESENTATION_STYLE_ASSIGNMENT(({usage}))")
        styled = self.add(f"STYLED_ITEM('',({style}),{item})")
        kind = "MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION"
        self.add(f"{kind}('',({styled}),{self._units})")

    def product(self, name: str, solids: Sequence[str] = ()) -> tuple[str, str]:
        """Add a product, and return its definition and its shape."""
        context = self.add(f"PRODUCT_CONTEXT('',{self._context},'mechanical')")
        product = self.add(f"PRODUCT('{name}','{name}','',({context}))")
        self.add(f"PRODUCT_RELATED_PRODUCT_CATEGORY('part',$,({product}))")
        formation = self.add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
        design = self.add(f"PRODUCT_DEFINITION_CONTEXT('part',{self._context},'design')")
        definition = self.add(f"PRODUCT_DEFINITION('design','',{formation},{design})")
        kind = "ADVANCED_BREP_SHAPE_REPRESENTATION" if solids else "SHAPE_REPRESENTATION"
        items = ",".join([self._origin, *solids])
        shape = self.add(f"{kind}('',({items}),{self._units})")
        of = self.add(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")
        self.add(f"SHAPE_DEFINITION_REPRESENTATION({of},{shape})")
        return definition, shape

    def place(
        self, whole: tuple[str, str], part: tuple[str, str], name: str, frame: str | None = None
    ) -> None:
        """Place a product in another one."""
        move = self.add(
            f"ITEM_DEFINED_TRANSFORMATION('','',{self._origin},{frame or self._origin})"
        )
        relation = self.add(
            f"( REPRESENTATION_RELATIONSHIP('','',{part[1]},{whole[1]}) "
            f"REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION({move}) "
            "SHAPE_REPRESENTATION_RELATIONSHIP() )"
        )
        # Occurrences without a name are called by their number.
        number = len(self._lines)
        use = self.add(
            f"NEXT_ASSEMBLY_USAGE_OCCURRENCE('{number}','{name}','',{whole[0]},{part[0]},$)"
        )
        of = self.add(f"PRODUCT_DEFINITION_SHAPE('','',{use})")
        self.add(f"CONTEXT_DEPENDENT_SHAPE_REPRESENTATION({relation},{of})")

    def _line(self, a: str, b: str, start: Point, end: Point) -> str:
        way = tuple(q - p for p, q in zip(start, end, strict=True))
        direction = self.add(f"DIRECTION('',{_numbers(way)})")
        vector = self.add(f"VECTOR('',{direction},1.)")
        line = self.add(f"LINE('',{self.point(start)},{vector})")
        return self.add(f"EDGE_CURVE('',{a},{b},{line},.T.)")

    def _circle(self, centre: Point, radius: float) -> str:
        x, y, z = centre
        vertex = self.add(f"VERTEX_POINT('',{self.point((x + radius, y, z))})")
        circle = self.add(f"CIRCLE('',{self.frame(centre)},{_number(radius)})")
        return self.add(f"EDGE_CURVE('',{vertex},{vertex},{circle},.T.)")

    def _loop(self, edges: Sequence[tuple[str, bool]]) -> str:
        oriented = [
            self.add(f"ORIENTED_EDGE('',*,*,{edge},{_truth(forward)})") for edge, forward in edges
        ]
        loop = self.add(f"EDGE_LOOP('',({','.join(oriented)}))")
        return self.add(f"FACE_BOUND('',{loop},.T.)")

    def _plane(self, bounds: Sequence[str], at: Point, z: Point, x: Point) -> str:
        plane = self.add(f"PLANE('',{self.frame(at, z, x)})")
        return self.add(f"ADVANCED_FACE('',({','.join(bounds)}),{plane},.T.)")

    def _wall(
        self, rims: Sequence[str], centre: Point, radius: float, height: float, *, inward: bool
    ) -> str:
        """Add the face of a cylinder between two circles."""
        surface = self.add(f"CYLINDRICAL_SURFACE('',{self.frame(centre)},{_number(radius)})")
        bounds = [self._loop([(rim, (k == 0) != inward)]) for k, rim in enumerate(rims)]
        return self.add(f"ADVANCED_FACE('',({','.join(bounds)}),{surface},{_truth(not inward)})")

    def _solid(self, faces: Sequence[str]) -> str:
        shell = self.add(f"CLOSED_SHELL('',({','.join(faces)}))")
        return self.add(f"MANIFOLD_SOLID_BREP('',{shell})")


def _truth(value: bool) -> str:
    return ".T." if value else ".F."


def _number(value: float) -> str:
    return f"{float(value)!r}".replace("e", "E")


def _numbers(values: Sequence[float]) -> str:
    return f"({','.join(map(_number, values))})"


def machine(unit: str = "mm", scale: float = 1.0) -> str:
    """Return a plate with two bolts, one of which fills its hole, and a spare one, turned."""
    model = StepModel(unit)
    plate = model.product("plate", [model.plate((100 * scale, 50 * scale, 10 * scale), 5 * scale)])
    bolt = model.product("bolt", [model.cylinder(5 * scale, 30 * scale)])
    pair, whole = model.product("pair"), model.product("machine")
    model.place(pair, bolt, "first bolt")
    model.place(pair, bolt, "", model.frame((60 * scale, 0, 0)))
    model.place(whole, plate, "base plate")
    model.place(whole, pair, "bolts", model.frame((50 * scale, 25 * scale, 0)))
    model.place(whole, bolt, "spare", model.frame((0, 0, 100 * scale), (1, 0, 0), (0, 1, 0)))
    return model.text()
