import { clientId } from '../../values.ts'
import { aPushedRequestRecord, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'

/** Pushed authorization requests: bound to one client, used for one code (RFC 9126 §4). */
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
      same(await storage.pushedRequests.insert(stolen), { outcome: 'taken' }, "another client's insertion after that")
      same(await storage.pushedRequests.find(digest, owner, now), written, 'the request after it')
    },
  ),

  law('pushed requests: reading a request does not consume it', async ({ storage, same }) => {
    await storage.pushedRequests.insert(request)

    for (const visit of ['first', 'second'])
      same(await storage.pushedRequests.find(digest, owner, now), request, `the ${visit} reading`)
    const won = await storage.pushedRequests.consume(digest, owner, now)
    same(won, { outcome: 'won', record: request }, 'the use after that')
    same(await storage.pushedRequests.find(digest, owner, now), 'consumed', 'the used request as read')
  }),

  law(
    'pushed requests: a request is used once, and later uses are replays with the same record',
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

  law("pushed requests: another client's request is absent, and its use changes nothing", async ({ storage, same }) => {
    await storage.pushedRequests.insert(request)

    same(await storage.pushedRequests.find(digest, other, now), undefined, 'find')
    same(await storage.pushedRequests.consume(digest, other, now), { outcome: 'absent' }, 'consume')
    const won = await storage.pushedRequests.consume(digest, owner, now)
    same(won.outcome, 'won', "the owner's use after that")
    same(await storage.pushedRequests.consume(digest, other, now), { outcome: 'absent' }, 'consume, once it is used')
  }),

  law('pushed requests: a request is absent from the second in which it expires', async ({ storage, same }) => {
    await storage.pushedRequests.insert(request)
    const { expiresAt } = request

    same(await storage.pushedRequests.find(digest, owner, expiresAt), undefined, 'find')
    same(await storage.pushedRequests.consume(digest, owner, expiresAt), { outcome: 'absent' }, 'consume')
    const lastSecond = nowPlus(1859)
    same(await storage.pushedRequests.find(digest, owner, lastSecond), request, 'find, one second before')
    same((await storage.pushedRequests.consume(digest, owner, lastSecond)).outcome, 'won', 'consume then')
    same(await storage.pushedRequests.consume(digest, owner, expiresAt), { outcome: 'absent' }, 'once used')
  }),
]

const request = aPushedRequestRecord()
const { digest, clientId: owner } = request
const other = clientId('client-2')
