// closefit: exact clash and clearance checking of triangle meshes.
//
// Every function that can fail returns a cf_status. Unless it is CF_OK, cf_last_error says why, and
// nothing but a new object's place has been written. No panic of the library crosses this border.
//
// A pose is 12 numbers, three rows of a 3x4 matrix: the linear part in the first three columns, the
// translation in the last. Points are x, y, z; lengths are in the units of the meshes.
//
// Objects are made by functions that end in _new or _clone, and freed by the one that ends in
// _free, which ignores a null pointer. Meshes and motions never change: threads may share them. A world
// shares nothing with its meshes: free them in any order. It is for one thread at a time.
//
// Where the number of results is not known in advance, `count` receives it, and the first `room` of
// them are written.

#ifndef CLOSEFIT_H
#define CLOSEFIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Length of the text in a cf_record, a cf_overlap or a cf_volume, with the zero at its end.
#define CF_REASON 128

// The outcome of a call.
typedef enum {
    // The call did what it says.
    CF_OK = 0,
    // A pointer is null or misaligned, or a number is out of range.
    CF_INVALID_ARGUMENT = 1,
    // A mesh is empty, or has an index out of range or a coordinate that is not finite.
    CF_INVALID_MESH = 2,
    // A pose is not finite, or takes a vertex beyond 2^200.
    CF_INVALID_POSE = 3,
    // The keyframes are no motion, or the motion has no answer to the requested precision.
    CF_INVALID_MOTION = 4,
    // The body was removed from the world, or never added.
    CF_NO_SUCH_BODY = 5,
    // A fault of closefit itself, please report it. Objects that the call could change can only be
    // freed.
    CF_FAILED = 6,
} cf_status;

// The verdict on a pair, worst first.
typedef enum {
    // They share space: deeper than the tolerance, contained, duplicate or crossing.
    CF_CLASH = 0,
    // A mesh is open, so that it cannot be decided if one contains the other, or how deep they overlap.
    CF_UNDECIDED = 1,
    // They touch, or come within the tolerance.
    CF_CONTACT = 2,
    // They come within the clearance.
    CF_CLEARANCE = 3,
    // They are farther apart than the clearance.
    CF_CLEAR = 4,
} cf_verdict_kind;

// The containment of one mesh in the other's solid, without contact.
typedef enum {
    // Neither contains the other.
    CF_NOT_CONTAINED = 0,
    // a, or at least one of its components, lies in b.
    CF_A_IN_B = 1,
    // b, or at least one of its components, lies in a.
    CF_B_IN_A = 2,
    // A shell that might contain the other mesh is open.
    CF_UNDECIDABLE = 3,
} cf_containment;

// The change of a contact in a step.
typedef enum {
    // The bodies are in contact at the end, and not at the start.
    CF_BEGAN = 0,
    // The bodies are in contact at the start, and not at the end.
    CF_ENDED = 1,
    // The bodies are in contact, or within half of the precision, only between.
    CF_BRIEF = 2,
} cf_change;

// The way from one keyframe to the next.
typedef enum {
    // A screw: a turn about an axis together with a shift along it, at constant rate.
    CF_SCREW = 0,
    // A straight line at constant rate, and a turn at constant rate.
    CF_LINEAR = 1,
    // Rest, and a jump at the next keyframe.
    CF_STEP = 2,
} cf_between;

// A mesh with its hierarchy of boxes and its topology, built once and asked at any number of poses. Vertices
// at equal positions are one.
typedef struct cf_mesh cf_mesh;

// A motion through keyframes. Before the first and after the last one, it is at rest.
typedef struct cf_motion cf_motion;

// The events of a step of a world.
typedef struct cf_step cf_step;

// Bodies, each a mesh at a pose, that move from frame to frame. Each frame reuses what earlier frames
// learned about a pair, which changes no answer.
typedef struct cf_world cf_world;

// Copies of one scene. Bodies are numbered in the order in which they were added to the scene, without those
// that were removed.
typedef struct cf_worlds cf_worlds;

