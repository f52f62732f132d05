//! C projects in the builds of users: CMake on this machine and for Arm, with CMSIS-NN in place of the kernels, and as a module of Zephyr.
//!
//! CMSIS-NN and Zephyr have stand-ins here: a source and a header where CMSIS-NN has them, and the functions that Zephyr gives to modules.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod trial;

use kiln_testing::corpus::Corpus;
use kiln_testing::part;
use std::path::Path;
use std::process::{Command, Output};
use trial::Trial;

/// A folder with the project `net`, and a program that links it.
fn firmware() -> Trial {
    let trial = Trial::new();
    let models = Corpus::open().unwrap().suite("quantised_cm").unwrap();
    let model = models.case("ds_cnn").unwrap().file("pt2");
    let model = model.to_str().unwrap();
    let made = trial.kiln(&["compile", model, "--target", "cortex-m4", "-o", "net/"]);
    assert!(made.status.success(), "{made:?}");
    let main = "#include \"net.h\"
static uint8_t arena[NET_ARENA_BYTES] __attribute__((aligned(16)));
int main(void)
{
    net_model model;
    return net_init(&model, arena, sizeof arena) + net_invoke(&model);
}
";
    trial.write("main.c", main.as_bytes());
    let lists = "cmake_minimum_required(VERSION 3.18)
project(firmware C)
add_compile_options(-Wall -Wextra -Werror -Wconversion -Wshadow -Wstrict-prototypes)
add_subdirectory(net)
add_executable(firmware main.c)
target_link_libraries(firmware PRIVATE net)
";
    trial.write("CMakeLists.txt", lists.as_bytes());
    trial
}

fn cmake(cmake: &Path, folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(cmake);
    command
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap()
}

#[track_caller]
fn done(output: &Output) {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success(), "{}", text.concat());
}

#[test]
fn cmake_builds_a_project() {
    let Some(tool) = part::CMAKE.find() else {
        return;
    };
    let trial = firmware();
    let folder = trial.folder.path();
    done(&cmake(&tool, folder, &["-S", ".", "-B", "host"]));
    done(&cmake(&tool, folder, &["--build", "host"]));
    assert!(
        Command::new(folder.join("host/firmware"))
            .status()
            .unwrap()
            .success()
    );
    let Some(compiler) = part::ARM_GCC.find() else {
        return;
    };
    let toolchain = format!(
        "set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER {})
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT \"-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16\")
set(CMAKE_EXE_LINKER_FLAGS_INIT \"--specs=nano.specs --specs=nosys.specs\")
",
        compiler.display()
    );
    trial.write("arm.cmake", toolchain.as_bytes());
    let file = format!(
        "-DCMAKE_TOOLCHAIN_FILE={}",
        folder.join("arm.cmake").display()
    );
    done(&cmake(&tool, folder, &["-S", ".", "-B", "arm", &file]));
    done(&cmake(&tool, folder, &["--build", "arm"]));
}

/// The sources that a configured folder compiles, with their flags.
fn commands(folder: &Path, build: &str) -> String {
    std::fs::read_to_string(folder.join(build).join("compile_commands.json")).unwrap()
}

#[test]
fn cmake_takes_cmsis_nn_in_place_of_the_kernels() {
    let Some(tool) = part::CMAKE.find() else {
        return;
    };
    let trial = firmware();
    let folder = trial.folder.path();
    let library = folder.join("library");
    std::fs::create_dir_all(library.join("Source/ConvolutionFunctions")).unwrap();
    let configured = |build: &str, option: &str| {
        let export = "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON";
        cmake(&tool, folder, &["-S", ".", "-B", build, export, option])
    };
    let by_path = format!("-DCMSIS_NN_PATH={}", library.display());
    let refused = configured("none", &by_path);
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.contains("there are no sources of CMSIS-NN in"),
        "{said}"
    );
    for source in ["arm_convolve_s8.c", "arm_convolve_f32.c"] {
        let path = library.join("Source/ConvolutionFunctions").join(source);
        std::fs::write(path, "typedef int nothing;\n").unwrap();
    }
    let refused = configured("other", "-DKILN_CMSIS_NN=yes");
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.contains("KILN_CMSIS_NN is yes: it takes fetch"),
        "{said}"
    );
    done(&configured("plain", "-DCMSIS_NN_PATH="));
    let plain = commands(folder, "plain");
    assert!(plain.contains("-std=c99"), "floats contract in GNU's C");
    assert!(plain.contains("kiln_nn/convolve_s8.c") && !plain.contains("KILN_NN_USE_CMSIS"));
    done(&configured("path", &by_path));
    // Where there is no network, FetchContent takes this folder.
    let fetched = format!(
        "-DFETCHCONTENT_SOURCE_DIR_KILN_CMSIS_NN={}",
        library.display()
    );
    let export = "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON";
    let fetch = [
        "-S",
        ".",
        "-B",
        "fetch",
        export,
        "-DKILN_CMSIS_NN=fetch",
        &fetched,
    ];
    done(&cmake(&tool, folder, &fetch));
    for build in ["path", "fetch"] {
        let found = commands(folder, build);
        assert!(
            found.contains("arm_convolve_s8.c") && !found.contains("arm_convolve_f32.c"),
            "{found}"
        );
        assert!(
            found.contains("-DKILN_NN_USE_CMSIS") && !found.contains("kiln_nn/convolve_s8.c"),
            "{found}"
        );
    }
}

