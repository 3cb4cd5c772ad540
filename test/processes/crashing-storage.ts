import type { AdminStorage } from '@mintmark/storage-interface'

import type { CrashPoint } from './server-config.ts'

type Method = (...args: readonly unknown[]) => Promise<unknown>
type Stores = Readonly<Record<string, Readonly<Record<string, Method>>>>

/** Returns the same storage, except that the process kills itself at one call. */
export function crashingStorage(storage: AdminStorage, { when, call }: CrashPoint): AdminStorage {
  const [storeName = '', methodName = ''] = call.split('.')
  const store = (storage as unknown as Stores)[storeName]
  const method = store?.[methodName]
  if (method === undefined) throw new Error(`There is no storage call ${call}`)

  const dying: Method = async (...args) => {
    if (when === 'after') await method(...args)
    return die()
  }
  return { ...storage, [storeName]: { ...store, [methodName]: dying } }
}

/** Sends SIGKILL to this process; nothing after it runs. */
function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}
