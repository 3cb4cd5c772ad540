import type { JsonObject } from '@mintmark/storage-interface'
import type { GroupState } from '@mintmark/storage-interface/stores'
import { columnsOf, groups, type ColumnName } from '@mintmark/storage-interface/records'
import { sql } from 'kysely'
import { type Database, compileSql, compileStatement, parameters, type Parameter } from '../database.ts'
import type { SqlEngine, SqlValue } from '../dialect.ts'
import { indexKeyOrNull, belongsToProvider } from '../row.ts'
import { hasDepartures } from './departures.ts'
import { isSettled } from './group-changes.ts'
import {
  addMembers,
  inGroup,
  isAmong,
  memberPlan,
  removeMembers,
  membersInSlice,
  type MemberChangeKind,
  type MemberValue,
  ofIssuer,
} from './group-members.ts'

/** The parameters that identify a group. */
type GroupKey = 'issuer' | 'provider_id' | 'group_id'
/** The parameters that limit a change to a range of versions of the group. */
type VersionBounds = 'least_version' | 'greatest_version'

/** The parameters of a change of a group. */
type GroupChangeValue = MemberValue | VersionBounds | (typeof groupStateColumns)[number] | 'has_state' | 'now'

export function groupStatements(database: Pick<Database, 'query' | 'engine'>) {
  const { query, engine } = database
  const find = (p: Parameter<'issuer'>) =>
    query.selectFrom('mintmark_groups').select(groupRecordColumns).where('issuer', '=', p('issuer'))

  const change = (p: Parameter<GroupKey | VersionBounds | 'now'>) =>
    query
      .updateTable('mintmark_groups')
      .set((set) => ({ updated_at: p('now'), version: set('version', '+', 1) }))
      .where(isAtVersion(p))
      .returning(groupRecordColumns)

  return {
    insert: compileStatement((p: Parameter<GroupKey | (typeof groupStateColumns)[number] | 'created_at'>) =>
      query
        .insertInto('mintmark_groups')
        .values({
          ...parameters(p, ['issuer', 'group_id', 'provider_id', 'created_at', ...groupStateColumns]),
          updated_at: p('created_at'),
          version: 1,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning(groupRecordColumns),
    ),

    find: compileStatement((p: Parameter<GroupKey>) =>
      find(p).where('group_id', '=', p('group_id')).where(belongsToProvider(p)),
    ),

    findWithDepartures: compileStatement((p: Parameter<GroupKey>) =>
      find(p)
        .select(hasDepartures(p).as('has_departures'))
        .where('group_id', '=', p('group_id'))
        .where(belongsToProvider(p)),
    ),

    findByExternalId: compileStatement((p: Parameter<'issuer' | 'provider_id' | 'external_id_key'>) =>
      find(p).where('provider_id', '=', p('provider_id')).where('external_id_key', '=', p('external_id_key')),
    ),

    /** Reads everything that explains why a group was not inserted. */
    inspectInsertion: compileSql(query, (p: Parameter<MemberValue | 'external_id_key'>) => {
      const plan = memberPlan(p, { engine, kind: 'delta', rows: 'read' })
      return sql`${plan.with} select ${plan.unknownMember} as unknown_member, ${externalIdTaken(p)} as external_id_taken,
        exists (select 1 from mintmark_groups where issuer = ${p('issuer')} and group_id = ${p('group_id')}) as id_taken`
    }),

    /** Locks the group. The next change of the group waits until this change is committed, and then sees it. */
    lock: compileSql(
      query,
      (p: Parameter<GroupKey | VersionBounds>) =>
        sql`select group_id from mintmark_groups where ${isAtVersion(p)} and ${isSettled(p)} ${sql.raw(engine.types.lockRows)}`,
    ),

    delta: memberStatements(database, 'delta'),
    replace: memberStatements(database, 'replace'),

    addMembers: addMembers({ query, engine }),

    /** Counts the members of a group, up to one more than one transaction may write. */
    countUpToSlice: compileSql(
      query,
      (p: Parameter<GroupKey>) => sql`select count(*) as members from (
      select 1 from mintmark_group_members where ${inGroup(p)} limit ${sql.lit(membersInSlice + 1)}) as counted`,
    ),

    /** Changes only the version and the time. */
    touch: compileStatement((p: Parameter<GroupKey | VersionBounds | 'now'>) => change(p)),

    write: compileStatement((p: Parameter<GroupChangeValue>) => change(p).set(parameters(p, groupStateColumns))),

    ...removalStatements(database),
  }
}

/** The statements of a change of members. */
const memberStatements = ({ query, engine }: Pick<Database, 'query' | 'engine'>, kind: MemberChangeKind) => ({
  /**
   * Returns a row if all new members are users or groups of the provider, and the change changes something. Locks the new
   * members, so that no other transaction removes them before this one ends.
   */
  plan: compileSql(query, (p: Parameter<MemberValue | 'has_state'>) => {
    const plan = memberPlan(p, { engine, kind, rows: 'locked' })
    return sql`${plan.with} select 1 as planned where ${plan.unknown} = 0 and (${p('has_state')} = 1 or ${plan.changes} > 0)`
  }),

  /** Reads the group and everything that explains why a change wrote nothing, in one statement. */
  inspect: compileSql(query, (p: Parameter<MemberValue | 'external_id_key'>) => {
    const plan = memberPlan(p, { engine, kind, rows: 'read' })
    const record = sql.join(groupRecordColumns.map((column) => sql.ref(column)))
    return sql`${plan.with} select ${record}, ${externalIdTaken(p)} as external_id_taken, ${plan.unknownMember} as unknown_member,
        ${plan.changes} as changes
        from mintmark_groups where ${inGroup(p)}`
  }),

  removeMembers: compileSql(query, (p: Parameter<MemberValue>) => removeMembers(p, { engine, kind })),
})

function removalStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  const isParent = (p: Parameter<GroupKey>) => isAmong(p, { engine, column: sql`group_id`, values: parentsOf(p) })

  return {
    remove: compileStatement((p: Parameter<GroupKey | VersionBounds>) =>
      query.deleteFrom('mintmark_groups').where(isAtVersion(p)).returning('group_id'),
    ),

    /**
     * Locks a group and the groups that contain it, which change when it is removed, in a fixed order to avoid deadlocks. A
     * transaction that adds the group as a member either comes first and is seen here, or finds the group removed.
     */
    lockForRemoval: compileSql(
      query,
      (p: Parameter<GroupKey>) =>
        sql`select group_id from mintmark_groups where (${inGroup(p)}) or (${isParent(p)} and ${belongsToProvider(p)})
        order by group_id ${sql.raw(engine.types.lockForRemoval)}`,
    ),

    /** Locks a group whose memberships are removed later. */
    lockAlone: compileSql(
      query,
      (p: Parameter<GroupKey>) =>
        sql`select group_id from mintmark_groups where ${inGroup(p)} ${sql.raw(engine.types.lockForRemoval)}`,
    ),

    touchParents: compileSql(query, (p: Parameter<GroupKey | 'now'>) =>
      engine.changeAmong({
        table: 'mintmark_groups',
        set: sql`version = version + 1, updated_at = ${p('now')}`,
        key: ofIssuer(p, sql`group_id`),
        values: parentsOf(p),
      }),
    ),

    /** Removes a group from the groups that contain it. */
    removeFromParents: compileSql(
      query,
      (p: Parameter<GroupKey>) =>
        // The redundant condition on groups makes SQLite find the rows by their key.
        sql`delete from mintmark_group_members where issuer = ${p('issuer')} and member_id = ${p('group_id')}
        and group_id in (${parentsOf(p)})`,
    ),
  }
}

const parentsOf = (p: Parameter<GroupKey>) =>
  sql`select group_id from mintmark_group_members where issuer = ${p('issuer')} and member_id = ${p('group_id')}`

const isAtVersion = (p: Parameter<GroupKey | VersionBounds>) =>
  sql<boolean>`${inGroup(p)} and version >= ${p('least_version')} and version <= ${p('greatest_version')}`

const externalIdTaken = (p: Parameter<GroupKey | 'external_id_key'>) =>
  sql`exists (select 1 from mintmark_groups as other where other.issuer = ${p('issuer')}
    and other.provider_id = ${p('provider_id')} and other.external_id_key = ${p('external_id_key')}
    and other.group_id <> ${p('group_id')})`

const groupRecordColumns = columnsOf(groups.fields).map(
  // A column of the record is a column of its table.
  ({ name }) => name as ColumnName<typeof groups>,
)

/** The columns of `groupStateRow`. */
const groupStateColumns = [
  'external_id',
  'external_id_key',
  'display_name',
  'display_name_key',
  'resource',
  'comparable',
] as const

/** Returns the state that a provider gives a group, as columns. */
export const groupStateRow = (
  { externalId, displayName, resource, comparable }: GroupState,
  engine: SqlEngine,
): Record<(typeof groupStateColumns)[number], SqlValue> => ({
  external_id: externalId ?? null,
  external_id_key: indexKeyOrNull(externalId),
  display_name: displayName,
  display_name_key: displayNameKey(comparable),
  resource: JSON.stringify(resource),
  comparable: engine.encodeSearchable(comparable),
})

const displayNameKey = ({ displayName }: JsonObject): string | null =>
  indexKeyOrNull(typeof displayName === 'string' ? displayName : undefined)
