import { adoptClientSecret, ClientMetadataError, type ClientRegistration, registerClient } from '@mintmark/core'
import {
  type AdminStorage,
  clientId as toClientId,
  type ClientRecord,
  epochSeconds,
  type OAuthStorage,
  userId,
} from '@mintmark/storage-interface'
import type { KeycloakClient, KeycloakUser, Realm } from './realm.ts'

/** Imports the clients and users of a realm. @returns the problems that need manual work, by client and by user. */
export async function importRealm(realm: Realm, storage: AdminStorage): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  // The client of a service account acts for itself here.
  for (const user of realm.users.filter(({ serviceAccountClientId }) => serviceAccountClientId === undefined)) {
    const problem = await importUser(user, storage)
    if (problem !== undefined) problems.set(`user ${user.username}`, problem)
  }
  for (const client of realm.clients.filter(shouldImport)) {
    const problem = await importClient(client, storage)
    if (problem !== undefined) problems.set(client.clientId, problem)
  }
  return problems
}

async function importUser(user: KeycloakUser, storage: AdminStorage): Promise<string | undefined> {
  const now = epochSeconds(Date.now() / 1000)
  const { id, username, email, emailVerified = false, firstName, lastName, enabled = true } = user
  const claims = {
    preferred_username: username,
    ...(email !== undefined && { email, email_verified: emailVerified }),
    ...(firstName !== undefined && { given_name: firstName }),
    ...(lastName !== undefined && { family_name: lastName }),
  }
  // Clients know Keycloak's id as `sub`.
  const existing = await storage.users.find(userId(id))
  if (existing !== undefined) return undefined
  const [written] = await storage.users.upsert({ users: [{ userId: userId(id), claims, active: enabled }], now })
  if (written?.outcome === 'removed') return 'The user was removed here.'
  return written?.outcome === 'client' ? 'The identifier is that of a client.' : undefined
}

async function importClient(client: KeycloakClient, storage: OAuthStorage): Promise<string | undefined> {
  const {
    clientId,
    name,
    secret,
    publicClient = false,
    standardFlowEnabled = true,
    serviceAccountsEnabled = false,
  } = client
  const grantTypes = [
    ...(standardFlowEnabled ? ['authorization_code', 'refresh_token'] : []),
    ...(serviceAccountsEnabled ? ['client_credentials'] : []),
  ]
  const scopes = ['openid', ...(client.defaultClientScopes ?? []), ...(client.optionalClientScopes ?? [])]
  const redirectUris = standardFlowEnabled ? (client.redirectUris ?? []) : []
  const { attributes = {} } = client
  const backchannelLogoutUri = attributes['backchannel.logout.url'] ?? ''
  const tokenEndpointAuthMethod = publicClient ? 'none' : 'client_secret'
  const requirePkce = attributes['pkce.code.challenge.method'] === 'S256'
  const clientName = name === undefined || name === '' ? clientId : name
  try {
    const existing = await storage.clients.find(toClientId(clientId))
    const registration: ClientRegistration = {
      clientId,
      clientName,
      tokenEndpointAuthMethod,
      requirePkce,
      redirectUris,
      postLogoutRedirectUris: returnsOf(attributes['post.logout.redirect.uris'], redirectUris),
      grantTypes,
      scopes,
      ...(backchannelLogoutUri !== '' && { backchannelLogoutUri }),
    }
    const registered = existing ?? (await registerClient(registration, { storage })).client
    if (hasFirstSecret(registered)) await adoptClientSecret(clientId, secret ?? '', { storage })
    return existing === undefined ? undefined : 'The client is already registered.'
  } catch (error) {
    if (error instanceof ClientMetadataError) return error.description
    throw error
  }
}

/** Returns where users may return to after signing out. Keycloak writes `+` for the redirect URIs, and `-` for nowhere. */
const returnsOf = (text: string | undefined, redirectUris: readonly string[]): readonly string[] =>
  text === '+' ? redirectUris : text === undefined || text === '-' || text === '' ? [] : text.split('##')

/** Returns whether the client has only the secret of its registration: the import has not replaced it yet. */
const hasFirstSecret = ({ secrets, createdAt }: ClientRecord): boolean =>
  secrets.length === 1 && secrets[0]?.createdAt === createdAt

/** Excludes disabled clients, and the clients that Keycloak creates in every realm. */
const shouldImport = ({ clientId, enabled = true }: KeycloakClient): boolean =>
  enabled &&
  !['account', 'account-console', 'admin-cli', 'broker', 'realm-management', 'security-admin-console'].includes(
    clientId,
  )
