"""Image models at the size that they ship in: classifiers, segmentation, depth, flow, images from images."""
import timm
import torch
import torch.nn.functional as F
import torchvision
import transformers as T
from case import Case
from hf_models import Pick
from torch import nn
from weights import image, measured, rule, settle

TIMM = """
levit_128:224 edgenext_xx_small:256 fastvit_t8:256 mobilevitv2_050:256 ghostnetv2_100:224 hiera_tiny_224:224 efficientformer_l1:224 repvit_m0_9:224
efficientvit_b0:224 mobilenetv4_conv_small:224 mobilenetv4_hybrid_medium:224 tiny_vit_5m_224:224 pvt_v2_b0:224 coatnet_nano_rw_224:224 maxvit_rmlp_pico_rw_256:256
poolformer_s12:224 hrnet_w18_small:224 convnext_nano:224 resnet50:224 efficientnet_lite0:224 mobilenetv3_large_100:224 regnety_002:224 xcit_nano_12_p16_224:224
swinv2_cr_tiny_ns_224:224 mobileone_s0:224 res2net50_14w_8s:224 densenet121:224 inception_v3:299 eca_nfnet_l0:224 volo_d1_224:224
""".split()


class Attention2d(nn.Module):
    """Self-attention over the places of an image, as in diffusion networks."""

    def __init__(self, channels, heads=4):
        super().__init__()
        self.norm, self.qkv, self.out, self.heads = nn.GroupNorm(8, channels), nn.Conv2d(channels, 3 * channels, 1), nn.Conv2d(channels, channels, 1), heads

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, 3, self.heads, c // self.heads, h * w).transpose(-1, -2).unbind(1)
        return x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(-1, -2).reshape(b, c, h, w))


class Block2d(nn.Module):
    """A residual block that takes an embedding of the time step."""

    def __init__(self, a, b, time):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(8, a), nn.SiLU(), nn.Conv2d(a, b, 3, padding=1))
        self.time, self.skip = nn.Linear(time, b), nn.Conv2d(a, b, 1) if a != b else nn.Identity()
        self.second = nn.Sequential(nn.GroupNorm(8, b), nn.SiLU(), nn.Conv2d(b, b, 3, padding=1))

    def forward(self, x, time):
        return self.skip(x) + self.second(self.first(x) + self.time(time)[..., None, None])


