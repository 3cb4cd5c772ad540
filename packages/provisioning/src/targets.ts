import { isOutboundUrl, sealWebhookSecret } from '@mintmark/core/internal'
import type { KeyRing } from '@mintmark/core'
import {
  aBoolean,
  aListOfStrings,
  aNonEmptyString,
  anObject,
  checkOptions,
  type Clock,
  oneOf,
  type OptionChecks,
  type Random,
  required,
} from '@mintmark/internal'
import { type AdminStorage, type EpochSeconds, providerId } from '@mintmark/storage-interface'
import { type ProvisioningTargetRecord, untilSettled, type WebhookRecord } from '@mintmark/storage-interface/stores'

import type { PartnerCredential } from './credential.ts'
import type { Selection } from './local-resources.ts'
import { ProvisioningError } from './provisioning-error.ts'

/** The settings of a target that can be changed. */
interface TargetSettings {
  /** The name that administrators see. */
  readonly displayName: string
  /** The identity providers whose users and groups the partner gets. */
  readonly providerIds: readonly string[]
  /**
   * Whether the partner also gets the users of the host, who have no identity provider.
   * Default: `false`.
   */
  readonly includesHostUsers: boolean
  /**
   * What happens to the partner's user when ours is removed or is no longer selected.
   * Default: `deactivate`. A partner may still have to keep what the user created.
   */
  readonly onRemoval: 'deactivate' | 'delete'
  /**
   * Whether a user of the partner with the same `userName`, or a group with the same name, becomes ours if it has no
   * `externalId`.
   * Default: `false`. The account may belong to somebody else.
   */
  readonly adoptsExisting: boolean
}

/** A partner's SCIM service, without its credential. */
export interface ProvisioningTarget extends TargetSettings {
  readonly targetId: string
  /** The address of the service; `/Users` is appended to it. */
  readonly baseUrl: string
  /** While a target is disabled, nothing is sent. Changes are sent later if they are at most 30 days old. */
  readonly disabledAt: EpochSeconds | undefined
  readonly createdAt: EpochSeconds
}

interface NewTarget extends Partial<TargetSettings> {
  /** At most 64 letters, digits and hyphens. */
  readonly targetId: string
  readonly displayName: string
  /** An https URL with a host name that resolves to public addresses, and without a port. */
  readonly baseUrl: string
  readonly credential: PartnerCredential
}

/** The targets of a server. Methods throw ProvisioningError. */
export interface ProvisioningTargets {
  /** Creates a target that is disabled: compare first, then enable and synchronize it. */
  create(target: NewTarget): Promise<ProvisioningTarget>
  read(targetId: string): Promise<ProvisioningTarget>
  list(): Promise<readonly ProvisioningTarget[]>
  update(targetId: string, change: Partial<TargetSettings>): Promise<ProvisioningTarget>
  /** Replaces the credential. The previous one is not kept. */
  replaceCredential(targetId: string, credential: PartnerCredential): Promise<void>
  enable(targetId: string): Promise<ProvisioningTarget>
  disable(targetId: string): Promise<ProvisioningTarget>
  /** Removes a target. Its unsent messages are abandoned; the partner's resources stay. */
  remove(targetId: string): Promise<void>
}

/** A row of the table of webhooks that is a target. */
export type Target = WebhookRecord & { readonly target: ProvisioningTargetRecord }

export const isTarget = (webhook: WebhookRecord): webhook is Target => webhook.target !== undefined

/** Returns what a target selects. */
export const selectionOf = ({ webhookId, target }: Target): Selection => ({ targetId: webhookId, target })

export interface TargetDependencies {
  readonly issuer: string
  readonly storage: AdminStorage
  readonly keys: Pick<KeyRing, 'deriveSecrets'>
  readonly clock: Clock
  readonly random: Random
  readonly allowedOrigins: readonly string[]
}

export const administerTargets = (deps: TargetDependencies): ProvisioningTargets => ({
  create: async (target) => {
    checkOptions<NewTarget>('targets.create', target, newTargetChecks)
    return createTarget(target, deps)
  },
  read: async (id) => viewOf(await findTarget(id, deps)),
  list: async () => (await deps.storage.webhooks.list()).filter(isTarget).map(viewOf),
  update: async (id, change) => {
    checkOptions<Partial<TargetSettings>>('targets.update', change, settingChecks)
    return changeTarget(id, (target) => ({ target: settingsOf({ ...target.target, ...change }) }), deps)
  },
  replaceCredential: async (id, credential) => {
    const secrets = [await sealed(id, credential, deps)]
    await changeTarget(id, () => ({ secrets }), deps)
  },
  enable: (id) => changeTarget(id, () => ({ disabledAt: undefined }), deps),
  disable: (id) => changeTarget(id, ({ disabledAt }) => ({ disabledAt: disabledAt ?? deps.clock() }), deps),
  remove: async (id) => {
    await findTarget(id, deps)
    await deps.storage.webhooks.remove(id)
  },
})

