// A bar and a plate: the curves in which they cross, the volume that they share, and points of contact in many
// worlds at once.
//
//     cc contacts.c $(pkg-config --cflags --libs closefit)

#include <closefit.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORLDS = 3, BODIES = 2 };

static const uint32_t triangles[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                     2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

// Rows of a 3x4 matrix, which lifts a body by `height`.
static void lifted(double height, double pose[12]) {
    const double rows[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, height};
    for (int i = 0; i < 12; ++i) {
        pose[i] = rows[i];
    }
}

static void must(cf_status status) {
    if (status != CF_OK) {
        fprintf(stderr, "closefit: %s\n", cf_last_error());
        exit(1);
    }
}

// Makes the box of three lengths around the origin.
static cf_mesh *cuboid(double x, double y, double z) {
    double corners[24];
    for (int i = 0; i < 8; ++i) {
        corners[3 * i] = x * ((i & 1) - 0.5);
        corners[3 * i + 1] = y * ((i >> 1 & 1) - 0.5);
        corners[3 * i + 2] = z * ((i >> 2) - 0.5);
    }
    cf_mesh *mesh = NULL;
    must(cf_mesh_new(corners, 8, triangles, 12, &mesh));
    return mesh;
}

int main(void) {
    cf_mesh *plate = cuboid(4, 4, 0.5), *bar = cuboid(1, 1, 6);
    double here[12];
    lifted(0, here);

    // The bar goes through the plate.
    cf_patch patches[2];
    size_t sets, count;
    must(cf_contact_geometry(bar, here, plate, here, NULL, 0, &sets, patches, 2, &count));
    for (size_t i = 0; i < count && i < 2; ++i) {
        printf("curve %zu: %g long, closed: %s\n", i, patches[i].length, patches[i].is_closed ? "yes" : "no");
    }
    cf_volume volume;
    must(cf_overlap_volume(bar, here, plate, here, &volume));
    printf("they share %g\n", 0.5 * (volume.at_least + volume.at_most));
    must(cf_self_contacts(bar, here, NULL, 0, &count));
    printf("the bar touches itself in %zu places\n", count);

    // Three worlds: the bar is sunk in, rests on the plate, and is above it.
    cf_world *scene = NULL;
    cf_worlds *worlds = NULL;
    uint32_t body;
    must(cf_world_new(&scene));
    must(cf_world_add(scene, plate, here, true, &body));
    must(cf_world_add(scene, bar, here, false, &body));
    must(cf_worlds_new(scene, WORLDS, &worlds));
    double poses[WORLDS * BODIES][12];
    for (int world = 0; world < WORLDS; ++world) {
        lifted(0, poses[BODIES * world]);
        lifted(3.125 + 0.125 * world, poses[BODIES * world + 1]);
    }
    cf_worlds_contacts found;
    must(cf_worlds_find_contacts(worlds, poses[0], &found));
    for (int world = 0; world < WORLDS; ++world) {
        const uint64_t first = found.offsets[world], end = found.offsets[world + 1];
        printf("world %d: %d points", world, (int)(end - first));
        if (first < end) {
            printf(", %g deep, normal %g %g %g", found.depths[first], found.normals[3 * first],
                   found.normals[3 * first + 1], found.normals[3 * first + 2]);
        }
        printf("\n");
    }
    cf_worlds_free(worlds);
    cf_world_free(scene);
    cf_mesh_free(bar);
    cf_mesh_free(plate);
    return 0;
}
