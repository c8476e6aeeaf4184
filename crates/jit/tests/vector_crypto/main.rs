//! The interpreter's `vector_crypto` tests, with everything compiled that can be.

#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[allow(unused_imports, reason = "only computational instructions serve as a model here")]
#[path = "../../../engine/tests/oracle/mod.rs"]
mod oracle;
#[path = "../tier/at_once.rs"]
mod tier;

#[path = "../../../engine/tests/vector_crypto/aes.rs"]
mod aes;
#[path = "../../../engine/tests/vector_crypto/element_wise.rs"]
mod element_wise;
#[path = "../../../engine/tests/vector_crypto/ghash.rs"]
mod ghash;
#[path = "../../../engine/tests/vector_crypto/model.rs"]
mod model;
#[path = "../../../engine/tests/vector_crypto/properties.rs"]
mod properties;
#[path = "../../../engine/tests/vector_crypto/reserved.rs"]
mod reserved;
#[path = "../../../engine/tests/vector_crypto/sha2.rs"]
mod sha2;
#[path = "../../../engine/tests/vector_crypto/shangmi.rs"]
mod shangmi;
#[path = "../../../engine/tests/vector_crypto/unit.rs"]
mod unit;

/// All of vector cryptography.
const ISA: &str = "rv64gcv_zvkn_zvks_zvkg_zvbb_zvbc";
