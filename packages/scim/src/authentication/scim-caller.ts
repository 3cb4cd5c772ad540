import type { Brand, ClientId, IdentityProviderRecord } from '@mintmark/storage-interface'

interface Caller {
  readonly provider: IdentityProviderRecord
  /** How it authenticated: with its own secret, or with an access token of this issuer. */
  readonly by: { readonly kind: 'secret' } | { readonly kind: 'client'; readonly clientId: ClientId }
}

/** An authenticated identity provider at its own tenant URL. Only `authenticateProvider` creates it. */
export type ScimCaller = Brand<Caller, 'ScimCaller'>
