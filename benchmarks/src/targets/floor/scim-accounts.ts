import { randomBytes } from 'node:crypto'

import { scimUser, scimUserName, scimWorkEmail } from '../../scim-user.ts'
import { issuer } from '../fixture.ts'
import { andThen } from '../later.ts'
import { accountClaims, accountState } from './account-state.ts'
import { prepareRecorded, type Values } from './prepare-recorded.ts'
import type { RecordedStatement } from './recorded-statements.ts'
import { recordedTable } from './recorded-table.ts'
import type { ScimDocument, ScimDocuments, WrittenDocument } from './scim-documents.ts'
import { probe, probedPage, scimStatements, type RecordedScim } from './scim-statements.ts'
import type { SqlConnection } from './sql-connection.ts'

/**
 * Stores users in Mintmark's tables, with the statements that Mintmark runs for the same requests. The users are in no
 * group.
 */
export async function scimAccounts(recorded: RecordedScim, connection: SqlConnection): Promise<ScimDocuments> {
  const statements = await scimStatements(recorded)
  const { columns: sample } = accountState(scimUser(probe))
  const { claims } = sample
  const { insertion, deactivation, reactivation } = statements
  const base = `${issuer}${recorded.site.basePath}/Users/`

  const prepare = <Name extends string>(
    statement: RecordedStatement,
    samples: Readonly<Record<Name, string | number>>,
  ) => prepareRecorded(statement, samples, connection)

  const provider = prepare(statements.provider, {})
  const insert = prepare(statements.insert, { ...sample, userId: insertion.userId, now: insertion.now })
  const find = prepare(statements.find, { userId: insertion.userId })
  const deactivate = prepare(statements.deactivate, {
    claims,
    userId: insertion.userId,
    now: deactivation.now,
    version: deactivation.version,
  })
  const reactivate = prepare(statements.reactivate, {
    claims,
    userId: insertion.userId,
    now: reactivation.now,
    version: reactivation.version,
  })
  const afterDeactivation = statements.afterDeactivation.map((statement) =>
    prepare(statement, { userId: insertion.userId }),
  )
  const byUserName = prepare(statements.byUserName, { userName: scimUserName(probe) })
  const byWorkEmail = prepare(statements.byWorkEmail, { value: scimWorkEmail(probe) })
  const page = prepare(statements.page, { offset: probedPage.startIndex - 1, limit: probedPage.count + 1 })

  const secretDigest = secretReader(statements.provider)
  const found = accountReader(statements.find)
  const {
    at: { comparable: comparableAt },
  } = recordedTable(statements.byWorkEmail, users, ['comparable'])
  const {
    at: { total: totalAt },
  } = recordedTable(statements.page, users, ['total'])
  const textOf = (account: Account): string => accountText(account, base)
  const written = (account: Account): WrittenDocument => ({
    text: textOf(account),
    version: account.version,
    location: base + account.userId,
  })
  const named = accountReader(statements.byUserName)
  const addressed = accountReader(statements.byWorkEmail)
  const paged = accountReader(statements.page)

  return {
    secretDigest: () => andThen(provider({}), ([row = []]) => secretDigest(row)),
    byUserName: (userName) => andThen(byUserName({ userName }), (rows) => rows.map((row) => textOf(named(row)))),
    byWorkEmail: (value) =>
      andThen(byWorkEmail({ value }), (rows) =>
        rows.filter((row) => isForWork(String(row[comparableAt]), value)).map((row) => textOf(addressed(row))),
      ),
    // Mintmark reads one more row to find out whether there is another page.
    page: (offset, limit) =>
      andThen(page({ offset, limit: limit + 1 }), (rows) => ({
        texts: rows.slice(0, limit).map((row) => textOf(paged(row))),
        total: Number(rows[0]?.[totalAt]),
      })),
    insert: async (document) => {
      const { active, columns } = accountState(document)
      const now = seconds()
      const userId = randomBytes(16).toString('base64url')
      requireWritten(await insert({ ...columns, userId, now }))
      return written({ ...columns, active, userId, createdAt: now, updatedAt: now, version: 1 })
    },
    change: async (userId, members) => {
      const [row = []] = await find({ userId })
      const account = found(row)
      const claims = accountClaims(JSON.parse(account.resource) as ScimDocument)
      const { active = account.active } = members
      const now = seconds()
      requireWritten(await (active ? reactivate : deactivate)({ claims, userId, now, version: account.version }))
      for (const run of active ? [] : afterDeactivation) await run({ userId })
      return written({ ...account, active, updatedAt: now, version: account.version + 1 })
    },
  }
}

/**
 * Returns a function that reads the digest of the provider's secret; empty if the provider is disabled or the secret has expired.
 * The secrets are parsed when they have changed.
 */
function secretReader(statement: RecordedStatement): (row: Values) => string {
  const { at, valuesOf } = recordedTable(statement, 'mintmark_identity_providers', ['secrets', 'disabled_at'])
  let known: { readonly text: string; readonly secrets: readonly Secret[] } = { text: '[]', secrets: [] }
  return (row) => {
    const values = valuesOf(row)
    const text = String(values[at.secrets])
    if (text !== known.text) known = { text, secrets: JSON.parse(text) as readonly Secret[] }
    const [secret] = known.secrets
    if (values[at.disabled_at] !== null || secret === undefined) return ''
    return secret.expiresAt !== undefined && seconds() >= secret.expiresAt ? '' : secret.digest
  }
}

interface Secret {
  readonly digest: string
  readonly expiresAt?: number
}

/** The stored data of a user. */
interface Account {
  readonly userId: string
  readonly externalId: string
  readonly resource: string
  readonly active: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly version: number
}

function accountReader(statement: RecordedStatement): (row: Values) => Account {
  const columns = ['resource', 'user_id', 'external_id', 'active', 'created_at', 'updated_at', 'version'] as const
  const { at, valuesOf } = recordedTable(statement, users, columns)
  return (row) => {
    const values = valuesOf(row)
    return {
      userId: String(values[at.user_id]),
      externalId: String(values[at.external_id]),
      resource: String(values[at.resource]),
      active: Boolean(values[at.active]),
      createdAt: Number(values[at.created_at]),
      updatedAt: Number(values[at.updated_at]),
      version: Number(values[at.version]),
    }
  }
}

const accountText = (
  { userId, externalId, resource, active, createdAt, updatedAt, version }: Account,
  base: string,
): string =>
  `${resource.slice(0, -1)},"id":"${userId}","externalId":${JSON.stringify(externalId)},"active":${active},` +
  `"meta":{"resourceType":"User","created":"${dateTime(createdAt)}","lastModified":"${dateTime(updatedAt)}",` +
  `"location":"${base}${userId}","version":"W/\\"${version}\\""}}`

const dateTime = (time: number): string => new Date(time * 1000).toISOString()

function requireWritten(rows: readonly Values[]): void {
  if (rows.length === 0) throw new Error('The statement wrote no row.')
}

const users = 'mintmark_users'

const isForWork = (comparable: string, address: string): boolean =>
  (JSON.parse(comparable) as ScimDocument).emails.some(({ type, value }) => type === 'work' && value === address)

const seconds = (): number => Math.floor(Date.now() / 1000)
