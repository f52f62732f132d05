"""Generators: images from noise, from images and from codes; waves from spectrograms and from noise."""
import torch
import transformers as T
from case import Case
from torch import nn
from weights import image, measured, rule, settle


def up2d(inputs, outputs, kernel, stride, padding, more=0):
    return [nn.ConvTranspose2d(inputs, outputs, kernel, stride, padding, more, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]


def dcgan(width=64):
    layers = up2d(100, 8 * width, 4, 1, 0) + up2d(8 * width, 4 * width, 4, 2, 1) + up2d(4 * width, 2 * width, 4, 2, 1)
    return nn.Sequential(*layers, *up2d(2 * width, width, 4, 2, 1), nn.ConvTranspose2d(width, 3, 4, 2, 1), nn.Tanh())


class Pix2Pix(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        channels = [3, width, 2 * width, 4 * width, 8 * width, 8 * width]
        pairs = list(zip(channels, channels[1:]))
        self.down = nn.ModuleList(nn.Sequential(nn.LeakyReLU(0.2), nn.Conv2d(a, b, 4, 2, 1), nn.BatchNorm2d(b)) for a, b in pairs)
        wide = [pairs[-1][1]] + [2 * b for _, b in pairs[-2::-1]]
        self.up = nn.ModuleList(nn.Sequential(*up2d(n, a, 4, 2, 1)) for n, (a, _) in zip(wide, reversed(pairs)))

    def forward(self, x):
        kept = []
        for down in self.down:
            x = down(x)
            kept.append(x)
        kept.pop()
        for up in self.up:
            x = up(x)
            if kept:
                x = torch.cat([x, kept.pop()], 1)
        return x.tanh()


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1), nn.InstanceNorm2d(channels, affine=True), nn.ReLU(),
                                  nn.Conv2d(channels, channels, 3, 1, 1), nn.InstanceNorm2d(channels, affine=True))

    def forward(self, x):
        return x + self.body(x)


def cyclegan(width=16):
    """CycleGAN's generator: kernels of 3 at a stride of 2, with a border added."""
    def norm(layer, channels):
        return [layer, nn.InstanceNorm2d(channels, affine=True), nn.ReLU()]
    return nn.Sequential(
        *norm(nn.Conv2d(3, width, 9, 1, 4), width), *norm(nn.Conv2d(width, 2 * width, 3, 2, 1), 2 * width),
        *norm(nn.Conv2d(2 * width, 4 * width, 3, 2, 1), 4 * width), *[Residual(4 * width) for _ in range(3)],
        *norm(nn.ConvTranspose2d(4 * width, 2 * width, 3, 2, 1, 1), 2 * width), *norm(nn.ConvTranspose2d(2 * width, width, 3, 2, 1, 1), width),
        nn.Conv2d(width, 3, 9, 1, 4))


class Decoder(nn.Module):
    """Of a variational autoencoder."""
    def __init__(self, width=32):
        super().__init__()
        self.start, self.width = nn.Linear(128, 8 * width * 16), width
        self.body = nn.Sequential(*up2d(8 * width, 4 * width, 5, 2, 2, 1), *up2d(4 * width, 2 * width, 5, 2, 2, 1),
                                  *up2d(2 * width, width, 6, 2, 2), nn.Conv2d(width, 3, 3, 1, 1), nn.Sigmoid())

    def forward(self, code):
        return self.body(self.start(code).view(-1, 8 * self.width, 4, 4))


class SuperResolution(nn.Module):
    """FSRCNN: all layers at the small size, and one transposed convolution of 9 x 9 at its end."""
    def __init__(self, wide=56, narrow=12, times=3):
        super().__init__()
        middle = [layer for _ in range(4) for layer in (nn.Conv2d(narrow, narrow, 3, 1, 1), nn.PReLU(narrow))]
        self.body = nn.Sequential(nn.Conv2d(1, wide, 5, 1, 2), nn.PReLU(wide), nn.Conv2d(wide, narrow, 1), nn.PReLU(narrow), *middle,
                                  nn.Conv2d(narrow, wide, 1), nn.PReLU(wide), nn.ConvTranspose2d(wide, 1, 9, times, 3))

    def forward(self, x):
        return self.body(x)


