import { webcrypto } from 'node:crypto'

/**
 * Runs before the tests of each file. Creating an RSA key takes longer than most tests, and thousands of servers under test create
 * one. In a process, WebCrypto creates this many keys of each kind, and then returns them again, in turn.
 */
const differentKeys = 16

const { subtle } = webcrypto
type Create = typeof subtle.generateKey

const repeating = (create: Create): Create => {
  const kinds = new Map<string, { readonly keys: ReturnType<Create>[]; asked: number }>()
  return ((...[algorithm, ...rest]: Parameters<Create>) => {
    if (typeof algorithm === 'string' || !algorithm.name.startsWith('RSA')) return create(algorithm, ...rest)
    const name = JSON.stringify([algorithm, ...rest])
    const kind = kinds.get(name) ?? { keys: [], asked: 0 }
    kinds.set(name, kind)
    const place = kind.asked % differentKeys
    kind.asked += 1
    return (kind.keys[place] ??= create(algorithm, ...rest))
  }) as Create
}

// An earlier file of the process may have done it.
if (!Object.hasOwn(subtle, 'generateKey')) subtle.generateKey = repeating(subtle.generateKey.bind(subtle))
