// Over 250 lines: webhooks are one kind of record, and all actions on them share the helpers below.

import { isOutboundUrl, sealWebhookSecret } from '@mintmark/core/internal'
import {
  randomIdentifier,
  aBoolean,
  aListOfStrings,
  aString,
  checkOptions,
  type OptionChecks,
  required,
} from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'
import { changeTypes, untilSettled, type WebhookRecord } from '@mintmark/storage-interface/stores'

import { plainJson } from '../audit/audit-log.ts'
import { type AdminContext, audit } from '../audit/audit.ts'
import type { AdminAction } from '../audit/admin-event.ts'
import { refuse } from '../error/refusals.ts'

/** The settings of a webhook. */
interface WebhookChange {
  /** An https URL with a host name that resolves to public addresses, and without a port; or a URL of `dangerouslyAllowOutbound`. */
  readonly url?: string | undefined
  /**
   * Which changes are sent, such as `user.changed`.
   * Default: all.
   */
  readonly types?: readonly string[] | undefined
  /**
   * Whether messages about a user contain the user's state at the time of sending: `active`, `claims` and `version`.
   * Default: `false`. Messages then contain only identifiers and the names of changed attributes.
   */
  readonly includesUser?: boolean | undefined
}

/** A webhook to create. */
interface NewWebhook extends WebhookChange {
  readonly url: string
}

/** An endpoint of the host to which changes are sent, without its secrets. */
export interface WebhookView {
  readonly webhookId: string
  readonly url: string
  /** Which changes are sent; empty for all. */
  readonly types: readonly string[]
  readonly includesUser: boolean
  /** How many secrets sign its messages. */
  readonly secretCount: number
  readonly disabledAt: EpochSeconds | undefined
  readonly createdAt: EpochSeconds
  readonly updatedAt: EpochSeconds
  readonly version: number
}

/** A webhook, and its secret, which cannot be read again. */
interface CreatedWebhook {
  readonly webhook: WebhookView
  /** `whsec_` and 32 random bytes in base64 (Standard Webhooks). */
  readonly secret: string
}

/**
 * Endpoints to which changes of users, groups, memberships, sessions and grants are sent. A method throws AdminError if
 * the action is refused or fails.
 */
export interface WebhookAdministration {
  /**
   * Creates a webhook. Only changes after its creation are sent to it. Refused: `webhook_url_invalid`, `webhook_type_unknown`,
   * `too_many_webhooks`, `keys_missing`.
   */
  create(webhook: NewWebhook): Promise<CreatedWebhook>
  /** Refused: `webhook_unknown`. The same applies to every method below for one webhook. */
  read(id: string): Promise<WebhookView>
  list(): Promise<readonly WebhookView[]>
  /** Changes settings. Settings that are left out stay as they are. Refused: as for `create`. */
  update(id: string, change: WebhookChange): Promise<WebhookView>
  /**
   * Disables a webhook. Once it is enabled again, it is sent the changes since then, if they are at most 30 days old.
   * Messages that were already queued expire after a day.
   */
  disable(id: string): Promise<WebhookView>
  enable(id: string): Promise<WebhookView>
  /** Removes a webhook. Its unsent messages are abandoned. */
  remove(id: string): Promise<void>
  /**
   * Adds a secret. Messages are signed with both secrets until the previous one is revoked. Refused:
   * `too_many_secrets`, `keys_missing`.
   */
  addSecret(id: string): Promise<string>
  /** Revokes all secrets except the newest. */
  revokePreviousSecrets(id: string): Promise<WebhookView>
  /**
   * Sends all changes after a position again, in order. Position 0 sends all changes of the last 30 days; older ones
   * are not kept. Each message has the same header `webhook-id` as before, by which the receiver recognizes duplicates.
   */
  replay(id: string, position: number): Promise<WebhookView>
}

/** Unknown settings are refused: a misspelled `types` would send all changes. */
const changeChecks = {
  url: aString,
  types: aListOfStrings,
  includesUser: aBoolean,
} satisfies OptionChecks<WebhookChange>

export const administerWebhooks = (context: AdminContext): WebhookAdministration => ({
  async create(webhook) {
    checkOptions('webhooks.create', webhook, { ...changeChecks, url: required(changeChecks.url) })
    return createWebhook(webhook, context)
  },
  read: async (id) => webhookView(await findWebhook(id, context)),
  list: async () => (await listWebhooks(context)).map(webhookView),
  async update(id, change) {
    checkOptions('webhooks.update', change, changeChecks)
    return auditWebhookChange({ name: 'webhook.updated', id }, context, () => checkChange(change, context))
  },
  disable: (id) =>
    auditWebhookChange({ name: 'webhook.disabled', id }, context, ({ disabledAt }) => ({
      disabledAt: disabledAt ?? context.clock(),
    })),
  enable: (id) => auditWebhookChange({ name: 'webhook.enabled', id }, context, () => ({ disabledAt: undefined })),
  remove: (id) => removeWebhook(id, context),
  addSecret: (id) => addSecret(id, context),
  revokePreviousSecrets: (id) =>
    auditWebhookChange({ name: 'webhook.previous_secrets_ended', id }, context, ({ secrets }) => ({
      secrets: secrets.slice(0, 1),
    })),
  replay: (id, position) =>
    auditWebhookChange({ name: 'webhook.replayed', id }, context, ({ replays }) => ({
      replays: replays + 1,
      startsAfter: position,
    })),
})

