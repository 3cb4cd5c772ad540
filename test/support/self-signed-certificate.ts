import { generateKeyPairSync, sign } from 'node:crypto'

/** Options of node:https. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/**
 * Creates a self-signed certificate for tests that need https: X.509 version 1 (RFC 5280 §4.1), ECDSA over P-256. Clients
 * must trust it or disable certificate verification.
 */
export function selfSignedCertificate(commonName: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(set(sequence(commonNameOid, der(0x0c, Buffer.from(commonName)))))
  const algorithm = sequence(ecdsaWithSha256Oid)
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')))
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' })
  const toBeSigned = sequence(der(0x02, Buffer.from([1])), algorithm, name, validity, name, publicKeyInfo)
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', toBeSigned, privateKey)]))

  const lines =
    sequence(toBeSigned, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, Buffer.concat(parts))
const set = (...parts: readonly Buffer[]): Buffer => der(0x31, Buffer.concat(parts))

/** Encodes tag, length and value (X.690 §8.1). */
function der(tag: number, value: Buffer): Buffer {
  const { length } = value
  const lengthBytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), value])
}

/** The object identifiers 2.5.4.3 and 1.2.840.10045.4.3.2, DER-encoded. */
const commonNameOid = Buffer.from('0603550403', 'hex')
const ecdsaWithSha256Oid = Buffer.from('06082a8648ce3d040302', 'hex')
