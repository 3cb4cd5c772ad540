import type { KeyRing } from '@mintmark/core'
import {
  createOutboundClient,
  openWebhookSecret,
  type OutboundClient,
  type ProvisioningSender,
} from '@mintmark/core/internal'
import {
  aFunction,
  aListOfStrings,
  anObjectWith,
  aStorage,
  checkOptions,
  type Clock,
  type Random,
  required,
  systemClock,
  systemRandom,
} from '@mintmark/internal'
import type { AdminStorage } from '@mintmark/storage-interface'
import type { WebhookRecord } from '@mintmark/storage-interface/stores'

import { type ComparisonReport, compareWithPartner } from './compare.ts'
import { createAuthorize } from './credential.ts'
import type { RenderUser } from './local-resources.ts'
import { PartnerFailure } from './partner-failure.ts'
import { openPartner, type Partner } from './partner.ts'
import { ProvisioningError } from './provisioning-error.ts'
import { sendSubject } from './send.ts'
import { type SynchronizationReport, synchronizeTarget } from './synchronize.ts'
import { administerTargets, findTarget, isTarget, selectionOf, type ProvisioningTargets } from './targets.ts'

/** Options of `createProvisioning`. */
export interface ProvisioningOptions {
  /** The storage of the authorization server. */
  readonly storage: AdminStorage
  /** The key ring of the authorization server. It seals the credentials. */
  readonly keys: KeyRing
  /**
   * Decides what a partner gets of a user: returns the attributes of a SCIM user with a `userName`, or undefined for a user
   * who is not provisioned there. Answer alike for the same user, because it is called for each message.
   * @defaultValue The standard attributes of the user and the enterprise extension. Partners reject attributes that they do
   *   not know.
   */
  readonly render?: RenderUser
  /**
   * Sends the requests of `compare` in place of the built-in client, which connects only to public addresses.
   * @defaultValue The built-in client. It keeps requests out of the host's network.
   */
  readonly fetch?: typeof globalThis.fetch
  /**
   * Origins of partners that may be requested although they have a port, an IP address or no TLS. The authorization server
   * needs the same option.
   * @defaultValue None. Administrators could otherwise make the server send requests into its own network.
   */
  readonly dangerouslyAllowOutbound?: readonly string[]
  readonly clock?: Clock
  readonly random?: Random
}

/** Users and groups of this server in the SCIM services of partners. */
export interface Provisioning extends ProvisioningSender {
  readonly targets: ProvisioningTargets
  /**
   * Compares the users and groups of a target with what the partner has, and changes nothing: a dry run before a target is
   * enabled, and a drift report later. It reads everything that the partner has.
   * @throws ProvisioningError `target_unknown` | `partner_failed`.
   */
  compare(targetId: string): Promise<ComparisonReport>
  /**
   * Enqueues a message for each user and each group of a target: for a new target, and to repair what `compare` shows.
   * Resources that only the partner has stay as they are.
   * @throws ProvisioningError `target_unknown`.
   */
  synchronize(targetId: string): Promise<SynchronizationReport>
}

/**
 * Creates the provisioning of partners. Pass it to `createAuthorizationServer` as `provisioning`: its worker sends the
 * changes (`deliver`).
 */
export function createProvisioning(options: ProvisioningOptions): Provisioning {
  checkOptions('createProvisioning', options, {
    storage: required(aStorage),
    keys: required(anObjectWith('deriveSecrets')),
    render: aFunction,
    fetch: aFunction,
    dangerouslyAllowOutbound: aListOfStrings,
    clock: aFunction,
    random: aFunction,
  })
  const { storage, keys, render = (user) => user.resource, clock = systemClock, random = systemRandom } = options
  const allowedOrigins = options.dangerouslyAllowOutbound ?? []
  const issuer = storage.issuer
  const authorize = createAuthorize(clock)
  const outbound = createOutboundClient(options.fetch, { pending: 16, pendingPerHost: 4, allowedOrigins })
  const local = { storage, render }

  const connect = async ({ url }: WebhookRecord, credential: string, client: OutboundClient): Promise<Partner> =>
    openPartner({ baseUrl: url, authorization: await authorize(credential, client), outbound: client, clock })

  const send: ProvisioningSender['send'] = async (subject, { target, credential, outbound: client }) => {
    if (!isTarget(target)) return { outcome: 'refused', failure: 'target_unknown' }
    try {
      const partner = await connect(target, credential, client)
      return await sendSubject(subject, selectionOf(target), { ...local, partner })
    } catch (error) {
      if (!(error instanceof PartnerFailure)) throw error
      return { outcome: error.outcome, failure: error.failure, retryAfter: error.retryAfter }
    }
  }

  return {
    send,
    targets: administerTargets({ issuer, storage, keys, clock, random, allowedOrigins }),
    async compare(targetId) {
      const target = await findTarget(targetId, { storage })
      const [sealed = ''] = target.secrets
      const credential = await openWebhookSecret(sealed, { issuer, webhookId: targetId }, keys)
      if (credential === undefined) throw new ProvisioningError('partner_failed', 'sealing_key_missing')
      try {
        return await compareWithPartner(selectionOf(target), await connect(target, credential, outbound), local)
      } catch (error) {
        if (error instanceof PartnerFailure) throw new ProvisioningError('partner_failed', error.failure)
        throw error
      }
    },
    async synchronize(targetId) {
      return synchronizeTarget(await findTarget(targetId, { storage }), clock(), { ...local, random })
    },
  }
}
