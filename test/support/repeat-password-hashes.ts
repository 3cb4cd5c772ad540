import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { callbackify } from 'node:util'

/**
 * Runs before the tests of each file. Hashing a password takes longer than most tests, and hundreds of sign-ins check the same
 * few passwords. A process computes `scrypt` once for the same arguments, and then returns the same hash again.
 */
type Scrypt = (
  password: crypto.BinaryLike,
  salt: crypto.BinaryLike,
  length: number,
  cost: crypto.ScryptOptions,
  callback: (error: Error | null, hash: Buffer) => void,
) => void

const repeating = (compute: Scrypt): Scrypt => {
  const hashes = new Map<string, Promise<Buffer>>()
  return (password, salt, length, cost, callback) => {
    const name = JSON.stringify([password, salt, length, cost])
    const hash =
      hashes.get(name) ??
      new Promise<Buffer>((resolve, reject) =>
        compute(password, salt, length, cost, (error, bytes) => (error ? reject(error) : resolve(bytes))),
      )
    hashes.set(name, hash)
    // A copy, because the caller may change it.
    callbackify(async () => Buffer.from(await hash))(callback)
  }
}

const repeated = Symbol.for('mintmark: password hashes are repeated')

// An earlier file of the process may have done it.
if (!Object.hasOwn(crypto, repeated)) {
  Object.assign(crypto, { [repeated]: true, scrypt: repeating(crypto.scrypt) })
  syncBuiltinESMExports()
}
