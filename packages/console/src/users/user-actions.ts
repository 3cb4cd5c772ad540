import { type Action, actionRoute } from '../action.ts'
import { at } from '../api.ts'
import { clientNames } from '../clients/client-names.ts'
import { recordsOf, textOf } from '../values.ts'
import type { Visit } from '../visit.ts'
import { userName } from './user.ts'

const path = '/users/{user_id}'

const nameOfUser = async ({ api, part }: Visit): Promise<string> =>
  userName(await api.get(at`/users/${part('user_id')}`)).name

const common = {
  section: 'users',
  nameOf: nameOfUser,
  leadsTo: ({ part }: Visit) => at`/users/${part('user_id')}`,
} as const satisfies Partial<Action>

/** What administrators can do with a user. */
export const userActions = [
  actionRoute({
    ...common,
    path: `${path}/deactivate`,
    area: 'users',
    isDangerous: true,
    question: ({ users }) => users.deactivate,
    call: ({ part }) => ({ method: 'POST', path: at`/users/${part('user_id')}/deactivate` }),
  }),
  actionRoute({
    ...common,
    path: `${path}/reactivate`,
    area: 'users',
    isDangerous: false,
    question: ({ users }) => users.reactivate,
    call: ({ part }) => ({ method: 'POST', path: at`/users/${part('user_id')}/reactivate` }),
  }),
  actionRoute({
    ...common,
    path: `${path}/sign-out`,
    area: 'grants',
    isDangerous: true,
    question: ({ users }) => users.signOut,
    call: ({ part }) => ({ method: 'DELETE', path: at`/users/${part('user_id')}/sessions` }),
  }),
  actionRoute({
    ...common,
    path: `${path}/revoke-grants`,
    area: 'grants',
    isDangerous: true,
    question: ({ users }) => users.revokeGrants,
    call: ({ part }) => ({ method: 'DELETE', path: at`/users/${part('user_id')}/grants` }),
  }),
  actionRoute({
    ...common,
    path: `${path}/grants/{grant_id}/revoke`,
    area: 'grants',
    isDangerous: true,
    question: ({ users }) => users.revokeGrant,
    nameOf: async (visit) => {
      const { items } = await visit.api.get(at`/users/${visit.part('user_id')}/grants`)
      const client = textOf(itemWith('grant_id', visit.part('grant_id'), items)?.['client_id'])
      return (await clientNames(visit, [client]))(client)
    },
    call: ({ part }) => ({ method: 'DELETE', path: at`/users/${part('user_id')}/grants/${part('grant_id')}` }),
  }),
  actionRoute({
    ...common,
    path: `${path}/sessions/{session_id}/end`,
    area: 'grants',
    isDangerous: true,
    question: ({ users }) => users.endSession,
    nameOf: async ({ api, part, messages }) => {
      const { items } = await api.get(at`/users/${part('user_id')}/sessions`)
      const session = itemWith('session_id', part('session_id'), items)
      return textOf(session?.['user_agent']) || messages.users.unknownBrowser
    },
    call: ({ part }) => ({ method: 'DELETE', path: at`/users/${part('user_id')}/sessions/${part('session_id')}` }),
  }),
]

const itemWith = (name: string, id: string, items: Parameters<typeof recordsOf>[0]) =>
  recordsOf(items).find((item) => item[name] === id)
