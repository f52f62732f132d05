"""Models in half types: float16 and bfloat16, activations and weights."""
import timm
import torch
import transformers as T
from case import Case
from hf_models import Pick
from language import text
from torch import nn
from weights import image, settle

IMAGES = ["resnet18", "mobilenetv3_small_100", "vit_tiny_patch16_224", "convnext_atto", "efficientnet_lite0"]


def timm_model(name):
    return lambda dtype: (timm.create_model(name, pretrained=False), (image(1, 3, 224, 224).to(dtype),))


def language(model, config, outputs=("logits",), **fixed):
    return lambda dtype: (Pick(model(config), ["input_ids"], outputs, **fixed), (text(),))


SMALL = dict(hidden_size=256, num_hidden_layers=2, num_attention_heads=4, intermediate_size=768, vocab_size=2000, max_position_embeddings=256)
MODELS = {
    **{name: timm_model(name) for name in IMAGES},
    "bert": language(T.BertModel, T.BertConfig(**SMALL), ("last_hidden_state",)),
    "llama": language(T.LlamaForCausalLM, T.LlamaConfig(**SMALL), use_cache=False),
    "one_conv": lambda dtype: (nn.Conv2d(64, 64, 3, padding=1), (image(1, 64, 56, 56).to(dtype),)),
    "one_linear": lambda dtype: (nn.Linear(768, 768), (image(1, 1, 64, 768)[0].to(dtype),)),
    "gru": lambda dtype: (nn.GRU(128, 128, batch_first=True), (image(1, 1, 32, 128)[0].to(dtype),)),
}


def cases(only):
    for name, build in MODELS.items():
        for label, dtype in (("f16", torch.float16), ("bf16", torch.bfloat16)):
            if only in f"{name}_{label}":
                module, inputs = build(dtype)
                yield Case(f"{name}_{label}", settle(module).to(dtype), [inputs])
