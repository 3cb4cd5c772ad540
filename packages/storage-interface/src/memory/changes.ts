import { changeRetention, type ChangeRecord, type ChangeStore } from '../change.ts'
import { after, type EpochSeconds, type JsonObject } from '../values.ts'
import type { WebhookRecord, WebhookStore } from '../webhook.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { createOrderedRows, frozenCopy, type OrderedRows, type SchedulerHook } from './rows.ts'

export interface ChangeTable {
  readonly byPosition: ExpiringRows<number, ChangeRecord>
  readonly webhooks: OrderedRows<string, WebhookRecord>
  lastPosition: number
}

export const createChangeTable = (): ChangeTable => ({
  byPosition: createExpiringRows(({ changedAt }) => after(changedAt, changeRetention)),
  webhooks: createOrderedRows(),
  lastPosition: 0,
})

/** What a change is about. */
type Change = Pick<ChangeRecord, 'type'> &
  Partial<Pick<ChangeRecord, 'userId' | 'groupId' | 'clientId' | 'sessionId' | 'grantId' | 'names'>>

/** Whether there is a webhook. */
export const isWatched = ({ webhooks }: ChangeTable): boolean => webhooks.rows.size > 0

/** Writes a change, if there is a webhook. Call it in the step that makes the change, so that both are atomic. */
export function writeChange(changes: ChangeTable, change: Change, changedAt: EpochSeconds): void {
  if (!isWatched(changes)) return
  changes.lastPosition += 1
  const { lastPosition: position } = changes
  const { type, userId, groupId, clientId, sessionId, grantId, names = [] } = change
  const about = { type, userId, groupId, clientId, sessionId, grantId, names, changedAt }
  changes.byPosition.set(position, frozenCopy({ changeId: `change-${position}`, position, ...about }))
}

/** Returns the names of the members that differ. */
export function changedNames(before: JsonObject, later: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(later)])
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(later[name]))
}

export function createMemoryChanges(changes: ChangeTable, scheduler: SchedulerHook): ChangeStore {
  return {
    async list({ after: position, limit }) {
      await scheduler()
      return [...changes.byPosition.rows.values()]
        .filter((change) => change.position > position)
        .toSorted((one, other) => one.position - other.position)
        .slice(0, limit)
    },

    async lastPosition() {
      await scheduler()
      return changes.lastPosition
    },
  }
}

export function createMemoryWebhooks({ webhooks }: ChangeTable, scheduler: SchedulerHook): WebhookStore {
  return {
    async insert(webhook) {
      await scheduler()
      if (webhooks.has(webhook.webhookId)) return { outcome: 'taken' }
      webhooks.set(webhook.webhookId, frozenCopy(webhook))
      return { outcome: 'inserted' }
    },

    async find(webhookId) {
      await scheduler()
      return webhooks.get(webhookId)
    },

    async list() {
      await scheduler()
      return [...webhooks.rowsAfter(undefined)]
    },

    async compareAndSwap(webhook, version) {
      await scheduler()
      const current = webhooks.get(webhook.webhookId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }
      const record = frozenCopy({ ...webhook, version: version + 1 })
      webhooks.set(webhook.webhookId, record)
      return { outcome: 'swapped', record }
    },

    async remove(webhookId) {
      await scheduler()
      return { outcome: webhooks.delete(webhookId) ? 'removed' : 'absent' }
    },
  }
}
