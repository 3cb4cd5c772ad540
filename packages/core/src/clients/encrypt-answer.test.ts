import { epochSeconds } from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { compactDecrypt, exportJWK, generateKeyPair, type JWK } from 'jose'
import { describe, expect, it } from 'vitest'

import { createOutboundClient } from '../outbound/client.ts'
import { encryptAnswer } from './encrypt-answer.ts'
import { createRemoteKeySets } from './remote-key-set.ts'

const client = aClientRecord({
  jwks: undefined,
  jwksUri: 'https://client.test/jwks',
  idTokenEncryptedResponseAlg: 'ECDH-ES',
})
const at = (now: number) => ({ answer: 'idToken', client, now: epochSeconds(now) }) as const

async function published(first: readonly JWK[]) {
  let keys = first
  const fetch = (() => Promise.resolve(Response.json({ keys }))) as typeof globalThis.fetch
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES')
  const own: JWK = { ...(await exportJWK(publicKey)), use: 'enc' }
  const publish = (next: readonly JWK[]): void => {
    keys = next
  }
  return { keySets: createRemoteKeySets(() => createOutboundClient(fetch)), own, privateKey, publish }
}

describe('encryption for a client with jwks_uri', () => {
  it('encrypts with a key that the client published after its key set was read (OIDC Core §10.2.1)', async () => {
    const { keySets, own, privateKey, publish } = await published([])
    await expect(encryptAnswer('a.b.c', at(1000), keySets)).rejects.toMatchObject({ reason: 'encryption_key_missing' })
    publish([own])

    const answer = await encryptAnswer('a.b.c', at(1060), keySets)

    const { plaintext, protectedHeader } = await compactDecrypt(answer, privateKey)
    expect(new TextDecoder().decode(plaintext)).toBe('a.b.c')
    expect(protectedHeader).toMatchObject({ alg: 'ECDH-ES', enc: 'A128CBC-HS256', cty: 'JWT' })
    expect(protectedHeader).not.toHaveProperty('kid')
  })

  it('fails when all keys of the client are for signatures (OIDC Core §10.2)', async () => {
    const { keySets, own, publish } = await published([])
    publish([{ ...own, use: 'sig' }])

    await expect(encryptAnswer('a.b.c', at(1000), keySets)).rejects.toMatchObject({
      code: 'unauthorized_client',
      reason: 'encryption_key_missing',
    })
  })
})
