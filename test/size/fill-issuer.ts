import { runCodeFlow } from '../../benchmarks/src/driver/code-flow.ts'
import { scimRequest } from '../../benchmarks/src/driver/request-text.ts'
import { scimUser } from '../../benchmarks/src/scim-user.ts'
import { indexedAgain } from '../../benchmarks/src/targets/mintmark/fill-users.ts'
import { clientIds, directoryNumber, familiesOfUser } from './issuer-size.ts'
import { digestOf, identifierOf, multiply, withoutIndexes } from './multiply.ts'
import { consent, issuer, now, type SizedIssuer } from './sized-issuer.ts'

/**
 * Fills the tables with copies of rows that the servers have written. Times lie in the past and future as in an issuer that has
 * been in use for a long time, and whose expired rows of a day wait for a purge.
 */
export async function fillIssuer(site: SizedIssuer, progress: (done: string) => void): Promise<void> {
  await writeTemplates(site)
  const tables = { users, groups, grants, families, sessions, expiring, revocations, messages, log }
  await Promise.all(
    Object.entries(tables).map(async ([name, fill]) => {
      const startedAt = performance.now()
      await fill(site)
      progress(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
    }),
  )
  await site.pool.query('VACUUM ANALYZE')
}

/** Writes one row of each kind through the servers. Its number is a number sign. */
async function writeTemplates({ scim, oauth, storage, server, admin, signIn }: SizedIssuer): Promise<void> {
  const directory = scim.siteOf(0)
  const created = await scim.lane.exchange(scimRequest('POST', '/Users', { site: directory, body: scimUser('#') }))
  const user = (JSON.parse(created.body) as { readonly id: string }).id
  const group = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Group #',
    members: [{ value: user }],
  }
  await scim.lane.exchange(scimRequest('POST', '/Groups', { site: directory, body: group }))
  for (const client of clientIds) await consent(storage, user, client)
  const ended = await signIn(user)
  await runCodeFlow({ ...oauth.site, cookies: [ended] }, oauth.lane)
  await storage.revocations.revokeToken({ tokenId: 'template', expiresAt: now(), now: now() })
  await server.endSessions(user)
  await server.deliverOnce()
  const cookie = await signIn(user)
  await runCodeFlow({ ...oauth.site, cookies: [cookie] }, oauth.lane)
  // From now on, every change of a user is recorded.
  await admin.webhooks.create({ url: 'https://hooks.test/' })
  await admin.users.update({ userId: user }, { claims: { nickname: 'Ann' } })
  await storage.changes.list({ after: 0, limit: 10 })
}

async function users({ pool, dialect, size }: SizedIssuer): Promise<void> {
  const numbered = (column: string) => `replace(template.${column}, '#', n::text)`
  const age = `template.created_at - ${size.users} + n`
  await multiply(pool, {
    table: 'mintmark_users',
    where: 'provider_id IS NOT NULL',
    rows: size.users,
    change: {
      user_id: identifierOf('user', 'n'),
      provider_id: `'directory-' || ${directoryNumber(size)}`,
      created_at: age,
      updated_at: age,
      ...Object.fromEntries(
        ['claims', 'external_id', 'external_id_key', 'user_name_key', 'resource'].map((column) => [
          column,
          numbered(column),
        ]),
      ),
      comparable: `replace(template.comparable::text, '#', n::text)::jsonb`,
    },
  })
  const [, , insertValues = '', insertChanges = ''] = indexedAgain(dialect.engine.types)
  await withoutIndexes(pool, 'mintmark_user_values', ['TRUNCATE mintmark_user_values', insertValues])
  await withoutIndexes(pool, 'mintmark_user_changes', ['TRUNCATE mintmark_user_changes', insertChanges])
  await pool.query('UPDATE mintmark_user_totals SET total = (SELECT count(*) FROM mintmark_users)')
  await recount(pool, 'User', 'mintmark_users')
}

