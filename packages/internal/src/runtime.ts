import { epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'
import { type SecretDigest, secretDigest } from '@mintmark/storage-interface/stores'
import * as base64url from 'jose/base64url'

/** The globals by which a runtime identifies itself (WinterTC). Older runtimes have no user agent. */
const runtime = globalThis as {
  readonly process?: { getBuiltinModule?(name: string): unknown }
  readonly navigator?: { readonly userAgent?: string }
}

/** Whether this is Cloudflare's runtime. */
export const isWorkerd = runtime.navigator?.userAgent === 'Cloudflare-Workers'

/**
 * Returns a built-in module of Node in runtimes that have it: Node, Bun and Deno. The modules are an optimization:
 * without them, Web Crypto and JavaScript do the same work. workerd is excluded because its versions are incomplete:
 * its `crypto.verify` rejects a key object together with an encoding (seen 2026-11, covered by test/runtimes).
 */
export const nodeBuiltin = (name: string): unknown =>
  isWorkerd ? undefined : runtime.process?.getBuiltinModule?.(name)

/**
 * The part of Node's crypto module that Mintmark uses. Web Crypto works through promises and the thread pool, which costs
 * more than a short digest or an elliptic-curve signature itself.
 */
interface NodeCrypto {
  hash(algorithm: 'sha256', data: string | Uint8Array, outputEncoding: 'buffer'): Uint8Array
  hash(algorithm: 'sha256', data: string | Uint8Array, outputEncoding: 'base64url'): string
  /** Returns ECDSA signatures in DER. The digest is `null` for EdDSA, which has its own. */
  sign(digest: 'sha256' | null, data: Uint8Array, key: NodeKey): Uint8Array
  /** Takes ECDSA signatures in DER. */
  verify(digest: 'sha256' | null, data: Uint8Array, key: NodeKey, signature: Uint8Array): boolean
  readonly KeyObject: {
    /** Prints a warning when the key is not extractable. */
    from(key: object): NodeKey
  }
}

/** Node's representation of a key. */
interface NodeKey {
  readonly asymmetricKeyType?: string
}

/** Node's crypto module, if the runtime has it. It is looked up once, when this file is loaded. */
export const nodeCrypto = nodeBuiltin('node:crypto') as NodeCrypto | undefined

/** Encodes the bytes, or the UTF-8 bytes of the string, as base64url without padding (RFC 4648 §5, RFC 7515 §2). */
type EncodeBase64url = (data: Uint8Array | string) => string

/** Chosen once. Encoding in JavaScript is several times slower than Node's encoder. */
export const encodeBase64url: EncodeBase64url = nodeEncoder(nodeBuiltin('node:buffer')) ?? base64url.encode

function nodeEncoder(module: unknown): EncodeBase64url | undefined {
  if (module === undefined) return undefined
  const { from } = (module as { readonly Buffer: { from: BufferFrom } }).Buffer
  return (data) =>
    (typeof data === 'string' ? from(data) : from(data.buffer, data.byteOffset, data.byteLength)).toString('base64url')
}

/** Decodes canonical base64url. The result for other strings depends on the runtime, so check the string first. */
export const decodeBase64url: (text: string) => Uint8Array = nodeDecoder(nodeBuiltin('node:buffer')) ?? base64url.decode

function nodeDecoder(module: unknown): ((text: string) => Uint8Array) | undefined {
  if (module === undefined) return undefined
  const { from } = (module as { readonly Buffer: { from: BufferFrom } }).Buffer
  return (text) => {
    // Not the Buffer itself: its `slice` returns a view instead of a copy.
    const { buffer, byteOffset, length } = from(text, 'base64url')
    return new Uint8Array(buffer, byteOffset, length)
  }
}

interface BufferFrom {
  (text: string): NodeBuffer
  (text: string, encoding: 'base64url'): Uint8Array
  (memory: ArrayBufferLike, byteOffset: number, length: number): NodeBuffer
}

interface NodeBuffer {
  toString(encoding: 'base64url'): string
}

/**
 * Computes the SHA-256 of a secret in base64url, for storage; synchronously where the runtime allows it. It is meant for secrets of 256 random bits, which cannot
 * be guessed; it is not suitable for passwords that users choose.
 */
export const digestSecret: DigestSecret = nodeCrypto === undefined ? webDigestSecret : nodeDigestSecret(nodeCrypto)

type DigestSecret = (secret: string | Uint8Array) => SecretDigest | Promise<SecretDigest>

/** Node returns the digest as a string in one call. Encoding bytes as a string would cost as much as the digest. */
function nodeDigestSecret(node: NodeCrypto): DigestSecret {
  return (secret) => secretDigest(node.hash('sha256', secret, 'base64url'))
}

async function webDigestSecret(secret: string | Uint8Array): Promise<SecretDigest> {
  return secretDigest(encodeBase64url(await webSha256(secret)))
}

/** Whether to record that a secret was used. Recording it once an hour keeps authentication free of writes. */
export const isSecretUseDue = (lastUsedAt: EpochSeconds | undefined, now: EpochSeconds): boolean =>
  lastUsedAt === undefined || now - lastUsedAt >= 3600

/**
 * Computes the SHA-256 of the bytes, or of the UTF-8 bytes of the string; synchronously where the runtime allows it.
 */
export const sha256: Sha256 = nodeCrypto === undefined ? webSha256 : nodeSha256(nodeCrypto)

type Sha256 = (data: string | Uint8Array) => Uint8Array | Promise<Uint8Array>

function nodeSha256(node: NodeCrypto): Sha256 {
  return (data) => node.hash('sha256', data, 'buffer')
}

async function webSha256(data: string | Uint8Array): Promise<Uint8Array> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data)
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/**
 * Computes the HMAC-SHA-256 of the message, 32 bytes (RFC 2104 §2). It computes two digests instead of calling Web
 * Crypto, which would import the key for each message, or Node's `createHmac`, which takes several times as long.
 * @param key at most 64 bytes.
 */
