#!/bin/bash
# Builds libcortex_m_kernels.so: ExecuTorch's cortex_m kernels over CMSIS-NN in portable C, for et_run on this machine.
#   build.sh ET SOURCES CMSIS OUT
#     ET = site-packages/executorch of the wheel, SOURCES = a checkout of ExecuTorch, CMSIS = one of CMSIS-NN, OUT = a directory
# Then, for programs compiled for host-c (their scratch memory is that of portable C, and the kernels check it):
#   LD_PRELOAD=OUT/libcortex_m_kernels.so et_run MODEL.pte ...
# `kiln run --runtime executorch` takes a script that does this as KILN_ET_RUN.
set -euo pipefail
et=$(cd "${1:?site-packages/executorch}" && pwd)
sources=$(cd "${2:?sources of ExecuTorch}" && pwd)
cmsis=$(cd "${3:?CMSIS-NN}" && pwd)
out=${4:?output directory}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out/objects" "$out/include"
ln -sfn "$sources" "$out/include/executorch"
find "$cmsis/Source" -name '*_f16.c' -prune -o -name '*_f32.c' -prune -o -name '*.c' -print | while read -r file; do
  # Functions of floats are for other builds.
  "${CC:-cc}" -c -O1 -fPIC -w -I"$cmsis/Include" "$file" -o "$out/objects/$(basename "$file" .c).o" 2> "$out/refused.log" ||
    grep -q 'ARM_NN_ENABLE_F32' "$out/refused.log"
done
for file in "$sources"/backends/cortex_m/ops/op_*.cpp "$here/register.cpp" \
  "$sources"/kernels/portable/cpu/util/{broadcast_util,delinearize_index}.cpp; do
  "${CXX:-c++}" -std=c++17 -O1 -fPIC -w -fpermissive -DCORTEX_M_ENABLE_RUNTIME_CHECKS -DC10_USING_CUSTOM_GENERATED_MACROS \
    -I"$sources/backends/cortex_m/ops" -I"$cmsis/Include" -I"$et/include" \
    -I"$et/include/executorch/runtime/core/portable_type/c10" -I"$out/include" \
    -c "$file" -o "$out/objects/cpp_$(basename "$file" .cpp).o"
done
"${CXX:-c++}" -shared "$out"/objects/*.o -o "$out/libcortex_m_kernels.so" -L"$et/lib" -Wl,-rpath,"$et/lib" \
  -Wl,--no-as-needed -lexecutorch -lexecutorch_kernels_optimized
