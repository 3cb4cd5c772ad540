import { type Action, actionRoute } from '../action.ts'
import { at } from '../api.ts'
import { previousSecretsExpiry } from '../previous-secrets.ts'
import { secretPage } from '../secret-page.ts'
import { textOf } from '../values.ts'
import type { Visit } from '../visit.ts'

const path = '/clients/{client_id}'

const common = {
  area: 'clients',
  section: 'clients',
  nameOf: async ({ api, part }: Visit) => textOf((await api.get(at`/clients/${part('client_id')}`))['client_name']),
  leadsTo: ({ part }: Visit) => at`/clients/${part('client_id')}`,
} as const satisfies Partial<Action>

/** What administrators can do with a client, besides changing its settings. */
export const clientActions = [
  actionRoute({
    ...common,
    path: `${path}/disable`,
    isDangerous: true,
    question: ({ clients }) => clients.disable,
    call: ({ part }) => ({ method: 'POST', path: at`/clients/${part('client_id')}/disable` }),
  }),
  actionRoute({
    ...common,
    path: `${path}/enable`,
    isDangerous: false,
    question: ({ clients }) => clients.enable,
    call: ({ part }) => ({ method: 'POST', path: at`/clients/${part('client_id')}/enable` }),
  }),
  actionRoute({
    ...common,
    path: `${path}/rotate`,
    isDangerous: false,
    question: ({ clients }) => clients.rotate,
    call: ({ part }) => ({
      method: 'POST',
      path: at`/clients/${part('client_id')}/secrets`,
      body: { previous_expires_at: previousSecretsExpiry() },
    }),
    answer: async (result, visit) =>
      secretPage(visit, {
        section: 'clients',
        name: await common.nameOf(visit),
        secret: textOf(result['client_secret']),
        isRotated: true,
        leadsTo: common.leadsTo(visit),
      }),
  }),
  actionRoute({
    ...common,
    path: `${path}/revoke-previous`,
    isDangerous: true,
    question: ({ clients }) => clients.revokePrevious,
    call: ({ part }) => ({ method: 'DELETE', path: at`/clients/${part('client_id')}/secrets/previous` }),
  }),
]
