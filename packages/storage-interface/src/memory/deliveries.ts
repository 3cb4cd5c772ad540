import { compareText } from '../filter/matches-filter.ts'
import type { CursorRecord, CursorStore } from '../cursor.ts'
import {
  countLimit,
  type DeliveryRecord,
  type DeliveryResult,
  type DeliveryStore,
  type LeaseRequest,
} from '../delivery.ts'
import type { EpochSeconds } from '../values.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { frozenCopy, type SchedulerHook } from './rows.ts'

export interface DeliveryTable {
  readonly byId: ExpiringRows<string, DeliveryRecord>
  readonly dedupeKeys: Set<string>
  readonly cursors: Map<string, CursorRecord>
}

export const createDeliveryTable = (): DeliveryTable => ({
  byId: createExpiringRows(({ keptUntil }) => keptUntil),
  dedupeKeys: new Set(),
  cursors: new Map(),
})

export const createMemoryDeliveries = (table: DeliveryTable, scheduler: SchedulerHook): DeliveryStore => ({
  ...createQueue(table, scheduler),
  ...createDeadLetters(table, scheduler),
})

/** What producers and workers do with deliveries. */
function createQueue(
  table: DeliveryTable,
  scheduler: SchedulerHook,
): Pick<DeliveryStore, 'enqueue' | 'lease' | 'nextDueAt' | 'settle'> {
  const { byId, dedupeKeys } = table
  const pending = (channel: string): readonly DeliveryRecord[] =>
    rowsOf(table).filter((row) => row.state === 'pending' && row.channel === channel)

  return {
    async enqueue(deliveries) {
      await scheduler()
      let inserted = 0
      for (const delivery of deliveries) {
        if (dedupeKeys.has(delivery.dedupeKey) || byId.has(delivery.deliveryId)) continue
        dedupeKeys.add(delivery.dedupeKey)
        write(table, { ...delivery, ...unsent, dueAt: delivery.createdAt })
        inserted += 1
      }
      return { inserted }
    },

    async lease(request) {
      await scheduler()
      return firstDue(firstOfLanes(pending(request.channel)), request).map((row) =>
        write(table, { ...row, dueAt: request.until, leaseToken: request.token }),
      )
    },

    async nextDueAt(channel) {
      await scheduler()
      const [first] = pending(channel).toSorted((one, other) => one.dueAt - other.dueAt)
      return first?.dueAt
    },

    async settle({ deliveryId, token, result, now }) {
      await scheduler()
      const row = byId.get(deliveryId)
      if (row?.state !== 'pending' || row.leaseToken !== token) return { outcome: 'lost' }
      write(table, { ...row, ...resultMembers(row, result, now), leaseToken: undefined })
      return { outcome: 'settled' }
    },
  }
}

/** What administrators do with deliveries. */
function createDeadLetters(
  table: DeliveryTable,
  scheduler: SchedulerHook,
): Pick<DeliveryStore, 'requeue' | 'find' | 'list' | 'counts'> {
  const { byId } = table

  return {
    async requeue({ deliveryId, now, expiresAt, keptUntil }) {
      await scheduler()
      const row = byId.get(deliveryId)
      if (row === undefined) return { outcome: 'absent' }
      if (row.state !== 'dead') return { outcome: 'unchanged' }
      write(table, { ...row, ...unsent, dueAt: now, expiresAt, keptUntil, lastFailure: row.lastFailure })
      return { outcome: 'requeued' }
    },

    async find(deliveryId) {
      await scheduler()
      return byId.get(deliveryId)
    },

    async list({ state, recipient, before, limit }) {
      await scheduler()
      return rowsOf(table)
        .filter((row) => row.state === state && (recipient === undefined || row.recipient === recipient))
        .filter((row) => before === undefined || compareText(row.deliveryId, before) < 0)
        .toSorted((one, other) => compareText(other.deliveryId, one.deliveryId))
        .slice(0, limit)
    },

    async counts() {
      await scheduler()
      const all = rowsOf(table)
      const pendingRows = all.filter(({ state }) => state === 'pending')
      const [oldest] = pendingRows.toSorted((one, other) => compareText(one.deliveryId, other.deliveryId))
      return {
        pending: Math.min(pendingRows.length, countLimit),
        dead: Math.min(all.filter(({ state }) => state === 'dead').length, countLimit),
        oldestPendingAt: oldest?.createdAt,
      }
    },
  }
}

const rowsOf = ({ byId }: DeliveryTable): readonly DeliveryRecord[] => [...byId.rows.values()]

function write({ byId }: DeliveryTable, record: DeliveryRecord): DeliveryRecord {
  const written = frozenCopy(record)
  byId.set(written.deliveryId, written)
  return written
}

const unsent = {
  state: 'pending',
  attempts: 0,
  leaseToken: undefined,
  lastFailure: undefined,
  settledAt: undefined,
} as const

/** Leaves out deliveries that must wait for an earlier delivery of the same lane. */
function firstOfLanes(pending: readonly DeliveryRecord[]): readonly DeliveryRecord[] {
  const first = new Map<string, number>()
  for (const { lane, sequence = 0 } of pending)
    if (lane !== undefined) first.set(lane, Math.min(first.get(lane) ?? sequence, sequence))
  return pending.filter(({ lane, sequence = 0 }) => lane === undefined || first.get(lane) === sequence)
}

/** Returns the deliveries that are due and may be leased, earliest first. */
function firstDue(
  pending: readonly DeliveryRecord[],
  { now, limit, perRecipient, except }: LeaseRequest,
): readonly DeliveryRecord[] {
  const taken = new Map<string, number>()
  return pending
    .filter(({ dueAt, recipient }) => dueAt <= now && !except.includes(recipient))
    .toSorted((one, other) => one.dueAt - other.dueAt || compareText(one.deliveryId, other.deliveryId))
    .filter(({ recipient }) => {
      const count = (taken.get(recipient) ?? 0) + 1
      taken.set(recipient, count)
      return count <= perRecipient
    })
    .slice(0, limit)
}

function resultMembers(row: DeliveryRecord, result: DeliveryResult, now: EpochSeconds): Partial<DeliveryRecord> {
  const attempts = row.attempts + 1
  switch (result.kind) {
    case 'delivered':
      return { attempts, state: 'delivered', keptUntil: result.keptUntil, settledAt: now }
    case 'retry':
      return { attempts, dueAt: result.dueAt, lastFailure: result.failure }
    case 'dead':
      return { attempts, state: 'dead', keptUntil: result.keptUntil, lastFailure: result.failure, settledAt: now }
    case 'postponed':
      return { dueAt: result.dueAt }
    default:
      return result satisfies never
  }
}

/** Removes a delivery and its key. */
export function removeDelivery({ byId, dedupeKeys }: DeliveryTable, deliveryId: string): void {
  const row = byId.get(deliveryId)
  if (row !== undefined) dedupeKeys.delete(row.dedupeKey)
  byId.delete(deliveryId)
}

export function createMemoryCursors({ cursors }: DeliveryTable, scheduler: SchedulerHook): CursorStore {
  return {
    async read(consumer) {
      await scheduler()
      return cursors.get(consumer)
    },

    async compareAndSwap(cursor, version) {
      await scheduler()
      if ((cursors.get(cursor.consumer)?.version ?? 0) !== version) return { outcome: 'conflict' }
      const record = frozenCopy({ ...cursor, version: version + 1 })
      cursors.set(cursor.consumer, record)
      return { outcome: 'swapped', record }
    },
  }
}
