/* The convolution of int8_t that all convolutions with 8-bit and 4-bit weights share, also transposed ones. */
#include "convolve.h"

/* The part of the input under the kernel: `rows` times `runs` times `length` elements, and where the weights for it are. */
typedef struct {
    const int8_t *input;
    int32_t rows, input_row, weight_row;
    int32_t runs, input_run, weight_run;
    int32_t length;
    int32_t weight;
} kiln_patch;

static kiln_patch patch_at(const kiln_convolution *c, const int8_t *input, kiln_taps y, kiln_taps x)
{
    int32_t channels = c->group_channels, row = c->x.size * c->input_channels, weight_row = c->x.taps * channels;
    kiln_patch patch = {
        input + (y.input * c->x.size + x.input) * c->input_channels,
        y.count, y.input_step * row, y.tap_step * weight_row,
        x.count, x.input_step * c->input_channels, x.tap_step * channels,
        channels, y.tap * weight_row + x.tap * channels,
    };
    if (patch.rows == 0 || patch.runs == 0) {
        patch.input = input;
        patch.rows = 0;
    } else if (patch.input_run == patch.weight_run && patch.input_run == channels) {
        patch.length = patch.runs * channels;
        patch.runs = 1;
    }
    return patch;
}

/* The sums of `count` output channels (4 or 1), whose weights begin at `first` and every `stride`. */
static void patch_sums(const kiln_convolution *c, const kiln_patch *p, const int8_t *weights, int32_t first, int32_t stride,
    int32_t count, uint32_t sums[4])
{
    const int8_t *row = p->input;
    int32_t weight_row = first + p->weight;
    for (int32_t y = 0; y < p->rows; y++, weight_row += p->weight_row) {
        const int8_t *run = row;
        int32_t weight = weight_row;
        for (int32_t x = 0; x < p->runs; x++, weight += p->weight_run) {
            if (count == 4) {
                c->dot4(sums, run, p->length, c->input_offset, weights, weight, stride);
            } else {
                sums[0] = c->dot(sums[0], run, p->length, c->input_offset, weights, weight);
            }
            if (x + 1 < p->runs) {
                run += p->input_run;
            }
        }
        if (y + 1 < p->rows) {
            row += p->input_row;
        }
    }
}

/* Channels `first` to `end` - 1 of one element of the output. */
static void convolve_channels(const kiln_convolution *c, const kiln_patch *patch, const int8_t *weights,
    int32_t first, int32_t end, int8_t *output)
{
    int32_t stride = c->y.taps * c->x.taps * c->group_channels;
    for (int32_t channel = first; channel < end;) {
        int32_t count = end - channel >= 4 ? 4 : 1;
        uint32_t sums[4];
        kiln_begin_sums(sums, c->bias, channel, count);
        patch_sums(c, patch, weights, channel * stride, stride, count, sums);
        kiln_outputs_s8(sums, count, c->multiplier + channel, c->shift + channel, c->output_offset, c->activation,
            output + channel);
        channel += count;
    }
}

void kiln_convolve(const kiln_convolution *c, const int8_t *input, const int8_t *weights, int8_t *output)
{
    int32_t groups = c->input_channels / c->group_channels, per_group = c->output_channels / groups;
    for (int32_t n = 0; n < c->batches; n++) {
        for (int32_t y = 0; y < c->output_height; y++) {
            kiln_taps taps_y = kiln_taps_at(&c->y, y);
            for (int32_t x = 0; x < c->output_width; x++) {
                kiln_patch patch = patch_at(c, input, taps_y, kiln_taps_at(&c->x, x));
                for (int32_t group = 0; group < groups; group++, patch.input += c->group_channels) {
                    convolve_channels(c, &patch, weights, group * per_group, (group + 1) * per_group, output);
                }
                output += c->output_channels;
            }
        }
        input += c->y.size * c->x.size * c->input_channels;
    }
}
