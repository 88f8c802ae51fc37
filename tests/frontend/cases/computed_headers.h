#define KIND computed
#define JOIN_OF(a, b) a##_##b
#define JOIN(a, b) JOIN_OF(a, b)
#define TEXT_OF(x) #x
#define PART_OF(name) <JOIN(KIND, name).inc>
#define OTHER(a, b) TEXT_OF(a) TEXT_OF(b)
