import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { isCompactJws } from './compact-jws.ts'
import { decodeBody, isJsonObject, parseJsonObject } from './http/message.ts'
import { decodeBase64url } from './runtime.ts'

/** The signature algorithms of proofs, in the order of preference (RFC 9449 §5.1): asymmetric ones only. */
export const proofAlgorithms = ['ES256', 'EdDSA', 'Ed25519', 'PS256'] as const

/** A proof whose form is correct. Its signature and its claims have not been checked. */
export interface ParsedProof {
  readonly jti: string
  readonly htm: JsonValue | undefined
  readonly htu: JsonValue | undefined
  readonly iat: number
  readonly exp: JsonValue | undefined
  readonly nbf: JsonValue | undefined
  readonly ath: JsonValue | undefined
  readonly nonce: JsonValue | undefined
  readonly algorithm: ImportedAlgorithm
  /** Only the members of the public key. */
  readonly jwk: ProofKey
  readonly signingInput: string
  readonly signature: string
}

type ProofKey = Readonly<Record<string, string>>

/** The algorithm to import the key for: EdDSA and Ed25519 are the same (RFC 9864 §2.2). */
type ImportedAlgorithm = 'ES256' | 'EdDSA' | 'PS256'

/**
 * Parses a DPoP proof (RFC 9449 §4.2). Header members that name other keys, such as `kid` and `jku`, have no effect.
 * @returns `undefined` unless the form is correct.
 */
export function parseProof(text: string): ParsedProof | undefined {
  const [head = '', body = '', signature = ''] = isCompactJws(text, maxLength) ? text.split('.') : []
  const header = parsePart(head)
  const claims = parsePart(body)
  const key = header === undefined ? undefined : readKey(header)
  if (claims === undefined || key === undefined) return undefined
  const { jti, htm, htu, iat, exp, nbf, ath, nonce } = claims
  // RFC 9449 §4.2: both are required.
  if (!isUsableJti(jti) || typeof iat !== 'number') return undefined
  return { ...key, jti, htm, htu, iat, exp, nbf, ath, nonce, signingInput: `${head}.${body}`, signature }
}

const parsePart = (part: string): JsonObject | undefined => parseJsonObject(decodeBody(decodeBase64url(part)) ?? '')

/** In characters: a proof with an RSA key of 4096 bits has about 2,500. */
const maxLength = 4096

/**
 * Whether the `jti` is a short printable string, and not a name that every JavaScript object inherits: a store that
 * uses plain objects would find those names.
 */
const isUsableJti = (jti: unknown): jti is string =>
  typeof jti === 'string' && /^[\x20-\x7E]{1,256}$/.test(jti) && !(jti in Object.prototype)

/** Reads the key of the header; `undefined` unless header and key have the form that RFC 9449 §4.3 demands. */
function readKey(header: JsonObject): Pick<ParsedProof, 'algorithm' | 'jwk'> | undefined {
  const { typ, alg, jwk, crit, b64 } = header
  // RFC 8725 §3.11: JWTs that the client signed for other purposes have another type.
  if (typeof typ !== 'string' || typ.toLowerCase() !== 'dpop+jwt') return undefined
  // RFC 7515 §4.1.11: critical extensions are not supported, and RFC 7797 is one.
  if (crit !== undefined || b64 !== undefined || !isJsonObject(jwk)) return undefined
  // RFC 9449 §4.2: the key must be public. A proof that contains private members has revealed the private key.
  if (['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'].some((name) => Object.hasOwn(jwk, name))) return undefined
  const form = keyForms.find(({ algorithms }) => algorithms.some((name) => name === alg))
  if (form === undefined) return undefined
  const members = Object.entries(form.members)
  const keyMembers = members.flatMap(([name, pattern]): (readonly [string, string])[] => {
    const value = Object.hasOwn(jwk, name) ? jwk[name] : undefined
    return typeof value === 'string' && pattern.test(value) ? [[name, value]] : []
  })
  return keyMembers.length === members.length
    ? { algorithm: form.importedAs, jwk: Object.fromEntries(keyMembers) }
    : undefined
}

/** 32 bytes in base64url. The unused bits of the last character are zero, so that each key has only one thumbprint. */
const bytes32 = /^[\w-]{42}[AEIMQUYcgkosw048]$/

/**
 * The public keys by algorithm. `members` are the members that the thumbprint contains, in the same order (RFC 7638 §3.2,
 * RFC 8037 §2).
 */
const keyForms = [
  { algorithms: ['ES256'], importedAs: 'ES256', members: { crv: /^P-256$/, kty: /^EC$/, x: bytes32, y: bytes32 } },
  { algorithms: ['EdDSA', 'Ed25519'], importedAs: 'EdDSA', members: { crv: /^Ed25519$/, kty: /^OKP$/, x: bytes32 } },
  // 2048 to 4096 bits, because larger keys take too long to verify. The first bit of `n` is one: it has no leading zeros.
  {
    algorithms: ['PS256'],
    importedAs: 'PS256',
    members: { e: /^AQAB$/, kty: /^RSA$/, n: /^[g-z0-9_-][\w-]{341,682}$/ },
  },
] as const satisfies readonly {
  readonly algorithms: readonly (typeof proofAlgorithms)[number][]
  readonly importedAs: ImportedAlgorithm
  readonly members: Readonly<Record<string, RegExp>>
}[]

/** Whether the proof is for this method, which is case-sensitive, and this URL (RFC 9449 §4.3). */
export const isProofFor = (
  { htm, htu }: ParsedProof,
  { method, url }: { readonly method: string; readonly url: string },
): boolean => htm === method && isSameTarget(htu, url)

/**
 * Whether `htu` is the expected URL, after normalization and without query and fragment (RFC 9449 §4.3, RFC 3986
 * §6.2.2). The path is case-sensitive.
 */
function isSameTarget(htu: unknown, expected: string): boolean {
  // Relative URLs, and malformed URLs that `URL` would correct, are refused (RFC 3986 §4.3).
  if (typeof htu !== 'string' || !/^https?:\/\/[^\s\\]{1,2000}$/i.test(htu) || !URL.canParse(htu)) return false
  const { origin, pathname, username, password } = new URL(htu)
  const target = new URL(expected)
  return origin === target.origin && pathname === target.pathname && username === '' && password === ''
}

/** In seconds: how old a proof may be, and how far the clock of the client may be ahead. */
interface Tolerance {
  readonly past: number
  readonly future: number
}

/** Whether the proof is recent by its `iat` (RFC 9449 §4.2) and, if present, its `exp` and `nbf` (RFC 7519 §4.1). */
export function isProofRecent({ iat, exp, nbf }: ParsedProof, { past, future }: Tolerance, now: number): boolean {
  if (!(iat >= now - past && iat <= now + future)) return false
  if (exp !== undefined && !(typeof exp === 'number' && now < exp + future)) return false
  return nbf === undefined || (typeof nbf === 'number' && nbf <= now + future)
}
