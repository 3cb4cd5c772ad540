import type { AuthorizationServerOptions } from '@mintmark/core'
import { epochSeconds, type OAuthStorage, userId } from '@mintmark/storage-interface'

/** The product's own table. */
export interface ProductTable {
  find(id: string): Promise<{ readonly fullName: string; readonly email: string } | undefined>
}

/** Call it before a sign-in is completed: the row holds the kill switch and no data. Repeating it changes nothing. */
export async function ensureUser(id: string, storage: OAuthStorage): Promise<void> {
  await storage.users.insert({ userId: userId(id), claims: {}, createdAt: epochSeconds(Math.floor(Date.now() / 1000)) })
}

/** The option `claims` of `createAuthorizationServer`: it is called for each token response and each call of userinfo. */
export const readClaims =
  (table: ProductTable): NonNullable<AuthorizationServerOptions['claims']> =>
  async ({ subject, user }) => {
    const row = user === undefined ? undefined : await table.find(subject)
    if (row === undefined) return {}
    const claims = { name: row.fullName, email: row.email }
    return { id_token: claims, userinfo: claims }
  }
