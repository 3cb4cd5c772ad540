import type { DatabaseSync } from 'node:sqlite'
// Not the global one, which a host's tests may have stopped.
import { setImmediate } from 'node:timers'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { asStorageError } from './sqlite-errors.ts'
import { inTransaction } from './transaction.ts'

/**
 * Runs the write at the end of this turn of the event loop, together with the others that came until then. Nothing is
 * awaited in it. What it throws comes back as `asStorageError` has it.
 */
export type RunWrite = <T>(write: () => T) => Promise<T>

/** A write that has not run. */
interface WaitingWrite {
  readonly run: () => Answer
  readonly refuse: (error: unknown) => void
}

/** Tells whoever asked for the write how it went. */
type Answer = () => void

/**
 * Writes of one turn share a transaction: they wait for the disk once, and a page that several of them change is written
 * once. They run one after the other, each sees those before it, and nobody is answered before all are committed. A write
 * that breaks a constraint leaves the others alone; when the transaction fails, all of them have failed.
 */
export function createWriteGroup(database: DatabaseSync): RunWrite {
  let waiting: WaitingWrite[] = []

  function runWaiting(): void {
    const group = waiting
    waiting = []
    try {
      const [first] = group
      const answers = first !== undefined && group.length === 1 ? [first.run()] : runTogether(group, database)
      for (const answer of answers) answer()
    } catch (error) {
      for (const { refuse } of group) refuse(asStorageError(error))
    }
  }

  return (write) =>
    new Promise((resolve, reject) => {
      // Until then the requests that have arrived are read, and bring their own writes.
      if (waiting.length === 0) setImmediate(runWaiting)
      waiting.push({
        run: () => {
          const result = write()
          return () => resolve(result)
        },
        refuse: reject,
      })
    })
}

/** @throws what ended the transaction: none of them was written. */
const runTogether = (group: readonly WaitingWrite[], database: DatabaseSync): readonly Answer[] =>
  inTransaction(database, () => ({ outcome: 'done', value: group.map((write) => runOne(write, database)) }))

function runOne({ run, refuse }: WaitingWrite, database: DatabaseSync): Answer {
  try {
    return run()
  } catch (error) {
    const refused = asStorageError(error)
    // A full disk and its kin may have undone what the others wrote (https://sqlite.org/lang_transaction.html §3).
    if (!database.isTransaction || refused instanceof StorageUnavailableError) throw error
    return () => refuse(refused)
  }
}
