"""Language models of a size that runs on a phone: encoders, decoders with and without a cache, translation."""
import torch
import transformers as T
from case import Case
from hf_models import Pick, ids, mask
from torch import nn
from weights import rule, settle

WORDS = 2000
BERT = dict(hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024, vocab_size=WORDS, max_position_embeddings=256)
LLM = dict(hidden_size=256, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2, intermediate_size=768, vocab_size=WORDS, max_position_embeddings=256)
LOGITS = dict(outputs=("logits",), use_cache=False)
LENGTH = 48


def text(high=WORDS, batch=1, length=LENGTH, seed=3):
    return ids(batch, length, high=high, seed=seed)


def plain(model, config, **fixed):
    return lambda: (Pick(model(config), ["input_ids"], **fixed), [(text(),)], None)


def masked(model, config, **fixed):
    return lambda: (Pick(model(config), ["input_ids", "attention_mask"], **fixed), [(text(batch=2), mask(2, LENGTH))], None)


def of_any_length(model, config, **fixed):
    def build():
        runs = [(text(length=n), torch.ones(1, n, dtype=torch.int64)) for n in (48, 7, 128)]
        dims = {1: torch.export.Dim("length", min=2, max=128)}
        return Pick(model(config), ["input_ids", "attention_mask"], **fixed), runs, {"args": (dims, dims)}
    return build


