import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** A stored password, in base64url. */
export interface PasswordRecord {
  readonly salt: string
  readonly hash: string
}

export async function hashPassword(password: string): Promise<PasswordRecord> {
  const salt = randomBytes(16)
  return toRecord(salt, await derive(password, salt))
}

/**
 * Whether the password is right. Takes the same time without a record, so that it does not reveal which users exist.
 */
export async function isPassword(password: string, record: PasswordRecord | undefined): Promise<boolean> {
  const { salt, hash } = record ?? dummyRecord
  const isRight = timingSafeEqual(
    await derive(password, Buffer.from(salt, 'base64url')),
    Buffer.from(hash, 'base64url'),
  )
  return isRight && record !== undefined
}

function derive(password: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // NFKC: two keyboards can produce different code points for the same password.
    scrypt(password.normalize('NFKC'), salt, hashLength, cost, (error, hash) => (error ? reject(error) : resolve(hash)))
  })
}

/** Uses 16 MiB and about a fifth of a second: one of the settings in OWASP's password storage cheat sheet. */
const cost = { N: 16_384, r: 8, p: 5 }
const hashLength = 32

const toRecord = (salt: Buffer, hash: Buffer): PasswordRecord => ({
  salt: salt.toString('base64url'),
  hash: hash.toString('base64url'),
})

/** No password has it. It is not random, because Workers create no random values before the first request. */
const dummyRecord = toRecord(Buffer.alloc(16), Buffer.alloc(hashLength))
