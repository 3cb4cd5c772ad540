import { randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

import { openPasskeys, type PasskeyTable } from './passkey-table.ts'
import { hashPassword, isPassword, type PasswordRecord } from './password.ts'

/** A user of the host. Mintmark only uses the `subject`. */
export interface User {
  /** The `sub` of the tokens. It never changes and is never used for another user. */
  readonly subject: string
  /**
   * The directory that provisioned the user; empty for the host's own users. Names are unique only within a directory,
   * so that a directory cannot use up the names of another one.
   */
  readonly directory: string
  readonly username: string
  readonly email: string
  readonly givenName: string
  readonly familyName: string
}

/** A user before the table has assigned a subject. */
export type NewUser = Omit<User, 'subject' | 'directory'> & { readonly password: string }

/** The host's own user table. */
export interface Users {
  list(): readonly User[]
  find(subject: string): User | undefined
  /**
   * Finds a user by the username or the email address. For a user whom a directory provisioned, the directory and a
   * slash come first, such as `example-corp/kim@example.com`.
   */
  findByName(name: string): User | undefined
  /**
   * Finds a user by name and checks the password. Returns undefined if the user does not exist or the password is
   * wrong.
   */
  verify(attempt: { readonly username: string; readonly password: string }): Promise<User | undefined>
  /**
   * Changes the password of the user with this subject, or adds the user if it does not exist. Does not add a user
   * whose name or email address belongs to another user of the same directory.
   */
  put(user: User & { readonly password: string }): Promise<void>
  /** Removes a user, if it exists. The name and the email address can then be used again. */
  remove(subject: string): void
  /** Adds all users or none. */
  add(users: readonly NewUser[]): Promise<void>
  readonly passkeys: PasskeyTable
  close(): void
}

/** Opens the table in a separate SQLite file. A new file contains an empty table, and only you can read it. */
export function openUsers(file: string): Users {
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file)
  database.exec(schema)
  const passkeys = openPasskeys(database)
  const all = database.prepare('SELECT * FROM users ORDER BY username')
  const bySubject = database.prepare('SELECT * FROM users WHERE subject = ?')
  const byName = database.prepare(
    'SELECT * FROM users WHERE directory = :directory AND (username = :name OR email = :name)',
  )
  const insert = database.prepare(`INSERT INTO users VALUES (?, '', ?, ?, ?, ?, ?, ?)`)
  const changePassword = database.prepare('UPDATE users SET salt = :salt, hash = :hash WHERE subject = :subject')
  // The sign-in page accepts a username or an email address in one field, so neither may belong to two users.
  const insertIfNamesAreFree = database.prepare(
    `INSERT INTO users SELECT :subject, :directory, :username, :email, :givenName, :familyName, :salt, :hash
      WHERE NOT EXISTS (SELECT 1 FROM users WHERE directory = :directory
        AND (username IN (:username, :email) OR email IN (:username, :email)))
      ON CONFLICT DO NOTHING`,
  )

  const remove = database.prepare('DELETE FROM users WHERE subject = ?')

  function findRow(text: string): Row | undefined {
    const slash = text.indexOf('/')
    const name = { directory: text.slice(0, Math.max(slash, 0)), name: text.slice(slash + 1).toLowerCase() }
    return byName.get(name) as Row | undefined
  }

  return {
    list: () => all.all().map((row: object) => row as Row),
    find: (subject) => bySubject.get(subject) as Row | undefined,
    findByName: findRow,
    async verify({ username, password }) {
      const row = findRow(username)
      return (await isPassword(password, row)) ? row : undefined
    },
    async put({ subject, directory, username, email, givenName, familyName, password }) {
      const { salt, hash } = await hashPassword(password)
      if (changePassword.run({ subject, salt, hash }).changes > 0) return
      insertIfNamesAreFree.run({ subject, directory, username, email, givenName, familyName, salt, hash })
    },
    remove: (subject) => void remove.run(subject),
    async add(users) {
      const hashed = users.map(async (user) => ({ ...user, ...(await hashPassword(user.password)) }))
      const rows = await Promise.all(hashed)
      database.exec('BEGIN')
      try {
        for (const { username, email, givenName, familyName, salt, hash } of rows) {
          insert.run(randomUUID(), username, email, givenName, familyName, salt, hash)
        }
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
    passkeys,
    close: () => database.close(),
  }
}

type Row = User & PasswordRecord

const schema = `CREATE TABLE IF NOT EXISTS users (
  subject TEXT PRIMARY KEY,
  directory TEXT NOT NULL,
  username TEXT NOT NULL CHECK (username = lower(username)),
  email TEXT NOT NULL CHECK (email = lower(email)),
  givenName TEXT NOT NULL,
  familyName TEXT NOT NULL,
  salt BLOB NOT NULL,
  hash BLOB NOT NULL,
  UNIQUE (directory, username),
  UNIQUE (directory, email)
) STRICT`