// The points that two triangles in contact share: one, a segment, or a convex polygon of at most six
// corners, each coordinate the number nearest to the exact one.
typedef struct {
    // A triangle of a, and one of b.
    uint32_t triangles[2];
    // The place of its patch in the list of patches.
    uint32_t patch;
    // The number of corners.
    uint32_t count;
    // The corners; NaN beyond their number.
    double corners[6][3];
} cf_shared;

// A connected part of a contact: shared sets that are linked by exact points.
typedef struct {
    // The lowest and the highest corner of a box around it.
    double bounds[2][3];
    // The length of all segments; what several pairs of triangles share counts once.
    double length;
    // The area of all polygons; what several pairs of triangles share counts once.
    double area;
    // The unit normal from a to b, of the faces of a that share an area; NaN without such.
    double normal[3];
    // True if it has curves, and they have no end.
    bool is_closed;
    // The number of points for a solver.
    uint32_t count;
    // Points far from each other; NaN beyond their number.
    double points[4][3];
} cf_patch;

// The time at which two meshes come near, within half of the precision: a bracket.
typedef struct {
    // They are apart until then, from the start or since they last parted.
    double after;
    // They are near at this time.
    double before;
    // Their distance then; 0 in contact.
    double distance;
    // The closest triangle of a, and of b.
    uint32_t triangles[2];
    // The point between the closest points; in contact, a shared point.
    double point[3];
    // The unit vector from a to b there; zero if there is no direction.
    double normal[3];
} cf_time;

// The times at which two moving meshes meet. Those that there are not have NaN, and UINT32_MAX for
// triangles.
typedef struct {
    // True if they meet.
    bool meets;
    // True if they are near from the start.
    bool at_start;
    // True if they are near from the start, part, and meet again.
    bool again;
    // The first time.
    cf_time first;
    // The next time, if they meet again.
    cf_time next;
} cf_times;

// A bracket of the smallest distance over a motion, no wider than the precision.
typedef struct {
    // No distance at any time is smaller.
    double at_least;
    // The distance at a time.
    double at_most;
    // That time.
    double at;
} cf_approach;

// The distance of two surfaces.
typedef struct {
    // The smallest distance of any two points, correctly rounded: 0 in contact, and only there.
    double distance;
    // The closest triangle of a, and of b; UINT32_MAX in contact, for which cf_contact_triangles gives the
    // triangles.
    uint32_t triangles[2];
    // A point on each, at that distance; NaN in contact.
    double points[2][3];
} cf_closest;

// The volume that two solids share. Numbers that are not known are NaN.
typedef struct {
    // The volume is no smaller than this.
    double at_least;
    // The volume is no larger than this.
    double at_most;
    // The centroid; NaN unless the volume is certainly positive.
    double centroid[3];
    // Why the volume is not known, in UTF-8; an empty text if it is known.
    char reason[CF_REASON];
} cf_volume;

// Everything that a check reports on a pair. Numbers that do not apply, or are not known, are NaN.
typedef struct {
    // The verdict.
    cf_verdict_kind verdict;
    // The containment.
    cf_containment containment;
    // True if they fill the same space although no surface point is deep.
    bool is_duplicate;
    // True if open surfaces pass through each other.
    bool is_crossing;
    // The number of pairs of triangles in contact.
    uint64_t contacts;
    // The smallest distance of the surfaces; 0 in contact, and NaN for a clear pair.
    double distance;
    // A point on each surface at that distance, where they do not touch.
    double points[2][3];
    // Some point lies at least this deep in the other solid.
    double depth_at_least;
    // No point lies deeper than this.
    double depth_at_most;
    // The deepest point found; for mere contact, a shared point.
    double at[3];
    // The lowest and the highest corner of a box around the contact.
    double around[2][3];
    // Why containment or depth is not known, in UTF-8; an empty text if they are.
    char reason[CF_REASON];
} cf_record;

