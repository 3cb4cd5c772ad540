import type { SqlDialect } from '@mintmark/storage-sql'
import { byName } from './by-name.ts'

/** Returns the steps of SQLite's plan for a statement, which does not depend on the values of its parameters. */
export async function planOf(dialect: SqlDialect, statement: string): Promise<readonly string[]> {
  const values = [...statement.matchAll(/\?/g)].map(() => 'x')
  const rows = await dialect.all(`EXPLAIN QUERY PLAN ${statement}`, values)
  return byName(rows).map(({ detail }) => String(detail))
}

/** Whether a step reads a whole table, or all rows of a provider in it. Lists in parameters and subqueries may be scanned. */
export function readsTable(step: string): boolean {
  const [, scanned] = /^SCAN (\S+)/.exec(step) ?? []
  if (scanned !== undefined)
    return !/^(CONSTANT|json_each|json_tree|joining|accounts|other_groups|counted|candidate|found|matching|page|member|pair|node|email|sized|summed|fitting|indexed|item|chosen|gone|kept|added|removed|due|ranked|fresh|numbered|\(subquery-\d+\)|item_\d+)$/.test(
      scanned,
    )
  return /^SEARCH (mintmark_(users|groups|user_values|user_changes|group_members)|membership|other)\b.*\(issuer=\?( AND provider_id=\?)?\)/.test(
    step,
  )
}
