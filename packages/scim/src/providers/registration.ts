import {
  type Clock,
  digestSecret,
  type Random,
  randomSecret,
  aBoolean,
  aFunction,
  aListOfStrings,
  aNumber,
  aNonEmptyString,
  anObject,
  aString,
  checkOptions,
  oneOf,
  type OptionChecks,
  optionsOf,
  required,
  systemClock,
  systemRandom,
  aStorage,
} from '@mintmark/internal'
import {
  clientId,
  epochSeconds,
  type EpochSeconds,
  organizationId,
  providerId,
  type ScimStorage,
} from '@mintmark/storage-interface'
import {
  type IdentityProviderRecord,
  type ProviderId,
  type SecretRecord,
  untilSettled,
} from '@mintmark/storage-interface/stores'

import { checkedAssertions, type ProviderAssertions, type ProviderCrossAppAccess } from './assertions.ts'
import { isEmailAddress } from '../values/text.ts'
import { tenantUrl } from '../values/scim-path.ts'
import { type ToleranceProfile, toleranceProfiles } from '../tolerance/tolerances.ts'

/** The settings of a new identity provider. */
export interface ProviderRegistration {
  /** Letters, digits and hyphens, at most 64. It becomes part of the SCIM tenant URL and can never be reused. */
  readonly providerId: string
  /**
   * The name that administrators see.
   * @defaultValue `providerId`. Administrators then see the identifier.
   */
  readonly displayName?: string
  /**
   * The deviations from the RFCs to tolerate in its requests.
   * @defaultValue `general`. It contains only tolerances whose interpretation is unambiguous.
   */
  readonly toleranceProfile?: ToleranceProfile
  /**
   * Clients that may authenticate as this provider with an access token of this issuer and the scope `scim`.
   * @defaultValue None. The provider then authenticates only with its secret.
   */
  readonly clientIds?: readonly string[]
  /**
   * The e-mail domains that belong to the customer, such as `example.com`. Addresses of the provider's users in exactly
   * these domains count as verified (`email_verified`, OIDC Core §5.1). Prove that a domain is the customer's before
   * you enter it.
   * @defaultValue None. No address counts as verified, because a provider can write any address.
   */
  readonly verifiedDomains?: readonly string[]
  /**
   * The organization that the provider's users join when they are created or linked.
   * @defaultValue None. The users join no organization.
   */
  readonly organizationId?: string
  /**
   * The issuer and the keys of what the provider signs itself: its requests for Universal Logout.
   * @defaultValue None. It signs nothing for this server.
   */
  readonly assertions?: ProviderAssertions
  /**
   * Whether the provider gets a static secret. Without one, it authenticates with access tokens of `clientIds` only.
   * @defaultValue `true`. Most identity providers cannot get access tokens.
   */
  readonly secret?: boolean
}

/** A registered provider, and the values that an administrator enters in the identity provider's console. */
interface RegisteredProvider {
  readonly provider: IdentityProviderRecord
  /** The SCIM tenant URL. */
  readonly tenantUrl: string
  /** The secret token, which is shown only once; undefined with `secret: false`. */
  readonly secret: string | undefined
}

interface ProviderDependencies {
  readonly storage: ScimStorage
  readonly clock?: Clock
  readonly random?: Random
}

/**
 * Registers an identity provider and creates its first secret.
 * @throws ProviderError `identifier_invalid` | `domain_invalid` | `assertions_invalid` | `identifier_taken`; TypeError for an unknown or
 *   invalid setting. If it throws, nothing was written.
 */
