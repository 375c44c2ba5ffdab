//! Streaming ciphers: AES in its usual modes, and ChaCha20-Poly1305.
//!
//! Node returns decrypted data before the tag is checked, which RustCrypto's AEAD types do not allow. So the
//! authenticated ciphers are built here from their parts.

use std::{cell::RefCell, rc::Rc};

use aes::cipher::{
    Array, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, KeyInit, KeyIvInit, StreamCipher,
    consts::U16,
};
use aes::{Aes128, Aes192, Aes256};
use chacha20::ChaCha20;
use ghash::{GHash, universal_hash::UniversalHash};
use poly1305::Poly1305;
use rquickjs::{Ctx, Exception, Function, Object, Result};

use super::super::bytes::Bytes;

type Block = Array<u8, U16>;
const BLOCK: usize = 16;

/// Processes whole blocks in place; holds the chaining state of the mode.
type Blocks = Box<dyn FnMut(&mut [Block])>;
/// Encrypts in place. Does not check for the repetition of the key stream after 64 GB.
type Stream = Box<dyn FnMut(&mut [u8])>;

trait Cipher {
    fn update(&mut self, bytes: Vec<u8>) -> Vec<u8>;
    /// Returns the remaining output, or a short error.
    fn finish(&mut self) -> std::result::Result<Vec<u8>, &'static str>;
    fn set_padding(&mut self, _: bool) {}
    fn authenticate(&mut self, _: &[u8]) {}
    fn tag(&mut self) -> Option<Vec<u8>> {
        None
    }
    fn expect_tag(&mut self, _: Vec<u8>) {}
}

/// ECB and CBC, with PKCS #7 padding.
struct BlockCipher {
    blocks: Blocks,
    encrypts: bool,
    padding: bool,
    rest: Vec<u8>,
}

impl BlockCipher {
    fn run(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        let (blocks, _) = Block::slice_as_chunks_mut(&mut bytes);
        (self.blocks)(blocks);
        bytes
    }
}

impl Cipher for BlockCipher {
    fn update(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        self.rest.extend(bytes);
        let mut whole = self.rest.len() / BLOCK * BLOCK;
        // The last block may be padding.
        if !self.encrypts && self.padding && whole == self.rest.len() {
            whole = whole.saturating_sub(BLOCK);
        }
        let rest = self.rest.split_off(whole);
        let bytes = std::mem::replace(&mut self.rest, rest);
        self.run(bytes)
    }

    fn finish(&mut self) -> std::result::Result<Vec<u8>, &'static str> {
        let mut rest = std::mem::take(&mut self.rest);
        if self.encrypts && self.padding {
            let missing = BLOCK - rest.len() % BLOCK;
            rest.extend(std::iter::repeat_n(u8::try_from(missing).unwrap_or_default(), missing));
        }
        if !rest.len().is_multiple_of(BLOCK) || (!self.encrypts && self.padding && rest.is_empty()) {
            return Err("wrong final block length");
        }
        let mut bytes = self.run(rest);
        if !self.encrypts && self.padding {
            let count = usize::from(bytes.last().copied().unwrap_or_default());
            let is_padded =
                (1..=BLOCK).contains(&count) && bytes.iter().rev().take(count).all(|byte| usize::from(*byte) == count);
            if !is_padded {
                return Err("bad decrypt");
            }
            bytes.truncate(bytes.len() - count);
        }
        Ok(bytes)
    }

    fn set_padding(&mut self, padding: bool) {
        self.padding = padding;
    }
}

/// CTR.
struct PlainStream(Stream);

impl Cipher for PlainStream {
    fn update(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        (self.0)(&mut bytes);
        bytes
    }

    fn finish(&mut self) -> std::result::Result<Vec<u8>, &'static str> {
        Ok(Vec::new())
    }
}

/// A stream cipher with a MAC over the ciphertext: GCM and ChaCha20-Poly1305, which differ in the MAC and the encoding
/// of lengths.
struct Authenticated<H> {
    stream: Stream,
    hash: H,
    /// Encrypts the MAC in GCM; zero for ChaCha20-Poly1305, which has a MAC key for each nonce.
    mask: [u8; BLOCK],
    bits: bool,
    encrypts: bool,
    /// An incomplete block.
    pending: Vec<u8>,
    lengths: [u64; 2],
    tag: Option<Vec<u8>>,
}

