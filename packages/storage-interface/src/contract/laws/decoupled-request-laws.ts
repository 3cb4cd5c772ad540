import type { Decision } from '../../decoupled-request.ts'
import type { CompleteOAuthStorage } from '../../storage.ts'
import { clientId } from '../../values.ts'
import { fullDecoupledRequest, sparseDecoupledRequest } from '../complete-records.ts'
import { aDecoupledRequest, anApproval } from '../decoupled-fixtures.ts'
import { aDigest, now, nowPlus } from '../fixtures.ts'
import { atOnce, law, type StorageLaw, tally } from '../law.ts'

/** Requests that a user approves on another device (RFC 8628, CIBA Core 1.0). */
export const decoupledRequestLaws: readonly StorageLaw<CompleteOAuthStorage>[] = [
  law(
    'decoupled requests: a digest and a user code are inserted at most once, and the first record stays',
    async ({ storage, server, same }) => {
      const inserts = await atOnce(8, (index) =>
        server(index).decoupledRequests.insert({ ...request, digest: aDigest(`request-${index}`) }),
      )

      same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions of one user code at once')
      const first = await storage.decoupledRequests.findByUserCode(userCode, now)
      const again = { ...request, digest: first?.digest ?? digest, userCodeDigest: undefined }
      same(await storage.decoupledRequests.insert(again), { outcome: 'taken' }, 'the same digest again')
      same(await storage.decoupledRequests.findByUserCode(userCode, now), first, 'the stored request')
    },
  ),

  law('decoupled requests: a user code finds only a request that waits for a decision', async ({ storage, same }) => {
    await storage.decoupledRequests.insert(request)
    const find = (at = now) => storage.decoupledRequests.findByUserCode(userCode, at)

    same(await find(), request, 'while it waits')
    same(await storage.decoupledRequests.findByUserCode(aDigest('other-code'), now), undefined, 'another user code')
    same(await find(request.usableUntil), undefined, 'once it has expired')
    await storage.decoupledRequests.decide({ digest, decision: denied, now })
    same(await find(), undefined, 'once it was decided')
  }),

  law('decoupled requests: of 16 concurrent decisions exactly one counts', async ({ storage, server, same }) => {
    await storage.decoupledRequests.insert(request)

    const results = await atOnce(16, (index) =>
      server(index).decoupledRequests.decide({ digest, decision: index % 2 === 0 ? approved : denied, now }),
    )

    same(tally(results), { decided: 1, conflict: 15 }, 'outcomes')
    const counted = results.find((result) => result.outcome === 'decided')
    same(await storage.decoupledRequests.find(digest, now), counted?.record, 'the stored decision')
  }),

  law('decoupled requests: a request that has expired is not decided', async ({ storage, same }) => {
    await storage.decoupledRequests.insert(request)
    const decide = (at: typeof now) => storage.decoupledRequests.decide({ digest, decision: approved, now: at })

    same(await decide(request.usableUntil), { outcome: 'expired' }, 'at the end of its time')
    same(await decide(request.expiresAt), { outcome: 'absent' }, 'once it is absent')
    same((await decide(nowPlus(599))).outcome, 'decided', 'one second before the end of its time')
  }),

  law(
    'decoupled requests: of all polls around an approval exactly one wins, and later polls are replays',
    async ({ storage, server, same }) => {
      await storage.decoupledRequests.insert(request)

      const [, ...polls] = await Promise.all([
        storage.decoupledRequests.decide({ digest, decision: approved, now }),
        ...Array.from({ length: 8 }, (_, index) => server(index).decoupledRequests.poll(byOwner)),
      ])
      const later = await atOnce(8, (index) => server(index).decoupledRequests.poll(byOwner))

      const wins = [...polls, ...later].filter(({ outcome }) => outcome === 'won')
      same(wins.length, 1, 'wins of the polls during and after the approval')
      const replay = await storage.decoupledRequests.poll({ ...byOwner, now: request.usableUntil })
      same(replay.outcome, 'replayed', 'a poll after the end of its time')
      same('record' in replay && replay.record.approval, anApproval(), 'what was approved')
    },
  ),

  law('decoupled requests: a poll of another client is absent and changes nothing', async ({ storage, same }) => {
    await storage.decoupledRequests.insert(request)
    const byOther = { digest, clientId: clientId('client-2'), now }

    same(await storage.decoupledRequests.poll(byOther), { outcome: 'absent' }, 'while it waits')
    same(await storage.decoupledRequests.find(digest, now), request, 'the stored request')
    await storage.decoupledRequests.decide({ digest, decision: approved, now })
    same(await storage.decoupledRequests.poll(byOther), { outcome: 'absent' }, 'once it was approved')
    same((await storage.decoupledRequests.poll(byOwner)).outcome, 'won', "the owner's poll after that")
  }),

  law(
    'decoupled requests: early polls lengthen the interval, and a client that waits for it is heard',
    async ({ storage, same }) => {
      await storage.decoupledRequests.insert(request)
      const pollAt = async (second: number) =>
        (await storage.decoupledRequests.poll({ ...byOwner, now: nowPlus(second) })).outcome

      same(await pollAt(0), 'pending', 'the first poll')
      same(await pollAt(4), 'pending', 'one second before the interval of 5 has passed')
      same(await pollAt(7), 'slow_down', '3 seconds after the last')
      same((await storage.decoupledRequests.find(digest, now))?.pollInterval, 10, 'the interval')
      same(await pollAt(13), 'pending', '9 seconds after the last poll that was not too early')
      for (let early = 0; early < 20; early += 1) same(await pollAt(14), 'slow_down', 'polls in a row')
      same((await storage.decoupledRequests.find(digest, now))?.pollInterval, 60, 'the longest interval')
      same(await pollAt(72), 'pending', '59 seconds after the last poll that was not too early')
    },
  ),

  law('decoupled requests: a decided request is answered without an interval', async ({ storage, same }) => {
    await storage.decoupledRequests.insert(request)
    await storage.decoupledRequests.poll(byOwner)
    await storage.decoupledRequests.decide({ digest, decision: denied, now })
    same(await storage.decoupledRequests.poll(byOwner), { outcome: 'denied' }, 'right after a denial')

    const second = { ...request, digest: aDigest('second'), userCodeDigest: undefined }
    const poll = { ...byOwner, digest: second.digest }
    await storage.decoupledRequests.insert(second)
    await storage.decoupledRequests.poll(poll)
    await storage.decoupledRequests.decide({ digest: second.digest, decision: approved, now })
    same((await storage.decoupledRequests.poll(poll)).outcome, 'won', 'right after an approval')
  }),

  law('decoupled requests: polls learn that a request has expired, until it is absent', async ({ storage, same }) => {
    await storage.decoupledRequests.insert(request)
    const pollAt = (at: typeof now) => storage.decoupledRequests.poll({ ...byOwner, now: at })

    same(await pollAt(request.usableUntil), { outcome: 'expired' }, 'a request that nobody decided')
    await storage.decoupledRequests.decide({ digest, decision: approved, now })
    same(await pollAt(nowPlus(1199)), { outcome: 'expired' }, 'an approved request, one second before it is absent')
    same(await pollAt(request.expiresAt), { outcome: 'absent' }, 'once it is absent')
    same(await storage.decoupledRequests.find(digest, request.expiresAt), undefined, 'find, once it is absent')
  }),

  law('decoupled requests: an absent request is purged, and its user code is free again', async ({ storage, same }) => {
    await storage.decoupledRequests.insert(request)

    await storage.purge.purgeExpired({ now: nowPlus(1199), limit: 100 })
    same(await storage.decoupledRequests.find(digest, now), request, 'one second before it is absent')
    await storage.purge.purgeExpired({ now: request.expiresAt, limit: 100 })
    same(await storage.decoupledRequests.find(digest, now), undefined, 'after that')
    same(await storage.decoupledRequests.insert(request), { outcome: 'inserted' }, 'the same request again')
  }),

  law('round trip: decoupled requests', async ({ storage, same }) => {
    for (const record of [fullDecoupledRequest, sparseDecoupledRequest]) {
      await storage.decoupledRequests.insert(record)
      same(await storage.decoupledRequests.find(record.digest, now), record, 'through find')
    }
  }),

  law('round trip: approvals', async ({ storage, same }) => {
    const { approval } = fullDecoupledRequest
    await storage.decoupledRequests.insert(request)

    const decision = { status: 'approved', approval } as const
    const record = { ...request, ...decision }
    same(
      await storage.decoupledRequests.decide({ digest, decision, now }),
      { outcome: 'decided', record },
      'as decided',
    )
    same(await storage.decoupledRequests.poll(byOwner), { outcome: 'won', record }, 'as won')
    same(await storage.decoupledRequests.poll(byOwner), { outcome: 'replayed', record }, 'as replayed')
  }),
]

const request = aDecoupledRequest()
const { digest, clientId: owner } = request
const userCode = aDigest('user-code-1')
const byOwner = { digest, clientId: owner, now }
const approved: Decision = { status: 'approved', approval: anApproval() }
const denied: Decision = { status: 'denied' }