export const hmacSha256: HmacSha256 = nodeCrypto === undefined ? webHmacSha256 : nodeHmacSha256(nodeCrypto)

type HmacSha256 = (key: Uint8Array, message: Uint8Array) => Uint8Array | Promise<Uint8Array>

function nodeHmacSha256(node: NodeCrypto): HmacSha256 {
  return (key, message) => {
    const inner = node.hash('sha256', padKey(key, 0x36, message), 'buffer')
    return node.hash('sha256', padKey(key, 0x5c, inner), 'buffer')
  }
}

async function webHmacSha256(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const inner = await webSha256(padKey(key, 0x36, message))
  return webSha256(padKey(key, 0x5c, inner))
}

/**
 * Returns the key, padded with zeros to a block and with each byte XORed with `pad`, followed by the message.
 * @throws TypeError when the key is longer than a block.
 */
function padKey(key: Uint8Array, pad: number, text: Uint8Array): Uint8Array {
  if (key.length > blockLength) throw new TypeError('The key of an HMAC must not be longer than 64 bytes.')
  const bytes = new Uint8Array(blockLength + text.length).fill(pad, 0, blockLength)
  for (let index = 0; index < key.length; index += 1) bytes[index] = (key[index] ?? 0) ^ pad
  bytes.set(text, blockLength)
  return bytes
}

/** The block size of SHA-256 in bytes (RFC 2104 §2: B). */
const blockLength = 64

/**
 * Compares two strings in a time that depends only on their lengths, so that the delay of a response does not reveal how
 * many leading characters matched.
 */
export function equalInConstantTime(left: string, right: string): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index += 1) difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}

/**
 * Returns `byteCount` unpredictable bytes.
 * @defaultValue Web Crypto. Tests pass predictable bytes.
 */
export type Random = (byteCount: number) => Uint8Array

export const systemRandom: Random = (byteCount) => crypto.getRandomValues(new Uint8Array(byteCount))

/**
 * Draws bytes in blocks, because for a short secret, the fixed cost of a draw is nearly all of it. Bytes are removed from
 * the block when they are returned. A block is used only in the second in which it was drawn: a copy of the process, such
 * as a snapshot of a virtual machine that is started twice, then begins with a block of its own.
 */