export async function registerIdentityProvider(
  registration: ProviderRegistration & { readonly secret?: true },
  deps: ProviderDependencies,
): Promise<RegisteredProvider & { readonly secret: string }>
export async function registerIdentityProvider(
  registration: ProviderRegistration,
  deps: ProviderDependencies,
): Promise<RegisteredProvider>
export async function registerIdentityProvider(
  registration: ProviderRegistration,
  deps: ProviderDependencies,
): Promise<RegisteredProvider> {
  checkOptions('registerIdentityProvider', registration, registrationOptions)
  checkOptions('registerIdentityProvider', deps, dependencyOptions)
  const { storage, clock = systemClock, random = systemRandom } = deps
  // An underscore is not allowed: Okta refuses base URLs that contain one, and underscores separate the parts of a
  // secret.
  if (!/^[A-Za-z0-9-]{1,64}$/.test(registration.providerId)) throw new ProviderError('identifier_invalid')

  const now = clock()
  const id = providerId(registration.providerId)
  const secret = registration.secret === false ? undefined : newProviderSecret(id, random)
  const provider: IdentityProviderRecord = {
    providerId: id,
    displayName: registration.displayName ?? id,
    secrets: secret === undefined ? [] : [await createSecretRecord(secret, now)],
    clientIds: (registration.clientIds ?? []).map(clientId),
    toleranceProfile: registration.toleranceProfile ?? 'general',
    verifiedDomains: verifiedDomains(registration.verifiedDomains ?? []),
    organizationId: registration.organizationId === undefined ? undefined : organizationId(registration.organizationId),
    assertions: registration.assertions && requireAssertions(registration.assertions),
    setupLink: undefined,
    deprovisioning: undefined,
    disabledAt: undefined,
    createdAt: now,
    version: 1,
  }
  const { outcome } = await storage.identityProviders.insert(provider)
  if (outcome === 'taken') throw new ProviderError('identifier_taken')
  return { provider, tenantUrl: tenantUrl(storage.issuer, id), secret }
}

const registrationOptions: OptionChecks<ProviderRegistration> = {
  // An empty string is refused as `identifier_invalid`.
  providerId: required(aString),
  displayName: aNonEmptyString,
  toleranceProfile: oneOf(...Object.keys(toleranceProfiles)),
  clientIds: aListOfStrings,
  verifiedDomains: aListOfStrings,
  organizationId: aNonEmptyString,
  assertions: optionsOf<ProviderAssertions>({
    issuer: required(aString),
    jwksUri: aString,
    jwks: anObject,
    revocationSubject: aString,
    crossAppAccess: optionsOf<ProviderCrossAppAccess>({
      clientIds: required(aListOfStrings),
      scopes: required(aListOfStrings),
      resources: required(aListOfStrings),
      tenant: aString,
      subject: oneOf('external_id', 'aud_sub'),
      reuse: oneOf('until_expiry', 'once'),
    }),
  }),
  secret: aBoolean,
}

const dependencyOptions: OptionChecks<ProviderDependencies> = {
  storage: required(aStorage),
  clock: aFunction,
  random: aFunction,
}

/**
 * Returns the domains in lower case, without repetitions.
 * @throws ProviderError `domain_invalid`.
 */
export function verifiedDomains(domains: readonly string[]): readonly string[] {
  const distinct = [...new Set(domains.map((domain) => domain.toLowerCase()))]
  if (distinct.length > 100 || !distinct.every((domain) => isEmailAddress(`a@${domain}`)))
    throw new ProviderError('domain_invalid')
  return distinct
}

/** @throws ProviderError `assertions_invalid`. */
export function requireAssertions(given: ProviderAssertions): IdentityProviderRecord['assertions'] {
  const assertions = checkedAssertions(given)
  if (assertions === undefined) throw new ProviderError('assertions_invalid')
  return assertions
}

/** Creates the stored form of a new secret, which contains only its digest. */
const createSecretRecord = async (secret: string, now: EpochSeconds): Promise<SecretRecord> => ({
  digest: await digestSecret(secret),
  createdAt: now,
  expiresAt: undefined,
  lastUsedAt: undefined,
})

/**
 * Adds a secret to an identity provider. The previous secrets stay valid until they are revoked, or until
 * `previousExpiresAt` (seconds since 1970).
 * @returns the secret. It is shown only once.
 * @throws ProviderError `provider_unknown` | `too_many_secrets`.
 */