// The depth of an overlap. Numbers that do not apply, or are not known, are NaN.
typedef struct {
    // Some point lies at least this deep in the other solid; 0 if they are apart.
    double at_least;
    // No point lies deeper than this.
    double at_most;
    // The deepest point found; for mere contact, a shared point.
    double at[3];
    // Why the depth is not known, or only partly known, in UTF-8; an empty text if it is known.
    char reason[CF_REASON];
} cf_overlap;

// A contact that began, ended, or was there only between.
typedef struct {
    // The two bodies; the one added first in front.
    uint32_t bodies[2];
    // The change of the contact.
    cf_change change;
    // The precision of the times: the step's, or a finer one if the bodies are close at the start.
    double precision;
    // The times of contact, from 0 at the poses before the step to 1 at the next ones.
    cf_times times;
} cf_event;

// The options of a world. A null pointer or a zero stands for the default. No answer depends on them, only
// the time.
typedef struct {
    // The broad phase, which finds candidate pairs: "recursive-grid" (the default),
    // "sweep-and-prune", "grid", "lists" or "brute".
    const char *broad;
    // The boxes around bodies: "oriented" (the default), "cube" or "tight".
    const char *bounds;
    // The filter by convex hulls: "off" (the default), "closest-features" or "contact-region".
    const char *hull;
    // The numbers of spheres around each moving body, level by level: 1 and then more. None by default.
    const size_t *sphere_counts;
    // The number of levels of spheres.
    size_t sphere_levels;
    // The number of boxes up to which a cell of the recursive grid is not cut: 8 by default.
    size_t grid_threshold;
    // The number of cells along an axis into which a cell is cut: 4 by default.
    uint32_t grid_cells;
} cf_world_options;

// The work of a world so far.
typedef struct {
    // The number of bodies that were added or moved.
    uint64_t placed;
    // The number of bodies whose box changed by more than rounding.
    uint64_t updates;
    // The number of candidate pairs, once for each question.
    uint64_t asked;
    // The number of tests of boxes around bodies, in the search for candidate pairs.
    uint64_t body_tests;
    // The number of tests of boxes inside bodies.
    uint64_t box_tests;
    // The number of tests of triangles.
    uint64_t triangle_tests;
    // The number of those that exact arithmetic decided.
    uint64_t exact_tests;
} cf_work;

// Two triangles in contact, and their bodies; the one added first in front.
typedef struct {
    // The two bodies.
    uint32_t bodies[2];
    // A triangle of each.
    uint32_t triangles[2];
} cf_body_contact;

// Two bodies with their distance; the one added first in front.
typedef struct {
    // The two bodies.
    uint32_t bodies[2];
    // Their distance.
    cf_closest closest;
} cf_near;

// Points of contact in many worlds, in lists of the library: they stay until the next call with these
// worlds.
typedef struct {
    // The number of points.
    size_t count;
    // The row of the first point of each world, and at last the number of all rows.
    const uint64_t *offsets;
    // The two bodies of each point, sorted within a world.
    const uint32_t *bodies;
    // Three coordinates of each point: at most four for each connected part of a contact.
    const double *points;
    // The unit normal from the first body to the second, three numbers each; zero if there is no direction.
    const double *normals;
    // The length by which the two triangles at the point overlap along the normal.
    const double *depths;
} cf_worlds_contacts;

// Distances in many worlds, in lists of the library: they stay until the next call with these worlds.
typedef struct {
    // The number of pairs.
    size_t count;
    // The row of the first pair of each world, and at last the number of all rows.
    const uint64_t *offsets;
    // The two bodies of each pair, sorted within a world.
    const uint32_t *bodies;
    // Their distance; 0 in contact, and only there.
    const double *distances;
    // The closest triangle of each; UINT32_MAX in contact.
    const uint32_t *triangles;
    // A point on each, six numbers for a pair; NaN in contact.
    const double *points;
} cf_worlds_distances;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns why the last call that failed on this thread did, in one line; an empty text if none has. The
// text stays until the next call that fails on this thread.
const char *cf_last_error(void);

