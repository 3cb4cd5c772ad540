import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

import { directoryCases } from './directory-cases.ts'
import { largestGroup, writtenGroup } from './hostile-database.ts'
import {
  type Attack,
  core,
  get,
  type HostileCase,
  members,
  messages,
  patch,
  post,
  sendJson,
  small,
  type Tenant,
  times,
  unique,
} from './tenant-requests.ts'

export const hostileCases: readonly HostileCase[] = [
  {
    name: 'a page of 200 users, each in 1,000 groups with long names',
    attacks: (tenant) => times(3, () => get(tenant, '/Users?count=200')),
  },
  {
    // Four of a provider run at the same time. A group takes up to 1,200 bytes of a page of 8 MiB.
    name: 'the largest page of users in groups that is allowed',
    attacks: (tenant) =>
      times(4, () => get(tenant, `/Users?count=${Math.floor(8_388_608 / (1200 * tenant.scale.groups + 2000))}`)),
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
  ...directoryCases,
  { name: 'bodies without credentials that never end', attacks: (tenant) => unfinished(tenant, undefined) },
  { name: 'bodies with credentials that never end', attacks: (tenant) => unfinished(tenant, tenant.secret) },
  {
    name: 'bodies that never end, node:http alone',
    isBare: true,
    attacks: (tenant) => unfinished(tenant, undefined),
  },
]

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
