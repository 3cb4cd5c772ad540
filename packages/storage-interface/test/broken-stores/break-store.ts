import type { AdminStorage } from '@mintmark/storage-interface'
import type { StorageUnderTest } from '@mintmark/storage-interface/contract'

/** Turns a correct store into one that breaks a law. */
export type BrokenStore = (store: StorageUnderTest<AdminStorage>) => StorageUnderTest<AdminStorage>

type StoreName = Exclude<keyof AdminStorage, 'issuer' | 'isVolatile' | 'onSessionsRevoked'>

/** Replaces methods of one store. All storages that it opens share `seen`, as they would share rows. */
export function breakStore<Name extends StoreName>(
  name: Name,
  change: (
    honest: NonNullable<AdminStorage[Name]>,
    storage: AdminStorage,
    seen: Map<string, unknown>,
  ) => Partial<NonNullable<AdminStorage[Name]>>,
): BrokenStore {
  return (store) => {
    const seen = new Map<string, unknown>()
    return {
      open: async (issuer) => {
        const storage = await store.open(issuer)
        const honest = storage[name]
        return honest ? { ...storage, [name]: { ...honest, ...change(honest, storage, seen) } } : storage
      },
      close: () => store.close(),
    }
  }
}

export type Method = (...args: readonly unknown[]) => Promise<unknown>

export interface Call {
  /** Store and method, such as `codes.consume`. */
  readonly name: string
  readonly args: readonly unknown[]
}

/** Replaces every method of every store. */
export function breakEveryMethod(change: (method: Method, call: Call) => Promise<unknown>): BrokenStore {
  return (store) => ({
    open: async (issuer) => {
      const storage = await store.open(issuer)
      const stores = Object.entries(storage).filter(([, methods]) => typeof methods === 'object') as [
        string,
        Record<string, Method>,
      ][]
      const changed = stores.map(([storeName, methods]) => {
        const entries = Object.entries(methods).map(([name, method]) => {
          const replacement: Method = (...args) => change(method, { name: `${storeName}.${name}`, args })
          return [name, replacement] as const
        })
        return [storeName, Object.fromEntries(entries)] as const
      })
      return { ...storage, ...Object.fromEntries(changed) }
    },
    close: () => store.close(),
  })
}

/**
 * Lets all other ready tasks run first. A broken store calls it between its read and its write, where a real store would
 * wait for the database.
 */
export const letOthersGoFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
