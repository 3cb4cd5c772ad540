import { scimRequest } from '../../benchmarks/src/driver/request-text.ts'
import { scimUser, scimUserName, scimWorkEmail } from '../../benchmarks/src/scim-user.ts'
import { directoryOf, identifier, spread, userIdOf } from './issuer-size.ts'
import type { SizedIssuer } from './sized-issuer.ts'
import { bodyWith, callsOfWorkload, repeated, type SizeWorkload } from './size-workload.ts'

const pageSize = 50

/** Requests of directories: half of them to the first, which has a tenth of all users, unless they are about one user each. */
export const scimWorkloads: readonly SizeWorkload[] = [
  reading('userName eq', (user) => `/Users?${filter(`userName eq "${scimUserName(user)}"`)}`, '"totalResults":1,'),
  reading(
    'work e-mail eq',
    (user) => `/Users?${filter(`emails[type eq "work" and value eq "${scimWorkEmail(user)}"]`)}`,
    '"totalResults":1,',
  ),
  reading('GET', (user) => `/Users/${userIdOf(user)}`, '"id"'),
  { name: `page of ${pageSize} by cursor`, prepare: async (site) => pageByCursor(site) },
  {
    name: 'PATCH active: a user with 20 families',
    prepare: async (site) => users(site).map((user) => async () => deactivate(site, user)),
  },
  {
    name: 'POST',
    prepare: async (site) =>
      repeated(async (turn) => {
        const directory = site.scim.siteOf(turn % 2 === 0 ? 0 : turn % site.size.directories)
        await bodyWith(
          '"id"',
          send(site, scimRequest('POST', '/Users', { site: directory, body: scimUser(`new-${turn}`) })),
        )
      }),
  },
  {
    name: 'PATCH of a group with a tenth of all users: one member',
    prepare: async (site) =>
      spread(callsOfWorkload, site.size, 10).map((user) => async () => removeFromGroup(site, user)),
  },
]

function reading(name: string, path: (user: number) => string, expected: string): SizeWorkload {
  return {
    name,
    prepare: async (site) =>
      users(site).map(
        (user) => async () =>
          bodyWith(expected, send(site, scimRequest('GET', path(user), { site: siteOfUser(site, user) }))),
      ),
  }
}

const filter = (text: string): string => `filter=${encodeURIComponent(text)}`

/** Users of all directories, and as many of the first. */
const users = ({ size }: SizedIssuer): readonly number[] => [
  ...new Set([...spread(callsOfWorkload / 2, size, 2), ...spread(callsOfWorkload / 2, size, 10)]),
]

const siteOfUser = ({ scim, size }: SizedIssuer, user: number) => scim.siteOf(directoryOf(user, size))

const send = ({ scim }: SizedIssuer, request: string) => scim.lane.exchange(request)

/** Reads the same page again and again: the second half of the list of a small directory, and the fortieth page of a large one. */
async function pageByCursor(site: SizedIssuer): Promise<readonly (() => Promise<unknown>)[]> {
  const read = async (cursor: string) => {
    const request = scimRequest('GET', `/Users?count=${pageSize}&cursor=${cursor}`, { site: site.scim.siteOf(0) })
    const body = await bodyWith(`"itemsPerPage":${pageSize}`, send(site, request))
    return (JSON.parse(body) as { readonly nextCursor?: string }).nextCursor ?? ''
  }
  let cursor = ''
  for (let page = 1; page < Math.min(40, site.size.users / 10 / pageSize); page += 1) cursor = await read(cursor)
  return repeated(async () => read(cursor))
}

async function deactivate(site: SizedIssuer, user: number): Promise<void> {
  const change = patch([{ op: 'replace', path: 'active', value: false }])
  const request = scimRequest('PATCH', `/Users/${userIdOf(user)}`, { site: siteOfUser(site, user), body: change })
  await bodyWith('"active":false', send(site, request))
}

async function removeFromGroup(site: SizedIssuer, user: number): Promise<void> {
  const change = patch([{ op: 'remove', path: `members[value eq "${userIdOf(user)}"]` }])
  const path = `/Groups/${identifier('group', 0)}`
  const { status } = await send(site, scimRequest('PATCH', path, { site: site.scim.siteOf(0), body: change }))
  if (status !== 204) throw new Error(`The group was not changed: ${status}`)
}

const patch = (operations: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: operations,
})
