//! The same operations by an independent library (RustCrypto), or from a standard's own definitions where there is
//! none: what every measured output is compared with.

mod rijndael;

use aes::cipher::{BlockDecryptMut, BlockEncryptMut, KeyInit, KeyIvInit, StreamCipher};
use aes::cipher::{
    StreamCipherCore, StreamCipherSeekCore, block_padding::NoPadding, consts::U10, consts::U16,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sha2::digest::generic_array::GenericArray;
use sha2::{Digest, Sha256, Sha512};

use crate::failure::failure;

/// FIPS 180-4 §5.3.3.
const SHA256_INITIAL: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// FIPS 180-4 §5.3.5.
const SHA512_INITIAL: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

#[pyfunction]
fn reference_output<'py>(
    py: Python<'py>,
    algorithm: &str,
    operation: &str,
    key: &[u8],
    iv: &[u8],
    data: &[u8],
) -> PyResult<Bound<'py, PyBytes>> {
    let output = match algorithm {
        "sha-256" => sha256(operation, data),
        "sha-512" => sha512(operation, data),
        "chacha20" => chacha20(operation, key, iv, data),
        _ if algorithm.starts_with("rijndael-") => rijndael(algorithm, operation, key, data),
        _ => {
            let mode = algorithm.strip_prefix("aes-").and_then(|rest| rest.split_once('-'));
            match mode {
                Some(("128", mode)) => in_mode::<aes::Aes128>(mode, operation, key, iv, data),
                Some(("192", mode)) => in_mode::<aes::Aes192>(mode, operation, key, iv, data),
                Some(("256", mode)) => in_mode::<aes::Aes256>(mode, operation, key, iv, data),
                _ => None,
            }
        }
    };
    let output = output.ok_or_else(|| {
        failure(format!(
            "no reference for {operation} of {algorithm} with a key of {}, an IV of {} and data of {} bytes",
            key.len(),
            iv.len(),
            data.len()
        ))
    })?;
    Ok(PyBytes::new(py, &output))
}

