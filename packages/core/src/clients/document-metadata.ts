import {
  encodeBase64url,
  isJsonObject,
  isLoopbackHost,
  isStorable,
  parseJsonObject,
  repeatsMember,
  sha256,
  cleanName,
} from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { type AllowedOrigins, isOutboundUrl } from '../outbound/client.ts'
import { isWebPage } from './check-metadata.ts'
import type { clientMetadata } from './metadata.ts'
import { isRegistrableRedirectUri } from './redirect-uri.ts'
import { isPublicKeySet, readKeySet } from './remote-key-set.ts'

/** The members of a client that come from its document. */
export type DocumentMetadata = Pick<ClientRecord, DocumentMember | 'documentDigest' | 'documentReadAt'>

/** The members of client metadata that a document may set. */
type DocumentMember = keyof {
  readonly [Name in keyof Rules as Rules[Name]['setBy'] extends 'document' ? Name : never]: true
}
type Rules = typeof clientMetadata

/** Which redirect URIs of a document are accepted. */
export type RedirectPolicy = 'same_origin' | 'loopback_and_same_origin' | 'any_https'

/**
 * Whether a `client_id` is the URL of a document (Client ID Metadata Document §3): it uses https, has a host name and a
 * path, and is in the form that every URL parser leaves unchanged, so that two different strings never name the same
 * document.
 * @param allowedOrigins origins that may have documents although they have a port, an IP address or no TLS.
 */
export const isDocumentUrl = (id: string, allowedOrigins: AllowedOrigins = []): boolean =>
  id.length <= 2048 &&
  isOutboundUrl(id, allowedOrigins) &&
  !id.includes('#') &&
  new URL(id).href === id &&
  new URL(id).pathname !== '/' &&
  !new URL(id).hostname.endsWith('.')

/**
 * Reads a document (Client ID Metadata Document §4). Ignores members and list entries that this server does not know.
 * @returns `undefined` when the document does not describe a usable client.
 */
export async function readDocument(
  { id, body, readAt }: { readonly id: string; readonly body: string; readonly readAt: EpochSeconds },
  policy: RedirectPolicy,
): Promise<DocumentMetadata | undefined> {
  const document = parseJsonObject(body)
  // If a member is repeated, parsers disagree about which value is valid.
  if (document === undefined || document['client_id'] !== id || repeatsMember(body)) return undefined
  if (!isStorable(document)) return undefined
  // §4.1: the document is public, so it must not contain a secret.
  if ('client_secret' in document || 'client_secret_expires_at' in document) return undefined
  if (hasSecretKey(document['jwks'])) return undefined
  const clientName = nameOf(document['client_name'])
  const redirectUris = redirectsOf(document['redirect_uris'], id, policy)
  const method = methodOf(document)
  const grantTypes = stringsOf(document['grant_types'] ?? ['authorization_code'])
  const responseTypes = stringsOf(document['response_types'] ?? ['code'])
  if (clientName === undefined || redirectUris === undefined || method === undefined) return undefined
  if (grantTypes?.includes('authorization_code') !== true || responseTypes?.includes('code') !== true) return undefined

  const { jwks, jwks_uri: jwksUri } = document
  const usesKeys = method === 'private_key_jwt'
  const metadata = {
    clientName,
    clientUri: pageOf(document['client_uri']),
    policyUri: pageOf(document['policy_uri']),
    tosUri: pageOf(document['tos_uri']),
    tokenEndpointAuthMethod: method,
    redirectUris,
    grantTypes: ['authorization_code', 'refresh_token'].filter((grant) => grantTypes.includes(grant)),
    jwks: usesKeys && isJsonObject(jwks) ? jwks : undefined,
    jwksUri: usesKeys && typeof jwksUri === 'string' ? jwksUri : undefined,
  } as const
  return { ...metadata, documentDigest: await consentDigest(metadata), documentReadAt: readAt }
}

/** Whether there is a private or a symmetric key in a key set, even if this client does not need the key set. */
function hasSecretKey(jwks: JsonValue | undefined): boolean {
  const keySet = readKeySet(jwks)
  return keySet !== undefined && keySet.keys.length > 0 && !isPublicKeySet(keySet)
}

/**
 * Returns a digest of the metadata that a consent depends on. If other metadata changes, users need not consent
 * again.
 */
export async function consentDigest(
  metadata: Pick<ClientRecord, 'clientName' | 'tokenEndpointAuthMethod' | 'redirectUris' | 'jwks' | 'jwksUri'>,
): Promise<string> {
  const { clientName, tokenEndpointAuthMethod, redirectUris, jwks, jwksUri } = metadata
  const targets = [...new Set(redirectUris.map(targetOf))].toSorted()
  const content = JSON.stringify([clientName, tokenEndpointAuthMethod, targets, jwks ?? null, jwksUri ?? null])
  return encodeBase64url(new Uint8Array(await sha256(content)))
}

/** Returns the host of a web address without its port, or the private-use scheme of an app. */
function targetOf(uri: string): string {
  const { host, protocol } = new URL(uri)
  return host === '' ? protocol : host.replace(/:\d+$/, '')
}

/** Returns the address of a page; `undefined` if it must not be linked to, so that the member is ignored. */
const pageOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' && value.length <= longestPage && isWebPage(value) ? value : undefined

function nameOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  // Cuts between code points, because half of a surrogate pair cannot be stored.
  const name = Array.from(cleanName(value).trim()).slice(0, longestName).join('').trim()
  return name === '' ? undefined : name
}

/**
 * Returns the redirect URIs that can be registered and that the policy accepts; `undefined` if there are none. One
 * document serves many servers, so it may list others.
 */
function redirectsOf(value: JsonValue | undefined, id: string, policy: RedirectPolicy): readonly string[] | undefined {
  const uris = stringsOf(value)
  if (uris === undefined || uris.length > maxRedirects) return undefined
  const accepted = uris
    .filter((uri) => isRegistrableRedirectUri(uri))
    .filter((uri) => isAccepted(new URL(uri), new URL(id), policy))
  return accepted.length === 0 ? undefined : accepted
}

function isAccepted(redirect: URL, document: URL, policy: RedirectPolicy): boolean {
  if (redirect.protocol === 'http:') return policy !== 'same_origin' && isLoopbackHost(redirect.hostname)
  if (redirect.protocol !== 'https:') return false
  return policy === 'any_https' || redirect.origin === document.origin
}

/** Chooses the authentication method: one without a shared secret (§4.1). The document may offer several methods. */
function methodOf(document: JsonObject): 'none' | 'private_key_jwt' | undefined {
  const stated = document['token_endpoint_auth_method']
  const offered =
    stated === undefined ? stringsOf(document['token_endpoint_auth_methods_supported']) : stringsOf([stated])
  const choices = offered ?? (stated === undefined ? ['none'] : [])
  return (['private_key_jwt', 'none'] as const).find((method) => choices.includes(method))
}

function stringsOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const strings = value.filter((entry) => typeof entry === 'string')
  return strings.length === value.length ? strings : undefined
}

const longestName = 200
/** In characters. The addresses of pages are sealed into the URL of the sign-in page, which must stay short. */
const longestPage = 500
const maxRedirects = 50
