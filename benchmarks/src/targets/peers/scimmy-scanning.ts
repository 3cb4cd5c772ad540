// scimmy over a Map: the filter scans all users and the library pages, as its documentation shows.
import { scimPerson, scimUserId } from '../../scim-person.ts'
import { serveScimmy, type ScimmyAccount } from './scimmy.ts'

const accounts = new Map<string, ScimmyAccount>()

await serveScimmy(
  {
    put: (account) => void accounts.set(account.id, account),
    find: (id) => accounts.get(id),
    list: ({ filter }) => {
      const all = [...accounts.values()]
      return filter === undefined ? all : (filter.match(all) as ScimmyAccount[])
    },
  },
  (number) => ({ ...scimPerson(number), id: scimUserId(number) }),
)
