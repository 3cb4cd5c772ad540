import type { ReplayPurpose, ReplayStore } from '@mintmark/storage-interface/stores'
import { sha256, type KeyOf } from './key-space.ts'
import { type RunScript, unexpectedReply } from './script-runner.ts'
import { keepSeconds, timeToLive, writing } from './scripts.ts'

export function createRedisReplays(run: RunScript, keyOf: KeyOf): ReplayStore {
  const replayKey = async (purpose: ReplayPurpose, value: string): Promise<string> =>
    keyOf(purpose, await sha256(value))

  return {
    async markUsed({ purpose, value, expiresAt, now }) {
      const args = [now, ...timeToLive({ from: now, until: expiresAt, margin: secondsKeptAfterExpiry })]
      const [outcome] = await run(markUsedScript, await replayKey(purpose, value), args)
      if (outcome === 'fresh' || outcome === 'seen') return { outcome }
      throw unexpectedReply(outcome)
    },
  }
}

/** In seconds: setting a clock back by an hour must not make an old assertion acceptable. */
const secondsKeptAfterExpiry = 3900

// A replay mark is a string: the second in which it expires.

/** ARGV: now, expiresAt, lifetime, margin. Answers `fresh` or `seen`. */
const markUsedScript = writing(`#!lua
${keepSeconds}
local expiresAt = redis.call('GET', KEYS[1])
if expiresAt and tonumber(ARGV[1]) < tonumber(expiresAt) then return {'seen'} end
redis.call('SET', KEYS[1], ARGV[2], 'EX', keepSeconds(ARGV[2], ARGV[3], ARGV[4]))
return {'fresh'}
`)
