// A tetrahedron falls onto another one, frame by frame.
//
//     c++ -std=c++17 world.cpp $(pkg-config --cflags --libs closefit)

#include <closefit.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

// Throws what closefit says about a call that failed.
void check(cf_status status) {
    if (status != CF_OK) {
        throw std::runtime_error(cf_last_error());
    }
}

// Frees objects when they go out of scope.
struct Free {
    void operator()(cf_mesh *mesh) const { cf_mesh_free(mesh); }
    void operator()(cf_world *world) const { cf_world_free(world); }
    void operator()(cf_step *step) const { cf_step_free(step); }
};
template <class T> using Owned = std::unique_ptr<T, Free>;

Owned<cf_mesh> tetrahedron() {
    const std::array<double, 12> vertices{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const std::array<std::uint32_t, 12> triangles{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    cf_mesh *mesh = nullptr;
    check(cf_mesh_new(vertices.data(), 4, triangles.data(), 4, &mesh));
    return Owned<cf_mesh>(mesh);
}

std::array<double, 12> at_height(double z) { return {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z}; }

// Asks for the number of results first, and then for the results.
std::vector<cf_near> within(cf_world *world, double limit) {
    std::size_t count = 0;
    check(cf_world_pairs_within(world, limit, nullptr, 0, &count));
    std::vector<cf_near> pairs(count);
    check(cf_world_pairs_within(world, limit, pairs.data(), pairs.size(), &count));
    return pairs;
}

void fall() {
    cf_world *made = nullptr;
    check(cf_world_new(&made));
    const Owned<cf_world> world(made);
    std::uint32_t floor = 0, falling = 0;
    {
        const auto mesh = tetrahedron(); // the world keeps what it needs
        check(cf_world_add(world.get(), mesh.get(), at_height(0).data(), true, &floor));
        check(cf_world_add(world.get(), mesh.get(), at_height(4).data(), false, &falling));
    }
    for (int frame = 0; frame <= 12; ++frame) {
        check(cf_world_set_pose(world.get(), falling, at_height(4 - 0.25 * frame).data()));
        for (const auto &near : within(world.get(), 0.5)) {
            std::printf("frame %d: bodies %u and %u are %g apart\n", frame, unsigned(near.bodies[0]),
                        unsigned(near.bodies[1]), near.closest.distance);
        }
    }
    std::size_t count = 0;
    check(cf_world_intersecting(world.get(), nullptr, 0, &count));
    std::printf("at the end, pairs in contact: %zu\n", count);
    // Two steps: up again, and then through the floor, where no frame shows a contact.
    for (const double z : {4.0, -4.0}) {
        cf_step *moved = nullptr;
        check(cf_world_advance(world.get(), &falling, at_height(z).data(), 1, 1e-6, UINT64_MAX, &moved));
        const Owned<cf_step> step(moved);
        std::array<cf_event, 4> events;
        check(cf_step_events(step.get(), events.data(), events.size(), &count));
        for (std::size_t i = 0; i < count; ++i) {
            const char *changes[] = {"began", "ended", "was brief"};
            std::printf("a contact %s, at %.5f of the step\n", changes[events[i].change],
                        events[i].times.first.before);
        }
    }
    if (cf_world_set_pose(world.get(), 7, at_height(0).data()) == CF_NO_SUCH_BODY) {
        std::printf("refused: %s\n", cf_last_error());
    }
}

} // namespace

int main() {
    try {
        fall();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "closefit: %s\n", error.what());
        return 1;
    }
}
