import { encodeBase64url, isJsonObject, isStorable, parseJsonObject, repeatsMember, sha256 } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { isOutboundUrl } from '../outbound/client.ts'
import { isWebPage } from './check-metadata.ts'
import { isLoopbackHost, isRegistrableRedirectUri } from './redirect-uri.ts'

/** The members of a client that its document decides. */
export type DocumentMetadata = Pick<
  ClientRecord,
  | 'clientName'
  | 'clientUri'
  | 'policyUri'
  | 'tosUri'
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
    clientUri: pageOf(document['client_uri']),
    policyUri: pageOf(document['policy_uri']),
    tosUri: pageOf(document['tos_uri']),
    tokenEndpointAuthMethod: method,
    redirectUris,
    grantTypes: ['authorization_code', 'refresh_token'].filter((grant) => grantTypes.includes(grant)),
    jwks: isKeyed && isJsonObject(jwks) ? jwks : undefined,
    jwksUri: isKeyed && typeof jwksUri === 'string' ? jwksUri : undefined,
  } as const
  return { ...metadata, documentDigest: await consentDigest(metadata), documentReadAt: readAt }
}

/** Digests what a user judges a client by: a change of anything else needs no new consent. */
export async function consentDigest(
  metadata: Pick<ClientRecord, 'clientName' | 'tokenEndpointAuthMethod' | 'redirectUris' | 'jwks' | 'jwksUri'>,
): Promise<string> {
  const { clientName, tokenEndpointAuthMethod, redirectUris, jwks, jwksUri } = metadata
  const targets = [...new Set(redirectUris.map(targetOf))].toSorted()
  const judged = JSON.stringify([clientName, tokenEndpointAuthMethod, targets, jwks ?? null, jwksUri ?? null])
  return encodeBase64url(new Uint8Array(await sha256(judged)))
}

/** The host of a web address, on any port; the scheme of an app. */
function targetOf(uri: string): string {
  const { host, protocol } = new URL(uri)
  return host === '' ? protocol : host.replace(/:\d+$/, '')
}

/** A page that cannot be linked to is left out, like any member that this server does not understand. */
const pageOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' && value.length <= longestPage && isWebPage(value) ? value : undefined

function nameOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  // By code points: half of a surrogate pair cannot be stored.
  const name = Array.from(value.trim()).slice(0, longestName).join('').trim()
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
/** They are sealed into the address of the sign-in page. */
const longestPage = 500
const maxRedirects = 50
