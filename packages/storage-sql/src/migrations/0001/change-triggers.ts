import type { SqlEngine, SqlTrigger } from '../../dialect.ts'

/**
 * Triggers that record changes of users, sessions, grants and groups for webhooks, in the statement that makes them. A change gets
 * its position later, when changes are listed: a counter that every writer locks would make all writers of an issuer wait for
 * each other. Nothing is recorded while the issuer has no webhook.
 */
export const changeTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] =>
  [...userChangeTriggers(types), ...accessChangeTriggers(types), ...groupChangeTriggers(types)].map((trigger) => ({
    ...trigger,
    onlyIf: `SELECT 1 FROM mintmark_webhooks WHERE issuer = ${trigger.after === 'DELETE' ? 'OLD' : 'NEW'}.issuer`,
  }))

const userChangeTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => {
  const record = (change: Change): string => recordChange(change, types)
  const user = { user_id: 'NEW.user_id' }
  return [
    {
      name: 'mintmark_users_recorded_insert',
      table: 'mintmark_users',
      after: 'INSERT',
      when: 'NEW.removed_at IS NULL',
      statements: [record({ type: 'user.created', about: user })],
    },
    {
      name: 'mintmark_users_recorded_update',
      table: 'mintmark_users',
      after: 'UPDATE OF claims, resource, external_id, active, generation, removed_at',
      when: `OLD.removed_at IS NULL AND (OLD.claims <> NEW.claims OR ${resourceChanged} OR OLD.active <> NEW.active OR OLD.generation <> NEW.generation OR NEW.removed_at IS NOT NULL)`,
      statements: [
        record({
          type: 'user.changed',
          about: user,
          names: types.changedNames('OLD.claims', 'NEW.claims'),
          when: `NEW.removed_at IS NULL AND ((OLD.claims <> NEW.claims AND ${types.changedNames('OLD.claims', 'NEW.claims')} <> '[]') OR ${resourceChanged})`,
        }),
        record({
          type: 'user.deactivated',
          about: user,
          when: `NEW.removed_at IS NULL AND OLD.active = ${types.yes} AND NEW.active = ${types.no}`,
        }),
        record({
          type: 'user.reactivated',
          about: user,
          when: `NEW.removed_at IS NULL AND OLD.active = ${types.no} AND NEW.active = ${types.yes}`,
        }),
        record({
          type: 'user.access_revoked',
          about: user,
          when: `NEW.removed_at IS NULL AND OLD.active = ${types.yes} AND NEW.active = ${types.yes} AND OLD.generation <> NEW.generation`,
        }),
        record({ type: 'user.removed', about: user, when: 'NEW.removed_at IS NOT NULL' }),
      ],
    },
  ]
}

/** Sessions that end, and grants. */
const accessChangeTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => {
  const record = (change: Change): string => recordChange(change, types)
  const grant = { user_id: 'NEW.user_id', client_id: 'NEW.client_id', grant_id: 'NEW.grant_id' }
  const session = { user_id: 'NEW.user_id', session_id: 'NEW.session_id' }
  return [
    {
      name: 'mintmark_sessions_recorded',
      table: 'mintmark_sessions',
      after: 'UPDATE OF revoked_at',
      when: 'OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL AND NEW.user_id IS NOT NULL',
      statements: [record({ type: 'session.ended', about: session })],
    },
    {
      name: 'mintmark_grants_recorded_insert',
      table: 'mintmark_grants',
      after: 'INSERT',
      when: 'NEW.revoked_at IS NULL',
      statements: [record({ type: 'grant.created', about: grant })],
    },
    {
      name: 'mintmark_grants_recorded_update',
      table: 'mintmark_grants',
      after: 'UPDATE OF revoked_at',
      when: 'OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL',
      statements: [record({ type: 'grant.revoked', about: grant })],
    },
  ]
}

/** Triggers that record changes of groups and of their members. */
const groupChangeTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => {
  const record = (change: Change): string => recordChange(change, types)
  const group = { group_id: 'NEW.group_id' }
  return [
    {
      name: 'mintmark_groups_recorded_insert',
      table: 'mintmark_groups',
      after: 'INSERT',
      when: 'NEW.group_id IS NOT NULL',
      statements: [record({ type: 'group.created', about: group })],
    },
    {
      name: 'mintmark_groups_recorded_update',
      table: 'mintmark_groups',
      after: 'UPDATE OF display_name, external_id, resource',
      when: groupMembers.map((name) => types.differ(`OLD.${name}`, `NEW.${name}`)).join(' OR '),
      statements: [record({ type: 'group.changed', about: group, names: changedGroupNames(types) })],
    },
    {
      name: 'mintmark_groups_recorded_delete',
      table: 'mintmark_groups',
      after: 'DELETE',
      when: 'OLD.group_id IS NOT NULL',
      statements: [record({ type: 'group.removed', row: 'OLD', about: { group_id: 'OLD.group_id' } })],
    },
    {
      name: 'mintmark_group_members_recorded_insert',
      table: 'mintmark_group_members',
      after: 'INSERT',
      when: `NEW.member_type = 'User'`,
      statements: [record({ type: 'membership.added', about: { ...group, user_id: 'NEW.member_id' } })],
    },
    {
      name: 'mintmark_group_members_recorded_delete',
      table: 'mintmark_group_members',
      after: 'DELETE',
      when: `OLD.member_type = 'User'`,
      statements: [
        record({
          type: 'membership.removed',
          row: 'OLD',
          about: { group_id: 'OLD.group_id', user_id: 'OLD.member_id' },
        }),
      ],
    },
  ]
}

/** The provider changed attributes of the user, which may be in no claim. */
const resourceChanged = `(OLD.provider_id IS NOT NULL AND NEW.provider_id IS NOT NULL AND (OLD.resource <> NEW.resource OR coalesce(OLD.external_id, '') <> coalesce(NEW.external_id, '')))`

interface Change {
  readonly type: string
  /** The columns of the change. */
  readonly about: Readonly<Record<string, string>>
  /** The row of the trigger; `NEW` unless given. */
  readonly row?: 'OLD' | 'NEW'
  readonly names?: string
  readonly when?: string
}

function recordChange(
  { type, about, row = 'NEW', names = `'[]'`, when = 'true' }: Change,
  { randomText, changeNumbers, now }: SqlEngine['types'],
): string {
  const columns = ['issuer', 'change_id', 'sequence', 'type', 'names', 'changed_at', ...Object.keys(about)]
  const values = [`${row}.issuer`, randomText, changeNumbers.next, `'${type}'`, names, now, ...Object.values(about)]
  return `INSERT INTO mintmark_changes (${columns.join(', ')})
    SELECT ${values.join(', ')} WHERE ${when}`
}

const groupMembers = ['display_name', 'external_id', 'resource'] as const

/** A JSON list of those that differ. */
const changedGroupNames = ({ differ }: SqlEngine['types']): string =>
  `'[' || ${[
    ['display_name', 'displayName'],
    ['external_id', 'externalId'],
    ['resource', 'resource'],
  ]
    .map(([column, name], index) => {
      const earlier = groupMembers.slice(0, index).map((each) => differ(`OLD.${each}`, `NEW.${each}`))
      const comma = earlier.length === 0 ? `''` : `CASE WHEN ${earlier.join(' OR ')} THEN ',' ELSE '' END`
      return `CASE WHEN ${differ(`OLD.${column}`, `NEW.${column}`)} THEN ${comma} || '"${name}"' ELSE '' END`
    })
    .join(' || ')} || ']'`
