import type { JsonObject } from '@mintmark/storage-interface'

import { numberOf, recordOf, recordsOf, textOf } from '../values.ts'
import type { Page } from '../visit.ts'
import { auditFilter } from './audit-filter.ts'

/** Sends the entries that the filter selects, newest first, as CSV (RFC 4180). */
export const auditDownload: Page = async ({ request, api }) => {
  const filter = auditFilter(request)
  const rows: string[] = [
    csvRow(['time', 'action', 'target_kind', 'target', 'actor_kind', 'actor', 'stage', 'reason', 'act']),
  ]
  let after: string | undefined
  for (let read = 0; read < maximumPages; read += 1) {
    const found = await api.get('/audit', { ...filter, limit: '200', after })
    rows.push(...recordsOf(found['items']).map(entryRow))
    after = textOf(found['next']) || undefined
    if (after === undefined) break
  }
  // A file that ends early says so: whoever reviews it must not take it for the whole log.
  if (after !== undefined)
    rows.push(csvRow([`The file ends here, after ${maximumPages} pages. Use the administration API to read on.`]))
  return {
    status: 200,
    headers: [
      ['Content-Type', 'text/csv; charset=utf-8'],
      ['Content-Disposition', 'attachment; filename="audit.csv"'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Cache-Control', 'no-store'],
    ],
    body: rows.join(''),
  }
}

/** Each page has up to 200 entries. */
const maximumPages = 100

function entryRow(entry: JsonObject): string {
  const detail = recordOf(entry['detail'])
  const [target, actor] = [recordOf(detail['target']), recordOf(detail['actor'])]
  return csvRow([
    new Date((numberOf(entry['at']) ?? 0) * 1000).toISOString(),
    textOf(entry['type']),
    textOf(target['kind']),
    textOf(target['id']),
    textOf(actor['kind']),
    textOf(actor['id']),
    textOf(detail['stage']),
    textOf(detail['reason']),
    textOf(detail['actId']),
  ])
}

const csvRow = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** A spreadsheet runs a cell that begins with one of these characters as a formula. An apostrophe makes it text. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
