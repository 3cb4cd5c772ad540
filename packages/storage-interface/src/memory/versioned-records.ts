import type { ClientRecord, ClientStore } from '../client.ts'
import type { ClientId, ProviderId, SecretDigest, EpochSeconds } from '../values.ts'
import type { IdentityProviderRecord, IdentityProviderStore } from '../identity-provider.ts'
import type { InsertOutcome, SwapOutcome } from '../outcome.ts'
import type { SecretRecord } from '../records/define-record.ts'
import { writeRevocation, type RevocationTable } from './revocation-table.ts'
import { createOrderedRows, frozenCopy, pageAfter, type OrderedRows, type SchedulerHook } from './rows.ts'
import { createRowsByAge, type Aged, type RowsByAge } from './sorted-rows.ts'

/** The records that have a version and secrets, and leave a tombstone when removed: clients and identity providers. */
export interface VersionedTable<Id extends string, Of> {
  /** The records that were not removed. */
  readonly present: OrderedRows<Id, Of>
  /** Identifiers of removed records. They stay taken: tokens issued to one record must not be valid for another. */
  readonly removed: Set<Id>
}

export interface ClientTable extends VersionedTable<ClientId, ClientRecord> {
  readonly byAge: RowsByAge<ClientId>
}

export const createClientTable = (): ClientTable => ({ ...createVersionedTable(), byAge: createRowsByAge() })

export type IdentityProviderTable = VersionedTable<ProviderId, IdentityProviderRecord>

export const createIdentityProviderTable = (): IdentityProviderTable => createVersionedTable()

const createVersionedTable = <Id extends string, Of>(): VersionedTable<Id, Of> => ({
  present: createOrderedRows(),
  removed: new Set(),
})

interface ClientTables {
  readonly clients: ClientTable
  readonly revocations: RevocationTable
}

export function createMemoryClients({ clients, revocations }: ClientTables, scheduler: SchedulerHook): ClientStore {
  return createVersionedStore(clients, {
    scheduler,
    idOf: ({ clientId }) => clientId,
    onChange(before, after, now) {
      if (before !== undefined) clients.byAge.remove(ageOf(before))
      if (after !== undefined) clients.byAge.add(ageOf(after))
      if (before !== undefined) writeClientRevocation(revocations, { before, after, now })
    },
  })
}

export const createMemoryIdentityProviders = (
  providers: IdentityProviderTable,
  scheduler: SchedulerHook,
): IdentityProviderStore => ({
  ...createVersionedStore(providers, { scheduler, idOf: ({ providerId }) => providerId, onChange: () => {} }),
  async listByAssertionIssuer(assertionIssuer, limit) {
    await scheduler()
    const all = pageAfter(providers.present, { after: undefined, limit: Infinity })
    return all.filter(({ assertions }) => assertions?.issuer === assertionIssuer).slice(0, limit)
  },
})

interface Versioned {
  readonly version: number
  readonly secrets: readonly SecretRecord[]
}

interface VersionedStore<Id extends string, Of> {
  insert(record: Of): Promise<InsertOutcome>
  find(id: Id): Promise<Of | undefined>
  list(page: { readonly after: Id | undefined; readonly limit: number }): Promise<readonly Of[]>
  compareAndSwap(record: Of, version: number): Promise<SwapOutcome<Of>>
  remove(id: Id, now: EpochSeconds): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>
  touchSecret(id: Id, digest: SecretDigest, now: EpochSeconds): Promise<void>
}

function createVersionedStore<Id extends string, Of extends Versioned>(
  { present, removed }: VersionedTable<Id, Of>,
  store: {
    readonly scheduler: SchedulerHook
    readonly idOf: (record: Of) => Id
    /** Called in the step that writes. `after` is `undefined` for a removal, and `now` is its time. */
    readonly onChange: (before: Of | undefined, after: Of | undefined, now: EpochSeconds | undefined) => void
  },
): VersionedStore<Id, Of> {
  const { scheduler, idOf, onChange } = store
  const write = (value: Of): Of => {
    const record = frozenCopy(value)
    onChange(present.get(idOf(record)), record, undefined)
    present.set(idOf(record), record)
    return record
  }

  return {
    async insert(record) {
      await scheduler()
      if (present.has(idOf(record)) || removed.has(idOf(record))) return { outcome: 'taken' }

      write(record)
      return { outcome: 'inserted' }
    },

    async find(id) {
      await scheduler()
      return present.get(id)
    },

    async list(page) {
      await scheduler()
      return pageAfter(present, page)
    },

    async compareAndSwap(record, version) {
      await scheduler()
      const current = present.get(idOf(record))
      if (current === undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }

      return { outcome: 'swapped', record: write({ ...record, version: version + 1 }) }
    },

    async remove(id, now) {
      await scheduler()
      const current = present.get(id)
      if (current === undefined) return { outcome: 'absent' }

      onChange(current, undefined, now)
      present.delete(id)
      removed.add(id)
      return { outcome: 'removed' }
    },

    async touchSecret(id, digest, now) {
      await scheduler()
      const current = present.get(id)
      if (current === undefined) return

      const secrets = current.secrets.map((secret) =>
        secret.digest === digest ? { ...secret, lastUsedAt: now } : secret,
      )
      write({ ...current, secrets })
    },
  }
}

const ageOf = ({ clientId: id, createdAt }: ClientRecord): Aged<ClientId> => ({ id, createdAt })

/** Writes the revocation when a client is removed or disabled, and withdraws it when the client is enabled again. */
function writeClientRevocation(
  revocations: RevocationTable,
  change: {
    readonly before: ClientRecord
    readonly after: ClientRecord | undefined
    readonly now: EpochSeconds | undefined
  },
): void {
  const { before, after, now } = change
  const { clientId } = before
  if (after === undefined && now !== undefined) writeRevocation(revocations, { kind: 'client', clientId }, now)
  if (after === undefined) return
  if (before.disabledAt === undefined && after.disabledAt !== undefined)
    writeRevocation(revocations, { kind: 'client', clientId }, after.disabledAt)
  if (before.disabledAt !== undefined && after.disabledAt === undefined)
    writeRevocation(revocations, { kind: 'client_in_use', clientId }, before.disabledAt)
}
