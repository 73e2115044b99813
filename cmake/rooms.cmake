# The rooms of src/, in their order: a room may use itself and the rooms before it. The list stands
# in tools/rooms.txt, where tools/check_rooms.sh reads it too.
file(STRINGS ${PROJECT_SOURCE_DIR}/tools/rooms.txt room_lines REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS tools/rooms.txt)
set(TACTUS_ROOMS)
set(TACTUS_POSIX_ROOMS)
foreach(line IN LISTS room_lines)
    string(REGEX MATCHALL "[^ \t]+" words "${line}")
    list(GET words 0 room)
    list(APPEND TACTUS_ROOMS ${room})
    if("posix" IN_LIST words)
        list(APPEND TACTUS_POSIX_ROOMS ${room})
    endif()
endforeach()

# tactus_room_properties(TARGET ROOM): what every source of a room is compiled with.
function(tactus_room_properties target room)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src
                                                 ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${target} PRIVATE tactus_needs)
    if(room IN_LIST TACTUS_POSIX_ROOMS)
        target_compile_definitions(${target} PRIVATE _XOPEN_SOURCE=700)
    endif()
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
endfunction()

# tactus_room(ROOM): the object library tactus_ROOM of all sources of src/ROOM, if there are any.
function(tactus_room room)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.c
         ${PROJECT_SOURCE_DIR}/src/${room}/*.cc)
    if(sources)
        add_library(tactus_${room} OBJECT ${sources})
        tactus_room_properties(tactus_${room} ${room})
    endif()
endfunction()