class Denoiser(nn.Module):
    """A U-Net with attention and an embedding of the time step."""

    def __init__(self, width=32, time=64):
        super().__init__()
        self.time, self.embed, self.stem = time, nn.Sequential(nn.Linear(time, time), nn.SiLU()), nn.Conv2d(4, width, 3, padding=1)
        self.down1, self.down2, self.middle = Block2d(width, width, time), Block2d(width, 2 * width, time), Block2d(2 * width, 2 * width, time)
        self.attention, self.shrink = Attention2d(2 * width), nn.Conv2d(2 * width, 2 * width, 3, 2, 1)
        self.up, self.head = Block2d(4 * width, width, time), nn.Conv2d(2 * width, 4, 3, padding=1)

    def forward(self, x, step):
        frequencies = torch.exp(-torch.arange(self.time // 2) * 0.3)
        angles = step[:, None].float() * frequencies
        time = self.embed(torch.cat([angles.sin(), angles.cos()], -1))
        a = self.down1(self.stem(x), time)
        b = self.down2(a, time)
        c = self.attention(self.middle(self.shrink(b), time))
        d = self.up(torch.cat([F.interpolate(c, scale_factor=2.0, mode="nearest"), b], 1), time)
        return self.head(torch.cat([d, a], 1))


def padded(a, b, size, stride=1):
    return nn.Sequential(nn.ReflectionPad2d(size // 2), nn.Conv2d(a, b, size, stride), nn.InstanceNorm2d(b, affine=True), nn.ReLU())


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.layers(x)


def style():
    """Style transfer: reflected borders, instance norms, upsampling."""
    up = [nn.Upsample(scale_factor=2), padded(64, 32, 3), nn.Upsample(scale_factor=2), padded(32, 16, 3)]
    return nn.Sequential(padded(3, 16, 9), padded(16, 32, 3, 2), padded(32, 64, 3, 2), *[Residual(padded(64, 64, 3), padded(64, 64, 3)) for _ in range(3)], *up,
                         nn.ReflectionPad2d(4), nn.Conv2d(16, 3, 9))


def larger():
    """Super-resolution by sub-pixels."""
    body = [Residual(nn.Conv2d(32, 32, 3, padding=1), nn.PReLU(), nn.Conv2d(32, 32, 3, padding=1)) for _ in range(4)]
    return nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), *body, nn.Conv2d(32, 48, 3, padding=1), nn.PixelShuffle(4))


class Stem(nn.Module):
    """A convolution in front of a max pool, alone."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.pool = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.MaxPool2d(3, 2, 1)

    def forward(self, x):
        return self.pool(F.relu(self.norm(self.conv(x))))


class Named(nn.Module):
    """One entry of a model's dictionary of results."""

    def __init__(self, model, name):
        super().__init__()
        self.model, self.name = model, name

    def forward(self, x):
        return self.model(x)[self.name]


class LastFlow(nn.Module):
    """The last of an iterative model's fields of flow."""

    def __init__(self, model, updates):
        super().__init__()
        self.model, self.updates = model, updates

    def forward(self, a, b):
        return self.model(a, b, num_flow_updates=self.updates)[-1]


def clip():
    vision = T.CLIPVisionConfig(hidden_size=192, num_hidden_layers=6, num_attention_heads=3, intermediate_size=768, patch_size=32)
    text = T.CLIPTextConfig(hidden_size=192, num_hidden_layers=4, num_attention_heads=3, intermediate_size=768, vocab_size=2000, eos_token_id=1999)
    return Pick(T.CLIPModel(T.CLIPConfig(vision_config=vision.to_dict(), text_config=text.to_dict(), projection_dim=128)), ["input_ids", "pixel_values"], ("logits_per_image",))


def words(*shape):
    return torch.randint(0, 1999, shape, generator=torch.Generator().manual_seed(3))


def hf(model, config, output="last_hidden_state"):
    return lambda: Pick(model(config), ["pixel_values"], (output,))


SMALL = dict(hidden_size=384, num_hidden_layers=4, num_attention_heads=6)
OTHERS = {
    "swin_t": (lambda: torchvision.models.swin_t(weights=None), lambda: (image(1, 3, 224, 224),)),
    "dinov2_small": (hf(T.Dinov2Model, T.Dinov2Config(**SMALL, mlp_ratio=4, image_size=224, patch_size=14)), lambda: (image(1, 3, 224, 224),)),
    "siglip": (hf(T.SiglipVisionModel, T.SiglipVisionConfig(**SMALL, intermediate_size=1536, image_size=224)), lambda: (image(1, 3, 224, 224),)),
    "segformer_b0": (hf(T.SegformerForSemanticSegmentation, T.SegformerConfig(num_labels=19), "logits"), lambda: (image(1, 3, 256, 256),)),
    "clip": (clip, lambda: (words(2, 16), image(1, 3, 224, 224))),
    "deeplab": (lambda: Named(torchvision.models.segmentation.deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None), "out"), lambda: (image(1, 3, 224, 224),)),
    "lraspp": (lambda: Named(torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None), "out"), lambda: (image(1, 3, 224, 224),)),
    "raft_small": (lambda: LastFlow(torchvision.models.optical_flow.raft_small(weights=None), 4), lambda: (image(1, 3, 128, 160), image(1, 3, 128, 160, seed=2))),
    "denoiser": (Denoiser, lambda: (image(1, 4, 32, 32), torch.tensor([17]))),
    "style": (style, lambda: (image(1, 3, 96, 96),)),
    "super_resolution": (larger, lambda: (image(1, 3, 64, 64),)),
    "stem": (Stem, lambda: (image(1, 3, 224, 224),)),
}


def timm_model(entry):
    name, size = entry.split(":")
    return name, lambda: timm.create_model(name, pretrained=False), lambda: (image(1, 3, int(size), int(size)),)


def cases(only):
    for name, model, inputs in [timm_model(entry) for entry in TIMM] + [(name, *made) for name, made in OTHERS.items()]:
        if only in name:
            settled = measured(settle(model(), gain=0.5), inputs())
            least = rule(settled, inputs())
            if least < 80:
                print(f"{name}: PyTorch's own result is {least + 6:.0f} dB from that in doubles")
            yield Case(name, settled, [inputs()], sqnr=least)
