import type { ClientRecord, ClientStore } from '../client.ts'
import type { ClientId, SecretDigest, EpochSeconds } from '../values.ts'
import type { IdentityProviderStore } from '../identity-provider.ts'
import type { InsertOutcome, SwapOutcome } from '../outcome.ts'
import type { SecretRecord } from '../records/define-record.ts'
import { endAgents, endedUnlessOwned, isAgentTaken } from './agents.ts'
import type { ClientTable, IdentityProviderTable, VersionedTable } from './client-table.ts'
import type { UserTable } from './users.ts'
import { writeRevocation, type RevocationTable } from './revocation-table.ts'
import { frozenCopy, pageAfter, type SchedulerHook } from './rows.ts'
import type { Aged } from './sorted-rows.ts'

interface Tables {
  readonly clients: ClientTable
  readonly revocations: RevocationTable
  readonly users: UserTable
  readonly identityProviders: IdentityProviderTable
}

export function createMemoryClients(tables: Tables, scheduler: SchedulerHook): ClientStore {
  const { clients, revocations } = tables
  return createVersionedStore(clients, {
    scheduler,
    idOf: ({ clientId }) => clientId,
    isTaken: ({ agent }) => isAgentTaken(clients, agent),
    prepare: (client, before) => endedUnlessOwned(tables, client, before),
    onChange(before, after, now) {
      if (before !== undefined) clients.byAge.remove(ageOf(before))
      if (after !== undefined) clients.byAge.add(ageOf(after))
      if (after?.agent !== undefined) clients.agents.add(after.clientId)
      else if (before !== undefined) clients.agents.delete(before.clientId)
      if (before !== undefined) writeClientRevocation(revocations, { before, after, now })
    },
  })
}

export const createMemoryIdentityProviders = (
  tables: Omit<Tables, 'users'>,
  scheduler: SchedulerHook,
): IdentityProviderStore => ({
  ...createVersionedStore(tables.identityProviders, {
    scheduler,
    idOf: ({ providerId }) => providerId,
    onChange(before, after, now) {
      const at = after === undefined ? now : after.disabledAt
      if (before !== undefined && at !== undefined) endAgents(tables, { providerId: before.providerId }, at)
    },
  }),
  async listByAssertionIssuer(assertionIssuer, limit) {
    await scheduler()
    const all = pageAfter(tables.identityProviders.present, { after: undefined, limit: Infinity })
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
    /** Whether a new record has a key of another one, besides its identifier. */
    readonly isTaken?: (record: Of) => boolean
    /** Returns the record to write. `before` is `undefined` for a new record. */
    readonly prepare?: (record: Of, before: Of | undefined) => Of
    /** Called in the step that writes. `after` is `undefined` for a removal, and `now` is its time. */
    readonly onChange: (before: Of | undefined, after: Of | undefined, now: EpochSeconds | undefined) => void
  },
): VersionedStore<Id, Of> {
  const { scheduler, idOf, onChange, isTaken = () => false, prepare = (record) => record } = store
  const write = (value: Of): Of => {
    const record = frozenCopy(value)
    onChange(present.get(idOf(record)), record, undefined)
    present.set(idOf(record), record)
    return record
  }

  return {
    async insert(record) {
      await scheduler()
      if (present.has(idOf(record)) || removed.has(idOf(record)) || isTaken(record)) return { outcome: 'taken' }

      write(prepare(record, undefined))
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

      return { outcome: 'swapped', record: write({ ...prepare(record, current), version: version + 1 }) }
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
