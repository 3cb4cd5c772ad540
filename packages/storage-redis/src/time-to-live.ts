import type { EpochSeconds } from '@mintmark/storage-interface'

/**
 * Lua: `keepSeconds(expiresAt, lifetime, margin)`, how long a key is kept. Whether a record counts is decided by the
 * caller's `now` alone; Redis only clears away what neither the caller's clock nor its own calls alive.
 */
export const keepSeconds = `
local function keepSeconds(expiresAt, lifetime, margin)
  local left = tonumber(expiresAt) - tonumber(redis.call('TIME')[1])
  return math.max(left, tonumber(lifetime)) + tonumber(margin)
end
`

/**
 * The arguments of `keepSeconds`.
 * @param life `from` is the writer's time, where the record says it; `margin` is in seconds.
 * @throws TypeError for what is not a time: such a key would never go away.
 */
export function timeToLive(life: {
  readonly from: EpochSeconds | undefined
  readonly until: EpochSeconds
  readonly margin?: number
}): readonly [expiresAt: number, lifetime: number, margin: number] {
  const { until, from = until, margin = keptAfterExpiry } = life
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(until))
    throw new TypeError('A time is a whole number of seconds.')
  return [until, Math.max(0, until - from), margin]
}

/** In seconds: the caller's clock may be slow. */
const keptAfterExpiry = 300
