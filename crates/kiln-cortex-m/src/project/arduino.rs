//! `library.json` for PlatformIO, and what Arduino takes for a library.
//!
//! Arduino compiles the files of `src/` alone. So `src/` has a file for each source of the project that includes it, and that is
//! empty without Arduino: a build that takes all sources of the folder takes none twice.

use super::{File, Project};
use serde_json::json;

/// The files.
pub(super) fn files(project: &Project) -> Vec<File> {
    let name = &project.name;
    let mut files = vec![
        File {
            path: "library.json".into(),
            text: platformio(project),
        },
        File {
            path: "library.properties".into(),
            text: properties(project),
        },
        File {
            path: format!("src/{name}.h"),
            text: format!("#include \"../{name}.h\"\n"),
        },
    ];
    let kernels = project.kernels.sources();
    let kernels = kernels
        .iter()
        .map(|file| (format!("kiln_nn/{file}"), format!("nn_{file}")));
    let own = project.own_sources();
    // A model may have the name of a kernel's file.
    let own = own
        .into_iter()
        .map(|file| (file.clone(), format!("model_{file}")));
    for (source, file) in own.chain(kernels) {
        files.push(File {
            path: format!("src/arduino_{file}"),
            text: format!("#ifdef ARDUINO\n#include \"../{source}\"\n#else\ntypedef int kiln_nothing;\n#endif\n"),
        });
    }
    files
}

fn platformio(project: &Project) -> String {
    let name = project.name.as_str();
    let library = json!({
        "name": name,
        "version": env!("CARGO_PKG_VERSION"),
        "description": format!("The model {name}, compiled by Kiln for {}", project.core.name),
        "headers": format!("{name}.h"),
        "frameworks": "*",
        "platforms": "*",
        "build": {
            "includeDir": ".",
            "srcDir": ".",
            "srcFilter": ["+<*.c>", "+<kiln_nn/*.c>"],
        },
    });
    format!("{library:#}\n")
}

fn properties(project: &Project) -> String {
    let name = &project.name;
    format!(
        "name={name}
version={}
author=Kiln
maintainer=Kiln
sentence=The model {name}, compiled by Kiln for {}.
paragraph=
category=Data Processing
url=
architectures=*
dot_a_linkage=true
includes={name}.h
",
        env!("CARGO_PKG_VERSION"),
        project.core.name
    )
}
