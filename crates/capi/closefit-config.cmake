# closefit for CMake, wherever the folder is that holds lib/cmake: find_package(closefit 0.1 CONFIG), and link with
# closefit::closefit, the shared library, or closefit::static. If only the static one is there, it is both.
get_filename_component(closefit_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(WIN32)
    set(closefit_shared "${closefit_prefix}/bin/closefit_capi.dll")
    set(closefit_static "${closefit_prefix}/lib/closefit_capi.lib")
    set(closefit_system kernel32 ntdll userenv ws2_32 dbghelp bcrypt)
elseif(APPLE)
    set(closefit_shared "${closefit_prefix}/lib/libclosefit.dylib")
    set(closefit_static "${closefit_prefix}/lib/libclosefit.a")
    set(closefit_system m)
else()
    set(closefit_shared "${closefit_prefix}/lib/libclosefit.so")
    set(closefit_static "${closefit_prefix}/lib/libclosefit.a")
    set(closefit_system m dl pthread gcc_s)
endif()

if(EXISTS "${closefit_static}" AND NOT TARGET closefit::static)
    add_library(closefit::static STATIC IMPORTED)
    set_target_properties(closefit::static PROPERTIES
        IMPORTED_LOCATION "${closefit_static}"
        INTERFACE_INCLUDE_DIRECTORIES "${closefit_prefix}/include"
        INTERFACE_LINK_LIBRARIES "${closefit_system}")
endif()
if(NOT TARGET closefit::closefit)
    if(EXISTS "${closefit_shared}")
        add_library(closefit::closefit SHARED IMPORTED)
        set_target_properties(closefit::closefit PROPERTIES
            IMPORTED_LOCATION "${closefit_shared}"
            IMPORTED_IMPLIB "${closefit_prefix}/lib/closefit_capi.dll.lib"
            INTERFACE_INCLUDE_DIRECTORIES "${closefit_prefix}/include")
    elseif(TARGET closefit::static)
        add_library(closefit::closefit INTERFACE IMPORTED)
        set_target_properties(closefit::closefit PROPERTIES INTERFACE_LINK_LIBRARIES closefit::static)
    else()
        set(closefit_FOUND FALSE)
        set(closefit_NOT_FOUND_MESSAGE "there is no library of closefit in ${closefit_prefix}")
    endif()
endif()
