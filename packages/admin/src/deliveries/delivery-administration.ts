import { deadRetention, deliveryLifetime } from '@mintmark/core/internal'
import { after, type DeliveryRecord, type EpochSeconds, type JsonObject } from '@mintmark/storage-interface'

import { type AdminContext, audit } from '../audit/audit.ts'
import { refuse } from '../error/refusals.ts'
import { type Page, pageOf, type PageRequest } from '../page.ts'

/** A message to a client. */
export interface DeliveryView {
  readonly deliveryId: string
  /** `logout` for logout tokens (OIDC Back-Channel Logout 1.0). */
  readonly channel: string
  readonly clientId: string
  /** What the message is about, such as `sub` and `sid`; never a token. */
  readonly content: JsonObject
  readonly state: DeliveryRecord['state']
  readonly attempts: number
  readonly createdAt: EpochSeconds
  /** When the next attempt may begin; undefined unless the delivery is pending. */
  readonly dueAt: EpochSeconds | undefined
  readonly expiresAt: EpochSeconds
  /** When the message was delivered or abandoned. */
  readonly settledAt: EpochSeconds | undefined
  /** Why the last attempt failed, such as `timeout` or `http_400`. */
  readonly lastFailure: string | undefined
}

/** Selects a page of the deliveries. */
interface DeliveryPageRequest extends PageRequest {
  /** Default: `dead`, the deliveries that need attention. */
  readonly state?: DeliveryRecord['state'] | undefined
  readonly clientId?: string | undefined
}

/** Messages to clients, such as logout tokens. A method throws AdminError if the action is refused or fails. */
export interface DeliveryAdministration {
  /** Lists the deliveries in one state, newest first. Refused: `page_invalid`. */
  list(page?: DeliveryPageRequest): Promise<Page<DeliveryView>>
  /** Makes a dead delivery pending again, for one more day. Refused: `delivery_unknown`, `delivery_not_dead`. */
  requeue(id: string): Promise<DeliveryView>
}

export const administerDeliveries = (context: AdminContext): DeliveryAdministration => ({
  list: ({ state = 'dead', clientId: recipient, ...page } = {}) =>
    pageOf(page, {
      read: ({ after: before, limit }) => context.storage.deliveries.list({ state, recipient, before, limit }),
      key: ({ deliveryId }) => deliveryId,
      view: deliveryView,
    }),
  requeue: (id) => requeue(id, context),
})

const deliveryView = (delivery: DeliveryRecord): DeliveryView => {
  const { deliveryId, channel, recipient, content, state, attempts, createdAt, expiresAt, settledAt } = delivery
  const dueAt = state === 'pending' ? delivery.dueAt : undefined
  const { lastFailure } = delivery
  const times = { createdAt, dueAt, expiresAt, settledAt }
  return { deliveryId, channel, clientId: recipient, content, state, attempts, ...times, lastFailure }
}

const requeue = (id: string, context: AdminContext): Promise<DeliveryView> =>
  audit(
    {
      name: 'delivery.requeued',
      target: { kind: 'delivery', id },
      run: async () => {
        const { deliveries } = context.storage
        const now = context.clock()
        const expiresAt = after(now, deliveryLifetime)
        const keptUntil = after(expiresAt, deadRetention)
        const { outcome } = await deliveries.requeue({ deliveryId: id, now, expiresAt, keptUntil })
        const found = await deliveries.find(id)
        // RFC 9110 §15.5.5 and §15.5.10.
        if (found === undefined) throw refuse('delivery_unknown')
        if (outcome === 'unchanged') throw refuse('delivery_not_dead')
        const { channel, recipient, lastFailure = null } = found
        return { result: deliveryView(found), before: { channel, clientId: recipient, lastFailure } }
      },
    },
    context,
  )
