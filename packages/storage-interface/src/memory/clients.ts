import type { ClientRecord, ClientStore } from '../client.ts'
import type { ClientId } from '../identifiers.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { Pause } from './pause.ts'

export type ClientTable = Map<ClientId, ClientRecord>

export const createClientTable = (): ClientTable => new Map()

export function createMemoryClients(clients: ClientTable, pause: Pause): ClientStore {
  return {
    async insert(client) {
      await pause()
      if (clients.has(client.clientId)) return { outcome: 'taken' }

      clients.set(client.clientId, frozenCopy(client))
      return { outcome: 'inserted' }
    },

    async find(clientId) {
      await pause()
      return clients.get(clientId)
    },

    async compareAndSwap(client, version) {
      await pause()
      const current = clients.get(client.clientId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }

      const record = frozenCopy({ ...client, version: version + 1 })
      clients.set(client.clientId, record)
      return { outcome: 'swapped', record }
    },

    async touchSecret(clientId, digest, now) {
      await pause()
      const current = clients.get(clientId)
      if (current === undefined) return

      const secrets = current.secrets.map((secret) =>
        secret.digest === digest ? { ...secret, lastUsedAt: now } : secret,
      )
      clients.set(clientId, frozenCopy({ ...current, secrets }))
    },
  }
}
