import {
  epochSeconds,
  type EpochSeconds,
  type JsonObject,
  type LogEntryRecord,
  type Storage,
} from '@mintmark/storage-interface'

import { AdminError } from '../error/admin-error.ts'
import { pageLimit, type Page, type PageRequest } from '../page/page.ts'

/** An entry of a log. */
export interface LogEntryView {
  readonly entryId: string
  readonly at: EpochSeconds
  /** What happened, such as `client.disabled`. */
  readonly type: string
  readonly detail: JsonObject
}

/**
 * A page of a log, the newest first.
 * @throws AdminError `page_invalid`.
 */
export async function listLog(
  log: string,
  page: PageRequest,
  { storage }: { readonly storage: Storage },
): Promise<Page<LogEntryView>> {
  const limit = pageLimit(page)
  const found = await storage.logs.list({
    log,
    before: page.after === undefined ? undefined : positionOf(page.after),
    limit: limit + 1,
  })
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(entryView),
    next: last === undefined || found.length <= limit ? undefined : `${last.at}.${last.entryId}`,
  }
}

function positionOf(text: string): { readonly at: EpochSeconds; readonly entryId: string } {
  const match = /^(\d{1,12})\.(.+)$/.exec(text)
  // RFC 9110 §15.5.1.
  if (match?.[1] === undefined || match[2] === undefined) throw new AdminError('page_invalid')
  return { at: epochSeconds(Number(match[1])), entryId: match[2] }
}

const entryView = ({ entryId, at, type, detail }: LogEntryRecord): LogEntryView => ({ entryId, at, type, detail })
