import { clientId } from '../../values.ts'
import { aPushedRequestRecord, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'

/** A pushed authorization request is bound to one client and can be used for only one code (RFC 9126 §4). */
export const pushedRequestLaws: readonly StorageLaw[] = [
  law(
    'pushed requests: a digest is inserted at most once, and the first record stays',
    async ({ storage, server, same }) => {
      const inserts = await atOnce(8, (index) =>
        server(index).pushedRequests.insert(aPushedRequestRecord({ resources: [`r-${index}`] })),
      )
      const written = await storage.pushedRequests.find(digest, owner, now)

      same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
      const stolen = aPushedRequestRecord({ clientId: other })
      same(await storage.pushedRequests.insert(stolen), { outcome: 'taken' }, 'a later insertion by another client')
      same(await storage.pushedRequests.find(digest, owner, now), written, 'the stored request after all insertions')
    },
  ),

  law('pushed requests: reading a request does not consume it', async ({ storage, same }) => {
    await storage.pushedRequests.insert(request)

    for (const visit of ['first', 'second'])
      same(await storage.pushedRequests.find(digest, owner, now), request, `the ${visit} reading`)
    const won = await storage.pushedRequests.consume(digest, owner, now)
    same(won, { outcome: 'won', record: request }, 'the use after both readings')
    same(await storage.pushedRequests.find(digest, owner, now), 'consumed', 'a reading after the use')
  }),

  law(
    'pushed requests: only the first use succeeds, and each later one is reported as a replay with the same record',
    async ({ storage, same }) => {
      await storage.pushedRequests.insert(request)
      await storage.pushedRequests.consume(digest, owner, now)

      for (const second of [1, 60, 1859]) {
        const later = await storage.pushedRequests.consume(digest, owner, nowPlus(second))
        same(later, { outcome: 'replayed', record: request }, `a use ${second} s later`)
      }
    },
  ),

  law('pushed requests: of 16 concurrent uses exactly one wins', async ({ storage, server, same }) => {
    await storage.pushedRequests.insert(request)

    const results = await atOnce(16, (index) => server(index).pushedRequests.consume(digest, owner, now))

    same(tally(results), { won: 1, replayed: 15 }, 'outcomes')
  }),

  law('pushed requests: a client can neither find nor use the request of another client', async ({ storage, same }) => {
    await storage.pushedRequests.insert(request)

    same(await storage.pushedRequests.find(digest, other, now), undefined, 'find')
    same(await storage.pushedRequests.consume(digest, other, now), { outcome: 'absent' }, 'consume')
    const won = await storage.pushedRequests.consume(digest, owner, now)
    same(won.outcome, 'won', "the owner's use, after the attempt of another client")
    same(
      await storage.pushedRequests.consume(digest, other, now),
      { outcome: 'absent' },
      'consume by another client, after the use',
    )
  }),

  law('pushed requests: a request is absent once its expiry time is reached', async ({ storage, same }) => {
    await storage.pushedRequests.insert(request)
    const { expiresAt } = request

    same(await storage.pushedRequests.find(digest, owner, expiresAt), undefined, 'find')
    same(await storage.pushedRequests.consume(digest, owner, expiresAt), { outcome: 'absent' }, 'consume')
    const lastSecond = nowPlus(1859)
    same(await storage.pushedRequests.find(digest, owner, lastSecond), request, 'find, one second before')
    same((await storage.pushedRequests.consume(digest, owner, lastSecond)).outcome, 'won', 'consume, one second before')
    same(
      await storage.pushedRequests.consume(digest, owner, expiresAt),
      { outcome: 'absent' },
      'consume a used request, at its expiry',
    )
  }),
]

const request = aPushedRequestRecord()
const { digest, clientId: owner } = request
const other = clientId('client-2')
