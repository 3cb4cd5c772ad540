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
import { systemClock, type Clock } from '../runtime/clock.ts'
import { randomIdentifier, randomSecret, systemRandom, type Random } from '../runtime/random.ts'
import { parseIssuer } from '../server/issuer.ts'
import { ClientMetadataError, refuseUnsignable, refuseUnusable, usesSecret } from './metadata.ts'
import { clientSecretRecord } from './secrets.ts'

/** A client as an administrator describes it; names follow RFC 7591 §2. */
export interface ClientRegistration {
  /**
   * Visible ASCII.
   * @defaultValue 128 random bits. It is nobody else's, and says nothing.
   */
  readonly clientId?: string
  /** Shown to people on the consent page. */
  readonly clientName: string
  /**
   * How it proves who it is; `none` makes it a public client.
   * @defaultValue `client_secret_basic`. RFC 7591 §2 has it so.
   */
  readonly tokenEndpointAuthMethod?: TokenEndpointAuthMethod
  /**
   * Public keys for `private_key_jwt`, as a JWK set (RFC 7517 §5).
   * @defaultValue None. Other methods need no keys.
   */
  readonly jwks?: JsonObject
  /**
   * Where the client publishes its keys instead: https, by host name.
   * @defaultValue None. With an address the client rotates its keys without telling anybody.
   */
  readonly jwksUri?: string
  /**
   * Where people may be sent back to, compared character by character (RFC 9700 §2.1); on loopback any port will do.
   * @defaultValue None. A client of the code grant needs one.
   */
  readonly redirectUris?: readonly string[]
  /**
   * The grants that it may use.
   * @defaultValue `['authorization_code']`. RFC 7591 §2 has it so.
   */
  readonly grantTypes?: readonly string[]
  /**
   * The scope values that it may ask for.
   * @defaultValue `['openid']`. Who is there, and nothing about them.
   */
  readonly scopes?: readonly string[]
  /**
   * Audiences whose resource server it is: it may introspect tokens meant for them.
   * @defaultValue None. What tokens say is the business of those whom they are meant for (RFC 7662 §4).
   */
  readonly servedAudiences?: readonly string[]
  /**
   * Signs its ID tokens.
   * @defaultValue `RS256`; on a server without it, what the server signs with first. Every client understands it
   *   (OIDC Registration §2).
   */
  readonly idTokenSignedResponseAlg?: SigningAlgorithm
  /**
   * Makes userinfo answer with a JWT.
   * @defaultValue Plain JSON. It comes over TLS from the issuer itself (OIDC Registration §2).
   */
  readonly userinfoSignedResponseAlg?: SigningAlgorithm
  /**
   * Seconds after which its people must sign in again when a request has no `max_age`.
   * @defaultValue None. A session counts for as long as the host lets it.
   */
  readonly defaultMaxAge?: number
  /**
   * Accepted for completeness: ID tokens always carry `auth_time`.
   * @defaultValue `false`. It changes nothing.
   */
  readonly requireAuthTime?: boolean
}

/** The registered client, and its secret: this is the only time that anybody sees it. */
export interface RegisteredClient {
  readonly client: ClientRecord
  readonly clientSecret: string | undefined
}

interface RegisterClientDependencies {
  readonly storage: OAuthStorage
  /** The server's key ring: with it, an algorithm is refused that the server does not sign with. */
  readonly keys?: SigningAlgorithms
  readonly clock?: Clock
  readonly random?: Random
}

/**
 * Registers a client (RFC 7591 §2). A client that authenticates with a secret is given one of 256 random bits;
 * storage keeps its digest.
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
  refuseUnsignable([registration.idTokenSignedResponseAlg, registration.userinfoSignedResponseAlg], deps.keys)

  const clientSecret = usesSecret(record) ? randomSecret(random) : undefined
  const secrets = clientSecret === undefined ? [] : [await clientSecretRecord(clientSecret, now)]
  const client: ClientRecord = { ...record, secrets }
  // RFC 9700 §4.15: the `sub` of a client that acts for itself must never be taken for a person's.
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
