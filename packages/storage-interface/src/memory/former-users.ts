import type { EpochSeconds, ProviderId } from '../values.ts'
import type { NewProvisionedUser, ProvisionedState } from '../provisioned-user.ts'
import { blockOfKey, formerKey, type PresentUser, userNameOf, type UserTable } from './users.ts'

/** Whether `unlessRemoved` forbids the insertion, because a user with the `externalId` was removed. */
export const isRefusedAsRemoved = (
  { former }: UserTable,
  { providerId, state, unlessRemoved = false }: Omit<NewProvisionedUser, 'createdAt'>,
): boolean =>
  unlessRemoved && state.externalId !== undefined && former.has(formerKey(providerId, 'externalId', state.externalId))

type UserKeys = Readonly<Record<'externalId' | 'userName', string | undefined>>

export const keysOf = ({ externalId, comparable }: Pick<ProvisionedState, 'externalId' | 'comparable'>): UserKeys => ({
  externalId,
  userName: userNameOf(comparable),
})

/**
 * Returns the keys that a change gives to a user of a provider. Returns none for a user whom the host links: the host has chosen
 * this user, so a former user's block does not apply.
 */
export function changedKeys({ provisioning }: PresentUser, state: ProvisionedState): UserKeys {
  const after = keysOf(state)
  const before = provisioning === undefined ? after : keysOf(provisioning)
  return {
    externalId: after.externalId === before.externalId ? undefined : after.externalId,
    userName: after.userName === before.userName ? undefined : after.userName,
  }
}

/** Returns the block of a former user who had the same `externalId` or, failing that, the same `userName`. */
export function findFormerBlock(
  users: UserTable,
  providerId: ProviderId,
  { externalId, userName }: UserKeys,
): EpochSeconds | undefined {
  const blockOf = (name: 'externalId' | 'userName', text: string | undefined): EpochSeconds | undefined =>
    text === undefined ? undefined : blockOfKey(users, formerKey(providerId, name, text))
  return blockOf('externalId', externalId) ?? blockOf('userName', userName)
}
