namespace lib { namespace in = absent::in; using absent::x; using namespace absent; }
