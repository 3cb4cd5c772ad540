import {
  aBoolean,
  aListOfStrings,
  aNonEmptyString,
  checkOptions,
  encodeBase64url,
  required,
  sha256,
  systemRandom,
} from '@mintmark/internal'

/** An X.509 certificate with its private key, for mutual TLS in tests (RFC 8705). */
export interface TestCertificate {
  readonly commonName: string
  /** In PEM. */
  readonly certificate: string
  /** In PEM (PKCS #8). */
  readonly privateKey: string
  /** The `x5t#S256` of tokens that are bound to the certificate (RFC 8705 §3.1). */
  readonly thumbprint: string
  /** The value of a `Client-Cert` header, as a proxy forwards it (RFC 9440 §2.2). */
  readonly header: string
  /** The certificate as a member of `x5c` in a key set (RFC 7517 §4.7), for `self_signed_tls_client_auth`. */
  readonly x5c: string
}

/** The contents of a certificate, and its issuer. */
interface TestCertificateRequest {
  /** The name of the owner. The subject of the certificate consists only of this `CN`. */
  readonly commonName: string
  /**
   * The DNS names of the owner: `localhost` for a server, or the name in the registration of a client.
   * @defaultValue None. A client with `tls_client_auth_subject_dn` needs no other name.
   */
  readonly dns?: readonly string[]
  /**
   * The certificate authority that signs the certificate.
   * @defaultValue None. The certificate is self-signed, which is sufficient for `self_signed_tls_client_auth`.
   */
  readonly signedBy?: TestCertificate
  /**
   * Whether the certificate is a certificate authority, which may sign others.
   * @defaultValue `false`. Clients and servers sign no certificates.
   */
  readonly isAuthority?: boolean
}

/** Creates a P-256 certificate that is valid from 2020 to 2049 (RFC 5280 §4.1). */
export async function createTestCertificate(request: TestCertificateRequest): Promise<TestCertificate> {
  checkOptions('createTestCertificate', request, {
    commonName: required(aNonEmptyString),
    dns: aListOfStrings,
    signedBy: (issuer: unknown) =>
      aNonEmptyString(Reflect.get(Object(issuer), 'privateKey')) && 'must be a test certificate',
    isAuthority: aBoolean,
  })
  const { commonName, signedBy } = request
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const body = sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, Uint8Array.of(1), systemRandom(8)),
    ecdsaWithSha256,
    nameOf(signedBy?.commonName ?? commonName),
    sequence(der(0x17, utf8('200101000000Z')), der(0x17, utf8('491231235959Z'))),
    nameOf(commonName),
    new Uint8Array(await crypto.subtle.exportKey('spki', publicKey)),
    der(0xa3, sequence(...extensionsOf(request))),
  )
  const signingKey = signedBy === undefined ? privateKey : await importKey(signedBy.privateKey)
  const certificate = sequence(body, ecdsaWithSha256, der(0x03, Uint8Array.of(0), await sign(signingKey, body)))
  const base64 = toBase64(certificate)
  return {
    commonName,
    certificate: pemOf('CERTIFICATE', base64),
    privateKey: pemOf('PRIVATE KEY', toBase64(new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey)))),
    thumbprint: encodeBase64url(await sha256(certificate)),
    header: `:${base64}:`,
    x5c: base64,
  }
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }

const importKey = (pem: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    'pkcs8',
    Uint8Array.from(atob(pem.replaceAll(/-----[^-]*-----|\n/g, '')), (character) => character.charCodeAt(0)),
    algorithm,
    false,
    ['sign'],
  )

/**
 * Signs bytes. Converts the two concatenated numbers of Web Crypto to the sequence in certificates (RFC 3279 §2.2.3).
 */
async function sign(key: CryptoKey, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const numbers = new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes))
  return sequence(integer(numbers.subarray(0, 32)), integer(numbers.subarray(32)))
}

/** Encodes a positive integer in as few bytes as possible (X.690 §8.3). */
function integer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const significant = bytes.subarray(bytes.findIndex((byte) => byte !== 0))
  return der(0x02, (significant[0] ?? 0) < 0x80 ? Uint8Array.of() : Uint8Array.of(0), significant)
}

function extensionsOf({ dns = [], isAuthority = false }: TestCertificateRequest): Uint8Array[] {
  const constraints = sequence(...(isAuthority ? [der(0x01, Uint8Array.of(0xff))] : []))
  const critical = der(0x01, Uint8Array.of(0xff))
  const names = sequence(...dns.map((name) => der(0x82, utf8(name))))
  return [
    sequence(basicConstraints, critical, der(0x04, constraints)),
    ...(dns.length === 0 ? [] : [sequence(subjectAlternativeName, der(0x04, names))]),
  ]
}

const nameOf = (text: string): Uint8Array => sequence(der(0x31, sequence(commonNameType, der(0x0c, utf8(text)))))

const sequence = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => der(0x30, ...parts)

/** Encodes a tag, a length and a value (X.690 §8.1). */
function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((total, part) => total + part.length, 0)
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Uint8Array.from([tag, ...size, ...parts.flatMap((part) => [...part])])
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The object identifiers 2.5.4.3, 2.5.29.19 and 2.5.29.17. */
const commonNameType = der(0x06, Uint8Array.of(0x55, 0x04, 0x03))
const basicConstraints = der(0x06, Uint8Array.of(0x55, 0x1d, 0x13))
const subjectAlternativeName = der(0x06, Uint8Array.of(0x55, 0x1d, 0x11))
/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = sequence(der(0x06, Uint8Array.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)))

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const pemOf = (label: string, base64: string): string =>
  `-----BEGIN ${label}-----\n${(base64.match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${label}-----\n`
