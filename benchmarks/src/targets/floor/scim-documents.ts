import { randomUUID } from 'node:crypto'

import { scimUser, scimUserId, scimUserName, scimWorkEmail } from '../../scim-user.ts'
import { issuer } from '../fixture.ts'
import { andThen, type Later } from '../later.ts'
import type { SqlConnection, SqlRow } from './sql-connection.ts'

/** A parsed document. */
export type ScimDocument = ReturnType<typeof scimUser> & { readonly id?: string; readonly meta?: object }

/** A store of documents as JSON text, with one index for each key. */
export interface ScimDocuments {
  /** Returns the digest of the provider's secret. */
  secretDigest(): Later<string>
  byUserName(name: string): Later<readonly string[]>
  byWorkEmail(value: string): Later<readonly string[]>
  page(offset: number, limit: number): Later<ScimPage>
  insert(document: ScimDocument): Promise<WrittenDocument>
  /** Replaces members of a document. */
  change(id: string, members: Partial<ScimDocument>): Promise<WrittenDocument>
}

/** A document after a write. */
export interface WrittenDocument {
  readonly text: string
  readonly version: number
  readonly location: string
}

export interface ScimPage {
  readonly texts: readonly string[]
  /** The number of documents. */
  readonly total: number
}

/**
 * Creates the table with a number of documents. The process keeps their number, and on SQLite also the digest of the
 * secret. On PostgreSQL each request reads the digest, because a server must not cache a secret, and the round trip is
 * most of a request's cost.
 */
export async function scimDocuments(
  connection: SqlConnection,
  { accounts, secretDigest }: ScimFixture,
): Promise<ScimDocuments> {
  const { row, rows } = connection
  await connection.run(connection.engine === 'sqlite' ? schema.replace('BIGSERIAL', 'INTEGER') : schema)
  await connection.run(filling(accounts))
  await row('INSERT INTO providers VALUES (?, ?)')(provider, secretDigest)
  if (connection.engine === 'postgres') await connection.run('ANALYZE')
  const readSecret = row('SELECT secret FROM providers WHERE provider_id = ?')
  const insert = row('INSERT INTO documents (id, user_name, work_email, document, version) VALUES (?, ?, ?, ?, 1)')
  const find = row('SELECT document FROM documents WHERE id = ?')
  const byUserName = rows('SELECT document FROM documents WHERE user_name = ?')
  const byWorkEmail = rows('SELECT document FROM documents WHERE work_email = ?')
  const page = rows('SELECT document FROM documents ORDER BY number LIMIT ? OFFSET ?')
  const update = row('UPDATE documents SET document = ?, version = version + 1 WHERE id = ?')
  let total = accounts

  return {
    secretDigest: () =>
      connection.engine === 'sqlite'
        ? secretDigest
        : andThen(readSecret(provider), (found) => String(found?.['secret'])),
    byUserName: (name) => andThen(byUserName(name), textsOf),
    byWorkEmail: (value) => andThen(byWorkEmail(value), textsOf),
    page: (offset, limit) => andThen(page(limit, offset), (found) => ({ texts: textsOf(found), total })),
    insert: async (document) => {
      const written = withMeta(document, randomUUID())
      const text = JSON.stringify(written)
      await insert(written.id, document.userName.toLowerCase(), document.emails[0]?.value ?? '', text)
      total += 1
      return { text, version: 1, location: locationOf(written.id) }
    },
    change: async (id, members) => {
      const found = await find(id)
      const document = JSON.parse(String(found?.['document'])) as ScimDocument
      const text = JSON.stringify(withMeta({ ...document, ...members }, id))
      await update(text, id)
      return { text, version: 1, location: locationOf(id) }
    },
  }
}

interface ScimFixture {
  readonly accounts: number
  readonly secretDigest: string
}

const provider = 'acme'

const schema = `
CREATE TABLE providers (provider_id TEXT PRIMARY KEY, secret TEXT NOT NULL);
CREATE TABLE documents (number BIGSERIAL PRIMARY KEY, id TEXT NOT NULL, user_name TEXT NOT NULL, work_email TEXT NOT NULL,
  document TEXT NOT NULL, version INTEGER NOT NULL);
CREATE UNIQUE INDEX documents_by_id ON documents (id);
CREATE UNIQUE INDEX documents_by_user_name ON documents (user_name);
CREATE INDEX documents_by_work_email ON documents (work_email);`

/** Returns the statement that inserts the numbered users. */
function filling(accounts: number): string {
  const document = JSON.stringify(withMeta(scimUser('#'), scimUserId('#')))
  const numbered = [scimUserId('#'), scimUserName('#'), scimWorkEmail('#'), document].map(
    (text) => `replace('${text}', '#', CAST(n AS TEXT))`,
  )
  return `INSERT INTO documents (id, user_name, work_email, document, version)
  WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${accounts})
  SELECT ${numbered.join(', ')}, 1
  FROM series`
}

function withMeta(document: ScimDocument, id: string): ScimDocument & { readonly id: string } {
  const now = new Date().toISOString()
  return {
    ...document,
    id,
    meta: {
      resourceType: 'User',
      created: now,
      lastModified: now,
      location: locationOf(id),
      version: 'W/"1"',
    },
  }
}

const locationOf = (id: string): string => `${issuer}/Users/${id}`

const textsOf = (rows: readonly SqlRow[]): readonly string[] => rows.map((row) => row['document'] as string)
