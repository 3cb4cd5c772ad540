import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

import { send, type Sent } from '../support/reply.ts'
import { largestGroup, memberId, writtenGroup, type Scale } from './stage.ts'

/** The hostile tenant: a client with the tenant's own secret. */
export interface Tenant {
  readonly port: number
  readonly provider: string
  readonly secret: string
  /** The secret of its second directory, with few users. */
  readonly smallSecret: string
  readonly scale: Scale
}

/** One way to overload the server. */
export interface HostileCase {
  readonly name: string
  /** Whether the server is a plain node:http server that does nothing, which shows the minimum cost of the attack. */
  readonly isBare?: true
  /** Prepares the directory; it is not measured. */
  readonly prepare?: (tenant: Tenant) => Promise<void>
  /** Requests that are sent at the same time, again and again. Each returns its status. */
  readonly attacks: (tenant: Tenant) => readonly Attack[]
}

const core = 'urn:ietf:params:scim:schemas:core:2.0'
const messages = 'urn:ietf:params:scim:api:messages:2.0'

export const hostileCases: readonly HostileCase[] = [
  {
    name: 'a page of 200 users, each in 1,000 groups with long names',
    attacks: (tenant) => times(3, () => get(tenant, '/Users?count=200')),
  },
  {
    name: 'a filter of 4 kB over users of 500 kB',
    prepare: async (tenant) => {
      for (let number = 1; number <= 100; number += 1) await post(small(tenant), '/Users', largeUser(number))()
    },
    attacks: (tenant) => times(4, () => get(small(tenant), `/Users?filter=${encodeURIComponent(photoFilter)}`)),
  },
  {
    name: 'a Bulk of 100 removals with a filter, on a large group',
    attacks: (tenant) =>
      times(2, () =>
        post(tenant, '/Bulk', {
          schemas: [`${messages}:BulkRequest`],
          Operations: times(100, () => ({
            method: 'PATCH',
            path: `/Groups/${writtenGroup}`,
            data: patch([{ op: 'remove', path: 'members[value sw "zz"]' }]),
          })),
        }),
      ),
  },
  {
    name: 'PATCH that replaces all members, then all but one',
    attacks: (tenant) => [
      async () => {
        const replace = (value: unknown) =>
          sendJson(tenant, 'PATCH', `/Groups/${writtenGroup}`, patch([{ op: 'replace', path: 'members', value }]))
        await replace(members(tenant.scale.written))()
        return replace(members(1))()
      },
    ],
  },
  {
    name: 'PUT of a group with display names',
    attacks: (tenant) =>
      times(2, () =>
        sendJson(tenant, 'PUT', `/Groups/${writtenGroup}`, {
          schemas: [`${core}:Group`],
          displayName: 'Written',
          members: members(tenant.scale.written).map((member) => ({ ...member, display: 'Somebody With A Name' })),
        }),
      ),
  },
  {
    name: 'GET of the largest group',
    attacks: (tenant) => times(4, () => get(tenant, `/Groups/${largestGroup}`)),
  },
  {
    name: 'a user with a megabyte of empty e-mail addresses',
    attacks: (tenant) =>
      times(4, () =>
        post(
          tenant,
          '/Users',
          `{"schemas":["${core}:User"],"userName":"u","emails":[${times(345_000, () => '{}').join(',')}]}`,
        ),
      ),
  },
  {
    name: 'escaped attribute names',
    attacks: (tenant) =>
      times(4, () =>
        post(tenant, '/Users', `{"schemas":["${core}:User"],"emails":[${times(9000, escapedNames).join(',')}]}`),
      ),
  },
  {
    name: 'PATCH of 1,000 operations with filters',
    attacks: (tenant) =>
      times(4, () =>
        sendJson(
          tenant,
          'PATCH',
          `/Groups/${largestGroup}`,
          patch(
            times(1000, (number) => ({
              op: 'remove',
              path: `members[value sw "${number}" and (type eq "user" or value co "z" or value ew "y") and not (value co "a")]`,
            })),
          ),
        ),
      ),
  },
  {
    name: 'ten times displayName co',
    attacks: (tenant) =>
      times(4, (number) => {
        const filter = times(10, (part) => `displayName co "no such name ${number} ${part}"`).join(' or ')
        return get(tenant, `/Users?filter=${encodeURIComponent(filter)}`)
      }),
  },
  {
    name: 'sixty searches at once',
    attacks: (tenant) =>
      times(60, (number) => {
        const filter = times(10, (part) => `displayName co "${number} ${part}"`).join(' and ')
        return get(tenant, `/Users?filter=${encodeURIComponent(filter)}&sortBy=displayName`)
      }),
  },
  {
    name: 'a Bulk of 1,000 new users',
    attacks: (tenant) =>
      times(2, () =>
        post(tenant, '/Bulk', {
          schemas: [`${messages}:BulkRequest`],
          Operations: times(1000, (number) => ({
            method: 'POST',
            path: '/Users',
            bulkId: `b${number}`,
            data: { schemas: [`${core}:User`], userName: `bulk${unique()}@hostile.test` },
          })),
        }),
      ),
  },
  { name: 'bodies without credentials that never end', attacks: (tenant) => unfinished(tenant, undefined) },
  { name: 'bodies with credentials that never end', attacks: (tenant) => unfinished(tenant, tenant.secret) },
  {
    name: 'bodies that never end, node:http alone',
    isBare: true,
    attacks: (tenant) => unfinished(tenant, undefined),
  },
]

