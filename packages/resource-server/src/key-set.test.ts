import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'

import { readKeySet } from './key-set.ts'

let ec: JWK
let rsa: JWK
beforeAll(async () => {
  ec = await exportJWK((await generateKeyPair('ES256')).publicKey)
  rsa = await exportJWK((await generateKeyPair('RS256')).publicKey)
})

const read = (keys: unknown): ReturnType<typeof readKeySet> => readKeySet(JSON.stringify({ keys }))

describe('a key set', () => {
  it('contains its keys by name, each with its one algorithm (RFC 7517 §5)', async () => {
    const keys = await read([
      { ...ec, kid: 'a', alg: 'ES256', use: 'sig' },
      { ...rsa, kid: 'b', alg: 'RS256' },
      { ...rsa, kid: 'c', alg: 'PS256' },
    ])

    expect([...(keys ?? [])].map(([name, { algorithm, key }]) => [name, algorithm, key.type])).toEqual([
      ['a', 'ES256', 'public'],
      ['b', 'RS256', 'public'],
      ['c', 'PS256', 'public'],
    ])
  })

  it.each<readonly [string, (good: JWK) => unknown]>([
    ['has no name', (good) => ({ ...good, kid: undefined })],
    ['has a name that is not a string', (good) => ({ ...good, kid: 7 })],
    ['is for encryption (RFC 7517 §4.2)', (good) => ({ ...good, use: 'enc' })],
    ['names no algorithm', (good) => ({ ...good, alg: undefined })],
    ['has an algorithm that the server does not use', (good) => ({ ...good, alg: 'ES384' })],
    ['does not fit its algorithm', (good) => ({ ...good, alg: 'RS256' })],
    ['is symmetric', () => ({ kty: 'oct', k: 'AAAA', kid: 'x', alg: 'HS256' })],
    ['is symmetric but names an asymmetric algorithm', () => ({ kty: 'oct', k: 'AAAA', kid: 'x', alg: 'ES256' })],
    ['is malformed', (good) => ({ ...good, x: 'AAAA' })],
    ['is null', () => null],
    ['is a string', () => 'key'],
  ])('leaves out a key that %s, and keeps the others', async (_, spoil) => {
    const good = { ...ec, kid: 'good', alg: 'ES256' }

    const keys = await read([spoil({ ...good, kid: 'x' }), good])

    expect([...(keys?.keys() ?? [])]).toEqual(['good'])
  })

  it('has at most 100 keys', async () => {
    const good = { ...ec, kid: 'good', alg: 'ES256' }

    expect((await read([...Array.from({ length: 99 }, () => ({})), good]))?.size).toBe(1)
    expect(await read([...Array.from({ length: 100 }, () => ({})), good])).toBeUndefined()
  })

  it('never contains a private key, even when one was published', async () => {
    const pair = await generateKeyPair('ES256', { extractable: true })

    const keys = await read([{ ...(await exportJWK(pair.privateKey)), kid: 'a', alg: 'ES256' }])

    expect(keys?.get('a')?.key.type).toBe('public')
  })

  it.each(['', 'x', '[]', 'null', '{}', '{"keys":{}}', '{"keys":[]}', `{"keys":[${'{},'.repeat(100)}{}]}`])(
    'is undefined when it contains no usable key: %s',
    async (text) => {
      expect(await readKeySet(text)).toBeUndefined()
    },
  )
})
