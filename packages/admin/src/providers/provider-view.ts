import {
  aFunction,
  checkOptions,
  type Clock,
  type Random,
  required,
  systemClock,
  systemRandom,
  aStorage,
} from '@mintmark/internal'
import { tenantUrl } from '@mintmark/scim'
import { type AnsweredRequest, revocationPath } from '@mintmark/scim/engine'
import { type AdminStorage, type EpochSeconds, providerId, seconds } from '@mintmark/storage-interface'
import type { DeprovisioningCount, IdentityProviderRecord } from '@mintmark/storage-interface/stores'

import { aRetention, createAuditLog, plainJson } from '../audit/audit-log.ts'
import { type SecretView, secretView } from '../clients/client-view.ts'
import { refuse } from '../error/refusals.ts'
import { isIdentifier } from '../text.ts'

/** An identity provider as administrators see it: the stored record without the digests of its secrets. */
export interface ProviderView extends Omit<IdentityProviderRecord, 'secrets' | 'setupLink' | 'deprovisioning'> {
  /** The times of its set-up link; undefined without one. */
  readonly setupLink: { readonly createdAt: EpochSeconds; readonly expiresAt: EpochSeconds } | undefined
  readonly deprovisioning: Omit<DeprovisioningCount, 'cohorts'> | undefined
  /** The SCIM Tenant URL, which is entered at the identity provider. */
  readonly tenantUrl: string
  readonly secrets: readonly SecretView[]
}

/** @throws AdminError `provider_unknown`. */
export async function findProvider(
  id: string,
  { storage }: { readonly storage: AdminStorage },
): Promise<IdentityProviderRecord> {
  const provider = isIdentifier(id, 64) ? await storage.identityProviders.find(providerId(id)) : undefined
  if (provider === undefined) throw refuse('provider_unknown')
  return provider
}

export const providerView = (
  { secrets, setupLink, deprovisioning, ...provider }: IdentityProviderRecord,
  issuer: string,
): ProviderView => ({
  ...provider,
  setupLink: setupLink && { createdAt: setupLink.createdAt, expiresAt: setupLink.expiresAt },
  deprovisioning: deprovisioning && {
    windowStartedAt: deprovisioning.windowStartedAt,
    count: deprovisioning.count,
    suspendedAt: deprovisioning.suspendedAt,
  },
  tenantUrl: tenantUrl(issuer, provider.providerId),
  secrets: secrets.map(secretView),
})

/** The products that there are instructions for. */
export type SetupProduct = 'entra' | 'okta'

/** Instructions for the administrator of the identity provider. */
export interface ProviderSetup {
  readonly product: SetupProduct
  /** The values to enter, by field name. The Secret Token is not included, because it cannot be read again. */
  readonly fields: Readonly<Record<string, string>>
  readonly steps: readonly string[]
  /** The fields and steps as text, to send to that administrator. */
  readonly text: string
}

/** Returns the instructions for a connection in its current configuration. */
export function providerSetup(provider: ProviderView, product: SetupProduct): ProviderSetup {
  const { title, fields, steps } = product === 'entra' ? entra(provider) : okta(provider)
  const all = [...steps, verifiedDomainsStep(provider)]
  const pasted = Object.entries(fields).map(([name, value]) => `   ${name}: ${value}`)
  const numbered = all.map((step, index) => `${index + 1}. ${step}`)
  return {
    product,
    fields,
    steps: all,
    text: [title, '', 'Values to paste:', ...pasted, '', ...numbered, ''].join('\n'),
  }
}

const verifiedDomainsStep = ({ verifiedDomains }: ProviderView): string =>
  verifiedDomains.length === 0
    ? 'No e-mail domain is verified for this connection, so no address counts as verified. To change this, prove to the operator of the service that a domain is yours.'
    : `Addresses in ${verifiedDomains.join(', ')} count as verified. Send users with addresses in other domains only if that is intended.`

interface Instructions {
  readonly title: string
  readonly fields: Readonly<Record<string, string>>
  readonly steps: readonly string[]
}

const secretHint = 'the secret that was shown when the connection was registered, or a new one'