class Layer(nn.Module):
    """A layer of a decoder whose keys and values are state, in the form of ExecuTorch's own Llama."""

    def __init__(self, size, heads, groups, length):
        super().__init__()
        self.heads, self.groups, self.width = heads, groups, size // heads
        self.norm1, self.norm2 = nn.RMSNorm(size), nn.RMSNorm(size)
        self.q, self.k, self.v = nn.Linear(size, size, bias=False), nn.Linear(size, groups * self.width, bias=False), nn.Linear(size, groups * self.width, bias=False)
        self.out, self.gate, self.up, self.down = nn.Linear(size, size, bias=False), nn.Linear(size, 3 * size, bias=False), nn.Linear(size, 3 * size, bias=False), nn.Linear(3 * size, size, bias=False)
        self.register_buffer("keys", torch.zeros(1, groups, length, self.width))
        self.register_buffer("values", torch.zeros(1, groups, length, self.width))

    def forward(self, x, position, turn, mask):
        y, count = self.norm1(x), x.shape[1]
        q, k, v = (f(y).view(1, count, -1, self.width).transpose(1, 2) for f in (self.q, self.k, self.v))
        q, k = turned(q, *turn), turned(k, *turn)
        self.keys[:, :, position] = k
        self.values[:, :, position] = v
        keys, values = (c.repeat_interleave(self.heads // self.groups, 1) for c in (self.keys, self.values))
        y = nn.functional.scaled_dot_product_attention(q, keys, values, attn_mask=mask)
        x = x + self.out(y.transpose(1, 2).reshape(1, count, -1))
        y = self.norm2(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


def turned(x, cosine, sine):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1)


class Decoder(nn.Module):
    """Tokens and their positions to scores; masks and turns are looked up by position."""

    def __init__(self, size=256, heads=4, groups=2, layers=4, length=128):
        super().__init__()
        self.words, self.head, self.norm = nn.Embedding(WORDS, size), nn.Linear(size, WORDS, bias=False), nn.RMSNorm(size)
        self.layers = nn.ModuleList(Layer(size, heads, groups, length) for _ in range(layers))
        angles = torch.arange(length)[:, None] * 10000.0 ** (-torch.arange(0, size // heads, 2) / (size // heads))
        self.register_buffer("cosine", angles.cos())
        self.register_buffer("sine", angles.sin())
        self.register_buffer("mask", torch.ones(length, length).tril().bool())

    def forward(self, words, position):
        x, turn, mask = self.words(words), (self.cosine[position], self.sine[position]), self.mask[position]
        for layer in self.layers:
            x = layer(x, position, turn, mask)
        return self.head(self.norm(x))


class Compares(Decoder):
    """The same, but the mask compares positions."""

    def forward(self, words, position):
        x, turn = self.words(words), (self.cosine[position], self.sine[position])
        mask = torch.arange(self.mask.shape[0])[None] <= position[:, None]
        for layer in self.layers:
            x = layer(x, position, turn, mask)
        return self.head(self.norm(x))


def with_cache(model):
    """One token a call; the cache is state."""
    return lambda: (model(), [(ids(1, 1, high=WORDS, seed=n), torch.tensor([n])) for n in range(5)], None)


def translation(model, config):
    return lambda: (Pick(model(config), ["input_ids", "decoder_input_ids"], ("logits",), use_cache=False), [(text(), text(length=24, seed=9))], None)


class Sentence(nn.Module):
    """The mean of a sentence's words, of length 1: sentence embeddings."""

    def __init__(self):
        super().__init__()
        self.model = T.BertModel(T.BertConfig(**BERT))

    def forward(self, words, given):
        hidden = self.model(input_ids=words, attention_mask=given).last_hidden_state
        weights = given[..., None].to(hidden.dtype)
        return torch.nn.functional.normalize((hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9))


class Next(nn.Module):
    """A decoder that says its next word only: the greatest score of the last position."""

    def __init__(self):
        super().__init__()
        self.model = T.GPT2LMHeadModel(T.GPT2Config(n_embd=256, n_layer=4, n_head=4, vocab_size=WORDS, n_positions=256))

    def forward(self, words):
        return self.model(input_ids=words, use_cache=False).logits[:, -1].argmax(-1)


def sentences():
    runs = [(text(batch=b, length=n), mask(b, n)) for b, n in ((2, 48), (1, 9), (4, 100))]
    dims = {0: torch.export.Dim("batch", min=1, max=8), 1: torch.export.Dim("length", min=4, max=128)}
    return Sentence(), runs, (dims, dims)


def llama(**more):
    return T.LlamaConfig(**LLM, **more)


T5 = T.T5Config(d_model=256, d_kv=64, d_ff=1024, num_layers=3, num_heads=4, vocab_size=WORDS)
BART = T.BartConfig(d_model=256, encoder_layers=3, decoder_layers=3, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=1024, decoder_ffn_dim=1024, vocab_size=WORDS,
                    max_position_embeddings=256)
EXPERTS = T.Qwen3MoeConfig(**LLM, head_dim=64, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=256, experts_implementation="batched_mm")
MODELS = {
    "distilbert": plain(T.DistilBertModel, T.DistilBertConfig(dim=256, n_layers=4, n_heads=4, hidden_dim=1024, vocab_size=WORDS, max_position_embeddings=256)),
    "bert_masked": masked(T.BertModel, T.BertConfig(**BERT)),
    "bert_eager_masked": masked(T.BertModel, T.BertConfig(**BERT, attn_implementation="eager")),
    "sentences": sentences,
    "modernbert": masked(T.ModernBertModel, T.ModernBertConfig(**BERT, pad_token_id=0, attn_implementation="sdpa")),
    "deberta_v2": masked(T.DebertaV2Model, T.DebertaV2Config(**BERT, relative_attention=True, pos_att_type=["p2c", "c2p"])),
    "mobilebert": plain(T.MobileBertModel, T.MobileBertConfig(num_hidden_layers=4, vocab_size=WORDS)),
    "gpt2": plain(T.GPT2LMHeadModel, T.GPT2Config(n_embd=256, n_layer=4, n_head=4, vocab_size=WORDS, n_positions=256), **LOGITS),
    "gpt2_next": lambda: (Next(), [(text(),)], None),
    "llama": plain(T.LlamaForCausalLM, llama(), **LOGITS),
    "llama_masked": masked(T.LlamaForCausalLM, llama(), **LOGITS),
    "llama_of_any_length": of_any_length(T.LlamaForCausalLM, llama(), **LOGITS),
    "decoder_with_cache": with_cache(Decoder),
    "decoder_that_compares": with_cache(Compares),
    "qwen2": plain(T.Qwen2ForCausalLM, T.Qwen2Config(**LLM), **LOGITS),
    "qwen3_experts": plain(T.Qwen3MoeForCausalLM, EXPERTS, **LOGITS),
    "gemma3": plain(T.Gemma3ForCausalLM, T.Gemma3TextConfig(**LLM, head_dim=64, sliding_window=16), **LOGITS),
    "phi3": masked(T.Phi3ForCausalLM, T.Phi3Config(**LLM, pad_token_id=0), **LOGITS),
    "lfm2": plain(T.Lfm2ForCausalLM, T.Lfm2Config(**LLM, layer_types=["conv", "conv", "full_attention", "conv"]), **LOGITS),
    "mamba": plain(T.MambaForCausalLM, T.MambaConfig(hidden_size=128, num_hidden_layers=2, vocab_size=WORDS, state_size=16, intermediate_size=256), **LOGITS),
    "t5": translation(T.T5ForConditionalGeneration, T5),
    "t5_encoder": masked(T.T5EncoderModel, T5),
    "bart": translation(T.BartForConditionalGeneration, BART),
}


def cases(only):
    for name, build in MODELS.items():
        if only not in name:
            continue
        try:
            model, runs, dynamic = build()
            settled = settle(model)
            # A model with state is another behind each run.
            least = 80.0 if any(m.numel() for m in settled.buffers()) else rule(settled, runs[0])
            yield Case(name, settled, runs, dynamic=dynamic, sqnr=least)
        except Exception as e:  # noqa: BLE001 - this build of the library may lack it
            print(name, "not made:", type(e).__name__, str(e)[:200], flush=True)
