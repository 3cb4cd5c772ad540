import { findResourceName } from '@mintmark/internal'
import { type JsonObject, type JsonValue, type OAuthStorage, userId } from '@mintmark/storage-interface'
import type { IdentityProviderRecord, ProviderId } from '@mintmark/storage-interface/stores'

import type { AuthenticatedClient } from '../clients/authenticate.ts'
import type { IssuerKeys } from '../clients/client-jwt.ts'
import { refuse } from '../refusals.ts'

/** Another issuer, whose JWTs about users clients may present for access tokens (RFC 7523 §2.1). */
export interface AssertionIssuer {
  /** The `iss` of its JWTs. */
  readonly issuer: string
  /**
   * The https URL of its key set.
   * @defaultValue None. Then `jwks` has the keys.
   */
  readonly jwksUri?: string
  /**
   * Its public keys, as a JWK set (RFC 7517 §5).
   * @defaultValue None. Then they are read from `jwksUri`.
   */
  readonly jwks?: JsonObject
  /** The identifiers of the clients that may present its JWTs. */
  readonly clients: readonly string[]
  /** The scope values that its JWTs may give. */
  readonly scopes: readonly string[]
  /** The APIs that its JWTs may be for: keys of `resources`. */
  readonly audiences: readonly string[]
  /**
   * For how many seconds at most its JWTs are valid, at most an hour.
   * @defaultValue 300. A stolen JWT is then useless soon.
   */
  readonly maxLifetime?: number
  /**
   * Returns the identifier of the user whom the claims name; `undefined` if they name nobody. The claims are verified. Do
   * not compare e-mail addresses, which users can change.
   */
  readonly findUser: (claims: JsonObject) => string | undefined | Promise<string | undefined>
}

/** The part of the server's options that says whose JWTs are accepted as grants. */
export interface AssertionSettings {
  readonly issuers: readonly AssertionIssuer[]
  /** Whether the directories of the storage may let clients act for their users. */
  readonly acceptsDirectories: boolean
}

/** What an administrator or the host allows for the JWTs of an issuer. */
export interface TrustedIssuer {
  /** `id_jag`: draft-ietf-oauth-identity-assertion-authz-grant; `jwt`: RFC 7523 alone. */
  readonly profile: 'id_jag' | 'jwt'
  readonly keys: IssuerKeys
  readonly tenant: string | undefined
  /** The directory whose users the JWTs are about; `undefined` for an issuer of the host. */
  readonly providerId: ProviderId | undefined
  readonly clientIds: readonly string[]
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  /** In seconds. */
  readonly maxLifetime: number
  readonly reuse: 'until_expiry' | 'once'
  /** Returns the identifier of the user whom verified claims name. */
  readonly findUser: (claims: JsonObject) => Promise<string | undefined>
}

interface FindIssuerDependencies {
  readonly issuer: string
  readonly storage: OAuthStorage
  readonly assertions: AssertionSettings
}

/**
 * Finds the issuer that a JWT names, before its signature is verified: no key of an issuer that nobody registered is ever
 * read.
 * @param claims of the JWT, not verified.
 * @throws OAuthError invalid_grant — reason `assertion_issuer_unknown` | `assertion_issuer_ambiguous` |
 *   `assertion_issuer_disabled` | `assertion_client`.
 */
export async function findTrustedIssuer(
  { iss, tenant }: JsonObject,
  client: AuthenticatedClient,
  deps: FindIssuerDependencies,
): Promise<TrustedIssuer> {
  const trusted =
    typeof iss === 'string' && iss.length <= maxLength && iss !== deps.issuer
      ? (fromHost(iss, deps.assertions) ?? (await fromDirectory(iss, tenant, deps)))
      : undefined
  const presentedIssuer = typeof iss === 'string' ? iss.slice(0, 200) : null
  const context = { clientId: client.clientId, assertion: { issuer: presentedIssuer } }
  // RFC 7521 §5.2: the issuer must be one that this server trusts. Its own ID-JAGs are refused (ID-JAG §9.3).
  if (trusted === undefined) throw refuse('assertion_issuer_unknown', context)
  // RFC 7523 §3.1: the client is not among those that may present its JWTs.
  if (!trusted.clientIds.includes(client.clientId)) throw refuse('assertion_client', context)
  return trusted
}

/** In characters. */
const maxLength = 512

function fromHost(iss: string, { issuers }: AssertionSettings): TrustedIssuer | undefined {
  const found = issuers.find(({ issuer }) => issuer === iss)
  if (found === undefined) return undefined
  const { issuer, jwks, jwksUri, clients, scopes, audiences, maxLifetime = 300, findUser } = found
  return {
    profile: 'jwt',
    keys: { issuer, jwks, jwksUri },
    tenant: undefined,
    providerId: undefined,
    clientIds: clients,
    scopes,
    resources: audiences,
    maxLifetime,
    reuse: 'once',
    findUser: async (claims) => findUser(claims),
  }
}

async function fromDirectory(
  iss: string,
  tenant: JsonValue | undefined,
  { assertions: { acceptsDirectories }, storage }: FindIssuerDependencies,
): Promise<TrustedIssuer | undefined> {
  if (!acceptsDirectories) return undefined
  const listed = (await storage.identityProviders?.listByAssertionIssuer(iss, maxDirectories)) ?? []
  const fitting = listed.filter(({ assertions }) => {
    const access = assertions?.crossAppAccess
    // ID-JAG §6.1: the tenants of one issuer may use the same `sub` for different users.
    return access !== undefined && access.tenant === tenant
  })
  const enabled = fitting.filter(({ disabledAt }) => disabledAt === undefined)
  const [provider, second] = enabled
  // RFC 7521 §5.2: it would not be known whose user the JWT names.
  if (second !== undefined) throw refuse('assertion_issuer_ambiguous', { assertion: { issuer: iss } })
  // RFC 7521 §5.2: an administrator has ended the trust.
  if (provider === undefined && fitting.length > 0)
    throw refuse('assertion_issuer_disabled', { assertion: { issuer: iss } })
  return provider && trustOf(provider, storage)
}

/** Tenants that share one issuer. */
const maxDirectories = 200

function trustOf({ providerId, assertions }: IdentityProviderRecord, storage: OAuthStorage): TrustedIssuer | undefined {
  if (assertions?.crossAppAccess === undefined) return undefined
  const { tenant, clientIds, scopes, resources, reuse, subject } = assertions.crossAppAccess
  return {
    profile: 'id_jag',
    keys: assertions,
    tenant,
    providerId,
    clientIds,
    scopes,
    resources,
    maxLifetime: maxGrantLifetime,
    reuse,
    async findUser({ sub, aud_sub: ownSubject }) {
      if (subject === 'external_id') {
        if (typeof sub !== 'string') return undefined
        const found = await storage.provisionedUsers?.findByExternalId(providerId, sub, { without: 'groups' })
        return found?.userId
      }
      const user = typeof ownSubject === 'string' ? await storage.users.find(userId(ownSubject)) : undefined
      return user?.providerId === providerId ? user.userId : undefined
    },
  }
}

/** In seconds. Okta's ID-JAGs are valid for five minutes. */
const maxGrantLifetime = 3600

/** Returns those of the named APIs that the JWTs of the issuer may be for. */
export const permittedResources = (
  named: readonly string[] | undefined,
  { resources }: TrustedIssuer,
): readonly string[] => resources.filter((uri) => named === undefined || findResourceName(uri, named) !== undefined)
