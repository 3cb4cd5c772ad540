import type { ServerRequest } from '@mintmark/core/http'
import { digestSecret, equalInConstantTime } from '@mintmark/internal'
import {
  type EpochSeconds,
  type IdentityProviderRecord,
  providerId,
  type SecretRecord,
  type ScimStorage,
} from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { providerOfSecret } from '../providers/registration.ts'
import type { AccessTokens } from './access-tokens.ts'
import { bearerCredentials } from './bearer-credentials.ts'
import type { ScimCaller } from './scim-caller.ts'

export interface AuthenticateProviderDependencies {
  readonly storage: ScimStorage
  /** Undefined when the server takes secrets only. */
  readonly accessTokens: AccessTokens | undefined
}

/**
 * Proves who calls, and that the address is theirs (RFC 7644 §2, §6).
 * @param addressed the provider that the address names, as it stands there.
 * @throws ScimError 401 — reasons `credentials_missing`, `credentials_malformed`, `secret_unknown`, `secret_expired`,
 * `provider_disabled`, `access_token_invalid`; 403 — reasons `provider_mismatch`, `scope_missing`, `client_not_of_provider`; 400 —
 * reason `credentials_twice`.
 */
export async function authenticateProvider(
  request: ServerRequest,
  { addressed, now }: { readonly addressed: string; readonly now: EpochSeconds },
  deps: AuthenticateProviderDependencies,
): Promise<ScimCaller> {
  const credentials = bearerCredentials(request)
  const claimed = providerOfSecret(credentials)
  if (claimed === undefined) return authenticateClient(credentials, addressed, deps)

  const provider = await deps.storage.identityProviders.find(claimed)
  const secret = await findActiveSecret(credentials, provider, now)
  // RFC 7644 §6: a provider's secret opens its own address. Whether another provider is there is not looked at.
  if (addressed !== secret.provider.providerId) throw refusal('provider_mismatch')
  await recordSecretUse(secret, now, deps.storage)
  return { provider: secret.provider, by: { kind: 'secret' } } as ScimCaller
}

interface VerifiedSecret {
  readonly provider: IdentityProviderRecord
  readonly secret: SecretRecord
}

/** One digest is made, and one comparison for each secret, whatever is wrong. */
async function findActiveSecret(
  presented: string,
  provider: IdentityProviderRecord | undefined,
  now: EpochSeconds,
): Promise<VerifiedSecret> {
  const digest = await digestSecret(presented)
  const secrets = provider?.secrets ?? []
  const [secret] = secrets.filter((candidate) => equalInConstantTime(digest, candidate.digest))
  // RFC 6750 §3.1 invalid_token: which of these it was, only events tell.
  if (provider === undefined || secret === undefined) throw refusal('secret_unknown')
  if (secret.expiresAt !== undefined && now >= secret.expiresAt) throw refusal('secret_expired')
  if (provider.disabledAt !== undefined) throw refusal('provider_disabled')
  return { provider, secret }
}

async function authenticateClient(
  token: string,
  addressed: string,
  deps: AuthenticateProviderDependencies,
): Promise<ScimCaller> {
  const found = await deps.accessTokens?.accessToken(token)
  // RFC 6750 §3.1 invalid_token.
  if (found === undefined) throw refusal('access_token_invalid')
  // RFC 6750 §3.1 insufficient_scope: a client that acts for itself, with the scope for this.
  if (found.subject !== found.clientId || !found.scopes.includes('scim')) throw refusal('scope_missing')

  const provider = await deps.storage.identityProviders.find(providerId(addressed))
  // RFC 7644 §6: the same answer whether the provider is there or not.
  if (provider === undefined || provider.disabledAt !== undefined || !provider.clientIds.includes(found.clientId)) {
    throw refusal('client_not_of_provider')
  }
  return { provider, by: { kind: 'client', clientId: found.clientId } } as ScimCaller
}

/** Tells an administrator which secret is still in use: at most one write an hour, and none that a request fails by. */
async function recordSecretUse(
  { provider, secret }: VerifiedSecret,
  now: EpochSeconds,
  storage: ScimStorage,
): Promise<void> {
  if (secret.lastUsedAt !== undefined && now - secret.lastUsedAt < 3600) return
  try {
    await storage.identityProviders.touchSecret(provider.providerId, secret.digest, now)
  } catch {
    // It may be lost: what the request itself stores tells whether storage is down.
  }
}