impl<H: UniversalHash + BlockSizeUser<BlockSize = U16> + Clone> Authenticated<H> {
    fn absorb(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        let whole = self.pending.len() / BLOCK * BLOCK;
        self.hash.update_padded(&self.pending[..whole]);
        self.pending.drain(..whole);
    }

    fn pad(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        self.hash.update_padded(&pending);
    }

    fn code(&mut self) -> Vec<u8> {
        self.pad();
        let mut block = Block::default();
        for (part, length) in block.chunks_exact_mut(8).zip(self.lengths) {
            part.copy_from_slice(&if self.bits { (length * 8).to_be_bytes() } else { length.to_le_bytes() });
        }
        self.hash.update(&[block]);
        self.hash.clone().finalize().iter().zip(self.mask).map(|(byte, mask)| byte ^ mask).collect()
    }
}

impl<H: UniversalHash + BlockSizeUser<BlockSize = U16> + Clone> Cipher for Authenticated<H> {
    fn update(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        if self.lengths[1] == 0 {
            self.pad();
        }
        self.lengths[1] += bytes.len() as u64;
        if !self.encrypts {
            self.absorb(&bytes);
        }
        (self.stream)(&mut bytes);
        if self.encrypts {
            self.absorb(&bytes);
        }
        bytes
    }

    fn finish(&mut self) -> std::result::Result<Vec<u8>, &'static str> {
        let code = self.code();
        if self.encrypts {
            self.tag = Some(code);
            return Ok(Vec::new());
        }
        let expected = self.tag.as_ref().ok_or("no tag")?;
        // Constant time, so that a tag cannot be guessed byte by byte.
        let difference = code.iter().zip(expected).fold(0, |all, (a, b)| all | (a ^ b));
        if difference == 0 && expected.len() <= BLOCK { Ok(Vec::new()) } else { Err("wrong tag") }
    }

    fn authenticate(&mut self, bytes: &[u8]) {
        self.lengths[0] += bytes.len() as u64;
        self.absorb(bytes);
    }

    fn tag(&mut self) -> Option<Vec<u8>> {
        self.tag.clone()
    }

    fn expect_tag(&mut self, tag: Vec<u8>) {
        self.tag = Some(tag);
    }
}

fn gcm<C>(key: &[u8], iv: &[u8], encrypts: bool) -> Option<Box<dyn Cipher>>
where
    C: KeyInit + BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + 'static,
    ctr::Ctr32BE<C>: KeyIvInit + StreamCipher,
{
    let cipher = C::new_from_slice(key).ok()?;
    let mut hash_key = Block::default();
    cipher.encrypt_block(&mut hash_key);
    let hash = GHash::new(&hash_key);
    let mut counter = Block::default();
    if iv.len() == 12 {
        counter[..12].copy_from_slice(iv);
        counter[15] = 1;
    } else {
        let mut hash = hash.clone();
        hash.update_padded(iv);
        let mut length = Block::default();
        length[8..].copy_from_slice(&(iv.len() as u64 * 8).to_be_bytes());
        hash.update(&[length]);
        counter = hash.finalize();
    }
    let mut stream = <ctr::Ctr32BE<C> as KeyIvInit>::new_from_slices(key, &counter).ok()?;
    let mut mask = [0; BLOCK];
    stream.try_apply_keystream(&mut mask).ok()?;
    let stream: Stream = Box::new(move |bytes| stream.unchecked_apply_keystream(bytes));
    let (pending, lengths, tag) = (Vec::new(), [0; 2], None);
    Some(Box::new(Authenticated { stream, hash, mask, bits: true, encrypts, pending, lengths, tag }))
}

fn chacha20_poly1305(key: &[u8], iv: &[u8], encrypts: bool) -> Option<Box<dyn Cipher>> {
    let mut stream = ChaCha20::new_from_slices(key, iv).ok()?;
    // The first 32 bytes of the key stream are the MAC key; the rest of that block is discarded.
    let mut first = [0; 64];
    stream.try_apply_keystream(&mut first).ok()?;
    let hash = Poly1305::new_from_slice(&first[..32]).ok()?;
    let stream: Stream = Box::new(move |bytes| stream.unchecked_apply_keystream(bytes));
    let (pending, lengths, tag) = (Vec::new(), [0; 2], None);
    Some(Box::new(Authenticated { stream, hash, mask: [0; BLOCK], bits: false, encrypts, pending, lengths, tag }))
}

