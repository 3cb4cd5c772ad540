import type { Revocation, EpochSeconds, UserId } from '@mintmark/storage-interface'

import { encodeBase64url } from '../runtime/base64url.ts'
import { sha256 } from '../runtime/digest.ts'

/**
 * An ending as resource servers are told of it, by its kind and name. Access tokens carry the same names, so that whoever
 * receives them can compare. `until`: when no token that depended on it can be alive any more; 0 takes it back.
 */
export type DeliveredRevocation = readonly [kind: ToldKind, name: string, until: EpochSeconds | 0]

type ToldKind = 'account' | 'client' | 'family' | 'grant' | 'token'

export async function deliveredRevocation(ending: Revocation, until: EpochSeconds): Promise<DeliveredRevocation> {
  switch (ending.kind) {
    case 'token':
      return ['token', ending.tokenId, until]
    case 'family':
      return ['family', ending.familyId, until]
    case 'grant':
      return ['grant', ending.grantId, until]
    case 'generation':
      return ['account', `${await accountName(ending.userId)}.${ending.generation}`, until]
    case 'account':
      return ['account', await accountName(ending.userId), until]
    case 'client':
      return ['client', ending.clientId, until]
    case 'client_in_use':
      break
  }
  return ['client', ending.clientId, 0]
}

/** A digest: a receiver that does not know the subject learns nothing of the person. */
const accountName = async (userId: UserId): Promise<string> => encodeBase64url(await sha256(userId))
