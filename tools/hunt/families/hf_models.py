"""Transformers with tiny configurations and random weights, as a user would export them for an edge device."""
import types

import torch
import transformers as T
from case import Case
from torch import nn
from weights import image, settle

TINY = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, vocab_size=99, max_position_embeddings=64)


class Pick(nn.Module):
    """A model with some named outputs, its inputs by name."""

    def __init__(self, model, names, outputs=("last_hidden_state",), **fixed):
        super().__init__()
        self.model, self.names, self.outputs, self.fixed = model, names, outputs, fixed

    def forward(self, *args):
        result = self.model(**dict(zip(self.names, args)), return_dict=True, **self.fixed)
        return tuple(getattr(result, o) for o in self.outputs)


def ids(*shape, high=99, seed=3):
    return torch.randint(0, high, shape, generator=torch.Generator().manual_seed(seed))


def mask(*shape):
    m = torch.ones(*shape, dtype=torch.int64)
    m[..., -3:] = 0
    return m


def text(name, config, model, **fixed):
    """Token ids alone and with a padding mask."""
    def build():
        m = settle(model(config))
        yield Case(name, Pick(m, ["input_ids"], **fixed), [(ids(2, 10),)], sqnr=95.0)
        yield Case(name + "_mask", Pick(m, ["input_ids", "attention_mask"], **fixed), [(ids(2, 10), mask(2, 10))], sqnr=95.0)
        dims = {0: torch.export.Dim("batch", min=1, max=4), 1: torch.export.Dim("seq", min=2, max=32)}
        yield Case(name + "_dyn", Pick(m, ["input_ids", "attention_mask"], **fixed),
                   [(ids(2, 10), mask(2, 10)), (ids(1, 5), mask(1, 5)), (ids(4, 32), mask(4, 32))],
                   dynamic={"args": (dims, dims)}, sqnr=95.0)
    return build


def vision(name, config, model, outputs=("last_hidden_state",), size=64, **fixed):
    def build():
        m = settle(model(config))
        yield Case(name, Pick(m, ["pixel_values"], outputs, **fixed), [(image(1, 3, size, size),)], sqnr=95.0)
    return build


def audio(name, config, model, shape=(1, 2000), key="input_values", **fixed):
    def build():
        x = torch.randn(*shape, generator=torch.Generator().manual_seed(5))
        yield Case(name, Pick(settle(model(config)), [key], **fixed), [(x,)], sqnr=95.0)
    return build


def seq2seq(name, config, model):
    def build():
        m = settle(model(config))
        yield Case(name, Pick(m, ["input_ids", "decoder_input_ids"], ("logits",), use_cache=False), [(ids(1, 8), ids(1, 5, seed=9))], sqnr=95.0)
    return build


