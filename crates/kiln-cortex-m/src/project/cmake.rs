//! `CMakeLists.txt`.

use super::Project;
use super::arguments::calls_library;
use std::fmt::Write as _;

/// The commit of CMSIS-NN whose results the kernels were compared with, and its month.
const PINNED: (&str, &str) = ("99f736a63036613032f9b70de36b493bcd7802d4", "July 2026");

/// The text of `CMakeLists.txt`.
pub(super) fn lists(project: &Project) -> String {
    let name = &project.name;
    let mut text = format!(
        "# {name} for {}, made by Kiln:
#   add_subdirectory(FOLDER)      the path of this folder
#   target_link_libraries(firmware PRIVATE {name})
# and -DCMAKE_BUILD_TYPE=Release, since CMake does not optimise by default.
",
        project.core.name
    );
    if calls_library(project) {
        text.push_str(
            "#
# With CMSIS-NN in place of kiln_nn, where it has the function:
#   -DCMSIS_NN_PATH=DIR      the sources in this folder
#   -DKILN_CMSIS_NN=fetch    the sources of the version below, downloaded
",
        );
    }
    let _ = write!(
        text,
        "cmake_minimum_required(VERSION 3.18)
project({name} C)

add_library({name} STATIC
{})
target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties({name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
",
        sources(
            project
                .own_sources()
                .into_iter()
                .chain(project.kernels.own.iter().map(|file| kernel(file)))
        )
    );
    if calls_library(project) {
        text.push_str(&library(project));
    }
    text
}

/// The choice between CMSIS-NN and the kernels of `kiln_nn`.
fn library(project: &Project) -> String {
    let (name, (commit, date)) = (&project.name, PINNED);
    format!(
        "
set(CMSIS_NN_PATH \"\" CACHE PATH \"The sources of CMSIS-NN\")
set(KILN_CMSIS_NN \"\" CACHE STRING \"fetch: download CMSIS-NN\")
if(NOT KILN_CMSIS_NN STREQUAL \"\" AND NOT KILN_CMSIS_NN STREQUAL \"fetch\")
  message(FATAL_ERROR \"KILN_CMSIS_NN is ${{KILN_CMSIS_NN}}: it takes fetch, to download CMSIS-NN, or nothing; CMSIS_NN_PATH takes its folder\")
endif()
if(KILN_CMSIS_NN STREQUAL \"fetch\" AND NOT CMSIS_NN_PATH AND NOT TARGET cmsis-nn)
  include(FetchContent)
  # {date}. Only the sources are taken: there is no folder of lists.
  FetchContent_Declare(kiln_cmsis_nn
    GIT_REPOSITORY https://github.com/ARM-software/CMSIS-NN.git
    GIT_TAG {commit}
    SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(kiln_cmsis_nn)
  set(CMSIS_NN_PATH ${{kiln_cmsis_nn_SOURCE_DIR}})
endif()
# Another project may have added it.
if(CMSIS_NN_PATH AND NOT TARGET cmsis-nn)
  file(GLOB CMSIS_NN_SOURCES ${{CMSIS_NN_PATH}}/Source/*/*.c)
  # Kernels of floats need more than CMSIS-NN, and no call is one of theirs.
  list(FILTER CMSIS_NN_SOURCES EXCLUDE REGEX \"_f(16|32)\\\\.c$\")
  if(NOT CMSIS_NN_SOURCES)
    message(FATAL_ERROR \"CMSIS_NN_PATH: there are no sources of CMSIS-NN in ${{CMSIS_NN_PATH}}\")
  endif()
  add_library(cmsis-nn STATIC ${{CMSIS_NN_SOURCES}})
  target_include_directories(cmsis-nn SYSTEM PUBLIC ${{CMSIS_NN_PATH}}/Include)
endif()
if(TARGET cmsis-nn)
  target_compile_definitions({name} PRIVATE KILN_NN_USE_CMSIS)
  target_link_libraries({name} PRIVATE cmsis-nn)
else()
  target_sources({name} PRIVATE
{})
endif()
",
        indented(&sources(
            project.kernels.replaced.iter().map(|file| kernel(file))
        ))
    )
}

fn kernel(file: &str) -> String {
    format!("kiln_nn/{file}")
}

fn sources(files: impl Iterator<Item = String>) -> String {
    let files: Vec<String> = files.map(|file| format!("  {file}")).collect();
    files.join("\n")
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("  {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}
