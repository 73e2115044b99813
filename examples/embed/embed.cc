// embed.cc - an engine in a C++ program: a controller outside the engine closes a loop through an
// input that comes from outside; RAII around what the library creates.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <tactus/tactus.h>

namespace
{

void check(tac_status status, const tac_error &err)
{
    if (status == TAC_OK)
        return;
    char text[4096];
    tac_error_print(&err, text, sizeof text);
    std::fputs(text, stderr);
    std::exit(1);
}

void require(bool condition, const char *what)
{
    if (condition)
        return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

using registry_ptr = std::unique_ptr<tac_registry, decltype(&tac_registry_destroy)>;
using config_ptr = std::unique_ptr<tac_config, decltype(&tac_config_destroy)>;
using engine_ptr = std::unique_ptr<tac_engine, decltype(&tac_engine_destroy)>;

// A simulation from a file. Members are destroyed in the right order: engine, configuration, types.
class simulation
{
  public:
    explicit simulation(const std::string &path)
    {
        tac_error err;
        tac_registry *r = nullptr;
        check(tac_registry_create(nullptr, &r, &err), err);
        registry_.reset(r);
        tac_config_def def = tac_config_def_default();
        def.registry = r;
        tac_config *c = nullptr;
        check(tac_config_load(path.c_str(), &def, &c, &err), err);
        config_.reset(c);
        tac_engine_def engine_def = tac_config_engine_def(c);
        tac_engine *e = nullptr;
        check(tac_config_build(c, &engine_def, &e, &err), err);
        engine_.reset(e);
    }

    tac_engine *get() const { return engine_.get(); }
    std::uint64_t hash() const { return tac_engine_hash(get(), nullptr, nullptr); }

    void advance(tac_time to_us)
    {
        tac_error err;
        check(tac_engine_advance(get(), to_us, &err), err);
    }

    double read(const char *signal, tac_time t_us) const
    {
        const int i = tac_engine_find_signal(get(), signal);
        return *static_cast<const double *>(tac_engine_read_at(get(), i, t_us));
    }

    void write(const char *input, tac_time t_us, double value)
    {
        tac_error err;
        const int i = tac_engine_find_input(get(), input, &err);
        check(i < 0 ? err.status : tac_engine_write(get(), i, t_us, &value, &err), err);
    }

  private:
    registry_ptr registry_{nullptr, tac_registry_destroy};
    config_ptr config_{nullptr, tac_config_destroy};
    engine_ptr engine_{nullptr, tac_engine_destroy};
};

// A controller outside the engine: every 20 ms it reads the state and sets the force from then on.
std::uint64_t control(simulation &s, tac_time end_us)
{
    for (tac_time t_us = 0; t_us <= end_us; t_us += 20000) {
        s.advance(t_us);
        s.write("Spring.force", t_us, -6 * s.read("Spring.velocity", t_us));
    }
    s.advance(end_us + 1);
    return s.hash();
}

} // namespace

int main()
{
    const tac_time end_us = 4000000;
    simulation s("examples/embed/spring.yaml");
    const std::uint64_t first = control(s, end_us);
    const double rest = s.read("Spring.position", end_us);
    std::printf("%.6f m after %.1f s\n", rest, static_cast<double>(end_us) / 1e6);
    require(rest * rest < 1e-4, "the controller damps");

    tac_error err;
    check(tac_engine_reset(s.get(), &err), err);
    require(control(s, end_us) == first, "the same again");

    tac_post_def post = tac_post_def_default(); // and no port to send it to
    require(tac_engine_post(s.get(), 0, &post, &err) == TAC_E_CALLER, "there is no port");
    return 0;
}
