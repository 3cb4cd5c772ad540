import type { OAuthStorage } from '../storage.ts'

/** A store that a law is checked on. It is empty when it is created. */
export interface StorageUnderTest<Storage extends OAuthStorage = OAuthStorage> {
  /** Opens a storage bound to the issuer. All storages of one issuer read the same rows. */
  open(issuer: string): Promise<Storage>
  /** Called once, after the law was checked. */
  close(): Promise<void>
}

/** One sentence of the storage contract, and the program that checks it. */
export interface StorageLaw<Storage extends OAuthStorage = OAuthStorage> {
  readonly name: string
  /**
   * Creates a new store, checks the law on it, and closes it.
   * @throws LawViolationError if the store breaks the law or throws.
   */
  readonly run: (makeStore: () => Promise<StorageUnderTest<Storage>>) => Promise<void>
}

/** What a law uses to check a store. */
export interface Trial<Storage extends OAuthStorage = OAuthStorage> {
  /** A storage bound to `issuer`. */
  readonly storage: Storage
  readonly issuer: string
  /** Returns one of two storages of the same store and issuer, alternately, as if two servers used the store. */
  readonly server: (index: number) => Storage
  /** Opens another storage of the same store. */
  readonly open: (issuer: string) => Promise<Storage>
  /** @throws LawViolationError if the two are not the same data. A member that is `undefined` is treated as absent. */
  readonly same: (found: unknown, expected: unknown, about: string) => void
}

export function law<Storage extends OAuthStorage = OAuthStorage>(
  name: string,
  check: (trial: Trial<Storage>) => Promise<void>,
): StorageLaw<Storage> {
  return {
    name,
    async run(makeStore) {
      const store = await makeStore()
      try {
        await check(await beginTrial(name, store))
      } catch (thrown) {
        if (thrown instanceof LawViolationError) throw thrown
        throw new LawViolationError({
          law: name,
          about: 'the store threw',
          expected: 'a result',
          found: thrown,
          cause: thrown,
        })
      } finally {
        await store.close()
      }
    },
  }
}

async function beginTrial<Storage extends OAuthStorage>(
  name: string,
  store: StorageUnderTest<Storage>,
): Promise<Trial<Storage>> {
  const storage = await store.open(issuer)
  const second = await store.open(issuer)

  return {
    storage,
    issuer,
    server: (index) => (index % 2 === 0 ? storage : second),
    open: (other) => store.open(other),
    same: (found, expected, about) => {
      if (!isSameValue(found, expected)) throw new LawViolationError({ law: name, about, expected, found })
    },
  }
}

const issuer = 'https://issuer.example'

/** A storage broke a law of the contract. */
export class LawViolationError extends Error {
  override readonly name = 'LawViolationError'
  /** The law's name, as in `StorageLaw`. */
  readonly law: string
  readonly expected: unknown
  readonly found: unknown

  constructor(verdict: {
    readonly law: string
    /** Which part of the law was checked. */
    readonly about: string
    readonly expected: unknown
    readonly found: unknown
    readonly cause?: unknown
  }) {
    const { law, about, expected, found, cause } = verdict
    super(`${law}\n  ${about}\n  expected: ${show(expected)}\n  found:    ${show(found)}`, { cause })
    this.law = law
    this.expected = expected
    this.found = found
  }
}

function show(value: unknown): string {
  const text = value instanceof Error ? String(value) : (JSON.stringify(value, keepUndefined) ?? String(value))
  return text.length > 1000 ? `${text.slice(0, 1000)}… (${text.length} characters)` : text
}

function keepUndefined(_key: string, value: unknown): unknown {
  return value === undefined ? '(undefined)' : value
}

/** Starts `count` calls before it awaits any of them, and waits for all. */
export async function atOnce<T>(count: number, start: (index: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => start(index)))
}

/** Counts the results by outcome. */
export function tally(results: readonly { readonly outcome: string }[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const { outcome } of results) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return Object.fromEntries(counts)
}

/**
 * Whether two values are the same plain data. A member that is `undefined` is treated as absent: records have every member, JSON
 * does not. Keys are compared as own properties, so that `__proto__` is a key like any other.
 */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  if (Array.isArray(a) || Array.isArray(b)) return isSameList(a, b)

  const left = definedMembers(a)
  const right = definedMembers(b)
  return (
    left.size === right.size && [...left].every(([key, value]) => right.has(key) && isSameValue(value, right.get(key)))
  )
}

function isSameList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((value, index) => isSameValue(value, b[index]))
}

function definedMembers(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, member]) => member !== undefined))
}
