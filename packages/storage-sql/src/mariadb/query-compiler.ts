import {
  tableColumns,
  changes,
  clients,
  codes,
  cursors,
  customResources,
  decoupledRequests,
  deliveries,
  families,
  grants,
  groups,
  identityProviders,
  initialAccessTokens,
  interactions,
  logs,
  memberships,
  opaqueTokens,
  organizations,
  provisionedUsers,
  pushedRequests,
  sessionParticipants,
  sessions,
  signingKeys,
  subjects,
  webhooks,
} from '@mintmark/storage-interface/records'
import { InsertQueryNode, type OnConflictNode, type UpdateQueryNode, MysqlQueryCompiler, TableNode } from 'kysely'
import { tableOf } from '../record-table.ts'
import { replayColumns } from '../tables.ts'

/**
 * Writes the SQL of MariaDB, which has `INSERT … RETURNING` and `DELETE … RETURNING`, but no `UPDATE … RETURNING`: an update that
 * returns rows becomes an insert of the rows that it changes. Their keys are taken, so each is updated in place.
 */
export class MariadbQueryCompiler extends MysqlQueryCompiler {
  protected override visitUpdateQuery(node: UpdateQueryNode): void {
    const { table, updates = [], where, returning } = node
    if (returning === undefined) return super.visitUpdateQuery(node)
    if (table === undefined || !TableNode.is(table)) throw new Error('An update of one table can return rows')

    this.append(insertOfFound(table.table.identifier.name))
    if (where !== undefined) this.visitNode(where)
    this.append(`${endOfFound} `)
    this.compileList(updates)
    this.append(' ')
    this.visitNode(returning)
  }

  /**
   * The statement changes nothing if a row has the key. `INSERT IGNORE` would hide other errors as well. With RETURNING it fails
   * instead, because it would return the row that exists.
   */
  protected override visitOnConflict(node: OnConflictNode): void {
    if (node.doNothing !== true) throw new Error('ON DUPLICATE KEY UPDATE has no condition')
    const { parentNode } = this
    if (parentNode !== undefined && InsertQueryNode.is(parentNode) && parentNode.returning !== undefined) return
    this.append('on duplicate key update issuer = values(issuer)')
  }
}

/**
 * The beginning of a statement that updates rows and returns them; the condition follows. The rows are locked before the condition
 * is evaluated. Their columns get other names, so that those of the table stay unambiguous.
 */
export function insertOfFound(table: string): string {
  const columns = columnsByTable.get(table)
  if (columns === undefined) throw new Error(`${table} is not a table of records`)
  const found = columns.map((column, index) => `${column} as found_${index}`)
  return `insert into ${table} (${columns.join(', ')}) select * from (select ${found.join(', ')} from ${table} `
}

/** Follows the condition; the list of the changes follows. */
export const endOfFound = ' for update) as found on duplicate key update'

/** The columns of the tables of records. */
const columnsByTable: ReadonlyMap<string, readonly string[]> = new Map([
  ['mintmark_replays', replayColumns],
  ...[
    changes,
    clients,
    codes,
    cursors,
    customResources,
    decoupledRequests,
    deliveries,
    families,
    grants,
    groups,
    identityProviders,
    initialAccessTokens,
    interactions,
    logs,
    memberships,
    opaqueTokens,
    organizations,
    provisionedUsers,
    pushedRequests,
    sessionParticipants,
    sessions,
    signingKeys,
    subjects,
    webhooks,
  ].map((definition): readonly [string, readonly string[]] => [tableOf(definition), tableColumns(definition)]),
])
