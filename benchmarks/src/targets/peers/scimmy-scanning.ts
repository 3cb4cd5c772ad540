// scimmy with a Map. As in its documentation, the filter scans all users, and the library selects the page.
import { scimUser, scimUserId } from '../../scim-user.ts'
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
  (number) => ({ ...scimUser(number), id: scimUserId(number) }),
)
