import type { WebAuthnCredential } from '@simplewebauthn/server'

import type { Row, Tables } from '#query'

/** The public key of a passkey, and what the page shows of it. */
export interface StoredPasskey extends WebAuthnCredential {
  readonly subject: string
  readonly name: string
  /** In seconds since 1970. */
  readonly createdAt: number
}

/** The passkeys of the users. */
export interface PasskeyTable {
  find(id: string): Promise<StoredPasskey | undefined>
  list(subject: string): Promise<readonly StoredPasskey[]>
  add(subject: string, passkey: WebAuthnCredential): Promise<void>
  remove(subject: string, id: string): Promise<void>
  saveCounter(id: string, counter: number): Promise<void>
}

/** Opens the table, and creates it in a new database. */
export async function openPasskeys(tables: Tables): Promise<PasskeyTable> {
  await tables.create(definition)
  return {
    async find(id) {
      const [row] = await tables.query`SELECT * FROM passkeys WHERE id = ${id}`
      return row && toPasskey(row)
    },
    list: async (subject) =>
      (await tables.query`SELECT * FROM passkeys WHERE subject = ${subject} ORDER BY created_at`).map(toPasskey),
    async add(subject, { id, publicKey, counter, transports = [] }) {
      const key = Buffer.from(publicKey).toString('base64url')
      const createdAt = Math.floor(Date.now() / 1000)
      await tables.query`
        INSERT INTO passkeys (id, subject, public_key, counter, transports, name, created_at)
        VALUES (${id}, ${subject}, ${key}, ${counter}, ${JSON.stringify(transports)}, ${'Passkey'}, ${createdAt})`
    },
    async remove(subject, id) {
      await tables.query`DELETE FROM passkeys WHERE subject = ${subject} AND id = ${id}`
    },
    async saveCounter(id, counter) {
      await tables.query`UPDATE passkeys SET counter = ${counter} WHERE id = ${id}`
    },
  }
}

const toPasskey = (row: Row): StoredPasskey => ({
  id: String(row['id']),
  subject: String(row['subject']),
  publicKey: new Uint8Array(Buffer.from(String(row['public_key']), 'base64url')),
  counter: Number(row['counter']),
  transports: JSON.parse(String(row['transports'])) as NonNullable<WebAuthnCredential['transports']>,
  name: String(row['name']),
  createdAt: Number(row['created_at']),
})

// `counter` has 32 bits, of which the databases would use one for the sign.
const definition = `passkeys (
  id VARCHAR(255) NOT NULL,
  subject VARCHAR(255) NOT NULL,
  public_key TEXT NOT NULL,
  counter BIGINT NOT NULL,
  transports TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (id)
)`
