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

/// The option's name: with a prefix, for Zephyr has options of many words.
fn option(project: &Project) -> String {
    format!("KILN_{}", project.name.upper())
}

fn lists(project: &Project) -> String {
    let (name, option) = (&project.name, option(project));
    let line = |indent: usize, file: &str| format!("{}${{folder}}/{file}\n", " ".repeat(indent));
    let kernel = |indent, file: &&str| line(indent, &format!("kiln_nn/{file}"));
    let own = project.own_sources().into_iter().map(|file| line(4, &file));
    let own = own.chain(project.kernels.own.iter().map(|file| kernel(4, file)));
    let mut text = format!(
        "if(CONFIG_{option})
  set(folder ${{CMAKE_CURRENT_LIST_DIR}}/..)
  zephyr_library_named({name})
  zephyr_include_directories(${{folder}})
  zephyr_library_sources(
{}  )
",
        own.collect::<String>()
    );
    if calls_library(project) {
        let replaced = project.kernels.replaced.iter().map(|file| kernel(6, file));
        text += &format!(
            "  if(CONFIG_{option}_CMSIS_NN)
    zephyr_library_compile_definitions(KILN_NN_USE_CMSIS)
  else()
    zephyr_library_sources(
{}    )
  endif()
",
            replaced.collect::<String>()
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
