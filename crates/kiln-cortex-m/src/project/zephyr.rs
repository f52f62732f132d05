//! `zephyr/`: a module of Zephyr.

use super::arguments::calls_library;
use super::{File, Project};

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

fn lists(project: &Project) -> String {
    let (name, upper) = (&project.name, project.name.upper());
    let source = |file: &String| format!("    ${{folder}}/{file}\n");
    let kernel = |file: &&str| source(&format!("kiln_nn/{file}"));
    let own: String = project.own_sources().iter().map(source).collect();
    let own = own + &project.kernels.own.iter().map(kernel).collect::<String>();
    let mut text = format!(
        "if(CONFIG_{upper})
  set(folder ${{CMAKE_CURRENT_LIST_DIR}}/..)
  zephyr_library_named({name})
  zephyr_include_directories(${{folder}})
  zephyr_library_sources(
{own}  )
"
    );
    if calls_library(project) {
        let replaced: String = project.kernels.replaced.iter().map(kernel).collect();
        text += &format!(
            "  if(CONFIG_{upper}_CMSIS_NN)
    zephyr_compile_definitions(KILN_NN_USE_CMSIS)
  else()
    zephyr_library_sources(
{replaced}    )
  endif()
"
        );
    }
    text + "endif()\n"
}

fn options(project: &Project) -> String {
    let (name, upper) = (&project.name, project.name.upper());
    let mut text = format!("config {upper}\n\tbool \"The model {name}\"\n\tdefault y\n");
    if calls_library(project) {
        text += &format!(
            "\nconfig {upper}_CMSIS_NN\n\tbool \"CMSIS-NN in place of portable kernels for {name}\"\n\tdepends on {upper} && CMSIS_NN\n"
        );
    }
    text
}
