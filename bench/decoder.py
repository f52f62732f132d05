#!/usr/bin/env python3
"""Makes decoders of SmolLM2-135M's shape with a static cache and random weights, in floats and quantised.

    python bench/decoder.py OUT                                30 layers, every variant of VARIANTS
    python bench/decoder.py OUT --layers 2 --only f32,8da4w_e8
    python bench/decoder.py OUT --peer PEER                    also ExecuTorch's own program of each archive
    target/release/bench latency OUT PEER

The archives are those of Transformers' `TorchExportableModuleForDecoderOnlyLM`, which is what users of Hugging Face's
models export: inputs are `input_ids` [1, S] and `cache_position` [S] with a dynamic S, and each layer keeps its keys and
values in buffers that `index_copy_` writes. OUT/<variant>.safetensors holds the runs of RUNS with eager PyTorch's
results of the same archive. The state carries over; the last run starts again at position 0 as a new prompt, and the
one before it is a single token, for timing (`--time-token`: only such runs, so that the repeated run is a decode step).

A variant is LINEARS or LINEARS_eBITS. LINEARS is f32, 8da4w (dynamic activations of 8 bits, weights of 4 bits in groups
of 32), 8da8w (weights of 8 bits by row), 4w and 8w (weights only); BITS (4 in groups of 32, or 8 by row) are those of the
embedding, which is tied to the head while both are floats. Needs torch 2.15, torchao 0.18, transformers 5, safetensors; --peer
needs executorch 1.5.1 too, and some 400 s for each quantised variant of 30 layers.
"""
import argparse
import json
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import torch

VARIANTS = ["f32", "8da4w_e8", "8da4w_e4", "8da8w_e8", "8da8w_e4", "4w_e8", "4w_e4", "8w_e8", "8w_e4"]
RUNS = [(0, 7), (7, 1), (8, 1), (9, 4), (13, 1), (0, 5), (5, 1)]  # position and number of tokens
GROUP = 32


def model(layers, cache):
    from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=layers, num_attention_heads=9,
        num_key_value_heads=3, max_position_embeddings=max(cache, 2048), rope_theta=100000.0, rms_norm_eps=1e-5,
        tie_word_embeddings=True, attn_implementation="sdpa", bos_token_id=0, eos_token_id=0)
    net = LlamaForCausalLM(config).eval().requires_grad_(False)
    draw = torch.Generator().manual_seed(135)
    for name, weight in net.named_parameters():
        if weight.dim() == 1:
            weight.copy_(torch.rand(weight.shape, generator=draw) * 0.6 + 0.7)
        else:
            weight.copy_(torch.randn(weight.shape, generator=draw) * weight.shape[-1] ** -0.5)
    net.generation_config = GenerationConfig(
        use_cache=True, cache_implementation="static", max_length=cache,
        cache_config={"batch_size": 1, "max_cache_len": cache}, bos_token_id=0, eos_token_id=0)
    return net


def quantise(net, linears, bits):
    """As ExecuTorch's recipe for Hugging Face's models does it: the embedding, then all linears, head included."""
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, IntxWeightOnlyConfig, quantize_
    from torchao.quantization.granularity import PerAxis, PerGroup
    from torchao.utils import unwrap_tensor_subclass

    net.lm_head.weight = torch.nn.Parameter(net.lm_head.weight.clone(), requires_grad=False)
    net.config.tie_word_embeddings = False
    by = {4: PerGroup(GROUP), 8: PerAxis(0)}
    dtype = {4: torch.int4, 8: torch.int8}
    if bits:
        quantize_(net, IntxWeightOnlyConfig(weight_dtype=dtype[bits], granularity=by[bits]),
                  lambda module, _: isinstance(module, torch.nn.Embedding))
    if linears != "f32":
        width = 4 if linears.endswith("4w") else 8
        if linears.startswith("8da"):
            config = Int8DynamicActivationIntxWeightConfig(weight_dtype=dtype[width], weight_granularity=by[width])
        else:
            config = IntxWeightOnlyConfig(weight_dtype=dtype[width], granularity=by[width])
        quantize_(net, config, lambda module, _: isinstance(module, torch.nn.Linear))
    return unwrap_tensor_subclass(net)


def export(net, cache):
    from transformers.integrations.executorch import TorchExportableModuleForDecoderOnlyLM

    length = torch.export.Dim("length", max=cache - 1)
    module = TorchExportableModuleForDecoderOnlyLM(net, batch_size=1, max_cache_len=cache)
    return module.export(
        input_ids=torch.zeros((1, 3), dtype=torch.long), cache_position=torch.arange(3), strict=True,
        dynamic_shapes={"input_ids": {1: length}, "cache_position": {0: length}})


def runs(vocabulary, time_token):
    draw = torch.Generator().manual_seed(7)
    for start, count in [(0, 16), (16, 1)] if time_token else RUNS:
        yield torch.randint(0, vocabulary, (1, count), generator=draw), torch.arange(start, start + count)


def lower(archive, program):
    """ExecuTorch's flow with the settings of its recipe for Hugging Face's models."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower

    start = time.process_time()
    edge = to_edge_transform_and_lower(
        torch.export.load(archive), partitioner=[XnnpackPartitioner()],
        compile_config=EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True))
    lowered = edge.to_executorch(ExecutorchBackendConfig(do_quant_fusion_and_const_prop=True))
    with open(program, "wb") as file:
        lowered.write_to_file(file)
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--layers", type=int, default=30)
    parser.add_argument("--cache", type=int, default=1024)
    parser.add_argument("--only", default=",".join(VARIANTS))
    parser.add_argument("--peer", help="a folder for ExecuTorch's own programs")
    parser.add_argument("--time-token", action="store_true")
    arguments = parser.parse_args()
    from safetensors.torch import save_file

    torch.set_num_threads(1)
    for folder in filter(None, (arguments.out, arguments.peer)):
        os.makedirs(folder, exist_ok=True)
    for variant in arguments.only.split(","):
        linears, _, bits = variant.partition("_e")
        archive = os.path.join(arguments.out, variant + ".pt2")
        with torch.no_grad():
            net = model(arguments.layers, arguments.cache)
            vocabulary = net.config.vocab_size
            if variant != "f32":
                net = quantise(net, linears, int(bits or 0))
            exported = export(net, arguments.cache)
            # Before the runs, which leave their state in the buffers.
            torch.export.save(exported, archive)
            tensors, module = {}, exported.module()
            for run, (tokens, positions) in enumerate(runs(vocabulary, arguments.time_token)):
                tensors[f"{run}.in.0"], tensors[f"{run}.in.1"] = tokens, positions
                tensors[f"{run}.out.0"] = module(input_ids=tokens, cache_position=positions).contiguous()
        save_file(tensors, os.path.join(arguments.out, variant + ".safetensors"))
        facts = {"variant": variant, "archive_bytes": os.path.getsize(archive)}
        if arguments.peer:
            program = os.path.join(arguments.peer, variant + ".pte")
            try:
                facts["peer_lower_s"] = round(lower(archive, program), 1)
                facts["peer_bytes"] = os.path.getsize(program)
            except Exception as error:  # a table with a gap says more than none
                facts["peer_refused"] = f"{type(error).__name__}: {error}"[:300]
        print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
