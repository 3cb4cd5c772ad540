import { randomUUID } from 'node:crypto'

import { scimUser, scimUserId, scimUserName, scimWorkEmail } from '../scim-user.ts'
import type { ScimSite } from '../site.ts'
import { cycle } from './cycle.ts'
import type { Lane, Reply } from './lane.ts'
import { scimRequest } from './request-text.ts'
import { unexpectedReply, requireValue, type Flow, type Workload } from './workload.ts'

/** The workloads for a SCIM server: requests that identity providers send. */
export const scimWorkloads = {
  'userName eq': reading((number) => filtered(`userName eq "${scimUserName(number)}"`), isOne),
  'work e-mail eq': reading(
    (number) => filtered(`emails[type eq "work" and value eq "${scimWorkEmail(number)}"]`),
    isOne,
  ),
  'page of 100': reading((number) => `?startIndex=${1 + 100 * (number % 9)}&count=100`, isHundred),
  'PATCH active': {
    requests: 1,
    prepare: async ({ scim }, lanes) => lanes.map((_, lane) => deactivations(requireValue(scim), lane, lanes)),
  },
  'POST user': { requests: 1, prepare: async ({ scim }, lanes) => lanes.map(() => creations(requireValue(scim))) },
} as const satisfies Readonly<Record<string, Workload>>

/** Reads users from all parts of the table. Each lane reads different users. */
function reading(query: (number: number) => string, isExpected: (reply: Reply) => boolean): Workload {
  return {
    requests: 1,
    prepare: async ({ scim }, lanes) => {
      const site = requireValue(scim)
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

/** Deactivates all users of the lane, then reactivates them, and so on, so that every request changes a user. */
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

/** Creates a user with each request. */
function creations(site: ScimSite): Flow {
  const prefix = randomUUID()
  let turn = 0
  return async (lane) => {
    turn += 1
    const reply = await lane.exchange(scimRequest('POST', '/Users', { site, body: scimUser(`${prefix}-${turn}`) }))
    if (reply.status !== 201) throw unexpectedReply(reply)
  }
}

/** Returns the numbers of a lane's users: from all parts of the table, and different for each lane. */
function shareOf({ accounts }: ScimSite, lane: number, lanes: readonly Lane[]): readonly number[] {
  const share = Math.min(maximumShare, Math.floor(accounts / lanes.length))
  const step = Math.floor(accounts / (share * lanes.length))
  return Array.from({ length: share }, (_, turn) => 1 + (lane + turn * lanes.length) * step)
}

/** The maximum number of users of a lane. All lanes have 8,192 users, which is more than the caches hold. */
const maximumShare = 256

function isOne(reply: Reply): boolean {
  return reply.body.includes('"totalResults":1,') || reply.body.includes('"totalResults":1}')
}

function isHundred(reply: Reply): boolean {
  return reply.body.includes('"itemsPerPage":100')
}