const entra = (provider: ProviderView): Instructions => ({
  title: `Provision users from Microsoft Entra ID to ${provider.displayName}`,
  fields: { 'Tenant URL': provider.tenantUrl, 'Secret Token': secretHint },
  steps: [
    'In the Entra admin center, open Enterprise applications, New application, Create your own application, and choose the integration of an application that is not in the gallery.',
    'Open Provisioning, choose the mode Automatic, paste the Tenant URL and the Secret Token under Admin Credentials, and press Test Connection.',
    'Under Mappings, Provision Microsoft Entra ID Users, change the source of externalId from mailNickname to objectId, which does not change when a user is renamed.',
    'Keep userName as the matching attribute, from userPrincipalName, and Switch([IsSoftDeleted], …) for active: deactivation ends all access at once.',
    ...profileStep(provider, ['entra', 'general', 'all'], 'entra'),
    'Under Users and groups, assign the users and groups to provision, and press Start provisioning. Entra works in cycles of about 40 minutes; Provision on demand provisions one user immediately.',
  ],
})

const okta = (provider: ProviderView): Instructions => ({
  title: `Provision users from Okta to ${provider.displayName}`,
  fields: {
    'SCIM connector base URL': provider.tenantUrl,
    'Unique identifier field for users': 'userName',
    'Supported provisioning actions':
      'Import New Users and Profile Updates, Push New Users, Push Profile Updates, Push Groups',
    'Authentication Mode': 'HTTP Header',
    // Okta sends the value after `Bearer `.
    Authorization: `${secretHint}; without the word Bearer, which Okta adds`,
    ...(provider.assertions && {
      'Global token revocation endpoint': `${provider.tenantUrl}/${revocationPath}`,
      'Subject format': 'Issuer and Subject identifier, or Email',
    }),
  },
  steps: [
    'In the Okta admin console, open the application, General, App Settings, and enable SCIM provisioning.',
    'On the Provisioning tab, Integration, paste the values and press Test Connector Configuration.',
    'Under To App, enable Create Users, Update User Attributes and Deactivate Users. Okta deactivates and never deletes: deactivation ends all access at once.',
    'Leave Sync Password off.',
    ...universalLogoutStep(provider),
    ...profileStep(provider, ['okta', 'general', 'all'], 'okta'),
    'Assign people on the Assignments tab, and groups on the Push Groups tab.',
  ],
})

const universalLogoutStep = ({ assertions }: ProviderView): readonly string[] =>
  assertions === undefined
    ? []
    : [
        'For Universal Logout, paste the Global token revocation endpoint, choose the authentication method Signed JWT and the subject format: then Okta signs users out here when it ends their sessions.',
      ]

/** Returns a step if the tolerance profile of the connection refuses some requests of the product. */
function profileStep({ toleranceProfile }: ProviderView, fitting: readonly string[], best: string): readonly string[] {
  if (fitting.includes(toleranceProfile)) return []
  return [
    `Here, choose the tolerance profile ${best} for this connection. The current profile, ${toleranceProfile}, refuses some requests of this product.`,
  ]
}

/**
 * Creates a listener that stores the requests of identity providers and the outcomes, for administrators. Use it as
 * `onRequest` of `createScimServer`.
 */
export function keepRequestLog(options: {
  /** The storage that the SCIM server uses. */
  readonly storage: AdminStorage
  /**
   * How long entries are kept, in seconds, at most 3153600000 (a hundred years). Purging removes older entries.
   * @defaultValue 604800, 7 days. The log is for recent problems, and it contains identifiers of users.
   */
  readonly retention?: number
  readonly clock?: Clock
  readonly random?: Random
}): (answered: AnsweredRequest) => Promise<void> {
  checkOptions('keepRequestLog', options, {
    storage: required(aStorage),
    retention: aRetention,
    clock: aFunction,
    random: aFunction,
  })
  const { storage, retention = 604_800, clock = systemClock, random = systemRandom } = options
  const log = createAuditLog({ storage, clock, random, retention: seconds(retention) })
  return ({ at: _at, providerId, ...request }) =>
    log.append({ log: requestLogOf(providerId), type: 'request.answered', detail: plainJson(request) })
}

/** Returns the name of the log of a provider's requests. */
export const requestLogOf = (providerId: string): string => `provider:${providerId}`
