import type { JsonObject, TokenEndpointAuthMethod } from '@mintmark/storage-interface'

/** The members of an entry in oidc-provider's `clients` that the import reads. */
export interface OldClient {
  readonly client_id: string
  readonly client_secret?: string
  readonly client_name?: string
  readonly token_endpoint_auth_method?: TokenEndpointAuthMethod
  readonly redirect_uris?: readonly string[]
  readonly post_logout_redirect_uris?: readonly string[]
  readonly backchannel_logout_uri?: string
  readonly grant_types?: readonly string[]
  readonly scope?: string
  readonly jwks?: JsonObject
  readonly jwks_uri?: string
  readonly default_max_age?: number
}
