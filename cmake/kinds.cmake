# Scalar kinds: one model source, compiled once for each (DESIGN 8, src/math/real.h).

# Packs are C++ for the sake of its ?: between vectors (r_select in src/math/real_pack.h).
set(TACTUS_KINDS f64 pack2 pack4 pack8 dual dualp sym)
set(TACTUS_KIND_LANGUAGE_f64 c)
set(TACTUS_KIND_LANGUAGE_f64_avx2 c)
set(TACTUS_KIND_LANGUAGE_pack2 cc)
set(TACTUS_KIND_LANGUAGE_pack4 cc)
set(TACTUS_KIND_LANGUAGE_pack8 cc)
set(TACTUS_KIND_LANGUAGE_dual cc)
set(TACTUS_KIND_LANGUAGE_dualp cc)
set(TACTUS_KIND_LANGUAGE_dualp_avx2 cc)
set(TACTUS_KIND_LANGUAGE_dualp_avx512 cc)
set(TACTUS_KIND_LANGUAGE_sym cc)

# Units of packs are compiled for the machines that have such registers; whoever calls them asks the
# machine first. The plain vector extensions give the same bits elsewhere, only slower.
set(TACTUS_KIND_FLAGS_f64_avx2)
set(TACTUS_KIND_FLAGS_pack2)
set(TACTUS_KIND_FLAGS_pack4)
set(TACTUS_KIND_FLAGS_pack8)
set(TACTUS_KIND_FLAGS_dualp_avx2)
set(TACTUS_KIND_FLAGS_dualp_avx512)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(TACTUS_KIND_FLAGS_f64_avx2 -mavx2)
    set(TACTUS_KIND_FLAGS_pack4 -mavx2)
    set(TACTUS_KIND_FLAGS_pack8 -mavx512f)
    set(TACTUS_KIND_FLAGS_dualp_avx2 -mavx2)
    set(TACTUS_KIND_FLAGS_dualp_avx512 -mavx512f)
endif()

# Units of symbols run once for each graph: they are not optimised.
set(TACTUS_KIND_FLAGS_sym -O0 -U_FORTIFY_SOURCE)

# A dual takes nine doubles: functions that gcc does not inline pass it through memory.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT TACTUS_SANITIZE)
    set(inlined --param=max-inline-insns-auto=400 --param=max-inline-insns-single=1000
                --param=inline-unit-growth=300 --param=large-function-growth=2000)
    # A limit on how far gcc looks for stores that a load may meet: 23 s instead of 34 s for one unit.
    list(APPEND inlined --param=sccvn-max-alias-queries-per-access=100)
    list(APPEND TACTUS_KIND_FLAGS_dualp_avx2 ${inlined})
    list(APPEND TACTUS_KIND_FLAGS_dualp_avx512 ${inlined})
endif()

# Under sanitizers units of derivatives take gcc four times as long to optimise as to compile (7.5 s
# and 1.7 s for one), and are evaluated seldom.
if(TACTUS_SANITIZE)
    list(APPEND TACTUS_KIND_FLAGS_dual -O0)
    list(APPEND TACTUS_KIND_FLAGS_dualp -O0)
    list(APPEND TACTUS_KIND_FLAGS_dualp_avx2 -O0)
    list(APPEND TACTUS_KIND_FLAGS_dualp_avx512 -O0)
endif()
# Fuzz targets read texts and files. Code of packs and duals is checked by the sanitizers of the unit
# tests only: clang takes 1.2 s instead of 8.3 s for ode/lanes.pack8.
if(TACTUS_FUZZ AND NOT TACTUS_THOROUGH)
    foreach(kind pack2 pack4 pack8 dual dualp dualp_avx2 dualp_avx512)
        list(APPEND TACTUS_KIND_FLAGS_${kind} -fno-sanitize=all)
    endforeach()
endif()
# tactus_kind_sources(OUT HEADER STEM [KIND...]): OUT becomes the list of generated units that
# compile HEADER (as it stands in an #include) for these kinds, or for every kind; their names begin
# with STEM. To be called from the directory whose target takes the sources.
function(tactus_kind_sources out header stem)
    set(sources)
    set(kinds ${ARGN})
    if(NOT kinds)
        set(kinds ${TACTUS_KINDS})
    endif()
    foreach(kind IN LISTS kinds)
        string(TOUPPER ${kind} upper)
        set(source
            ${CMAKE_CURRENT_BINARY_DIR}/kinds/${stem}.${kind}.${TACTUS_KIND_LANGUAGE_${kind}})
        file(CONFIGURE OUTPUT ${source} CONTENT
             "#define TAC_KIND_${upper}\n#include \"${header}\"\n" @ONLY)
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
                                                         "${TACTUS_KIND_FLAGS_${kind}}")
        list(APPEND sources ${source})
    endforeach()
    set(${out} ${sources} PARENT_SCOPE)
endfunction()

# tactus_model(ROOM NAME): compile src/ROOM/NAME.model.h for every kind into the library.
function(tactus_model room name)
    tactus_kind_sources(sources ${room}/${name}.model.h ${room}/${name})
    tactus_add_to_room(tactus_${room} ${room} "${sources}")
endfunction()

function(tactus_add_to_room target room sources)
    if(TARGET ${target})
        target_sources(${target} PRIVATE ${sources})
    else()
        add_library(${target} OBJECT ${sources})
        tactus_room_properties(${target} ${room})
    endif()
endfunction()

# tactus_models(ROOM...): every model there is in these rooms.
function(tactus_models)
    foreach(room IN LISTS ARGN)
        set(folder ${PROJECT_SOURCE_DIR}/src/${room})
        file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.model.h)
        foreach(header IN LISTS headers)
            string(REGEX REPLACE "\\.model\\.h$" "" name ${header})
            tactus_model(${room} ${name})
        endforeach()
    endforeach()
endfunction()