/// An AES mode for one key length; `None` when key or initialization vector have the wrong length.
macro_rules! aes {
    ($Aes:ty, $mode:expr, $key:expr, $iv:expr, $encrypts:expr) => {
        match $mode {
            "gcm" => gcm::<$Aes>($key, $iv, $encrypts),
            "ctr" => {
                let mut stream = ctr::Ctr128BE::<$Aes>::new_from_slices($key, $iv).ok()?;
                Some(Box::new(PlainStream(Box::new(move |bytes| stream.unchecked_apply_keystream(bytes)))))
            }
            "ecb" | "cbc" => {
                let blocks: Blocks = match ($mode, $encrypts) {
                    ("cbc", true) => {
                        let mut cipher = cbc::Encryptor::<$Aes>::new_from_slices($key, $iv).ok()?;
                        Box::new(move |blocks| cipher.encrypt_blocks(blocks))
                    }
                    ("cbc", false) => {
                        let mut cipher = cbc::Decryptor::<$Aes>::new_from_slices($key, $iv).ok()?;
                        Box::new(move |blocks| cipher.decrypt_blocks(blocks))
                    }
                    (_, true) => {
                        let cipher = <$Aes>::new_from_slice($key).ok()?;
                        Box::new(move |blocks| aes::cipher::BlockCipherEncrypt::encrypt_blocks(&cipher, blocks))
                    }
                    (_, false) => {
                        let cipher = <$Aes>::new_from_slice($key).ok()?;
                        Box::new(move |blocks| aes::cipher::BlockCipherDecrypt::decrypt_blocks(&cipher, blocks))
                    }
                };
                Some(Box::new(BlockCipher { blocks, encrypts: $encrypts, padding: true, rest: Vec::new() }))
            }
            _ => None,
        }
    };
}

fn new_cipher(name: &str, key: &[u8], iv: &[u8], encrypts: bool) -> Option<Box<dyn Cipher>> {
    match name.rsplit_once('-')? {
        ("aes-128", mode) => aes!(Aes128, mode, key, iv, encrypts),
        ("aes-192", mode) => aes!(Aes192, mode, key, iv, encrypts),
        ("aes-256", mode) => aes!(Aes256, mode, key, iv, encrypts),
        ("chacha20", "poly1305") => chacha20_poly1305(key, iv, encrypts),
        _ => None,
    }
}

/// The cipher as an object of functions. `finish` throws an `Error` with the text from [`Cipher::finish`].
fn cipher_object<'js>(ctx: &Ctx<'js>, cipher: Box<dyn Cipher>) -> Result<Object<'js>> {
    let state = Rc::new(RefCell::new(cipher));
    let object = Object::new(ctx.clone())?;
    let cipher = state.clone();
    let update = move |bytes: Bytes| Bytes(cipher.borrow_mut().update(bytes.0));
    object.set("update", Function::new(ctx.clone(), update)?)?;
    let cipher = state.clone();
    let finish = move |ctx: Ctx<'js>| {
        cipher.borrow_mut().finish().map(Bytes).map_err(|text| Exception::throw_message(&ctx, text))
    };
    object.set("finish", Function::new(ctx.clone(), finish)?)?;
    let cipher = state.clone();
    let set_padding = move |padding: bool| cipher.borrow_mut().set_padding(padding);
    object.set("setPadding", Function::new(ctx.clone(), set_padding)?)?;
    let cipher = state.clone();
    let authenticate = move |bytes: Bytes| cipher.borrow_mut().authenticate(&bytes.0);
    object.set("authenticate", Function::new(ctx.clone(), authenticate)?)?;
    let cipher = state.clone();
    object.set("tag", Function::new(ctx.clone(), move || cipher.borrow_mut().tag().map(Bytes))?)?;
    let expect_tag = move |tag: Bytes| state.borrow_mut().expect_tag(tag.0);
    object.set("expectTag", Function::new(ctx.clone(), expect_tag)?)?;
    Ok(object)
}

/// Adds `createCipher(name, key, iv, encrypts)`, which returns undefined for a wrong length of key or initialization
/// vector.
pub(super) fn add_exports<'js>(exports: &Object<'js>) -> Result<()> {
    let create = |ctx: Ctx<'js>, name: String, key: Bytes, iv: Bytes, encrypts: bool| {
        new_cipher(&name, &key.0, &iv.0, encrypts).map(|cipher| cipher_object(&ctx, cipher)).transpose()
    };
    exports.set("createCipher", Function::new(exports.ctx().clone(), create)?)
}
