import { tenantUrl } from '@mintmark/scim'
import type { IdentityProviderRecord } from '@mintmark/storage-interface'

import { secretView, type SecretView } from '../client/client-view.ts'

/** An identity provider as administrators see it: everything but its secrets, of which only their times are told. */
export interface ProviderView extends Omit<IdentityProviderRecord, 'secrets'> {
  /** The SCIM Tenant URL: what is pasted at the identity provider. */
  readonly tenantUrl: string
  readonly secrets: readonly SecretView[]
}

export const providerView = ({ secrets, ...provider }: IdentityProviderRecord, issuer: string): ProviderView => ({
  ...provider,
  tenantUrl: tenantUrl(issuer, provider.providerId),
  secrets: secrets.map(secretView),
})
