import type { SqlDialect } from '@mintmark/storage-sql'
import { byName } from './by-name.ts'

/** The steps of the plan that SQLite makes for a statement, whatever it is bound to. */
export async function planOf(dialect: SqlDialect, statement: string): Promise<readonly string[]> {
  const places = [...statement.matchAll(/\?/g)].map(() => 'x')
  const rows = await dialect.all(`EXPLAIN QUERY PLAN ${statement}`, places)
  return byName(rows).map(({ detail }) => String(detail))
}

/** All of a table, or all that a provider has in it; lists that were given, and queries of the statement itself, are walked. */
export function readsTable(step: string): boolean {
  const [, walked] = /^SCAN (\S+)/.exec(step) ?? []
  if (walked !== undefined)
    return !/^(CONSTANT|json_each|json_tree|joining|accounts|other_groups|counted|candidate|found|matching|page|member|pair|node|email|sized|summed|fitting|indexed|item|chosen|gone|kept|added|removed|due|ranked|fresh|numbered|\(subquery-\d+\)|item_\d+)$/.test(
      walked,
    )
  return /^SEARCH (mintmark_(users|groups|user_values|user_changes|group_members)|membership|other)\b.*\(issuer=\?( AND provider_id=\?)?\)/.test(
    step,
  )
}
