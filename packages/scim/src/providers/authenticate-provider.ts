import type { AuthorizationServer } from '@mintmark/core'
import type { RequestHead } from '@mintmark/core/http'
import { digestSecret, equalInConstantTime, isSecretUseDue } from '@mintmark/internal'
import {
  type Brand,
  type ClientId,
  type EpochSeconds,
  providerId,
  type ScimStorage,
  userId,
  type UserId,
} from '@mintmark/storage-interface'
import type { IdentityProviderRecord, ProviderId, SecretRecord } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'

/** The part of the authorization server that verifies access tokens. */
export type AccessTokens = Pick<AuthorizationServer, 'accessToken'>

export interface AuthenticateProviderDependencies {
  readonly storage: ScimStorage
  /** Undefined when only provider secrets are accepted. */
  readonly accessTokens: AccessTokens | undefined
  /** Undefined when no user may consent to provisioning. */
  readonly mayProvision: MayProvision | undefined
}

/** Whether a user may let a client provision for a provider. */
export type MayProvision = (consent: ProvisioningConsent) => boolean | Promise<boolean>

/** A request with an access token that a client of the provider received from a user. */
interface ProvisioningConsent {
  readonly providerId: ProviderId
  /** The user who consented. The user is active, and not necessarily a user of the provider. */
  readonly userId: UserId
  readonly clientId: ClientId
}

/**
 * Authenticates a provider, and requires the tenant URL to belong to it (RFC 7644 §2, §6).
 * @param addressed the provider id in the URL, not validated.
 * @throws ScimError 401 — reasons `credentials_missing`, `credentials_malformed`, `secret_malformed`, `secret_unknown`,
 * `secret_expired`, `provider_disabled`, `access_token_invalid`; 403 — reasons `provider_mismatch`, `scope_missing`,
 * `client_not_of_provider`, `user_not_of_provider`; 400 — reason `credentials_twice`.
 */
export async function authenticateProvider(
  request: RequestHead,
  { addressed, now }: { readonly addressed: string; readonly now: EpochSeconds },
  deps: AuthenticateProviderDependencies,
): Promise<ScimCaller> {
  const credentials = bearerCredentials(request)
  const claimed = providerOfSecret(credentials)
  if (claimed === undefined) return authenticateClient(credentials, addressed, deps)

  const provider = await deps.storage.identityProviders.find(claimed)
  const secret = await findActiveSecret(credentials, provider, now)
  // RFC 7644 §6: a secret is valid only at the provider's own tenant URL. The response is the same whether the other provider
  // exists or not.
  if (addressed !== secret.provider.providerId) throw refuse('provider_mismatch')
  await recordSecretUse(secret, now, deps.storage)
  return { provider: secret.provider, by: { kind: 'secret' } } as ScimCaller
}

/** Returns whether a provider exists and is enabled. */
export async function isEnabled(
  id: ProviderId,
  { identityProviders }: Pick<ScimStorage, 'identityProviders'>,
): Promise<boolean> {
  const provider = await identityProviders.find(id)
  return provider !== undefined && provider.disabledAt === undefined
}

interface VerifiedSecret {
  readonly provider: IdentityProviderRecord
  readonly secret: SecretRecord
}

/**
 * Finds the presented secret. Computes one digest and compares it with every secret, so that the time does not depend
 * on the cause of a failure.
 */
async function findActiveSecret(
  presented: string,
  provider: IdentityProviderRecord | undefined,
  now: EpochSeconds,
): Promise<VerifiedSecret> {
  const digest = await digestSecret(presented)
  const secrets = provider?.secrets ?? []
  const [secret] = secrets.filter((candidate) => equalInConstantTime(digest, candidate.digest))
  // RFC 6750 §3.1 invalid_token: only events contain the cause.
  if (provider === undefined || secret === undefined) throw refuse('secret_unknown')
  if (secret.expiresAt !== undefined && now >= secret.expiresAt) throw refuse('secret_expired')
  if (provider.disabledAt !== undefined) throw refuse('provider_disabled')
  return { provider, secret }
}