// Returns the version of the library, such as "0.1.0".
const char *cf_version(void);

// Finds what all pairs of triangles in contact share, sorted by their triangles, and the patches that this
// forms, in the order of their first pairs. There is room for `room` sets at `sets`, and for `patch_room`
// patches at `patches`.
cf_status cf_contact_geometry(const cf_mesh *a,
                              const double *pose_a,
                              const cf_mesh *b,
                              const double *pose_b,
                              cf_shared *sets,
                              size_t room,
                              size_t *count,
                              cf_patch *patches,
                              size_t patch_room,
                              size_t *patch_count);

// Finds all pairs of triangles of one mesh that share more than the vertices and edges that they have in
// common, sorted: two indices for each, the lower first. There is room for `room` pairs at `pairs`. Exact.
cf_status cf_self_contacts(const cf_mesh *a,
                           const double *pose_a,
                           uint32_t *pairs,
                           size_t room,
                           size_t *count);

// Creates a mesh from three coordinates of each vertex, and three indices of vertices for each triangle,
// counted from 0. Both arrays are copied. Its hierarchy is built on all cores; its topology, which verdicts
// and motions need, is found when it is first needed.
cf_status cf_mesh_new(const double *vertices,
                      size_t vertex_count,
                      const uint32_t *triangles,
                      size_t triangle_count,
                      cf_mesh **mesh);

// Makes another owner of a mesh, which lives until the last of its owners is freed. Nothing is built again.
cf_status cf_mesh_clone(const cf_mesh *mesh,
                        cf_mesh **clone);

// Frees a mesh.
void cf_mesh_free(cf_mesh *mesh);

// Finds the number of triangles of a mesh.
cf_status cf_mesh_triangles(const cf_mesh *mesh, size_t *triangles);

// Finds if every component of the mesh is closed, so that all of it bounds a solid. How deep something
// lies in a mesh that is open cannot be known.
cf_status cf_mesh_is_closed(const cf_mesh *mesh,
                            bool *is_closed);

// Creates a motion from keyframes: for each a time in seconds, later than the one before; a rotation as a
// quaternion x, y, z, w of any length but zero; and a translation. `between` is a cf_between. One keyframe
// makes a motion at rest. All arrays are copied.
cf_status cf_motion_new(const double *times,
                        const double *rotations,
                        const double *translations,
                        size_t count,
                        uint32_t between,
                        cf_motion **motion);

// Frees a motion.
void cf_motion_free(cf_motion *motion);

// Finds when two moving meshes first come within half of `precision` of each other, between the first
// keyframe of either and the last. No contact is missed, however brief. One solid inside another, without
// contact of their surfaces, does not count.
cf_status cf_time_of_impact(const cf_mesh *a,
                            const cf_motion *motion_a,
                            const cf_mesh *b,
                            const cf_motion *motion_b,
                            double precision,
                            cf_times *answer);

// Finds the smallest distance of two moving meshes and its time, as a bracket no wider than `precision`.
// If they come into contact, the bracket is from 0 to the distance at the time of contact.
cf_status cf_closest_approach(const cf_mesh *a,
                              const cf_motion *motion_a,
                              const cf_mesh *b,
                              const cf_motion *motion_b,
                              double precision,
                              cf_approach *answer);

// Finds if any triangle of a shares a point with one of b. Exact. One solid inside another, without
// contact of their surfaces, does not count: see cf_verdict.
cf_status cf_intersects(const cf_mesh *a,
                        const double *pose_a,
                        const cf_mesh *b,
                        const double *pose_b,
                        bool *answer);

// Finds if the distance of two surfaces is at most `limit`, sooner than the distance itself.
cf_status cf_intersects_within(const cf_mesh *a,
                               const double *pose_a,
                               const cf_mesh *b,
                               const double *pose_b,
                               double limit,
                               bool *answer);

// Finds the distance of two surfaces.
cf_status cf_distance(const cf_mesh *a,
                      const double *pose_a,
                      const cf_mesh *b,
                      const double *pose_b,
                      cf_closest *answer);

