import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'

/**
 * Creates a key pair of a client. Returns a function that creates DPoP proofs for `POST` requests to the URL (RFC 9449
 * §4.2), and that costs the driver little.
 */
export function createProver(url: string): () => string {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const head = encode({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) })
  return () => {
    const claims = { jti: randomUUID(), htm: 'POST', htu: url, iat: Math.floor(Date.now() / 1000) }
    const signed = `${head}.${encode(claims)}`
    return `${signed}.${sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
