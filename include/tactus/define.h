// define.h - definitions with named fields, the same in C and in C++11 and later:
//
//     tac_param_f64(d, TAC_PARAM(.name = "mass", .unit = "kg"))
//     const tac_component_type body = TAC_DEF(tac_component_type, .name = "body", .version = "1",
//                                             .kernels[TAC_NUMBERS].derive = derive);
//
// TAC_DEF initializes a definition, TAC_DEF_ADDRESS is the address of one for a single call. Fields
// that are not named are zero, except for the size.
#ifndef TACTUS_DEFINE_H
#define TACTUS_DEFINE_H

#ifndef __cplusplus

#define TAC_DEF(type, ...)                                                                         \
    {                                                                                              \
        .size = sizeof(type), __VA_ARGS__                                                          \
    }
#define TAC_DEF_ADDRESS(type, ...) (&(type)TAC_DEF(type, __VA_ARGS__))

#else
// C++ has no such initializers before C++20, and later only in order and without arrays. Here each
// ".field = value" becomes an assignment.
extern "C++" { // in case the program includes headers of Tactus as C

// The definitions of one type that a thread is filling in: more than one where the value of a field
// holds a definition itself. Hidden, so that a plugin can be unloaded.
template <typename T> class __attribute__((visibility("hidden"))) tac_definition
{
    static const unsigned MOST = 8;
    T items[MOST];
    unsigned depth;

    static tac_definition &stack()
    {
        static thread_local tac_definition made;
        return made;
    }

  public:
    static void begin()
    {
        T &item = stack().items[stack().depth++ % MOST];
        item = T();
        item.size = static_cast<decltype(item.size)>(sizeof(T));
    }
    static T &at() { return stack().items[(stack().depth - 1) % MOST]; }
    static T end()
    {
        const T item = at();
        stack().depth--;
        return item;
    }
};

// The address of a value that lives until the end of the call.
template <typename T> const T *tac_address(const T &value)
{
    return &value;
}

} // extern "C++"

#define TAC_DEF(type, ...)                                                                         \
    (tac_definition<type>::begin(), TAC__FIELDS(type, __VA_ARGS__), tac_definition<type>::end())
#define TAC_DEF_ADDRESS(type, ...)   tac_address(TAC_DEF(type, __VA_ARGS__))

// One assignment for each argument, of which there are at most 40.
#define TAC__FIELDS_SET(type, field) tac_definition<type>::at() field

#define TAC__FIELDS_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16,    \
                         a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30,     \
                         a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, name, ...)              \
    name
#define TAC__FIELDS_COUNT(...)                                                                     \
    TAC__FIELDS_PICK(__VA_ARGS__, TAC__FIELDS_40, TAC__FIELDS_39, TAC__FIELDS_38, TAC__FIELDS_37,  \
                     TAC__FIELDS_36, TAC__FIELDS_35, TAC__FIELDS_34, TAC__FIELDS_33,               \
                     TAC__FIELDS_32, TAC__FIELDS_31, TAC__FIELDS_30, TAC__FIELDS_29,               \
                     TAC__FIELDS_28, TAC__FIELDS_27, TAC__FIELDS_26, TAC__FIELDS_25,               \
                     TAC__FIELDS_24, TAC__FIELDS_23, TAC__FIELDS_22, TAC__FIELDS_21,               \
                     TAC__FIELDS_20, TAC__FIELDS_19, TAC__FIELDS_18, TAC__FIELDS_17,               \
                     TAC__FIELDS_16, TAC__FIELDS_15, TAC__FIELDS_14, TAC__FIELDS_13,               \
                     TAC__FIELDS_12, TAC__FIELDS_11, TAC__FIELDS_10, TAC__FIELDS_9, TAC__FIELDS_8, \
                     TAC__FIELDS_7, TAC__FIELDS_6, TAC__FIELDS_5, TAC__FIELDS_4, TAC__FIELDS_3,    \
                     TAC__FIELDS_2, TAC__FIELDS_1, 0)
#define TAC__FIELDS(type, ...)     TAC__FIELDS_COUNT(__VA_ARGS__)(type, __VA_ARGS__)
#define TAC__FIELDS_1(type, field) TAC__FIELDS_SET(type, field)
#define TAC__FIELDS_2(type, field, ...)                                                            \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_1(type, __VA_ARGS__)
#define TAC__FIELDS_3(type, field, ...)                                                            \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_2(type, __VA_ARGS__)
#define TAC__FIELDS_4(type, field, ...)                                                            \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_3(type, __VA_ARGS__)
#define TAC__FIELDS_5(type, field, ...)                                                            \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_4(type, __VA_ARGS__)
#define TAC__FIELDS_6(type, field, ...)                                                            \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_5(type, __VA_ARGS__)
#define TAC__FIELDS_7(type, field, ...)                                                            \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_6(type, __VA_ARGS__)
#define TAC__FIELDS_8(type, field, ...)                                                            \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_7(type, __VA_ARGS__)
#define TAC__FIELDS_9(type, field, ...)                                                            \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_8(type, __VA_ARGS__)
#define TAC__FIELDS_10(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_9(type, __VA_ARGS__)
#define TAC__FIELDS_11(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_10(type, __VA_ARGS__)
#define TAC__FIELDS_12(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_11(type, __VA_ARGS__)
#define TAC__FIELDS_13(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_12(type, __VA_ARGS__)
#define TAC__FIELDS_14(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_13(type, __VA_ARGS__)
#define TAC__FIELDS_15(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_14(type, __VA_ARGS__)
#define TAC__FIELDS_16(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_15(type, __VA_ARGS__)
#define TAC__FIELDS_17(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_16(type, __VA_ARGS__)
#define TAC__FIELDS_18(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_17(type, __VA_ARGS__)
#define TAC__FIELDS_19(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_18(type, __VA_ARGS__)
#define TAC__FIELDS_20(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_19(type, __VA_ARGS__)
#define TAC__FIELDS_21(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_20(type, __VA_ARGS__)
#define TAC__FIELDS_22(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_21(type, __VA_ARGS__)
#define TAC__FIELDS_23(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_22(type, __VA_ARGS__)
#define TAC__FIELDS_24(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_23(type, __VA_ARGS__)
#define TAC__FIELDS_25(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_24(type, __VA_ARGS__)
#define TAC__FIELDS_26(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_25(type, __VA_ARGS__)
#define TAC__FIELDS_27(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_26(type, __VA_ARGS__)
#define TAC__FIELDS_28(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_27(type, __VA_ARGS__)
#define TAC__FIELDS_29(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_28(type, __VA_ARGS__)
#define TAC__FIELDS_30(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_29(type, __VA_ARGS__)
#define TAC__FIELDS_31(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_30(type, __VA_ARGS__)
#define TAC__FIELDS_32(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_31(type, __VA_ARGS__)
#define TAC__FIELDS_33(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_32(type, __VA_ARGS__)
#define TAC__FIELDS_34(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_33(type, __VA_ARGS__)
#define TAC__FIELDS_35(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_34(type, __VA_ARGS__)
#define TAC__FIELDS_36(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_35(type, __VA_ARGS__)
#define TAC__FIELDS_37(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_36(type, __VA_ARGS__)
#define TAC__FIELDS_38(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_37(type, __VA_ARGS__)
#define TAC__FIELDS_39(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_38(type, __VA_ARGS__)
#define TAC__FIELDS_40(type, field, ...)                                                           \
    TAC__FIELDS_SET(type, field), TAC__FIELDS_39(type, __VA_ARGS__)

#endif
#endif