/// What Zephyr gives to the lists of modules, for a library of the application.
const ZEPHYR: &str = "cmake_minimum_required(VERSION 3.20)
project(firmware C)
function(zephyr_library_named name)
  add_library(${name} STATIC)
  set(ZEPHYR_CURRENT_LIBRARY ${name} PARENT_SCOPE)
endfunction()
function(zephyr_include_directories)
  include_directories(${ARGV})
  target_include_directories(${ZEPHYR_CURRENT_LIBRARY} PUBLIC ${ARGV})
endfunction()
function(zephyr_library_sources)
  target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGV})
endfunction()
function(zephyr_library_compile_definitions)
  target_compile_definitions(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGV})
endfunction()
";

/// Zephyr links all objects of the libraries.
fn zephyr_lists(models: &[&str]) -> String {
    let mut lists = ZEPHYR.to_owned();
    for model in models {
        lists += &format!(
            "set(CONFIG_KILN_{} y)\nadd_subdirectory({model}/zephyr)\n",
            model.to_uppercase()
        );
    }
    let models = models.join(" ");
    lists
        + &format!(
            "add_executable(firmware main.c)
target_link_libraries(firmware PRIVATE -Wl,--whole-archive {models} -Wl,--no-whole-archive)
"
        )
}

#[test]
fn two_projects_are_modules_of_one_zephyr() {
    let Some(tool) = part::CMAKE.find() else {
        return;
    };
    let trial = firmware();
    let folder = trial.folder.path();
    let models = Corpus::open().unwrap().suite("quantised_cm").unwrap();
    let second = models.case("resnet8").unwrap().file("pt2");
    let second = second.to_str().unwrap();
    let made = trial.kiln(&["compile", second, "--target", "cortex-m4", "-o", "second/"]);
    assert!(made.status.success(), "{made:?}");
    let kernels = |model: &str| std::fs::read_dir(folder.join(model).join("kiln_nn")).unwrap();
    let shared = kernels("net").filter(|file| {
        let name = file.as_ref().unwrap().file_name();
        kernels("second").any(|other| other.unwrap().file_name() == name)
    });
    assert!(shared.count() > 2, "the models share kernels");
    let lists = zephyr_lists(&["net", "second"]);
    trial.write("CMakeLists.txt", lists.as_bytes());
    done(&cmake(&tool, folder, &["-S", ".", "-B", "build"]));
    done(&cmake(&tool, folder, &["--build", "build"]));
    assert!(
        Command::new(folder.join("build/firmware"))
            .status()
            .unwrap()
            .success()
    );
}

/// Arduino compiles what is in `src/`, with `src/` as the include path and ARDUINO defined; PlatformIO what `library.json` names.
#[test]
fn arduino_and_platformio_compile_their_sources() {
    let Some(compiler) = part::HOST_CC.find() else {
        return;
    };
    let trial = firmware();
    let folder = trial.folder.path();
    let library = std::fs::read_to_string(folder.join("net/library.json")).unwrap();
    let library: serde_json::Value = serde_json::from_str(&library).unwrap();
    let filter = ["+<*.c>", "+<kiln_nn/*.c>"].map(serde_json::Value::from);
    assert_eq!(library["build"]["srcFilter"].as_array().unwrap(), &filter);
    for (program, sources) in [
        ("arduino", "-DARDUINO=10819 -Inet/src net/src/*.c"),
        ("platformio", "-Inet net/*.c net/kiln_nn/*.c"),
    ] {
        let line = format!("\"$0\" -std=gnu11 main.c {sources} -lm -o {program} && ./{program}");
        let built = Command::new("bash")
            .args(["-c", &line])
            .arg(&compiler)
            .current_dir(folder)
            .output()
            .unwrap();
        done(&built);
    }
}
