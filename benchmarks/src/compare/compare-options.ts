import { parseArgs } from 'node:util'

/** What `pnpm bench compare` measures. */
export interface CompareOptions {
  /** The revision to compare with; absent for the default. */
  readonly revision?: string
  /** Only the workloads whose title contains this. */
  readonly workload: string
  /** Everything must be complete within this time; absent for no limit. */
  readonly seconds?: number
  readonly effort: CompareEffort
}

/** How long each workload is measured. Times are in milliseconds. */
export interface CompareEffort {
  readonly connections: number
  readonly warmUp: number
  readonly rounds: number
  /** The number of sequences in each round. A sequence is four windows: before, after, after, before. */
  readonly sequences: number
  readonly window: number
}

const usage = 'Write pnpm bench compare [REVISION] [--short] [--seconds NUMBER] [--workload PART].'

/** Parses the arguments of the command. Throws an error whose message says what is wrong with them. */
export function parseCompareOptions(words: readonly string[]): CompareOptions {
  const { values, positionals } = parse(words)
  const [revision, ...more] = positionals
  if (more.length > 0) throw new Error(`Only one revision can be compared. ${usage}`)
  if (revision === '') throw new Error(`The revision is empty. ${usage}`)
  const seconds = values.seconds === undefined ? undefined : Number(values.seconds)
  if (seconds !== undefined && !(seconds > 0 && seconds <= 86_400)) {
    throw new Error(`--seconds is a positive number of at most 86400. ${usage}`)
  }
  return {
    ...(revision !== undefined && { revision }),
    ...(seconds !== undefined && { seconds }),
    workload: values.workload,
    effort: values.short
      ? { connections: 16, warmUp: 400, rounds: 5, sequences: 2, window: 50 }
      : { connections: 32, warmUp: 1500, rounds: 5, sequences: 8, window: 100 },
  }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: words.filter((word) => word !== '--'),
      allowPositionals: true,
      options: {
        short: { type: 'boolean', default: false },
        seconds: { type: 'string' },
        workload: { type: 'string', default: '' },
      },
    })
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)} ${usage}`, { cause: error })
  }
}
