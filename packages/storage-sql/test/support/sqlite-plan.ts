import type { SqlDialect } from '@mintmark/storage-sql'
import { byName } from './by-name.ts'

/** Columns in which many rows have the same value. */
export const alikeColumns = [
  'issuer',
  'provider_id',
  'resource_type',
  'attribute',
  'purpose',
  'log',
  'kind',
  'channel',
  'state',
  'recipient',
  'type',
  'sector',
]

/** Returns the steps of SQLite's plan for a statement, which does not depend on the values of its parameters. */
export async function planOf(dialect: SqlDialect, statement: string): Promise<readonly string[]> {
  const values = [...statement.matchAll(/\?/g)].map(() => 'x')
  const rows = await dialect.all(`EXPLAIN QUERY PLAN ${statement}`, values)
  return byName(rows).map(({ detail }) => String(detail))
}

/**
 * Whether a step reads a whole table, or all of its rows that an issuer or another column with few values has. Lists in
 * parameters and subqueries may be scanned.
 */
export function readsTable(step: string): boolean {
  const [, scanned] = /^SCAN (\S+)/.exec(step) ?? []
  if (scanned !== undefined)
    return !/^(CONSTANT|json_each|json_tree|joining|accounts|other_groups|counted|candidate|found|matching|page|member|pair|node|email|sized|summed|fitting|indexed|item|chosen|gone|kept|added|always|declared|removed|due|ranked|fresh|numbered|lanes|free|due_lanes|firsts|\(subquery-\d+\)|item_\d+)$/.test(
      scanned,
    )
  const [, searched = '', columns] = /^SEARCH (\S+) USING .*?\(([^()]*)\)/.exec(step) ?? []
  if (columns === undefined || hasFewRows.test(searched) || readsFirstRows.test(step)) return false
  return columns.split(' AND ').every((column) => alikeColumns.some((name) => column === `${name}=?`))
}

/** Indexes that statements read in order, up to a LIMIT. */
const readsFirstRows = /INDEX mintmark_(changes_without_position|deliveries_due|deliveries_by_state) /

/** Tables of which an issuer, or a provider, has one row or a few, and their aliases. */
export const hasFewRows =
  /^(mintmark_(user_totals|provider_totals|revocation_positions|change_positions|cursors|identity_providers|indexed_attributes|signing_keys|webhooks)|place|positions|provider)$/
