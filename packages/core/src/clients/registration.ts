import { type Clock, type Random, randomIdentifier, randomSecret, systemClock, systemRandom } from '@mintmark/internal'
import {
  clientId,
  userId,
  type ClientRecord,
  type EpochSeconds,
  type JsonObject,
  type OAuthStorage,
  type TokenEndpointAuthMethod,
} from '@mintmark/storage-interface'

import type { SigningAlgorithm, SigningAlgorithms } from '../keys/ring.ts'
import { parseIssuer } from '../server/issuer.ts'
import { ClientMetadataError, refuseUnsignable, refuseUnusable, usesSecret } from './metadata.ts'
import { clientSecretRecord } from './secrets.ts'

/** The metadata of a client as an administrator provides it; names follow RFC 7591 §2. */
export interface ClientRegistration {
  /**
   * Visible ASCII.
   * @defaultValue 128 random bits. Unique, and without meaning.
   */
  readonly clientId?: string
  /** Shown to users on the consent page. */
  readonly clientName: string
  /**
   * How the client authenticates; `none` makes it a public client.
   * @defaultValue `client_secret_basic`, the default of RFC 7591 §2.
   */
  readonly tokenEndpointAuthMethod?: TokenEndpointAuthMethod
  /**
   * Public keys for `private_key_jwt`, as a JWK set (RFC 7517 §5).
   * @defaultValue None. Other methods need no keys.
   */
  readonly jwks?: JsonObject
  /**
   * The URL at which the client publishes its keys instead: https, by host name.
   * @defaultValue None. With a URL the client can rotate its keys on its own.
   */
  readonly jwksUri?: string
  /**
   * Redirect URIs, compared character by character (RFC 9700 §2.1); on loopback any port is accepted.
   * @defaultValue None. A client of the authorization code grant needs one.
   */
  readonly redirectUris?: readonly string[]
  /**
   * The grant types that the client may use.
   * @defaultValue `['authorization_code']`, the default of RFC 7591 §2.
   */
  readonly grantTypes?: readonly string[]
  /**
   * The scope values that the client may request.
   * @defaultValue `['openid']`. It identifies the user without any further claims.
   */
  readonly scopes?: readonly string[]
  /**
   * The audiences that the client is the resource server of: it may introspect tokens for them.
   * @defaultValue None. Tokens may be introspected only by their audiences (RFC 7662 §4).
   */
  readonly servedAudiences?: readonly string[]
  /**
   * The algorithm of its ID tokens.
   * @defaultValue `RS256`, or the first algorithm of a server without it. Every client supports RS256 (OIDC
   *   Registration §2).
   */
  readonly idTokenSignedResponseAlg?: SigningAlgorithm
  /**
   * Makes the userinfo endpoint answer with a signed JWT.
   * @defaultValue Plain JSON, received from the issuer over TLS (OIDC Registration §2).
   */
  readonly userinfoSignedResponseAlg?: SigningAlgorithm
  /**
   * Seconds after which users must sign in again when a request has no `max_age`.
   * @defaultValue None. The host's session lifetime applies.
   */
  readonly defaultMaxAge?: number
  /**
   * Accepted for completeness: ID tokens always contain `auth_time`.
   * @defaultValue `false`. It has no effect.
   */
  readonly requireAuthTime?: boolean
}

/** The registered client and its secret. The secret is not stored and cannot be shown again. */
export interface RegisteredClient {
  readonly client: ClientRecord
  readonly clientSecret: string | undefined
}

interface RegisterClientDependencies {
  readonly storage: OAuthStorage
  /** The server's key ring, to refuse algorithms that the server does not sign with. */
  readonly keys?: SigningAlgorithms
  readonly clock?: Clock
  readonly random?: Random
}

/**
 * Registers a client (RFC 7591 §2). If it authenticates with a secret, one of 256 random bits is created; storage has
 * only its digest.
 * @throws ClientMetadataError invalid_redirect_uri | invalid_client_metadata; nothing was written.
 * @throws TypeError when the storage is bound to an invalid issuer, at which no server would ever find the client.
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
  refuseUnsignable([registration.idTokenSignedResponseAlg, registration.userinfoSignedResponseAlg], deps.keys)

  const clientSecret = usesSecret(record) ? randomSecret(random) : undefined
  const secrets = clientSecret === undefined ? [] : [await clientSecretRecord(clientSecret, now)]
  const client: ClientRecord = { ...record, secrets }
  // RFC 9700 §4.15: the `sub` of a client's own token must never equal that of a user.
  if ((await deps.storage.users.find(userId(client.clientId))) !== undefined)
    throw invalid('client_id is the identifier of an account.')
  const inserted = await deps.storage.clients.insert(client)
  // RFC 7591 §3.2.2.
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

const invalid = (description: string): ClientMetadataError =>
  new ClientMetadataError('invalid_client_metadata', description)
