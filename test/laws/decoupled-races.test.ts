import { epochSeconds } from '@mintmark/storage-interface'
import type { DecoupledRequestStore } from '@mintmark/storage-interface/stores'
import { aDecoupledRequest, aDigest, anApproval } from '@mintmark/storage-interface/fixtures'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { rounds } from '../support/rounds.ts'
import { stores } from '../support/stores.ts'

const { usableUntil, createdAt } = aDecoupledRequest()

/** What happens to a request: who acts, and how many seconds before or after the end of its time. */
const happening = fc.record({
  act: fc.constantFrom('poll', 'poll', 'poll', 'approve', 'deny'),
  offset: fc.constantFrom(-300, -1, -1, 0, 1),
})

describe.each(stores)('on %s', (_, open) => {
  it.each(['device', 'ciba'] as const)(
    'law: a request of the kind %s is decided once and won once, before its end, however decisions and polls interleave',
    async (kind) => {
      const { decoupledRequests: store } = await open()
      if (store === undefined) throw new Error('There is no store.')
      let count = 0
      let wins = 0

      await fc.assert(
        fc.asyncProperty(fc.array(happening, { minLength: 2, maxLength: 8 }), async (happenings) => {
          count += 1
          const digest = aDigest(`${kind}-${count}`)
          const request = aDecoupledRequest({ digest, kind, userCodeDigest: undefined })
          await store.insert(request)

          const results = await Promise.all(happenings.map((each) => happen(each, request, store)))
          const last = await store.poll({ digest, clientId: request.clientId, now: createdAt })

          const decided = results.filter(({ act, outcome }) => act !== 'poll' && outcome === 'decided')
          const won = [...results, { act: 'poll', outcome: last.outcome, offset: -600 }].filter(
            ({ outcome }) => outcome === 'won',
          )
          wins += won.length
          expect(decided.length).toBeLessThanOrEqual(1)
          expect(won.length).toBeLessThanOrEqual(1)
          for (const { offset } of [...decided, ...won]) expect(offset).toBeLessThan(0)
          if (won.length === 1) expect(decided.map(({ act }) => act)).toEqual(['approve'])
          const isWon = won.length === 1
          expect((await store.poll({ digest, clientId: request.clientId, now: usableUntil })).outcome).toBe(
            isWon ? 'replayed' : 'expired',
          )
        }),
        { numRuns: rounds({ fast: 40, long: 1000 }), examples: [[[{ act: 'approve', offset: -1 }]]] },
      )
      expect(wins).toBeGreaterThan(0)
    },
    lasting,
  )
})

/** In milliseconds. */
const lasting = 900_000

async function happen(
  { act, offset }: { readonly act: 'poll' | 'approve' | 'deny'; readonly offset: number },
  { digest, clientId }: Parameters<DecoupledRequestStore['insert']>[0],
  store: DecoupledRequestStore,
) {
  const now = epochSeconds(usableUntil + offset)
  if (act === 'poll') return { act, offset, outcome: (await store.poll({ digest, clientId, now })).outcome }
  const decision =
    act === 'deny' ? ({ status: 'denied' } as const) : ({ status: 'approved', approval: anApproval() } as const)
  return { act, offset, outcome: (await store.decide({ digest, decision, now })).outcome }
}
