"""Image architectures of timm, cut to few layers or small inputs, with random weights."""
import timm
import torch
from case import Case
from weights import image, settle

MODELS = """
vit_tiny_patch16_224:64 deit_tiny_distilled_patch16_224:64 vit_base_patch32_clip_224:64 vit_small_patch16_dinov3:64 vit_pwee_patch16_reg1_gap_256:64
eva02_tiny_patch14_224:56 mixer_s32_224:64 gmixer_12_224:64 gmlp_ti16_224:64 resmlp_12_224:64 regnetx_002:64 regnety_002:64 regnetz_005:64 resnext26ts:64 resnet10t:64
resnet26d:64 resnetblur18:64 resnetaa50:64 seresnet18:64 ecaresnet26t:64 skresnet18:64 res2net50_14w_8s:64 resnest14d:64 densenet121:64 inception_v3:96 inception_v4:96 inception_resnet_v2:96
xception41:64 nfnet_l0:64 nf_resnet26:64 eca_nfnet_l0:64 pvt_v2_b0:64 coat_tiny:64 coat_lite_mini:64 coatnet_pico_rw_224:64 coatnet_nano_rw_224:64 poolformer_s12:64 poolformerv2_s12:64 caformer_s18:64 convformer_s18:64
efficientformer_l1:224 efficientformerv2_s0:224 repvgg_a0:64 repvit_m0_9:64 hrnet_w18_small:64 mnasnet_small:64 rexnet_100:64 tinynet_e:64 crossvit_tiny_240:240 crossvit_9_dagger_240:240 levit_128s:224 xcit_nano_12_p16_224:64
maxvit_pico_rw_256:64 maxvit_rmlp_pico_rw_256:64 mobileone_s0:64 fastvit_t8:64 tf_efficientnet_b0:65 tf_efficientnetv2_b0:65 tf_mobilenetv3_large_minimal_100:65 tf_mixnet_s:65 efficientnet_lite0:64 mixnet_s:64 legacy_senet154:64 legacy_seresnet18:64
dla34:64 dla46x_c:64 ese_vovnet19b_dw:64 convmixer_768_32:56 convnextv2_atto:64 edgenext_xx_small:64 mobilevit_xxs:64 mobilevitv2_050:64 mobilenetv1_100:64 mobilenetv4_conv_small:64 mobilenetv4_hybrid_medium:64
ghostnet_100:64 ghostnetv2_100:64 ghostnetv3_050:64 lcnet_050:64 hardcorenas_a:64 fbnetc_100:64 fbnetv3_b:64 spnasnet_100:64 semnasnet_075:64 hgnet_tiny:64 hgnetv2_b0:64 cspresnet50:64 cspdarknet53:64 darknet17:64 cs3darknet_s:64 selecsls42b:64
vgg11:64 vgg11_bn:64 wide_resnet50_2:64 gcresnext26ts:64 gernet_s:64 bat_resnext26ts:64 botnet26t_256:256 halonet26t:256 lambda_resnet26t:256 sebotnet33ts_256:256 haloregnetz_b:224 visformer_tiny:224 tnt_s_legacy_patch16_224:224
swin_tiny_patch4_window7_224:224 swinv2_tiny_window8_256:64 swinv2_cr_tiny_ns_224:224 swin_s3_tiny_224:224 twins_pcpvt_small:64 twins_svt_small:64 volo_d1_224:224 cait_xxs24_224:64 convit_tiny:224 beit_base_patch16_224:64 beitv2_base_patch16_224:64
pit_ti_224:224 pit_ti_distilled_224:224 nest_tiny_jx:64 nest_tiny:64 sequencer2d_s:64 focalnet_tiny_srf:64 davit_tiny:64 gcvit_xxtiny:224 hiera_tiny_224:224 hieradet_small:64 mvitv2_tiny:64 inception_next_atto:64 metaformer?
vitamin_small_224:64 tiny_vit_5m_224:64 efficientvit_b0:64 efficientvit_m0:224 rdnet_tiny:64 starnet_s1:64 mambaout_femto:64 shvit_s1:64 swiftformer_xs:64 test_vit:64 test_byobnet:64 test_resnet:64 test_efficientnet:64 test_convnext:64 nextvit_small:64
fasternet_t0:64 csatv2:256 vit_relpos_small_patch16_224:64 vit_srelpos_small_patch16_224:64 vit_medium_patch16_rope_reg1_gap_256:64 samvit_base_patch16:64 naflexvit_base_patch16_gap:64 sknet? dpn68:64 vovnet39a:64 resnetv2_18:64 resnetv2_50x1_bit:64 resnetrs50:64
mobilenet_edgetpu_v2_xs:64 efficientnet_es:64 efficientnet_cc_b0_4e:64 efficientnet_blur_b0:64 tresnet_m:64 aimv2_large_patch14_224:56 vit_small_patch8_224:32 vit_small_r26_s32_224:64 vit_tiny_r_s16_p8_224:64 flexivit_small:64
""".split()

CUTS = [dict(depth=2), dict(depths=(1, 1, 1, 1)), dict(layers=(1, 1, 1, 1)), dict(depths=(1, 1, 1)), dict()]


def create(name, size):
    """Cut to little depth where the model takes such an argument, at the input size that it takes."""
    errors = []
    for cut in (CUTS if not name.startswith("test_") else [dict()]):
        for sized in (dict(img_size=size), dict()):
            try:
                model = timm.create_model(name, pretrained=False, num_classes=10, **cut, **sized)
                x = image(1, 3, size, size)
                model.eval()
                with torch.no_grad():
                    model(x)
                return settle(model), x
            except Exception as e:  # noqa: BLE001 - the next form of arguments may do
                errors.append(f"{type(e).__name__}: {str(e)[:80]}")
    raise RuntimeError(" / ".join(dict.fromkeys(errors)))


def cases(only):
    for entry in MODELS:
        if "?" in entry or (only and only not in entry):
            continue
        name, size = entry.split(":")
        try:
            model, x = create(name, int(size))
        except Exception as e:  # noqa: BLE001
            print(name, "not made:", str(e)[:160], flush=True)
            continue
        yield Case(name, model, [(x,)], sqnr=95.0)
