"""torchvision's own operators, which the stock runtime has no kernels for: alone, and in detectors from the image to the boxes."""
import torch
import torchvision
from case import Case, Fn
from torch import nn
from torch.export import Dim
from torchvision.models import detection
from torchvision.ops import boxes as box_ops
from torchvision.ops import deform_conv2d, nms, roi_align
from weights import image, measured, settle


def nms_by_class(boxes, scores, classes, threshold):
    """Boxes of unlike classes are moved apart. torchvision's own chooses a way by the number of boxes, so it does not export."""
    return nms(boxes + classes.to(boxes)[:, None] * 4096, scores, threshold)


class Detector(nn.Module):
    """A detector as torchvision makes it, for one image."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        own, box_ops.batched_nms = box_ops.batched_nms, nms_by_class
        try:
            found = self.model([x])[0]
        finally:
            box_ops.batched_nms = own
        # Of scores that nearly agree, the order is that of their last bits; sums do not depend on it.
        weights = found["scores"][:, None]
        return found["scores"], (found["boxes"] * weights).sum(0), (found["labels"][:, None] * weights).sum(0)


class Regions(nn.Module):
    """Features of regions of an image."""

    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 16, 3, padding=1), nn.Linear(16 * 49, 10)

    def forward(self, x, regions):
        return self.head(roi_align(self.conv(x), regions, 7, 0.25, 2).flatten(1))


class Deforms(nn.Module):
    """A convolution whose taps are moved by what it sees."""

    def __init__(self):
        super().__init__()
        self.offset, self.conv = nn.Conv2d(8, 18, 3, padding=1), torchvision.ops.DeformConv2d(8, 8, 3, padding=1)

    def forward(self, x):
        return self.conv(x, self.offset(x))


def random(*shape, seed=0):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


def boxes(count, size=50.0, extent=20.0, seed=1):
    low = random(count, 2, seed=seed) * size
    return torch.cat([low, low + 1 + random(count, 2, seed=seed + 1) * extent], 1)


def regions(count, images=1, size=60.0):
    return torch.cat([(random(count, 1, seed=5) * images).floor(), boxes(count, size, size)], 1)


def suppressions():
    twice = boxes(20).repeat(2, 1)
    odd = boxes(12)
    odd[3:6] = torch.tensor([[5.0, 5, 5, 5], [5, 5, 5, 5], [9, 9, 2, 2]])
    for name, (found, scores, threshold) in {
        "nms_one": (boxes(1), random(1), 0.3), "nms_30": (boxes(30), random(30), 0.3), "nms_300": (boxes(300, 10, 60), random(300), 0.7),
        "nms_ties": (twice, (random(40) * 5).floor() / 5, 0.3), "nms_odd": (odd, random(12), 0.0), "nms_none": (boxes(0), random(0), 0.5),
        "nms_f64": (boxes(30).double(), random(30).double(), 0.3),
    }.items():
        yield Case(name, Fn(lambda b, s, t=threshold: nms(b, s, t)), [(found, scores)])
    yield Case("nms_taken", Fn(lambda b, s: b[nms(b, s, 0.3)] * 2), [(boxes(30), random(30))])
    yield Case("nms_first", Fn(lambda b, s: b[nms(b, s, 0.3)[:10]]), [(boxes(30), random(30))])
    n = Dim("n", max=100)
    runs = [(boxes(count), random(count)) for count in (30, 7, 99)]
    yield Case("nms_any", Fn(lambda b, s: b[nms(b, s, 0.5)]), runs, dynamic=({0: n}, {0: n}))


def alignments():
    huge = torch.tensor([[0, -1000.3, -900.7, 1200.1, 2300.9], [0, -3.2, -2, 30.5, 17.7], [0, 10, 10, 4, 4], [0, 78, 62, 79.9, 63.9], [0, -6, -6, -4, -4]])
    for aligned in (False, True):
        for ratio in (2, 3, -1):
            for name, (x, found, size) in {"": (image(1, 8, 16, 20), regions(9), (7, 5)), "_images": (image(3, 8, 16, 20), regions(9, 3), 3), "_huge": (image(1, 8, 16, 20), huge, 2)}.items():
                scale = 1.0 if name == "_huge" else 0.25
                function = lambda x, r, a=aligned, n=ratio, s=size, k=scale: roi_align(x, r, s, k, n, a)
                yield Case(f"roi_align{name}_{'aligned' if aligned else 'plain'}_{ratio}", Fn(function), [(x, found)])
    sizes = ({0: Dim("n", max=4), 2: Dim("h", min=2, max=40), 3: Dim("w", min=2, max=40)}, {0: Dim("k", max=20)})
    runs = [(image(3, 8, 16, 20), regions(9, 3)), (image(2, 8, 5, 40), regions(20, 2))]
    yield Case("roi_align_any", Fn(lambda x, r: roi_align(x, r, (7, 5), 0.25, 2)), runs, dynamic=sizes)


def deformed(batch, channels, out, groups, parts, window, stride, pad, dilation, masked, scale=2.0):
    down, across = [(size + 2 * pad - dilation * (k - 1) - 1) // stride + 1 for size, k in zip((16, 20), window)]
    taps = window[0] * window[1]
    offset = (random(batch, parts * 2 * taps, down, across, seed=3) - 0.5) * 2 * scale
    weight = random(out, channels // groups, *window, seed=4) - 0.5
    mask = random(batch, parts * taps, down, across, seed=6)
    apply = lambda x, o, w, m: deform_conv2d(x, o, w, None, stride, pad, dilation, m if masked else None)
    return Fn(apply), (image(batch, channels, 16, 20), offset, weight, mask)


def deformations():
    for name, given in {
        "plain": (1, 8, 6, 1, 1, (3, 3), 1, 1, 1, False), "masked": (1, 8, 6, 1, 1, (3, 3), 1, 1, 1, True), "groups": (2, 8, 6, 2, 4, (3, 3), 1, 1, 1, True),
        "strides": (2, 8, 8, 4, 2, (5, 3), 2, 2, 2, True), "far": (1, 8, 6, 1, 1, (3, 3), 1, 1, 1, True, 30.0),
    }.items():
        module, inputs = deformed(*given)
        yield Case(f"deform_conv2d_{name}", module, [inputs])


def detectors():
    options = dict(weights=None, weights_backbone=None, num_classes=21)
    made = {
        "ssdlite": (lambda: detection.ssdlite320_mobilenet_v3_large(**options), (3, 240, 320)),
        "retinanet": (lambda: detection.retinanet_resnet50_fpn(min_size=224, max_size=256, **options), (3, 224, 256)),
        "fcos": (lambda: detection.fcos_resnet50_fpn(min_size=224, max_size=256, **options), (3, 224, 256)),
    }
    for name, (make, shape) in made.items():
        yield name, make, shape


def cases(only):
    layers = {"regions": (Regions, (image(1, 3, 64, 64), regions(5))), "deforms": (Deforms, (image(1, 8, 24, 24),))}
    for name, (make, inputs) in layers.items():
        if only in name:
            yield Case(name, settle(make()), [inputs])
    for case in [*suppressions(), *alignments(), *deformations()]:
        if only in case.name:
            yield case
    for name, make, shape in detectors():
        if only in name:
            picture = (image(1, *shape)[0],)
            detector = settle(Detector(make()))
            for layer, weights in detector.named_parameters():
                if "class" in layer:
                    weights.data *= 0.3  # Scores that are nearly 1 are ordered by their last bit.
            yield Case(f"{name}_whole", measured(detector, picture), [picture])
