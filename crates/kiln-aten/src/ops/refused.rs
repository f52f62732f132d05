//! Ops that Kiln knows but cannot express in core ops. Each row says what to do instead.

use crate::call::error::Problem;
use crate::importer::returns::Returns;
use crate::importer::row::Row;

/// Rows that are refused for one reason.
macro_rules! refused {
    ($reason:literal, $($schema:literal),* $(,)?) => {
        Row::new(|_, _| refuse($reason), &[$($schema),*])
    };
}

fn refuse(reason: &str) -> Result<Returns, Problem> {
    Err(Problem::unsupported(reason))
}

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    refused!(
        "the number of distinct elements is data; keep this outside the model",
        "aten._unique.default(self, sorted=True, return_inverse=False)",
        "aten._unique2.default(self, sorted=True, return_inverse=False, return_counts=False)",
        "aten.unique_dim.default(self, dim, sorted=True, return_inverse=False, return_counts=False)",
        "aten.unique_consecutive.default(self, return_inverse=False, return_counts=False, dim=None)",
        "aten.unique_dim_consecutive.default(self, dim, return_inverse=False, return_counts=False)",
    ),
    refused!(
        "is fused by eager PyTorch only; call `torch.backends.mha.set_fastpath_enabled(False)` before export",
        "aten._transformer_encoder_layer_fwd.default(src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first, eps, norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2, mask=None, mask_type=None)",
        "aten._native_multi_head_attention.default(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask=None, need_weights=True, average_attn_weights=True, mask_type=None)",
    ),
    refused!(
        "a decomposition of matrices; compute it ahead of time or outside the model",
        "aten._linalg_svd.default(A, full_matrices=False, compute_uv=True, *, driver=None)",
        "aten._linalg_eigh.default(A, UPLO=\"L\", compute_v=True)",
        "aten._linalg_det.default(A)",
        "aten._linalg_solve_ex.default(A, B, *, left=True, check_errors=False)",
        "aten.linalg_qr.default(A, mode=\"reduced\")",
        "aten.linalg_cholesky_ex.default(self, *, upper=False, check_errors=False)",
        "aten.linalg_inv_ex.default(A, *, check_errors=False)",
        "aten.linalg_inv.default(A)",
    ),
];
