import type { KeyOf } from './key-space.ts'
import type { RunScript } from './script-runner.ts'

/**
 * Runs scripts, and warns after the first answer if Redis evicts keys when its memory is full. Used codes, revoked tokens
 * and replay marks would then be accepted again.
 */
export function checkEvictionOnce(run: RunScript, keyOf: KeyOf, onWarning: (message: string) => void): RunScript {
  let isChecked = false
  return async (...call) => {
    const reply = await run(...call)
    if (!isChecked) {
      isChecked = true
      void checkEviction(run, keyOf, onWarning)
    }
    return reply
  }
}

async function checkEviction(run: RunScript, keyOf: KeyOf, onWarning: (message: string) => void): Promise<void> {
  const policy = await readPolicy(run, await keyOf('eviction', 'policy'))
  if (policy === undefined || policy === 'noeviction') return
  onWarning(
    `Redis has maxmemory-policy ${policy}, which removes replay marks and revocations when memory is short. Set maxmemory-policy noeviction.`,
  )
}

async function readPolicy(run: RunScript, key: string): Promise<string | undefined> {
  try {
    const [info] = await run(evictionScript, key, [])
    return /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1]
  } catch {
    // The server has become unavailable, or the user may not call INFO. The caller has its answer already.
    return undefined
  }
}

/** `INFO` is allowed more often than `CONFIG GET`, which managed services remove, and which no script may call. */
const evictionScript = `return {redis.call('INFO', 'memory')}`
