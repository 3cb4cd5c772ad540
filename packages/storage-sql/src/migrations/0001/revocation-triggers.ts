import type { SqlEngine, SqlTrigger } from '../../dialect.ts'

/**
 * Triggers that record a revocation in the statement that revokes, whichever process and version of the server runs it.
 *
 * Every revocation of the issuer locks the row of the position until the transaction ends, so revocations become
 * visible in the order of their positions. These triggers have the last names: see `schema`.
 */
export const revocationTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => [
  {
    name: 'mintmark_families_told',
    table: 'mintmark_families',
    after: 'UPDATE OF revoked_at',
    when: 'OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL',
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
    table: 'mintmark_grants',
    after: 'UPDATE OF revoked_at',
    when: 'OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL',
    statements: tell({ kind: 'grant', nameOf: 'NEW.grant_id', at: 'NEW.revoked_at' }, types),
  },
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
    table: 'mintmark_users',
    after: 'UPDATE OF removed_at',
    when: 'OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL',
    statements: tell({ kind: 'account', nameOf: 'OLD.user_id', at: 'NEW.removed_at' }, types),
  },
  {
    name: 'mintmark_clients_told',
    table: 'mintmark_clients',
    after: 'UPDATE OF disabled_at',
    when: 'OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL',
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
    table: 'mintmark_clients',
    after: 'UPDATE OF removed_at',
    when: 'OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL',
    statements: tell({ kind: 'client', nameOf: 'NEW.client_id', at: 'NEW.removed_at' }, types),
  },
  {
    name: 'mintmark_replays_told',
    table: 'mintmark_replays',
    after: 'INSERT',
    when: `NEW.purpose = 'revoked_jti' AND NEW.value IS NOT NULL`,
    statements: tell({ kind: 'token', nameOf: 'NEW.value', at: 'NEW.marked_at' }, types),
  },
  {
    name: 'mintmark_signing_keys_told',
    table: 'mintmark_signing_keys',
    after: 'UPDATE OF dropped_at',
    when: 'OLD.dropped_at IS NULL AND NEW.dropped_at IS NOT NULL',
    statements: tell({ kind: 'key', nameOf: 'NEW.key_id', at: 'NEW.dropped_at' }, types),
  },
  {
    name: 'mintmark_sessions_told',
    table: 'mintmark_sessions',
    after: 'UPDATE OF revoked_at',
    when: 'OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL',
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