let counter = Date.now()
const unique = (): string => (counter++).toString(36)

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

const members = (count: number) => times(count, (index) => ({ value: memberId(index + 1) }))

const patch = (operations: readonly unknown[]) => ({ schemas: [`${messages}:PatchOp`], Operations: operations })

const escapedNames = (): string => String.raw`{"\u0061\u0062\u0063":"","\u0061\u0062\u0064":"","\u0061\u0062\u0065":""}`

const largeUser = (number: number) => ({
  schemas: [`${core}:User`],
  userName: `large${number}${unique()}@hostile.test`,
  photos: times(20, (index) => ({ value: `https://h.test/${index}/`.padEnd(16_300, 'p'), type: `t${index}` })),
  roles: times(100, (index) => ({ value: `${index}`.padEnd(1000, 'r') })),
  entitlements: times(100, (index) => ({ value: `${index}`.padEnd(1000, 'e') })),
})

const photoFilter = times(120, (index) => `photos.value co "q${index}"`).join(' or ')

/** Connections that send almost the whole body that they have announced. */
const unfinished = ({ port, scale }: Tenant, authorized: string | undefined): readonly Attack[] => [
  async () => {
    const body = Buffer.alloc(1_048_000, 'a')
    const authorization = authorized === undefined ? '' : `Authorization: Bearer ${authorized}\r\n`
    const sockets = times(scale.connections, () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(
        `POST /scim/v2/enterprise-idps/hostile/Users HTTP/1.1\r\nHost: h\r\n${authorization}Content-Type: application/scim+json\r\nContent-Length: 1048576\r\n\r\n`,
      )
      socket.write(body)
      socket.resume()
      return socket
    })
    await pause(Math.min(scale.duration, 3000))
    for (const socket of sockets) socket.destroy()
    return 'closed'
  },
]

/** Returns the tenant with its second directory. */
const small = (tenant: Tenant): Tenant => ({ ...tenant, provider: 'small', secret: tenant.smallSecret })

type Attack = () => Promise<number | string>

const get = (tenant: Tenant, path: string): Attack => request(tenant, { method: 'GET', path })

const post = (tenant: Tenant, path: string, body: unknown): Attack =>
  request(tenant, { method: 'POST', path, headers: scimJson, body: textOf(body) })

const sendJson = (tenant: Tenant, method: string, path: string, body: unknown): Attack =>
  request(tenant, { method, path, headers: scimJson, body: textOf(body) })

const scimJson = { 'content-type': 'application/scim+json' }

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

const request =
  ({ port, provider, secret }: Tenant, sent: Sent): Attack =>
  async () => {
    const reply = await send(port, {
      ...sent,
      path: `/scim/v2/enterprise-idps/${provider}${sent.path}`,
      headers: { ...sent.headers, authorization: `Bearer ${secret}` },
    })
    return reply.status
  }
