import { andThen } from '../later.ts'
import type { FloorCode, FloorFixture, FloorStatus, FloorStore, FloorUser } from './floor-store.ts'
import type { SqlConnection, SqlRow } from './sql-connection.ts'

/** Creates a store in a database, with one statement for each operation. */
export async function sqlFloorStore(connection: SqlConnection, fixture: FloorFixture): Promise<FloorStore> {
  await connection.run(connection.engine === 'sqlite' ? schema.replaceAll('\n)', '\n) STRICT, WITHOUT ROWID') : schema)
  await insertFixture(connection, fixture)
  const { row } = connection

  const client = row('SELECT secret FROM clients WHERE client_id = ?')
  const session = row(
    'SELECT s.user_id, u.active FROM sessions s LEFT JOIN users u ON u.user_id = s.user_id WHERE s.digest = ?',
  )
  const user = row('SELECT user_id, active, claims FROM users WHERE user_id = ?')
  const consent = row('SELECT grant_id, user_id, scope FROM grants WHERE user_id = ? AND client_id = ?')
  const insertCode = row('INSERT INTO codes VALUES (?, ?, ?, ?, ?, ?, ?, NULL) ON CONFLICT DO NOTHING RETURNING digest')
  const consumeCode = row('UPDATE codes SET consumed_at = 1 WHERE digest = ? AND consumed_at IS NULL RETURNING *')
  const insertFamily = row(
    'INSERT INTO families VALUES (?, ?, ?, ?, NULL, ?, NULL) ON CONFLICT DO NOTHING RETURNING family_id',
  )
  const grantStatus = row(`SELECT ${statusColumns} FROM grants g ${joinedToGrant} WHERE g.grant_id = ?`)
  const fromFamilies = `SELECT ${statusColumns} FROM families f JOIN grants g ON g.grant_id = f.grant_id ${joinedToGrant}`
  const familyByHandle = row(`${fromFamilies} WHERE f.handle_digest = ?`)
  const familyById = row(`${fromFamilies} WHERE f.family_id = ?`)
  const familyOfToken = row(
    `${fromFamilies} WHERE f.family_id = ? AND NOT EXISTS (SELECT 1 FROM revoked r WHERE r.token_id = ?)`,
  )
  const rotate = row(
    `UPDATE families SET previous_digest = current_digest, current_digest = ?
     WHERE handle_digest = ? AND current_digest = ? AND revoked_at IS NULL RETURNING family_id`,
  )

  return {
    clientSecret: (id) => andThen(client(id), (found) => found?.['secret'] as string | undefined),
    session: (digest) =>
      andThen(session(digest), (found) => found && { sessionId: digest, userId: found['user_id'] as string }),
    user: (id) => andThen(user(id), readUser),
    consent: (userId, clientId) => andThen(consent(userId, clientId), readGrant),
    insertCode: (digest, code) =>
      andThen(
        insertCode(digest, code.grantId, code.familyId, code.redirectUri, code.challenge, code.nonce, code.expiresAt),
        nothing,
      ),
    consumeCode: (digest) => andThen(consumeCode(digest), readCode),
    grantStatus: (grantId) => andThen(grantStatus(grantId), readStatus),
    insertFamily: (family) =>
      andThen(
        insertFamily(family.familyId, family.grantId, family.handleDigest, family.currentDigest, family.expiresAt),
        nothing,
      ),
    familyByHandle: (handleDigest) => andThen(familyByHandle(handleDigest), readStatus),
    familyById: (familyId) => andThen(familyById(familyId), readStatus),
    familyOfToken: (familyId, tokenId) => andThen(familyOfToken(familyId, tokenId), readStatus),
    rotate: (handleDigest, currentDigest, successorDigest) =>
      andThen(rotate(successorDigest, handleDigest, currentDigest), isFound),
  }
}

const schema = `
CREATE TABLE clients (client_id TEXT PRIMARY KEY, secret TEXT NOT NULL
);
CREATE TABLE sessions (digest TEXT PRIMARY KEY, user_id TEXT NOT NULL
);
CREATE TABLE users (user_id TEXT PRIMARY KEY, active INTEGER NOT NULL, claims TEXT NOT NULL
);
CREATE TABLE grants (grant_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, client_id TEXT NOT NULL, scope TEXT NOT NULL
);
CREATE UNIQUE INDEX grants_by_user ON grants (user_id, client_id);
CREATE TABLE codes (digest TEXT PRIMARY KEY, grant_id TEXT NOT NULL, family_id TEXT NOT NULL, redirect_uri TEXT NOT NULL,
  challenge TEXT NOT NULL, nonce TEXT NOT NULL, expires_at INTEGER NOT NULL, consumed_at INTEGER
);
CREATE TABLE families (family_id TEXT PRIMARY KEY, grant_id TEXT NOT NULL, handle_digest TEXT NOT NULL, current_digest TEXT NOT NULL,
  previous_digest TEXT, expires_at INTEGER NOT NULL, revoked_at INTEGER
);
CREATE UNIQUE INDEX families_by_handle ON families (handle_digest);
CREATE TABLE revoked (token_id TEXT PRIMARY KEY
);`

const statusColumns = 'g.grant_id, g.user_id, g.scope, c.secret, u.active, u.claims'
const joinedToGrant = 'LEFT JOIN clients c ON c.client_id = g.client_id LEFT JOIN users u ON u.user_id = g.user_id'

async function insertFixture(
  { row }: SqlConnection,
  { clientId, secretDigest, sessionDigest, user, grant }: FloorFixture,
): Promise<void> {
  await row('INSERT INTO clients VALUES (?, ?)')(clientId, secretDigest)
  await row('INSERT INTO sessions VALUES (?, ?)')(sessionDigest, user.userId)
  await row('INSERT INTO users VALUES (?, 1, ?)')(user.userId, JSON.stringify(user.claims))
  await row('INSERT INTO grants VALUES (?, ?, ?, ?)')(grant.grantId, user.userId, clientId, grant.scope)
}

const nothing = (): undefined => undefined

const isFound = (row: SqlRow | undefined): boolean => row !== undefined

const readUser = (row: SqlRow | undefined): FloorUser | undefined =>
  row && {
    userId: row['user_id'] as string,
    active: row['active'] === 1,
    claims: JSON.parse(row['claims'] as string) as { email: string },
  }

const readGrant = (row: SqlRow | undefined): FloorStatus['grant'] | undefined =>
  row && { grantId: row['grant_id'] as string, userId: row['user_id'] as string, scope: row['scope'] as string }

const readCode = (row: SqlRow | undefined): FloorCode | undefined =>
  row && {
    grantId: row['grant_id'] as string,
    familyId: row['family_id'] as string,
    redirectUri: row['redirect_uri'] as string,
    challenge: row['challenge'] as string,
    nonce: row['nonce'] as string,
    expiresAt: row['expires_at'] as number,
  }

function readStatus(row: SqlRow | undefined): FloorStatus | undefined {
  const grant = readGrant(row)
  const user = readUser(row)
  return grant && user && { grant, user }
}