const settingChecks: OptionChecks<Partial<TargetSettings>> = {
  displayName: aNonEmptyString,
  providerIds: aListOfStrings,
  includesHostUsers: aBoolean,
  onRemoval: oneOf('deactivate', 'delete'),
  adoptsExisting: aBoolean,
}

const newTargetChecks: OptionChecks<NewTarget> = {
  ...settingChecks,
  displayName: required(aNonEmptyString),
  targetId: required(aNonEmptyString),
  baseUrl: required(aNonEmptyString),
  credential: required(anObject),
}

async function createTarget(target: NewTarget, deps: TargetDependencies): Promise<ProvisioningTarget> {
  const { storage, clock } = deps
  const { targetId, baseUrl, credential } = target
  if (!/^[A-Za-z0-9-]{1,64}$/.test(targetId)) throw new ProvisioningError('target_id_invalid')
  const now = clock()
  const record: Target = {
    webhookId: targetId,
    url: checkedUrl(baseUrl, deps),
    types: [],
    includesUser: false,
    secrets: [await sealed(targetId, credential, deps)],
    startsAfter: await storage.changes.lastPosition(),
    replays: 0,
    stream: undefined,
    target: settingsOf(target),
    disabledAt: now,
    createdAt: now,
    updatedAt: now,
    version: 1,
  }
  const { outcome } = await storage.webhooks.insert(record)
  if (outcome === 'taken') throw new ProvisioningError('target_taken')
  return viewOf(record)
}

function settingsOf({
  displayName,
  providerIds = [],
  includesHostUsers = false,
  onRemoval = 'deactivate',
  adoptsExisting = false,
}: Partial<TargetSettings> & { readonly displayName: string }): ProvisioningTargetRecord {
  if (providerIds.length === 0 && !includesHostUsers) throw new ProvisioningError('target_selection_empty')
  return { displayName, providerIds: providerIds.map(providerId), includesHostUsers, onRemoval, adoptsExisting }
}

/** A partner that is this server would provision its own users in a circle. */
function checkedUrl(url: string, { issuer, allowedOrigins }: TargetDependencies): string {
  const isUsable = isOutboundUrl(url, allowedOrigins) && !/[?#\s]/.test(url)
  if (!isUsable || new URL(url).origin === new URL(issuer).origin) throw new ProvisioningError('target_url_invalid')
  return url.replace(/\/+$/, '')
}

function sealed(
  webhookId: string,
  credential: PartnerCredential,
  { issuer, keys, random, allowedOrigins }: TargetDependencies,
): Promise<string> {
  const members = Object.entries(credential)
  const isText = members.every(([, value]) => value === undefined || (typeof value === 'string' && value !== ''))
  const isKnown =
    'bearerToken' in credential
      ? members.length === 1 && /^[\x21-\x7E]+$/.test(credential.bearerToken)
      : isText && isOutboundUrl(credential.tokenEndpoint, allowedOrigins) && isPair(credential)
  if (!isText || !isKnown) throw new ProvisioningError('target_credential_invalid')
  return sealWebhookSecret(JSON.stringify(credential), { issuer, webhookId }, { keys, random })
}

const isPair = ({ clientId, clientSecret }: { readonly clientId?: string; readonly clientSecret?: string }): boolean =>
  clientId !== undefined && clientSecret !== undefined

/** @throws ProvisioningError `target_unknown`. */
export async function findTarget(id: string, { storage }: Pick<TargetDependencies, 'storage'>): Promise<Target> {
  const found = await storage.webhooks.find(id)
  if (found === undefined || !isTarget(found)) throw new ProvisioningError('target_unknown')
  return found
}

const changeTarget = (
  id: string,
  change: (target: Target) => Partial<WebhookRecord>,
  deps: TargetDependencies,
): Promise<ProvisioningTarget> =>
  untilSettled(async () => {
    const before = await findTarget(id, deps)
    const changed = { ...before, ...change(before), updatedAt: deps.clock() }
    const swapped = await deps.storage.webhooks.compareAndSwap(changed, before.version)
    return swapped.outcome === 'swapped' && isTarget(swapped.record) ? viewOf(swapped.record) : undefined
  })

const viewOf = ({ webhookId, url, target, disabledAt, createdAt }: Target): ProvisioningTarget => ({
  targetId: webhookId,
  baseUrl: url,
  ...target,
  disabledAt,
  createdAt,
})
