import { adoptClientSecret, ClientMetadataError, registerClient } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'
import type { OldClient } from './old-client.ts'

/** Registers the clients of oidc-provider. @returns the problems that need manual work, by `client_id`. */
export async function importClients(
  clients: readonly OldClient[],
  storage: OAuthStorage,
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  for (const client of clients) {
    try {
      const { clientSecret } = await registerClient(registrationOf(client), { storage })
      if (clientSecret !== undefined) await adoptClientSecret(client.client_id, client.client_secret ?? '', { storage })
    } catch (error) {
      if (!(error instanceof ClientMetadataError)) throw error
      problems.set(client.client_id, error.description)
    }
  }
  return problems
}

const registrationOf = (client: OldClient) => ({
  clientId: client.client_id,
  clientName: client.client_name ?? client.client_id,
  tokenEndpointAuthMethod: client.token_endpoint_auth_method ?? 'client_secret_basic',
  redirectUris: client.redirect_uris ?? [],
  grantTypes: client.grant_types ?? ['authorization_code'],
  scopes: (client.scope ?? 'openid offline_access').split(' '),
  ...(client.jwks && { jwks: client.jwks }),
  ...(client.jwks_uri !== undefined && { jwksUri: client.jwks_uri }),
  ...(client.default_max_age !== undefined && { defaultMaxAge: client.default_max_age }),
})
