import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

import { databasePath } from '../bench-storage.ts'
import type { FloorCode, FloorFixture, FloorStanding, FloorStore } from './floor-store.ts'

/** Statements prepared once, one for each operation, with Mintmark's settings of the connection. */
export function sqliteFloorStore(fixture: FloorFixture): FloorStore {
  const database = new DatabaseSync(databasePath())
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec(schema)
  insertFixture(database, fixture)
  const one = (sql: string): ((...values: SQLInputValue[]) => Row | undefined) => {
    const statement = database.prepare(sql)
    return (...values) => statement.get(...values)
  }

  const client = one('SELECT secret FROM clients WHERE client_id = ?')
  const session = one('SELECT s.user_id, u.active FROM sessions s LEFT JOIN users u ON u.user_id = s.user_id WHERE s.digest = ?')
  const user = one('SELECT user_id, active, claims FROM users WHERE user_id = ?')
  const consent = one('SELECT grant_id, user_id, scope FROM grants WHERE user_id = ? AND client_id = ?')
  const insertCode = one(
    'INSERT INTO codes VALUES (?, ?, ?, ?, ?, ?, ?, NULL) ON CONFLICT DO NOTHING RETURNING digest',
  )
  const consumeCode = one('UPDATE codes SET consumed_at = 1 WHERE digest = ? AND consumed_at IS NULL RETURNING *')
  const insertFamily = one('INSERT INTO families VALUES (?, ?, ?, ?, NULL, ?, NULL) ON CONFLICT DO NOTHING RETURNING family_id')
  const grantStanding = one(`SELECT ${standingColumns} FROM grants g ${joinedToGrant} WHERE g.grant_id = ?`)
  const ofFamily = `SELECT ${standingColumns} FROM families f JOIN grants g ON g.grant_id = f.grant_id ${joinedToGrant}`
  const familyByHandle = one(`${ofFamily} WHERE f.handle_digest = ?`)
  const familyById = one(`${ofFamily} WHERE f.family_id = ?`)
  const rotate = one(
    'UPDATE families SET previous_digest = current_digest, current_digest = ? WHERE handle_digest = ? AND current_digest = ? AND revoked_at IS NULL RETURNING family_id',
  )
  const revoked = one('SELECT 1 FROM revoked WHERE token_id = ?')

  return {
    clientSecret: (id) => client(id)?.['secret'] as string | undefined,
    session: (digest) => session(digest)?.['user_id'] as string | undefined,
    user: (id) => readUser(user(id)),
    consent: (userId, clientId) => readGrant(consent(userId, clientId)),
    insertCode: (digest, code) =>
      void insertCode(digest, code.grantId, code.familyId, code.redirectUri, code.challenge, code.nonce, code.expiresAt),
    consumeCode: (digest) => readCode(consumeCode(digest)),
    grantStanding: (grantId) => readStanding(grantStanding(grantId)),
    insertFamily: (family) =>
      void insertFamily(family.familyId, family.grantId, family.handleDigest, family.currentDigest, family.expiresAt),
    familyByHandle: (handleDigest) => readStanding(familyByHandle(handleDigest)),
    familyById: (familyId) => readStanding(familyById(familyId)),
    rotate: (handleDigest, currentDigest, successorDigest) => rotate(successorDigest, handleDigest, currentDigest) !== undefined,
    isRevoked: (tokenId) => revoked(tokenId) !== undefined,
  }
}

type Row = Record<string, unknown>

const schema = `
CREATE TABLE clients (client_id TEXT PRIMARY KEY, secret TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (digest TEXT PRIMARY KEY, user_id TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE users (user_id TEXT PRIMARY KEY, active INTEGER NOT NULL, claims TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE grants (grant_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, client_id TEXT NOT NULL, scope TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX grants_by_user ON grants (user_id, client_id);
CREATE TABLE codes (digest TEXT PRIMARY KEY, grant_id TEXT NOT NULL, family_id TEXT NOT NULL, redirect_uri TEXT NOT NULL,
  challenge TEXT NOT NULL, nonce TEXT NOT NULL, expires_at INTEGER NOT NULL, consumed_at INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE families (family_id TEXT PRIMARY KEY, grant_id TEXT NOT NULL, handle_digest TEXT NOT NULL, current_digest TEXT NOT NULL,
  previous_digest TEXT, expires_at INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX families_by_handle ON families (handle_digest);
CREATE TABLE revoked (token_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`

const standingColumns = 'g.grant_id, g.user_id, g.scope, c.secret, u.active, u.claims'
const joinedToGrant = 'LEFT JOIN clients c ON c.client_id = g.client_id LEFT JOIN users u ON u.user_id = g.user_id'

function insertFixture(database: DatabaseSync, { clientId, secretDigest, sessionDigest, user, grant }: FloorFixture): void {
  database.prepare('INSERT INTO clients VALUES (?, ?)').run(clientId, secretDigest)
  database.prepare('INSERT INTO sessions VALUES (?, ?)').run(sessionDigest, user.userId)
  database.prepare('INSERT INTO users VALUES (?, 1, ?)').run(user.userId, JSON.stringify(user.claims))
  database.prepare('INSERT INTO grants VALUES (?, ?, ?, ?)').run(grant.grantId, user.userId, clientId, grant.scope)
}

const readUser = (row: Row | undefined): ReturnType<FloorStore['user']> =>
  row && { userId: row['user_id'] as string, active: row['active'] === 1, claims: JSON.parse(row['claims'] as string) as { email: string } }

const readGrant = (row: Row | undefined): ReturnType<FloorStore['consent']> =>
  row && { grantId: row['grant_id'] as string, userId: row['user_id'] as string, scope: row['scope'] as string }

const readCode = (row: Row | undefined): FloorCode | undefined =>
  row && {
    grantId: row['grant_id'] as string,
    familyId: row['family_id'] as string,
    redirectUri: row['redirect_uri'] as string,
    challenge: row['challenge'] as string,
    nonce: row['nonce'] as string,
    expiresAt: row['expires_at'] as number,
  }

function readStanding(row: Row | undefined): FloorStanding | undefined {
  const grant = readGrant(row)
  const user = readUser(row)
  return grant && user && { grant, user }
}
