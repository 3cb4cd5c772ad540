import type { KeyOf } from './key-space.ts'
import type { RunScript } from './script-runner.ts'
import { reading } from './scripts.ts'

/**
 * Runs scripts, and warns after the first answer if Redis is configured to lose records: used codes, revoked tokens and
 * replay marks would then be accepted again.
 */
export function checkConfigurationOnce(run: RunScript, keyOf: KeyOf, onWarning: (message: string) => void): RunScript {
  let isChecked = false
  return async (...call) => {
    const reply = await run(...call)
    if (!isChecked) {
      isChecked = true
      void checkConfiguration(run, keyOf, onWarning)
    }
    return reply
  }
}

async function checkConfiguration(run: RunScript, keyOf: KeyOf, onWarning: (message: string) => void): Promise<void> {
  const info = await readInfo(run, await keyOf('configuration', 'info'))
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1]
  if (policy !== undefined && policy !== 'noeviction')
    onWarning(
      `Redis has maxmemory-policy ${policy}, which removes replay marks and revocations when memory is short. Set maxmemory-policy noeviction.`,
    )
  if (/^aof_enabled:0/m.test(info))
    onWarning(
      'Redis has appendonly no, so a restart forgets the last replay marks and revocations. Set appendonly yes.',
    )
}

async function readInfo(run: RunScript, key: string): Promise<string> {
  try {
    const [info] = await run(infoScript, key, [])
    return info ?? ''
  } catch {
    // The server has become unavailable, or the user may not call INFO. The caller has its answer already.
    return ''
  }
}

/** `INFO` is allowed more often than `CONFIG GET`, which managed services remove, and which no script may call. */
const infoScript = reading(`return {redis.call('INFO', 'memory') .. redis.call('INFO', 'persistence')}`)
