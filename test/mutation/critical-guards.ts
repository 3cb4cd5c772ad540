/** Guards whose loss would be worst, each with a test file that fails without it: the sample of every CI run. */
interface CriticalGuard {
  readonly file: string
  readonly condition: string
  readonly test: string
}

export const criticalGuards: readonly CriticalGuard[] = []
