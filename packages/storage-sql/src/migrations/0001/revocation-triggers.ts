import type { SqlEngine, SqlTrigger } from '../../dialect.ts'

/**
 * Triggers that record a revocation in the statement that revokes, whichever process and version of the server runs it.
 *
 * Every revocation of the issuer locks the row of the position until the transaction ends, so revocations become
 * visible in the order of their positions. These triggers have the last names: see `schema`.
 */
export const revocationTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => [
  ...grantTriggers(types),
  ...userTriggers(types),
  ...clientTriggers(types),
  ...tokenTriggers(types),
  ...sessionTriggers(types),
]

const grantTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => [
  {
    name: 'mintmark_families_told',
    ...whenSet('mintmark_families', 'revoked_at'),
    statements: tell({ kind: 'family', nameOf: 'NEW.family_id', at: 'NEW.revoked_at' }, types),
  },
  {
    name: 'mintmark_families_told_burial',
    table: 'mintmark_families',
    after: 'INSERT',
    when: 'NEW.revoked_at IS NOT NULL',
    statements: tell({ kind: 'family', nameOf: 'NEW.family_id', at: 'NEW.revoked_at' }, types),
  },
  {
    name: 'mintmark_grants_told',
    ...whenSet('mintmark_grants', 'revoked_at'),
    statements: tell({ kind: 'grant', nameOf: 'NEW.grant_id', at: 'NEW.revoked_at' }, types),
  },
]

const userTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => [
  {
    name: 'mintmark_users_told_generation',
    table: 'mintmark_users',
    after: 'UPDATE OF generation',
    when: 'OLD.generation <> NEW.generation AND NEW.removed_at IS NULL',
    statements: tell(
      { kind: 'generation', nameOf: 'OLD.user_id', at: 'NEW.updated_at', generation: 'OLD.generation' },
      types,
    ),
  },
  {
    name: 'mintmark_users_told_removal',
    ...whenSet('mintmark_users', 'removed_at'),
    statements: tell({ kind: 'account', nameOf: 'OLD.user_id', at: 'NEW.removed_at' }, types),
  },
]

const clientTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => [
  {
    name: 'mintmark_clients_told',
    ...whenSet('mintmark_clients', 'disabled_at'),
    statements: tell({ kind: 'client', nameOf: 'NEW.client_id', at: 'NEW.disabled_at' }, types),
  },
  {
    name: 'mintmark_clients_told_in_use',
    table: 'mintmark_clients',
    after: 'UPDATE OF disabled_at',
    when: 'OLD.disabled_at IS NOT NULL AND NEW.disabled_at IS NULL',
    statements: tell({ kind: 'client_in_use', nameOf: 'NEW.client_id', at: 'OLD.disabled_at' }, types),
  },
  {
    name: 'mintmark_clients_told_removal',
    ...whenSet('mintmark_clients', 'removed_at'),
    statements: tell({ kind: 'client', nameOf: 'NEW.client_id', at: 'NEW.removed_at' }, types),
  },
]

const tokenTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => [
  {
    name: 'mintmark_replays_told',
    table: 'mintmark_replays',
    after: 'INSERT',
    when: `NEW.purpose = 'revoked_jti' AND NEW.value IS NOT NULL`,
    statements: tell({ kind: 'token', nameOf: 'NEW.value', at: 'NEW.marked_at' }, types),
  },
  {
    name: 'mintmark_signing_keys_told',
    ...whenSet('mintmark_signing_keys', 'dropped_at'),
    statements: tell({ kind: 'key', nameOf: 'NEW.key_id', at: 'NEW.dropped_at' }, types),
  },
]

const sessionTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => [
  {
    name: 'mintmark_sessions_told',
    ...whenSet('mintmark_sessions', 'revoked_at'),
    statements: tell({ kind: 'session', nameOf: 'NEW.session_id', at: 'NEW.revoked_at' }, types),
  },
  {
    name: 'mintmark_sessions_told_tombstone',
    table: 'mintmark_sessions',
    after: 'INSERT',
    when: 'NEW.user_id IS NULL AND NEW.revoked_at IS NOT NULL',
    statements: tell({ kind: 'session', nameOf: 'NEW.session_id', at: 'NEW.revoked_at' }, types),
  },
]

/** A time is set in a row that had none. */
const whenSet = (table: string, column: string): Pick<SqlTrigger, 'table' | 'after' | 'when'> => ({
  table,
  after: `UPDATE OF ${column}`,
  when: `OLD.${column} IS NULL AND NEW.${column} IS NOT NULL`,
})

interface Told {
  readonly kind: string
  /** Columns of the row. */
  readonly nameOf: string
  readonly at: string
  readonly generation?: string
}

/** The statements of a trigger that record a revocation. */
function tell({ kind, nameOf, at, generation = 'NULL' }: Told, { count }: SqlEngine['types']): readonly string[] {
  return [
    count({
      table: 'mintmark_revocation_positions',
      values: { issuer: 'NEW.issuer', last_position: '1', complete_since: '0' },
      key: ['issuer'],
      counter: 'last_position',
    }),
    `INSERT INTO mintmark_revocations (issuer, position, kind, name, generation, at)
    SELECT issuer, last_position, '${kind}', ${nameOf}, ${generation}, ${at} FROM mintmark_revocation_positions WHERE issuer = NEW.issuer`,
  ]
}
