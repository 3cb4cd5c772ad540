import { epochSeconds, type ClientId, type EpochSeconds, type FamilyId, type GrantId, type UserId } from '@mintmark/storage-interface'
import { base64url } from 'jose'

import { sha256 } from '../runtime/digest.ts'

/**
 * Something that access tokens depended on and that has ended, by its kind and name. Access tokens carry the same names, so
 * that whoever receives them can compare. `until`: when no token that depended on it can be alive any more.
 */
export type Ending = readonly [kind: EndingKind, name: string, until: EpochSeconds]

type EndingKind = 'account' | 'client' | 'family' | 'grant' | 'token'

/** One access token, by its `jti`. */
export const endedToken = (tokenId: string, until: EpochSeconds): Ending => ['token', tokenId, until]

export const endedFamily = (familyId: FamilyId, until: EpochSeconds): Ending => ['family', familyId, until]

export const endedGrant = (grantId: GrantId, until: EpochSeconds): Ending => ['grant', grantId, until]

export const endedClient = (clientId: ClientId, until: EpochSeconds): Ending => ['client', clientId, until]

/** Takes back the ending of a client, which is in use again: it has ended until 0. */
export const revivedClient = (clientId: ClientId): Ending => ['client', clientId, epochSeconds(0)]

/** A removed account. It is named by a digest: a receiver that does not know the subject learns nothing of the person. */
export const endedAccount = async (userId: UserId, until: EpochSeconds): Promise<Ending> => ['account', await accountName(userId), until]

/** A generation of an account: what was issued in it is never honoured again, what is issued in a later one is. */
export const endedGeneration = async (
  account: { readonly userId: UserId; readonly generation: number },
  until: EpochSeconds,
): Promise<Ending> => ['account', `${await accountName(account.userId)}.${account.generation}`, until]

const accountName = async (userId: UserId): Promise<string> => base64url.encode(await sha256(userId))
