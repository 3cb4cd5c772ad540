import type { ClientRecord, ClientStore } from '../client.ts'
import type { ClientId } from '../identifiers.ts'
import { createRowsByAge, type Aged, type RowsByAge } from './age.ts'
import { writeRevocation, type RevocationTable } from './revocation-table.ts'
import { frozenCopy } from './frozen-copy.ts'
import { createOrderedRows, pageBehind, type OrderedRows } from './ordered-rows.ts'
import type { SchedulerHook } from './scheduler-hook.ts'

export interface ClientTable {
  /** Those that are there. */
  readonly present: OrderedRows<ClientId, ClientRecord>
  readonly byAge: RowsByAge<ClientId>
  /** Identifiers that stay taken: what was issued to the client before must not be another one's. */
  readonly removed: Set<ClientId>
}

export const createClientTable = (): ClientTable => ({
  present: createOrderedRows(),
  byAge: createRowsByAge(),
  removed: new Set(),
})

interface ClientTables {
  readonly clients: ClientTable
  readonly revocations: RevocationTable
}

export function createMemoryClients({ clients, revocations }: ClientTables, pause: SchedulerHook): ClientStore {
  const { present, byAge, removed } = clients
  const write = (client: ClientRecord): ClientRecord => {
    const record = frozenCopy(client)
    forgetAge(record.clientId)
    byAge.add(ageOf(record))
    present.set(record.clientId, record)
    return record
  }
  const forgetAge = (clientId: ClientId): void => {
    const client = present.get(clientId)
    if (client !== undefined) byAge.remove(ageOf(client))
  }

  return {
    async insert(client) {
      await pause()
      if (present.has(client.clientId) || removed.has(client.clientId)) return { outcome: 'taken' }

      write(client)
      return { outcome: 'inserted' }
    },

    async find(clientId) {
      await pause()
      return present.get(clientId)
    },

    async list(page) {
      await pause()
      return pageBehind(present, page)
    },

    async remove(clientId, now) {
      await pause()
      if (!present.has(clientId)) return { outcome: 'absent' }

      forgetAge(clientId)
      present.delete(clientId)
      removed.add(clientId)
      writeRevocation(revocations, { kind: 'client', clientId }, now)
      return { outcome: 'removed' }
    },

    async compareAndSwap(client, version) {
      await pause()
      const current = present.get(client.clientId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }

      const record = write({ ...client, version: version + 1 })
      writeUseChange(revocations, current, record)
      return { outcome: 'swapped', record }
    },

    async touchSecret(clientId, digest, now) {
      await pause()
      const current = present.get(clientId)
      if (current === undefined) return

      const secrets = current.secrets.map((secret) =>
        secret.digest === digest ? { ...secret, lastUsedAt: now } : secret,
      )
      write({ ...current, secrets })
    },
  }
}

const ageOf = ({ clientId: id, createdAt }: ClientRecord): Aged<ClientId> => ({ id, createdAt })

/** A client that was disabled, or is in use again. */
function writeUseChange(
  revocations: RevocationTable,
  before: ClientRecord,
  { clientId, disabledAt }: ClientRecord,
): void {
  if (before.disabledAt === undefined && disabledAt !== undefined)
    writeRevocation(revocations, { kind: 'client', clientId }, disabledAt)
  if (before.disabledAt !== undefined && disabledAt === undefined) {
    writeRevocation(revocations, { kind: 'client_in_use', clientId }, before.disabledAt)
  }
}
