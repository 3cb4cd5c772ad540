import { at } from '../api.ts'
import { type SecretHolder, secretHolderRoutes } from '../secret-holder.ts'
import { textOf } from '../values.ts'

/** Clients, as records that have secrets. */
export const clientHolder: SecretHolder = {
  path: '/clients/{client_id}',
  area: 'clients',
  section: 'clients',
  nameOf: async ({ api, part }) => textOf((await api.get(at`/clients/${part('client_id')}`))['client_name']),
  leadsTo: ({ part }) => at`/clients/${part('client_id')}`,
  apiPath: ({ part }) => at`/clients/${part('client_id')}`,
  questions: ({ clients }) => clients,
  secretMember: 'client_secret',
}

/** What administrators can do with a client, besides changing its settings. */
export const clientActions = secretHolderRoutes(clientHolder)
