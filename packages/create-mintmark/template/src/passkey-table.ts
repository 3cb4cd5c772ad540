import type { DatabaseSync } from 'node:sqlite'
import type { WebAuthnCredential } from '@simplewebauthn/server'

/** The public key of a passkey, and what the page shows of it. */
export interface StoredPasskey extends WebAuthnCredential {
  readonly subject: string
  readonly name: string
  /** In seconds since 1970. */
  readonly createdAt: number
}

/** The passkeys of the users. A user who is removed loses them. */
export interface PasskeyTable {
  find(id: string): StoredPasskey | undefined
  list(subject: string): readonly StoredPasskey[]
  add(subject: string, passkey: WebAuthnCredential): void
  remove(subject: string, id: string): void
  saveCounter(id: string, counter: number): void
}

/** Opens the table in the database of the users, after their table. */
export function openPasskeys(database: DatabaseSync): PasskeyTable {
  database.exec(schema)
  const byId = database.prepare('SELECT * FROM passkeys WHERE id = ?')
  const bySubject = database.prepare('SELECT * FROM passkeys WHERE subject = ? ORDER BY createdAt')
  const insert = database.prepare('INSERT INTO passkeys VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const remove = database.prepare('DELETE FROM passkeys WHERE subject = ? AND id = ?')
  const saveCounter = database.prepare('UPDATE passkeys SET counter = ? WHERE id = ?')

  return {
    find: (id) => toPasskey(byId.get(id) as Row | undefined),
    list: (subject) => bySubject.all(subject).flatMap((row: object) => toPasskey(row as Row) ?? []),
    add(subject, { id, publicKey, counter, transports = [] }) {
      const createdAt = Math.floor(Date.now() / 1000)
      insert.run(id, subject, publicKey, counter, JSON.stringify(transports), 'Passkey', createdAt)
    },
    remove: (subject, id) => void remove.run(subject, id),
    saveCounter: (id, counter) => void saveCounter.run(counter, id),
  }
}

type Row = Omit<StoredPasskey, 'transports'> & { readonly transports: string }

const toPasskey = (row: Row | undefined): StoredPasskey | undefined =>
  row && { ...row, transports: JSON.parse(row.transports) as NonNullable<WebAuthnCredential['transports']> }

const schema = `CREATE TABLE IF NOT EXISTS passkeys (
  id TEXT PRIMARY KEY,
  subject TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
  publicKey BLOB NOT NULL,
  counter INTEGER NOT NULL,
  transports TEXT NOT NULL,
  name TEXT NOT NULL,
  createdAt INTEGER NOT NULL
) STRICT`
