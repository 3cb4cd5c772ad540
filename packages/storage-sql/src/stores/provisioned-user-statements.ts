// One file: all statements about provisioned users, because they share the rules for keys and blocks.

import { columnsOf, provisionedUsers, type ColumnName } from '@mintmark/storage-interface/records'
import { sql, type Expression } from 'kysely'
import { type Database, compileSql, compileLookup, compileStatement, parameters, type Parameter } from '../database.ts'
import type { SqlEngine, SqlValue } from '../dialect.ts'
import { firstGroupsOfUser } from '../groups-of-a-user.ts'
import { belongsToProvider, isWithoutProvider } from '../row.ts'

type UserKey = 'issuer' | 'provider_id' | 'user_id'

/** The parameters of a change that keeps the resource of a user. */
type AccountValue = UserKey | 'active' | 'claims' | 'was_active' | 'advance' | 'version' | 'now' | 'groups_to_read'

/** The parameters of a change of a user. */
export type ChangeValue = AccountValue | (typeof stateColumns)[number] | 'adopted'

/** The parameters of a removal or release. The version lies between two bounds. */
export type RemovalValue = UserKey | 'active' | 'claims' | 'least_version' | 'greatest_version' | 'now'

export const provisionedUserStatements = (database: Pick<Database, 'query' | 'engine'>) => ({
  ...readStatements(database),
  ...insertStatements(database),
  ...changeStatements(database),
  ...removalStatements(database),
})

const groupsOf = (p: Parameter<'groups_to_read'>, engine: SqlEngine) =>
  engine.jsonPairs(firstGroupsOfUser(p, engine)).as('groups')

function readStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  const find = (p: Parameter<'issuer' | 'groups_to_read'>) =>
    query
      .selectFrom('mintmark_users')
      .select(provisionedColumns)
      .select(groupsOf(p, engine))
      .where('issuer', '=', p('issuer'))

  const findInProvider = (p: Parameter<'issuer' | 'provider_id' | 'groups_to_read'>) =>
    find(p).where('provider_id', '=', p('provider_id'))

  return {
    find: compileLookup((p: Parameter<UserKey | 'groups_to_read'>) =>
      find(p).where('user_id', '=', p('user_id')).where(belongsToProvider(p)),
    ),

    findByExternalId: compileStatement(
      (p: Parameter<'issuer' | 'provider_id' | 'external_id_key' | 'groups_to_read'>) =>
        findInProvider(p).where('external_id_key', '=', p('external_id_key')),
    ),

    /** Finds a user, unless a removed user had the same `externalId`. */
    findNew: compileStatement((p: Parameter<UserKey | 'external_id_key' | 'groups_to_read'>) =>
      find(p)
        .where('user_id', '=', p('user_id'))
        .where(belongsToProvider(p))
        .where(sql<boolean>`not exists (${former(p, 'external_id_key')})`),
    ),

    hasRemoved: compileSql(
      query,
      (p: Parameter<'issuer' | 'provider_id' | 'external_id_key'>) => sql`${former(p, 'external_id_key')} limit 1`,
    ),

    findVersion: compileStatement((p: Parameter<'issuer' | 'user_id'>) =>
      query
        .selectFrom('mintmark_users')
        .select(['version', 'provider_id'])
        .where('issuer', '=', p('issuer'))
        .where('user_id', '=', p('user_id'))
        .where('removed_at', 'is', null),
    ),

    findHolders: compileSql(query, (p: Parameter<UserKey | 'external_id_key' | 'user_name_key'>) => {
      const another = sql`provider_id = ${p('provider_id')} and user_id <> ${p('user_id')}`
      return sql`select
        ${exists(sql`user_id = ${p('user_id')}`, p)} as id,
        ${exists(sql`${another} and external_id_key = ${p('external_id_key')}`, p)} as external_id,
        ${exists(sql`${another} and user_name_key = ${p('user_name_key')}`, p)} as user_name`
    }),
  }
}

