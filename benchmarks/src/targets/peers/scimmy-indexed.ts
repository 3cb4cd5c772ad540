// scimmy with a Map and an index of names. Name filters and paging are applied before the library's filter, so that the
// remaining cost is the library's.
import { scimUser, scimUserId } from '../../scim-user.ts'
import { serveScimmy, type ScimmyAccount } from './scimmy.ts'

const accounts = new Map<string, ScimmyAccount>()
const byName = new Map<string, ScimmyAccount>()
/** The identifiers in order of creation. */
const ids: string[] = []

await serveScimmy(
  {
    put: (account) => {
      if (!accounts.has(account.id)) ids.push(account.id)
      accounts.set(account.id, account)
      byName.set(account.userName.toLowerCase(), account)
    },
    find: (id) => accounts.get(id),
    list: ({ filter, constraints }) => {
      if (filter === undefined) return page(constraints)
      const name = /^userName eq "([^"]*)"$/.exec(filter.expression)?.[1]
      if (name === undefined) return filter.match([...accounts.values()]) as ScimmyAccount[]
      const account = byName.get(name.toLowerCase())
      return account === undefined ? [] : [account]
    },
  },
  (number) => ({ ...scimUser(number), id: scimUserId(number) }),
)

function page(
  constraints: { startIndex?: number; count?: number; totalResults?: number } | undefined,
): ScimmyAccount[] {
  const { startIndex = 1, count = 20 } = constraints ?? {}
  if (constraints !== undefined) constraints.totalResults = accounts.size
  return ids.slice(startIndex - 1, startIndex - 1 + count).flatMap((id) => accounts.get(id) ?? [])
}
