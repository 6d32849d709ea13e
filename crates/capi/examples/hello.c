// Two tetrahedra: do they touch, how far apart are they, and when does one reach the other?
//
//     cc hello.c $(pkg-config --cflags --libs closefit)

#include <closefit.h>
#include <stdio.h>

static const double vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

// Rows of a 3x4 matrix: here, and 1.25 to the right.
static const double here[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
static const double right[12] = {1, 0, 0, 1.25, 0, 1, 0, 0, 0, 0, 1, 0};

static int failed(cf_status status) {
    if (status != CF_OK) {
        fprintf(stderr, "closefit: %s\n", cf_last_error());
    }
    return status != CF_OK;
}

// Asks about the meshes at rest.
static int at_rest(const cf_mesh *mesh) {
    bool touch;
    cf_closest closest;
    cf_record record;
    if (failed(cf_intersects(mesh, here, mesh, right, &touch)) ||
        failed(cf_distance(mesh, here, mesh, right, &closest)) ||
        failed(cf_verdict(mesh, here, mesh, right, 0.5, 1e-6, &record))) {
        return 1;
    }
    printf("touch: %s, distance: %g, from %g %g %g\n", touch ? "yes" : "no", closest.distance,
           closest.points[0][0], closest.points[0][1], closest.points[0][2]);
    printf("verdict: %s\n", record.verdict == CF_CLEARANCE ? "clearance" : "another");

    uint32_t pairs[2];
    size_t count;
    if (failed(cf_contact_triangles(mesh, here, mesh, here, pairs, 1, &count))) {
        return 1;
    }
    printf("on itself: %zu pairs of triangles, first %u and %u\n", count, (unsigned)pairs[0],
           (unsigned)pairs[1]);
    return 0;
}

// Moves one of them from 3 to the right to 1 to the left, within 4 seconds.
static int moving(const cf_mesh *mesh) {
    static const double times[] = {0, 4};
    static const double rotations[] = {0, 0, 0, 1, 0, 0, 0, 1};
    static const double translations[] = {3, 0, 0, -1, 0, 0};
    cf_motion *rest = NULL, *coming = NULL;
    cf_times met;
    int status = 1;
    if (!failed(cf_motion_new(times, rotations, (const double[]){0, 0, 0}, 1, CF_SCREW, &rest)) &&
        !failed(cf_motion_new(times, rotations, translations, 2, CF_SCREW, &coming)) &&
        !failed(cf_time_of_impact(mesh, rest, mesh, coming, 1e-6, &met))) {
        printf("meet: %s, after %.5f s\n", met.meets ? "yes" : "no", met.first.after);
        status = 0;
    }
    cf_motion_free(rest);
    cf_motion_free(coming);
    return status;
}

int main(void) {
    cf_mesh *mesh = NULL;
    int status = 1;
    if (!failed(cf_mesh_new(vertices, 4, triangles, 4, &mesh))) {
        status = at_rest(mesh) || moving(mesh);
    }
    cf_mesh_free(mesh);
    return status;
}