/** The parameters of a new user. */
type NewUserValue = UserKey | (typeof stateColumns)[number] | 'adopted' | 'created_at'

const insertStatements = ({ query, engine }: Pick<Database, 'query' | 'engine'>) => ({
  /** Inserts a user, unless a former user had one of the keys. Most users are of this kind. */
  insertUnlessFormer: compileSql(query, (p: Parameter<NewUserValue>) => {
    const values = { ...newUser(p), active: p('active'), blocked_at: null, active_after_block: null }
    const columns = sql.join(Object.keys(values).map((column) => sql.ref(column)))
    return engine.insertIfAbsent(
      sql`insert into ${sql.table('mintmark_users')} (${columns}) select ${sql.join(Object.values(values))}
      where not exists (${former(p, 'external_id_key')}) and not exists (${former(p, 'user_name_key')})`,
      sql.join(lifecycleColumns.map((column) => sql.ref(column))),
    )
  }),

  insert: compileStatement((p: Parameter<NewUserValue>) =>
    query
      .insertInto('mintmark_users')
      .values({
        ...newUser(p),
        active: sql`case when ${formerBlock(p)} is null then ${p('active')} else false end`,
        blocked_at: formerBlock(p),
        active_after_block: sql`case when ${formerBlock(p)} is null then null else ${p('active')} = true end`,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning(lifecycleColumns),
  ),
})

const newUser = (p: Parameter<NewUserValue>) => ({
  ...parameters(p, [
    'issuer',
    'user_id',
    'provider_id',
    'adopted',
    'created_at',
    ...keyColumns,
    'claims',
    ...contentColumns,
  ]),
  generation: 0,
  updated_at: p('created_at'),
  version: 1,
  removed_at: null,
})

function changeStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  const isSame = <Key extends (typeof keyColumns)[number]>(name: Key, p: Parameter<Key>) =>
    engine.isSame(sql.ref(name), sql`${p(name)}`)

  /**
   * Changes an existing user except for its keys. The same statement advances the generation if `active`
   * changes to false.
   * @param blockedAt when the host blocked the user, as it is after this change.
   */
  const change = (p: Parameter<ChangeValue>, blockedAt?: Expression<SqlValue>) =>
    changeAccount(p, blockedAt).set(parameters(p, contentColumns))

  const changeAccount = (p: Parameter<AccountValue>, blockedAt: Expression<SqlValue> = sql.ref('blocked_at')) =>
    query
      .updateTable('mintmark_users')
      .set((set) => ({
        claims: p('claims'),
        // Only the host lifts a block: a blocked user stays inactive.
        active: sql`case when ${blockedAt} is null then ${p('active')} else false end`,
        active_after_block: sql`case when ${blockedAt} is null then active_after_block else ${p('active')} = true end`,
        generation: sql`generation + case when active = ${p('was_active')} then case when ${blockedAt} is null then ${p('advance')} else 1 end else 0 end`,
        updated_at: p('now'),
        version: set('version', '+', 1),
      }))
      .where('issuer', '=', p('issuer'))
      .where('user_id', '=', p('user_id'))
      .where('removed_at', 'is', null)
      .where('version', '=', p('version'))
      .returning(assignedColumns)
      .returning(groupsOf(p, engine))

  return {
    /** Changes a user without changing the resource. */
    compareAndSwapAccount: compileStatement((p: Parameter<AccountValue>) =>
      changeAccount(p).where(belongsToProvider(p)),
    ),

    /** Changes a user without changing keys, because SQLite rewrites every index that contains a column of the SET list. */
    compareAndSwapContent: compileStatement((p: Parameter<ChangeValue>) =>
      change(p).where(belongsToProvider(p)).where(isSame('external_id_key', p)).where(isSame('user_name_key', p)),
    ),

    compareAndSwap: compileStatement((p: Parameter<ChangeValue>) => {
      // Otherwise a directory could lift the block of a removed user by renaming another user.
      const blockedAt = sql<SqlValue>`coalesce(blocked_at,
        case when not (${isSame('external_id_key', p)}) then ${formerBlockOf('external_id_key', p)} end,
        case when not (${isSame('user_name_key', p)}) then ${formerBlockOf('user_name_key', p)} end)`
      return change(p, blockedAt)
        .set(parameters(p, keyColumns))
        .set({ blocked_at: blockedAt })
        .where(belongsToProvider(p))
    }),

    adopt: compileStatement((p: Parameter<ChangeValue>) =>
      change(p)
        .set(parameters(p, keyColumns))
        .set({ provider_id: p('provider_id'), adopted: p('adopted') })
        .where(isWithoutProvider),
    ),

    /**
     * Keeps the former keys of a user in a separate row before the user gets others, because a user's row has room only for the
     * keys that the user left last. The row has the form of a removed user; its `external_id` is the identifier of the user.
     */
    keepFormerKeys: compileSql(query, (p: Parameter<ChangeValue | 'kept_id'>) => {
      const isOther = (name: (typeof keyColumns)[number]): Expression<boolean> =>
        sql`${sql.ref(`former_${name}`)} is not null and not (${engine.isSame(sql.ref(`former_${name}`), sql`${p(name)}`)})`
      return sql`insert into mintmark_users (issuer, user_id, external_id, active, claims, generation, created_at, updated_at, version,
          removed_at, former_since, former_provider_id, former_external_id_key, former_user_name_key)
        select issuer, ${p('kept_id')}, user_id, ${sql.lit(engine.encodeFlag(false))}, '{}', 0, ${p('now')}, ${p('now')}, 1,
          ${p('now')}, former_since, former_provider_id, former_external_id_key, former_user_name_key
        from mintmark_users where issuer = ${p('issuer')} and user_id = ${p('user_id')} and version = ${p('version')}
          and removed_at is null and ${isWithoutProvider} and former_provider_id is not null
          and (former_provider_id <> ${p('provider_id')} or ${isOther('external_id_key')} or ${isOther('user_name_key')})`
    }),
  }
}

function removalStatements({ query }: Pick<Database, 'query'>) {
  const removeFromProvider = (p: Parameter<RemovalValue>) =>
    query
      .updateTable('mintmark_users')
      .set(withoutProvider)
      .set(formerKeys(p))
      .set((set) => ({
        active: p('active'),
        active_after_block: sql`case when blocked_at is null then active_after_block else false end`,
        generation: set('generation', '+', 1),
        updated_at: p('now'),
        version: set('version', '+', 1),
      }))
      .where('issuer', '=', p('issuer'))
      .where('user_id', '=', p('user_id'))
      .where(belongsToProvider(p))
      .where('version', '>=', p('least_version'))
      .where('version', '<=', p('greatest_version'))
      .returning('version')

  return {
    release: compileStatement((p: Parameter<RemovalValue>) => removeFromProvider(p)),

    remove: compileStatement((p: Parameter<RemovalValue>) =>
      removeFromProvider(p).set({ claims: p('claims'), removed_at: p('now') }),
    ),
  }
}

/**
 * When the host blocked the last user who left the provider with the `externalId`, or the `userName`, of a new user; NULL if
 * it did not. A released user still exists, so the host may have lifted the block since.
 */
function formerBlock(p: Parameter<FormerKey>): Expression<SqlValue> {
  return sql`coalesce(${formerBlockOf('external_id_key', p)}, ${formerBlockOf('user_name_key', p)})`
}

const formerBlockOf = (name: (typeof keyColumns)[number], p: Parameter<FormerKey>): Expression<SqlValue> =>
  lastBlock(name, { issuer: p('issuer'), provider_id: p('provider_id'), key: p(name) })

/** If several users with the key were removed in the same second, a blocked one is chosen: their order is not known. */
const lastBlock = (
  name: (typeof keyColumns)[number],
  of: Readonly<Record<'issuer' | 'provider_id' | 'key', SqlValue | Expression<unknown>>>,
): Expression<SqlValue> =>
  sql`(select ${blockOfFormer} from mintmark_users as former
    where former.issuer = ${of.issuer} and former.former_provider_id = ${of.provider_id}
    and ${sql.ref(`former.former_${name}`)} = ${of.key}
    order by former.former_since desc, ${blockOfFormer} is null limit 1)`

/** The block of a former user. A row of `keepFormerKeys` has the block of its user, which the host may set or lift later. */
const blockOfFormer: Expression<SqlValue> = sql`case when former.removed_at is null or former.external_id is null then former.blocked_at
  else (select owner.blocked_at from mintmark_users as owner where owner.issuer = former.issuer and owner.user_id = former.external_id) end`

const former = <Name extends (typeof keyColumns)[number]>(
  p: Parameter<'issuer' | 'provider_id' | Name>,
  name: Name,
): Expression<SqlValue> =>
  sql`select 1 from mintmark_users as former where former.issuer = ${p('issuer')}
    and former.former_provider_id = ${p('provider_id')} and ${sql.ref(`former.former_${name}`)} = ${p(name)}`

type FormerKey = 'issuer' | 'provider_id' | 'external_id_key' | 'user_name_key'

const exists = (condition: Expression<unknown>, p: Parameter<'issuer'>): Expression<SqlValue> =>
  sql`exists (select 1 from mintmark_users where issuer = ${p('issuer')} and ${condition})`

/** The columns of a record, besides `groups`, a JSON list of pairs of identifier and name. */
const provisionedColumns = columnsOf(provisionedUsers.fields).map(
  // A column of the record is a column of its table.
  ({ name }) => name as ColumnName<typeof provisionedUsers>,
)

/** The columns of `stateRow` that are unique within a provider. */
const keyColumns = ['external_id_key', 'user_name_key'] as const

/** The other columns of `stateRow`, except `active` and `claims`. No index contains them, and a change of the resource replaces them. */
const contentColumns = ['external_id', 'resource', 'render_key', 'comparable'] as const

/** The columns of `stateRow`: everything that a change may set. */
const stateColumns = ['active', 'claims', ...contentColumns, ...keyColumns] as const

/** The columns of a user without a provider. */
export const withoutProvider = {
  provider_id: null,
  external_id: null,
  external_id_key: null,
  user_name_key: null,
  adopted: null,
  resource: null,
  render_key: null,
  comparable: null,
} as const

/**
 * Keeps the keys of a user who leaves the provider, or the former keys of a user who left earlier. An adopted user may have the
 * key of a blocked user without being blocked: that key is not kept, so that the block stays.
 */
export const formerKeys = (p: Parameter<'issuer' | 'now'>) => ({
  former_since: sql<SqlValue>`case when provider_id is null then former_since else ${p('now')} end`,
  former_provider_id: sql<SqlValue>`coalesce(provider_id, former_provider_id)`,
  former_external_id_key: formerKeyOf('external_id_key', p),
  former_user_name_key: formerKeyOf('user_name_key', p),
})

function formerKeyOf(name: (typeof keyColumns)[number], p: Parameter<'issuer'>): Expression<SqlValue> {
  const key = sql.ref(`mintmark_users.${name}`)
  const block = lastBlock(name, { issuer: p('issuer'), provider_id: sql.ref('mintmark_users.provider_id'), key })
  return sql`case
    when provider_id is null then ${sql.ref(`former_${name}`)}
    when adopted and blocked_at is null and ${block} is not null then null
    else ${key} end`
}

// The caller already has the resource, a kilobyte: RETURNING has only the columns that the store decides.

/** The columns of a changed user that the change does not contain, besides `groups`. */
const lifecycleColumns = ['active', 'blocked_at', 'active_after_block'] as const
const assignedColumns = ['generation', 'created_at', 'adopted', ...lifecycleColumns] as const
