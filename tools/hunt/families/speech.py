"""Speech and sound: recognisers, encoders, vocoders, spotters, separation."""
import torch
import torch.nn.functional as F
import transformers as T
from case import Case
from hf_models import Pick
from torch import nn
from weights import settle


def sound(*shape, seed=5):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


class Half(nn.Module):
    """A layer of which half is added."""

    def __init__(self, *layers, weight=1.0):
        super().__init__()
        self.layers, self.weight = nn.Sequential(*layers), weight

    def forward(self, x):
        return x + self.weight * self.layers(x)


class Turned(nn.Module):
    """Layers over time: [batch, time, channels] inside of [batch, channels, time]."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x.transpose(1, 2)).transpose(1, 2)


class Attends(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(size), nn.MultiheadAttention(size, heads, batch_first=True)

    def forward(self, x):
        y = self.norm(x)
        return x + self.attention(y, y, y, need_weights=False)[0]


def conformer(size=144, heads=4, layers=4):
    def fed():
        return Half(nn.LayerNorm(size), nn.Linear(size, 4 * size), nn.SiLU(), nn.Linear(4 * size, size), weight=0.5)

    def convolved():
        return Half(nn.LayerNorm(size), Turned(nn.Conv1d(size, 2 * size, 1), nn.GLU(1), nn.Conv1d(size, size, 31, padding=15, groups=size), nn.BatchNorm1d(size), nn.SiLU(),
                                               nn.Conv1d(size, size, 1)))

    blocks = [nn.Sequential(fed(), Attends(size, heads), convolved(), fed(), nn.LayerNorm(size)) for _ in range(layers)]
    return nn.Sequential(nn.Linear(80, size), *blocks, nn.Linear(size, 256))


def separable(a, b, kernel, stride=1):
    return nn.Sequential(nn.Conv1d(a, a, kernel, stride, kernel // 2, groups=a, bias=False), nn.Conv1d(a, b, 1, bias=False), nn.BatchNorm1d(b), nn.ReLU())


def quartz():
    """Separable convolutions over time, a recogniser of letters."""
    body = [Half(separable(128, 128, kernel), separable(128, 128, kernel)) for kernel in (33, 39, 51)]
    return nn.Sequential(separable(64, 128, 33, 2), *body, separable(128, 256, 87), nn.Conv1d(256, 29, 1), nn.LogSoftmax(1))


class Squeeze1d(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layers = nn.Sequential(nn.AdaptiveAvgPool1d(1), nn.Conv1d(size, size // 8, 1), nn.ReLU(), nn.Conv1d(size // 8, size, 1), nn.Sigmoid())

    def forward(self, x):
        return x * self.layers(x)


class Res2(nn.Module):
    """Groups of channels in turn, as in ECAPA-TDNN."""

    def __init__(self, size, dilation, groups=4):
        super().__init__()
        self.groups, part = groups, size // groups
        self.before, self.after = nn.Sequential(nn.Conv1d(size, size, 1), nn.ReLU(), nn.BatchNorm1d(size)), nn.Sequential(nn.Conv1d(size, size, 1), nn.ReLU(), nn.BatchNorm1d(size))
        self.parts = nn.ModuleList(nn.Sequential(nn.Conv1d(part, part, 3, padding=dilation, dilation=dilation), nn.ReLU(), nn.BatchNorm1d(part)) for _ in range(groups - 1))
        self.squeeze = Squeeze1d(size)

    def forward(self, x):
        parts = list(self.before(x).chunk(self.groups, 1))
        for i, layer in enumerate(self.parts):
            parts[i + 1] = layer(parts[i + 1] + (parts[i] if i else 0))
        return x + self.squeeze(self.after(torch.cat(parts, 1)))


class Speaker(nn.Module):
    """An embedding of the speaker: ECAPA-TDNN with attentive statistics."""

    def __init__(self, size=128):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv1d(80, size, 5, padding=2), nn.ReLU(), nn.BatchNorm1d(size))
        self.blocks = nn.ModuleList(Res2(size, d) for d in (2, 3, 4))
        self.join = nn.Conv1d(3 * size, 256, 1)
        self.attention = nn.Sequential(nn.Conv1d(768, 64, 1), nn.ReLU(), nn.Tanh(), nn.Conv1d(64, 256, 1), nn.Softmax(2))
        self.norm, self.out = nn.BatchNorm1d(512), nn.Linear(512, 192)

    def forward(self, x):
        x, kept = self.stem(x), []
        for block in self.blocks:
            x = block(x)
            kept.append(x)
        x = F.relu(self.join(torch.cat(kept, 1)))
        mean, std = x.mean(2, keepdim=True), x.var(2, keepdim=True, unbiased=False).clamp(min=1e-6).sqrt()
        weights = self.attention(torch.cat([x, mean.expand_as(x), std.expand_as(x)], 1))
        mean = (x * weights).sum(2)
        std = ((x * x * weights).sum(2) - mean * mean).clamp(min=1e-6).sqrt()
        return F.normalize(self.out(self.norm(torch.cat([mean, std], 1))))


class Separates(nn.Module):
    """Conv-TasNet: an encoder of the wave, masks, a decoder."""

    def __init__(self, size=128, hidden=128):
        super().__init__()
        self.encoder, self.decoder = nn.Conv1d(1, size, 16, 8, bias=False), nn.ConvTranspose1d(size, 1, 16, 8, bias=False)
        self.before = nn.Sequential(nn.GroupNorm(1, size), nn.Conv1d(size, hidden, 1))
        self.blocks = nn.Sequential(*[Half(nn.Conv1d(hidden, hidden, 1), nn.PReLU(), nn.GroupNorm(1, hidden), nn.Conv1d(hidden, hidden, 3, padding=d, dilation=d, groups=hidden), nn.PReLU(),
                                           nn.GroupNorm(1, hidden), nn.Conv1d(hidden, hidden, 1)) for d in (1, 2, 4, 8, 16)])
        self.masks = nn.Conv1d(hidden, 2 * size, 1)

    def forward(self, wave):
        code = F.relu(self.encoder(wave))
        masks = torch.sigmoid(self.masks(self.blocks(self.before(code)))).reshape(2, -1, code.shape[-1])
        return self.decoder(code * masks)


class Voice(nn.Module):
    """Voice activity as in Silero's: a transform by convolution, an encoder, one step of an LSTM with state given."""

    def __init__(self):
        super().__init__()
        self.transform = nn.Conv1d(1, 258, 256, 128, bias=False)
        self.encoder = nn.Sequential(nn.Conv1d(129, 128, 3, padding=1), nn.ReLU(), nn.Conv1d(128, 64, 3, 2, 1), nn.ReLU(), nn.Conv1d(64, 64, 3, 2, 1), nn.ReLU(), nn.Conv1d(64, 128, 3, padding=1), nn.ReLU())
        self.step, self.out = nn.LSTMCell(128, 128), nn.Conv1d(128, 1, 1)

    def forward(self, wave, h, c):
        spectrum = self.transform(F.pad(wave, (0, 64), mode="reflect")[:, None])
        magnitude = torch.sqrt(spectrum[:, :129] ** 2 + spectrum[:, 129:] ** 2)
        h, c = self.step(self.encoder(magnitude)[..., -1], (h, c))
        return torch.sigmoid(self.out(F.relu(h)[..., None])).mean(2), h, c


