/** The two parts of a finding: cut and hatched, or the larger one faint. */

import {
  AlwaysStencilFunc,
  EqualDepth,
  EqualStencilFunc,
  GreaterDepth,
  Group,
  InvertStencilOp,
  KeepStencilOp,
  LessEqualDepth,
  LineSegments,
  NotEqualStencilFunc,
  ReplaceStencilOp,
  Matrix4,
  Mesh,
  PlaneGeometry,
  Vector3,
  type BufferGeometry,
  type Material,
  type Plane,
  type ShaderMaterial,
  type ShaderMaterialParameters,
} from "three";
import { clip, flat, hatched, surface } from "./materials";
import type { Model, Placed } from "./model";
import { outline } from "./outline";
import { cutColours, edgeOf, FIRST, INK, SECOND, SHARED, type Rgb } from "./palette";

// Materials that count surfaces and those that show the count are drawn last, in the order given: what is not
// transparent is drawn before.
const LATER = { transparent: true, depthWrite: false } as const;

/** The options of a material that counts, in one bit, how many surfaces of a part lie along a ray. */
function counting(bit: number): ShaderMaterialParameters {
  const [stencilFail, stencilZFail, stencilZPass] = [
    InvertStencilOp,
    InvertStencilOp,
    InvertStencilOp,
  ] as const;
  return {
    ...LATER,
    colorWrite: false,
    stencilWrite: true,
    stencilWriteMask: bit,
    stencilFunc: AlwaysStencilFunc,
    stencilFail,
    stencilZFail,
    stencilZPass,
  };
}

/** The options of a material that is drawn where the counts are odd as a number says. */
function where(odd: number, mask = 3): ShaderMaterialParameters {
  const ops = {
    stencilFail: KeepStencilOp,
    stencilZFail: KeepStencilOp,
    stencilZPass: KeepStencilOp,
  } as const;
  return {
    ...LATER,
    stencilWrite: true,
    stencilFunc: EqualStencilFunc,
    stencilRef: odd,
    stencilFuncMask: mask,
    stencilWriteMask: 0,
    ...ops,
  };
}

/** The bit in which yellow is noted, and the options of a material that notes it, or leaves it as it is. */
const YELLOW = 4;
const NOTED = { stencilWriteMask: YELLOW, stencilZPass: ReplaceStencilOp, stencilRef: YELLOW + 1 } as const;
const BESIDE = {
  stencilWrite: true,
  stencilFunc: NotEqualStencilFunc,
  stencilRef: YELLOW,
  stencilFuncMask: YELLOW,
  stencilWriteMask: 0,
} as const;

/** The share of its colour with which the larger part covers what is behind it. */
const FAINT = 0.34;

export class Pair {
  readonly group = new Group();
  private readonly sides: { part: Placed; colour: Rgb }[];
  private readonly moving: (Mesh | LineSegments)[] = [];
  private hatchings: ShaderMaterial[] = [];
  private cut: { clipped: ShaderMaterial[]; caps: Mesh[]; line: LineSegments } | null = null;

  /** Makes the pair; `isShared` says that the space in both parts is to be yellow. */
  constructor(
    parts: [Placed | undefined, Placed | undefined],
    private readonly model: Model,
    private readonly isShared: boolean,
  ) {
    const colours = [FIRST, SECOND];
    this.sides = parts.flatMap((part, i) => (part ? [{ part, colour: colours[i] }] : []));
  }

  /** Returns the parts. */
  get parts(): Placed[] {
    return this.sides.map(({ part }) => part);
  }

  /** Shows both parts as they are. */
  showWhole(): void {
    for (const { part, colour } of this.sides) this.solid(part, colour);
  }

  /** Cuts both parts by a plane. */
  showCut(plane: Plane): void {
    const clipped = this.sides.flatMap(({ part, colour }) => this.solid(part, colour));
    const line = new LineSegments(undefined, flat(INK, { ...LATER, clipping: false }));
    line.renderOrder = 4;
    this.group.add(line);
    this.cut = { clipped, caps: [], line };
    for (const [i, { part }] of this.sides.entries()) {
      const material = flat(INK, { ...counting(1 << i), depthTest: false });
      this.cut.clipped.push(material);
      this.mesh(part, material, 1);
    }
    this.hatchings = this.sides.map(({ colour }, i) => {
      const { paper, line } = cutColours(colour);
      return hatched(paper, line, i === 0 ? -1 : 1, { ...where(i + 1), clipping: false });
    });
    const { paper, line: stroke } = cutColours(FIRST);
    const both = this.isShared
      ? flat(SHARED, { ...where(3), clipping: false })
      : hatched(paper, stroke, -1, { ...where(3), clipping: false });
    if (!this.isShared) this.hatchings.push(both);
    const materials = [...this.hatchings.slice(0, this.sides.length), both];
    this.cut.caps = materials.map((material) => new Mesh(new PlaneGeometry(1, 1), material));
    for (const cap of this.cut.caps) {
      cap.renderOrder = 3;
      cap.matrixAutoUpdate = false;
      this.group.add(cap);
    }
    this.moveCut(plane);
  }

