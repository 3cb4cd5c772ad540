import { devicePage } from '@mintmark/pages'
import { clientId, epochSeconds, userId, type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryRateLimiter } from '@mintmark/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import * as ciba from '../support/ciba-world.ts'
import * as device from '../support/device-world.ts'
import { postForm, signedInAs } from '../support/flow.ts'
import { rounds } from '../support/rounds.ts'
import type { Reply } from '../support/send.ts'
import { stores } from '../support/stores.ts'

/** A request that waits for a decision, and what can happen to it at the same time. */
interface World {
  readonly poll: () => Promise<Reply>
  readonly approve: () => Promise<unknown>
  readonly deny: () => Promise<unknown>
  readonly deactivate: () => Promise<unknown>
  readonly disableClient: () => Promise<unknown>
  readonly endSession: () => Promise<unknown>
  readonly expire: () => Promise<unknown>
}

type Event = keyof World

const endings = ['deactivate', 'disableClient', 'endSession'] as const

/** Starts a server for many requests of one kind. */
type StartKind = (storage: AdminStorage) => Promise<{
  readonly request: (user: string) => Promise<World>
  readonly isActive: (accessToken: string) => Promise<boolean>
}>

const unlimited = createMemoryRateLimiter({ points: 1_000_000_000, window: 1 })
const rateLimits = {
  issuedCodes: unlimited,
  startedInteractions: unlimited,
  interactionsOfNewBrowsers: unlimited,
  userCodes: unlimited,
  userCodesInTotal: unlimited,
  deviceRequests: unlimited,
  deviceRequestsInTotal: unlimited,
  backchannelRequests: unlimited,
  backchannelRequestsOfUser: unlimited,
}

const kinds: readonly (readonly [name: string, start: StartKind])[] = [
  [
    'a backchannel request',
    async (storage) => {
      const site = await ciba.startCibaServer({ storage, rateLimits, sessionBoundTokens: 'all' })
      return {
        async request(user) {
          const { authReqId, pending } = await ciba.askForId(site, { login_hint: user })
          const answer = ciba.answerOf(site, { subject: user, sessionId: `sid-${user}` })
          return {
            ...(await happenings(site, { user, client: 'C' })),
            poll: () => ciba.poll(site, authReqId),
            approve: () => pending.approve(answer),
            deny: () => pending.deny(),
          }
        },
        isActive: async (token) => (await site.server.accessToken(token)) !== undefined,
      }
    },
  ],
  [
    'a request of a device',
    async (storage) => {
      const options = { storage, rateLimits, sessionBoundTokens: 'all', device: { renderPage: devicePage } } as const
      const site = await device.startDeviceServer(options)
      return {
        async request(user) {
          const { deviceCode, userCode } = await device.askForCodes(site)
          const page = await device.openCode(site, userCode, signedInAs(site, user))
          const cookie = `${page.cookies.map((each) => each.split(';', 1)[0]).join('; ')}; ${signedInAs(site, user)}`
          const { pathname, search } = (await device.confirm(site, page, { headers: { cookie } })).location
          const answer = (form: string) => postForm(site, pathname + search, form, { cookie, origin: site.issuer })
          return {
            ...(await happenings(site, { user, client: 'V' })),
            poll: () => device.poll(site, deviceCode),
            approve: () => answer(device.consentToAll),
            deny: () => answer('deny'),
          }
        },
        isActive: async (token) => (await site.server.accessToken(token)) !== undefined,
      }
    },
  ],
]

async function happenings(
  site: Pick<ciba.CibaSite, 'storage' | 'clock' | 'server'>,
  { user, client }: { readonly user: string; readonly client: string },
) {
  const { storage, clock, server } = site
  const disabled = await storage.clients.find(clientId(client))
  if (disabled === undefined) throw new Error(`There is no client ${client}.`)
  return {
    deactivate: () => storage.users.deactivate(userId(user), clock.now()),
    disableClient: () => storage.clients.compareAndSwap({ ...disabled, disabledAt: clock.now() }, disabled.version),
    endSession: () => server.endSession(`sid-${user}`),
    expire: () => Promise.resolve(clock.advance(600)),
  }
}

const events = [
  'poll',
  'poll',
  'poll',
  'approve',
  'approve',
  'deny',
  'deactivate',
  'disableClient',
  'endSession',
  'expire',
] as const

/** The events of a round, in the order in which they start. Of a round with everything, a poll seldom wins. */
const roundEvents = fc.oneof(
  fc.shuffledSubarray([...events], { minLength: 3 }),
  fc.shuffledSubarray(['poll', 'approve', 'approve', 'endSession'] as (typeof events)[number][], { minLength: 1 }),
)

/** Rounds that run first. Without an end, a poll wins in each; with one, its tokens must end too. */
const ofWinners: [(typeof events)[number][]][] = [
  [['approve']],
  [['poll', 'approve', 'approve']],
  ...endings.map((ending): [(typeof events)[number][]] => [['approve', ending]]),
]

describe.each(stores)('on %s', (_, open) => {
  it.each(kinds)(
    'law: %s gives tokens to one poll, after the decision, and none is active after what it depends on has ended',
    async (_, start) => {
      const storage = await open()
      const { request, isActive } = await start(storage)
      let count = 0
      let wins = 0

      await fc.assert(
        fc.asyncProperty(roundEvents, async (events) => {
          count += 1
          const user = `R${count}`
          await storage.users.insert({ userId: userId(user), claims: {}, createdAt: epochSeconds(1_790_000_000) })
          const world = await request(user)

          const results = await Promise.all(events.map(async (event) => [event, await world[event]()] as const))
          const polls = [...replies(results), await world.poll(), await world.poll()]

          const won = polls.filter(({ status }) => status === 200)
          wins += won.length
          expect(won.length).toBeLessThanOrEqual(1)
          if (!events.includes('approve')) expect(won).toEqual([])
          for (const { json } of won) {
            // The later polls are replays, and revoke the tokens.
            expect(polls.at(-1)?.json['error']).toMatch(/^invalid_(?:grant|client)$/)
            const ended = endings.some((ending) => events.includes(ending))
            if (ended || polls.at(-1)?.json['error'] === 'invalid_grant')
              expect(await isActive(String(json['access_token']))).toBe(false)
          }
          await enable(storage)
        }),
        { numRuns: rounds({ fast: 16, long: 100 }), examples: ofWinners },
      )
      expect(wins).toBeGreaterThan(0)
    },
    lasting,
  )
})

/** In milliseconds: each round has a dozen requests. */
const lasting = 900_000

const replies = (results: readonly (readonly [Event, unknown])[]): readonly Reply[] =>
  results.flatMap(([event, reply]) => (event === 'poll' ? [reply as Reply] : []))

/** Enables the clients that a round disabled. */
async function enable({ clients }: AdminStorage): Promise<void> {
  for (const id of ['C', 'V']) {
    const client = await clients.find(clientId(id))
    if (client?.disabledAt !== undefined)
      await clients.compareAndSwap({ ...client, disabledAt: undefined }, client.version)
  }
}
