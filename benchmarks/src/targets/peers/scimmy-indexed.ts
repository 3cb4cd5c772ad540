// scimmy over a Map, with an index of names that is used before the library's filter, and with paging before it: the
// remaining cost is the library's.
import { scimPerson, scimUserId } from '../../scim-person.ts'
import { serveScimmy, type ScimmyAccount } from './scimmy.ts'

const accounts = new Map<string, ScimmyAccount>()
const byName = new Map<string, ScimmyAccount>()
/** In order of creation. */
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
  (number) => ({ ...scimPerson(number), id: scimUserId(number) }),
)

function page(
  constraints: { startIndex?: number; count?: number; totalResults?: number } | undefined,
): ScimmyAccount[] {
  const { startIndex = 1, count = 20 } = constraints ?? {}
  if (constraints !== undefined) constraints.totalResults = accounts.size
  return ids.slice(startIndex - 1, startIndex - 1 + count).flatMap((id) => accounts.get(id) ?? [])
}