export function drawInBlocks(random: Random, clock: Clock): Random {
  let block: Uint8Array = new Uint8Array()
  let used = 0
  let drawnAt: EpochSeconds | undefined
  return (byteCount) => {
    if (byteCount > longestFromBlock) return random(byteCount)
    const now = clock()
    if (now !== drawnAt || used + byteCount > block.length) {
      block = random(drawnBlock)
      used = 0
      drawnAt = now
    }
    const bytes = block.slice(used, used + byteCount)
    block.fill(0, used, used + byteCount)
    used += byteCount
    return bytes
  }
}

/** In bytes: about twenty secrets. */
const drawnBlock = 1024

const longestFromBlock = 64

/**
 * Returns the bytes, or if their base64url begins with `-` or `_`, a copy whose base64url begins with a letter. A command
 * line would take a secret or an identifier that begins with `-` for an option, and a spreadsheet for a formula. Such
 * text has the entropy of the bytes except for a tenth of a bit.
 */
export function avoidLeadingSign(bytes: Uint8Array): Uint8Array {
  const first = bytes[0] ?? 0
  // The last two of the 64 characters are `-` and `_` (RFC 4648 §5). The first character encodes the upper six bits.
  return first < 0xf8 ? bytes : Uint8Array.of(first & 0x07, ...bytes.subarray(1))
}

/**
 * Creates a secret of 256 random bits in base64url (43 characters): a code, a handle, a cookie, a client secret. It begins
 * with a letter or a digit.
 */
export const randomSecret = (random: Random): string => encodeBase64url(avoidLeadingSign(random(32)))

/**
 * Creates an identifier of 128 random bits in base64url (22 characters), which begins with a letter or a digit. It is not
 * a secret.
 */
export const randomIdentifier = (random: Random): string => encodeBase64url(avoidLeadingSign(random(identifierLength)))

/**
 * Replaces the beginning of a random identifier by the time, so that identifiers sort by their second: rows that are inserted
 * together are then neighbours in the tree of their key, and a database reads and writes fewer pages. 90 bits stay random.
 */
export const datedIdentifier = (identifier: string, now: number): string =>
  now.toString(36).padStart(7, '0') + identifier.slice(7)

/** Creates an identifier like `randomIdentifier` that begins with the time. */
export const randomDatedIdentifier = (random: Random, now: number): string =>
  datedIdentifier(randomIdentifier(random), now)

/**
 * Creates a secret and the identifier of its record. One draw serves both, because a draw costs more than the bytes.
 */
export function randomSecretAndIdentifier(random: Random): { readonly secret: string; readonly identifier: string } {
  const bytes = random(48)
  return { secret: randomSecret(() => bytes.subarray(0, 32)), identifier: randomIdentifier(() => bytes.subarray(32)) }
}

/**
 * Creates a generator of identifiers that no other generator creates: 128 bits, drawn once, and a counter. They are not
 * secrets.
 */
export function identifierSeries(random: Random): () => string {
  const series = randomIdentifier(random)
  let count = 0
  return () => {
    count += 1
    return `${series}.${count}`
  }
}

/**
 * Creates a generator of random identifiers like `randomIdentifier`, which draws them in blocks because each draw has a
 * fixed cost.
 */
export function randomIdentifiers(random: Random): () => string {
  let block: Uint8Array = new Uint8Array()
  let used = 0
  return () => {
    if (used === block.length) {
      block = random(identifierLength * 128)
      used = 0
    }
    used += identifierLength
    return randomIdentifier(() => block.subarray(used - identifierLength, used))
  }
}

/** In bytes. */
const identifierLength = 16

/**
 * Returns the current time. A request reads it once and passes it on as `now`.
 * @defaultValue The system clock. Tests pass their own.
 */
export type Clock = () => EpochSeconds

export const systemClock: Clock = () => epochSeconds(Date.now() / 1000)

/**
 * Returns the milliseconds of a monotonic clock, for measuring durations. Changes of the system clock do not affect it.
 */
export const elapsed = (): number => performance.now()