GPT = dict(n_embd=32, n_layer=2, n_head=4, vocab_size=99, n_positions=64)
LLM = dict(TINY, num_key_value_heads=2)
CAUSAL = dict(outputs=("logits",), use_cache=False)
CONV7 = dict(conv_dim=(16, 16, 16), conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3), num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=2)
BUILDERS = {
    "gpt2": lambda: text("gpt2", T.GPT2Config(**GPT), T.GPT2LMHeadModel, **CAUSAL),
    "distilbert": lambda: text("distilbert", T.DistilBertConfig(dim=32, n_layers=2, n_heads=4, hidden_dim=64, vocab_size=99, max_position_embeddings=64), T.DistilBertModel),
    "bert": lambda: text("bert", T.BertConfig(**TINY), T.BertModel),
    "bert_eager": lambda: text("bert_eager", T.BertConfig(**TINY, attn_implementation="eager"), T.BertModel),
    "roberta": lambda: text("roberta", T.RobertaConfig(**TINY), T.RobertaModel),
    "albert": lambda: text("albert", T.AlbertConfig(**TINY, embedding_size=16), T.AlbertModel),
    "electra": lambda: text("electra", T.ElectraConfig(**TINY, embedding_size=16), T.ElectraModel),
    "deberta": lambda: text("deberta", T.DebertaConfig(**TINY, relative_attention=True, pos_att_type=["p2c", "c2p"]), T.DebertaModel),
    "deberta_v2": lambda: text("deberta_v2", T.DebertaV2Config(**TINY, relative_attention=True, pos_att_type=["p2c", "c2p"]), T.DebertaV2Model),
    "mobilebert": lambda: text("mobilebert", T.MobileBertConfig(**dict(TINY, hidden_size=32), embedding_size=32, intra_bottleneck_size=16), T.MobileBertModel),
    "squeezebert": lambda: text("squeezebert", T.SqueezeBertConfig(**TINY, embedding_size=32, q_groups=2, k_groups=2, v_groups=2, post_attention_groups=1, intermediate_groups=2, output_groups=2), T.SqueezeBertModel),
    "mpnet": lambda: text("mpnet", T.MPNetConfig(**TINY), T.MPNetModel),
    "xlm_roberta": lambda: text("xlm_roberta", T.XLMRobertaConfig(**TINY), T.XLMRobertaModel),
    "fnet": lambda: text("fnet", T.FNetConfig(**{k: v for k, v in TINY.items() if k != "num_attention_heads"}), T.FNetModel),
    "convbert": lambda: text("convbert", T.ConvBertConfig(**TINY, embedding_size=32), T.ConvBertModel),
    "roformer": lambda: text("roformer", T.RoFormerConfig(**TINY), T.RoFormerModel),
    "nystromformer": lambda: text("nystromformer", T.NystromformerConfig(**TINY, num_landmarks=5, segment_means_seq_len=10), T.NystromformerModel),
    "modernbert": lambda: text("modernbert", T.ModernBertConfig(**TINY, pad_token_id=0, attn_implementation="sdpa"), T.ModernBertModel),
    "t5_encoder": lambda: text("t5_encoder", T.T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=99), T.T5EncoderModel),
    "llama": lambda: text("llama", T.LlamaConfig(**LLM), T.LlamaForCausalLM, **CAUSAL),
    "mistral": lambda: text("mistral", T.MistralConfig(**LLM, sliding_window=4), T.MistralForCausalLM, **CAUSAL),
    "qwen2": lambda: text("qwen2", T.Qwen2Config(**LLM), T.Qwen2ForCausalLM, **CAUSAL),
    "qwen3": lambda: text("qwen3", T.Qwen3Config(**LLM, head_dim=8), T.Qwen3ForCausalLM, **CAUSAL),
    "gemma": lambda: text("gemma", T.GemmaConfig(**LLM, head_dim=8), T.GemmaForCausalLM, **CAUSAL),
    "gemma2": lambda: text("gemma2", T.Gemma2Config(**LLM, head_dim=8, sliding_window=4), T.Gemma2ForCausalLM, **CAUSAL),
    "gemma3": lambda: text("gemma3", T.Gemma3TextConfig(**LLM, head_dim=8, sliding_window=4), T.Gemma3ForCausalLM, **CAUSAL),
    "phi": lambda: text("phi", T.PhiConfig(**LLM), T.PhiForCausalLM, **CAUSAL),
    "phi3": lambda: text("phi3", T.Phi3Config(**LLM, pad_token_id=0), T.Phi3ForCausalLM, **CAUSAL),
    "opt": lambda: text("opt", T.OPTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64, vocab_size=99, max_position_embeddings=64, word_embed_proj_dim=32), T.OPTForCausalLM, **CAUSAL),
    "bloom": lambda: text("bloom", T.BloomConfig(hidden_size=32, n_layer=2, n_head=4, vocab_size=99), T.BloomForCausalLM, **CAUSAL),
    "gpt_neo": lambda: text("gpt_neo", T.GPTNeoConfig(hidden_size=32, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], vocab_size=99, max_position_embeddings=64, window_size=4), T.GPTNeoForCausalLM, **CAUSAL),
    "gpt_neox": lambda: text("gpt_neox", T.GPTNeoXConfig(**TINY), T.GPTNeoXForCausalLM, **CAUSAL),
    "gptj": lambda: text("gptj", T.GPTJConfig(**GPT, rotary_dim=4), T.GPTJForCausalLM, **CAUSAL),
    "falcon": lambda: text("falcon", T.FalconConfig(**{k: v for k, v in TINY.items() if k != "intermediate_size"}), T.FalconForCausalLM, **CAUSAL),
    "stablelm": lambda: text("stablelm", T.StableLmConfig(**LLM), T.StableLmForCausalLM, **CAUSAL),
    "olmo": lambda: text("olmo", T.OlmoConfig(**LLM), T.OlmoForCausalLM, **CAUSAL),
    "cohere": lambda: text("cohere", T.CohereConfig(**LLM), T.CohereForCausalLM, **CAUSAL),
    "granite": lambda: text("granite", T.GraniteConfig(**LLM), T.GraniteForCausalLM, **CAUSAL),
    "smollm3": lambda: text("smollm3", T.SmolLM3Config(**LLM, pad_token_id=0), T.SmolLM3ForCausalLM, **CAUSAL),
    "mixtral": lambda: text("mixtral", T.MixtralConfig(**LLM, num_local_experts=3), T.MixtralForCausalLM, **CAUSAL),
    "mamba": lambda: text("mamba", T.MambaConfig(hidden_size=32, num_hidden_layers=2, vocab_size=99, state_size=8, intermediate_size=64), T.MambaForCausalLM, **CAUSAL),
    "rwkv": lambda: text("rwkv", T.RwkvConfig(hidden_size=32, num_hidden_layers=2, attention_hidden_size=32, vocab_size=99, context_length=32), T.RwkvForCausalLM, **CAUSAL),
    "xglm": lambda: text("xglm", T.XGLMConfig(d_model=32, num_layers=2, attention_heads=4, ffn_dim=64, vocab_size=99, max_position_embeddings=64), T.XGLMForCausalLM, **CAUSAL),
    "codegen": lambda: text("codegen", T.CodeGenConfig(**GPT, rotary_dim=4), T.CodeGenForCausalLM, **CAUSAL),
    "lfm2": lambda: text("lfm2", T.Lfm2Config(**LLM, layer_types=["conv", "full_attention"]), T.Lfm2ForCausalLM, **CAUSAL),
    "clip_text": lambda: text("clip_text", T.CLIPTextConfig(**TINY), T.CLIPTextModel),
    "bart": lambda: seq2seq("bart", T.BartConfig(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=99, max_position_embeddings=64), T.BartForConditionalGeneration),
    "marian": lambda: seq2seq("marian", T.MarianConfig(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=99, pad_token_id=98, decoder_start_token_id=98, max_position_embeddings=64), T.MarianMTModel),
    "t5": lambda: seq2seq("t5", T.T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=99), T.T5ForConditionalGeneration),
    "clip_vision": lambda: vision("clip_vision", T.CLIPVisionConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=64, patch_size=16), T.CLIPVisionModel),
    "vit": lambda: vision("vit", T.ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=64), T.ViTModel),
    "vit_eager": lambda: vision("vit_eager", T.ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=64, attn_implementation="eager"), T.ViTModel),
    "deit": lambda: vision("deit", T.DeiTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=64), T.DeiTModel),
    "beit": lambda: vision("beit", T.BeitConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=64, use_relative_position_bias=True), T.BeitModel),
    "dinov2": lambda: vision("dinov2", T.Dinov2Config(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, image_size=56, patch_size=14), T.Dinov2Model, size=70),
    "siglip": lambda: vision("siglip", T.SiglipVisionConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=64), T.SiglipVisionModel),
    "segformer": lambda: vision("segformer", T.SegformerConfig(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=16, num_labels=5), T.SegformerForSemanticSegmentation, ("logits",)),
    "swin": lambda: vision("swin", T.SwinConfig(embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4, image_size=64, patch_size=4), T.SwinModel),
    "swinv2": lambda: vision("swinv2", T.Swinv2Config(embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4, image_size=64, patch_size=4), T.Swinv2Model),
    "mobilevit": lambda: vision("mobilevit", T.MobileViTConfig(hidden_sizes=[16, 24, 32], neck_hidden_sizes=[8, 8, 16, 16, 24, 32, 64], image_size=64), T.MobileViTModel),
    "convnext": lambda: vision("convnext", T.ConvNextConfig(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]), T.ConvNextModel),
    "levit": lambda: vision("levit", T.LevitConfig(image_size=64, hidden_sizes=[16, 24, 32], num_attention_heads=[2, 3, 4], depths=[1, 1, 1], key_dim=[8, 8, 8]), T.LevitModel),
    "pvt": lambda: vision("pvt", T.PvtConfig(image_size=64, depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 24, 32], num_attention_heads=[1, 2, 2, 4]), T.PvtModel),
    "regnet": lambda: vision("regnet", T.RegNetConfig(embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], groups_width=8), T.RegNetModel),
    "resnet": lambda: vision("resnet", T.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]), T.ResNetModel),
    "efficientnet": lambda: vision("efficientnet", T.EfficientNetConfig(image_size=64, width_coefficient=0.25, depth_coefficient=0.25), T.EfficientNetModel),
    "dpt": lambda: vision("dpt", T.DPTConfig(hidden_size=32, num_hidden_layers=4, num_attention_heads=4, intermediate_size=64, image_size=64, backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[8, 8, 16, 16], fusion_hidden_size=8), T.DPTForDepthEstimation, ("predicted_depth",)),
    "glpn": lambda: vision("glpn", T.GLPNConfig(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=8), T.GLPNForDepthEstimation, ("predicted_depth",)),
    "detr": lambda: vision("detr", T.DetrConfig(use_timm_backbone=False, backbone_config=T.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], out_features=["stage4"]), d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_queries=6, num_labels=5), T.DetrForObjectDetection, ("logits", "pred_boxes")),
    "yolos": lambda: vision("yolos", T.YolosConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=[64, 64], num_detection_tokens=5), T.YolosForObjectDetection, ("logits", "pred_boxes")),
    "rt_detr": lambda: vision("rt_detr", T.RTDetrConfig(backbone_config=T.RTDetrResNetConfig(embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], out_features=["stage2", "stage3", "stage4"]), encoder_hidden_dim=16, encoder_in_channels=[16, 24, 32], encoder_attention_heads=2, encoder_ffn_dim=16, d_model=16, decoder_in_channels=[16, 16, 16], decoder_layers=1, decoder_attention_heads=2, decoder_ffn_dim=16, num_queries=10, decoder_n_points=2, anchor_image_size=None, num_labels=5), T.RTDetrForObjectDetection, ("logits", "pred_boxes")),
    "wav2vec2": lambda: audio("wav2vec2", T.Wav2Vec2Config(**TINY, **CONV7), T.Wav2Vec2Model),
    "wav2vec2_ctc": lambda: audio("wav2vec2_ctc", T.Wav2Vec2Config(**TINY, **CONV7), T.Wav2Vec2ForCTC, outputs=("logits",)),
    "hubert": lambda: audio("hubert", T.HubertConfig(**TINY, **CONV7), T.HubertModel),
    "wavlm": lambda: audio("wavlm", T.WavLMConfig(**TINY, **CONV7), T.WavLMModel),
    "data2vec_audio": lambda: audio("data2vec_audio", T.Data2VecAudioConfig(**TINY, **dict(CONV7, num_conv_pos_embeddings=3)), T.Data2VecAudioModel),
    "unispeech": lambda: audio("unispeech", T.UniSpeechConfig(**TINY, **CONV7), T.UniSpeechModel),
    "sew": lambda: audio("sew", T.SEWConfig(**TINY, **CONV7, squeeze_factor=2), T.SEWModel),
    "ast": lambda: audio("ast", T.ASTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_length=64, num_mel_bins=32), T.ASTModel, (1, 64, 32)),
    "encodec": lambda: audio("encodec", T.EncodecConfig(num_filters=4, hidden_size=16, codebook_size=16, codebook_dim=16, upsampling_ratios=[4, 2]), T.EncodecModel, (1, 1, 800), outputs=("audio_codes", "audio_values")),
    "dac": lambda: audio("dac", T.DacConfig(encoder_hidden_size=8, downsampling_ratios=[2, 4], decoder_hidden_size=16, upsampling_ratios=[4, 2], n_codebooks=2, codebook_size=16, codebook_dim=4), T.DacModel, (1, 1, 800), outputs=("audio_values",)),
    "vits_like": lambda: audio("vits_like", T.SpeechT5HifiGanConfig(model_in_dim=16, upsample_initial_channel=16, upsample_rates=[4, 4], upsample_kernel_sizes=[8, 8], resblock_kernel_sizes=[3], resblock_dilation_sizes=[[1, 3, 5]]), Waveform, (1, 20, 16), key="spectrogram", outputs=("wave",)),
    "patchtst": lambda: audio("patchtst", T.PatchTSTConfig(num_input_channels=2, context_length=32, patch_length=8, patch_stride=8, d_model=16, num_hidden_layers=2, num_attention_heads=4, ffn_dim=32, prediction_length=8), T.PatchTSTForPrediction, (1, 32, 2), key="past_values", outputs=("prediction_outputs",)),
    "patchtsmixer": lambda: audio("patchtsmixer", T.PatchTSMixerConfig(num_input_channels=2, context_length=32, patch_length=8, patch_stride=8, d_model=16, num_layers=2, prediction_length=8), T.PatchTSMixerForPrediction, (1, 32, 2), key="past_values", outputs=("prediction_outputs",)),
}


