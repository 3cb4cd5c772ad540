import { createMemoryRateLimiter, type RateLimiter } from '../rate-limiter.ts'

/** The limiters that replace those of this process. */
interface ChosenLimiters {
  readonly deviceRequests?: RateLimiter
  readonly deviceRequestsInTotal?: RateLimiter
  readonly userCodes?: RateLimiter
  readonly userCodesOfAddress?: RateLimiter
  readonly userCodesInTotal?: RateLimiter
}

/** Returns the limits of requests of devices, and of wrong user codes. */
export const deviceLimits = (chosen: ChosenLimiters) => ({
  deviceRequests: {
    ofClient: chosen.deviceRequests ?? createMemoryRateLimiter({ points: 600, window: 60 }),
    inTotal: chosen.deviceRequestsInTotal ?? createMemoryRateLimiter({ points: 6000, window: 60 }),
  },
  userCodes: {
    ofBrowser: chosen.userCodes ?? createMemoryRateLimiter({ points: 5, window: 600 }),
    ofAddress: chosen.userCodesOfAddress ?? createMemoryRateLimiter({ points: 20, window: 600 }),
    inTotal: chosen.userCodesInTotal ?? createMemoryRateLimiter({ points: 10_000, window: 600 }),
  },
})
