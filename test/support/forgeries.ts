import { base64url, exportSPKI, importJWK, type CryptoKey, type JWK } from 'jose'

import { signEs256, signHs256, signNothing, setUnusedBits, writeJws, type SignBytes } from './forge-jwt.ts'

/** A valid JWT, with its signer's key and an attacker's key to make changed versions of it. */
export interface GenuineJwt {
  readonly token: string
  /** Another valid JWT from the same signer. */
  readonly other: string
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: Readonly<Record<string, unknown>>
  /** Signs with the correct key, to test malformed tokens whose signature is valid. */
  readonly sign: SignBytes
  readonly publicJwk: JWK
  readonly attacker: { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey }
}

/** A JWT that every verifier must reject. */
export interface Forgery {
  readonly row: string
  readonly forge: (jwt: GenuineJwt) => string | Promise<string>
}

const withHeader =
  (change: Readonly<Record<string, unknown>>, sign?: SignBytes) =>
  (jwt: GenuineJwt): Promise<string> =>
    writeJws({ ...jwt.header, ...change }, jwt.payload, sign ?? jwt.sign)

const signByAttacker =
  (change: Readonly<Record<string, unknown>>) =>
  (jwt: GenuineJwt): Promise<string> =>
    writeJws({ ...jwt.header, alg: 'ES256', ...change }, jwt.payload, signEs256(jwt.attacker.privateKey))

const parts = (token: string): [string, string, string] => token.split('.') as [string, string, string]

/** Signs with HMAC and uses the public key, in one of its encodings, as the secret. */
const signWithHmac =
  (encode: (spki: string, jwk: JWK) => string | Uint8Array) =>
  async (jwt: GenuineJwt): Promise<string> => {
    const key = await importJWK(jwt.publicJwk, String(jwt.header['alg']), { extractable: true })
    const secret = encode(await exportSPKI(key as CryptoKey), jwt.publicJwk)
    const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret
    return writeJws({ ...jwt.header, alg: 'HS256' }, jwt.payload, signHs256(bytes))
  }

const withPayload =
  (payload: unknown) =>
  (jwt: GenuineJwt): Promise<string> =>
    writeJws(jwt.header, payload, jwt.sign)

const reassemble =
  (write: (header: string, payload: string, signature: string) => string) =>
  ({ token }: GenuineJwt): string =>
    write(...parts(token))