class Waveform(nn.Module):
    """A vocoder whose result has a name."""

    def __init__(self, config):
        super().__init__()
        self.model = T.SpeechT5HifiGan(config)

    def forward(self, spectrogram, return_dict=True):
        return types.SimpleNamespace(wave=self.model(spectrogram))


def whisper():
    config = T.WhisperConfig(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64,
                             vocab_size=99, num_mel_bins=20, max_source_positions=30, max_target_positions=40, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
    m = settle(T.WhisperForConditionalGeneration(config))
    g = torch.Generator().manual_seed(5)
    mel = torch.randn(1, 20, 60, generator=g)
    yield Case("whisper_encoder", Pick(m.model.encoder, ["input_features"]), [(mel,)], sqnr=95.0)
    hidden = torch.randn(1, 30, 32, generator=g)
    yield Case("whisper_decoder", Pick(m.model.decoder, ["input_ids", "encoder_hidden_states"], use_cache=False), [(ids(1, 6), hidden)], sqnr=95.0)
    dims = {1: torch.export.Dim("seq", min=2, max=32)}
    yield Case("whisper_decoder_dyn", Pick(m.model.decoder, ["input_ids", "encoder_hidden_states"], use_cache=False),
               [(ids(1, 6), hidden), (ids(1, 32), hidden), (ids(1, 2), hidden)], dynamic={"args": (dims, None)}, sqnr=95.0)
    yield Case("whisper", Pick(m, ["input_features", "decoder_input_ids"], ("logits",), use_cache=False), [(mel, ids(1, 6))], sqnr=95.0)


class Cached(nn.Module):
    """A decoder with a static key and value cache in buffers, one token a call."""

    def __init__(self, model, config, length):
        super().__init__()
        self.model = model
        self.cache = T.StaticCache(config=config, max_cache_len=length)
        heads = getattr(config, "num_key_value_heads", config.num_attention_heads)
        self.cache.early_initialization(1, heads, config.hidden_size // config.num_attention_heads, torch.float32, torch.device("cpu"))
        for i, layer in enumerate(self.cache.layers):
            self.register_buffer(f"k{i}", layer.keys, persistent=False)
            self.register_buffer(f"v{i}", layer.values, persistent=False)

    def forward(self, input_ids, position):
        for i, layer in enumerate(self.cache.layers):
            layer.keys, layer.values = getattr(self, f"k{i}"), getattr(self, f"v{i}")
        out = self.model(input_ids=input_ids, cache_position=position, position_ids=position[None], past_key_values=self.cache, use_cache=True)
        return out.logits


def cached():
    for name, config, model in (("llama", T.LlamaConfig(**LLM), T.LlamaForCausalLM), ("qwen2", T.Qwen2Config(**LLM), T.Qwen2ForCausalLM)):
        c = Cached(settle(model(config)), config, 16)
        yield Case(name + "_static_cache", c, [(ids(1, 1, seed=i), torch.tensor([i])) for i in range(4)], sqnr=95.0)


def cases(only):
    sources = {**{k: (lambda b=b: b()()) for k, b in BUILDERS.items()}, "whisper": whisper, "static_cache": cached}
    for name, source in sources.items():
        if only and only not in name and not only.startswith(name):
            continue
        try:
            yield from source()
        except Exception as e:  # noqa: BLE001 - this build of the library may lack it
            print(name, "not made:", type(e).__name__, str(e)[:200], flush=True)
