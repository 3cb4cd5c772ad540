import { type Clock, isJsonObject, type Random, randomIdentifier, wholeNumber } from '@mintmark/internal'
import {
  type AdminStorage,
  after,
  type DurationSeconds,
  epochSeconds,
  type EpochSeconds,
  type JsonObject,
  type JsonValue,
} from '@mintmark/storage-interface'
import type { LogEntryRecord } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/refusals.ts'
import { pageLimit, type Page, type PageRequest } from '../page.ts'

/** Stores actions of administrators and requests of identity providers. */
export interface AuditLog {
  /** @throws StorageUnavailableError, or any other error of the store; then nothing was written. */
  append(entry: { readonly log: string; readonly type: string; readonly detail: JsonObject }): Promise<void>
}

/** How long entries may be kept: at most a hundred years, so that every store can read the time of their expiry. */
export const aRetention = wholeNumber(1, 3_153_600_000)

/** The name of the log of administrative actions. */
export const adminLog = 'admin'

/**
 * Creates a log in storage. Entries that one process wrote are listed in the order in which it wrote them. Entries that
 * several processes wrote within the same second are listed in no particular order.
 */
export function createAuditLog(deps: {
  readonly storage: Pick<AdminStorage, 'logs'>
  readonly clock: Clock
  readonly random: Random
  readonly retention: DurationSeconds
}): AuditLog {
  let count = 0

  return {
    async append({ log, type, detail }) {
      const at = deps.clock()
      count += 1
      const entryId = `${String(count).padStart(12, '0')}-${randomIdentifier(deps.random)}`
      await deps.storage.logs.append({ entryId, log, at, expiresAt: after(at, deps.retention), type, detail })
    },
  }
}

/** Converts a value to JSON for a log entry. Leaves out members that are undefined. */
export const plainJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

/** An entry of a log. */
export interface LogEntryView {
  readonly entryId: string
  readonly at: EpochSeconds
  /** The action or the kind of request, such as `client.disabled`. */
  readonly type: string
  readonly detail: JsonObject
}

/**
 * Lists a page of a log, newest entry first.
 * @throws AdminError `page_invalid`.
 */
export async function listLog(
  log: string,
  page: PageRequest,
  { storage }: { readonly storage: AdminStorage },
): Promise<Page<LogEntryView>> {
  const limit = pageLimit(page)
  const found = await storage.logs.list({
    log,
    before: page.after === undefined ? undefined : parsePosition(page.after),
    limit: limit + 1,
  })
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(entryView),
    next: last === undefined || found.length <= limit ? undefined : positionOf(last),
  }
}

/** Selects entries of the log of administrators. Members that are left out select all. */
export interface AuditFilter {
  /** The identifier of the actor. */
  readonly actor?: string | undefined
  /** The identifier of the record that the action is about. */
  readonly target?: string | undefined
  /** The action, such as `client.disabled`. */
  readonly type?: string | undefined
}

/**
 * Lists the entries that a filter selects, newest first. One call looks at a few thousand entries, because storage does
 * not index them. So a page may have fewer entries than `limit`, or none, although it has a `next`.
 * @throws AdminError `page_invalid`.
 */
export async function searchLog(
  { log, filter, page }: { readonly log: string; readonly filter: AuditFilter; readonly page: PageRequest },
  deps: { readonly storage: AdminStorage },
): Promise<Page<LogEntryView>> {
  const limit = pageLimit(page)
  if (Object.values(filter).every((value) => value === undefined)) return listLog(log, page, deps)
  const items: LogEntryView[] = []
  let { after } = page
  for (let round = 0; round < searchRounds; round += 1) {
    const { items: read, next } = await listLog(log, { after, limit: 200 }, deps)
    for (const entry of read) {
      if (!isSelected(entry, filter)) continue
      items.push(entry)
      if (items.length === limit) return { items, next: positionOf(entry) }
    }
    if (next === undefined) return { items, next }
    after = next
  }
  return { items, next: after }
}

/** Each round reads 200 entries. */
const searchRounds = 10

const isSelected = ({ type, detail }: LogEntryView, filter: AuditFilter): boolean =>
  (filter.type === undefined || type === filter.type) &&
  (filter.actor === undefined || identifierIn(detail['actor']) === filter.actor) &&
  (filter.target === undefined || identifierIn(detail['target']) === filter.target)

const identifierIn = (value: JsonValue | undefined): JsonValue | undefined =>
  isJsonObject(value) ? value['id'] : undefined

const positionOf = ({ at, entryId }: Pick<LogEntryView, 'at' | 'entryId'>): string => `${at}.${entryId}`

function parsePosition(text: string): { readonly at: EpochSeconds; readonly entryId: string } {
  const match = /^(\d{1,12})\.(.+)$/.exec(text)
  if (match?.[1] === undefined || match[2] === undefined) throw refuse('page_invalid')
  return { at: epochSeconds(Number(match[1])), entryId: match[2] }
}

const entryView = ({ entryId, at, type, detail }: LogEntryRecord): LogEntryView => ({ entryId, at, type, detail })