class Bilinear(nn.Module):
    """FCN's end: transposed convolutions that enlarge each class by itself."""
    def __init__(self, channels=21):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(64, channels, 1), nn.ConvTranspose2d(channels, channels, 4, 2, 1, groups=channels, bias=False),
                                  nn.ConvTranspose2d(channels, channels, 16, 8, 4, groups=channels, bias=False))

    def forward(self, x):
        return self.body(x)


class HifiGan(nn.Module):
    """HiFi-GAN's generator."""
    def __init__(self, width=128):
        super().__init__()
        self.first, stages = nn.Conv1d(80, width, 7, padding=3), []
        for kernel, stride in [(16, 8), (16, 8), (4, 2), (4, 2)]:
            up = nn.ConvTranspose1d(width, width // 2, kernel, stride, (kernel - stride) // 2)
            width //= 2
            stages.append(nn.ModuleList([up, *[nn.Conv1d(width, width, 3, dilation=d, padding=d) for d in (1, 3, 5)]]))
        self.stages, self.last = nn.ModuleList(stages), nn.Conv1d(width, 1, 7, padding=3)

    def forward(self, mels):
        x, leak = self.first(mels), nn.functional.leaky_relu
        for up, *layers in self.stages:
            x = up(leak(x, 0.1))
            for layer in layers:
                x = x + layer(leak(x, 0.1))
        return self.last(leak(x)).tanh()


class WaveGan(nn.Module):
    """Kernels of 25 at a stride of 4, with a border added."""
    def __init__(self, width=16):
        super().__init__()
        self.start, self.width = nn.Linear(100, 8 * width * 16), width
        sizes = [8 * width, 4 * width, 2 * width, width, 1]
        self.ups = nn.ModuleList(nn.ConvTranspose1d(a, b, 25, 4, 11, 1) for a, b in zip(sizes, sizes[1:]))

    def forward(self, noise):
        x = self.start(noise).view(-1, 8 * self.width, 16)
        for up in self.ups:
            x = up(x.relu())
        return x.tanh()


def noise(*sizes):
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(5))


def speecht5_vocoder():
    config = T.SpeechT5HifiGanConfig(upsample_initial_channel=128)
    return T.SpeechT5HifiGan(config), (noise(1, 24, 80),)


def dac_decoder():
    config = T.DacConfig(decoder_hidden_size=192, hidden_size=64, upsampling_ratios=[8, 4, 2])
    return T.DacModel(config).decoder, (noise(1, 64, 16),)


def vits():
    config = T.VitsConfig(vocab_size=40, hidden_size=32, flow_size=32, upsample_initial_channel=64, spectrogram_bins=65)
    return T.VitsModel(config).decoder, (noise(1, 32, 20),)


def painter():
    """Paints blocks of 2 x 2 and of 8 x 8, which do not overlap."""
    layers = [nn.Conv2d(96, 96, 3, 1, 1), nn.GELU(), nn.ConvTranspose2d(96, 48, 2, 2), nn.GELU(), nn.ConvTranspose2d(48, 3, 8, 8)]
    return nn.Sequential(*layers), (image(1, 96, 14, 14),)


MODELS = {
    "dcgan": lambda: (dcgan(), (noise(1, 100, 1, 1),)),
    "pix2pix": lambda: (Pix2Pix(), (image(1, 3, 128, 128),)),
    "cyclegan": lambda: (cyclegan(), (image(1, 3, 128, 128),)),
    "vae_decoder": lambda: (Decoder(), (noise(1, 128),)),
    "fsrcnn": lambda: (SuperResolution(), (image(1, 1, 64, 64),)),
    "bilinear": lambda: (Bilinear(), (image(1, 64, 16, 16),)),
    "painter": painter,
    "hifigan": lambda: (HifiGan(), (noise(1, 80, 20),)),
    "wavegan": lambda: (WaveGan(), (noise(1, 100),)),
    "speecht5_vocoder": speecht5_vocoder,
    "dac_decoder": dac_decoder,
    "vits_decoder": vits,
}


def cases(only):
    for name, make in MODELS.items():
        if only in name:
            model, inputs = make()
            settled = measured(settle(model, gain=1.0), inputs)
            yield Case(name, settled, [inputs], sqnr=rule(settled, inputs))