export async function addProviderSecret(
  id: string,
  change: { readonly previousExpiresAt?: number },
  deps: ProviderDependencies,
): Promise<string> {
  checkOptions('addProviderSecret', change, { previousExpiresAt: aNumber(0, Number.MAX_SAFE_INTEGER) })
  const now = (deps.clock ?? systemClock)()
  const secret = newProviderSecret(providerId(id), deps.random ?? systemRandom)
  const added = await createSecretRecord(secret, now)
  await changeSecrets(id, deps.storage, (secrets) => {
    const active = secrets.filter((candidate) => isActiveSecret(candidate, now))
    if (active.length >= maximumActive) throw new ProviderError('too_many_secrets')
    return [...active.map((previous) => withExpiry(previous, change.previousExpiresAt)), added]
  })
  return secret
}

/**
 * Revokes all secrets of an identity provider except the newest.
 * @throws ProviderError `provider_unknown`.
 */
export const revokePreviousProviderSecrets = (id: string, deps: { readonly storage: ScimStorage }): Promise<void> =>
  changeSecrets(id, deps.storage, (secrets) => secrets.slice(-1))

/**
 * Revokes all secrets of an identity provider. It then authenticates with access tokens of its clients only, until it
 * gets another secret.
 * @throws ProviderError `provider_unknown`.
 */
export const revokeProviderSecrets = (id: string, deps: { readonly storage: ScimStorage }): Promise<void> =>
  changeSecrets(id, deps.storage, () => [])

async function changeSecrets(
  id: string,
  storage: ScimStorage,
  change: (secrets: readonly SecretRecord[]) => readonly SecretRecord[],
): Promise<void> {
  await untilSettled(async () => {
    const provider = await storage.identityProviders.find(providerId(id))
    if (provider === undefined) throw new ProviderError('provider_unknown')
    const changed = { ...provider, secrets: change(provider.secrets) }
    const swapped = await storage.identityProviders.compareAndSwap(changed, provider.version)
    return swapped.outcome === 'swapped' ? swapped : undefined
  })
}

/** Returns whether a secret has not expired. */
export const isActiveSecret = (secret: SecretRecord, now: EpochSeconds): boolean =>
  secret.expiresAt === undefined || now < secret.expiresAt

const withExpiry = (secret: SecretRecord, at: number | undefined): SecretRecord =>
  at === undefined ? secret : { ...secret, expiresAt: epochSeconds(Math.min(at, secret.expiresAt ?? at)) }

const maximumActive = 4

/**
 * Mints a secret of a provider. It has three parts, which underscores separate: the prefix `mmscim`, so that secret
 * scanners detect it; the provider id, so that the server finds the provider; and 256 random bits. A provider id
 * contains no underscore.
 */
const newProviderSecret = (provider: ProviderId, random: Random): string => `mmscim_${provider}_${randomSecret(random)}`

/** Why an operation on an identity provider was refused. */
type ProviderErrorReason =
  | 'identifier_invalid'
  | 'domain_invalid'
  | 'assertions_invalid'
  | 'identifier_taken'
  | 'provider_unknown'
  | 'too_many_secrets'

/** An operation on an identity provider was refused, for a reason that an administrator can fix. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly reason: ProviderErrorReason

  constructor(reason: ProviderErrorReason) {
    super(sentences[reason])
    this.reason = reason
  }
}

const sentences: Readonly<Record<ProviderErrorReason, string>> = {
  identifier_invalid: 'The identifier of an identity provider must have 1 to 64 letters, digits and hyphens.',
  domain_invalid:
    'A verified domain must be a host name with a dot, such as example.com. A provider can have at most 100.',
  assertions_invalid:
    'The issuer of assertions must be an https URL without a query, with either jwksUri, an https URL of a key set, or jwks, a set of public keys.',
  identifier_taken: 'The identifier is or was in use by an identity provider. Choose another identifier.',
  provider_unknown: 'There is no such identity provider.',
  too_many_secrets: 'The identity provider has the maximum number of active secrets. Revoke one of them first.',
}
