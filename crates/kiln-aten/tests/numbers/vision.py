"""torchvision's ops, and grouped products of transformers."""

import torchvision  # noqa: F401  registers its ops
import transformers.integrations.moe  # noqa: F401  registers the grouped product
from lines import Sym, T, case, r, torch


def boxes(count, size=20.0, extent=12.0):
    low = torch.rand(count, 2) * size
    return torch.round(torch.cat([low, low + 1 + torch.rand(count, 2) * extent], 1) * 8) / 8


def regions(count, images=1, size=16.0):
    return torch.cat([torch.randint(0, images, (count, 1)).float(), boxes(count, size, size)], 1)


def suppressions():
    twice = boxes(6).repeat(2, 1)
    odd = boxes(8)
    odd[3:6] = T([[5.0, 5, 5, 5], [5, 5, 5, 5], [9, 9, 2, 2]])
    odd[6, 2] = float("nan")
    for found, scores, threshold in (
        (boxes(12), torch.rand(12), 0.3), (boxes(1), torch.rand(1), 0.3), (twice, (torch.rand(12) * 3).floor(), 0.3), (odd, torch.rand(8), 0.0),
        (torch.empty(0, 4), torch.empty(0), 0.5), (boxes(12).double(), torch.rand(12).double(), 0.2), (boxes(10, 2, 30), torch.rand(10), 0.5),
        # A ratio of 1/4 that is exactly the threshold.
        (T([[0.0, 0, 4, 4], [0, 0, 2, 2]]), T([0.5, 0.4]), 0.25),
    ):
        case("torchvision.nms.default", dets=found, scores=scores, iou_threshold=threshold)
    case("torchvision.nms.default", dets=Sym(boxes(9), {0: "n"}), scores=Sym(torch.rand(9), {0: "n"}), iou_threshold=0.2)


def alignments():
    # Larger than the image, smaller than a pixel, turned inside out, at the border and beyond.
    odd = T([[0, -40.3, -30.7, 90.1, 77.9], [0, 1, 1, 1.25, 1.5], [0, 5, 5, 2, 1], [0, 11, 8, 12.9, 9.9], [0, -3, -3, -2, -2.0]])
    for aligned in (False, True):
        for ratio in (1, 2, -1):
            for image, found, scale in ((r(1, 2, 5, 7), regions(2), 0.5), (r(2, 1, 4, 4), regions(3, 2), 0.25), (r(1, 1, 9, 12), odd, 1.0)):
                case("torchvision.roi_align.default", input=image, rois=found, spatial_scale=scale, pooled_height=2, pooled_width=3, sampling_ratio=ratio, aligned=aligned)
    case("torchvision.roi_align.default", input=Sym(r(2, 1, 4, 5), {0: "n", 2: "h", 3: "w"}), rois=Sym(regions(3, 2), {0: "k"}), spatial_scale=0.25, pooled_height=2, pooled_width=2,
         sampling_ratio=2, aligned=True)
    case("torchvision.roi_align.default", input=r(1, 1, 4, 4, dtype=torch.float64), rois=regions(1).double(), spatial_scale=0.25, pooled_height=2, pooled_width=2, sampling_ratio=-1, aligned=False)


def deformations():
    for batch, channels, out, groups, parts, (high, wide), stride, pad, dilation, masked, scale in (
        (1, 2, 2, 1, 1, (3, 3), 1, 1, 1, False, 1.0), (2, 4, 2, 2, 2, (2, 3), 2, 1, 2, True, 1.0), (1, 2, 1, 1, 2, (1, 1), 1, 0, 1, True, 20.0),
    ):
        sizes = [(size + 2 * pad - dilation * (taps - 1) - 1) // stride + 1 for size, taps in ((5, high), (6, wide))]
        taps = high * wide
        case("torchvision.deform_conv2d.default", input=r(batch, channels, 5, 6), weight=r(out, channels // groups, high, wide), offset=r(batch, parts * 2 * taps, *sizes) * scale,
             mask=torch.rand(batch, parts * taps, *sizes), bias=r(out), stride_h=stride, stride_w=stride, pad_h=pad, pad_w=pad, dilation_h=dilation, dilation_w=dilation,
             groups=groups, offset_groups=parts, use_mask=masked)


def groups():
    for rows, ends in ((7, [2, 2, 7]), (2, [0, 1, 1, 1, 2, 2, 2, 2]), (6, [1, 3, 4])):
        # Rows behind all groups are zero.
        case("transformers.grouped_mm_fallback.default", input=r(rows, 3), weight=r(len(ends), 3, 2), offs=T(ends, dtype=torch.int32))
    case("aten._grouped_mm.default", self=r(8, 4), mat2=r(2, 4, 4), offs=T([3, 8], dtype=torch.int32))


AREAS = (suppressions, alignments, deformations, groups)
