import { encodeBase64url, isJsonObject, isStorable, parseJsonObject, repeatsMember, sha256 } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { isOutboundUrl } from '../outbound/client.ts'
import { isLoopbackHost, isRegistrableRedirectUri } from './redirect-uri.ts'

/** The members of a client that its document decides. */
export type DocumentMetadata = Pick<
  ClientRecord,
  | 'clientName'
  | 'tokenEndpointAuthMethod'
  | 'redirectUris'
  | 'grantTypes'
  | 'jwks'
  | 'jwksUri'
  | 'documentDigest'
  | 'documentReadAt'
>

/** Which redirect URIs of a document are accepted. */
export type RedirectPolicy = 'same_origin' | 'loopback_and_same_origin' | 'any_https'

/**
 * Whether a `client_id` is the URL of a document (Client ID Metadata Document §3): https, a host name, a path, and the form
 * that every URL parser leaves unchanged, so that two texts never name one document.
 */
export const isDocumentUrl = (id: string): boolean =>
  id.length <= 2048 &&
  isOutboundUrl(id) &&
  !id.includes('#') &&
  new URL(id).href === id &&
  new URL(id).pathname !== '/' &&
  !new URL(id).hostname.endsWith('.')

/**
 * Reads a document (Client ID Metadata Document §4). Members and list entries that this server does not know are ignored.
 * @returns `undefined` when a client cannot be made of it.
 */
export async function readDocument(
  { id, body, readAt }: { readonly id: string; readonly body: string; readonly readAt: EpochSeconds },
  policy: RedirectPolicy,
): Promise<DocumentMetadata | undefined> {
  const document = parseJsonObject(body)
  // Parsers disagree about which of two members counts.
  if (document === undefined || document['client_id'] !== id || repeatsMember(body)) return undefined
  if (!isStorable(document)) return undefined
  // §4.1: the document is public, so it holds no secret and no key of a symmetric method.
  if ('client_secret' in document || 'client_secret_expires_at' in document) return undefined
  const clientName = nameOf(document['client_name'])
  const redirectUris = redirectsOf(document['redirect_uris'], id, policy)
  const method = methodOf(document)
  const grantTypes = textsOf(document['grant_types'] ?? ['authorization_code'])
  const responseTypes = textsOf(document['response_types'] ?? ['code'])
  if (clientName === undefined || redirectUris === undefined || method === undefined) return undefined
  if (grantTypes?.includes('authorization_code') !== true || responseTypes?.includes('code') !== true) return undefined

  const { jwks, jwks_uri: jwksUri } = document
  const isKeyed = method === 'private_key_jwt'
  const metadata = {
    clientName,
    tokenEndpointAuthMethod: method,
    redirectUris,
    grantTypes: ['authorization_code', 'refresh_token'].filter((grant) => grantTypes.includes(grant)),
    jwks: isKeyed && isJsonObject(jwks) ? jwks : undefined,
    jwksUri: isKeyed && typeof jwksUri === 'string' ? jwksUri : undefined,
  } as const
  return { ...metadata, documentDigest: await digestOf(metadata), documentReadAt: readAt }
}

/** Digests what a user judges a client by: a change of anything else needs no new consent. */
async function digestOf(metadata: Omit<DocumentMetadata, 'documentDigest' | 'documentReadAt'>): Promise<string> {
  const { clientName, tokenEndpointAuthMethod, redirectUris, jwks, jwksUri } = metadata
  const targets = [...new Set(redirectUris.map((uri) => new URL(uri).host.replace(/:\d+$/, '')))].toSorted()
  const judged = JSON.stringify([clientName, tokenEndpointAuthMethod, targets, jwks ?? null, jwksUri ?? null])
  return encodeBase64url(new Uint8Array(await sha256(judged)))
}

function nameOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  const name = value.trim().slice(0, longestName).trim()
  return name === '' ? undefined : name
}

/** The redirect URIs that the policy accepts; `undefined` if there is none, or one could not be registered either. */
function redirectsOf(value: JsonValue | undefined, id: string, policy: RedirectPolicy): readonly string[] | undefined {
  const uris = textsOf(value)
  if (uris === undefined || uris.length > maxRedirects || !uris.every(isRegistrableRedirectUri)) return undefined
  const accepted = uris.filter((uri) => isAccepted(new URL(uri), new URL(id), policy))
  return accepted.length === 0 ? undefined : accepted
}

function isAccepted(redirect: URL, document: URL, policy: RedirectPolicy): boolean {
  if (redirect.protocol === 'http:') return policy !== 'same_origin' && isLoopbackHost(redirect.hostname)
  if (redirect.protocol !== 'https:') return false
  return policy === 'any_https' || redirect.origin === document.origin
}

/** §4.1: only methods without a shared secret. A list names the methods among which the server chooses. */
function methodOf(document: JsonObject): 'none' | 'private_key_jwt' | undefined {
  const stated = document['token_endpoint_auth_method']
  const offered = stated === undefined ? textsOf(document['token_endpoint_auth_methods_supported']) : textsOf([stated])
  const choices = offered ?? (stated === undefined ? ['none'] : [])
  return (['private_key_jwt', 'none'] as const).find((method) => choices.includes(method))
}

function textsOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const texts = value.filter((entry) => typeof entry === 'string')
  return texts.length === value.length ? texts : undefined
}

const longestName = 200
const maxRedirects = 50
