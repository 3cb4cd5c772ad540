import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A certificate and its private key. */
export interface TestCertificate {
  readonly der: Buffer
  readonly pem: string
  readonly key: KeyObject
  readonly keyPem: string
  readonly subject: readonly TestAttribute[]
  /** `x5t#S256` (RFC 8705 §3.1). */
  readonly thumbprint: string
}

/** An attribute of a name: the OID, the value, and the tag of its string type (default: UTF8String). */
type TestAttribute = readonly [type: string, value: string | Uint8Array, tag?: number]

interface CertificateRequest {
  readonly subject: readonly TestAttribute[]
  /** The authority that signs the certificate. Default: the certificate is self-signed. */
  readonly issuer?: TestCertificate
  readonly isAuthority?: boolean
  readonly dns?: readonly string[]
  readonly uri?: readonly string[]
  readonly email?: readonly string[]
  readonly ip?: readonly Uint8Array[]
  /** The key of another certificate, to use it again. Default: a new key. */
  readonly key?: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  /** In seconds since 1970. */
  readonly notBefore?: number
  readonly notAfter?: number
}

export const commonName = (value: string): TestAttribute => ['2.5.4.3', value]

/** Issues a certificate (RFC 5280 §4.1), by default valid from 2020 to 2049. */
export function issueCertificate(request: CertificateRequest): TestCertificate {
  const { privateKey, publicKey } = request.key ?? generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { notBefore = 1_577_836_800, notAfter = 2_500_000_000 } = request
  const signatureAlgorithm = sequence(oid('1.2.840.10045.4.3.2'))
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    signatureAlgorithm,
    nameOf(request.issuer?.subject ?? request.subject),
    sequence(time(notBefore), time(notAfter)),
    nameOf(request.subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensionsOf(request))),
  )
  const signature = sign('sha256', body, request.issuer?.key ?? privateKey)
  const der = sequence(body, signatureAlgorithm, tlv(0x03, Buffer.of(0), signature))
  return {
    der,
    pem: pemOf(der),
    key: privateKey,
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    subject: request.subject,
    thumbprint: createHash('sha256').update(der).digest('base64url'),
  }
}

function extensionsOf({ isAuthority = false, dns = [], uri = [], email = [], ip = [] }: CertificateRequest): Buffer[] {
  const names = [
    ...email.map((text) => tlv(0x81, Buffer.from(text))),
    ...dns.map((text) => tlv(0x82, Buffer.from(text))),
    ...uri.map((text) => tlv(0x86, Buffer.from(text))),
    ...ip.map((bytes) => tlv(0x87, bytes)),
  ]
  const constraints = sequence(...(isAuthority ? [tlv(0x01, Buffer.of(0xff))] : []))
  return [
    sequence(oid('2.5.29.19'), tlv(0x01, Buffer.of(0xff)), tlv(0x04, constraints)),
    ...(names.length === 0 ? [] : [sequence(oid('2.5.29.17'), tlv(0x04, sequence(...names)))]),
  ]
}

const nameOf = (subject: readonly TestAttribute[]): Buffer =>
  sequence(...subject.map(([type, value, tag = 0x0c]) => tlv(0x31, sequence(oid(type), tlv(tag, Buffer.from(value))))))

const time = (seconds: number): Buffer => {
  const text = new Date(seconds * 1000).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return seconds < 2_524_608_000 ? tlv(0x17, Buffer.from(text.slice(2))) : tlv(0x18, Buffer.from(text))
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc & 0x7f]
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) groups.unshift((left & 0x7f) | 0x80)
    return groups
  })
  return tlv(0x06, Buffer.from(bytes))
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts)

function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), value])
}

const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${(der.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`

/** Creates a self-signed certificate for a server on node:https. Clients must trust it or disable the verification. */
export function selfSignedCertificate(host: string): { readonly key: string; readonly cert: string } {
  const { keyPem, pem } = issueCertificate({ subject: [commonName(host)], dns: [host] })
  return { key: keyPem, cert: pem }
}

/** Returns the header in which a proxy passes on the client's certificate (RFC 9440 §2.2). */
export const certificateHeader = ({ der }: TestCertificate): Record<string, string> => ({
  'client-cert': `:${der.toString('base64')}:`,
})
