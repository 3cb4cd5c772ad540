import type { ClientRecord, ClientStore } from '../client.ts'
import { compareText } from '../filter/compare-text.ts'
import type { ClientId } from '../identifiers.ts'
import { writeEnding, type EndingTable } from './ending-table.ts'
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

interface ClientTables {
  readonly clients: ClientTable
  readonly endings: EndingTable
}

export function createMemoryClients({ clients, endings }: ClientTables, pause: Pause): ClientStore {
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

    async remove(clientId, now) {
      await pause()
      if (presentClient(clients, clientId) === undefined) return { outcome: 'absent' }

      clients.set(clientId, { kind: 'removed' })
      writeEnding(endings, { kind: 'client', clientId }, now)
      return { outcome: 'removed' }
    },

    async compareAndSwap(client, version) {
      await pause()
      const current = presentClient(clients, client.clientId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }

      const record = write({ ...client, version: version + 1 })
      writeUseChange(endings, current, record)
      return { outcome: 'swapped', record }
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

/** A client that was disabled, or is in use again. */
function writeUseChange(endings: EndingTable, before: ClientRecord, { clientId, disabledAt }: ClientRecord): void {
  if (before.disabledAt === undefined && disabledAt !== undefined) writeEnding(endings, { kind: 'client', clientId }, disabledAt)
  if (before.disabledAt !== undefined && disabledAt === undefined) {
    writeEnding(endings, { kind: 'client_in_use', clientId }, before.disabledAt)
  }
}
