import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

import { hashPassword, isPassword, type PasswordRecord } from './password.ts'

/** One of the host's own people. Mintmark knows them by `subject` alone. */
export interface Person {
  /** Stable, and never given to another person: the `sub` of the tokens. */
  readonly subject: string
  readonly username: string
  readonly email: string
  readonly givenName: string
  readonly familyName: string
}

/** A person before the table has given them a subject. */
export type NewPerson = Omit<Person, 'subject'> & { readonly password: string }

/** The host's own user table. */
export interface People {
  list(): readonly Person[]
  find(subject: string): Person | undefined
  /** Who has this name and password. The name may be the username or the email address. */
  verify(attempt: { readonly username: string; readonly password: string }): Promise<Person | undefined>
  /**
   * Writes a person whose subject is known: a new one, unless another person has the name or the address, or else the
   * password of one who is there.
   */
  put(person: Person & { readonly password: string }): Promise<void>
  /** Takes a person out, if there is one: their name and address are free. */
  remove(subject: string): void
  /** Adds all of them or none. */
  add(people: readonly NewPerson[]): Promise<void>
  close(): void
}

/** Opens the table in an SQLite file of its own; a new file gets an empty one. */
export function openPeople(file: string): People {
  const database = new DatabaseSync(file)
  database.exec(schema)
  const all = database.prepare('SELECT * FROM people ORDER BY username')
  const bySubject = database.prepare('SELECT * FROM people WHERE subject = ?')
  const byName = database.prepare('SELECT * FROM people WHERE username = :name OR email = :name')
  const insert = database.prepare('INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?)')
  const changePassword = database.prepare('UPDATE people SET salt = :salt, hash = :hash WHERE subject = :subject')
  // One field of the sign-in page takes usernames and addresses: whatever is either of somebody's is nobody else's.
  const insertUnderFreeNames = database.prepare(
    `INSERT INTO people SELECT :subject, :username, :email, :givenName, :familyName, :salt, :hash
      WHERE NOT EXISTS (SELECT 1 FROM people WHERE username IN (:username, :email) OR email IN (:username, :email))
      ON CONFLICT DO NOTHING`,
  )

  const remove = database.prepare('DELETE FROM people WHERE subject = ?')

  return {
    list: () => all.all() as unknown as Row[],
    find: (subject) => bySubject.get(subject) as Row | undefined,
    async verify({ username, password }) {
      const row = byName.get({ name: username.toLowerCase() }) as Row | undefined
      return (await isPassword(password, row)) ? row : undefined
    },
    async put({ subject, username, email, givenName, familyName, password }) {
      const { salt, hash } = await hashPassword(password)
      if (changePassword.run({ subject, salt, hash }).changes > 0) return
      insertUnderFreeNames.run({ subject, username, email, givenName, familyName, salt, hash })
    },
    remove: (subject) => void remove.run(subject),
    async add(people) {
      const hashed = people.map(async (person) => ({ ...person, ...(await hashPassword(person.password)) }))
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
    close: () => database.close(),
  }
}

type Row = Person & PasswordRecord

const schema = `CREATE TABLE IF NOT EXISTS people (
  subject TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE CHECK (username = lower(username)),
  email TEXT NOT NULL UNIQUE CHECK (email = lower(email)),
  givenName TEXT NOT NULL,
  familyName TEXT NOT NULL,
  salt BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT`
