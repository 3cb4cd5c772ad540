import { clientId, type ClientRecord, type OAuthStorage } from '@mintmark/storage-interface'

import { issuedTo } from '../tokens/access-token.ts'
import type { Clock, RegisteredOrigins } from '@mintmark/internal'
import type { VerifyOwnJwtDependencies } from '../keys/jws.ts'
import { readForm } from '../parameters/read-parameters.ts'
import { readBearerToken } from '../tokens/userinfo.ts'

/**
 * The origins of the client that the form names, if it is one that may live in a page. That it sent the form is not proven, and
 * need not be: whoever can send such a form without a browser reads the answer as well.
 */
export const originsOfNamedClient =
  ({ storage }: { readonly storage: OAuthStorage }): RegisteredOrigins =>
  async (request) => {
    const named = readForm(request).get('client_id')
    const client = await findClient(named, storage)
    // RFC 6749 §2.1: a page cannot keep a secret from whoever uses it. A client that has one is not called from there.
    return client === undefined || client.tokenEndpointAuthMethod.startsWith('client_secret') ? [] : originsOf(client)
  }

/** The origins of the client that the bearer token was issued to, also when it has expired: its page has to hear of that. */
export const originsOfBearer =
  (deps: VerifyOwnJwtDependencies & { readonly storage: OAuthStorage; readonly clock: Clock }): RegisteredOrigins =>
  async (request) => {
    const token = readBearerToken(request)
    const owner = token === undefined ? undefined : await issuedTo(token, deps.clock(), deps)
    const client = await findClient(owner, deps.storage)
    return client === undefined ? [] : originsOf(client)
  }

/** A client in use, by the name that it was called. */
async function findClient(named: string | undefined, storage: OAuthStorage): Promise<ClientRecord | undefined> {
  const client = named === undefined ? undefined : await storage.clients.find(clientId(named))
  return client?.disabledAt === undefined ? client : undefined
}

/** Where its redirect URIs are pages; one of a native app's own scheme has no origin. */
const originsOf = ({ redirectUris }: ClientRecord): readonly string[] =>
  redirectUris.filter((uri) => /^https?:/.test(uri)).map((uri) => new URL(uri).origin)
