import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { clients, users, tableColumns } from '@mintmark/storage-interface/records'
import { epochSeconds } from '@mintmark/storage-interface'
import { aSigningKeyRecord } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, migrate, SchemaMismatchError, type SqlDialect } from '@mintmark/storage-sql'
import { sqlite, openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { pendingMigrations, printMigrations } from '@mintmark/storage-sql/command'
import { migrationScripts } from '../src/migrate.ts'
import { aFolder } from './sqlite-under-test.ts'
import { byName } from './support/by-name.ts'
import { fillTable } from './support/fill-table.ts'
import { migrationNames as all } from './support/migration-names.ts'

const issuer = 'https://issuer.example'

/** The values of columns that a reader parses. */
const row = {
  issuer: `'${issuer}'`,
  active: '1',
  require_auth_time: '0',
  ...Object.fromEntries(['claims', 'secret_uses', 'jwks'].map((column) => [column, `'{}'`])),
  ...Object.fromEntries(
    ['secrets', 'redirect_uris', 'grant_types', 'scopes', 'served_audiences'].map((column) => [column, `'[]'`]),
  ),
}

test('migrates an empty database, once', async () => {
  const dialect = await anEmptyFile()

  expect(await pendingMigrations({ dialect })).toEqual(all)
  expect(await migrate({ dialect })).toEqual(all)
  expect(await migrate({ dialect })).toEqual([])
  expect(await pendingMigrations({ dialect })).toEqual([])
  await expect(createSqlStorage({ dialect, issuer })).resolves.toMatchObject({ issuer })
})

test('a released migration never changes: databases hold its checksum', () => {
  const released = migrationScripts(sqlite).map(({ name, checksum }) => `${name} ${checksum}`)

  expect(released).toMatchInlineSnapshot(`
    [
      "0001-first-tables 2b04c823bc303bac55abfa2a51bbbb286a2020f1ef1d5fa390c508348131747d",
      "0002-purge-indexes 9480defce9b689fd928ccc2b0fbaac60bca3fc3e87647acec3931860074ac8e6",
      "0003-provisioning 0319e7b93c7ac13dc479dee50b32009a3901763a444ac2fee9cc527fb8824a0d",
      "0004-key-schedule 20aff44c06714e9ad9aab848e6bb85c0b9704c7ca4d1fa88b7fd4d853a02f565",
      "0005-administration 207daa0df089163248e9cd65ca37da3acc51e0990c15db245fd85ffdbcb1380a",
      "0006-removal-in-turn e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "0007-endings 59555ba2e548a7646634a2056d6bd160569698683df8a8b1fe6c82b4f6dcff9d",
      "0008-resource-form 0ac95cdd77d1729151bc16b8997a7978196d3cc7cf241a8959d1870b31e0e726",
      "0009-first-statistics 1c364d6f249d44c7f6f200e0e483747045027a690550aec3118d4ef1e720e451",
      "0010-custom-resources 8c26506df75352da543f76fd17a14e9797bededde490f549b1e1b468ddaa4366",
      "0011-custom-resource-statistics c513ed3a689c82cf60ad3539c0e7b6488caf5c5730a68a04d6b2140f4c7135bd",
      "0012-client-choices 1340acf46a54e918695aa90c034423eb609861a084d1a8cb290af6c52dfd188f",
      "0013-indexed-values 6439b119b398f909921707fdd233ddad623ff4133b5429602d8c34274d823d41",
      "0014-indexed-value-statistics cdc8909929f4258eef626abd8d5e2bd250061bf4ca10fe1478a84b344f957c7e",
      "0015-tenants e57203f1dec1252ed702262d2de84380bef9c0e312d20f93f4be80fba886aa2a",
      "0016-group-changes da6b7f37e3f30d00c61910d99e77c5c5ed1383e373f877fea50c00cc5af9def0",
      "0017-signing-key-macs f91dda4a8974531f139c1fa8f4c042c122e2c04178f7efa312941f2ba807952c",
      "0018-revoked-families 44864eccbec9689f49d79f447eee8ccea96a56648ce16e2255031fc9dfbd0a28",
      "0019-dropped-keys a3393dde763b207054e8ef88290a5a68686e0e8b7ec23df940b2492cfd5fd94c",
      "0020-logout-addresses 4c3a8492a038f0bb7409c7f0720fe6d63337c88ea63918d4b8dba209531f06da",
      "0021-deliveries 099c885605c68edf67ceea3071b14273125806ff28eb7aaa7ead83017360ad96",
      "0022-delivery-statistics 8b15f2008b5dd7959c471feba52435fa751f792a759043c2b50bb9bcd89e2e46",
      "0023-inherited-blocks e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "0024-sessions b167d01e94eccb4453cb847dbae5c02e1a7c62b4d82d0dca32b8a139ff716f5c",
      "0025-session-statistics 35e1ecb2b833df31cb2714331287cfd943d9bfe83569d2f7f880a0d8bce9d148",
      "0026-group-indexes b1d243ae0e502450bac39237a1715624666a27b26b61e8d67d95aa641906e4e1",
      "0027-pushed-requests 72e7d9c2ced0d11e5efdec227773f5a9dacaa1c072c7261375c86db256dd15f3",
      "0028-pushed-request-statistics 82c4b0b8856dff6247c0747a219023fd6159adda6fb240240d238a8e578cd1d4",
      "0029-signed-requests e88e98e0d11bba7009efb0575cab5b6176878175935fa5d9fa32496441fd0705",
      "0030-security-profiles 4e2e4e65112e7ad29d7621d28aeaed9b7f550aeffc1b796bd50ecfeb9397bd0b",
      "0031-possession c9aded25bb4d6d138b029877f15115fc9aa42109f2f16fd593717708e9bfc59f",
      "0032-changes 3b3bd6c5da833c92de0fa2643824314447d1a7f6105b363bb24d0ca0c378e05f",
      "0033-change-statistics fba8bfc9149ec8b8b076d6796fe3a0903fe4bd025ad5922dd1f9d7187444fda7",
      "0034-organizations-of-tokens 837f446ad1020029a26d018615f1e124993197f8a5f6c4b581c2474f388d5f50",
      "0035-initial-access-tokens 31d48cd606b3976adb9a54e7e09e246e606272d49d4d05588080a650791fa8b5",
      "0036-initial-access-token-statistics f66f5c7cb291c836f52fe7e7e9e5f08d01e8c79c37976ba3058803125cd70522",
      "0037-client-documents 3b675fefe25a70a4f8522c6305d3a41a3b92afc5b91e6567e71f9c53e4ffa491",
      "0038-self-management 9954f83be0864f5def2835508cea63abf44ea5278dedcb5d471fd201f60c48b6",
      "0039-authorization-details ea609f58cf9bd0f733aa89869f07624584c59c5b25d8b5e7457557aaa27b28c0",
      "0040-client-certificates e1053015f9d6ce9dc32cb77eec5fb9c989e2a6e7502e5287d9889e2b290e0d2d",
      "0041-client-statistics cec4b7ef93e23b0c54f7bbaccfd24ff62dd18252fe3893d8b67c855259777695",
      "0042-subjects 938b29afe6dbabe734825f7a0147816af6057c100552605ef51800fd63dfd1c7",
      "0043-subject-statistics 6bd6b433a1bd219a6dafec6c0d16ec88edf405596fd4ba636054c3a8dfaa4174",
      "0044-encrypted-answers 0e22834a0001817ae13a2fe377a024979c2ee1301be80daeb3c1974848b6eadf",
      "0045-encrypted-answer-statistics cec4b7ef93e23b0c54f7bbaccfd24ff62dd18252fe3893d8b67c855259777695",
      "0046-encrypted-authorization-responses fa4576b62d423b6fd0ec1f6643f8ab1067c02f91688201b43d9a26abe492e99f",
      "0047-encrypted-authorization-response-statistics cec4b7ef93e23b0c54f7bbaccfd24ff62dd18252fe3893d8b67c855259777695",
      "0048-pages-of-clients bbd9167fe923af0496e78b58cd0a125580548e441d5d8d978cbc8b9a5564d834",
      "0049-pages-of-clients-statistics cec4b7ef93e23b0c54f7bbaccfd24ff62dd18252fe3893d8b67c855259777695",
      "0050-organizations-of-providers 0a4872cf4c56abdd0a00aee0fb2311fd09bef79ebbc4d22cee059785f375066c",
      "0051-orders-of-lists ea73c2f5009331cb97bb1aa8b5a9ff55b113a541ac0e7badc2f8e8d740045fba",
      "0052-departures 195f1fefc35008b4866d2e7c191da6ac4fc83160a354148d47dd56f112a2a46a",
      "0053-departure-statistics c688f50fa4c50cbc8a6a28e985e55445aab1cd405c63475a3bf8ece5b8f9ca04",
      "0054-blocks-of-kept-keys e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "0055-statistics-of-every-index 68c0e87e0e2aeff358bad2a6682afa73d7b7e4ec96be83154e7a4781cb119c99",
      "0056-retried-tokens 795dec7b01285d787ace4e3380fb559565915164b6e182542c72473b2eede084",
    ]
  `)
})

test('migrations are numbered without gaps and named after their files', () => {
  const scripts = migrationScripts(sqlite)

  expect(scripts.map(({ number }) => number)).toEqual(scripts.map((_, index) => index + 1))
  expect(scripts.map(({ name }) => Number(name.slice(0, 4)))).toEqual(scripts.map(({ number }) => number))
})

test('rejects a database with pending migrations, and names the command', async () => {
  const dialect = await anEmptyFile()

  const refusal = await createSqlStorage({ dialect, issuer }).catch((error: unknown) => error)

  expect(refusal).toBeInstanceOf(SchemaMismatchError)
  expect(refusal).toMatchObject({ kind: 'behind', migrations: all })
  expect(String(refusal)).toContain(`Run: npx ${dialect.migrateCommand}`)
  expect(await dialect.all("SELECT name FROM sqlite_schema WHERE name LIKE 'mintmark%'", [])).toEqual([])
})

test('rejects a database that a newer version has migrated', async () => {
  const dialect = await anEmptyFile()
  await migrate({ dialect })
  await dialect.atomically([`INSERT INTO mintmark_migrations (number, name, checksum) VALUES (999, '0999-later', 'x')`])

  await expect(createSqlStorage({ dialect, issuer })).rejects.toMatchObject({
    kind: 'ahead',
    migrations: ['0999-later'],
  })
  await expect(migrate({ dialect })).rejects.toMatchObject({ kind: 'ahead' })
})

test('rejects a database whose migration had another checksum', async () => {
  const dialect = await anEmptyFile()
  await migrate({ dialect })
  await dialect.atomically([`UPDATE mintmark_migrations SET checksum = '0' WHERE number = 1`])

  await expect(createSqlStorage({ dialect, issuer })).rejects.toMatchObject({
    kind: 'changed',
    migrations: ['0001-first-tables'],
  })
  await expect(migrate({ dialect })).rejects.toMatchObject({ kind: 'changed' })
  await expect(pendingMigrations({ dialect })).rejects.toMatchObject({ kind: 'changed' })
})

test.for(migrationScripts(sqlite))('migrates a database that stopped at $name, and keeps its rows', async (last) => {
  const dialect = await anEmptyFile()
  const before = migrationScripts(sqlite).filter(({ number }) => number <= last.number)
  for (const { statements } of before) await dialect.atomically(statements)
  await dialect.all(
    "INSERT INTO mintmark_claims (issuer, purpose, value_digest, expires_at) VALUES (?, 'revoked_jti', 'digest', 7)",
    [issuer],
  )

  expect(await migrate({ dialect })).toEqual(all.slice(last.number))
  expect(byName(await dialect.all('SELECT expires_at FROM mintmark_claims', []))).toEqual([{ expires_at: 7 }])
  await expect(createSqlStorage({ dialect, issuer })).resolves.toBeDefined()
})

test('0004: an existing key signs as before', async () => {
  const dialect = await anEmptyFile()
  for (const { statements } of migrationScripts(sqlite).filter(({ number }) => number < 4))
    await dialect.atomically(statements)
  await dialect.all(
    `INSERT INTO mintmark_signing_keys (issuer, key_id, algorithm, ordinal, public_jwk, sealed_private_jwk, sealing_key_id, created_at)
     VALUES (?, 'key-1', 'ES256', 1, '{}', 'sealed', 'sealing-1', 7)`,
    [issuer],
  )

  await migrate({ dialect })

  const storage = await createSqlStorage({ dialect, issuer })
  expect(await storage.signingKeys.list()).toEqual([
    aSigningKeyRecord({
      publicJwk: {},
      vaultEntry: 'sealing-1.sealed',
      createdAt: epochSeconds(7),
      signsFrom: epochSeconds(7),
      rowMac: undefined,
    }),
  ])
})

test('0005: existing users and clients are counted and listed', async () => {
  const dialect = await anEmptyFile()
  for (const { statements } of migrationScripts(sqlite).filter(({ number }) => number < 5))
    await dialect.atomically(statements)
  await fillTable(dialect, {
    table: 'mintmark_users',
    columns: await columnsOf('mintmark_users', tableColumns(users), dialect),
    rows: 10,
    values: { ...row, removed_at: 'CASE WHEN n < 4 THEN n END' },
  })
  const columns = await columnsOf('mintmark_clients', tableColumns(clients), dialect)
  await fillTable(dialect, { table: 'mintmark_clients', columns, rows: 3, values: row })

  await migrate({ dialect })

  const storage = await createSqlStorage({ dialect, issuer })
  const list = await storage.users.list({
    filter: undefined,
    sort: undefined,
    page: { kind: 'index', offset: 0, limit: 2 },
  })
  expect(list).toMatchObject({ total: 7, records: [{ userId: 'user_id-4' }, { userId: 'user_id-5' }] })
  expect(await storage.clients.list({ after: undefined, limit: 9 })).toHaveLength(3)
})

test('migrates on opening, if configured', async () => {
  const dialect = await anEmptyFile({ migrate: 'on-open' })

  await expect(createSqlStorage({ dialect, issuer })).resolves.toBeDefined()
  expect(await pendingMigrations({ dialect })).toEqual([])
})

test('rejects a database that a newer version has migrated, even if it migrates on opening', async () => {
  const dialect = await anEmptyFile({ migrate: 'on-open' })
  await migrate({ dialect })
  await dialect.atomically([`INSERT INTO mintmark_migrations (number, name, checksum) VALUES (999, '0999-later', 'x')`])

  await expect(createSqlStorage({ dialect, issuer })).rejects.toMatchObject({
    kind: 'ahead',
    migrations: ['0999-later'],
  })
})

test('prints the statements that apply runs', async () => {
  const ran: string[] = []
  const byCommand = await anEmptyFile()
  await migrate({
    dialect: {
      ...byCommand,
      atomically: async (statements) => (ran.push(...statements), byCommand.atomically(statements)),
    },
  })
  const byHand = await anEmptyFile()

  const printed = printMigrations(sqlite)
  const database = new DatabaseSync(byHand.file)
  database.exec(printed)
  database.close()

  for (const statement of ran) expect(printed).toContain(`${statement};`)
  expect(await schemaOf(byHand)).toEqual(await schemaOf(byCommand))
  await expect(createSqlStorage({ dialect: byHand, issuer })).resolves.toBeDefined()
})

test('a migration that fails halfway leaves nothing behind', async () => {
  const dialect = await anEmptyFile()
  await dialect.atomically(['CREATE TABLE mintmark_sessions (mine TEXT)'])

  await expect(migrate({ dialect })).rejects.toThrow('mintmark_sessions')

  const tables = await dialect.all("SELECT name FROM sqlite_schema WHERE type = 'table'", [])
  expect(byName(tables)).toEqual([{ name: 'mintmark_sessions' }])
})

test('two processes that migrate at once both succeed', async () => {
  const first = await anEmptyFile()
  const second = openSqliteDialect(first.file)
  onTestFinished(() => second.close())

  const applied = await Promise.all([migrate({ dialect: first }), migrate({ dialect: second })])

  expect(applied.flat()).toEqual(all)
})

type FileDialect = SqlDialect & { readonly file: string }

async function anEmptyFile(options?: Parameters<typeof openSqliteDialect>[1]): Promise<FileDialect> {
  const folder = await aFolder()
  const file = join(folder.path, 'test.db')
  const dialect = openSqliteDialect(file, options)
  onTestFinished(async () => {
    await dialect.close()
    await folder.remove()
  })
  return { ...dialect, file }
}

/** Returns the columns of the present version that the table already has. */
async function columnsOf(table: string, known: readonly string[], dialect: SqlDialect): Promise<readonly string[]> {
  const rows = await dialect.all(`SELECT name FROM pragma_table_info('${table}')`, [])
  const names = rows.map(({ values: [name] }) => name)
  return known.filter((column) => names.includes(column))
}

async function schemaOf(dialect: SqlDialect): Promise<unknown> {
  return {
    schema: await dialect.all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name', []),
    migrations: await dialect.all('SELECT number, name, checksum FROM mintmark_migrations', []),
  }
}
