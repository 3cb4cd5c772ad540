import { createHmac } from 'node:crypto'
import {
  clientId,
  epochSeconds,
  familyId,
  grantId,
  keyId,
  type OAuthStorage,
  seconds,
  userId,
} from '@mintmark/storage-interface'
import type { Revocation } from '@mintmark/storage-interface/stores'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { createRevocationNames } from './access-token.ts'
import { deliveredRevocations, readFeed } from './feed-page.ts'

const secrets = [1, 2].map((byte) => new Uint8Array(32).fill(byte))
const names = createRevocationNames({ deriveSecrets: () => Promise.resolve(secrets) })

const at = (second: number) => epochSeconds(1_800_000_000 + second)
const aStorage = (): OAuthStorage => createMemoryStorage({ issuer: 'https://as.test' })

const revoke = ({ revocations }: OAuthStorage, tokenId: string, second = 0) =>
  revocations.revokeToken({ tokenId, expiresAt: at(9999), now: at(second) })
const read = ({ revocations }: OAuthStorage, cursor?: string, second = 0) =>
  readFeed(cursor, at(second), { revocations, retention: seconds(900), names })
const namesFrom = async (storage: OAuthStorage, cursor?: string, second = 0) =>
  (await read(storage, cursor, second)).revocations.map(([, name]) => name)

describe('the revocation feed', () => {
  it('is read in order, from the beginning or from a cursor', async () => {
    const storage = aStorage()
    const start = await read(storage)
    await revoke(storage, 'a')
    const { cursor } = await read(storage, start.cursor)
    await revoke(storage, 'b')
    await revoke(storage, 'c')

    expect(await namesFrom(storage)).toEqual(['a', 'b', 'c'])
    expect(await namesFrom(storage, start.cursor)).toEqual(['a', 'b', 'c'])
    expect(await namesFrom(storage, cursor)).toEqual(['b', 'c'])
    expect(await read(storage, (await read(storage, cursor)).cursor)).toMatchObject({ revocations: [], more: false })
  })

  it.each([
    'start',
    '1',
    '1.',
    '.',
    '',
    '-1.x',
    '0.aaaaaaaaaaaaaaaaaaaaaa',
    '1e0.aaaaaaaaaaaaaaaaaaaaaa',
    '9999999999999999.aaaaaaaaaaaaaaaaaaaaaa',
    '1.aaaaaaaaaaaaaaaaaaaaaa',
    '__proto__.aaaaaaaaaaaaaaaaaaaaaa',
  ])('is read from the beginning when the cursor matches no entry: %j', async (cursor) => {
    const storage = aStorage()
    await revoke(storage, 'a')

    expect(await namesFrom(storage, cursor)).toEqual(['a'])
  })

  it('law: misses no entry when a restored database assigns positions again', async () => {
    const [before, restored] = [aStorage(), aStorage()]
    for (const name of ['kept', 'lost', 'lost too']) await revoke(before, name)
    const { cursor } = await read(before)
    for (const name of ['kept', 'new', 'newer', 'newest']) await revoke(restored, name)

    expect(await namesFrom(restored, cursor)).toEqual(['kept', 'new', 'newer', 'newest'])
  })

  it('has at most a thousand entries on a page, and reports whether more follow', async () => {
    const storage = aStorage()
    for (let count = 0; count < 2001; count += 1) await revoke(storage, `t${count}`)

    const first = await read(storage)
    const second = await read(storage, first.cursor)
    const third = await read(storage, second.cursor)

    expect([first, second, third].map(({ revocations, more }) => [revocations.length, more])).toEqual([
      [1000, true],
      [1000, true],
      [1, false],
    ])
    expect(third.revocations[0]?.[1]).toBe('t2000')
  })

  it('has shorter pages when names are long, so that receivers accept them', async () => {
    const storage = aStorage()
    const names = Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(255, '"'))
    for (const name of names) await revoke(storage, name)

    const pages = [await read(storage)]
    while (pages.at(-1)?.more) pages.push(await read(storage, pages.at(-1)?.cursor))

    // Receivers accept 262,144 characters of base64url; 2000 bytes are left for the rest of the response.
    expect(Math.max(...pages.map(({ revocations }) => JSON.stringify(revocations).length))).toBeLessThan(
      (262_144 * 3) / 4 - 2000,
    )
    expect(pages.flatMap(({ revocations }) => revocations.map(([, name]) => name))).toEqual(names)
  })

  it('never has an empty page while entries follow, however long a name is', async () => {
    const storage = aStorage()
    for (const name of ['a'.repeat(90_000), 'b']) await revoke(storage, name)

    const first = await read(storage)

    expect([first.revocations.length, first.more]).toEqual([1, true])
    expect(await namesFrom(storage, first.cursor)).toEqual(['b'])
  })

  it('contains all later revocations with a cursor; without one, only revocations that unexpired tokens can depend on', async () => {
    const storage = aStorage()
    await revoke(storage, 'first')
    const { cursor } = await read(storage)
    await revoke(storage, 'old', 1)
    await revoke(storage, 'new', 400)

    expect(await namesFrom(storage, undefined, 902)).toEqual(['new'])
    expect(await namesFrom(storage, cursor, 902)).toEqual(['old', 'new'])
    expect((await read(storage, undefined, 902)).revocations[0]?.[2]).toBe(at(902 + 900))
  })

  it('covers tokens issued within the retention minus a minute of clock skew, and since the storage records revocations', async () => {
    const storage = aStorage()
    const before = await read(storage)
    await storage.clients.insert(aClientRecord({ createdAt: at(-100) }))

    expect(before.coversAfter).toBe(at(-840))
    expect((await read(storage)).coversAfter).toBe(at(-100))
    expect((await read(storage, undefined, 900)).coversAfter).toBe(at(60))
  })
})

