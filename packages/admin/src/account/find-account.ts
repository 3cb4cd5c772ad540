import { userId, type Storage, type UserRecord } from '@mintmark/storage-interface'

import { AdminError } from '../error/admin-error.ts'
import { isIdentifier } from '../page/identifier.ts'

/** @throws AdminError `account_unknown`. */
export async function findUser(id: string, { storage }: { readonly storage: Storage }): Promise<UserRecord> {
  // OIDC Core §2: a `sub` has at most 255 characters, so what is longer is nobody's.
  const user = isIdentifier(id, 255) ? await storage.users.find(userId(id)) : undefined
  // RFC 9110 §15.5.5.
  if (user === undefined) throw new AdminError('account_unknown')
  return user
}
