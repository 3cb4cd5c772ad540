// scimmy over a Map: the filter goes through all accounts, and the library cuts the page, as its documentation shows.
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