/** The first directory has one group of all its users, and each other directory nine groups. */
async function groups({ pool, size }: SizedIssuer): Promise<void> {
  await multiply(pool, {
    table: 'mintmark_groups',
    where: 'true',
    rows: 10 * size.directories,
    change: {
      group_id: identifierOf('group', 'n - 1'),
      provider_id: `'directory-' || (n - 1) % ${size.directories}`,
      display_name: `'Group ' || n`,
      display_name_key: `'group ' || n`,
      resource: `replace(template.resource, '#', n::text)`,
      comparable: `replace(template.comparable::text, '#', n::text)::jsonb`,
    },
  })
  await multiply(pool, {
    table: 'mintmark_group_members',
    where: 'true',
    rows: size.users,
    change: {
      provider_id: `'directory-' || ${directoryNumber(size)}`,
      group_id: identifierOf('group', `(${directoryNumber(size)} + ${size.directories} * (n % 10))`),
      member_id: identifierOf('user', 'n'),
    },
  })
  await recount(pool, 'Group', 'mintmark_groups')
}

async function recount(pool: SizedIssuer['pool'], kind: string, table: string): Promise<void> {
  await pool.query(`DELETE FROM mintmark_provider_totals WHERE kind = '${kind}'`)
  await pool.query(
    `INSERT INTO mintmark_provider_totals (issuer, provider_id, kind, total)
     SELECT issuer, provider_id, '${kind}', count(*) FROM ${table} GROUP BY issuer, provider_id`,
  )
}

/** Every second user has signed in to all clients. */
async function grants({ pool, size }: SizedIssuer): Promise<void> {
  const count = clientIds.length
  await multiply(pool, {
    table: 'mintmark_grants',
    where: 'true',
    rows: (size.users / 2) * count,
    change: {
      grant_id: identifierOf('grant', 'n'),
      user_id: identifierOf('user', `2 * (1 + (n - 1) / ${count})`),
      client_id: `'client-' || (n - 1) % ${count}`,
      created_at: `template.created_at - n % 8640000`,
    },
  })
}

/** One in a hundred was revoked during the last day; a few have expired; and the refresh tokens of a few expired long ago. */
async function families({ pool, size }: SizedIssuer): Promise<void> {
  const count = clientIds.length
  const user = `((n - 1) / ${familiesOfUser})`
  await multiply(pool, {
    table: 'mintmark_families',
    where: 'revoked_at IS NULL AND refresh_expires_at IS NOT NULL',
    rows: size.families,
    change: {
      family_id: identifierOf('family', 'n'),
      grant_id: identifierOf('grant', `${user} * ${count} + n % ${count} + 1`),
      client_id: `'client-' || n % ${count}`,
      user_id: identifierOf('user', `2 * (1 + ${user})`),
      handle_digest: digestOf('handle', 'n'),
      current_digest: digestOf('handle', 'n'),
      created_at: 'template.created_at - n % 2592000',
      expires_at: `template.created_at + CASE WHEN n % 100 = 2 THEN - n % 3600 ELSE 3600 + n % 2592000 END`,
      refresh_expires_at: `template.created_at + CASE WHEN n % 1000 = 1 THEN -172800 ELSE 3600 + n % 1209600 END`,
      revoked_at: `CASE WHEN n % 100 = 0 THEN template.created_at - n % 80000 END`,
    },
  })
}

/** One of each user who has signed in, at two clients. */
async function sessions({ pool, size }: SizedIssuer): Promise<void> {
  await multiply(pool, {
    table: 'mintmark_sessions',
    where: 'revoked_at IS NULL',
    rows: size.users / 2,
    change: {
      session_id: identifierOf('session', 'n'),
      digest: digestOf('session', 'n'),
      user_id: identifierOf('user', '2 * n'),
      created_at: 'template.created_at - n % 40000',
      idle_expires_at: 'template.idle_expires_at - n % 40000',
      kept_until: 'template.kept_until - n % 40000',
    },
  })
  await multiply(pool, {
    table: 'mintmark_session_participants',
    where: 'true',
    rows: size.users,
    change: { session_id: identifierOf('session', '(n + 1) / 2'), client_id: `'client-' || n % 2` },
  })
}