const until = epochSeconds(1_800_000_900)
const namesOf = (message: string): readonly string[] =>
  secrets.map((secret) => createHmac('sha256', secret).update(message).digest('base64url').slice(0, 22))
const [user, userBefore] = namesOf('user user-1')
const [client, clientBefore] = namesOf('client client-1')

it.each<readonly [Revocation, readonly (readonly unknown[])[]]>([
  [{ kind: 'token', tokenId: 'jti-1' }, [['token', 'jti-1', until]]],
  [{ kind: 'family', familyId: familyId('family-1') }, [['family', 'family-1', until]]],
  [{ kind: 'grant', grantId: grantId('grant-1') }, [['grant', 'grant-1', until]]],
  [
    { kind: 'generation', userId: userId('user-1'), generation: 3 },
    [
      ['account', `${user}.3`, until],
      ['account', `${userBefore}.3`, until],
    ],
  ],
  [
    { kind: 'account', userId: userId('user-1') },
    [
      ['account', user, until],
      ['account', userBefore, until],
    ],
  ],
  [{ kind: 'key', keyId: keyId('key-1') }, [['key', 'key-1', until]]],
  [
    { kind: 'client', clientId: clientId('client-1') },
    [
      ['client', client, until],
      ['client', clientBefore, until],
    ],
  ],
  [
    { kind: 'client_in_use', clientId: clientId('client-1') },
    [
      ['client', client, 0],
      ['client', clientBefore, 0],
    ],
  ],
])(
  'delivers $kind under the names that access tokens contain: clients and users as MACs, one for each secret',
  async (revocation, delivered) => {
    expect(await deliveredRevocations(revocation, until, names)).toEqual(delivered)
  },
)

it('throws instead of naming a client or a user when the key ring derives no secrets', async () => {
  const without = createRevocationNames({ deriveSecrets: () => Promise.resolve([]) })

  await expect(without.ofUser(userId('user-1'))).rejects.toThrow(TypeError)
  await expect(without.ofClient(clientId('client-1'))).rejects.toThrow(TypeError)
})

it('asks the key ring for its secrets again after a failure', async () => {
  let isDown = true
  const recovering = createRevocationNames({
    deriveSecrets: () => (isDown ? Promise.reject(new Error('The vault is down.')) : Promise.resolve(secrets)),
  })

  await expect(recovering.ofUser(userId('user-1'))).rejects.toThrow('The vault is down.')
  isDown = false

  expect(await recovering.ofUser(userId('user-1'))).toEqual(await names.ofUser(userId('user-1')))
})
