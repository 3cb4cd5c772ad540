import type { UserRecord } from '@mintmark/storage-interface'

/**
 * How people know their account, for pages: by its e-mail address, by what they sign in with, or by their name. Only an
 * account with none of them goes by its identifier.
 */
export function accountNameOf({ claims, userId }: Pick<UserRecord, 'claims' | 'userId'>): string {
  const names = [claims['email'], claims['preferred_username'], claims['name']]
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? userId
}