/** Codes and marks of used values. */
async function expiring({ pool, size }: SizedIssuer): Promise<void> {
  await multiply(pool, {
    table: 'mintmark_codes',
    where: 'true',
    rows: Math.max(size.users, 50_000),
    change: { digest: digestOf('code', 'n'), expires_at: 'template.expires_at - 120 - n % 86400' },
  })
  await multiply(pool, {
    table: 'mintmark_replays',
    where: `purpose = 'revoked_jti'`,
    rows: size.users / 10,
    change: {
      value_digest: digestOf('token', 'n'),
      value: `'token-' || n`,
      expires_at: 'template.expires_at + 7200 + n % 3600',
    },
  })
}

async function revocations({ pool, size }: SizedIssuer): Promise<void> {
  const rows = size.families / 100
  await multiply(pool, {
    table: 'mintmark_revocations',
    where: `kind = 'token'`,
    rows,
    change: {
      position: 'n + 100',
      kind: `'family'`,
      name: identifierOf('family', '100 * n'),
      at: `template.at - 86400 + n * 86400 / ${rows}`,
    },
  })
  // The first ones were written now, before the copies in the order of positions.
  await pool.query('UPDATE mintmark_revocations SET at = at - 86400 WHERE position <= 100')
  await pool.query(`UPDATE mintmark_revocation_positions SET last_position = ${rows + 100}`)
  await pool.query(`UPDATE mintmark_cursors SET position = ${rows + 100} WHERE consumer = 'logout'`)
}

/** Logout tokens that were sent and others that are due, and changes for webhooks. */
async function messages({ pool, size }: SizedIssuer): Promise<void> {
  const recipient = `'recipient-' || n % ${size.directories}`
  const pending = Math.max(size.users / 100, 1000)
  const isWebhook = `n <= ${pending} AND n % 2 = 1`
  await multiply(pool, {
    table: 'mintmark_deliveries',
    where: `channel = 'logout'`,
    rows: Math.max(size.users / 10, 2 * pending),
    change: {
      channel: `CASE WHEN ${isWebhook} THEN 'webhook' ELSE 'logout' END`,
      lane: `CASE WHEN ${isWebhook} THEN 'webhook ' || n / 4 END`,
      sequence: `CASE WHEN ${isWebhook} THEN n END`,
      delivery_id: `lpad((template.created_at - n)::text, 11, '0') || '-' || ${identifierOf('delivery', 'n')}`,
      dedupe_key: digestOf('delivery', 'n'),
      recipient,
      state: `CASE WHEN n <= ${pending} THEN 'pending' ELSE 'delivered' END`,
      settled_at: `CASE WHEN n <= ${pending} THEN NULL ELSE template.created_at END`,
      due_at: 'template.created_at - n % 600',
    },
  })
  const changes = size.users / 10
  await multiply(pool, {
    table: 'mintmark_changes',
    where: 'position IS NOT NULL',
    rows: changes,
    change: {
      change_id: identifierOf('change', 'n'),
      user_id: identifierOf('user', 'n'),
      sequence: 'n + 100',
      position: 'n + 100',
      changed_at: `template.changed_at - 3600 + n * 3600 / ${changes}`,
    },
  })
  await pool.query(`SELECT setval('mintmark_change_numbers', ${changes + 200})`)
  await pool.query(`UPDATE mintmark_webhooks SET starts_after = ${changes + 100}`)
  await pool.query(`UPDATE mintmark_change_positions SET last_position = ${changes + 100} WHERE issuer = '${issuer}'`)
}

async function log({ pool, size }: SizedIssuer): Promise<void> {
  await multiply(pool, {
    table: 'mintmark_logs',
    where: 'true',
    rows: size.users / 2,
    change: {
      entry_id: `'0' || ${identifierOf('entry', 'n')}`,
      at: 'template.at - n',
      expires_at: 'template.expires_at - n',
    },
  })
}
