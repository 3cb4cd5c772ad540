import type { ClientRecord, JsonObject } from '@mintmark/storage-interface'

import type { SigningAlgorithms } from '../keys/ring.ts'
import { isVisibleAscii } from './authenticate.ts'
import { isRegistrableRedirectUri } from './redirect-uri.ts'
import { isFetchable, readKeySet } from './remote-key-set.ts'

/**
 * Refuses a client that would be unusable or unsafe; called at registration and for the result of each update.
 * @throws ClientMetadataError invalid_redirect_uri | invalid_client_metadata.
 */
export function refuseUnusable(client: ClientRecord): void {
  // RFC 6749 Appendix A.1: client_id is visible ASCII.
  if (!isVisibleAscii(client.clientId) || client.clientId.trim() !== client.clientId)
    throw invalid('client_id must be visible ASCII.')
  if (client.clientName.trim() === '') throw invalid('client_name must not be empty.')
  refuseUnusableRedirects(client)
  refuseUnusableKeys(client)
  // RFC 6749 §3.3: a request could never contain any other value.
  if (!client.scopes.every(isScopeToken))
    throw invalid('A scope value is visible ASCII without space, quote and backslash.')
  // OIDC Registration §2: seconds. Stores might change or reject any other number.
  if (client.defaultMaxAge !== undefined && !isSeconds(client.defaultMaxAge))
    throw invalid('default_max_age must be a whole number of seconds, 0 or more.')
  // RFC 6749 §4.4: the grant is for confidential clients only.
  if (client.tokenEndpointAuthMethod === 'none' && client.grantTypes.includes('client_credentials')) {
    throw invalid('A public client cannot use the client credentials grant.')
  }
}

/**
 * Refuses an algorithm that the server does not sign with.
 * @param chosen the requested algorithms.
 * @throws ClientMetadataError invalid_client_metadata.
 */
export function refuseUnsignable(chosen: readonly (string | undefined)[], keys: SigningAlgorithms | undefined): void {
  const names = chosen.filter((name) => name !== undefined)
  // RFC 7591 §3.2.2: no response to this client could be signed.
  if (keys !== undefined && !names.every((name) => keys.algorithms.some((own) => own === name))) {
    throw invalid('The server does not sign with this algorithm; discovery lists those it signs with.')
  }
}

/** Whether the client authenticates with a secret. */
export const usesSecret = ({ tokenEndpointAuthMethod }: ClientRecord): boolean =>
  tokenEndpointAuthMethod === 'client_secret_basic' || tokenEndpointAuthMethod === 'client_secret_post'

function refuseUnusableRedirects(client: ClientRecord): void {
  for (const uri of client.redirectUris) {
    // RFC 6749 §3.1.2, RFC 9700 §2.1.
    if (!isRegistrableRedirectUri(uri)) {
      throw new ClientMetadataError(
        'invalid_redirect_uri',
        'A redirect URI must be https, http on loopback or a private-use scheme with a dot, in normal form, without fragment or wildcard, and with nothing in its query that an answer has.',
      )
    }
  }
  // RFC 6749 §3.1.2.2.
  if (client.grantTypes.includes('authorization_code') && client.redirectUris.length === 0) {
    throw new ClientMetadataError(
      'invalid_redirect_uri',
      'A client of the authorization code grant needs a redirect URI.',
    )
  }
}

function refuseUnusableKeys(client: ClientRecord): void {
  if (client.tokenEndpointAuthMethod !== 'private_key_jwt') return
  // RFC 7591 §2: jwks and jwks_uri exclude each other.
  if ((client.jwks === undefined) === (client.jwksUri === undefined))
    throw invalid('private_key_jwt needs either jwks or jwks_uri.')
  // RFC 7517 §9.2: private keys stay with the client.
  if (client.jwks !== undefined && !isPublicKeySet(client.jwks))
    throw invalid('jwks must hold at least one public key, and no private or symmetric one.')
  if (client.jwksUri !== undefined && !isFetchable(client.jwksUri))
    throw invalid('jwks_uri must be https, by host name, on the default port.')
}

/** Whether the set contains only asymmetric public keys (RFC 7517 §4). */
function isPublicKeySet(jwks: JsonObject): boolean {
  const keys = readKeySet(jwks)?.keys ?? []
  return keys.length > 0 && keys.every((key) => key.kty !== 'oct' && !('d' in key) && !('k' in key))
}

const isScopeToken = (scope: string): boolean => /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/.test(scope)

const isSeconds = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

const invalid = (description: string): ClientMetadataError =>
  new ClientMetadataError('invalid_client_metadata', description)

/**
 * A refused registration, with the error codes of RFC 7591 §3.2.2. `description` says which member is wrong and why.
 */
export class ClientMetadataError extends Error {
  override readonly name = 'ClientMetadataError'
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata'
  readonly description: string

  constructor(code: ClientMetadataError['code'], description: string) {
    super(`${code}: ${description}`)
    this.code = code
    this.description = description
  }
}
