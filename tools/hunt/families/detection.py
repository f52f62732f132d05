"""Detectors and what comes behind them: boxes, masks, the best of many, key points."""
import torch
import torch.nn.functional as F
import torchvision
import transformers as T
from case import Case
from hf_models import Pick
from torch import nn
from weights import image, measured, settle


def conv(a, b, kernel=3, stride=1, groups=1):
    return nn.Sequential(nn.Conv2d(a, b, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(b), nn.SiLU())


class Stage(nn.Module):
    """Half of the channels through bottlenecks, all results joined (YOLO's C2f)."""

    def __init__(self, a, b, depth=1):
        super().__init__()
        self.first, self.last = conv(a, b, 1), conv((2 + depth) * b // 2, b, 1)
        self.blocks = nn.ModuleList(nn.Sequential(conv(b // 2, b // 2), conv(b // 2, b // 2)) for _ in range(depth))

    def forward(self, x):
        parts = list(self.first(x).chunk(2, 1))
        for block in self.blocks:
            parts.append(parts[-1] + block(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Pools(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.first, self.last, self.pool = conv(a, a // 2, 1), conv(2 * a, a, 1), nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        parts = [self.first(x)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Neck(nn.Module):
    """Features of three scales, each with what the coarser ones know."""

    def __init__(self, width=16):
        super().__init__()
        w = width
        self.p3 = nn.Sequential(conv(3, w, 3, 2), conv(w, 2 * w, 3, 2), Stage(2 * w, 2 * w), conv(2 * w, 4 * w, 3, 2), Stage(4 * w, 4 * w))
        self.p4, self.p5 = nn.Sequential(conv(4 * w, 8 * w, 3, 2), Stage(8 * w, 8 * w)), nn.Sequential(conv(8 * w, 8 * w, 3, 2), Stage(8 * w, 8 * w), Pools(8 * w))
        self.up4, self.up3, self.down4 = Stage(16 * w, 4 * w), Stage(8 * w, 4 * w), Stage(8 * w, 4 * w)
        self.shrink, self.out = conv(4 * w, 4 * w, 3, 2), 4 * w

    def forward(self, x):
        p3 = self.p3(x)
        p4 = self.p4(p3)
        p5 = self.p5(p4)
        u4 = self.up4(torch.cat([F.interpolate(p5, scale_factor=2.0), p4], 1))
        u3 = self.up3(torch.cat([F.interpolate(u4, scale_factor=2.0), p3], 1))
        return [u3, self.down4(torch.cat([self.shrink(u3), u4], 1))]


class Distances(nn.Module):
    """Boxes as the mean of a distribution of distances from each place (YOLOv8's head)."""

    def __init__(self, classes=20, bins=16):
        super().__init__()
        self.neck, self.bins = Neck(), bins
        self.boxes = nn.ModuleList(nn.Sequential(conv(self.neck.out, 64), nn.Conv2d(64, 4 * bins, 1)) for _ in range(2))
        self.classes = nn.ModuleList(nn.Sequential(conv(self.neck.out, 64), nn.Conv2d(64, classes, 1)) for _ in range(2))
        self.register_buffer("steps", torch.arange(bins, dtype=torch.float32)[None, :, None, None])

    def forward(self, x):
        found = []
        for level, (box, kind, stride) in enumerate(zip(self.boxes, self.classes, (8, 16))):
            features = self.feature(x, level)
            b, _, h, w = features.shape
            places = torch.stack(torch.meshgrid(torch.arange(w) + 0.5, torch.arange(h) + 0.5, indexing="xy"), 0).reshape(1, 2, h * w)
            distances = box(features).reshape(b, 4, self.bins, h * w).transpose(1, 2).softmax(1)
            low, high = (distances * self.steps).sum(1).reshape(b, 4, h * w).chunk(2, 1)
            corners = (places - low, places + high)
            boxes = torch.cat([(corners[0] + corners[1]) / 2, corners[1] - corners[0]], 1) * stride
            found.append(torch.cat([boxes, kind(features).reshape(b, -1, h * w).sigmoid()], 1))
        return torch.cat(found, 2)

    def feature(self, x, level):
        if level == 0:
            self.kept = self.neck(x)
        return self.kept[level]


class Best(nn.Module):
    """The detector above, and the boxes of the hundred best scores."""

    def __init__(self):
        super().__init__()
        self.detector = Distances()

    def forward(self, x):
        found = self.detector(x)
        boxes, scores = found[:, :4].transpose(1, 2), found[:, 4:].transpose(1, 2)
        score, kind = scores.max(-1)
        best, at = score.topk(100, dim=1)
        return boxes.gather(1, at[..., None].expand(-1, -1, 4)), best, kind.gather(1, at)


class Overlaps(nn.Module):
    """A head with the best fifty, their overlaps with each other, and what a better box hides (matrix NMS)."""

    def __init__(self, places=400):
        super().__init__()
        self.features = nn.Sequential(conv(3, 32, 3, 2), conv(32, 32, 3, 2), conv(32, 32, 3, 2), conv(32, 64, 3, 2))
        self.scores, self.boxes = nn.Conv2d(64, 5, 1), nn.Conv2d(64, 4, 1)

    def forward(self, x):
        f = self.features(x)
        scores = self.scores(f).flatten(2).sigmoid().amax(1)
        boxes = self.boxes(f).flatten(2).transpose(1, 2)
        best, at = scores.topk(50, dim=1)
        boxes = torch.gather(boxes, 1, at[..., None].expand(-1, -1, 4))
        low, high = boxes[..., :2] - boxes[..., 2:].exp() / 2, boxes[..., :2] + boxes[..., 2:].exp() / 2
        size = (torch.minimum(high[:, :, None], high[:, None]) - torch.maximum(low[:, :, None], low[:, None])).clamp(min=0)
        both, areas = size.prod(-1), (high - low).prod(-1)
        overlap = both / (areas[:, :, None] + areas[:, None] - both + 1e-6)
        hidden = torch.triu((overlap > 0.5).float(), 1).amax(1)
        return low, high, best * (1 - hidden), (best * (1 - hidden)) > 0.1


class Peaks(nn.Module):
    """Key points: where a heat map is greatest, with offsets, and the best ten centres (CenterNet)."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(conv(3, 32, 3, 2), conv(32, 64, 3, 2), Stage(64, 64))
        self.heat, self.offsets = nn.Conv2d(64, 17, 1), nn.Conv2d(64, 34, 1)

    def forward(self, x):
        f = self.features(x)
        heat, offsets = self.heat(f).sigmoid(), self.offsets(f)
        peaks = heat * (heat == F.max_pool2d(heat, 3, 1, 1)).float()
        best, at = peaks.flatten(2).max(-1)
        near = torch.gather(offsets.reshape(1, 17, 2, -1), 3, at[..., None, None].expand(-1, -1, 2, 1))[..., 0]
        width = heat.shape[-1]
        place = torch.stack([(at % width).float(), torch.div(at, width, rounding_mode="floor").float()], -1)
        return (place + near) * 4, best


class Fold(nn.Module):
    """A face detector's outputs as a phone's app takes them: anchors decoded, scores of which are faces."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(conv(3, 24, 5, 2), conv(24, 48, 3, 2), conv(48, 96, 3, 2))
        self.score, self.box = nn.Conv2d(96, 2, 1), nn.Conv2d(96, 32, 1)
        self.register_buffer("anchors", torch.rand(512, 2, generator=torch.Generator().manual_seed(1)))

    def forward(self, x):
        f = self.net(x)
        scores = self.score(f).permute(0, 2, 3, 1).reshape(1, -1, 1).clamp(-100, 100).sigmoid()
        raw = self.box(f).permute(0, 2, 3, 1).reshape(1, -1, 16)
        centre = raw[..., :2] / 128 + self.anchors
        half = raw[..., 2:4] / 256
        points = raw[..., 4:].reshape(1, -1, 6, 2) / 128 + self.anchors[:, None]
        return torch.cat([centre - half, centre + half, points.flatten(2)], -1), torch.where(scores > 0.5, scores, torch.zeros_like(scores))


class Heads(nn.Module):
    """Torchvision's SSDLite up to its heads, without the search for what to keep."""

    def __init__(self):
        super().__init__()
        model = torchvision.models.detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=21)
        self.backbone, self.head = model.backbone, model.head

    def forward(self, x):
        heads = self.head(list(self.backbone(x).values()))
        return heads["bbox_regression"], heads["cls_logits"].softmax(-1)


class Masks(nn.Module):
    """Instances as products of coefficients with prototypes, cropped to their boxes (YOLACT)."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(conv(3, 32, 3, 2), conv(32, 64, 3, 2))
        self.prototypes, self.heads = nn.Conv2d(64, 16, 1), nn.Sequential(conv(64, 64, 3, 4), nn.Conv2d(64, 21, 1))

    def forward(self, x):
        f = self.features(x)
        prototypes, found = self.prototypes(f), self.heads(f).flatten(2).transpose(1, 2)
        _, at = found[..., 0].topk(10, dim=1)
        chosen = torch.gather(found, 1, at[..., None].expand(-1, -1, 21))
        masks = torch.einsum("bnc,bchw->bnhw", chosen[..., 5:].tanh(), prototypes).sigmoid()
        low, high = chosen[..., 1:3].sigmoid() * 20, 30 + chosen[..., 3:5].sigmoid() * 20
        h, w = masks.shape[-2:]
        ys, xs = torch.arange(h, dtype=torch.float32)[:, None], torch.arange(w, dtype=torch.float32)[None]
        inside = (xs >= low[..., 0, None, None]) & (xs <= high[..., 0, None, None]) & (ys >= low[..., 1, None, None]) & (ys <= high[..., 1, None, None])
        return masks * inside


BACKBONE = T.ResNetConfig(embedding_size=32, hidden_sizes=[64, 96, 128, 160], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage4"])
DETR = T.DetrConfig(use_timm_backbone=False, backbone_config=BACKBONE, d_model=128, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=512,
                    decoder_ffn_dim=512, num_queries=50, num_labels=20)
RT = T.RTDetrConfig(backbone_config=T.RTDetrResNetConfig(embedding_size=32, hidden_sizes=[32, 64, 96, 128], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage2", "stage3", "stage4"]),
                    encoder_hidden_dim=64, encoder_in_channels=[64, 96, 128], encoder_attention_heads=4, encoder_ffn_dim=128, d_model=64, decoder_in_channels=[64, 64, 64], decoder_layers=2,
                    decoder_attention_heads=4, decoder_ffn_dim=128, num_queries=50, num_labels=20, anchor_image_size=None)
YOLOS = T.YolosConfig(hidden_size=192, num_hidden_layers=4, num_attention_heads=3, intermediate_size=768, image_size=[160, 160], num_detection_tokens=50)
BOXES = ("logits", "pred_boxes")
MODELS = {
    "distances": (Distances, 160), "best": (Best, 160), "overlaps": (Overlaps, 160), "peaks": (Peaks, 128), "face": (Fold, 128), "ssdlite": (Heads, 320), "masks": (Masks, 128),
    "detr": (lambda: Pick(T.DetrForObjectDetection(DETR), ["pixel_values"], BOXES), 160),
    "rt_detr": (lambda: Pick(T.RTDetrForObjectDetection(RT), ["pixel_values"], BOXES), 160),
    "yolos": (lambda: Pick(T.YolosForObjectDetection(YOLOS), ["pixel_values"], BOXES), 160),
}


def cases(only):
    for name, (model, size) in MODELS.items():
        if only not in name:
            continue
        try:
            picture = image(1, 3, size, size)
            yield Case(name, measured(settle(model()), (picture,)), [(picture,)])
        except Exception as e:  # noqa: BLE001 - this build of the library may lack it
            print(name, "not made:", type(e).__name__, str(e)[:200], flush=True)
