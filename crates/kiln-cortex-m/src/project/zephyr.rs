//! `zephyr/`: a module of Zephyr.

use super::arguments::calls_library;
use super::{File, Project};
use std::collections::BTreeSet;

/// The files.
pub(super) fn files(project: &Project) -> Vec<File> {
    let file = |path: &str, text: String| File {
        path: path.to_owned(),
        text,
    };
    vec![
        file("zephyr/module.yml", module(project)),
        file("zephyr/CMakeLists.txt", lists(project)),
        file("zephyr/Kconfig", options(project)),
    ]
}

fn module(project: &Project) -> String {
    format!(
        "name: {}\nbuild:\n  cmake: zephyr\n  kconfig: zephyr/Kconfig\n",
        project.name
    )
}

/// The option's name. It has a prefix, because Zephyr has options of many names.
fn option(project: &Project) -> String {
    format!("KILN_{}", project.name.upper())
}

fn lists(project: &Project) -> String {
    let (name, option) = (&project.name, option(project));
    let line = |indent: usize, file: &str| format!("{}{file}\n", " ".repeat(indent));
    let own = project.own_sources().into_iter();
    let own: String = own
        .map(|file| line(4, &format!("${{folder}}/{file}")))
        .collect();
    let kernels = |indent, files: &BTreeSet<&str>| -> String {
        files.iter().map(|file| line(indent, file)).collect()
    };
    let mut text = format!(
        "# Zephyr links all objects of its libraries, so each kernel is in one of them, however many models call it.
function(kiln_nn_sources folder)
  foreach(file IN LISTS ARGN)
    get_property(known GLOBAL PROPERTY KILN_NN_${{file}})
    if(NOT known)
      set_property(GLOBAL PROPERTY KILN_NN_${{file}} TRUE)
      zephyr_library_sources(${{folder}}/kiln_nn/${{file}})
    endif()
  endforeach()
endfunction()

if(CONFIG_{option})
  set(folder ${{CMAKE_CURRENT_LIST_DIR}}/..)
  zephyr_library_named({name})
  zephyr_include_directories(${{folder}})
  zephyr_library_sources(
{own}  )
  kiln_nn_sources(${{folder}}
{}  )
",
        kernels(4, &project.kernels.own)
    );
    if calls_library(project) {
        text += &format!(
            "  if(CONFIG_{option}_CMSIS_NN)
    zephyr_library_compile_definitions(KILN_NN_USE_CMSIS)
  else()
    kiln_nn_sources(${{folder}}
{}    )
  endif()
",
            kernels(6, &project.kernels.replaced)
        );
    }
    text + "endif()\n"
}

fn options(project: &Project) -> String {
    let (name, option) = (&project.name, option(project));
    let mut text = format!("config {option}\n\tbool \"The model {name}\"\n\tdefault y\n");
    if calls_library(project) {
        text += &format!(
            "\nconfig {option}_CMSIS_NN\n\tbool \"CMSIS-NN in place of portable kernels for {name}\"\n\tdepends on {option} && CMSIS_NN\n"
        );
    }
    text
}
