import type { Bench } from './measure.ts'
import type { TargetSettings } from './site.ts'
import type { SuiteTarget } from './suites/suite.ts'
import { startTarget, type TargetProcess } from './target-process.ts'

/** A target and its process. */
export interface RunningTarget extends SuiteTarget {
  readonly process: TargetProcess
}

/** Starts all targets of a suite. Each target that needs a database gets a separate one. */
export async function startTargets(
  targets: readonly SuiteTarget[],
  { postgres, profileFolder, interrupted }: Omit<Bench, 'driver'>,
): Promise<{ readonly targets: readonly RunningTarget[]; readonly stop: () => Promise<void> }> {
  const running: RunningTarget[] = []
  const removals: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(running.map(async ({ process }) => process.stop()))
    await Promise.allSettled(removals.map(async (remove) => remove()))
  }

  async function settingsOf({ settings }: SuiteTarget): Promise<TargetSettings> {
    if (settings.storage !== 'postgres') return settings
    const { url, remove } = await postgres.database()
    removals.push(remove)
    return { ...settings, postgresUrl: url }
  }

  try {
    for (const target of targets) {
      running.push({
        ...target,
        process: await startTarget(target.program, { settings: await settingsOf(target), profileFolder, interrupted }),
      })
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { targets: running, stop }
}