/// A cipher with blocks of 16 bytes in a mode of operation.
fn in_mode<C>(mode: &str, operation: &str, key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>>
where
    C: KeyInit
        + aes::cipher::BlockCipher
        + aes::cipher::BlockSizeUser<BlockSize = U16>
        + aes::cipher::BlockEncrypt
        + aes::cipher::BlockEncryptMut
        + aes::cipher::BlockDecryptMut,
{
    let mut output = data.to_vec();
    let size = output.len();
    match (mode, operation) {
        (_, "block") | ("ecb", "encrypt") => {
            ecb::Encryptor::<C>::new_from_slice(key)
                .ok()?
                .encrypt_padded_mut::<NoPadding>(&mut output, size)
                .ok()?;
        }
        (_, "block-decrypt") | ("ecb", "decrypt") => {
            ecb::Decryptor::<C>::new_from_slice(key)
                .ok()?
                .decrypt_padded_mut::<NoPadding>(&mut output)
                .ok()?;
        }
        ("cbc", "encrypt") => {
            let cipher = cbc::Encryptor::<C>::new_from_slices(key, iv).ok()?;
            cipher.encrypt_padded_mut::<NoPadding>(&mut output, size).ok()?;
        }
        ("cbc", "decrypt") => {
            let cipher = cbc::Decryptor::<C>::new_from_slices(key, iv).ok()?;
            cipher.decrypt_padded_mut::<NoPadding>(&mut output).ok()?;
        }
        ("ctr", "encrypt" | "decrypt") => {
            ctr::Ctr128BE::<C>::new_from_slices(key, iv).ok()?.apply_keystream(&mut output);
        }
        _ => return None,
    }
    Some(output)
}

/// `rijndael-<block bits>-<key bits>-ecb`; one number stands for both.
fn rijndael(algorithm: &str, operation: &str, key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let sizes = algorithm.strip_prefix("rijndael-")?.strip_suffix("-ecb")?;
    let (block, key_size) = sizes.split_once('-').unwrap_or((sizes, sizes));
    let block_bits: usize = block.parse().ok()?;
    if key_size.parse() != Ok(8 * key.len()) {
        return None;
    }
    let one_block = 8 * data.len() == block_bits;
    let cipher = rijndael::Rijndael::new(block_bits, key)?;
    match operation {
        "encrypt" => cipher.encrypt(data),
        "decrypt" => cipher.decrypt(data),
        "block" if one_block => cipher.encrypt(data),
        "block-decrypt" if one_block => cipher.decrypt(data),
        _ => None,
    }
}

/// RFC 8439. `iv` is words 12 to 15 of the state: the 32-bit counter, little-endian, then the nonce. The
/// counter wraps without touching the nonce, where the library refuses to.
fn chacha20(operation: &str, key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    if operation == "block" {
        return chacha20_block(data);
    }
    if !matches!(operation, "encrypt" | "decrypt") {
        return None;
    }
    let (counter, nonce) = iv.split_first_chunk::<4>()?;
    let mut hart = chacha20::ChaChaCore::<U10>::new_from_slices(key, nonce).ok()?;
    let mut counter = u32::from_le_bytes(*counter);
    let mut output = data.to_vec();
    for block in output.chunks_mut(64) {
        let mut keystream = GenericArray::default();
        hart.set_block_pos(counter);
        hart.write_keystream_block(&mut keystream);
        block.iter_mut().zip(keystream).for_each(|(byte, key)| *byte ^= key);
        counter = counter.wrapping_add(1);
    }
    Some(output)
}

/// RFC 8439 §2.3: the block function on any state. The library runs it on its own constants only; a test holds
/// the two against each other there.
fn chacha20_block(state: &[u8]) -> Option<Vec<u8>> {
    let words: &[u8; 64] = state.try_into().ok()?;
    let mut before = [0u32; 16];
    for (word, bytes) in before.iter_mut().zip(words.chunks_exact(4)) {
        *word = u32::from_le_bytes(bytes.try_into().ok()?);
    }
    let mut x = before;
    let mut quarter_round = |a: usize, b: usize, c: usize, d: usize| {
        for (up, down, left, right) in [(a, d, b, 16), (c, b, d, 12), (a, d, b, 8), (c, b, d, 7)] {
            x[up] = x[up].wrapping_add(x[left]);
            x[down] = (x[down] ^ x[up]).rotate_left(right);
        }
    };
    for _ in 0..10 {
        for column in 0..4 {
            quarter_round(column, column + 4, column + 8, column + 12);
        }
        for diagonal in 0..4 {
            quarter_round(diagonal, 4 + (diagonal + 1) % 4, 8 + (diagonal + 2) % 4, 12 + (diagonal + 3) % 4);
        }
    }
    Some(x.iter().zip(before).flat_map(|(word, first)| word.wrapping_add(first).to_le_bytes()).collect())
}

fn sha256(operation: &str, data: &[u8]) -> Option<Vec<u8>> {
    match operation {
        "hash" => Some(Sha256::digest(data).to_vec()),
        "block" if data.len() == 64 => {
            let mut state = SHA256_INITIAL;
            sha2::compress256(&mut state, &[*GenericArray::from_slice(data)]);
            Some(state.iter().flat_map(|word| word.to_be_bytes()).collect())
        }
        _ => None,
    }
}

fn sha512(operation: &str, data: &[u8]) -> Option<Vec<u8>> {
    match operation {
        "hash" => Some(Sha512::digest(data).to_vec()),
        "block" if data.len() == 128 => {
            let mut state = SHA512_INITIAL;
            sha2::compress512(&mut state, &[*GenericArray::from_slice(data)]);
            Some(state.iter().flat_map(|word| word.to_be_bytes()).collect())
        }
        _ => None,
    }
}

/// xorshift32, one little-endian word after the other (`kernels/harness/buffers.c`).
#[pyfunction]
fn generated(py: Python<'_>, size: usize, seed: u32) -> PyResult<Bound<'_, PyBytes>> {
    PyBytes::new_with(py, size, |bytes| {
        let mut word = seed;
        for chunk in bytes.chunks_mut(4) {
            word ^= word << 13;
            word ^= word >> 17;
            word ^= word << 5;
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(generated, module)?)?;
    module.add_function(wrap_pyfunction!(reference_output, module)?)
}
