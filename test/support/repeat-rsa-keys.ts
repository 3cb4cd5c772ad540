import { webcrypto } from 'node:crypto'

/**
 * Runs before the tests of each process. Creating an RSA key takes longer than most tests, and thousands of servers under test create
 * one. WebCrypto creates this many keys of each kind, and then returns them again, in turn.
 */
const differentKeys = 16

const { subtle } = webcrypto
const create = subtle.generateKey.bind(subtle)
const keysByKind = new Map<string, ReturnType<typeof create>[]>()
let created = 0

subtle.generateKey = ((...[algorithm, ...rest]: Parameters<typeof create>) => {
  if (typeof algorithm === 'string' || !algorithm.name.startsWith('RSA')) return create(algorithm, ...rest)
  const kind = JSON.stringify([algorithm, ...rest])
  const keys = keysByKind.get(kind) ?? []
  keysByKind.set(kind, keys)
  const place = created % differentKeys
  created += 1
  return (keys[place] ??= create(algorithm, ...rest))
}) as typeof subtle.generateKey
