import type { Pool } from 'pg'
import { RateLimiterPostgres } from 'rate-limiter-flexible'

/** Counts in the database, so that all nodes count together. */
export const sharedCounter = (
  pool: Pool,
  { name, points, seconds }: { readonly name: string; readonly points: number; readonly seconds: number },
) =>
  new Promise<RateLimiterPostgres>((made, failed) => {
    const options = { storeClient: pool, tableName: 'rate_limits', keyPrefix: name, points, duration: seconds }
    const limiter = new RateLimiterPostgres(options, (error?: Error) => (error ? failed(error) : made(limiter)))
  })
