import type { AuthorizationServerOptions } from '@mintmark/core'

/** The product's own table. */
export interface ProductTable {
  find(
    id: string,
    call: { readonly signal: AbortSignal },
  ): Promise<{ readonly fullName: string; readonly email: string; readonly isDisabled: boolean } | undefined>
}

/** The option `users` of `createAuthorizationServer`. */
export const usersOf = (table: ProductTable): NonNullable<AuthorizationServerOptions['users']> => ({
  async find(subject, { signal }) {
    const row = await table.find(subject, { signal })
    return row && { active: !row.isDisabled, claims: { name: row.fullName, email: row.email } }
  },
})
