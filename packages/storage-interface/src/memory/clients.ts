import type { ClientRecord, ClientStore } from '../client.ts'
import { compareText } from '../filter/compare-text.ts'
import type { ClientId } from '../identifiers.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { Pause } from './pause.ts'

/** `removed` keeps the identifier taken: what was issued to the client before must not be another one's. */
type StoredClient = { readonly kind: 'present'; readonly record: ClientRecord } | { readonly kind: 'removed' }

export type ClientTable = Map<ClientId, StoredClient>

export const createClientTable = (): ClientTable => new Map()

/** The client that is there: a removed one is not. */
export function presentClient(clients: ClientTable, clientId: ClientId): ClientRecord | undefined {
  const stored = clients.get(clientId)
  return stored?.kind === 'present' ? stored.record : undefined
}

export function createMemoryClients(clients: ClientTable, pause: Pause): ClientStore {
  const write = (client: ClientRecord): ClientRecord => {
    const record = frozenCopy(client)
    clients.set(record.clientId, { kind: 'present', record })
    return record
  }

  return {
    async insert(client) {
      await pause()
      if (clients.has(client.clientId)) return { outcome: 'taken' }

      write(client)
      return { outcome: 'inserted' }
    },

    async find(clientId) {
      await pause()
      return presentClient(clients, clientId)
    },

    async list({ after, limit }) {
      await pause()
      return [...clients.values()]
        .flatMap((stored) => (stored.kind === 'present' ? [stored.record] : []))
        .filter(({ clientId }) => after === undefined || compareText(clientId, after) > 0)
        .toSorted((one, other) => compareText(one.clientId, other.clientId))
        .slice(0, limit)
    },

    async remove(clientId) {
      await pause()
      if (presentClient(clients, clientId) === undefined) return { outcome: 'absent' }

      clients.set(clientId, { kind: 'removed' })
      return { outcome: 'removed' }
    },

    async compareAndSwap(client, version) {
      await pause()
      const current = presentClient(clients, client.clientId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }

      return { outcome: 'swapped', record: write({ ...client, version: version + 1 }) }
    },

    async touchSecret(clientId, digest, now) {
      await pause()
      const current = presentClient(clients, clientId)
      if (current === undefined) return

      const secrets = current.secrets.map((secret) =>
        secret.digest === digest ? { ...secret, lastUsedAt: now } : secret,
      )
      write({ ...current, secrets })
    },
  }
}