// Finds if the distance of two surfaces is at most `limit`, and then the distance: sooner than cf_distance
// where it is not.
cf_status cf_distance_up_to(const cf_mesh *a,
                            const double *pose_a,
                            const cf_mesh *b,
                            const double *pose_b,
                            double limit,
                            bool *is_within,
                            cf_closest *answer);

// Finds all pairs of triangles in contact, sorted: two indices for each, of a triangle of a and one of b,
// in the order of cf_mesh_new. There is room for `room` pairs at `pairs`. Exact.
cf_status cf_contact_triangles(const cf_mesh *a,
                               const double *pose_a,
                               const cf_mesh *b,
                               const double *pose_b,
                               uint32_t *pairs,
                               size_t room,
                               size_t *count);

// Answers cf_intersects at many poses, on all cores. Each mesh has as many poses as there are answers, 12
// numbers each, or a single one for all of them.
cf_status cf_intersects_many(const cf_mesh *a,
                             const double *poses_a,
                             size_t count_a,
                             const cf_mesh *b,
                             const double *poses_b,
                             size_t count_b,
                             bool *answers);

// Answers cf_distance at many poses, as cf_intersects_many does.
cf_status cf_distance_many(const cf_mesh *a,
                           const double *poses_a,
                           size_t count_a,
                           const cf_mesh *b,
                           const double *poses_b,
                           size_t count_b,
                           cf_closest *answers);

// Finds the volume that the solids of two meshes share. The bracket includes all rounding.
cf_status cf_overlap_volume(const cf_mesh *a,
                            const double *pose_a,
                            const cf_mesh *b,
                            const double *pose_b,
                            cf_volume *volume);

// Decides everything about two meshes at a pose each. Overlap up to `tolerance` is contact, not clash. A
// pair that comes within `clearance` is not clear.
cf_status cf_verdict(const cf_mesh *a,
                     const double *pose_a,
                     const cf_mesh *b,
                     const double *pose_b,
                     double clearance,
                     double tolerance,
                     cf_record *record);

// Finds how deep two solids overlap: the largest distance from a point of one's surface inside the other's
// solid to that solid's surface. The bracket is no wider than 1 %, or within `tolerance`.
cf_status cf_depth(const cf_mesh *a,
                   const double *pose_a,
                   const cf_mesh *b,
                   const double *pose_b,
                   double tolerance,
                   cf_overlap *overlap);

// Answers cf_verdict at many poses, as cf_intersects_many does.
cf_status cf_verdict_many(const cf_mesh *a,
                          const double *poses_a,
                          size_t count_a,
                          const cf_mesh *b,
                          const double *poses_b,
                          size_t count_b,
                          double clearance,
                          double tolerance,
                          cf_record *records);

// Moves bodies to their next poses, each along the screw between its two poses, and finds the contacts that
// began, ended, or were there only between. Other bodies stay where they are. No contact is missed, however
// brief: between the poses, contact counts within half of `precision`. After `budget` tests of boxes and
// triangles no further pair is looked at; UINT64_MAX is no limit. If the call fails, no body has moved.
// The step is freed by cf_step_free.
cf_status cf_world_advance(cf_world *world,
                           const uint32_t *bodies,
                           const double *poses,
                           size_t count,
                           double precision,
                           uint64_t budget,
                           cf_step **step);

// Frees a step.
void cf_step_free(cf_step *step);

// Finds the contacts that began, ended, or were there only between, ordered by the time of contact, then by
// the bodies. There is room for `room` of them at `events`.
cf_status cf_step_events(const cf_step *step,
                         cf_event *events,
                         size_t room,
                         size_t *count);

// Finds the pairs that a spent budget left, sorted: two numbers for each. Nothing is known of them. There is
// room for `room` pairs at `pairs`.
cf_status cf_step_open(const cf_step *step,
                       uint32_t *pairs,
                       size_t room,
                       size_t *count);

// Creates an empty world.
cf_status cf_world_new(cf_world **world);

