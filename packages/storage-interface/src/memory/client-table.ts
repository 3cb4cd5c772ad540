import type { ClientRecord } from '../client.ts'
import type { IdentityProviderRecord } from '../identity-provider.ts'
import type { ClientId, ProviderId } from '../values.ts'
import { createOrderedRows, type OrderedRows } from './rows.ts'
import { createRowsByAge, type RowsByAge } from './sorted-rows.ts'

/** The records that have a version and secrets, and leave a tombstone when removed: clients and identity providers. */
export interface VersionedTable<Id extends string, Of> {
  /** The records that were not removed. */
  readonly present: OrderedRows<Id, Of>
  /** Identifiers of removed records. They stay taken: tokens issued to one record must not be valid for another. */
  readonly removed: Set<Id>
}

export interface ClientTable extends VersionedTable<ClientId, ClientRecord> {
  /** The clients that are agents. */
  readonly agents: Set<ClientId>
  readonly byAge: RowsByAge<ClientId>
}

export const createClientTable = (): ClientTable => ({
  ...createVersionedTable(),
  agents: new Set(),
  byAge: createRowsByAge(),
})

export type IdentityProviderTable = VersionedTable<ProviderId, IdentityProviderRecord>

export const createIdentityProviderTable = (): IdentityProviderTable => createVersionedTable()

const createVersionedTable = <Id extends string, Of>(): VersionedTable<Id, Of> => ({
  present: createOrderedRows(),
  removed: new Set(),
})
