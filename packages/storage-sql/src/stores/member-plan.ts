import { sql, type Expression, type RawBuilder } from 'kysely'
import type { SqlEngine, SqlValue } from '../dialect.ts'
import { isProviders } from '../is-providers.ts'
import type { Parameter } from '../statement.ts'

/** What a plan is bound to: who is to be in the group, and who is to be in it no more or no matter what. */
export type MemberValue = 'issuer' | 'provider_id' | 'group_id' | 'joining' | 'leaving'

/** `delta`: who is listed as leaving goes. `replace`: who is not listed as joining goes. */
export type MemberChangeKind = 'delta' | 'replace'

/** What a change would do to the members of a group, as SQL over `with`. */
export interface MemberPlan {
  readonly with: RawBuilder<unknown>
  /** How many are to join and are no accounts or groups of the provider. */
  readonly unknown: RawBuilder<number>
  /** How many would join or go. */
  readonly changes: RawBuilder<number>
}

/**
 * @param rows `kept`: whoever is to join stays what it is until the transaction ends. PostgreSQL counts an account then as
 * it is once it is kept, also when it was removed a moment before.
 */
export function memberPlan(
  p: Parameter<MemberValue>,
  {
    engine,
    kind,
    rows,
  }: { readonly engine: SqlEngine; readonly kind: MemberChangeKind; readonly rows: 'kept' | 'read' },
): MemberPlan {
  const keep = (table: string) => (rows === 'kept' ? engine.keepRows(table) : sql``)
  const isJoining = (column: Expression<unknown>) => isAmong(p, { engine, column, values: sql`select id from joining` })

  // Each who is listed is looked up, which `not exists` would leave open: a group may have a hundred thousand members.
  return {
    with: sql`with joining as materialized (
      select distinct listed.value as id from (${engine.listed(sql`${p('joining')}`)}) as listed
      where (select 1 from mintmark_group_members where ${inGroup(p)} and member_id = listed.value) is null
    ), accounts as materialized (
      select user_id from mintmark_users where ${isJoining(sql`user_id`)} and ${isProviders(p)} ${keep('mintmark_users')}
    ), other_groups as materialized (
      select group_id from mintmark_groups where ${isJoining(sql`group_id`)} and ${isProviders(p)}
      and group_id <> ${p('group_id')} ${keep('mintmark_groups')}
    )`,
    unknown: sql`(select count(*) from joining) - (select count(*) from accounts) - (select count(*) from other_groups)`,
    changes: sql`(select count(*) from joining)
      + (select count(*) from mintmark_group_members where ${inGroup(p)} and ${isLeaving(p, { engine, kind })})`,
  }
}

/** The row of a group, or the rows of its members. */
export const inGroup = (p: Parameter<'issuer' | 'provider_id' | 'group_id'>): Expression<SqlValue> =>
  sql`issuer = ${p('issuer')} and group_id = ${p('group_id')} and ${isProviders(p)}`

/** Of a member's row: whether the change takes it away. */
export const isLeaving = (
  p: Parameter<MemberValue>,
  { engine, kind }: { readonly engine: SqlEngine; readonly kind: MemberChangeKind },
): RawBuilder<boolean> =>
  kind === 'delta'
    ? engine.among(sql`member_id`, engine.listed(sql`${p('leaving')}`))
    : sql`member_id not in (${engine.listed(sql`${p('joining')}`)})`

/** Of the rows of an account or a group: that it is one of those. */
export const isAmong = (
  p: Parameter<'issuer'>,
  {
    engine,
    column,
    values,
  }: { readonly engine: SqlEngine; readonly column: Expression<unknown>; readonly values: Expression<unknown> },
): RawBuilder<boolean> => engine.keyAmong({ issuerColumn: sql`issuer`, issuer: sql`${p('issuer')}`, column }, values)
