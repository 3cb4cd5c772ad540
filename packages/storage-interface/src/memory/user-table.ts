import type { ProviderId, UserId } from '../identifiers.ts'
import type { JsonObject, JsonText } from '../json.ts'
import type { UserRecord } from '../user.ts'
import { createRowsByAge, type Aged, type RowsByAge } from './age.ts'
import { frozenCopy } from './frozen-copy.ts'
import { createProviderIndex, reindex, type IndexedRow, type ProviderIndex } from './provider-index.ts'
import { textsOf } from './texts-of.ts'

/** An account that is there, with what its identity provider said. One object, as it is one row elsewhere. */
export interface PresentUser<Said extends Provisioning | undefined = Provisioning | undefined> {
  readonly kind: 'present'
  readonly record: UserRecord
  readonly provisioning: Said
}

/** What an identity provider said of an account. */
export interface Provisioning {
  readonly providerId: ProviderId
  readonly externalId: string | undefined
  readonly adopted: boolean
  readonly resource: JsonText
  readonly resourceForm: string | undefined
  readonly comparable: JsonObject
}

/** `removed` is a tombstone: it keeps the identifier taken and holds nothing of the person. */
type StoredUser = PresentUser | { readonly kind: 'removed' }

export interface UserTable {
  readonly byId: Map<UserId, StoredUser>
  /** Those that are there. */
  readonly byAge: RowsByAge<UserId>
  readonly byProvider: ProviderIndex<UserId>
}

export const createUserTable = (): UserTable => ({
  byId: new Map(),
  byAge: createRowsByAge(),
  byProvider: createProviderIndex(),
})

/** The account that is there, whole: a removed one is not. */
export function presentRow(users: UserTable, userId: UserId): PresentUser | undefined {
  const stored = users.byId.get(userId)
  return stored?.kind === 'present' ? stored : undefined
}

/** The account that is there. */
export const presentUser = (users: UserTable, userId: UserId): UserRecord | undefined =>
  presentRow(users, userId)?.record

/** Stores an account. @returns it as it is stored. */
export function writeUser<Said extends Provisioning | undefined>(
  users: UserTable,
  row: Omit<PresentUser<Said>, 'kind'>,
): PresentUser<Said> {
  const stored = frozenCopy<PresentUser<Said>>({ kind: 'present', record: row.record, provisioning: row.provisioning })
  const { userId } = stored.record
  const before = presentRow(users, userId)
  reindex(users.byProvider, { from: indexedRow(before), to: indexedRow(stored) })
  if (before === undefined) users.byAge.add(ageOf(stored))
  users.byId.set(userId, stored)
  return stored
}

/** Leaves a tombstone. The generation needs no place in it: nothing finds it, and the identifier is never used again. */
export function tombstoneUser(users: UserTable, userId: UserId): void {
  const row = presentRow(users, userId)
  reindex(users.byProvider, { from: indexedRow(row), to: undefined })
  if (row !== undefined) users.byAge.remove(ageOf(row))
  users.byId.set(userId, { kind: 'removed' })
}

const ageOf = ({ record }: PresentUser): Aged<UserId> => ({ id: record.userId, createdAt: record.createdAt })

function indexedRow(row: PresentUser | undefined): IndexedRow<UserId> | undefined {
  if (row?.provisioning === undefined) return undefined
  const { providerId, externalId, comparable } = row.provisioning
  const texts = {
    externalId: externalId === undefined ? [] : [externalId],
    userName: textsOf(comparable, 'userName'),
    'emails.value': textsOf(comparable, 'emails.value'),
  }
  return { providerId, age: ageOf(row), texts }
}

/** The comparable `userName`. */
export function userNameOf(comparable: JsonObject): string | undefined {
  const { userName } = comparable
  return typeof userName === 'string' ? userName : undefined
}
