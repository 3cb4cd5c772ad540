import type { Brand, ClientId, IdentityProviderRecord } from '@mintmark/storage-interface'

interface Caller {
  readonly provider: IdentityProviderRecord
  /** What it proved itself with: a secret of its own, or an access token of ours. */
  readonly by: { readonly kind: 'secret' } | { readonly kind: 'client'; readonly clientId: ClientId }
}

/** An identity provider that has proved who it is, at its own address. Made by `authenticateProvider` alone. */
export type ScimCaller = Brand<Caller, 'ScimCaller'>
