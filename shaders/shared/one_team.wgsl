// A group (`groups.wgsl`) of one team.

const LANES = 32u;
const TEAMS = 1u;
// Room of a team for items and for leaf pairs.
const STACK = 256u;
const LEAVES = 64u;
