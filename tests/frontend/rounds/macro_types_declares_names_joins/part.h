template <class T, class = void> struct always { typedef void type; };
    #define ASKS(member) \
        template <class T, class = void> struct has_##member { enum { value = 0 }; }; \
        template <class T> struct has_##member<T, typename always<decltype(T::member)>::type> { \
            enum { value = 1 }; \
        }
    ASKS(x);
    ASKS(y);
    