# How every source of Tactus is compiled.
#
# Same inputs, same bits: contraction to FMA is off, nothing of -ffast-math is on, whatever a user or
# a distribution has in CFLAGS: these options come behind those. Of the flags that concern floating
# point -fno-math-errno is set besides: it lets sqrt be one instruction, which is correctly rounded,
# and changes no value. Auto-vectorisers are off: they slow scalar stepping by a
# quarter, and gcc's fuses a * b -+ c even with contraction off where the machine has FMA. Lanes are
# written as such (src/math/real_pack.h). To be sure, gcc may not use FMA at all, also when a user
# adds -march=native.

set(CMAKE_C_STANDARD 17)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)

# Release is what users run; RelWithDebInfo is the same with assertions on; Debug is for debuggers.
# Sanitizers check what is written, not what an optimiser makes of it, and -O1 compiles faster: of
# the processor's time for four units of src and tests, gcc took 4.6 s instead of 6.8 s. What is
# fuzzed reads texts and files, and computes little: for four units clang took 1.5 s instead of 14 s.
set(level -O2)
if(TACTUS_FUZZ)
    set(level -O0)
elseif(TACTUS_SANITIZE)
    set(level -O1)
endif()
foreach(language C CXX)
    set(CMAKE_${language}_FLAGS_RELEASE "${level} ${TACTUS_DEBUG_INFO} -DNDEBUG")
    set(CMAKE_${language}_FLAGS_RELWITHDEBINFO "${level} ${TACTUS_DEBUG_INFO}")
    set(CMAKE_${language}_FLAGS_DEBUG "-O0 -g3")
endforeach()

# -Ofast is -O3 with -ffast-math. The compiler that links would still add code that sets
# flush-to-zero for the whole process, whatever follows -Ofast but another -O.
foreach(flags C_FLAGS CXX_FLAGS EXE_LINKER_FLAGS SHARED_LINKER_FLAGS MODULE_LINKER_FLAGS)
    if(CMAKE_${flags} MATCHES "(^| )-Ofast( |$)")
        message(STATUS "-Ofast gives other bits: -O3 is taken instead")
        string(REGEX REPLACE "(^| )-Ofast( |$)" "\\1-O3\\2" CMAKE_${flags} "${CMAKE_${flags}}")
    endif()
endforeach()

# What switches the parts of -ffast-math off, one by one: a part that was switched on by its own name
# stays on under -fno-fast-math alone. src/math/real.h refuses to compile with what is left.
set(exact
    -fno-fast-math
    -fno-unsafe-math-optimizations
    -fno-associative-math
    -fno-reciprocal-math
    -fno-finite-math-only
    -fsigned-zeros
    -fno-rounding-math)
include(CheckCCompilerFlag)
foreach(flag -fno-single-precision-constant -fno-cx-limited-range -fno-approx-func -mno-daz-ftz)
    string(MAKE_C_IDENTIFIER "TACTUS_KNOWS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
        list(APPEND exact ${flag})
    endif()
endforeach()
add_compile_options(${exact})
# clang's -fno-unsafe-math-optimizations also promises strict floating-point exceptions, which costs
# speed, and it warns wherever one flag takes back another.
add_compile_options(
    "$<$<C_COMPILER_ID:Clang>:-fno-trapping-math;-Wno-unknown-warning-option;-Wno-overriding-t-option;-Wno-overriding-option>")
# -mno-daz-ftz too where it is known: gcc and clang link crtfastmath.o by these options.
set(exact_link ${exact})
list(FILTER exact_link INCLUDE REGEX "fast-math|unsafe-math|daz-ftz")
add_link_options(${exact_link})

add_compile_options(
    -Wall
    -Wextra
    -Wshadow
    -Wconversion
    -Wdouble-promotion
    -Wno-psabi # packs stay within one unit
    -ffp-contract=off
    -fno-math-errno
    -fno-semantic-interposition
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-threadsafe-statics>"
    "$<$<C_COMPILER_ID:GNU>:-fno-tree-loop-vectorize;-fno-tree-slp-vectorize>"
    "$<$<C_COMPILER_ID:Clang>:-fno-vectorize;-fno-slp-vectorize>")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    add_compile_options("$<$<C_COMPILER_ID:GNU>:-mno-fma;-mno-avx512vl>")
endif()
# Against what a forged file or message might do. Release only: sanitizers find more.
if(TACTUS_HARDEN AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TACTUS_SANITIZE)
    add_compile_options(-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
    # Left out: what evaluates conditions. A guard takes 6 instructions of the 97 of a short
    # condition, for which bench/run allows 100; its registers are an array whose size is checked
    # when the program is compiled (src/expr/compile.c).
    set_source_files_properties(src/expr/run.c PROPERTIES COMPILE_OPTIONS -fno-stack-protector)
endif()
# Among the sanitizers' checks gcc loses track of values and warns of what cannot be.
if(TACTUS_WERROR AND NOT TACTUS_SANITIZE)
    add_compile_options(-Werror)
endif()

if(TACTUS_SANITIZE)
    add_compile_options(-fsanitize=${TACTUS_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${TACTUS_SANITIZE})
    # These two checks of clang's need type information from C++'s runtime.
    add_compile_options(
        "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=function;-fno-sanitize=vptr>")
endif()
if(TACTUS_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "TACTUS_FUZZ needs clang: configure with --preset fuzz")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# C++ gives operators to two scalar kinds and nothing else: none of its runtime is linked.
set(CMAKE_CXX_IMPLICIT_LINK_LIBRARIES "")
set(CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES "")
