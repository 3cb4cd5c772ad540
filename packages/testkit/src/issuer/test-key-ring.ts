import { keyId, type JsonObject } from '@mintmark/storage-interface'
import type { KeyRing, SigningAlgorithm } from '@mintmark/core'
import type { PublicKey, Signer } from '@mintmark/core/internal'

import { publishedKeys, type PublishedKey } from './published-keys.ts'

/** A key ring whose ES256 key can be changed for the next one. */
export interface TestKeyRing extends KeyRing {
  /** From now on the next ES256 key signs; the one before stays published. */
  rotate(): void
}

/** The published keys as a key ring: no key is made, and none is stored. */
export function testKeyRing(): TestKeyRing {
  const [first, second, rsa] = publishedKeys
  let [published, signing]: [readonly PublishedKey[], PublishedKey] = [[first, rsa], first]
  let shown: readonly PublicKey[] = published.map(publicKey)

  return {
    algorithms: ['ES256', 'RS256'],
    signer: (algorithm) => signerOf(algorithm === 'RS256' ? rsa : signing, algorithm),
    publicKeys: async () => shown,
    rotate() {
      signing = signing === first ? second : first
      published = [first, rsa, second]
      shown = published.map(publicKey)
    },
  }
}

function publicKey({ keyId: kid, algorithm, privateJwk }: PublishedKey): PublicKey {
  const { kty, crv, x, y, n, e } = privateJwk
  const members = Object.entries({ kid, kty, alg: algorithm, use: 'sig', crv, x, y, n, e })
  const jwk = Object.fromEntries(
    members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )
  return { keyId: keyId(kid), algorithm, jwk: jwk satisfies JsonObject }
}

async function signerOf({ keyId: kid, privateJwk }: PublishedKey, algorithm: SigningAlgorithm): Promise<Signer> {
  const [imported, parameters] = algorithm === 'RS256' ? [rsaImport, rsaImport.name] : [ecImport, ecSignature]
  const key = await crypto.subtle.importKey('jwk', privateJwk, imported, false, ['sign'])
  return {
    keyId: keyId(kid),
    algorithm,
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign(parameters, key, new Uint8Array(bytes))),
  }
}

const rsaImport = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
const ecImport = { name: 'ECDSA', namedCurve: 'P-256' }
const ecSignature = { name: 'ECDSA', hash: 'SHA-256' }