// Creates an empty world with options.
cf_status cf_world_new_with(const cf_world_options *options, cf_world **world);

// Frees a world.
void cf_world_free(cf_world *world);

// Adds a body; `body` receives its number, which counts from 0 and is never used again. Fixed bodies are
// not tested against each other.
cf_status cf_world_add(cf_world *world,
                       const cf_mesh *mesh,
                       const double *pose,
                       bool is_fixed,
                       uint32_t *body);

// Moves a body.
cf_status cf_world_set_pose(cf_world *world, uint32_t body, const double *pose);

// Moves many bodies, each to a pose of its own. If one is an error, those before it have moved.
cf_status cf_world_set_poses(cf_world *world,
                             const uint32_t *bodies,
                             const double *poses,
                             size_t count);

// Removes a body.
cf_status cf_world_remove(cf_world *world, uint32_t body);

// Fits a body to a mesh that has changed its shape: three coordinates for each vertex of the mesh that it
// was added with, in their order there once equal positions are one. Other bodies with that mesh keep their
// shape.
cf_status cf_world_refit(cf_world *world,
                         uint32_t body,
                         const double *vertices,
                         size_t vertex_count);

// Puts a body into groups, and chooses the groups that it meets: a bit for each. Two bodies meet if each is
// in a group that the other meets; at first every body meets every other.
cf_status cf_world_set_groups(cf_world *world,
                              uint32_t body,
                              uint32_t memberships,
                              uint32_t filter);

// Undoes cf_world_exclude.
cf_status cf_world_include(cf_world *world, uint32_t a, uint32_t b);

// Finds the work of a world so far.
cf_status cf_world_work(const cf_world *world, cf_work *work);

// Excludes a pair of bodies: it is never tested, and never found.
cf_status cf_world_exclude(cf_world *world, uint32_t a, uint32_t b);

// Finds all pairs of bodies in contact, sorted: two numbers for each. There is room for `room` pairs at
// `pairs`.
cf_status cf_world_intersecting(cf_world *world,
                                uint32_t *pairs,
                                size_t room,
                                size_t *count);

// Finds all pairs of triangles in contact, sorted by their bodies, then by their triangles. There is room
// for `room` of them at `contacts`.
cf_status cf_world_contacts(cf_world *world,
                            cf_body_contact *contacts,
                            size_t room,
                            size_t *count);

// Finds all pairs of bodies whose distance is at most `limit`, sorted by their numbers. There is room for
// `room` of them at `pairs`.
cf_status cf_world_pairs_within(cf_world *world,
                                double limit,
                                cf_near *pairs,
                                size_t room,
                                size_t *count);

// Makes copies of a scene, with its groups and excluded pairs. Later changes of the scene change no copy.
cf_status cf_worlds_new(const cf_world *scene,
                        size_t count,
                        cf_worlds **worlds);

// Frees worlds.
void cf_worlds_free(cf_worlds *worlds);

// Finds the points of contact in every world, on all cores. There is a pose for each body of the first
// world, then for each of the second, and so on.
cf_status cf_worlds_find_contacts(cf_worlds *worlds,
                                  const double *poses,
                                  cf_worlds_contacts *contacts);

// Finds the pairs of bodies whose distance is at most `limit` in every world, on all cores. Poses are as for
// cf_worlds_find_contacts.
cf_status cf_worlds_find_distances(cf_worlds *worlds,
                                   const double *poses,
                                   double limit,
                                   cf_worlds_distances *distances);

// Moves all bodies of all worlds from the poses of the last step, at first the scene's, to these, as
// cf_world_advance does in one world, on all cores. Poses are as for cf_worlds_find_contacts; each
// world has the budget. `steps` receives a step for each world, to be freed by cf_step_free. If the call
// fails, no body has moved.
cf_status cf_worlds_advance(cf_worlds *worlds,
                            const double *poses,
                            double precision,
                            uint64_t budget,
                            cf_step **steps);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CLOSEFIT_H */
