import { memberId, smallGroup, typedGroup, usersInSmallGroups, writtenGroup } from './hostile-database.ts'
import {
  type Attack,
  bulk,
  core,
  get,
  type HostileCase,
  inTurn,
  patch,
  post,
  search,
  sendJson,
  small,
  type Tenant,
  times,
  unique,
} from './tenant-requests.ts'

/** Attacks by the form of a directory: memberships, names, filters and references. */
export const directoryCases: readonly HostileCase[] = [
  {
    name: 'GET and PATCH of a user in thousands of groups',
    attacks: (tenant) => [
      ...times(2, () => get(tenant, `/Users/${inMostGroups(tenant)}`)),
      ...times(2, () => sendJson(tenant, 'PATCH', `/Users/${inMostGroups(tenant)}`, newTitle())),
    ],
  },
  {
    name: 'a Bulk of 100 PATCHes of a user in thousands of groups',
    attacks: (tenant) =>
      times(2, () =>
        bulk(
          tenant,
          times(100, () => ({ method: 'PATCH', path: `/Users/${inMostGroups(tenant)}`, data: newTitle() })),
        ),
      ),
  },
  {
    name: 'PATCH with forty filters on a large group',
    attacks: (tenant) =>
      times(4, () =>
        sendJson(
          tenant,
          'PATCH',
          `/Groups/${writtenGroup}`,
          patch([
            {
              op: 'remove',
              path: `members[${times(40, (number) => `(value co "z${number}" and type ne "Group")`).join(' or ')}]`,
            },
          ]),
        ),
      ),
  },
  {
    name: 'PUT and PATCH of members with types',
    attacks: (tenant) => {
      const members = times(tenant.scale.typed, (index) => ({ value: memberId(index + 1), type: 'User' }))
      const group = { schemas: [`${core}:Group`], displayName: 'Typed', members }
      const path = `/Groups/${typedGroup}`
      return [
        sendJson(tenant, 'PUT', path, group),
        sendJson(tenant, 'PATCH', path, patch([{ op: 'replace', path: 'members', value: members }])),
        sendJson(tenant, 'PATCH', path, patch([{ op: 'replace', path: 'members.type', value: 'User' }])),
      ]
    },
  },
  {
    name: 'a message with 390,000 member names',
    attacks: (tenant) => {
      const names = times(390_000, (number) => `"${number.toString(36)}":0`).join(',')
      return times(4, () => post(tenant, '/Users', `{"schemas":["${core}:User"],"userName":"u",${names}}`))
    },
  },
  {
    name: '600 comparisons of meta.location',
    attacks: (tenant) =>
      inBothDirectories(tenant, (number) =>
        times(600, (part) => `meta.location co "z${number}${part.toString(36)}"`).join(' or '),
      ),
  },
  {
    name: '800 comparisons joined by and',
    attacks: (tenant) => inBothDirectories(tenant, (number) => times(800, () => `id co "${number}"`).join(' and ')),
  },
  {
    name: 'searches of many shapes',
    attacks: (tenant) => times(4, () => async () => search(tenant, filterOfNewShape())()),
  },
  {
    name: 'two directories that search at their worst',
    attacks: (tenant) => [
      ...times(30, (number) => search(tenant, notFound('displayName', { number, parts: 10 }))),
      ...times(30, (number) => search(small(tenant), notFound('photos.value', { number, parts: 100 }))),
    ],
  },
  {
    name: 'a Bulk of groups that refer to each other',
    attacks: (tenant) =>
      times(2, () => {
        const count = 200
        const refersTo = (from: number) =>
          times(Math.min(count - from - 1, 100), (index) => ({ value: `bulkId:g${from + index + 1}` }))
        return async () =>
          bulk(
            tenant,
            times(count, (number) => ({
              method: 'POST',
              path: '/Groups',
              bulkId: `g${number}`,
              data: { schemas: [`${core}:Group`], displayName: `Bulk ${unique()}`, members: refersTo(number) },
            })),
          )()
      }),
  },
  {
    name: 'GET of the small groups, with filters',
    attacks: (tenant) =>
      times(4, (number) =>
        get(
          tenant,
          `/Groups?count=200&filter=${encodeURIComponent(`members eq "${inMostGroups(tenant)}" and id sw "${smallGroup(number)}"`)}`,
        ),
      ),
  },
  {
    name: 'DELETE of users in thousands of groups',
    // Last, because these users stay removed. The first one is the user of the other cases.
    attacks: (tenant) => [
      inTurn(
        ...usersInSmallGroups(tenant.scale)
          .slice(1)
          .map(memberId)
          .map((id) => sendJson(tenant, 'DELETE', `/Users/${id}`, '')),
      ),
    ],
  },
]

const inMostGroups = ({ scale }: Tenant): string => memberId(scale.users)

const newTitle = () => patch([{ op: 'replace', path: 'title', value: unique() }])

/** The large directory refuses many comparisons with every user as `tooMany`, the small one compares them. */
const inBothDirectories = (tenant: Tenant, filter: (number: number) => string): readonly Attack[] =>
  [tenant, tenant, small(tenant), small(tenant)].map((searched, number) => search(searched, filter(number)))

const notFound = (name: string, { number, parts }: { readonly number: number; readonly parts: number }): string =>
  times(parts, (part) => `${name} co "${number} ${part}"`).join(' or ')

/** Each filter is another statement of the database: its operators are the digits of a number. */
function filterOfNewShape(): string {
  const operators = ['co', 'sw', 'ew', 'ne', 'gt', 'ge', 'lt', 'le']
  const digits = BigInt(`0x${Buffer.from(unique().repeat(8)).toString('hex')}`)
    .toString(8)
    .split('')
  return digits.map((digit) => `id ${operators[Number(digit)] ?? 'co'} "k"`).join(' and ')
}
