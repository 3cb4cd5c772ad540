import { systemRandom } from '@mintmark/internal'
import { StorageUnavailableError, type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'

import { dumpDatabase } from './dump-database.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

/** Records the storage calls of a server and simulates storage outages. */
interface Probe {
  /** The calls so far, such as `families.rotate`. */
  readonly calls: readonly string[]
  /** Clears the recorded calls. */
  reset(): void
  /** From now on, the storage calls that the predicate selects fail; `undefined` ends the outage. */
  failWhen(isDown: ((call: string, index: number) => boolean) | undefined): void
}

export type ProbedServer = ServerUnderTest & { readonly probe: Probe }

/** Starts the server of the attack tests with a storage whose calls are recorded and can fail. */
export async function startProbedServer(options: Parameters<typeof startServer>[0] = {}): Promise<ProbedServer> {
  const database = createMemoryDatabase()
  const issuer = 'https://as.test'
  const calls: string[] = []
  let isDown: ((call: string, index: number) => boolean) | undefined
  const storage = interceptStorage(createMemoryStorage({ issuer, database }), (call) => {
    calls.push(call)
    if (isDown?.(call, calls.length) === true) throw new StorageUnavailableError(`${call} is down`)
  })

  // Without the option, the server draws random bytes in blocks.
  const site = await startServer({ random: systemRandom, ...options, storage })
  const probe: Probe = {
    calls,
    reset: () => void calls.splice(0),
    failWhen: (test) => {
      calls.splice(0)
      isDown = test
    },
  }
  return { ...site, dump: () => dumpDatabase(database, issuer), probe }
}

/** Returns the same storage, which runs `before` ahead of each call. If `before` throws, the call fails with that error. */
export function interceptStorage(storage: AdminStorage, before: (call: string) => void): AdminStorage {
  const intercepted = (store: object, name: string): object =>
    new Proxy(store, {
      get(target, member) {
        const method: unknown = Reflect.get(target, member)
        if (typeof method !== 'function') return method
        return async (...values: readonly unknown[]): Promise<unknown> => {
          before(`${name}.${String(member)}`)
          return Reflect.apply(method as (...values: readonly unknown[]) => Promise<unknown>, target, values)
        }
      },
    })
  const members = Object.entries(storage).map(([name, store]: [string, unknown]) => [
    name,
    typeof store === 'object' && store !== null ? intercepted(store, name) : store,
  ])
  return Object.fromEntries(members) as AdminStorage
}
