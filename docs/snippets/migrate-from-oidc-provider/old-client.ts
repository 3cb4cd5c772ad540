import type { JsonObject, TokenEndpointAuthMethod } from '@mintmark/storage-interface'

/** What is read of an entry of oidc-provider's `clients`. */
export interface OldClient {
  readonly client_id: string
  readonly client_secret?: string
  readonly client_name?: string
  readonly token_endpoint_auth_method?: TokenEndpointAuthMethod
  readonly redirect_uris?: readonly string[]
  readonly grant_types?: readonly string[]
  readonly scope?: string
  readonly jwks?: JsonObject
  readonly jwks_uri?: string
  readonly default_max_age?: number
}
