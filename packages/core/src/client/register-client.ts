import {
  clientId,
  type ClientRecord,
  type EpochSeconds,
  type JsonObject,
  type Storage,
  userId,
  type TokenEndpointAuthMethod,
} from '@mintmark/storage-interface'

import type { SigningAlgorithm } from '../key/key-ring.ts'
import type { SigningAlgorithms } from '../key/signing-algorithm.ts'
import { systemClock, type Clock } from '../runtime/clock.ts'
import { digestSecret } from '../runtime/digest.ts'
import { randomIdentifier, randomSecret, systemRandom, type Random } from '../runtime/random.ts'
import { parseIssuer } from '../server/issuer.ts'
import { ClientMetadataError } from './client-metadata-error.ts'
import { isFetchable, readKeySet } from './remote-key-set.ts'
import { isRegistrableRedirectUri } from './redirect-uri.ts'
import { isVisibleAscii } from './visible-ascii.ts'

/** A client as an administrator describes it; names follow RFC 7591 §2. */
export interface ClientRegistration {
  /** Visible ASCII. Default: random. */
  readonly clientId?: string
  /** Shown to people on the consent page. */
  readonly clientName: string
  /** Default `client_secret_basic`; `none` makes it a public client. */
  readonly tokenEndpointAuthMethod?: TokenEndpointAuthMethod
  /** Public keys for `private_key_jwt`, as a JWK set (RFC 7517 §5). */
  readonly jwks?: JsonObject
  /** Where the client publishes its keys instead: https, by host name. */
  readonly jwksUri?: string
  readonly redirectUris?: readonly string[]
  /** Default `['authorization_code']`. */
  readonly grantTypes?: readonly string[]
  /** The scope values that it may ask for. Default `['openid']`. */
  readonly scopes?: readonly string[]
  /** Audiences whose resource server it is: it may introspect tokens meant for them. */
  readonly servedAudiences?: readonly string[]
  /** Default `RS256` (OIDC Registration §2); on a server without it, what the server signs with first. */
  readonly idTokenSignedResponseAlg?: SigningAlgorithm
  /** Makes userinfo answer with a JWT. Default: plain JSON. */
  readonly userinfoSignedResponseAlg?: SigningAlgorithm
  /** Seconds after which its people must sign in again when a request has no `max_age`. */
  readonly defaultMaxAge?: number
  /** Accepted for completeness: ID tokens always carry `auth_time`. */
  readonly requireAuthTime?: boolean
}

/** The registered client, and its secret: this is the only time that anybody sees it. */
export interface RegisteredClient {
  readonly client: ClientRecord
  readonly clientSecret: string | undefined
}

interface RegisterClientDependencies {
  readonly storage: Storage
  /** The server's key ring: with it, an algorithm is refused that the server does not sign with. */
  readonly keys?: SigningAlgorithms
  readonly clock?: Clock
  readonly random?: Random
}

/**
 * Registers a client (RFC 7591 §2). A client that authenticates with a secret is given one of 256 random bits; storage keeps its digest.
 * @throws ClientMetadataError invalid_redirect_uri | invalid_client_metadata; nothing was written.
 * @throws TypeError when the storage is bound to an issuer that no server can have: none would ever find the client.
 */
export async function registerClient(
  registration: ClientRegistration,
  deps: RegisterClientDependencies,
): Promise<RegisteredClient> {
  parseIssuer(deps.storage.issuer)
  const random = deps.random ?? systemRandom
  const now = (deps.clock ?? systemClock)()
  const record = clientRecord(registration, now, random)
  refuseUnusable(record)
  refuseUnsignable(registration, deps.keys)

  const clientSecret = usesSecret(record) ? randomSecret(random) : undefined
  const secrets =
    clientSecret === undefined
      ? []
      : [{ digest: await digestSecret(clientSecret), createdAt: now, expiresAt: undefined, lastUsedAt: undefined }]
  const client: ClientRecord = { ...record, secrets }
  // RFC 9700 §4.15: the `sub` of a client that acts for itself must never be taken for a person's.
  if ((await deps.storage.users.find(userId(client.clientId))) !== undefined) throw invalid('client_id is the identifier of an account.')
  const inserted = await deps.storage.clients.insert(client)
  if (inserted.outcome === 'taken') throw invalid('client_id is already registered.')
  return { client, clientSecret }
}

