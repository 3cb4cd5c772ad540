import { adoptClientSecret, ClientMetadataError, registerClient } from '@mintmark/core'
import { clientId, type ClientRecord, type OAuthStorage } from '@mintmark/storage-interface'
import type { OldClient } from './old-client.ts'

/** Registers the clients of oidc-provider. @returns the problems that need manual work, by `client_id`. */
export async function importClients(
  clients: readonly OldClient[],
  storage: OAuthStorage,
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  for (const client of clients) {
    try {
      const existing = await storage.clients.find(clientId(client.client_id))
      const registered = existing ?? (await registerClient(registrationOf(client), { storage })).client
      if (hasFirstSecret(registered)) await adoptClientSecret(client.client_id, client.client_secret ?? '', { storage })
      const unread = Object.keys(client).filter((member) => !members.has(member))
      if (existing !== undefined) problems.set(client.client_id, 'The client is already registered.')
      else if (unread.length > 0) problems.set(client.client_id, `Not imported: ${unread.join(', ')}.`)
    } catch (error) {
      if (!(error instanceof ClientMetadataError)) throw error
      problems.set(client.client_id, error.description)
    }
  }
  return problems
}

/** Returns whether the client has only the secret of its registration: the import has not replaced it yet. */
const hasFirstSecret = ({ secrets, createdAt }: ClientRecord): boolean =>
  secrets.length === 1 && secrets[0]?.createdAt === createdAt

/** The members that `registrationOf` reads, and those that are the same for every client here. */
const members: ReadonlySet<string> = new Set(
  `client_id client_secret client_name token_endpoint_auth_method redirect_uris post_logout_redirect_uris
  backchannel_logout_uri grant_types scope jwks jwks_uri default_max_age application_type response_types`.split(/\s+/),
)

const registrationOf = (client: OldClient) => ({
  clientId: client.client_id,
  clientName: client.client_name ?? client.client_id,
  tokenEndpointAuthMethod: client.token_endpoint_auth_method ?? 'client_secret_basic',
  redirectUris: client.redirect_uris ?? [],
  postLogoutRedirectUris: client.post_logout_redirect_uris ?? [],
  grantTypes: client.grant_types ?? ['authorization_code'],
  scopes: (client.scope ?? 'openid offline_access').split(' '),
  ...(client.backchannel_logout_uri !== undefined && { backchannelLogoutUri: client.backchannel_logout_uri }),
  ...(client.jwks && { jwks: client.jwks }),
  ...(client.jwks_uri !== undefined && { jwksUri: client.jwks_uri }),
  ...(client.default_max_age !== undefined && { defaultMaxAge: client.default_max_age }),
})
