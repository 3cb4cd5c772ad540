import { keyId } from '../../identifiers.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { aSigningKeyRecord } from '../records/a-signing-key.ts'
import { now, nowPlus } from '../records/moments.ts'

/** Signing keys: all servers of an issuer sign with the same ones. */
export const signingKeyLaws: readonly StorageLaw[] = [
  law(
    "signing keys: of 8 servers that offer an algorithm's first key one is told inserted",
    async ({ storage, server, same }) => {
      const inserts = await atOnce(8, (index) =>
        server(index).signingKeys.insert(aSigningKeyRecord({ keyId: keyId(`key-${index}`) })),
      )

      same(tally(inserts), { inserted: 1, taken: 7 }, 'outcomes')
      same((await storage.signingKeys.list()).length, 1, 'how many keys there are')
    },
  ),

  law('signing keys: a kid is used once; each algorithm counts for itself', async ({ storage, same }) => {
    const insert = (id: string, algorithm: string, ordinal: number) =>
      storage.signingKeys.insert(aSigningKeyRecord({ keyId: keyId(id), algorithm, ordinal }))

    same(await insert('key-1', 'ES256', 1), { outcome: 'inserted' }, 'the first key')
    same(await insert('key-1', 'RS256', 1), { outcome: 'taken' }, 'its kid again')
    same(await insert('key-2', 'ES256', 1), { outcome: 'taken' }, 'its ordinal again')
    same(await insert('key-2', 'ES256', 2), { outcome: 'inserted' }, 'the next ordinal')
    same(await insert('key-3', 'RS256', 1), { outcome: 'inserted' }, 'the first ordinal of another algorithm')
    same((await storage.signingKeys.list()).length, 3, 'how many keys there are')
  }),

  law('signing keys: all keys are listed, oldest first', async ({ storage, same }) => {
    const records = [3, 1, 2].map((ordinal) =>
      aSigningKeyRecord({ keyId: keyId(`key-${9 - ordinal}`), ordinal, createdAt: nowPlus(ordinal) }),
    )
    same(await storage.signingKeys.list(), [], 'the list before the first')
    for (const record of records) await storage.signingKeys.insert(record)

    same(await storage.signingKeys.list(), [records[1], records[2], records[0]], 'the list')
  }),

  law('signing keys: a key is dropped once and its first time stays', async ({ storage, server, same }) => {
    const kept = aSigningKeyRecord({ keyId: keyId('key-2'), ordinal: 2, createdAt: nowPlus(1) })
    for (const record of [key, kept]) await storage.signingKeys.insert(record)

    const drops = await atOnce(4, (index) => server(index).signingKeys.drop(key.keyId, now))

    same(tally(drops), { ended: 1, unchanged: 3 }, '4 drops at once')
    same(await storage.signingKeys.drop(key.keyId, nowPlus(5)), { outcome: 'unchanged' }, 'a later drop')
    same(await storage.signingKeys.drop(keyId('unknown'), now), { outcome: 'absent' }, 'an unknown key')
    same(await storage.signingKeys.insert(key), { outcome: 'taken' }, 'the dropped key again')
    same(await storage.signingKeys.list(), [{ ...key, droppedAt: now }, kept], 'the list')
  }),

  law('signing keys: a removed key is forgotten, and no other', async ({ storage, server, same }) => {
    const kept = aSigningKeyRecord({ keyId: keyId('key-2'), algorithm: 'RS256' })
    for (const record of [key, kept]) await storage.signingKeys.insert(record)

    const removals = await atOnce(4, (index) => server(index).signingKeys.remove(key.keyId))

    same(tally(removals), { removed: 1, absent: 3 }, '4 removals at once')
    same(await storage.signingKeys.list(), [kept], 'the list')
  }),
]

const key = aSigningKeyRecord()