class Recognises(nn.Module):
    """Convolutions, three GRUs in both directions, letters: the form of DeepSpeech 2."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 16, (11, 5), (2, 2), (5, 2)), nn.BatchNorm2d(16), nn.Hardtanh(0, 20), nn.Conv2d(16, 16, (11, 5), (2, 1), (5, 2)), nn.BatchNorm2d(16), nn.Hardtanh(0, 20))
        self.steps, self.head = nn.GRU(320, 128, 2, bidirectional=True, batch_first=True), nn.Linear(256, 29)

    def forward(self, x):
        x = self.stem(x)
        b, c, f, t = x.shape
        return self.head(self.steps(x.reshape(b, c * f, t).transpose(1, 2))[0]).log_softmax(-1)


class Emphasis(nn.Module):
    """Mel features of a wave: frames, a window, a transform, mels, a logarithm; then a small network of scores."""

    def __init__(self, frame=400, hop=160, bins=40):
        super().__init__()
        self.frame, self.hop = frame, hop
        self.register_buffer("window", torch.hann_window(frame))
        angle = torch.arange(frame)[:, None] * torch.arange(frame // 2 + 1) * (2 * torch.pi / frame)
        self.register_buffer("cosine", angle.cos())
        self.register_buffer("sine", angle.sin())
        self.mel, self.head = nn.Linear(frame // 2 + 1, bins, bias=False), nn.Linear(bins, 12)

    def forward(self, wave):
        wave = torch.cat([wave[:, :1], wave[:, 1:] - 0.97 * wave[:, :-1]], 1)
        frames = wave.unfold(1, self.frame, self.hop) * self.window
        power = (frames @ self.cosine) ** 2 + (frames @ self.sine) ** 2
        return self.head(self.mel(power).abs().clamp(min=1e-5).log().mean(1))


WAVES = dict(hidden_size=192, num_hidden_layers=4, num_attention_heads=4, intermediate_size=768, conv_dim=(128,) * 7)
WHISPER = T.WhisperConfig(d_model=256, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=1024, decoder_ffn_dim=1024, vocab_size=2000,
                          max_source_positions=400, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
HIFI = T.SpeechT5HifiGanConfig(model_in_dim=80, upsample_initial_channel=64, upsample_rates=[4, 4, 4, 4], upsample_kernel_sizes=[8, 8, 8, 8])


def decoder_ids():
    return torch.randint(3, 2000, (1, 24), generator=torch.Generator().manual_seed(3))


MODELS = {
    "conformer": (conformer, lambda: (sound(1, 200, 80),)),
    "quartz": (quartz, lambda: (sound(1, 64, 400),)),
    "speaker": (Speaker, lambda: (sound(1, 80, 200),)),
    "separates": (Separates, lambda: (sound(1, 1, 8000),)),
    "voice": (Voice, lambda: (sound(1, 512), sound(1, 128), sound(1, 128, seed=6))),
    "recognises": (Recognises, lambda: (sound(1, 1, 80, 64),)),
    "mel_scores": (Emphasis, lambda: (sound(1, 16000),)),
    "wav2vec2": (lambda: Pick(T.Wav2Vec2Model(T.Wav2Vec2Config(**WAVES)), ["input_values"]), lambda: (sound(1, 16000),)),
    "wav2vec2_layer_norm": (lambda: Pick(T.Wav2Vec2ForCTC(T.Wav2Vec2Config(**WAVES, feat_extract_norm="layer", do_stable_layer_norm=True)), ["input_values"], ("logits",)), lambda: (sound(1, 16000),)),
    "hubert": (lambda: Pick(T.HubertModel(T.HubertConfig(**WAVES)), ["input_values"]), lambda: (sound(1, 16000),)),
    "whisper_encoder": (lambda: Pick(T.WhisperModel(WHISPER).encoder, ["input_features"]), lambda: (sound(1, 80, 800),)),
    "whisper_decoder": (lambda: Pick(T.WhisperModel(WHISPER).decoder, ["input_ids", "encoder_hidden_states"], use_cache=False), lambda: (decoder_ids(), sound(1, 400, 256))),
    "hifigan": (lambda: T.SpeechT5HifiGan(HIFI), lambda: (sound(1, 32, 80),)),
    "spectrogram_transformer": (lambda: Pick(T.ASTModel(T.ASTConfig(hidden_size=192, num_hidden_layers=4, num_attention_heads=3, intermediate_size=768, max_length=256)), ["input_values"]), lambda: (sound(1, 256, 128),)),
}


def cases(only):
    for name, (model, inputs) in MODELS.items():
        if only in name:
            yield Case(name, settle(model()), [inputs()])