function clientRecord(registration: ClientRegistration, now: EpochSeconds, random: Random): ClientRecord {
  return {
    clientId: clientId(registration.clientId ?? randomIdentifier(random)),
    clientName: registration.clientName,
    tokenEndpointAuthMethod: registration.tokenEndpointAuthMethod ?? 'client_secret_basic',
    secrets: [],
    jwks: registration.jwks,
    jwksUri: registration.jwksUri,
    redirectUris: registration.redirectUris ?? [],
    grantTypes: registration.grantTypes ?? ['authorization_code'],
    scopes: registration.scopes ?? ['openid'],
    servedAudiences: registration.servedAudiences ?? [],
    idTokenSignedResponseAlg: registration.idTokenSignedResponseAlg ?? 'RS256',
    userinfoSignedResponseAlg: registration.userinfoSignedResponseAlg,
    defaultMaxAge: registration.defaultMaxAge,
    requireAuthTime: registration.requireAuthTime ?? false,
    disabledAt: undefined,
    createdAt: now,
    version: 1,
  }
}

function refuseUnusable(client: ClientRecord): void {
  // RFC 6749 Appendix A.1: client_id is visible ASCII.
  if (!isVisibleAscii(client.clientId) || client.clientId.trim() !== client.clientId) throw invalid('client_id must be visible ASCII.')
  if (client.clientName.trim() === '') throw invalid('client_name must not be empty.')
  for (const uri of client.redirectUris) {
    // RFC 6749 §3.1.2, RFC 9700 §2.1.
    if (!isRegistrableRedirectUri(uri)) {
      throw new ClientMetadataError(
        'invalid_redirect_uri',
        'A redirect URI must be https, http on loopback or a private-use scheme with a dot, in normal form, without fragment or wildcard.',
      )
    }
  }
  refuseUnusableKeys(client)
  if (client.grantTypes.includes('authorization_code') && client.redirectUris.length === 0) {
    throw new ClientMetadataError('invalid_redirect_uri', 'A client of the authorization code grant needs a redirect URI.')
  }
}

function refuseUnusableKeys(client: ClientRecord): void {
  if (client.tokenEndpointAuthMethod !== 'private_key_jwt') return
  // RFC 7591 §2: jwks and jwks_uri exclude each other.
  if ((client.jwks === undefined) === (client.jwksUri === undefined)) throw invalid('private_key_jwt needs either jwks or jwks_uri.')
  if (client.jwks !== undefined && !isPublicKeySet(client.jwks)) throw invalid('jwks must hold at least one public key, and no private or symmetric one.')
  if (client.jwksUri !== undefined && !isFetchable(client.jwksUri)) throw invalid('jwks_uri must be https, by host name, on the default port.')
}

function refuseUnsignable(registration: ClientRegistration, keys: SigningAlgorithms | undefined): void {
  const chosen = [registration.idTokenSignedResponseAlg, registration.userinfoSignedResponseAlg].filter((name) => name !== undefined)
  // RFC 7591 §3.2.2: better no client than one that no answer can be signed for.
  if (keys !== undefined && !chosen.every((name) => keys.algorithms.includes(name))) {
    throw invalid('The server does not sign with this algorithm; discovery lists those it signs with.')
  }
}

/** RFC 7517 §4: asymmetric keys without their private parts. */
function isPublicKeySet(jwks: JsonObject): boolean {
  const keys = readKeySet(jwks)?.keys ?? []
  return keys.length > 0 && keys.every((key) => key.kty !== 'oct' && !('d' in key) && !('k' in key))
}

const usesSecret = (client: ClientRecord): boolean =>
  client.tokenEndpointAuthMethod === 'client_secret_basic' || client.tokenEndpointAuthMethod === 'client_secret_post'

const invalid = (description: string): ClientMetadataError =>
  new ClientMetadataError('invalid_client_metadata', description)