const der = (spki: string): Uint8Array => Buffer.from(spki.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')

/** Tokens with invalid signatures, with keys in the header, and strings that are not a JWS. */
export const forgeries: readonly Forgery[] = [
  ...['none', 'None', 'NONE', 'nOnE', ''].map((alg) => ({
    row: `alg ${JSON.stringify(alg)} without a signature (RFC 8725 §3.1)`,
    forge: withHeader({ alg }, signNothing()),
  })),
  { row: 'alg none with a signature (RFC 8725 §3.1)', forge: withHeader({ alg: 'none' }) },
  { row: 'no alg (RFC 8725 §3.1)', forge: withHeader({ alg: undefined }) },
  { row: 'HS256 keyed with the public key as PEM', forge: signWithHmac((spki) => `${spki.trimEnd()}\n`) },
  {
    row: 'HS256 keyed with the public key as PEM without a trailing newline',
    forge: signWithHmac((spki) => spki.trimEnd()),
  },
  { row: 'HS256 keyed with the public key as DER', forge: signWithHmac((spki) => der(spki)) },
  { row: 'HS256 keyed with the public key as JWK text', forge: signWithHmac((_, jwk) => JSON.stringify(jwk)) },
  { row: 'HS256 keyed with a single byte', forge: signWithHmac(() => '\0') },
  ...[
    'RS256',
    'PS256',
    'RS384',
    'RS512',
    'ES256',
    'ES384',
    'ES512',
    'ES256K',
    'EdDSA',
    'Ed25519',
    'HS256',
    'HS512',
    'RSA-OAEP',
    'es256',
    'rs256',
    '__proto__',
  ].map((alg) => ({
    row: `alg ${alg}, which does not fit the key`,
    forge: (jwt: GenuineJwt) => withHeader({ alg: alg === jwt.header['alg'] ? 'PS512' : alg })(jwt),
  })),
  { row: 'a signature of 64 zeros (RFC 7518 §3.4)', forge: withHeader({}, signNothing(64)) },
  { row: 'a signature of 256 zeros (RFC 7518 §3.4)', forge: withHeader({}, signNothing(256)) },
  { row: 'the signature is empty', forge: reassemble((header, payload) => `${header}.${payload}.`) },
  { row: 'the signature is removed', forge: reassemble((header, payload) => `${header}.${payload}`) },
  {
    row: 'the signature is cut',
    forge: reassemble((header, payload, signature) => `${header}.${payload}.${signature.slice(0, -4)}`),
  },
  {
    row: 'the signature of another token',
    forge: ({ token, other }) => [...parts(token).slice(0, 2), parts(other)[2]].join('.'),
  },
  {
    row: 'the payload of another token',
    forge: ({ token, other }) => [parts(token)[0], parts(other)[1], parts(token)[2]].join('.'),
  },
  { row: "a signature with an attacker's key", forge: signByAttacker({}) },
  {
    row: "the attacker's key is in the header",
    forge: async (jwt) => signByAttacker({ jwk: await publicJwkOf(jwt), kid: undefined })(jwt),
  },
  {
    row: "the attacker's key is in the header, with the right kid",
    forge: async (jwt) => signByAttacker({ jwk: await publicJwkOf(jwt) })(jwt),
  },
  {
    row: "the header points to the attacker's key set (RFC 8725 §3.10)",
    forge: signByAttacker({ jku: 'https://evil.test/jwks' }),
  },
  {
    row: "the header points to the attacker's certificate (RFC 8725 §3.10)",
    forge: signByAttacker({ x5u: 'https://evil.test/cert' }),
  },
  {
    row: 'a self-signed chain in the header',
    forge: signByAttacker({ x5c: ['MIIBszCCAVmgAwIBAgIUQ'], 'x5t#S256': 'x' }),
  },
  ...[
    '../../etc/passwd',
    "' OR 1=1--",
    '__proto__',
    'constructor',
    'x'.repeat(10_240),
    7,
    null,
    true,
    [],
    {},
    '\0',
    '',
  ].map((kid) => ({
    row: `kid ${JSON.stringify(kid).slice(0, 20)}`,
    forge: withHeader({ kid }),
  })),
  {
    row: 'the right kid with a space before it',
    forge: (jwt) => withHeader({ kid: ` ${String(jwt.header['kid'])}` })(jwt),
  },
  { row: 'kid of a key that is not published', forge: withHeader({ kid: 'unpublished' }) },
  ...[['x'], [], 'x', ['b64'], ['exp'], ['alg'], [''], [7], null, {}].map((crit) => ({
    row: `crit ${JSON.stringify(crit)}`,
    forge: withHeader({ crit, x: 1 }),
  })),
  { row: 'b64 false', forge: withHeader({ b64: false }) },
  { row: 'b64 false, and critical', forge: withHeader({ b64: false, crit: ['b64'] }) },
  ...[[], ['x'], 'text', '"text"', 7, '7', null, 'null', 'true', '', '{', '{"sub":"U1"', '\uFEFF{}'].map((payload) => ({
    row: `the payload is ${JSON.stringify(payload)}`,
    forge: withPayload(payload),
  })),
  {
    row: 'the payload is not UTF-8',
    forge: (jwt) => withRawPayload(jwt, new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
  },
  {
    row: 'four segments',
    forge: reassemble((header, payload, signature) => `${header}.${payload}.${signature}.x`),
  },
  {
    row: 'five segments',
    forge: reassemble((header, payload, signature) => `${header}.${payload}.${signature}.x.y`),
  },
  {
    row: 'a JWE',
    forge: () => `${base64url.encode('{"alg":"dir","enc":"A128GCM"}')}..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`,
  },
  {
    row: 'the flattened JSON serialisation',
    forge: reassemble((header, payload, signature) => JSON.stringify({ protected: header, payload, signature })),
  },
  {
    row: 'the general JSON serialisation',
    forge: reassemble((header, payload, signature) =>
      JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
    ),
  },
  { row: 'a trailing dot', forge: ({ token }) => `${token}.` },
  { row: 'a leading dot', forge: ({ token }) => `.${token}` },
  { row: 'a detached payload', forge: reassemble((header, _payload, signature) => `${header}..${signature}`) },
  { row: 'a trailing space', forge: ({ token }) => `${token} ` },
  { row: 'a line break inside', forge: ({ token }) => `${token.slice(0, 60)}\n${token.slice(60)}` },
  {
    row: 'a tab after a dot',
    forge: reassemble((header, payload, signature) => `${header}.\t${payload}.${signature}`),
  },
  {
    row: 'padding',
    forge: reassemble(
      (header, payload, signature) =>
        `${header}.${payload}.${signature}${'='.repeat((4 - (signature.length % 4)) % 4 || 4)}`,
    ),
  },
  {
    row: 'plain base64 with a plus',
    forge: reassemble((header, payload, signature) => `${header}.${payload}.+${signature.slice(1)}`),
  },
  {
    row: 'non-zero unused bits in the signature',
    forge: reassemble((header, payload, signature) => `${header}.${payload}.${setUnusedBits(signature)}`),
  },
  { row: 'a trailing NUL', forge: ({ token }) => `${token}\0` },
  { row: 'the scheme before the token', forge: ({ token }) => `Bearer ${token}` },
  {
    row: 'the header contains alg twice, and the second value is none (RFC 7515 §4)',
    forge: (jwt) => writeJws(repeatMember(jwt.header, '"alg":"none"'), jwt.payload, jwt.sign),
  },
  {
    row: 'the payload contains iss twice, and the second value differs (RFC 7519 §4)',
    forge: (jwt) => writeJws(jwt.header, repeatMember(jwt.payload, '"iss":"https://evil.test"'), jwt.sign),
  },
  { row: 'the header is an array (RFC 7515 §4)', forge: (jwt) => writeJws([], jwt.payload, jwt.sign) },
  { row: 'the header is null (RFC 7515 §4)', forge: (jwt) => writeJws('null', jwt.payload, jwt.sign) },
  { row: 'the header is a string (RFC 7515 §4)', forge: (jwt) => writeJws('none', jwt.payload, jwt.sign) },
  {
    row: 'a JWT inside a JWT (RFC 7519 §5.2)',
    forge: (jwt) => writeJws({ ...jwt.header, cty: 'JWT' }, jwt.token, jwt.sign),
  },
]

/** Returns the object as JSON text with the member appended; the name of the member then occurs twice. */
const repeatMember = (object: Readonly<Record<string, unknown>>, member: string): string =>
  `${JSON.stringify(object).slice(0, -1)},${member}}`

const publicJwkOf = async (jwt: GenuineJwt): Promise<JsonWebKey> =>
  crypto.subtle.exportKey('jwk', jwt.attacker.publicKey)

async function withRawPayload(jwt: GenuineJwt, payload: Uint8Array): Promise<string> {
  const input = `${base64url.encode(JSON.stringify(jwt.header))}.${base64url.encode(payload)}`
  return `${input}.${base64url.encode(await jwt.sign(new TextEncoder().encode(input)))}`
}
