import { randomUUID } from 'node:crypto'

import { scimPerson, scimUserId, scimUserName, scimWorkEmail } from '../scim-person.ts'
import type { ScimSite } from '../site.ts'
import { cycle } from './cycle.ts'
import type { Lane, Reply } from './lane.ts'
import { scimRequest } from './request-text.ts'
import { notExpected, offered, type Flow, type Workload } from './workload.ts'

/** The workloads for a SCIM server, as identity providers generate them. */
export const scimWorkloads = {
  'userName eq': reading((number) => filtered(`userName eq "${scimUserName(number)}"`), isOne),
  'work e-mail eq': reading(
    (number) => filtered(`emails[type eq "work" and value eq "${scimWorkEmail(number)}"]`),
    isOne,
  ),
  'page of 100': reading((number) => `?startIndex=${1 + 100 * (number % 9)}&count=100`, isHundred),
  'PATCH active': {
    requests: 1,
    prepare: async ({ scim }, lanes) => lanes.map((_, lane) => deactivations(offered(scim), lane, lanes)),
  },
  'POST user': { requests: 1, prepare: async ({ scim }, lanes) => lanes.map(() => creations(offered(scim))) },
} as const satisfies Readonly<Record<string, Workload>>

/** Reads users spread over the whole table; each lane reads different ones. */
function reading(query: (number: number) => string, isExpected: (reply: Reply) => boolean): Workload {
  return {
    requests: 1,
    prepare: async ({ scim }, lanes) => {
      const site = offered(scim)
      return lanes.map((_, lane) =>
        cycle(
          shareOf(site, lane, lanes).map((number) => scimRequest('GET', `/Users${query(number)}`, { site })),
          isExpected,
        ),
      )
    },
  }
}

const filtered = (filter: string): string => `?filter=${encodeURIComponent(filter)}`

/** Deactivates each of the lane's users, then reactivates each, and so on: every request changes a user. */
function deactivations(site: ScimSite, lane: number, lanes: readonly Lane[]): Flow {
  const requests = [false, true].flatMap((value) =>
    shareOf(site, lane, lanes).map((number) =>
      scimRequest('PATCH', `/Users/${scimUserId(number)}`, {
        site,
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'replace', path: 'active', value }],
        },
      }),
    ),
  )
  return cycle(requests)
}

/** Each request creates a user. */
function creations(site: ScimSite): Flow {
  const lane = randomUUID()
  let turn = 0
  return async (own) => {
    turn += 1
    const reply = await own.exchange(scimRequest('POST', '/Users', { site, body: scimPerson(`${lane}-${turn}`) }))
    if (reply.status !== 201) throw notExpected(reply)
  }
}

/** Numbers of users that no other lane has, spread over the whole table. */
function shareOf({ accounts }: ScimSite, lane: number, lanes: readonly Lane[]): readonly number[] {
  const share = Math.min(most, Math.floor(accounts / lanes.length))
  const step = Math.floor(accounts / (share * lanes.length))
  return Array.from({ length: share }, (_, turn) => 1 + (lane + turn * lanes.length) * step)
}

/** The users of one lane: 8,192 over all lanes, which is more than the caches hold. */
const most = 256

function isOne(reply: Reply): boolean {
  return reply.body.includes('"totalResults":1,') || reply.body.includes('"totalResults":1}')
}

function isHundred(reply: Reply): boolean {
  return reply.body.includes('"itemsPerPage":100')
}
