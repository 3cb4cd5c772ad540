import { elapsed, isWorkerd } from './runtime.ts'

/**
 * Divides the event loop between the long work of many requests and short requests. A loop over a client's data calls
 * `hasEnded` after each piece of work, and awaits `next` when it returns true.
 */
export interface Turns {
  /** Whether the event loop has been kept busy for the length of a turn. */
  readonly hasEnded: () => boolean
  /** Waits until the event loop has done its other work. One waiter continues in each round of the loop. */
  readonly next: () => Promise<void>
}

/** Work that yields wherever other requests may run. */
export type Pieces<Result> = Generator<void, Result, void>

/** Maps a list in pieces of a hundred items. */
export function* mapInPieces<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Pieces<readonly Result[]> {
  const results: Result[] = []
  for (const item of items) {
    results.push(map(item))
    if (results.length % itemsInPiece === 0) yield
  }
  return results
}

const itemsInPiece = 100

/** Does work as a single piece, which starts when it is its turn. */
export function* inOnePiece<Result>(work: () => Result): Pieces<Result> {
  yield
  return work()
}

/** Does all pieces of work without a pause. */
export function runAtOnce<Result>(work: Pieces<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/** Does the pieces of work, and lets other requests run between them. */
export async function runInTurns<Result>(work: Pieces<Result>, turns: Turns): Promise<Result> {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    if (turns.hasEnded()) await turns.next()
  }
}

/** @param options for tests: the length of a turn in milliseconds, the clock, and a function that schedules work. */
export function createTurns(options: TurnsOptions = {}): Turns {
  return isWorkerd && options.later === undefined ? noTurns : sharedTurns(options)
}

/**
 * In workerd, the clock does not advance while code runs, and a timer belongs to one request. Work is done without a
 * pause.
 */
const noTurns: Turns = { hasEnded: () => false, next: () => Promise.resolve() }

function sharedTurns({ length = 5, now = elapsed, later = afterOthers }: TurnsOptions): Turns {
  const waiting: (() => void)[] = []
  let startedAt: number | undefined

  // All requests that the event loop runs in one round share one turn.
  function start(): void {
    startedAt = now()
    later(() => {
      startedAt = undefined
      const resume = waiting.shift()
      if (resume === undefined) return
      start()
      resume()
    })
  }

  return {
    hasEnded() {
      if (startedAt === undefined) start()
      return now() - (startedAt ?? 0) >= length
    },
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (startedAt === undefined) start()
      }),
  }
}

interface TurnsOptions {
  readonly length?: number
  readonly now?: () => number
  readonly later?: (run: () => void) => void
}

/** Uses a timer, which is slower, in runtimes without `setImmediate`. */
const afterOthers = (run: () => void): void => {
  const { setImmediate: immediate } = globalThis as { readonly setImmediate?: (run: () => void) => void }
  if (immediate === undefined) setTimeout(run, 0)
  else immediate(run)
}