const createWebhook = (webhook: NewWebhook, context: AdminContext): Promise<CreatedWebhook> => {
  const { storage, random, clock } = context
  const webhookId = randomIdentifier(random)
  return audit(
    {
      name: 'webhook.created',
      target: { kind: 'webhook', id: webhookId },
      run: async () => {
        const settings = checkChange(webhook, context)
        if ((await listWebhooks(context)).length >= maximumWebhooks) throw refuse('too_many_webhooks')
        const { secret, sealed } = await createSecret(webhookId, context)
        const now = clock()
        const record: WebhookRecord = {
          webhookId,
          types: [],
          includesUser: false,
          ...settings,
          url: webhook.url,
          secrets: [sealed],
          startsAfter: await storage.changes.lastPosition(),
          replays: 0,
          stream: undefined,
          target: undefined,
          disabledAt: undefined,
          createdAt: now,
          updatedAt: now,
          version: 1,
        }
        await storage.webhooks.insert(record)
        const view = webhookView(record)
        return { result: { webhook: view, secret }, after: plainJson(view) }
      },
    },
    context,
  )
}

const maximumWebhooks = 50

function checkChange(
  { url, types, includesUser }: WebhookChange,
  { dangerouslyAllowOutbound }: AdminContext,
): Partial<WebhookRecord> {
  // RFC 9110 §15.5.1: the server sends requests to this URL.
  if (url !== undefined && !isOutboundUrl(url, dangerouslyAllowOutbound))
    throw refuse('webhook_url_invalid', { pointer: '/url' })
  const known: readonly string[] = changeTypes
  if (types?.some((type) => !known.includes(type)) === true) throw refuse('webhook_type_unknown', { pointer: '/types' })
  return {
    ...(url !== undefined && { url }),
    ...(types !== undefined && { types }),
    ...(includesUser !== undefined && { includesUser }),
  }
}

/** The webhooks of the host, without streams of security events and partners' SCIM services. */
const listWebhooks = async ({ storage }: AdminContext): Promise<readonly WebhookRecord[]> =>
  (await storage.webhooks.list()).filter(isWebhook)

const isWebhook = ({ stream, target }: WebhookRecord): boolean => stream === undefined && target === undefined

async function findWebhook(id: string, { storage }: AdminContext): Promise<WebhookRecord> {
  const found = await storage.webhooks.find(id)
  // RFC 9110 §15.5.5. The receiver of a stream of security events manages it.
  if (found === undefined || !isWebhook(found)) throw refuse('webhook_unknown')
  return found
}

const changeWebhook = async (
  id: string,
  context: AdminContext,
  change: (webhook: WebhookRecord) => Partial<WebhookRecord>,
): Promise<{ readonly before: WebhookRecord; readonly after: WebhookRecord }> =>
  untilSettled(async () => {
    const before = await findWebhook(id, context)
    const changed = { ...before, ...change(before), updatedAt: context.clock() }
    const swapped = await context.storage.webhooks.compareAndSwap(changed, before.version)
    return swapped.outcome === 'swapped' ? { before, after: swapped.record } : undefined
  })

const removeWebhook = (id: string, context: AdminContext): Promise<void> =>
  audit(
    {
      name: 'webhook.removed',
      target: { kind: 'webhook', id },
      run: async () => {
        const before = await findWebhook(id, context)
        await context.storage.webhooks.remove(id)
        return { result: undefined, before: plainJson(webhookView(before)) }
      },
    },
    context,
  )

const addSecret = (id: string, context: AdminContext): Promise<string> =>
  audit(
    {
      name: 'webhook.secret_added',
      target: { kind: 'webhook', id },
      run: async () => {
        const { secret, sealed } = await createSecret(id, context)
        const { after } = await changeWebhook(id, context, ({ secrets }) => {
          if (secrets.length > 1) throw refuse('too_many_secrets')
          return { secrets: [sealed, ...secrets] }
        })
        return { result: secret, after: plainJson(webhookView(after)) }
      },
    },
    context,
  )

async function createSecret(
  webhookId: string,
  { random, storage, keys }: AdminContext,
): Promise<{ readonly secret: string; readonly sealed: string }> {
  const { deriveSecrets } = keys ?? {}
  if (deriveSecrets === undefined) throw refuse('keys_missing')
  const secret = `whsec_${btoa(String.fromCharCode(...random(32)))}`
  const owner = { issuer: storage.issuer, webhookId }
  return { secret, sealed: await sealWebhookSecret(secret, owner, { keys: { deriveSecrets }, random }) }
}

function webhookView({
  webhookId,
  url,
  types,
  includesUser,
  secrets,
  disabledAt,
  createdAt,
  updatedAt,
  version,
}: WebhookRecord): WebhookView {
  return { webhookId, url, types, includesUser, secretCount: secrets.length, disabledAt, createdAt, updatedAt, version }
}

const auditWebhookChange = (
  { name, id }: { readonly name: AdminAction; readonly id: string },
  context: AdminContext,
  change: (webhook: WebhookRecord) => Partial<WebhookRecord>,
): Promise<WebhookView> =>
  audit(
    {
      name,
      target: { kind: 'webhook', id },
      run: async () => {
        const { before, after } = await changeWebhook(id, context, change)
        return {
          result: webhookView(after),
          before: plainJson(webhookView(before)),
          after: plainJson(webhookView(after)),
        }
      },
    },
    context,
  )
