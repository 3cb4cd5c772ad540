import { randomUUID } from 'node:crypto'

import { openPasskeys, type PasskeyTable } from '#passkey-table'
import { hashPassword, isPassword, type PasswordRecord } from '#password'
import type { Row, Tables } from '#query'
import type { SignInUsers, User as ShownUser } from '#user'

/** A user of your table. Mintmark only uses the `subject`. */
export interface User extends ShownUser {
  /**
   * The directory that provisioned the user; empty for your own users. Names are unique only within a directory, so that
   * a directory cannot use up the names of another one.
   */
  readonly directory: string
}

/** A user before the table has assigned a subject. */
export type NewUser = Omit<User, 'subject' | 'directory'> & { readonly password: string }

/** Your user table. */
export interface Users extends SignInUsers {
  list(): Promise<readonly User[]>
  find(subject: string): Promise<User | undefined>
  /**
   * Finds a user by the username or the email address. For a user whom a directory provisioned, the directory and a
   * slash come first, such as `example-corp/kim@example.com`.
   */
  findByName(name: string): Promise<User | undefined>
  verify(attempt: { readonly username: string; readonly password: string }): Promise<User | undefined>
  /**
   * Changes the password of the user with this subject, or adds the user if it does not exist. Does not add a user
   * whose name or email address belongs to another user of the same directory.
   */
  put(user: User & { readonly password: string }): Promise<void>
  /** Removes a user, if it exists. The name and the email address can then be used again. */
  remove(subject: string): Promise<void>
  /** Adds a user. If the name or the email address belongs to another user, nothing happens. */
  add(user: NewUser): Promise<void>
  readonly passkeys: PasskeyTable
}

/** Opens your user table, and creates it in a new database. */
export async function openUsers({ tables }: { readonly tables: Tables }): Promise<Users> {
  await tables.create(definition)
  const passkeys = await openPasskeys(tables)

  async function findRow(text: string): Promise<StoredUser | undefined> {
    const slash = text.indexOf('/')
    const [directory, name] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1).toLowerCase()]
    const [row] = await tables.query`
      SELECT * FROM users WHERE directory = ${directory} AND (username = ${name} OR email = ${name})`
    return row && toUser(row)
  }

  // The sign-in page accepts a username or an email address in one field, so neither may belong to two users.
  async function insertIfNamesAreFree(user: User & { readonly password: string }): Promise<void> {
    const { subject, directory, givenName, familyName } = user
    const [username, email] = [user.username.toLowerCase(), user.email.toLowerCase()]
    const { salt, hash } = await hashPassword(user.password)
    await tables.query`
      INSERT INTO users (subject, directory, username, email, given_name, family_name, salt, hash)
      SELECT ${subject}, ${directory}, ${username}, ${email}, ${givenName}, ${familyName}, ${salt}, ${hash}
      FROM (SELECT 1 AS one) AS one
      WHERE NOT EXISTS (SELECT 1 FROM users WHERE directory = ${directory}
        AND (username IN (${username}, ${email}) OR email IN (${username}, ${email})))`
  }

  const find = async (subject: string): Promise<StoredUser | undefined> => {
    const [row] = await tables.query`SELECT * FROM users WHERE subject = ${subject}`
    return row && toUser(row)
  }

  return {
    list: async () => (await tables.query`SELECT * FROM users ORDER BY username`).map(toUser),
    find,
    findByName: findRow,
    async verify({ username, password }) {
      const user = await findRow(username)
      return (await isPassword(password, user)) ? user : undefined
    },
    async put(user) {
      if ((await find(user.subject)) === undefined) return insertIfNamesAreFree(user)
      const { salt, hash } = await hashPassword(user.password)
      await tables.query`UPDATE users SET salt = ${salt}, hash = ${hash} WHERE subject = ${user.subject}`
    },
    async remove(subject) {
      await tables.query`DELETE FROM passkeys WHERE subject = ${subject}`
      await tables.query`DELETE FROM users WHERE subject = ${subject}`
    },
    add: (user) => insertIfNamesAreFree({ ...user, subject: randomUUID(), directory: '' }),
    passkeys,
  }
}

type StoredUser = User & PasswordRecord

const toUser = (row: Row): StoredUser => ({
  subject: String(row['subject']),
  directory: String(row['directory']),
  username: String(row['username']),
  email: String(row['email']),
  givenName: String(row['given_name']),
  familyName: String(row['family_name']),
  salt: String(row['salt']),
  hash: String(row['hash']),
})

const definition = `users (
  subject VARCHAR(255) NOT NULL,
  directory VARCHAR(255) NOT NULL,
  username VARCHAR(255) NOT NULL,
  email VARCHAR(255) NOT NULL,
  given_name TEXT NOT NULL,
  family_name TEXT NOT NULL,
  salt TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (subject),
  UNIQUE (directory, username),
  UNIQUE (directory, email)
)`
