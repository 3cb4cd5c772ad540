import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

import { createMemoryStorage } from '@mintmark/storage-interface/memory'

/** Replace this with your database. */
export const storage = createMemoryStorage({ issuer: 'https://login.example' })

/** 32 random bytes in base64url, from your secret store. */
export const sealingKey = 'A'.repeat(43)

const keys = new Map<string, KeyObject>()

/** Replace this with the client of your KMS. */
export const kms = {
  async createKey() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const name = `key-${keys.size + 1}`
    keys.set(name, privateKey)
    return Promise.resolve({ name, publicJwk: publicKey.export({ format: 'jwk' }) as Readonly<Record<string, string>> })
  },
  async sign(name: string, bytes: Uint8Array) {
    const key = keys.get(name)
    if (key === undefined) throw new Error(`There is no key ${name}.`)
    return Promise.resolve(sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }))
  },
}