  /** Moves the plane of the cut. */
  moveCut(plane: Plane): void {
    if (!this.cut) return;
    clip(this.cut.clipped, [plane]);
    const point = plane.coplanarPoint(new Vector3());
    const front = plane.normal.clone().negate();
    const up = Math.abs(front.y) > 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const right = up.cross(front).normalize();
    const basis = new Matrix4().makeBasis(right, front.clone().cross(right), front).setPosition(point);
    basis.scale(new Vector3(4 * this.model.radius, 4 * this.model.radius, 1));
    for (const cap of this.cut.caps) {
      cap.matrix.copy(basis);
      cap.updateMatrixWorld(true);
    }
    this.cut.line.geometry.dispose();
    this.cut.line.geometry = outline(this.parts, plane, point);
    this.cut.line.position.copy(point);
    this.cut.line.updateMatrixWorld(true);
  }

  /** Shows the smaller part solid, yellow where it lies in the larger one, and the larger one faint. */
  showThrough(): void {
    const size = ({ part }: { part: Placed }) => part.box.getSize(new Vector3()).length();
    const [solid, faint] = [...this.sides].sort((p, q) => size(p) - size(q));
    if (!faint) return this.showWhole();
    this.solid(solid.part, solid.colour);
    if (this.isShared) {
      // Counted behind the smaller part: in front, the count would turn where the viewer is inside.
      this.mesh(
        faint.part,
        flat(INK, { ...counting(1), stencilZFail: KeepStencilOp, depthFunc: GreaterDepth }),
        1,
      );
      this.mesh(
        solid.part,
        surface(SHARED, { ...where(1, 1), ...NOTED, depthFunc: LessEqualDepth, ...OFFSET }),
        2,
      );
    }
    // The nearest surface alone, so that it is as faint everywhere.
    this.mesh(faint.part, flat(INK, { transparent: true, colorWrite: false, ...BEHIND }), 3);
    this.mesh(
      faint.part,
      surface(faint.colour, { ...LATER, ...BESIDE, depthFunc: EqualDepth, ...BEHIND }, FAINT),
      4,
    );
    this.strokes(faint.part, flat(edgeOf(faint.colour), LATER, 0.5), 5);
  }

  /** Returns the materials whose lines are to be as wide on any screen. */
  setPixelRatio(ratio: number): void {
    for (const { uniforms } of this.hatchings) uniforms.ratio.value = ratio;
  }

  /** Moves the parts to where they are now. */
  move(): void {
    for (const object of this.moving) {
      object.matrix.copy((object.userData.part as Placed).matrix);
      object.updateMatrixWorld(true);
    }
  }

  dispose(): void {
    this.group.traverse((object) => ((object as Mesh).material as Material | undefined)?.dispose());
    this.cut?.line.geometry.dispose();
    for (const cap of this.cut?.caps ?? []) cap.geometry.dispose();
  }

  private solid(part: Placed, colour: Rgb): ShaderMaterial[] {
    const materials = [surface(colour, part === this.sides[0]?.part ? OFFSET : BEHIND), flat(edgeOf(colour))];
    this.mesh(part, materials[0], 0);
    this.strokes(part, materials[1], 0);
    return materials;
  }

  private mesh(part: Placed, material: ShaderMaterial, order: number): void {
    this.add(new Mesh(part.shape.surface, material), part, order);
  }

  private strokes(part: Placed, material: ShaderMaterial, order: number): void {
    this.add(new LineSegments(part.shape.lines as BufferGeometry, material), part, order);
  }

  private add(object: Mesh | LineSegments, part: Placed, order: number): void {
    object.renderOrder = order;
    object.userData.part = part;
    object.matrixAutoUpdate = false;
    object.matrix.copy(part.matrix);
    this.moving.push(object);
    this.group.add(object);
  }
}

// Coplanar faces of the two parts, and of others, do not flicker: each part has its own distance.
const OFFSET = { polygonOffset: true, polygonOffsetFactor: 0.5, polygonOffsetUnits: 1 } as const;
const BEHIND = { polygonOffset: true, polygonOffsetFactor: 1.5, polygonOffsetUnits: 8 } as const;
