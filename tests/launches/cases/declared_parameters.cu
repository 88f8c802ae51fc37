// A parameter that a robot's node declares has the default that it gives it.
#include <string>
struct Parameter { long as_int() const; double as_double() const; };
struct Node {
    template <class T> void declare_parameter(const std::string &name, const T &value);
    Parameter get_parameter(const std::string &name) const;
};
__global__ void roll(float *a, int n, float by) { a[threadIdx.x] += n * by; }
void run(Node *node, float *a) {
    node->declare_parameter("samples", 8000);
    node->declare_parameter<double>("rate", 0.25);
    int n = node->get_parameter("samples").as_int();
    roll<<<n / 100, 64>>>(a, n, node->get_parameter("rate").as_double()); // tried: roll<<<80, 64>>>(n=8000, by=0.25)
}