async function authenticateClient(
  token: string,
  addressed: string,
  deps: AuthenticateProviderDependencies,
): Promise<ScimCaller> {
  // RFC 6750 §3.1 invalid_token: an administrator who pastes half of a secret has no access token to look for.
  if (deps.accessTokens === undefined || /^mmscim_/i.test(token)) throw refuse('secret_malformed')
  const found = await deps.accessTokens.accessToken(token)
  if (found === undefined) throw refuse('access_token_invalid')
  const { clientId, subject, scopes } = found
  // RFC 6750 §3.1 insufficient_scope. Without the hook, the token must be issued to a client itself and not to a user.
  if (!scopes.includes('scim') || (subject !== clientId && deps.mayProvision === undefined))
    throw refuse('scope_missing')

  const provider = await deps.storage.identityProviders.find(providerId(addressed))
  // RFC 7644 §6: the response is the same whether the provider exists or not.
  if (provider === undefined || provider.disabledAt !== undefined || !provider.clientIds.includes(clientId)) {
    throw refuse('client_not_of_provider')
  }
  if (subject !== clientId)
    await authorizeUser({ providerId: provider.providerId, userId: userId(subject), clientId }, deps)
  return { provider, by: { kind: 'client', clientId } } as ScimCaller
}

/**
 * Requires the host to accept the user who consented as an administrator of the provider. One client may serve all
 * customers, as in Okta's catalogue, so the client does not identify the customer. The hook is called each time that a
 * request is authenticated, because its answer changes when the user loses the role.
 */
async function authorizeUser(
  consent: ProvisioningConsent,
  { mayProvision }: AuthenticateProviderDependencies,
): Promise<void> {
  // RFC 7644 §6 and RFC 9700 §2.3: the consent of any other user must not open the directory.
  if ((await mayProvision?.(consent)) !== true) throw refuse('user_not_of_provider')
}

/** Records that a secret is in use, for administrators: at most one write per hour, whose failure does not fail the request. */
async function recordSecretUse(
  { provider, secret }: VerifiedSecret,
  now: EpochSeconds,
  storage: ScimStorage,
): Promise<void> {
  if (!isSecretUseDue(secret.lastUsedAt, now)) return
  try {
    await storage.identityProviders.touchSecret(provider.providerId, secret.digest, now)
  } catch {
    // The timestamp may be lost. If storage is unavailable, the request itself will fail.
  }
}

/**
 * Reads the secret or access token of a request (RFC 7644 §2, RFC 6750 §2.1).
 * @throws ScimError 401 — reasons `credentials_missing`, `credentials_malformed`; 400 — reason `credentials_twice`.
 */
function bearerCredentials(request: RequestHead): string {
  const header = request.headers.get('authorization')
  // RFC 6750 §3.1: without credentials, the challenge has no error.
  if (header === undefined || header === '') throw refuse('credentials_missing')
  // RFC 6750 §2: exactly one token; a repeated header contains two.
  if (request.repeatedHeaders.has('authorization')) throw refuse('credentials_twice')
  // Okta's header mode sends the secret without a scheme (seen 2024). The prefix of our secrets makes them unambiguous.
  if (providerOfSecret(header) !== undefined) return header
  // RFC 9110 §11.1: the scheme is case-insensitive. RFC 6750 §2.1: b64token.
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)
  if (match?.[1] === undefined) throw refuse('credentials_malformed')
  return match[1]
}

/** Returns the provider id in a secret; undefined for a string that is not a provider secret. */
function providerOfSecret(secret: string): ProviderId | undefined {
  const match = /^mmscim_([A-Za-z0-9-]{1,64})_[A-Za-z0-9_-]{43}$/.exec(secret)
  return match?.[1] === undefined ? undefined : providerId(match[1])
}

/** A JWT that the provider signed. It may be used once, until it expires. */
export interface UsedAssertion {
  readonly tokenId: string
  readonly expiresAt: EpochSeconds
}

interface Caller {
  readonly provider: IdentityProviderRecord
  /** How it authenticated: with its own secret, with an access token of this issuer, or, for Universal Logout, with its own key. */
  readonly by:
    | { readonly kind: 'secret' }
    | { readonly kind: 'client'; readonly clientId: ClientId }
    | ({ readonly kind: 'assertion' } & UsedAssertion)
}

/** An authenticated identity provider at its own tenant URL. Only `authenticateProvider` and `authenticateRevocation` create it. */
export type ScimCaller = Brand<Caller, 'ScimCaller'>
